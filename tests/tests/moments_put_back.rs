//! A record that is put back to an older state (a backup copied over it) beside sessions that knew a later one: what they
//! were served says nothing of what stands there now.

use std::fs;

use stele_core::{AssembleOptions, Category, Context, Draft, Record, Retrieval, RetrieveOptions, Status};
use stele_tests::TestRecord;

const PROMPT: &str = "what do we know about the barometer calibration?";

fn look(record: &Record) -> Retrieval {
    look_for(record, PROMPT)
}

fn look_for(record: &Record, prompt: &str) -> Retrieval {
    record.retriever().retrieve(prompt, &RetrieveOptions::new().session("s1").deliver()).expect("a retrieval")
}

fn prompt(record: &Record) -> Context {
    record.session("s1").open().expect("a session").on_prompt(PROMPT, &AssembleOptions::new()).expect("a context")
}

fn titles(found: &Retrieval) -> Vec<&str> {
    found.entries.iter().map(|entry| entry.title.as_str()).collect()
}

fn fact(record: &Record, title: &str) -> String {
    record.recorder("tester").expect("a recorder").fact(Category::Decision, title).record().expect("a fact").id.to_string()
}

/// Copies a backup over the record, as a person does, and opens it again.
fn put_back(test: &TestRecord, backup: &str) -> Record {
    test.record.close();
    for name in ["record.db", "record.db-wal", "record.db-shm"] {
        let _ = fs::remove_file(test.dir().join(name));
    }
    fs::copy(test.outside().join(backup).join("record.db"), test.dir().join("record.db")).expect("a copy");
    test.again()
}

fn back_up(test: &TestRecord, name: &str) {
    test.record.backup(test.outside().join(name)).expect("a backup");
}

#[test]
fn a_fact_with_the_id_of_one_that_is_gone_is_served_whether_the_log_is_shorter_as_long_or_longer() {
    for more in [0, 1, 5] {
        let test = TestRecord::new();
        back_up(&test, "before");
        let gone = test.fact(Category::Decision, "Barometer calibration by hand", "");
        test.fact(Category::Fyi, "Zinc", "");
        assert_eq!(titles(&look(&test.record)), ["Barometer calibration by hand"]);
        let record = put_back(&test, "before");
        assert_eq!(fact(&record, "Barometer calibration by machine"), gone);
        (0..more).for_each(|nth| drop(fact(&record, &format!("Copper {nth}"))));
        assert_eq!(titles(&look(&record)), ["Barometer calibration by machine"], "{more} more");
        assert_eq!(look(&record).status, Status::Served, "{more} more: the session goes on from there");
    }
}

#[test]
fn a_session_goes_on_where_the_record_only_grew_or_was_put_back_to_what_the_session_last_knew() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    look(&test.record);
    back_up(&test, "same");
    test.fact(Category::Fyi, "Zinc", "");
    let again = test.again();
    assert_eq!(look(&again).status, Status::Served);
    drop(again);
    let record = put_back(&test, "same");
    assert_eq!(look(&record).status, Status::Served);
}

#[test]
fn a_mandatory_rule_comes_in_full_and_what_was_awaited_is_not_taken_for_delivered() {
    let test = TestRecord::new();
    let rule = |record: &Record, title: &str, statement: &str| {
        let statement = format!("{statement} {}", "It is hot. ".repeat(25));
        let draft = Draft::rule(title, statement).routing(|rule| rule.mandatory = true);
        record.recorder("tester").expect("a recorder").add(draft).expect("a rule").id.to_string()
    };
    back_up(&test, "before");
    let gone = rule(&test.record, "Ask before a release", "Nobody releases alone.");
    prompt(&test.record);
    assert_eq!(prompt(&test.record).obligations.entries.len(), 0, "it is only pointed at from then on");
    let built = test.record.session("s1").open().expect("a session").on_prompt(PROMPT, &AssembleOptions::new().deliver(false)).expect("a context");
    let record = put_back(&test, "before");
    assert_eq!(rule(&record, "Ask before a merge", "Nobody merges alone."), gone);
    let session = record.session("s1").open().expect("a session");
    assert_eq!(session.turn().expect("a turn"), built.turn + 1, "how often it prompted stays");
    let rules = prompt(&record).obligations;
    assert_eq!((rules.entries.len(), rules.pointers.len()), (1, 0));
}

