//! Makes an empty record, whole or not at all.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::database::{PAGE_BYTES, RECORD_FILE, Trouble, io, make_private};
use super::leftovers::new_name;
use super::schema::{FORMAT, TABLES};
use crate::base::error::Result;
use crate::base::fail_points::fail_point;
use crate::base::id::{random_bytes, random_hex};

/// The file that keeps a record out of version control.
pub(super) const IGNORE: &str = ".gitignore";

/// Makes an empty record in a folder, and the folder if there is none.
///
/// # Errors
/// `storage`, `disk_full` and their like.
pub(super) fn create(dir: &Path) -> Result<()> {
    make_folder(dir)?;
    make_record(dir)
}

/// Makes the record's folder, private to the user, with a `.gitignore` that keeps it out of version control.
pub(super) fn make_folder(dir: &Path) -> Result<()> {
    make_private(dir)?;
    let ignore = dir.join(IGNORE);
    // One that holds nothing was not finished.
    if !fs::metadata(&ignore).is_ok_and(|known| known.len() > 0) {
        fs::write(&ignore, "*\n").map_err(|cause| io(&ignore, "write", cause))?;
    }
    fail_point!(FolderMade);
    Ok(())
}

/// Makes an empty record under another name and puts it in place whole, so that what stands there under its own name
/// is never half made. Where two processes do so at once, the first one's stays.
fn make_record(dir: &Path) -> Result<()> {
    let path = dir.join(RECORD_FILE);
    let new = dir.join(new_name()?);
    let made = make_tables(&new).and_then(|()| match fs::hard_link(&new, &path) {
        // Some file systems know no second name for a file.
        Err(_) if !path.exists() => fs::rename(&new, &path).map_err(|cause| io(&path, "make", cause)),
        _ => Ok(()),
    });
    fail_point!(RecordLinked);
    let _ = fs::remove_file(&new);
    // Where another process was first, whatever kept this one from it does not matter: it may have swept the file away.
    if !path.exists() {
        made?;
    }
    #[cfg(unix)]
    fs::File::open(dir).and_then(|folder| folder.sync_all()).map_err(|cause| io(dir, "make durable", cause))?;
    fail_point!(RecordMade);
    Ok(())
}

fn make_tables(path: &Path) -> Result<()> {
    let during = "make a record";
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).map_err(|cause| io(path, "make", cause))?;
    fail_point!(RecordBegun);
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(Trouble::during(during))?;
    conn.execute_batch(&format!("PRAGMA page_size = {PAGE_BYTES}")).map_err(Trouble::during(during))?;
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(Trouble::during(during))?;
    conn.execute_batch(&format!("BEGIN; {TABLES}")).map_err(Trouble::during(during))?;
    conn.execute("INSERT INTO meta(name, value) VALUES ('format', ?1), ('record', ?2)", params![FORMAT, random_hex(16)?]).map_err(Trouble::during(during))?;
    conn.pragma_update(None, "user_version", FORMAT).map_err(Trouble::during(during))?;
    // Tells this record's write-ahead log from another's.
    conn.pragma_update(None, "application_id", i32::from_le_bytes(random_bytes()?)).map_err(Trouble::during(during))?;
    fail_point!(TablesMade);
    conn.execute_batch("COMMIT").map_err(Trouble::during(during))?;
    fail_point!(TablesCommitted);
    // Closing the last connection takes the write-ahead log in and removes it.
    conn.close().map_err(|(_, cause)| Trouble::during(during)(cause))?;
    fail_point!(TablesClosed);
    Ok(())
}
