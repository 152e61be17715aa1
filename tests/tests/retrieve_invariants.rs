//! What holds of every window, tried on records made at random.

use proptest::prelude::*;
use stele_core::{Category, Durability, Relation, RetrieveOptions, Role, Shown};
use stele_tests::TestRecord;
use stele_tests::windows::{check, check_scores};

const SUBJECTS: [&str; 4] = ["barometer calibration", "calibration of sensors", "harbour lights", "barometer readings at night"];

#[derive(Clone, Debug)]
struct Plan {
    nodes: Vec<(usize, usize, bool)>,
    edges: Vec<(usize, usize, usize)>,
    archived: Vec<usize>,
    named: Option<usize>,
    entries: usize,
    hops: u32,
}

fn plan() -> impl Strategy<Value = Plan> {
    let nodes = prop::collection::vec((0..Category::ALL.len(), 0..SUBJECTS.len(), prop::bool::weighted(0.1)), 2..14);
    let edges = prop::collection::vec((0..14usize, 0..9usize, 0..14usize), 0..30);
    (nodes, edges, prop::collection::vec(0..14usize, 0..2), prop::option::of(0..14usize), 1..=20usize, 0..=3u32)
        .prop_map(|(nodes, edges, archived, named, entries, hops)| Plan { nodes, edges, archived, named, entries, hops })
}

/// Records the plan; edges that the rules refuse are left out.
fn build(plan: &Plan) -> (TestRecord, Vec<String>) {
    let test = TestRecord::with(|options| options.durability(Durability::Normal));
    let recorder = test.recorder();
    let mut ids = Vec::new();
    for (nth, (category, subject, expired)) in plan.nodes.iter().enumerate() {
        let fact = recorder.fact(Category::ALL[*category], format!("{} {}", SUBJECTS[*subject], ["amber", "birch", "cedar", "dune"][nth % 4]));
        let fact = if *expired { fact.expires_at(stele_core::Timestamp::parse("2025-06-01").expect("a time")) } else { fact };
        ids.push(fact.record().expect("a fact").id.to_string());
    }
    for (from, relation, to) in &plan.edges {
        let (from, to) = (&ids[from % ids.len()], &ids[to % ids.len()]);
        let relation = Relation::ALL[*relation];
        // Half of the edges retire something: that is where the rules are hard to keep.
        if relation == Relation::Supersedes || relation == Relation::Mentions || relation == Relation::Embeds {
            let _ = recorder.supersede(from, to).reason("it ended").evidence("a line").unverified().record();
        } else {
            let _ = recorder.link(from, relation, to);
        }
    }
    for nth in &plan.archived {
        let _ = recorder.archive(&ids[nth % ids.len()], "out of use");
    }
    (test, ids)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_window_keeps_its_bounds_and_no_retired_node_stands_without_or_above_its_heads(plan in plan()) {
        let (test, ids) = build(&plan);
        let retriever = test.record.retriever();
        let named: Vec<&str> = plan.named.iter().map(|nth| ids[nth % ids.len()].as_str()).collect();
        let prompt = format!("what do we know about the barometer calibration {}?", named.join(" "));
        let options = RetrieveOptions::new().max_entries(plan.entries).hops(plan.hops);
        let found = retriever.retrieve(&prompt, &options).expect("a retrieval");
        check(&retriever, &found, plan.entries, &named);
        check_scores(&found, &named);
        prop_assert_eq!(&retriever.retrieve(&prompt, &options).expect("a retrieval"), &found);
        // Served step by step, every window keeps the rules, and at some point nothing is left.
        let session = options.session("s").deliver();
        let mut last = usize::MAX;
        for _ in 0..ids.len() + 2 {
            let found = retriever.retrieve(&prompt, &session).expect("a retrieval");
            check(&retriever, &found, plan.entries, &named);
            last = found.entries.iter().filter(|entry| entry.role != Role::Named && entry.detail != Shown::Line).count();
        }
        prop_assert_eq!(last, 0);
    }
}
