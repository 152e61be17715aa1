//! What the tools are called, take and cost, and that what their schemas ask for is what they accept.

use serde_json::{Map, Value, json};
use stele_core::{Category, Code, Error, Relation, Tier, Tool, ToolCall, defaults, tokens};
use stele_tests::TestRecord;

fn schema(tool: &Tool) -> Value {
    serde_json::from_str(&tool.input_schema).expect("a schema is JSON")
}

fn properties(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().expect("a tool takes an object")
}

/// A value that a schema accepts.
fn sample(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    match schema["type"].as_str().unwrap_or("null") {
        "string" => json!("2026-05-06"),
        "integer" => schema["minimum"].clone(),
        "boolean" => json!(true),
        "array" => json!([sample(&schema["items"])]),
        "object" => properties(schema).iter().map(|(name, schema)| (name.clone(), sample(schema))).collect::<Map<_, _>>().into(),
        // Text or null.
        _ => Value::Null,
    }
}

/// How a call ends in an empty record; of any tier.
fn error(test: &TestRecord, tool: &Tool, arguments: &Value) -> Option<Error> {
    test.record.call_tool(tool.name, &arguments.to_string(), &ToolCall::new("ana").tier(Tier::Destructive)).err()
}

/// True if a call fails because of what it was sent, and not because of what the record holds.
fn is_unfit(error: Option<&Error>) -> bool {
    error.is_some_and(|error| matches!(error.code(), Code::BadArgument | Code::OutOfRange | Code::UnknownValue | Code::UnknownCategory))
}

#[test]
fn tools_that_read_and_write_fit_into_2500_tokens() {
    let test = TestRecord::new();
    let cost = |tool: &Tool| tokens(&format!("{}\n{}\n{}", tool.name, tool.description, tool.input_schema));
    let tools = test.record.tools(Tier::Write);
    let sum: usize = tools.iter().map(cost).sum();
    println!("{} tools that read and write: {sum} tokens", tools.len());
    assert!(sum <= 2_500, "{sum} tokens: {:?}", tools.iter().map(|tool| (cost(tool), tool.name)).collect::<Vec<_>>());
}

#[test]
fn each_tier_holds_those_before_it_and_every_name_stands_once() {
    let test = TestRecord::new();
    let names = |tier| test.record.tools(tier).iter().map(|tool| tool.name).collect::<Vec<_>>();
    let (read, write, all) = (names(Tier::Read), names(Tier::Write), names(Tier::Destructive));
    assert_eq!(write[..read.len()], read);
    assert_eq!(all[..write.len()], write);
    assert!(read.contains(&"search") && !read.contains(&"record_fact") && write.contains(&"supersede") && !write.contains(&"purge") && all.contains(&"purge"));
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len());
    assert!(test.record.tools(Tier::Destructive).iter().all(|tool| !tool.description.is_empty()));
}

#[test]
fn a_schema_is_an_object_that_is_closed_at_every_level() {
    fn closed(schema: &Value) {
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            properties(schema).values().for_each(closed);
        }
        if schema["type"] == "array" {
            closed(&schema["items"]);
        }
    }
    for tool in TestRecord::new().record.tools(Tier::Destructive) {
        let schema = schema(&tool);
        assert_eq!(schema["type"], "object", "{}", tool.name);
        closed(&schema);
    }
}

#[test]
fn every_property_is_accepted_alone_beside_what_is_required_and_all_together() {
    let test = TestRecord::new();
    for tool in test.record.tools(Tier::Destructive) {
        let schema = schema(&tool);
        let all = sample(&schema);
        let required: Vec<&str> = schema["required"].as_array().map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
        let least: Map<String, Value> = required.iter().map(|name| ((*name).to_owned(), all[name].clone())).collect();
        let alone = properties(&schema).into_iter().map(|(name, property)| {
            let mut call = least.clone();
            call.insert(name, sample(&property));
            Value::from(call)
        });
        for call in alone.chain([Value::from(least.clone()), all.clone()]) {
            let error = error(&test, &tool, &call);
            assert!(!is_unfit(error.as_ref()), "{} refuses {call}: {error:?}", tool.name);
        }
    }
}

