//! What `python -m stele hook` is a shell around.

use std::path::PathBuf;

use pyo3::prelude::*;
use stele_hook::{Output, World};

use crate::doorway::enter;

/// True if a command with these arguments answers an event, which is then read from standard input.
#[pyfunction]
pub(crate) fn hook_reads_input(arguments: Vec<String>) -> bool {
    stele_hook::reads_input(&arguments)
}

/// Answers an agent's hook event, or installs, removes or looks something up: gives what to write to standard output and
/// standard error, and the exit code.
#[pyfunction]
#[pyo3(signature = (arguments, input, *, folder, home, project, command))]
pub(crate) fn hook(
    py: Python<'_>,
    arguments: Vec<String>,
    input: &[u8],
    folder: PathBuf,
    home: Option<PathBuf>,
    project: Option<PathBuf>,
    command: Vec<String>,
) -> PyResult<(String, String, u8)> {
    let world = World { folder, home, project, command };
    let Output { stdout, stderr, code } = enter(py, || Ok(stele_hook::run(&arguments, input, &world)))?;
    Ok((stdout, stderr, code))
}
