//! What the files hold from one short process to the next, and how long one waits for another.

use std::path::Path;
use std::time::Duration;

use super::{LOG, LOG_BYTES, Sessions};
use crate::base::time::{Deadline, Timestamp};
use crate::record::session::StoredTurn;

/// The name of the record.
const RECORD: &str = "a record";
const NOW: Timestamp = Timestamp::from_unix_ms(1_000_000);

/// A handle that keeps one turn and closes, and how many bytes of its log it leaves.
fn a_turn_kept(dir: &Path, session: &str) -> u64 {
    let sessions = Sessions::new(dir, RECORD, false);
    let stored = StoredTurn::new(&"told ".repeat(20_000), "[]".to_owned());
    let (turn, why_not) = sessions.keep_turn(session, NOW, Deadline::NEVER, (None, &stored), &mut |state| state.turn += 1);
    assert_eq!((turn, why_not), (0, None));
    sessions.close();
    std::fs::metadata(dir.join(LOG)).expect("a log").len()
}

#[test]
fn closing_leaves_a_short_log_and_empties_a_long_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..12).map(|nth| format!("session-{nth}")).collect();
    let left: Vec<u64> = names.iter().map(|name| a_turn_kept(dir.path(), name)).collect();
    assert!(left[0] > 0, "a short process does not wait for the disk");
    assert!(left.contains(&0) && left.iter().all(|log| *log <= LOG_BYTES), "{left:?}");
    let sessions = Sessions::new(dir.path(), RECORD, false);
    assert!(names.iter().all(|name| sessions.state(name).turn == 1 && sessions.turn(name, 0).is_some_and(|turn| turn.chars == 100_000)));
    assert_eq!(sessions.warning(), None);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_journal_is_not_followed_and_purging_takes_it_away() {
    let (dir, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    a_turn_kept(dir.path(), "one");
    let (theirs, journal) = (outside.path().join("theirs"), dir.path().join("sessions.db-journal"));
    std::fs::write(&theirs, "theirs").expect("a file");
    std::os::unix::fs::symlink(&theirs, &journal).expect("a link");
    let sessions = Sessions::new(dir.path(), RECORD, false);
    let (_, why_not) = sessions.keep_turn("two", NOW, Deadline::NEVER, (None, &StoredTurn::new("told", "[]".to_owned())), &mut |state| state.turn += 1);
    assert!(why_not.is_some_and(|why| why.contains("symbolic link")));
    assert_eq!(std::fs::read_to_string(&theirs).expect("a file"), "theirs");
    sessions.forget_texts(None);
    let left: Vec<_> = std::fs::read_dir(dir.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(std::fs::read_to_string(&theirs).expect("a file"), "theirs");
}

#[test]
fn what_sessions_are_over_is_found_without_reading_the_others() {
    let dir = tempfile::tempdir().expect("a folder");
    a_turn_kept(dir.path(), "one");
    let conn = super::open(dir.path(), super::mark_of(RECORD), Duration::ZERO).unwrap_or_else(|_| panic!("the file")).conn;
    let plan: Vec<String> = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {}", super::FORGET))
        .expect("a statement")
        .query_map([1, 2], |row| row.get(3))
        .expect("a plan")
        .collect::<Result<_, _>>()
        .expect("steps");
    assert!(plan.iter().all(|step| !step.starts_with("SCAN")), "{plan:?}");
}

#[test]
fn a_change_waits_for_others_until_the_deadline_of_its_call_and_no_longer() {
    let folder = tempfile::tempdir().expect("a folder");
    let sessions = Sessions::new(folder.path(), RECORD, false);
    let waits = |deadline: Deadline| {
        sessions.update("s", Timestamp::default(), deadline, &mut |state| state.turn += 1);
        let inner = sessions.lock_until(deadline);
        let conn = &inner.file.as_ref().expect("the file is open").conn;
        conn.query_row("PRAGMA busy_timeout", [], |row| row.get::<_, i64>(0)).expect("a number")
    };
    let (most, least) = (2_000, 100);
    assert_eq!(waits(Deadline::NEVER), most);
    assert_eq!(waits(Deadline::after(Duration::ZERO)), least);
    let some = waits(Deadline::after(Duration::from_millis(1_500)));
    assert!((least..=1_500).contains(&some), "{some}");
    assert_eq!(waits(Deadline::after(Duration::from_secs(60))), most, "the next call waits as long as it may");
}
