//! Counted work of retrievals over a small seeded record: what a test holds to, since no timer can be trusted there.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stele_core::{Clock, ImportOptions, RecallOptions, Record, RetrieveOptions, Stats, Timestamp};

use crate::{prompts, write_lines};

const FACTS: usize = 1_500;
const PROMPTS: usize = 8;
/// No machine is so slow.
const UNBOUNDED: Duration = Duration::from_secs(86_400);

/// A clock that stands, so that no order depends on how fast the record was built.
struct Standing;

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_767_225_600_000)
    }
}

/// The work of some retrievals, a line each: from the indexes, and from a record that has none.
///
/// # Panics
/// If the record cannot be built or read.
#[must_use]
pub fn counted() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    let file = folder.path().join("facts.jsonl");
    write_lines(FACTS, &file).expect("a written corpus");
    let record = Record::options().clock(Arc::new(Standing)).open(&dir).expect("a new record");
    assert!(record.import_jsonl(&file, "bench", ImportOptions::new().partial()).expect("an import").applied, "the corpus is imported");
    crate::index(&record);
    let mut out = format!("{FACTS} facts; `cargo run -p stele-bench --bin work > benches/tests/work.txt` writes this anew\n");
    tell("indexed", &dir, &mut out);
    for index in ["text", "vectors"] {
        std::fs::remove_dir_all(dir.join(index)).expect("an index to take away");
    }
    tell("not indexed", &dir, &mut out);
    out
}

fn tell(how: &str, dir: &Path, out: &mut String) {
    let record = Record::options().create(false).read_only(true).clock(Arc::new(Standing)).open(dir).expect("a record");
    let retriever = record.retriever();
    let mut line = |what: &str, stats: Stats| {
        let Stats { tail, postings, vectors, nodes, edges, texts, embedded, .. } = stats;
        let _ = writeln!(
            out,
            "{how}, {what}: tail {tail}, postings {postings}, vectors {vectors}, nodes {nodes}, edges {edges}, texts {texts}, embedded {embedded}"
        );
    };
    for (nth, prompt) in (1..).zip(prompts(PROMPTS)) {
        for hops in [1, 2] {
            let found = retriever.retrieve(&prompt, &RetrieveOptions::new().hops(hops).deadline(UNBOUNDED)).expect("a window");
            line(&format!("prompt {nth}, {hops} hops"), found.stats);
        }
    }
    let question = &prompts(1)[0];
    line("recall", retriever.recall(question, &RecallOptions::new().deadline(UNBOUNDED)).expect("a briefing").stats);
}
