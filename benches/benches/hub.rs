//! A retrieval that walks through a node of fifty thousand edges, beside one that does not in the same record.

use criterion::{Criterion, criterion_group, criterion_main};
use stele_bench::{hub, prompts};
use stele_core::{Record, RetrieveOptions};

fn walks(c: &mut Criterion) {
    let record = Record::options().create(false).open(hub()).expect("a record");
    let retriever = record.retriever();
    let plain = &prompts(1)[0];
    let named = format!("{plain} and what does F-0 say?");
    let walked = retriever.retrieve(&named, &RetrieveOptions::new().hops(1)).expect("a window");
    assert!(walked.entries.iter().any(|entry| entry.aliases.iter().any(|alias| alias == "F-0")), "the hub is named");
    let mut group = c.benchmark_group("hub");
    group.sample_size(50);
    for hops in [1, 2] {
        let options = RetrieveOptions::new().hops(hops);
        group.bench_function(format!("retrieve, {hops} hops"), |b| b.iter(|| retriever.retrieve(plain, &options).expect("a window")));
        group.bench_function(format!("retrieve at the hub, {hops} hops"), |b| b.iter(|| retriever.retrieve(&named, &options).expect("a window")));
    }
    group.finish();
}

criterion_group!(benches, walks);
criterion_main!(benches);
