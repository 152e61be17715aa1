//! Files that are links, damaged, foreign, or somewhere else.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use stele_core::{Category, Code, Error, ErrorKind, Format, Record, RetrieveOptions, Status};
use stele_tests::TestRecord;

use crate::world::{Dice, answers, bytes_of, caught_up, checkpoint, copy, kept_bytes, read_everything, settle};

fn world() -> TestRecord {
    let test = TestRecord::new();
    settle(&test.record);
    test
}

fn no_deleting(error: &Error) {
    let message = error.to_string();
    for word in ["delet", "remove", " rm ", "erase"] {
        assert!(!message.contains(word), "{message}");
    }
}

#[test]
fn a_new_record_is_private_and_keeps_itself_out_of_version_control() {
    let test = world();
    caught_up(&test.record);
    let window = RetrieveOptions::new().session("s").deliver();
    test.record.retriever().retrieve("where does the barometer hang today?", &window).expect("a window");
    let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&test.dir()), 0o700);
    for name in ["record.db", "record.db-wal", "sessions.db", "index.lock"] {
        assert_eq!(mode(&test.dir().join(name)), 0o600, "{name}");
    }
    for name in ["text", "vectors"] {
        assert_eq!(mode(&test.dir().join(name)), 0o700, "{name}");
    }
    assert_eq!(fs::read_to_string(test.dir().join(".gitignore")).expect("a file"), "*\n");
    let strange: Vec<_> = fs::read_dir(test.dir())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| {
            !["record.db", "record.db-wal", "record.db-shm", "sessions.db", "sessions.db-wal", "sessions.db-shm", "index.lock", "text", "vectors", ".gitignore"]
                .contains(&name.as_str())
        })
        .collect();
    assert_eq!(strange, [""; 0]);
}

#[test]
fn a_symbolic_link_in_place_of_the_record_is_refused() {
    for name in ["record.db", "record.db-wal", "record.db-shm", "record.db-journal", "."] {
        let test = world();
        test.record.close();
        let target = test.outside().join("target");
        let place = if name == "." { test.dir() } else { test.dir().join(name) };
        fs::rename(&place, &target).or_else(|_| fs::write(&target, "")).expect("moved");
        symlink(&target, &place).expect("a link");
        let before = if name == "." { bytes_of(&target) } else { bytes_of(&test.outside()) };
        for read_only in [true, false] {
            let error = Record::options().read_only(read_only).open(test.dir()).err().unwrap_or_else(|| panic!("{name} is a link"));
            assert_eq!((error.code(), error.kind()), (Code::SymlinkRefused, ErrorKind::Io), "{error}");
            assert!(error.detail("path").is_some());
            no_deleting(&error);
        }
        assert!(before == if name == "." { bytes_of(&target) } else { bytes_of(&test.outside()) }, "{name}");
    }
    // A link that leads nowhere is not followed either: nothing is made at its other end.
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".stele")).expect("a folder");
    symlink(folder.path().join("elsewhere"), folder.path().join(".stele/record.db")).expect("a link");
    assert_eq!(Record::open(folder.path().join(".stele")).err().expect("a link").code(), Code::SymlinkRefused);
    assert!(!folder.path().join("elsewhere").exists());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "who waits without end is left behind")]
fn a_pipe_in_place_of_a_file_of_the_record_is_an_error_and_nobody_waits_for_its_other_end() {
    for name in ["record.db", "record.db-wal", "record.db-shm", "record.db-journal"] {
        let test = world();
        test.record.close();
        let place = test.dir().join(name);
        let _ = fs::remove_file(&place);
        assert!(Command::new("mkfifo").arg(&place).status().expect("a program of every Unix").success());
        for read_only in [true, false] {
            let (send, opened) = mpsc::channel();
            let dir = test.dir();
            thread::spawn(move || send.send(Record::options().read_only(read_only).open(dir).err()));
            let error = opened.recv_timeout(Duration::from_secs(60)).expect("an answer").unwrap_or_else(|| panic!("{name} is a pipe"));
            assert_eq!(error.code(), Code::Storage, "{error}");
            assert!(error.detail("path").is_some_and(|path| path.ends_with(name)), "{error}");
            no_deleting(&error);
        }
    }
}

