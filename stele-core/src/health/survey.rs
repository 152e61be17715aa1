//! The record at a glance: every node and edge in short, and the lookups that checks share.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::State;
use crate::record::reader::Snapshot;
use crate::record::survey::{EdgeInShort, NodeInShort};

/// What the checks look at.
pub(super) struct Survey {
    pub(super) now: Timestamp,
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

    /// The edges of a relation.
    pub(super) fn edges_of(&self, relation: Relation) -> impl Iterator<Item = &EdgeInShort> {
        self.edges.iter().filter(move |edge| edge.relation == relation)
    }

    /// The id of a node that an edge names.
    pub(super) fn id(&self, number: u64) -> Option<NodeId> {
        self.nodes.get(&number).map(|node| node.id)
    }

    /// True if both ends of an edge hold.
    pub(super) fn both_live(&self, edge: &EdgeInShort) -> bool {
        [edge.from, edge.to].iter().all(|end| self.nodes.get(end).is_some_and(|node| node.state == State::Live))
    }

    /// How long ago a moment was, in whole days; negative ages are none.
    pub(super) fn days_since(&self, moment: Timestamp) -> i64 {
        self.now.unix_ms().saturating_sub(moment.unix_ms()).max(0) / DAY_MS
    }

    /// The numbers of nodes with an edge of any relation.
    pub(super) fn joined(&self) -> BTreeSet<u64> {
        self.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect()
    }
}

const DAY_MS: i64 = 24 * 3_600 * 1_000;
