//! The one way into the core: with panics caught. No call into the core waits for JavaScript.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stele_core::{Code, Error, Result};

/// Runs `work`. A panic becomes an error of the kind `internal`.
pub(crate) fn enter<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(&*panic)))
}

fn fault(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(Code::Internal, format!("run a call: {}", text.unwrap_or("it panicked")))
}
