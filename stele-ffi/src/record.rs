//! Opening, closing, and what is asked of the record itself.

use std::ffi::c_void;
use std::mem::size_of;
use std::sync::Arc;
use std::time::Duration;

use stele_core::{Code, Durability, Error, HealthOptions, Record, Result, Weight};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give, give_handle, handle, place, status, unfit, value};
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
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_open_options_t {
    const FIRST: usize = size_of::<Self>();
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
        if flag(given.no_embedder, "no_embedder")? {
            options = options.without_embedder();
        }
        // SAFETY: by the laws it is text.
        let path = unsafe { given.path.given("path") }?.unwrap_or(".stele");
        let record = Arc::new(options.open(path)?);
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

/// What a host gives its counter along. Any thread passes it on and none looks at it.
#[derive(Clone, Copy)]
struct Along(*mut c_void);

// SAFETY: it is passed back to the host's function and never read here; that any thread may do so is said at the function.
unsafe impl Send for Along {}
// SAFETY: as above.
unsafe impl Sync for Along {}

impl Along {
    /// The pointer; a method, so that a closure takes the whole.
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// Counts tokens with the host's own function wherever this handle keeps a budget; NULL is refused. Unlike other callbacks
/// it is kept, and called on any thread, also several at once, until the record is freed and no call on it runs. It gets
/// at most 16 KiB at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_set_token_counter(
    record: *const stele_t,
    count: Option<unsafe extern "C" fn(ctx: *mut c_void, text: stele_str_t) -> usize>,
    ctx: *mut c_void,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a record.
        let record = unsafe { handle(record, "record") }?;
        let count = count.ok_or_else(|| unfit("count", "is NULL"))?;
        let along = Along(ctx);
        // SAFETY: by the laws it is a function of that signature, which any thread may call and which lets no exception out.
        record.record.set_token_counter(Arc::new(move |text| unsafe { count(along.get(), stele_str_t::of(text)) }));
        Ok(())
    })
}
