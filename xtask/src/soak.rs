//! Runs `stele-soak`, built for speed.

use std::process::Command;

/// Runs it for so many seconds.
pub(crate) fn run(seconds: &str) -> Result<(), String> {
    let program = ["run", "--release", "--quiet", "--package", "stele-tests", "--bin", "stele-soak", "--", seconds];
    let done = Command::new("cargo").args(program).status().map_err(|cause| format!("start cargo: {cause}"))?;
    if done.success() { Ok(()) } else { Err("something was missed".to_owned()) }
}
