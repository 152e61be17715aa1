//! JSON that JavaScript reads fastest.
//!
//! - It is ASCII, whatever it says: an engine takes such a text over as it is, one byte a character, where it would have to
//!   decode another.
//! - Names of fields are in camel case; keys of maps are a host's own and stay.
//! - The entries of a window, of which each has more than thirty fields, are lists of their values in the order of
//!   [`Entry::FIELDS`](crate::results::Entry::FIELDS): an engine spends most of its time on names.
//! - Times are milliseconds since 1970.

use std::fmt::{self, Display, Write};

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
    Serializer,
};
use serde_json::{Error, Result};

/// The result that is a list of its values.
const ROW: &str = "Entry";
/// Most results fit.
const USUAL_BYTES: usize = 32 * 1_024;

pub(super) fn text<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let mut text = String::with_capacity(USUAL_BYTES);
    value.serialize(Script(&mut text))?;
    Ok(text)
}

/// Writes one value behind the text.
struct Script<'t>(&'t mut String);

impl<'t> Script<'t> {
    fn put(self, value: impl Display) -> Result<()> {
        write!(self.0, "{value}").map_err(Error::custom)
    }

    /// A decimal; what is none is null.
    fn decimal(self, value: impl Display, finite: bool) -> Result<()> {
        if finite { self.put(value) } else { self.serialize_unit() }
    }

    fn quoted(self, text: &str) -> Result<()> {
        self.0.push('"');
        escape(text, self.0);
        self.0.push('"');
        Ok(())
    }

    fn list(self, close: &'static str) -> Members<'t> {
        self.0.push('[');
        Members { text: self.0, some: false, named: false, close }
    }

    fn object(self, close: &'static str) -> Members<'t> {
        self.0.push('{');
        Members { text: self.0, some: false, named: true, close }
    }

    /// Goes on within an object whose one field is the name of a variant.
    fn within(self, variant: &str) -> Self {
        self.0.push_str("{\"");
        escape(variant, self.0);
        self.0.push_str("\":");
        self
    }
}

/// Writes text as it stands between quotes.
fn escape(text: &str, into: &mut String) {
    let mut rest = text;
    loop {
        let (plain, other) = rest.split_at(plain_bytes(rest.as_bytes()));
        into.push_str(plain);
        let Some(c) = other.chars().next() else { return };
        match c {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\t' => into.push_str("\\t"),
            '\r' => into.push_str("\\r"),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    into.push_str("\\u");
                    for shift in [12, 8, 4, 0] {
                        into.push(char::from(b"0123456789abcdef"[usize::from((*unit >> shift) & 15)]));
                    }
                }
            }
        }
        rest = &other[c.len_utf8()..];
    }
}

/// How many of the first bytes stand for themselves.
fn plain_bytes(bytes: &[u8]) -> usize {
    /// So many are looked at in one step.
    const STEP: usize = 16;
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'"' && *byte != b'\\';
    let steps = bytes.chunks_exact(STEP).take_while(|step| step.iter().fold(true, |all, byte| all & is_plain(byte))).count();
    let sure = steps * STEP;
    sure + bytes[sure..].iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len() - sure)
}

/// Writes the name of a field in camel case.
fn camel(name: &str, into: &mut String) {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    into.push_str(parts.next().unwrap_or_default());
    for part in parts {
        into.push(char::from(part.as_bytes()[0].to_ascii_uppercase()));
        into.push_str(&part[1..]);
    }
}

/// Text that comes in pieces, each as it stands between quotes.
struct Pieces<'t>(&'t mut String);

impl Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape(piece, self.0);
        Ok(())
    }
}

/// Values that are written as they are shown.
macro_rules! shown {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<()> {
            self.put(value)
        })*
    };
}

