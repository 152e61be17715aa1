//! JSON on its way to JavaScript, which takes over what is ASCII as it is.
#![expect(unsafe_code, reason = "a value of the engine is made through its C interface")]

use napi::bindgen_prelude::{ToNapiValue, TypeName};
use napi::{ValueType, check_status, sys};
use stele_core::Result;
use stele_kit::Notation;

/// A text of JSON in ASCII.
pub struct Json(String);

impl Json {
    /// A value as JSON.
    ///
    /// # Errors
    /// `internal` for what has no form as JSON.
    pub(crate) fn of<T: serde::Serialize + ?Sized>(value: &T) -> Result<Self> {
        stele_kit::written(value, Notation::JavaScript).map(Self::ascii)
    }

    /// What is JSON in the notation of JavaScript.
    pub(crate) fn ascii(text: String) -> Self {
        assert!(text.is_ascii(), "invariant: the notation of JavaScript is ASCII");
        Self(text)
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
