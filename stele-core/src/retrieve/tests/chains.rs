//! The ends of chains of supersession, on graphs made up at random and beside a search that keeps nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::*;

use super::world::{CHAIN, LONG, World, prompts};
use crate::base::time::Deadline;
use crate::import::report::ImportOptions;
use crate::record::edge::Relation;
use crate::record::reader::Snapshot;
use crate::retrieve::heads::{Head, Heads};
use crate::retrieve::nodes::Nodes;
use crate::retrieve::options::RetrieveOptions;
use crate::retrieve::score::RankingTable;
use crate::store::Record;

/// The heads of a node, found layer by layer.
fn plainly(successors: &BTreeMap<u64, Vec<(u64, i64)>>, number: u64) -> Vec<Head> {
    let mut heads: BTreeMap<u64, Head> = BTreeMap::new();
    let mut seen = BTreeSet::from([number]);
    let mut open: Vec<(u64, i64)> = successors[&number].clone();
    let mut depth = 1;
    while !open.is_empty() {
        open.sort_unstable();
        let mut further = Vec::new();
        for (at, edge) in open {
            if seen.insert(at) {
                match successors.get(&at) {
                    Some(next) => further.extend(next.iter().map(|(next, _)| (*next, edge))),
                    None => drop(heads.insert(at, Head { number: at, edge, depth })),
                }
            }
        }
        (open, depth) = (further, depth + 1);
    }
    let mut heads: Vec<Head> = heads.into_values().collect();
    heads.sort_unstable_by_key(|head| (head.depth, head.number));
    heads
}

fn compared(edges: &BTreeSet<(usize, usize)>, count: usize, order: &[usize], near: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().without_embedder().open(folder.path().join(".stele")).expect("a record");
    let mut lines = String::new();
    for nth in 0..count {
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"fyi","alias":"N-{nth}","title":"Fact {nth}","body":""}}"#).expect("a string");
    }
    for (newer, older) in edges {
        writeln!(lines, r#"{{"type":"edge","from":"N-{newer}","relation":"supersedes","to":"N-{older}","reason":"seen","evidence":"none"}}"#)
            .expect("a string");
    }
    assert!(record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import").applied);
    let snapshot: Snapshot = record.retriever().snapshot().expect("a snapshot");
    let mut successors: BTreeMap<u64, Vec<(u64, i64)>> = BTreeMap::new();
    for nth in 0..count {
        let number = snapshot.resolve(&format!("N-{nth}")).expect("a look").expect("there").id.number;
        let steps = snapshot.steps_in(number, Relation::Supersedes, false).expect("steps");
        if !steps.is_empty() {
            successors.insert(number, steps.into_iter().map(|step| (step.neighbour, step.edge)).collect());
        }
    }
    let mut nodes = Nodes::new(&snapshot, RankingTable::default().into());
    let mut heads = Heads::reading_apart_after(near);
    let retired: Vec<u64> = successors.keys().copied().collect();
    for nth in order.iter().filter(|_| !retired.is_empty()) {
        let number = retired[nth % retired.len()];
        let found = heads.heads_in_time(&mut nodes, number, Deadline::NEVER).expect("a look").expect("no deadline");
        assert_eq!(*found, plainly(&successors, number), "node {number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_heads_are_those_that_a_plain_search_finds_whatever_was_asked_before(
        count in 2_usize..14,
        edges in prop::collection::btree_set((0_usize..14, 0_usize..14), 0..26),
        lengthened in any::<bool>(),
        order in prop::collection::vec(any::<usize>(), 1..12),
        near in 0_usize..6,
    ) {
        // Every second graph has a long chain through all of its nodes.
        let mut edges: BTreeSet<(usize, usize)> = edges.into_iter().map(|(newer, older)| (newer % count, older % count)).filter(|(a, b)| a != b).collect();
        if lengthened {
            edges.retain(|(newer, older)| newer % 5 == 0 && older % 3 == 0);
            edges.extend((1..count).map(|nth| (nth, nth - 1)));
        }
        compared(&edges, count, &order, near);
    }
}

#[test]
fn the_links_of_a_long_chain_are_read_once_however_many_of_them_are_found_and_are_not_read_as_nodes() {
    let world = World::new();
    let prompt = &prompts()[1];
    let found = world.record.retriever().retrieve(prompt, &RetrieveOptions::new().deadline(LONG).walk_budget(LONG)).expect("a window");
    let retired: Vec<_> = found.entries.iter().filter(|entry| entry.state == crate::record::node::State::Retired).collect();
    assert!(retired.len() > 3 && retired.iter().all(|entry| entry.replaced_by.len() == 1), "{:?}", found.entries);
    let (nodes, edges) = (found.stats.nodes as usize, found.stats.edges as usize);
    assert!(edges > CHAIN && edges < 2 * CHAIN, "{edges} edges");
    assert!(nodes < CHAIN / 2, "{nodes} nodes");
}
