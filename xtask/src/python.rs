//! The Python door: builds its module into a virtual environment of its own and runs its tests there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::paths;

/// What the environment holds beside the module.
const TOOLS: [&str; 3] = ["maturin>=1.9,<2", "pytest>=8", "mypy>=1.11"];

/// Makes the environment under `target/venv` if it is not there, builds the module in the dev profile, compares
/// the stub with it, checks the types of the samples, runs the tests.
pub(crate) fn run() -> Result<(), String> {
    let venv = paths::root().join("target").join("venv");
    if ["maturin", "pytest", "stubtest"].iter().any(|name| !tool(&venv, name).exists()) {
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        step(Command::new(tool(&venv, "python")).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(TOOLS))?;
    }
    let door = paths::root().join("bindings").join("python");
    step(Command::new(tool(&venv, "maturin")).args(["develop", "--quiet"]).env("VIRTUAL_ENV", &venv).current_dir(&door))?;
    // They leave a cache where they run. That the stub names all there is is a test of its own.
    step(Command::new(tool(&venv, "stubtest")).args(["--ignore-missing-stub", "stele"]).current_dir(&venv))?;
    step(Command::new(tool(&venv, "mypy")).arg("--strict").arg(door.join("examples")).current_dir(&venv))?;
    step(Command::new(tool(&venv, "python")).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(&door))
}

fn tool(venv: &Path, name: &str) -> PathBuf {
    if cfg!(windows) { venv.join("Scripts").join(name).with_extension("exe") } else { venv.join("bin").join(name) }
}

fn step(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|cause| format!("start {name}: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}
