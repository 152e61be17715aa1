//! What `python -m stele hook` is a shell around.

use std::path::PathBuf;

use pyo3::prelude::*;
use stele_hook::{Output, World};

use crate::arguments::text;
use crate::doorway::enter;

/// Answers an agent's hook event from standard input, or installs, removes or looks something up: gives what to write to
/// standard output and standard error, and the exit code.
#[pyfunction]
#[pyo3(signature = (arguments, *, folder, home, project, user, command))]
pub(crate) fn hook(
    py: Python<'_>,
    #[pyo3(from_py_with = text)] arguments: Vec<String>,
    #[pyo3(from_py_with = text)] folder: PathBuf,
    #[pyo3(from_py_with = text)] home: Option<PathBuf>,
    #[pyo3(from_py_with = text)] project: Option<PathBuf>,
    user: Option<u32>,
    #[pyo3(from_py_with = text)] command: Vec<String>,
) -> PyResult<(String, String, u8)> {
    let world = World { folder, home, project, user, command };
    let Output { stdout, stderr, code } = enter(py, || Ok(stele_hook::run(&arguments, std::io::stdin(), &world, || ()).0))?;
    Ok((stdout, stderr, code))
}
