//! The compact JSON of results: names in a fixed order, and nothing where there is nothing to say.

use serde::ser::{Serialize, Serializer};

use crate::base::id::NodeId;
use crate::base::time::Timestamp;
use crate::render::frame::{neutral, neutral_line};

/// Most items of a list that a record can make as long as it likes: what a model is given it has to read.
pub(super) const MOST: usize = 100;

/// A JSON object under construction.
#[derive(Default)]
pub(super) struct Form(Vec<(&'static str, Piece)>);

/// One value. Stored text comes in through [`line`] and [`lines`] only, so that it can forge nothing.
pub(super) enum Piece {
    Nothing,
    Text(String),
    Fixed(&'static str),
    Whole(u64),
    Number(f64),
    Flag(bool),
    List(Vec<Piece>),
    Form(Form),
}

impl Form {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a value, unless it says nothing.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Piece>) -> Self {
        let piece = value.into();
        if !piece.is_blank() {
            self.0.push((name, piece));
        }
        self
    }

    /// Adds what was asked for: a list, even if it is empty.
    pub(super) fn listing(mut self, name: &'static str, items: Piece) -> Self {
        self.0.push((name, items));
        self
    }

    /// Adds the first of a list, even if it is empty, and how many more there are.
    pub(super) fn first<'m, T: 'm, P: Into<Piece>>(self, name: &'static str, members: &'m [T], of: impl Fn(&'m T) -> P) -> Self {
        let (first, more) = members.split_at(members.len().min(MOST));
        self.listing(name, list(first, of)).with("more", Some(more.len() as u64).filter(|more| *more > 0))
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("invariant: every key is a string and no value can fail")
    }
}

impl Piece {
    fn is_blank(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            _ => false,
        }
    }
}

/// Stored text that is one line.
pub(super) fn line(text: &str) -> Piece {
    Piece::Text(neutral_line(text))
}

/// Stored text of any number of lines.
pub(super) fn lines(text: &str) -> Piece {
    Piece::Text(neutral(text).into_owned())
}

/// Text that was rendered, and so is neutral already.
pub(super) fn rendered(text: String) -> Piece {
    Piece::Text(text)
}

/// A list of stored words.
pub(super) fn words(words: &[String]) -> Piece {
    list(words, |word| line(word))
}

/// A list of whatever is made of each member.
pub(super) fn list<'m, T, P: Into<Piece>>(members: impl IntoIterator<Item = &'m T>, of: impl Fn(&'m T) -> P) -> Piece
where
    T: 'm,
{
    Piece::List(members.into_iter().map(|member| of(member).into()).collect())
}

macro_rules! pieces {
    ($($from:ty: $value:ident => $piece:expr;)*) => { $(
        impl From<$from> for Piece {
            fn from($value: $from) -> Self { $piece }
        }
    )* };
}

pieces! {
    &'static str: word => Self::Fixed(word);
    u64: number => Self::Whole(number);
    bool: flag => Self::Flag(flag);
    f64: number => Self::Number(number);
    Form: form => Self::Form(form);
    NodeId: id => Self::Text(id.to_string());
    &NodeId: id => Self::Text(id.to_string());
    Timestamp: at => Self::Text(at.to_string());
}

impl<T: Into<Piece>> From<Option<T>> for Piece {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl From<&[NodeId]> for Piece {
    fn from(ids: &[NodeId]) -> Self {
        list(ids, Self::from)
    }
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, piece)| (name, piece)))
    }
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Fixed(text) => serializer.serialize_str(text),
            Self::Whole(number) => serializer.serialize_u64(*number),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::List(items) => items.serialize(serializer),
            Self::Form(form) => form.serialize(serializer),
        }
    }
}
