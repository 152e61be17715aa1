//! Search as of an earlier moment: the indexes beside what changed since, as it was then, or where that is much, everything in memory.
//!
//! It is made in strides. Whoever asks for the same moment next goes on where the last one had no more time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::indexes::{Indexes, add_text, head_at};
use super::text::{Statistics, Tail, TextIndex};
use super::vectors::{VectorIndex, VectorTail};
use super::view::View;
use crate::base::error::Result;
use crate::base::terms::unit_length;
use crate::base::time::Deadline;
use crate::record::apply::UnitText;
use crate::record::log::Head;
use crate::record::reader::Snapshot;

/// How many nodes may have changed for the rest to be searched in the indexes.
const BESIDE: usize = 1_024;
/// Nodes that are read between two looks at the deadline, while others who ask for the same moment wait.
const STRIDE: usize = 32;
/// Moments that are kept.
const KEPT: usize = 2;

/// The moments that were asked for last, the last one first.
#[derive(Default)]
pub(super) struct PastsHeld(Mutex<Vec<Arc<Mutex<Past>>>>);

impl PastsHeld {
    /// Keeps nothing from now until the next read.
    pub(super) fn let_go(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What search finds at one earlier sequence, as far as it was read.
struct Past {
    at: u64,
    /// The head up to which nothing was purged since.
    head: Head,
    /// True if the indexes hold what is not read here.
    beside: bool,
    indexes: DependsOn,
    /// What is to be read, and how much of it was.
    numbers: Vec<u64>,
    read: usize,
    text: Arc<Tail>,
    vectors: Arc<VectorTail>,
    statistics: Statistics,
}

/// Indexes, none where it makes no difference which they are.
struct DependsOn(Weak<TextIndex>, Weak<VectorIndex>);

impl DependsOn {
    fn is(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0) && self.1.ptr_eq(&other.1)
    }
}

impl Past {
    fn is_whole(&self) -> bool {
        self.read == self.numbers.len()
    }

    /// True if this is what search finds at the moment of a snapshot; what is known of the log then goes up to its head.
    fn is_of(&mut self, snapshot: &Snapshot, head: Head, beside: &DependsOn, in_memory: &DependsOn) -> Result<bool> {
        let same = self.at == snapshot.at() && self.indexes.is(if self.beside { beside } else { in_memory });
        if !same || self.head == head {
            return Ok(same);
        }
        // What is taken from the counts at the head is counted there, and a purge takes texts out of the past too.
        let goes_on = (!self.beside || self.is_whole()) && snapshot.goes_on_from(&self.head)? && !snapshot.purged_since(self.head.sequence)?;
        if goes_on {
            self.head = head;
        }
        Ok(goes_on)
    }

    /// Reads some more.
    fn go_on(&mut self, indexes: &Indexes, snapshot: &Snapshot) -> Result<()> {
        for _ in self.read..self.numbers.len().min(self.read + STRIDE) {
            let number = self.numbers[self.read];
            let units = snapshot.units(number)?;
            let now = if self.beside { snapshot.units_now(number)? } else { Vec::new() };
            let fault = indexes.add_vectors(snapshot, Arc::make_mut(&mut self.vectors), number, &units)?;
            if fault.is_some() {
                indexes.note(|notes| notes.embedder = fault);
            }
            add_text(Arc::make_mut(&mut self.text), number, &units);
            let ([units, terms], [units_now, terms_now]) = (counted(&units), counted(&now));
            self.statistics.units = self.statistics.units + units - units_now;
            self.statistics.terms = self.statistics.terms + terms - terms_now;
            self.read += 1;
        }
        Ok(())
    }
}

/// Units and what they count in terms.
fn counted(units: &[UnitText]) -> [u64; 2] {
    [units.len() as u64, units.iter().map(|unit| unit_length(&unit.title, &unit.body)).sum()]
}

impl Indexes {
    /// The search as of a snapshot of an earlier moment; empty if three quarters of the time do not suffice to make it.
    pub(super) fn past_view(&self, snapshot: &Snapshot, text: Option<Arc<TextIndex>>, vectors: Option<Arc<VectorIndex>>, deadline: Deadline) -> Result<View> {
        let making = deadline.quarters(3);
        let held = self.past_of(snapshot, text.as_ref(), vectors.as_ref())?;
        loop {
            let mut past = locked(&held);
            if !past.is_whole() && making.expired() {
                let nothing = VectorTail::new(past.vectors.dimensions());
                return Ok(self.past_found(None, None, (Arc::default(), Arc::new(nothing)), Statistics { units: 0, terms: 0 }, true));
            }
            if past.is_whole() {
                let (text, vectors) = if past.beside { (text, vectors) } else { (None, None) };
                return Ok(self.past_found(text, vectors, (Arc::clone(&past.text), Arc::clone(&past.vectors)), past.statistics, false));
            }
            past.go_on(self, snapshot)?;
        }
    }

