//! Rules that are delivered without being ranked, and what becomes of proposed ones.

use pyo3::prelude::*;
use stele_core::{Format, Pointed};

use super::{each, ids, result};
use crate::arguments::text;
use crate::doorway::enter;

result! {
    /// A rule as the obligations or methodology deliver it. `pointed` says why it comes as one line: "shown" before, or
    /// "not_here"; `channel` is set for methodology.
    RuleEntry {
        id: String,
        revision: u64,
        channel: Option<&'static str>,
        matched: usize,
        title: String,
        trigger: String,
        statement: String,
        mandatory: bool,
        always_on: bool,
        forbidden: Vec<String>,
        instead: String,
        domain: Option<String>,
        severity: &'static str,
        methodology: Option<String>,
        has_body: bool,
        pointed: Option<&'static str>,
        text: String,
        tokens: usize,
    }
}

impl RuleEntry {
    fn of(_: Python<'_>, entry: stele_core::RuleEntry) -> PyResult<Self> {
        let pointed = entry.pointed.map(|pointed| if pointed == Pointed::Shown { "shown" } else { "not_here" });
        Ok(Self {
            id: entry.id.to_string(),
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
            severity: entry.severity.as_str(),
            methodology: entry.methodology,
            has_body: entry.has_body,
            pointed,
            text: entry.text,
            tokens: entry.tokens,
        })
    }

    fn called(py: Python<'_>, entry: stele_core::MethodologyEntry) -> PyResult<Self> {
        Ok(Self { channel: Some(entry.channel.as_str()), matched: entry.matched, ..Self::of(py, entry.rule)? })
    }
}

/// The rules that a turn must carry.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Obligations {
    /// What rendering reads.
    whole: stele_core::Obligations,
    #[pyo3(get)]
    entries: Vec<Py<RuleEntry>>,
    #[pyo3(get)]
    pointers: Vec<Py<RuleEntry>>,
    #[pyo3(get)]
    tokens: usize,
    #[pyo3(get)]
    over_budget: bool,
}

impl Obligations {
    pub(crate) fn of(py: Python<'_>, found: stele_core::Obligations) -> PyResult<Self> {
        Ok(Self {
            entries: each(py, found.entries.clone(), RuleEntry::of)?,
            pointers: each(py, found.pointers.clone(), RuleEntry::of)?,
            tokens: found.tokens,
            over_budget: found.over_budget,
            whole: found,
        })
    }
}

#[pymethods]
impl Obligations {
    /// Writes them out, as "text" for a model or as "json" for a program.
    #[pyo3(signature = (format="text".to_owned()), text_signature = "($self, format='text')")]
    fn render(&self, py: Python<'_>, #[pyo3(from_py_with = text)] format: String) -> PyResult<String> {
        enter(py, || Ok(self.whole.render(Format::parse(&format)?)))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Obligations", &["entries", "pointers", "tokens", "over_budget"])
    }
}

/// What a mode, an action or the words of a text call.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Methodology {
    /// What rendering reads.
    whole: stele_core::Methodology,
    #[pyo3(get)]
    entries: Vec<Py<RuleEntry>>,
    #[pyo3(get)]
    left: usize,
    #[pyo3(get)]
    tokens: usize,
    #[pyo3(get)]
    over_budget: bool,
}

impl Methodology {
    pub(crate) fn of(py: Python<'_>, found: stele_core::Methodology) -> PyResult<Self> {
        Ok(Self {
            entries: each(py, found.entries.clone(), RuleEntry::called)?,
            left: found.left,
            tokens: found.tokens,
            over_budget: found.over_budget,
            whole: found,
        })
    }
}

#[pymethods]
impl Methodology {
    /// Writes it out, as "text" for a model or as "json" for a program.
    #[pyo3(signature = (format="text".to_owned()), text_signature = "($self, format='text')")]
    fn render(&self, py: Python<'_>, #[pyo3(from_py_with = text)] format: String) -> PyResult<String> {
        enter(py, || Ok(self.whole.render(Format::parse(&format)?)))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "Methodology", &["entries", "left", "tokens", "over_budget"])
    }
}

result! {
    /// One reason against a proposed rule.
    Refusal {
        reason: &'static str,
        message: String,
        ids: Vec<String>,
    }
}

result! {
    /// What became of a proposed rule: its id, or every reason why it was not stored.
    Proposal {
        accepted: bool,
        id: Option<String>,
        refused: Vec<Py<Refusal>>,
    }
}

impl Proposal {
    pub(crate) fn of(py: Python<'_>, proposal: stele_core::Proposal) -> PyResult<Self> {
        let refusal =
            |_: Python<'_>, refusal: stele_core::Refusal| Ok(Refusal { reason: refusal.reason.as_str(), message: refusal.message, ids: ids(&refusal.ids) });
        Ok(Self { accepted: proposal.accepted(), id: proposal.id.map(|id| id.to_string()), refused: each(py, proposal.refused, refusal)? })
    }
}

result! {
    /// What was counted for a rule since its statement became what it is.
    RuleFeedback {
        rule: String,
        helped: u64,
        hurt: u64,
        lower_bound: f64,
        ready: bool,
        counted: bool,
    }
}

impl RuleFeedback {
    pub(crate) fn of(found: stele_core::RuleFeedback) -> Self {
        Self {
            rule: found.rule.to_string(),
            helped: found.helped,
            hurt: found.hurt,
            lower_bound: found.lower_bound,
            ready: found.ready,
            counted: found.counted,
        }
    }
}
