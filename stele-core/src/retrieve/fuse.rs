//! Fusion: one order from the hits of two searches. The only place where words and meaning are weighed.
//!
//! The score of a text hit says how much of what could be attained it attains, so it compares between queries. Meaning
//! adds to it as much as the embedder deserves, the more the less of the query the best text hit covers: where words agree,
//! they decide; where they fail, meaning does.

use crate::index::text::TextHits;
use crate::index::vectors::VectorHit;

/// The share of the embedder's weight that counts however much the words cover; tuned over all sets.
const LEAST_SHARE: f32 = 0.1;
/// What the nearest hits by meaning get for their place alone, of the embedder's weight: this over offset and place.
const PLACE_SHARE: f32 = 0.8;
/// Keeps the first places close to each other.
const PLACE_OFFSET: f32 = 10.0;
/// How far the words that a hit shares with the query lower the floor that its nearness must reach.
const WORDS_FOR_MEANING: f32 = 0.75;
/// How much higher than for a hit by itself the bar is that one hit must take lest the whole query bear on nothing: of all
/// the nodes of a record one is always the nearest.
const BEARING: f32 = 1.08;
/// The share of a query's nearness to what is written everywhere that does not count, where the embedder knows it.
const COMMON_SHARE: f32 = 0.8;
/// The bar for what is left of a cosine then; tuned over all sets, as [`BEARING`] is.
const BEYOND_COMMON: f32 = 0.171;
/// The share of the query's idf mass from which on a hit states what the query says.
const STATED: f32 = 0.9;

/// A node that search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fused {
    pub(crate) number: u64,
    /// The passage that answers best.
    pub(crate) ordinal: u32,
    pub(crate) score: f32,
    /// Its place among the text hits, from 1.
    pub(crate) text_rank: Option<u32>,
    /// Its place among the hits by meaning, from 1.
    pub(crate) semantic_rank: Option<u32>,
    /// True if it shares a rare word with the query or is near enough in meaning for the words that it shares; what is
    /// neither is no seed.
    pub(crate) telling: bool,
    /// True if it holds nearly every word that the query says.
    pub(crate) stated: bool,
}

/// The hits of both searches in one order: best first, equal scores by number.
///
/// `limit` is how many hits by meaning were asked for: what is not among so many is not nearer than the last of them, and
/// counts as if it were as near, lest the cut decide between two that are alike.
pub(crate) fn fuse(text: &TextHits, meaning: &[VectorHit], limit: usize, weight: f32, floor: f32) -> Vec<Fused> {
    let covered = text.hits.first().map_or(0.0, |best| best.coverage);
    let of_cosine = weight * (LEAST_SHARE + (1.0 - LEAST_SHARE) * (1.0 - covered));
    let all_are_listed = meaning.len() < limit;
    let last = meaning.last().filter(|_| !all_are_listed).map_or(0.0, |last| last.cosine.max(0.0));
    let rest = of_cosine * last;
    let mut fused: Vec<Fused> = Vec::with_capacity(text.hits.len() + meaning.len());
    for (rank, hit) in (1..).zip(&text.hits) {
        let telling = hit.rare || (last > 0.0 && is_near(last, hit.coverage, floor));
        let stated = hit.coverage >= STATED;
        fused.push(Fused { number: hit.number, ordinal: hit.ordinal, score: hit.score + rest, text_rank: Some(rank), semantic_rank: None, telling, stated });
    }
    let places = sorted(text.hits.iter().enumerate().map(|(place, hit)| (hit.number, place)));
    for (rank, hit) in (1..).zip(meaning) {
        let place = find(&places, hit.number);
        let coverage = place.map_or(0.0, |place| text.hits[place].coverage);
        let place = place.unwrap_or_else(|| {
            let (number, ordinal) = (hit.number, hit.ordinal);
            fused.push(Fused { number, ordinal, score: rest, text_rank: None, semantic_rank: None, telling: false, stated: false });
            fused.len() - 1
        });
        let held = &mut fused[place];
        held.semantic_rank = Some(rank);
        #[expect(clippy::cast_precision_loss, reason = "places are few")]
        let place = weight * PLACE_SHARE / (PLACE_OFFSET + rank as f32);
        held.score += of_cosine * hit.cosine.max(0.0) - rest + place;
        held.telling |= is_near(hit.cosine, coverage, floor);
    }
    fused.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
    fused
}

/// Values by number, for [`find`].
fn sorted<T>(values: impl Iterator<Item = (u64, T)>) -> Vec<(u64, T)> {
    let mut values: Vec<(u64, T)> = values.collect();
    values.sort_unstable_by_key(|(number, _)| *number);
    values
}

