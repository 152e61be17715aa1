//! Scoring a segment window by window, leaving out what cannot be among the best.
//!
//! The terms of a window are summed in the one order of the query, rarest first, so a unit's score has the same bits
//! whichever way it was reached. Once as many nodes as are wanted are known, a unit whose sum, with all that the terms to
//! come could add, stays below the worst of them is given up; of frequent terms then only the postings of the units that
//! are left are looked up. What a term can add in a window is what its blocks there say.

use std::ops::Range;

use tantivy::DocId;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;

use super::most::{Lengths, Most};
use super::say;
use super::search::{Best, Kept, Part, Run};

/// Units of a window: their sums stay in the nearest cache.
const WINDOW: usize = 2048;
/// What rounding can take from a sum, as a share of it: two dozen additions, and a division.
const ROUNDING: f32 = 1e-5;
/// Looking a unit up costs as much as passing over so many postings.
const LOOK_UP: usize = 12;
/// Where fewer than one unit in so many is found, those alone are looked at afterwards, not the whole window.
const SPARSE: usize = 8;

/// A term's postings in one segment, and how far they were read.
struct Cursor<'t> {
    term: &'t Kept<'t>,
    bit: usize,
    postings: BlockSegmentPostings,
    /// The next posting of the block.
    at: usize,
    /// How many postings a full window holds on average.
    in_window: usize,
    most: Most,
}

