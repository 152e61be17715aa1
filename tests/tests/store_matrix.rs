//! Every file of a record in every wrong condition, before it is opened and under an open handle: the right answers or a
//! typed error, and nothing that was acknowledged is lost. The cases are made from what stands in the folder.
//!
//! Outside the promise: a file that somebody cuts or overwrites in place while a handle has it open.

#[allow(dead_code, reason = "shared with tests that use more of it")]
#[path = "store_hazards/world.rs"]
mod world;

use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use stele_core::{Category, Durability, Error, ErrorKind, Record, RetrieveOptions, SearchOptions};
use stele_tests::TestRecord;

use crate::world::{QUESTIONS, bytes_of, caught_up, copy, settle};

/// The number of the last node of the world and the fact after it.
const LAST_NUMBER: u64 = 27;

/// What happens to a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Emptied,
    Halved,
    Zeroed,
    /// Another record's file of the same sort stands there.
    Foreign,
    Removed,
    /// Moved away, with a link to where it is now.
    Linked,
    /// A link to nowhere.
    Dangling,
    /// A folder stands in place of the file, a file in place of the folder.
    WrongSort,
}

const HARMS: [Harm; 8] = [Harm::Emptied, Harm::Halved, Harm::Zeroed, Harm::Foreign, Harm::Removed, Harm::Linked, Harm::Dangling, Harm::WrongSort];

/// Harmed under an open handle or before, opened for reading only or not.
const ALL_MODES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// A record with indexes, sessions and a write-ahead log, as a closed handle leaves it.
struct Whole {
    test: TestRecord,
    answers: String,
    head: u64,
}

impl Whole {
    fn new(title: &str) -> Self {
        let test = TestRecord::with(|options| options.durability(Durability::Normal));
        settle(&test.record);
        caught_up(&test.record);
        test.fact(Category::Decision, title, "The barometer hangs in the hall.");
        test.record.retriever().retrieve(QUESTIONS[0], &session()).expect("a window");
        let (answers, head) = (answers(&test.record).expect("answers"), test.record.head().expect("a head"));
        test.record.close();
        Self { test, answers, head }
    }

    /// Every file and folder, by its path from the record's folder.
    fn places(&self) -> Vec<PathBuf> {
        let dir = self.test.dir();
        let mut places: Vec<PathBuf> = bytes_of(&dir).into_keys().map(|path| path.strip_prefix(&dir).expect("below").to_owned()).collect();
        places.extend(["text".into(), "vectors".into()]);
        places
    }

    fn open(&self, dir: &Path, read_only: bool) -> Result<Record, Error> {
        Record::options().create(false).read_only(read_only).durability(Durability::Normal).clock(self.test.clock.clone()).open(dir)
    }
}

fn session() -> RetrieveOptions {
    RetrieveOptions::new().session("s").deliver()
}

/// What two questions are answered with, byte for byte.
fn answers(record: &Record) -> Result<String, Error> {
    let mut out = String::new();
    for question in [QUESTIONS[0], QUESTIONS[5]] {
        for hit in record.retriever().search(question, &SearchOptions::new().limit(40))? {
            out.push_str(&format!("{} {:08x} {}\n", hit.id, hit.score.to_bits(), hit.snippet));
        }
        out.push_str(&record.retriever().retrieve(question, &RetrieveOptions::new())?.render(stele_core::Format::Text));
    }
    Ok(out)
}

/// Does the harm by putting something else in place; nothing that is open is written to.
fn harm(place: &Path, foreign: &Path, aside: &Path, harm: Harm) {
    let is_folder = place.is_dir();
    let old = if is_folder { Vec::new() } else { fs::read(place).expect("a file") };
    fs::rename(place, aside).expect("moved away");
    let put = |bytes: &[u8]| if is_folder { fs::create_dir(place).expect("a folder") } else { fs::write(place, bytes).expect("a file") };
    match harm {
        Harm::Emptied => put(&[]),
        Harm::Halved if is_folder => {
            copy(aside, place);
            let doomed: Vec<PathBuf> = bytes_of(place).into_keys().step_by(2).collect();
            doomed.iter().for_each(|path| fs::remove_file(path).expect("there"));
        }
        Harm::Zeroed if is_folder => {
            copy(aside, place);
            for (path, bytes) in bytes_of(place) {
                fs::write(path, vec![0; bytes.len()]).expect("a file");
            }
        }
        Harm::Halved => put(&old[..old.len() / 2]),
        Harm::Zeroed => put(&vec![0; old.len()]),
        Harm::Foreign if is_folder => copy(foreign, place),
        Harm::Foreign => put(&fs::read(foreign).expect("a file")),
        Harm::Removed => {}
        Harm::Linked => symlink(aside, place).expect("a link"),
        Harm::Dangling => symlink(aside.with_extension("nowhere"), place).expect("a link"),
        Harm::WrongSort if is_folder => fs::write(place, "a file").expect("a file"),
        Harm::WrongSort => fs::create_dir(place).expect("a folder"),
    }
}

