//! From floats to small integers, by one rule each for rows and queries, and what counts as a vector at all.
//!
//! A row becomes signed bytes from -127 to 127 and one factor; a query keeps 16 bits, which leaves the row as the only
//! source of error. Of each byte of a row the upper half is kept by itself as well, for a scan that reads half as much.

use crate::index::simd::{COARSE_STEP, Kernel, ROW_STEP};

/// The longest vector that the index takes, in dimensions.
pub(crate) const MAX_DIMENSIONS: usize = 16_384;

/// The bytes of a quantised row: one a dimension, padded so that rows stay aligned.
pub(super) fn row_bytes(dimensions: usize) -> usize {
    dimensions.next_multiple_of(ROW_STEP)
}

/// True for a vector that the index takes; all zeros say nothing and are left out.
pub(super) fn usable(vector: &[f32], dimensions: usize) -> bool {
    vector.len() == dimensions && vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0)
}

/// The units of a number as the index keeps them: usable, by ordinal, the last of equal ordinals.
pub(super) fn ordered_units<'v>(units: &[(u32, &'v [f32])], dimensions: usize) -> Vec<(u32, &'v [f32])> {
    let mut kept: Vec<_> = units.iter().copied().filter(|(_, vector)| usable(vector, dimensions)).collect();
    kept.reverse();
    kept.sort_by_key(|(ordinal, _)| *ordinal);
    kept.dedup_by_key(|(ordinal, _)| *ordinal);
    kept
}

/// Appends the quantised row of `vector` to `out` and returns its factor: value = byte × factor.
pub(super) fn quantise_row(vector: &[f32], out: &mut Vec<u8>) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let inverse = 127.0 / largest;
    let padded = out.len() + row_bytes(vector.len());
    #[expect(clippy::cast_possible_truncation, reason = "at most 127 in size; what is no number becomes 0")]
    out.extend(vector.iter().map(|x| (nearest(x * inverse) as i8).cast_unsigned()));
    out.resize(padded, 0);
    largest / 127.0
}

/// The bytes of a coarse row: half a one a dimension, padded so that rows stay aligned.
pub(super) fn coarse_bytes(dimensions: usize) -> usize {
    dimensions.next_multiple_of(2 * COARSE_STEP) / 2
}

/// Appends the coarse form of a quantised row to `out`: its bytes in sixteen steps, from 0.
pub(super) fn coarse_row(quantised: &[u8], out: &mut Vec<u8>) {
    for bytes in quantised.chunks(2 * COARSE_STEP) {
        let (first, second) = bytes.split_at(COARSE_STEP);
        let step = |byte: &u8| (byte ^ 0x80) >> 4;
        let start = out.len();
        out.extend(first.iter().map(step));
        out[start..].iter_mut().zip(second).for_each(|(out, byte)| *out |= step(byte) << 4);
    }
}

/// A query for coarse rows.
pub(super) struct CoarseQuery {
    /// As 8-bit integers, padded like a row.
    numbers: Vec<i8>,
    /// Fifteen times their sum: half of that is what a row of middle steps gives.
    middle: i32,
}

impl CoarseQuery {
    pub(super) fn new(query: &[f32]) -> Self {
        let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        #[expect(clippy::cast_possible_truncation, reason = "at most 127 in size; what is no number becomes 0")]
        let mut numbers: Vec<i8> = query.iter().map(|x| nearest(x * (127.0 / largest)) as i8).collect();
        let middle = numbers.iter().map(|number| 15 * i32::from(*number)).sum();
        numbers.resize(2 * coarse_bytes(query.len()), 0);
        Self { numbers, middle }
    }

    /// Multiplies with consecutive coarse rows, one sum a row: twice the product in steps.
    pub(super) fn dots(&self, kernel: Kernel, rows: &[u8], sums: &mut [i32]) {
        kernel.coarse_dots(&self.numbers, rows, sums);
        sums.iter_mut().for_each(|sum| *sum = 2 * *sum - self.middle);
    }

