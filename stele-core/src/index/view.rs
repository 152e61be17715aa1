//! Everything that search looks at for one snapshot: the indexed prefix, the tail, and one set of statistics for both.

use std::sync::Arc;

use super::embed::CheckedEmbedder;
use super::text::{Statistics, Tail, TextHits, TextIndex, TextQuery};
use super::vectors::{VectorHits, VectorIndex, VectorTail};
use crate::base::error::Result;
use crate::base::node_set::NodeSet;
use crate::base::time::Deadline;

/// Text and vectors as of one snapshot.
pub(crate) struct View {
    pub(crate) text: Option<Arc<TextIndex>>,
    pub(crate) vectors: Option<Arc<VectorIndex>>,
    pub(crate) text_tail: Arc<Tail>,
    pub(crate) vector_tail: Arc<VectorTail>,
    pub(crate) statistics: Statistics,
    pub(crate) embedder: Option<Arc<CheckedEmbedder>>,
    /// How many changed nodes are searched directly.
    pub(crate) tail: u64,
    /// True if time ran out before everything could be made searchable.
    pub(crate) partial: bool,
}

impl View {
    /// The sequence that the text index covers; 0 without one.
    pub(crate) fn text_sequence(&self) -> u64 {
        self.text.as_ref().map_or(0, |index| index.sequence())
    }

    /// The sequence that the vector index covers; 0 without one.
    pub(crate) fn vector_sequence(&self) -> u64 {
        self.vectors.as_ref().map_or(0, |index| index.sequence())
    }

    /// Searches by words.
    pub(crate) fn search_text(&self, query: &TextQuery, allowed: &NodeSet, deadline: Deadline) -> Result<TextHits> {
        super::text::search(self.text.as_deref(), &self.text_tail, &self.statistics, query, allowed, deadline)
    }

    /// Searches by meaning with a vector of the view's own embedder.
    pub(crate) fn search_vectors(&self, query: &[f32], allowed: &NodeSet, limit: usize, deadline: Deadline) -> VectorHits {
        super::vectors::search(self.vectors.as_deref(), &self.vector_tail, query, allowed, limit, deadline)
    }

    /// The vector of a node's first unit, if the index or the tail holds it.
    pub(crate) fn vector(&self, number: u64) -> Option<Vec<f32>> {
        super::vectors::first_vector(self.vectors.as_deref(), &self.vector_tail, number)
    }
}
