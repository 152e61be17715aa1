//! The table of vectors: one row of 4-bit values and a half-precision scale for each token.
//!
//! Weighted rows are added in the order of the tokens, each dimension on its own, in `f32`: nothing is contracted or reordered, so that every processor gives
//! the same bytes. The loops are plain; the compiler turns them into vector code.

/// The dimensions of a vector.
pub(crate) const DIMENSIONS: usize = 256;
/// The rows of the table, as many as the vocabulary has lines.
const ROWS: usize = 30_522;
/// A byte holds two values: the even dimension in its low half, the odd one in its high half.
pub(crate) const ROW_BYTES: usize = DIMENSIONS / 2;
/// Half bytes are unsigned; this stands for zero.
const ZERO: i32 = 8;

static TABLE: &[u8; ROWS * (ROW_BYTES + 2)] = include_bytes!("../data/static-256-i4.bin");

/// Writes the direction of the weighted sum of rows: length 1, or all zeros if there are none.
pub(crate) fn direction(tokens: impl Iterator<Item = (u16, f32)>, out: &mut [f32; DIMENSIONS]) {
    let mut even = [0.0_f32; ROW_BYTES];
    let mut odd = [0.0_f32; ROW_BYTES];
    for (id, weight) in tokens {
        let (row, scale) = row(usize::from(id));
        let scale = scale * weight;
        for ((byte, even), odd) in row.iter().zip(&mut even).zip(&mut odd) {
            let byte = i32::from(*byte);
            *even += ((byte & 15) - ZERO) as f32 * scale;
            *odd += ((byte >> 4) - ZERO) as f32 * scale;
        }
    }
    for ((pair, even), odd) in out.chunks_exact_mut(2).zip(even).zip(odd) {
        pair[0] = even;
        pair[1] = odd;
    }
    normalise(out);
}

/// Gives a vector the length 1; all zeros stay so.
fn normalise(vector: &mut [f32; DIMENSIONS]) {
    // Eight sums side by side, in a fixed order: one chain of 256 additions would be slow.
    let mut sums = [0.0_f32; 8];
    for eight in vector.chunks_exact(8) {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += value * value;
        }
    }
    let length = sums.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

fn row(id: usize) -> (&'static [u8], f32) {
    let (rows, scales) = TABLE.split_at(ROWS * ROW_BYTES);
    let scale = [scales[2 * id], scales[2 * id + 1]];
    (&rows[id * ROW_BYTES..][..ROW_BYTES], from_half(u16::from_le_bytes(scale)))
}

/// Widens a half-precision number that is positive, normal and finite, as all scales are.
pub(crate) fn from_half(bits: u16) -> f32 {
    // The exponent moves from bias 15 to bias 127, the fraction from 10 to 23 bits.
    f32::from_bits((u32::from(bits) << 13) + ((127 - 15) << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        assert_eq!(from_half(0x3C00), 1.0);
        assert_eq!(from_half(0x3555), 0.333_251_95);
        assert_eq!(from_half(0x0400), 2.0_f32.powi(-14));
    }

    #[test]
    fn every_scale_is_positive_normal_and_finite() {
        for id in 0..ROWS {
            let bits = u16::from_le_bytes([TABLE[ROWS * ROW_BYTES + 2 * id], TABLE[ROWS * ROW_BYTES + 2 * id + 1]]);
            assert!((0x0400..0x7C00).contains(&bits), "row {id} has scale {bits:#06x}");
        }
    }

    #[test]
    fn the_first_row_decodes_low_half_first() {
        let (row, scale) = row(0);
        let mut out = [0.0; DIMENSIONS];
        direction([(0, 1.0)].into_iter(), &mut out);
        let value = |half: u8| (i32::from(half) - 8) as f32 * scale;
        let ratio = out[0] / value(row[0] & 15);
        assert!((out[1] / value(row[0] >> 4) - ratio).abs() < ratio * 1e-6);
        assert!((out[255] / value(row[127] >> 4) - ratio).abs() < ratio * 1e-6);
    }

    #[test]
    fn a_row_counts_by_its_weight() {
        let of = |tokens: &[(u16, f32)]| {
            let mut out = [0.0; DIMENSIONS];
            direction(tokens.iter().copied(), &mut out);
            out
        };
        assert_eq!(of(&[(1999, 2.0), (2000, 1.0)]), of(&[(1999, 1.0), (1999, 1.0), (2000, 1.0)]));
        assert_ne!(of(&[(1999, 2.0), (2000, 1.0)]), of(&[(1999, 1.0), (2000, 1.0)]));
    }

    #[test]
    fn no_tokens_give_the_zero_vector_even_over_old_values() {
        let mut out = [7.0; DIMENSIONS];
        direction([].into_iter(), &mut out);
        assert_eq!(out, [0.0; DIMENSIONS]);
    }
}
