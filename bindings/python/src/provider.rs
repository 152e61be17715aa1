//! Providers of a host: how they declare themselves, what they are asked, what they answer.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stele_core::{Declaration, ProviderCategory, ProviderFault, ProviderRequest, Supply, TurnPolicy};

use crate::arguments::{Count, Many, SourceGiven, count, text, with};
use crate::doorway::checked;
use crate::results::nodes::Source;
use crate::results::{one, shown};
use crate::time::{Instant, Seconds, When, length};

/// A source of context that a host brings to an assembly.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Provider {
    declaration: Declaration,
    /// Its unique name.
    #[pyo3(get)]
    name: String,
    /// What answers its requests; None if a plan gives them out.
    #[pyo3(get)]
    fetch: Option<Py<PyAny>>,
    /// True if `fetch` is a coroutine function.
    is_async: bool,
}

/// Makes a provider of a function from a request to a text or to entries.
///
/// It is asked in the first turn of a session or in "all", if the request has the capabilities that it requires, and waited
/// for until its timeout. Coroutine functions are for `stele.aio`; without a function, a plan gives its request out.
#[pyfunction]
#[pyo3(
    signature = (name, fetch, *, category=None, requires=None, turns=None, timeout=None, token_budget=None, position=0),
    text_signature = "(name, fetch, *, category='memory', requires=(), turns='first', timeout=2.0, token_budget=2000, position=0)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
pub(crate) fn provider(
    py: Python<'_>,
    #[pyo3(from_py_with = text)] name: String,
    fetch: Option<Py<PyAny>>,
    #[pyo3(from_py_with = text)] category: Option<String>,
    #[pyo3(from_py_with = text)] requires: Option<Many<String>>,
    #[pyo3(from_py_with = text)] turns: Option<String>,
    timeout: Option<Seconds>,
    token_budget: Option<Count>,
    position: i64,
) -> PyResult<Provider> {
    let mut declaration = Declaration::new(&name).position(position);
    declaration = with(declaration, category.map(|word| checked(py, ProviderCategory::parse(&word))).transpose()?, Declaration::category);
    declaration = with(declaration, turns.map(|word| checked(py, TurnPolicy::parse(&word))).transpose()?, Declaration::turns);
    declaration = with(declaration, length(py, timeout, "timeout")?, Declaration::timeout);
    declaration = with(declaration, count(py, token_budget, "token_budget", usize::MAX)?, Declaration::token_budget);
    declaration = requires.unwrap_or_default().0.into_iter().fold(declaration, Declaration::requires);
    let mut is_async = false;
    if let Some(fetch) = &fetch {
        if !fetch.bind(py).is_callable() {
            return Err(PyTypeError::new_err("fetch is a function from a request to a text or to entries"));
        }
        is_async = py.import("inspect")?.call_method1("iscoroutinefunction", (fetch,))?.is_truthy()?;
    }
    Ok(Provider { declaration, name, fetch, is_async })
}

#[pymethods]
impl Provider {
    fn __repr__(&self) -> String {
        format!("Provider({:?})", self.name)
    }

    /// Shows the collector what it holds: a function is often a method of the object that keeps the provider. Such a ring is
    /// broken there.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.fetch)
    }
}

impl Provider {
    /// The options with this provider: one that the core calls, or one whose request a plan gives out.
    pub(crate) fn onto(&self, py: Python<'_>, options: stele_core::AssembleOptions) -> stele_core::AssembleOptions {
        let declaration = self.declaration.clone();
        match &self.fetch {
            Some(fetch) if !self.is_async => options.provider(Arc::new(Called { declaration, name: self.name.clone(), fetch: fetch.clone_ref(py) })),
            _ => options.declare(declaration),
        }
    }
}

/// A provider that is a plain function of the host.
struct Called {
    declaration: Declaration,
    name: String,
    fetch: Py<PyAny>,
}

impl stele_core::Provider for Called {
    fn declaration(&self) -> Declaration {
        self.declaration.clone()
    }

    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        let asked = Python::try_attach(|py| {
            let request = Request::of(self.name.clone(), request.clone());
            let answered = self.fetch.bind(py).call1((request,)).and_then(|answer| supply(&answer));
            answered.map_err(|error| fault(py, error))
        });
        asked.unwrap_or_else(|| Err(ProviderFault::new("the interpreter ends")))
    }
}

/// What a provider is asked. It may look whether anybody still waits.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Request {
    core: ProviderRequest,
    /// The name of the provider that is asked.
    #[pyo3(get)]
    provider: String,
}

impl Request {
    pub(crate) fn of(provider: String, core: ProviderRequest) -> Self {
        Self { core, provider }
    }
}

#[pymethods]
impl Request {
    /// The prompt.
    #[getter]
    fn prompt(&self) -> &str {
        &self.core.prompt
    }

    /// The session; empty for a call without one.
    #[getter]
    fn session(&self) -> &str {
        &self.core.session
    }

    /// The turn, from 0.
    #[getter]
    fn turn(&self) -> u64 {
        self.core.turn
    }

