//! The arguments of tools: one declaration gives a struct, its schema and its parser, so that they cannot drift.
//!
//! What is required follows from the type of a field: whatever has no value for being left out.

use serde_json::{Map, Value};

use super::schema::{Property, Schema};
use crate::assemble::Point;
use crate::base::config::TITLE_CHARS;
use crate::base::error::{Code, Error, Result};
use crate::base::text::cut;
use crate::base::time::Timestamp;
use crate::base::whole_characters::whole_characters;
use crate::record::edge::Relation;
use crate::record::node::{Category, TaskStatus, TaskType};
use crate::record::rule::Helpfulness;

/// What a field may hold.
pub(super) trait Argument: Sized {
    /// What is asked for.
    fn schema() -> Schema;
    /// Reads a value that stands at a place such as `tags[0]`.
    fn read(value: Value, at: &str) -> Result<Self>;
    /// What it is where it is left out; nothing if it must be given.
    fn absent() -> Option<Self> {
        None
    }
}

/// The arguments of one tool.
pub(super) trait Arguments: Sized {
    /// What it takes.
    fn properties() -> Vec<Property>;
    /// Reads what was sent; every field is taken, and nothing else may be there.
    fn from_fields(fields: Fields) -> Result<Self>;
}

/// The fields that were sent, taken out by name.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads an object; blank text stands for no arguments.
    pub(super) fn sent(json: &str) -> Result<Self> {
        if json.trim().is_empty() {
            return Ok(Self(Map::new()));
        }
        match serde_json::from_str(&whole_characters(json)) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(unfit("arguments", "is no object")),
            Err(error) => Err(unfit("arguments", "is no JSON").because(error)),
        }
    }

    pub(super) fn take<T: Argument>(&mut self, name: &str) -> Result<T> {
        match self.0.remove(name) {
            None => T::absent().ok_or_else(|| unfit(name, "is missing")),
            Some(value) => T::read(value, name),
        }
    }

    /// Refuses what no field took.
    pub(super) fn end(self, known: &[Property]) -> Result<()> {
        let Some(unknown) = self.0.keys().next() else { return Ok(()) };
        let names: Vec<&str> = known.iter().map(|property| property.name).collect();
        let list = if names.is_empty() { "it takes none".to_owned() } else { format!("known are {}", names.join(", ")) };
        Err(unfit(cut(unknown, 60), &format!("is unknown; {list}")))
    }
}

fn unfit(at: &str, what: &str) -> Error {
    Error::new(Code::BadArgument, format!("read the arguments: {at} {what}")).with("field", at)
}

impl Property {
    pub(super) fn of<T: Argument>(name: &'static str) -> Self {
        Self { name: name.trim_start_matches("r#"), required: T::absent().is_none(), schema: T::schema() }
    }
}

/// Declares structs of arguments. The names of fields say what they are for; what else a caller must know stands in the
/// description of the tool.
macro_rules! arguments {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => { $(
        pub(in crate::tools) struct $name { $($field: $type),* }

        impl $crate::tools::arguments::Arguments for $name {
            fn properties() -> Vec<$crate::tools::schema::Property> {
                vec![$($crate::tools::schema::Property::of::<$type>(stringify!($field))),*]
            }

            #[allow(unused_mut, reason = "a tool may take nothing")]
            fn from_fields(mut fields: $crate::tools::arguments::Fields) -> $crate::base::error::Result<Self> {
                let read = Self { $($field: fields.take(stringify!($field).trim_start_matches("r#"))?),* };
                fields.end(&Self::properties())?;
                Ok(read)
            }
        }
    )* };
}
pub(super) use arguments;

impl Argument for String {
    fn schema() -> Schema {
        Schema::Text { most_chars: None }
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(unfit(at, "is no text")),
        }
    }
}

/// The title of a node. That it is short enough is checked by the record, which says so in its own words.
pub(super) struct Title(pub(super) String);

impl Argument for Title {
    fn schema() -> Schema {
        Schema::Text { most_chars: Some(TITLE_CHARS) }
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        String::read(value, at).map(Self)
    }
}

impl Argument for bool {
    fn schema() -> Schema {
        Schema::Flag
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        value.as_bool().ok_or_else(|| unfit(at, "is neither true nor false"))
    }
}

impl Argument for Timestamp {
    fn schema() -> Schema {
        Schema::Text { most_chars: None }
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        Self::parse(&String::read(value, at)?).map_err(|error| error.with("field", at))
    }
}

/// A whole number between two limits.
pub(super) struct Whole<const LEAST: usize, const MOST: usize>(pub(super) usize);

/// A number of things, at least one.
pub(super) type Count = Whole<1, { usize::MAX }>;

impl<const LEAST: usize, const MOST: usize> Argument for Whole<LEAST, MOST> {
    fn schema() -> Schema {
        Schema::Whole { least: LEAST, most: Some(MOST).filter(|most| *most < usize::MAX) }
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        // A number without a fraction is whole however it is written.
        let whole = value.as_i64().or_else(|| value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64));
        let number = whole.ok_or_else(|| unfit(at, "is no whole number"))?;
        usize::try_from(number)
            .ok()
            .filter(|number| (LEAST..=MOST).contains(number))
            .map(Self)
            .ok_or_else(|| Error::new(Code::OutOfRange, format!("read the arguments: {at} is {number}, not between {LEAST} and {MOST}")).with("field", at))
    }
}

impl<T: Argument> Argument for Option<T> {
    fn schema() -> Schema {
        T::schema()
    }

    /// Null stands for being left out, as models send it.
    fn read(value: Value, at: &str) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::read(value, at).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn schema() -> Schema {
        Schema::List(Box::new(T::schema()))
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        let Value::Array(items) = value else { return Err(unfit(at, "is no list")) };
        items.into_iter().enumerate().map(|(number, item)| T::read(item, &format!("{at}[{number}]"))).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

/// What a revision does with a field that is written as text: left out it stays, null clears it.
pub(super) enum Change<T> {
    Keep,
    Set(Option<T>),
}

trait Written: Argument {}
impl Written for String {}
impl Written for Timestamp {}

impl<T: Written> Argument for Change<T> {
    fn schema() -> Schema {
        Schema::TextOrNull
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        if value.is_null() { Ok(Self::Set(None)) } else { T::read(value, at).map(|value| Self::Set(Some(value))) }
    }

    fn absent() -> Option<Self> {
        Some(Self::Keep)
    }
}

macro_rules! words {
    ($($name:ty),*) => { $(
        impl Argument for $name {
            fn schema() -> Schema {
                Schema::Word(Self::ALL.iter().map(|member| member.as_str()).collect())
            }

            fn read(value: Value, at: &str) -> Result<Self> {
                Self::parse(&String::read(value, at)?)
            }
        }
    )* };
}

words!(Category, Helpfulness, Point, Relation, TaskStatus, TaskType);
