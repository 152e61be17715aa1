//! Retirements: what they need, what they leave, how they are undone.

use stele_core::{Category, Code, Draft, Format, RetrieveOptions, Source, SourceText, State};
use stele_tests::TestRecord;
use stele_tests::shorthand::state;

use super::{outgoing, refused};

fn pair(test: &TestRecord) -> (String, String) {
    let newer = test.fact(Category::Decision, "Sessions live in Postgres", "DynamoDB was switched off\n  on the first of March.");
    let older = test.fact(Category::Decision, "Sessions live in DynamoDB", "With a TTL of one day.");
    (newer, older)
}

#[test]
fn without_reason_or_evidence_nothing_is_retired_and_the_error_says_what_to_use() {
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    for (reason, evidence, field, missing) in [
        ("", "", "reason", "reason and evidence are missing"),
        (" \n", "we also added a read replica", "reason", "the reason is missing"),
        ("it ended", "\t", "evidence", "the evidence is missing"),
        ("\u{200b}", "we also added a read replica", "reason", "the reason is missing"),
        ("it ended", "\u{ad}", "evidence", "the evidence is missing"),
    ] {
        let error =
            refused(&test, Code::EvidenceMissing, Some(field), |recorder| recorder.supersede(&newer, &older).reason(reason).evidence(evidence).record());
        assert!(error.to_string().contains(missing) && error.to_string().contains("relates-to"), "{error}");
        // The general verb asks for as much.
        refused(&test, Code::EvidenceMissing, Some(field), |recorder| {
            recorder.link_because(&newer, stele_core::Relation::Supersedes, &older, reason, evidence)
        });
    }
    let error = refused(&test, Code::EvidenceNotFound, Some("evidence"), |recorder| {
        recorder.supersede(&newer, &older).reason("the store was moved").evidence("we also added a read replica").record()
    });
    assert!(error.to_string().contains("relates-to"), "{error}");
    // The host can vouch for evidence, not for a reason.
    refused(&test, Code::EvidenceMissing, Some("reason"), |recorder| recorder.supersede(&newer, &older).unverified().record());
    assert_eq!(state(&test, &older), State::Live);
}

#[test]
fn evidence_is_found_word_for_word_with_white_space_folded() {
    let quoting = |quote: &str| Source { uri: "minutes.md".into(), quote: Some(quote.to_owned()), ..Source::default() };
    let text = |text: &str| SourceText { text: text.to_owned(), uri: Some("log.txt".into()), revision: Some("r1".into()) };
    let accepted: [(&str, Option<SourceText>); 8] = [
        ("Sessions live in Postgres", None),
        ("sessions live in dynamodb".to_owned().leak(), None),
        ("switched off on the first", None),
        ("  switched\toff\non   the first ", None),
        ("TTL of one day", None),
        ("agreed to leave DynamoDB", None),
        ("table deleted", Some(text("10:02\ttable\n  deleted\n"))),
        ("Sessions live in DynamoDB", Some(text("something else"))),
    ];
    for (evidence, source_text) in accepted {
        let test = TestRecord::new();
        let (newer, older) = pair(&test);
        test.recorder().revise(&older, stele_core::Revision::new().source(quoting("we agreed\nto leave  DynamoDB"))).expect("a source");
        let recorder = test.recorder();
        let mut superseding = recorder.supersede(&newer, &older).reason("the store was moved").evidence(evidence);
        if let Some(source_text) = &source_text {
            superseding = superseding.source_text(source_text);
        }
        let done = superseding.record();
        if evidence.starts_with('s') && evidence.contains("dynamodb") {
            assert_eq!(done.expect_err("case is not folded").code(), Code::EvidenceNotFound);
            continue;
        }
        done.expect(evidence);
        assert_eq!(state(&test, &older), State::Retired, "{evidence}");
        let why = test.record.retriever().why(&older).expect("a reason");
        assert_eq!((why.replaced_by[0].evidence.as_deref(), why.replaced_by[0].unverified), (Some(evidence.trim()), false), "{evidence}");
    }
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    for evidence in ["Postgres DynamoDB was", "first of March. With", "of one day. Sessions"] {
        refused(&test, Code::EvidenceNotFound, Some("evidence"), |recorder| recorder.supersede(&newer, &older).reason("moved").evidence(evidence).record());
    }
}

#[test]
fn what_the_host_vouches_for_is_flagged() {
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    test.recorder().supersede(&newer, &older).reason("I saw it").evidence("the old table is gone").unverified().record().expect("a retirement");
    let why = test.record.retriever().why(&older).expect("a reason");
    assert!(why.replaced_by[0].unverified);
    assert_eq!((why.replaced_by[0].reason.as_str(), why.replaced_by[0].evidence.as_deref()), ("I saw it", Some("the old table is gone")));
    // What can be found is not flagged, though the host vouched.
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    test.recorder().supersede(&newer, &older).reason("I saw it").evidence("DynamoDB was switched off").unverified().record().expect("a retirement");
    assert!(!test.record.retriever().why(&older).expect("a reason").replaced_by[0].unverified);
}

