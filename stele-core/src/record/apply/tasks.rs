//! Applying what happens to tasks: claims, status, and the facts that end with a task.

use rusqlite::params;

use super::Step;
use crate::base::error::Result;
use crate::record::database::{Trouble, number_in};
use crate::record::edge::Relation;
use crate::record::node::TaskStatus;
use crate::record::operation::TakeTask;
use crate::record::schema::{FLAG_RESOLVED, OPEN};

impl Step<'_> {
    pub(super) fn claim(&self, take: &TakeTask) -> Result<()> {
        self.end_claim(take.number)?;
        self.run(
            "INSERT INTO claim(task, from_seq, to_seq, holder, since_ms, until_ms, lease_ms) VALUES (?1,?2,?3,?4,?5,?6,?7)",
            params![number_in(take.number), self.seq, OPEN, take.holder, take.since.unix_ms(), take.until.map(|at| at.unix_ms()), take.lease_ms.map(number_in)],
        )?;
        let claimed: bool = self
            .conn
            .prepare_cached("SELECT status = ?2 FROM node WHERE number = ?1")
            .and_then(|mut statement| statement.query_row(params![number_in(take.number), TaskStatus::Claimed.number()], |row| row.get(0)))
            .map_err(Trouble::during("apply a claim"))?;
        // A claim that is renewed or taken over leaves the task as it is.
        if claimed { Ok(()) } else { self.status(take.number, TaskStatus::Claimed) }
    }

    pub(super) fn release(&self, number: u64) -> Result<()> {
        self.end_claim(number)?;
        self.status(number, TaskStatus::Open)
    }

    /// A task that is done keeps the claim that it was done under, without an end.
    pub(super) fn close(&self, number: u64, status: TaskStatus) -> Result<()> {
        self.run(
            "INSERT INTO claim(task, from_seq, to_seq, holder, since_ms) \
             SELECT task, ?2, ?3, holder, since_ms FROM claim WHERE task = ?1 AND to_seq = 9223372036854775807 AND until_ms IS NOT NULL \
             AND from_seq = (SELECT max(from_seq) FROM claim WHERE task = ?1 AND from_seq < ?2)",
            params![number_in(number), self.seq, OPEN],
        )?;
        self.run(
            "UPDATE claim SET to_seq = ?2 WHERE task = ?1 AND to_seq = 9223372036854775807 AND until_ms IS NOT NULL \
             AND from_seq = (SELECT max(from_seq) FROM claim WHERE task = ?1 AND from_seq < ?2)",
            params![number_in(number), self.seq],
        )?;
        self.status(number, status)?;
        self.settle_hanging(number)
    }

    pub(super) fn reopen(&self, number: u64) -> Result<()> {
        self.end_claim(number)?;
        self.status(number, TaskStatus::Open)?;
        self.settle_hanging(number)
    }

    fn end_claim(&self, number: u64) -> Result<()> {
        // Only the last one before it may still stand: one that is renewed again and again leaves a row each time.
        self.run(
            "UPDATE claim SET to_seq = ?2 WHERE task = ?1 AND to_seq = 9223372036854775807 \
             AND from_seq = (SELECT max(from_seq) FROM claim WHERE task = ?1 AND from_seq < ?2)",
            params![number_in(number), self.seq],
        )?;
        Ok(())
    }

    fn status(&self, number: u64, status: TaskStatus) -> Result<()> {
        self.touch(number, "status = ?2, updated_ms = ?3", params![number_in(number), i64::from(status.number()), self.at_ms])
    }

    fn settle_hanging(&self, task: u64) -> Result<()> {
        let sql = "SELECT number FROM node WHERE resolves_with = ?1 \
                   UNION SELECT neighbour FROM adjacent WHERE node = ?1 AND relation = ?2 AND direction = 1 AND to_seq = 9223372036854775807 ORDER BY 1";
        let hanging: Vec<i64> = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params![number_in(task), Relation::ExpiresOn.number()], |row| row.get(0))?.collect())
            .map_err(Trouble::during("apply the end of a task"))?;
        hanging.into_iter().try_for_each(|number| self.settle_end(number.unsigned_abs()))
    }

    /// Brings the mark of a node that hangs on tasks to what those tasks say: it is resolved while one of them is completed.
    pub(super) fn settle_end(&self, number: u64) -> Result<()> {
        let sql = "SELECT flags, EXISTS(SELECT 1 FROM node AS task WHERE task.number = hanging.resolves_with AND task.status = ?2) \
                   OR EXISTS(SELECT 1 FROM adjacent JOIN node AS task ON task.number = adjacent.neighbour WHERE adjacent.node = hanging.number \
                   AND relation = ?3 AND direction = 0 AND to_seq = 9223372036854775807 AND task.status = ?2) FROM node AS hanging WHERE number = ?1";
        let (flags, resolved): (i64, bool) = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut statement| {
                let values = params![number_in(number), TaskStatus::Completed.number(), Relation::ExpiresOn.number()];
                statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .map_err(Trouble::during("apply the end of a fact"))?;
        if (flags & FLAG_RESOLVED != 0) == resolved {
            return Ok(());
        }
        self.touch(number, "flags = (flags | ?2) - (flags & ?2)", params![number_in(number), FLAG_RESOLVED])
    }
}
