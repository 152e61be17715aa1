//! Sessions among processes, killed, with odd names, damaged files and clocks that jump.
#![expect(clippy::disallowed_methods, reason = "processes are killed at odd moments")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use stele_core::{AssembleOptions, Category, Code, Record, ResumeAction, Session, Status};
use stele_tests::TestRecord;
use stele_tests::shorthand::session;

const PROMPT: &str = "what do we know about the barometer in the hall?";

fn worker(test: &TestRecord, session: &str, count: u64) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stele-worker"));
    command.args(["prompts", &test.dir().to_string_lossy(), session, &count.to_string()]).stdout(Stdio::piped()).spawn().expect("a process")
}

fn status(session: &Session) -> Status {
    session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context").record.status
}

#[test]
fn two_processes_in_one_session_lose_no_turn_and_no_delivery() {
    let test = TestRecord::new();
    test.fact(Category::Lesson, "The barometer in the hall", "fails with `E_BARO_17`");
    let children: Vec<Child> = (0..2).map(|_| worker(&test, "shared", 60)).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let shared = session(&test, "shared");
    assert_eq!((shared.turn().expect("a turn"), status(&shared)), (120, Status::Served));
    let known = |turn: &u64| test.record.resume("shared", *turn, &[]).expect("a decision").action != ResumeAction::Run;
    assert_eq!((0..130).filter(known).collect::<Vec<_>>(), (71..121).collect::<Vec<_>>(), "each prompt has a turn of its own");
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_session_that_has_every_turn_it_told_of() {
    let test = TestRecord::new();
    test.fact(Category::Lesson, "The barometer in the hall", "fails with `E_BARO_17`");
    let mut told = 0;
    for kill in 0..12 {
        let mut child = worker(&test, "s1", 1_000_000);
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        thread::sleep(Duration::from_micros(kill * 1_700));
        child.kill().expect("killed");
        child.wait().expect("it ended");
        told += 1 + out.lines().count() as u64;
        let reopened = test.again();
        let s1 = reopened.session("s1").open().expect("a session");
        let turn = s1.turn().expect("a turn");
        assert!(turn >= told, "{turn} turns are known, {told} were told");
        assert!(reopened.health().expect("a check").findings.iter().all(|finding| finding.check != "sessions"));
        told = turn;
    }
    assert!(!test.dir().join("sessions.db.damaged").exists());
}

#[test]
fn names_of_any_characters_are_sessions_of_their_own_and_blank_ones_none() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "The barometer in the hall", "");
    let long = "n".repeat(200);
    let names = ["'; DROP TABLE session; --", "a/b", "A/B", "..", "\u{202e}x", "\u{1f600}", "a b", "a  b", "\u{1b}[0m", &long];
    for name in names {
        let session = session(&test, name);
        assert_eq!([status(&session), status(&session)], [Status::Found, Status::Served], "{name:?}");
        assert_eq!(session.turn().expect("a turn"), 2, "{name:?}");
    }
    for name in ["", "  ", "a\0b", &"n".repeat(201)] {
        assert!(test.record.session(name).open().is_err(), "{name:?}");
    }
    assert!(test.record.session("s").mode(" ").open().is_err());
}

#[test]
fn a_damaged_file_of_sessions_is_started_anew_and_says_so_once() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "The barometer in the hall", "");
    assert_eq!(status(&session(&test, "s1")), Status::Found);
    test.record.close();
    let path = test.dir().join("sessions.db");
    for (nth, bytes) in [vec![7; 4096], b"SQLite format 3\0and then nothing".to_vec(), Vec::new()].into_iter().enumerate() {
        std::fs::write(&path, &bytes).expect("damaged");
        for other in ["sessions.db-wal", "sessions.db-shm"] {
            std::fs::write(test.dir().join(other), [9; 100]).expect("damaged");
        }
        let record = test.again();
        let s1 = record.session("s1").open().expect("a session");
        let first = s1.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
        assert_eq!((first.record.status, first.turn), (Status::Found, 0), "{nth}");
        let said = |context: &stele_core::Context| context.warnings.iter().any(|warning| warning.contains("started anew"));
        assert_eq!(said(&first), !bytes.is_empty(), "{nth}: {:?}", first.warnings);
        let second = s1.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
        assert_eq!((second.record.status, said(&second)), (Status::Served, false), "{nth}");
        record.close();
    }
}

#[test]
fn what_another_record_served_says_nothing_of_this_one() {
    let (one, other) = (TestRecord::new(), TestRecord::new());
    for test in [&one, &other] {
        test.fact(Category::Decision, "The barometer in the hall", "");
    }
    assert_eq!([status(&session(&one, "s1")), status(&session(&one, "s1"))], [Status::Found, Status::Served]);
    one.record.close();
    for name in ["sessions.db", "sessions.db-wal", "sessions.db-shm"] {
        let _ = std::fs::copy(one.dir().join(name), other.dir().join(name));
    }
    let s1 = session(&other, "s1");
    assert_eq!(s1.turn().expect("a turn"), 0);
    let first = s1.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    assert_eq!(first.record.status, Status::Found);
    assert_eq!(other.record.resume("s1", 1, &[]).expect("a decision").action, stele_core::ResumeAction::Run);
    // Its own it knows again.
    other.record.close();
    let again = other.again();
    assert_eq!(status(&again.session("s1").open().expect("a session")), Status::Served);
}

