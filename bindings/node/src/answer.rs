//! What crosses to JavaScript: the text of an answer, or a fault as an object. A fault is never told by the form of a text.

use std::collections::HashMap;

use napi::bindgen_prelude::Either;
use napi_derive::napi;
use stele_core::{Error, Result};

use crate::json::Json;

/// An error of the core, field by field.
#[napi(object)]
pub struct Fault {
    /// What the caller should do.
    pub kind: String,
    /// What happened; stable.
    pub code: String,
    /// What happened, in words.
    pub message: String,
    /// True if the same call may succeed later.
    pub retryable: bool,
    /// The values that it was about.
    pub details: HashMap<String, String>,
}

/// A code of an error, with its kind.
#[napi(object)]
pub struct CodeOfKind {
    /// The code.
    pub code: String,
    /// Its kind.
    pub kind: String,
}

/// A text, or why there is none.
pub(crate) type Answer = Either<Json, Fault>;

pub(crate) fn answer(done: Result<Json>) -> Answer {
    match done {
        Ok(text) => Either::A(text),
        Err(error) => Either::B(fault(&error)),
    }
}

pub(crate) fn fault(error: &Error) -> Fault {
    Fault {
        kind: error.kind().as_str().to_owned(),
        code: error.code().as_str().to_owned(),
        message: error.to_string(),
        retryable: error.retryable(),
        details: error.details().iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    }
}
