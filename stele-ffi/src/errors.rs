//! Statuses and error objects.

use stele_core::Error;

use crate::guard::{OK, free, status, value};
use crate::text::{stele_buf_t, stele_str_t};

/// How a call ended: STELE_OK, or the kind of its error.
pub type stele_status_t = i32;

/// What went wrong. Any thread may read it.
pub struct stele_error_t {
    error: Error,
    message: String,
}

impl From<Error> for stele_error_t {
    fn from(error: Error) -> Self {
        Self { message: error.to_string(), error }
    }
}

/// What to do next: one of STELE_INVALID to STELE_INTERNAL; STELE_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_kind(error: *const stele_error_t) -> stele_status_t {
    // SAFETY: by the laws it is NULL or an error.
    value(OK, || unsafe { error.as_ref() }.map_or(OK, |error| error.error.kind() as stele_status_t))
}

/// The stable word for the way in which it failed, such as "unknown_node"; borrowed from the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_code(error: *const stele_error_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or an error.
    value(stele_str_t::EMPTY, || unsafe { error.as_ref() }.map_or(stele_str_t::EMPTY, |error| stele_str_t::of(error.error.code().as_str())))
}

/// What happened and what to do about it, in words that may change; borrowed from the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_message(error: *const stele_error_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or an error.
    value(stele_str_t::EMPTY, || unsafe { error.as_ref() }.map_or(stele_str_t::EMPTY, |error| stele_str_t::of(&error.message)))
}

/// True if the same call may succeed later without a change by the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_retryable(error: *const stele_error_t) -> bool {
    // SAFETY: by the laws it is NULL or an error.
    value(false, || unsafe { error.as_ref() }.is_some_and(|error| error.error.retryable()))
}

/// One detail by name, such as "field"; empty if there is none, borrowed from the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_detail(error: *const stele_error_t, name: stele_str_t) -> stele_str_t {
    value(stele_str_t::EMPTY, || {
        // SAFETY: by the laws it is NULL or an error, and the name is text.
        let (error, name) = unsafe { (error.as_ref(), name.get("name")) };
        error.zip(name.ok()).map_or(stele_str_t::EMPTY, |(error, name)| stele_str_t::or_empty(error.error.detail(name)))
    })
}

/// The error as a JSON object: kind, code, message, remedy, details.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_json(error: *const stele_error_t, out: *mut stele_buf_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or an error, and `out` a place for a buffer.
        unsafe { crate::guard::place(out)?.write(crate::guard::handle(error, "error")?.error.json().into()) };
        Ok(())
    })
}

/// Frees an error; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_error_free(error: *mut stele_error_t) {
    // SAFETY: by the laws it is NULL or an error that was not freed.
    value((), || unsafe { free(error) });
}
