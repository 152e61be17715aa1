//! JSON Schema, draft 2020-12, as far as the arguments of tools need it. Written in a fixed order.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a value must be.
pub(super) enum Schema {
    /// Text of at most so many characters, where that is limited.
    Text { most_chars: Option<usize> },
    /// Text, or null.
    TextOrNull,
    /// One of these words.
    Word(Vec<&'static str>),
    /// A whole number from the least on, up to the most if there is one.
    Whole { least: usize, most: Option<usize> },
    /// True or false.
    Flag,
    /// Any number of values.
    List(Box<Schema>),
    /// An object of these properties and no others.
    Object(Vec<Property>),
}

/// One property of an object.
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) schema: Schema,
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Text { most_chars } => {
                map.serialize_entry("type", "string")?;
                if let Some(most) = most_chars {
                    map.serialize_entry("maxLength", most)?;
                }
            }
            Self::TextOrNull => map.serialize_entry("type", &["string", "null"])?,
            // The words show that they are text.
            Self::Word(words) => map.serialize_entry("enum", words)?,
            Self::Whole { least, most } => {
                map.serialize_entry("type", "integer")?;
                map.serialize_entry("minimum", least)?;
                if let Some(most) = most {
                    map.serialize_entry("maximum", most)?;
                }
            }
            Self::Flag => map.serialize_entry("type", "boolean")?,
            Self::List(items) => {
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", items)?;
            }
            Self::Object(properties) => {
                map.serialize_entry("type", "object")?;
                map.serialize_entry("properties", &Properties(properties))?;
                let required: Vec<&str> = properties.iter().filter(|property| property.required).map(|property| property.name).collect();
                if !required.is_empty() {
                    map.serialize_entry("required", &required)?;
                }
                map.serialize_entry("additionalProperties", &false)?;
            }
        }
        map.end()
    }
}

struct Properties<'p>(&'p [Property]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|property| (property.name, &property.schema)))
    }
}