#[test]
fn a_symbolic_link_in_place_of_an_index_is_not_followed() {
    for name in ["text", "vectors", "index.lock"] {
        let test = world();
        let expected = answers(&test.record);
        let target = test.outside().join("target");
        if name == "index.lock" {
            fs::write(&target, "theirs").expect("a file")
        } else {
            fs::create_dir(&target).expect("a folder")
        }
        symlink(&target, test.dir().join(name)).expect("a link");
        let error = test.record.catch_up().expect_err("a link");
        assert_eq!(error.code(), Code::SymlinkRefused, "{error}");
        no_deleting(&error);
        assert_eq!(answers(&test.record), expected, "{name}");
        assert_eq!(answers(&test.again()), expected, "{name}");
        if name == "index.lock" {
            assert_eq!(fs::read_to_string(&target).expect("a file"), "theirs");
        } else {
            assert_eq!(bytes_of(&target).len(), 0, "{name}");
            // The other index is not held up.
            let other = if name == "text" { "vectors/manifest.json" } else { "text/meta.json" };
            assert!(test.dir().join(other).exists(), "{other}");
        }
    }
}

#[test]
fn a_broken_file_of_sessions_is_started_anew_with_a_warning() {
    for damage in 0..4 {
        let test = world();
        test.record.close();
        let path = test.dir().join("sessions.db");
        match damage {
            0 => fs::write(&path, "garbage that is no database, at some length").expect("a file"),
            1 => fs::write(&path, vec![0; 8_192]).expect("a file"),
            2 => fs::create_dir(&path).expect("a folder"),
            _ => {
                fs::write(test.outside().join("theirs"), "theirs").expect("a file");
                symlink(test.outside().join("theirs"), &path).expect("a link");
            }
        }
        let record = test.again();
        let options = RetrieveOptions::new().session("s").deliver();
        let look = || record.retriever().retrieve("what is said about the barometer number 12?", &options).expect("a window");
        let first = look();
        assert_eq!(first.status, Status::Found, "{damage}");
        let again = look();
        let shown = |window: &stele_core::Retrieval| window.entries.iter().map(|entry| entry.id).collect::<Vec<_>>();
        assert!(shown(&again).iter().all(|id| !shown(&first).contains(id)), "{damage}: what was served is remembered");
        let health = record.health().expect("health");
        assert!(health.findings.iter().any(|finding| finding.check == "sessions"), "{damage}: {health:?}");
        if damage == 3 {
            assert_eq!(fs::read_to_string(test.outside().join("theirs")).expect("a file"), "theirs");
        }
    }
}

#[test]
fn a_record_that_was_cut_or_emptied_is_damaged_and_stays_as_it_is() {
    let test = world();
    test.record.close();
    let with_log = test.outside().join("with-log");
    copy(&test.dir(), &with_log);
    checkpoint(&test.dir());
    let length = fs::metadata(test.dir().join("record.db")).expect("there").len() as usize;
    for whole in [&with_log, &test.dir()] {
        for keep in [0, 1, 99, 100, 511, 4_096, length / 2 / 4_096 * 4_096, length / 2, length - 1] {
            let dir = test.outside().join("cut");
            copy(whole, &dir);
            let bytes = fs::read(dir.join("record.db")).expect("a file");
            if keep >= bytes.len() {
                fs::remove_dir_all(&dir).expect("there");
                continue;
            }
            fs::write(dir.join("record.db"), &bytes[..keep]).expect("a file");
            let before = kept_bytes(&dir);
            for read_only in [true, false] {
                let what = format!("{keep} bytes of {}", bytes.len());
                match Record::options().read_only(read_only).open(&dir) {
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Corrupt, "{what}: {error:?}");
                        no_deleting(&error);
                        let after = kept_bytes(&dir);
                        assert!(
                            before == after,
                            "{what}: {:?} became {:?}",
                            before.iter().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>(),
                            after.iter().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>()
                        );
                    }
                    Ok(record) => {
                        // What the write-ahead log holds whole can be read whole.
                        let errors = read_everything(&record);
                        assert!(errors.iter().all(|error| error.kind() == ErrorKind::Corrupt || error.kind() == ErrorKind::NotFound), "{what}: {errors:?}");
                        assert!(whole == &with_log || !errors.is_empty(), "{what} read as if nothing were missing");
                    }
                }
            }
            fs::remove_dir_all(&dir).expect("there");
        }
    }
}

