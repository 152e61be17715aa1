//! An assembly beside its parts: with 0, 5 and 50 providers that answer at once, with one that hangs, and the whole call on a
//! record of ten thousand facts with 300 rules and 50 skills beside the retrieval alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use stele_bench::{corpus, prompts};
use stele_core::{AssembleOptions, Declaration, Draft, MethodologyOptions, Provider, Record, RetrieveOptions, RulesOptions, TurnPolicy, provider};

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

/// 300 rules: ten of them mandatory, ten always on, the others called by words.
fn add_rules(record: &Record) {
    let recorder = record.recorder("bench").expect("a recorder");
    for number in 0..300 {
        let rule = Draft::rule(format!("Rule {number} of the bench"), format!("Do the thing of rule {number} before the other thing")).routing(|rule| {
            match number % 30 {
                0 => rule.mandatory = true,
                1 => rule.always_on = true,
                _ => rule.keywords = vec![format!("keyword{number}"), "migrate".to_owned()],
            }
        });
        recorder.add(rule).expect("a rule");
    }
    while !record.catch_up().expect("the indexes are brought up") {}
}

/// A project with 50 skills.
fn add_skills(root: &Path) -> PathBuf {
    for number in 0..50 {
        let folder = root.join(format!(".agents/skills/skill-{number}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut text = format!("---\nname: skill-{number}\ndescription: Does the thing number {number} of the bench, and says when it is of use.\n---\n");
        for line in 0..60 {
            let _ = writeln!(text, "{line}. Take the part {line} of skill {number} and put it where it belongs.");
        }
        std::fs::write(folder.join("SKILL.md"), text).expect("a skill");
    }
    root.to_owned()
}

/// Providers that answer at once.
fn instant(count: usize) -> Vec<Arc<dyn Provider>> {
    let declaration = |nth| Declaration::new(format!("instant {nth}")).turns(TurnPolicy::All);
    (0..count).map(|nth| provider(declaration(nth), move |_| Ok(format!("What provider {nth} has to say.").as_str().into()))).collect()
}

fn with(options: AssembleOptions, providers: Vec<Arc<dyn Provider>>) -> AssembleOptions {
    providers.into_iter().fold(options, AssembleOptions::provider)
}

/// What an assembly costs beside its parts: a record without facts, so that only the call itself is left.
fn overhead(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().without_embedder().open(folder.path().join(".stele")).expect("a record");
    let mut group = c.benchmark_group("assemble");
    for count in [0, 5, 50] {
        let options = with(AssembleOptions::new().builtin(false), instant(count));
        group.bench_function(format!("{count} instant providers"), |b| b.iter(|| record.assemble("x", &options).expect("a context")));
    }
    // It costs its 20 ms once; from then on it is still running and not asked.
    let hangs = provider(Declaration::new("hangs").timeout(Duration::from_millis(20)), |_| {
        loop {
            std::thread::park();
        }
    });
    let options = with(AssembleOptions::new().builtin(false).provider(hangs), instant(5));
    group.bench_function("5 instant providers and one that hangs", |b| b.iter(|| record.assemble("x", &options).expect("a context")));
    group.finish();
}

/// The whole call beside the retrieval, and beside the sum of its parts.
fn whole(c: &mut Criterion) {
    let folder = copy_of(10_000);
    let record = Record::open(folder.path().join(".stele")).expect("a record");
    add_rules(&record);
    let root = add_skills(folder.path());
    let prompts = prompts(50);
    let retriever = record.retriever();
    let mut group = c.benchmark_group("assemble 10000");
    group.sample_size(40);
    let mut turn = prompts.iter().cycle();
    group.bench_function("retrieve", |b| b.iter(|| retriever.retrieve(turn.next().expect("no end"), &RetrieveOptions::new()).expect("a window")));
    let mut turn = prompts.iter().cycle();
    group.bench_function("rules", |b| {
        b.iter(|| retriever.rules(&RulesOptions::new().text(turn.next().expect("no end").as_str())).expect("obligations"));
    });
    let mut turn = prompts.iter().cycle();
    group.bench_function("methodology", |b| {
        b.iter(|| retriever.methodology(&MethodologyOptions::new("work").text(turn.next().expect("no end").as_str())).expect("methodology"));
    });
    for (name, options) in [
        ("assemble without skills", AssembleOptions::new()),
        ("assemble", AssembleOptions::new().root(&root)),
        ("assemble for a session", AssembleOptions::new().root(&root).session("bench")),
    ] {
        let mut turn = prompts.iter().cycle();
        group.bench_function(name, |b| b.iter(|| record.assemble(turn.next().expect("no end"), &options).expect("a context")));
    }
    group.finish();
}

criterion_group!(benches, overhead, whole);
criterion_main!(benches);
