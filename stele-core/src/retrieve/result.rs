//! What a read gives back: immutable, detached from the record, in its final order.

use super::counted::Counted;
use crate::base::id::{Kind, NodeId};
use crate::base::names::named_enum;
use crate::base::time::Timestamp;
use crate::base::tokens::TokenCounter;
pub(crate) use crate::record::claim::ClaimNote;
use crate::record::edge::Relation;
use crate::record::node::{Anchor, Category, Source, State, TaskStatus};
use crate::record::session::Delivery;

named_enum! {
    /// How a retrieval ended.
    Status, UnknownValue, "status" {
        /// There are entries; with gaps, a part of what there would be.
        Found = 0 "found",
        /// The record holds nothing that bears on the prompt.
        Abstained = 1 "abstained",
        /// The record holds nothing at all.
        Empty = 2 "empty",
        /// All that was found stands already in this session.
        Served = 3 "served",
        /// The prompt is too short and names nothing.
        TooShort = 4 "too_short",
        /// The session is paused.
        Paused = 5 "paused",
        /// Time ran out before anything was found.
        Late = 6 "late",
    }
}

named_enum! {
    /// Why an entry stands where it stands.
    Role, UnknownValue, "role" {
        /// A risk on the path of the work.
        Callout = 0 "callout",
        /// The prompt names it.
        Named = 1 "named",
        /// It replaced a node that was found.
        Head = 2 "head",
        /// Search found it.
        Seed = 3 "seed",
        /// An edge leads to it.
        Walked = 4 "walked",
        /// It is anchored to what is edited, or its trigger stands in what was printed.
        Cued = 5 "cued",
    }
}

named_enum! {
    /// How much of an entry is shown.
    Detail, UnknownValue, "detail" {
        /// Title and body.
        Full = 0 "full",
        /// Title and the beginning of the body, marked.
        Cut = 1 "cut",
        /// Title only, one line.
        Line = 2 "line",
    }
}

/// A node's id with its title, for pointing at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The id.
    pub id: NodeId,
    /// The title.
    pub title: String,
}

/// A node that this one replaced or was replaced by, with what the change rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The other node.
    pub node: Pointer,
    /// Which standing state ended.
    pub reason: String,
    /// The line that shows it, if one is known.
    pub evidence: Option<String>,
    /// True if neither node's text nor a source was seen to hold that line.
    pub unverified: bool,
}

/// The sum of an entry's score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// What its category or kind counts.
    pub category: f32,
    /// What the edge into it counts.
    pub relation: f32,
    /// What its distance takes away.
    pub distance: f32,
}

impl Score {
    /// Category plus relation minus distance.
    #[must_use]
    pub fn total(self) -> f32 {
        self.category + self.relation - self.distance
    }
}

