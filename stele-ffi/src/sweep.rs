//! Judging retirements, by the built-in judge or by a host's.

use std::ffi::c_void;
use std::mem::size_of;
use std::ops::Range;

use stele_core::{Code, Error, Result, Retirement, Verdict};
use stele_kit::results;

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{handle, place, status, unfit};
use crate::record::{member, stele_t};
use crate::sized::{self, HasSize, flag};
use crate::text::{stele_buf_t, stele_id_t, stele_str_t};

/// What a judge is asked about: a node that is said to have replaced another. Texts are borrowed until the judge returns.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_retirement_t {
    /// sizeof(stele_retirement_t), set by the library.
    pub struct_size: u32,
    /// Whether the evidence still stands where it was found: 1 it does, 0 it does not; -1: that cannot be read again.
    pub verbatim: i32,
    /// What replaced the other.
    pub newer: stele_id_t,
    /// What was replaced.
    pub older: stele_id_t,
    /// The title of the newer.
    pub newer_title: stele_str_t,
    /// Its body.
    pub newer_body: stele_str_t,
    /// The title of the older.
    pub older_title: stele_str_t,
    /// Its body.
    pub older_body: stele_str_t,
    /// Which standing state is said to have ended; may be empty.
    pub reason: stele_str_t,
    /// The line that is said to show it; may be empty.
    pub evidence: stele_str_t,
}

impl stele_retirement_t {
    /// A retirement as it crosses; its texts live as long as `asked`.
    fn of(asked: &Retirement) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            verbatim: asked.verbatim.map_or(-1, i32::from),
            newer: asked.newer.id.into(),
            older: asked.older.id.into(),
            newer_title: stele_str_t::of(&asked.newer.title),
            newer_body: stele_str_t::of(&asked.newer.body),
            older_title: stele_str_t::of(&asked.older.title),
            older_body: stele_str_t::of(&asked.older.body),
            reason: stele_str_t::of(&asked.reason),
            evidence: stele_str_t::or_empty(asked.evidence.as_deref()),
        }
    }
}

/// Says whether a retirement holds: it is called back on the thread of the call, for one after another, with no lock held.
/// `judge` puts STELE_VERDICT_… into `verdict` and gives 0, or another number if it failed; then it is asked no more, the sweep
/// is STELE_PROVIDER and nothing is applied. It may call anything of this header, closing the record among it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_judge_t {
    /// sizeof(stele_judge_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Judges one retirement; the verdict is STELE_VERDICT_UNSURE unless it says another.
    pub judge: Option<unsafe extern "C" fn(ctx: *mut c_void, retirement: *const stele_retirement_t, verdict: *mut i32) -> i32>,
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_judge_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

impl stele_judge_t {
    fn verdict(&self, asked: &Retirement) -> Result<Verdict> {
        let judge = self.judge.ok_or_else(|| unfit("judge", "is NULL"))?;
        let (retirement, mut verdict) = (stele_retirement_t::of(asked), i32::from(Verdict::Unsure.number()));
        // SAFETY: by the laws it is a function of that signature which lets no exception out; retirement and verdict live until it returns.
        let gave = unsafe { judge(self.ctx, &raw const retirement, &raw mut verdict) };
        let fault = |what: String| Error::new(Code::ProviderFailed, format!("sweep: {what}")).with("provider", "judge");
        if gave != 0 {
            return Err(fault(format!("the judge gave {gave} for {} and {}", asked.newer.id, asked.older.id)));
        }
        member(verdict, "verdict", Verdict::from_number).map_err(|cause| fault("the judge gave a verdict that does not exist".to_owned()).because(cause))
    }
}

/// Judges every retirement, with NULL by the built-in judge, and gives what was said as JSON, as the verb `sweep` does. With
/// `apply` 1, in the name of `actor`, those that fail become mere connections and the buried facts are live again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_sweep(
    record: *const stele_t,
    judge: *const stele_judge_t,
    apply: u8,
    actor: stele_str_t,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and the rest is text.
        let (record, actor) = unsafe { (handle(record, "record")?.record.clone(), actor.get("actor")?) };
        let apply = flag(apply, "apply")?;
        let mut sweep = if judge.is_null() {
            record.sweep()?
        } else {
            // SAFETY: by the laws it is a struct of its size.
            let judge = unsafe { sized::read(judge, "judge") }?;
            judge.judge.ok_or_else(|| unfit("judge", "is NULL"))?;
            let mut fault = None;
            let sweep = record.sweep_with(&mut |asked| {
                if fault.is_some() {
                    return Verdict::Unsure;
                }
                judge.verdict(asked).unwrap_or_else(|error| {
                    fault = Some(error);
                    Verdict::Unsure
                })
            });
            if let Some(error) = fault {
                return Err(error);
            }
            sweep?
        };
        if apply {
            record.apply_sweep(&mut sweep, actor)?;
        }
        let said = serde_json::to_string(&results::Sweep::from(sweep)).map_err(|cause| Error::new(Code::Internal, "write a sweep").because(cause))?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.into()) };
        Ok(())
    })
}
