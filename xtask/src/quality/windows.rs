//! What a window must hold about retired records, judged from the set's own edges and not from what stele says of itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::dev_sets::{DevSet, Query};

/// Who retired whom in a set.
#[derive(Default)]
pub(crate) struct Succession {
    by: BTreeMap<String, Vec<String>>,
}

impl Succession {
    /// The succession that the edges of a set tell.
    pub(crate) fn of(set: &DevSet) -> Self {
        let ids: BTreeSet<&str> = set.records.iter().map(|record| record.id.as_str()).collect();
        let mut by: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for edge in set.edges.iter().filter(|edge| edge.relation == "supersedes") {
            if ids.contains(edge.from.as_str()) && ids.contains(edge.to.as_str()) {
                by.entry(edge.to.clone()).or_default().push(edge.from.clone());
            }
        }
        Self { by }
    }

    /// The live ends of what retired a record; empty if nothing did.
    pub(crate) fn heads(&self, id: &str) -> BTreeSet<&str> {
        let mut heads = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = self.by.get(id).into_iter().flatten().map(String::as_str).collect();
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.by.get(next) {
                Some(newer) => open.extend(newer.iter().map(String::as_str)),
                None => {
                    heads.insert(next);
                }
            }
        }
        heads
    }

    /// How many retired records of a window stand there without one of their live heads.
    pub(crate) fn headless(&self, window: &[String]) -> usize {
        window.iter().filter(|id| self.heads(id).iter().any(|head| !window.iter().any(|other| other == head))).count()
    }
}

/// What the windows of supersession queries came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Replacements {
    pub(crate) queries: usize,
    /// Windows that hold the retired record and no replacement.
    pub(crate) stale_alone: usize,
    /// Windows that hold the retired record.
    pub(crate) stale_served: usize,
    /// Of those, windows in which every such record has the replacement above it.
    pub(crate) replacement_above: usize,
}

impl Replacements {
    /// Adds the window of one query.
    pub(crate) fn add(&mut self, query: &Query, window: &[String]) {
        let place = |id: &String| window.iter().position(|other| other == id);
        let stale: Vec<usize> = query.stale.iter().filter_map(place).collect();
        let replacement = query.relevant.iter().filter_map(place).min();
        self.queries += 1;
        let Some(first_stale) = stale.iter().min() else { return };
        self.stale_served += 1;
        match replacement {
            None => self.stale_alone += 1,
            Some(at) => self.replacement_above += usize::from(at < *first_stale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev_sets::{SetEdge, SetRecord};

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn succession(edges: &[(&str, &str)]) -> Succession {
        let records = list("a b c d").into_iter().map(|id| SetRecord { id, ..SetRecord::default() }).collect();
        let edges =
            edges.iter().map(|(from, to)| SetEdge { from: (*from).into(), relation: "supersedes".into(), to: (*to).into(), ..SetEdge::default() }).collect();
        Succession::of(&DevSet { name: "x".into(), records, edges, queries: Vec::new() })
    }

    #[test]
    fn heads_are_the_live_ends_of_a_chain_and_of_a_fork() {
        let chain = succession(&[("b", "a"), ("c", "b"), ("d", "a")]);
        assert_eq!(chain.heads("a").into_iter().collect::<Vec<_>>(), ["c", "d"]);
        assert!(chain.heads("c").is_empty());
    }

    #[test]
    fn a_retired_record_is_headless_unless_all_its_heads_stand_there() {
        let chain = succession(&[("b", "a"), ("d", "a")]);
        assert_eq!(chain.headless(&list("a b")), 1);
        assert_eq!(chain.headless(&list("a b d")), 0);
        assert_eq!(chain.headless(&list("c")), 0);
    }

    #[test]
    fn a_loop_ends() {
        assert!(succession(&[("a", "b"), ("b", "a")]).heads("a").is_empty());
    }

    #[test]
    fn windows_are_told_apart_by_where_the_replacement_stands() {
        let query = Query { stale: list("old"), relevant: list("new"), ..Query::default() };
        let mut sum = Replacements::default();
        for window in ["old x", "old new", "new old", "x new old", "new", ""] {
            sum.add(&query, &list(window));
        }
        assert_eq!(sum, Replacements { queries: 6, stale_alone: 1, stale_served: 4, replacement_above: 2 });
    }
}
