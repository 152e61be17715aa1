//! The entries of ours in the settings of an agent: put in, found again, taken out. Everything else in the file stays as it
//! is, in its order.

use crate::agents::Wiring;
use crate::json::Json;

/// Names of our program; `stele hook`, as a module of Python, is one as well.
const PROGRAMS: [&str; 4] = ["stele-hook", "stele-hook.js", "stele-hook.exe", "stele-hook.cmd"];

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

/// Takes every call of ours out, and what is empty without it; true if there was one. What others left empty stays.
///
/// # Errors
/// As [`add`].
pub(crate) fn remove(settings: &mut Json) -> Result<bool, String> {
    let Json::Map(members) = settings else { return Err("the settings are no object".to_owned()) };
    let Some((_, hooks)) = members.iter_mut().find(|(name, _)| name == "hooks") else { return Ok(false) };
    let Json::Map(events) = hooks else { return Err("its `hooks` is no object".to_owned()) };
    let mut emptied = Vec::with_capacity(events.len());
    let mut found = false;
    for (event, entries) in events.iter_mut() {
        let entries = entries.as_list().ok_or_else(|| format!("its `hooks.{event}` is no list"))?;
        let mut here = false;
        entries.retain_mut(|entry| {
            let Some(calls) = entry.get_mut("hooks").and_then(Json::as_list) else { return true };
            let before = calls.len();
            calls.retain(|call| !is_ours(call));
            here |= calls.len() < before;
            calls.len() == before || !calls.is_empty()
        });
        found |= here;
        emptied.push(here && entries.is_empty());
    }
    let mut emptied = emptied.into_iter();
    events.retain(|_| !emptied.next().unwrap_or(false));
    let none_left = found && events.is_empty();
    members.retain(|(name, _)| !(none_left && name == "hooks"));
    Ok(found)
}

/// True for a call that starts our program for an agent, whatever a user put around that.
fn is_ours(call: &Json) -> bool {
    let Some(command) = call.get("command").and_then(Json::as_str) else { return false };
    let words: Vec<&str> = command.split(|c: char| c.is_whitespace() || "'\";&|()".contains(c)).filter(|word| !word.is_empty()).collect();
    let is_program = |word: &&str| word.rsplit(['/', '\\']).next().is_some_and(|name| PROGRAMS.contains(&name));
    let starts = words.iter().any(is_program) || words.windows(2).any(|pair| pair == ["stele", "hook"]);
    starts && words.iter().any(|word| word.starts_with("--agent"))
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
            assert_eq!(serde_json::to_string(&settings).expect("written"), kept);
            assert!(!remove(&mut settings).expect("nothing to remove"));
        }
    }

    #[test]
    fn what_others_wrote_stays_whatever_it_is_called_and_however_odd() {
        let others = concat!(
            r#"{"hooks":{"Stop":[{"matcher":"x"},{"hooks":[]},7,{"hooks":7},"#,
            r#"{"hooks":[{"command":"/src/stele-hook/notes.sh"},{"command":"cat stele-hook"},{"command":7},{"prompt":"stele-hook --agent"}]}],"#,
            r#""PreCompact":[],"SessionEnd":[{"hooks":[{"command":"echo the stele hook is done"}]},{"hooks":[]}]}}"#
        );
        let mut settings = read(others);
        assert!(!remove(&mut settings).expect("nothing of ours"));
        add(&mut settings, Agent::ClaudeCode.wiring(), "'/opt/my tools/bin/stele-hook.js' --agent claude-code").expect("added");
        assert!(remove(&mut settings).expect("removed"));
        assert_eq!(serde_json::to_string(&settings).expect("written"), others.replace(r#""PreCompact":[],"#, ""));
    }

    #[test]
    fn a_call_of_ours_is_found_with_what_a_user_put_around_it() {
        for command in [
            "stele-hook --agent codex",
            "node /x/bin/stele-hook.js --agent claude-code",
            "python3 -m stele hook --agent gemini-cli",
            "A=1 '/my tools/stele-hook' --agent=codex 2>> log",
            "cd x&&stele-hook --agent codex;true",
            r#""C:\\tools\\stele-hook.cmd" --agent codex"#,
        ] {
            assert!(is_ours(&Json::from([("command", Json::text(command))])), "{command}");
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
