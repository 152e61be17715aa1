//! What the record is kept in: indexes, embedders, a purge that is not over, sessions. Damage that only the full check
//! finds is in `health_full.rs`.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stele_core::{Category, Embedder, HealthOptions, Record, RetrieveOptions};
use stele_tests::TestRecord;

use super::{findings, found};

/// Whether there is a finding of a check; none of those of storage names nodes.
fn has(record: &Record, name: &str) -> bool {
    let found = found(record, name);
    assert!(found.iter().all(Vec::is_empty));
    !found.is_empty()
}

fn caught_up(record: &Record) {
    while !record.catch_up().expect("caught up") {}
}

/// An embedder that can be told to fail.
struct Host {
    name: &'static str,
    fails: AtomicBool,
}

impl Host {
    fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self { name, fails: AtomicBool::new(false) })
    }
}

impl Embedder for Host {
    fn name(&self) -> &str {
        self.name
    }

    fn dimensions(&self) -> usize {
        8
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        if self.fails.load(Ordering::SeqCst) {
            return Err("no model is loaded".into());
        }
        Ok(texts.iter().map(|text| (0..8).map(|at| text.bytes().skip(at).step_by(8).map(f32::from).sum::<f32>() + 1.0).collect()).collect())
    }
}

#[test]
fn operations_that_no_index_covers_are_told_when_they_are_many() {
    let test = TestRecord::new();
    let facts = |count: usize| (0..count).for_each(|nth| drop(test.fact(Category::Fyi, &format!("Buoy {nth}"), "")));
    facts(256);
    caught_up(&test.record);
    test.record.close();
    let read_only = || Record::options().read_only(true).open(test.dir()).expect("the record opens again");
    assert!(!has(&read_only(), "index_lag"));
    for folder in ["text", "vectors"] {
        fs::remove_dir_all(test.dir().join(folder)).expect("an index");
    }
    assert!(!has(&read_only(), "index_lag"));
    let record = test.again();
    record.recorder("tester").expect("a recorder").fact(Category::Fyi, "One more").record().expect("a fact");
    record.close();
    for folder in ["text", "vectors"] {
        let _ = fs::remove_dir_all(test.dir().join(folder));
    }
    let record = read_only();
    assert!(has(&record, "index_lag"));
    assert!(record.health().expect("a look").ok());
}

#[test]
fn a_record_without_an_embedder_lags_by_its_text_index_alone() {
    let test = TestRecord::with(|options| options.without_embedder());
    (0..300).for_each(|nth| drop(test.fact(Category::Fyi, &format!("Buoy {nth}"), "")));
    caught_up(&test.record);
    for check in ["index_lag", "embedder_mismatch", "vector_index"] {
        assert!(!has(&test.record, check), "{check}");
    }
}

#[test]
fn an_index_of_another_embedder_is_told_until_it_is_made_anew() {
    let test = TestRecord::with(|options| options.embedder(Host::new("one")));
    test.fact(Category::Fyi, "The lamp is red", "");
    caught_up(&test.record);
    assert!(!has(&test.record, "embedder_mismatch"));
    test.record.close();
    let other = Record::options().embedder(Host::new("two")).open(test.dir()).expect("a record");
    let health = other.health().expect("a look");
    let said = findings(&health, "embedder_mismatch");
    assert!(said.len() == 1 && said[0].message.contains("one") && said[0].message.contains("two"), "{said:?}");
    assert!(!has(&other, "vector_index"), "one fault is told once");
    assert!(!has(&Record::options().without_embedder().read_only(true).open(test.dir()).expect("a record"), "embedder_mismatch"));
    caught_up(&other);
    assert!(!has(&other, "embedder_mismatch"));
}

#[test]
fn kept_vectors_of_another_embedder_are_told_while_there_is_no_index() {
    let test = TestRecord::with(|options| options.embedder(Host::new("one")));
    test.fact(Category::Fyi, "The lamp is red", "");
    assert!(!has(&test.record, "embedder_mismatch"));
    test.record.close();
    let other = Record::options().embedder(Host::new("two")).open(test.dir()).expect("a record");
    assert!(has(&other, "embedder_mismatch"));
    caught_up(&other);
    assert!(!has(&other, "embedder_mismatch"));
}