impl<'t> Serializer for Script<'t> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'t>;
    type SerializeTuple = Members<'t>;
    type SerializeTupleStruct = Members<'t>;
    type SerializeTupleVariant = Members<'t>;
    type SerializeMap = Members<'t>;
    type SerializeStruct = Members<'t>;
    type SerializeStructVariant = Members<'t>;

    shown! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
    }

    /// False, so that times come as numbers.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.decimal(value, value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.decimal(value, value.is_finite())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.quoted(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.quoted(value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.0.push('"');
        write!(Pieces(self.0), "{value}").map_err(Error::custom)?;
        self.0.push('"');
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.quoted(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<()> {
        let inner = self.within(variant);
        value.serialize(Script(&mut *inner.0))?;
        inner.0.push('}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'t>> {
        Ok(self.list("]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'t>> {
        Ok(self.list("]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'t>> {
        Ok(self.list("]"))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Members<'t>> {
        Ok(self.within(variant).list("]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'t>> {
        Ok(self.object("}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'t>> {
        Ok(if name == ROW { self.list("]") } else { self.object("}") })
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Members<'t>> {
        Ok(self.within(variant).object("}}"))
    }
}

/// The members of a list or an object, each behind a comma but the first, and behind its name if they are `named`.
struct Members<'t> {
    text: &'t mut String,
    some: bool,
    named: bool,
    close: &'static str,
}

impl Members<'_> {
    fn member(&mut self) -> Script<'_> {
        if self.some {
            self.text.push(',');
        }
        self.some = true;
        Script(&mut *self.text)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let named = self.named;
        let Script(text) = self.member();
        if named {
            text.push('"');
            camel(name, text);
            text.push_str("\":");
        }
        value.serialize(Script(text))
    }

    fn close(self) -> Result<()> {
        self.text.push_str(self.close);
        Ok(())
    }
}

/// Lists.
macro_rules! list {
    ($($trait:ident: $method:ident),*) => { $(
        impl $trait for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                value.serialize(self.member())
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}
list!(SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field);

/// Objects whose fields are named.
macro_rules! object {
    ($($trait:ident),*) => { $(
        impl $trait for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}
object!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    /// A key that is no text is written as one.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let Script(text) = self.member();
        let start = text.len();
        key.serialize(Script(&mut *text))?;
        if !text[start..].starts_with('"') {
            text.insert(start, '"');
            text.push('"');
        }
        text.push(':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Script(&mut *self.text))
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::{Value, json};

    use super::text;

    #[derive(Serialize)]
    enum Shape {
        Nothing,
        One(u8),
        Two(i64, Option<char>),
        Some { side_length: f64 },
    }

    #[derive(Serialize)]
    struct Newtype(f32);

    #[derive(Serialize)]
    struct Whole {
        created_at: &'static str,
        plain: (bool, ()),
        shapes: Vec<Shape>,
        by_key: BTreeMap<String, Newtype>,
        by_number: BTreeMap<u32, Vec<u8>>,
        cut_chars_in_all: i128,
        endless: [f64; 2],
        value: Value,
    }

    fn whole() -> Whole {
        Whole {
            created_at: "2026-01-01",
            plain: (true, ()),
            shapes: vec![Shape::Nothing, Shape::One(7), Shape::Two(-1, Some('"')), Shape::Some { side_length: 1.5 }],
            by_key: BTreeMap::from([("snake_case".to_owned(), Newtype(0.1)), (String::new(), Newtype(-2.0))]),
            by_number: BTreeMap::from([(3, vec![1, 2])]),
            cut_chars_in_all: i128::from(i64::MIN) - 1,
            endless: [f64::NAN, f64::INFINITY],
            value: json!({"left_as_it_is": [null, 1e300, "\u{7f}"]}),
        }
    }

    #[test]
    fn fields_are_named_in_camel_case_and_keys_of_maps_stay() {
        let expected = concat!(
            r#"{"createdAt":"2026-01-01","plain":[true,null],"shapes":["Nothing",{"One":7},{"Two":[-1,"\""]},{"Some":{"sideLength":1.5}}],"#,
            r#""byKey":{"":-2,"snake_case":0.1},"byNumber":{"3":[1,2]},"cutCharsInAll":-9223372036854775809,"endless":[null,null],"#,
            r#""value":{"left_as_it_is":[null,"#,
        );
        let text = text(&whole()).expect("JSON");
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with(r#","\u007f"]}}"#), "{text}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["value"]["left_as_it_is"][1], 1e300);
    }

    proptest::proptest! {
        #[test]
        fn any_text_reads_back_from_ascii(said in proptest::collection::vec("(?s).{0,40}|[ -~]{0,80}", 0..4)) {
            let text = text(&said).expect("JSON");
            proptest::prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", text);
            proptest::prop_assert_eq!(serde_json::from_str::<Vec<String>>(&text).expect("JSON"), said);
        }
    }
}