#[test]
fn a_write_ahead_log_without_its_record_is_not_thrown_away() {
    let test = world();
    test.record.close();
    let wal = fs::read(test.dir().join("record.db-wal")).expect("a log");
    assert!(!wal.is_empty());
    let bytes = fs::read(test.dir().join("record.db")).expect("a file");
    for empty in [true, false] {
        if empty {
            fs::write(test.dir().join("record.db"), "").expect("emptied")
        } else {
            fs::remove_file(test.dir().join("record.db")).expect("there")
        }
        for read_only in [true, false] {
            let error = Record::options().read_only(read_only).open(test.dir()).err().expect("damaged");
            assert_eq!(error.code(), Code::Damaged, "{error}");
            no_deleting(&error);
        }
        assert_eq!(fs::read(test.dir().join("record.db-wal")).expect("a log"), wal);
    }
    fs::write(test.dir().join("record.db"), bytes).expect("put back");
    assert_eq!(test.again().verify_log().expect("a whole chain"), 30);
}

#[test]
fn a_write_ahead_log_that_was_cut_anywhere_leaves_a_prefix() {
    let test = TestRecord::new();
    let mut hashes = vec![test.record.head_hash().expect("a hash")];
    for nth in 0..20 {
        test.fact(Category::Fyi, &format!("Fact {nth}"), &"word ".repeat(nth * 40));
        hashes.push(test.record.head_hash().expect("a hash"));
    }
    test.record.close();
    let wal = fs::read(test.dir().join("record.db-wal")).expect("a log");
    let mut dice = Dice(3);
    let mut heads = std::collections::BTreeSet::new();
    for trial in 0..40 {
        let dir = test.outside().join(format!("cut-{trial}"));
        copy(&test.dir(), &dir);
        fs::remove_file(dir.join("record.db-shm")).expect("there");
        let keep = dice.below(wal.len());
        let mut bytes = wal[..keep].to_vec();
        if trial % 2 == 1 {
            // A page that was written in part.
            bytes.extend((0..2_000).map(|_| dice.below(256) as u8));
        }
        fs::write(dir.join("record.db-wal"), bytes).expect("a file");
        let record = Record::open(&dir).expect("opens");
        let head = record.verify_log().expect("a whole chain");
        assert_eq!(record.head_hash().expect("a hash"), hashes[head as usize], "{keep} bytes");
        assert_eq!(read_everything(&record).iter().filter(|error| error.kind() != ErrorKind::NotFound && error.code() != Code::OutOfRange).count(), 0);
        assert_eq!(record.recorder("tester").expect("a recorder").fact(Category::Fyi, "Next").record().expect("a fact").id.number, head + 1);
        heads.insert(head);
    }
    assert!(heads.len() > 5, "{heads:?}");
}

#[test]
fn what_is_no_record_is_told_so_and_left_alone() {
    type Make = fn(&std::path::Path);
    let foreign: Make = |dir| {
        let conn = rusqlite::Connection::open(dir.join("record.db")).expect("a database");
        conn.execute_batch("PRAGMA user_version = 1; CREATE TABLE things(name TEXT)").expect("a table");
    };
    let cases: [(&str, Make); 5] = [
        ("text", |dir| fs::write(dir.join("record.db"), "not a database, whatever its name says; long enough for a header").expect("a file")),
        ("zeros", |dir| fs::write(dir.join("record.db"), vec![0; 8_192]).expect("a file")),
        ("empty", |dir| fs::write(dir.join("record.db"), "").expect("a file")),
        ("foreign", foreign),
        ("nothing in it", |dir| {
            rusqlite::Connection::open(dir.join("record.db")).expect("a database").execute_batch("PRAGMA user_version = 0; VACUUM").expect("a file")
        }),
    ];
    for (name, make) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path());
        let before = fs::read(folder.path().join("record.db")).expect("a file");
        for read_only in [true, false] {
            let error = Record::options().read_only(read_only).open(folder.path()).err().unwrap_or_else(|| panic!("{name} is no record"));
            assert_eq!(error.code(), Code::Damaged, "{name}: {error:?}");
        }
        assert!(before == fs::read(folder.path().join("record.db")).expect("a file"), "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("record.db")).expect("a folder");
    assert_eq!(Record::open(folder.path()).err().expect("no record").kind(), ErrorKind::Io);
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("a file");
    let error = Record::open(file.join("below")).err().expect("no folder");
    assert_eq!(error.kind(), ErrorKind::Io, "{error:?}");
    for (create, read_only) in [(false, false), (true, true)] {
        let error = Record::options().create(create).read_only(read_only).open(folder.path().join("none")).err().expect("no record");
        assert_eq!((error.code(), error.kind()), (Code::NoRecord, ErrorKind::NotFound));
        assert!(!folder.path().join("none").exists());
    }
}

