//! Processes beside each other, killed, forked, without rights. They stand in a program of their own: a process that is
//! being started holds its parent's locks for a moment.
#![expect(clippy::disallowed_methods, reason = "processes are killed at odd moments")]

#[allow(dead_code, reason = "shared with tests that use more of it")]
#[path = "store_hazards/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use stele_core::{Category, Record, SearchMode, SearchOptions};
use stele_tests::TestRecord;

use crate::world::{Dice, bytes_of, caught_up, checkpoint, copy, settle};

fn worker(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stele-worker"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn line_of(out: &mut BufReader<std::process::ChildStdout>) -> String {
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    line.trim().to_owned()
}

#[test]
fn eight_processes_write_beside_a_reader_and_each_finds_everything() {
    const PROCESSES: usize = 8;
    const EACH: usize = 200;
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    // They also make the record between them; the reader comes as soon as there is one.
    let mut children: Vec<(Child, BufReader<_>)> = (0..PROCESSES)
        .map(|own| {
            let mut child = worker(&["share", &dir.to_string_lossy(), &own.to_string(), &PROCESSES.to_string(), &EACH.to_string()]).spawn().expect("a process");
            let out = BufReader::new(child.stdout.take().expect("its output"));
            (child, out)
        })
        .collect();
    let reader = loop {
        match Record::options().read_only(true).open(&dir) {
            Ok(reader) => break reader,
            Err(error) => assert_eq!(error.code(), stele_core::Code::NoRecord, "{error:?}"),
        }
        thread::sleep(Duration::from_millis(5));
    };
    let mut last = 0;
    while last < (PROCESSES * EACH) as u64 {
        let head = reader.head().expect("no lock error reaches a reader");
        assert!(head >= last);
        let hits = reader.retriever().search("barometer in the hall", &SearchOptions::new()).expect("no lock error reaches a reader");
        assert!(head == 0 || !hits.is_empty());
        last = head;
        for (child, _) in &mut children {
            assert!(child.try_wait().expect("its state").is_none(), "a writer gave up");
        }
    }
    for (_, out) in &mut children {
        assert_eq!(line_of(out), "written");
    }
    for (child, out) in &mut children {
        child.stdin.take().expect("its input").write_all(b"look\n").expect("it listens");
        assert_eq!(line_of(out), "found");
    }
    for (mut child, _) in children {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(reader.verify_log().expect("a whole chain"), 1_600);
    for mode in [SearchMode::Text, SearchMode::Semantic] {
        let hits: usize = (0..PROCESSES)
            .map(|own| {
                reader
                    .retriever()
                    .search("barometer in the hall of the lighthouse", &SearchOptions::new().mode(mode).limit(1_000).tags([format!("writer{own}")]))
                    .expect("hits")
                    .len()
            })
            .sum();
        assert_eq!(hits, 1_600, "{mode}");
    }
}

#[test]
fn a_writer_that_is_killed_loses_nothing_that_it_acknowledged() {
    let mut dice = Dice(41);
    for nth in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join(".stele");
        let mut acknowledged: Vec<String> = Vec::new();
        for _ in 0..10 {
            let mut child = worker(&["until-killed", &dir.to_string_lossy()]).spawn().expect("a process");
            let mut out = BufReader::new(child.stdout.take().expect("its output"));
            // The first kills hit the making of the record.
            if nth == 0 || !acknowledged.is_empty() {
                acknowledged.push(line_of(&mut out));
            }
            thread::sleep(Duration::from_micros(dice.below(60_000) as u64));
            child.kill().expect("killed");
            child.wait().expect("it ended");
            acknowledged.extend(out.lines().map(|line| line.expect("a line")));
            check_killed(&dir, &acknowledged);
        }
        assert!(nth > 0 || acknowledged.len() > 10, "{acknowledged:?}");
    }
}

