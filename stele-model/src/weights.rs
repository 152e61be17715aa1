//! How much each token counts in a weighted mean.
//!
//! A plain mean lets the tail of a long text and the words it repeats drown what the text is
//! about. So a token counts less the further down it stands, and less each time it comes back.
//! Both factors are fixed numbers and not fitted to a collection: the vector of a text depends on
//! that text alone.

use crate::words::MAX_TOKENS;

/// The position, counted from 0, at which a token counts half.
const HALF_WAY: f32 = 64.0;

/// Pairs each token with its weight: `1 / ((1 + position / 64) * sqrt(k))` for the `k`-th token of
/// that id. The steps are exact or correctly rounded everywhere, so weights have the same bits.
pub(crate) fn weighted(ids: &[u16]) -> impl Iterator<Item = (u16, f32)> {
    assert!(ids.len() <= MAX_TOKENS, "positions and counts fit in 16 bits");
    ids.iter().zip(0_u16..).map(move |(id, position)| {
        let before = ids[..usize::from(position)].iter().fold(0_u16, |count, other| count + u16::from(other == id));
        let distance = 1.0 + f32::from(position) / HALF_WAY;
        (*id, 1.0 / (distance * f32::from(before + 1).sqrt()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(ids: &[u16]) -> Vec<f32> {
        weighted(ids).map(|(_, weight)| weight).collect()
    }

    #[test]
    fn the_first_token_counts_whole_and_the_sixty_fifth_half() {
        let ids: Vec<u16> = (0..65).collect();
        let weights = weights(&ids);
        assert_eq!((weights[0], weights[64]), (1.0, 0.5));
        assert!(weights.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn a_token_counts_less_each_time_it_comes_back() {
        let weights = weights(&[7, 8, 7, 7, 7]);
        let at = |position: f32| 1.0 + position / 64.0;
        assert_eq!(weights[1], 1.0 / at(1.0));
        assert_eq!(weights[2], 1.0 / (at(2.0) * 2.0_f32.sqrt()));
        assert_eq!(weights[4], 1.0 / (at(4.0) * 2.0));
    }

    #[test]
    fn ids_stay_as_they_are() {
        let ids = [3, 1, 3];
        assert_eq!(weighted(&ids).map(|(id, _)| id).collect::<Vec<_>>(), ids);
    }
}
