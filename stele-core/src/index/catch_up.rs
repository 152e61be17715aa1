//! Brings the indexes up to the head of the log, under a lock that nobody waits for.
//!
//! Safe to stop anywhere: what is not committed is as if it had not begun, and the next catch-up starts from the
//! sequence that the index itself carries.

use std::fs::{File, OpenOptions, TryLockError};
use std::sync::atomic::{AtomicBool, Ordering};

use super::embedding::{Asking, vectors_of};
use super::indexes::{Indexes, with_ordinals};
use super::text::{TextWriter, Unit};
use super::vectors::VectorWriter;
use crate::base::error::{Code, Error, Result};
use crate::base::time::{Deadline, Timestamp};
use crate::record::database::{io, refuse_symlink};
use crate::record::reader::Snapshot;
use crate::record::writer::keep_vectors;

/// The file whose lock says who may write the indexes.
const LOCK_FILE: &str = "index.lock";
/// From how many changed nodes on text and vectors are written side by side.
const SIDE_BY_SIDE: u64 = 2_000;
/// How many texts a host's embedder gets at a time.
const BATCH: usize = 64;
/// About how many bytes of text a node brings, for sizing memory.
const NODE_BYTES: u64 = 2_000;

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
    /// Brings text and vectors up to the head, unless somebody else is at it or `stop` is set.
    ///
    /// # Errors
    /// `storage`, `disk_full` and their like; the record is untouched, searching goes on with the tail.
    pub(crate) fn catch_up(&self, stop: &AtomicBool) -> Result<CaughtUp> {
        let Some(_lock) = self.lock()? else { return Ok(CaughtUp::Elsewhere) };
        let done = self.run(stop);
        self.note(|notes| notes.catch_up = done.as_ref().err().map(ToString::to_string));
        done
    }

    fn lock(&self) -> Result<Option<File>> {
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
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(io(&path, "lock", cause)),
        }
    }

    fn run(&self, stop: &AtomicBool) -> Result<CaughtUp> {
        let head = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?.head();
        let (text, vectors) = self.sequences();
        if head - text.min(vectors).min(head) >= SIDE_BY_SIDE && self.embedder.is_some() {
            return std::thread::scope(|scope| {
                let other = scope.spawn(|| self.catch_up_vectors(stop));
                let text = self.catch_up_text(stop);
                let vectors = other.join().unwrap_or_else(|_| Err(Error::new(Code::Internal, "write the vector index: it panicked")));
                Ok(text?.and(vectors?))
            });
        }
        Ok(self.catch_up_text(stop)?.and(self.catch_up_vectors(stop)?))
    }

    fn catch_up_text(&self, stop: &AtomicBool) -> Result<CaughtUp> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?;
        let head = snapshot.head();
        let known = self.sequences().0;
        if known == head {
            return Ok(CaughtUp::Done(head));
        }
        let dir = self.text_dir();
        refuse_symlink(&dir)?;
        let mut writer = TextWriter::open_or_create(&dir, self.database.record(), head.saturating_sub(known) * NODE_BYTES)?;
        let from = if writer.sequence() > head { 0 } else { writer.sequence() };
        for (number, _) in snapshot.changed_numbers(from)? {
            if stop.load(Ordering::Relaxed) {
                return Ok(CaughtUp::Stopped);
            }
            let units = snapshot.units(number)?;
            let units: Vec<Unit<'_>> = units.iter().map(|unit| Unit { number, ordinal: unit.ordinal, title: &unit.title, body: &unit.body }).collect();
            writer.replace(number, &units)?;
        }
        writer.commit(head)?;
        writer.close()?;
        Ok(CaughtUp::Done(head))
    }

    fn catch_up_vectors(&self, stop: &AtomicBool) -> Result<CaughtUp> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER)?;
        let head = snapshot.head();
        let Some(embedder) = &self.embedder else { return Ok(CaughtUp::Done(head)) };
        if self.sequences().1 == head {
            return Ok(CaughtUp::Done(head));
        }
        let mut writer = VectorWriter::open_or_create(&self.vector_dir(), self.database.record(), embedder.name(), embedder.dimensions())?;
        let from = if writer.sequence() > head { 0 } else { writer.sequence() };
        let kept_up_to = snapshot.last_vector(embedder.name())?;
        let changed = snapshot.changed_numbers(from)?;
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
        self.note(|notes| notes.embedder = None);
        // A cheap embedder's vectors are kept only until a segment has them.
        if embedder.cheap() && kept_up_to > 0 {
            self.database.forget_vectors(embedder.name(), kept_up_to)?;
        }
        Ok(CaughtUp::Done(head))
    }
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
