//! JSON whose members keep their order, for files that belong to somebody else.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of a settings file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    /// Null, a truth value, a number or a text.
    Plain(serde_json::Value),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn text(text: &str) -> Self {
        Self::Plain(text.into())
    }

    pub(crate) fn map() -> Self {
        Self::Map(Vec::new())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(members) = self else { return None };
        members.iter().find(|(held, _)| held == name).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Map(members) = self else { return None };
        members.iter_mut().find(|(held, _)| held == name).map(|(_, value)| value)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::Plain(value) = self { value.as_str() } else { None }
    }

    /// The member of a map, put there if it is not; none if this is no map.
    pub(crate) fn member(&mut self, name: &str, absent: Self) -> Option<&mut Self> {
        let Self::Map(members) = self else { return None };
        let at = members.iter().position(|(held, _)| held == name).unwrap_or_else(|| {
            members.push((name.to_owned(), absent));
            members.len() - 1
        });
        Some(&mut members[at].1)
    }

    pub(crate) fn as_list(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::List(members) = self { Some(members) } else { None }
    }
}

impl<const N: usize> From<[(&str, Json); N]> for Json {
    fn from(members: [(&str, Json); N]) -> Self {
        Self::Map(members.map(|(name, value)| (name.to_owned(), value)).into())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(value) => value.serialize(serializer),
            Self::List(members) => members.serialize(serializer),
            Self::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;

        impl<'de> Visitor<'de> for Reading {
            type Value = Json;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Plain(serde_json::Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Plain(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Plain(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Plain(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Plain(value.into()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(member) = members.next_element()? {
                    list.push(member);
                }
                Ok(Json::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
                let mut map = Vec::new();
                while let Some(member) = members.next_entry()? {
                    map.push(member);
                }
                Ok(Json::Map(map))
            }
        }

        deserializer.deserialize_any(Reading)
    }
}
