//! A moment of a session: what the record says when a session starts, before an edit, after an error, around completion.

use crate::base::id::NodeId;
use crate::base::names::named_enum;
use crate::base::time::Timestamp;
use crate::record::session::Delivery;
use crate::retrieve::result::{CalloutLine, Entry, Gap, Retrieval, Status};
use crate::retrieve::since::{Happened, Stopped};

/// The nudge that comes with the first edit of a session.
pub(super) const EDIT_NUDGE: &str = "first edit of this session: search the record for what was decided about the code that you are about to change";
/// The nudge that comes once around completion.
pub(super) const COMPLETE_NUDGE: &str =
    "before this is done: record what was learned, a lesson with the exact words of its error, a decision with its reason, and supersede what no longer holds";

named_enum! {
    /// At which moment of a session something is told.
    MomentKind, UnknownValue, "moment" {
        /// The session starts, or goes on.
        Start = 0 "start",
        /// A file is about to be changed.
        Edit = 1 "edit",
        /// A tool printed something.
        Output = 2 "output",
        /// Work is about to be called done.
        Complete = 3 "complete",
    }
}

/// What the record says at a moment; empty if it has nothing new to say.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moment {
    /// Which moment it is.
    pub kind: MomentKind,
    /// The text for a model; empty if there is nothing to say.
    pub text: String,
    /// What it is about: what is anchored there, what was learned about an error, what is held.
    pub entries: Vec<Entry>,
    /// Risks, best first.
    pub callouts: Vec<Entry>,
    /// Further risks, a line each.
    pub callout_lines: Vec<CalloutLine>,
    /// What to do, said once a session.
    pub nudge: Option<String>,
    /// Where the session stopped; none unless it starts and was here before.
    pub stopped: Option<Stopped>,
    /// What happened since, newest first; empty unless the session starts.
    pub happened: Vec<Happened>,
    /// How much more happened than is listed.
    pub happened_more: u64,
    /// Pairs of shown nodes that contradict each other.
    pub conflicts: Vec<(NodeId, NodeId)>,
    /// What it did not get to.
    pub gaps: Vec<Gap>,
    /// The text in tokens, estimated unless the host counts them.
    pub tokens: usize,
    /// The instant that ages are told from.
    pub now: Timestamp,
    /// The head of the log that was read.
    pub(crate) head: u64,
    pub(crate) delivery: Delivery,
}

impl Moment {
    /// A moment of what was found, without its text.
    pub(super) fn of(kind: MomentKind, found: Retrieval, notes: Vec<Gap>) -> Self {
        let shown = found.status == Status::Found;
        let delivery = if shown { Delivery { order: None, ..found.delivery() } } else { Delivery::default() };
        Self {
            kind,
            text: String::new(),
            entries: found.entries,
            callouts: found.callouts,
            callout_lines: found.callout_lines,
            nudge: None,
            stopped: None,
            happened: Vec::new(),
            happened_more: 0,
            conflicts: found.conflicts,
            gaps: found.gaps.into_iter().chain(notes).collect(),
            tokens: 0,
            now: found.now,
            head: found.stats.head,
            delivery,
        }
    }

    /// True if there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
