//! Brings a record of an older format to the one of this release: the log stays, the views are made anew from it, all in
//! one transaction.

use std::path::Path;

use rusqlite::Connection;

use super::apply::{Kept, apply};
use super::database::{Durability, Opening, Trouble, begin_immediate, check_format, format_of, open_any_format, prepare};
use super::log;
use super::schema::{FORMAT, KEPT, TABLES};
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
    begin_immediate(&conn, Deadline::after(opening.busy_timeout))?;
    // The lock was waited for: another process may have done it meanwhile.
    if format_of(&conn)? >= FORMAT {
        return check_format(&conn).map(|()| false);
    }
    fail_point!(MigrationBegun);
    // Whatever fails, the connection is dropped with the transaction open, which rolls it back.
    log::verify(&conn)?;
    replace_views(&conn)?;
    conn.execute("UPDATE meta SET value = ?1 WHERE name = 'format'", [FORMAT]).map_err(Trouble::during(DURING))?;
    conn.pragma_update(None, "user_version", FORMAT).map_err(Trouble::during(DURING))?;
    fail_point!(FormatSet);
    conn.execute_batch("COMMIT").map_err(Trouble::during(DURING))?;
    fail_point!(Migrated);
    Ok(true)
}

/// Drops every table that is not kept, makes those of this release, and applies the log to them.
fn replace_views(conn: &Connection) -> Result<()> {
    let mut statement =
        conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").map_err(Trouble::during(DURING))?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(Trouble::during(DURING))?;
    drop(statement);
    for table in tables.iter().filter(|table| !KEPT.contains(&table.as_str())) {
        conn.execute_batch(&format!("DROP TABLE \"{}\"", table.replace('"', "\"\""))).map_err(Trouble::during(DURING))?;
    }
    fail_point!(ViewsDropped);
    conn.execute_batch(TABLES).map_err(Trouble::during(DURING))?;
    fail_point!(ViewsMade);
    let kept = Kept::new();
    log::read(conn, 1, u64::MAX, &mut |operation| {
        apply(conn, &operation, &kept)?;
        fail_point!(OperationReplayed);
        Ok(())
    })?;
    kept.deferred.write(conn)
}
