//! Verbs called with JSON: what they take, what they give, what they refuse.

use serde_json::{Value, json};
use stele_core::{Code, Durability, Error, ImportOptions, ImportPhase, Record};
use stele_kit::{Notation, call, call_text, import_text, results, verbs};

struct Test {
    record: Record,
    _folder: tempfile::TempDir,
}

impl Test {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self {
            record: Record::options().without_embedder().durability(Durability::Normal).open(folder.path().join(".stele")).expect("a record"),
            _folder: folder,
        }
    }

    fn call(&self, verb: &str, arguments: Value) -> Value {
        call(&self.record, verb, &arguments).unwrap_or_else(|error| panic!("{verb}: {error}"))
    }

    fn refused(&self, verb: &str, arguments: Value) -> Error {
        call(&self.record, verb, &arguments).map(|done| panic!("{verb} gave {done}")).unwrap_or_else(|error: Error| error)
    }

    fn fact(&self, title: &str) -> Value {
        self.call("fact", json!({"actor": "a", "category": "lesson", "title": title, "expires_at": "2030-01-01"}))["id"].clone()
    }
}

#[test]
fn what_is_recorded_is_read_back_with_the_same_names() {
    let test = Test::new();
    let sent = json!({
        "actor": "a", "session": "s", "category": "decision", "title": "Push on change", "body": "No polling.", "alias": "ADR-1",
        "tags": ["io"], "anchors": ["src/io.rs", {"path": "src/net.rs", "symbol": "push"}], "source": {"uri": "docs/adr.md", "quote": "No polling."},
        "created_at": 1_700_000_000_000_i64, "expires_at": "2030-01-01", "review_at": "2029-01-01T12:00:00+02:00",
    });
    let recorded = test.call("fact", sent);
    assert_eq!(recorded, json!({"id": "KNOW-1", "advice": []}));
    let node = test.call("get", json!({"id": "ADR-1"}));
    let wanted = json!({
        "id": "KNOW-1", "aliases": ["ADR-1"], "kind": "knowledge", "category": "decision", "state": "live", "title": "Push on change", "body": "No polling.",
        "tags": ["io"], "anchors": [{"path": "src/io.rs", "symbol": null}, {"path": "src/net.rs", "symbol": "push"}],
        "source": {"uri": "docs/adr.md", "revision": null, "quote": "No polling.", "known": null, "applies_to": null},
        "created_at": "2023-11-14T22:13:20Z", "expires_at": "2030-01-01T00:00:00Z", "review_at": "2029-01-01T10:00:00Z",
        "actor": "a", "session": "s", "revision": 1, "status": null, "statement": null,
    });
    for (name, value) in wanted.as_object().expect("an object") {
        assert_eq!(&node[name], value, "{name}");
    }
    test.call("revise", json!({"actor": "a", "id": "KNOW-1", "review_at": null}));
    let node = test.call("get", json!({"id": "KNOW-1"}));
    assert_eq!((&node["review_at"], &node["expires_at"]), (&Value::Null, &json!("2030-01-01T00:00:00Z")));
    assert_eq!(test.call("get", json!({"id": "KNOW-1", "as_of": 1}))["review_at"], json!("2029-01-01T10:00:00Z"));
}

#[test]
fn what_is_found_can_be_delivered_later() {
    let test = Test::new();
    test.fact("The barometer calibration drifts in frost");
    let prompt = json!({"prompt": "what do we know about the barometer calibration?", "session": "s1"});
    let found = test.call("retrieve", prompt.clone());
    assert_eq!((&found["status"], &found["entries"][0]["id"]), (&json!("found"), &json!("KNOW-1")));
    assert!(found["text"].as_str().expect("text").contains("KNOW-1"));
    assert_eq!(test.call("retrieve", prompt.clone())["status"], "found");
    test.call("delivered", json!({"session": "s1", "delivery": found["delivery"]}));
    assert_eq!(test.call("retrieve", prompt)["status"], "served");
    let context = test.call("on_prompt", json!({"session": "s2", "prompt": "what do we know about the barometer calibration?"}));
    assert_eq!((&context["turn"], &context["record"]["entries"][0]["id"], context["text"] == ""), (&json!(0), &json!("KNOW-1"), false));
    assert_eq!(test.call("turn", json!({"session": "s2"})), 1);
    let json_form = test.call("retrieve", json!({"prompt": "what do we know about the barometer calibration?", "format": "json"}));
    assert!(serde_json::from_str::<Value>(json_form["text"].as_str().expect("text")).expect("JSON").is_object());
}