impl Run<'_> {
    /// Scores the units of a segment and offers the best of them.
    pub(super) fn score_segment(&mut self, part: &Part<'_>, place: usize, kept: &[Kept<'_>], best: &mut Best) -> Result<(), String> {
        let units = part.segment.reader.max_doc();
        let lengths = Lengths::of(part.segment, self.average);
        let mut cursors = Vec::with_capacity(kept.len());
        for (bit, term) in kept.iter().enumerate() {
            let Some(info) = &term.places[place] else { continue };
            let postings = part.segment.terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs).map_err(say)?;
            let in_window = info.doc_freq as usize * WINDOW / (units as usize).max(1);
            let most = Most::of(part.segment, info, &lengths).map_err(say)?;
            cursors.push(Cursor { term, bit, postings, at: 0, in_window, most });
        }
        // What a sum must be lest it stay too low with all that the terms from each on can add in the window.
        let mut needed = vec![0.0; cursors.len() + 1];
        let norms = part.segment.norms();
        let mut scores = Box::new([Scored::default(); WINDOW]);
        let mut counts = Box::new([0; WINDOW]);
        // The units of the window that a term found, in the order in which they were; one more than there can be.
        let mut touched: Box<[DocId; WINDOW + 1]> = Box::new([0; WINDOW + 1]);
        let mut left: Vec<DocId> = Vec::with_capacity(WINDOW);
        for start in (0..units).step_by(WINDOW) {
            if self.is_late() {
                return Ok(());
            }
            let end = units.min(start.saturating_add(WINDOW as u32));
            let goal = best.threshold * self.attainable * (1.0 - ROUNDING);
            let mut rest = 0.0;
            needed[cursors.len()] = goal;
            for (cursor, needed) in cursors.iter_mut().zip(&mut needed).rev() {
                rest += cursor.term.weight * cursor.most.between(start, end);
                *needed = goal - rest * (1.0 + ROUNDING);
            }
            if needed[0] > 0.0 {
                continue;
            }
            let length = (end - start) as usize;
            let mut listed = false;
            let mut found = 0;
            for (cursor, needed) in cursors.iter_mut().zip(needed.windows(2)) {
                let (term, bit) = (cursor.term, 1 << cursor.bit);
                // Where no unit can be given up and they are too many to look up, a list of them spares nothing.
                if !listed && term.adds_only && needed[1] <= 0.0 && found * LOOK_UP >= cursor.in_window {
                    self.visited += cursor.each_between(start, end, |doc, count| {
                        let scored = &mut scores[place_in(doc, start)];
                        let gain = self.gain(term, count, norms[doc as usize]);
                        let is_found = scored.mask != 0;
                        scored.sum += if is_found { gain } else { 0.0 };
                        scored.mask |= if is_found { bit } else { 0 };
                    });
                    continue;
                }
                if !listed && (term.adds_only || needed[0] > 0.0) {
                    listed = true;
                    list(&mut left, &touched[..found], start..end);
                    keep(&mut left, |doc| scores[place_in(doc, start)].is_left(needed[0]));
                }
                if !listed {
                    self.visited += cursor.each_between(start, end, |doc, count| {
                        let scored = &mut scores[place_in(doc, start)];
                        scored.sum += self.gain(term, count, norms[doc as usize]);
                        touched[found] = doc;
                        found += usize::from(scored.mask == 0);
                        scored.mask |= bit;
                    });
                    continue;
                }
                if left.len() * LOOK_UP < cursor.in_window {
                    self.visited += cursor.each_of(&left, |doc, count| {
                        let scored = &mut scores[place_in(doc, start)];
                        scored.sum += self.gain(term, count, norms[doc as usize]);
                        scored.mask |= bit;
                    });
                    keep(&mut left, |doc| scores[place_in(doc, start)].is_left(needed[1]));
                } else {
                    counts[..length].fill(0);
                    self.visited += cursor.each_between(start, end, |doc, count| counts[place_in(doc, start)] = count);
                    // A count of 0 adds 0, which changes no bit of a sum.
                    keep(&mut left, |doc| {
                        let (scored, count) = (&mut scores[place_in(doc, start)], counts[place_in(doc, start)]);
                        scored.sum += self.gain(term, count, norms[doc as usize]);
                        scored.mask |= if count > 0 { bit } else { 0 };
                        scored.is_left(needed[1])
                    });
                }
            }
            if !listed {
                list(&mut left, &touched[..found], start..end);
            }
            keep(&mut left, |doc| scores[place_in(doc, start)].is_left(goal));
            self.offer_best_first(part, &left, &|doc| scores[place_in(doc, start)], best);
            if found * SPARSE < length {
                touched[..found].iter().for_each(|doc| scores[place_in(*doc, start)] = Scored::default());
            } else {
                scores[..length].fill(Scored::default());
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Offers units of a segment. Where they are many, the best come first: they set a threshold that spares the others a
    /// look at what they are.
    fn offer_best_first(&self, part: &Part<'_>, units: &[DocId], scored: &dyn Fn(DocId) -> Scored, best: &mut Best) {
        let offer = |doc: DocId, best: &mut Best| {
            let Scored { sum, mask } = scored(doc);
            self.offer(part, doc, sum, mask, best);
        };
        let first = best.wanted().saturating_add(best.wanted() / 4);
        if units.len() <= first.saturating_mul(2) {
            units.iter().for_each(|doc| offer(*doc, best));
            return;
        }
        // No sum is negative, so the bits of sums order as they do.
        let mut keys: Vec<u64> = units.iter().map(|doc| (u64::from(scored(*doc).sum.to_bits()) << 32) | u64::from(*doc)).collect();
        let others = keys.len() - first;
        keys.select_nth_unstable(others);
        let doc_of = |key: &u64| (*key & u64::from(u32::MAX)) as DocId;
        keys[others..].iter().for_each(|key| offer(doc_of(key), best));
        best.settle();
        keys[..others].iter().for_each(|key| offer(doc_of(key), best));
    }
}

/// Makes a list, in order, of the units that were found, or of all where it is not worth to sort them.
fn list(left: &mut Vec<DocId>, found: &[DocId], all: Range<DocId>) {
    left.clear();
    if found.len() * SPARSE < all.len() {
        left.extend_from_slice(found);
        left.sort_unstable();
    } else {
        left.extend(all);
    }
}

/// Keeps the units that stay, without a branch that nobody could foresee.
#[inline]
fn keep(left: &mut Vec<DocId>, mut stays: impl FnMut(DocId) -> bool) {
    let mut kept = 0;
    for at in 0..left.len() {
        let doc = left[at];
        left[kept] = doc;
        kept += usize::from(stays(doc));
    }
    left.truncate(kept);
}

/// What is known of a unit of the window.
#[derive(Clone, Copy, Default)]
struct Scored {
    sum: f32,
    mask: u32,
}

impl Scored {
    /// True if a term found it, and what is to come can lift it high enough.
    fn is_left(self, needed: f32) -> bool {
        (self.mask != 0) & (self.sum >= needed)
    }
}

/// The place of a document of the window that begins at `start`.
#[inline]
fn place_in(doc: DocId, start: DocId) -> usize {
    // The remainder changes nothing and spares a check at every posting.
    (doc - start) as usize % WINDOW
}

impl Cursor<'_> {
    /// Calls `each` with the postings from `start` to `end`, none of which were read yet, and says how many they were.
    fn each_between(&mut self, start: DocId, end: DocId, mut each: impl FnMut(DocId, u32)) -> u64 {
        // Looking up leaves what lies between.
        if self.postings.docs().get(self.at).is_some_and(|doc| *doc < start) {
            self.at = self.postings.seek(start);
        }
        let mut visited = 0;
        while self.postings.block_len() > 0 {
            let docs = &self.postings.docs()[self.at..];
            let counts = &self.postings.freqs()[self.at..];
            let inside = if docs.last().is_some_and(|last| *last < end) { docs.len() } else { docs.partition_point(|doc| *doc < end) };
            for (&doc, &count) in docs[..inside].iter().zip(&counts[..inside]) {
                each(doc, count);
            }
            visited += inside as u64;
            if inside < docs.len() {
                self.at += inside;
                break;
            }
            self.postings.advance();
            self.at = 0;
        }
        visited
    }

    /// Calls `each` with the postings of some units, ascending and not read yet, and says how many units were looked up.
    fn each_of(&mut self, docs: &[DocId], mut each: impl FnMut(DocId, u32)) -> u64 {
        for &doc in docs {
            if self.postings.block_len() == 0 {
                break;
            }
            self.at = self.postings.seek(doc);
            if self.postings.docs().get(self.at) == Some(&doc) {
                each(doc, self.postings.freqs()[self.at]);
            }
        }
        docs.len() as u64
    }
}
