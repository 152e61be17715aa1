//! What crosses to JavaScript: an answer, or a fault as an object. A fault is never told by the form of a text.

use std::collections::HashMap;

use napi::bindgen_prelude::Either3;
use napi_derive::napi;
use stele_core::{Error, Result};
use stele_kit::Parted;

use crate::json::Json;
use crate::window::Windowed;

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

/// A text, a result whose window waits, or why there is neither.
pub(crate) type Answer = Either3<Json, Windowed, Fault>;

pub(crate) fn answer(done: Result<Json>) -> Answer {
    match done {
        Ok(text) => Either3::A(text),
        Err(error) => Either3::C(fault(&error)),
    }
}

/// A result in the notation of JavaScript.
pub(crate) fn parted(done: Result<Parted>) -> Answer {
    let crossing = done.and_then(|Parted { rest, window }| {
        let rest = Json::ascii(rest);
        Ok(match window {
            None => Either3::A(rest),
            Some(window) => Either3::B(Windowed::new(rest, window)?),
        })
    });
    crossing.unwrap_or_else(|error| Either3::C(fault(&error)))
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