#[test]
fn a_provider_answers_with_the_call() {
    let test = Test::new();
    test.fact("The barometer calibration drifts in frost");
    let entry = json!({"text": "Call Ada.", "source": {"uri": "wiki/ada"}, "fetched_at": "2026-01-01", "review_at": "2030-01-01", "applies_to": null});
    let providers = json!([
        {"name": "wiki", "turns": "all", "entries": [entry, "Call Bob."], "warnings": ["half of it"], "timeout": 1, "token_budget": 500, "position": -1},
        {"name": "gated", "requires": ["network"], "entries": ["Never."]},
        {"name": "broken", "category": "system", "fault": "no answer"},
    ]);
    let prompt = "what do we know about the barometer calibration?";
    let context = test.call("assemble", json!({"prompt": prompt, "providers": providers.clone(), "builtin": ["record"], "deadline": 20}));
    let outcomes: Vec<(&str, &str)> = context["outcomes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|outcome| (outcome["provider"].as_str().expect("a name"), outcome["result"].as_str().expect("a word")))
        .collect();
    for wanted in [("wiki", "included"), ("gated", "capability_gated"), ("broken", "failed"), ("record", "included")] {
        assert!(outcomes.contains(&wanted), "{wanted:?} is not among {outcomes:?}");
    }
    let text = context["text"].as_str().expect("text");
    assert!(text.contains("Call Ada.") && text.contains("Call Bob.") && text.contains("KNOW-1") && !text.contains("Never."), "{text}");
    let strict = test.refused("assemble", json!({"prompt": prompt, "providers": providers.clone(), "strict": true, "deadline": 20}));
    assert_eq!((strict.code(), strict.detail("provider")), (Code::ProviderFailed, Some("broken")));
    let prompted = test.call("on_prompt", json!({"session": "s", "prompt": prompt, "providers": providers, "deadline": 20}));
    assert!(prompted["text"].as_str().expect("text").contains("Call Ada."));
    assert_eq!(test.call("turn", json!({"session": "s"})), 1);
    for (provider, field) in [
        (json!({"entries": []}), "providers[0].name"),
        (json!({"name": "x", "entries": [{"source": "y"}]}), "providers[0].entries[0].text"),
        (json!({"name": "x", "entires": []}), "providers[0].entires"),
        (json!({"name": "x", "position": "first"}), "providers[0].position"),
    ] {
        assert_eq!(test.refused("assemble", json!({"prompt": prompt, "providers": [provider]})).detail("field"), Some(field));
    }
    let transcript = json!([{"id": "m1", "role": "user", "text": format!("{prompt}\n\n{}", prompted["text"].as_str().expect("text"))}]);
    let again = test.call("resume", json!({"session": "s", "turn": 0, "transcript": transcript}));
    assert_eq!((&again["action"], &again["text"], &again["digest"]), (&json!("skip"), &json!(""), &prompted["digest"]));
    assert_eq!(test.call("resume", json!({"session": "s", "turn": 7}))["action"], "run");
    assert_eq!(test.refused("resume", json!({"session": "s", "turn": 0, "transcript": [{"id": "x"}]})).detail("field"), Some("transcript[0].text"));
    assert!(stele_kit::assemble_options(&json!({"session": "s", "strict": true})).is_ok());
    assert_eq!(
        stele_kit::assemble_options(&json!({"providers": []})).err().and_then(|error| error.detail("field").map(str::to_owned)).as_deref(),
        Some("providers")
    );
}

#[test]
fn a_claim_is_its_own_proof() {
    let test = Test::new();
    test.call("task", json!({"actor": "a", "title": "Calibrate", "priority": 1, "type": "task"}));
    let claim = test.call("claim_next", json!({"actor": "a", "lease": 60}));
    assert_eq!((&claim["granted"], &claim["holder"]), (&json!(true), &json!("a")));
    let lost = test.call("claim", json!({"actor": "b", "task": "TASK-1"}));
    assert_eq!((&lost["granted"], &lost["holder"]), (&json!(false), &json!("a")));
    assert_eq!(test.refused("complete", json!({"actor": "b", "task": "TASK-1", "summary": "done"})).code(), Code::NotHolder);
    let done = test.call("complete", json!({"actor": "b", "task": claim, "summary": "done"}));
    assert_eq!(done["status"], "completed");
    assert_eq!(test.call("claim_next", json!({"actor": "a"})), Value::Null);
}

#[test]
fn a_transaction_is_all_or_nothing_and_names_the_call_that_failed() {
    let test = Test::new();
    let calls = |to: &str| {
        json!({"actor": "a", "calls": [
            {"verb": "fact", "arguments": {"category": "fyi", "title": "One"}},
            {"verb": "fact", "arguments": {"category": "fyi", "title": "Two"}},
            {"verb": "link", "arguments": {"from_": "KNOW-1", "relation": "relates-to", "to": to}},
        ]})
    };
    let refused = test.refused("transaction", calls("KNOW-9"));
    assert_eq!((refused.code(), refused.detail("call")), (Code::UnknownNode, Some("2")));
    assert_eq!(test.call("head", Value::Null), 0);
    let done = test.call("transaction", calls("KNOW-2"));
    assert_eq!((&done[1]["id"], &done[2]), (&json!("KNOW-2"), &Value::Null));
    let inner = |verb: &str| json!({"actor": "a", "calls": [{"verb": verb, "arguments": {}}]});
    for (verb, code) in [("head", Code::UnknownValue), ("nothing", Code::UnknownValue), ("fact", Code::BadArgument)] {
        assert_eq!(test.refused("transaction", inner(verb)).code(), code, "{verb}");
    }
    assert_eq!(test.refused("transaction", json!({"actor": "a", "calls": [{"verb": "fact", "then": 1}]})).detail("field"), Some("calls[0].then"));
}

#[test]
fn what_is_wrong_with_an_argument_is_said_by_its_name() {
    let test = Test::new();
    test.fact("One");
    let cases = [
        ("fact", json!({"actor": "a", "category": "fyi"}), Code::BadArgument, "title"),
        ("fact", json!({"category": "fyi", "title": "t"}), Code::BadArgument, "actor"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": 7}), Code::BadArgument, "title"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": "t", "titel": "t"}), Code::BadArgument, "titel"),
        ("fact", json!({"actor": "a", "category": "news", "title": "t"}), Code::UnknownCategory, "category"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": "t", "tags": ["a", 1]}), Code::BadArgument, "tags[1]"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": "t", "anchors": [{"symbol": "f"}]}), Code::BadArgument, "anchors[0].path"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": "t", "source": {"url": "x"}}), Code::BadArgument, "source.url"),
        ("fact", json!({"actor": "a", "category": "fyi", "title": "t", "review_at": "soon"}), Code::BadTime, "review_at"),
        ("retrieve", json!({"prompt": "p", "deadline": -1}), Code::OutOfRange, "deadline"),
        ("retrieve", json!({"prompt": "p", "deadline": "8 s"}), Code::BadArgument, "deadline"),
        ("retrieve", json!({"prompt": "p", "max_entries": -1}), Code::OutOfRange, "max_entries"),
        ("retrieve", json!({"prompt": "p", "max_entries": 21}), Code::OutOfRange, "max_entries"),
        ("retrieve", json!({"prompt": "p", "max_entries": 1.5}), Code::BadArgument, "max_entries"),
        ("retrieve", json!({"prompt": "p", "deliver": "yes"}), Code::BadArgument, "deliver"),
        ("retrieve", json!({"prompt": "p", "from_": "x"}), Code::BadArgument, "from_"),
        ("delivered", json!({"session": "s", "delivery": "x"}), Code::BadArgument, "delivery"),
        ("call_tool", json!({"name": "search", "arguments": [], "actor": "a"}), Code::BadArgument, "arguments"),
        ("set_ranking", json!({"table": {"classes": {"decisions": 1}}}), Code::BadArgument, "table"),
        ("head", json!([]), Code::BadArgument, "arguments"),
        ("header", json!({}), Code::UnknownValue, "verb"),
    ];
    for (verb, arguments, code, field) in cases {
        let error = test.refused(verb, arguments.clone());
        assert_eq!(error.code(), code, "{verb} {arguments}: {error}");
        assert!(error.details().iter().any(|(name, value)| *name == "field" && value == field), "{verb} {arguments}: {error:?}");
    }
    assert_eq!(call_text(&test.record, "head", "{", Notation::Json).expect_err("refused").code(), Code::BadArgument);
    assert_eq!(call_text(&test.record, "head", " ", Notation::Json).expect("a head"), "1");
    assert_eq!(test.call("head", Value::Null), 1, "nothing was written meanwhile");
}

