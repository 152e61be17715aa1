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
//! Where [`COARSE_FROM`] numbers or more could be allowed, the first step reads the coarse rows, half as much, and the
//! rough score is taken of those numbers alone that lie less than [`DOUBT`] deviations below the last hit by coarse score.
//!
//! Nothing in this depends on which source a row came from or on the order of rows, so a vector may move from the
//! tail into a segment, and segments may be merged, without a change in any bit of the answer.

use std::cmp::Ordering;
use std::ops::Range;

use super::open::VectorIndex;
use super::quantise::{CoarseQuery, quantise_query, usable};
use super::reach::{Reach, Worst};
use super::segment::Segment;
use super::tail::VectorTail;
use crate::base::node_set::NodeSet;
use crate::base::time::Deadline;
use crate::index::simd::{Kernel, dot_exact, dot_exact_bytes};

/// From how many numbers on coarse rows are read first: of fewer, too large a part lies within the doubt.
const COARSE_FROM: u64 = 1 << 15;
/// How many standard deviations of its error a coarse score is believed to be off at most; more is met once in a thousand
/// million rows.
const DOUBT: f32 = 6.0;
/// Rows between two looks at the deadline.
const STRIDE: usize = 1024;
/// For how many candidates room is made at once.
const ROOM: usize = 1_200;
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
    let means = Means { kernel: Kernel::best(), coarse: allowed.bound() >= COARSE_FROM };
    search_with(means, index, tail, query, allowed, limit, deadline)
}

/// How a search computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    pub(super) kernel: Kernel,
    /// True if coarse rows are read first.
    pub(super) coarse: bool,
}

