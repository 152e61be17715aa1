//! Writing: open, one fact, a catch-up, a replay, an import.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stele_bench::{copy, corpus, write_lines};
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
    catch_ups(c);
    replays(c);
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

/// A catch-up after one fact and after a thousand, in a record of 10,000 facts that is indexed.
fn catch_ups(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join(".stele");
    copy(&corpus(10_000), &own);
    let record = Record::options().durability(Durability::Normal).open(&own).expect("a record");
    let recorder = record.recorder("bench").expect("a recorder");
    let mut group = c.benchmark_group("catch-up in 10000");
    group.sample_size(20);
    let mut number = 0_u64;
    for facts in [1, 1_000] {
        group.bench_function(format!("of {facts}"), |b| {
            b.iter_batched(
                || {
                    // What was recorded by the handle's own thread would not be measured here.
                    while !record.catch_up().expect("a catch-up") {}
                    recorder
                        .transaction(|within| {
                            for _ in 0..facts {
                                number += 1;
                                within
                                    .fact(Category::Fyi, format!("late fact number {number}"))
                                    .body("what the gateway does when the queue is full")
                                    .record()?;
                            }
                            Ok(())
                        })
                        .expect("facts");
                },
                |()| record.catch_up().expect("a catch-up"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// Every operation of a log of some 10,000 applied to empty views, and the views compared with the record's.
fn replays(c: &mut Criterion) {
    let record = Record::options().create(false).open(corpus(3_312)).expect("a record");
    let operations = record.head().expect("a head");
    let mut group = c.benchmark_group("replay");
    group.sample_size(20).throughput(Throughput::Elements(operations));
    group.bench_function(operations.to_string(), |b| b.iter(|| record.verify_views().expect("the same views")));
    group.finish();
}

criterion_group!(benches, writes);
criterion_main!(benches);