#[test]
fn a_result_is_the_same_in_every_notation_but_for_the_names_of_fields() {
    let test = Test::new();
    let way = json!({"actor": "a", "title": "Read twice", "statement": "Read “it” twice.", "methodology": "technique", "floor_modes": ["review"]});
    test.call("rule", way);
    let arguments = r#"{"mode": "review"}"#;
    let said = |notation| -> Value {
        let text = call_text(&test.record, "methodology", arguments, notation).expect("it is there");
        assert_eq!(text.is_ascii(), notation == Notation::JavaScript, "{text}");
        serde_json::from_str(&text).expect("JSON")
    };
    let (json, script) = (said(Notation::Json), said(Notation::JavaScript));
    assert_eq!(json, test.call("methodology", json!({"mode": "review"})));
    assert_eq!((&json["entries"][0]["channel"], &json["entries"][0]["statement"]), (&json!("floor"), &json!("Read “it” twice.")), "{json}");
    assert_eq!(snake(script), snake(json));
}

#[test]
fn javascript_gets_entries_as_lists_and_times_as_numbers() {
    let test = populated();
    let said =
        |verb, arguments, notation| -> Value { serde_json::from_str(&call_text(&test.record, verb, arguments, notation).expect("a window")).expect("JSON") };
    let (verb, arguments) = ("retrieve", r#"{"prompt": "KNOW-4", "now": "2030-01-01T00:00:00Z"}"#);
    let (json, script) = (said(verb, arguments, Notation::Json), said(verb, arguments, Notation::JavaScript));
    assert_eq!((&json["now"], &script["now"]), (&json!("2030-01-01T00:00:00Z"), &json!(1_893_456_000_000_u64)));
    let times = ["created_at", "review_at", "verified_at"];
    let (entry, row) = (&json["entries"][0], script["entries"][0].as_array().expect("a list"));
    assert_eq!(row.len(), results::Entry::FIELDS.len());
    for (name, value) in results::Entry::FIELDS.iter().zip(row).filter(|(name, _)| !times.contains(name)) {
        assert_eq!(snake(value.clone()), snake(entry[name].clone()), "{name}");
    }
    assert!(row[results::Entry::FIELDS.iter().position(|name| *name == "created_at").expect("a field")].is_i64(), "{row:?}");
}

/// A value with the names of its fields as the other doors have them, and its numbers in one form.
fn snake(value: Value) -> Value {
    let named = |name: String| name.chars().flat_map(|c| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()])).collect();
    match value {
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, value)| (named(name), snake(value))).collect()),
        Value::Array(list) => list.into_iter().map(snake).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other,
    }
}

