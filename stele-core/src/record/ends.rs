//! What a row of `adjacent` holds of the node at its other end, remembered from one operation to the next.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use super::database::{Trouble, number_in};
use crate::base::error::Result;

/// Class and time of nodes, as the views have them. Whoever changes a class or rolls something back says so here.
#[derive(Default)]
pub(crate) struct Ends(RefCell<HashMap<u64, End>>);

/// The class and the time of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) class: i64,
    pub(crate) created_ms: i64,
}

/// How many nodes are remembered; 1,000,000 take some 40 MB.
const MOST: usize = 1_000_000;

impl Ends {
    /// What the views say of a node, `None` if it is not in them.
    pub(crate) fn of(&self, conn: &Connection, number: u64) -> Result<Option<End>> {
        if let Some(end) = self.0.borrow().get(&number) {
            return Ok(Some(*end));
        }
        let found = conn
            .prepare_cached("SELECT class, created_ms FROM node WHERE number = ?1")
            .and_then(|mut statement| statement.query_row([number_in(number)], |row| Ok(End { class: row.get(0)?, created_ms: row.get(1)? })).optional())
            .map_err(Trouble::during("look at the end of an edge"))?;
        if let Some(end) = found {
            self.remember(number, end);
        }
        Ok(found)
    }

    pub(crate) fn remember(&self, number: u64, end: End) {
        let mut ends = self.0.borrow_mut();
        if ends.len() < MOST {
            ends.insert(number, end);
        }
    }

    pub(crate) fn forget(&self, number: u64) {
        self.0.borrow_mut().remove(&number);
    }

    pub(crate) fn forget_all(&self) {
        self.0.take();
    }
}
