//! What a prompt plainly means, and what is joined to it: both come before any score.

use std::collections::BTreeMap;

use super::candidate::{Joint, Tier};
use super::nodes::Nodes;
use super::seeds::Seed;
use super::source::Source;
use super::walk::{Start, Walk};
use crate::base::terms::QueryTerm;

/// The seeds that a prompt plainly means: those whose title it says and nothing besides, or else the best seed, if that
/// states what the prompt says.
pub(crate) struct Meant {
    /// Ranks of seeds whose title the prompt says.
    titled: Vec<u32>,
    /// What an edge joins to a seed that is meant, by the edge that counts most.
    joined: BTreeMap<u64, Joint>,
}

impl Meant {
    /// What is meant by the terms of a prompt.
    pub(crate) fn of(source: &dyn Source, nodes: &Nodes<'_>, terms: &[QueryTerm], seeds: &[Seed], walk: &Walk) -> Self {
        let says = sorted(terms);
        let is_title = |seed: &&Seed| seed.stated && sorted(&source.keeping().terms(&seed.brief.title)) == says;
        let titled: Vec<&Seed> = seeds.iter().filter(is_title).collect();
        let best = seeds.first().filter(|best| titled.is_empty() && best.stated);
        let meant: Vec<u64> = titled.iter().copied().chain(best).flat_map(Seed::numbers).collect();
        let mut joined: BTreeMap<u64, Joint> = BTreeMap::new();
        let is_meant = |start: &Start| meant.contains(&start.number);
        for step in walk.followed.iter().filter(|(start, _)| is_meant(start)).flat_map(|(_, steps)| steps) {
            let joint = Joint { weight: nodes.table.relation(step.relation), is_ground: step.relation.rests(step.outgoing) };
            joined.entry(step.neighbour).and_modify(|held| *held = joint.min(*held)).or_insert(joint);
        }
        Self { titled: titled.iter().map(|seed| seed.rank).collect(), joined }
    }

    /// Where a seed stands. Where a title is said, other seeds are what an edge makes of them; else search has found them for
    /// words that they hold.
    pub(crate) fn tier_of(&self, seed: &Seed) -> Tier {
        match () {
            () if self.titled.contains(&seed.rank) => Tier::Stated,
            () if !self.titled.is_empty() => self.tier_beside(seed.brief.number),
            () if seed.stated => Tier::Stated,
            () => Tier::Open,
        }
    }

    /// Where a node stands that the prompt itself does not mean.
    pub(crate) fn tier_beside(&self, number: u64) -> Tier {
        self.joined.get(&number).map_or(Tier::Open, |joint| Tier::Beside(*joint))
    }
}

fn sorted(terms: &[QueryTerm]) -> Vec<&str> {
    let mut texts: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
    texts.sort_unstable();
    texts
}
