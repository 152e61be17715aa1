//! What applying may put off within one transaction, since nothing in it is read before the end: counts, and rows of
//! `adjacent`, which cost a third when they are written in the order of their key.

use std::cell::{Cell, RefCell};

use rusqlite::{Connection, params};

use super::database::Trouble;
use super::schema::OPEN;
use crate::base::error::Result;

/// How many rows wait at most.
const ROWS: usize = 1 << 18;

/// Counts that wait to be added to `stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) nodes: i64,
    pub(crate) units: i64,
    pub(crate) terms: i64,
    /// Nodes that have triggers.
    pub(crate) cued: i64,
    /// The newest node that was made; 0 if none was.
    pub(crate) last_number: i64,
}

/// A row of `adjacent`, its columns in the order of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Adjacent {
    pub(crate) node: i64,
    pub(crate) relation: u8,
    pub(crate) direction: i64,
    pub(crate) class: i64,
    pub(crate) created_ms: i64,
    pub(crate) neighbour: i64,
    pub(crate) from_seq: i64,
    pub(crate) edge: i64,
}

/// What waits to be written.
#[derive(Default)]
pub(crate) struct Deferred {
    tally: Cell<Tally>,
    rows: RefCell<Vec<Adjacent>>,
}

impl Deferred {
    /// Adds to the counts.
    pub(crate) fn count(&self, more: Tally) {
        let held = self.tally.get();
        self.tally.set(Tally {
            nodes: held.nodes + more.nodes,
            units: held.units + more.units,
            terms: held.terms + more.terms,
            cued: held.cued + more.cued,
            last_number: held.last_number.max(more.last_number),
        });
    }

    /// The counts that wait; for [`Self::take_back`].
    pub(crate) fn tally(&self) -> Tally {
        self.tally.get()
    }

    /// Adds a row.
    pub(crate) fn join(&self, conn: &Connection, row: Adjacent) -> Result<()> {
        self.rows.borrow_mut().push(row);
        if self.rows.borrow().len() < ROWS { Ok(()) } else { self.write_rows(conn) }
    }

    /// Writes the rows that wait; whoever reads or changes rows of `adjacent` calls it before.
    pub(crate) fn write_rows(&self, conn: &Connection) -> Result<()> {
        let mut rows = self.rows.borrow_mut();
        if rows.is_empty() {
            return Ok(());
        }
        rows.sort_unstable_by_key(|row| (row.node, row.relation, row.direction, row.class, -row.created_ms, row.neighbour, row.from_seq));
        insert(conn, &rows)?;
        rows.clear();
        Ok(())
    }

    /// Writes everything that waits.
    pub(crate) fn write(&self, conn: &Connection) -> Result<()> {
        self.write_rows(conn)?;
        let Tally { nodes, units, terms, cued, last_number } = self.tally.take();
        let run = |sql: &str, name: &str, value: i64| -> Result<()> {
            if value == 0 {
                return Ok(());
            }
            conn.prepare_cached(sql).and_then(|mut statement| statement.execute(params![name, value])).map(drop).map_err(Trouble::during("count"))
        };
        for (name, more) in [("nodes", nodes), ("units", units), ("terms", terms), ("cued", cued)] {
            run("UPDATE stat SET value = value + ?2 WHERE name = ?1", name, more)?;
        }
        run("UPDATE stat SET value = max(value, ?2) WHERE name = ?1", "last_number", last_number)
    }

    /// Goes back to earlier counts, when everything else since was rolled back; the rows since are thrown away.
    pub(crate) fn take_back(&self, tally: Tally) {
        self.rows.borrow_mut().clear();
        self.tally.set(tally);
    }
}

/// Writes rows of `adjacent`.
pub(crate) fn insert(conn: &Connection, rows: &[Adjacent]) -> Result<()> {
    let mut insert = conn
        .prepare_cached(
            "INSERT INTO adjacent(node, relation, direction, class, created_ms, neighbour, from_seq, to_seq, edge) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
        )
        .map_err(Trouble::during("join nodes"))?;
    for row in rows {
        insert
            .execute(params![row.node, row.relation, row.direction, row.class, row.created_ms, row.neighbour, row.from_seq, OPEN, row.edge])
            .map_err(Trouble::during("join nodes"))?;
    }
    Ok(())
}
