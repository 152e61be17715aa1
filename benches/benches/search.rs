//! Warm searches by words, by meaning and by both, by size of the record.

use criterion::{Criterion, criterion_group, criterion_main};
use stele_bench::{corpus, prompts};
use stele_core::{Record, SearchMode, SearchOptions};

fn searches(c: &mut Criterion) {
    let prompts = prompts(50);
    for facts in [1_000, 10_000, 100_000] {
        let record = Record::options().create(false).open(corpus(facts)).expect("a record");
        let retriever = record.retriever();
        let mut group = c.benchmark_group(facts.to_string());
        group.sample_size(50);
        for mode in [SearchMode::Text, SearchMode::Semantic, SearchMode::Hybrid] {
            let options = SearchOptions::new().mode(mode);
            let mut turn = prompts.iter().cycle();
            group.bench_function(format!("search {mode}"), |b| b.iter(|| retriever.search(turn.next().expect("a cycle has no end"), &options).expect("hits")));
        }
        group.finish();
    }
}

criterion_group!(benches, searches);
criterion_main!(benches);