/// The search by means of the caller's choice.
pub(super) fn search_with(
    means: Means,
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
    let kernel = means.kernel;
    let rough = quantise_query(query);
    let coarse = means.coarse.then(|| CoarseQuery::new(query));
    let doubt = coarse.as_ref().map_or(0.0, |coarse| DOUBT * coarse.deviation());
    let wanted = if means.coarse { limit } else { candidates(limit) };
    let mut scan = Scan { kernel, rough: &rough, coarse, doubt, best: Best::new(wanted), largest: 0.0, places: Vec::new(), deadline, visited: 0 };
    // The tail and the newest segments first: if time runs out, what is fresh was looked at.
    found.complete = scan.over(tail, 0, |number| allowed.contains(number));
    for (nth, segment) in segments.iter().enumerate().rev() {
        let live = |number| allowed.contains(number) && !tail.numbers().contains(number) && !segment.superseded.contains(number);
        found.complete = found.complete && scan.over(segment, nth + 1, live);
    }
    found.visited = scan.visited;
    let mut ranking = Ranking { kernel, rough: &rough, query, sums: Vec::new(), factors: Vec::new(), buffer: Vec::new() };
    let reach = Reach::new(query);
    let (reach_of, largest) = (&reach, scan.largest);
    let most_of = |score: f32| reach_of.of(score, largest);
    let mut candidates = scan.best.finish();
    for candidate in candidates.iter_mut().filter(|_| means.coarse) {
        match candidate.source.checked_sub(1) {
            None => ranking.look_closer(tail, candidate),
            Some(nth) => ranking.look_closer(&segments[nth], candidate),
        }
    }
    if candidates.len() > self::candidates(limit) {
        candidates.select_nth_unstable_by(self::candidates(limit), Candidate::order);
        candidates.truncate(self::candidates(limit));
    }
    let reach = |candidate: Candidate| match candidate.source.checked_sub(1) {
        None => reach_of.of(candidate.score, largest_factor(tail, candidate)),
        Some(nth) => reach_of.of(candidate.score, largest_factor(&segments[nth], candidate)),
    };
    let mut worst = Worst::new(limit);
    let mut rank = |candidate: Candidate| {
        let hit = match candidate.source.checked_sub(1) {
            None => ranking.best_unit(tail, candidate),
            Some(nth) => ranking.best_unit(&segments[nth], candidate),
        };
        found.complete &= hit.is_some();
        hit.iter().for_each(|hit| worst.note(hit.cosine));
        found.hits.extend(hit);
        // What cannot come up to this is none of the hits.
        worst.bar()
    };
    // As many as are wanted by rough score first: they set a bar that few of the others can reach.
    let first = limit.min(candidates.len());
    if first < candidates.len() {
        candidates.select_nth_unstable_by(first, Candidate::order);
    }
    let mut bar = candidates[..first].iter().fold(None, |_, candidate| rank(*candidate));
    let is_out = |bar: Option<f32>, reach: f32| bar.is_some_and(|bar| bar > reach);
    // The largest factor of all rows leaves out most without a look at their own.
    let mut others: Vec<(f32, Candidate)> = candidates[first..]
        .iter()
        .filter(|candidate| !is_out(bar, most_of(candidate.score)))
        .map(|candidate| (reach(*candidate), *candidate))
        .filter(|(reach, _)| !is_out(bar, *reach))
        .collect();
    others.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    for (reach, candidate) in others {
        if is_out(bar, reach) {
            break;
        }
        bar = rank(candidate);
    }
    found.hits.sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.number.cmp(&b.number)));
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
    fn coarse(&self, rows: Range<usize>) -> &[u8];
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

    fn coarse(&self, rows: Range<usize>) -> &[u8] {
        self.coarse(rows)
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

    fn coarse(&self, rows: Range<usize>) -> &[u8] {
        self.coarse(rows)
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
    rough: &'q [i16],
    /// Given if coarse rows are read.
    coarse: Option<CoarseQuery>,
    /// How much too low a sum may be.
    doubt: f32,
    best: Best,
    /// The largest factor of a row so far.
    largest: f32,
    /// The places in the stride of the rows that may be among the best.
    places: Vec<usize>,
    deadline: Deadline,
    visited: u64,
}

impl Scan<'_> {
    /// Looks at every row of a source; false if the deadline passed before.
    fn over<R: Rows>(&mut self, rows: &R, source: usize, live: impl Fn(u64) -> bool) -> bool {
        let count = rows.count();
        let (mut sums, mut most) = ([0_i32; STRIDE], [0.0_f32; STRIDE]);
        for start in (0..count).step_by(STRIDE) {
            if self.deadline.expired() {
                return false;
            }
            let end = count.min(start + STRIDE);
            let (sums, most) = (&mut sums[..end - start], &mut most[..end - start]);
            match &self.coarse {
                Some(query) => query.dots(self.kernel, rows.coarse(start..end), sums),
                None => self.kernel.dots(self.rough, rows.quantised(start..end), sums),
            }
            rows.factors(start, most);
            self.largest = self.kernel.scores(sums, self.doubt, most, self.best.floor, self.largest, &mut self.places);
            self.pick(rows, source, start, sums, most, &live);
            self.visited += (end - start) as u64;
        }
        self.best.flush();
        true
    }

    /// Offers the rows of a stride that may be among the best.
    fn pick<R: Rows>(&mut self, rows: &R, source: usize, start: usize, sums: &[i32], most: &[f32], live: impl Fn(u64) -> bool) {
        for &place in &self.places {
            let (most, row) = (most[place], start + place);
            if most >= self.best.floor {
                let number = rows.number(row);
                if live(number) {
                    let mut factor = [0.0];
                    rows.factors(row, &mut factor);
                    self.best.offer(Candidate { score: scored(sums[place], 0.0, factor[0]), most, number, source, row });
                }
            }
        }
    }
}

/// The coarse or rough score of a sum that may be so much too low: the cosine up to a factor that is the same for every
/// row, and up to rounding.
#[expect(clippy::cast_precision_loss, reason = "rounding is the same everywhere")]
fn scored(sum: i32, doubt: f32, factor: f32) -> f32 {
    (sum as f32 + doubt) * factor
}

/// A number, the best score of its units so far, coarse during the scan, then rough, and one of its rows.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: f32,
    /// What the score may be at most.
    most: f32,
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

/// A number that stands to others as a score to others in its total order.
fn place_in_order(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    bits ^ (bits >> 31 & i32::MAX)
}

/// The score of [`place_in_order`].
fn score_at(place: i32) -> f32 {
    f32::from_bits((place ^ (place >> 31 & i32::MAX)).cast_unsigned())
}

