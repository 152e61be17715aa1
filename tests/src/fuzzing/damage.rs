//! A record whose files are cut, overwritten, swapped or gone: never a panic, and either the right facts or a typed error.
//!
//! What is derived (indexes, sessions, locks) may be in any condition without a changed answer. The log itself may fail,
//! but only with an error that says so; a damaged write-ahead log leaves a prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use stele_core::{Category, Clock, Durability, ErrorKind, Format, NeighbourOptions, RecallOptions, Record, RetrieveOptions, SearchMode, SearchOptions};

use super::bytes::Bytes;
use crate::{TestClock, TestRecord};

type Files = BTreeMap<PathBuf, Vec<u8>>;

const QUESTIONS: [&str; 3] = ["where does the barometer hang and when is it read?", "the retry queue number 4", "module_2.rs"];
/// How many nodes the record holds.
const NODES: usize = 13;

/// The record that is damaged, once with its write-ahead log and once with everything in one file.
struct Whole {
    files: [Files; 2],
    answers: String,
    /// The hash of the chain after every operation.
    hashes: Vec<String>,
    titles: Vec<String>,
    clock: std::sync::Arc<TestClock>,
}

thread_local! {
    static WHOLE: Whole = Whole::new();
}

impl Whole {
    fn new() -> Self {
        let test = TestRecord::with(|options| options.durability(Durability::Normal));
        let recorder = test.recorder();
        let mut hashes = vec![test.record.head_hash().expect("a hash")];
        for nth in 0..NODES {
            let title = format!("The {} number {nth}", ["barometer", "lamp", "retry queue"][nth % 3]);
            let body = format!("It is written in `module_{nth}.rs`, see KNOW-{}.", nth / 2 + 1);
            if nth == 9 {
                recorder.document(title, "# Lamp\n\nThe lamp turns.\n\n# Barometer\n\nRead the barometer at noon.").record().expect("a document");
            } else {
                recorder.fact([Category::Decision, Category::Risk][nth % 2], title).body(body).record().expect("a fact");
            }
            hashes.push(test.record.head_hash().expect("a hash"));
        }
        recorder.supersede("KNOW-4", "KNOW-1").reason("it fell").evidence("barometer number 3").record().expect("a retirement");
        hashes.push(test.record.head_hash().expect("a hash"));
        super::settle_indexes(&test.record);
        recorder.contradicts("KNOW-2", "KNOW-4", "both").expect("an edge");
        hashes.push(test.record.head_hash().expect("a hash"));
        let titles = (1..=NODES).map(|number| test.record.retriever().get(&name(number)).expect("a node").title).collect();
        let answers = answers(&test.record).expect("answers");
        test.record.retriever().retrieve(QUESTIONS[0], &RetrieveOptions::new().session("s").deliver()).expect("a window");
        test.record.close();
        let with_log = files_of(&test.dir());
        assert!(with_log.get(Path::new("record.db-wal")).is_some_and(|log| !log.is_empty()) && with_log.len() > 8, "{:?}", with_log.keys());
        let conn = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).expect("a checkpoint");
        drop(conn);
        let mut in_one = files_of(&test.dir());
        in_one.retain(|path, _| !matches!(path.to_str(), Some("record.db-wal" | "record.db-shm")));
        Self { files: [with_log, in_one], answers, hashes, titles, clock: test.clock }
    }
}

fn name(number: usize) -> String {
    if number == 10 { "DOC-10".to_owned() } else { format!("KNOW-{number}") }
}

/// What is found, byte for byte.
fn answers(record: &Record) -> stele_core::Result<String> {
    let retriever = record.retriever();
    let mut out = String::new();
    for question in QUESTIONS {
        for mode in SearchMode::ALL {
            for hit in retriever.search(question, &SearchOptions::new().mode(*mode).limit(20))? {
                writeln!(out, "{mode} {} {:08x} {}", hit.id, hit.score.to_bits(), hit.snippet).expect("a string");
            }
        }
        out.push_str(&retriever.retrieve(question, &RetrieveOptions::new())?.render(Format::Text));
    }
    Ok(out)
}

/// Every file below a folder, by its path from there.
fn files_of(dir: &Path) -> Files {
    let mut found = Files::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let bytes = fs::read(&entry).expect("a file");
                found.insert(entry.strip_prefix(dir).expect("below").to_owned(), bytes);
            }
        }
    }
    found
}

