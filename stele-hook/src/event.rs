//! What agents tell, in words of no agent.

use std::path::PathBuf;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A session starts or goes on; `forgotten` if the model kept nothing of what it was told before.
    Start { forgotten: bool },
    /// The user asks.
    Prompt(String),
    /// Files are about to be changed, or, where an agent takes no word before, were changed.
    Edit(Vec<String>),
    /// A tool printed something.
    Output(String),
    /// The model's memory of the session is about to be compacted.
    Compaction,
    /// The agent is about to stop; `again` if it goes on only because a hook held it up.
    Stop { again: bool },
    /// Nothing that the record has a word for.
    Nothing,
}

/// An event of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The agent's name for it, as its answer must repeat it.
    pub(crate) name: String,
    pub(crate) session: String,
    /// Where the agent works.
    pub(crate) folder: Option<PathBuf>,
    /// The mode that the session is in, if the agent has modes.
    pub(crate) mode: Option<&'static str>,
    pub(crate) what: What,
}