/// The file of another record that is of the same sort: of that name, or of that ending.
fn counterpart(dir: &Path, place: &Path) -> PathBuf {
    let same = dir.join(place);
    if same.exists() {
        return same;
    }
    let alike = |path: &PathBuf| path.extension() == place.extension() && path.parent() == same.parent();
    bytes_of(dir).into_keys().find(alike).expect("a file of that sort")
}

fn is_log(place: &Path) -> bool {
    matches!(place.to_str(), Some("record.db" | "record.db-wal"))
}

/// True for what SQLite itself keeps: there a typed error is an answer too.
fn may_fail(place: &Path) -> bool {
    is_log(place) || place.ends_with("record.db-shm")
}

fn check_error(error: &Error, what: &str) {
    let known = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound | ErrorKind::Io | ErrorKind::Incompatible);
    assert!(known, "{what}: {error:?}");
    let message = error.to_string();
    assert!(!["delet", "remov", " rm ", "erase"].iter().any(|word| message.contains(word)), "{what}: {message}");
}

/// What holds of a handle whatever was done: it answers right or says why it cannot, and writes into the right record.
fn check(whole: &Whole, record: &Record, place: &Path, what: &str) {
    let right = |when: &str| match answers(record) {
        Ok(found) => assert!(found == whole.answers, "{what}: other answers {when}"),
        Err(error) => {
            check_error(&error, what);
            assert!(may_fail(place), "{what}: {error:?}");
        }
    };
    // The log of writes is part of the record: what it held is missing, and health says so.
    if place.ends_with("record.db-wal") && record.head().is_ok_and(|head| head < whole.head) {
        let head = record.verify_log().expect("a whole chain");
        let health = record.health().expect("health");
        assert!(health.findings.iter().any(|finding| finding.check == "log_shortened"), "{what}: {head} operations: {health:?}");
        return;
    }
    right("at first");
    if record.read_only() {
        return;
    }
    for outcome in [record.catch_up().map(drop), record.health().map(drop), record.health_full().map(drop)] {
        outcome.unwrap_or_else(|error| check_error(&error, what));
    }
    right("after catching up");
    let written = record.recorder("tester").and_then(|recorder| recorder.fact(Category::Fyi, "Zorvex afterwards").record());
    let found = written.and_then(|recorded| {
        assert_eq!(recorded.id.number, LAST_NUMBER + 1, "{what}");
        assert_eq!(record.verify_log()?, whole.head + 1, "{what}");
        let hits = record.retriever().search("zorvex", &SearchOptions::new())?;
        assert_eq!(hits.first().map(|hit| hit.id), Some(recorded.id), "{what}");
        record.retriever().retrieve(QUESTIONS[0], &session()).map(drop)
    });
    if let Err(error) = found {
        check_error(&error, what);
        assert!(may_fail(place), "{what}: {error:?}");
    }
}

fn run(whole: &Whole, other: &Whole, place: &Path, kind: Harm, under_handle: bool, read_only: bool) {
    let what = format!("{} {kind:?}, under a handle: {under_handle}, read-only: {read_only}", place.display());
    let folder = tempfile::tempdir().expect("a folder");
    let (dir, aside) = (folder.path().join(".stele"), folder.path().join("aside"));
    copy(&whole.test.dir(), &dir);
    let open = under_handle.then(|| {
        let record = whole.open(&dir, read_only).expect("opens");
        assert!(answers(&record).expect("answers") == whole.answers);
        record
    });
    harm(&dir.join(place), &counterpart(&other.test.dir(), place), &aside, kind);
    match open.map_or_else(|| whole.open(&dir, read_only), Ok) {
        Ok(record) => {
            check(whole, &record, place, &what);
            record.close();
        }
        Err(error) => {
            check_error(&error, &what);
            assert!(may_fail(place), "{what}: {error:?}");
        }
    }
    // Put back, the file that was moved away holds all that was acknowledged before.
    if is_log(place) {
        let _ = fs::remove_file(dir.join(place)).or_else(|_| fs::remove_dir_all(dir.join(place)));
        fs::rename(&aside, dir.join(place)).expect("put back");
        let record = whole.open(&dir, false).unwrap_or_else(|error| panic!("{what}, put back: {error:?}"));
        let head = record.verify_log().expect("a whole chain");
        assert!(head >= whole.head, "{what}, put back");
        assert!(head > whole.head || answers(&record).expect("answers") == whole.answers, "{what}, put back: other answers");
    }
}

#[test]
fn no_file_in_any_condition_changes_an_answer_or_loses_an_operation() {
    let (whole, other) = (Whole::new("The barometer hangs"), Whole::new("The lamp is lit"));
    let mut failed = Vec::new();
    let mut cases = 0;
    for place in whole.places() {
        for kind in HARMS {
            let modes: &[(bool, bool)] = if may_fail(&place) { &ALL_MODES } else { &ALL_MODES[..3] };
            for &(under_handle, read_only) in modes {
                cases += 1;
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(&whole, &other, &place, kind, under_handle, read_only))) {
                    let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                    failed.push(format!("{} {kind:?} {under_handle} {read_only}: {said}", place.display()));
                }
            }
        }
    }
    assert!(cases > 450, "{cases}");
    assert!(failed.is_empty(), "{} of {cases} cases fail:\n{}", failed.len(), failed.join("\n"));
}