/// Damages files as the bytes say, and gives the paths of those that are no longer what they were.
fn alter(files: &mut Files, bytes: &mut Bytes<'_>) -> BTreeSet<PathBuf> {
    let before = files.clone();
    let paths: Vec<PathBuf> = files.keys().cloned().collect();
    for _ in 0..1 + bytes.below(4) {
        let path = &paths[bytes.below(paths.len())];
        let Some(file) = files.get_mut(path) else { continue };
        let place = |bytes: &mut Bytes<'_>, length: usize| if length == 0 { 0 } else { (bytes.below(65_536) * length) >> 16 };
        let at = place(bytes, file.len());
        match bytes.below(9) {
            0 => file.truncate(at),
            1 => file.clear(),
            2 => {
                let end = (at + 1 + bytes.below(4_096)).min(file.len());
                file[at..end].fill(0);
            }
            3 => {
                let count = bytes.below(64);
                let with = bytes.take(count);
                let end = (at + with.len()).min(file.len());
                file[at..end].copy_from_slice(&with[..end - at]);
            }
            4 => {
                let mask = bytes.byte().max(1);
                file.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= mask);
            }
            5 => {
                let other = &paths[bytes.below(paths.len())];
                if let (Some(one), Some(two)) = (files.get(path).cloned(), files.get(other).cloned()) {
                    files.insert(path.clone(), two);
                    files.insert(other.clone(), one);
                }
            }
            6 => drop(files.remove(path)),
            7 => {
                let count = bytes.below(64);
                file.extend_from_slice(bytes.take(count));
            }
            _ => {
                // A page or block that was written to another place.
                let (from, length) = (place(bytes, file.len()), 512.min(file.len()));
                let (from, to) = (from.min(file.len() - length), at.min(file.len() - length));
                file.copy_within(from..from + length, to);
            }
        }
    }
    before.keys().filter(|path| before.get(*path) != files.get(*path)).cloned().collect()
}

/// The first bytes choose the record and how it is opened, the others what is damaged.
pub fn damage(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let choice = bytes.byte();
    WHOLE.with(|whole| {
        let mut files = whole.files[usize::from(choice & 1)].clone();
        let altered = alter(&mut files, &mut bytes);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dir = folder.path().join(".stele");
        for (path, bytes) in &files {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        fs::create_dir_all(&dir).expect("a folder");
        let options =
            Record::options().durability(Durability::Normal).read_only(choice & 2 != 0).clock(std::sync::Arc::clone(&whole.clock) as std::sync::Arc<dyn Clock>);
        let opened = options.open(&dir);
        let is_log = |path: &PathBuf| matches!(path.to_str(), Some("record.db" | "record.db-wal"));
        if !altered.iter().any(is_log) {
            let record = opened.unwrap_or_else(|error| panic!("{altered:?}: {error:?}"));
            derived(whole, &record, &altered);
        } else if altered.iter().filter(|path| is_log(path)).all(|path| path.ends_with("record.db-wal")) {
            // Without the log of a checkpointed record there is nothing to damage.
            match opened {
                Ok(record) => prefix(whole, &record, &altered),
                Err(error) => typed(&error, &altered),
            }
        } else {
            match opened {
                Ok(record) => anything(&record, &altered),
                Err(error) => typed(&error, &altered),
            }
        }
    });
}

fn typed(error: &stele_core::Error, altered: &BTreeSet<PathBuf>) {
    let known = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound | ErrorKind::Incompatible | ErrorKind::Conflict);
    assert!(known, "{altered:?}: {error:?}");
    let message = error.to_string();
    assert!(!["delet", "remov", " rm ", "erase"].iter().any(|word| message.contains(word)), "{message}");
}

