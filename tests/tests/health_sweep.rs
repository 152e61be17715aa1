//! The sweep: wrong retirements are found, come back when asked for, and can be undone.

use stele_core::{Category, Code, Record, RetrieveOptions, SourceText, State, Verdict};
use stele_tests::TestRecord;

/// Two facts and a retirement; gives the ids of newer and older.
fn retired(test: &TestRecord, newer: &str, reason: &str, evidence: &str) -> (String, String) {
    let older = test.fact(Category::Decision, "Sessions live in the first store", "It is Postgres.");
    let newer = test.fact(Category::Decision, "Sessions and the second store", newer);
    test.recorder().supersede(&newer, &older).reason(reason).evidence(evidence).record().expect("a retirement");
    (newer, older)
}

fn verdicts(test: &TestRecord) -> Vec<Verdict> {
    test.record.sweep().expect("a sweep").judgements.iter().map(|judgement| judgement.verdict).collect()
}

#[test]
fn a_wrong_retirement_comes_back_and_a_right_one_stays() {
    let test = TestRecord::new();
    let (_, buried) = retired(&test, "We also added a read replica.", "a replica was added", "We also added a read replica.");
    let (_, ended) = retired(&test, "The first store was retired in May.", "the first store was retired", "The first store was retired in May.");
    let head = test.record.head().expect("a head");
    let mut sweep = test.record.sweep().expect("a sweep");
    assert_eq!(test.record.head().expect("a head"), head, "a dry run writes nothing");
    assert_eq!(
        sweep.judgements.iter().map(|judgement| (judgement.verdict, judgement.demoted)).collect::<Vec<_>>(),
        [(Verdict::Fails, false), (Verdict::Holds, false)]
    );
    assert!(sweep.judgements[0].why.contains("additive"), "{}", sweep.judgements[0].why);
    test.record.apply_sweep(&mut sweep, "sweeper").expect("applied");
    assert_eq!(sweep.with(Verdict::Fails).map(|judgement| judgement.demoted).collect::<Vec<_>>(), [true]);
    let state = |id: &str| test.record.retriever().get(id).expect("a node").state;
    assert_eq!((state(&buried), state(&ended)), (State::Live, State::Retired));
    let history = test.record.retriever().history(&buried).expect("a history");
    let last = history.last().expect("an item");
    assert_eq!((last.action.as_str(), last.actor.as_str()), ("demote", "sweeper"));
    assert!(last.why.starts_with("sweep: fails"), "{}", last.why);
    // Applied once more it finds nothing to do.
    let head = test.record.head().expect("a head");
    let mut again = test.record.sweep().expect("a sweep");
    test.record.apply_sweep(&mut again, "sweeper").expect("applied");
    assert_eq!(test.record.head().expect("a head"), head);
    test.record.verify_log().expect("a whole chain");
}

#[test]
fn what_a_sweep_did_can_be_undone_by_superseding_again() {
    let test = TestRecord::new();
    let (newer, older) = retired(&test, "We also added a read replica.", "a replica was added", "We also added a read replica.");
    let mut sweep = test.record.sweep().expect("a sweep");
    test.record.apply_sweep(&mut sweep, "sweeper").expect("applied");
    test.recorder().supersede(&newer, &older).reason("it ended all the same").evidence("We also added a read replica.").record().expect("a retirement");
    assert_eq!(test.record.retriever().get(&older).expect("a node").state, State::Retired);
}

#[test]
fn a_fact_that_another_edge_retires_stays_retired() {
    let test = TestRecord::new();
    let (_, older) = retired(&test, "We also added a read replica.", "a replica was added", "We also added a read replica.");
    let third = test.fact(Category::Decision, "No store", "The first store was removed.");
    test.recorder().supersede(&third, &older).reason("it was removed").evidence("The first store was removed.").record().expect("a retirement");
    let mut sweep = test.record.sweep().expect("a sweep");
    test.record.apply_sweep(&mut sweep, "sweeper").expect("applied");
    assert_eq!(test.record.retriever().get(&older).expect("a node").state, State::Retired);
}

#[test]
fn evidence_that_cannot_be_read_again_is_never_a_failure() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let facts: Vec<String> = (0..4).map(|nth| test.fact(Category::Decision, &format!("Fact {nth}"), "")).collect();
    let line = "We also added a read replica.";
    recorder.supersede(&facts[1], &facts[0]).reason("a replica").evidence(line).unverified().record().expect("a retirement");
    let text = SourceText { text: format!("Minutes. {line} Tea."), uri: Some("minutes.md".to_owned()), revision: None };
    recorder.supersede(&facts[3], &facts[2]).reason("a replica").evidence(line).source_text(&text).record().expect("a retirement");
    assert_eq!(verdicts(&test), [Verdict::Unsure, Verdict::Unsure]);
}

#[test]
fn evidence_of_an_earlier_revision_still_counts() {
    let test = TestRecord::new();
    let (newer, _) = retired(&test, "The first store was retired in May.", "it was retired", "The first store was retired in May.");
    test.recorder().revise(&newer, stele_core::Revision::new().body("Shorter.")).expect("revised");
    assert_eq!(verdicts(&test), [Verdict::Holds]);
}

#[test]
fn a_host_judges_without_a_lock_and_may_panic() {
    let test = TestRecord::new();
    for _ in 0..2 {
        retired(&test, "Words that tell nothing.", "so it is", "Words that tell nothing.");
    }
    let mut asked = Vec::new();
    let sweep = test.record.sweep_with(&mut |retirement| {
        asked.push(retirement.older.id.to_string());
        // The host may use the record meanwhile.
        test.fact(Category::Fyi, "Written by the judge", "");
        assert!(asked.len() < 2, "the second call panics");
        Verdict::Fails
    });
    let sweep = sweep.expect("a sweep");
    assert_eq!(sweep.judgements.iter().map(|judgement| judgement.verdict).collect::<Vec<_>>(), [Verdict::Fails, Verdict::Unsure]);
    assert_eq!(asked.len(), 2);
    let mut sweep = sweep;
    let reading = Record::options().read_only(true).open(test.dir()).expect("a record");
    assert_eq!(reading.apply_sweep(&mut sweep, "sweeper").expect_err("read-only").code(), Code::ReadOnly);
    assert_eq!(reading.sweep().expect("a dry run").judgements.len(), 2);
}

#[test]
fn a_retirement_that_went_meanwhile_is_left_alone() {
    let test = TestRecord::new();
    let (newer, older) = retired(&test, "We also added a read replica.", "a replica was added", "We also added a read replica.");
    let mut sweep = test.record.sweep().expect("a sweep");
    test.recorder().demote(&newer, &older, "by hand").expect("demoted");
    test.record.apply_sweep(&mut sweep, "sweeper").expect("applied");
    assert!(!sweep.judgements[0].demoted);
    let found = test.record.retriever().retrieve("where do sessions live, in the first store?", &RetrieveOptions::new()).expect("a window");
    assert_eq!(found.entries[0].state, State::Live);
}
