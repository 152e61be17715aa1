//! The tails of a record's indexes, made in strides by one read after the other.
//!
//! Where an index was lost, the tail is the whole record. It is then never copied: one read at a time goes on with it, and
//! others wait for that one as long as they may go on themselves.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::catch_up::SIDE_BY_SIDE;
use super::indexes::{Indexes, add_text, head_at};
use super::text::Tail;
use super::vectors::VectorTail;
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::log::Head;
use crate::record::reader::Snapshot;

/// Changes that are read together.
const STRIDE: usize = 256;
/// Operations of a tail that is copied where another read uses it.
const COPIED: u64 = 1_024;

/// The tails for one pair of index sequences at one head.
#[derive(Clone)]
pub(super) struct Tails {
    text_from: u64,
    vectors_from: u64,
    /// Up to where they go.
    pub(super) head: Head,
    pub(super) text: Arc<Tail>,
    pub(super) vectors: Arc<VectorTail>,
}

impl Tails {
    fn are_from(&self, text_from: u64, vectors_from: u64) -> bool {
        (self.text_from, self.vectors_from) == (text_from, vectors_from)
    }

    fn are_long(&self) -> bool {
        self.head.sequence - self.text_from.min(self.vectors_from) > COPIED
    }
}

/// The tails as the last read left them.
#[derive(Default)]
pub(super) struct TailsHeld {
    held: Mutex<Held>,
    back: Condvar,
}

#[derive(Default)]
struct Held {
    tails: Option<Tails>,
    /// True while a read goes on with them.
    taken: bool,
}

/// Tails that one read goes on with; they come back whatever becomes of it.
struct Taken<'h> {
    from: &'h Indexes,
    tails: Option<Tails>,
    /// True if others wait for them.
    alone: bool,
}

impl TailsHeld {
    /// Keeps nothing from now until the next read.
    pub(super) fn let_go(&self) {
        drop(self.lock().tails.take());
    }

    /// Up to where the last read went.
    #[cfg(test)]
    pub(super) fn reached(&self) -> Option<u64> {
        self.lock().tails.as_ref().map(|tails| tails.head.sequence)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let Some(tails) = self.tails.take() else { return };
        let mut held = self.from.tails.lock();
        held.taken &= !self.alone;
        // A read that began at an earlier head may end later.
        let further =
            held.tails.as_ref().is_some_and(|other| other.are_from(tails.text_from, tails.vectors_from) && other.head.sequence >= tails.head.sequence);
        let gone = if further { Some(tails) } else { held.tails.replace(tails) };
        drop(held);
        self.from.tails.back.notify_all();
        if let Some(gone) = gone.filter(Tails::are_long) {
            self.from.leaving.leave(gone.text);
            self.from.leaving.leave(gone.vectors);
        }
    }
}

impl Indexes {
    /// The tails up to the snapshot's head, or as far as three quarters of the time go; the next read goes on from there.
    /// `None` if an index was written meanwhile that covers all of what was made so far.
    pub(super) fn tails(&self, snapshot: &Snapshot, text_from: u64, vectors_from: u64, deadline: Deadline) -> Result<Option<Tails>> {
        let head = head_at(snapshot, snapshot.head())?;
        if let Some(tails) = self.tails.lock().tails.as_ref().filter(|tails| tails.are_from(text_from, vectors_from) && tails.head == head) {
            return Ok(Some(tails.clone()));
        }
        let building = deadline.quarters(3);
        let mut taken = self.take_tails(snapshot, text_from, vectors_from, building)?;
        let tails = taken.tails.as_mut().expect("taken with tails");
        let mut fault = None;
        let (mut late, mut waited) = (false, false);
        while !late && tails.head.sequence < head.sequence {
            let changed = snapshot.changed_first(tails.head.sequence, STRIDE)?;
            if changed.is_empty() {
                tails.head = head;
            }
            let mut upto = tails.head.sequence;
            for same in changed.chunk_by(|a, b| a.1 == b.1) {
                late = building.expired();
                if late {
                    break;
                }
                for &(number, sequence) in same {
                    let units = snapshot.units(number)?;
                    if sequence > text_from {
                        add_text(Arc::make_mut(&mut tails.text), number, &units);
                    }
                    if sequence > vectors_from {
                        fault = self.add_vectors(snapshot, Arc::make_mut(&mut tails.vectors), number, &units)?.or(fault);
                    }
                }
                upto = same[0].1;
            }
            tails.head = head_at(snapshot, upto)?;
            let left = head.sequence - tails.head.sequence;
            // It is about as much work, and a catch-up shares it out to more threads.
            waited |= !waited && left > SIDE_BY_SIDE && self.at_work.wait(building.quarters(2));
            if left > 0 && self.overtake(tails) {
                return Ok(None);
            }
        }
        if fault.is_some() {
            self.note(|notes| notes.embedder = fault);
        }
        Ok(Some(tails.clone()))
    }

    /// True if an index covers by now what unfinished tails hold so far.
    fn overtake(&self, tails: &Tails) -> bool {
        let (text, vectors) = self.now_covered();
        [(text, tails.text_from), (vectors, tails.vectors_from)].iter().any(|&(now, from)| now > from && now >= tails.head.sequence)
    }

    /// The tails to go on with, waiting until the deadline for a read that goes on with long ones.
    fn take_tails(&self, snapshot: &Snapshot, text_from: u64, vectors_from: u64, deadline: Deadline) -> Result<Taken<'_>> {
        let mut held = self.tails.lock();
        loop {
            if let Some(tails) = held.tails.as_ref().filter(|tails| tails.are_from(text_from, vectors_from)) {
                match snapshot.head_at(tails.head.sequence)? {
                    Some(same) if same == tails.head => {
                        if !tails.are_long() {
                            return Ok(Taken { from: self, tails: Some(tails.clone()), alone: false });
                        }
                        held.taken = true;
                        return Ok(Taken { from: self, tails: held.tails.take(), alone: true });
                    }
                    // The record was put back: they are of another log.
                    Some(_) => held.tails = None,
                    None => {}
                }
            }
            let left = deadline.remaining();
            if !held.taken || left.is_some_and(|left| left.is_zero()) {
                let tails = Tails {
                    text_from,
                    vectors_from,
                    head: head_at(snapshot, text_from.min(vectors_from))?,
                    text: Arc::default(),
                    vectors: Arc::new(VectorTail::new(self.embedder.as_ref().map_or(1, |embedder| embedder.dimensions()))),
                };
                return Ok(Taken { from: self, tails: Some(tails), alone: false });
            }
            held = match left {
                Some(left) => self.tails.back.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.tails.back.wait(held).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
