//! What a moment looks facts up by: the places they are anchored to and the literal triggers of lessons and risks.
//!
//! Both are views of what nodes say now, written by `apply` and asked for at the head only. A trigger is kept as hashes
//! (`base/triggers.rs`); whoever finds one reads the text to be sure.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::claim::holder_name;
use super::database::{Trouble, number_in, number_out};
use super::log;
use super::node::{Anchor, Category, Class, Content, TaskStatus};
use super::operation::Operation;
use super::reader::Snapshot;
use crate::base::error::Result;
use crate::base::places::{folders, glob_folder, glob_matches, is_glob, same_symbol};
use crate::base::triggers::{Cue, Printed, cues};

const DURING: &str = "read the record";
/// Most facts that one path, glob or trigger gives, and most risks before them; the newest come first.
const MOST_FACTS: i64 = 256;
/// Most facts that one trigger gives.
const MOST_CUED: i64 = 64;
/// Distinct words of an output above which the triggers are gone through instead of the words.
const MOST_LOOKS: usize = 4_096;

/// The triggers that a content is found by: those of lessons and risks.
pub(super) fn triggers(content: &Content) -> Vec<Cue> {
    match Class::of(&content.detail) {
        Class::Knowledge(Category::Lesson | Category::Risk) => cues(&format!("{}\n\n{}", content.title, content.body)),
        _ => Vec::new(),
    }
}

/// Takes in what a node is looked up by; gives 1 if it has triggers, else 0.
pub(super) fn write(conn: &Connection, number: i64, content: &Content, triggers: &[Cue]) -> Result<i64> {
    change(
        conn,
        number,
        content,
        triggers,
        &Form {
            plain: "INSERT OR IGNORE INTO anchor(path, class, number, symbol) VALUES (?1, ?2, ?3, ?4)",
            glob: "INSERT OR IGNORE INTO anchor_glob(folder, glob, class, number, symbol) VALUES (?5, ?1, ?2, ?3, ?4)",
            cue: "INSERT INTO cue(first, words, key, number) VALUES (?1, ?2, ?3, ?4)",
        },
    )
}

/// Takes out what a node was looked up by when it said that; gives 1 if it had triggers, else 0.
pub(super) fn erase(conn: &Connection, number: i64, content: &Content) -> Result<i64> {
    change(
        conn,
        number,
        content,
        &triggers(content),
        &Form {
            plain: "DELETE FROM anchor WHERE path = ?1 AND class = ?2 AND number = ?3 AND symbol = ?4",
            glob: "DELETE FROM anchor_glob WHERE folder = ?5 AND glob = ?1 AND class = ?2 AND number = ?3 AND symbol = ?4",
            cue: "DELETE FROM cue WHERE first = ?1 AND words = ?2 AND key = ?3 AND number = ?4",
        },
    )
}

/// How rows are put in or taken out.
struct Form {
    plain: &'static str,
    glob: &'static str,
    cue: &'static str,
}

fn change(conn: &Connection, number: i64, content: &Content, triggers: &[Cue], form: &Form) -> Result<i64> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        conn.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map(drop).map_err(Trouble::during("apply an operation"))
    };
    let class = i64::from(Class::of(&content.detail).number());
    for Anchor { path, symbol } in &content.anchors {
        let symbol = symbol.as_deref().unwrap_or("");
        if is_glob(path) {
            run(form.glob, params![path, class, number, symbol, glob_folder(path)])?;
        } else {
            run(form.plain, params![path, class, number, symbol])?;
        }
    }
    for cue in triggers {
        run(form.cue, params![stored(cue.first), cue.words, stored(cue.key), number])?;
    }
    Ok(i64::from(!triggers.is_empty()))
}

/// A hash as SQLite keeps it.
fn stored(hash: u64) -> i64 {
    hash.cast_signed()
}

/// A node that a place or an output led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cued {
    /// Smaller for a closer match.
    pub(crate) rank: u32,
    /// True if it was looked for as a risk, which comes before everything else.
    pub(crate) risk: bool,
    pub(crate) number: u64,
}

/// Risks first, then the closest, then the newest; each node once.
pub(crate) fn in_order(mut found: Vec<Cued>) -> Vec<Cued> {
    found.sort_by_key(|cued| (!cued.risk, cued.rank, std::cmp::Reverse(cued.number)));
    let mut seen = HashSet::new();
    found.retain(|cued| seen.insert(cued.number));
    found
}

