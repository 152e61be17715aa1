//! The names of files that stand in a record's folder only while something is under way, and their removal where it was
//! cut off.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::creation::IGNORE;
use super::database::{RECORD_FILE, io};
use crate::base::error::Result;
use crate::base::file_lock::FileLock;
use crate::base::id::random_hex;

/// What such names begin and end with; between them stand random hexadecimal digits.
const NEW: (&str, &str) = ("record.db.", ".new");
const PROBE: (&str, &str) = ("probe-", "");
const STAGING: (&str, &str) = ("import-", ".staging");
/// What SQLite adds to the name of a file for those that it keeps beside it.
const BESIDE: [&str; 4] = ["", "-journal", "-wal", "-shm"];
/// How many bytes the digits stand for.
const RANDOM_BYTES: usize = 8;

/// A name for a record that is being made.
pub(super) fn new_name() -> Result<String> {
    name(NEW)
}

/// A name for a file that tells whether one can be made.
pub(super) fn probe_name() -> Result<String> {
    name(PROBE)
}

/// Makes a file of an import, which stays until it is closed.
///
/// # Errors
/// `storage` and its like.
pub(crate) fn make_staging(dir: &Path) -> Result<(PathBuf, File)> {
    make_held(|| Ok(dir.join(name(STAGING)?)))
}

/// Makes a file for an export to a file of that name, beside it; it stays until it is closed.
///
/// # Errors
/// `storage` and its like.
pub(crate) fn make_export(folder: &Path, name: &OsStr) -> Result<(PathBuf, File)> {
    make_held(|| Ok(folder.join(export_name(name)?)))
}

/// Makes a file that nobody else reads and that no sweep takes away while it is open.
///
/// A sweep may come between making and locking it: it then has another name.
fn make_held(path: impl Fn() -> Result<PathBuf>) -> Result<(PathBuf, File)> {
    loop {
        let path = path()?;
        let file = private(OpenOptions::new().read(true).write(true).create_new(true)).open(&path).map_err(|cause| io(&path, "make", cause))?;
        match file.try_lock() {
            Ok(()) if path.exists() => return Ok((path, file)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // Where a file system has no locks, nothing is swept, and what a killed process leaves stays.
            Err(TryLockError::Error(_)) => return Ok((path, file)),
        }
    }
}

/// Lets a file be made that only the user reads.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

fn export_name(name: &OsStr) -> Result<OsString> {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".");
    hidden.push(random_hex(RANDOM_BYTES)?);
    Ok(hidden)
}

/// Removes what killed exports to a file of that name left beside it.
pub(crate) fn sweep_exports(folder: &Path, name: &OsStr) {
    let Some(name) = name.to_str() else { return };
    each_file(folder, |path, found| {
        if is_one_of(found, (&format!(".{name}."), "")) {
            remove_unheld(path);
        }
    });
}

fn name((before, after): (&str, &str)) -> Result<String> {
    Ok(format!("{before}{}{after}", random_hex(RANDOM_BYTES)?))
}

fn is_new(name: &str) -> bool {
    BESIDE.iter().any(|suffix| name.strip_suffix(suffix).is_some_and(|stem| is_one_of(stem, NEW)))
}

fn is_one_of(name: &str, (before, after): (&str, &str)) -> bool {
    let digits = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    digits.is_some_and(|digits| digits.len() == 2 * RANDOM_BYTES && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Removes what was left by a process that did not come to its end, and nothing in use.
///
/// Only where a record is there: one that is still being made elsewhere will not be the one that stays.
pub(crate) fn sweep(dir: &Path) {
    each_file(dir, |path, name| {
        if is_one_of(name, STAGING) {
            remove_unheld(path);
        } else if is_one_of(name, PROBE) || (is_new(name) && dir.join(RECORD_FILE).exists()) {
            let _ = fs::remove_file(path);
        }
    });
}

/// True if a folder holds nothing but what a record that was not finished leaves.
///
/// # Errors
/// `storage` and its like.
pub(super) fn holds_leftovers_only(dir: &Path) -> Result<bool> {
    let entries = fs::read_dir(dir).map_err(|cause| io(dir, "look into", cause))?;
    Ok(entries.flatten().all(|entry| entry.file_name().to_str().is_some_and(|name| name == IGNORE || is_new(name))))
}

/// Looks at the regular files of a folder. What cannot be removed now is met again the next time.
fn each_file(dir: &Path, look: impl Fn(&Path, &str)) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if let Some(name) = entry.file_name().to_str().filter(|_| regular) {
            look(&entry.path(), name);
        }
    }
}

/// Removes a file that nobody uses, under its lock: whoever makes it just then sees that it is gone.
fn remove_unheld(path: &Path) {
    if let Some(_lock) = File::open(path).ok().and_then(|file| FileLock::alone(file).ok()) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn what_was_left_goes_and_what_is_in_use_or_is_not_ours_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let (new, probe, left, held) = (new_name(), probe_name(), name(STAGING), name(STAGING));
        let names = [new, probe, left, held].map(|made| made.expect("random digits"));
        let foreign = ["record.db.new", "record.db.0123456789abcdef.newer", "probe-0", "import-notes.staging", "record.db.0123456789abcdeg.new"];
        for name in names.iter().map(String::as_str).chain(foreign) {
            fs::write(dir.join(name), "x").expect("written");
        }
        let beside = format!("{}-wal", names[0]);
        fs::write(dir.join(&beside), "x").expect("written");
        let held = File::open(dir.join(&names[3])).expect("there");
        held.try_lock().expect("locked");
        let there = |name: &str| dir.join(name).exists();

        sweep(dir);
        assert!(there(&names[0]) && there(&beside), "a record that is being made");
        assert!(!there(&names[1]) && !there(&names[2]) && there(&names[3]));
        fs::write(dir.join(RECORD_FILE), "x").expect("written");
        sweep(dir);
        assert!(!there(&names[0]) && !there(&beside));
        assert!(there(RECORD_FILE) && there(&names[3]) && foreign.iter().all(|name| there(name)));
    }

    #[test]
    fn a_file_that_is_made_while_others_sweep_stays_until_it_is_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (dir, target) = (folder.path(), OsStr::new("out.jsonl"));
        let ended = AtomicBool::new(false);
        let lost = std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !ended.load(Ordering::Relaxed) {
                        sweep(dir);
                        sweep_exports(dir, target);
                    }
                });
            }
            let is_lost = |_: &usize| {
                let files = [make_export(dir, target).expect("a file"), make_staging(dir).expect("a file")];
                std::thread::yield_now();
                files.into_iter().any(|(path, _open)| fs::remove_file(path).is_err())
            };
            let lost = (0..2_000).filter(is_lost).count();
            ended.store(true, Ordering::Relaxed);
            lost
        });
        assert_eq!(lost, 0);
    }

    #[test]
    fn what_a_killed_export_left_goes_with_the_next_one_to_the_same_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |name: &str| folder.path().join(export_name(OsStr::new(name)).expect("random digits"));
        let (left, held, other) = (name("out.jsonl"), name("out.jsonl"), name("other.jsonl"));
        for path in [&left, &held, &other] {
            fs::write(path, "x").expect("written");
        }
        let lock = File::open(&held).expect("there");
        lock.try_lock().expect("locked");
        sweep_exports(folder.path(), OsStr::new("out.jsonl"));
        assert!(!left.exists() && held.exists() && other.exists());
    }
}
