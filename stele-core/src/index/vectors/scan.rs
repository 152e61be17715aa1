//! [`search`]: the exact scan over segments and tail, and the ranking in full precision.
//!
//! 1. Every row is multiplied with the query as integers, in strides; the deadline is looked at between strides.
//! 2. A row that beats the worst of the candidates so far is asked for its number, and only then the filters are
//!    asked; so a filter costs nothing. Candidates are numbers, each at its best unit: the best `4 × limit`, at
//!    least 40, by rough score, then by number.
//! 3. Of a candidate the best four units by rough score are scored in full precision; the best one counts. Candidates
//!    whose rough score, with all that quantising can have taken from it, lies below the worst of the hits so far are
//!    left out: they could not be among them.
//!
//! Nothing in this depends on which source a row came from or on the order of rows, so a vector may move from the
//! tail into a segment, and segments may be merged, without a change in any bit of the answer.

use std::cmp::Ordering;
use std::ops::Range;

use super::open::VectorIndex;
use super::quantise::{quantise_query, usable};
use super::reach::{Reach, Worst};
use super::segment::Segment;
use super::tail::VectorTail;
use crate::base::node_set::NodeSet;
use crate::base::time::Deadline;
use crate::index::simd::{Kernel, dot_exact, dot_exact_bytes};

/// Rows between two looks at the deadline.
const STRIDE: usize = 1024;
/// Candidates for each hit asked for, and at least.
const CANDIDATES_PER_HIT: usize = 4;
const CANDIDATES_MIN: usize = 40;
/// Units of one number that are scored in full precision.
const UNITS_RANKED: usize = 4;

/// A number whose best unit is near the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VectorHit {
    pub(crate) number: u64,
    /// The unit that is nearest.
    pub(crate) ordinal: u32,
    /// From -1 to 1, in full precision.
    pub(crate) cosine: f32,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VectorHits {
    /// By cosine, highest first, then by number.
    pub(crate) hits: Vec<VectorHit>,
    /// False if the deadline passed before every row was looked at, if the query does not fit the index, or if a row
    /// could not be read.
    pub(crate) complete: bool,
    /// How many rows were looked at.
    pub(crate) visited: u64,
}

/// Finds the `limit` allowed numbers nearest to `query`, one hit a number; numbers of the tail are taken from the
/// tail only.
///
/// Vectors and query are of unit length. A query of zeros finds nothing.
pub(crate) fn search(index: Option<&VectorIndex>, tail: &VectorTail, query: &[f32], allowed: &NodeSet, limit: usize, deadline: Deadline) -> VectorHits {
    search_with(Kernel::best(), index, tail, query, allowed, limit, deadline)
}

/// The search with a kernel of the caller's choice.
pub(super) fn search_with(
    kernel: Kernel,
    index: Option<&VectorIndex>,
    tail: &VectorTail,
    query: &[f32],
    allowed: &NodeSet,
    limit: usize,
    deadline: Deadline,
) -> VectorHits {
    let mut found = VectorHits { hits: Vec::new(), complete: true, visited: 0 };
    let segments = index.map_or(&[][..], VectorIndex::segments);
    let fits = query.len() == tail.dimensions() && index.is_none_or(|index| index.dimensions() == query.len());
    if !fits || limit == 0 || !usable(query, query.len()) {
        found.complete = fits;
        return found;
    }
    let rough = quantise_query(query);
    let mut scan = Scan { kernel, query: &rough, best: Best::new(candidates(limit)), deadline, visited: 0 };
    // The tail and the newest segments first: if time runs out, what is fresh was looked at.
    found.complete = scan.over(tail, 0, |number| allowed.contains(number));
    for (nth, segment) in segments.iter().enumerate().rev() {
        let live = |number| allowed.contains(number) && !tail.numbers().contains(number) && !segment.superseded.contains(number);
        found.complete = found.complete && scan.over(segment, nth + 1, live);
    }
    found.visited = scan.visited;
    let mut ranking = Ranking { kernel, rough: &rough, query, sums: Vec::new(), factors: Vec::new(), buffer: Vec::new() };
    let reach = Reach::new(query);
    let reach = |candidate: Candidate| match candidate.source.checked_sub(1) {
        None => reach.of(candidate.score, largest_factor(tail, candidate)),
        Some(nth) => reach.of(candidate.score, largest_factor(&segments[nth], candidate)),
    };
    let mut candidates: Vec<(f32, Candidate)> = scan.best.finish().into_iter().map(|candidate| (reach(candidate), candidate)).collect();
    candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut worst = Worst::new(limit);
    for (reach, candidate) in candidates {
        if worst.is_above(reach) {
            break;
        }
        let hit = match candidate.source.checked_sub(1) {
            None => ranking.best_unit(tail, candidate),
            Some(nth) => ranking.best_unit(&segments[nth], candidate),
        };
        found.complete &= hit.is_some();
        hit.iter().for_each(|hit| worst.note(hit.cosine));
        found.hits.extend(hit);
    }
    found.hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.number.cmp(&b.number)));
    found.hits.truncate(limit);
    found
}

