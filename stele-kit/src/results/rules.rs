//! Rules that are delivered without being ranked, and what becomes of proposed ones.

use serde::Serialize;
use stele_core::{Channel, Format, NodeId, Pointed, RefusalReason, Severity};

use super::{each, result};

/// A rule as the obligations deliver it. `pointed` says why it comes as one line: `shown` before, or `not_here`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct RuleEntry {
    pub id: NodeId,
    pub revision: u64,
    pub title: String,
    pub trigger: String,
    pub statement: String,
    pub mandatory: bool,
    pub always_on: bool,
    pub forbidden: Vec<String>,
    pub instead: String,
    pub domain: Option<String>,
    pub severity: Severity,
    pub methodology: Option<String>,
    pub has_body: bool,
    pub pointed: Option<&'static str>,
    pub text: String,
    pub tokens: usize,
}

impl From<stele_core::RuleEntry> for RuleEntry {
    fn from(entry: stele_core::RuleEntry) -> Self {
        Self {
            id: entry.id,
            revision: entry.revision,
            title: entry.title,
            trigger: entry.trigger,
            statement: entry.statement,
            mandatory: entry.mandatory,
            always_on: entry.always_on,
            forbidden: entry.forbidden,
            instead: entry.instead,
            domain: entry.domain,
            severity: entry.severity,
            methodology: entry.methodology,
            has_body: entry.has_body,
            pointed: entry.pointed.map(|pointed| if pointed == Pointed::Shown { "shown" } else { "not_here" }),
            text: entry.text,
            tokens: entry.tokens,
        }
    }
}

/// A rule as the methodology delivers it, with the channel that called it and how many words did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct MethodologyEntry {
    pub channel: Channel,
    pub matched: usize,
    #[serde(flatten)]
    pub rule: RuleEntry,
}

impl From<stele_core::MethodologyEntry> for MethodologyEntry {
    fn from(entry: stele_core::MethodologyEntry) -> Self {
        Self { channel: entry.channel, matched: entry.matched, rule: entry.rule.into() }
    }
}

/// The rules that a turn must carry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Obligations {
    pub text: String,
    pub entries: Vec<RuleEntry>,
    pub pointers: Vec<RuleEntry>,
    pub tokens: usize,
    pub over_budget: bool,
}

impl Obligations {
    /// Obligations whose text has a format.
    #[must_use]
    pub fn written(found: stele_core::Obligations, format: Format) -> Self {
        Self { text: found.render(format), entries: each(found.entries), pointers: each(found.pointers), tokens: found.tokens, over_budget: found.over_budget }
    }
}

/// What a mode, an action or the words of a text call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Methodology {
    pub text: String,
    pub entries: Vec<MethodologyEntry>,
    pub left: usize,
    pub tokens: usize,
    pub over_budget: bool,
}

impl Methodology {
    /// Methodology whose text has a format.
    #[must_use]
    pub fn written(found: stele_core::Methodology, format: Format) -> Self {
        Self { text: found.render(format), entries: each(found.entries), left: found.left, tokens: found.tokens, over_budget: found.over_budget }
    }
}

result! {
    /// One reason against a proposed rule.
    Refusal from Refusal { reason: RefusalReason, message: String, ids: Vec<NodeId>, }
}

/// What became of a proposed rule: its id, or every reason why it was not stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Proposal {
    pub accepted: bool,
    pub id: Option<NodeId>,
    pub refused: Vec<Refusal>,
}

impl From<stele_core::Proposal> for Proposal {
    fn from(proposal: stele_core::Proposal) -> Self {
        Self { accepted: proposal.accepted(), id: proposal.id, refused: each(proposal.refused) }
    }
}

result! {
    /// What was counted for a rule since its statement became what it is.
    RuleFeedback from RuleFeedback { rule: NodeId, helped: u64, hurt: u64, lower_bound: f64, ready: bool, counted: bool, }
}
