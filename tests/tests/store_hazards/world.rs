//! A small record, everything that can be asked of it, and what its files hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use stele_core::{Category, Format, NeighbourOptions, RecallOptions, Record, Relation, RetrieveOptions, Retriever, SearchMode, SearchOptions};

/// Records a small world: facts, a document, a task, a retirement, a contradiction, risks on the path.
pub(crate) fn settle(record: &Record) {
    let recorder = record.recorder("tester").expect("a recorder");
    let titles = ["barometer", "limiter", "lighthouse", "session store", "retry queue", "token cache"];
    for (nth, title) in titles.iter().cycle().take(24).enumerate() {
        let category = [Category::Decision, Category::Risk, Category::Lesson, Category::Fyi][nth % 4];
        recorder
            .fact(category, format!("The {title} number {nth}"))
            .body(format!("It is about the {title} in `module_{nth}.rs` and KNOW-{}.", nth / 2 + 1))
            .record()
            .expect("a fact");
    }
    recorder
        .document("Handbook of the lighthouse", "# Lamp\n\nThe lamp turns twice a minute.\n\n# Barometer\n\nRead the barometer at noon.")
        .record()
        .expect("a document");
    recorder.task("Repair the barometer").record().expect("a task");
    recorder.supersede("KNOW-7", "KNOW-1").reason("the old one broke").evidence("The barometer number 6").record().expect("a retirement");
    recorder.contradicts("KNOW-13", "KNOW-7", "both cannot hang there").expect("an edge");
    recorder.link_because("KNOW-2", Relation::CausedBy, "KNOW-7", "it fell", "").expect("an edge");
    recorder.archive("KNOW-19", "sold").expect("put away");
}

pub(crate) const QUESTIONS: [&str; 8] = [
    "where does the barometer hang and when is it read?",
    "module_7.rs",
    "what went wrong with the limiter in front of the session store?",
    "KNOW-1",
    "how often does the lamp turn in a minute",
    "the retry queue number 10",
    "which token is kept in the cache of the lighthouse keeper",
    "nothing of the sort exists here at all, quark soup",
];

/// Everything that the questions are answered with, byte for byte.
pub(crate) fn answers(record: &Record) -> String {
    answers_to(&QUESTIONS, record)
}

/// What some questions are answered with, byte for byte.
pub(crate) fn answers_to(questions: &[&str], record: &Record) -> String {
    answers_of(questions, &record.retriever())
}

/// The same by one reader, of the present or of an earlier moment.
pub(crate) fn answers_of(questions: &[&str], retriever: &Retriever) -> String {
    let mut out = String::new();
    for question in questions {
        for mode in SearchMode::ALL {
            let hits = retriever.search(question, &SearchOptions::new().mode(*mode).limit(50)).expect("hits");
            for hit in hits {
                writeln!(out, "{mode} {} {:08x} {:?} {:?} {}", hit.id, hit.score.to_bits(), hit.text_rank, hit.semantic_rank, hit.snippet).expect("a string");
            }
        }
        let window = retriever.retrieve(question, &RetrieveOptions::new()).expect("a window");
        writeln!(out, "{:?}\n{:?}\n{:?}\n{}", window.entries, window.callouts, window.gaps, window.render(Format::Text)).expect("a string");
        out.push_str(&retriever.recall(question, &RecallOptions::new()).expect("a briefing").render(Format::Text));
    }
    out
}

/// Brings the indexes up to the head. A process that another test starts holds inherited locks until it runs its own
/// program, so it may take a few attempts.
pub(crate) fn caught_up(record: &Record) {
    let done = (0..10_000).any(|_| record.catch_up().expect("caught up"));
    assert!(done);
}

/// Calls everything that a host can call for reading; what fails is given back.
pub(crate) fn read_everything(record: &Record) -> Vec<stele_core::Error> {
    let mut errors = Vec::new();
    let retriever = record.retriever();
    let mut keep = |error: Option<stele_core::Error>| errors.extend(error);
    keep(record.head().err());
    keep(record.head_hash().err());
    keep(record.verify_log().err());
    keep(record.health().err());
    for question in QUESTIONS {
        for mode in SearchMode::ALL {
            keep(retriever.search(question, &SearchOptions::new().mode(*mode)).err());
        }
        keep(retriever.retrieve(question, &RetrieveOptions::new().session("s").deliver()).err());
        keep(retriever.recall(question, &RecallOptions::new()).err());
    }
    for id in (1..=26).map(|number| format!("KNOW-{number}")) {
        keep(retriever.get(&id).err());
        keep(retriever.neighbours(&id, &NeighbourOptions::new()).err());
        keep(retriever.history(&id).err());
        keep(retriever.why(&id).err());
    }
    keep(retriever.conflicts(None).err());
    keep(record.retriever_as_of(stele_core::AsOf::Sequence(5)).search("barometer", &SearchOptions::new()).err());
    errors
}

/// Every file under a folder with its bytes.
pub(crate) fn bytes_of(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.map(|entry| entry.expect("an entry")) {
            if entry.file_type().expect("a type").is_dir() {
                open.push(entry.path());
            } else {
                found.insert(entry.path(), fs::read(entry.path()).expect("a file"));
            }
        }
    }
    found
}

/// The bytes that no reader may change.
pub(crate) fn kept_bytes(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = bytes_of(&dir.join("text"));
    found.extend(bytes_of(&dir.join("vectors")));
    for name in ["record.db", "record.db-wal", "index.lock", ".gitignore"] {
        if let Ok(bytes) = fs::read(dir.join(name)) {
            found.insert(dir.join(name), bytes);
        }
    }
    // An empty one says no more than none.
    found.retain(|path, bytes| !path.ends_with("record.db-wal") || !bytes.is_empty());
    found
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for (path, bytes) in bytes_of(from) {
        let target = to.join(path.strip_prefix(from).expect("below"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::write(target, bytes).expect("a file");
    }
}

/// Takes the write-ahead log into the record's file, as another tool would.
pub(crate) fn checkpoint(dir: &Path) {
    let conn = rusqlite::Connection::open(dir.join("record.db")).expect("the record's file");
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).expect("a checkpoint");
    drop(conn);
    for name in ["record.db-wal", "record.db-shm"] {
        let _ = fs::remove_file(dir.join(name));
    }
}

/// Numbers that look random and are the same on every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
