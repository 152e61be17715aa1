//! Moments of a session beside a retrieval: a prompt with delivery, rules and a tail; an edit and an output among a
//! hundred thousand anchored facts and lessons with literal triggers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use stele_bench::{corpus, prompts};
use stele_core::{AssembleOptions, Category, Draft, ImportOptions, Record, RetrieveOptions, Session};

/// A copy of a kept corpus that a bench may write to.
fn copy_of(facts: usize) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            let target = to.join(entry.file_name());
            if entry.path().is_dir() { copy(&entry.path(), &target) } else { std::fs::copy(entry.path(), target).map(drop).expect("a copy") }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    copy(&corpus(facts), &folder.path().join(".stele"));
    folder
}

/// `on_prompt` with delivery, 300 rules and a tail of 200 operations, beside the retrieval it holds.
fn prompt(c: &mut Criterion) {
    let prompts = prompts(50);
    for facts in [1_000, 10_000] {
        let folder = copy_of(facts);
        let record = Record::open(folder.path().join(".stele")).expect("a record");
        let recorder = record.recorder("bench").expect("a recorder");
        for number in 0..300 {
            let rule =
                Draft::rule(format!("Rule {number} of the bench"), format!("Do the thing of rule {number} before the other thing")).routing(
                    |rule| match number % 30 {
                        0 => rule.mandatory = true,
                        1 => rule.always_on = true,
                        _ => rule.keywords = vec![format!("keyword{number}"), "migrate".to_owned()],
                    },
                );
            recorder.add(rule).expect("a rule");
        }
        while !record.catch_up().expect("the indexes are brought up") {}
        for number in 0..200 {
            recorder.fact(Category::Fyi, format!("Tail note {number} on the release")).record().expect("a fact");
        }
        let mut group = c.benchmark_group(format!("moments {facts}"));
        group.sample_size(40);
        let mut turn = prompts.iter().cycle();
        let retriever = record.retriever();
        group.bench_function("retrieve", |b| b.iter(|| retriever.retrieve(turn.next().expect("no end"), &RetrieveOptions::new()).expect("a window")));
        let mut turn = prompts.iter().cycle();
        let session = record.session("bench").open().expect("a session");
        group.bench_function("on_prompt", |b| {
            b.iter_batched(
                || session.compacted().expect("noted"),
                |()| session.on_prompt(turn.next().expect("no end"), &AssembleOptions::new()).expect("a context"),
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

/// A record of lessons, each with a literal of its own and anchored to a file, indexed once and kept.
fn lessons(count: usize) -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpora").join(format!("lessons-{count}"));
    let done = dir.join("done");
    if !done.exists() {
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a folder");
        let file = dir.join("lessons.jsonl");
        let mut text = String::new();
        for number in 0..count {
            let (category, folder, glob) = (if number % 10 == 0 { "risk" } else { "lesson" }, number % 997, if number % 20 == 0 { "*.rs" } else { "mod.rs" });
            let _ = writeln!(
                text,
                r#"{{"type":"node","kind":"knowledge","category":"{category}","title":"Lesson {number} of the deploy","body":"It prints `error: cannot take lock {number} of store {folder}` and E{:05}X in src/part{folder}/{number}/mod.rs; see retryBudget{number}.","anchors":[{{"path":"src/part{folder}/{number}/{glob}"}}]}}"#,
                number % 50_000
            );
        }
        std::fs::write(&file, text).expect("a written corpus");
        let record = Record::options().without_embedder().open(dir.join(".stele")).expect("a new record");
        let report = record.import_jsonl(&file, "bench", ImportOptions::new()).expect("an import");
        assert!(report.applied, "the corpus is imported");
        record.close();
        std::fs::write(&done, "").expect("a mark");
    }
    dir.join(".stele")
}

/// What a tool prints: so many bytes of lines, one of which holds a literal.
fn output(bytes: usize, literal: &str) -> String {
    let mut text = String::with_capacity(bytes + 200);
    let mut number: u64 = 1;
    while text.len() < bytes {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let _ = writeln!(text, "   Compiling crate-{} v{}.{} (registry path-{:x})", number % 5_000, number % 7, number % 31, number >> 40);
        if text.len() < bytes / 2 && text.len() + 80 >= bytes / 2 {
            let _ = writeln!(text, "{literal}");
        }
    }
    text
}

fn cues(c: &mut Criterion) {
    for count in [1_000, 100_000] {
        let record = Record::options().without_embedder().create(false).open(lessons(count)).expect("a record");
        let session: Session = record.session("bench").open().expect("a session");
        let literal = "error: cannot take lock 777 of store 777";
        assert_eq!(session.on_output(literal).expect("a moment").entries.len(), 1);
        let mut group = c.benchmark_group(format!("lessons {count}"));
        group.sample_size(30);
        group.bench_function("on_edit", |b| b.iter(|| session.on_edit("src/part777/777/mod.rs", None).expect("a moment")));
        for bytes in [4 << 10, 64 << 10, 10 << 20] {
            let text = output(bytes, literal);
            group.bench_function(format!("on_output {bytes} bytes"), |b| b.iter(|| session.on_output(&text).expect("a moment")));
        }
        group.finish();
    }
}

criterion_group!(benches, prompt, cues);
criterion_main!(benches);
