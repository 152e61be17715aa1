//! Transactions as with-statements, and which of them a recorder's call belongs to.
//!
//! A call of a recorder inside a with-statement of its own belongs to that transaction. Which with-statements are around a call
//! is kept in a context variable, so that another thread, or another task of an event loop, is outside of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use stele_core::{Code, Error};

use crate::doorway::{checked, enter};
use crate::recorder::{Hands, Recorder};

/// How many transactions of this process are open; where there is none, nobody looks for one.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// One transaction, for one with-statement.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Transaction {
    of: Py<Recorder>,
    state: Mutex<State>,
}

enum State {
    New,
    Open(stele_core::Transaction<'static>, Arc<Hands>),
    Over,
}

impl Transaction {
    pub(crate) fn new(of: Py<Recorder>) -> Self {
        Self { of, state: Mutex::new(State::New) }
    }

    fn set(&self, state: State) -> State {
        let before = std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), state);
        if matches!(before, State::Open(..)) {
            OPEN.fetch_sub(1, Ordering::SeqCst);
        }
        before
    }

    /// Who writes in it, as long as it is open.
    fn hands(&self) -> Option<Arc<Hands>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Open(_, hands) => Some(Arc::clone(hands)),
            State::New | State::Over => None,
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.set(State::Over);
    }
}

/// The variable that holds the transactions around a call, outermost first.
fn around(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static AROUND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let variable = AROUND.get_or_try_init(py, || py.import("contextvars")?.getattr("ContextVar")?.call1(("stele.transactions",)).map(Bound::unbind))?;
    Ok(variable.bind(py))
}

fn list(py: Python<'_>) -> PyResult<Vec<Py<Transaction>>> {
    around(py)?.call_method1("get", (PyTuple::empty(py),))?.extract()
}

/// Who writes for a recorder: the innermost transaction of it that is around this call, or itself.
pub(crate) fn joined(py: Python<'_>, own: &Arc<Hands>, of: &Recorder) -> PyResult<Arc<Hands>> {
    if OPEN.load(Ordering::SeqCst) == 0 {
        return Ok(Arc::clone(own));
    }
    let inside =
        list(py)?.into_iter().rev().filter(|transaction| std::ptr::eq(transaction.get().of.get(), of)).find_map(|transaction| transaction.get().hands());
    Ok(inside.unwrap_or_else(|| Arc::clone(own)))
}

#[pymethods]
impl Transaction {
    fn __enter__(slf: &Bound<'_, Self>) -> PyResult<Recorder> {
        let (py, this) = (slf.py(), slf.get());
        if !matches!(this.set(State::Over), State::New) {
            return checked(py, Err(Error::new(Code::WrongState, "begin a transaction: it was begun before; each with-statement takes a new one")));
        }
        let outer = this.of.get().hands(py)?;
        let (transaction, hands) = enter(py, || {
            let transaction = outer.wary.begin_transaction()?;
            let hands = Arc::new(outer.within(&transaction));
            Ok((transaction, hands))
        })?;
        OPEN.fetch_add(1, Ordering::SeqCst);
        this.set(State::Open(transaction, Arc::clone(&hands)));
        Self::_join(slf)?;
        Ok(Recorder::with(hands, this.of.get().of(py)))
    }

    #[pyo3(signature = (kind=None, error=None, trace=None))]
    fn __exit__(slf: &Bound<'_, Self>, kind: Option<&Bound<'_, PyAny>>, error: Option<&Bound<'_, PyAny>>, trace: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let _ = (error, trace);
        let py = slf.py();
        Self::_leave(slf)?;
        let State::Open(transaction, hands) = slf.get().set(State::Over) else { return Ok(()) };
        let commit = kind.is_none();
        enter(py, move || {
            drop(hands);
            // What is not committed is taken back when it is dropped.
            if commit { transaction.commit() } else { Ok(()) }
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.of)
    }

    /// Makes the calls of this context its own.
    fn _join(slf: &Bound<'_, Self>) -> PyResult<()> {
        let mut all = list(slf.py())?;
        all.push(slf.clone().unbind());
        set(slf.py(), all)
    }

    /// The contrary of `_join`.
    fn _leave(slf: &Bound<'_, Self>) -> PyResult<()> {
        let mut all = list(slf.py())?;
        all.retain(|transaction| !transaction.is(slf));
        set(slf.py(), all)
    }
}

fn set(py: Python<'_>, all: Vec<Py<Transaction>>) -> PyResult<()> {
    around(py)?.call_method1("set", (PyTuple::new(py, all)?,)).map(drop)
}
