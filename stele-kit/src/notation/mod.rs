//! The notations of results, and the one place where a result is written.

mod javascript;

use serde::Serialize;
use serde_json::Value;
use stele_core::{Code, Error, Result};

use crate::parted::Parted;

/// How a result is written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// JSON.
    Json,
    /// JSON that JavaScript takes over fastest: fields are named in camel case, and all of it is ASCII.
    JavaScript,
}

/// A value in a notation.
///
/// # Errors
/// `internal` for what has no form as JSON.
pub fn written<T: Serialize + ?Sized>(value: &T, notation: Notation) -> Result<String> {
    match notation {
        Notation::Json => serde_json::to_string(value),
        Notation::JavaScript => javascript::text(value),
    }
    .map_err(unwritten)
}

/// Where a verb writes its result, once.
pub(crate) enum Answer<'a> {
    /// As a value.
    Value(&'a mut Value),
    /// As text.
    Text(Notation, &'a mut String),
    /// In parts, of which the window waits.
    Parted(Notation, &'a mut Parted),
}

impl Answer<'_> {
    pub(crate) fn write<T: Serialize>(&mut self, result: &T) -> Result<()> {
        match self {
            Self::Value(value) => **value = serde_json::to_value(result).map_err(unwritten)?,
            Self::Text(notation, text) => **text = written(result, *notation)?,
            Self::Parted(notation, parted) => **parted = Parted { rest: written(result, *notation)?, window: None },
        }
        Ok(())
    }
}

/// What a verb gives: a result that is written at once, or one with a window that may wait.
pub(crate) trait Given {
    fn give(self, answer: &mut Answer<'_>) -> Result<()>;
}

impl<T: Serialize> Given for T {
    fn give(self, answer: &mut Answer<'_>) -> Result<()> {
        answer.write(&self)
    }
}

fn unwritten(cause: serde_json::Error) -> Error {
    Error::new(Code::Internal, "write a result").because(cause)
}
