//! Operations: the only way in which a record changes. Everything that applying one needs stands in it.

use serde::{Deserialize, Serialize};

use super::edge::{Evidence, Relation};
use super::node::Content;
use super::purge::Purge;
use crate::base::error::{Code, Error, Result};
use crate::base::time::Timestamp;

/// The version of the payload's form.
pub(crate) const PAYLOAD_VERSION: u32 = 1;

/// One change, with every id, time and verdict settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// A node comes to be.
    Create(Box<Create>),
    /// A node says something else from now on.
    Revise(Box<Revise>),
    /// A node gets another name; an empty one is what is left of a name that was purged.
    Alias { number: u64, alias: String, mentioned_by: Vec<u64> },
    /// Two nodes are joined.
    Link(Box<Link>),
    /// They are no longer joined.
    Unlink { from: u64, relation: Relation, to: u64, why: String },
    /// A retirement turns into a mere connection.
    Demote { newer: u64, older: u64, why: String },
    /// Somebody confirmed that a node still holds.
    Review { number: u64, note: String },
    /// A node is put away.
    Archive { number: u64, why: String },
    /// A node's text goes.
    Purge(Box<Purge>),
    /// A rule helped or hurt.
    Feedback { number: u64, helped: bool, key: Option<String> },
    /// A proposed rule becomes a rule.
    Promote { revise: Box<Revise>, approval: String },
    /// Somebody takes a task, or goes on with it.
    Claim(Box<TakeTask>),
    /// A claim ends by itself, or by force where it is said why.
    Release { number: u64, holder: String, why: Option<String> },
    /// A task is done.
    Complete { number: u64, summary: String },
    /// A task is given up.
    Cancel { number: u64, why: String },
    /// A task that was done or given up is open again.
    Reopen { number: u64, why: String },
}

/// Somebody takes a task, or goes on with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TakeTask {
    pub(crate) number: u64,
    pub(crate) holder: String,
    /// When the holder took it first.
    pub(crate) since: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lease_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) taken_from: Option<String>,
}

/// A node comes to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Create {
    pub(crate) number: u64,
    pub(crate) aliases: Vec<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) content: Content,
    /// Nodes that its text names.
    pub(crate) mentions: Vec<u64>,
    /// Nodes whose text already named it.
    pub(crate) mentioned_by: Vec<u64>,
}

/// A node says something else from now on; the whole new content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Revise {
    pub(crate) number: u64,
    pub(crate) content: Content,
    /// The names of the fields that differ, in the order of the content.
    pub(crate) changed: Vec<String>,
    /// Nodes that its text names now and did not.
    pub(crate) mentions: Vec<u64>,
    /// Nodes that its text no longer names.
    pub(crate) unmentions: Vec<u64>,
}

/// Two nodes are joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) from: u64,
    pub(crate) relation: Relation,
    pub(crate) to: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Evidence>,
}

/// An operation as it stands in the log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operation {
    pub(crate) sequence: u64,
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
    pub(crate) session: Option<String>,
    pub(crate) change: Change,
}

#[derive(Serialize, Deserialize)]
struct Payload<C> {
    v: u32,
    change: C,
}

impl Change {
    /// The word that stands beside the payload in the log.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Revise(_) => "revise",
            Self::Alias { .. } => "alias",
            Self::Link(_) => "link",
            Self::Unlink { .. } => "unlink",
            Self::Demote { .. } => "demote",
            Self::Review { .. } => "review",
            Self::Archive { .. } => "archive",
            Self::Purge(_) => "purge",
            Self::Feedback { .. } => "feedback",
            Self::Promote { .. } => "promote",
            Self::Claim(_) => "claim",
            Self::Release { .. } => "release",
            Self::Complete { .. } => "complete",
            Self::Cancel { .. } => "cancel",
            Self::Reopen { .. } => "reopen",
        }
    }

    /// The node and the content that the change gives it, if it does.
    pub(crate) fn content(&self) -> Option<(u64, &Content)> {
        match self {
            Self::Create(create) => Some((create.number, &create.content)),
            Self::Revise(revise) | Self::Promote { revise, .. } => Some((revise.number, &revise.content)),
            _ => None,
        }
    }

    /// The payload's bytes.
    pub(crate) fn to_payload(&self) -> String {
        serde_json::to_string(&Payload { v: PAYLOAD_VERSION, change: self }).expect("a change has only string keys")
    }

    /// Reads a payload.
    ///
    /// # Errors
    /// `newer_format` if a later release wrote it, `damaged` if it cannot be read.
    pub(crate) fn from_payload(sequence: u64, payload: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let damaged = |cause: serde_json::Error| Error::new(Code::Damaged, format!("read operation {sequence}: {cause}")).with("sequence", sequence);
        let version: Version = serde_json::from_str(payload).map_err(damaged)?;
        if version.v > PAYLOAD_VERSION {
            return Err(Error::new(Code::NewerFormat, format!("read operation {sequence}: its form is {}, this release knows {PAYLOAD_VERSION}", version.v)));
        }
        serde_json::from_str::<Payload<Self>>(payload).map(|payload| payload.change).map_err(damaged)
    }
}
