//! Starts what kills writers and hosts, built with the record's fail points, which nothing else is.

use crate::ci::cargo;

/// Kills writers; see `tests/src/bin/stele-kills`.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let program = ["run", "--quiet", "--package", "stele-tests", "--features", "fail-points", "--bin", "stele-kills", "--"];
    cargo(&[&program[..], arguments].concat())
}

/// Kills hosts while a turn of a session is stored; see `tests/tests/turns_killed.rs`.
pub(crate) fn turns() -> Result<(), String> {
    let package = ["test", "--quiet", "--package", "stele-tests", "--features", "fail-points", "--test", "turns_killed"];
    cargo(&[&package[..], &["while_a_turn_is_stored"]].concat())
}
