//! Handles that may not write.

use std::fs;

use stele_core::{AsOf, Code, Record, SearchOptions};
use stele_tests::TestRecord;

use crate::world::{answers, caught_up, checkpoint, copy, kept_bytes, read_everything, settle};

#[test]
fn a_handle_for_reading_changes_no_byte_and_answers_the_same() {
    let test = TestRecord::new();
    settle(&test.record);
    for indexed in [false, true] {
        if indexed {
            caught_up(&test.record);
        }
        let expected = answers(&test.record);
        for with_log in [true, false] {
            let dir = test.outside().join(format!("copy-{indexed}-{with_log}"));
            copy(&test.dir(), &dir);
            let _ = fs::remove_file(dir.join("sessions.db"));
            if !with_log {
                checkpoint(&dir);
            }
            let before = kept_bytes(&dir);
            let reading = Record::options().read_only(true).clock(test.clock.clone()).open(&dir).expect("opens");
            assert!(reading.read_only());
            assert_eq!(answers(&reading), expected);
            assert_eq!(read_everything(&reading).len(), 0);
            assert_eq!(reading.retriever_as_of(AsOf::Sequence(20)).search("lamp", &SearchOptions::new()).expect("hits").len(), 0);
            assert_eq!(reading.recorder("tester").err().expect("refused").code(), Code::ReadOnly);
            assert_eq!(reading.catch_up().expect_err("refused").code(), Code::ReadOnly);
            reading.close();
            drop(reading);
            let after = kept_bytes(&dir);
            assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "{indexed} {with_log}");
            assert!(before == after, "{indexed} {with_log}");
            assert!(!dir.join("sessions.db").exists());
            // A writer still finds everything.
            assert_eq!(Record::open(&dir).expect("opens").verify_log().expect("a whole chain"), 30);
        }
    }
}

#[test]
fn a_reader_sees_what_a_writer_commits_while_it_is_open() {
    let test = TestRecord::new();
    let reading = Record::options().read_only(true).open(test.dir()).expect("opens");
    assert_eq!(reading.head().expect("a head"), 0);
    settle(&test.record);
    assert_eq!(reading.head().expect("a head"), 30);
    caught_up(&test.record);
    assert_eq!(
        reading.retriever().search("barometer", &SearchOptions::new()).expect("hits").len(),
        test.record.retriever().search("barometer", &SearchOptions::new()).expect("hits").len()
    );
}