#[test]
fn a_judge_elsewhere_is_asked_about_every_retirement_and_its_word_is_applied() {
    let test = populated();
    let asked = test.call("retirements", json!({}));
    assert_eq!((&asked[0]["newer"]["id"], &asked[0]["older"]["id"], &asked[0]["verbatim"]), (&json!("KNOW-4"), &json!("KNOW-3"), &json!(true)), "{asked}");
    let sweep = |verdicts: Value| test.call("sweep", json!({"apply": true, "actor": "a", "verdicts": verdicts}))["judgements"].clone();
    let left = sweep(json!([]));
    assert_eq!((&left[0]["verdict"], &left[0]["demoted"]), (&json!("unsure"), &json!(false)), "nobody said anything: {left}");
    let applied = sweep(json!([{"newer": "KNOW-4", "older": "KNOW-3", "verdict": "fails"}]));
    assert_eq!((&applied[0]["verdict"], &applied[0]["demoted"]), (&json!("fails"), &json!(true)), "{applied}");
    assert_eq!(test.call("get", json!({"id": "KNOW-3"}))["state"], "live");
    assert_eq!(test.refused("sweep", json!({"verdicts": [{"newer": "KNOW-4", "older": "KNOW-3"}]})).code(), Code::BadArgument);
}

/// Arguments with which a verb succeeds on a record that [`populated`] made, one for each verb.
fn sample(verb: &str) -> Value {
    match verb {
        "session" => json!({"name": "s"}),
        "resume" => json!({"session": "s", "turn": 1}),
        "sweep" => json!({"apply": true, "actor": "a"}),
        "import_jsonl" => json!({"path_or_lines": ["{\"type\":\"node\",\"alias\":\"X-1\",\"kind\":\"component\",\"title\":\"X\"}"], "actor": "a"}),
        "set_ranking" => json!({"table": {"classes": {"decision": 4}, "relations": {}, "match": 3, "distance": 0.5}}),
        "call_tool" => json!({"name": "search", "arguments": {"query": "lamp"}, "actor": "a"}),
        "tokens" | "on_output" => json!({"text": "a few words"}),
        "fact" => json!({"category": "risk", "title": "Another risk"}),
        "task" | "component" => json!({"title": "New"}),
        "rule" | "propose" => json!({"title": "Name the unit", "statement": "Write the unit behind every number of the log, such as `12 ms`."}),
        "document" | "diagram" => json!({"title": "New", "body": "text"}),
        "revise" => json!({"id": "KNOW-1", "body": "Another body."}),
        "link" => json!({"from": "KNOW-1", "relation": "mentions", "to": "KNOW-2"}),
        "unlink" => json!({"from": "KNOW-1", "relation": "relates-to", "to": "KNOW-2", "why": "no"}),
        "supersede" => {
            json!({"newer": "KNOW-2", "older": "KNOW-1", "reason": "it ended", "evidence": "The lamp was removed.", "source_text": "The lamp was removed."})
        }
        "demote" => json!({"newer": "KNOW-4", "older": "KNOW-3", "why": "wrong"}),
        "retag" => json!({"id": "KNOW-1", "add": ["x"]}),
        "move" => json!({"id": "KNOW-1", "component": "COMP-7"}),
        "anchor" => json!({"id": "KNOW-1", "add": ["src/lamp.rs"]}),
        "alias" => json!({"id": "KNOW-1", "alias": "L-1"}),
        "review" | "get" | "neighbours" | "history" | "why" => json!({"id": "KNOW-1"}),
        "archive" | "purge" => json!({"id": "KNOW-1", "why": "no use"}),
        "claim" | "handoff" => json!({"task": "TASK-5"}),
        "release" => json!({"task": "TASK-6"}),
        "force_release" | "cancel" => json!({"task": "TASK-6", "why": "no"}),
        "complete" => json!({"task": "TASK-6", "summary": "done"}),
        "reopen" => json!({"task": "TASK-8", "why": "not done"}),
        "feedback" => json!({"rule": "RULE-9", "felt": "helped"}),
        "rule_feedback" => json!({"rule": "RULE-9"}),
        "transaction" => json!({"calls": []}),
        "retrieve" => json!({"prompt": "what about the lamp in the tower?"}),
        "search" => json!({"query": "lamp"}),
        "recall" => json!({"question": "what about the lamp in the tower?"}),
        "progress" => json!({"container": "TASK-10"}),
        "methodology" | "set_mode" => json!({"mode": "debug"}),
        "on_prompt" | "assemble" => json!({"prompt": "what about the lamp in the tower?"}),
        "on_edit" => json!({"path": "src/lamp.rs"}),
        "pause" => json!({"turns": 2}),
        "set_aggressiveness" => json!({"value": "quiet"}),
        _ => json!({}),
    }
}

