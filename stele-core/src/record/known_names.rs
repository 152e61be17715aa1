//! All names of a record in memory, for an import: what a name stands for without asking SQLite for each.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::apply::references;
use super::database::{Trouble, number_out};
use super::node::Content;
use super::operation::Change;
use super::prepared::Prepared;
use crate::base::error::Result;
use crate::base::id::{Kind, NodeId, fold_alias};

const DURING: &str = "read the names of the record";

/// Every alias of a record, folded, with its number; and the numbers of nodes that texts name and that are still to come.
pub(crate) struct KnownNames {
    numbers: HashMap<String, u64>,
    /// The names that were added, in order, so that they can be taken back.
    added: Vec<String>,
    awaited: HashSet<u64>,
}

impl KnownNames {
    /// Reads them from the views.
    pub(crate) fn read(conn: &Connection, last_number: u64) -> Result<Self> {
        let mut known = Self { numbers: HashMap::new(), added: Vec::new(), awaited: HashSet::new() };
        let mut aliases = conn.prepare("SELECT folded, number FROM alias").map_err(Trouble::during(DURING))?;
        let mut rows = aliases.query([]).map_err(Trouble::during(DURING))?;
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let get = || -> rusqlite::Result<(String, i64)> { Ok((row.get(0)?, row.get(1)?)) };
            let (folded, number) = get().map_err(Trouble::during(DURING))?;
            known.numbers.insert(folded, number_out(number));
        }
        let mut words = conn.prepare("SELECT DISTINCT word FROM reference WHERE word >= ?1 || '-' AND word < ?1 || '.'").map_err(Trouble::during(DURING))?;
        for kind in Kind::ALL {
            let mut rows = words.query([kind.prefix().to_lowercase()]).map_err(Trouble::during(DURING))?;
            while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
                known.read_of(row.get_ref(0).map_err(Trouble::during(DURING))?.as_str().unwrap_or(""), last_number);
            }
        }
        Ok(known)
    }

    /// Notes a word that the text of a node holds: a later node may be meant.
    fn read_of(&mut self, word: &str, last_number: u64) {
        self.awaited.extend(NodeId::parse(word).map(|id| id.number).filter(|number| *number > last_number));
    }

    /// True if a text may name a node by that number, under whatever kind.
    pub(crate) fn awaits(&self, number: u64) -> bool {
        self.awaited.contains(&number)
    }

    /// The number of the node with that alias.
    pub(crate) fn number(&self, alias: &str) -> Option<u64> {
        self.numbers.get(&fold_alias(alias)).copied()
    }

    /// Takes over the names and words that an operation brings.
    pub(crate) fn follow(&mut self, change: &Change, prepared: Option<&Prepared>) {
        match (change, prepared) {
            (Change::Create(create), prepared) => {
                create.aliases.iter().for_each(|alias| self.add(alias, create.number));
                match prepared {
                    Some(prepared) => prepared.words.iter().for_each(|word| self.read_of(word, create.number)),
                    None => self.read_all(&create.content, create.number),
                }
            }
            (Change::Revise(revise), _) => self.read_all(&revise.content, revise.number),
            (Change::Alias { number, alias, .. }, _) => self.add(alias, *number),
            _ => {}
        }
    }

    fn read_all(&mut self, content: &Content, number: u64) {
        references(&content.title, &content.body).iter().for_each(|word| self.read_of(word, number));
    }

    fn add(&mut self, alias: &str, number: u64) {
        let folded = fold_alias(alias);
        self.added.push(folded.clone());
        self.numbers.insert(folded, number);
    }

    /// How many names were added; for [`Self::take_back`].
    pub(crate) fn added(&self) -> usize {
        self.added.len()
    }

    /// Takes back every name that was added after the first `kept`.
    pub(crate) fn take_back(&mut self, kept: usize) {
        for folded in self.added.drain(kept..) {
            self.numbers.remove(&folded);
        }
    }
}
