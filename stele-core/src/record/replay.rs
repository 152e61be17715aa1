//! Makes the views anew from the log, and compares two sets of them row by row.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::apply::{Kept, apply};
use super::database::Trouble;
use super::log;
use super::schema::{KEPT, TABLES};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;

/// The views in the order in which they are compared, each with the columns that order its rows.
const VIEWS: &[(&str, &str)] = &[
    ("node", "number"),
    ("node_past", "number, from_seq"),
    ("claim", "task, from_seq"),
    ("edge", "id"),
    ("adjacent", "node, relation, direction, class, created_ms DESC, neighbour, from_seq"),
    ("alias", "folded"),
    ("feedback", "rule, from_seq"),
    ("tag", "tag, number, from_seq"),
    ("reference", "word, number"),
    ("anchor", "path, class, number, symbol"),
    ("anchor_glob", "folder, glob, class, number, symbol"),
    ("cue", "first, words, key, number"),
    ("stat", "name"),
];

/// Applies every operation of a log to empty views in memory.
///
/// # Errors
/// As [`apply`] and [`log::read`].
pub(crate) fn replay(log: &Connection) -> Result<Connection> {
    let during = "make the views anew";
    let views = Connection::open_in_memory().map_err(Trouble::during(during))?;
    views.set_prepared_statement_cache_capacity(128);
    views.execute_batch(TABLES).and_then(|()| views.execute_batch("BEGIN")).map_err(Trouble::during(during))?;
    let kept = Kept::new();
    log::read(log, 1, u64::MAX, &mut |operation| apply(&views, &operation, &kept))?;
    kept.deferred.write(&views)?;
    views.execute_batch("COMMIT").map_err(Trouble::during(during))?;
    Ok(views)
}

/// Makes the views of a record anew from its own log, in the transaction that is open: drops every table that is not
/// kept, makes those of this release, and applies the log to them.
///
/// # Errors
/// As [`apply`] and [`log::read`].
pub(crate) fn remake(conn: &Connection) -> Result<()> {
    let during = "make the views anew";
    let mut statement =
        conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").map_err(Trouble::during(during))?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(Trouble::during(during))?;
    drop(statement);
    for table in tables.iter().filter(|table| !KEPT.contains(&table.as_str())) {
        conn.execute_batch(&format!("DROP TABLE \"{}\"", table.replace('"', "\"\""))).map_err(Trouble::during(during))?;
    }
    fail_point!(ViewsDropped);
    conn.execute_batch(TABLES).map_err(Trouble::during(during))?;
    fail_point!(ViewsMade);
    let kept = Kept::new();
    log::read(conn, 1, u64::MAX, &mut |operation| {
        apply(conn, &operation, &kept)?;
        fail_point!(OperationReplayed);
        Ok(())
    })?;
    kept.deferred.write(conn)
}

/// Compares the views of a log with those that its operations make.
///
/// # Errors
/// `damaged`, naming the first view that differs; as [`replay`].
pub(crate) fn verify_views(log: &Connection) -> Result<()> {
    let again = replay(log)?;
    for (view, _) in VIEWS {
        let mut made = Rows::of(&again, view)?;
        let mut kept = Rows::of(log, view)?;
        let (mut made, mut kept) = (made.lines()?, kept.lines()?);
        loop {
            match (kept()?, made()?) {
                (None, None) => break,
                (kept, made) if kept == made => {}
                _ => {
                    return Err(Error::new(Code::Damaged, format!("compare the views with the log: {view} does not hold what the log says")).with("view", view));
                }
            }
        }
    }
    Ok(())
}

/// Every row of every view, a line each, in the order that [`VIEWS`] gives.
///
/// # Errors
/// `damaged`, `storage` and its like.
#[cfg(test)]
pub(crate) fn dump(conn: &Connection) -> Result<String> {
    let mut out = String::new();
    for (view, _) in VIEWS {
        let mut rows = Rows::of(conn, view)?;
        let mut next = rows.lines()?;
        while let Some(line) = next()? {
            out.push_str(&line);
            out.push('\n');
        }
    }
    Ok(out)
}

/// The rows of one view in its order.
struct Rows<'c> {
    view: &'static str,
    statement: rusqlite::Statement<'c>,
}

impl<'c> Rows<'c> {
    fn of(conn: &'c Connection, view: &'static str) -> Result<Self> {
        let order = VIEWS.iter().find(|(name, _)| *name == view).map_or("", |(_, order)| order);
        let statement = conn.prepare(&format!("SELECT * FROM {view} ORDER BY {order}")).map_err(Trouble::during(DURING))?;
        Ok(Self { view, statement })
    }

    /// Gives one line a row, with every column.
    fn lines(&mut self) -> Result<impl FnMut() -> Result<Option<String>>> {
        let (view, columns) = (self.view, self.statement.column_count());
        let mut rows = self.statement.query([]).map_err(Trouble::during(DURING))?;
        Ok(move || {
            let Some(row) = rows.next().map_err(Trouble::during(DURING))? else { return Ok(None) };
            let mut line = view.to_owned();
            for column in 0..columns {
                line.push('\t');
                match row.get_ref(column).map_err(Trouble::during(DURING))? {
                    ValueRef::Null => line.push_str("null"),
                    ValueRef::Integer(number) => line.push_str(&number.to_string()),
                    ValueRef::Real(number) => line.push_str(&number.to_string()),
                    ValueRef::Text(bytes) => line.push_str(&format!("{:?}", String::from_utf8_lossy(bytes))),
                    ValueRef::Blob(bytes) => line.push_str(&crate::base::id::hex(bytes)),
                }
            }
            Ok(Some(line))
        })
    }
}

const DURING: &str = "write the views out";
