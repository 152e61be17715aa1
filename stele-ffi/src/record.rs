//! Opening, closing, and what is asked of the record itself.

use std::mem::{offset_of, size_of};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use stele_core::{Code, Durability, Error, HealthOptions, Record, Result, Weight};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give, give_handle, handle, place, status, unfit, value};
use crate::host::{Brought, stele_clock_t, stele_embedder_t};
use crate::sized::{self, HasSize, flag};
use crate::text::stele_str_t;

/// An open record. Any number of threads may use it at once. What is made from it keeps it in memory, and answers
/// STELE_CLOSED once it is closed.
pub struct stele_t {
    pub(crate) record: Arc<Record>,
}

/// How a record is opened; all zero is the default but for the path.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_open_options_t {
    /// sizeof(stele_open_options_t).
    pub struct_size: u32,
    /// How long a writer waits for another, in milliseconds; 0: 5,000.
    pub busy_timeout_ms: u32,
    /// The folder of the record; empty: ".stele".
    pub path: stele_str_t,
    /// 1: it is an error if there is no record yet.
    pub no_create: u8,
    /// 1: nothing can be written through this handle.
    pub read_only: u8,
    /// 1: search by words only, without the built-in embedder.
    pub no_embedder: u8,
    /// 0. For later use.
    pub reserved: u8,
    /// STELE_DURABILITY_…: what an acknowledged write survives.
    pub durability: i32,
    /// Gives the vectors instead of the built-in embedder; NULL for that.
    pub embedder: *const stele_embedder_t,
    /// Gives the time of what is written; NULL: the system's clock.
    pub clock: *const stele_clock_t,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_open_options_t {
    const FIRST: usize = offset_of!(Self, embedder);
    const KEPT: Range<usize> = sized::kept!(reserved: u8);
}

/// The condition of a record, in numbers. `stele_call(record, "health", …)` says what was found.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_health_t {
    /// sizeof(stele_health_t), set by the caller.
    pub struct_size: u32,
    /// 1 if nothing is worse than good to know.
    pub ok: u8,
    /// 0. For later use.
    pub reserved: [u8; 3],
    /// Findings that say that something cannot be relied on.
    pub errors: u32,
    /// Findings that want a look.
    pub warnings: u32,
    /// Findings that are good to know.
    pub infos: u32,
    /// 0. For later use.
    pub reserved2: u32,
    /// The number of operations in the log.
    pub head: u64,
}

// SAFETY: it begins with its size and holds only numbers.
unsafe impl HasSize for stele_health_t {
    const FIRST: usize = size_of::<Self>();
}

/// The member of an enumeration with a number.
pub(crate) fn member<T>(number: i32, name: &'static str, from_number: fn(u8) -> Option<T>) -> Result<T> {
    let member = u8::try_from(number).ok().and_then(from_number);
    member.ok_or_else(|| Error::new(Code::UnknownValue, format!("read the arguments: {name} has no member {number}")).with("field", name))
}

/// A length of time; none for 0.
pub(crate) fn length(ms: u32) -> Option<Duration> {
    (ms > 0).then(|| Duration::from_millis(u64::from(ms)))
}

/// Opens the record in a folder, and makes it if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_open(options: *const stele_open_options_t, out: *mut *mut stele_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a struct of its size.
        let given = unsafe { sized::read(options, "options") }?;
        let mut options = Record::options().create(!flag(given.no_create, "no_create")?).read_only(flag(given.read_only, "read_only")?);
        options = options.durability(member(given.durability, "durability", Durability::from_number)?);
        if let Some(wait) = length(given.busy_timeout_ms) {
            options = options.busy_timeout(wait);
        }
        let mut brought = Brought::default();
        if flag(given.no_embedder, "no_embedder")? {
            if !given.embedder.is_null() {
                return Err(unfit("no_embedder", "is 1, and an embedder is given"));
            }
            options = options.without_embedder();
        }
        // SAFETY: by the laws these are NULL or structs of their size with texts and functions.
        options = unsafe { brought.embedder(options, given.embedder)? };
        // SAFETY: as above.
        options = unsafe { brought.clock(options, given.clock)? };
        // SAFETY: by the laws it is text.
        let path = unsafe { given.path.given("path") }?.unwrap_or(".stele");
        let record = Arc::new(options.open(path)?);
        brought.take();
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_t { record }) };
        Ok(())
    })
}

/// Closes a record: later calls, on it and on what was made from it, answer STELE_CLOSED. Closing again is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_close(record: *const stele_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a record.
        unsafe { handle(record, "record") }?.record.close();
        Ok(())
    })
}

/// Closes a record and frees its handle; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_free(record: *mut stele_t) {
    value((), || {
        // SAFETY: by the laws it is NULL or a record that was not freed.
        unsafe {
            if let Some(record) = record.as_ref() {
                record.record.close();
            }
            free(record);
        }
    });
}

/// Gives the number of operations in the log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_head(record: *const stele_t, out: *mut u64, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a record, and `out` NULL or a place for a number.
        unsafe { give(out, handle(record, "record")?.record.head()?) };
        Ok(())
    })
}

/// Says what condition the record is in. `full` 1 reads every byte of the log and of the indexes and compares facts by
/// meaning; 0 does not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_health(record: *const stele_t, full: u8, out: *mut stele_health_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a struct of its size.
        unsafe { sized::check(out, "out") }?;
        // SAFETY: by the laws it is NULL or a record.
        let record = unsafe { handle(record, "record") }?;
        let health = record.record.health_with(&HealthOptions::new().full(flag(full, "full")?))?;
        let count = |severity| u32::try_from(health.findings.iter().filter(|finding| finding.severity == severity).count()).unwrap_or(u32::MAX);
        let value = stele_health_t {
            struct_size: 0,
            ok: u8::from(health.ok()),
            reserved: [0; 3],
            errors: count(Weight::Error),
            warnings: count(Weight::Warn),
            infos: count(Weight::Info),
            reserved2: 0,
            head: record.record.head()?,
        };
        // SAFETY: it was checked.
        unsafe { sized::fill(out, &value) };
        Ok(())
    })
}
