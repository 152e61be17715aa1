//! Prints the counted work that `tests/work.rs` compares with what is committed.
#![expect(clippy::print_stdout, reason = "a command line program talks to its user")]

fn main() {
    print!("{}", stele_bench::work::counted());
}
