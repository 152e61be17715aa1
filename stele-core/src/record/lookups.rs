//! Further reads of a snapshot that only the reading side asks for.

use std::sync::atomic::Ordering;

use rusqlite::params;

use super::database::{Trouble, number_in, number_out};
use super::edge::{Edge, Relation};
use super::log;
use super::node::Class;
use super::operation::Operation;
use super::reader::Snapshot;
use super::schema::{FLAG_PROVISIONAL, FLAG_PURGED};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::time::Deadline;

const DURING: &str = "read the record";
/// Steps of SQLite's machine between two looks at the deadline.
const STRIDE: i32 = 1_000;

impl Snapshot {
    /// Lets no read go on past the deadline: it then fails with `transaction_timeout`.
    pub(super) fn keep_deadline(&mut self, deadline: Deadline) -> Result<()> {
        let lifted = std::sync::Arc::clone(&self.lifted);
        let conn = self.conn.as_mut().expect("the connection is given back only on drop");
        let ended = move || {
            #[cfg(test)]
            crate::base::time::looks::step();
            !lifted.load(Ordering::Relaxed) && deadline.expired()
        };
        conn.progress_handler(STRIDE, Some(ended)).map_err(Trouble::during(DURING))
    }

    /// Lets reads go on past the deadline, for what is bounded by other means.
    pub(crate) fn lift_deadline(&self) {
        self.lifted.store(true, Ordering::Relaxed);
    }

    /// Puts the deadline in force again.
    pub(crate) fn hold_deadline(&self) {
        self.lifted.store(false, Ordering::Relaxed);
    }

    /// The hash of the log's chain at a sequence, in hexadecimal; `None` if the log does not reach so far.
    pub(crate) fn history_at(&self, sequence: u64) -> Result<Option<String>> {
        Ok(self.chain_at(sequence)?.map(|chain| crate::base::id::hex(&chain)))
    }

    /// True if the log begins as one did that ended there.
    pub(crate) fn goes_on_from(&self, head: &log::Head) -> Result<bool> {
        Ok(self.chain_at(head.sequence)? == Some(head.chain))
    }

    /// The operation and the hash of the chain there; `None` if the log does not reach so far.
    pub(crate) fn head_at(&self, sequence: u64) -> Result<Option<log::Head>> {
        Ok(self.chain_at(sequence)?.map(|chain| log::Head { sequence, chain }))
    }

