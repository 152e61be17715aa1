//! What others wrote comes out as it was, however odd, and what is ours goes in and out.

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
fn what_stands_there_twice_is_refused_where_taking_one_away_would_let_the_other_count() {
    let [ours, other] = [OURS, "other"].map(|command| format!(r#"[{{"hooks":[{{"command":"{command}"}}]}}]"#));
    for text in [
        format!(r#"{{"hooks":{{"Stop":{other}}},"hooks":{{"Stop":{ours}}}}}"#),
        format!(r#"{{"hooks":{{"Stop":{other}}},"a":1,"h\u006foks":{{}}}}"#),
        format!(r#"{{"hooks":{{"Stop":{other},"Other":[],"Stop":{ours}}}}}"#),
    ] {
        for refused in [add(&text, Agent::ClaudeCode.wiring(), OURS).map(drop), remove(&text).map(drop)] {
            assert!(refused.expect_err(&text).contains("twice"), "{text}");
        }
    }
}

#[test]
fn settings_of_another_form_are_refused() {
    for text in ["[]", "7", "{", r#"{"hooks":[]}"#, r#"{"hooks":{"Stop":{}}}"#, "{} // mine", &"[".repeat(100_000)] {
        assert!(add(text, Agent::ClaudeCode.wiring(), OURS).is_err(), "{text:.20}");
    }
}
