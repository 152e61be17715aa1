//! A disk that is full, one that may only be read, too few files that may be open, and no threads, each in a process of its own.
//!
//! The small file system is mounted in a name space of the child; where the machine allows none, the size of its files is
//! limited instead, which fails at the same calls.

use std::process::{Command, Stdio};

fn worker(verb: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_string_lossy().into_owned();
    let out = Command::new(env!("CARGO_BIN_EXE_stele-worker")).args([verb, &place]).stdin(Stdio::null()).output().expect("a process");
    assert!(out.status.success(), "{verb}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

#[test]
fn a_full_disk_is_a_typed_error_and_loses_nothing() {
    let said = worker("fill");
    assert!(said.ends_with("done\n"), "{said}");
    if !said.contains("mounted") {
        println!("NO FILE SYSTEM COULD BE MOUNTED HERE: the size of files was limited instead of a disk being full");
    }
}

#[test]
fn a_disk_that_turns_read_only_refuses_writes_and_still_answers() {
    let said = worker("freeze");
    assert!(said.ends_with("done\n"), "{said}");
    if !said.contains("mounted") {
        println!("NO FILE SYSTEM COULD BE MOUNTED HERE: a disk that turns read-only was not tried");
    }
}

#[test]
fn where_no_more_files_can_be_opened_that_is_said_and_nothing_is_lost() {
    assert_eq!(worker("few-files"), "done\n");
}

#[test]
fn where_no_thread_can_be_had_all_but_the_text_index_is_done_on_the_callers() {
    let said = worker("no-threads");
    if said == "unlimited\n" {
        println!("THREADS CANNOT BE FORBIDDEN HERE: what is done without them was not tried");
    } else {
        assert_eq!(said, "done\n");
    }
}
