//! Instants, clocks that jump, and the record as of an earlier moment.

use stele_core::{AsOf, Category, Clock, Code, Record, Revision, State, Timestamp};
use stele_tests::TestRecord;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect(text)
}

#[test]
fn every_written_time_is_one_instant_and_round_trips() {
    let test = TestRecord::new();
    for (written, instant) in [
        ("2026-05-06", "2026-05-06T00:00:00Z"),
        ("2026-05-06T15:00:00Z", "2026-05-06T15:00:00Z"),
        ("2026-05-06T15:00:00+09:00", "2026-05-06T06:00:00Z"),
        ("2026-05-06T15:00:00", "2026-05-06T15:00:00Z"),
        ("9999-12-31", "9999-12-31T00:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("1931-02-03", "1931-02-03T00:00:00Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ] {
        let recorder = test.recorder();
        let fact = recorder.fact(Category::Fyi, written).created_at(at(written)).review_at(at(written)).expires_at(at(written));
        let id = fact.record().expect("a fact").id.to_string();
        let node = test.record.retriever().get(&id).expect("the fact");
        assert_eq!(node.lifecycle.expires_at.map(|at| at.to_string()).as_deref(), Some(instant), "{written}");
        assert_eq!((node.created_at.to_string(), node.lifecycle.review_at), (instant.to_owned(), node.lifecycle.expires_at), "{written}");
        assert_eq!(node.state, if at(written) <= at("2026-01-01") { State::Expired } else { State::Live }, "{written}");
        // What stands in the log is read back the same.
        assert_eq!(test.record.retriever().history(&id).expect("a history").len(), 1);
    }
    for written in ["", "yesterday", "2026-02-30", "06.05.2026", "2026-05-06T25:00:00Z", "9999-12-31T23:59:59-01:00"] {
        assert_eq!(Timestamp::parse(written).expect_err(written).code(), Code::BadTime);
    }
}

#[test]
fn a_fact_expires_at_its_instant_and_not_before() {
    let test = TestRecord::new();
    let id = test.recorder().fact(Category::Fyi, "Barometer").expires_at(at("2026-05-06T15:00:00+09:00")).record().expect("a fact").id.to_string();
    let state = || test.record.retriever().get(&id).expect("the fact").state;
    test.clock.set("2026-05-06T05:59:59.999Z");
    assert_eq!(state(), State::Live);
    test.clock.set("2026-05-06T06:00:00Z");
    assert_eq!(state(), State::Expired);
    test.clock.set("2025-01-01");
    assert_eq!(state(), State::Live);
}

#[test]
fn a_clock_beyond_every_calendar_writes_what_can_be_read_again() {
    struct Far(i64);
    impl Clock for Far {
        fn now(&self) -> Timestamp {
            Timestamp::from_unix_ms(self.0)
        }
    }
    for ms in [i64::MIN, i64::MAX, -1, 0] {
        let test = TestRecord::new();
        let record = Record::options().clock(std::sync::Arc::new(Far(ms))).open(test.dir()).expect("opens");
        let recorder = record.recorder("tester").expect("a recorder");
        let id = recorder.fact(Category::Fyi, "Far").review_at(Timestamp::from_unix_ms(ms)).record().expect("a fact").id.to_string();
        recorder.revise(&id, Revision::new().title("Farther")).expect("a revision");
        assert_eq!(test.record.retriever().history(&id).expect("a history").len(), 2);
        assert_eq!(record.retriever().get(&id).expect("the fact").created_at, Timestamp::from_unix_ms(ms));
    }
}

#[test]
fn as_of_a_time_ends_before_the_first_later_operation_whatever_the_clock_does() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = test.fact(Category::Fyi, "Title 1", "");
    for (nth, day) in [(2, "2026-03-01"), (3, "2026-02-01"), (4, "2026-04-01"), (5, "2026-02-15")] {
        test.clock.set(day);
        recorder.revise(&id, Revision::new().title(format!("Title {nth}"))).expect("a revision");
    }
    let title = |moment: AsOf| test.record.retriever_as_of(moment).get(&id).expect("the fact").title;
    // Operations 3 and 5 went back in time; they count only once what came before them does.
    for (day, expected) in [("2026-01-01", 1), ("2026-02-20", 1), ("2026-02-28", 1), ("2026-03-01", 3), ("2026-03-31", 3), ("2026-04-01", 5), ("2030-01-01", 5)]
    {
        assert_eq!(title(AsOf::Time(at(day))), format!("Title {expected}"), "{day}");
    }
    for sequence in 1..=5 {
        assert_eq!(title(AsOf::Sequence(sequence)), format!("Title {sequence}"));
    }
    assert_eq!(test.record.retriever_as_of(AsOf::Time(at("2025-12-31"))).get(&id).expect_err("nothing yet").code(), Code::UnknownNode);
    assert_eq!(test.record.retriever_as_of(AsOf::Sequence(0)).get(&id).expect_err("nothing yet").code(), Code::UnknownNode);
    let error = test.record.retriever_as_of(AsOf::Sequence(6)).get(&id).expect_err("past the head");
    assert_eq!((error.code(), error.detail("limit")), (Code::OutOfRange, Some("5")), "{error}");
    let sequences: Vec<_> =
        test.record.retriever().history(&id).expect("a history").into_iter().map(|item| (item.sequence, item.title.expect("a title"))).collect();
    assert_eq!(sequences, (1..=5).map(|nth| (nth, format!("Title {nth}"))).collect::<Vec<_>>());
}

#[test]
fn a_lifecycle_is_told_at_the_moment_that_is_asked_for() {
    let test = TestRecord::new();
    let id = test.recorder().fact(Category::Fyi, "Barometer").expires_at(at("2026-02-01")).record().expect("a fact").id.to_string();
    test.clock.set("2026-03-01");
    test.recorder().review(&id, "").expect("a confirmation");
    assert_eq!(test.record.retriever().get(&id).expect("the fact").state, State::Expired);
    assert_eq!(test.record.retriever_as_of(AsOf::Time(at("2026-01-15"))).get(&id).expect("the fact").state, State::Live);
    assert_eq!(test.record.retriever_as_of(AsOf::Time(at("2026-02-15"))).get(&id).expect("the fact").state, State::Expired);
}
