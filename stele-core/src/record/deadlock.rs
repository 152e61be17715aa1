//! Work that waits for itself: circles of tasks of which none can be finished first.
//!
//! A task waits for what blocks it, and a parent for its children, whether they are joined by `blocks` or, where a
//! child fulfills a task, by `fulfills`. One of these relations alone is kept free of circles; together they are not.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rusqlite::params;

use super::database::{Trouble, number_in, number_out};
use super::edge::Relation;
use super::reader::Snapshot;
use crate::base::error::Result;
use crate::base::id::{Kind, NodeId};

const DURING: &str = "look for deadlocks";

/// Who must be finished before whom.
type Before = BTreeMap<u64, Vec<u64>>;

impl Snapshot {
    /// The circles of unfinished tasks that wait for each other, one for each knot, each from its smallest number on
    /// along the shortest way round. Every task that stands in some circle belongs to exactly one knot.
    pub(crate) fn deadlocks(&self) -> Result<Vec<Vec<NodeId>>> {
        let unfinished: BTreeSet<u64> = self.nodes("number", "status IN (0, 1) AND ?1 = ?1", &0, |row| Ok(number_out(row.get(0)?)))?.into_iter().collect();
        let mut before: Before = BTreeMap::new();
        let mut statement = self
            .conn()
            .prepare_cached("SELECT src, dst FROM edge WHERE relation IN (?1, ?2) AND from_seq <= ?3 AND to_seq > ?3")
            .map_err(Trouble::during(DURING))?;
        let edges = statement
            .query_map(params![Relation::Blocks.number(), Relation::Fulfills.number(), number_in(self.at())], |row| {
                Ok((number_out(row.get(0)?), number_out(row.get(1)?)))
            })
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(Trouble::during(DURING))?;
        for (first, then) in edges {
            if unfinished.contains(&first) && unfinished.contains(&then) {
                before.entry(first).or_default().push(then);
            }
        }
        before.values_mut().for_each(|then| then.sort_unstable());
        let tasks = |circle: Vec<u64>| circle.into_iter().map(|number| NodeId { kind: Kind::Task, number }).collect();
        Ok(circles(&before).into_iter().map(tasks).collect())
    }
}

/// One circle for every set of nodes that lead to each other, and for every node that leads to itself.
pub(crate) fn circles(edges: &BTreeMap<u64, Vec<u64>>) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let ends = ends_first(edges);
    let mut back: Before = BTreeMap::new();
    for (from, tos) in edges {
        tos.iter().for_each(|to| back.entry(*to).or_default().push(*from));
    }
    // Kosaraju: against the edges, from the node that was left last.
    for root in ends.into_iter().rev() {
        if !known.insert(root) {
            continue;
        }
        let (mut knot, mut open) = (BTreeSet::from([root]), vec![root]);
        while let Some(at) = open.pop() {
            for next in back.get(&at).into_iter().flatten() {
                if known.insert(*next) {
                    knot.insert(*next);
                    open.push(*next);
                }
            }
        }
        if knot.len() > 1 || edges.get(&root).is_some_and(|next| next.contains(&root)) {
            found.push(round(edges, &knot));
        }
    }
    found.sort_unstable();
    found
}

/// The nodes in the order in which a search depth first leaves them.
fn ends_first(edges: &Before) -> Vec<u64> {
    let mut left = Vec::new();
    let mut seen = BTreeSet::new();
    for start in edges.keys() {
        if !seen.insert(*start) {
            continue;
        }
        let mut open = vec![(*start, 0)];
        while let Some((at, place)) = open.last_mut() {
            match edges.get(at).and_then(|next| next.get(*place)) {
                Some(next) => {
                    *place += 1;
                    if seen.insert(*next) {
                        open.push((*next, 0));
                    }
                }
                None => {
                    left.push(*at);
                    open.pop();
                }
            }
        }
    }
    left
}

/// The shortest way from the smallest node of a knot back to itself.
fn round(edges: &Before, knot: &BTreeSet<u64>) -> Vec<u64> {
    let start = knot.first().copied().unwrap_or_default();
    let mut came: BTreeMap<u64, u64> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in edges.get(&at).into_iter().flatten().filter(|next| knot.contains(next)) {
            if *next == start {
                let mut path = vec![at];
                let mut back = at;
                while back != start {
                    back = came[&back];
                    path.push(back);
                }
                path.reverse();
                return path;
            }
            if !came.contains_key(next) {
                came.insert(*next, at);
                open.push_back(*next);
            }
        }
    }
    // Every node of a knot leads back to itself.
    knot.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(of: &[(u64, &[u64])]) -> Before {
        of.iter().map(|(from, tos)| (*from, tos.to_vec())).collect()
    }

    #[test]
    fn each_knot_gives_its_shortest_circle_from_its_smallest_node() {
        let two = edges(&[(1, &[2]), (2, &[3, 4]), (3, &[1]), (4, &[5]), (5, &[4, 6]), (7, &[1])]);
        assert_eq!(circles(&two), [vec![1, 2, 3], vec![4, 5]]);
        let short_cut = edges(&[(1, &[2, 3]), (2, &[3]), (3, &[4]), (4, &[1])]);
        assert_eq!(circles(&short_cut), [vec![1, 3, 4]]);
        assert_eq!(circles(&edges(&[(1, &[2]), (2, &[2, 3])])), [vec![2]]);
    }

    #[test]
    fn what_runs_in_no_circle_gives_none() {
        assert!(circles(&edges(&[(1, &[2, 3]), (2, &[4]), (3, &[4])])).is_empty());
        assert!(circles(&Before::new()).is_empty());
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let mut chain: Before = (1..100_000).map(|number| (number, vec![number + 1])).collect();
        assert!(circles(&chain).is_empty());
        chain.insert(100_000, vec![1]);
        assert_eq!(circles(&chain)[0].len(), 100_000);
    }
}
