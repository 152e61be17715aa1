//! What doors ask of the core beside the verbs: the table of defaults, the record as a graph, deliveries as text, vectors
//! made anew, verbs of one transaction that accept what the others do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use stele_core::{AssembleOptions, Category, Code, Delivered, Embedder, Relation, defaults};
use stele_tests::TestRecord;

#[test]
fn every_default_is_listed_by_its_name() {
    let all = defaults::all();
    let of = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    assert_eq!(of("title_chars"), Some(defaults::Number::Whole(500)));
    assert_eq!(of("deadline"), Some(defaults::Number::Decimal(8.0)));
    assert_eq!(of("near_duplicate"), Some(defaults::Number::Decimal(0.92)));
    assert_eq!(of("close_wait"), Some(defaults::Number::Decimal(0.02)));
    let mut names: Vec<&String> = all.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all.len());
}

#[test]
fn a_graph_holds_every_node_and_edge_without_bodies() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let older = test.fact(Category::Decision, "Poll every second", "The old way.");
    let newer = recorder.fact(Category::Decision, "Push on change").body("Polling was stopped.").alias("ADR-2").tags(["io"]).record().expect("a fact").id;
    recorder.supersede(&newer.to_string(), &older).reason("polling ended").evidence("Polling was stopped.").record().expect("an edge");
    let graph: Value = serde_json::from_str(&test.record.export_graph().expect("a graph")).expect("JSON");
    assert_eq!(graph["graph"], json!({"head": 3}));
    assert_eq!((&graph["directed"], &graph["multigraph"]), (&json!(true), &json!(true)));
    assert_eq!(
        graph["nodes"][1],
        json!({
            "id": "KNOW-2", "aliases": ["ADR-2"], "kind": "knowledge", "category": "decision", "state": "live", "status": null,
            "title": "Push on change", "tags": ["io"], "component": null, "created_at": "2026-01-01T00:00:00Z",
        })
    );
    assert_eq!(graph["nodes"][0]["state"], "retired");
    assert_eq!(
        graph["edges"],
        json!([{
            "source": "KNOW-2", "target": "KNOW-1", "key": "supersedes", "reason": "polling ended", "evidence": "Polling was stopped.",
            "at": "2026-01-01T00:00:00Z", "automatic": false,
        }])
    );
}

#[test]
fn a_delivery_is_kept_as_text_until_it_happened() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    let session = test.record.session("s1").open().expect("a session");
    let prompt = |deliver| session.on_prompt("what do we know about the barometer calibration?", &AssembleOptions::new().deliver(deliver)).expect("a context");
    let text = Delivered::from(&prompt(false)).to_string();
    assert_eq!(prompt(false).record.entries.len(), 1, "nobody said that it arrived");
    session.delivered(Delivered::parse(&text).expect("its own form")).expect("noted");
    assert_eq!(prompt(false).record.entries.len(), 0);
    for other in ["", "{}", "[1,2]", "[{\"shown\":[[1]],\"order\":null,\"tokens\":0},1]"] {
        assert_eq!(Delivered::parse(other).expect_err("no delivery").code(), Code::BadArgument, "{other}");
    }
}

/// Counts what it is asked.
struct Counting(AtomicUsize);

impl Embedder for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        self.0.fetch_add(texts.len(), Ordering::SeqCst);
        Ok(texts.iter().map(|text| vec![1.0, text.len() as f32]).collect())
    }
}

#[test]
fn only_reembedding_asks_an_embedder_for_what_it_made_before() {
    let embedder = Arc::new(Counting(AtomicUsize::new(0)));
    let test = TestRecord::with(|options| options.embedder(Arc::clone(&embedder) as Arc<dyn Embedder>));
    for title in ["One", "Two", "Three"] {
        test.fact(Category::Fyi, title, "");
    }
    test.record.catch_up().expect("indexed");
    let asked = || embedder.0.swap(0, Ordering::SeqCst);
    asked();
    test.record.rebuild_indexes().expect("made anew");
    assert_eq!(asked(), 0);
    test.record.reembed().expect("made anew");
    assert_eq!(asked(), 3);
    let refused = stele_core::Record::options().read_only(true).open(test.dir()).expect("a record").reembed();
    assert_eq!(refused.expect_err("refused").code(), Code::ReadOnly);
}

#[test]
fn one_verb_of_a_transaction_may_accept_what_looks_like_a_credential() {
    let test = TestRecord::new();
    let (a, b) = (test.fact(Category::Fyi, "A", ""), test.fact(Category::Fyi, "B", ""));
    let key = concat!("AKIA", "IOSFODNN7EXAMPL2");
    test.recorder()
        .transaction(|recorder| {
            let link = |recorder: &stele_core::Recorder<'_>, relation| recorder.link_because(&a, relation, &b, key, "");
            assert_eq!(link(recorder, Relation::RelatesTo).expect_err("refused").code(), Code::Secret);
            link(&recorder.clone().allowing_secrets(), Relation::RelatesTo)?;
            assert_eq!(link(recorder, Relation::CausedBy).expect_err("refused").code(), Code::Secret);
            Ok(())
        })
        .expect("a transaction");
    assert_eq!(test.record.head().expect("a head"), 3);
}

/// What the builder of an assembly is told at once and the verb in a list, and what stands for functions of a host.
const TOLD_IN_A_LIST: [(&str, &str); 5] =
    [("capability", "capabilities"), ("select_skill", "select_skills"), ("builtin_named", "builtin"), ("provider", "providers"), ("declare", "providers")];

#[test]
fn what_a_host_can_say_of_an_assembly_every_door_can() {
    let source = include_str!("../../stele-core/src/assemble/options.rs");
    let said: Vec<&str> =
        source.split("    pub fn ").skip(1).filter(|rest| rest.contains("(mut self")).filter_map(|rest| rest.split(['(', '<']).next()).collect();
    assert!(said.len() > 20 && said.contains(&"base_revision"), "{said:?}");
    let verb = stele_kit::verbs().find(|verb| verb.name == "assemble").expect("the verb");
    let arguments = verb.arguments();
    let word = |name: &str| TOLD_IN_A_LIST.iter().find(|(one, _)| *one == name).map_or(name.to_owned(), |(_, list)| (*list).to_owned());
    let missing: Vec<&str> = said.into_iter().filter(|name| !arguments.iter().any(|argument| argument.name == word(name))).collect();
    assert!(missing.is_empty(), "no door but Rust's takes {missing:?}");
}
