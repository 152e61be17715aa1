//! The vector index: quantised vectors in write-once segments, a tail beside them, and one exact scan over both.
//!
//! - `quantise`: the one rule from floats to signed bytes, for rows and for queries.
//! - `segment`: the layout of a segment file; `manifest`: which segments make up the index, and up to which sequence.
//! - `open`: [`VectorIndex`], an immutable view of both. `writer`: [`VectorWriter`], the only one who changes them;
//!   `content`: what it puts into a segment.
//! - `tail`: [`VectorTail`], what changed after the index (or everything, where there is no index).
//! - `scan`: [`search`], whose answer does not depend on where the border between segments and tail lies.
//!
//! A number (a node) has one or several units (passages), each with a vector; all units of a number stand together,
//! in the newest segment that names the number or in the tail. What is not here: where vectors come from (`embed`),
//! who writes when (`catch_up`).

mod content;
mod manifest;
mod open;
mod quantise;
mod reach;
mod scan;
mod segment;
mod tail;
mod writer;

pub(crate) use open::VectorIndex;
pub(crate) use quantise::MAX_DIMENSIONS;
pub(crate) use scan::{VectorHit, VectorHits, first_vector, search};
pub(crate) use tail::VectorTail;
pub(crate) use writer::VectorWriter;

#[cfg(test)]
mod tests;
