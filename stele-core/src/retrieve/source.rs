//! What a retriever asks of the record that it belongs to. Implemented once, by the store.

use std::sync::Arc;

use super::kept::Keeping;
use super::result::Retrieval;
use super::score::RankingTable;
use super::tasks::Handoff;
use crate::base::error::{Error, Result};
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::TokenCounter;
use crate::index::embed::CheckedEmbedder;
use crate::index::view::View;
use crate::record::reader::{AsOf, Snapshot};
use crate::record::rule::book::Rulebooks;
use crate::record::session::{HeldAgainst, Loaded, SessionState};

/// Where a retriever reads.
pub(crate) trait Source: Send + Sync {
    /// Fails if nothing can be read any more: the handle is closed, or the record is gone.
    fn check(&self) -> Result<()>;

    /// A snapshot at the head or as of an earlier moment, whose reads end at the deadline. States are told at `now`, or
    /// at the present instant.
    fn snapshot(&self, as_of: Option<AsOf>, now: Option<Timestamp>, deadline: Deadline) -> Result<Snapshot>;

    /// A snapshot with what search looks at.
    fn look(&self, as_of: Option<AsOf>, now: Option<Timestamp>, deadline: Deadline) -> Result<(Snapshot, View)>;

    /// The vector of a query, waited for until the deadline.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn embed(&self, embedder: &Arc<CheckedEmbedder>, text: &str, deadline: Deadline) -> std::result::Result<Vec<f32>, String>;

    /// Gives up a text index that could not be searched, so that the next look does without it.
    fn text_failed(&self, error: &Error);

    /// What its reads keep for each other.
    fn keeping(&self) -> &Keeping;

    /// The rules as they were last read.
    fn rulebooks(&self) -> &Rulebooks;

    /// The weights in force.
    fn ranking(&self) -> Arc<RankingTable>;

    /// The present instant.
    fn now(&self) -> Timestamp;

    /// What is known of a session; one that was never seen, or cannot be read, is fresh.
    fn session_state(&self, name: &str) -> SessionState;

    /// The same, with what there is to tell once of how it is kept.
    fn session(&self, name: &str) -> Loaded;

    /// Changes what is known of a session in one step, for which others who write are waited for until the deadline; gives
    /// it as it is then. `held` says how it was held against the log that was read since, if it was.
    fn change_session(&self, name: &str, held: Option<&HeldAgainst>, deadline: Deadline, change: &mut dyn FnMut(&mut SessionState)) -> SessionState;

    /// Writes a handoff out.
    fn write_handoff(&self, handoff: &Handoff) -> String;

    /// How an answer counts tokens.
    fn counter(&self) -> TokenCounter;

    /// Brings a retrieval into its token limit and sets the tokens of its entries.
    fn fit(&self, retrieval: &mut Retrieval);
}
