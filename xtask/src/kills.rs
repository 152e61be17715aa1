//! Starts the program that kills writers, built with the record's fail points, which nothing else is.

use crate::ci::cargo;

/// Kills writers; see `tests/src/bin/stele-kills`.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let program = ["run", "--quiet", "--package", "stele-tests", "--features", "fail-points", "--bin", "stele-kills", "--"];
    cargo(&[&program[..], arguments].concat())
}
