//! The commands of a contributor. `cargo xtask` alone lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod api_table;
mod c_door;
mod ci;
mod convert;
mod dev_sets;
mod doors;
mod errors_page;
mod header;
mod health_page;
mod judge;
mod kills;
mod metrics;
mod node;
mod paths;
mod python;
mod quality;
mod soak;
mod tokens;
mod writ;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask ci                        everything that CI checks, in its order
cargo xtask c                         build the C door and run its tests, also under sanitizers and valgrind
cargo xtask c-install PREFIX          put the library, its header and stele.pc below a folder
cargo xtask python                    build the Python door and run its tests
cargo xtask node [--types]            build the Node door and run its tests, or write bindings/node/native.d.ts
cargo xtask node --release            build its package to measure or to pack it
cargo xtask doors                     the scenarios of tests/cases through all doors that the three commands above built
cargo xtask soak [--seconds N]        eight writers and four readers at one record, and what became of waits, files and memory
cargo xtask soak --steady [--seconds N]  the same with writers that change what there is, so that it grows no more
cargo xtask errors [--check]          write docs/errors.md from the table of codes, or compare it
cargo xtask header [--check]          write include/stele.h from the exports of the C door, or compare it
cargo xtask health [--check]          write docs/health.md from the table of health checks, or compare it
cargo xtask api [--check]             write tests/cases/table.json and docs/verbs.md from the table of verbs, or compare them
cargo xtask convert SET OUT           write a development set as interchange JSON Lines (OUT may be -)
cargo xtask judge                     how well the built-in judge reads lines about a change
cargo xtask kills [--count N] [--seed S]
                                      kill N writers, at least one at each fail point, and look at the record after each
cargo xtask quality [--set SET]… [--pooled] [--negatives] [--json] [--data FOLDER]
                                      measure search and retrieval on the development sets
cargo xtask tokens                    compare the estimate of tokens with real tokenizers on the development sets (needs Node)
cargo xtask writ                      measure rules on Writ's published queries, beside its published figures
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["ci"] => ci::run(),
        ["c"] => c_door::run(),
        ["c-install", prefix] => c_door::install(prefix),
        ["python"] => python::run(),
        ["node"] => node::run(),
        ["node", "--types"] => node::write_types(),
        ["node", "--release"] => node::build("dist"),
        ["doors"] => doors::run(),
        ["soak"] => soak::run(&[]),
        ["soak", "--seconds", seconds] => soak::run(&[seconds]),
        ["soak", "--steady"] => soak::run(&["steady"]),
        ["soak", "--steady", "--seconds", seconds] => soak::run(&["steady", seconds]),
        ["errors"] => errors_page::write(),
        ["errors", "--check"] => errors_page::check(),
        ["header"] => header::write(),
        ["header", "--check"] => header::check(),
        ["health"] => health_page::write(),
        ["health", "--check"] => health_page::check(),
        ["api"] => api_table::write(),
        ["api", "--check"] => api_table::check(),
        ["judge"] => judge::run(),
        ["convert", set, out] => convert::run(set, out),
        ["kills", rest @ ..] => kills::run(rest),
        ["quality", rest @ ..] => quality::run(rest),
        ["tokens"] => tokens::run(),
        ["writ", ..] => writ::run(),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}", why.trim_end());
            ExitCode::FAILURE
        }
    }
}
