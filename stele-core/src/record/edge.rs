//! Relations and edges, and what an edge can carry as proof.

use serde::{Deserialize, Serialize};

use crate::base::config::FIELD_BYTES;
use crate::base::id::NodeId;
use crate::base::names::named_enum;
use crate::base::time::Timestamp;

named_enum! {
    /// How two nodes are joined: `from relation to`.
    Relation, UnknownRelation, "relation" {
        /// A task fulfills a goal.
        Fulfills = 0 "fulfills",
        /// A child or blocker blocks its parent or the blocked.
        Blocks = 1 "blocks",
        /// The newer supersedes the older; needs reason and evidence.
        Supersedes = 2 "supersedes",
        /// An effect is caused by a cause.
        CausedBy = 3 "caused-by",
        /// Both cannot hold; symmetric.
        Contradicts = 4 "contradicts",
        /// They have to do with each other.
        RelatesTo = 5 "relates-to",
        /// The text of one names the other.
        Mentions = 6 "mentions",
        /// A document embeds a node.
        Embeds = 7 "embeds",
        /// A fact ends with a task or milestone.
        ExpiresOn = 8 "expires-on",
    }
}

impl Relation {
    /// True if a risk at its end is on the path of the work.
    #[must_use]
    pub const fn is_causal(self) -> bool {
        matches!(self, Self::Blocks | Self::Supersedes | Self::CausedBy | Self::Contradicts)
    }

    /// True if a node rests on what is at the other end: on what blocks it, and on what caused it.
    pub(crate) const fn rests(self, outgoing: bool) -> bool {
        match self {
            Self::Blocks => !outgoing,
            Self::CausedBy => outgoing,
            _ => false,
        }
    }

    /// True if it asserts something that wants a reason.
    #[must_use]
    pub const fn is_claim(self) -> bool {
        matches!(self, Self::Supersedes | Self::CausedBy | Self::Contradicts)
    }

    /// True if it may not lead back to where it started.
    #[must_use]
    pub const fn is_acyclic(self) -> bool {
        matches!(self, Self::Blocks | Self::Supersedes)
    }
}

/// What a reason begins with where an import could not draw the edge that its source says.
pub(crate) const STANDS_IN: &str = "stands in for ";
/// What follows the relation there.
pub(crate) const WOULD_CLOSE: &str = ", which would close a cycle";

/// The reason of an edge that stands in for one of another relation, which would close a cycle.
pub(crate) fn stand_in_reason(relation: Relation, reason: &str) -> String {
    let reason = reason.trim();
    if reason.is_empty() {
        return format!("{STANDS_IN}{relation}{WOULD_CLOSE}");
    }
    let mark = format!("{STANDS_IN}{relation}{WOULD_CLOSE}: ");
    format!("{mark}{}", &reason[..reason.floor_char_boundary(FIELD_BYTES - mark.len())])
}

/// The quoted line that an edge rests on, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The line, word for word.
    pub quote: String,
    /// Where it stands.
    pub found: Found,
}

/// Where evidence was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Found {
    /// In the text of a revision of a node.
    Node {
        /// The node's number.
        number: u64,
        /// The revision that was read.
        revision: u64,
    },
    /// In the quoted line of a node's source.
    Quote {
        /// The node's number.
        number: u64,
        /// The source.
        uri: String,
        /// The source's revision.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<String>,
    },
    /// In a source text that came with the call.
    Text {
        /// SHA-256 of the text, in hexadecimal.
        sha256: String,
        /// The text around the quote, at most 200 characters.
        excerpt: String,
        /// Where the text comes from, if the call said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
        /// The revision of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<String>,
    },
    /// Nowhere: the host vouched for it, or it came with an import.
    Unverified,
}

/// A live edge as it stands in a snapshot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// Where it ends.
    pub to: NodeId,
    /// Why it is said.
    pub reason: String,
    /// What it rests on.
    pub evidence: Option<Evidence>,
    /// Who drew it.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// True if it was drawn because a text names the node.
    pub automatic: bool,
}

impl Edge {
    /// True if its reason or its evidence is missing or was not found in any text.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        is_unverified(&self.reason, self.evidence.as_ref())
    }
}

/// True if that reason or that evidence is missing or was not found in any text.
pub(crate) fn is_unverified(reason: &str, evidence: Option<&Evidence>) -> bool {
    reason.is_empty() || !matches!(evidence, Some(evidence) if !matches!(evidence.found, Found::Unverified))
}
