//! Field case 17: what is found and shown does not depend on the order in which independent things were written.

use std::collections::BTreeMap;
use std::process::Command;

use stele_core::{Category, Clock, Draft, Format, Record, Recorder, Relation, RetrieveOptions, Timestamp};
use stele_tests::TestClock;

const ORDERS: u64 = 5;
const PARTS: [&str; 12] = [
    "barometer",
    "limiter",
    "lighthouse",
    "session store",
    "retry queue",
    "token cache",
    "ferry",
    "crane",
    "customs form",
    "tide table",
    "pilot boat",
    "siren",
];
const PLACES: [&str; 16] = [
    "attic",
    "cellar",
    "boathouse",
    "workshop",
    "archive",
    "kitchen",
    "harbour office",
    "watchtower",
    "greenhouse",
    "stable",
    "chapel",
    "laundry",
    "bakery",
    "foundry",
    "library",
    "guardroom",
];

/// What is asked: twenty questions about facts, of which some have ended.
fn prompts() -> Vec<String> {
    let asked = ["why is the {part} kept in the {place}?", "what went wrong with the {part} in the {place} last winter", "{part} {place}"];
    (0..20).map(|nth| (nth, nth * 7 % 48)).map(|(nth, fact)| asked[nth % 3].replace("{part}", PARTS[fact % 12]).replace("{place}", place(fact))).collect()
}

fn place(nth: usize) -> &'static str {
    PLACES[(nth * 7 + nth / 12) % 16]
}

/// One thing to write; each needs only what it names.
enum Write {
    Fact(Box<Draft>),
    Edge(String, Relation, String),
    Retirement(String, String, String),
}

fn name(nth: usize) -> String {
    format!("fact-{nth}")
}

/// Facts first, then what joins them; the order within each part is free.
fn writes() -> [Vec<Write>; 2] {
    let created = Timestamp::parse("2025-06-01").expect("a time");
    let facts = (0..48).map(|nth| {
        let (part, other) = (PARTS[nth % 12], PARTS[(nth * 5 + 1) % 12]);
        let category = [Category::Decision, Category::Risk, Category::Lesson, Category::Fyi][(nth / 12) % 4];
        let said = ["hangs beside", "broke together with", "waits for", "was moved away from"][(nth / 12) % 4];
        let body =
            format!("In `module_{nth}.rs` since week {nth}; it {said} the {other} in the {}. {}", place(nth), "It was looked at again. ".repeat(nth % 3));
        let title = format!("The {part} of the {} {said} the {other}", place(nth));
        let at = Timestamp::from_unix_ms(created.unix_ms() + 86_400_000 * nth as i64);
        Write::Fact(Box::new(Draft::fact(category, title).body(body).alias(name(nth)).created_at(at)))
    });
    // In pairs: lists, and ways that count the same, go by id, and ids by the order of writing.
    let edges = (18..48).step_by(2).map(|nth| {
        let relation = [Relation::CausedBy, Relation::RelatesTo, Relation::Contradicts][nth / 2 % 3];
        Write::Edge(name(nth), relation, name(nth + 1))
    });
    let ended = [4, 5, 2].into_iter().map(|nth| Write::Retirement(name(nth + 12), name(nth), format!("since week {}", nth + 12)));
    [facts.collect(), edges.chain(ended).collect()]
}

fn write(recorder: &Recorder<'_>, what: Write) {
    match what {
        Write::Fact(draft) => drop(recorder.add(*draft).expect("a fact")),
        Write::Edge(from, relation, to) => recorder.link_because(&from, relation, &to, "seen together", "").expect("an edge"),
        Write::Retirement(newer, older, evidence) => {
            recorder.supersede(&newer, &older).reason("the older way ended").evidence(&evidence).record().expect("a retirement");
        }
    }
}

/// A record of all of it, written in an order that the seed says.
fn shuffled(dir: &std::path::Path, seed: u64) -> Record {
    let record = Record::options().clock(TestClock::at("2026-01-01") as std::sync::Arc<dyn Clock>).open(dir).expect("a new record");
    let recorder = record.recorder("tester").expect("a recorder");
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for mut part in writes() {
        while !part.is_empty() {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            write(&recorder, part.swap_remove((dice >> 33) as usize % part.len()));
            // Indexes come along at different points in each.
            if (dice >> 40).is_multiple_of(29) {
                while !record.catch_up().expect("caught up") {}
            }
        }
    }
    record
}

/// Puts the name of its node in place of every id.
fn without_ids(text: &str, names: &BTreeMap<u64, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("KNOW-") {
        let digits = rest[at + 5..].bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[at + 5..at + 5 + digits].parse().unwrap_or(0);
        out.push_str(&rest[..at]);
        out.push_str(names.get(&number).map_or("unknown", String::as_str));
        rest = &rest[at + 5 + digits..];
    }
    out + rest
}

/// The window with its list of conflicts, which goes by id, in the order of the names.
fn in_one_order(window: &str) -> String {
    let (text, json) = window.trim_end().rsplit_once('\n').unwrap_or(("", window));
    let mut json: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let conflicts = json["conflicts"].as_array_mut().expect("a list");
    for pair in conflicts.iter_mut() {
        pair.as_array_mut().expect("a pair").sort_by_key(ToString::to_string);
    }
    conflicts.sort_by_key(ToString::to_string);
    format!("{text}\n{json}")
}

#[test]
fn a_record_answers_the_same_whatever_the_order_of_independent_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let now = Timestamp::parse("2026-02-01").expect("a time");
    let prompts = prompts();
    let mut expected: Option<Vec<String>> = None;
    for order in 0..ORDERS {
        let dir = folder.path().join(order.to_string());
        let record = shuffled(&dir, order + 1);
        let names: BTreeMap<u64, String> = (0..48).map(|nth| (record.retriever().get(&name(nth)).expect("a fact").id.number, name(nth))).collect();
        let windows: Vec<String> = prompts
            .iter()
            .map(|prompt| {
                let found = record.retriever().retrieve(prompt, &RetrieveOptions::new().now(now)).expect("a window");
                format!("{}{}\n", found.render(Format::Text), found.render(Format::Json))
            })
            .collect();
        // Other processes say the same bytes, ids included.
        for (prompt, window) in prompts.iter().zip(&windows).skip(order as usize).step_by(5) {
            let output = Command::new(env!("CARGO_BIN_EXE_stele-worker")).args(["window", dir.to_str().expect("a path in UTF-8"), prompt]).output();
            assert_eq!(String::from_utf8_lossy(&output.expect("the program runs").stdout), *window, "order {order}, {prompt}");
        }
        let windows: Vec<String> = windows.iter().map(|window| in_one_order(&without_ids(window, &names))).collect();
        assert!(windows.iter().filter(|window| window.contains("fact-")).count() >= 12, "too few prompts find something");
        match &expected {
            None => expected = Some(windows),
            Some(expected) => {
                for (nth, window) in windows.iter().enumerate() {
                    assert_eq!(window, &expected[nth], "order {order}, {}", prompts[nth]);
                }
            }
        }
    }
}
