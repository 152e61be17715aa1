//! How high the cosine of a row can be, judged by its rough score, and which rows that leaves out.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::quantise::query_scale;

/// Bounds the cosines of one query.
pub(super) struct Reach {
    /// What the query was multiplied with.
    scale: f64,
    /// What is lost at most in a row of factor 1.
    lost: f64,
}

impl Reach {
    pub(super) fn new(query: &[f32]) -> Self {
        let scale = f64::from(query_scale(query));
        #[expect(clippy::cast_precision_loss, reason = "at most 16,384")]
        let dimensions = query.len() as f64;
        let sum: f64 = query.iter().map(|x| f64::from(x.abs())).sum();
        // Each number of a row and of the query is off by half a step, and every float addition rounds once.
        let of_row = 0.501 * sum;
        let of_query = 0.501 / scale * 127.0 * dimensions;
        let of_sums = 127.5 * sum * (dimensions + 16.0) * f64::from(f32::EPSILON);
        Self { scale, lost: of_row + of_query + of_sums }
    }

    /// What no row of at most that rough score and that factor exceeds.
    pub(super) fn of(&self, score: f32, factor: f32) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "what rounding takes is added")]
        let reach = (f64::from(score) / self.scale + f64::from(factor) * self.lost) as f32;
        reach + f32::EPSILON
    }
}

/// The worst among the best cosines so far.
pub(super) struct Worst {
    wanted: usize,
    best: BinaryHeap<Reverse<Total>>,
}

/// A float in its total order.
#[derive(Clone, Copy, Debug)]
struct Total(f32);

impl Ord for Total {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Total {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Total {}

impl Worst {
    /// The worst of as many as are wanted, at least one.
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, best: BinaryHeap::new() }
    }

    pub(super) fn note(&mut self, cosine: f32) {
        if self.bar().is_some_and(|worst| cosine <= worst) {
            return;
        }
        self.best.push(Reverse(Total(cosine)));
        if self.best.len() > self.wanted {
            self.best.pop();
        }
    }

    /// The worst of them, once there are as many as are wanted.
    pub(super) fn bar(&self) -> Option<f32> {
        self.best.peek().filter(|_| self.best.len() == self.wanted).map(|worst| worst.0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantise::{quantise_query, quantise_row};
    use super::*;
    use crate::index::simd::dot_exact;

    #[test]
    fn no_cosine_exceeds_its_reach_and_the_reach_is_near() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / 8_388_608.0 - 1.0).powi(3)
        };
        for dimensions in [1, 3, 32, 256, 1_000] {
            for _ in 0..300 {
                let mut vector = || {
                    let mut vector: Vec<f32> = (0..dimensions).map(|_| next()).collect();
                    let length = dot_exact(&vector, &vector).sqrt();
                    vector.iter_mut().for_each(|x| *x /= length);
                    vector
                };
                let (query, row) = (vector(), vector());
                let mut bytes = Vec::new();
                let factor = quantise_row(&row, &mut bytes);
                let sum: i32 = quantise_query(&query).iter().zip(&bytes).map(|(x, byte)| i32::from(*x) * i32::from(byte.cast_signed())).sum();
                let (cosine, reach) = (dot_exact(&query, &row), Reach::new(&query).of(sum as f32 * factor, factor));
                assert!(cosine <= reach, "{dimensions}: {cosine} above {reach}");
                assert!(dimensions == 1_000 || reach < cosine + 0.05, "{dimensions}: {reach} says nothing of {cosine}");
            }
        }
    }

    #[test]
    fn the_worst_is_known_once_as_many_as_wanted_are_noted() {
        let mut worst = Worst::new(2);
        worst.note(0.9);
        assert_eq!(worst.bar(), None);
        worst.note(0.5);
        worst.note(0.7);
        assert_eq!(worst.bar(), Some(0.7));
    }
}
