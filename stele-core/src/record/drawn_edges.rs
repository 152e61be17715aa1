//! Which edges an import may have drawn, so that not each is looked for in SQLite before it is drawn.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::edge::Relation;
use super::operation::Change;

/// How many edges are remembered, by a hash each; so many take some 40 MB. In unit tests there are more.
const MOST: usize = if cfg!(test) { 4 } else { 2_000_000 };

/// The edges of an import's transaction, and which nodes only it can have joined.
pub(super) struct DrawnEdges {
    /// The newest node that was there before.
    newest: u64,
    drawn: HashSet<u64>,
    hasher: RandomState,
}

impl DrawnEdges {
    pub(crate) fn after(newest: u64) -> Self {
        Self { newest, drawn: HashSet::new(), hasher: RandomState::new() }
    }

    /// The newest node that was there before.
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// False if that edge is not there, for certain. One that was taken away since, or undone, still may be.
    pub(crate) fn may_hold(&self, from: u64, relation: Relation, to: u64) -> bool {
        from.max(to) <= self.newest || self.drawn.len() >= MOST || self.drawn.contains(&self.hasher.hash_one((from, relation.number(), to)))
    }

    /// Takes over the edges that an operation draws.
    pub(crate) fn follow(&mut self, change: &Change) {
        match change {
            Change::Create(create) => {
                self.mentions(create.number, &create.mentions);
                self.mentioned(&create.mentioned_by, create.number);
            }
            Change::Revise(revise) | Change::Promote { revise, .. } => self.mentions(revise.number, &revise.mentions),
            Change::Alias { number, mentioned_by, .. } => self.mentioned(mentioned_by, *number),
            Change::Link(link) => self.draw(link.from, link.relation, link.to),
            Change::Demote { newer, older, .. } => self.draw(*newer, Relation::RelatesTo, *older),
            _ => {}
        }
    }

    fn mentions(&mut self, from: u64, named: &[u64]) {
        named.iter().for_each(|to| self.draw(from, Relation::Mentions, *to));
    }

    fn mentioned(&mut self, by: &[u64], to: u64) {
        by.iter().for_each(|from| self.draw(*from, Relation::Mentions, to));
    }

    fn draw(&mut self, from: u64, relation: Relation, to: u64) {
        if from.max(to) > self.newest && self.drawn.len() < MOST {
            self.drawn.insert(self.hasher.hash_one((from, relation.number(), to)));
        }
    }
}
