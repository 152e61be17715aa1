//! Brings the indexes up to the head of the log, under a lock that only those wait for who make them anew.
//!
//! Safe to stop anywhere: what is not committed is as if it had not begun, and the next catch-up starts from the
//! sequence that the index itself carries.

use std::fs::{OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::embedding::{Asking, vectors_of};
use super::indexes::{Indexes, with_ordinals};
use super::text::{TextIndex, TextWriter, Unit};
use super::vectors::{VectorIndex, VectorWriter};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::file_lock::FileLock;
use crate::base::time::{Deadline, Timestamp, pause};
use crate::record::database::{io, make_private, refuse_symlink};
use crate::record::reader::Snapshot;
use crate::record::writer::keep_vectors;

/// The file whose lock says who may write the indexes.
const LOCK_FILE: &str = "index.lock";
/// Between two attempts to have it.
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// From how many changed nodes on text and vectors are written side by side.
pub(super) const SIDE_BY_SIDE: u64 = 2_000;
/// How many texts a host's embedder gets at a time.
const BATCH: usize = 64;
/// About how many bytes of text a node brings, for sizing memory.
const NODE_BYTES: u64 = 2_000;

/// Where indexes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Where they are read.
    Own,
    /// Beside those that are read, until these take their place.
    Beside,
}

/// What the names of folders end with that stand beside those of the indexes while these are made anew: of what is being
/// made, and of what made way for it.
const BESIDE: [&str; 2] = ["new", "old"];

/// How a catch-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaughtUp {
    /// The indexes cover the head that was seen.
    Done(u64),
    /// Another process or thread is at it.
    Elsewhere,
    /// It was asked to stop.
    Stopped,
}

impl Indexes {
    /// Brings text and vectors up to the head, unless somebody else is at it or `stop` is set. One whose tail is not
    /// longer than `beyond` operations is left as it is, so that one that cannot be written costs the other nothing.
    ///
    /// # Errors
    /// `storage`, `disk_full` and their like; the record is untouched, searching goes on with the tail.
    pub(crate) fn catch_up(&self, stop: &AtomicBool, beyond: u64) -> Result<CaughtUp> {
        // Nothing is written where another folder stands in the record's place.
        self.database.check_place()?;
        let Some(_lock) = self.lock()? else { return Ok(CaughtUp::Elsewhere) };
        let _writing = self.at_work.begin();
        // What cannot be taken away now is met again by the next one.
        let _ = self.clear_beside();
        let done = self.run(stop, beyond, Place::Own);
        self.note(|notes| notes.catch_up = done.as_ref().err().map(ToString::to_string));
        done
    }

    /// Makes text and vectors anew from the record. Those that are there are read until then, and stay where it fails. Vectors
    /// that an embedder does not give are no failure: their texts are searched directly until it does.
    ///
    /// # Errors
    /// `busy` if somebody else, or a catch-up of this handle, is at them until the deadline; else as [`Self::catch_up`].
    pub(crate) fn rebuild(&self, deadline: Deadline) -> Result<()> {
        self.rebuild_with(Asking::Kept, deadline)
    }

    /// As [`Self::rebuild`]; the embedder is asked again for every vector.
    ///
    /// # Errors
    /// As [`Self::rebuild`].
    pub(crate) fn reembed(&self, deadline: Deadline) -> Result<()> {
        self.rebuild_with(Asking::Host, deadline)
    }

    fn rebuild_with(&self, asking: Asking, deadline: Deadline) -> Result<()> {
        self.database.check_place()?;
        let _lock = loop {
            match self.lock()? {
                Some(lock) => break lock,
                None if deadline.expired() => return Err(Error::new(Code::Busy, "make the indexes anew: they are being written")),
                None => pause(LOCK_PAUSE),
            }
        };
        if let (Asking::Host, Some(embedder)) = (asking, &self.embedder) {
            self.database.forget_vectors(embedder.name(), i64::MAX)?;
        }
        self.clear_beside()?;
        // On a full disk what was made so far must not stay in the way.
        self.run(&AtomicBool::new(false), 0, Place::Beside).inspect_err(|_| drop(self.clear_beside()))?;
        for dir in [self.text_dir(), self.vector_dir()] {
            refuse_symlink(&dir)?;
            let [made, gone] = BESIDE.map(|end| dir.with_extension(end));
            rename(&dir, &gone)?;
            fail_point!(IndexCleared);
            rename(&made, &dir)?;
            fail_point!(IndexPlaced);
            clear(&gone)?;
        }
        Ok(())
    }

