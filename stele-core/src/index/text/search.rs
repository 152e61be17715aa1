//! Scoring: BM25 over the index and the tail as if they were one, term at a time.

use std::cmp::Ordering;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Term};

use super::{Segment, Statistics, Tail, TextHit, TextHits, TextIndex, TextQuery, guard, say};
use crate::base::error::{Code, Error, Result};
use crate::base::node_set::NodeSet;
use crate::base::terms::QueryTerm;
use crate::base::time::Deadline;

/// How fast repetition of a term in a unit stops to count; tuned over all sets.
pub(super) const K1: f32 = 1.5;
/// How much a unit's length counts against it.
pub(super) const B: f32 = 0.75;
/// How fast repetition of a term in the query stops to count.
const K3: f32 = 1.0;
/// How many terms of a query are searched, the most telling ones; a mask of a unit's terms has this many bits to spare.
const KEPT: usize = 24;
/// A term that more than this share of the units holds (in tenths) adds to units found by another term and finds none
/// by itself, unless the query has no other. A smaller share costs recall on every set.
const FREQUENT_TENTHS: u64 = 3;
/// A term is rare if fewer than one in this many units hold it, or fewer than [`RARE_COUNT`].
const RARE: u64 = 20;
const RARE_COUNT: u64 = 3;
/// The least units of a record whose frequencies say how telling a word is: in a smaller one every word that it holds is
/// frequent, and a query would seem to be about all the others.
const TELLING_UNITS: u64 = 100;
/// For how many hits room is made at once.
const ROOM: usize = 256;
/// Postings between two looks at the deadline.
const STRIDE: usize = 4096;

/// Finds the nodes of `allowed` that share terms with the query, best first.
///
/// `statistics` speaks for all units that live at the head, whether or not they are allowed; `index` may cover any
/// earlier sequence of the same record, and `tail` must hold every node that changed since.
///
/// # Errors
/// `internal` if the index turns out to be damaged: drop it and search the tail.
pub(crate) fn search(
    index: Option<&TextIndex>,
    tail: &Tail,
    statistics: &Statistics,
    query: &TextQuery,
    allowed: &NodeSet,
    deadline: Deadline,
) -> Result<TextHits> {
    if query.limit == 0 || query.terms.is_empty() {
        return Ok(TextHits { complete: true, ..TextHits::default() });
    }
    let mut run = Run { tail, allowed, limit: query.limit, deadline, expired: false, visited: 0, average: 0.0, norms: [0.0; 256], attainable: 0.0 };
    run.set_norms(statistics);
    let outcome = guard(|| run.search(index, statistics, &query.terms));
    outcome.map_err(|reason| Error::new(Code::Internal, format!("search the text index: {reason}")))
}

/// How much a term tells that so many of so many units hold.
fn idf(units: u64, frequency: u64) -> f32 {
    (1.0 + ((units - frequency) as f64 + 0.5) / (frequency as f64 + 0.5)).ln() as f32
}

pub(super) struct Run<'a> {
    tail: &'a Tail,
    allowed: &'a NodeSet,
    limit: usize,
    deadline: Deadline,
    expired: bool,
    pub(super) visited: u64,
    /// The average length of a unit.
    pub(super) average: f32,
    /// For each quantised length what it adds to the denominator.
    norms: [f32; 256],
    /// The sum of what all terms of the query could add to a unit.
    pub(super) attainable: f32,
}

/// A term that is searched; its place in the list is its bit in a unit's mask.
pub(super) struct Kept<'a> {
    text: &'a str,
    frequency: u64,
    /// Its idf times the weight of its repetitions in the query.
    pub(super) weight: f32,
    /// The same in a record that is not too small to tell common words from telling ones.
    share: f32,
    rare: bool,
    /// True if it only adds to units that another term found.
    pub(super) adds_only: bool,
    /// Where each segment holds it.
    pub(super) places: Vec<Option<TermInfo>>,
}

/// A segment, and the documents in it that do not live at the head.
pub(super) struct Part<'a> {
    pub(super) segment: &'a Segment,
    dead: Vec<DocId>,
    dead_bits: Vec<u64>,
}

/// The scores of the units of the tail.
struct Scores {
    sums: Vec<f32>,
    masks: Vec<u32>,
}

