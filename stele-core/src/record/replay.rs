//! Makes the views anew from the log, and writes views out in one order, so that two sets of them can be compared.

use rusqlite::Connection;
#[cfg(test)]
use rusqlite::types::ValueRef;

use super::apply::apply;
use super::database::Trouble;
use super::log;
use super::schema::{KEPT, TABLES};
use crate::base::error::Result;
use crate::base::fail_points::fail_point;
use crate::base::terms::Tokeniser;

#[cfg(test)]
/// The views in the order in which they are dumped, each with the columns that order its rows.
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

#[cfg(test)]
/// Applies every operation of a log to empty views in memory.
///
/// # Errors
/// As [`apply`] and [`log::read`].
pub(crate) fn replay(log: &Connection) -> Result<Connection> {
    let during = "make the views anew";
    let views = Connection::open_in_memory().map_err(Trouble::during(during))?;
    views.execute_batch(TABLES).map_err(Trouble::during(during))?;
    let mut tokeniser = Tokeniser::new();
    log::read(log, 1, u64::MAX, &mut |operation| apply(&views, &operation, &mut tokeniser))?;
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
    let mut tokeniser = Tokeniser::new();
    log::read(conn, 1, u64::MAX, &mut |operation| {
        apply(conn, &operation, &mut tokeniser)?;
        fail_point!(OperationReplayed);
        Ok(())
    })
}

#[cfg(test)]
/// Every row of every view, a line each, in the order that [`VIEWS`] gives.
///
/// # Errors
/// `damaged`, `storage` and its like.
pub(crate) fn dump(conn: &Connection) -> Result<String> {
    let during = "write the views out";
    let mut out = String::new();
    for (view, order) in VIEWS {
        let mut statement = conn.prepare(&format!("SELECT * FROM {view} ORDER BY {order}")).map_err(Trouble::during(during))?;
        let columns = statement.column_count();
        let mut rows = statement.query([]).map_err(Trouble::during(during))?;
        while let Some(row) = rows.next().map_err(Trouble::during(during))? {
            out.push_str(view);
            for column in 0..columns {
                let value = row.get_ref(column).map_err(Trouble::during(during))?;
                let text = match value {
                    ValueRef::Null => "null".to_owned(),
                    ValueRef::Integer(number) => number.to_string(),
                    ValueRef::Real(number) => number.to_string(),
                    ValueRef::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
                    ValueRef::Blob(bytes) => crate::base::id::hex(bytes),
                };
                out.push('\t');
                out.push_str(&text);
            }
            out.push('\n');
        }
    }
    Ok(out)
}
