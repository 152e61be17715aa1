//! The one way into the core: without the interpreter's lock, with panics caught, with errors as exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use stele_core::{Code, Error, Result};

use crate::errors::exception;

/// Runs `work` without the interpreter's lock. A panic becomes `InternalError` and leaves the interpreter unharmed.
pub(crate) fn enter<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(&*panic))));
    done.map_err(|error| exception(py, &error))
}

/// Takes what an argument was checked to be; for what needs no record.
pub(crate) fn checked<T>(py: Python<'_>, outcome: Result<T>) -> PyResult<T> {
    outcome.map_err(|error| exception(py, &error))
}

fn fault(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(Code::Internal, format!("run a call: {}", text.unwrap_or("it panicked")))
}
