//! What a prompt, a question or a query finds.

use serde::Serialize;
use stele_core::{Category, Delivered, Format, GapKind, Kind, NodeId, Relation, Role, Shown, State, Status, TaskStatus, Timestamp};

use super::nodes::{Anchor, Source};
use super::tasks::ClaimNote;
use super::{decimal, each, one, result};

result! {
    /// A node's id with its title.
    Pointer from Pointer { id: NodeId, title: String, }
}

/// A node that another replaced or was replaced by, with what the change rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Replacement {
    pub id: NodeId,
    pub title: String,
    pub reason: String,
    pub evidence: Option<String>,
    pub unverified: bool,
}

impl From<stele_core::Replacement> for Replacement {
    fn from(change: stele_core::Replacement) -> Self {
        let stele_core::Replacement { node, reason, evidence, unverified } = change;
        Self { id: node.id, title: node.title, reason, evidence, unverified }
    }
}

result! {
    /// The parts of a score: category plus relation minus distance.
    Score from Score { category: f64 = decimal, relation: f64 = decimal, distance: f64 = decimal, }
}

/// One node in a window.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Entry {
    pub id: NodeId,
    pub aliases: Vec<String>,
    pub kind: Kind,
    pub category: Option<Category>,
    pub container: bool,
    pub state: State,
    pub status: Option<TaskStatus>,
    pub title: String,
    pub body: String,
    pub passage: String,
    pub detail: Shown,
    pub cut_chars: usize,
    pub role: Role,
    pub score: f64,
    pub score_parts: Score,
    pub explain: String,
    pub hops: u32,
    pub via: Option<Relation>,
    pub from: Option<Pointer>,
    pub seed_rank: Option<u32>,
    pub replaces: Vec<Replacement>,
    pub replaced_by: Vec<Replacement>,
    pub reason: Option<String>,
    pub evidence: Option<String>,
    pub conflicts: Vec<Pointer>,
    pub folded: Vec<NodeId>,
    pub claim: Option<ClaimNote>,
    pub tokens: usize,
    pub revision: u64,
    pub created_at: Timestamp,
    pub source: Option<Source>,
    pub review_at: Option<Timestamp>,
    pub verified_at: Option<Timestamp>,
    pub anchors: Vec<Anchor>,
}

impl From<stele_core::Entry> for Entry {
    fn from(entry: stele_core::Entry) -> Self {
        let (explain, reason, evidence) = (entry.explain(), entry.reason().map(str::to_owned), entry.evidence().map(str::to_owned));
        Self {
            id: entry.id,
            aliases: entry.aliases,
            kind: entry.kind,
            category: entry.category,
            container: entry.container,
            state: entry.state,
            status: entry.status,
            title: entry.title,
            body: entry.body,
            passage: entry.passage,
            detail: entry.detail,
            cut_chars: entry.cut_chars,
            role: entry.role,
            score: decimal(entry.score.total()),
            score_parts: entry.score.into(),
            explain,
            hops: entry.hops,
            via: entry.via,
            from: one(entry.from),
            seed_rank: entry.seed_rank,
            replaces: each(entry.replaces),
            replaced_by: each(entry.replaced_by),
            reason,
            evidence,
            conflicts: each(entry.conflicts),
            folded: entry.folded,
            claim: one(entry.claim),
            tokens: entry.tokens,
            revision: entry.revision,
            created_at: entry.created_at,
            source: one(entry.source),
            review_at: entry.review_at,
            verified_at: entry.verified_at,
            anchors: each(entry.anchors),
        }
    }
}

result! {
    /// A risk that did not fit in full.
    CalloutLine from CalloutLine { risk: Pointer = Pointer::from, via: Relation, from: NodeId, }
}

result! {
    /// One thing that a retrieval did not get to.
    Gap from Gap { kind: GapKind, count: u64, note: String, }
}

/// A reference that named a number under another kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields say what they are")]
pub struct Corrected {
    pub written: String,
    pub id: NodeId,
}

impl From<(String, NodeId)> for Corrected {
    fn from((written, id): (String, NodeId)) -> Self {
        Self { written, id }
    }
}

result! {
    /// Counted work of one retrieval.
    Stats from Stats {
        head: u64,
        text_sequence: u64,
        vector_sequence: u64,
        tail: u64,
        postings: u64,
        vectors: u64,
        nodes: u64,
        edges: u64,
        texts: u64,
        embedded: u64,
    }
}

/// What a retrieval gives: the window in its order, what it did not get to, its text, and what `delivered` takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
pub struct Retrieval {
    pub status: Status,
    pub text: String,
    pub entries: Vec<Entry>,
    pub callouts: Vec<Entry>,
    pub callout_lines: Vec<CalloutLine>,
    pub conflicts: Vec<(NodeId, NodeId)>,
    pub gaps: Vec<Gap>,
    pub corrected: Vec<Corrected>,
    pub stats: Stats,
    pub now: Timestamp,
    pub max_tokens: Option<usize>,
    pub tokens: usize,
    pub briefing: bool,
    pub delivery: String,
}

impl Retrieval {
    /// A retrieval whose text has a format.
    #[must_use]
    pub fn written(found: stele_core::Retrieval, format: Format) -> Self {
        Self { text: found.render(format), delivery: Delivered::from(&found).to_string(), ..Self::without_text(found) }
    }

    fn without_text(found: stele_core::Retrieval) -> Self {
        Self {
            status: found.status,
            text: String::new(),
            entries: each(found.entries),
            callouts: each(found.callouts),
            callout_lines: each(found.callout_lines),
            conflicts: found.conflicts,
            gaps: each(found.gaps),
            corrected: each(found.corrected),
            stats: found.stats.into(),
            now: found.now,
            max_tokens: found.max_tokens,
            tokens: found.tokens,
            briefing: found.briefing,
            delivery: String::new(),
        }
    }
}

impl From<stele_core::Retrieval> for Retrieval {
    fn from(found: stele_core::Retrieval) -> Self {
        Self::written(found, Format::Text)
    }
}

result! {
    /// One hit of a search.
    Hit from Hit {
        id: NodeId,
        aliases: Vec<String>,
        kind: Kind,
        category: Option<Category>,
        state: State,
        title: String,
        score: f64 = decimal,
        text_rank: Option<u32>,
        semantic_rank: Option<u32>,
        snippet: String,
    }
}
