//! Tools of an agent: dictionaries on this side, JSON on the core's.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stele_core::{Tier, ToolCall};

use crate::doorway::checked;
use crate::handle::Handle;
use crate::json::{read_json, write_json};

/// One tool, as a host passes it on to a model. `input_schema` is a fresh dictionary at every look.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Tool {
    #[pyo3(get)]
    name: &'static str,
    #[pyo3(get)]
    description: &'static str,
    schema: String,
    #[pyo3(get)]
    tier: &'static str,
}

#[pymethods]
impl Tool {
    #[getter]
    fn input_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_json(py, &self.schema)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::results::shown(slf.as_any(), "Tool", &["name", "description", "input_schema", "tier"])
    }
}

impl From<stele_core::Tool> for Tool {
    fn from(tool: stele_core::Tool) -> Self {
        Self { name: tool.name, description: tool.description, schema: tool.input_schema, tier: tool.tier.as_str() }
    }
}

/// Calls a tool with a dictionary of arguments.
pub(crate) fn call<'py>(py: Python<'py>, record: &Handle, name: &str, arguments: &Bound<'py, PyDict>, by: ToolCall, tier: &str) -> PyResult<Bound<'py, PyAny>> {
    let arguments = write_json(arguments)?;
    let (record, name, by) = (record.clone(), name.to_owned(), by.tier(checked(py, Tier::parse(tier))?));
    let said = record.clone().look_up(py, move || record.call_tool(&name, &arguments, &by))?;
    read_json(py, &said)
}
