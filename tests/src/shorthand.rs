//! What tests say again and again, in a word.

use stele_core::{Moment, Retrieval, Session, State, Timestamp};

use crate::TestRecord;

/// The instant that a text says.
///
/// # Panics
/// If it says none.
#[must_use]
pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

/// Words as a rule takes them.
#[must_use]
pub fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// The entries of a window, in its order.
#[must_use]
pub fn ids(found: &Retrieval) -> Vec<String> {
    found.entries.iter().map(|entry| entry.id.to_string()).collect()
}

/// What a moment shows, risks first.
#[must_use]
pub fn shown(moment: &Moment) -> Vec<String> {
    moment.callouts.iter().chain(&moment.entries).map(|entry| entry.id.to_string()).collect()
}

/// Records a task and gives its id.
///
/// # Panics
/// If that is refused.
pub fn task(test: &TestRecord, title: &str) -> String {
    test.recorder().task(title).record().expect("a task").id.to_string()
}

/// Retires a node, vouching for it.
///
/// # Panics
/// If that is refused.
pub fn supersede(test: &TestRecord, newer: &str, older: &str) {
    test.recorder().supersede(newer, older).reason("it ended").evidence("a line").unverified().record().expect("a retirement");
}

/// The state of a node.
///
/// # Panics
/// If there is no such node.
#[must_use]
pub fn state(test: &TestRecord, id: &str) -> State {
    test.record.retriever().get(id).expect("a node").state
}

/// A session of that name.
///
/// # Panics
/// If it cannot be taken up.
#[must_use]
pub fn session(test: &TestRecord, name: &str) -> Session {
    test.record.session(name).open().expect("a session")
}
