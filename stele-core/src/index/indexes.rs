//! The indexes of one open record: opened when they are there, left out when they are not fit, and always
//! completed by the tail of what changed since.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::at_work::AtWork;
use super::embed::CheckedEmbedder;
use super::embedding::{Asking, embedded_text, text_hash, vectors_of};
use super::past::PastsHeld;
use super::tails::TailsHeld;
use super::text::{Statistics, Tail, TextIndex, Unit};
use super::vectors::{VectorIndex, VectorTail};
use super::view::View;
use crate::base::error::{Code, Error, Result};
use crate::base::leaving::Leaving;
use crate::base::node_set::NodeSet;
use crate::base::time::{Deadline, Timestamp};
use crate::record::apply::UnitText;
use crate::record::database::Database;
use crate::record::log::Head;
use crate::record::reader::{AsOf, Snapshot};
use crate::record::recorder::Compared;

/// The folder of the text index.
const TEXT_FOLDER: &str = "text";
/// The folder of the vector index.
const VECTOR_FOLDER: &str = "vectors";
/// The most near facts that a comparison gives.
const NEAR: usize = 8;
/// How long a comparison waits for an index that was lost to be searched directly, so that no write waits for that.
const NEAR_WAIT: Duration = Duration::from_millis(500);

/// The indexes of one open record.
pub(crate) struct Indexes {
    pub(super) database: Arc<Database>,
    pub(super) embedder: Option<Arc<CheckedEmbedder>>,
    loaded: Mutex<Loaded>,
    pub(super) tails: TailsHeld,
    pub(super) at_work: AtWork,
    /// Indexes that others took the place of, and tails of such.
    pub(super) leaving: Leaving,
    pub(super) pasts: PastsHeld,
    notes: Mutex<Notes>,
    /// The checksums of segments of vectors that this handle has read whole, or written.
    pub(super) seen: Mutex<HashSet<String>>,
}

/// The indexes that there are.
type Found = (Option<Arc<TextIndex>>, Option<Arc<VectorIndex>>);

#[derive(Default)]
struct Loaded {
    text: Option<Arc<TextIndex>>,
    /// A text index that failed while it was searched; not opened again until another takes its place.
    failed: Option<Arc<TextIndex>>,
    vectors: Option<Arc<VectorIndex>>,
    /// True once the handle is closed: nothing is opened any more.
    closed: bool,
}

/// What was found wrong with the indexes since the record was opened; for the health check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    /// Why the text index was not used.
    pub(crate) text: Option<String>,
    /// Why the vector index was not used.
    pub(crate) vectors: Option<String>,
    /// What the embedder did wrong last.
    pub(crate) embedder: Option<String>,
    /// Why the last catch-up failed.
    pub(crate) catch_up: Option<String>,
    /// How far an index had followed a log that is shorter than that now.
    pub(crate) ahead: Option<u64>,
}

/// Why indexes that open cannot be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flaws {
    pub(crate) text: Option<String>,
    pub(crate) vectors: Option<String>,
}

impl Indexes {
    /// The indexes of a record; nothing is opened yet.
    pub(crate) fn new(database: Arc<Database>, embedder: Option<Arc<CheckedEmbedder>>) -> Self {
        Self {
            database,
            embedder,
            loaded: Mutex::default(),
            tails: TailsHeld::default(),
            at_work: AtWork::default(),
            leaving: Leaving::default(),
            pasts: PastsHeld::default(),
            notes: Mutex::default(),
            seen: Mutex::default(),
        }
    }

    /// Lets go of files and of all that was put into memory, waiting at most so long for what is at it; nothing is opened any
    /// more. Whoever keeps a handle that was closed keeps none of these.
    pub(crate) fn close(&self, wait: Duration) {
        let loaded = std::mem::replace(&mut *self.loaded.lock().unwrap_or_else(PoisonError::into_inner), Loaded { closed: true, ..Loaded::default() });
        drop(loaded);
        self.tails.let_go();
        self.pasts.let_go();
        self.leaving.end(wait);
    }

    /// The folder of the text index.
    pub(crate) fn text_dir(&self) -> PathBuf {
        self.database.dir().join(TEXT_FOLDER)
    }

    /// The folder of the vector index.
    pub(crate) fn vector_dir(&self) -> PathBuf {
        self.database.dir().join(VECTOR_FOLDER)
    }

