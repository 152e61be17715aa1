//! Whole processes: an empty one, one that opens, retrieves and ends beside the bare floor, one that adds a fact.

use std::process::Command;

use criterion::{Criterion, criterion_group, criterion_main};
use stele_bench::{copy, corpus, prompts};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cold");

fn run(arguments: &[&str]) {
    let status = Command::new(PROGRAM).args(arguments).status().expect("the program runs");
    assert!(status.success(), "{arguments:?}");
}

fn processes(c: &mut Criterion) {
    let prompts = prompts(1);
    c.bench_function("empty process", |b| b.iter(|| run(&["empty"])));
    for facts in [1_000, 10_000, 100_000] {
        let dir = corpus(facts);
        let dir = dir.to_str().expect("a path in UTF-8");
        c.bench_function(&format!("process of the bare floor of {facts}"), |b| b.iter(|| run(&["floor", dir, &prompts[0]])));
        c.bench_function(&format!("process that retrieves from {facts}"), |b| b.iter(|| run(&["retrieve", dir, &prompts[0]])));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join(".stele");
    copy(&corpus(10_000), &own);
    let own = own.to_str().expect("a path in UTF-8").to_owned();
    c.bench_function("process that adds a fact to 10000", |b| b.iter(|| run(&["add", &own])));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = processes
}
criterion_main!(benches);