    /// The mode that the session is in.
    #[getter]
    fn mode(&self) -> &str {
        &self.core.mode
    }

    /// What is about to be done, if the host said so.
    #[getter]
    fn action(&self) -> Option<&str> {
        self.core.action.as_deref()
    }

    /// Where the context is injected.
    #[getter]
    fn point(&self) -> &'static str {
        self.core.point.as_str()
    }

    /// How many tokens the entries may take.
    #[getter]
    fn token_budget(&self) -> usize {
        self.core.token_budget
    }

    /// The instant that ages are told from.
    #[getter]
    fn now(&self) -> Instant {
        Instant(self.core.now)
    }

    /// The seconds that are left for an answer.
    #[getter]
    fn remaining(&self) -> f64 {
        self.core.remaining().as_secs_f64()
    }

    /// True once nobody waits for the answer any more.
    #[getter]
    fn cancelled(&self) -> bool {
        self.core.cancelled()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any(), "Request", &["provider", "prompt", "session", "turn", "mode", "action", "point", "token_budget", "remaining", "cancelled"])
    }
}

/// One thing that a provider gives.
#[pyclass(frozen, eq, module = "stele")]
#[derive(PartialEq)]
pub(crate) struct ProviderEntry(stele_core::ProviderEntry);

#[pymethods]
impl ProviderEntry {
    #[new]
    #[pyo3(signature = (text, *, source=None, fetched_at=None, review_at=None, applies_to=None))]
    fn new(
        #[pyo3(from_py_with = text)] text: String,
        #[pyo3(from_py_with = text)] source: Option<SourceGiven>,
        fetched_at: Option<When>,
        review_at: Option<When>,
        #[pyo3(from_py_with = text)] applies_to: Option<String>,
    ) -> Self {
        Self(stele_core::ProviderEntry {
            text,
            source: source.map(|source| source.0),
            fetched_at: fetched_at.map(|at| at.0),
            review_at: review_at.map(|at| at.0),
            applies_to,
        })
    }

    /// What a model reads.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Where it comes from.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<Option<Py<Source>>> {
        one(py, self.0.source.clone(), Source::of)
    }

    /// When it was fetched.
    #[getter]
    fn fetched_at(&self) -> Option<Instant> {
        self.0.fetched_at.map(Instant)
    }

    /// The instant from which it has to be read again before anybody acts on it.
    #[getter]
    fn review_at(&self) -> Option<Instant> {
        self.0.review_at.map(Instant)
    }

    /// The repository, customer or the like that it is limited to.
    #[getter]
    fn applies_to(&self) -> Option<&str> {
        self.0.applies_to.as_deref()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any(), "ProviderEntry", &["text", "source", "fetched_at", "review_at", "applies_to"])
    }
}

/// A text, or an entry.
pub(crate) struct EntryGiven(pub(crate) stele_core::ProviderEntry);

impl<'py> FromPyObject<'_, 'py> for EntryGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(entry) = value.cast::<ProviderEntry>() {
            return Ok(Self(entry.get().0.clone()));
        }
        let text = value.cast::<PyString>().map_err(|_| PyTypeError::new_err("expected a str or a ProviderEntry"))?;
        Ok(Self(stele_core::ProviderEntry::new(text.to_cow()?)))
    }
}

/// What a provider answered: a text, entries, or None for nothing.
pub(crate) fn supply(answer: &Bound<'_, PyAny>) -> PyResult<Supply> {
    if answer.is_none() {
        return Ok(Supply::default());
    }
    if let Ok(text) = answer.cast::<PyString>() {
        return Ok(Supply::from(&*text.to_cow()?));
    }
    if answer.hasattr("__await__")? {
        // Otherwise the interpreter warns of a coroutine that nobody waited for.
        if let Some(close) = answer.getattr_opt("close")? {
            close.call0()?;
        }
        return Err(PyTypeError::new_err("fetch gave an awaitable: coroutines are for stele.aio"));
    }
    if answer.is_instance_of::<PyDict>() {
        return Err(PyTypeError::new_err("fetch gave a mapping: give a str, or ProviderEntry objects in a list"));
    }
    let entries: Many<EntryGiven> = answer.extract()?;
    Ok(entries.0.into_iter().map(|entry| entry.0).collect::<Vec<_>>().into())
}

/// A fault with the host's exception as its cause.
pub(crate) fn fault(py: Python<'_>, error: PyErr) -> ProviderFault {
    let message = error.to_string();
    ProviderFault { message, cause: Some(Arc::new(error.into_value(py).into_any())) }
}

/// What kept a provider from answering, as the host says it: an exception or words.
pub(crate) struct FaultGiven(pub(crate) ProviderFault);

impl<'py> FromPyObject<'_, 'py> for FaultGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(words) = value.cast::<PyString>() {
            return Ok(Self(ProviderFault::new(words.to_cow()?)));
        }
        if !value.is_instance_of::<pyo3::exceptions::PyBaseException>() {
            return Err(PyTypeError::new_err("expected an exception or a str"));
        }
        Ok(Self(fault(value.py(), PyErr::from_value(value.to_owned()))))
    }
}
