//! What a prompt, a question or a query finds.

use stele_core::{Category, Delivered, Format, GapKind, Kind, NodeId, Relation, Role, Shown, State, Status, TaskStatus, Timestamp};

use super::nodes::{Anchor, Source};
use super::tasks::ClaimNote;
use super::{decimal, each, one, result, shape};

result! {
    /// A node's id with its title.
    Pointer from Pointer { id: NodeId, title: String, }
}

shape! {
    /// A node that another replaced or was replaced by, with what the change rests on.
    Replacement {
        id: NodeId,
        title: String,
        reason: String,
        evidence: Option<String>,
        unverified: bool,
    }
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

shape! {
    /// One node in a window.
    Entry {
        id: NodeId,
        aliases: Vec<String>,
        kind: Kind,
        category: Option<Category>,
        container: bool,
        state: State,
        status: Option<TaskStatus>,
        title: String,
        body: String,
        passage: String,
        detail: Shown,
        cut_chars: usize,
        role: Role,
        score: f64,
        score_parts: Score,
        explain: String,
        hops: u32,
        via: Option<Relation>,
        from: Option<Pointer>,
        seed_rank: Option<u32>,
        replaces: Vec<Replacement>,
        replaced_by: Vec<Replacement>,
        reason: Option<String>,
        evidence: Option<String>,
        conflicts: Vec<Pointer>,
        folded: Vec<NodeId>,
        claim: Option<ClaimNote>,
        tokens: usize,
        revision: u64,
        created_at: Timestamp,
        source: Option<Source>,
        review_at: Option<Timestamp>,
        verified_at: Option<Timestamp>,
        anchors: Vec<Anchor>,
    }
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

shape! {
    /// A reference that named a number under another kind.
    Corrected {
        written: String,
        id: NodeId,
    }
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

shape! {
    /// What a retrieval gives: the window in its order, what it did not get to, its text, and what `delivered` takes.
    Retrieval {
        status: Status,
        text: String,
        entries: Vec<Entry>,
        callouts: Vec<Entry>,
        callout_lines: Vec<CalloutLine>,
        conflicts: Vec<(NodeId, NodeId)>,
        gaps: Vec<Gap>,
        corrected: Vec<Corrected>,
        stats: Stats,
        now: Timestamp,
        max_tokens: Option<usize>,
        tokens: usize,
        briefing: bool,
        delivery: String,
    }
}

impl Retrieval {
    /// A retrieval whose text has a format.
    #[must_use]
    pub fn written(found: stele_core::Retrieval, format: Format) -> Self {
        let bare = Self::bare(&found);
        Self { text: found.render(format), entries: each(found.entries), callouts: each(found.callouts), ..bare }
    }

    /// A retrieval without text, entries and callouts.
    pub(crate) fn bare(found: &stele_core::Retrieval) -> Self {
        Self {
            status: found.status,
            text: String::new(),
            entries: Vec::new(),
            callouts: Vec::new(),
            callout_lines: each(found.callout_lines.clone()),
            conflicts: found.conflicts.clone(),
            gaps: each(found.gaps.clone()),
            corrected: each(found.corrected.clone()),
            stats: found.stats.into(),
            now: found.now,
            max_tokens: found.max_tokens,
            tokens: found.tokens,
            briefing: found.briefing,
            delivery: Delivered::from(found).to_string(),
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
