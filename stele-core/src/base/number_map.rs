//! Maps from node numbers, which nobody outside chooses, with a hash that costs next to nothing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by node number.
pub(crate) type NumberMap<T> = HashMap<u64, T, BuildHasherDefault<NumberHasher>>;

/// Spreads numbers that follow each other over all bits.
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write_u64(&mut self, number: u64) {
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ (spread >> 32);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
