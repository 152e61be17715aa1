//! The digest that texts are known by.

use sha2::{Digest as _, Sha256};

use super::id::hex;

/// SHA-256 of bytes, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