#[test]
fn an_embedder_that_failed_is_told_until_it_works() {
    let host = Host::new("one");
    let given = Arc::clone(&host);
    let test = TestRecord::with(|options| options.embedder(given));
    test.fact(Category::Fyi, "The lamp is red", "");
    assert!(!has(&test.record, "embedder"));
    host.fails.store(true, Ordering::SeqCst);
    test.fact(Category::Fyi, "The lamp is green", "");
    let health = test.record.health().expect("a look");
    assert!(findings(&health, "embedder")[0].message.contains("no model is loaded"));
    host.fails.store(false, Ordering::SeqCst);
    caught_up(&test.record);
    assert!(!has(&test.record, "embedder"));
}

#[test]
fn indexes_that_cannot_be_used_or_made_are_told_until_they_are() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "The lamp is red", "");
    caught_up(&test.record);
    for check in ["text_index", "vector_index", "catch_up"] {
        assert!(!has(&test.record, check), "{check}");
    }
    test.record.close();
    for folder in ["text", "vectors"] {
        for file in fs::read_dir(test.dir().join(folder)).expect("a folder") {
            fs::write(file.expect("a file").path(), "not what was written here").expect("damaged");
        }
    }
    let record = test.again();
    assert!(has(&record, "text_index") && has(&record, "vector_index"));
    caught_up(&record);
    assert!(!has(&record, "text_index") && !has(&record, "vector_index"));
    // Where the folder is a file, no index can be made.
    let text = test.dir().join("text");
    fs::remove_dir_all(&text).expect("the folder");
    fs::write(&text, "in the way").expect("a file");
    record.recorder("tester").expect("a recorder").fact(Category::Fyi, "The lamp is green").record().expect("a fact");
    assert!(record.catch_up().is_err());
    assert!(has(&record, "catch_up"));
    fs::remove_file(&text).expect("the file");
    caught_up(&record);
    assert!(!has(&record, "catch_up"));
}

#[test]
fn a_purge_that_is_not_over_is_told() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "The lamp is red", "");
    assert!(!has(&test.record, "purge"));
    test.record.close();
    let conn = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    conn.execute("INSERT INTO meta(name, value) VALUES ('purge_pending', 1)", []).expect("marked");
    drop(conn);
    let reader = Record::options().read_only(true).open(test.dir()).expect("a reader");
    assert!(has(&reader, "purge"));
    reader.close();
    assert!(!has(&test.again(), "purge"), "who opens it for writing ends it");
}

#[test]
fn lost_sessions_are_told() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "The lamp of the harbour is red", "");
    let look = |record: &Record| {
        record.retriever().retrieve("what is said about the lamp of the harbour?", &RetrieveOptions::new().session("s").deliver()).expect("a window")
    };
    look(&test.record);
    assert!(!has(&test.record, "sessions"));
    test.record.close();
    // What its log still holds is not lost.
    fs::write(test.dir().join("sessions.db"), "garbage that is no database, at some length").expect("a file");
    let record = test.again();
    look(&record);
    assert!(!has(&record, "sessions"));
    record.close();
    fs::write(test.dir().join("sessions.db"), "garbage that is no database, at some length").expect("a file");
    fs::remove_file(test.dir().join("sessions.db-wal")).expect("a log");
    let record = test.again();
    look(&record);
    assert!(has(&record, "sessions"));
}

#[test]
fn a_changed_log_is_told_by_the_full_check() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "The lamp is red", "");
    let full = HealthOptions::new().full(true);
    assert!(findings(&test.record.health_with(&full).expect("a look"), "log").is_empty());
    let record = super::damaged(&test, "UPDATE log SET payload = replace(payload, 'red', 'off')");
    assert!(!has(&record, "log"));
    assert_eq!(findings(&record.health_with(&full).expect("a look"), "log").len(), 1);
}