fn check_killed(dir: &Path, acknowledged: &[String]) {
    let record = Record::options().without_embedder().open(dir).expect("opens after a kill");
    let head = record.verify_log().expect("a whole chain");
    let retriever = record.retriever();
    let titles: BTreeSet<String> = (1..=head).map(|number| retriever.get(&format!("KNOW-{number}")).expect("no gap").title).collect();
    assert_eq!(titles.len() as u64, head);
    for line in acknowledged.iter().filter(|line| line.ends_with(|last: char| last.is_ascii_digit())) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["single", id, title] => assert_eq!(retriever.get(id).expect("acknowledged").title, format!("{title} fact")),
            ["batch", title] => assert!(titles.contains(&format!("{title} part one")), "{title}"),
            _ => {}
        }
    }
    // Of three at a time there are all or none, whether or not the end was acknowledged.
    for title in titles.iter().filter(|title| title.starts_with("Batch")) {
        let start = title.split(' ').next().expect("a word");
        assert_eq!(titles.iter().filter(|title| title.split(' ').next() == Some(start)).count(), 3, "{start}");
    }
    // The last word is found, whatever state the indexes were left in.
    if let Some(last) = titles.iter().filter(|title| title.starts_with("Single")).max_by_key(|title| title.len()) {
        let hits = retriever.search(last.split(' ').next().expect("a word"), &SearchOptions::new()).expect("hits");
        assert_eq!(hits.first().map(|hit| hit.title.clone()).as_ref(), Some(last));
    }
    let id = record.recorder("tester").expect("a recorder").fact(Category::Fyi, format!("After{head} a kill")).record().expect("it goes on").id;
    assert_eq!(id.number, head + 1);
    assert!(!dir.join("record.db.new").exists());
}

#[test]
fn a_forked_child_is_refused_and_can_open_for_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = worker(&["fork", &folder.path().join(".stele").to_string_lossy()]).output().expect("a process");
    assert!(out.status.success() && out.stdout == b"done\n", "{out:?}");
}

#[test]
fn a_child_that_was_forked_in_the_middle_of_indexing_keeps_nothing_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = worker(&["fork-at-indexing", &folder.path().join(".stele").to_string_lossy()]).output().expect("a process");
    assert!(out.status.success() && out.stdout == b"done\n", "{out:?}");
}

#[test]
fn a_host_that_changes_its_working_folder_keeps_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = worker(&["wander", &folder.path().to_string_lossy()]).output().expect("a process");
    assert!(out.status.success() && out.stdout == b"done\n", "{out:?}");
}

/// Runs the worker as a user without rights to the folder, where this one has the right to become another.
fn as_stranger(outside: &Path, arguments: &[&str]) -> String {
    // The stranger must be able to run it.
    let program = outside.join("worker");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_stele-worker"), &program).expect("a copy");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its rights");
        fs::set_permissions(outside, fs::Permissions::from_mode(0o755)).expect("its rights");
    }
    let run = |stranger: bool| {
        let mut command = Command::new(&program);
        command.args(arguments).stderr(Stdio::piped());
        if stranger {
            command.uid(65_534).gid(65_534);
        }
        command.output()
    };
    let out = run(true).or_else(|_| run(false)).expect("a process");
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).expect("text").trim().to_owned()
}

fn set_rights(dir: &Path, folder: u32, file: u32) {
    for (path, _) in bytes_of(dir) {
        fs::set_permissions(path, fs::Permissions::from_mode(file)).expect("rights");
    }
    for path in [dir.to_owned(), dir.join("text"), dir.join("vectors")] {
        fs::set_permissions(path, fs::Permissions::from_mode(folder)).expect("rights");
    }
}

#[test]
fn a_folder_without_write_permission_can_be_read_and_not_written() {
    let test = TestRecord::new();
    settle(&test.record);
    caught_up(&test.record);
    test.record.close();
    let dir = test.outside().join("locked");
    copy(&test.dir(), &dir);
    let query = "where does the barometer hang and when is it read?";
    let place = dir.to_string_lossy().into_owned();
    let expected = test.again().retriever().search(query, &SearchOptions::new()).expect("hits").len();

    // With a write-ahead log that only a writer could take in, an older record is never served.
    set_rights(&dir, 0o555, 0o444);
    let before = bytes_of(&dir);
    assert_eq!(as_stranger(&test.outside(), &["read", &place, query]), "wal_needs_writer");
    assert!(as_stranger(&test.outside(), &["refuse", &place]).starts_with("refused "));
    assert!(before == bytes_of(&dir));

    set_rights(&dir, 0o755, 0o644);
    checkpoint(&dir);
    set_rights(&dir, 0o555, 0o444);
    let before = bytes_of(&dir);
    let said = as_stranger(&test.outside(), &["read", &place, query]);
    assert!(said.starts_with(&format!("hits {expected} entries ")) && !said.ends_with(" 0"), "{said}");
    assert!(as_stranger(&test.outside(), &["refuse", &place]).starts_with("refused "));
    assert!(before == bytes_of(&dir));
    set_rights(&dir, 0o755, 0o644);

    // Nor can one be made there.
    let bare = test.outside().join("bare");
    fs::create_dir(&bare).expect("a folder");
    fs::set_permissions(&bare, fs::Permissions::from_mode(0o555)).expect("rights");
    assert!(as_stranger(&test.outside(), &["refuse", &bare.join(".stele").to_string_lossy()]).starts_with("refused "));
    assert_eq!(fs::read_dir(&bare).expect("a folder").count(), 0);
}