/// The best `wanted` numbers and those that may be as good, whatever the order in which they are offered.
struct Best {
    wanted: usize,
    /// What the worst of the best had when it was looked for last; what reaches less cannot be among them.
    floor: f32,
    /// How many are held before those that fell below are let go.
    full: usize,
    held: Vec<Candidate>,
    /// Scores to choose among, as numbers of their order; kept for its memory.
    scores: Vec<i32>,
    /// The number whose rows are being offered: they come one after the other.
    open: Option<Candidate>,
}

impl Best {
    fn new(wanted: usize) -> Self {
        let full = wanted.saturating_mul(3);
        Self { wanted, floor: f32::NEG_INFINITY, full, held: Vec::with_capacity(full.min(ROOM)), scores: Vec::new(), open: None }
    }

    fn offer(&mut self, candidate: Candidate) {
        match &mut self.open {
            Some(open) if open.number == candidate.number => {
                open.score = open.score.max(candidate.score);
                open.most = open.most.max(candidate.most);
            }
            _ => {
                self.flush();
                self.open = Some(candidate);
            }
        }
    }

    fn flush(&mut self) {
        let Some(candidate) = self.open.take() else { return };
        self.held.push(candidate);
        if self.held.len() >= self.full {
            self.cut();
            self.full = self.held.len().saturating_add(self.wanted.max(self.held.len() / 4));
        }
    }

    /// Looks for the worst of the best and lets go of what cannot reach it.
    fn cut(&mut self) {
        if self.held.len() < self.wanted {
            return;
        }
        self.scores.clear();
        self.scores.extend(self.held.iter().map(|candidate| place_in_order(candidate.score)));
        let last = self.scores.len() - self.wanted;
        let (_, worst, _) = self.scores.select_nth_unstable(last);
        let floor = score_at(*worst);
        self.floor = floor;
        self.held.retain(|candidate| candidate.most >= floor);
    }

    fn finish(mut self) -> Vec<Candidate> {
        self.flush();
        self.cut();
        self.held
    }
}

/// The rows of a candidate's number, which stand together.
fn rows_of<R: Rows>(rows: &R, candidate: Candidate) -> Range<usize> {
    let (mut start, mut end) = (candidate.row, candidate.row + 1);
    while start > 0 && rows.number(start - 1) == candidate.number {
        start -= 1;
    }
    while end < rows.count() && rows.number(end) == candidate.number {
        end += 1;
    }
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
    /// Gives a candidate its rough score, the best of its units, in place of the coarse one.
    fn look_closer<R: Rows>(&mut self, rows: &R, candidate: &mut Candidate) {
        self.look_at(rows, rows_of(rows, *candidate));
        candidate.score = self.sums.iter().zip(&self.factors).fold(f32::NEG_INFINITY, |best, (sum, factor)| best.max(scored(*sum, 0.0, *factor)));
    }

    /// Puts the sums and factors of some rows at hand.
    fn look_at<R: Rows>(&mut self, rows: &R, some: Range<usize>) {
        self.sums.resize(some.len(), 0);
        self.factors.resize(some.len(), 0.0);
        rows.factors(some.start, &mut self.factors);
        self.kernel.dots(self.rough, rows.quantised(some), &mut self.sums);
    }

    /// The nearest unit of a candidate's number; `None` if it cannot be read or no score is a number.
    fn best_unit<R: Rows>(&mut self, rows: &R, candidate: Candidate) -> Option<VectorHit> {
        let Range { start, end } = rows_of(rows, candidate);
        if end - start <= UNITS_RANKED {
            return self.nearest(rows, candidate, start..end);
        }
        let mut units: Vec<usize> = (start..end).collect();
        self.look_at(rows, start..end);
        let score = |row: usize| scored(self.sums[row - start], 0.0, self.factors[row - start]);
        units.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
        units.truncate(UNITS_RANKED);
        self.nearest(rows, candidate, units)
    }

    /// The nearest of some units of a candidate's number.
    fn nearest<R: Rows>(&mut self, rows: &R, candidate: Candidate, units: impl IntoIterator<Item = usize>) -> Option<VectorHit> {
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
