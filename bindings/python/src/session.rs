//! The moments of one agent session.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stele_core::{Aggressiveness, Delivered, Result, SessionOptions};

use crate::arguments::{Count, text, with};
use crate::assemble::{self, Plan};
use crate::doorway::{checked, enter};
use crate::handle::Handle;
use crate::record::Record;
use crate::results::retrieval::Retrieval;
use crate::results::session::{Context, Moment, Resumed};

/// The moments of one agent session: what the record has to say, and when. Threads may share it, and processes the session.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Session {
    core: Arc<stele_core::Session>,
    /// Keeps the record open as long as somebody has a session of it.
    of: Py<Record>,
}

/// How a session is taken up.
pub(crate) struct Taken {
    pub(crate) mode: Option<String>,
    pub(crate) token_budget: Option<u64>,
    pub(crate) actor: Option<String>,
    pub(crate) root: Option<PathBuf>,
}

impl Session {
    pub(crate) fn open(record: &Handle, of: Py<Record>, name: &str, taken: Taken) -> Result<Self> {
        let mut options = with(record.session(name), taken.mode, SessionOptions::mode);
        options = with(options, taken.token_budget, SessionOptions::token_budget);
        options = with(options, taken.actor, SessionOptions::actor);
        options = with(options, taken.root, SessionOptions::root);
        Ok(Self { core: Arc::new(options.open()?), of })
    }
}

/// What reached a session's model: a `Context`, a `Moment`, a `Retrieval`, a `Resumed`, or the delivery of one as a text.
struct Reached(Delivered);

impl<'py> FromPyObject<'_, 'py> for Reached {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(context) = value.cast::<Context>() {
            return Ok(Self(context.get().delivered()));
        }
        if let Ok(moment) = value.cast::<Moment>() {
            return Ok(Self(moment.get().delivered.clone()));
        }
        if let Ok(found) = value.cast::<Retrieval>() {
            return Ok(Self(found.get().delivered()));
        }
        if let Ok(resumed) = value.cast::<Resumed>() {
            return Ok(Self(resumed.get().delivered()));
        }
        let Ok(text) = value.cast::<PyString>() else {
            return Err(PyTypeError::new_err("expected a Context, a Moment, a Retrieval, a Resumed, or the delivery of one"));
        };
        checked(value.py(), Delivered::parse(&text.to_cow()?)).map(Self)
    }
}

#[pymethods]
impl Session {
    /// Tells a session that starts or goes on what it holds, where it stopped, and what others did since.
    fn on_start(&self, py: Python<'_>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_start())?;
        Moment::of(py, moment)
    }

    /// Answers a prompt: what `Record.assemble` gives, for this session. Counts the turn.
    #[pyo3(signature = (prompt, **options), text_signature = "($self, prompt, *, turn=None, mode=None, action=None, point='prompt', capabilities=(), providers=(), builtin=True, root=None, token_budget=8000, deadline=8.0, select_skills=(), now=None, strict=False, deliver=True, max_entries=20, max_tokens=None, hops=1, skill_folders=None, base_revision=None, rule_files=(), system=(), about=())")]
    fn on_prompt(&self, py: Python<'_>, #[pyo3(from_py_with = text)] prompt: String, options: Option<Bound<'_, PyDict>>) -> PyResult<Context> {
        let options = assemble::options(py, "Session.on_prompt", options)?;
        assemble::assemble(py, || self.core.plan(&prompt, &options))
    }

    /// Begins to answer a prompt, for a host that asks providers itself.
    #[pyo3(signature = (prompt, **options), text_signature = "($self, prompt, *, turn=None, mode=None, action=None, point='prompt', capabilities=(), providers=(), builtin=True, root=None, token_budget=8000, deadline=8.0, select_skills=(), now=None, strict=False, deliver=True, max_entries=20, max_tokens=None, hops=1, skill_folders=None, base_revision=None, rule_files=(), system=(), about=())")]
    fn plan(&self, py: Python<'_>, #[pyo3(from_py_with = text)] prompt: String, options: Option<Bound<'_, PyDict>>) -> PyResult<Plan> {
        let options = assemble::options(py, "Session.plan", options)?;
        Plan::begin(py, || self.core.plan(&prompt, &options))
    }

    /// Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge.
    ///
    /// The path is relative to the project's root or to the current folder, or absolute.
    #[pyo3(signature = (path, *, symbol=None))]
    fn on_edit(&self, py: Python<'_>, #[pyo3(from_py_with = text)] path: PathBuf, #[pyo3(from_py_with = text)] symbol: Option<String>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_edit(&path.to_string_lossy(), symbol.as_deref()))?;
        Moment::of(py, moment)
    }

    /// Tells the lessons and risks a literal trigger of which stands in what a tool printed.
    fn on_output(&self, py: Python<'_>, #[pyo3(from_py_with = text)] text: String) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_output(&text))?;
        Moment::of(py, moment)
    }

    /// Around completion: the facts that the work may have ended, of a task or else of the tasks that the session holds; the
    /// first time also a nudge.
    #[pyo3(signature = (task=None))]
    fn on_complete(&self, py: Python<'_>, #[pyo3(from_py_with = text)] task: Option<String>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_complete(task.as_deref()))?;
        Moment::of(py, moment)
    }

    /// Notes that something reached the session's model, so that it does not come again before it changes: a context, a moment,
    /// a retrieval, a turn taken up again, or the `delivery` of one, which another process may have kept.
    fn delivered(&self, py: Python<'_>, #[pyo3(from_py_with = text)] what: Reached) -> PyResult<()> {
        enter(py, || self.core.delivered(what.0))
    }

    /// Notes that the model's memory of the session was compacted: what was served may come again.
    fn compacted(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.core.compacted())
    }

    /// Begins a phase of the work: what was served may come again.
    fn new_phase(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.core.new_phase())
    }

    /// Changes the mode; if it is another one, what was served may come again.
    fn set_mode(&self, py: Python<'_>, #[pyo3(from_py_with = text)] mode: String) -> PyResult<()> {
        enter(py, || self.core.set_mode(&mode))
    }

    /// Keeps still for so many prompts: no window, nudge or moment. Obligations still arrive.
    fn pause(&self, py: Python<'_>, turns: Count) -> PyResult<()> {
        let turns = turns.of(py, "turns", u64::MAX)?;
        enter(py, || self.core.pause(turns))
    }

    /// Ends a pause.
    fn unpause(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.core.unpause())
    }

    /// Sets how much of the record the session wants: "quiet" or "normal".
    fn set_aggressiveness(&self, py: Python<'_>, #[pyo3(from_py_with = text)] value: String) -> PyResult<()> {
        enter(py, || self.core.set_aggressiveness(Aggressiveness::parse(&value)?))
    }

    /// The name of the session.
    #[getter]
    fn name(&self) -> &str {
        self.core.name()
    }

    /// The mode that the session is in.
    #[getter]
    fn mode(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || self.core.mode())
    }

    /// How many prompts it had, or the turn after the last that the host counted.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<u64> {
        enter(py, || self.core.turn())
    }

    /// True once it was told what is anchored to a file that it was about to change.
    #[getter]
    fn edited(&self, py: Python<'_>) -> PyResult<bool> {
        enter(py, || self.core.edited())
    }

    /// What is left of its tokens for the record; None without a budget.
    #[getter]
    fn tokens_left(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        enter(py, || self.core.tokens_left())
    }

    fn __repr__(&self) -> String {
        format!("Session({:?})", self.name())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        visit.call(&self.of)
    }
}