    /// What was found wrong since the record was opened.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, set: impl FnOnce(&mut Notes)) {
        set(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Drops an index that failed while it was searched; the tail answers until it is rebuilt.
    pub(crate) fn drop_text(&self, why: &str) {
        self.note(|notes| notes.text = Some(why.to_owned()));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.failed = loaded.text.take();
    }

    /// The record and its search as of one moment.
    ///
    /// The indexes are opened before the snapshot begins, so that they never know more than it. Where they are written while
    /// their tail is read, it begins again with these: a read beside the first catch-up is complete once that ends.
    pub(crate) fn look(&self, as_of: Option<AsOf>, now: Timestamp, deadline: Deadline) -> Result<(Snapshot, View)> {
        loop {
            let found = self.refresh();
            let snapshot = Snapshot::open(&self.database, as_of, now, deadline)?;
            let (text, vectors) = self.of_log(&snapshot, found)?;
            if snapshot.is_past() {
                let view = self.past_view(&snapshot, text, vectors, deadline)?;
                return Ok((snapshot, view));
            }
            if let Some(view) = self.view(&snapshot, text, vectors, deadline)? {
                return Ok((snapshot, view));
            }
        }
    }

    /// The sequence up to which every index that the record has covers the log now.
    pub(crate) fn covered(&self) -> u64 {
        self.least(&self.refresh())
    }

    /// The sequences that the text and the vector index cover now, of whatever log.
    pub(super) fn now_covered(&self) -> (u64, u64) {
        sequences(&self.refresh())
    }

    /// The same for the log of a snapshot, since whose beginning nobody wrote the indexes.
    pub(super) fn covered_of(&self, snapshot: &Snapshot) -> Result<u64> {
        Ok(self.least(&self.of_log(snapshot, self.refresh())?))
    }

    fn least(&self, found: &Found) -> u64 {
        let (text, vectors) = sequences(found);
        if self.embedder.is_some() { text.min(vectors) } else { text }
    }

    /// That the vectors of the record are another embedder's, in words: those of the index, or where there is none,
    /// those that are kept for it.
    pub(crate) fn vectors_of_another(&self, snapshot: &Snapshot) -> Result<Option<String>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        if self.refresh().1.is_some() {
            return Ok(None);
        }
        if let Some(why) = self.notes().vectors.filter(|why| VectorIndex::is_of_another(why)) {
            return Ok(Some(format!("the vector index is not used: {why}")));
        }
        let kept = snapshot.other_embedder(embedder.name())?;
        Ok(kept.map(|other| format!("embedder: the vectors that are kept were made by {other}, not by {}", embedder.name())))
    }

    /// The sequences that the text and the vector index cover, as [`Self::covered_of`] has them.
    pub(super) fn sequences(&self, snapshot: &Snapshot) -> Result<(u64, u64)> {
        Ok(sequences(&self.of_log(snapshot, self.refresh())?))
    }

    /// The indexes but for those that were made from a log of which this one is not the continuation: a record that is put
    /// back to an older state under an open handle has their operations no more.
    fn of_log(&self, snapshot: &Snapshot, (mut text, mut vectors): Found) -> Result<Found> {
        let is_other = |sequence: u64, history: &str| Ok(snapshot.history_at(sequence)?.as_deref() != Some(history));
        let loaded = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &text
            && is_other(index.sequence(), index.history())?
        {
            text = None;
            loaded().text.take().into_iter().for_each(|index| self.leaving.leave(index));
        }
        if let Some(index) = &vectors
            && is_other(index.sequence(), index.history())?
        {
            vectors = None;
            loaded().vectors.take().into_iter().for_each(|index| self.leaving.leave(index));
        }
        Ok((text, vectors))
    }

    /// Compares every byte of the indexes in use with its checksum; takes as long as reading them.
    pub(crate) fn verify(&self) -> Flaws {
        let text = flaw(|| self.refresh().0, TextIndex::verify, TextIndex::is_current);
        let vectors = flaw(|| self.refresh().1, VectorIndex::verify, VectorIndex::is_current);
        Flaws { text, vectors }
    }

    fn refresh(&self) -> Found {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.closed {
            return (None, None);
        }
        let is_current = |index: &Option<Arc<TextIndex>>| index.as_ref().is_some_and(|index| index.is_current());
        if !is_current(&loaded.text) && !is_current(&loaded.failed) {
            let gone = [loaded.failed.take(), loaded.text.take()];
            gone.into_iter().flatten().for_each(|index| self.leaving.leave(index));
            let dir = self.text_dir();
            let opened = TextIndex::open(&dir, self.database.record());
            let ours = opened.and_then(|index| self.of_this_log(index.sequence(), index.history()).map(|()| index));
            loaded.text = self.take(&dir, ours, |notes| &mut notes.text);
        }
        if let Some(embedder) = &self.embedder
            && !loaded.vectors.as_ref().is_some_and(|index| index.is_current())
        {
            loaded.vectors.take().into_iter().for_each(|index| self.leaving.leave(index));
            let dir = self.vector_dir();
            let opened = VectorIndex::open(&dir, self.database.record(), embedder.name(), embedder.dimensions());
            let ours = opened.and_then(|index| self.of_this_log(index.sequence(), index.history()).map(|()| index));
            loaded.vectors = self.take(&dir, ours, |notes| &mut notes.vectors);
        }
        (loaded.text.clone(), loaded.vectors.clone())
    }

