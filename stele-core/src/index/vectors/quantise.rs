//! From floats to small integers, by one rule each for rows and queries, and what counts as a vector at all.
//!
//! A row becomes signed bytes from -127 to 127 and one factor; a query keeps 16 bits, which costs the scan nothing
//! more and leaves the row as the only source of error.

use crate::index::simd::ROW_STEP;

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
