//! How near a query lies to what is written everywhere: to the texts about programming in general that come with the
//! built-in embedder.

use std::sync::LazyLock;

use stele_model::{COMMON_TEXTS, DIMENSIONS};

use super::simd::{COARSE_STEP, Kernel};

/// So many of the nearest count: one may be near by chance.
const NEAREST: usize = 8;
/// Rows that are looked at together.
const STRIDE: usize = 256;
/// What each row is to be multiplied by.
static SCALES: LazyLock<Vec<f32>> = LazyLock::new(|| stele_model::common_scales().collect());
const _: () = assert!(COMMON_TEXTS.is_multiple_of(STRIDE), "every row stands in a stride");
/// What stands for zero in half a byte.
const ZERO: i32 = 8;

/// The mean cosine of a vector of unit length to those of the texts that are nearest to it; 0 for a vector of zeros.
pub(super) fn nearness(vector: &[f32; DIMENSIONS]) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let steps = f32::from(i8::MAX) / largest;
    let query = in_halves(vector, steps);
    #[expect(clippy::cast_precision_loss, reason = "below 2^24")]
    let zero = (ZERO * query.iter().map(|value| i32::from(*value)).sum::<i32>()) as f32;
    let kernel = Kernel::best();
    let (mut sums, mut cosines, mut places) = ([0; STRIDE], [0.0; STRIDE], Vec::with_capacity(STRIDE));
    // In steps of the query.
    let mut nearest = [f32::NEG_INFINITY; NEAREST];
    for (rows, scales) in stele_model::common_rows().chunks_exact(STRIDE * DIMENSIONS / 2).zip(SCALES.chunks_exact(STRIDE)) {
        cosines.copy_from_slice(scales);
        kernel.coarse_dots(&query, rows, &mut sums);
        kernel.scores(&sums, -zero, &mut cosines, nearest[NEAREST - 1], 0.0, &mut places);
        places.iter().for_each(|place| keep(&mut nearest, cosines[*place]));
    }
    nearest.iter().sum::<f32>() / nearest.len() as f32 / steps
}

/// A vector in whole steps, in the order of [`COARSE_STEP`]: the rows hold even dimensions in the lower halves of their bytes.
fn in_halves(vector: &[f32; DIMENSIONS], steps: f32) -> [i8; DIMENSIONS] {
    let mut query = [0; DIMENSIONS];
    for (values, places) in vector.chunks_exact(2 * COARSE_STEP).zip(query.chunks_exact_mut(2 * COARSE_STEP)) {
        let (even, odd) = places.split_at_mut(COARSE_STEP);
        for ((pair, even), odd) in values.chunks_exact(2).zip(even).zip(odd) {
            #[expect(clippy::cast_possible_truncation, reason = "at most 127 in size")]
            let step = |value: f32| (value * steps).round() as i8;
            (*even, *odd) = (step(pair[0]), step(pair[1]));
        }
    }
    query
}

/// Puts a number at its place among the largest, which fall; the least of them goes.
fn keep(nearest: &mut [f32; NEAREST], cosine: f32) {
    if cosine > nearest[NEAREST - 1] {
        let place = nearest.partition_point(|other| *other >= cosine);
        nearest[place..].rotate_right(1);
        nearest[place] = cosine;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of a text, from its row.
    fn text(n: usize) -> [f32; DIMENSIONS] {
        let row = &stele_model::common_rows()[n * DIMENSIONS / 2..];
        let scale = stele_model::common_scales().nth(n).expect("a text");
        std::array::from_fn(|at| {
            let half = i16::from(if at % 2 == 0 { row[at / 2] & 15 } else { row[at / 2] >> 4 });
            f32::from(half - 8) * scale
        })
    }

    #[test]
    fn every_text_is_one_long() {
        for n in 0..COMMON_TEXTS {
            let length = text(n).iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-3, "text {n} has length {length}");
        }
    }

    #[test]
    fn nearness_is_the_mean_of_the_eight_greatest_cosines() {
        for n in [0, 7, 2_047] {
            let vector = text(n);
            let mut cosines: Vec<f32> = (0..COMMON_TEXTS).map(|n| text(n).iter().zip(&vector).map(|(a, b)| a * b).sum()).collect();
            cosines.sort_by(|a, b| b.total_cmp(a));
            let mean = cosines[..NEAREST].iter().sum::<f32>() / 8.0;
            assert!((nearness(&vector) - mean).abs() < 3e-3, "{} against {mean}", nearness(&vector));
        }
        assert_eq!(nearness(&[0.0; DIMENSIONS]), 0.0);
    }

    #[test]
    fn nearness_is_that_of_the_reference() {
        for (text, reference) in [
            ("return the length of a list", 0.4078),
            ("python how to read a file line by line", 0.4161),
            ("Which modal specular colour has the landing page?", 0.3126),
            ("the sherpa crossed the glacier at dawn", 0.2166),
            ("open the database in write-ahead mode", 0.393),
        ] {
            let found = nearness(&stele_model::embed_weighted(text));
            assert!((found - reference).abs() < 2e-3, "{text}: {found}");
        }
    }

    #[test]
    fn the_largest_are_kept_in_order() {
        let mut nearest = [-1.0; NEAREST];
        for cosine in [0.1, 0.9, 0.5, 0.5, 0.2, 0.3, 0.8, 0.7, 0.6, 0.0] {
            keep(&mut nearest, cosine);
        }
        assert_eq!(nearest, [0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.3, 0.2]);
    }
}