#[test]
fn what_others_did_since_is_told_from_where_the_session_itself_last_wrote() {
    let test = TestRecord::new();
    let start = |record: &Record| {
        let session = record.session("s1").actor("tester").open().expect("a session");
        let told = session.on_start().expect("a moment");
        session.delivered(&told).expect("noted");
        told
    };
    test.fact(Category::Decision, "Barometer calibration", "");
    back_up(&test, "before");
    (0..9).for_each(|nth| drop(test.fact(Category::Fyi, &format!("Zinc {nth}"), "")));
    start(&test.record);
    let record = put_back(&test, "before");
    record.recorder("another").expect("a recorder").fact(Category::Fyi, "Copper").record().expect("a fact");
    let told = start(&record);
    assert!(told.text.contains("Copper"), "{}", told.text);
}

/// Takes the record away from its place and puts it there again.
fn without_record<T>(test: &TestRecord, during: impl FnOnce() -> T) -> T {
    const FILES: [&str; 3] = ["record.db", "record.db-wal", "record.db-shm"];
    let swap = |from: &std::path::Path, to: &std::path::Path| FILES.iter().for_each(|name| fs::rename(from.join(name), to.join(name)).expect("renamed"));
    let aside = test.outside();
    swap(&test.dir(), &aside);
    let done = during();
    swap(&aside, &test.dir());
    done
}

#[test]
fn a_turn_is_noted_beside_the_log_that_it_was_read_from_and_no_other_is_asked_for() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    let session = test.record.session("s1").open().expect("a session");
    let mut plan = session.plan(PROMPT, &AssembleOptions::new()).expect("a plan");
    assert!(plan.wait(std::time::Duration::from_secs(60)), "everybody has answered");
    let context = without_record(&test, || plan.finish()).expect("a context");
    assert!(context.text.contains("Barometer calibration"), "{}", context.text);
    let again = prompt(&test.record);
    assert_eq!((again.turn, again.record.status), (1, Status::Served), "{}", again.text);
}

#[test]
fn what_another_handle_was_served_from_a_later_log_is_not_noted_beside_the_earlier_one() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "Zinc", "");
    let other = test.again();
    prompt(&test.record);
    back_up(&test, "before");
    let session = test.record.session("s1").open().expect("a session");
    let mut plan = session.plan(PROMPT, &AssembleOptions::new()).expect("a plan");
    assert!(plan.wait(std::time::Duration::from_secs(60)), "everybody has answered");
    let gone = fact(&other, "Barometer calibration by hand");
    assert!(prompt(&other).text.contains("by hand"));
    plan.finish().expect("a context");
    drop(other);
    let record = put_back(&test, "before");
    assert_eq!(fact(&record, "Barometer calibration by machine"), gone);
    let found = prompt(&record);
    assert!(found.text.contains("by machine"), "{}", found.text);
}

#[test]
fn what_is_served_first_after_that_lets_nothing_be_believed_that_was_served_before() {
    let (copper, zinc) = ("what is the copper gutter made of and by whom?", "which zinc roof stands over the harbour gate?");
    let test = TestRecord::new();
    back_up(&test, "before");
    let facts =
        |record: &Record, by: &str| [fact(record, &format!("Copper gutter made by {by}")), fact(record, &format!("Zinc roof over the harbour gate by {by}"))];
    let gone = facts(&test.record, "hand");
    assert_eq!((titles(&look_for(&test.record, copper)).len(), titles(&look_for(&test.record, zinc)).len()), (1, 1));
    let record = put_back(&test, "before");
    assert_eq!(facts(&record, "machine"), gone);
    assert_eq!(titles(&look_for(&record, copper)), ["Copper gutter made by machine"]);
    assert_eq!(titles(&look_for(&record, zinc)), ["Zinc roof over the harbour gate by machine"]);
}

#[test]
fn what_was_served_while_the_log_could_not_be_read_is_served_again() {
    let test = TestRecord::new();
    let statement = format!("Nobody releases alone. {}", "It is hot. ".repeat(25));
    test.recorder().add(Draft::rule("Ask before a release", statement).routing(|rule| rule.mandatory = true)).expect("a rule");
    let turn = |session: &str| {
        let rules = test.record.session(session).open().expect("a session").on_prompt(PROMPT, &AssembleOptions::new()).expect("a context").obligations;
        (rules.entries.len(), rules.pointers.len())
    };
    assert_eq!((turn("s1"), turn("s1")), ((1, 0), (0, 1)), "the handle has read the rule");
    let record = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record");
    let version: i64 = record.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a number");
    record.pragma_update(None, "user_version", version + 1).expect("another format");
    assert!(test.record.head().is_err());
    assert_eq!(turn("s2"), (1, 0), "as it was last read");
    record.pragma_update(None, "user_version", version).expect("the format");
    assert_eq!((turn("s2"), turn("s2")), ((1, 0), (0, 1)));
}
