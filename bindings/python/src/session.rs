//! The moments of one agent session.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use stele_core::{Aggressiveness, AssembleOptions, Delivered, Point, Result, SessionOptions};

use crate::arguments::{Count, with};
use crate::doorway::{checked, enter};
use crate::handle::Handle;
use crate::results::retrieval::Retrieval;
use crate::results::session::{Context, Moment};
use crate::time::{Seconds, When};

/// The moments of one agent session: what the record has to say, and when. Threads may share it, and processes the session.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Session {
    core: Arc<stele_core::Session>,
    /// Keeps the record open as long as somebody has a session of it.
    record: Handle,
}

/// How a session is taken up.
pub(crate) struct Taken {
    pub(crate) mode: Option<String>,
    pub(crate) token_budget: Option<Count>,
    pub(crate) actor: Option<String>,
    pub(crate) root: Option<PathBuf>,
}

impl Session {
    pub(crate) fn open(record: &Handle, name: &str, taken: Taken) -> Result<Self> {
        let mut options = with(record.session(name), taken.mode, SessionOptions::mode);
        options = with(options, taken.token_budget.map(|tokens| tokens.narrow(u64::MAX)), SessionOptions::token_budget);
        options = with(options, taken.actor, SessionOptions::actor);
        options = with(options, taken.root, SessionOptions::root);
        Ok(Self { core: Arc::new(options.open()?), record: record.clone() })
    }
}

/// What reached a session's model: a `Context`, a `Moment` or a `Retrieval`.
struct Reached(Delivered);

impl<'py> FromPyObject<'_, 'py> for Reached {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(context) = value.cast::<Context>() {
            return Ok(Self(context.get().delivered.clone()));
        }
        if let Ok(moment) = value.cast::<Moment>() {
            return Ok(Self(moment.get().delivered.clone()));
        }
        if let Ok(found) = value.cast::<Retrieval>() {
            return Ok(Self(found.get().delivered()));
        }
        Err(PyTypeError::new_err("expected a Context, a Moment or a Retrieval"))
    }
}

#[pymethods]
impl Session {
    /// Tells a session that starts or goes on what it holds, where it stopped, and what others did since.
    fn on_start(&self, py: Python<'_>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_start())?;
        Moment::of(py, moment)
    }

    /// Answers a prompt: obligations, methodology and the window of the record. Counts the turn.
    #[pyo3(
        signature = (prompt, *, turn=None, action=None, point="prompt", deadline=None, max_entries=None, max_tokens=None, hops=None, now=None, deliver=true),
        text_signature = "($self, prompt, *, turn=None, action=None, point='prompt', deadline=8.0, max_entries=20, max_tokens=None, hops=1, now=None, deliver=True)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn on_prompt(
        &self,
        py: Python<'_>,
        prompt: &str,
        turn: Option<Count>,
        action: Option<String>,
        point: &str,
        deadline: Option<Seconds>,
        max_entries: Option<Count>,
        max_tokens: Option<Count>,
        hops: Option<Count>,
        now: Option<When>,
        deliver: bool,
    ) -> PyResult<Context> {
        let mut options = AssembleOptions::new().point(checked(py, Point::parse(point))?).deliver(deliver);
        options = with(options, turn.map(|turn| turn.narrow(u64::MAX)), AssembleOptions::turn);
        options = with(options, action, AssembleOptions::action);
        options = with(options, deadline.map(|length| length.0), AssembleOptions::deadline);
        options = with(options, max_entries.map(|count| count.0), AssembleOptions::max_entries);
        options = with(options, max_tokens.map(|count| count.0), AssembleOptions::max_tokens);
        options = with(options, hops.map(|count| count.narrow(u32::MAX)), AssembleOptions::hops);
        options = with(options, now.map(|at| at.0), AssembleOptions::now);
        let (core, prompt) = (Arc::clone(&self.core), prompt.to_owned());
        let context = self.record.look_up(py, move || core.on_prompt(&prompt, &options))?;
        Context::of(py, context)
    }

    /// Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge.
    ///
    /// The path is relative to the project's root or to the current folder, or absolute.
    #[pyo3(signature = (path, *, symbol=None))]
    fn on_edit(&self, py: Python<'_>, path: PathBuf, symbol: Option<&str>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_edit(&path.to_string_lossy(), symbol))?;
        Moment::of(py, moment)
    }

    /// Tells the lessons and risks a literal trigger of which stands in what a tool printed.
    fn on_output(&self, py: Python<'_>, text: &str) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_output(text))?;
        Moment::of(py, moment)
    }

    /// Around completion: the facts that the work may have ended, of a task or else of the tasks that the session holds; the
    /// first time also a nudge.
    #[pyo3(signature = (task=None))]
    fn on_complete(&self, py: Python<'_>, task: Option<&str>) -> PyResult<Moment> {
        let moment = enter(py, || self.core.on_complete(task))?;
        Moment::of(py, moment)
    }

    /// Notes that something reached the session's model, so that it does not come again before it changes.
    fn delivered(&self, py: Python<'_>, what: Reached) -> PyResult<()> {
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
    fn set_mode(&self, py: Python<'_>, mode: &str) -> PyResult<()> {
        enter(py, || self.core.set_mode(mode))
    }

    /// Keeps still for so many prompts: no window, nudge or moment. Obligations still arrive.
    fn pause(&self, py: Python<'_>, turns: Count) -> PyResult<()> {
        enter(py, || self.core.pause(turns.narrow(u64::MAX)))
    }

    /// Ends a pause.
    fn unpause(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.core.unpause())
    }

    /// Sets how much of the record the session wants: "quiet" or "normal".
    fn set_aggressiveness(&self, py: Python<'_>, value: &str) -> PyResult<()> {
        enter(py, || self.core.set_aggressiveness(Aggressiveness::parse(value)?))
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

    /// What is left of its tokens for the record; None without a budget.
    #[getter]
    fn tokens_left(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        enter(py, || self.core.tokens_left())
    }

    fn __repr__(&self) -> String {
        format!("Session({:?})", self.name())
    }
}
