//! The most that a term can add to a unit, block by block, told by what the index library keeps with each block of
//! postings for its own scores.
//!
//! With each full block the library keeps the length and the count of the posting that scores best by its BM25, which is
//! the one with the largest count for its length. Ours weighs lengths by the average of the whole record and not of the
//! segment, so its best posting may be another one; but none has a larger count for its length than that one by more than
//! the one average exceeds the other.

use tantivy::DocId;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;

use super::Segment;
use super::search::{B, K1};

/// Postings of a full block.
const FULL: usize = 128;
/// What is kept with a block: the last document (4 bytes), the widths of documents and counts, the quantised length and
/// the count of its best posting.
const KEPT_BYTES: usize = 8;
/// The posting lists of a field begin after the number of its tokens.
const LISTS: usize = 8;
/// A count of so many or more.
const MANY: u8 = u8::MAX;
/// What rounding can take from a ratio, as a share of it.
const ROUNDING: f32 = 1e-5;

/// By how much a count grows with each quantised length before it is weighed, at most, in one segment.
pub(super) struct Lengths([f32; 256]);

impl Lengths {
    /// Those of a segment where units are weighed by an average length.
    pub(super) fn of(segment: &Segment, average: f32) -> Self {
        let of_segment = segment.terms.total_num_tokens() as f32 / segment.norms.num_docs().max(1) as f32;
        let longer = (average / of_segment).max(1.0) * (1.0 + ROUNDING);
        let of = |code| longer / (1.0 - B + B * FieldNormReader::id_to_fieldnorm(code) as f32 / of_segment);
        let mut lengths = [0.0; 256];
        lengths.iter_mut().zip(0..=u8::MAX).for_each(|(length, code)| *length = of(code));
        Self(lengths)
    }

    fn most(&self, length: u8, count: u8) -> f32 {
        let ratio = f32::from(count) * self.0[usize::from(length)];
        if count < MANY && ratio.is_finite() { ratio * (K1 + 1.0) / (ratio + K1) } else { K1 + 1.0 }
    }
}

/// What a term adds at most to the units of each of its blocks, in parts of its weight.
pub(super) struct Most {
    /// The last document of each full block and the most there; the last block, of which nothing is kept, is not full.
    blocks: Vec<(DocId, f32)>,
    /// The first block that may reach into the window to come.
    at: usize,
}

impl Most {
    /// Looks at what is kept with a term's blocks.
    pub(super) fn of(segment: &Segment, info: &TermInfo, lengths: &Lengths) -> std::io::Result<Self> {
        let full = info.doc_freq as usize / FULL;
        let mut blocks = Vec::with_capacity(full);
        if full > 0 {
            let bytes = segment.postings.slice(info.postings_range.start + LISTS..info.postings_range.end + LISTS).read_bytes()?;
            let kept = kept(&bytes, full).ok_or_else(|| std::io::Error::other("a posting list is shorter than it says"))?;
            blocks.extend(kept.iter().map(|[a, b, c, d, _, _, length, count]| (DocId::from_le_bytes([*a, *b, *c, *d]), lengths.most(*length, *count))));
        }
        Ok(Self { blocks, at: 0 })
    }

    /// The most between two documents; windows come in order.
    pub(super) fn between(&mut self, start: DocId, end: DocId) -> f32 {
        while self.blocks.get(self.at).is_some_and(|(last, _)| *last < start) {
            self.at += 1;
        }
        let mut most: f32 = 0.0;
        for (last, here) in &self.blocks[self.at..] {
            most = most.max(*here);
            if *last + 1 >= end {
                return most;
            }
        }
        K1 + 1.0
    }
}

/// What is kept with the full blocks: it stands at the beginning of a list, after its own length in groups of seven bits.
fn kept(list: &[u8], full: usize) -> Option<&[[u8; KEPT_BYTES]]> {
    let length = list.iter().position(|byte| byte & 0x80 != 0)?;
    list.get(length + 1..)?.as_chunks().0.get(..full)
}
