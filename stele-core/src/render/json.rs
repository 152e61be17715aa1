//! The JSON form of a retrieval, version 1: the same data as the text and in the same order, stored text neutral.
//!
//! Counted work is left out: it says how far the indexes had come, and the same record must give the same bytes.

use serde::Serialize;

use super::frame::{neutral, neutral_line};
use crate::base::id::{Kind, NodeId};
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::{Anchor, Category, Known, Source, State, TaskStatus};
use crate::retrieve::result::{ClaimNote, Detail, Entry, GapKind, Pointer, Replacement, Retrieval, Role, Score, Status};

/// The version of the form; it rises when a field leaves or changes its meaning.
const VERSION: u32 = 1;

/// The JSON form, an object without line breaks.
pub(crate) fn render_json(retrieval: &Retrieval) -> String {
    let form = RetrievalForm {
        version: VERSION,
        status: retrieval.status,
        now: retrieval.now,
        briefing: retrieval.briefing,
        max_tokens: retrieval.max_tokens,
        entries: retrieval.entries.iter().map(EntryForm::of).collect(),
        callouts: retrieval.callouts.iter().map(EntryForm::of).collect(),
        callout_lines: retrieval.callout_lines.iter().map(|line| CalloutForm { risk: PointerForm::of(&line.risk), via: line.via, from: line.from }).collect(),
        conflicts: &retrieval.conflicts,
        gaps: retrieval.gaps.iter().map(|gap| GapForm { kind: gap.kind, count: gap.count, note: neutral_line(&gap.note) }).collect(),
        corrected: retrieval.corrected.iter().map(|(written, id)| CorrectedForm { written: neutral_line(written), id: *id }).collect(),
    };
    serde_json::to_string(&form).expect("invariant: every key is a string and no value can fail")
}

#[derive(Serialize)]
struct RetrievalForm<'r> {
    version: u32,
    status: Status,
    now: Timestamp,
    briefing: bool,
    max_tokens: Option<usize>,
    entries: Vec<EntryForm>,
    callouts: Vec<EntryForm>,
    callout_lines: Vec<CalloutForm>,
    conflicts: &'r [(NodeId, NodeId)],
    gaps: Vec<GapForm>,
    corrected: Vec<CorrectedForm>,
}

#[derive(Serialize)]
struct EntryForm {
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
    detail: Detail,
    cut_chars: usize,
    role: Role,
    score: f32,
    score_parts: ScoreForm,
    explain: String,
    hops: u32,
    via: Option<Relation>,
    from: Option<PointerForm>,
    seed_rank: Option<u32>,
    replaces: Vec<ReplacementForm>,
    replaced_by: Vec<ReplacementForm>,
    reason: Option<String>,
    evidence: Option<String>,
    conflicts: Vec<PointerForm>,
    folded: Vec<NodeId>,
    claim: Option<ClaimForm>,
    tokens: usize,
    revision: u64,
    created_at: Timestamp,
    source: Option<SourceForm>,
    review_at: Option<Timestamp>,
    verified_at: Option<Timestamp>,
    anchors: Vec<AnchorForm>,
}

impl EntryForm {
    fn of(entry: &Entry) -> Self {
        Self {
            id: entry.id,
            aliases: entry.aliases.iter().map(|alias| neutral_line(alias)).collect(),
            kind: entry.kind,
            category: entry.category,
            container: entry.container,
            state: entry.state,
            status: entry.status,
            title: neutral_line(&entry.title),
            body: neutral(&entry.body).into_owned(),
            passage: neutral_line(&entry.passage),
            detail: entry.detail,
            cut_chars: entry.cut_chars,
            role: entry.role,
            score: entry.score.total(),
            score_parts: ScoreForm::of(entry.score),
            explain: entry.explain(),
            hops: entry.hops,
            via: entry.via,
            from: entry.from.as_ref().map(PointerForm::of),
            seed_rank: entry.seed_rank,
            replaces: entry.replaces.iter().map(ReplacementForm::of).collect(),
            replaced_by: entry.replaced_by.iter().map(ReplacementForm::of).collect(),
            reason: entry.reason().map(neutral_line),
            evidence: entry.evidence().map(neutral_line),
            conflicts: entry.conflicts.iter().map(PointerForm::of).collect(),
            folded: entry.folded.clone(),
            claim: entry.claim.as_ref().map(ClaimForm::of),
            tokens: entry.tokens,
            revision: entry.revision,
            created_at: entry.created_at,
            source: entry.source.as_ref().map(SourceForm::of),
            review_at: entry.review_at,
            verified_at: entry.verified_at,
            anchors: entry.anchors.iter().map(AnchorForm::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct ScoreForm {
    category: f32,
    relation: f32,
    distance: f32,
}

impl ScoreForm {
    fn of(score: Score) -> Self {
        Self { category: score.category, relation: score.relation, distance: score.distance }
    }
}

#[derive(Serialize)]
struct PointerForm {
    id: NodeId,
    title: String,
}

impl PointerForm {
    fn of(node: &Pointer) -> Self {
        Self { id: node.id, title: neutral_line(&node.title) }
    }
}

#[derive(Serialize)]
struct ReplacementForm {
    id: NodeId,
    title: String,
    reason: String,
    evidence: Option<String>,
    unverified: bool,
}

impl ReplacementForm {
    fn of(change: &Replacement) -> Self {
        Self {
            id: change.node.id,
            title: neutral_line(&change.node.title),
            reason: neutral_line(&change.reason),
            evidence: change.evidence.as_deref().map(neutral_line),
            unverified: change.unverified,
        }
    }
}

#[derive(Serialize)]
struct ClaimForm {
    holder: String,
    since: Timestamp,
    until: Option<Timestamp>,
}

impl ClaimForm {
    fn of(claim: &ClaimNote) -> Self {
        Self { holder: neutral_line(&claim.holder), since: claim.since, until: claim.until }
    }
}

#[derive(Serialize)]
struct SourceForm {
    uri: String,
    revision: Option<String>,
    quote: Option<String>,
    known: Option<Known>,
    applies_to: Option<String>,
}

impl SourceForm {
    fn of(source: &Source) -> Self {
        let line = |text: &Option<String>| text.as_deref().map(neutral_line);
        Self {
            uri: neutral_line(&source.uri),
            revision: line(&source.revision),
            quote: line(&source.quote),
            known: source.known,
            applies_to: line(&source.applies_to),
        }
    }
}

#[derive(Serialize)]
struct AnchorForm {
    path: String,
    symbol: Option<String>,
}

impl AnchorForm {
    fn of(anchor: &Anchor) -> Self {
        Self { path: neutral_line(&anchor.path), symbol: anchor.symbol.as_deref().map(neutral_line) }
    }
}

#[derive(Serialize)]
struct CalloutForm {
    risk: PointerForm,
    via: Relation,
    from: NodeId,
}

#[derive(Serialize)]
struct GapForm {
    kind: GapKind,
    count: u64,
    note: String,
}

#[derive(Serialize)]
struct CorrectedForm {
    written: String,
    id: NodeId,
}
