//! The names of files that stand in a record's folder only while something is under way, and their removal where it was
//! cut off.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;

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

/// A name for a file of an import, which must be locked for as long as it is in use.
pub(crate) fn staging_name() -> Result<String> {
    name(STAGING)
}

/// A name for the file of an export to a file of that name, beside it; it must be locked as those of imports.
pub(crate) fn export_name(name: &OsStr) -> Result<OsString> {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".");
    hidden.push(random_hex(RANDOM_BYTES)?);
    Ok(hidden)
}

/// Removes what killed exports to a file of that name left beside it.
pub(crate) fn sweep_exports(folder: &Path, name: &OsStr) {
    let Some(name) = name.to_str() else { return };
    remove_files(folder, |path, found| is_one_of(found, (&format!(".{name}."), "")) && nobody_holds(path));
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
    remove_files(dir, |path, name| {
        is_one_of(name, PROBE) || (is_one_of(name, STAGING) && nobody_holds(path)) || (is_new(name) && dir.join(RECORD_FILE).exists())
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

/// Removes the regular files of a folder that are doomed. What cannot be removed now is met again the next time.
fn remove_files(dir: &Path, doomed: impl Fn(&Path, &str) -> bool) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if regular && entry.file_name().to_str().is_some_and(|name| doomed(&entry.path(), name)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn nobody_holds(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| FileLock::alone(file).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_goes_and_what_is_in_use_or_is_not_ours_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let (new, probe, left, held) = (new_name(), probe_name(), staging_name(), staging_name());
        let names = [new, probe, left, held].map(|name| name.expect("random digits"));
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
