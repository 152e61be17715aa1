//! Writers and readers at one record, as processes, until each writer has done its share. For minutes and with times:
//! `cargo xtask soak`.

use std::path::Path;
use std::time::Duration;

use stele_tests::soak::{self, Load, Seen, Work};

fn counted(work: Work) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    let load = Load { work, writers: 8, readers: 4, time: Duration::from_secs(600), writes: 30 };
    let seen = soak::run(Path::new(env!("CARGO_BIN_EXE_stele-soak")), &folder.path().join(".stele"), &load);
    assert!(seen.writers.iter().all(|(writes, _)| *writes == load.writes), "{:?}", seen.writers);
    assert_eq!((seen.lost, seen.head), (0, 8 * work.operations(load.writes)));
    assert!(seen.wal <= 64 << 20, "{}", seen.wal);
    // The files of the record and its indexes, a few connections; threads of an index that is being written.
    assert!(seen.held.iter().all(|(_, held)| held.handles < 60 && held.threads <= 12), "{:?}", seen.held);
    assert!(seen.readers.iter().all(|reads| *reads > 0), "{:?}", seen.readers);
    seen
}

#[test]
fn eight_writers_and_four_readers_get_no_lock_error_and_leave_nothing_open() {
    assert_eq!(counted(Work::Grow).head, 8 * 39);
}

#[test]
fn eight_writers_that_rework_what_there_is_beside_four_readers_lose_nothing_of_it() {
    assert_eq!(counted(Work::Rework).head, 8 * (201 + 42));
}
