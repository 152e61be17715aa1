//! Reads of many nodes at once: a statement takes [`AT_ONCE`] numbers, which costs a fraction of as many statements.
//!
//! Each gives what its counterpart for one node gives, in any order; numbers that are not there are left out.

use rusqlite::Row;
use rusqlite::types::Value;

use super::{Brief, DURING, Snapshot, Step, brief_columns, text_in};
use crate::base::error::Result;
use crate::base::time::Timestamp;
use crate::record::database::{Trouble, number_in, number_out};
use crate::record::node::Content;
use crate::record::schema::node_columns;

/// Numbers that one statement takes.
const AT_ONCE: usize = 16;

/// `IN` a list of as many numbers.
macro_rules! in_list {
    () => {
        "IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
    };
}

/// What a node says and what stands beside it when it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) content: Content,
    pub(crate) created_at: Timestamp,
    pub(crate) verified_at: Option<Timestamp>,
    pub(crate) revision: u64,
    pub(crate) actor: String,
}

impl Snapshot {
    /// What ranking needs of each node.
    pub(crate) fn briefs(&self, numbers: &[u64]) -> Result<Vec<Brief>> {
        if self.is_past() {
            return Ok(each(numbers, |number| self.brief(number))?.into_iter().map(|(_, brief)| brief).collect());
        }
        let mut found = Vec::with_capacity(numbers.len());
        self.read_in(concat!("SELECT ", brief_columns!(), " FROM node WHERE number ", in_list!()), numbers, &[], &mut |row| {
            found.push(self.brief_in(row)?);
            Ok(true)
        })?;
        Ok(found)
    }

    /// What each node says.
    pub(crate) fn texts(&self, numbers: &[u64]) -> Result<Vec<(u64, Text)>> {
        if self.is_past() {
            return each(numbers, |number| self.text(number));
        }
        let mut found = Vec::with_capacity(numbers.len());
        self.read_in(concat!("SELECT ", node_columns!(), " FROM node WHERE number ", in_list!()), numbers, &[], &mut |row| {
            found.push((number_out(row.get(0)?), text_in(row)?));
            Ok(true)
        })?;
        Ok(found)
    }

    /// What a node says.
    pub(crate) fn text(&self, number: u64) -> Result<Option<Text>> {
        Ok(self.nodes(node_columns!(), "number = ?1", &number_in(number), text_in)?.into_iter().next())
    }

    /// The other names of each node, one by one, those of a node in the order in which they were given.
    pub(crate) fn names_of(&self, numbers: &[u64]) -> Result<Vec<(u64, String)>> {
        let mut found = Vec::new();
        let sql = concat!("SELECT number, alias FROM alias WHERE number ", in_list!(), " AND from_seq <= ?17 ORDER BY from_seq, folded");
        self.read_in(sql, numbers, &[number_in(self.at())], &mut |row| {
            found.push((number_out(row.get(0)?), row.get(1)?));
            Ok(true)
        })?;
        Ok(found)
    }

    /// The edges of each node in stored order, at most `limit` of each; nodes without edges are there too.
    pub(crate) fn steps_of_each(&self, numbers: &[u64], limit: usize) -> Result<Vec<(u64, Vec<Step>)>> {
        let sql = concat!(
            "SELECT relation, direction, class, created_ms, neighbour, edge, node FROM adjacent WHERE node ",
            in_list!(),
            " AND from_seq <= ?17 AND to_seq > ?17"
        );
        let at = [number_in(self.at())];
        let mut found: Vec<(u64, Vec<Step>)> = Vec::with_capacity(numbers.len());
        for chunk in numbers.chunks(AT_ONCE) {
            let mut open = chunk.to_vec();
            while !open.is_empty() {
                // The edges of a node come one after the other. Where one has too many, the rest is read without it.
                let mut groups: Vec<(u64, Vec<Step>)> = Vec::with_capacity(open.len());
                let mut crowded = false;
                self.read_in(sql, &open, &at, &mut |row| {
                    let node = number_out(row.get(6)?);
                    if groups.last().is_none_or(|(last, _)| *last != node) {
                        groups.push((node, Vec::new()));
                    }
                    let steps = &mut groups.last_mut().expect("pushed if there was none").1;
                    steps.push(super::edges::step_in(row)?);
                    crowded = steps.len() == limit;
                    Ok(!crowded)
                })?;
                open.retain(|number| groups.iter().all(|(node, _)| node != number));
                found.append(&mut groups);
                if !crowded {
                    found.extend(open.drain(..).map(|number| (number, Vec::new())));
                }
            }
        }
        Ok(found)
    }

    /// Runs a statement for chunks of numbers, `rest` bound after them, until `each` says that it has enough.
    fn read_in(&self, sql: &str, numbers: &[u64], rest: &[i64], each: &mut dyn FnMut(&Row<'_>) -> rusqlite::Result<bool>) -> Result<()> {
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        for chunk in numbers.chunks(AT_ONCE) {
            // A list is a set, so its first number fills it up.
            let padding = std::iter::repeat_n(chunk[0], AT_ONCE - chunk.len());
            let values = chunk.iter().copied().chain(padding).map(number_in).chain(rest.iter().copied()).map(Value::Integer);
            let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(Trouble::during(DURING))?;
            while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
                if !each(row).map_err(Trouble::during(DURING))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

fn each<T>(numbers: &[u64], read: impl Fn(u64) -> Result<Option<T>>) -> Result<Vec<(u64, T)>> {
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        found.extend(read(*number)?.map(|value| (*number, value)));
    }
    Ok(found)
}
