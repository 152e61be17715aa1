//! Why an entry is there, in one line: a sum that reads back as its score.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stele_core::{Category, Class, Entry, RankingTable, RecallOptions, Relation, Retrieval, RetrieveOptions, TaskType, ToolCall};
use stele_tests::TestRecord;

/// A record in which every role, kind and distance can be met.
fn mixed() -> TestRecord {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let told = "a part of the record";
    recorder.component("Tide gate").record().expect(told);
    recorder.task("Tide gate season").task_type(TaskType::Epic).under("COMP-1").record().expect(told);
    recorder.task("Grease the tide gate hinges").success_criteria("They turn.").record().expect(told);
    recorder.fact(Category::Decision, "The tide gate closes at two metres").body("Measured at the quay.").under("COMP-1").record().expect(told);
    recorder.fact(Category::Decision, "The tide gate closes at three metres").body("At two metres it closed every week.").record().expect(told);
    recorder.fact(Category::Risk, "Ice holds the wings open").body("The motor burns out.").record().expect(told);
    recorder.fact(Category::Risk, "Salt eats the bolts").body("They shear.").record().expect(told);
    recorder.fact(Category::Goal, "No flood in the lower town").record().expect(told);
    recorder.fact(Category::Fyi, "The quay was measured in May").record().expect(told);
    recorder.rule("Gate log", "Write each closing of the tide gate into the log").record().expect(told);
    recorder.document("Tide gate handbook", "# Closing\n\nClose the tide gate before the flood.\n\n# Opening\n\nOpen it after.").record().expect(told);
    recorder.diagram("Tide gate wiring", "graph TD; switch-->gate").record().expect(told);
    recorder.link("TASK-3", Relation::Blocks, "TASK-2").expect(told);
    recorder.link("TASK-2", Relation::Fulfills, "KNOW-8").expect(told);
    recorder.supersede("KNOW-5", "KNOW-4").reason("it closed too often").evidence("At two metres it closed every week.").record().expect(told);
    recorder.link_because("KNOW-6", Relation::CausedBy, "KNOW-5", "it stands open longer", "").expect(told);
    recorder.link_because("KNOW-7", Relation::CausedBy, "KNOW-6", "thaw", "").expect(told);
    recorder.link("KNOW-9", Relation::RelatesTo, "KNOW-8").expect(told);
    test
}

const PROMPTS: [&str; 4] = [
    "When does the tide gate close, and who greases its hinges?",
    "TASK-2 KNOW-9 DIAG-12",
    "COMP-1: what do we know about the tide gate at two metres?",
    "Ice and salt: which bolts shear on the wings?",
];

fn windows(test: &TestRecord) -> Vec<Retrieval> {
    let retriever = test.record.retriever();
    let mut found = Vec::new();
    for prompt in PROMPTS {
        for hops in 0..=3 {
            found.push(retriever.retrieve(prompt, &RetrieveOptions::new().hops(hops)).expect("a window"));
        }
        found.push(retriever.recall(prompt, &RecallOptions::new().depth(3)).expect("a briefing"));
    }
    found
}

/// Reads `name number + name number [− number] = number[, from ID]` and gives the words, the terms and the result.
fn read(line: &str) -> ([String; 2], [f32; 3], f32, Option<String>) {
    let number = |text: &str| text.replace('\u{2212}', "-").parse::<f32>().unwrap_or_else(|_| panic!("{text:?} is no number in {line:?}"));
    let (sum, rest) = line.split_once(" = ").expect("a sum has a result");
    let (result, from) = rest.split_once(", from ").map_or((rest, None), |(result, from)| (result, Some(from.to_owned())));
    let (first, second) = sum.split_once(" + ").expect("a sum has two terms");
    let (class, category) = first.split_once(' ').expect("a term has a name");
    let mut second = second.splitn(3, ' ');
    let (via, relation) = (second.next().expect("a name"), second.next().expect("a number"));
    let distance = second.next().map_or(0.0, |taken| number(taken.strip_prefix("\u{2212} ").expect("what is far is taken away")));
    ([class.to_owned(), via.to_owned()], [number(category), number(relation), distance], number(result), from)
}