#[test]
fn what_is_unknown_missing_or_of_another_type_is_refused_by_name() {
    let test = TestRecord::new();
    for tool in test.record.tools(Tier::Destructive) {
        let schema = schema(&tool);
        let all = sample(&schema);
        let refused = |call: &Value, name: &str| {
            let error = error(&test, &tool, call).unwrap_or_else(|| panic!("{} accepts {call}", tool.name));
            assert_eq!((error.code(), error.detail("field"), error.detail("tool")), (Code::BadArgument, Some(name), Some(tool.name)), "{error}");
            assert!(error.to_string().contains(name), "{error}");
        };
        let with = |name: &str, value: Value| {
            let mut call = all.clone();
            call[name] = value;
            call
        };
        refused(&with("colour", json!("red")), "colour");
        refused(&json!("red"), "arguments");
        for (name, property) in properties(&schema) {
            let wrong = if property["type"] == "array" { json!("red") } else { json!([]) };
            refused(&with(&name, wrong), &name);
            if property["type"] == "array" {
                refused(&with(&name, json!([{}])), &format!("{name}[0]"));
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let mut call = all.clone();
            call.as_object_mut().expect("an object").remove(name);
            refused(&call, name);
        }
    }
    assert_eq!(test.record.head().expect("a head"), 0, "a call that was refused wrote something");
}

#[test]
fn words_and_limits_of_a_schema_are_those_of_the_record() {
    let test = TestRecord::new();
    let tools = test.record.tools(Tier::Destructive);
    let property = |tool: &str, name: &str| {
        let tool = tools.iter().find(|row| row.name == tool).expect("a tool");
        properties(&schema(tool))[name].clone()
    };
    let categories: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
    let relations: Vec<&str> = Relation::ALL.iter().map(|relation| relation.as_str()).collect();
    assert_eq!(property("record_fact", "category"), json!({ "enum": categories }));
    assert_eq!(property("link", "relation"), json!({ "enum": relations }));
    assert_eq!(property("record_fact", "title"), json!({ "type": "string", "maxLength": defaults::TITLE_CHARS }));
    assert_eq!(property("recall", "depth"), json!({ "type": "integer", "minimum": 0, "maximum": defaults::MAX_HOPS }));
    assert_eq!(property("record_task", "priority"), json!({ "type": "integer", "minimum": 0, "maximum": 4 }));
    assert_eq!(property("revise", "review_at"), json!({ "type": ["string", "null"] }));

    let call = |name: &str, arguments: Value| test.record.call_tool(name, &arguments.to_string(), &ToolCall::new("ana"));
    let code = |name: &str, arguments: Value| call(name, arguments).expect_err("refused").code();
    assert_eq!(code("recall", json!({ "question": "why?", "depth": 4 })), Code::OutOfRange);
    assert_eq!(code("recall", json!({ "question": "why?", "depth": -1 })), Code::OutOfRange);
    assert_eq!(code("recall", json!({ "question": "why?", "depth": 1.5 })), Code::BadArgument);
    assert!(call("recall", json!({ "question": "why?", "depth": 1.0 })).is_ok(), "1.0 is whole");
    assert!(call("recall", json!({ "question": "why?", "depth": null })).is_ok(), "null stands for being left out");
    assert_eq!(code("record_fact", json!({ "category": "news", "title": "x" })), Code::UnknownCategory);
    assert_eq!(code("record_fact", json!({ "category": "fyi", "title": "x".repeat(501) })), Code::TooLarge);
    assert_eq!(code("record_fact", json!({ "category": "fyi", "title": "x", "review_at": "soon" })), Code::BadTime);
}

#[test]
fn nothing_that_is_sent_makes_a_call_panic() {
    let test = TestRecord::new();
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    for arguments in ["{", "null", "[]", "\u{0}", "{\"query\":1e999}", "{\"query\":\"a\"} {}", &deep] {
        let error = test.record.call_tool("search", arguments, &ToolCall::new("ana")).expect_err("refused");
        assert_eq!(error.code(), Code::BadArgument, "{arguments}");
    }
    let task = test.recorder().task("A task").record().expect("a task").id;
    let claim = |seconds: &str| test.record.call_tool("claim", &format!("{{\"task\":\"{task}\",\"lease_seconds\":{seconds}}}"), &ToolCall::new("ana"));
    for seconds in ["0", "-1", "-1e300"] {
        assert_eq!(claim(seconds).expect_err("refused").code(), Code::OutOfRange, "{seconds}");
    }
    for seconds in ["9223372036854775807", "18446744073709551615", "1e300"] {
        assert!(claim(seconds).expect("a lease for ever").contains("\"until\":\"9999-12-31"), "{seconds}");
    }
    let health = test.record.call_tool("health", " ", &ToolCall::new("ana")).expect("blank stands for no arguments");
    assert!(health.starts_with(r#"{"ok":true,"findings":["#), "{health}");
}
