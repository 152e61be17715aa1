//! The one command that is CI: each step is a command that one can run alone.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{api_table, c_door, doors, errors_page, header, health_page, kills, node, paths, python};

/// The steps that are commands of cargo, in order: cheap ones first.
const STEPS: [(&str, &[&str]); 5] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--quiet", "--workspace", "--all-targets", "--features", "stele-tests/fail-points", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--quiet", "--workspace", "--no-deps"]),
    ("tests", &["test", "--workspace"]),
    // With the features of the whole workspace, so that nothing is built a second time.
    ("examples", &["build", "--quiet", "--workspace", "--examples"]),
];
/// The examples that are run: the samples of the README and of the page on providers, the main jobs, a story.
const EXAMPLES: [&str; 5] = ["quickstart", "session", "two_agents", "provider", "assemble"];

/// Runs every step; stops at the first that fails.
pub(crate) fn run() -> Result<(), String> {
    let began = now();
    for (name, arguments) in STEPS {
        println!("── {name}: cargo {}", arguments.join(" "));
        cargo(arguments)?;
    }
    for name in EXAMPLES {
        println!("── example {name}");
        example(name)?;
    }
    println!("── killed writers: cargo xtask kills --count 60");
    kills::run(&["--count", "60"])?;
    println!("── killed hosts: a turn that is being stored");
    kills::turns()?;
    println!("── generated pages: cargo xtask errors --check, health --check, api --check, header --check");
    errors_page::check()?;
    health_page::check()?;
    api_table::check()?;
    header::check()?;
    println!("── the C door: cargo xtask c");
    c_door::run()?;
    println!("── the Python door: cargo xtask python");
    python::run()?;
    println!("── the Node door: cargo xtask node");
    node::run()?;
    println!("── one set of scenarios: cargo xtask doors");
    doors::run()?;
    println!("── all of it passed in {} s", began.elapsed().as_secs());
    Ok(())
}

/// Runs an example that was built; the examples stand beside this program. Where a text of its name stands beside its
/// source, it must print that and nothing else.
fn example(name: &str) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|cause| format!("find this program: {cause}"))?;
    let path = own.with_file_name("examples").join(name);
    let mut command = Command::new(&path);
    command.current_dir(paths::root());
    let failed = |cause: std::io::Error| format!("start {}: {cause}", path.display());
    let wanted = paths::root().join("stele-core/examples").join(name).with_extension("txt");
    let succeeded = if wanted.exists() {
        let wanted = std::fs::read(&wanted).map_err(|cause| format!("read {}: {cause}", wanted.display()))?;
        let ran = command.stderr(Stdio::inherit()).output().map_err(failed)?;
        if ran.status.success() && ran.stdout != wanted {
            return Err(format!("example {name} tells another story than {name}.txt:\n{}", String::from_utf8_lossy(&ran.stdout)));
        }
        ran.status.success()
    } else {
        command.status().map_err(failed)?.success()
    };
    if succeeded { Ok(()) } else { Err(format!("example {name} failed")) }
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