/// The vector of a number's first unit, as the tail or the segments hold it; `None` if they hold none of ordinal 0.
pub(crate) fn first_vector(index: Option<&VectorIndex>, tail: &VectorTail, number: u64) -> Option<Vec<f32>> {
    if tail.numbers().contains(number) {
        return tail.first_row(number).filter(|row| tail.ordinal(*row) == 0).map(|row| tail.exact(row).to_vec());
    }
    let index = index.filter(|index| index.dimensions() == tail.dimensions())?;
    let segment = index.segments().iter().rev().find(|segment| !segment.superseded.contains(number) && segment.first_row(number).is_some())?;
    let row = segment.first_row(number).filter(|row| segment.ordinal(*row) == 0)?;
    let mut buffer = Vec::new();
    let bytes = segment.exact_row(row, &mut buffer).ok()?;
    Some(bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
}

/// How many candidates are kept for a limit.
fn candidates(limit: usize) -> usize {
    limit.saturating_mul(CANDIDATES_PER_HIT).max(CANDIDATES_MIN)
}

/// A source of rows; all rows of a number stand together.
trait Rows {
    fn count(&self) -> usize;
    fn number(&self, row: usize) -> u64;
    fn ordinal(&self, row: usize) -> u32;
    /// Copies the factors of consecutive rows into `out`.
    fn factors(&self, from: usize, out: &mut [f32]);
    fn quantised(&self, rows: Range<usize>) -> &[u8];
    /// The product of the query and the row in full precision, read into `buffer` if need be; `None` if it cannot be read.
    fn exact_dot(&self, query: &[f32], row: usize, buffer: &mut Vec<u8>) -> Option<f32>;
}

impl Rows for VectorTail {
    fn count(&self) -> usize {
        self.numbers.len()
    }

    fn number(&self, row: usize) -> u64 {
        self.numbers[row]
    }

    fn ordinal(&self, row: usize) -> u32 {
        self.ordinals[row]
    }

    fn factors(&self, from: usize, out: &mut [f32]) {
        out.copy_from_slice(&self.factors[from..from + out.len()]);
    }

    fn quantised(&self, rows: Range<usize>) -> &[u8] {
        self.quantised(rows)
    }

    fn exact_dot(&self, query: &[f32], row: usize, _buffer: &mut Vec<u8>) -> Option<f32> {
        Some(dot_exact(query, self.exact(row)))
    }
}

impl Rows for Segment {
    fn count(&self) -> usize {
        self.rows()
    }

    fn number(&self, row: usize) -> u64 {
        self.number(row)
    }

    fn ordinal(&self, row: usize) -> u32 {
        self.ordinal(row)
    }

    fn factors(&self, from: usize, out: &mut [f32]) {
        self.factors(from, out);
    }

    fn quantised(&self, rows: Range<usize>) -> &[u8] {
        self.quantised(rows)
    }

    fn exact_dot(&self, query: &[f32], row: usize, buffer: &mut Vec<u8>) -> Option<f32> {
        self.exact_row(row, buffer).ok().map(|bytes| dot_exact_bytes(query, bytes))
    }
}

/// The first pass: integer dot products of everything.
struct Scan<'q> {
    kernel: Kernel,
    query: &'q [i16],
    best: Best,
    deadline: Deadline,
    visited: u64,
}

impl Scan<'_> {
    /// Looks at every row of a source; false if the deadline passed before.
    fn over<R: Rows>(&mut self, rows: &R, source: usize, live: impl Fn(u64) -> bool) -> bool {
        let count = rows.count();
        let (mut sums, mut scores) = ([0_i32; STRIDE], [0.0_f32; STRIDE]);
        for start in (0..count).step_by(STRIDE) {
            if self.deadline.expired() {
                return false;
            }
            let end = count.min(start + STRIDE);
            let (sums, scores) = (&mut sums[..end - start], &mut scores[..end - start]);
            self.kernel.dots(self.query, rows.quantised(start..end), sums);
            rows.factors(start, scores);
            for (score, sum) in scores.iter_mut().zip(&*sums) {
                *score = rough_score(*sum, *score);
            }
            self.pick(rows, source, start, scores, &live);
            self.visited += (end - start) as u64;
        }
        self.best.flush();
        true
    }

    /// Offers the rows of a stride that may be among the best. Most groups of eight hold none and are passed over.
    fn pick<R: Rows>(&mut self, rows: &R, source: usize, start: usize, scores: &[f32], live: impl Fn(u64) -> bool) {
        for (nth, group) in scores.chunks(8).enumerate() {
            let floor = self.best.floor;
            if !group.iter().fold(false, |any, score| any | (*score >= floor)) {
                continue;
            }
            for (at, &score) in group.iter().enumerate() {
                if score >= self.best.floor {
                    let row = start + nth * 8 + at;
                    let number = rows.number(row);
                    if live(number) {
                        self.best.offer(Candidate { score, number, source, row });
                    }
                }
            }
        }
    }
}

