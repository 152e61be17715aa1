//! What applying a content works out from its text alone, so that an import can have it worked out before it takes the
//! write lock, on another thread.

use super::apply::{references, title_key, units_of};
use super::cues::triggers;
use super::database::number_in;
use super::node::Content;
use crate::base::terms::Tokeniser;
use crate::base::triggers::Cue;

/// Pieces, length, title, words and triggers of a content; of equal title, body and detail always the same.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// In how many pieces search finds it; none if search does not rank it.
    pub(super) units: i64,
    /// The terms of all pieces.
    pub(super) length: i64,
    pub(super) title_key: i64,
    /// Every word that could name another node, folded, each once, in order.
    pub(super) words: Vec<String>,
    /// The triggers that it is found by.
    pub(super) triggers: Vec<Cue>,
}

impl Prepared {
    /// Works them out. The tokeniser only saves work from one content to the next.
    pub(crate) fn of(content: &Content, tokeniser: &mut Tokeniser) -> Self {
        let pieces = if content.is_ranked() { units_of(content) } else { Vec::new() };
        let length: u64 = pieces.iter().map(|piece| tokeniser.unit_length(&piece.title, &piece.body)).sum();
        Self {
            units: pieces.len() as i64,
            length: number_in(length),
            title_key: title_key(&content.title),
            words: references(&content.title, &content.body),
            triggers: triggers(content),
        }
    }
}
