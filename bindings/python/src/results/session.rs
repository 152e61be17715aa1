//! What the moments of a session give.

use pyo3::prelude::*;
use stele_core::{Delivered, Format};

use super::retrieval::{CalloutLine, Entry, Gap, Pointer, Retrieval};
use super::rules::{Methodology, Obligations};
use super::{each, one, result};
use crate::arguments::text;
use crate::doorway::enter;
use crate::errors::host_error;
use crate::json::read_json;
use crate::time::Instant;

result! {
    /// Something that happened while a session was away.
    Happened {
        sequence: u64,
        node: Py<Pointer>,
        /// What its category or kind is called.
        class_: &'static str,
        /// What happened, in a word or two.
        what: &'static str,
        /// Who did it.
        actor: String,
    }
}

impl Happened {
    fn of(py: Python<'_>, found: stele_core::Happened) -> PyResult<Self> {
        let node = Py::new(py, Pointer::of(py, found.node)?)?;
        Ok(Self { sequence: found.sequence, node, class_: found.class, what: found.what, actor: found.actor })
    }
}

result! {
    /// Where a session stopped.
    Stopped {
        turn: u64,
        /// When it was last heard of, or last wrote.
        at: Instant,
        /// What it last wrote to the record, newest first.
        wrote: Vec<Py<Pointer>>,
    }
}

impl Stopped {
    fn of(py: Python<'_>, found: stele_core::Stopped) -> PyResult<Self> {
        Ok(Self { turn: found.turn, at: Instant(found.at), wrote: each(py, found.wrote, Pointer::of)? })
    }
}

/// What the record says at a moment of a session; its text is empty if it has nothing new to say.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Moment {
    /// What a session notes once it reached its model.
    pub(crate) delivered: Delivered,
    /// Which moment it is.
    #[pyo3(get)]
    kind: &'static str,
    /// The text for a model; empty if there is nothing to say.
    #[pyo3(get)]
    text: String,
    /// What it is about: what is anchored there, what was learned about an error, what is held.
    #[pyo3(get)]
    entries: Vec<Py<Entry>>,
    /// Risks, best first.
    #[pyo3(get)]
    callouts: Vec<Py<Entry>>,
    /// Further risks, a line each.
    #[pyo3(get)]
    callout_lines: Vec<Py<CalloutLine>>,
    /// What to do, said once a session.
    #[pyo3(get)]
    nudge: Option<String>,
    /// Where the session stopped; None unless it starts and was here before.
    #[pyo3(get)]
    stopped: Option<Py<Stopped>>,
    /// What happened since, newest first; empty unless the session starts.
    #[pyo3(get)]
    happened: Vec<Py<Happened>>,
    /// How much more happened than is listed.
    #[pyo3(get)]
    happened_more: u64,
    /// Pairs of shown nodes that contradict each other.
    #[pyo3(get)]
    conflicts: Vec<(String, String)>,
    /// What it did not get to.
    #[pyo3(get)]
    gaps: Vec<Py<Gap>>,
    /// The text in tokens, estimated unless the host counts them.
    #[pyo3(get)]
    tokens: usize,
    /// The instant that ages are told from.
    #[pyo3(get)]
    now: Instant,
}

impl Moment {
    pub(crate) fn of(py: Python<'_>, found: stele_core::Moment) -> PyResult<Self> {
        Ok(Self {
            delivered: Delivered::from(&found),
            kind: found.kind.as_str(),
            text: found.text,
            entries: each(py, found.entries, Entry::of)?,
            callouts: each(py, found.callouts, Entry::of)?,
            callout_lines: each(py, found.callout_lines, CalloutLine::of)?,
            nudge: found.nudge,
            stopped: one(py, found.stopped, Stopped::of)?,
            happened: each(py, found.happened, Happened::of)?,
            happened_more: found.happened_more,
            conflicts: found.conflicts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect(),
            gaps: each(py, found.gaps, Gap::of)?,
            tokens: found.tokens,
            now: Instant(found.now),
        })
    }
}

#[pymethods]
impl Moment {
    /// What `Session.delivered` is told, as a text that another process may keep.
    #[getter]
    fn delivery(&self) -> String {
        self.delivered.to_string()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Moment", &["kind", "text", "entries", "callouts", "nudge", "stopped", "happened", "tokens"])
    }
}

result! {
    /// A part of a context as a model reads it.
    Section {
        provider: String,
        category: &'static str,
        text: String,
        tokens: usize,
    }
}

/// How a turn that is taken up again goes on.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Resumed(stele_core::Resumed);

impl Resumed {
    pub(crate) fn of(found: stele_core::Resumed) -> Self {
        Self(found)
    }

    pub(crate) fn delivered(&self) -> Delivered {
        (&self.0).into()
    }
}

#[pymethods]
impl Resumed {
    /// What `Session.delivered` is told, as a text that another process may keep.
    #[getter]
    fn delivery(&self) -> String {
        self.delivered().to_string()
    }

