//! The names of files that stand in a record's folder only while something is under way, and their removal where it was
//! cut off.

use std::fs::{self, File};
use std::path::Path;

use super::database::RECORD_FILE;
use crate::base::error::Result;
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

fn name((before, after): (&str, &str)) -> Result<String> {
    Ok(format!("{before}{}{after}", random_hex(RANDOM_BYTES)?))
}

fn is_one_of(name: &str, (before, after): (&str, &str)) -> bool {
    let digits = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    digits.is_some_and(|digits| digits.len() == 2 * RANDOM_BYTES && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Removes what was left by a process that did not come to its end, and nothing that is in use.
///
/// Only where a record is there: one that is still being made elsewhere will not be the one that stays.
pub(crate) fn sweep(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())) {
        let named = entry.file_name();
        let Some(name) = named.to_str() else { continue };
        let new = || BESIDE.iter().any(|suffix| name.strip_suffix(suffix).is_some_and(|stem| is_one_of(stem, NEW)));
        let staged = || is_one_of(name, STAGING) && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_one_of(name, PROBE) || staged() || (new() && dir.join(RECORD_FILE).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
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
}
