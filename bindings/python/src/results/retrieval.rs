//! What a prompt, a question or a query finds.

use pyo3::prelude::*;
use stele_core::Format;

use super::nodes::{Anchor, Source};
use super::tasks::ClaimNote;
use super::{decimal, each, ids, one, result};
use crate::arguments::text;
use crate::doorway::enter;
use crate::time::Instant;

result! {
    /// A node's id with its title.
    Pointer {
        id: String,
        title: String,
    }
}

impl Pointer {
    pub(crate) fn of(_: Python<'_>, pointer: stele_core::Pointer) -> PyResult<Self> {
        Ok(Self { id: pointer.id.to_string(), title: pointer.title })
    }
}

result! {
    /// A node that this one replaced or was replaced by, with what the change rests on.
    Replacement {
        id: String,
        title: String,
        reason: String,
        evidence: Option<String>,
        unverified: bool,
    }
}

impl Replacement {
    pub(crate) fn of(_: Python<'_>, change: stele_core::Replacement) -> PyResult<Self> {
        let stele_core::Replacement { node, reason, evidence, unverified } = change;
        Ok(Self { id: node.id.to_string(), title: node.title, reason, evidence, unverified })
    }
}

result! {
    /// The parts of a score: category plus relation minus distance.
    Score {
        category: f64,
        relation: f64,
        distance: f64,
    }
}

result! {
    /// One node in a window.
    Entry {
        id: String,
        aliases: Vec<String>,
        kind: &'static str,
        category: Option<&'static str>,
        container: bool,
        state: &'static str,
        status: Option<&'static str>,
        title: String,
        body: String,
        passage: String,
        detail: &'static str,
        cut_chars: usize,
        role: &'static str,
        score: f64,
        score_parts: Py<Score>,
        explain: String,
        hops: u32,
        via: Option<&'static str>,
        from_: Option<Py<Pointer>>,
        seed_rank: Option<u32>,
        replaces: Vec<Py<Replacement>>,
        replaced_by: Vec<Py<Replacement>>,
        reason: Option<String>,
        evidence: Option<String>,
        conflicts: Vec<Py<Pointer>>,
        folded: Vec<String>,
        claim: Option<Py<ClaimNote>>,
        tokens: usize,
        revision: u64,
        created_at: Instant,
        source: Option<Py<Source>>,
        review_at: Option<Instant>,
        verified_at: Option<Instant>,
        anchors: Vec<Py<Anchor>>,
    }
}

impl Entry {
    pub(crate) fn of(py: Python<'_>, entry: stele_core::Entry) -> PyResult<Self> {
        let (explain, reason, evidence) = (entry.explain(), entry.reason().map(str::to_owned), entry.evidence().map(str::to_owned));
        let score = entry.score;
        let parts = Score { category: decimal(score.category), relation: decimal(score.relation), distance: decimal(score.distance) };
        Ok(Self {
            id: entry.id.to_string(),
            aliases: entry.aliases,
            kind: entry.kind.as_str(),
            category: entry.category.map(|category| category.as_str()),
            container: entry.container,
            state: entry.state.as_str(),
            status: entry.status.map(|status| status.as_str()),
            title: entry.title,
            body: entry.body,
            passage: entry.passage,
            detail: entry.detail.as_str(),
            cut_chars: entry.cut_chars,
            role: entry.role.as_str(),
            score: decimal(score.total()),
            score_parts: Py::new(py, parts)?,
            explain,
            hops: entry.hops,
            via: entry.via.map(|relation| relation.as_str()),
            from_: one(py, entry.from, Pointer::of)?,
            seed_rank: entry.seed_rank,
            replaces: each(py, entry.replaces, Replacement::of)?,
            replaced_by: each(py, entry.replaced_by, Replacement::of)?,
            reason,
            evidence,
            conflicts: each(py, entry.conflicts, Pointer::of)?,
            folded: ids(&entry.folded),
            claim: one(py, entry.claim, ClaimNote::of)?,
            tokens: entry.tokens,
            revision: entry.revision,
            created_at: Instant(entry.created_at),
            source: one(py, entry.source, Source::of)?,
            review_at: entry.review_at.map(Instant),
            verified_at: entry.verified_at.map(Instant),
            anchors: each(py, entry.anchors, Anchor::of)?,
        })
    }
}

result! {
    /// A risk that did not fit in full.
    CalloutLine {
        risk: Py<Pointer>,
        via: &'static str,
        from_: String,
    }
}

impl CalloutLine {
    pub(crate) fn of(py: Python<'_>, line: stele_core::CalloutLine) -> PyResult<Self> {
        let risk = Py::new(py, Pointer::of(py, line.risk)?)?;
        Ok(Self { risk, via: line.via.as_str(), from_: line.from.to_string() })
    }
}

