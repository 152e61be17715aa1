//! Rules that are delivered without being ranked, and what becomes of proposed ones.

use stele_core::{Channel, Format, NodeId, Pointed, RefusalReason, Severity};

use super::{each, result, shape};

shape! {
    /// A rule as the obligations or the methodology deliver it. `pointed` says why it comes as one line: `shown` before, or
    /// `not_here`; `channel` is set for methodology.
    RuleEntry {
        id: NodeId,
        revision: u64,
        channel: Option<Channel>,
        matched: usize,
        title: String,
        trigger: String,
        statement: String,
        mandatory: bool,
        always_on: bool,
        forbidden: Vec<String>,
        instead: String,
        domain: Option<String>,
        severity: Severity,
        methodology: Option<String>,
        has_body: bool,
        pointed: Option<&'static str>,
        text: String,
        tokens: usize,
    }
}

impl From<stele_core::RuleEntry> for RuleEntry {
    fn from(entry: stele_core::RuleEntry) -> Self {
        Self {
            id: entry.id,
            revision: entry.revision,
            channel: None,
            matched: 0,
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

impl From<stele_core::MethodologyEntry> for RuleEntry {
    fn from(entry: stele_core::MethodologyEntry) -> Self {
        Self { channel: Some(entry.channel), matched: entry.matched, ..entry.rule.into() }
    }
}

shape! {
    /// The rules that a turn must carry.
    Obligations {
        text: String,
        entries: Vec<RuleEntry>,
        pointers: Vec<RuleEntry>,
        tokens: usize,
        over_budget: bool,
    }
}

impl Obligations {
    /// Obligations whose text has a format.
    #[must_use]
    pub fn written(found: stele_core::Obligations, format: Format) -> Self {
        Self { text: found.render(format), entries: each(found.entries), pointers: each(found.pointers), tokens: found.tokens, over_budget: found.over_budget }
    }
}

shape! {
    /// What a mode, an action or the words of a text call.
    Methodology {
        text: String,
        entries: Vec<RuleEntry>,
        left: usize,
        tokens: usize,
        over_budget: bool,
    }
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

shape! {
    /// What became of a proposed rule: its id, or every reason why it was not stored.
    Proposal {
        accepted: bool,
        id: Option<NodeId>,
        refused: Vec<Refusal>,
    }
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