impl Run<'_> {
    fn set_norms(&mut self, statistics: &Statistics) {
        self.average = (statistics.terms.max(1) as f64 / statistics.units.max(1) as f64) as f32;
        for (code, norm) in (0..=u8::MAX).zip(&mut self.norms) {
            *norm = K1 * (1.0 - B + B * FieldNormReader::id_to_fieldnorm(code) as f32 / self.average);
        }
    }

    fn search(&mut self, index: Option<&TextIndex>, statistics: &Statistics, terms: &[QueryTerm]) -> Result<TextHits, String> {
        let mut parts = Vec::new();
        if let Some(index) = index {
            for segment in &index.segments {
                parts.push(self.part(index, segment)?);
            }
        }
        let (kept, [unknown, unknown_share]) = self.choose(&parts, statistics, terms)?;
        let mass: f32 = kept.iter().map(|term| term.weight).sum::<f32>() + unknown;
        let known: f32 = kept.iter().map(|term| term.weight).sum();
        self.attainable = mass * (K1 + 1.0);

        let mut best = Best { candidates: Vec::with_capacity(self.limit.min(ROOM) * 2), limit: self.limit, passages: false, threshold: 0.0 };
        for (place, part) in parts.iter().enumerate() {
            self.score_segment(part, place, &kept, &mut best)?;
        }
        let scores = self.score_tail(&kept);
        self.collect_tail(&scores, &mut best);

        let mut union = 0;
        let shares = kept.iter().map(|term| term.share).sum::<f32>() + unknown_share;
        let share_of = |mask: u32| kept.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, term)| term.share).sum::<f32>() / shares;
        let rare = kept.iter().enumerate().filter(|(_, term)| term.rare).fold(0, |mask, (bit, _)| mask | 1_u32 << bit);
        let hits = best
            .finish()
            .into_iter()
            .map(|candidate| {
                union |= candidate.mask;
                let coverage = share_of(candidate.mask);
                TextHit { number: candidate.number, ordinal: candidate.ordinal, score: candidate.score, rare: candidate.mask & rare != 0, coverage }
            })
            .collect();
        let coverage = if mass > 0.0 { share_of(union) } else { 0.0 };
        Ok(TextHits { hits, complete: !self.expired, coverage, mass, known, visited: self.visited })
    }

    /// Puts together which documents of a segment were deleted in it or changed after it.
    fn part<'a>(&mut self, index: &TextIndex, segment: &'a Segment) -> Result<Part<'a>, String> {
        let mut dead = segment.deleted().to_vec();
        if self.tail.len() > 0 {
            let numbers = segment.reader.inverted_index(index.number_field).map_err(say)?;
            for number in self.tail.numbers() {
                let Some(mut postings) = numbers.read_postings(&Term::from_field_u64(index.number_field, number), IndexRecordOption::Basic).map_err(say)?
                else {
                    continue;
                };
                self.visited += 1;
                while postings.doc() != tantivy::TERMINATED {
                    dead.push(postings.doc());
                    postings.advance();
                }
            }
            dead.sort_unstable();
            dead.dedup();
        }
        let mut dead_bits = Vec::new();
        if !dead.is_empty() {
            dead_bits = vec![0; segment.reader.max_doc() as usize / 64 + 1];
            for &doc in &dead {
                dead_bits[doc as usize / 64] |= 1 << (doc % 64);
            }
        }
        Ok(Part { segment, dead, dead_bits })
    }

    /// Chooses the terms to search, in the order in which they are summed, and the weight of the unknown ones.
    ///
    /// Everything here depends on the query and on frequencies over live units, never on where a unit is held.
    fn choose<'a>(&mut self, parts: &[Part<'_>], statistics: &Statistics, terms: &'a [QueryTerm]) -> Result<(Vec<Kept<'a>>, [f32; 2]), String> {
        let mut kept = Vec::new();
        let mut unknown = Vec::new();
        for term in terms {
            if self.is_late() {
                break;
            }
            let mut frequency = self.tail.frequency(&term.text);
            let mut places = Vec::with_capacity(parts.len());
            for part in parts {
                let place = part.segment.terms.terms().get(&term.text).map_err(say)?;
                if let Some(info) = &place {
                    frequency += self.live_frequency(part, info)?;
                }
                places.push(place);
            }
            let units = statistics.units.max(frequency);
            let count = term.count as f32;
            let repeated = count * (K3 + 1.0) / (count + K3);
            let [weight, share] = [units, units.max(TELLING_UNITS)].map(|units| idf(units, frequency) * repeated);
            if frequency > 0 {
                let rare = frequency < RARE_COUNT || frequency * RARE < units;
                kept.push(Kept { text: &term.text, frequency, weight, share, rare, adds_only: frequency * 10 > units * FREQUENT_TENTHS, places });
            } else if !term.whole {
                unknown.push([weight, share]);
            }
        }
        kept.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(b.text)));
        kept.truncate(KEPT);
        kept.sort_unstable_by(|a, b| a.frequency.cmp(&b.frequency).then_with(|| a.text.cmp(b.text)));
        if kept.iter().all(|term| term.adds_only) {
            kept.iter_mut().for_each(|term| term.adds_only = false);
        }
        unknown.sort_unstable_by(|a, b| b[0].total_cmp(&a[0]));
        unknown.truncate(KEPT - kept.len());
        Ok((kept, [0, 1].map(|which| unknown.iter().map(|weights| weights[which]).sum())))
    }

    /// How many documents hold a term and live at the head.
    fn live_frequency(&mut self, part: &Part<'_>, info: &TermInfo) -> Result<u64, String> {
        let held = u64::from(info.doc_freq);
        if part.dead.is_empty() {
            return Ok(held);
        }
        let mut dead = 0;
        if part.dead.len() * 8 < info.doc_freq as usize {
            let mut postings = part.segment.terms.read_postings_from_terminfo(info, IndexRecordOption::Basic).map_err(say)?;
            self.visited += part.dead.len() as u64;
            for &doc in &part.dead {
                if postings.doc() < doc {
                    postings.seek(doc);
                }
                dead += u64::from(postings.doc() == doc);
            }
        } else {
            let mut postings = part.segment.terms.read_block_postings_from_terminfo(info, IndexRecordOption::Basic).map_err(say)?;
            self.visited += held;
            while postings.block_len() > 0 {
                dead += postings.docs().iter().filter(|&&doc| part.is_dead(doc)).count() as u64;
                postings.advance();
            }
        }
        Ok(held - dead)
    }

    fn score_tail(&mut self, kept: &[Kept<'_>]) -> Scores {
        let tail = self.tail;
        let mut scores = Scores::new(tail.units.len());
        for (bit, term) in kept.iter().enumerate() {
            for chunk in tail.postings.get(term.text).map_or(&[][..], Vec::as_slice).chunks(STRIDE) {
                if self.is_late() {
                    return scores;
                }
                self.visited += chunk.len() as u64;
                for &(place, count) in chunk {
                    if !term.adds_only || scores.masks[place as usize] != 0 {
                        scores.add(place as usize, bit, self.gain(term, count, tail.units[place as usize].norm));
                    }
                }
            }
        }
        scores
    }

    /// What a term adds to the score of a unit; the only place where it is computed.
    #[inline]
    pub(super) fn gain(&self, term: &Kept<'_>, count: u32, norm: u8) -> f32 {
        let count = count as f32;
        term.weight * (count * (K1 + 1.0)) / (count + self.norms[usize::from(norm)])
    }

    /// Offers a unit of a segment that was scored.
    pub(super) fn offer(&self, part: &Part<'_>, doc: DocId, sum: f32, mask: u32, best: &mut Best) {
        if mask == 0 || part.is_dead(doc) {
            return;
        }
        let score = sum / self.attainable;
        if score < best.threshold {
            return;
        }
        let number = part.segment.numbers.first(doc).expect("each document has a number");
        if self.allowed.contains(number) {
            let ordinal = u32::try_from(part.segment.ordinals.first(doc).expect("each document has an ordinal")).expect("written from 32 bits");
            best.offer(Candidate { score, number, ordinal, mask });
        }
    }

    fn collect_tail(&self, scores: &Scores, best: &mut Best) {
        for (unit, (&sum, &mask)) in self.tail.units.iter().zip(scores.sums.iter().zip(&scores.masks)) {
            let score = sum / self.attainable;
            if mask != 0 && unit.live && score >= best.threshold && self.allowed.contains(unit.number) {
                best.offer(Candidate { score, number: unit.number, ordinal: unit.ordinal, mask });
            }
        }
    }

    pub(super) fn is_late(&mut self) -> bool {
        self.expired |= self.deadline.expired();
        self.expired
    }
}

