//! What the moments of a session give.

use serde::Serialize;
use stele_core::{Delivered, Format, MomentKind, NodeId, OutcomeKind, ProviderCategory, Timestamp};

use super::retrieval::{CalloutLine, Entry, Gap, Pointer, Retrieval};
use super::rules::{Methodology, Obligations};
use super::{each, one, result};

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields say what they are")]
pub struct SessionState {
    pub name: String,
    pub mode: String,
    pub turn: u64,
    pub tokens_left: Option<u64>,
}

impl SessionState {
    /// Reads where a session stands.
    ///
    /// # Errors
    /// `closed`, `gone`, `forked`.
    pub fn of(session: &stele_core::Session) -> stele_core::Result<Self> {
        Ok(Self { name: session.name().to_owned(), mode: session.mode()?, turn: session.turn()?, tokens_left: session.tokens_left()? })
    }
}

result! {
    /// Something that happened while a session was away.
    Happened from Happened { sequence: u64, node: Pointer = Pointer::from, class: &'static str, what: &'static str, actor: String, }
}

result! {
    /// Where a session stopped.
    Stopped from Stopped { turn: u64, at: Timestamp, wrote: Vec<Pointer> = each, }
}

/// What the record says at a moment of a session; its text is empty if it has nothing new to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Moment {
    pub kind: MomentKind,
    pub text: String,
    pub entries: Vec<Entry>,
    pub callouts: Vec<Entry>,
    pub callout_lines: Vec<CalloutLine>,
    pub nudge: Option<String>,
    pub stopped: Option<Stopped>,
    pub happened: Vec<Happened>,
    pub happened_more: u64,
    pub conflicts: Vec<(NodeId, NodeId)>,
    pub gaps: Vec<Gap>,
    pub tokens: usize,
    pub now: Timestamp,
    pub delivery: String,
}

impl From<stele_core::Moment> for Moment {
    fn from(found: stele_core::Moment) -> Self {
        let delivery = Delivered::from(&found).to_string();
        Self {
            kind: found.kind,
            text: found.text,
            entries: each(found.entries),
            callouts: each(found.callouts),
            callout_lines: each(found.callout_lines),
            nudge: found.nudge,
            stopped: one(found.stopped),
            happened: each(found.happened),
            happened_more: found.happened_more,
            conflicts: found.conflicts,
            gaps: each(found.gaps),
            tokens: found.tokens,
            now: found.now,
            delivery,
        }
    }
}

result! {
    /// A part of a context as a model reads it.
    Section from Section { provider: String, category: ProviderCategory, text: String, tokens: usize, }
}

result! {
    /// How one provider ended.
    Outcome from Outcome {
        provider: String,
        category: ProviderCategory,
        result: OutcomeKind,
        reason: String,
        entries: usize,
        cut: usize,
        elsewhere: usize,
        tokens: usize,
        ms: u64,
    }
}

/// What a prompt gets: one text, its sections, and what each of them was made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Context {
    pub turn: u64,
    pub text: String,
    pub sections: Vec<Section>,
    pub outcomes: Vec<Outcome>,
    pub warnings: Vec<String>,
    pub digest: String,
    pub chars: usize,
    pub tokens: usize,
    pub item_id: Option<String>,
    pub obligations: Obligations,
    pub methodology: Methodology,
    pub record: Retrieval,
    pub delivery: String,
}

impl From<stele_core::Context> for Context {
    fn from(found: stele_core::Context) -> Self {
        let delivery = Delivered::from(&found).to_string();
        Self {
            turn: found.turn,
            text: found.text,
            sections: each(found.sections),
            outcomes: each(found.outcomes),
            warnings: found.warnings,
            digest: found.digest,
            chars: found.chars,
            tokens: found.tokens,
            item_id: found.item_id,
            obligations: Obligations::written(found.obligations, Format::Text),
            methodology: Methodology::written(found.methodology, Format::Text),
            record: found.record.into(),
            delivery,
        }
    }
}
