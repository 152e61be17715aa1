//! Every node and every edge of a snapshot in short, for the health check.

use rusqlite::params;

use super::database::{Trouble, number_in, number_out};
use super::edge::{Relation, STANDS_IN, WOULD_CLOSE};
use super::node::{Class, State, TaskStatus};
use super::reader::{Snapshot, state_of};
use super::schema::{FLAG_PURGED, OPEN};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::time::Timestamp;

const DURING: &str = "survey the record";

/// A node in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeInShort {
    pub(crate) id: NodeId,
    pub(crate) class: Class,
    pub(crate) state: State,
    /// How many edges retire it, as its row counts them.
    pub(crate) retired: i64,
    /// When somebody last said that it holds: its last confirmation, else its last change.
    pub(crate) affirmed: Timestamp,
    pub(crate) review_at: Option<Timestamp>,
    pub(crate) verified_at: Option<Timestamp>,
    pub(crate) title_key: i64,
    /// True for a task that is completed or cancelled.
    pub(crate) finished: bool,
    /// True if its text is gone for good.
    pub(crate) purged: bool,
    /// True if it has a component, a tag, an anchor or a source.
    pub(crate) placed: bool,
}

/// An edge in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeInShort {
    pub(crate) from: u64,
    pub(crate) relation: Relation,
    pub(crate) to: u64,
    pub(crate) at: Timestamp,
    pub(crate) has_reason: bool,
    /// True if an import drew it instead of one that would close a cycle.
    pub(crate) weakened: bool,
}

/// A claim that stands on a task that is not finished.
#[derive(Clone, Debug)]
pub(crate) struct ClaimInShort {
    pub(crate) task: u64,
    pub(crate) holder: String,
    pub(crate) since: Timestamp,
}

impl Snapshot {
    /// Every node as it stands at the head, in the order of their numbers.
    pub(crate) fn nodes_in_short(&self) -> Result<Vec<NodeInShort>> {
        let sql = "SELECT number, class, retired, flags, expires_ms, updated_ms, verified_ms, review_ms, title_key, status, \
                   component IS NOT NULL OR instr(rest, '\"tags\":') OR instr(rest, '\"anchors\":') OR instr(rest, '\"source\":') \
                   FROM node ORDER BY number";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut rows = statement.query([]).map_err(Trouble::during(DURING))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            type Row = (i64, u8, i64, i64, Option<i64>, i64, Option<i64>, Option<i64>, i64, Option<u8>, bool);
            let get = || -> rusqlite::Result<Row> {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                    row.get(7)?,
                    row.get(8)?,
                    row.get(9)?,
                    row.get(10)?,
                ))
            };
            let (number, class, retired, flags, expires, updated, verified, review, title_key, status, placed) = get().map_err(Trouble::during(DURING))?;
            let class = Class::from_number(class).ok_or_else(|| Error::new(Code::Damaged, format!("{DURING}: node {number} is of no class")))?;
            found.push(NodeInShort {
                id: NodeId { kind: class.kind(), number: number_out(number) },
                class,
                state: state_of(flags, retired > 0, expires, self.now()),
                retired,
                affirmed: Timestamp::from_unix_ms(verified.unwrap_or(updated).max(updated)),
                review_at: review.map(Timestamp::from_unix_ms),
                verified_at: verified.map(Timestamp::from_unix_ms),
                title_key,
                finished: status.is_some_and(|status| status >= TaskStatus::Completed.number()),
                purged: flags & FLAG_PURGED != 0,
                placed,
            });
        }
        Ok(found)
    }

    /// Every edge that holds, in the order in which they were drawn.
    pub(crate) fn edges_in_short(&self) -> Result<Vec<EdgeInShort>> {
        let weakened = format!("{STANDS_IN}%{WOULD_CLOSE}%");
        let mut statement = self
            .conn()
            .prepare_cached("SELECT src, relation, dst, at_ms, reason <> '', reason LIKE ?2 FROM edge WHERE from_seq <= ?1 AND to_seq > ?1 ORDER BY id")
            .map_err(Trouble::during(DURING))?;
        let mut rows = statement.query(params![number_in(self.at()), weakened]).map_err(Trouble::during(DURING))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            type Row = (i64, u8, i64, i64, bool, bool);
            let get = || -> rusqlite::Result<Row> { Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)) };
            let (from, relation, to, at, has_reason, weakened) = get().map_err(Trouble::during(DURING))?;
            let relation = Relation::from_number(relation).ok_or_else(|| Error::new(Code::Damaged, format!("{DURING}: an edge is of no relation")))?;
            found.push(EdgeInShort { from: number_out(from), relation, to: number_out(to), at: Timestamp::from_unix_ms(at), has_reason, weakened });
        }
        Ok(found)
    }

    /// The claims that stand on tasks that are not finished, in the order of the tasks' numbers.
    pub(crate) fn claims_in_short(&self) -> Result<Vec<ClaimInShort>> {
        let sql = "SELECT task, holder, since_ms FROM claim JOIN node ON number = task WHERE to_seq = ?1 AND status = ?2 ORDER BY task";
        let claim =
            |row: &rusqlite::Row<'_>| Ok(ClaimInShort { task: number_out(row.get(0)?), holder: row.get(1)?, since: Timestamp::from_unix_ms(row.get(2)?) });
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params![OPEN, TaskStatus::Claimed.number()], claim)?.collect())
            .map_err(Trouble::during(DURING))
    }

    /// The places that nodes are anchored to at the head, paths and globs, with the nodes' numbers, in order.
    pub(crate) fn anchors_in_short(&self) -> Result<Vec<(String, u64)>> {
        let sql = "SELECT path, number FROM anchor UNION SELECT glob, number FROM anchor_glob ORDER BY 1, 2";
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map([], |row| Ok((row.get(0)?, number_out(row.get(1)?))))?.collect())
            .map_err(Trouble::during(DURING))
    }
}
