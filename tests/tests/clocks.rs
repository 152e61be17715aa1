//! Clocks that are set back and forth, stand before 1970 or at the end of time: nothing is lost, no answer changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use stele_core::{
    AsOf, Category, Clock, ExportForm, Format, ImportOptions, Record, RetrieveOptions, Revision, SearchMode, SearchOptions, State, Status, Timestamp,
};
use stele_tests::TestRecord;

/// A clock that says another of its instants at every look.
struct Jumping(Vec<i64>, AtomicUsize);

impl Clock for Jumping {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.0[self.1.fetch_add(1, Ordering::SeqCst) % self.0.len()])
    }
}

fn jumping(dir: &std::path::Path, instants: Vec<i64>) -> Record {
    Record::options().clock(Arc::new(Jumping(instants, AtomicUsize::new(0)))).open(dir).expect("a record")
}

/// Writes the same whatever the clock says.
fn write(record: &Record) {
    let recorder = record.recorder("tester").expect("a recorder");
    let created = Timestamp::parse("2026-01-05").expect("a time");
    for (nth, title) in ["Barometer in the hall", "Barometer in the lighthouse", "Lamp of the lighthouse", "Limiter in front of auth"].iter().enumerate() {
        recorder.fact(Category::Decision, *title).body(format!("Part {nth} says where it hangs.")).created_at(created).record().expect("a fact");
    }
    recorder.revise("KNOW-3", Revision::new().body("It turns twice a minute.")).expect("a revision");
    let both = recorder.transaction(|recorder| {
        recorder.supersede("KNOW-2", "KNOW-1").reason("it moved").evidence("Barometer in the lighthouse").record()?;
        recorder.review("KNOW-4", "still so")
    });
    both.expect("a transaction");
    recorder.archive("KNOW-4", "sold").expect("put away");
}

/// What is asked and answered at one moment.
fn answers(record: &Record) -> String {
    let now = Timestamp::parse("2026-02-01").expect("a time");
    let retriever = record.retriever();
    let mut out = String::new();
    for query in ["where does the barometer hang", "lamp of the lighthouse turns", "limiter in front of auth"] {
        for mode in [SearchMode::Text, SearchMode::Semantic, SearchMode::Hybrid] {
            let hits = retriever.search(query, &SearchOptions::new().mode(mode)).expect("hits");
            out.extend(hits.iter().map(|hit| format!("{} {:08x} ", hit.id, hit.score.to_bits())));
        }
        out.push_str(&retriever.retrieve(query, &RetrieveOptions::new().now(now)).expect("a window").render(Format::Text));
    }
    out
}

fn exported(record: &Record, dir: &std::path::Path) -> String {
    let path = dir.join("out.jsonl");
    record.export_jsonl(&path, ExportForm::Interchange).expect("an export");
    std::fs::read_to_string(path).expect("a file")
}

/// When each operation was written, in their order.
fn times(dir: &std::path::Path) -> Vec<i64> {
    let conn = rusqlite::Connection::open(dir.join("record.db")).expect("the record's file");
    let mut statement = conn.prepare("SELECT at_ms FROM log ORDER BY seq").expect("a log");
    statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("times")
}

