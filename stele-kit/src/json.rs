//! JSON as hosts send it.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads JSON. Half of a surrogate pair becomes U+FFFD; see [`stele_core::whole_characters`].
///
/// # Errors
/// What is no JSON, or no value of the type.
pub fn read_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|cause| match stele_core::whole_characters(text) {
        Cow::Owned(text) => serde_json::from_str(&text),
        Cow::Borrowed(_) => Err(cause),
    })
}