    /// Takes away what a process left that was killed while it made the indexes anew.
    fn clear_beside(&self) -> Result<()> {
        [self.text_dir(), self.vector_dir()].iter().flat_map(|dir| BESIDE.map(|end| dir.with_extension(end))).try_for_each(|dir| clear(&dir))
    }

    fn lock(&self) -> Result<Option<FileLock>> {
        let path = self.database.dir().join(LOCK_FILE);
        refuse_symlink(&path)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&path).map_err(|cause| io(&path, "open", cause))?;
        match FileLock::alone(file) {
            Ok(lock) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(io(&path, "lock", cause)),
        }
    }

    fn run(&self, stop: &AtomicBool, beyond: u64, place: Place) -> Result<CaughtUp> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?;
        let covered = if place == Place::Own { self.covered_of(&snapshot)? } else { 0 };
        let ahead = snapshot.head().saturating_sub(covered);
        drop(snapshot);
        if ahead >= SIDE_BY_SIDE && self.embedder.is_some() {
            return std::thread::scope(|scope| {
                let other = std::thread::Builder::new().name("stele-vectors".to_owned()).spawn_scoped(scope, || self.catch_up_vectors(stop, beyond, place));
                let text = self.catch_up_text(stop, beyond, place);
                let vectors = match other {
                    Ok(other) => other.join().unwrap_or_else(|_| Err(Error::new(Code::Internal, "write the vector index: it panicked"))),
                    // Where the system gives no thread, this one does both.
                    Err(_) => self.catch_up_vectors(stop, beyond, place),
                };
                Ok(text?.and(vectors?))
            });
        }
        // What keeps one of them from being written does not keep the other.
        let (text, vectors) = (self.catch_up_text(stop, beyond, place), self.catch_up_vectors(stop, beyond, place));
        Ok(text?.and(vectors?))
    }

    fn catch_up_text(&self, stop: &AtomicBool, beyond: u64, place: Place) -> Result<CaughtUp> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?;
        let head = snapshot.head();
        let known = if place == Place::Own { self.sequences(&snapshot)?.0 } else { 0 };
        if head.saturating_sub(known) <= beyond {
            return Ok(CaughtUp::Done(head));
        }
        let dir = place.of(self.text_dir());
        refuse_symlink(&dir)?;
        make_private(&dir)?;
        let open = || TextWriter::open_or_create(&dir, self.database.record(), head.saturating_sub(known) * NODE_BYTES);
        let mut writer = open()?;
        if !is_history(&snapshot, writer.sequence(), writer.history())? {
            writer.close()?;
            discard(&dir.join(TextIndex::LIST))?;
            writer = open()?;
        }
        writer.set_history(snapshot.history_at(head)?.unwrap_or_default());
        fail_point!(TextBegun);
        for (number, _) in snapshot.changed_numbers(writer.sequence())? {
            if stop.load(Ordering::Relaxed) {
                return Ok(CaughtUp::Stopped);
            }
            let units = snapshot.units(number)?;
            let units: Vec<Unit<'_>> = units.iter().map(|unit| Unit { number, ordinal: unit.ordinal, title: &unit.title, body: &unit.body }).collect();
            writer.replace(number, &units)?;
            fail_point!(TextWritten);
        }
        writer.commit(head)?;
        writer.close()?;
        fail_point!(TextMerged);
        Ok(CaughtUp::Done(head))
    }

    fn catch_up_vectors(&self, stop: &AtomicBool, beyond: u64, place: Place) -> Result<CaughtUp> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?;
        let head = snapshot.head();
        let Some(embedder) = &self.embedder else { return Ok(CaughtUp::Done(head)) };
        let known = if place == Place::Own { self.sequences(&snapshot)?.1 } else { 0 };
        if head.saturating_sub(known) <= beyond {
            return Ok(CaughtUp::Done(head));
        }
        let dir = place.of(self.vector_dir());
        let open = || VectorWriter::open_or_create(&dir, self.database.record(), embedder.name(), embedder.dimensions());
        let mut writer = open()?;
        if !is_history(&snapshot, writer.sequence(), writer.history())? {
            discard(&dir.join(VectorIndex::LIST))?;
            writer = open()?;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(reason) = writer.verify_unseen(&mut seen) {
            // Opening reads headers only. Here damage is found once a handle, without any reader waiting for it.
            self.note(|notes| notes.vectors = Some(reason));
            discard(&dir.join(VectorIndex::LIST))?;
            writer = open()?;
        }
        writer.set_history(snapshot.history_at(head)?.unwrap_or_default());
        let kept_up_to = snapshot.last_vector(embedder.name())?;
        let changed = snapshot.changed_numbers(writer.sequence())?;
        for batch in changed.chunks(BATCH) {
            if stop.load(Ordering::Relaxed) {
                return Ok(CaughtUp::Stopped);
            }
            let mut all = Vec::new();
            let mut counts = Vec::new();
            for (number, _) in batch {
                let units = snapshot.units(*number)?;
                counts.push((*number, units.len()));
                all.extend(units);
            }
            let found = vectors_of(&snapshot, embedder, &all, Asking::Host)?;
            if let Some(fault) = found.fault {
                // What the embedder could not do now stays in the tail and is asked for again.
                self.note(|notes| notes.embedder = Some(fault));
                return Ok(CaughtUp::Stopped);
            }
            if !embedder.cheap() && !self.database.read_only() {
                keep_vectors(&self.database, embedder.name(), &found.made)?;
            }
            let mut at = 0;
            for (number, count) in counts {
                writer.replace(number, &with_ordinals(&all[at..at + count], &found.of_units[at..at + count]))?;
                at += count;
            }
        }
        writer.commit(head)?;
        *seen = writer.checksums();
        self.note(|notes| (notes.embedder, notes.vectors) = (None, None));
        // A cheap embedder's vectors are kept only until a segment has them.
        if embedder.cheap() && kept_up_to > 0 {
            self.database.forget_vectors(embedder.name(), kept_up_to)?;
        }
        Ok(CaughtUp::Done(head))
    }
}

