//! Brings a record of an older format to the one of this release: the log stays, the views are made anew from it, all in
//! one transaction.

use std::path::Path;

use super::database::{Durability, Opening, Trouble, begin_immediate, check_format, format_of, open_any_format, prepare};
use super::log;
use super::replay::remake;
use super::schema::FORMAT;
use super::write_turns::WriteTurns;
use crate::base::config::BUSY_TIMEOUT;
use crate::base::error::Result;
use crate::base::fail_points::fail_point;
use crate::base::time::Deadline;

const DURING: &str = "migrate the record";

/// Migrates the record in a folder; false if there was nothing to do.
///
/// Cut off anywhere, the record is the old one or the new one. Nothing is migrated from a log that does not verify: the
/// old views may be the better witness.
///
/// # Errors
/// `no_record`; `newer_format`; `busy`; `chain_broken`, `damaged`; `storage`, `disk_full` and their like.
pub(crate) fn migrate(dir: &Path) -> Result<bool> {
    let opening = Opening { create: false, read_only: false, durability: Durability::Full, busy_timeout: BUSY_TIMEOUT };
    let conn = open_any_format(dir, &opening)?.conn;
    if format_of(&conn)? >= FORMAT {
        return check_format(&conn).map(|()| false);
    }
    prepare(&conn, &opening)?;
    begin_immediate(&WriteTurns::new(dir), &conn, Deadline::after(opening.busy_timeout))?;
    // The lock was waited for: another process may have done it meanwhile.
    if format_of(&conn)? >= FORMAT {
        return check_format(&conn).map(|()| false);
    }
    fail_point!(MigrationBegun);
    // Whatever fails, the connection is dropped with the transaction open, which rolls it back.
    log::verify(&conn)?;
    remake(&conn)?;
    conn.execute("UPDATE meta SET value = ?1 WHERE name = 'format'", [FORMAT]).map_err(Trouble::during(DURING))?;
    conn.pragma_update(None, "user_version", FORMAT).map_err(Trouble::during(DURING))?;
    fail_point!(FormatSet);
    conn.execute_batch("COMMIT").map_err(Trouble::during(DURING))?;
    fail_point!(Migrated);
    Ok(true)
}