impl Part<'_> {
    #[inline]
    fn is_dead(&self, doc: DocId) -> bool {
        self.dead_bits.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }
}

impl Scores {
    fn new(units: usize) -> Self {
        Self { sums: vec![0.0; units], masks: vec![0; units] }
    }

    #[inline]
    fn add(&mut self, unit: usize, bit: usize, gain: f32) {
        self.sums[unit] += gain;
        self.masks[unit] |= 1 << bit;
    }
}

#[derive(Clone, Copy)]
struct Candidate {
    score: f32,
    number: u64,
    ordinal: u32,
    mask: u32,
}

impl Candidate {
    /// Better first.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number)).then(self.ordinal.cmp(&other.ordinal))
    }
}

/// The best candidates so far, one a node once settled.
pub(super) struct Best {
    candidates: Vec<Candidate>,
    limit: usize,
    /// True if a node may be among the candidates by several units: one of them is not its first.
    passages: bool,
    /// No candidate below this can be among the best any more.
    pub(super) threshold: f32,
}

impl Best {
    fn offer(&mut self, candidate: Candidate) {
        self.passages |= candidate.ordinal > 0;
        self.candidates.push(candidate);
        if self.candidates.len() >= self.limit.saturating_mul(4).saturating_add(64) {
            self.settle();
        }
    }

    /// How many nodes are wanted.
    pub(super) fn wanted(&self) -> usize {
        self.limit
    }

    pub(super) fn settle(&mut self) {
        if self.passages {
            self.candidates.sort_unstable_by(|a, b| a.number.cmp(&b.number).then_with(|| a.order(b)));
            self.candidates.dedup_by_key(|candidate| candidate.number);
        }
        if self.candidates.len() >= self.limit {
            let (_, last, _) = self.candidates.select_nth_unstable_by(self.limit - 1, Candidate::order);
            self.threshold = last.score;
            self.candidates.truncate(self.limit);
        }
    }

    fn finish(mut self) -> Vec<Candidate> {
        self.settle();
        self.candidates.sort_unstable_by(Candidate::order);
        self.candidates
    }
}
