//! What follows the log: text and vector indexes over a prefix of it, and the tail of what changed since.

mod at_work;
pub(crate) mod catch_up;
mod common;
pub(crate) mod embed;
pub(crate) mod embedding;
pub(crate) mod indexes;
pub(crate) mod mapped;
mod past;
pub(crate) mod simd;
mod tails;
pub(crate) mod text;
pub(crate) mod vectors;
pub(crate) mod view;