fn populated() -> Test {
    let test = Test::new();
    for title in ["The lamp in the tower is red", "The lamp in the tower is green", "The horn is old", "The horn is new"] {
        test.fact(title);
    }
    test.call("link", json!({"actor": "a", "from": "KNOW-1", "relation": "relates-to", "to": "KNOW-2"}));
    let retirement = json!({"actor": "a", "newer": "KNOW-4", "older": "KNOW-3", "reason": "it ended", "evidence": "The horn is new"});
    test.call("supersede", retirement);
    test.call("task", json!({"actor": "a", "title": "Ready"}));
    test.call("task", json!({"actor": "a", "title": "Held"}));
    test.call("claim", json!({"actor": "a", "task": "TASK-6"}));
    test.call("component", json!({"actor": "a", "title": "Tower"}));
    test.call("task", json!({"actor": "a", "title": "Done"}));
    test.call("complete", json!({"actor": "a", "task": "TASK-8", "summary": "done"}));
    test.call("rule", json!({"actor": "a", "title": "Look first", "statement": "Look at the lamp."}));
    test.call("task", json!({"actor": "a", "title": "All of it", "type": "epic"}));
    test
}

#[test]
fn every_verb_can_be_called() {
    let needs_files = ["import_adr", "import_beads", "import_log", "export_jsonl", "backup"];
    let with_right = ["promote"];
    for verb in verbs().filter(|verb| !needs_files.contains(&verb.name) && !with_right.contains(&verb.name)) {
        let test = populated();
        let mut arguments = sample(verb.name);
        let fields = arguments.as_object_mut().expect("an object");
        match verb.owner.as_str() {
            "recorder" => drop(fields.insert("actor".to_owned(), json!("a"))),
            "session" => drop(fields.insert("session".to_owned(), json!("s1"))),
            _ => {}
        }
        if verb.name == "delivered" {
            fields.insert("delivery".to_owned(), test.call("on_start", json!({"session": "s1"}))["delivery"].clone());
        }
        let given = test.call(verb.name, arguments);
        assert_eq!(given.is_null(), verb.result == "()" || verb.name == "tokens_left", "{} gave {given}", verb.name);
    }
}

