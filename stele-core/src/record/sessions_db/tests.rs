//! What the files hold from one short process to the next.

use std::path::Path;

use super::{LOG, LOG_BYTES, Sessions};
use crate::base::time::Timestamp;
use crate::record::session::StoredTurn;

const NOW: Timestamp = Timestamp::from_unix_ms(1_000_000);

/// A handle that keeps one turn and closes, and how many bytes of its log it leaves.
fn a_turn_kept(dir: &Path, session: &str) -> u64 {
    let sessions = Sessions::new(dir, false);
    let stored = StoredTurn::new(&"told ".repeat(20_000), "[]".to_owned());
    let (turn, why_not) = sessions.keep_turn(session, NOW, None, &stored, &mut |state| state.turn += 1);
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
    let sessions = Sessions::new(dir.path(), false);
    assert!(names.iter().all(|name| sessions.state(name).turn == 1 && sessions.turn(name, 0).is_some_and(|turn| turn.chars == 100_000)));
    assert_eq!(sessions.warning(), None);
}

#[test]
fn what_sessions_are_over_is_found_without_reading_the_others() {
    let dir = tempfile::tempdir().expect("a folder");
    a_turn_kept(dir.path(), "one");
    let conn = super::open(dir.path()).unwrap_or_else(|_| panic!("the file"));
    let plan: Vec<String> = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {}", super::FORGET))
        .expect("a statement")
        .query_map([1, 2], |row| row.get(3))
        .expect("a plan")
        .collect::<Result<_, _>>()
        .expect("steps");
    assert!(plan.iter().all(|step| !step.starts_with("SCAN")), "{plan:?}");
}
