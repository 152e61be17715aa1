//! JSON between the core and Python's dictionaries; Python's own `json` translates.

use pyo3::prelude::*;

/// What a JSON text says, as Python has it.
pub(crate) fn read_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// A Python value as JSON.
pub(crate) fn write_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.py().import("json")?.call_method1("dumps", (value,))?.extract()
}