#[test]
fn what_goes_through_files_comes_back() {
    let test = populated();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let report = test.call("export_jsonl", json!({"path": path("out.jsonl")}));
    assert_eq!((&report["nodes"], &report["operations"]), (&json!(10), &json!(0)));
    assert_eq!(test.call("export_jsonl", json!({"path": path("log.jsonl"), "log": true}))["operations"], test.call("head", json!({})));
    test.call("backup", json!({"path": path("copy")}));
    let other = Test::new();
    assert_eq!(other.call("import_log", json!({"path": path("log.jsonl")})), test.call("head", json!({})));
    assert_eq!(other.call("head_hash", json!({})), test.call("head_hash", json!({})));
    let again = Test::new();
    let imported = again.call("import_jsonl", json!({"path_or_lines": path("out.jsonl"), "actor": "a"}));
    assert_eq!((&imported["applied"], &imported["nodes"], &imported["errors"]), (&json!(true), &json!(10), &json!([])));
    let faulty = again.call("import_jsonl", json!({"path_or_lines": ["{}", "no JSON"], "actor": "a"}));
    assert_eq!((&faulty["applied"], &faulty["errors"][1]["line"], &faulty["errors"][1]["code"]), (&json!(false), &json!(2), &json!("bad_line")));
    std::fs::create_dir(folder.path().join("adr")).expect("a folder");
    std::fs::write(folder.path().join("adr/0001-lamp.md"), "# 1. Lamp\n\n## Status\n\nAccepted\n\n## Context\n\nDark.\n\n## Decision\n\nA lamp.\n")
        .expect("a file");
    assert_eq!(again.call("import_adr", json!({"folder": path("adr"), "actor": "a", "prefix": "OLD"}))["nodes"], 1);
    assert_eq!(again.call("get", json!({"id": "OLD-0001"}))["category"], "decision");
    std::fs::write(folder.path().join("issues.jsonl"), "{\"id\":\"bd-1\",\"title\":\"Fix\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"bug\"}\n")
        .expect("a file");
    assert_eq!(again.call("import_beads", json!({"path": path("issues.jsonl"), "actor": "a"}))["nodes"], 1);
}

