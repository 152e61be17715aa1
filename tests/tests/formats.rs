//! Records that earlier formats left behind. Every `fixtures/format-N` holds one of a format before today's, as
//! `stele-worker every-kind` made it in the last release that wrote that format, with what it exports.

#[allow(dead_code, reason = "shared with tests that use more of it")]
#[path = "store_hazards/world.rs"]
mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use stele_core::{Code, ExportForm, ImportOptions, Record, RetrieveOptions, SearchMode, SearchOptions, Status};
use stele_tests::TestRecord;

use crate::world::{Dice, bytes_of, caught_up, copy};

/// The folders of what is kept, one a format, oldest first.
fn kept() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = fs::read_dir(root).expect("the fixtures").map(|entry| entry.expect("an entry"));
    let mut found: Vec<PathBuf> = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("format-")).map(|entry| entry.path()).collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// A copy of a kept record to work on.
fn copied(kept: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    copy(&kept.join("record"), &dir);
    (folder, dir)
}

fn exported(record: &Record, form: ExportForm) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jsonl");
    record.export_jsonl(&path, form).expect("an export");
    fs::read_to_string(path).expect("an exported file")
}

fn expected(kept: &Path, name: &str) -> String {
    fs::read_to_string(kept.join(name)).expect("what it exported")
}

fn sql<T: rusqlite::types::FromSql>(dir: &Path, question: &str) -> Vec<T> {
    let conn = Connection::open(dir.join("record.db")).expect("the record's file");
    let mut statement = conn.prepare(question).expect("a question");
    statement.query_map([], |row| row.get(0)).expect("rows").map(|value| value.expect("a value")).collect()
}

#[test]
fn a_record_of_an_older_format_is_refused_untouched_until_it_is_migrated() {
    for kept in kept() {
        let (_folder, dir) = copied(&kept);
        let before = bytes_of(&dir);
        for read_only in [true, false] {
            let error = Record::options().read_only(read_only).open(&dir).err().expect("older");
            assert_eq!(error.code(), Code::OlderFormat, "{error:?}");
        }
        let after = bytes_of(&dir);
        // A reader of a database with a write-ahead log makes one, and an empty one says nothing.
        assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)) && after.len() <= before.len() + 2);
        assert!(Record::migrate(&dir).expect("migrated"));
        assert!(!Record::migrate(&dir).expect("nothing to do"));
        Record::open(&dir).expect("opens");
    }
}

#[test]
fn a_migrated_record_says_what_the_old_one_said_and_goes_on() {
    for kept in kept() {
        let (_folder, dir) = copied(&kept);
        Record::migrate(&dir).expect("migrated");
        let record = Record::open(&dir).expect("opens");
        assert_eq!(exported(&record, ExportForm::Interchange), expected(&kept, "export.jsonl"));
        assert_eq!(exported(&record, ExportForm::Log), expected(&kept, "log.jsonl"));
        record.verify_log().expect("a whole chain");

        for round in 0..2 {
            let retriever = record.retriever();
            let first = |query, mode| retriever.search(query, &SearchOptions::new().mode(mode)).expect("hits").first().map(|hit| hit.id.to_string());
            for (query, id) in [("grease maker", "KNOW-6"), ("the last word before the lamp", "KNOW-19"), ("barometer at noon", "DOC-9")] {
                assert_eq!(first(query, SearchMode::Text).as_deref(), Some(id), "round {round}");
                assert_eq!(first(query, SearchMode::Semantic).as_deref(), Some(id), "round {round}");
            }
            caught_up(&record);
        }
        let health = record.health_full().expect("a look");
        assert!(health.ok(), "{health:?}");
        // Sessions of the older form are started anew: what was served may come again.
        let served = record.retriever().retrieve("how often does the lamp turn?", &RetrieveOptions::new().session("first")).expect("a window");
        assert_eq!(served.status, Status::Found);

        let head = record.head().expect("a head");
        record.recorder("tester").expect("a recorder").revise("KNOW-19", stele_core::Revision::new().body("It is lit again.")).expect("a revision");
        assert_eq!(record.verify_log().expect("a whole chain"), head + 1);
    }
}

