//! What the tests of stele share: a record in a folder that goes away, under a clock that the test moves, and a look at
//! the bytes of a folder.

pub mod cases;
pub mod every_kind;
pub mod fuzzing;
#[cfg(target_os = "linux")]
pub mod scarcity;
pub mod shorthand;
pub mod soak;
pub mod turn_host;
pub mod windows;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use stele_core::{Category, Clock, Record, RecordOptions, Recorder, Timestamp};

/// A clock that stands still until it is moved.
pub struct TestClock(AtomicI64);

impl TestClock {
    /// A clock at that instant.
    #[must_use]
    pub fn at(text: &str) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(Timestamp::parse(text).expect("a time").unix_ms())))
    }

    /// Moves the clock, backwards too.
    pub fn set(&self, text: &str) {
        self.0.store(Timestamp::parse(text).expect("a time").unix_ms(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.0.load(Ordering::SeqCst))
    }
}

/// A record in a temporary folder.
pub struct TestRecord {
    /// The record.
    pub record: Record,
    /// Its clock, which begins at 2026-01-01.
    pub clock: Arc<TestClock>,
    folder: tempfile::TempDir,
}

impl TestRecord {
    /// A new, empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::with(|options| options)
    }

    /// A new, empty record opened with other options.
    #[must_use]
    pub fn with(set: impl FnOnce(RecordOptions) -> RecordOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = TestClock::at("2026-01-01");
        let options = Record::options().clock(Arc::clone(&clock) as Arc<dyn Clock>);
        let record = set(options).open(folder.path().join(".stele")).expect("a new record");
        Self { record, clock, folder }
    }

    /// The folder of the record.
    #[must_use]
    pub fn dir(&self) -> PathBuf {
        self.folder.path().join(".stele")
    }

    /// The folder around the record's.
    #[must_use]
    pub fn outside(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// A recorder for the actor `tester`.
    #[must_use]
    pub fn recorder(&self) -> Recorder<'static> {
        self.record.recorder("tester").expect("a recorder")
    }

    /// Records a fact and gives its id.
    pub fn fact(&self, category: Category, title: &str, body: &str) -> String {
        self.recorder().fact(category, title).body(body).record().expect("a fact").id.to_string()
    }

    /// Opens the same record once more, as another process would.
    #[must_use]
    pub fn again(&self) -> Record {
        Record::options().clock(Arc::clone(&self.clock) as Arc<dyn Clock>).open(self.dir()).expect("the record opens again")
    }
}

/// Waits a moment, for what another thread does.
#[expect(clippy::disallowed_methods, reason = "a test that waits for a thread")]
pub fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(1));
}

impl Default for TestRecord {
    fn default() -> Self {
        Self::new()
    }
}

/// Files of a folder that hold one of the words, in any case.
///
/// # Panics
/// If one cannot be read.
#[must_use]
pub fn holding(dir: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, words));
            continue;
        }
        let bytes = std::fs::read(&path).expect("a file").to_ascii_lowercase();
        for word in words {
            let word = word.to_ascii_lowercase();
            if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
                found.push(format!("{} holds {word}", path.display()));
            }
        }
    }
    found
}
