//! The fields of a line of the interchange form, read and written in one place: what export writes, import reads.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::record::node::{Anchor, Source};

macro_rules! fields {
    ($($name:ident $word:literal $type:ty;)*) => {
        /// One line, node or edge, as it is written; nothing is checked but the JSON types.
        #[derive(Debug, Default)]
        pub(crate) struct Fields {
            $(pub(crate) $name: Option<$type>,)*
            /// Names of fields that are not known.
            pub(crate) ignored: Vec<String>,
        }

        impl<'de> Visitor<'de> for Reading {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        $($word => {
                            if fields.$name.is_some() {
                                return Err(A::Error::custom(concat!("the field ", $word, " is given twice")));
                            }
                            fields.$name = map.next_value().map_err(|cause| A::Error::custom(format!(concat!($word, ": {}"), cause)))?;
                        })*
                        _ => {
                            map.next_value::<PassedOver>()?;
                            fields.ignored.push(key);
                        }
                    }
                }
                Ok(fields)
            }
        }

        impl Serialize for Fields {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                $(if let Some(value) = &self.$name {
                    map.serialize_entry($word, value)?;
                })*
                map.end()
            }
        }
    };
}

// The order in which they are written.
fields! {
    line_type "type" String;
    id "id" String;
    alias "alias" String;
    aliases "aliases" Vec<String>;
    kind "kind" String;
    category "category" String;
    task_type "task_type" String;
    priority "priority" i64;
    status "status" String;
    from "from" String;
    relation "relation" String;
    to "to" String;
    title "title" String;
    statement "statement" String;
    trigger "trigger" String;
    mandatory "mandatory" bool;
    always_on "always_on" bool;
    forbidden "forbidden" Vec<String>;
    instead "instead" String;
    domain "domain" String;
    severity "severity" String;
    points "points" Vec<String>;
    keywords "keywords" Vec<String>;
    floor_modes "floor_modes" Vec<String>;
    action_triggers "action_triggers" Vec<String>;
    methodology "methodology" String;
    provisional "provisional" bool;
    body "body" String;
    success_criteria "success_criteria" String;
    created_at "created_at" String;
    tags "tags" Vec<String>;
    component "component" String;
    parent "parent" String;
    anchors "anchors" Vec<AnchorField>;
    source "source" SourceField;
    expires_at "expires_at" String;
    resolves_with "resolves_with" String;
    review_at "review_at" String;
    archived "archived" String;
    reason "reason" String;
    evidence "evidence" String;
    source_text "source_text" Excerpt;
}

struct Reading;

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

/// A value that is read and dropped. It counts levels of nesting as values that are kept do, so that no line is deeper.
struct PassedOver;

impl<'de> Deserialize<'de> for PassedOver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for PassedOver {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

/// The text in which evidence stands, or the part of it that a record keeps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) revision: Option<String>,
    /// SHA-256 of the whole text, where only a part of it stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<String>,
}

/// A source: an object, or its uri alone.
#[derive(Debug)]
pub(crate) struct SourceField(pub(crate) Source);

/// An anchor: an object, or its path alone.
#[derive(Debug)]
pub(crate) struct AnchorField(pub(crate) Anchor);

macro_rules! object_or_text {
    ($field:ident, $object:ty, $what:literal, |$text:ident| $from:expr) => {
        impl Serialize for $field {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $field {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl<'de> Visitor<'de> for Either {
                    type Value = $object;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_str<E: serde::de::Error>(self, $text: &str) -> Result<$object, E> {
                        Ok($from)
                    }
                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$object, A::Error> {
                        <$object>::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }
                deserializer.deserialize_any(Either).map(Self)
            }
        }
    };
}

object_or_text!(SourceField, Source, "a source or its uri", |text| Source { uri: text.to_owned(), ..Source::default() });
object_or_text!(AnchorField, Anchor, "an anchor or its path", |text| Anchor { path: text.to_owned(), symbol: None });
