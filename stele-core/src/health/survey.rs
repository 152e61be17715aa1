//! The record at a glance: every node and edge in short, and the lookups that checks share.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::State;
use crate::record::reader::Snapshot;
use crate::record::survey::{EdgeInShort, NodeInShort};

const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// What the checks look at.
pub(super) struct Survey {
    now: Timestamp,
    pub(super) nodes: BTreeMap<u64, NodeInShort>,
    pub(super) edges: Vec<EdgeInShort>,
}

impl Survey {
    pub(super) fn of(snapshot: &Snapshot) -> Result<Self> {
        let nodes = snapshot.nodes_in_short()?.into_iter().map(|node| (node.id.number, node)).collect();
        Ok(Self { now: snapshot.now(), nodes, edges: snapshot.edges_in_short()? })
    }

    /// The nodes that hold.
    pub(super) fn live(&self) -> impl Iterator<Item = &NodeInShort> {
        self.nodes.values().filter(|node| node.state == State::Live)
    }

    /// A node, if it holds.
    pub(super) fn if_live(&self, number: u64) -> Option<&NodeInShort> {
        self.nodes.get(&number).filter(|node| node.state == State::Live)
    }

    /// The edges of a relation.
    pub(super) fn edges_of(&self, relation: Relation) -> impl Iterator<Item = &EdgeInShort> {
        self.edges.iter().filter(move |edge| edge.relation == relation)
    }

    /// The ids of both ends of an edge, if they are there.
    pub(super) fn ends(&self, edge: &EdgeInShort) -> Option<[NodeId; 2]> {
        Some([self.nodes.get(&edge.from)?.id, self.nodes.get(&edge.to)?.id])
    }

    /// True if a moment has come.
    pub(super) fn is_past(&self, moment: Timestamp) -> bool {
        moment <= self.now
    }

    /// How long ago a moment was, in milliseconds; a moment that is still to come was just now.
    fn age(&self, moment: Timestamp) -> i64 {
        self.now.unix_ms().saturating_sub(moment.unix_ms()).max(0)
    }

    /// How long ago a moment was, in whole days.
    pub(super) fn days_since(&self, moment: Timestamp) -> i64 {
        self.age(moment) / DAY_MS
    }

    /// True if a moment was longer ago than a number of days.
    pub(super) fn is_older(&self, moment: Timestamp, days: i64) -> bool {
        self.age(moment) > days * DAY_MS
    }

    /// The numbers of nodes with an edge of any relation.
    pub(super) fn joined(&self) -> BTreeSet<u64> {
        self.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect()
    }
}

/// Ids as a message names them.
pub(super) fn named(ids: &[NodeId], between: &str) -> String {
    ids.iter().map(NodeId::to_string).collect::<Vec<_>>().join(between)
}
