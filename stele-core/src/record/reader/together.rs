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
use crate::record::schema::{column, node_columns};

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

    /// What a node says beside its body, which is left empty and takes no time to read, and how many bytes that has.
    pub(crate) fn text_beside_body(&self, number: u64) -> Result<Option<(Text, u64)>> {
        let columns = node_columns!().replace(", body", ", '', octet_length(body)");
        let found = self.nodes(&columns, "number = ?1", &number_in(number), |row| Ok((text_in(row)?, number_out(row.get(column::BODY + 1)?))))?;
        Ok(found.into_iter().next())
    }

    /// The other names of each node, one by one, those of a node in the order in which they were given.
    pub(crate) fn names_of(&self, numbers: &[u64]) -> Result<Vec<(u64, String)>> {
        let mut found: Vec<(i64, String, u64, String)> = Vec::new();
        let sql = concat!("SELECT from_seq, folded, number, alias FROM alias WHERE number ", in_list!(), " AND from_seq <= ?17");
        self.read_in(sql, numbers, &[number_in(self.at())], &mut |row| {
            found.push((row.get(0)?, row.get(1)?, number_out(row.get(2)?), row.get(3)?));
            Ok(true)
        })?;
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, _, number, alias)| (number, alias)).collect())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::base::time::Deadline;
    use crate::record::database::{Database, Durability, Opening};
    use crate::record::draft::Draft;
    use crate::record::edge::Relation;
    use crate::record::log::Hand;
    use crate::record::node::Category;
    use crate::record::reader::AsOf;
    use crate::record::settle::content_of;
    use crate::record::writer::Write;

    const LAST: u64 = 45;

    /// Forty facts, of which two are joined to all others and each to the next, with aliases here and there.
    fn crowded(dir: &std::path::Path) -> Arc<Database> {
        let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_secs(1) };
        let database = Arc::new(Database::open(dir, opening).expect("a record"));
        let hand = Hand { at: Timestamp::default(), actor: "a", session: None };
        let mut write = Write::begin(&database, &hand, Duration::from_secs(1)).expect("a transaction");
        let ids: Vec<String> = (1..=40)
            .map(|number| {
                let mut draft = Draft::fact(if number % 3 == 0 { Category::Risk } else { Category::Fyi }, format!("fact {number}"));
                draft = (0..number % 3).fold(draft, |draft, alias| draft.alias(format!("F-{number}-{alias}")));
                write.create_settled(content_of(&draft).expect("a content"), &draft).expect("a node").to_string()
            })
            .collect();
        for (at, id) in ids.iter().enumerate() {
            let edges = [(2, Relation::RelatesTo), (19, Relation::RelatesTo), (at + 1, Relation::CausedBy)];
            for (to, relation) in edges.into_iter().filter(|(to, _)| *to != at && *to < ids.len()) {
                write.link(id, relation, &ids[to], "seen together", "", false).expect("an edge");
            }
        }
        write.archive(&ids[7], "no longer needed").expect("archived");
        write.commit().expect("a commit");
        database
    }

    #[test]
    fn reads_of_many_nodes_give_what_reads_of_each_give() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crowded(&folder.path().join(".stele"));
        let numbers: Vec<u64> = (1..=LAST).rev().collect();
        for moment in [None, Some(AsOf::Sequence(70)), Some(AsOf::Sequence(12))] {
            let snapshot = Snapshot::open(&database, moment, Timestamp::default(), Deadline::NEVER).expect("a snapshot");
            let mut briefs = snapshot.briefs(&numbers).expect("read");
            briefs.sort_by_key(|brief| brief.number);
            let expected: Vec<Brief> = (1..=LAST).filter_map(|number| snapshot.brief(number).expect("read")).collect();
            assert_eq!(briefs, expected);
            assert!(expected.len() == 40 || moment == Some(AsOf::Sequence(12)) && expected.len() == 12);

            let mut texts = snapshot.texts(&numbers).expect("read");
            texts.sort_by_key(|(number, _)| *number);
            let expected: Vec<_> = (1..=LAST).filter_map(|number| snapshot.text(number).expect("read").map(|text| (number, text))).collect();
            assert_eq!(texts, expected);

            let names = snapshot.names_of(&numbers).expect("read");
            for number in 1..=LAST {
                let of: Vec<&String> = names.iter().filter(|(of, _)| *of == number).map(|(_, name)| name).collect();
                assert_eq!(of, snapshot.aliases(number).expect("read").iter().collect::<Vec<_>>());
            }

            for limit in [1, 3, 5, 80, 1_000] {
                let mut steps = snapshot.steps_of_each(&numbers, limit).expect("read");
                steps.sort_by_key(|(number, _)| *number);
                let expected: Vec<_> = (1..=LAST).map(|number| (number, snapshot.steps(number, limit).expect("read"))).collect();
                assert_eq!(steps, expected, "limit {limit}");
            }
        }
    }
}