impl Place {
    /// Where the index is written that is read in a folder.
    fn of(self, dir: PathBuf) -> PathBuf {
        match self {
            Self::Own => dir,
            Self::Beside => dir.with_extension(BESIDE[0]),
        }
    }
}

/// Gives a folder another name, if it is there.
fn rename(from: &Path, to: &Path) -> Result<()> {
    match std::fs::rename(from, to) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(io(from, "put aside", cause)),
        _ => Ok(()),
    }
}

/// Takes away what has the name of a folder, with all that is in it, if it is there.
fn clear(dir: &Path) -> Result<()> {
    let is_folder = std::fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir());
    match if is_folder { std::fs::remove_dir_all(dir) } else { std::fs::remove_file(dir) } {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(io(dir, "clear", cause)),
        _ => Ok(()),
    }
}

/// True if an index that covers the log up to a sequence was made from this history of it.
fn is_history(snapshot: &Snapshot, sequence: u64, history: &str) -> Result<bool> {
    Ok(sequence == 0 || snapshot.history_at(sequence)?.is_some_and(|known| known == history))
}

/// Takes away the file that makes an index one, so that the next writer begins afresh.
fn discard(list: &Path) -> Result<()> {
    match std::fs::remove_file(list) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(io(list, "begin anew", cause)),
        _ => {}
    }
    fail_point!(ListDiscarded);
    Ok(())
}

impl CaughtUp {
    /// The less complete of two endings.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Done(a), Self::Done(b)) => Self::Done(a.min(b)),
            (Self::Done(_), unfinished) | (unfinished, _) => unfinished,
        }
    }
}
