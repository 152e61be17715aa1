//! The first things that anybody does with a record.

use stele_core::{Category, Format, Relation, RetrieveOptions, SearchOptions, Status};
use stele_tests::TestRecord;

#[test]
fn a_retired_fact_comes_after_its_replacement_with_the_reason() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Sessions live in DynamoDB", "We keep login sessions in DynamoDB with a TTL of one day.");
    let new = test.fact(Category::Decision, "Sessions live in Postgres", "DynamoDB is switched off since March; login sessions are rows in Postgres now.");
    let recorder = test.recorder();
    recorder
        .supersede(&new, &old)
        .reason("the session store was moved and the old one switched off")
        .evidence("DynamoDB is switched off since March")
        .record()
        .expect("a retirement");
    let retriever = test.record.retriever();
    let found = retriever.retrieve("We keep login sessions in DynamoDB with a TTL of one day, right?", &RetrieveOptions::new()).expect("a window");
    assert_eq!(found.status, Status::Found);
    let ids: Vec<String> = found.entries.iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids, [new, old]);
    let text = found.render(Format::Text);
    assert!(text.contains("the session store was moved"), "{text}");
}

#[test]
fn another_handle_finds_what_was_just_recorded_by_text() {
    let test = TestRecord::new();
    let other = test.again();
    for number in 0..20 {
        test.fact(Category::Fyi, &format!("Fact number {number}"), "about the quarterly barometer calibration");
    }
    let id = test.fact(Category::Lesson, "Compiler says TS2769: No overload", "Pass the generic argument.");
    let hits = other.retriever().search("TS2769", &SearchOptions::new()).expect("hits");
    assert_eq!(hits.first().map(|hit| hit.id.to_string()), Some(id));
    assert_eq!(other.head().expect("a head"), 21);
    assert_eq!(other.verify_log().expect("a whole chain"), 21);
}

#[test]
fn naming_a_node_draws_a_mention_in_either_order() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let early = recorder.fact(Category::Fyi, "Superseding plan").body("see ADR-0007 for the limits").record().expect("a fact").id.to_string();
    let named = recorder.fact(Category::Decision, "Limits").alias("ADR-0007").record().expect("a fact").id.to_string();
    let neighbours = test.record.retriever().neighbours(&named, &Default::default()).expect("neighbours");
    assert_eq!(neighbours.len(), 1);
    assert_eq!((neighbours[0].id.to_string(), neighbours[0].relation), (early, Relation::Mentions));
}

#[test]
fn a_closed_record_says_so_whatever_is_asked() {
    let test = TestRecord::new();
    let retriever = test.record.retriever();
    test.record.close();
    for prompt in ["short", "a prompt that is long enough to be looked up"] {
        let error = retriever.retrieve(prompt, &RetrieveOptions::new()).expect_err("closed");
        assert_eq!(error.code(), stele_core::Code::Closed);
    }
}