result! {
    /// One thing that a retrieval did not get to.
    Gap {
        kind: &'static str,
        count: u64,
        note: String,
    }
}

impl Gap {
    pub(crate) fn of(_: Python<'_>, gap: stele_core::Gap) -> PyResult<Self> {
        Ok(Self { kind: gap.kind.as_str(), count: gap.count, note: gap.note })
    }
}

result! {
    /// A reference that named a number under another kind.
    Corrected {
        written: String,
        id: String,
    }
}

result! {
    /// Counted work of one retrieval.
    Stats {
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

/// What a retrieval gives: the window in its order, and what it did not get to.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Retrieval {
    /// What rendering reads.
    whole: stele_core::Retrieval,
    #[pyo3(get)]
    status: &'static str,
    #[pyo3(get)]
    entries: Vec<Py<Entry>>,
    #[pyo3(get)]
    callouts: Vec<Py<Entry>>,
    #[pyo3(get)]
    callout_lines: Vec<Py<CalloutLine>>,
    #[pyo3(get)]
    conflicts: Vec<(String, String)>,
    #[pyo3(get)]
    gaps: Vec<Py<Gap>>,
    #[pyo3(get)]
    corrected: Vec<Py<Corrected>>,
    #[pyo3(get)]
    stats: Py<Stats>,
    #[pyo3(get)]
    now: Instant,
    #[pyo3(get)]
    max_tokens: Option<usize>,
    /// The text in tokens.
    #[pyo3(get)]
    tokens: usize,
    #[pyo3(get)]
    briefing: bool,
}

impl Retrieval {
    pub(crate) fn of(py: Python<'_>, whole: stele_core::Retrieval) -> PyResult<Self> {
        let stele_core::Stats { head, text_sequence, vector_sequence, tail, postings, vectors, nodes, edges, texts, embedded, .. } = whole.stats;
        Ok(Self {
            status: whole.status.as_str(),
            entries: each(py, whole.entries.iter().cloned(), Entry::of)?,
            callouts: each(py, whole.callouts.iter().cloned(), Entry::of)?,
            callout_lines: each(py, whole.callout_lines.iter().cloned(), CalloutLine::of)?,
            conflicts: whole.conflicts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect(),
            gaps: each(py, whole.gaps.iter().cloned(), Gap::of)?,
            corrected: each(py, &whole.corrected, |_, (written, id)| Ok(Corrected { written: written.clone(), id: id.to_string() }))?,
            stats: Py::new(py, Stats { head, text_sequence, vector_sequence, tail, postings, vectors, nodes, edges, texts, embedded })?,
            now: Instant(whole.now),
            max_tokens: whole.max_tokens,
            tokens: whole.tokens,
            briefing: whole.briefing,
            whole,
        })
    }

    /// What a session notes once it reached its model.
    pub(crate) fn delivered(&self) -> stele_core::Delivered {
        (&self.whole).into()
    }
}

#[pymethods]
impl Retrieval {
    /// What `Session.delivered` is told, as a text that another process may keep.
    #[getter]
    fn delivery(&self) -> String {
        self.delivered().to_string()
    }

    /// Writes it out, as "text" for a model or as "json" for a program.
    #[pyo3(signature = (format="text".to_owned()), text_signature = "($self, format='text')")]
    fn render(&self, py: Python<'_>, #[pyo3(from_py_with = text)] format: String) -> PyResult<String> {
        enter(py, || Ok(self.whole.render(Format::parse(&format)?)))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Retrieval", &["status", "entries", "callouts", "callout_lines", "conflicts", "gaps", "corrected", "stats", "now"])
    }
}

result! {
    /// One hit of a search.
    Hit {
        id: String,
        aliases: Vec<String>,
        kind: &'static str,
        category: Option<&'static str>,
        state: &'static str,
        title: String,
        score: f64,
        text_rank: Option<u32>,
        semantic_rank: Option<u32>,
        snippet: String,
    }
}

impl Hit {
    pub(crate) fn of(_: Python<'_>, hit: stele_core::Hit) -> PyResult<Self> {
        Ok(Self {
            id: hit.id.to_string(),
            aliases: hit.aliases,
            kind: hit.kind.as_str(),
            category: hit.category.map(|category| category.as_str()),
            state: hit.state.as_str(),
            title: hit.title,
            score: decimal(hit.score),
            text_rank: hit.text_rank,
            semantic_rank: hit.semantic_rank,
            snippet: hit.snippet,
        })
    }
}
