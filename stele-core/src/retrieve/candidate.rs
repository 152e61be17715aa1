//! A node on its way into a window, and the order of such nodes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::heads::Head;
use super::result::{Role, Score};
use super::score::RankingTable;
use crate::record::edge::Relation;
use crate::record::reader::Brief;

/// What comes before any score; smaller stands higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// The prompt says its title, or it says what the prompt says, about as well as the best seed; such nodes stand by
    /// fused rank.
    Stated,
    /// An edge joins it to what the prompt plainly means.
    Beside(Joint),
    /// Everything else, by score.
    Open,
}

/// The edge that joins a node to what the prompt plainly means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// The weight of its relation, higher first.
    pub(crate) weight: f32,
    /// True if what is meant rests on the node, which then comes first among relations of one weight.
    pub(crate) is_ground: bool,
}

impl Ord for Joint {
    fn cmp(&self, other: &Self) -> Ordering {
        other.weight.total_cmp(&self.weight).then_with(|| other.is_ground.cmp(&self.is_ground))
    }
}

impl PartialOrd for Joint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Joint {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Joint {}

/// What the order of two nodes depends on; smaller stands higher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) tier: Tier,
    /// The score as a sum, higher first.
    pub(crate) total: f32,
    /// A rule that is only proposed comes after others of its score.
    pub(crate) provisional: bool,
    /// Its position in what the session was served last.
    pub(crate) last: usize,
    /// How many nodes lead to it, if it was walked to.
    pub(crate) support: u32,
    /// The fused rank of the node, or of the seed that it was reached from.
    pub(crate) rank: u32,
    /// Where a node that was walked to stands among what shares words with the prompt.
    pub(crate) found: u32,
    pub(crate) created_ms: i64,
    pub(crate) number: u64,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_rank = |key: &Self| if key.tier == Tier::Stated { key.rank } else { 0 };
        (self.tier, by_rank(self))
            .cmp(&(other.tier, by_rank(other)))
            .then_with(|| other.total.total_cmp(&self.total))
            .then_with(|| (self.provisional, self.last).cmp(&(other.provisional, other.last)))
            .then_with(|| other.support.cmp(&self.support))
            .then_with(|| (self.rank, self.found).cmp(&(other.rank, other.found)))
            .then_with(|| other.created_ms.cmp(&self.created_ms))
            .then_with(|| self.number.cmp(&other.number))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

/// A node on its way into a window.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) brief: Arc<Brief>,
    pub(crate) role: Role,
    pub(crate) score: Score,
    pub(crate) hops: u32,
    pub(crate) via: Option<Relation>,
    pub(crate) from: Option<u64>,
    pub(crate) seed_rank: Option<u32>,
    /// The passage that answers best.
    pub(crate) ordinal: u32,
    /// Its own order.
    pub(crate) own: Key,
    /// The order of the place that it has: its own, or a better one of a node that it stands for.
    pub(crate) place: Key,
    /// Retired nodes that were found and that it stands at the end of, with the edge that retired each.
    pub(crate) replaces: Vec<(u64, i64)>,
    /// What stands in place of it, if it is retired.
    pub(crate) heads: Vec<Head>,
    pub(crate) folded: Vec<u64>,
    /// True if the session has it already.
    pub(crate) served: bool,
    /// True if it comes as one line.
    pub(crate) line: bool,
}

/// How a node came among the candidates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) role: Role,
    /// The edge into it and the node that the edge comes from; none for what was matched.
    pub(crate) edge: Option<(Relation, u64)>,
    pub(crate) hops: u32,
    pub(crate) seed_rank: Option<u32>,
    /// The fused rank of it, or of the seed that it was reached from.
    pub(crate) rank: u32,
    /// How many nodes lead to it; 0 for what was matched.
    pub(crate) support: u32,
    /// Where it stands among what shares words with the prompt, if it was walked to; else the greatest number.
    pub(crate) found: u32,
}

impl Candidate {
    /// A candidate in the open tier that stands for itself alone.
    pub(crate) fn new(table: &RankingTable, last: &LastOrder, brief: Arc<Brief>, way: Way) -> Self {
        let (via, from) = way.edge.unzip();
        let score = table.score(brief.class, via, way.hops);
        let own = Key {
            tier: Tier::Open,
            total: score.total(),
            provisional: brief.provisional,
            last: last.of(brief.number),
            support: way.support,
            rank: way.rank,
            found: way.found,
            created_ms: brief.created_ms,
            number: brief.number,
        };
        Self {
            brief,
            role: way.role,
            score,
            hops: way.hops,
            via,
            from,
            seed_rank: way.seed_rank,
            ordinal: 0,
            own,
            place: own,
            replaces: Vec::new(),
            heads: Vec::new(),
            folded: Vec::new(),
            served: false,
            line: false,
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.brief.number
    }

    /// It and what it stands for.
    pub(crate) fn together(&self) -> Vec<u64> {
        std::iter::once(self.number()).chain(self.folded.iter().copied()).collect()
    }

    /// Puts it into a tier.
    pub(crate) fn stand_in(&mut self, tier: Tier) {
        self.own.tier = tier;
        self.place = self.own;
    }
}

/// Where each node stood in what the session was served last.
#[derive(Default)]
pub(crate) struct LastOrder(HashMap<u64, usize>);

impl LastOrder {
    pub(crate) fn new(order: &[u64]) -> Self {
        let mut positions = HashMap::new();
        for (at, number) in order.iter().enumerate() {
            positions.entry(*number).or_insert(at);
        }
        Self(positions)
    }

    pub(crate) fn of(&self, number: u64) -> usize {
        if self.0.is_empty() { usize::MAX } else { self.0.get(&number).copied().unwrap_or(usize::MAX) }
    }
}