    fn past_found(
        &self,
        text: Option<Arc<TextIndex>>,
        vectors: Option<Arc<VectorIndex>>,
        (text_tail, vector_tail): (Arc<Tail>, Arc<VectorTail>),
        statistics: Statistics,
        partial: bool,
    ) -> View {
        let tail = text_tail.len() as u64;
        View { text, vectors, text_tail, vector_tail, statistics, embedder: self.embedder.clone(), tail, partial }
    }

    /// What is held of a moment, or the beginning of it.
    fn past_of(&self, snapshot: &Snapshot, text: Option<&Arc<TextIndex>>, vectors: Option<&Arc<VectorIndex>>) -> Result<Arc<Mutex<Past>>> {
        let head = head_at(snapshot, snapshot.head())?;
        let known = self.pasts.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for held in known {
            let is_it = locked(&held).is_of(snapshot, head, &self.depends_on(true, text, vectors), &self.depends_on(false, text, vectors))?;
            if is_it {
                self.keep_past(&held);
                return Ok(held);
            }
        }
        let begun = Arc::new(Mutex::new(self.begin_past(snapshot, head, text, vectors)?));
        self.keep_past(&begun);
        Ok(begun)
    }

    /// Puts a moment before the others, and lets go of the last of too many.
    fn keep_past(&self, past: &Arc<Mutex<Past>>) {
        let mut held = self.pasts.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|other| !Arc::ptr_eq(other, past));
        held.insert(0, Arc::clone(past));
        let kept = held.len().min(KEPT);
        let gone = held.split_off(kept);
        drop(held);
        gone.into_iter().for_each(|past| self.leaving.leave(past));
    }

    /// The indexes beside which something is read; in memory, that from which vectors come that the host makes: a later one may have more of them.
    fn depends_on(&self, beside: bool, text: Option<&Arc<TextIndex>>, vectors: Option<&Arc<VectorIndex>>) -> DependsOn {
        let by_host = self.embedder.as_ref().is_some_and(|embedder| !embedder.cheap());
        let (text, vectors) = (text.filter(|_| beside), vectors.filter(|_| beside || by_host));
        DependsOn(text.map_or_else(Weak::new, Arc::downgrade), vectors.map_or_else(Weak::new, Arc::downgrade))
    }

    fn begin_past(&self, snapshot: &Snapshot, head: Head, text: Option<&Arc<TextIndex>>, vectors: Option<&Arc<VectorIndex>>) -> Result<Past> {
        let covered = match (text, vectors) {
            (Some(text), Some(vectors)) => Some(text.sequence().min(vectors.sequence())),
            (Some(text), None) if self.embedder.is_none() => Some(text.sequence()),
            _ => None,
        };
        let changed = covered.map(|covered| snapshot.changed_at_most(covered.min(snapshot.at()), BESIDE)).transpose()?.flatten();
        let beside = changed.is_some();
        let statistics =
            if beside { snapshot.counts().map(|counts| Statistics { units: counts.units, terms: counts.terms })? } else { Statistics { units: 0, terms: 0 } };
        Ok(Past {
            at: snapshot.at(),
            head,
            beside,
            indexes: self.depends_on(beside, text, vectors),
            numbers: match changed {
                Some(numbers) => numbers,
                None => (1..=snapshot.last_number_then()?).collect(),
            },
            read: 0,
            text: Arc::default(),
            vectors: Arc::new(VectorTail::new(self.embedder.as_ref().map_or(1, |embedder| embedder.dimensions()))),
            statistics,
        })
    }
}

fn locked(past: &Mutex<Past>) -> MutexGuard<'_, Past> {
    past.lock().unwrap_or_else(PoisonError::into_inner)
}