#[test]
fn a_state_of_another_release_is_started_anew() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "The barometer in the hall", "");
    assert_eq!(status(&session(&test, "s1")), Status::Found);
    let conn = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the file");
    conn.execute("UPDATE session SET state = '[1]'", []).expect("changed");
    drop(conn);
    assert_eq!([status(&session(&test, "s1")), status(&session(&test, "s1"))], [Status::Found, Status::Served]);
}

#[test]
fn a_clock_that_is_set_back_or_far_ahead_costs_no_turn_and_sessions_end_after_thirty_days() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "The barometer in the hall", "");
    let s1 = session(&test, "s1");
    assert_eq!(status(&s1), Status::Found);
    for time in ["2025-12-20", "2026-01-02", "1969-12-31", "9999-12-31", "2026-01-03"] {
        test.clock.set(time);
        let turn = s1.turn().expect("a turn");
        assert_eq!((status(&s1), s1.turn().expect("a turn")), (Status::Served, turn + 1), "{time}");
        s1.on_start().expect("a moment");
    }
    test.clock.set("2026-01-20");
    assert_eq!(status(&session(&test, "s2")), Status::Found);
    assert_eq!(status(&s1), Status::Served);
    test.clock.set("2026-03-01");
    assert_eq!(status(&session(&test, "s3")), Status::Found);
    assert_eq!((s1.turn().expect("a turn"), status(&s1)), (0, Status::Found));
}

#[test]
fn a_session_of_a_closed_record_is_closed() {
    let test = TestRecord::new();
    let s1 = session(&test, "s1");
    let record = &test.record;
    record.close();
    for code in [
        s1.on_prompt(PROMPT, &AssembleOptions::new()).expect_err("closed").code(),
        s1.on_edit("a.rs", None).expect_err("closed").code(),
        s1.on_output("x").expect_err("closed").code(),
        s1.on_start().expect_err("closed").code(),
        s1.on_complete(None).expect_err("closed").code(),
        s1.compacted().expect_err("closed").code(),
        s1.turn().expect_err("closed").code(),
    ] {
        assert_eq!(code, Code::Closed);
    }
}

#[test]
fn a_path_or_symbol_too_long_to_be_one_is_refused_at_once() {
    let test = TestRecord::new();
    let s1 = session(&test, "s1");
    for (path, symbol) in [("a/".repeat(5_000_000), None), ("../".repeat(3_000_000), None), ("a".to_owned(), Some("a::".repeat(3_000_000)))] {
        assert_eq!(s1.on_edit(&path, symbol.as_deref()).expect_err("too long").code(), Code::TooLarge);
    }
    assert_eq!(s1.on_edit("a\0b", None).expect_err("a NUL").code(), Code::BadText);
    assert!(s1.on_edit(&"a/".repeat(2_000), Some(&"a".repeat(4_096))).expect("a moment").entries.is_empty());
}

#[test]
fn handles_that_find_the_sessions_of_another_record_at_once_lose_no_turn_and_no_process() {
    let other = TestRecord::new();
    session(&other, "s").on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    other.record.close();
    for round in 0..12 {
        let test = TestRecord::new();
        test.fact(Category::Lesson, "The barometer in the hall", "fails with `E_BARO_17`");
        for name in ["sessions.db", "sessions.db-wal"] {
            fs::copy(other.dir().join(name), test.dir().join(name)).expect("a file");
        }
        let handles: Vec<Record> = (0..8).map(|_| test.again()).collect();
        let together = Barrier::new(handles.len());
        thread::scope(|scope| {
            for (nth, record) in handles.iter().enumerate() {
                let together = &together;
                scope.spawn(move || {
                    let session = record.session(&format!("s{nth}")).open().expect("a session");
                    together.wait();
                    for _ in 0..3 {
                        status(&session);
                    }
                });
            }
        });
        handles.iter().for_each(Record::close);
        let turns: Vec<u64> = (0..8).map(|nth| session(&test, &format!("s{nth}")).turn().expect("a turn")).collect();
        assert_eq!(turns, [3; 8], "{round}");
    }
}

#[test]
fn a_file_of_sessions_that_is_taken_away_is_made_anew_by_whoever_writes_next() {
    let test = TestRecord::new();
    test.fact(Category::Lesson, "The barometer in the hall", "fails with `E_BARO_17`");
    let (s1, again) = (session(&test, "s1"), test.again());
    assert_eq!(status(&s1), Status::Found);
    for name in ["sessions.db", "sessions.db-wal", "sessions.db-shm"] {
        fs::remove_file(test.dir().join(name)).expect("it was there");
    }
    let other = again.session("s1").open().expect("a session");
    assert_eq!((other.turn().expect("a turn"), status(&other), status(&other)), (0, Status::Found, Status::Served));
    assert_eq!((s1.turn().expect("a turn"), status(&s1)), (2, Status::Served), "the handle that had it open sees the new one");
}