/// Holds an entry's line against the entry.
fn check(entry: &Entry) {
    let line = entry.explain();
    let ([class, via], [category, relation, distance], result, from) = read(&line);
    assert_eq!(category + relation - distance, result, "{line}: the sum is another");
    assert_eq!(result, entry.score.total(), "{line}: the score is {}", entry.score.total());
    assert_eq!([category, relation, distance], [entry.score.category, entry.score.relation, entry.score.distance], "{line}");
    let class_word = if entry.container { "container" } else { entry.category.map_or(entry.kind.as_str(), |category| category.as_str()) };
    assert_eq!((class.as_str(), via.as_str()), (class_word, entry.via.map_or("match", |relation| relation.as_str())), "{line}");
    assert_eq!(from, entry.from.as_ref().map(|from| from.id.to_string()), "{line}");
}

#[test]
fn every_line_reads_back_as_the_score_of_its_entry() {
    let test = mixed();
    let mut met = BTreeSet::new();
    for found in windows(&test) {
        for entry in found.callouts.iter().chain(&found.entries) {
            check(entry);
            met.extend([entry.role.as_str().to_owned(), entry.kind.as_str().to_owned(), format!("{} hops", entry.hops)]);
            met.extend(entry.container.then(|| "container".to_owned()));
        }
    }
    for wanted in [
        "callout",
        "named",
        "head",
        "seed",
        "walked",
        "knowledge",
        "task",
        "rule",
        "document",
        "diagram",
        "component",
        "container",
        "0 hops",
        "1 hops",
        "2 hops",
    ] {
        assert!(met.contains(wanted), "no entry is {wanted}: {met:?}");
    }
}

#[test]
fn a_line_keeps_its_promise_under_any_table() {
    let test = mixed();
    let mut table = RankingTable::default();
    for (at, class) in Class::ALL.into_iter().filter(|class| *class != Class::Component).enumerate() {
        table.set_class(class, -0.123_457 + at as f32 / 7.0).expect("in range");
    }
    for (at, relation) in Relation::ALL.iter().enumerate() {
        table.set_relation(*relation, 0.000_1 + at as f32 / 3.0).expect("in range");
    }
    table.set_distance(0.001).expect("in range");
    test.record.set_ranking(table);
    let lines: Vec<_> = windows(&test).into_iter().flat_map(|found| found.callouts.into_iter().chain(found.entries)).collect();
    assert!(lines.len() > 20, "{} lines", lines.len());
    lines.iter().for_each(check);
}

#[test]
fn tools_show_the_line_of_every_entry() {
    let test = mixed();
    for (tool, asks) in [("retrieve", "prompt"), ("recall", "question")] {
        for prompt in PROMPTS {
            let said = test.record.call_tool(tool, &json!({ asks: prompt }).to_string(), &ToolCall::new("ana")).expect("a result");
            let said: Value = serde_json::from_str(&said).expect("a result is JSON");
            let retriever = test.record.retriever();
            let found = match tool {
                "retrieve" => retriever.retrieve(prompt, &RetrieveOptions::new()),
                _ => retriever.recall(prompt, &RecallOptions::new()),
            }
            .expect("a window");
            assert!(!found.entries.is_empty());
            for (entries, name) in [(&found.entries, "entries"), (&found.callouts, "callouts")] {
                let lines: Vec<(String, String)> = entries.iter().map(|entry| (entry.id.to_string(), entry.explain())).collect();
                let shown = said[name].as_array().cloned().unwrap_or_default();
                let shown: Vec<(String, String)> = shown
                    .iter()
                    .map(|entry| (entry["id"].as_str().unwrap_or_default().to_owned(), entry["explain"].as_str().unwrap_or_default().to_owned()))
                    .collect();
                assert_eq!(shown, lines, "{tool}: {prompt}");
            }
        }
    }
}
