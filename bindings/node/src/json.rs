//! JSON on its way to JavaScript. It is ASCII, whatever it says: an engine takes such a text over as it is, one byte a
//! character, where it would have to decode another.
#![expect(unsafe_code, reason = "a value of the engine is made through its C interface")]

use std::io::{Result, Write};

use napi::bindgen_prelude::{ToNapiValue, TypeName};
use napi::{ValueType, check_status, sys};
use serde_json::ser::Formatter;

/// A text of JSON.
pub struct Json(String);

impl Json {
    /// A value as JSON.
    ///
    /// # Errors
    /// Why it has no form as JSON.
    pub(crate) fn of<T: serde::Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        let mut text = Vec::with_capacity(16 * 1_024);
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Ascii))?;
        Ok(Self(String::from_utf8(text).expect("ASCII")))
    }
}

impl TypeName for Json {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ToNapiValue for Json {
    unsafe fn to_napi_value(env: sys::napi_env, Self(text): Self) -> napi::Result<sys::napi_value> {
        let mut made = std::ptr::null_mut();
        // SAFETY: the text lives for the call, whose length is told; ASCII is Latin-1; the environment is the caller's.
        check_status!(unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), text.len().cast_signed(), &raw mut made) })?;
        Ok(made)
    }
}

/// What is not ASCII as `\u` and four digits, two of them where UTF-16 has two.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> Result<()> {
        let mut rest = fragment;
        while !rest.is_ascii() {
            let at = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
            writer.write_all(&rest.as_bytes()[..at])?;
            let c = rest[at..].chars().next().expect("it is not all ASCII");
            for unit in c.encode_utf16(&mut [0; 2]) {
                let digit = |shift: u16| b"0123456789abcdef"[usize::from((*unit >> shift) & 15)];
                writer.write_all(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)])?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}