    /// What to do: "skip" for nothing, "append" the text, or "run" the assembly.
    #[getter]
    fn action(&self) -> &'static str {
        self.0.action.as_str()
    }

    /// The turn, from 0.
    #[getter]
    fn turn(&self) -> u64 {
        self.0.turn
    }

    /// The text to append; empty for the other actions.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The id of the item that the turn's context is; None in turn 0, whose context belongs into the first prompt.
    #[getter]
    fn item_id(&self) -> Option<&str> {
        self.0.item_id.as_deref()
    }

    /// True if something stands in the transcript, or may, that what is assembled now takes the place of.
    #[getter]
    fn replaces(&self) -> bool {
        self.0.replaces
    }

    /// SHA-256 of what was stored of the turn, in hexadecimal; empty if nothing was.
    #[getter]
    fn digest(&self) -> &str {
        &self.0.digest
    }

    /// How the providers of the turn ended, as dictionaries.
    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_json(py, if self.0.outcomes.is_empty() { "[]" } else { &self.0.outcomes })
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Resumed", &["action", "turn", "text", "item_id", "replaces", "digest"])
    }
}

result! {
    /// How one provider ended. `error` is what it raised, the same object.
    Outcome {
        provider: String,
        category: &'static str,
        result: &'static str,
        reason: String,
        entries: usize,
        cut: usize,
        elsewhere: usize,
        tokens: usize,
        ms: u64,
        error: Option<Py<PyAny>>,
    }
}

impl Outcome {
    fn of(py: Python<'_>, found: stele_core::Outcome) -> PyResult<Self> {
        Ok(Self {
            category: found.category.as_str(),
            result: found.result.as_str(),
            error: found.fault.as_ref().and_then(|fault| host_error(py, fault)).map(Bound::unbind),
            provider: found.provider,
            reason: found.reason,
            entries: found.entries,
            cut: found.cut,
            elsewhere: found.elsewhere,
            tokens: found.tokens,
            ms: found.ms,
        })
    }
}

/// What a prompt gets: one text, its sections, and what each of them was made of.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Context {
    /// What rendering reads, and what a session notes once it reached its model.
    whole: stele_core::Context,
    /// The turn it belongs to, from 0.
    #[pyo3(get)]
    turn: u64,
    /// The sections that say something, in order, as one text.
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    sections: Vec<Py<Section>>,
    /// How each provider ended, in the order of the sections.
    #[pyo3(get)]
    outcomes: Vec<Py<Outcome>>,
    /// What a host should know, a line each.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// SHA-256 of the text's bytes, in hexadecimal.
    #[pyo3(get)]
    digest: String,
    /// The id of the item that carries the text in a later turn; None where there is none.
    #[pyo3(get)]
    item_id: Option<String>,
    /// The text in characters.
    #[pyo3(get)]
    chars: usize,
    /// The text in tokens, estimated unless the host counts them.
    #[pyo3(get)]
    tokens: usize,
    /// The rules that the turn carries.
    #[pyo3(get)]
    obligations: Py<Obligations>,
    /// The ways of working that fit.
    #[pyo3(get)]
    methodology: Py<Methodology>,
    /// The window, whatever its status.
    #[pyo3(get)]
    record: Py<Retrieval>,
}

impl Context {
    pub(crate) fn of(py: Python<'_>, found: stele_core::Context) -> PyResult<Self> {
        let section = |_: Python<'_>, section: stele_core::Section| {
            Ok(Section { provider: section.provider, category: section.category.as_str(), text: section.text, tokens: section.tokens })
        };
        Ok(Self {
            whole: found.clone(),
            turn: found.turn,
            text: found.text,
            sections: each(py, found.sections, section)?,
            outcomes: each(py, found.outcomes, Outcome::of)?,
            warnings: found.warnings,
            digest: found.digest,
            item_id: found.item_id,
            chars: found.chars,
            tokens: found.tokens,
            obligations: Py::new(py, Obligations::of(py, found.obligations)?)?,
            methodology: Py::new(py, Methodology::of(py, found.methodology)?)?,
            record: Py::new(py, Retrieval::of(py, found.record)?)?,
        })
    }
}

impl Context {
    pub(crate) fn delivered(&self) -> Delivered {
        (&self.whole).into()
    }
}

#[pymethods]
impl Context {
    /// What `Session.delivered` is told, as a text that another process may keep.
    #[getter]
    fn delivery(&self) -> String {
        self.delivered().to_string()
    }

    /// Writes it out, as "text" for a model or as "json" for a program.
    #[pyo3(signature = (format="text".to_owned()), text_signature = "($self, format='text')")]
    fn render(&self, py: Python<'_>, #[pyo3(from_py_with = text)] format: String) -> PyResult<String> {
        enter(py, || match Format::parse(&format)? {
            Format::Json => {
                Ok(serde_json::to_string(&stele_kit::results::Context::from(self.whole.clone())).expect("invariant: it has no key that is no text"))
            }
            _ => Ok(self.text.clone()),
        })
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Context", &["turn", "text", "sections", "outcomes", "warnings", "digest", "item_id", "chars", "tokens"])
    }
}