    /// Refuses an index that was made from another history of the record, such as before a backup was restored.
    fn of_this_log(&self, sequence: u64, history: &str) -> std::result::Result<(), String> {
        let snapshot = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER).map_err(|error| error.to_string())?;
        match snapshot.history_at(sequence) {
            Ok(Some(known)) if known == history => Ok(()),
            Ok(None) => {
                self.note(|notes| notes.ahead = Some(sequence));
                Err(format!("it knows {sequence} operations, the log ends at {}", snapshot.head()))
            }
            Ok(_) => Err("it was made from another history of the record".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn take<T>(&self, dir: &Path, opened: std::result::Result<T, String>, slot: impl FnOnce(&mut Notes) -> &mut Option<String>) -> Option<Arc<T>> {
        match opened {
            Ok(index) => {
                self.note(|notes| *slot(notes) = None);
                Some(Arc::new(index))
            }
            Err(why) => {
                // A record that was never indexed is not a damaged one.
                if dir.exists() {
                    self.note(|notes| *slot(notes) = Some(why));
                }
                None
            }
        }
    }

    /// `None` if the indexes were written while their tails were read.
    fn view(&self, snapshot: &Snapshot, text: Option<Arc<TextIndex>>, vectors: Option<Arc<VectorIndex>>, deadline: Deadline) -> Result<Option<View>> {
        let counts = snapshot.counts()?;
        let text_from = text.as_ref().map_or(0, |index| index.sequence());
        let vectors_from = vectors.as_ref().map_or(0, |index| index.sequence());
        let Some(tails) = self.tails(snapshot, text_from, vectors_from, deadline)? else { return Ok(None) };
        Ok(Some(View {
            text,
            vectors,
            tail: tails.text.len() as u64,
            text_tail: tails.text,
            vector_tail: tails.vectors,
            statistics: Statistics { units: counts.units, terms: counts.terms },
            embedder: self.embedder.clone(),
            partial: tails.head.sequence < snapshot.head(),
        }))
    }

    pub(super) fn add_vectors(&self, snapshot: &Snapshot, tail: &mut VectorTail, number: u64, units: &[UnitText]) -> Result<Option<String>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let found = vectors_of(snapshot, embedder, units, Asking::Kept)?;
        tail.replace(number, &with_ordinals(units, &found.of_units));
        Ok(found.fault)
    }

    /// The vector of a text and the facts near it, for advice.
    pub(crate) fn compare(&self, title: &str, body: &str, now: Timestamp) -> Compared {
        let Some(embedder) = &self.embedder else { return Compared::default() };
        let text = embedded_text(title, body);
        let vector = match embedder.embed(&[&text]) {
            Ok(mut vectors) => vectors.pop().unwrap_or_default(),
            Err(fault) => {
                self.note(|notes| notes.embedder = Some(fault.to_string()));
                return Compared::default();
            }
        };
        let near = self.look(None, now, Deadline::after(NEAR_WAIT)).map(|(snapshot, view)| {
            let allowed = NodeSet::up_to(snapshot.last_number().unwrap_or(0));
            view.search_vectors(&vector, &allowed, NEAR, Deadline::NEVER).hits
        });
        let near = near.unwrap_or_default().into_iter().map(|hit| (hit.number, hit.cosine)).collect();
        Compared { vector: Some((embedder.name().to_owned(), text_hash(&text), vector)), near }
    }
}

fn sequences((text, vectors): &Found) -> (u64, u64) {
    (text.as_ref().map_or(0, |index| index.sequence()), vectors.as_ref().map_or(0, |index| index.sequence()))
}

/// A place in the log of a snapshot, which reaches so far.
pub(super) fn head_at(snapshot: &Snapshot, sequence: u64) -> Result<Head> {
    snapshot.head_at(sequence)?.ok_or_else(|| Error::new(Code::Damaged, format!("read the log: operation {sequence} is missing")))
}

/// Why an index cannot be trusted; one that was replaced meanwhile, whose files may be gone, says nothing.
fn flaw<T>(open: impl Fn() -> Option<Arc<T>>, verify: fn(&T) -> std::result::Result<(), String>, is_current: fn(&T) -> bool) -> Option<String> {
    loop {
        let index = open()?;
        let outcome = verify(&index);
        if outcome.is_ok() || is_current(&index) {
            return outcome.err();
        }
    }
}

/// The vectors that units have, with the units' ordinals.
pub(super) fn with_ordinals<'v>(units: &[UnitText], vectors: &'v [Option<Vec<f32>>]) -> Vec<(u32, &'v [f32])> {
    units.iter().zip(vectors).filter_map(|(unit, vector)| vector.as_deref().map(|vector| (unit.ordinal, vector))).collect()
}