#[test]
fn what_a_migrated_record_exports_makes_the_same_record_anew() {
    for kept in kept() {
        let (folder, dir) = copied(&kept);
        Record::migrate(&dir).expect("migrated");
        let first = exported(&Record::open(&dir).expect("opens"), ExportForm::Interchange);
        let anew = Record::open(folder.path().join("anew")).expect("a new record");
        let report = anew.import_lines(first.as_bytes(), "tester", ImportOptions::new()).expect("an import");
        assert!(report.applied, "{report:?}");
        assert_eq!(exported(&anew, ExportForm::Interchange), first);
    }
}

#[test]
fn a_migrated_record_has_the_tables_of_a_new_one() {
    const TABLES: &str = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name";
    let new = TestRecord::new();
    new.record.close();
    for kept in kept() {
        let (_folder, dir) = copied(&kept);
        Record::migrate(&dir).expect("migrated");
        assert_eq!(sql::<String>(&dir, TABLES), sql::<String>(&new.dir(), TABLES));
        for meta in ["SELECT value FROM meta WHERE name = 'format'", "PRAGMA user_version"] {
            assert_eq!(sql::<i64>(&dir, meta), sql::<i64>(&new.dir(), meta));
        }
    }
}

#[test]
fn a_log_that_does_not_verify_is_not_migrated() {
    let kept = kept().remove(0);
    let (_folder, dir) = copied(&kept);
    let conn = Connection::open(dir.join("record.db")).expect("the record's file");
    conn.execute("UPDATE log SET payload = replace(payload, 'twice', 'never') WHERE seq = 4", []).expect("changed");
    drop(conn);
    let before = sql::<String>(&dir, "SELECT title FROM node ORDER BY number");
    assert_eq!(Record::migrate(&dir).expect_err("broken").code(), Code::ChainBroken);
    assert_eq!(sql::<i64>(&dir, "PRAGMA user_version"), [1]);
    assert_eq!(sql::<String>(&dir, "SELECT title FROM node ORDER BY number"), before);
}

#[test]
fn a_handle_that_is_open_while_another_release_migrates_is_refused() {
    let test = TestRecord::new();
    test.fact(stele_core::Category::Fyi, "Barometer", "It hangs in the hall.");
    let recorder = test.recorder();
    Connection::open(test.dir().join("record.db")).expect("the record's file").execute_batch("PRAGMA user_version = 99").expect("a later format");
    assert_eq!(test.record.head().expect_err("newer").code(), Code::NewerFormat);
    assert_eq!(test.record.retriever().get("KNOW-1").expect_err("newer").code(), Code::NewerFormat);
    assert_eq!(recorder.archive("KNOW-1", "gone").expect_err("newer").code(), Code::NewerFormat);
    assert_eq!(test.record.catch_up().expect_err("newer").code(), Code::NewerFormat);
    assert_eq!(Record::migrate(test.dir()).expect_err("newer").code(), Code::NewerFormat);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is killed at odd moments")]
fn a_migration_that_is_killed_leaves_the_old_record_or_the_new_one() {
    let kept = kept().remove(0);
    let (mut dice, mut old) = (Dice(7), 0);
    for nth in 0..24 {
        let (_folder, dir) = copied(&kept);
        let mut child = Command::new(env!("CARGO_BIN_EXE_stele-worker")).args(["migrate", &dir.to_string_lossy()]).spawn().expect("a process");
        thread::sleep(Duration::from_micros(dice.below(1 + nth * 4_000) as u64));
        child.kill().expect("killed");
        child.wait().expect("it ended");
        if let Err(error) = Record::open(&dir) {
            assert_eq!(error.code(), Code::OlderFormat, "{error:?}");
            old += 1;
            assert!(Record::migrate(&dir).expect("migrated the second time"));
        }
        let record = Record::open(&dir).expect("opens");
        assert_eq!(exported(&record, ExportForm::Interchange), expected(&kept, "export.jsonl"), "kill {nth}");
        assert_eq!(exported(&record, ExportForm::Log), expected(&kept, "log.jsonl"), "kill {nth}");
    }
    assert!(old > 0, "no kill came early enough");
}
