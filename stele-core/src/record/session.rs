//! What a session was served, kept in `sessions.db` beside the record. Losing that file loses no knowledge.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is known of one agent session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionState {
    /// Counts the prompts of the session.
    pub(crate) turn: u64,
    /// Counts compactions, phases and modes; what was served in an earlier epoch may come again.
    pub(crate) epoch: u64,
    /// For how many further turns nothing is looked up.
    pub(crate) paused_turns: u64,
    /// True if only a few entries are wanted.
    pub(crate) quiet: bool,
    /// The nodes that were delivered, by number.
    pub(crate) served: BTreeMap<u64, Served>,
    /// The numbers of the last window, in its order.
    pub(crate) last_order: Vec<u64>,
    /// What is left of the session's tokens for the record.
    pub(crate) tokens_left: Option<u64>,
}

/// In which form a node was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Served {
    pub(crate) revision: u64,
    pub(crate) epoch: u64,
}

impl SessionState {
    /// True if this revision of the node stands already in the session's present epoch.
    pub(crate) fn has(&self, number: u64, revision: u64) -> bool {
        self.served.get(&number).is_some_and(|served| served.revision == revision && served.epoch == self.epoch)
    }
}
