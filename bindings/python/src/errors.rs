//! From the core's error to the exception of its kind. The classes stand in `stele/errors.py`, one for each kind.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use stele_core::{Error, ProviderFault};

/// The exception that stands for an error; if the package's classes cannot be had, why not.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|fault| fault)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    static CLASSES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let classes = CLASSES.get_or_try_init(py, || py.import("stele.errors")?.getattr("BY_KIND").map(Bound::unbind))?;
    let details = PyDict::new(py);
    for (name, value) in error.details() {
        details.set_item(name, value)?;
    }
    let more = PyDict::new(py);
    more.set_item("code", error.code().as_str())?;
    more.set_item("retryable", error.retryable())?;
    more.set_item("details", details)?;
    let class = classes.bind(py).get_item(error.kind().as_str())?;
    let raised = PyErr::from_value(class.call((error.to_string(),), Some(&more))?);
    raised.set_cause(py, cause(py, error));
    Ok(raised)
}

/// The host's own exception that led to an error.
fn cause(py: Python<'_>, error: &Error) -> Option<PyErr> {
    let fault: &ProviderFault = std::error::Error::source(error)?.downcast_ref()?;
    host_error(py, fault).map(PyErr::from_value)
}

/// The exception that a provider of the host raised, as the same object.
pub(crate) fn host_error<'py>(py: Python<'py>, fault: &ProviderFault) -> Option<Bound<'py, PyAny>> {
    fault.cause.as_ref()?.downcast_ref::<Py<PyAny>>().map(|error| error.bind(py).clone())
}
