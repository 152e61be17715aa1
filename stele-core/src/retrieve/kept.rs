//! What reads have looked at, kept for the next read that sees the same head of the log.
//!
//! Nothing of this outlives its head: a read takes what was kept only if its own transaction sees the very operation that
//! it was kept under, by sequence and by the hash of the chain. Between two operations no view changes, whoever writes.
//! What depends on the present instant, whether a node has expired, is told anew by each read.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::counted::Counted;
use super::nodes::{Edges, Grounds, Group};
use crate::base::leaving::Leaving;
use crate::base::number_map::NumberMap;
use crate::base::passages::Passage;
use crate::base::terms::{QUERY_TERMS, QueryTerm, Tokeniser, query_terms_with};
use crate::record::log::Head;
use crate::record::reader::{Brief, Snapshot, Text};

/// How many reads at once find something kept; as many sets of it there are at most.
const SETS: usize = 4;
/// Most nodes that a set holds.
const NODES: usize = 8_192;
/// Most edges of nodes.
const EDGES: usize = 65_536;
/// Most bytes of texts.
const TEXT_BYTES: usize = 4 << 20;
/// Nodes of a set that is let go of where it is.
const LET_GO_AT_ONCE: usize = 512;
/// So many reads back a node was looked at last that stays when there are too many.
const RECENT: u64 = 24;

/// What is kept between the reads of a handle, a set for each of those that read at once.
#[derive(Default)]
pub(crate) struct Keeping {
    sets: Mutex<Vec<Kept>>,
    /// Sets of earlier heads, and what a set had too much of.
    leaving: Leaving,
    /// Tokenisers, which know the stems of words that prompts used.
    tokenisers: Mutex<Vec<Tokeniser>>,
}

/// The nodes and edges that reads have looked at under one head.
#[derive(Default)]
pub(super) struct Kept {
    /// None for what must not be kept.
    head: Option<Head>,
    /// Counts the reads.
    pub(super) read: u64,
    pub(super) briefs: Shelf<Option<Arc<Brief>>>,
    pub(super) edges: Shelf<Arc<Edges>>,
    pub(super) groups: Shelf<Arc<[Group]>>,
    pub(super) texts: Shelf<Option<Arc<Text>>>,
    /// Passages that were shown, by document and place.
    pub(super) pieces: Shelf<Arc<Passage>>,
    pub(super) names: Shelf<Arc<[String]>>,
    pub(super) counted: Shelf<Counted>,
    /// By edge.
    pub(super) grounds: Shelf<Arc<Grounds>>,
}

impl Keeping {
    /// A set for a read: what was kept under the head that it sees, or an empty one.
    pub(super) fn take(&self, snapshot: &Snapshot) -> Kept {
        let head = snapshot.present();
        let mut kept = Kept::default();
        if head.is_some() {
            let held = self.sets.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match held {
                Some(held) if held.head == head => kept = held,
                Some(held) if held.briefs.held.len() > LET_GO_AT_ONCE => self.leaving.leave(Arc::new(held)),
                _ => {}
            }
        }
        kept.head = head;
        kept.read += 1;
        kept
    }

    /// Takes back what a read has looked at.
    pub(super) fn give_back(&self, mut kept: Kept) {
        if kept.head.is_none() {
            return;
        }
        kept.trim(&self.leaving);
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() < SETS {
            sets.push(kept);
        }
    }

    /// The terms of a query.
    pub(super) fn terms(&self, query: &str) -> Vec<QueryTerm> {
        let tokenisers = || self.tokenisers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tokeniser = tokenisers().pop().unwrap_or_else(Tokeniser::new);
        let terms = query_terms_with(&mut tokeniser, query, QUERY_TERMS);
        let mut free = tokenisers();
        if free.len() < SETS {
            free.push(tokeniser);
        }
        terms
    }

    /// Lets go of everything, waiting at most so long for what is on its way out.
    pub(crate) fn end(&self, wait: Duration) {
        self.leaving.end(wait);
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Kept {
    fn trim(&mut self, leaving: &Leaving) {
        let oldest = self.read.saturating_sub(RECENT);
        self.briefs.trim(NODES, oldest, leaving);
        self.edges.trim(EDGES, oldest, leaving);
        self.groups.trim(NODES, oldest, leaving);
        self.texts.trim(TEXT_BYTES, oldest, leaving);
        self.pieces.trim(TEXT_BYTES, oldest, leaving);
        self.names.trim(NODES, oldest, leaving);
        self.counted.trim(NODES, oldest, leaving);
        self.grounds.trim(NODES, oldest, leaving);
    }
}

/// Values by number, each with the read that looked at it last.
pub(super) struct Shelf<T> {
    held: NumberMap<Held<T>>,
    weight: usize,
}

struct Held<T> {
    read: u64,
    weight: usize,
    value: T,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { held: NumberMap::default(), weight: 0 }
    }
}

impl<T> Shelf<T> {
    /// A value, and whether this read looks at it for the first time.
    pub(super) fn look(&mut self, number: u64, read: u64) -> Option<(&mut T, bool)> {
        let held = self.held.get_mut(&number)?;
        let first = held.read != read;
        held.read = read;
        Some((&mut held.value, first))
    }

    pub(super) fn put(&mut self, number: u64, read: u64, weight: usize, value: T) {
        self.weight += weight;
        if let Some(before) = self.held.insert(number, Held { read, weight, value }) {
            self.weight -= before.weight;
        }
    }
}

impl<T: Send + Sync + 'static> Shelf<T> {
    /// Lets go of what was not looked at lately and of what takes an eighth of all by itself, and if that is not enough, of everything.
    fn trim(&mut self, most: usize, oldest: u64, leaving: &Leaving) {
        if self.weight <= most {
            return;
        }
        let gone: Vec<Held<T>> = self.held.extract_if(|_, held| held.read < oldest || held.weight > most / 8).map(|(_, held)| held).collect();
        self.weight -= gone.iter().map(|held| held.weight).sum::<usize>();
        leaving.leave(Arc::new(gone));
        if self.weight > most {
            leaving.leave(Arc::new(std::mem::take(self)));
        }
    }
}
