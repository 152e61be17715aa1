//! Applying what happens to rules: feedback, and promotion.

use rusqlite::params;

use super::Step;
use crate::base::error::Result;
use crate::record::database::{Trouble, number_in};
use crate::record::node::{Detail, RuleDetail};
use crate::record::reader::detail_in;
use crate::record::schema::OPEN;

impl Step<'_> {
    pub(super) fn feedback(&self, number: u64, helped: bool, key: Option<&str>) -> Result<()> {
        self.run(
            "INSERT INTO feedback(rule, from_seq, to_seq, helped, key) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![number_in(number), self.seq, OPEN, helped, key],
        )?;
        Ok(())
    }

    /// Ends what was counted for a rule whose statement is about to become another; its keys stay used.
    pub(super) fn reset_feedback(&self, number: u64, new: &RuleDetail) -> Result<()> {
        let rest: String = self
            .conn
            .prepare_cached("SELECT rest FROM node WHERE number = ?1")
            .and_then(|mut statement| statement.query_row([number_in(number)], |row| row.get(0)))
            .map_err(Trouble::during("apply a revision"))?;
        match detail_in(number, &rest)? {
            Detail::Rule(old) if old.statement != new.statement => {
                self.run("UPDATE feedback SET to_seq = ?2 WHERE rule = ?1 AND to_seq = ?3", params![number_in(number), self.seq, OPEN])?;
            }
            _ => {}
        }
        Ok(())
    }
}