/// The score of the scan: the cosine up to a factor that is the same for every row, and up to rounding.
#[expect(clippy::cast_precision_loss, reason = "rounding is the same everywhere")]
fn rough_score(sum: i32, factor: f32) -> f32 {
    sum as f32 * factor
}

/// A number, its best rough score so far and one of its rows.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: f32,
    number: u64,
    /// 0 is the tail, then the segments from the oldest.
    source: usize,
    row: usize,
}

impl Candidate {
    /// Better first. Numbers differ, so this is a strict order.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number))
    }
}

/// The best `wanted` numbers, whatever the order in which they are offered.
struct Best {
    wanted: usize,
    /// What scores less cannot be among them.
    floor: f32,
    held: Vec<Candidate>,
    /// The number whose rows are being offered: they come one after the other.
    open: Option<Candidate>,
}

impl Best {
    fn new(wanted: usize) -> Self {
        Self { wanted, floor: f32::NEG_INFINITY, held: Vec::new(), open: None }
    }

    fn offer(&mut self, candidate: Candidate) {
        match &mut self.open {
            Some(open) if open.number == candidate.number => open.score = open.score.max(candidate.score),
            _ => {
                self.flush();
                self.open = Some(candidate);
            }
        }
    }

    fn flush(&mut self) {
        self.held.extend(self.open.take());
        if self.held.len() >= self.wanted.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.held.len() > self.wanted {
            let (_, worst, _) = self.held.select_nth_unstable_by(self.wanted - 1, Candidate::order);
            self.floor = worst.score;
            self.held.truncate(self.wanted);
        }
    }

    fn finish(mut self) -> Vec<Candidate> {
        self.flush();
        self.cut();
        self.held
    }
}

/// The rows of a candidate's number, which stand together.
fn rows_of<R: Rows>(rows: &R, candidate: Candidate) -> Range<usize> {
    let same = |row: &usize| rows.number(*row) == candidate.number;
    let start = (0..candidate.row).rev().take_while(same).last().unwrap_or(candidate.row);
    let end = (candidate.row + 1..rows.count()).take_while(same).last().unwrap_or(candidate.row) + 1;
    start..end
}

/// The largest factor of a candidate's units.
fn largest_factor<R: Rows>(rows: &R, candidate: Candidate) -> f32 {
    let mut factor = [0.0];
    rows_of(rows, candidate).fold(0.0, |largest: f32, row| {
        rows.factors(row, &mut factor);
        largest.max(factor[0])
    })
}

/// The second pass: candidates in full precision.
struct Ranking<'q> {
    kernel: Kernel,
    rough: &'q [i16],
    query: &'q [f32],
    sums: Vec<i32>,
    factors: Vec<f32>,
    buffer: Vec<u8>,
}

impl Ranking<'_> {
    /// The nearest unit of a candidate's number; `None` if it cannot be read or no score is a number.
    fn best_unit<R: Rows>(&mut self, rows: &R, candidate: Candidate) -> Option<VectorHit> {
        let Range { start, end } = rows_of(rows, candidate);
        let mut units: Vec<usize> = (start..end).collect();
        if units.len() > UNITS_RANKED {
            self.sums.clear();
            self.sums.resize(units.len(), 0);
            self.kernel.dots(self.rough, rows.quantised(start..end), &mut self.sums);
            self.factors.clear();
            self.factors.resize(units.len(), 0.0);
            rows.factors(start, &mut self.factors);
            let score = |row: usize| rough_score(self.sums[row - start], self.factors[row - start]);
            units.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
            units.truncate(UNITS_RANKED);
        }
        let mut best: Option<VectorHit> = None;
        for row in units {
            let cosine = rows.exact_dot(self.query, row, &mut self.buffer)?.clamp(-1.0, 1.0);
            let hit = VectorHit { number: candidate.number, ordinal: rows.ordinal(row), cosine };
            let nearer = |held: VectorHit| cosine > held.cosine || (cosine == held.cosine && hit.ordinal < held.ordinal);
            if cosine.is_finite() && best.is_none_or(nearer) {
                best = Some(hit);
            }
        }
        best
    }
}
