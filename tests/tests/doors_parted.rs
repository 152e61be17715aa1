//! A result in parts is the whole result: for every verb that gives a window, and in every notation.

use serde_json::{Value, json};
use stele_core::{Category, Relation};
use stele_kit::{Notation, Part, Parted, call_parted, call_text};
use stele_tests::TestRecord;

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The parts put where they belong: into the result, or into what it has of the record.
fn joined(parted: &Parted, notation: Notation) -> Value {
    let mut whole = value(&parted.rest);
    let window = parted.window.as_ref().expect("it has a window");
    let of = if whole.get("record").is_some() { &mut whole["record"] } else { &mut whole };
    for (part, name, empty) in [(Part::Text, "text", json!("")), (Part::Entries, "entries", json!([])), (Part::Callouts, "callouts", json!([]))] {
        assert_eq!(of[name], empty, "{name} crosses once");
        of[name] = value(&window.part(part, notation).expect("it cannot fail"));
    }
    whole
}

#[test]
fn the_parts_of_a_result_are_the_result() {
    let test = TestRecord::new();
    let barometer = test.fact(Category::Decision, "Barometer calibration", "Twice a year, with the reference of the harbour. ⚠");
    let risk = test.fact(Category::Risk, "The reference drifts", "It was not compared since May.");
    test.recorder().link(&risk, Relation::CausedBy, &barometer).expect("an edge");
    let question = "what do we know about the barometer calibration?";
    let calls = [
        ("retrieve", json!({ "prompt": question })),
        ("retrieve", json!({ "prompt": question, "format": "json" })),
        ("retrieve", json!({ "prompt": "of what nobody wrote" })),
        ("recall", json!({ "question": question })),
        ("assemble", json!({ "prompt": question })),
        ("on_prompt", json!({ "session": "s", "prompt": question, "deliver": false, "turn": 4 })),
        ("on_start", json!({ "session": "s" })),
        ("on_complete", json!({ "session": "s" })),
        ("on_output", json!({ "session": "s", "text": "the barometer" })),
    ];
    let mut found = 0;
    for (verb, arguments) in calls {
        for notation in [Notation::Json, Notation::JavaScript] {
            // The first call of all reads more than those that follow, and counts it.
            let _ = call_text(&test.record, verb, &arguments.to_string(), notation);
            let whole = call_text(&test.record, verb, &arguments.to_string(), notation).expect("a result");
            let parted = call_parted(&test.record, verb, &arguments.to_string(), notation).expect("a result");
            let timeless = |mut value: Value| {
                value.as_object_mut().expect("an object").remove("outcomes");
                value
            };
            assert_eq!(timeless(joined(&parted, notation)), timeless(value(&whole)), "{verb} {arguments}");
            let window = parted.window.as_ref().expect("checked above");
            let entries = value(&window.part(Part::Entries, notation).expect("entries"));
            found += entries.as_array().map_or(0, Vec::len);
            let longest = window.part(Part::Entries, Notation::Json).expect("entries").len();
            assert!(window.bytes() > 0 && window.bytes() * 20 > longest, "{} for {longest}", window.bytes());
        }
    }
    assert!(found > 8, "{found} entries were compared");
}

#[test]
fn a_result_without_a_window_is_all_rest() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    for (verb, arguments) in [("search", json!({ "query": "barometer" })), ("head", json!({})), ("path", json!({}))] {
        let whole = call_text(&test.record, verb, &arguments.to_string(), Notation::JavaScript).expect("a result");
        let parted = call_parted(&test.record, verb, &arguments.to_string(), Notation::JavaScript).expect("a result");
        assert_eq!((parted.rest, parted.window.is_none()), (whole, true), "{verb}");
    }
}
