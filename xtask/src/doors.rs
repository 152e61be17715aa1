//! The scenarios of `tests/cases` through every door, each in a process of its own, compared with what Rust gives; without a
//! network, where that can be had.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{c_door, ci, paths, python};

/// `cargo xtask doors`: wants the doors as `cargo xtask c`, `python` and `node` leave them.
pub(crate) fn run() -> Result<(), String> {
    ci::cargo(&["build", "--quiet", "--workspace", "--bins"])?;
    let (tests, table) = (paths::root().join("tests"), paths::root().join("tests/cases/table.json"));
    let (python, node) = (python::interpreter(), paths::root().join("bindings/node/dist/index.js"));
    for (built, command) in [(&python, "python"), (&node, "node")] {
        if !built.exists() {
            return Err(format!("{} is not there: run `cargo xtask {command}` first", built.display()));
        }
    }
    let named = |name: &str, program: &std::path::Path| format!("{name}={}", program.display());
    let mut cases = without_network(paths::root().join("target/debug/stele-cases"));
    cases.arg(named("c", &c_door::program(&tests.join("doors/door.c"))?));
    cases.args(["--", &named("python", &python)]).arg(tests.join("doors/door.py")).arg(&table);
    cases.args(["--", "node=node"]).arg(tests.join("doors/door.mjs")).arg(&table).arg(&node);
    let status = cases.status().map_err(|cause| format!("start stele-cases: {cause}"))?;
    if status.success() { Ok(()) } else { Err("a door does not give what Rust gives".to_owned()) }
}

/// A command in a network of its own, which leads nowhere; in the common one where a user may not make any.
fn without_network(program: PathBuf) -> Command {
    let may = Command::new("unshare").args(["-rn", "true"]).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !may {
        println!("unshare -rn does not work here, so the doors are run with the network that there is");
        return Command::new(program);
    }
    let mut command = Command::new("unshare");
    command.arg("-rn").arg(program);
    command
}
