//! Warm reads: a whole retrieval, its rendering, a search, by size of the record.

use criterion::{Criterion, criterion_group, criterion_main};
use stele_bench::{corpus, prompts};
use stele_core::{Format, Record, RetrieveOptions, SearchMode, SearchOptions};

fn reads(c: &mut Criterion) {
    let prompts = prompts(50);
    for facts in [1_000, 10_000, 100_000] {
        let record = Record::options().create(false).open(corpus(facts)).expect("a record");
        let retriever = record.retriever();
        let mut turn = prompts.iter().cycle();
        let mut next = move || turn.next().expect("a cycle has no end");
        let mut group = c.benchmark_group(facts.to_string());
        group.sample_size(50);
        group.bench_function("retrieve", |b| b.iter(|| retriever.retrieve(next(), &RetrieveOptions::new()).expect("a window")));
        let window = retriever.retrieve(&prompts[0], &RetrieveOptions::new()).expect("a window");
        group.bench_function("render", |b| b.iter(|| window.render(Format::Text)));
        for mode in [SearchMode::Text, SearchMode::Semantic, SearchMode::Hybrid] {
            let options = SearchOptions::new().mode(mode);
            let mut turn = prompts.iter().cycle();
            group.bench_function(format!("search {mode}"), |b| b.iter(|| retriever.search(turn.next().expect("a cycle has no end"), &options).expect("hits")));
        }
        group.finish();
    }
}

criterion_group!(benches, reads);
criterion_main!(benches);