impl Snapshot {
    /// The tasks that a session works on, and those of an actor in any session, in the order of their numbers.
    pub(crate) fn held_by(&self, actor: Option<&str>, session: &str) -> Result<Vec<u64>> {
        let mut held = Vec::new();
        for holder in self.holder_names("", |_| true)? {
            let (of, within) = holder.split_once('/').map_or((holder.as_str(), None), |(of, within)| (of, Some(within)));
            let of_session = within == Some(session);
            let of_actor = actor.is_some_and(|actor| of == holder_name(actor, None));
            if of_session || of_actor {
                held.extend(self.held_tasks(&holder)?);
            }
        }
        held.sort_unstable();
        let mut claimed = Vec::new();
        for task in held {
            if self.brief(task)?.is_some_and(|brief| brief.status == Some(TaskStatus::Claimed)) {
                claimed.push(task);
            }
        }
        Ok(claimed)
    }

    /// Where the last operations of the log begin: at most so many of them that say at most so many bytes, the last in any
    /// case. What they say is not read for that.
    pub(crate) fn lately(&self, most: u64, bytes: u64) -> Result<u64> {
        let sql = "SELECT seq, octet_length(payload) FROM log WHERE seq <= ?1 ORDER BY seq DESC LIMIT ?2";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut rows = statement.query(params![number_in(self.head()), number_in(most)]).map_err(Trouble::during(DURING))?;
        let (mut first, mut left) = (self.head(), bytes);
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let size: Option<i64> = row.get(1).map_err(Trouble::during(DURING))?;
            let sequence = number_out(row.get(0).map_err(Trouble::during(DURING))?);
            match left.checked_sub(size.map_or(0, number_out)) {
                Some(less) => (first, left) = (sequence, less),
                None => break,
            }
        }
        Ok(first)
    }

    /// Calls `each` with the operations from one sequence to another.
    pub(crate) fn operations(&self, first: u64, last: u64, each: &mut dyn FnMut(Operation)) -> Result<()> {
        log::read(self.conn(), first, last, &mut |operation| {
            each(operation);
            Ok(())
        })
    }

    /// The nodes anchored to a path of the project, or to a glob or folder that it falls under, risks first, then
    /// the closest.
    ///
    /// With a symbol, what is anchored to another symbol is left out.
    pub(crate) fn anchored(&self, path: &str, symbol: Option<&str>) -> Result<Vec<Cued>> {
        let mut found = Vec::new();
        let mut take = |rank: u32, rows: Vec<(bool, u64, String)>| {
            for (risk, number, anchor) in rows {
                let farther = match symbol {
                    Some(_) if anchor.is_empty() => 1,
                    Some(symbol) if !same_symbol(symbol, &anchor) => continue,
                    _ => 0,
                };
                found.push(Cued { rank: rank + farther, risk, number });
            }
        };
        let sql = "SELECT number, symbol FROM anchor WHERE path = ?1 AND class BETWEEN ?2 AND ?3 ORDER BY number DESC LIMIT ?4";
        take(0, self.places(sql, &[&path])?);
        for folder in folders(path) {
            for glob in self.globs(folder)?.into_iter().filter(|glob| glob_matches(glob, path)) {
                let sql = "SELECT number, symbol FROM anchor_glob WHERE folder = ?5 AND glob = ?1 AND class BETWEEN ?2 AND ?3 ORDER BY number DESC LIMIT ?4";
                take(2, self.places(sql, &[&glob, &folder])?);
            }
            if !folder.is_empty() {
                take(4, self.places(sql, &[&folder])?);
            }
        }
        Ok(in_order(found))
    }

    /// Rows of one place: its risks, then whatever else.
    fn places(&self, sql: &str, place: &[&dyn rusqlite::ToSql]) -> Result<Vec<(bool, u64, String)>> {
        let risk = Class::Knowledge(Category::Risk).number();
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut rows = Vec::new();
        for (as_risk, least, most) in [(true, risk, risk), (false, 0, u8::MAX)] {
            let mut values: Vec<&dyn rusqlite::ToSql> = vec![place[0], &least, &most, &MOST_FACTS];
            values.extend(place.get(1));
            let read = statement
                .query_map(values.as_slice(), |row| Ok((as_risk, number_out(row.get(0)?), row.get(1)?)))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<(bool, u64, String)>>>);
            rows.extend(read.map_err(Trouble::during(DURING))?);
        }
        Ok(rows)
    }

    /// The distinct globs that begin in a folder.
    fn globs(&self, folder: &str) -> Result<Vec<String>> {
        let sql = "SELECT glob FROM anchor_glob WHERE folder = ?1 AND glob > ?2 ORDER BY glob LIMIT 1";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut found: Vec<String> = Vec::new();
        loop {
            let after = found.last().map_or("", String::as_str);
            let next = statement.query_map([folder, after], |row| row.get(0)).and_then(Iterator::collect::<rusqlite::Result<Vec<String>>>);
            match next.map_err(Trouble::during(DURING))?.pop() {
                Some(glob) => found.push(glob),
                None => return Ok(found),
            }
        }
    }

    /// The lessons and risks a telling trigger of which an output holds, those of the rarest triggers first.
    ///
    /// A trigger that more than `most` of them and at least 5 % of all share tells nothing.
    pub(crate) fn cued(&self, printed: &Printed, most: i64) -> Result<Vec<Cued>> {
        let cued: i64 = self
            .conn()
            .prepare_cached("SELECT value FROM stat WHERE name = 'cued'")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(Trouble::during(DURING))?;
        let common = most.max(cued / 20);
        let mut found: Vec<(usize, Cue, u64)> = Vec::new();
        for first in self.first_words(printed)? {
            for words in self.lengths(first)? {
                for cue in printed.cues(first, words) {
                    let holders = self.holders(cue)?;
                    if !holders.is_empty() && self.count(cue, common + 1)? <= common {
                        let held: Vec<u64> = holders.into_iter().filter(|number| self.still_says(*number, printed, cue)).collect();
                        found.extend(held.iter().map(|number| (held.len(), cue, *number)));
                    }
                }
            }
        }
        // The rarest trigger says most, then the longest, then the newest fact.
        found.sort_by_key(|(holders, cue, number)| (*holders, std::cmp::Reverse(cue.words), std::cmp::Reverse(*number)));
        let mut seen = HashSet::new();
        found.retain(|(_, _, number)| seen.insert(*number));
        Ok((0u32..).zip(found).map(|(rank, (_, _, number))| Cued { rank, risk: false, number }).collect())
    }

    /// True if the text of a node holds the literal behind a cue, and the output holds it too.
    fn still_says(&self, number: u64, printed: &Printed, cue: Cue) -> bool {
        let content = self.content(number).ok().flatten();
        content.is_some_and(|(content, _)| printed.holds(&format!("{}\n\n{}", content.title, content.body), cue))
    }

    /// The words of an output with which a trigger begins.
    fn first_words(&self, printed: &Printed) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        let words: Vec<u64> = printed.distinct().collect();
        if words.len() <= MOST_LOOKS {
            let mut statement = self.conn().prepare_cached("SELECT 1 FROM cue WHERE first = ?1 LIMIT 1").map_err(Trouble::during(DURING))?;
            for word in words {
                if statement.exists([stored(word)]).map_err(Trouble::during(DURING))? {
                    found.push(word);
                }
            }
            return Ok(found);
        }
        let mut statement = self.conn().prepare_cached("SELECT DISTINCT first FROM cue").map_err(Trouble::during(DURING))?;
        let mut rows = statement.query([]).map_err(Trouble::during(DURING))?;
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let first = row.get::<_, i64>(0).map_err(Trouble::during(DURING))?.cast_unsigned();
            if printed.has(first) {
                found.push(first);
            }
        }
        Ok(found)
    }

    /// How many words the triggers have that begin with one.
    fn lengths(&self, first: u64) -> Result<Vec<u32>> {
        let sql = "SELECT words FROM cue WHERE first = ?1 AND words > ?2 ORDER BY words LIMIT 1";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut found: Vec<u32> = Vec::new();
        loop {
            let after = found.last().copied().unwrap_or(0);
            let next = statement.query_map(params![stored(first), after], |row| row.get(0)).and_then(Iterator::collect::<rusqlite::Result<Vec<u32>>>);
            match next.map_err(Trouble::during(DURING))?.pop() {
                Some(words) => found.push(words),
                None => return Ok(found),
            }
        }
    }

    /// The newest holders of a trigger.
    fn holders(&self, cue: Cue) -> Result<Vec<u64>> {
        let sql = "SELECT number FROM cue WHERE first = ?1 AND words = ?2 AND key = ?3 ORDER BY number DESC LIMIT ?4";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let values = params![stored(cue.first), cue.words, stored(cue.key), MOST_CUED];
        statement.query_map(values, |row| row.get(0).map(number_out)).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// How many hold a trigger, counted up to `most`.
    fn count(&self, cue: Cue, most: i64) -> Result<i64> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM cue WHERE first = ?1 AND words = ?2 AND key = ?3 LIMIT ?4)";
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params![stored(cue.first), cue.words, stored(cue.key), most], |row| row.get(0)))
            .map_err(Trouble::during(DURING))
    }
}
