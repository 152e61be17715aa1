//! The tail: units that changed after the index's sequence, searchable in memory.
//!
//! It also serves alone where there is no index: for a new record, a damaged index, or a read as of an earlier sequence.

use std::collections::{BTreeMap, HashMap};

use tantivy::fieldnorm::FieldNormReader;

use super::Unit;
use crate::base::terms::Tokeniser;

/// Ends the chain of a node's units.
const NONE: u32 = u32::MAX;

/// Units in memory with their postings. A node that is in the tail hides what the index holds of it.
pub(crate) struct Tail {
    pub(super) units: Vec<TailUnit>,
    /// For each term the units that hold it, ascending, and how often.
    pub(super) postings: HashMap<Box<str>, Vec<(u32, u32)>>,
    /// For each changed node its last unit.
    nodes: BTreeMap<u64, u32>,
    dead: usize,
    tokeniser: Tokeniser,
}

#[derive(Clone)]
pub(super) struct TailUnit {
    pub(super) number: u64,
    pub(super) ordinal: u32,
    /// The length as the index quantises it.
    pub(super) norm: u8,
    pub(super) live: bool,
    earlier: u32,
}

impl Clone for Tail {
    fn clone(&self) -> Self {
        Self { units: self.units.clone(), postings: self.postings.clone(), nodes: self.nodes.clone(), dead: self.dead, tokeniser: Tokeniser::new() }
    }
}

impl Default for Tail {
    fn default() -> Self {
        Self { units: Vec::new(), postings: HashMap::new(), nodes: BTreeMap::new(), dead: 0, tokeniser: Tokeniser::new() }
    }
}

impl Tail {
    /// Adds a unit of a node; the index's units of that node no longer count.
    pub(crate) fn insert(&mut self, unit: &Unit<'_>) {
        let place = u32::try_from(self.units.len()).expect("a tail has fewer units than 2^32");
        let mut length = 0_u32;
        for (text, weight) in [(unit.title, 2), (unit.body, 1)] {
            let postings = &mut self.postings;
            self.tokeniser.each_term(text, &mut |term| {
                length = length.saturating_add(weight);
                match postings.get_mut(term) {
                    Some(list) => match list.last_mut() {
                        Some(last) if last.0 == place => last.1 += weight,
                        _ => list.push((place, weight)),
                    },
                    None => {
                        postings.insert(term.into(), vec![(place, weight)]);
                    }
                }
            });
        }
        let earlier = self.nodes.insert(unit.number, place).unwrap_or(NONE);
        self.units.push(TailUnit { number: unit.number, ordinal: unit.ordinal, norm: FieldNormReader::fieldnorm_to_id(length), live: true, earlier });
    }

    /// Takes a node out: neither its units here nor those in the index count any more.
    pub(crate) fn remove(&mut self, number: u64) {
        let mut place = self.nodes.insert(number, NONE).unwrap_or(NONE);
        while place != NONE {
            let unit = &mut self.units[place as usize];
            if unit.live {
                unit.live = false;
                self.dead += 1;
            }
            place = std::mem::replace(&mut unit.earlier, NONE);
        }
    }

    /// Puts `units` in the place of all that was known of the node.
    pub(crate) fn replace(&mut self, number: u64, units: &[Unit<'_>]) {
        self.remove(number);
        for unit in units {
            debug_assert_eq!(unit.number, number, "a unit belongs to the node that it replaces");
            self.insert(unit);
        }
    }

    /// The numbers of the nodes that the tail speaks for, ascending.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.nodes.keys().copied()
    }

    /// How many nodes the tail speaks for.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many live units hold a term.
    pub(super) fn frequency(&self, term: &str) -> u64 {
        self.postings.get(term).map_or(0, |list| {
            let live = if self.dead == 0 { list.len() } else { list.iter().filter(|(place, _)| self.units[*place as usize].live).count() };
            live as u64
        })
    }
}