/// Everything is as it was, now, after a write and when the indexes are made anew.
fn derived(whole: &Whole, record: &Record, altered: &BTreeSet<PathBuf>) {
    let right = |when: &str| {
        let found = answers(record).unwrap_or_else(|error| panic!("{altered:?}: {error:?}"));
        // Of the bodies of vectors only the full check reads every byte.
        let excused = || {
            altered.iter().any(|path| path.starts_with("vectors"))
                && record.health_full().expect("health").findings.iter().any(|finding| finding.check == "vector_index")
        };
        assert!(found == whole.answers || excused(), "{altered:?}: another answer {when}\n{}", difference(&whole.answers, &found));
    };
    right("once opened");
    record.health().expect("health");
    assert_eq!(record.verify_log().expect("a whole chain") as usize + 1, whole.hashes.len());
    let window = record.retriever().retrieve(QUESTIONS[0], &RetrieveOptions::new().session("s").deliver()).expect("a window");
    super::render::check(&window, &window.render(Format::Text));
    if record.read_only() {
        return;
    }
    super::settle_indexes(record);
    right("after catching up");
    let recorder = record.recorder("tester").expect("a recorder");
    let id = recorder.fact(Category::Fyi, "Zorvex after the damage").record().expect("a fact").id;
    super::settle_indexes(record);
    let hits = record.retriever().search("zorvex", &SearchOptions::new().mode(SearchMode::Text)).expect("hits");
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [id], "{altered:?}");
}

/// The lines that stand in one text only.
fn difference(wanted: &str, found: &str) -> String {
    let missing = wanted.lines().filter(|line| !found.lines().any(|other| other == *line)).map(|line| format!("- {line}\n"));
    let new = found.lines().filter(|line| !wanted.lines().any(|other| other == *line)).map(|line| format!("+ {line}\n"));
    missing.chain(new).collect()
}

/// What is left is a beginning of what there was, and can be written on.
fn prefix(whole: &Whole, record: &Record, altered: &BTreeSet<PathBuf>) {
    let head = match record.verify_log() {
        Ok(head) => head as usize,
        Err(error) => return typed(&error, altered),
    };
    assert_eq!(whole.hashes.get(head), record.head_hash().ok().as_ref(), "{altered:?}: {head} operations of another history");
    for number in 1..=NODES {
        match record.retriever().get(&name(number)) {
            Ok(node) => assert!(number <= head && node.title == whole.titles[number - 1], "{altered:?}: {node:?}"),
            Err(error) => assert!(error.kind() == ErrorKind::NotFound && number > head, "{altered:?}: {number} of {head}: {error:?}"),
        }
    }
    let hits = record.retriever().search(QUESTIONS[0], &SearchOptions::new().limit(50)).unwrap_or_else(|error| panic!("{altered:?}: {error:?}"));
    assert!(hits.iter().all(|hit| hit.id.number as usize <= head), "{altered:?}: {hits:?} of {head}");
    if !record.read_only() {
        let id = record.recorder("tester").expect("a recorder").fact(Category::Fyi, "Zorvex after the damage").record().expect("a fact").id;
        assert_eq!(id.number as usize, head.min(NODES) + 1, "{altered:?}");
        super::settle_indexes(record);
        let hits = record.retriever().search("zorvex", &SearchOptions::new().mode(SearchMode::Text)).expect("hits");
        assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [id], "{altered:?}");
    }
}

/// Calls what a host calls; whatever fails says so in a way that can be acted on.
fn anything(record: &Record, altered: &BTreeSet<PathBuf>) {
    let retriever = record.retriever();
    let mut errors = Vec::new();
    errors.extend(record.verify_log().err());
    errors.extend(record.health().err());
    errors.extend(record.health_full().err());
    errors.extend(answers(record).err());
    errors.extend(retriever.recall(QUESTIONS[0], &RecallOptions::new()).err());
    errors.extend(retriever.conflicts(None).err());
    for number in 1..=NODES {
        errors.extend(retriever.get(&name(number)).err());
        errors.extend(retriever.neighbours(&name(number), &NeighbourOptions::new()).err());
        errors.extend(retriever.history(&name(number)).err());
        errors.extend(retriever.why(&name(number)).err());
    }
    if !record.read_only() {
        let recorder = record.recorder("tester").expect("a recorder");
        errors.extend(recorder.fact(Category::Fyi, "After the damage, see KNOW-3").record().err());
        errors.extend(recorder.revise("KNOW-3", stele_core::Revision::new().title("After the damage")).err());
        errors.extend(recorder.supersede("KNOW-5", "KNOW-6").reason("it ended").unverified().record().err());
        errors.extend(recorder.archive("KNOW-7", "out of use").err());
        errors.extend(record.catch_up().err());
    }
    errors.iter().for_each(|error| typed(error, altered));
}