#[test]
fn an_import_is_told_of_and_does_what_its_verb_does() {
    let line = r#"{"type":"node","kind":"component","title":"X"}"#;
    let arguments = json!({"path_or_lines": ["no JSON", line], "actor": "a", "partial": true});
    let (test, other) = (Test::new(), Test::new());
    let mut phases = Vec::new();
    let mut told = |progress: stele_core::Progress| phases.push(progress.phase);
    let options = ImportOptions::new().progress(&mut told);
    let report = import_text(&test.record, "import_jsonl", &arguments.to_string(), options, Notation::Json).expect("an import");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report, other.call("import_jsonl", arguments));
    assert_eq!((&report["nodes"], &report["error_count"], phases.last()), (&json!(1), &json!(1), Some(&ImportPhase::Done)));
    let refused = |verb, arguments: Value| import_text(&test.record, verb, &arguments.to_string(), ImportOptions::new(), Notation::Json).expect_err(verb);
    assert_eq!(refused("import_log", json!({"path": "x"})).code(), Code::UnknownValue);
    assert_eq!(refused("import_adr", json!({"folder": "x", "actor": "a", "partail": true})).code(), Code::BadArgument);
    assert_eq!(refused("import_beads", json!({"path": "/nowhere", "actor": "a"})).code(), Code::NoSuchPath);
}

#[test]
fn only_a_call_that_says_so_promotes() {
    let test = Test::new();
    let statement = "Write the unit behind every number of the log, such as `12 ms`.";
    let proposal = test.call("propose", json!({"actor": "a", "title": "Units", "statement": statement, "trigger": "when logging"}));
    assert_eq!((&proposal["accepted"], &proposal["refused"]), (&json!(true), &json!([])));
    for nth in 0..60 {
        test.call("feedback", json!({"actor": "a", "rule": "RULE-1", "felt": "helped", "key": format!("k{nth}")}));
    }
    assert_eq!(test.call("rule_feedback", json!({"rule": "RULE-1"}))["ready"], true);
    let promote = |may: bool| json!({"actor": "a", "rule": "RULE-1", "approval": "signed", "may_promote": may});
    assert_eq!(test.refused("promote", promote(false)).code(), Code::NotPermitted);
    assert_eq!(test.call("promote", promote(true)), "RULE-1");
}
