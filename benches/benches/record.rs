//! Writing: open, one fact, an import, a catch-up.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stele_bench::{corpus, write_lines};
use stele_core::{Category, Durability, ImportOptions, Record};

fn writes(c: &mut Criterion) {
    let dir = corpus(10_000);
    c.bench_function("open", |b| b.iter(|| Record::options().create(false).open(&dir).expect("a record")));
    for durability in [Durability::Full, Durability::Normal] {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Record::options().durability(durability).open(folder.path().join(".stele")).expect("a record");
        let recorder = record.recorder("bench").expect("a recorder");
        let mut number = 0_u64;
        c.bench_function(&format!("fact, durability {durability}"), |b| {
            b.iter(|| {
                number += 1;
                recorder.fact(Category::Fyi, format!("fact number {number}")).body("what the gateway does when the queue is full").record().expect("a fact")
            });
        });
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = c.benchmark_group("import");
    group.sample_size(10);
    for facts in [10_000, 100_000] {
        let file = folder.path().join(format!("{facts}.jsonl"));
        write_lines(facts, &file).expect("a written corpus");
        group.throughput(Throughput::Elements(facts as u64));
        group.bench_function(facts.to_string(), |b| {
            b.iter_batched(
                || tempfile::tempdir().expect("a folder"),
                |target| {
                    let record = Record::open(target.path().join(".stele")).expect("a record");
                    let report = record.import_jsonl(&file, "bench", ImportOptions::new().partial()).expect("an import");
                    assert!(report.applied);
                    target
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, writes);
criterion_main!(benches);
