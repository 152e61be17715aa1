//! Warm reads: a whole retrieval beside the bare floor, and its rendering, by size of the record.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use stele_bench::floor::{Floor, Terms};
use stele_bench::{corpus, prompts};
use stele_core::{AsOf, Format, Record, RetrieveOptions};

fn reads(c: &mut Criterion) {
    let prompts = prompts(50);
    for facts in [1_000, 10_000, 100_000] {
        let dir = corpus(facts);
        let record = Record::options().create(false).open(&dir).expect("a record");
        let retriever = record.retriever();
        let floor = Floor::open(&dir);
        let mut group = c.benchmark_group(facts.to_string());
        group.sample_size(50);
        let mut turn = prompts.iter().cycle();
        let mut next = move || turn.next().expect("a cycle has no end");
        group.bench_function("bare floor", |b| b.iter(|| floor.look_up(next(), Terms::Telling)));
        group.bench_function("bare floor, frequent terms too", |b| b.iter(|| floor.look_up(next(), Terms::All)));
        group.bench_function("retrieve", |b| b.iter(|| retriever.retrieve(next(), &RetrieveOptions::new()).expect("a window")));
        let before = AsOf::Sequence(record.head().expect("a head") - 1);
        let open = || Record::options().create(false).read_only(true).open(&dir).expect("a record");
        let ask = |record: Record| drop(record.retriever_as_of(before).retrieve(&prompts[0], &RetrieveOptions::new()).expect("a window"));
        group.bench_function("first of a handle, as of the operation before the last", |b| b.iter_batched(open, ask, BatchSize::PerIteration));
        let window = retriever.retrieve(&prompts[0], &RetrieveOptions::new()).expect("a window");
        group.bench_function("render", |b| b.iter(|| window.render(Format::Text)));
        group.finish();
    }
}

criterion_group!(benches, reads);
criterion_main!(benches);
