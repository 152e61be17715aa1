//! What reading every byte tells that looking at headers does not.

use std::fs;
use std::path::{Path, PathBuf};

use stele_core::{Category, Finding, Health, Weight};
use stele_tests::TestRecord;

fn world() -> TestRecord {
    let test = TestRecord::new();
    for nth in 0..40 {
        let title = format!("Lesson {nth} of the lighthouse");
        test.recorder().fact(Category::Lesson, title).body("The lamp turns twice a minute.").tags(["lamp"]).record().expect("a fact");
    }
    // A process that another test starts holds inherited locks until it runs its own program.
    assert!((0..10_000).any(|_| test.record.catch_up().expect("caught up")));
    test
}

/// The largest file of a folder whose name ends so.
fn largest(dir: &Path, ending: &str) -> PathBuf {
    let files = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let named = files.filter(|path| path.to_string_lossy().ends_with(ending));
    named.max_by_key(|path| fs::metadata(path).expect("a file").len()).expect("a file of that name")
}

fn flip(path: &Path, at: impl Fn(usize) -> usize) {
    let mut bytes = fs::read(path).expect("a file");
    let at = at(bytes.len());
    bytes[at] ^= 0x10;
    fs::write(path, bytes).expect("written");
}

fn of<'h>(health: &'h Health, check: &str) -> Vec<&'h Finding> {
    health.findings.iter().filter(|finding| finding.check == check).collect()
}

#[test]
fn a_sound_record_has_nothing_to_say() {
    let test = world();
    assert_eq!(test.record.health_full().expect("a look"), Health::default());
    test.record.close();
    assert_eq!(test.again().health_full().expect("a look"), Health::default());
}

#[test]
fn a_flipped_byte_in_a_segment_of_vectors_is_found_and_changes_nothing() {
    let test = world();
    let segment = largest(&test.dir().join("vectors"), ".vec");
    flip(&segment, |length| length - 100);
    let damaged = fs::read(&segment).expect("a segment");
    for record in [&test.record, &test.again()] {
        assert!(of(&record.health().expect("a look"), "vector_index").is_empty());
        let health = record.health_full().expect("a look");
        let [finding] = of(&health, "vector_index")[..] else { panic!("{health:?}") };
        assert_eq!(finding.severity, Weight::Warn);
        assert!(finding.message.contains("checksum"), "{finding:?}");
        assert!(!health.ok());
        assert_eq!(health.findings.len(), 1, "{health:?}");
    }
    assert_eq!(fs::read(&segment).expect("a segment"), damaged);
}

#[test]
fn rebuilding_the_indexes_mends_a_damaged_one_under_an_open_handle() {
    let test = world();
    flip(&largest(&test.dir().join("vectors"), ".vec"), |length| length - 100);
    assert!(!test.record.health_full().expect("a look").ok());
    test.record.rebuild_indexes().expect("made anew");
    assert!(test.record.health_full().expect("a look").ok());
    assert!(fs::metadata(largest(&test.dir().join("vectors"), ".vec")).expect("a segment").len() > 4_096);
}

#[test]
fn a_flipped_byte_in_the_text_index_is_found_while_it_is_in_use() {
    let test = world();
    assert!(test.record.health().expect("a look").ok());
    flip(&largest(&test.dir().join("text"), ".term"), |length| length / 2);
    assert!(test.record.health().expect("a look").ok());
    let health = test.record.health_full().expect("a look");
    let [finding] = of(&health, "text_index")[..] else { panic!("{health:?}") };
    assert_eq!(finding.severity, Weight::Warn);
    assert!(finding.message.contains("damaged"), "{finding:?}");
}

#[test]
fn an_operation_that_was_changed_afterwards_is_named() {
    let test = world();
    test.record.close();
    let conn = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    let changed = conn.execute("UPDATE log SET payload = replace(payload, 'twice', 'often') WHERE seq = 17", []).expect("changed");
    assert_eq!(changed, 1);
    drop(conn);
    let record = test.again();
    assert!(record.health().expect("a look").ok());
    let health = record.health_full().expect("a look");
    let [finding] = of(&health, "log")[..] else { panic!("{health:?}") };
    assert_eq!(finding.severity, Weight::Error);
    assert!(finding.message.contains("operation 17"), "{finding:?}");
}

#[test]
fn a_flipped_byte_in_a_segment_of_vectors_is_found_by_the_first_catch_up_of_a_handle_and_mended() {
    let test = world();
    let segment = largest(&test.dir().join("vectors"), ".vec");
    test.record.close();
    flip(&segment, |length| length - 100);
    let record = test.again();
    record.recorder("a").expect("a recorder").fact(Category::Lesson, "one more").tags(["lamp"]).record().expect("a fact");
    assert!(segment.exists());
    assert!((0..10_000).any(|_| record.catch_up().expect("caught up")));
    assert!(!segment.exists(), "a damaged segment goes");
    assert_eq!(record.health_full().expect("a look"), Health::default());
}