#[test]
fn circles_of_retirement_are_refused_with_the_path() {
    let test = TestRecord::new();
    let [a, b, c] = ["Alpha holds", "Beta holds", "Gamma holds"].map(|title| test.fact(Category::Decision, title, ""));
    let supersede = |newer: &str, older: &str, quote: &str| test.recorder().supersede(newer, older).reason("it ended").evidence(quote).record();
    refused(&test, Code::SelfEdge, None, |recorder| recorder.supersede(&a, &a).reason("it ended").evidence("Alpha").record());
    supersede(&a, &b, "Beta").expect("a retirement");
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.supersede(&b, &a).reason("it ended").evidence("Beta").record());
    assert_eq!(error.detail("path"), Some("KNOW-2 → KNOW-1 → KNOW-2"));
    supersede(&b, &c, "Gamma").expect("a retirement");
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.supersede(&c, &a).reason("it ended").evidence("Gamma").record());
    assert_eq!(error.detail("path"), Some("KNOW-3 → KNOW-1 → KNOW-2 → KNOW-3"));
    refused(&test, Code::EdgeExists, None, |recorder| recorder.supersede(&a, &b).reason("it ended").evidence("Beta").record());
}

#[test]
fn two_reasons_to_end_give_two_heads_and_each_must_be_undone() {
    let test = TestRecord::new();
    let [first, second] = ["Sessions moved to Postgres", "Sessions are signed cookies"].map(|title| test.fact(Category::Decision, title, ""));
    let old = test.fact(Category::Decision, "Sessions live in DynamoDB", "the barometer of sessions");
    let recorder = test.recorder();
    recorder.supersede(&first, &old).reason("the store moved").evidence("moved to Postgres").record().expect("a retirement");
    recorder.supersede(&second, &old).reason("no store is needed").evidence("signed cookies").record().expect("a second reason");
    let node = test.record.retriever().get(&old).expect("the fact");
    assert_eq!(node.retired_by.iter().map(ToString::to_string).collect::<Vec<_>>(), [first.clone(), second.clone()]);
    let window = test.record.retriever().retrieve("where is the barometer of sessions kept?", &RetrieveOptions::new()).expect("a window");
    let ids: Vec<String> = window.entries.iter().map(|entry| entry.id.to_string()).collect();
    assert!(ids.contains(&first) && ids.contains(&second) && ids.last() == Some(&old), "{ids:?}\n{}", window.render(Format::Text));

    refused(&test, Code::EmptyField, Some("why"), |recorder| recorder.demote(&first, &old, ""));
    recorder.demote(&first, &old, "the move was called off").expect("undone");
    assert_eq!(state(&test, &old), State::Retired);
    refused(&test, Code::UnknownEdge, None, |recorder| recorder.demote(&first, &old, "again"));
    recorder.demote(&second, &old, "cookies were too large").expect("undone");
    assert_eq!(state(&test, &old), State::Live);
    assert_eq!(outgoing(&test, &first), [(stele_core::Relation::RelatesTo, old.clone(), false)]);
    let whys: Vec<_> =
        test.record.retriever().history(&old).expect("a history").into_iter().filter(|item| item.action == "demote").map(|item| item.why).collect();
    assert_eq!(whys, ["the move was called off", "cookies were too large"]);
    // What was undone can be said anew.
    recorder.supersede(&first, &old).reason("the store moved after all").evidence("moved to Postgres").record().expect("a retirement");
    assert_eq!(state(&test, &old), State::Retired);
}

#[test]
fn a_retirement_is_undone_by_demote_only_and_demote_keeps_what_was_joined_before() {
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    let recorder = test.recorder();
    recorder.link_because(&newer, stele_core::Relation::RelatesTo, &older, "the same store", "").expect("an edge");
    recorder.supersede(&newer, &older).reason("moved").evidence("DynamoDB was switched off").record().expect("a retirement");
    let error = refused(&test, Code::WrongState, None, |recorder| recorder.unlink(&newer, stele_core::Relation::Supersedes, &older, "why"));
    assert!(error.to_string().contains("demote"), "{error}");
    recorder.demote(&newer, &older, "called off").expect("undone");
    let edges = super::edges(&test, &newer, stele_core::Direction::Outgoing);
    assert_eq!(edges.len(), 1);
    assert_eq!(edges[0].reason, "the same store");
}

#[test]
fn an_ended_head_is_still_the_head_of_what_it_replaced() {
    let test = TestRecord::new();
    let (newer, older) = pair(&test);
    let recorder = test.recorder();
    recorder.supersede(&newer, &older).reason("moved").evidence("DynamoDB was switched off").record().expect("a retirement");
    recorder.archive(&newer, "out of use").expect("put away");
    assert_eq!((state(&test, &newer), state(&test, &older)), (State::Archived, State::Retired));
    let newest = recorder.add(Draft::fact(Category::Decision, "Sessions are cookies")).expect("a fact").id.to_string();
    recorder.supersede(&newest, &newer).reason("no store").evidence("cookies").record().expect("also what is put away can be replaced");
    let why = test.record.retriever().why(&newest).expect("a chain");
    assert_eq!(why.replaced.iter().map(|origin| (origin.replacement.node.id.to_string(), origin.depth)).collect::<Vec<_>>(), [(newer, 1), (older, 2)]);
}
