//! The entries of ours in the settings of an agent: put in, found again, taken out. Every other byte of the file stays.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::agents::Wiring;
use crate::json::{Inner, Spot};

/// Names of our program; `stele hook`, as a module of Python, is one as well.
const PROGRAMS: [&str; 4] = ["stele-hook", "stele-hook.js", "stele-hook.exe", "stele-hook.cmd"];
/// How deep a call lies: settings, `hooks`, event, entry, `hooks`, call, its words.
const DEPTH: usize = 6;

/// What a file without settings is taken for.
pub(crate) const NONE: &str = "{}\n";

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'a str>,
    hooks: [Call<'a>; 1],
}

#[derive(Serialize)]
struct Call<'a> {
    r#type: &'a str,
    command: &'a str,
    timeout: u64,
}

/// Settings with an entry for each event, in place of older ones of ours; none if all of that stands there as it should.
///
/// # Errors
/// A line that says what is not of the form that the agent documents.
pub(crate) fn add(text: &str, wiring: &Wiring, command: &str) -> Result<Option<String>, String> {
    let wanted = |tools: &Option<&'static str>| Entry { matcher: *tools, hooks: [Call { r#type: "command", command, timeout: wiring.timeout }] };
    let all: Vec<(&str, Entry<'_>)> = wiring.events.iter().map(|(event, tools)| (*event, wanted(tools))).collect();
    if stand(text, &all)? {
        return Ok(None);
    }
    let mut changed = remove(text)?.unwrap_or_else(|| text.to_owned());
    for (event, entry) in &all {
        changed = put(&changed, event, entry)?;
    }
    Ok(Some(changed))
}

/// Settings without any call of ours, and without what is empty then; none if there was no call. What others left empty stays.
///
/// # Errors
/// As [`add`].
pub(crate) fn remove(text: &str) -> Result<Option<String>, String> {
    let settings = read(text)?;
    let Some(hooks) = settings.member("hooks") else { return Ok(None) };
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut emptied = Vec::new();
    for (at, event) in events(hooks)?.enumerate() {
        let (entries, mut gone) = (event?, Vec::new());
        for (nth, entry) in entries.list().unwrap_or_default().iter().enumerate() {
            let calls = entry.member("hooks").filter(|calls| calls.list().is_some());
            let ours: Vec<usize> = calls.map(|calls| places(calls, |call| is_ours(call, text))).unwrap_or_default();
            match calls {
                Some(calls) if !ours.is_empty() && ours.len() < calls.members().len() => cut(calls, &ours, &mut cuts),
                Some(_) if !ours.is_empty() => gone.push(nth),
                _ => {}
            }
        }
        match gone.len() {
            0 => {}
            all if all == entries.members().len() => emptied.push(at),
            _ => cut(entries, &gone, &mut cuts),
        }
    }
    if !emptied.is_empty() && emptied.len() == hooks.members().len() {
        let Inner::Map(members) = &settings.inner else { return Ok(None) };
        let named: Vec<usize> = members.iter().enumerate().filter(|(_, member)| std::ptr::eq(&raw const member.value, hooks)).map(|(at, _)| at).collect();
        cut(&settings, &named, &mut cuts);
    } else {
        cut(hooks, &emptied, &mut cuts);
    }
    if cuts.is_empty() {
        return Ok(None);
    }
    cuts.sort_unstable();
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in cuts {
        left.push_str(&text[at..from]);
        at = to;
    }
    Ok(Some(left + &text[at..]))
}

fn read(text: &str) -> Result<Spot, String> {
    let settings = Spot::of(text, DEPTH).map_err(|cause| format!("it is not the JSON that can be changed safely ({cause})"))?;
    if matches!(settings.inner, Inner::Map(_)) { Ok(settings) } else { Err("the settings are no object".to_owned()) }
}

/// The lists of entries, event by event.
fn events(hooks: &Spot) -> Result<impl Iterator<Item = Result<&Spot, String>>, String> {
    let Inner::Map(events) = &hooks.inner else { return Err("its `hooks` is no object".to_owned()) };
    Ok(events.iter().map(|event| match event.value.list() {
        Some(_) => Ok(&event.value),
        None => Err(format!("its `hooks.{}` is no list", event.name)),
    }))
}

/// True if each event has the one entry of ours that it should have, and no other event has one.
fn stand(text: &str, all: &[(&str, Entry<'_>)]) -> Result<bool, String> {
    let settings = read(text)?;
    let Some(hooks) = settings.member("hooks") else { return Ok(false) };
    let mut found = 0;
    for event in events(hooks)? {
        for entry in event?.list().unwrap_or_default() {
            let calls = entry.member("hooks");
            found += calls.map_or(0, |calls| places(calls, |call| is_ours(call, text)).len());
        }
    }
    let stands = |(event, entry): &(&str, Entry<'_>)| {
        let wanted = serde_json::to_value(entry).ok();
        let entries = hooks.member(event).and_then(Spot::list).unwrap_or_default();
        entries.iter().filter(|held| held.read::<serde_json::Value>(text) == wanted).count() == 1
    };
    Ok(found == all.len() && all.iter().all(stands))
}

/// Settings with one more entry for an event.
fn put(text: &str, event: &str, entry: &Entry<'_>) -> Result<String, String> {
    let settings = read(text)?;
    let layout = Layout::of(text, &settings);
    let (hooks, name) = (settings.member("hooks"), |name: &str, value: &str| format!("{}{}{value}", layout.written(&name, 0), layout.colon()));
    let entries = hooks.and_then(|hooks| hooks.member(event));
    Ok(match (hooks, entries) {
        (_, Some(entries)) => layout.push(text, entries, 2, &layout.written(entry, 3)),
        (Some(hooks), None) => layout.push(text, hooks, 1, &name(event, &layout.written(&[entry], 2))),
        (None, None) => layout.push(text, &settings, 0, &name("hooks", &layout.written(&std::collections::BTreeMap::from([(event, [entry])]), 1))),
    })
}

/// How a file is laid out.
struct Layout<'a> {
    /// What a level is indented by; none if all stands in one line.
    indent: Option<&'a str>,
    line: &'static str,
}

impl<'a> Layout<'a> {
    /// As the first member of the settings stands; two blanks where there is none.
    fn of(text: &'a str, settings: &Spot) -> Self {
        let indent = match settings.members().first() {
            None => Some("  "),
            Some((from, _)) => text[settings.from + 1..*from].rsplit_once('\n').map(|(_, indent)| indent).filter(|indent| indent.trim().is_empty()),
        };
        Self { indent, line: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    fn colon(&self) -> &'static str {
        if self.indent.is_some() { ": " } else { ":" }
    }

    /// A line break, and the indentation of a level.
    fn break_to(&self, level: usize) -> String {
        self.indent.map_or_else(String::new, |indent| format!("{}{}", self.line, indent.repeat(level)))
    }

    /// A value of ours as it stands at a level.
    fn written(&self, value: &(impl Serialize + ?Sized), level: usize) -> String {
        let Some(indent) = self.indent else { return serde_json::to_string(value).expect("invariant: texts and numbers are JSON") };
        let mut out = Vec::new();
        let mut writing = Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(indent.as_bytes()));
        value.serialize(&mut writing).expect("invariant: texts and numbers are JSON");
        // No text of JSON holds a bare line break.
        String::from_utf8(out).expect("invariant: JSON is UTF-8").replace('\n', &self.break_to(level))
    }

    /// The text with a member more at the end of a list or map that stands at a level.
    fn push(&self, text: &str, into: &Spot, level: usize, member: &str) -> String {
        let members = into.members();
        let (end, put) = match members.last() {
            // As the one before it stands.
            Some((from, to)) => {
                let before = members.len().checked_sub(2).map_or(into.from + 1, |at| members[at].1);
                let between = &text[before..*from];
                (*to, format!(",{}{member}", &between[between.trim_end().len()..]))
            }
            None => (into.to - 1, format!("{}{member}{}", self.break_to(level + 1), self.break_to(level))),
        };
        let begin = if members.is_empty() { into.from + 1 } else { end };
        format!("{}{put}{}", &text[..begin], &text[end..])
    }
}

/// The places of the members of a list that are of a kind.
fn places(list: &Spot, is: impl Fn(&Spot) -> bool) -> Vec<usize> {
    list.list().unwrap_or_default().iter().enumerate().filter(|(_, member)| is(member)).map(|(at, _)| at).collect()
}

/// Notes what has to be cut out for some members of a list or map to be gone.
fn cut(of: &Spot, gone: &[usize], cuts: &mut Vec<(usize, usize)>) {
    let members = of.members();
    if gone.len() == members.len() && !gone.is_empty() {
        cuts.push((of.from + 1, of.to - 1));
        return;
    }
    for at in gone {
        let first_kept = (0..members.len()).find(|at| !gone.contains(at)).expect("invariant: fewer are gone than there are");
        cuts.push(if *at > first_kept { (members[at - 1].1, members[*at].1) } else { (members[*at].0, members[at + 1].0) });
    }
}

/// True for a call that starts our program for an agent, whatever a user put around that.
fn is_ours(call: &Spot, text: &str) -> bool {
    call.member("command").and_then(|command| command.read::<String>(text)).is_some_and(|command| starts_ours(&command))
}

fn starts_ours(command: &str) -> bool {
    let words: Vec<&str> = command.split(|c: char| c.is_whitespace() || "'\";&|()".contains(c)).filter(|word| !word.is_empty()).collect();
    let is_program = |word: &&str| word.rsplit(['/', '\\']).next().is_some_and(|name| PROGRAMS.contains(&name));
    let starts = words.iter().any(is_program) || words.windows(2).any(|pair| pair == ["stele", "hook"]);
    starts && words.iter().any(|word| word.starts_with("--agent"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;

    const OURS: &str = "stele-hook --agent claude-code";

    fn added(text: &str, command: &str) -> Option<String> {
        add(text, Agent::ClaudeCode.wiring(), command).expect(text)
    }

    fn removed(text: &str) -> Option<String> {
        remove(text).expect(text)
    }

    #[test]
    fn entries_are_added_once_beside_those_of_others_and_taken_out_without_a_trace() {
        let compact = r#"{"z":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other"}]}],"Notification":[]},"a":[null,true,1.5,"x"]}"#;
        let pretty = "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\"hooks\": [7]}\r\n\t\t]\r\n\t}\r\n}";
        let odd = concat!(
            "{ \"big\" : 123456789012345678901234567890 ,\n",
            "   \"small\":-0, \"exact\": 1.0e+2,\"long\":0.1000000000000000055511151231257827, \"text\": \"\\u00e9\\/\\ud83d\",\n",
            "   \"twice\":1,\"twice\":2 , \"deep\":[[[[[[[[{\"]\":\"}\\\"\"}]]]]]]]]\n\n}\n \n"
        );
        for text in [compact, pretty, odd, "{}", "{}\n", "{\n  \"a\": 1\n}\n", r#"{"hooks":{},"a":{}}"#] {
            let kept = text.replace(r#""hooks":{},"#, "");
            let mut held = text.to_owned();
            for command in [OURS, "/opt/x/stele-hook --agent claude-code"] {
                held = added(&held, command).expect("added");
                serde_json::from_str::<serde::de::IgnoredAny>(&held).expect(&held);
                assert_eq!(held.matches("stele-hook").count(), Agent::ClaudeCode.wiring().events.len(), "{held}");
                assert_eq!(held.matches(command).count(), Agent::ClaudeCode.wiring().events.len(), "{held}");
                assert_eq!(added(&held, command), None, "{held}");
            }
            let left = removed(&held).expect("removed");
            assert_eq!(if text == r#"{"hooks":{},"a":{}}"# { &kept } else { text }, left);
            assert_eq!(removed(&left), None);
        }
    }

    /// A text of JSON laid out in some way, as a series of choices says.
    fn some_json(choose: &mut dyn FnMut(usize) -> usize, depth: usize) -> String {
        let space = [" ", "", "", "\n", "\r\n\t", "  "];
        let plain = ["null", "-0", "1e400", "123456789012345678901234567890", "0.10", "\"\\u00e9\\ud83d\"", "\"]}\\\"{[\"", "\"stele-hook --agent\""];
        if depth == 0 {
            return plain[choose(plain.len())].to_owned();
        }
        let kind = choose(3);
        let members: Vec<String> = (0..choose(4))
            .map(|nth| {
                let name = ["hooks", "Stop", "command", "matcher", "\\u0068ooks", "SessionStart"][choose(6)];
                let (before, after) = (space[choose(space.len())], space[choose(space.len())]);
                let value = some_json(choose, depth - 1);
                if kind == 0 { format!("{before}{value}{after}") } else { format!("{before}\"{name}{nth}\"{after}:{before}{value}{after}") }
            })
            .collect();
        match kind {
            0 => format!("[{}]", members.join(",")),
            1 => format!("{{{}}}", members.join(",")),
            _ => plain[choose(plain.len())].to_owned(),
        }
    }

    #[test]
    fn whatever_there_is_comes_out_as_it_was_and_what_is_put_in_is_read_beside_it() {
        const CASES: u64 = 500;
        for case in 0..CASES {
            let mut state = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut choose = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).expect("31 bits") % below
            };
            let parts: Vec<String> = ["a", "hooks", "z"]
                .into_iter()
                .filter_map(|name| {
                    let value = match name {
                        "hooks" if choose(3) == 0 => return None,
                        "hooks" => {
                            let event = ["Stop", "PreCompact", "Other"][choose(3)];
                            format!("{{ \"{event}\":[{}] }}", some_json(&mut choose, 4))
                        }
                        _ => some_json(&mut choose, 3),
                    };
                    Some(format!("\"{name}\": {value}"))
                })
                .collect();
            let text = format!("{{{}{}\n}}\n", ["", "\n  ", "\r\n\t"][choose(3)], parts.join([",", ",\n  ", " , "][choose(3)]));
            let held = added(&text, OURS).unwrap_or_else(|| panic!("{text}"));
            let read = |text: &str| stele_kit::read_json::<serde_json::Value>(&text.replace("1e400", "1")).unwrap_or_else(|cause| panic!("{cause}: {text}"));
            let events = &read(&held)["hooks"];
            assert!(Agent::ClaudeCode.wiring().events.iter().all(|(event, _)| events[event].to_string().contains(OURS)), "{held}");
            assert_eq!(added(&held, OURS), None, "{text}");
            assert_eq!(removed(&held).as_deref(), Some(text.as_str()));
        }
    }

    #[test]
    fn what_is_put_in_stands_as_the_rest_of_the_file_does() {
        let lines = added("{\n    \"a\": 1\n}\n", OURS).expect("added");
        let first = "{\n    \"a\": 1,\n    \"hooks\": {\n        \"SessionStart\": [\n            {\n                \"";
        assert!(lines.starts_with(first) && lines.ends_with("\n        ]\n    }\n}\n"), "{lines}");
        let line = added(r#"{"a":1}"#, OURS).expect("added");
        assert!(line.starts_with(r#"{"a":1,"hooks":{"SessionStart":[{"#) && !line.contains('\n'), "{line}");
        let windows = added("{\r\n  \"a\": 1\r\n}", OURS).expect("added");
        assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count());
    }

    #[test]
    fn what_others_wrote_stays_whatever_it_is_called_and_however_odd() {
        let others = concat!(
            r#"{"hooks":{"Stop":[{"matcher":"x"},{"hooks":[]},7,{"hooks":7},"#,
            r#"{"hooks":[{"command":"/src/stele-hook/notes.sh"},{"command":"cat stele-hook"},{"command":7},{"prompt":"stele-hook --agent"}]}],"#,
            r#""PreCompact":[],"SessionEnd":[{"hooks":[{"command":"echo the stele hook is done"}]},{"hooks":[]}]}}"#
        );
        assert_eq!(removed(others), None);
        let held = added(others, "'/opt/my tools/bin/stele-hook.js' --agent claude-code").expect("added");
        assert_eq!(removed(&held).expect("removed"), others.replace(r#""PreCompact":[],"#, ""));
    }

    #[test]
    fn calls_of_ours_are_taken_from_among_others_wherever_they_stand() {
        let [ours, other] = [r#"{"command":"stele-hook --agent codex"}"#, r#"{"command":"other"}"#];
        for (calls, left) in [
            (vec![ours, other], vec![other]),
            (vec![other, ours], vec![other]),
            (vec![ours, ours, other, ours, other, ours], vec![other, other]),
            (vec![ours, ours], vec![]),
        ] {
            let text = |calls: &[&str]| format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{}]}}],"Other":[1]}}}}"#, calls.join(" , "));
            let expected = if left.is_empty() { r#"{"hooks":{"Other":[1]}}"#.to_owned() } else { text(&left) };
            let found = removed(&text(&calls)).expect("removed");
            assert_eq!(found.replace(' ', ""), expected.replace(' ', ""), "{calls:?}");
        }
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
            assert!(starts_ours(command), "{command}");
        }
    }

    #[test]
    fn settings_of_another_form_are_refused() {
        for text in ["[]", "7", "{", r#"{"hooks":[]}"#, r#"{"hooks":{"Stop":{}}}"#, "{} // mine", &"[".repeat(100_000)] {
            assert!(add(text, Agent::ClaudeCode.wiring(), OURS).is_err(), "{text:.20}");
        }
    }
}