fn find<T: Copy>(sorted: &[(u64, T)], number: u64) -> Option<T> {
    sorted.binary_search_by_key(&number, |(number, _)| *number).ok().map(|at| sorted[at].1)
}

/// True if a hit is near enough in meaning for the share of the query's words that it holds.
fn is_near(cosine: f32, coverage: f32, floor: f32) -> bool {
    cosine >= floor * (1.0 - WORDS_FOR_MEANING * coverage)
}

/// How near in meaning one hit must be lest the whole query bear on nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    /// What every hit is near by, whatever the record is about.
    common: f32,
    /// What is asked beyond that of a hit that shares no word with the query.
    beyond: f32,
}

impl Bar {
    /// The bar for an embedder with a floor, and for a query whose nearness to what is written everywhere it may know.
    pub(crate) fn of(floor: f32, common: Option<f32>) -> Self {
        common.map_or(Self { common: 0.0, beyond: floor * BEARING }, |common| Self { common: COMMON_SHARE * common, beyond: BEYOND_COMMON })
    }

    fn is_taken(self, cosine: f32, coverage: f32) -> bool {
        is_near(cosine - self.common, coverage, self.beyond)
    }
}

/// True if one hit is near enough in meaning for the words that it shares with the query, cannot be compared by
/// meaning, or states what the query says: a query that merely happens to use a rare word of the record is about something
/// else.
pub(crate) fn bears(text: &TextHits, meaning: &[VectorHit], limit: usize, bar: Bar) -> bool {
    let near = sorted(meaning.iter().map(|hit| (hit.number, hit.cosine)));
    // Where the list is full, what is not on it is at most as near as the last; else it has no vector.
    let unlisted = meaning.last().filter(|_| meaning.len() >= limit).map(|last| last.cosine);
    meaning.first().is_some_and(|nearest| bar.is_taken(nearest.cosine, 0.0))
        || text.hits.iter().any(|hit| match find(&near, hit.number).or(unlisted) {
            Some(cosine) => bar.is_taken(cosine, hit.coverage) || (hit.rare && hit.coverage >= STATED),
            None => hit.rare,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::text::TextHit;

    fn text(hits: &[(u64, f32, f32, bool)]) -> TextHits {
        let hits = hits
            .iter()
            .map(|(number, score, coverage, rare)| TextHit { number: *number, ordinal: 0, score: *score, rare: *rare, coverage: *coverage })
            .collect();
        TextHits { hits, complete: true, ..TextHits::default() }
    }

    fn near(hits: &[(u64, f32)]) -> Vec<VectorHit> {
        hits.iter().map(|(number, cosine)| VectorHit { number: *number, ordinal: 0, cosine: *cosine }).collect()
    }

    fn numbers(fused: &[Fused]) -> Vec<u64> {
        fused.iter().map(|hit| hit.number).collect()
    }

    #[test]
    fn where_words_cover_the_query_they_decide_and_where_they_fail_meaning_does() {
        let meaning = near(&[(2, 0.8), (1, 0.5)]);
        assert_eq!(numbers(&fuse(&text(&[(1, 0.7, 1.0, true), (2, 0.5, 0.8, true)]), &meaning, 10, 0.6, 0.4)), [1, 2]);
        assert_eq!(numbers(&fuse(&text(&[(1, 0.1, 0.1, true), (2, 0.05, 0.1, true)]), &meaning, 10, 0.6, 0.4)), [2, 1]);
        assert_eq!(numbers(&fuse(&text(&[]), &meaning, 10, 0.6, 0.4)), [2, 1]);
    }

    #[test]
    fn the_best_text_hit_alone_says_how_much_the_words_cover() {
        let meaning = near(&[(2, 0.9), (1, 0.3)]);
        assert_eq!(numbers(&fuse(&text(&[(1, 0.3, 0.2, true), (2, 0.25, 1.0, true)]), &meaning, 10, 0.6, 0.4)), [2, 1]);
        assert_eq!(numbers(&fuse(&text(&[(1, 0.3, 1.0, true), (2, 0.25, 0.2, true)]), &meaning, 10, 0.6, 0.4)), [1, 2]);
    }

    #[test]
    fn a_hit_without_a_rare_word_and_under_the_floor_tells_nothing() {
        let fused = fuse(&text(&[(1, 0.5, 0.5, false), (2, 0.5, 0.5, true)]), &near(&[(3, 0.5), (4, 0.3), (1, 0.2)]), 10, 0.6, 0.4);
        let telling: Vec<u64> = fused.iter().filter(|hit| hit.telling).map(|hit| hit.number).collect();
        assert_eq!(telling.len(), 2);
        assert!(telling.contains(&2) && telling.contains(&3));
    }

    #[test]
    fn what_a_full_list_leaves_out_is_as_near_as_its_last_and_what_a_short_one_leaves_out_is_not_near() {
        let found = text(&[(1, 0.5, 0.5, false)]);
        let meaning = near(&[(2, 0.6), (3, 0.3)]);
        let of_words = |limit| fuse(&found, &meaning, limit, 0.6, 0.4).into_iter().find(|hit| hit.number == 1).expect("a hit by words");
        let (full, short) = (of_words(2), of_words(3));
        assert_eq!((full.telling, short.telling, short.score), (true, false, 0.5));
        assert!((full.score - short.score - 0.6 * 0.55 * 0.3).abs() < 1e-6, "{full:?}");
        let rare = text(&[(1, 0.2, 0.0, true)]);
        let bears = |limit| bears(&rare, &near(&[(2, 0.2)]), limit, Bar::of(0.4, None));
        assert!(!bears(1) && bears(2), "one beyond a full list is as far as its last, one beyond a short list has no vector");
    }

    #[test]
    fn what_points_away_in_meaning_takes_nothing_from_a_hit_by_words() {
        let found = text(&[(1, 0.5, 0.5, true), (2, 0.5, 0.5, true)]);
        // A full list, whose last is all that is known of the second hit.
        let fused = fuse(&found, &near(&[(1, -0.4)]), 1, 0.6, 0.4);
        let first_place = 0.6 * PLACE_SHARE / (PLACE_OFFSET + 1.0);
        assert_eq!(fused.iter().map(|hit| hit.score).collect::<Vec<_>>(), [0.5 + first_place, 0.5]);
    }

    #[test]
    fn the_more_words_a_hit_shares_the_less_near_it_need_be() {
        let shares = |coverage| fuse(&text(&[(1, 0.5, coverage, false)]), &near(&[(1, 0.3)]), 10, 0.6, 0.4)[0].telling;
        assert!(shares(1.0) && shares(0.5) && !shares(0.1));
    }

    #[test]
    fn a_rare_word_alone_bears_on_nothing_but_where_there_is_no_meaning_to_compare() {
        let found = text(&[(1, 0.2, 0.2, true)]);
        assert!(!bears(&found, &near(&[(1, 0.2)]), 10, Bar::of(0.4, None)));
        assert!(bears(&found, &near(&[(1, 0.37)]), 10, Bar::of(0.4, None)));
        assert!(bears(&found, &near(&[(2, 0.1)]), 10, Bar::of(0.4, None)), "a hit without a vector");
        assert!(bears(&found, &[], 10, Bar::of(0.4, None)), "no embedder");
    }

    #[test]
    fn what_holds_nearly_every_word_of_a_query_bears_on_it_however_far_it_is() {
        let bears_with = |coverage, rare| bears(&text(&[(1, 0.9, coverage, rare)]), &near(&[(1, -0.2)]), 10, Bar::of(0.4, Some(0.5)));
        assert!(bears_with(0.95, true));
        assert!(!bears_with(0.85, true) && !bears_with(0.95, false));
    }

    #[test]
    fn a_whole_query_must_come_nearer_than_a_hit_by_itself() {
        let near_one = near(&[(1, 0.42)]);
        assert!(fuse(&text(&[]), &near_one, 10, 0.6, 0.4)[0].telling);
        assert!(!bears(&text(&[]), &near_one, 10, Bar::of(0.4, None)));
        assert!(bears(&text(&[]), &near(&[(1, 0.44)]), 10, Bar::of(0.4, None)));
    }

    #[test]
    fn the_nearer_a_query_is_to_what_is_written_everywhere_the_nearer_a_hit_must_be() {
        let takes = |cosine, coverage, common| {
            let found = text(&[(1, 0.2, coverage, true)]);
            bears(&found, &near(&[(1, cosine)]), 10, Bar::of(0.4, Some(common)))
        };
        assert!(takes(0.5, 0.0, 0.4) && !takes(0.5, 0.0, 0.5));
        assert!(takes(0.5, 0.5, 0.45) && !takes(0.4, 0.5, 0.45), "shared words lower what is asked beyond it");
    }

    #[test]
    fn equal_scores_stand_by_number_and_no_hit_gives_no_order() {
        assert_eq!(numbers(&fuse(&text(&[(9, 0.5, 0.5, true), (3, 0.5, 0.5, true)]), &[], 10, 0.6, 0.4)), [3, 9]);
        assert!(fuse(&text(&[]), &[], 10, 0.6, 0.4).is_empty());
    }
}
