//! Texts, buffers and ids as they cross.

use std::ffi::{CStr, c_char};

use stele_core::{Code, Error, NodeId, Result};

use crate::guard::{unfit, value};

/// Text that somebody else owns: UTF-8 of `len` bytes, without a NUL at its end. `{ NULL, 0 }` is the empty text, which
/// stands for "not given" where a value may be left out.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct stele_str_t {
    /// The first byte; may be NULL if `len` is 0.
    pub ptr: *const c_char,
    /// How many bytes there are.
    pub len: usize,
}

/// Text that is the caller's, with a NUL behind its `len` bytes; freed with stele_buf_free.
#[derive(Debug)]
#[repr(C)]
pub struct stele_buf_t {
    /// The first byte; NULL if it is empty.
    pub ptr: *mut c_char,
    /// How many bytes there are before the NUL.
    pub len: usize,
}

/// The id of a node by value, such as "KNOW-12", with a NUL behind it; empty for none.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct stele_id_t {
    /// The text with its NUL.
    pub text: [c_char; 32],
}

impl stele_str_t {
    pub(crate) const EMPTY: Self = Self { ptr: std::ptr::null(), len: 0 };

    /// Text that lives as long as something the caller has.
    pub(crate) fn of(text: &str) -> Self {
        Self { ptr: text.as_ptr().cast(), len: text.len() }
    }

    pub(crate) fn or_empty(text: Option<&str>) -> Self {
        text.map_or(Self::EMPTY, Self::of)
    }

    /// The text.
    ///
    /// # Safety
    /// `ptr` is NULL or points to `len` bytes that stay as they are during the call.
    pub(crate) unsafe fn get<'t>(self, name: &'static str) -> Result<&'t str> {
        if self.ptr.is_null() {
            return if self.len == 0 { Ok("") } else { Err(unfit(name, &format!("is NULL and {} bytes long", self.len))) };
        }
        if isize::try_from(self.len).is_err() {
            return Err(unfit(name, "is longer than memory"));
        }
        // SAFETY: the caller says so, and the length was checked.
        let bytes = unsafe { std::slice::from_raw_parts(self.ptr.cast::<u8>(), self.len) };
        std::str::from_utf8(bytes)
            .map_err(|cause| Error::new(Code::BadText, format!("read the arguments: {name} is no UTF-8")).with("field", name).because(cause))
    }

    /// The text, none if it is empty.
    ///
    /// # Safety
    /// As [`Self::get`].
    pub(crate) unsafe fn given<'t>(self, name: &'static str) -> Result<Option<&'t str>> {
        // SAFETY: the caller says so.
        unsafe { self.get(name) }.map(|text| Some(text).filter(|text| !text.is_empty()))
    }
}

/// The members of an array of a host.
///
/// # Safety
/// `first` is NULL or points to `len` members.
pub(crate) unsafe fn many<'m, T>(first: *const T, len: usize, name: &str) -> Result<&'m [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(unfit(name, &format!("is NULL and has {len} members")));
    }
    if len > isize::MAX as usize / size_of::<T>().max(1) || !first.is_aligned() {
        return Err(unfit(name, "is no array"));
    }
    // SAFETY: the caller says so, and length and alignment were checked.
    Ok(unsafe { std::slice::from_raw_parts(first, len) })
}

/// The texts of an array of a host.
///
/// # Safety
/// As [`many`] and [`stele_str_t::get`].
pub(crate) unsafe fn texts<'t>(first: *const stele_str_t, len: usize, name: &'static str) -> Result<Vec<&'t str>> {
    // SAFETY: the caller says so.
    unsafe { many(first, len, name) }?.iter().map(|text| unsafe { text.get(name) }).collect()
}

impl From<String> for stele_buf_t {
    fn from(text: String) -> Self {
        let len = text.len();
        let mut bytes = text.into_bytes();
        bytes.push(0);
        let bytes = bytes.into_boxed_slice();
        Self { ptr: Box::into_raw(bytes).cast(), len }
    }
}

impl stele_id_t {
    pub(crate) const NONE: Self = Self { text: [0; 32] };
}

impl From<NodeId> for stele_id_t {
    fn from(id: NodeId) -> Self {
        let mut all = Self::NONE;
        // The longest prefix, a dash and the longest number take 25.
        for (place, byte) in all.text.iter_mut().take(31).zip(id.to_string().bytes()) {
            *place = byte.cast_signed() as c_char;
        }
        all
    }
}

impl From<Option<NodeId>> for stele_id_t {
    fn from(id: Option<NodeId>) -> Self {
        id.map_or(Self::NONE, Into::into)
    }
}

/// Text of a string that ends with NUL, which it borrows; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_str(text: *const c_char) -> stele_str_t {
    value(stele_str_t::EMPTY, || {
        if text.is_null() {
            return stele_str_t::EMPTY;
        }
        // SAFETY: it is a string with a NUL at its end.
        stele_str_t { ptr: text, len: unsafe { CStr::from_ptr(text) }.count_bytes() }
    })
}

/// Text of an id, which it borrows; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_id_str(id: *const stele_id_t) -> stele_str_t {
    value(stele_str_t::EMPTY, || {
        // SAFETY: by the laws it is NULL or an id.
        let Some(id) = (unsafe { id.as_ref() }) else { return stele_str_t::EMPTY };
        let len = id.text.iter().position(|byte| *byte == 0).unwrap_or(id.text.len());
        stele_str_t { ptr: id.text.as_ptr(), len }
    })
}

/// Frees a buffer and makes it empty, so that freeing it again is fine; so is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_buf_free(buf: *mut stele_buf_t) {
    value((), || {
        // SAFETY: by the laws it is NULL or a buffer that this library filled, or one that is empty.
        let Some(buf) = (unsafe { buf.as_mut() }) else { return };
        let (ptr, len) = (std::mem::replace(&mut buf.ptr, std::ptr::null_mut()), std::mem::take(&mut buf.len));
        if !ptr.is_null() {
            // SAFETY: it was made from a box of `len` bytes and a NUL.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(ptr.cast::<u8>(), len + 1)) });
        }
    });
}
