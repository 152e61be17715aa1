//! Fusion: one order from the hits of two searches. The only place where words and meaning are weighed.
//!
//! The score of a text hit says how much of what could be attained it attains, so it compares between queries. Meaning
//! adds to it as much as the embedder deserves, the more the less of the query the best text hits cover: where words agree,
//! they decide; where they fail, meaning does.

use std::collections::BTreeMap;

use crate::index::text::TextHits;
use crate::index::vectors::VectorHit;

/// The share of the embedder's weight that counts however much the words cover.
const LEAST_SHARE: f32 = 0.25;
/// How many of the best text hits say how much the words cover.
const TELLING_HITS: usize = 3;

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
    /// True if it shares a rare word with the query or is near it in meaning; what is neither is no seed.
    pub(crate) telling: bool,
}

/// The hits of both searches in one order: best first, equal scores by number.
pub(crate) fn fuse(text: &TextHits, meaning: &[VectorHit], weight: f32, floor: f32) -> Vec<Fused> {
    let covered = text.hits.iter().take(TELLING_HITS).map(|hit| hit.coverage).fold(0.0, f32::max);
    let weight = weight * (LEAST_SHARE + (1.0 - LEAST_SHARE) * (1.0 - covered));
    let mut fused: BTreeMap<u64, Fused> = BTreeMap::new();
    for (rank, hit) in (1..).zip(&text.hits) {
        fused.insert(
            hit.number,
            Fused { number: hit.number, ordinal: hit.ordinal, score: hit.score, text_rank: Some(rank), semantic_rank: None, telling: hit.rare },
        );
    }
    for (rank, hit) in (1..).zip(meaning) {
        let held = fused.entry(hit.number).or_insert(Fused {
            number: hit.number,
            ordinal: hit.ordinal,
            score: 0.0,
            text_rank: None,
            semantic_rank: None,
            telling: false,
        });
        held.semantic_rank = Some(rank);
        held.score += weight * hit.cosine.max(0.0);
        held.telling |= hit.cosine >= floor;
    }
    let mut fused: Vec<Fused> = fused.into_values().collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
    fused
}
