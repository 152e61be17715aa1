//! What the moments of a session give.

use serde_json::Value;
use stele_core::{Delivered, Format, MomentKind, NodeId, OutcomeKind, ProviderCategory, ResumeAction, Timestamp};

use super::retrieval::{CalloutLine, Entry, Gap, Pointer, Retrieval};
use super::rules::{Methodology, Obligations};
use super::{each, one, result, shape};

shape! {
    /// Where a session stands.
    SessionState {
        name: String,
        mode: String,
        turn: u64,
        tokens_left: Option<u64>,
    }
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

shape! {
    /// What the record says at a moment of a session; its text is empty if it has nothing new to say.
    Moment {
        kind: MomentKind,
        text: String,
        entries: Vec<Entry>,
        callouts: Vec<Entry>,
        callout_lines: Vec<CalloutLine>,
        nudge: Option<String>,
        stopped: Option<Stopped>,
        happened: Vec<Happened>,
        happened_more: u64,
        conflicts: Vec<(NodeId, NodeId)>,
        gaps: Vec<Gap>,
        tokens: usize,
        now: Timestamp,
        delivery: String,
    }
}

impl From<stele_core::Moment> for Moment {
    fn from(found: stele_core::Moment) -> Self {
        let bare = Self::bare(&found);
        Self { text: found.text, entries: each(found.entries), callouts: each(found.callouts), ..bare }
    }
}

impl Moment {
    /// A moment without text, entries and callouts.
    pub(crate) fn bare(found: &stele_core::Moment) -> Self {
        Self {
            kind: found.kind,
            text: String::new(),
            entries: Vec::new(),
            callouts: Vec::new(),
            callout_lines: each(found.callout_lines.clone()),
            nudge: found.nudge.clone(),
            stopped: one(found.stopped.clone()),
            happened: each(found.happened.clone()),
            happened_more: found.happened_more,
            conflicts: found.conflicts.clone(),
            gaps: each(found.gaps.clone()),
            tokens: found.tokens,
            now: found.now,
            delivery: Delivered::from(found).to_string(),
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

shape! {
    /// What a prompt gets: one text, its sections, how each provider ended, and what the sections were made of.
    Context {
        turn: u64,
        text: String,
        sections: Vec<Section>,
        outcomes: Vec<Outcome>,
        warnings: Vec<String>,
        digest: String,
        chars: usize,
        tokens: usize,
        item_id: Option<String>,
        obligations: Obligations,
        methodology: Methodology,
        record: Retrieval,
        delivery: String,
    }
}

impl From<stele_core::Context> for Context {
    fn from(found: stele_core::Context) -> Self {
        let (bare, record) = Self::bare(found);
        Self { record: record.into(), ..bare }
    }
}

impl Context {
    /// A context whose record has no text, entries and callouts, and what the record found.
    pub(crate) fn bare(found: stele_core::Context) -> (Self, stele_core::Retrieval) {
        let delivery = Delivered::from(&found).to_string();
        let bare = Self {
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
            record: Retrieval::bare(&found.record),
            delivery,
        };
        (bare, found.record)
    }
}

shape! {
    /// How a turn goes on that is taken up again: `skip`, `append` or `run`.
    Resumed {
        action: ResumeAction,
        turn: u64,
        text: String,
        item_id: Option<String>,
        replaces: bool,
        digest: String,
        outcomes: Value,
        delivery: String,
    }
}

impl From<stele_core::Resumed> for Resumed {
    fn from(found: stele_core::Resumed) -> Self {
        let delivery = Delivered::from(&found).to_string();
        let outcomes = serde_json::from_str(&found.outcomes).unwrap_or(Value::Array(Vec::new()));
        Self {
            action: found.action,
            turn: found.turn,
            text: found.text,
            item_id: found.item_id,
            replaces: found.replaces,
            digest: found.digest,
            outcomes,
            delivery,
        }
    }
}
