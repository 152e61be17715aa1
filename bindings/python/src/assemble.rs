//! Assembling context: the options that a call and a session's prompt share, and an assembly that the host drives.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stele_core::{AssembleOptions, Code, Error, Point, Result};

use crate::arguments::{Keywords, Many, count, named, text, with};
use crate::doorway::{LOOK, checked, enter};
use crate::provider::{EntryGiven, FaultGiven, Provider, Request, supply};
use crate::results::session::Context;
use crate::time::{Seconds, When, length};

/// Which built-in providers are on: all, none but the obligations, or by name.
enum Builtin {
    On(bool),
    Named(Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Builtin {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<bool>() {
            Ok(on) => Ok(Self::On(on)),
            Err(_) => value.extract::<Many<String>>().map(|names| Self::Named(names.0)),
        }
    }
}

/// The options that the keyword arguments of a call say.
pub(crate) fn options(py: Python<'_>, verb: &'static str, given: Option<Bound<'_, PyDict>>) -> PyResult<AssembleOptions> {
    let mut given = Keywords::of(verb, given);
    let mut options = AssembleOptions::new();
    options = with(options, given.take::<String>("session")?, AssembleOptions::session);
    options = with(options, count(py, given.take("turn")?, "turn", u64::MAX)?, AssembleOptions::turn);
    options = with(options, given.take::<String>("mode")?, AssembleOptions::mode);
    options = with(options, given.take::<String>("action")?, AssembleOptions::action);
    options = with(options, given.take::<String>("point")?.map(|word| checked(py, Point::parse(&word))).transpose()?, AssembleOptions::point);
    options = given.taken::<Many<String>>("capabilities")?.0.into_iter().fold(options, AssembleOptions::capability);
    options = given.taken::<Many<Py<Provider>>>("providers")?.0.iter().fold(options, |options, provider| provider.get().onto(py, options));
    options = match given.take("builtin")? {
        None => options,
        Some(Builtin::On(on)) => options.builtin(on),
        Some(Builtin::Named(names)) => options.builtin_named(names),
    };
    options = with(options, given.take::<PathBuf>("root")?, AssembleOptions::root);
    options = with(options, given.take::<Many<String>>("skill_folders")?.map(|folders| folders.0), AssembleOptions::skill_folders);
    options = given.taken::<Many<String>>("select_skills")?.0.into_iter().fold(options, AssembleOptions::select_skill);
    options = with(options, given.take::<String>("base_revision")?, AssembleOptions::base_revision);
    options = options.rule_files(given.taken::<Many<String>>("rule_files")?.0);
    options = given.taken::<Many<EntryGiven>>("system")?.0.into_iter().fold(options, |options, entry| options.system(entry.0));
    options = given.taken::<Many<String>>("about")?.0.into_iter().fold(options, AssembleOptions::about);
    options = with(options, count(py, given.take("token_budget")?, "token_budget", usize::MAX)?, AssembleOptions::token_budget);
    options = with(options, length(py, given.take("deadline")?, "deadline")?, AssembleOptions::deadline);
    options = with(options, count(py, given.take("max_entries")?, "max_entries", usize::MAX)?, AssembleOptions::max_entries);
    options = with(options, count(py, given.take("max_tokens")?, "max_tokens", usize::MAX)?, AssembleOptions::max_tokens);
    options = with(options, count(py, given.take("hops")?, "hops", u32::MAX)?, AssembleOptions::hops);
    options = with(options, given.take::<When>("now")?.map(|at| at.0), AssembleOptions::now);
    options = with(options, given.take::<bool>("strict")?, AssembleOptions::strict);
    options = with(options, given.take::<bool>("deliver")?, AssembleOptions::deliver);
    given.end().map(|()| options)
}

/// Assembles; an interrupt ends the wait for the providers, and tells them.
pub(crate) fn assemble(py: Python<'_>, begin: impl FnOnce() -> Result<stele_core::Plan> + Send) -> PyResult<Context> {
    let mut plan = enter(py, begin)?;
    while !py.detach(|| plan.wait(LOOK)) {
        if let Err(interrupt) = py.check_signals() {
            py.detach(|| drop(plan));
            return Err(interrupt);
        }
    }
    let context = enter(py, || plan.finish())?;
    Context::of(py, context)
}

/// An assembly under way, for a host that asks its providers itself: take the requests, answer them in any order, finish.
///
/// It gives out the requests of providers without a function and of those with a coroutine function; the others run meanwhile
/// on threads of their own. A plan is for one thread at a time.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Plan(Mutex<Option<stele_core::Plan>>);

impl Plan {
    pub(crate) fn begin(py: Python<'_>, begin: impl FnOnce() -> Result<stele_core::Plan> + Send) -> PyResult<Self> {
        enter(py, begin).map(|plan| Self(Mutex::new(Some(plan))))
    }

    fn open(&self) -> MutexGuard<'_, Option<stele_core::Plan>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut stele_core::Plan) -> Result<T> + Send) -> PyResult<T> {
        enter(py, || work(self.open().as_mut().ok_or_else(over)?))
    }
}

fn over() -> Error {
    Error::new(Code::WrongState, "use a plan: it is finished")
}

#[pymethods]
impl Plan {
    /// Gives the next request; None once all were given.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Request>> {
        let asked = self.with(py, |plan| Ok(plan.next()))?;
        Ok(asked.map(|asked| Request::of(asked.provider, asked.request)))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Request>> {
        self.next(py)
    }

    /// Answers the request of a provider: with a text, with entries, or with None for nothing.
    fn supply(&self, py: Python<'_>, #[pyo3(from_py_with = text)] provider: String, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        let supply = supply(answer).map_err(|error| named(py, error, "answer"))?;
        self.with(py, |plan| plan.supply(&provider, supply))
    }

    /// Says that a provider cannot answer, and why: an exception, which its outcome keeps, or words.
    fn fail(&self, py: Python<'_>, #[pyo3(from_py_with = text)] provider: String, #[pyo3(from_py_with = text)] error: FaultGiven) -> PyResult<()> {
        self.with(py, |plan| plan.fail(&provider, error.0))
    }

    /// Waits a while for the providers that run by themselves; True once `finish` would not wait.
    fn wait(&self, py: Python<'_>, seconds: Seconds) -> PyResult<bool> {
        let seconds = seconds.of(py, "seconds")?;
        self.with(py, |plan| Ok(plan.wait(seconds)))
    }

    /// Puts the context together. A request that was not answered by now counts as late.
    fn finish(&self, py: Python<'_>) -> PyResult<Context> {
        let plan = enter(py, || self.open().take().ok_or_else(over))?;
        assemble(py, || Ok(plan))
    }

    /// Gives it up: providers that run are told that nobody waits for them.
    fn drop(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || {
            drop(self.open().take());
            Ok(())
        })
    }
}
