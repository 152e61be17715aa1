//! The ways into the core: without the interpreter's lock, with panics caught, with errors as exceptions.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use stele_core::{Code, Error, Result};

use crate::errors::exception;

/// How often a call that may take long looks for an interrupt.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

thread_local! {
    /// True while a call into the core runs on this thread.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// What the host's code raised during that call where the core has no way to hand it on.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// Becomes true once nobody waits any more for what this thread does.
    static LEFT: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What came of a call: the core's answer, and what the host's code raised meanwhile.
type Came<T> = (Result<T>, Option<PyErr>);

/// Runs `work` without the interpreter's lock. A panic becomes `InternalError` and leaves the interpreter unharmed.
pub(crate) fn enter<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let came = py.detach(|| watched(work));
    settle(py, came)
}

/// As [`enter`], on a thread of its own, for what may take long and can be left: an interrupt is raised at once, and what
/// the call would have given is dropped. Where the system gives no thread, this one does it, and an interrupt waits.
pub(crate) fn wait<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send + 'static) -> PyResult<T> {
    let (send, mut receive) = mpsc::channel();
    let left = Arc::new(AtomicBool::new(false));
    let held = Arc::new(Mutex::new(Some(work)));
    let (seen, theirs) = (Arc::clone(&left), Arc::clone(&held));
    #[expect(clippy::disallowed_methods, reason = "it ends with the call, and a call ends by its deadline or with the handle")]
    let started = std::thread::Builder::new().name("stele-call".to_owned()).spawn(move || {
        LEFT.set(Some(seen));
        if let Some(work) = taken(&theirs) {
            // Nobody listens where the call was left.
            let _ = send.send(watched(work));
        }
    });
    if started.is_err()
        && let Some(work) = taken(&held)
    {
        return enter(py, work);
    }
    loop {
        match next(py, &mut receive) {
            Ok(came) => return settle(py, came),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| left.store(true, Ordering::SeqCst))?,
            Err(RecvTimeoutError::Disconnected) => return checked(py, Err(Error::new(Code::Internal, "run a call: its thread ended"))),
        }
    }
}

fn taken<W>(held: &Mutex<Option<W>>) -> Option<W> {
    held.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The next that comes before it is time to look for an interrupt; the interpreter's lock is free meanwhile.
pub(crate) fn next<T: Send>(py: Python<'_>, receive: &mut Receiver<T>) -> std::result::Result<T, RecvTimeoutError> {
    py.detach(move || receive.recv_timeout(LOOK))
}

/// Takes what an argument was checked to be; for what needs no record.
pub(crate) fn checked<T>(py: Python<'_>, outcome: Result<T>) -> PyResult<T> {
    outcome.map_err(|error| exception(py, &error))
}

/// Keeps what the host's code raised until the call into the core is over, and raises it then; false where no call of the
/// host waits on this thread.
pub(crate) fn raise_later(error: PyErr) -> bool {
    let inside = INSIDE.get();
    if inside {
        RAISED.with_borrow_mut(|raised| _ = raised.get_or_insert(error));
    }
    inside
}

/// True if nobody waits any more for what this thread does.
pub(crate) fn is_left() -> bool {
    LEFT.with_borrow(|left| left.as_ref().is_some_and(|left| left.load(Ordering::SeqCst)))
}

/// Runs `work`, catching panics and what the host's code raised.
pub(crate) fn watched<T>(work: impl FnOnce() -> Result<T>) -> Came<T> {
    let outer = INSIDE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(&*panic)));
    INSIDE.set(outer);
    (done, RAISED.take())
}

/// What the host gets: its own exception first.
pub(crate) fn settle<T>(py: Python<'_>, (done, raised): Came<T>) -> PyResult<T> {
    match raised {
        Some(error) => Err(error),
        None => checked(py, done),
    }
}

fn fault(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(Code::Internal, format!("run a call: {}", text.unwrap_or("it panicked")))
}