/// One node in a window.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its id.
    pub id: NodeId,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its kind.
    pub kind: Kind,
    /// Its category, if it is a fact.
    pub category: Option<Category>,
    /// True for an epic, objective or milestone.
    pub container: bool,
    /// Whether it holds.
    pub state: State,
    /// Where a task stands.
    pub status: Option<TaskStatus>,
    /// Its title.
    pub title: String,
    /// What is shown of its body: whole, cut, or nothing. For a document the best passage.
    pub body: String,
    /// For a document, the headings above the passage.
    pub passage: String,
    /// How much is shown.
    pub detail: Detail,
    /// How many characters of the body are left out; of a document that was not read for want of time, how many bytes.
    pub cut_chars: usize,
    /// Why it stands here.
    pub role: Role,
    /// Its score as a sum.
    pub score: Score,
    /// How many edges lie between it and a seed or named node.
    pub hops: u32,
    /// The relation of the edge into it.
    pub via: Option<Relation>,
    /// The node that the edge comes from.
    pub from: Option<Pointer>,
    /// Its place among the seeds, from 1.
    pub seed_rank: Option<u32>,
    /// Nodes that it replaced and that were found too.
    pub replaces: Vec<Replacement>,
    /// The live ends of what replaced it.
    pub replaced_by: Vec<Replacement>,
    /// Live nodes that contradict it, or what it stands for.
    pub conflicts: Vec<Pointer>,
    /// Near-duplicates that this entry stands for.
    pub folded: Vec<NodeId>,
    /// Their revisions, in the same order.
    pub(crate) folded_revisions: Vec<u64>,
    /// Who works on it.
    pub claim: Option<ClaimNote>,
    /// Its share of the rendered text, in tokens, estimated unless the host counts them.
    pub tokens: usize,
    /// Its number of revisions.
    pub revision: u64,
    /// When it came to be.
    pub created_at: Timestamp,
    /// Where it comes from.
    pub source: Option<Source>,
    /// When it wants a look.
    pub review_at: Option<Timestamp>,
    /// When it was last confirmed.
    pub verified_at: Option<Timestamp>,
    /// The places it is about.
    pub anchors: Vec<Anchor>,
    /// What the body counts as long as it is whole.
    pub(crate) counted: Counted,
}

impl Entry {
    /// The first change it stands in: what it replaced, else what replaced it.
    fn change(&self) -> Option<&Replacement> {
        self.replaces.first().or(self.replaced_by.first())
    }

    /// Which standing state ended, where it replaced a node or was replaced.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.change().map(|change| change.reason.as_str())
    }

    /// The line that shows the end of that state, if one is known.
    #[must_use]
    pub fn evidence(&self) -> Option<&str> {
        self.change().and_then(|change| change.evidence.as_deref())
    }

    /// Says in one line why the entry is here, as a sum that gives its score.
    #[must_use]
    pub fn explain(&self) -> String {
        let class = if self.container { "container" } else { self.category.map_or(self.kind.as_str(), Category::as_str) };
        let relation = self.via.map_or("match", Relation::as_str);
        let mut text = format!("{class} {} + {relation} {}", plain(self.score.category), plain(self.score.relation));
        if self.score.distance != 0.0 {
            text.push_str(&format!(" \u{2212} {}", plain(self.score.distance)));
        }
        text.push_str(&format!(" = {}", plain(self.score.total())));
        if let Some(from) = &self.from {
            text.push_str(&format!(", from {}", from.id));
        }
        text
    }
}

/// A number of a ranking sum: the shortest decimal that reads back as it, so that the sum comes out as written.
fn plain(value: f32) -> String {
    value.to_string().replace('-', "\u{2212}")
}

/// A risk that did not fit in full.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CalloutLine {
    /// The risk.
    pub risk: Pointer,
    /// The relation of the edge into it.
    pub via: Relation,
    /// The node that the edge comes from.
    pub from: NodeId,
}

named_enum! {
    /// What a retrieval did not get to.
    GapKind, UnknownValue, "gap" {
        /// Text search stopped early.
        Text = 0 "text",
        /// Search by meaning stopped early or did not run.
        Meaning = 1 "meaning",
        /// The walk stopped early.
        Walk = 2 "walk",
        /// Edges beyond the bound of a node were left.
        Edges = 3 "edges",
        /// Entries found did not fit.
        Entries = 4 "entries",
        /// Named nodes beyond the window were left.
        Named = 5 "named",
        /// Callouts beyond those shown are given as a line each.
        Callouts = 6 "callouts",
        /// Bodies were cut.
        Bodies = 7 "bodies",
        /// What the session was served is not kept, or its tokens are used up.
        Session = 8 "session",
        /// The host's token counter failed; tokens are estimated.
        Tokens = 9 "tokens",
    }
}

/// One thing that a retrieval did not get to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What.
    pub kind: GapKind,
    /// How many, where it can be counted; the least there are, where counting stopped.
    pub count: u64,
    /// In words.
    pub note: String,
}