fn instants() -> impl Strategy<Value = i64> {
    let day: i64 = 86_400_000;
    prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(-1), Just(0), 1_700_000_000_000_i64..1_900_000_000_000, -day..day]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_clock_changes_what_is_kept_or_found(instants in prop::collection::vec(instants(), 1..9)) {
        let (steady, folder) = (TestRecord::new(), tempfile::tempdir().expect("a folder"));
        write(&steady.record);
        let record = jumping(&folder.path().join(".stele"), instants.clone());
        write(&record);
        prop_assert!(["KNOW-2 ", "KNOW-3 ", "[retired]"].iter().all(|part| answers(&record).contains(part)), "{}", answers(&record));
        prop_assert_eq!(answers(&record), answers(&steady.record));
        prop_assert_eq!(record.verify_log().expect("a whole chain"), steady.record.head().expect("a head"));
        while !record.catch_up().expect("caught up") {}
        prop_assert_eq!(answers(&record), answers(&steady.record));
        prop_assert!(record.health_full().expect("a look").ok());

        // As of each operation the record is what it was then, whatever its time.
        for sequence in 1..=record.head().expect("a head") {
            let titles = |record: &Record| -> Vec<(String, State)> {
                let then = record.retriever_as_of(AsOf::Sequence(sequence));
                (1..=4).filter_map(|number| then.get(&format!("KNOW-{number}")).ok()).map(|node| (node.title, node.state)).collect()
            };
            prop_assert_eq!(titles(&record), titles(&steady.record));
        }
        // As of a time it is what it was before the first operation of a later one.
        let titles = |moment: AsOf| -> Vec<(String, u64)> {
            let then = record.retriever_as_of(moment);
            (1..=4).filter_map(|number| then.get(&format!("KNOW-{number}")).ok()).map(|node| (node.title, node.revision)).collect()
        };
        let times = times(&record.path());
        for at in &times {
            let before = times.iter().position(|time| time > at).unwrap_or(times.len());
            prop_assert_eq!(titles(AsOf::Time(Timestamp::from_unix_ms(*at))), titles(AsOf::Sequence(before as u64)));
        }
        let text = exported(&record, folder.path());
        let anew = jumping(&folder.path().join("anew"), instants);
        prop_assert!(anew.import_lines(text.as_bytes(), "tester", ImportOptions::new()).expect("an import").applied);
        prop_assert_eq!(exported(&anew, folder.path()), text);
    }
}

#[test]
fn lifecycles_and_reviews_follow_the_clock_both_ways() {
    let test = TestRecord::new();
    let at = |text: &str| Timestamp::parse(text).expect("a time");
    let id = test.recorder().fact(Category::Fyi, "The quay is closed").expires_at(at("2026-03-01")).record().expect("a fact").id.to_string();
    for (now, state) in [("2026-02-28", State::Live), ("9999-12-31", State::Expired), ("1900-01-01", State::Live), ("2026-03-01", State::Expired)] {
        test.clock.set(now);
        let retriever = test.record.retriever();
        assert_eq!(retriever.get(&id).expect("the fact").state, state, "{now}");
        let live = retriever.search("is the quay closed", &SearchOptions::new().states([State::Live])).expect("hits").len();
        assert_eq!(live, usize::from(state == State::Live), "{now}");
        // Nobody needs to write for it, and a write under such a clock changes nothing of it.
        test.recorder().review(&id, "").expect("a confirmation");
    }
    assert_eq!(test.record.verify_log().expect("a whole chain"), 5);
}

#[test]
fn a_clock_set_back_ends_no_session_and_one_from_the_end_of_time_does_not_stay() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "The barometer hangs in the hall", "It has hung there since the start.");
    let ask = |session: &str| {
        let options = RetrieveOptions::new().session(session).deliver();
        test.record.retriever().retrieve("where does the barometer hang in the hall?", &options).expect("a window").status
    };
    assert_eq!(ask("a"), Status::Found);
    // Set back, a clock makes no session old.
    for now in ["1950-01-01", "2025-12-15", "2026-01-01"] {
        test.clock.set(now);
        assert_eq!(ask("a"), Status::Served, "{now}");
    }
    // One that was touched at the end of time does not stay until then.
    test.clock.set("9999-12-31");
    assert_eq!(ask("b"), Status::Found);
    test.clock.set("2026-01-02");
    assert_eq!(ask("c"), Status::Found);
    let conn = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the sessions");
    let kept: Vec<String> = conn
        .prepare("SELECT name FROM session ORDER BY name")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0)).and_then(Iterator::collect))
        .expect("names");
    assert_eq!(kept, ["c"]);
}
