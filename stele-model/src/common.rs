//! What is written everywhere: the vectors of texts about programming in general.
//!
//! A question about programming lies near to any text about programming. How near it lies to these texts says how near
//! it must lie to another before that means anything. Rows are stored as those of the table are, with the scale that
//! makes a row one long.

use crate::rows::{ROW_BYTES, from_half};

/// The texts, no more than four from one library.
pub(crate) const TEXTS: usize = 2_048;

static COMMON: &[u8; TEXTS * (ROW_BYTES + 2)] = include_bytes!("../data/common-256-i4.bin");

pub(crate) fn rows() -> &'static [u8] {
    &COMMON[..TEXTS * ROW_BYTES]
}

pub(crate) fn scales() -> impl Iterator<Item = f32> {
    COMMON[TEXTS * ROW_BYTES..].chunks_exact(2).map(|scale| from_half(u16::from_le_bytes([scale[0], scale[1]])))
}