pub(super) fn add_text(tail: &mut Tail, number: u64, units: &[UnitText]) {
    let units: Vec<Unit<'_>> = units.iter().map(|unit| Unit { number, ordinal: unit.ordinal, title: &unit.title, body: &unit.body }).collect();
    tail.replace(number, &units);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::record::database::{Durability, Opening};
    use crate::record::draft::Draft;
    use crate::record::log::Hand;
    use crate::record::node::Category;
    use crate::record::settle::content_of;
    use crate::record::writer::Write;

    fn database() -> (tempfile::TempDir, Arc<Database>) {
        let folder = tempfile::tempdir().expect("a folder");
        let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_secs(1) };
        let database = Database::open(&folder.path().join(".stele"), opening).expect("a record");
        (folder, Arc::new(database))
    }

    fn record(database: &Arc<Database>, facts: usize) {
        let hand = Hand { at: Timestamp::default(), actor: "a", session: None };
        let mut write = Write::begin(database, &hand, Duration::from_secs(10)).expect("a transaction");
        for nth in 0..facts {
            let draft = Draft::fact(Category::Fyi, format!("fact {nth}"));
            write.create_settled(content_of(&draft).expect("a content"), &draft).expect("a node");
        }
        write.commit().expect("a commit");
    }

    #[test]
    fn a_read_that_is_overtaken_by_a_catch_up_begins_again_with_its_indexes() {
        let (_folder, database) = database();
        let indexes = Indexes::new(Arc::clone(&database), None);
        record(&database, 300);
        let begun = Snapshot::open(&database, None, Timestamp::default(), Deadline::NEVER).expect("a snapshot");
        let view = || indexes.view(&begun, None, None, Deadline::NEVER).expect("a view");
        assert_eq!(view().map(|view| view.tail), Some(300), "nobody writes indexes: it reads to the end");
        indexes.tails.let_go();
        indexes.catch_up(&AtomicBool::new(false), 0).expect("caught up");
        assert!(view().is_none(), "an index covers what it read so far");
        let (_, view) = indexes.look(None, Timestamp::default(), Deadline::NEVER).expect("a look");
        assert_eq!((view.tail, view.text_sequence()), (0, 300));
    }

    #[test]
    fn a_read_with_much_before_it_waits_for_the_catch_up_of_its_handle() {
        let (_folder, database) = database();
        let indexes = Indexes::new(Arc::clone(&database), None);
        record(&database, 2_400);
        let writing = indexes.at_work.begin();
        std::thread::scope(|scope| {
            let read = scope.spawn(|| {
                let begun = Snapshot::open(&database, None, Timestamp::default(), Deadline::NEVER).expect("a snapshot");
                indexes.view(&begun, None, None, Deadline::NEVER).expect("a view").is_none()
            });
            indexes.catch_up(&AtomicBool::new(false), 0).expect("caught up");
            drop(writing);
            assert!(read.join().expect("no panic"), "it is overtaken");
        });
        let reached = indexes.tails.reached();
        assert!(reached.is_some_and(|reached| reached <= 256), "it read no further than a stride beside the catch-up: {reached:?}");
    }

    #[test]
    fn a_text_index_that_failed_is_left_out_until_another_takes_its_place() {
        let (_folder, database) = database();
        let indexes = Indexes::new(Arc::clone(&database), None);
        let has_index = || indexes.look(None, Timestamp::default(), Deadline::NEVER).expect("a look").1.text.is_some();
        let catch_up = || indexes.catch_up(&AtomicBool::new(false), 0).expect("caught up");
        record(&database, 1);
        catch_up();
        assert!(has_index());
        indexes.drop_text("it failed");
        assert!(!has_index() && !has_index());
        assert_eq!(indexes.notes().text.as_deref(), Some("it failed"));
        record(&database, 1);
        catch_up();
        assert!(has_index());
    }
}
