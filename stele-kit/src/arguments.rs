//! Arguments by name: what a field may hold, taking it out of what was sent, and saying in the table what it is.

use serde_json::{Map, Value};
use stele_core::{Code, Error, Result};

use crate::table::{Argument, plain};

/// Names that are reserved words somewhere: they are taken with an underscore behind them as well.
const RESERVED: [&str; 1] = ["from"];

/// A value that may be given.
pub(crate) trait Given: Sized {
    /// What it is called in the table.
    fn form() -> String;
    /// Reads a value that stands at a place such as `tags[0]`.
    fn read(value: Value, at: &str) -> Result<Self>;
    /// What it is where it is left out or null; nothing if it must be given.
    fn absent() -> Option<Self> {
        None
    }
    /// Itself as a default in the table.
    fn shown(&self) -> Value {
        Value::Null
    }
    /// True if null says something else than being left out.
    const NULL_SPEAKS: bool = false;
}

/// Something that takes fields out of what was sent: one value by its name, or a group of them.
pub(crate) trait Field: Sized {
    /// Its rows in the table.
    fn list(name: &'static str, default: Option<Self>, into: &mut Vec<Argument>);
    /// Takes it.
    fn take(fields: &mut Fields, name: &'static str, default: Option<Self>) -> Result<Self>;
}

impl<T: Given> Field for T {
    fn list(name: &'static str, default: Option<Self>, into: &mut Vec<Argument>) {
        into.push(Argument { name: plain(name), form: T::form(), default: default.or_else(T::absent).map(|value| value.shown()) });
    }

    fn take(fields: &mut Fields, name: &'static str, default: Option<Self>) -> Result<Self> {
        let name = plain(name);
        match fields.remove(name).filter(|value| T::NULL_SPEAKS || !value.is_null()) {
            Some(value) => T::read(value, name),
            None => default.or_else(T::absent).ok_or_else(|| unfit(name, "is missing")),
        }
    }
}

/// The fields that were sent, taken out by name.
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Takes an object; null stands for no arguments.
    pub(crate) fn sent(arguments: Value) -> Result<Self> {
        match arguments {
            Value::Object(fields) => Ok(Self(fields)),
            Value::Null => Ok(Self(Map::new())),
            _ => Err(unfit("arguments", "is no object")),
        }
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        let other = || RESERVED.contains(&name).then(|| format!("{name}_"));
        self.0.remove(name).or_else(|| other().and_then(|other| self.0.remove(&other)))
    }

    /// Refuses a name that no argument has.
    pub(crate) fn know(&self, known: &[Argument]) -> Result<()> {
        let is_known =
            |name: &str| known.iter().any(|argument| argument.name == name || (RESERVED.contains(&argument.name) && name == format!("{}_", argument.name)));
        let Some(unknown) = self.0.keys().find(|name| !is_known(name)) else { return Ok(()) };
        let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
        let list = if names.is_empty() { "it takes none".to_owned() } else { format!("known are {}", names.join(", ")) };
        Err(unfit(&short(unknown), &format!("is unknown; {list}")))
    }
}

/// The beginning of a name that somebody sent.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}

pub(crate) fn unfit(at: &str, what: &str) -> Error {
    Error::new(Code::BadArgument, format!("read the arguments: {at} {what}")).with("field", at)
}

/// Declares a group of arguments that several verbs take.
macro_rules! group {
    ($(#[$meta:meta])* $name:ident { $($field:ident: $type:ty $(= $default:expr)?,)* }) => {
        $(#[$meta])*
        pub(crate) struct $name { $(pub(crate) $field: $type),* }

        impl $crate::arguments::Field for $name {
            fn list(_: &'static str, _: Option<Self>, into: &mut Vec<$crate::table::Argument>) {
                $(<$type as $crate::arguments::Field>::list(stringify!($field), $crate::arguments::default!($($default)?), into);)*
            }

            fn take(fields: &mut $crate::arguments::Fields, _: &'static str, _: Option<Self>) -> stele_core::Result<Self> {
                Ok(Self { $($field: $crate::arguments::Field::take(fields, stringify!($field), $crate::arguments::default!($($default)?))?),* })
            }
        }
    };
}
pub(crate) use group;

/// A default, or none.
macro_rules! default {
    () => {
        None
    };
    ($default:expr) => {
        Some($default)
    };
}
pub(crate) use default;
