//! The embedder that ships with stele: a table of 30,522 rows that is part of the binary.
//!
//! A text is cut into word pieces; its vector is the sum of their rows, made one long. Similarity
//! is the dot product of two vectors. English prose, identifiers and code are what the table was
//! made from; other scripts mostly become the unknown token.
//!
//! [`embed`] is the plain mean, as the table's reference has it. [`embed_weighted`] lets the start
//! of a text count more and repeated words less, which finds more in every kind of collection that
//! it was measured on. The two are not the same space for storage: each has its own name.
//!
//! - **Opening costs nothing.** Table and index are read where the binary lies in memory: nothing
//!   is parsed, built or allocated, and a process pays only for the pages that it touches.
//! - **Same text, same bytes**, on every processor and with every compiler: no rule depends on the
//!   Unicode version of the standard library, no sum on the width of a register.
//! - **Any text is safe.** At most [`MAX_TOKENS`] tokens count; time is linear in the length of the
//!   text, memory is a few kilobytes of stack.
//!
//! What is not here: chunking of long texts, storage and search of vectors, weights for fusion.
//!
//! ```
//! let near = stele_model::embed_weighted("retry with exponential backoff");
//! let query = stele_model::embed_weighted("wait longer after each failed attempt");
//! let far = stele_model::embed_weighted("colour palette of the landing page");
//! let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&query, &near) > cosine(&query, &far));
//! ```

mod common;
mod layout;
mod rows;
mod weights;
mod words;

/// The name of the vectors that [`embed`] makes; it changes whenever one of them could.
pub const NAME: &str = "stele-static-256-1";

/// The name of the vectors that [`embed_weighted`] makes; it changes whenever one of them could.
pub const WEIGHTED_NAME: &str = "stele-static-256-1-weighted";

/// The dimensions of a vector.
pub const DIMENSIONS: usize = rows::DIMENSIONS;

/// The most tokens of a text that count; the rest of a longer text is ignored.
pub const MAX_TOKENS: usize = words::MAX_TOKENS;

/// Returns the mean of a text's tokens: length 1, or all zeros for a text without a token.
pub fn embed(text: &str) -> [f32; DIMENSIONS] {
    let mut vector = [0.0; DIMENSIONS];
    embed_into(text, &mut vector);
    vector
}

/// Writes the vector of a text over `out`, as [`embed`] returns it; allocates nothing.
pub fn embed_into(text: &str, out: &mut [f32; DIMENSIONS]) {
    let tokens = words::Tokens::of(text);
    rows::direction(tokens.ids().iter().map(|id| (*id, 1.0)), out);
}

/// Returns the weighted mean of a text's tokens: length 1, or all zeros for a text without a token.
///
/// A token counts `1 / ((1 + position / 64) * sqrt(k))` when it comes for the `k`-th time, with
/// positions counted from 0. Give a record with its title in front of its body; queries take the
/// same function.
pub fn embed_weighted(text: &str) -> [f32; DIMENSIONS] {
    let mut vector = [0.0; DIMENSIONS];
    embed_weighted_into(text, &mut vector);
    vector
}

/// Writes the vector of a text over `out`, as [`embed_weighted`] returns it; allocates nothing.
pub fn embed_weighted_into(text: &str, out: &mut [f32; DIMENSIONS]) {
    let tokens = words::Tokens::of(text);
    rows::direction(weights::weighted(tokens.ids()), out);
}

/// How many texts about programming in general are part of the binary.
pub const COMMON_TEXTS: usize = common::TEXTS;

/// Returns the weighted vectors of [`COMMON_TEXTS`] texts about programming in general, rounded: 128 bytes a text, of which each
/// holds an even dimension in its lower half and the next in its upper half, plus 8. [`common_scales`] makes them one long.
///
/// What asks about programming in general lies near to much; what it lies no nearer to than to these texts is not what it
/// asks about. [`WEIGHTED_NAME`] changes whenever they do.
#[must_use]
pub fn common_rows() -> &'static [u8] {
    common::rows()
}

/// Returns what each row of [`common_rows`] is to be multiplied by.
pub fn common_scales() -> impl Iterator<Item = f32> {
    common::scales()
}

/// Replaces `ids` by the tokens of a text: line numbers of the vocabulary counted from 0, at most
/// [`MAX_TOKENS`]; a word that cannot be spelled is one token, `[UNK]`.
pub fn token_ids(text: &str, ids: &mut Vec<u32>) {
    ids.clear();
    ids.extend(words::Tokens::of(text).ids().iter().map(|id| u32::from(*id)));
}