    /// The standard deviation of a sum for what the steps leave out of a row: evenly up to half of one at each place.
    pub(super) fn deviation(&self) -> f32 {
        let squares: f32 = self.numbers.iter().map(|number| f32::from(*number).powi(2)).sum();
        2.0 * (squares / 12.0).sqrt()
    }
}

/// A query as 16-bit integers, padded like a row; its own factor is left out, since it does not change the order.
///
/// The range is cut so that no sum over a row leaves 32 bits, even over a row of damaged bytes.
pub(super) fn quantise_query(query: &[f32]) -> Vec<i16> {
    let scale = query_scale(query);
    #[expect(clippy::cast_possible_truncation, reason = "at most 32767 in size; what is no number becomes 0")]
    let mut out: Vec<i16> = query.iter().map(|x| nearest(x * scale) as i16).collect();
    out.resize(row_bytes(query.len()), 0);
    out
}

/// What a query is multiplied with before its numbers become integers.
pub(super) fn query_scale(query: &[f32]) -> f32 {
    let bound = (i32::MAX as usize / (128 * row_bytes(query.len()))).min(i16::MAX as usize);
    let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    #[expect(clippy::cast_precision_loss, reason = "at most 32767")]
    let scale = bound as f32 / largest;
    scale
}

/// Moves a float so that cutting its fraction rounds it, halves away from zero.
fn nearest(x: f32) -> f32 {
    x + 0.5_f32.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_within_half_a_step() {
        let vector: Vec<f32> = (0..40).map(|n| ((n * 37 % 41) as f32 - 20.0) / 90.0).collect();
        let mut bytes = Vec::new();
        let factor = quantise_row(&vector, &mut bytes);
        assert_eq!(bytes.len(), 64);
        assert!(bytes[40..].iter().all(|byte| *byte == 0));
        for (x, byte) in vector.iter().zip(&bytes) {
            assert!((x - f32::from(byte.cast_signed()) * factor).abs() <= factor * 0.5001);
        }
    }

    #[test]
    fn a_coarse_row_is_near_its_row_and_padding_adds_nothing() {
        for dimensions in [1, 32, 40, 64, 100, 256] {
            let vector: Vec<f32> = (0..dimensions).map(|n| ((n * 37 % 41) as f32 - 20.0) / 90.0).collect();
            let (mut row, mut coarse) = (Vec::new(), Vec::new());
            let factor = quantise_row(&vector, &mut row);
            coarse_row(&row, &mut coarse);
            assert_eq!(coarse.len(), coarse_bytes(dimensions));
            for (place, x) in vector.iter().enumerate() {
                let mut unit = vec![0.0; dimensions];
                unit[place] = 1.0;
                let query = CoarseQuery::new(&unit);
                let mut sums = [0];
                query.dots(Kernel::best(), &coarse, &mut sums);
                // A step is 16 bytes wide, and a sum twice 127 times as many steps.
                assert!((sums[0] as f32 / 254.0 * 16.0 * factor - x).abs() <= factor * 8.51, "{dimensions}, {place}");
            }
        }
    }

    #[test]
    fn no_sum_leaves_32_bits_at_any_width() {
        for dimensions in [1, 32, 256, 4096, MAX_DIMENSIONS] {
            let query = quantise_query(&vec![-1.0; dimensions]);
            let worst: i64 = query.iter().map(|x| i64::from(*x) * -128).sum();
            assert!(worst > 0 && worst <= i64::from(i32::MAX), "{dimensions}: {worst}");
        }
    }

    #[test]
    fn what_is_no_vector_is_left_out_and_the_last_of_equal_ordinals_stays() {
        let (good, other, nan, zero) = ([1.0, 0.0], [0.0, 1.0], [f32::NAN, 1.0], [0.0, 0.0]);
        let units: [(u32, &[f32]); 6] = [(2, &good), (1, &good), (1, &other), (3, &nan), (4, &zero), (5, &good[..1])];
        assert_eq!(ordered_units(&units, 2), [(1, &other[..]), (2, &good[..])]);
    }
}
