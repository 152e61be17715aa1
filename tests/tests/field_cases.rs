//! Cases from the field that belong to no single part: another embedder, no network, the same bytes everywhere.

use std::process::Command;
use std::sync::Arc;
use std::thread;

use stele_core::{Category, Embedder, Format, Record, Relation, RetrieveOptions, SearchMode, SearchOptions, Timestamp};
use stele_tests::TestRecord;

const PROMPT: &str = "what did we decide about where the rate limiter sits in front of auth?";

/// A record in which a prompt finds seeds, neighbours, a risk on the path and a retired fact.
fn world() -> TestRecord {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for number in 0..40 {
        test.fact(Category::Fyi, &format!("The rate of harbour dues, part {number}"), "Boats pay by length and by night.");
    }
    let old = test.fact(Category::Decision, "Rate limiter sits behind auth", "It sits behind auth since the start.");
    let new = test.fact(Category::Decision, "Rate limiter sits in front of auth", "Behind auth it let unauthenticated traffic through; it sits in front now.");
    let risk = test.fact(Category::Risk, "Middleware order is load-bearing", "Changing it has broken production once.");
    recorder.supersede(&new, &old).reason("the outage ended it").evidence("it sits in front now").record().expect("a retirement");
    recorder.link_because(&new, Relation::CausedBy, &risk, "the order was found to matter", "").expect("an edge");
    test
}

struct Host(usize);

impl Embedder for Host {
    fn name(&self) -> &str {
        "host"
    }

    fn dimensions(&self) -> usize {
        self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(texts.iter().map(|text| (0..self.0).map(|at| text.bytes().skip(at).step_by(self.0).map(f32::from).sum::<f32>() + 1.0).collect()).collect())
    }
}

#[test]
fn another_embedder_finds_by_words_at_once_and_by_meaning_after_a_catch_up() {
    let test = TestRecord::with(|options| options.embedder(Arc::new(Host(384))));
    let id = test.fact(Category::Lesson, "Compiler says TS2769: No overload", "Pass the generic argument.");
    while !test.record.catch_up().expect("caught up") {}
    assert!(test.record.health().expect("a look").ok());
    test.record.close();

    let record = Record::open(test.dir()).expect("opens with the built-in embedder");
    let first = |mode| record.retriever().search("TS2769 overload", &SearchOptions::new().mode(mode)).expect("hits").first().map(|hit| hit.id.to_string());
    assert_eq!(first(SearchMode::Text), Some(id.clone()));
    let health = record.health().expect("a look");
    assert!(health.findings.iter().any(|finding| finding.check == "embedder_mismatch" && finding.message.contains("host")), "{health:?}");
    while !record.catch_up().expect("caught up") {}
    assert_eq!(first(SearchMode::Semantic), Some(id));
    assert!(record.health().expect("a look").ok());
}

#[test]
fn everything_works_where_there_is_no_network() {
    let test = world();
    let dir = test.dir();
    let arguments = ["-rn", env!("CARGO_BIN_EXE_stele-worker"), "window", dir.to_str().expect("a path in UTF-8"), PROMPT];
    let cut_off = Command::new("unshare").args(arguments).output();
    // Where a user may not make a network of its own, the same program says the same with the one that there is.
    let output = match cut_off {
        Ok(output) if output.status.success() => output,
        _ => Command::new(arguments[1]).args(&arguments[2..]).output().expect("the program runs"),
    };
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("Rate limiter sits in front of auth"));
    let sockets = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    assert_eq!(sockets.filter(|target| target.to_string_lossy().starts_with("socket:")).count(), 0);
}

#[test]
fn processes_and_threads_give_the_same_bytes_however_far_the_indexes_have_come() {
    let test = world();
    let now = Timestamp::parse("2026-02-01").expect("a time");
    let window = || {
        let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().now(now)).expect("a window");
        format!("{}{}\n", found.render(Format::Text), found.render(Format::Json))
    };
    let expected = window();
    assert!(expected.contains("RISK on your path") && expected.contains("[retired]"), "{expected}");
    for round in 0..2 {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| (0..12).map(|_| window()).collect::<Vec<_>>())).collect();
            for said in threads.into_iter().flat_map(|thread| thread.join().expect("no panic")) {
                assert_eq!(said, expected, "round {round}");
            }
        });
        for _ in 0..4 {
            let output = Command::new(env!("CARGO_BIN_EXE_stele-worker")).args(["window", test.dir().to_str().expect("a path in UTF-8"), PROMPT]).output();
            assert_eq!(String::from_utf8_lossy(&output.expect("the program runs").stdout), expected, "round {round}");
        }
        while !test.record.catch_up().expect("caught up") {}
    }
}