    /// True if there is no node at all.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        let created = "SELECT EXISTS(SELECT 1 FROM node WHERE from_seq <= ?1) OR EXISTS(SELECT 1 FROM node_past WHERE from_seq <= ?1)";
        self.conn()
            .prepare_cached(created)
            .and_then(|mut statement| statement.query_row([number_in(self.at())], |row| row.get::<_, bool>(0)))
            .map(|some| !some)
            .map_err(Trouble::during(DURING))
    }

    /// The numbers of the rules that are only proposed.
    pub(crate) fn provisional(&self) -> Result<Vec<u64>> {
        let sql = if self.is_past() {
            "SELECT number FROM node WHERE class = ?1 AND flags & ?2 AND from_seq <= ?3 \
             UNION SELECT number FROM node_past WHERE class = ?1 AND flags & ?2 AND from_seq <= ?3 AND to_seq > ?3"
        } else {
            "SELECT number FROM node WHERE class = ?1 AND flags & ?2 AND ?3 = ?3"
        };
        self.numbers(sql, &[&Class::Rule.number(), &FLAG_PROVISIONAL, &number_in(self.at())])
    }

    /// The component of that id or alias.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_kind` for what is no component.
    pub(crate) fn require_component(&self, reference: &str) -> Result<NodeId> {
        let id = self.require(reference)?.id;
        if id.kind != Kind::Component {
            return Err(Error::new(Code::WrongKind, format!("check component: {id} is a {}, not a component", id.kind)).with("field", "component"));
        }
        Ok(id)
    }

    /// The rules that others replaced, which search does not find unless that state is asked for.
    pub(crate) fn replaced_rules(&self) -> Result<Vec<u64>> {
        let sql = if self.is_past() {
            "SELECT number FROM node WHERE class = ?1 AND retired > 0 AND from_seq <= ?2 \
             UNION SELECT number FROM node_past WHERE class = ?1 AND retired > 0 AND from_seq <= ?2 AND to_seq > ?2"
        } else {
            "SELECT number FROM node WHERE class = ?1 AND retired > 0 AND ?2 = ?2"
        };
        self.numbers(sql, &[&Class::Rule.number(), &number_in(self.at())])
    }

    /// The operations that made, changed, linked or unlinked a node, oldest first, and how many there are before them; edges
    /// that texts draw by themselves are left out. Of more than `most` the latest are given.
    pub(crate) fn operations_on(&self, number: u64, most: usize) -> Result<(usize, Vec<Operation>)> {
        let sql = "SELECT from_seq AS seq FROM node WHERE number = ?1 AND from_seq <= ?2 \
                   UNION SELECT from_seq FROM node_past WHERE number = ?1 AND from_seq <= ?2 \
                   UNION SELECT from_seq FROM alias WHERE number = ?1 AND from_seq <= ?2 \
                   UNION SELECT from_seq FROM claim WHERE task = ?1 AND from_seq <= ?2 \
                   UNION SELECT edge.from_seq FROM adjacent JOIN edge ON edge.id = adjacent.edge WHERE adjacent.node = ?1 AND NOT edge.automatic AND edge.from_seq <= ?2 \
                   UNION SELECT edge.to_seq FROM adjacent JOIN edge ON edge.id = adjacent.edge WHERE adjacent.node = ?1 AND NOT edge.automatic AND edge.to_seq <= ?2 \
                   UNION SELECT from_seq FROM feedback WHERE rule = ?1 AND from_seq <= ?2 \
                   ORDER BY seq";
        let sequences = self.numbers(sql, &[&number_in(number), &number_in(self.at())])?;
        let earlier = sequences.len().saturating_sub(most);
        Ok((earlier, self.operations_at(&sequences[earlier..])?))
    }

    /// The operations that changed what a node itself says or how it stands, oldest first; what it ever said stands in these.
    pub(crate) fn changes_of(&self, number: u64) -> Result<Vec<Operation>> {
        let sql = "SELECT from_seq AS seq FROM node WHERE number = ?1 AND from_seq <= ?2 \
                   UNION SELECT from_seq FROM node_past WHERE number = ?1 AND from_seq <= ?2 ORDER BY seq";
        self.operations_at(&self.numbers(sql, &[&number_in(number), &number_in(self.at())])?)
    }

    fn operations_at(&self, sequences: &[u64]) -> Result<Vec<Operation>> {
        let mut operations = Vec::new();
        log::read_each(self.conn(), sequences, &mut |operation| {
            operations.push(operation);
            Ok(())
        })?;
        Ok(operations)
    }

    /// True if a node's text is gone for good.
    pub(crate) fn is_purged(&self, number: u64) -> Result<bool> {
        let purged = self.numbers("SELECT number FROM node WHERE number = ?1 AND flags & ?2 <> 0", &[&number_in(number), &FLAG_PURGED])?;
        Ok(!purged.is_empty())
    }

    /// True if a text was purged after a sequence.
    pub(crate) fn purged_since(&self, sequence: u64) -> Result<bool> {
        self.conn()
            .prepare_cached("SELECT 1 FROM log WHERE seq > ?1 AND kind = 'purge'")
            .and_then(|mut statement| statement.exists([number_in(sequence)]))
            .map_err(Trouble::during(DURING))
    }

    /// The edges that say that two nodes contradict each other.
    pub(crate) fn contradictions(&self) -> Result<Vec<i64>> {
        self.edges_of(Relation::Contradicts, "1")
    }

    /// The retirements that lack a reason or evidence that was found.
    pub(crate) fn unverified_retirements(&self) -> Result<Vec<Edge>> {
        self.edges_of(Relation::Supersedes, "unverified")?.into_iter().map(|edge| self.edge(edge)).collect()
    }

    /// Every retirement.
    pub(crate) fn retirements(&self) -> Result<Vec<Edge>> {
        self.edges_of(Relation::Supersedes, "1")?.into_iter().map(|edge| self.edge(edge)).collect()
    }

    fn edges_of(&self, relation: Relation, condition: &str) -> Result<Vec<i64>> {
        let sql = format!("SELECT id FROM edge WHERE relation = ?1 AND from_seq <= ?2 AND to_seq > ?2 AND {condition} ORDER BY id");
        let mut statement = self.conn().prepare_cached(&sql).map_err(Trouble::during(DURING))?;
        statement.query_map(params![relation.number(), number_in(self.at())], |row| row.get(0)).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    pub(super) fn numbers(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<u64>> {
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        statement.query_map(values, |row| row.get(0).map(number_out)).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }
}
