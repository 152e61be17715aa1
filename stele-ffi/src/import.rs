//! Imports that a host follows.

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::size_of;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use stele_core::{ImportOptions, Progress};
use stele_kit::Notation;

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{handle, place, status, unfit};
use crate::record::stele_t;
use crate::sized::{self, HasSize};
use crate::text::{stele_buf_t, stele_str_t};

/// How far an import has come.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_progress_t {
    /// sizeof(stele_progress_t), set by the library.
    pub struct_size: u32,
    /// STELE_IMPORT_PHASE_…: what is being done.
    pub phase: i32,
    /// Lines or files read so far.
    pub lines: u64,
    /// Bytes read so far.
    pub bytes: u64,
    /// Bytes that there are, if has_total_bytes is 1.
    pub total_bytes: u64,
    /// Faults found so far.
    pub faults: u64,
    /// 1 if it is known how many bytes there are.
    pub has_total_bytes: u8,
    /// 0. For later use.
    pub reserved: [u8; 7],
}

impl From<Progress> for stele_progress_t {
    fn from(progress: Progress) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            phase: progress.phase.number().into(),
            lines: progress.lines,
            bytes: progress.bytes,
            total_bytes: progress.total_bytes.unwrap_or(0),
            faults: progress.faults,
            has_total_bytes: u8::from(progress.total_bytes.is_some()),
            reserved: [0; 7],
        }
    }
}

/// Follows an import: it is called back on the thread of the call, about every 1,000 lines or 100 files, with no lock held. `watch` gives 0,
/// or another number to stop the import, which then calls no more; it may call anything of this header, closing the record
/// among it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_watcher_t {
    /// sizeof(stele_watcher_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Hears how far it is.
    pub watch: Option<unsafe extern "C" fn(ctx: *mut c_void, progress: *const stele_progress_t) -> i32>,
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_watcher_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// Calls `import_jsonl`, `import_adr` or `import_beads` as stele_call does, with a watcher, or NULL for none. The report of one
/// that was stopped says `"applied":false`: nothing was written. It is true if it was stopped too late.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_import(
    record: *const stele_t,
    verb: stele_str_t,
    arguments: stele_str_t,
    watcher: *const stele_watcher_t,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and the rest is text.
        let (record, verb, arguments) = unsafe { (handle(record, "record")?.record.clone(), verb.get("verb")?, arguments.get("arguments")?) };
        // SAFETY: by the laws it is NULL or a struct of its size.
        let watcher = if watcher.is_null() { None } else { Some(unsafe { sized::read(watcher, "watcher") }?) };
        let watcher = watcher.map(|watcher| Ok((watcher.watch.ok_or_else(|| unfit("watch", "is NULL"))?, watcher.ctx))).transpose()?;
        let stop = AtomicBool::new(false);
        let left = Cell::new(watcher.is_none());
        let mut hear = |progress: Progress| {
            if let Some((watch, ctx)) = watcher.filter(|_| !left.get()) {
                let progress = stele_progress_t::from(progress);
                // SAFETY: by the laws it is a function of that signature which lets no exception out; the struct lives until it returns.
                left.set(unsafe { watch(ctx, &raw const progress) } != 0);
                stop.store(left.get(), Ordering::SeqCst);
            }
        };
        let options = ImportOptions::new().stop(&stop).progress(&mut hear);
        let said = stele_kit::import_text(&record, verb, arguments, options, Notation::Json)?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.into()) };
        Ok(())
    })
}
