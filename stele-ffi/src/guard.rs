//! The one way through an export: panics end here, errors become a status and an object.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stele_core::{Code, Error, Result};

use crate::errors::{stele_error_t, stele_status_t};

/// The status of a call that went well.
pub(crate) const OK: stele_status_t = 0;

/// Runs a fallible export. An error goes to `*err` unless that is NULL, its kind is the status.
pub(crate) fn status(err: *mut *mut stele_error_t, work: impl FnOnce() -> Result<()>) -> stele_status_t {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(&*panic)));
    let Err(error) = done else { return OK };
    let status = error.kind() as stele_status_t;
    if !err.is_null() {
        let object = Box::into_raw(Box::new(stele_error_t::from(error)));
        // SAFETY: by the laws `err` is NULL or points to a place for a pointer.
        unsafe { err.write(object) };
    }
    status
}

/// Runs an export that cannot fail; what it gives if it panics all the same is `otherwise`.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

fn fault(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(Code::Internal, format!("run a call: {}", text.unwrap_or("it panicked")))
}

/// The error of an argument that cannot be what it is.
pub(crate) fn unfit(name: &str, what: &str) -> Error {
    Error::new(Code::BadArgument, format!("read the arguments: {name} {what}")).with("field", name)
}

/// What a handle points to; the call is refused for NULL.
///
/// # Safety
/// `handle` is NULL or came from this library as a handle of that type and was not freed.
pub(crate) unsafe fn handle<'h, T>(handle: *const T, name: &str) -> Result<&'h T> {
    // SAFETY: the caller says so.
    unsafe { handle.as_ref() }.ok_or_else(|| unfit(name, "is NULL"))
}

/// Refuses a NULL where something is to be put that somebody must free.
pub(crate) fn place<T>(out: *mut T) -> Result<*mut T> {
    if out.is_null() { Err(unfit("out", "is NULL")) } else { Ok(out) }
}

/// Puts a value where it is wanted; nobody wants it at NULL.
///
/// # Safety
/// `out` is NULL or points to a place for a value.
pub(crate) unsafe fn give<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: the caller says so.
        unsafe { out.write(value) };
    }
}

/// Puts a new handle where it is wanted.
///
/// # Safety
/// `out` points to a place for a pointer.
pub(crate) unsafe fn give_handle<T>(out: *mut *mut T, value: T) {
    // SAFETY: the caller says so.
    unsafe { out.write(Box::into_raw(Box::new(value))) };
}

/// Frees a handle; nothing happens for NULL.
///
/// # Safety
/// `handle` is NULL or came from this library as a handle of that type and was not freed.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    value((), || {
        if !handle.is_null() {
            // SAFETY: the caller says so.
            drop(unsafe { Box::from_raw(handle) });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{stele_error_code, stele_error_free, stele_error_message};
    use stele_core::ErrorKind;

    #[test]
    fn a_panic_becomes_a_status_and_an_error() {
        let mut err = std::ptr::null_mut();
        let said = status(&raw mut err, || panic!("the roof is on fire"));
        assert_eq!(said, ErrorKind::Internal as i32);
        // SAFETY: it is the error that was just made.
        unsafe {
            assert_eq!(stele_error_code(err).get("code").expect("text"), "internal");
            assert!(stele_error_message(err).get("message").expect("text").contains("the roof is on fire"));
            stele_error_free(err);
        }
        assert_eq!(status(std::ptr::null_mut(), || panic!("{}", 1)), ErrorKind::Internal as i32);
        assert_eq!(value(7, || panic!("again")), 7);
    }
}
