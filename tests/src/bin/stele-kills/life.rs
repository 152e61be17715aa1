//! A record that lives through several kills, and all that was ever acknowledged to those who wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use stele_core::Record;

/// What a record was when it was first written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// There was none.
    None,
    /// One of the oldest format that is kept.
    Older,
    /// One that was restored, so that its indexes are ahead of it.
    Restored,
}

/// A record between kills.
pub(crate) struct Life {
    folder: tempfile::TempDir,
    pub(crate) origin: Origin,
    pub(crate) kills: u64,
    pub(crate) migrated: bool,
    /// The token in the title of each fact, by id.
    pub(crate) facts: BTreeMap<String, String>,
    /// The word in the body of revised facts, by id.
    pub(crate) revised: BTreeMap<String, String>,
    /// Who retired whom.
    pub(crate) retired: BTreeMap<String, String>,
    /// The token of each fact that was to be purged, by id, and those that were.
    pub(crate) hidden: BTreeMap<String, String>,
    pub(crate) purged: Vec<String>,
    pub(crate) batches: Vec<String>,
    /// The sessions that may have had a prompt.
    pub(crate) sessions: BTreeSet<String>,
    pub(crate) imports: Vec<String>,
}

impl Life {
    /// A record of that origin.
    pub(crate) fn begin(origin: Origin) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join(".stele");
        match origin {
            Origin::None => {}
            Origin::Older => copy(&older().join("record"), &dir),
            Origin::Restored => restored(&dir),
        }
        Self {
            folder,
            origin,
            kills: 0,
            migrated: origin != Origin::Older,
            facts: BTreeMap::new(),
            revised: BTreeMap::new(),
            retired: BTreeMap::new(),
            hidden: BTreeMap::new(),
            purged: Vec::new(),
            batches: Vec::new(),
            sessions: BTreeSet::new(),
            imports: Vec::new(),
        }
    }

    /// The folder of the record.
    pub(crate) fn dir(&self) -> PathBuf {
        self.outside().join(".stele")
    }

    /// The folder around it.
    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder when the life ends, to be looked at.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// Notes what a writer said was acknowledged. A last line that was cut off says nothing.
    pub(crate) fn hear(&mut self, said: &str) {
        let whole = said.rfind('\n').map_or("", |end| &said[..end]);
        for line in whole.lines() {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                ["opened"] | ["migrated"] => self.migrated = true,
                ["fact", id, token] => drop(self.facts.insert((*id).to_owned(), (*token).to_owned())),
                ["revised", id, word] => drop(self.revised.insert((*id).to_owned(), (*word).to_owned())),
                ["retired", older, newer] => drop(self.retired.insert((*older).to_owned(), (*newer).to_owned())),
                ["hidden", id, token] => drop(self.hidden.insert((*id).to_owned(), (*token).to_owned())),
                ["purged", id] => self.purged.push((*id).to_owned()),
                ["session", name] => drop(self.sessions.insert((*name).to_owned())),
                ["batch", token] => self.batches.push((*token).to_owned()),
                ["imported", token] => self.imports.push((*token).to_owned()),
                other => panic!("nothing is known of {other:?}"),
            }
        }
    }
}

/// What is kept of the oldest format.
pub(crate) fn older() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1")
}

/// Makes a record, takes a copy of it, lets it and its indexes go on, and puts the copy back.
fn restored(dir: &Path) {
    let record = Record::open(dir).expect("a record");
    let recorder = record.recorder("restorer").expect("a recorder");
    let write = |from: u64, to: u64| {
        for nth in from..to {
            recorder.fact(stele_core::Category::Fyi, format!("Thermometer {nth}")).record().expect("a fact");
        }
        while !record.catch_up().expect("the indexes follow") {}
    };
    write(0, 5);
    let file = dir.join("record.db");
    checkpoint(&file);
    let kept = fs::read(&file).expect("the record's file");
    write(5, 9);
    record.close();
    checkpoint(&file);
    fs::write(&file, kept).expect("the copy");
}

/// Takes the write-ahead log into a record's file, as another tool would.
pub(crate) fn checkpoint(file: &Path) {
    let conn = rusqlite::Connection::open(file).expect("the record's file");
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).expect("a checkpoint");
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
