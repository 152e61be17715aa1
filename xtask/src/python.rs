//! The Python door: builds its module into a virtual environment of its own and runs its tests there, and installs its wheel
//! into an empty one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::paths;

/// What the environment holds beside the module, each with the program that shows it is there.
const TOOLS: [(&str, &str); 5] =
    [("maturin>=1.9,<2", "maturin"), ("pytest>=8", "pytest"), ("mypy>=1.11", "stubtest"), ("pyright[nodejs]>=1.1.390", "pyright"), ("mcp>=2", "mcp")];
/// What the installed wheel must be able to do in an empty environment.
const PROBE: &str = "import stele, stele.aio, tempfile
with tempfile.TemporaryDirectory() as folder, stele.open(folder + '/.stele') as record:
    record.recorder(actor='ana').fact('fyi', 'The wheel works')
    assert [hit.title for hit in record.retriever().search('wheel')] == ['The wheel works']";

/// Makes the environment under `target/venv` if it is not there, builds the module in the dev profile, compares the stubs
/// with it, checks the types of the package and its samples, runs the tests; then installs a wheel.
pub(crate) fn run() -> Result<(), String> {
    let venv = paths::root().join("target").join("venv");
    if TOOLS.iter().any(|(_, program)| !tool(&venv, program).exists()) {
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        step(pip(&venv).args(TOOLS.map(|(package, _)| package)))?;
    }
    let door = paths::root().join("bindings").join("python");
    step(Command::new(tool(&venv, "maturin")).args(["develop", "--quiet"]).env("VIRTUAL_ENV", &venv).current_dir(&door))?;
    // They leave a cache where they run. That the stub names all there is is a test of its own.
    step(Command::new(tool(&venv, "stubtest")).args(["--ignore-missing-stub", "stele"]).current_dir(&venv))?;
    step(Command::new(tool(&venv, "mypy")).arg("--strict").arg(door.join("examples")).current_dir(&venv))?;
    step(Command::new(tool(&venv, "pyright")).arg("--pythonpath").arg(tool(&venv, "python")).arg("--project").arg(&door))?;
    step(Command::new(tool(&venv, "python")).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(&door))?;
    wheel(&venv, &door)
}

/// Builds a wheel and installs it into an environment that holds nothing else.
fn wheel(venv: &Path, door: &Path) -> Result<(), String> {
    let place = paths::root().join("target").join("wheel");
    // What an earlier run left would be installed instead.
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|cause| format!("empty {}: {cause}", place.display()))?;
    }
    step(Command::new(tool(venv, "maturin")).args(["build", "--quiet", "--profile", "dev", "--out"]).arg(&place).current_dir(door))?;
    let clean = place.join("venv");
    step(Command::new("python3").args(["-m", "venv"]).arg(&clean))?;
    step(pip(&clean).args(["--no-index", "--find-links"]).arg(&place).arg("stele"))?;
    step(Command::new(tool(&clean, "python")).args(["-I", "-c", PROBE]).current_dir(&place))
}

/// The interpreter of the environment that [`run`] makes.
pub(crate) fn interpreter() -> PathBuf {
    tool(&paths::root().join("target").join("venv"), "python")
}

fn pip(venv: &Path) -> Command {
    let mut pip = Command::new(tool(venv, "python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

fn tool(venv: &Path, name: &str) -> PathBuf {
    if cfg!(windows) { venv.join("Scripts").join(name).with_extension("exe") } else { venv.join("bin").join(name) }
}

fn step(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|cause| format!("start {name}: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}
