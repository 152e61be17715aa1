//! The entries of ours in the settings of an agent: put in, found again, taken out. Everything else in the file stays as it
//! is, in its order.

use crate::agents::Wiring;
use crate::json::Json;

/// What tells a command of ours from others.
const MARKS: [&str; 2] = ["stele-hook", "stele hook"];

/// Puts an entry for each event into settings, in place of older ones of ours.
///
/// # Errors
/// A line that says what is not of the form that the agent documents; nothing was changed then.
pub(crate) fn add(settings: &mut Json, wiring: &Wiring, command: &str) -> Result<(), String> {
    let mut changed = settings.clone();
    remove(&mut changed)?;
    let hooks = changed.member("hooks", Json::map()).ok_or("the settings are no object")?;
    for (event, tools) in wiring.events {
        let entries = hooks.member(event, Json::List(Vec::new())).ok_or("its `hooks` is no object")?;
        let entries = entries.as_list().ok_or_else(|| format!("its `hooks.{event}` is no list"))?;
        let call = Json::from([("type", Json::text("command")), ("command", Json::text(command)), ("timeout", Json::Plain(wiring.timeout.into()))]);
        let mut entry = Json::map();
        if let (Some(tools), Json::Map(members)) = (tools, &mut entry) {
            members.push(("matcher".to_owned(), Json::text(tools)));
        }
        entry.member("hooks", Json::List(vec![call]));
        entries.push(entry);
    }
    *settings = changed;
    Ok(())
}

/// Takes every call of ours out, and whatever is empty without it; true if there was one.
///
/// # Errors
/// As [`add`].
pub(crate) fn remove(settings: &mut Json) -> Result<bool, String> {
    let Json::Map(members) = settings else { return Err("the settings are no object".to_owned()) };
    let Some((_, hooks)) = members.iter_mut().find(|(name, _)| name == "hooks") else { return Ok(false) };
    let Json::Map(events) = hooks else { return Err("its `hooks` is no object".to_owned()) };
    let mut found = false;
    for (event, entries) in events.iter_mut() {
        let entries = entries.as_list().ok_or_else(|| format!("its `hooks.{event}` is no list"))?;
        for entry in entries.iter_mut() {
            let Some(calls) = entry.member("hooks", Json::List(Vec::new())).and_then(Json::as_list) else { continue };
            let before = calls.len();
            calls.retain(|call| !is_ours(call));
            found |= calls.len() < before;
        }
        if found {
            entries.retain(|entry| !entry.get("hooks").is_some_and(Json::is_empty));
        }
    }
    if found {
        events.retain(|(_, entries)| !entries.is_empty());
        let empty = events.is_empty();
        members.retain(|(name, _)| !(empty && name == "hooks"));
    }
    Ok(found)
}

fn is_ours(call: &Json) -> bool {
    call.get("command").and_then(Json::as_str).is_some_and(|command| MARKS.iter().any(|mark| command.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;

    fn read(text: &str) -> Json {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn entries_are_added_once_beside_those_of_others_and_taken_out_without_a_trace() {
        let before = r#"{"z":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other"}]}],"Notification":[]},"a":[null,true,1.5,"x"]}"#;
        for (text, kept) in [(before, before), ("{}", "{}"), (r#"{"hooks":{}}"#, "{}")] {
            let mut settings = read(text);
            for command in ["stele-hook --agent claude-code", "/opt/x/stele-hook --agent claude-code"] {
                add(&mut settings, Agent::ClaudeCode.wiring(), command).expect("added");
                let written = serde_json::to_string(&settings).expect("written");
                assert_eq!(written.matches("stele-hook").count(), Agent::ClaudeCode.wiring().events.len(), "{written}");
                assert_eq!(written.matches(command).count(), Agent::ClaudeCode.wiring().events.len(), "{written}");
            }
            assert!(remove(&mut settings).expect("removed"));
            assert_eq!(serde_json::to_string(&settings).expect("written"), kept.replace(r#","Notification":[]"#, ""));
            assert!(!remove(&mut settings).expect("nothing to remove"));
        }
    }

    #[test]
    fn settings_of_another_form_are_refused_and_stay_as_they_are() {
        for text in ["[]", "7", r#"{"hooks":[]}"#, r#"{"hooks":{"Stop":{}}}"#] {
            let mut settings = read(text);
            assert!(add(&mut settings, Agent::ClaudeCode.wiring(), "stele-hook").is_err(), "{text}");
            assert_eq!(settings, read(text));
        }
    }
}