/// Counted work of one retrieval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The head of the log that was read.
    pub head: u64,
    /// The sequence that the text index covers.
    pub text_sequence: u64,
    /// The sequence that the vector index covers.
    pub vector_sequence: u64,
    /// Changed nodes that were searched directly.
    pub tail: u64,
    /// Postings visited.
    pub postings: u64,
    /// Vectors visited.
    pub vectors: u64,
    /// Nodes read from the views.
    pub nodes: u64,
    /// Edges read from the views.
    pub edges: u64,
    /// Texts read from the views.
    pub texts: u64,
    /// Texts embedded to compare near-duplicates; the prompt itself is not counted.
    pub embedded: u64,
}

/// What a retrieval gives: the window in its order, and what it did not get to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Retrieval {
    /// How it ended.
    pub status: Status,
    /// The window: named, heads, seeds and walked nodes, in order. Callouts stand apart.
    pub entries: Vec<Entry>,
    /// Risks on the path, best first, in full.
    pub callouts: Vec<Entry>,
    /// Further risks, a line each.
    pub callout_lines: Vec<CalloutLine>,
    /// Pairs of entries that contradict each other, or what the other stands for.
    pub conflicts: Vec<(NodeId, NodeId)>,
    /// What it did not get to.
    pub gaps: Vec<Gap>,
    /// References that named a number under another kind: as written, and what it resolved to.
    pub corrected: Vec<(String, NodeId)>,
    /// Counted work.
    pub stats: Stats,
    /// The instant that ages are told from.
    pub now: Timestamp,
    /// The token limit that the text keeps, if one was given.
    pub max_tokens: Option<usize>,
    /// The text in tokens, estimated unless the host counts them.
    pub tokens: usize,
    /// True if this is a deliberate look (`recall`) and renders as a briefing.
    pub briefing: bool,
    /// How its tokens are counted.
    pub(crate) counter: TokenCounter,
}

impl Retrieval {
    /// A retrieval in which nothing stands.
    pub(crate) fn nothing(status: Status, now: Timestamp) -> Self {
        Self {
            status,
            entries: Vec::new(),
            callouts: Vec::new(),
            callout_lines: Vec::new(),
            conflicts: Vec::new(),
            gaps: Vec::new(),
            corrected: Vec::new(),
            stats: Stats::default(),
            now,
            max_tokens: None,
            tokens: 0,
            briefing: false,
            counter: TokenCounter::default(),
        }
    }

    /// What a session has once this reached it.
    pub(crate) fn delivery(&self) -> Delivery {
        let entries = || self.callouts.iter().chain(&self.entries);
        let folded = entries().flat_map(|entry| entry.folded.iter().map(|id| id.number).zip(entry.folded_revisions.iter().copied()));
        Delivery {
            shown: entries().map(|entry| (entry.id.number, entry.revision)).chain(folded).collect(),
            ended: entries().filter(|entry| entry.state != State::Live).map(|entry| entry.id.number).collect(),
            order: Some(entries().map(|entry| entry.id.number).collect()),
            tokens: self.tokens as u64,
        }
    }
}

named_enum! {
    /// How a retrieval is written out.
    Format, UnknownValue, "format" {
        /// Text for a model.
        Text = 0 "text",
        /// JSON for a program.
        Json = 1 "json",
    }
}

/// One hit of a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The node.
    pub id: NodeId,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its kind.
    pub kind: Kind,
    /// Its category, if it is a fact.
    pub category: Option<Category>,
    /// Whether it holds.
    pub state: State,
    /// Its title.
    pub title: String,
    /// Its fused score, higher is better.
    pub score: f32,
    /// Its place among the text hits, from 1.
    pub text_rank: Option<u32>,
    /// Its place among the hits by meaning, from 1.
    pub semantic_rank: Option<u32>,
    /// The part of its text that answers best, at most 200 characters.
    pub snippet: String,
}
