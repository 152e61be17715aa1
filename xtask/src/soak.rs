//! Runs `stele-soak`, built for speed.

use std::process::Command;

/// Runs it with its arguments.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let program = ["run", "--release", "--quiet", "--package", "stele-tests", "--bin", "stele-soak", "--"];
    let done = Command::new("cargo").args(program).args(arguments).status().map_err(|cause| format!("start cargo: {cause}"))?;
    if done.success() { Ok(()) } else { Err("something was missed".to_owned()) }
}