#[test]
fn a_newer_format_is_refused_untouched() {
    let test = world();
    test.record.close();
    checkpoint(&test.dir());
    let conn = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    conn.execute_batch("PRAGMA user_version = 99").expect("a version");
    drop(conn);
    checkpoint(&test.dir());
    let before = bytes_of(&test.dir());
    for read_only in [true, false] {
        let error = Record::options().read_only(read_only).open(test.dir()).err().expect("newer");
        assert_eq!((error.code(), error.kind()), (Code::NewerFormat, ErrorKind::Incompatible), "{error}");
        assert!(error.to_string().contains("99"), "{error}");
    }
    let after = bytes_of(&test.dir());
    assert!(before[&test.dir().join("record.db")] == after[&test.dir().join("record.db")]);
}

#[test]
fn random_damage_inside_the_record_never_panics_and_every_error_is_typed() {
    let test = world();
    test.record.close();
    checkpoint(&test.dir());
    let whole = fs::read(test.dir().join("record.db")).expect("a file");
    let mut dice = Dice(29);
    let mut seen = 0;
    for trial in 0..60 {
        let dir = test.outside().join(format!("damaged-{trial}"));
        fs::create_dir(&dir).expect("a folder");
        let mut bytes = whole.clone();
        for _ in 0..1 << (trial % 6) {
            let at = dice.below(bytes.len());
            let end = (at + 1 + dice.below(64)).min(bytes.len());
            bytes[at..end].iter_mut().for_each(|byte| *byte = dice.below(256) as u8);
        }
        fs::write(dir.join("record.db"), bytes).expect("a file");
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let record = match Record::open(&dir) {
                Ok(record) => record,
                Err(error) => return vec![error],
            };
            let mut errors = read_everything(&record);
            let recorder = record.recorder("tester").expect("a recorder");
            errors.extend(recorder.fact(Category::Fyi, "After the damage, see KNOW-3").record().err());
            errors.extend(recorder.revise("KNOW-3", stele_core::Revision::new().title("After the damage")).err());
            errors.extend(recorder.supersede("KNOW-4", "KNOW-5").reason("it ended").unverified().record().err());
            errors.extend(record.catch_up().err());
            errors
        }));
        let errors = outcome.unwrap_or_else(|_| panic!("trial {trial} panicked"));
        seen += usize::from(!errors.is_empty());
        for error in errors {
            assert!(
                matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound | ErrorKind::Incompatible | ErrorKind::Conflict),
                "trial {trial}: {error:?}"
            );
            no_deleting(&error);
        }
    }
    assert!(seen > 20, "{seen} of 60 were noticed");
}

#[test]
fn a_folder_that_was_moved_away_is_gone_until_it_is_back() {
    let test = world();
    let recorder = test.recorder();
    let retriever = test.record.retriever();
    let elsewhere = test.outside().join("elsewhere");
    let gone = || {
        let errors = [
            recorder.fact(Category::Fyi, "Lost?").record().err(),
            retriever.get("KNOW-1").err(),
            retriever.retrieve("where does the barometer hang today?", &RetrieveOptions::new().session("s").deliver()).err(),
            test.record.head().err(),
            test.record.catch_up().err(),
            test.record.verify_log().err(),
            recorder.transaction(|recorder| recorder.review("KNOW-1", "")).err(),
        ];
        for error in errors {
            let error = error.expect("it is gone");
            assert_eq!((error.code(), error.kind()), (Code::Gone, ErrorKind::Io), "{error:?}");
            no_deleting(&error);
        }
    };
    fs::rename(test.dir(), &elsewhere).expect("moved");
    gone();
    assert!(!test.dir().exists(), "nothing is made where it was");
    // Another record in its place is not taken for it.
    let other = Record::open(test.dir()).expect("another record");
    let before = bytes_of(&test.dir());
    gone();
    assert!(before == bytes_of(&test.dir()));
    other.close();
    fs::remove_dir_all(test.dir()).expect("there");
    fs::rename(&elsewhere, test.dir()).expect("moved back");
    recorder.fact(Category::Fyi, "Not lost").record().expect("a fact");
    assert_eq!(test.record.verify_log().expect("a whole chain"), 31);
    assert!(retriever.retrieve("was it not lost after all, then?", &RetrieveOptions::new()).expect("a window").render(Format::Text).contains("Not lost"));
}
