//! The one command that is CI: each step is a command that one can run alone.

use std::process::Command;
use std::time::Instant;

use crate::{errors_page, paths, python};

/// The steps that are commands of cargo, in order: cheap ones first.
const STEPS: [(&str, &[&str]); 5] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("tests", &["test", "--workspace"]),
    ("the sample of the README", &["run", "--quiet", "--package", "stele-core", "--example", "quickstart"]),
    ("the main job", &["run", "--quiet", "--package", "stele-core", "--example", "session"]),
];

/// Runs every step; stops at the first that fails.
pub(crate) fn run() -> Result<(), String> {
    let began = now();
    for (name, arguments) in STEPS {
        println!("── {name}: cargo {}", arguments.join(" "));
        cargo(arguments)?;
    }
    println!("── generated pages: cargo xtask errors --check");
    errors_page::check()?;
    println!("── the Python door: cargo xtask python");
    python::run()?;
    println!("── all of it passed in {} s", began.elapsed().as_secs());
    Ok(())
}

/// Runs cargo at the root and fails if it does.
#[expect(clippy::disallowed_methods, reason = "cargo tells its subcommands in the environment which cargo they belong to")]
pub(crate) fn cargo(arguments: &[&str]) -> Result<(), String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(program).args(arguments).current_dir(paths::root()).status().map_err(|cause| format!("start cargo: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}

#[expect(clippy::disallowed_methods, reason = "a command line program may look at the clock")]
fn now() -> Instant {
    Instant::now()
}
