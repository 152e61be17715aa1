//! Short deadlines: an answer is whole, or it says what is missing; what was begun is not begun again. How long calls
//! overrun is measured by `deadlines` in `benches`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use stele_core::{GapKind, ImportOptions, RecallOptions, Retrieval, RetrieveOptions, SearchOptions, Status};
use stele_tests::TestRecord;

const EDGES: usize = 2_000;
const CHAIN: usize = 1_500;

/// A hub that everything mentions, beside a risk, and a chain in which each node retires the one before.
fn world() -> TestRecord {
    let test = TestRecord::with(|options| options.durability(stele_core::Durability::Normal));
    let mut lines = String::new();
    let mut node = |alias: String, category: &str, title: String| {
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"{category}","alias":"{alias}","title":"{title}","body":"see the gateway"}}"#)
            .expect("a string");
    };
    node("HUB-1".to_owned(), "decision", "The gateway before everything".to_owned());
    node("RISK-1".to_owned(), "risk", "It falls over".to_owned());
    (0..EDGES).for_each(|nth| node(format!("F-{nth}"), "fyi", format!("Part {nth} of the pipeline")));
    (0..CHAIN).for_each(|nth| node(format!("C-{nth}"), "fyi", format!("Link {nth} of the zorvex chain")));
    let mut edge = |from: String, relation: &str, to: String| {
        writeln!(lines, r#"{{"type":"edge","from":"{from}","relation":"{relation}","to":"{to}","reason":"seen","evidence":"none"}}"#).expect("a string");
    };
    (0..EDGES).for_each(|nth| edge(format!("F-{nth}"), "mentions", "HUB-1".to_owned()));
    edge("HUB-1".to_owned(), "caused-by", "RISK-1".to_owned());
    (1..CHAIN).for_each(|nth| edge(format!("C-{nth}"), "supersedes", format!("C-{}", nth - 1)));
    assert!(test.record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import").applied);
    // The handle itself may be at it in the background.
    while !test.record.catch_up().expect("caught up") {}
    test
}

fn prompts() -> [String; 4] {
    let prose = "why does the gateway route every part of the pipeline before the zorvex chain? ".repeat(10 * 1024 * 1024 / 79);
    [
        "what depends on HUB-1 and the gateway before everything?".to_owned(),
        "what became of C-0 of the zorvex chain in the end?".to_owned(),
        format!("HUB-1 {prose} C-3"),
        "限流认证".repeat(10 * 1024 * 1024 / 12),
    ]
}

/// True if the answer says that time ran out.
fn says_late(found: &Retrieval) -> bool {
    found.status == Status::Late || found.gaps.iter().any(|gap| matches!(gap.kind, GapKind::Text | GapKind::Meaning | GapKind::Walk))
}

fn ids(found: &Retrieval) -> Vec<u64> {
    found.callouts.iter().chain(&found.entries).map(|entry| entry.id.number).collect()
}

#[test]
fn an_answer_under_any_deadline_is_whole_or_says_what_is_missing() {
    let test = world();
    let retriever = test.record.retriever();
    let mut late = 0;
    for prompt in prompts() {
        let long = Duration::from_secs(600);
        let whole = retriever.retrieve(&prompt, &RetrieveOptions::new().deadline(long)).expect("a window");
        let briefing = retriever.recall(&prompt, &RecallOptions::new().deadline(long)).expect("a briefing");
        assert!(!says_late(&whole) && !says_late(&briefing), "{:?}", whole.gaps);
        let hits = retriever.search(&prompt, &SearchOptions::new().deadline(long)).expect("hits");
        for micros in [0, 1, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000] {
            let deadline = Duration::from_micros(micros);
            let part = retriever.retrieve(&prompt, &RetrieveOptions::new().deadline(deadline)).expect("no error for want of time");
            assert!(says_late(&part) || ids(&part) == ids(&whole), "{micros} us: {:?} of {:?}", ids(&part), ids(&whole));
            late += usize::from(says_late(&part));
            assert!(micros > 1 || part.status == Status::Late, "{micros} us: {:?}", part.status);
            let part = retriever.recall(&prompt, &RecallOptions::new().deadline(deadline)).expect("no error for want of time");
            assert!(says_late(&part) || ids(&part) == ids(&briefing), "{micros} us");
            let part = retriever.search(&prompt, &SearchOptions::new().deadline(deadline)).expect("no error for want of time");
            assert!(part.len() <= hits.len());
        }
    }
    assert!(late >= 8, "{late}");
}

#[test]
fn a_retired_node_is_never_shown_without_its_head_for_want_of_time() {
    let test = world();
    let last = format!("Link {} of the zorvex chain", CHAIN - 1);
    // Also with all the time there is, and then both are there.
    for micros in (0..60).map(|nth| nth * 500).chain([600_000_000]) {
        let options = RetrieveOptions::new().deadline(Duration::from_micros(micros)).walk_budget(Duration::from_secs(600));
        let found = test.record.retriever().retrieve(&prompts()[1], &options).expect("a window");
        let retired = found.entries.iter().position(|entry| entry.state == stele_core::State::Retired);
        let head = found.entries.iter().position(|entry| entry.title == last);
        assert!(retired.is_none() || head < retired && head.is_some(), "{micros} us: {:?}", found.entries);
        assert!(micros < 600_000_000 || retired.is_some(), "{:?}", found.entries);
    }
}

#[test]
fn without_indexes_short_calls_get_further_each_time_until_one_is_whole() {
    let test = world();
    for folder in ["text", "vectors"] {
        fs::remove_dir_all(test.dir().join(folder)).expect("there");
    }
    let prompt = "what depends on the gateway before everything?";
    let record = test.again();
    let ask = |record: &stele_core::Record, deadline| record.retriever().retrieve(prompt, &RetrieveOptions::new().deadline(deadline)).expect("a window");
    let whole = ask(&test.again(), Duration::from_secs(600));
    assert!(!says_late(&whole));
    let mut seen = BTreeSet::new();
    let calls = (0..10_000).take_while(|_| {
        let found = ask(&record, Duration::from_millis(40));
        seen.insert(found.stats.tail);
        says_late(&found)
    });
    let calls = calls.count();
    assert!(calls < 10_000, "it never gets there: {seen:?}");
    assert_eq!(ids(&ask(&record, Duration::from_secs(600))), ids(&whole));
}
