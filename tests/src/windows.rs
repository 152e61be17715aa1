//! What holds of every window, whatever the record.

use std::collections::BTreeSet;

use stele_core::{Entry, Retrieval, Retriever, Role, State};

/// What stands in place of a node, by the public reads alone: itself, or the ends of the chains that retired it.
#[must_use]
pub fn heads(retriever: &Retriever, id: &str) -> BTreeSet<String> {
    let (mut open, mut seen, mut found) = (vec![id.to_owned()], BTreeSet::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let successors = retriever.get(&id).expect("a node").retired_by;
        if successors.is_empty() {
            found.insert(id);
        } else {
            open.extend(successors.into_iter().map(|id| id.to_string()));
        }
    }
    found
}

/// Panics unless the window has at most `most` entries, none twice, no retired node without or above its heads, and no live
/// one below an ended one. `named` are the ids that the prompt names.
pub fn check(retriever: &Retriever, found: &Retrieval, most: usize, named: &[&str]) {
    assert!(found.entries.len() + found.callouts.len() <= most, "too many: {found:?}");
    let called: Vec<String> =
        found.callouts.iter().map(|entry| entry.id.to_string()).chain(found.callout_lines.iter().map(|line| line.risk.id.to_string())).collect();
    let mut above: BTreeSet<String> = called.into_iter().collect();
    let first = named_places(found, named);
    let mut ended = false;
    for (at, entry) in found.entries.iter().enumerate() {
        let id = entry.id.to_string();
        let node = retriever.get(&id).expect("a node");
        if !node.retired_by.is_empty() {
            for head in heads(retriever, &id) {
                assert!(above.contains(&head), "{id} without {head} above it: {:?}", found.entries);
            }
        }
        assert!(above.insert(id.clone()), "{id} stands twice: {found:?}");
        if at < first {
            continue;
        }
        assert!(entry.role != Role::Named, "{id} was named and stands below others: {found:?}");
        assert!(!ended || entry.state != State::Live, "{id} is live below an ended one: {found:?}");
        ended |= entry.state != State::Live;
    }
}

/// Panics if an entry that was not named stands below a lower score, live and ended ones apart. It may, where one of the
/// hits states the prompt whole and brings its neighbours.
pub fn check_scores(found: &Retrieval, named: &[&str]) {
    let first = named_places(found, named);
    let mut last = (true, f32::INFINITY);
    for entry in &found.entries[first..] {
        if entry.role == Role::Head || !entry.folded.is_empty() {
            continue;
        }
        let live = entry.state == State::Live;
        let total = entry.score.total();
        assert!(live != last.0 || total <= last.1, "{} stands below a lower score: {:?}", entry.id, found.entries);
        last = (live, total);
    }
}

/// How many entries stand in the places of the named ones: the head of a named node takes its place, whether or not there is
/// room for the named node itself.
fn named_places(found: &Retrieval, named: &[&str]) -> usize {
    let is_named = |entry: &&Entry| entry.role == Role::Named || entry.replaces.iter().any(|older| named.contains(&older.node.id.to_string().as_str()));
    found.entries.iter().take_while(is_named).count()
}
