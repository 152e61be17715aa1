//! The writing side through the public door: what every verb does, what it refuses, and that a refusal changes nothing.

#[path = "record_rules/advice.rs"]
mod advice;
#[path = "record_rules/mentions.rs"]
mod mentions;
#[path = "record_rules/refusals.rs"]
mod refusals;
#[path = "record_rules/supersession.rs"]
mod supersession;
#[path = "record_rules/times.rs"]
mod times;
#[path = "record_rules/transactions.rs"]
mod transactions;
#[path = "record_rules/verbs.rs"]
mod verbs;

use stele_core::{Code, Direction, Error, Neighbour, NeighbourOptions, Recorder, Relation, Result};
use stele_tests::TestRecord;

/// Calls a verb that must be refused: with that code, naming that field, with a message to act on, and without a trace.
fn refused<T: std::fmt::Debug>(test: &TestRecord, code: Code, field: Option<&str>, call: impl FnOnce(&Recorder<'_>) -> Result<T>) -> Error {
    let before = (test.record.head().expect("a head"), test.record.head_hash().expect("a hash"));
    let error = call(&test.recorder()).expect_err("a refusal");
    assert_eq!((error.code(), error.detail("field")), (code, field), "{error}");
    assert_eq!((test.record.head().expect("a head"), test.record.head_hash().expect("a hash")), before, "{error}");
    let message = error.to_string();
    assert!(message.ends_with(code.remedy()) && !message.starts_with(code.remedy()), "{message}");
    assert!(message.starts_with(|first: char| first.is_lowercase()), "{message}");
    if let Some(limit) = error.detail("limit") {
        assert!(message.contains(limit), "{message}");
    }
    for word in ["delet", "remove", " rm ", "erase"] {
        assert!(!message.contains(word), "{message}");
    }
    error
}

/// The edges that start at a node: relation, other end, and whether a text drew them.
fn outgoing(test: &TestRecord, id: &str) -> Vec<(Relation, String, bool)> {
    let mut edges: Vec<_> = edges(test, id, Direction::Outgoing).into_iter().map(|edge| (edge.relation, edge.id.to_string(), edge.automatic)).collect();
    edges.sort();
    edges
}

fn edges(test: &TestRecord, id: &str, direction: Direction) -> Vec<Neighbour> {
    test.record.retriever().neighbours(id, &NeighbourOptions::new().direction(direction).limit(1_000)).expect("neighbours")
}

/// A text that has the shape of a GitHub token and is none.
fn token() -> String {
    ["gh", "p_"].concat() + "a8Kd03LmXz72QwPv5TnB61RcYh94SfGjUe0i"
}
