//! The words of tasks: who holds one, what a claim gives back, what ended with it, how far a container is.

use std::time::Duration;

use crate::base::id::NodeId;
use crate::base::time::Timestamp;

use super::node::TaskStatus;

/// Who works on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimNote {
    /// Who: an actor, or an actor and a session with a slash between them; a slash of the actor itself stands as `%2F`.
    pub holder: String,
    /// Since when.
    pub since: Timestamp,
    /// Until when, if the claim ends by itself.
    pub until: Option<Timestamp>,
}

impl ClaimNote {
    /// True if the lease is over at that instant, so that anybody may take the task.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// The name under which an actor holds tasks, with its session if it has one: `actor`, or `actor/session`. A slash or
/// percent sign of the actor itself is written as `%2F` or `%25`, so that no two pairs have one name.
pub(crate) fn holder_name(actor: &str, session: Option<&str>) -> String {
    let actor = actor.replace('%', "%25").replace('/', "%2F");
    session.map_or_else(|| actor.clone(), |session| format!("{actor}/{session}"))
}

/// A claim as it stands in the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) note: ClaimNote,
    /// For how long it was asked.
    pub(crate) lease: Option<Duration>,
    /// The sequence of its operation.
    pub(crate) token: u64,
}

/// How a call for a task ended: granted, or held by somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// The task.
    pub task: NodeId,
    /// True if the caller has it now.
    pub granted: bool,
    /// Who has it.
    pub holder: String,
    /// Since when; a renewed claim keeps the beginning of the first.
    pub since: Timestamp,
    /// Until when, if the claim ends by itself.
    pub until: Option<Timestamp>,
    /// Who had it before, if their lease was over.
    pub taken_from: Option<String>,
    /// The sequence of the claim's operation, if it was granted: who presents it acts as the holder.
    pub token: Option<u64>,
}

/// A task as the holder of a claim names it: by id or alias, or by the claim itself.
///
/// A claim brings its token along: it is refused as `not_holder` once it was renewed, taken over or released. A bare id
/// acts for the recorder's own actor and session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub(crate) task: String,
    pub(crate) token: Option<u64>,
}

impl Held {
    /// A task by id or alias, with the token of the claim on it.
    #[must_use]
    pub fn with_token(task: &str, token: u64) -> Self {
        Self { task: task.to_owned(), token: Some(token) }
    }
}

impl From<&str> for Held {
    fn from(task: &str) -> Self {
        Self { task: task.to_owned(), token: None }
    }
}

impl From<&String> for Held {
    fn from(task: &String) -> Self {
        Self::from(task.as_str())
    }
}

impl From<&Claim> for Held {
    fn from(claim: &Claim) -> Self {
        Self { task: claim.task.to_string(), token: claim.token }
    }
}

/// What a change of a task's status did to the facts that hang on it by `resolves_with` or `expires-on`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskChange {
    /// The task.
    pub task: NodeId,
    /// Where it stands now.
    pub status: TaskStatus,
    /// Facts that ended with its completion.
    pub resolved: Vec<NodeId>,
    /// Facts that hang on a cancelled task and hold on.
    pub hanging: Vec<NodeId>,
    /// Facts that hold again because it was reopened.
    pub revived: Vec<NodeId>,
}

/// How far a container is: its leaves are the tasks that block it, through containers in it, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContainerProgress {
    /// Leaves that are completed.
    pub completed: u64,
    /// Leaves that are not cancelled.
    pub total: u64,
}
