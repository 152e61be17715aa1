//! Assembling context in steps, for hosts with an event loop: take the requests, answer them in any order, finish.

use std::sync::{Arc, Mutex, TryLockError};

use stele_core::{Asked, AssembleOptions, Code, Error, Plan, ProviderFault, Record, Result, Supply};

use crate::assembly::{stele_assembly_t, stele_declaration_t, stele_provider_entry_t, stele_request_t};
use crate::context::stele_context_t;
use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give, give_handle, handle, place, status, unfit, value};
use crate::record::stele_t;
use crate::session::stele_session_t;
use crate::sized;
use crate::text::stele_str_t;

/// An assembly under way. One thread at a time: a second one gets STELE_INVALID.
pub struct stele_plan_t {
    state: Mutex<State>,
    _record: Arc<Record>,
}

struct State {
    /// None once it is finished.
    plan: Option<Plan>,
    /// What was given out, by index; requests borrow their texts from here.
    given: Vec<Asked>,
}

/// Runs a step of a plan, unless another thread is at one or it is finished.
fn step<T>(plan: &stele_plan_t, work: impl FnOnce(&mut Plan, &mut Vec<Asked>) -> Result<T>) -> Result<T> {
    let mut state = match plan.state.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(broken)) => broken.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(unfit("plan", "is used by another thread at the same time")),
    };
    let State { plan, given } = &mut *state;
    let plan = plan.as_mut().ok_or_else(|| Error::new(Code::Closed, "answer a plan: it is finished"))?;
    work(plan, given)
}

/// The provider that a request was made to.
fn asked(given: &[Asked], index: u32) -> Result<&Asked> {
    given.get(index as usize).ok_or_else(|| unfit("index", &format!("is {index}, which no request has")))
}

/// Makes a plan of a record or of a session's prompt.
///
/// # Safety
/// The arguments are as the laws say.
unsafe fn begin(
    assembly: *const stele_assembly_t,
    declarations: *const stele_declaration_t,
    len: usize,
    record: &Arc<Record>,
    make: impl FnOnce(&str, &AssembleOptions) -> Result<Plan>,
) -> Result<stele_plan_t> {
    // SAFETY: the caller says so.
    let assembly = unsafe { sized::read(assembly, "assembly") }?;
    // SAFETY: the caller says so.
    let (prompt, mut options) = unsafe { (assembly.prompt.get("prompt")?, assembly.options()?) };
    // SAFETY: the caller says so.
    for declaration in unsafe { sized::read_many(declarations, len, "declarations") }? {
        // SAFETY: the caller says so.
        options = options.declare(unsafe { declaration.declaration() }?);
    }
    let plan = make(prompt, &options)?;
    Ok(stele_plan_t { state: Mutex::new(State { plan: Some(plan), given: Vec::new() }), _record: Arc::clone(record) })
}

/// Begins an assembly with providers that the host asks itself. Built-in providers run meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_new(
    record: *const stele_t,
    assembly: *const stele_assembly_t,
    declarations: *const stele_declaration_t,
    declarations_len: usize,
    out: *mut *mut stele_plan_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record.
        let record = &unsafe { handle(record, "record") }?.record;
        // SAFETY: by the laws these are NULL or structs of their size with texts and arrays.
        let plan = unsafe { begin(assembly, declarations, declarations_len, record, |prompt, options| record.plan(prompt, options)) }?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, plan) };
        Ok(())
    })
}

/// Begins to answer a prompt of a session; stele_plan_finish counts the turn.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_session_plan(
    session: *const stele_session_t,
    assembly: *const stele_assembly_t,
    declarations: *const stele_declaration_t,
    declarations_len: usize,
    out: *mut *mut stele_plan_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a session.
        let session = unsafe { handle(session, "session") }?;
        let make = |prompt: &str, options: &AssembleOptions| session.session.plan(prompt, options);
        // SAFETY: by the laws these are NULL or structs of their size with texts and arrays.
        let plan = unsafe { begin(assembly, declarations, declarations_len, &session.record, make) }?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, plan) };
        Ok(())
    })
}

/// Gives out the next request. `*more` is false once all have been, and then `*out` is untouched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_next(plan: *mut stele_plan_t, out: *mut stele_request_t, more: *mut bool, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a struct of its size.
        unsafe { sized::check(out, "out") }?;
        // SAFETY: by the laws it is NULL or a plan.
        let request = step(unsafe { handle(plan, "plan") }?, |plan, given| {
            Ok(plan.next().map(|next| {
                let request = stele_request_t::of(&next, u32::try_from(given.len()).unwrap_or(u32::MAX));
                given.push(next);
                request
            }))
        })?;
        // SAFETY: `out` was checked, and `more` is NULL or a place for a bool.
        unsafe {
            if let Some(request) = &request {
                sized::fill(out, request);
            }
            give(more, request.is_some());
        }
        Ok(())
    })
}

/// True once nobody waits for the answer of a request any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_cancelled(plan: *mut stele_plan_t, index: u32) -> bool {
    value(true, || {
        // SAFETY: by the laws it is NULL or a plan.
        unsafe { plan.as_ref() }.is_none_or(|plan| step(plan, |_, given| Ok(asked(given, index)?.request.cancelled())).unwrap_or(true))
    })
}

/// Answers a request with one entry that is only text, which is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_supply(plan: *mut stele_plan_t, index: u32, text: stele_str_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a plan, and text.
        let (plan, text) = unsafe { (handle(plan, "plan")?, text.get("text")?) };
        step(plan, |plan, given| plan.supply(&asked(given, index)?.provider, text))
    })
}

/// Answers a request with entries, which are copied; there may be none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_supply_entries(
    plan: *mut stele_plan_t,
    index: u32,
    entries: *const stele_provider_entry_t,
    entries_len: usize,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a plan, and an array as long as it says.
        let (plan, entries) = unsafe { (handle(plan, "plan")?, sized::read_many(entries, entries_len, "entries")?) };
        // SAFETY: by the laws their texts are texts.
        let entries = entries.iter().map(|entry| unsafe { entry.entry() }).collect::<Result<Vec<_>>>()?;
        step(plan, |plan, given| plan.supply(&asked(given, index)?.provider, Supply::from(entries)))
    })
}

/// Says that the provider of a request cannot answer, and why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_fail(plan: *mut stele_plan_t, index: u32, reason: stele_str_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a plan, and text.
        let (plan, reason) = unsafe { (handle(plan, "plan")?, reason.get("reason")?) };
        step(plan, |plan, given| plan.fail(&asked(given, index)?.provider, ProviderFault::new(reason)))
    })
}

/// Puts the context together; what has not been answered counts as late. The plan is over then, and still has to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_finish(plan: *mut stele_plan_t, out: *mut *mut stele_context_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a plan.
        let plan = unsafe { handle(plan, "plan") }?;
        step(plan, |_, _| Ok(()))?;
        let taken = match plan.state.try_lock() {
            Ok(mut state) => state.plan.take(),
            Err(_) => None,
        };
        let context = taken.ok_or_else(|| unfit("plan", "is used by another thread at the same time"))?.finish()?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, context.into()) };
        Ok(())
    })
}

/// Frees a plan, finished or not; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_plan_free(plan: *mut stele_plan_t) {
    // SAFETY: by the laws it is NULL or a plan that was not freed and that no thread uses.
    value((), || unsafe { free(plan) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::OK;
    use stele_core::ErrorKind;

    fn is<T: Send + Sync>() {}

    #[test]
    fn handles_may_be_shared_by_threads() {
        is::<stele_plan_t>();
        is::<stele_t>();
        is::<stele_session_t>();
        is::<stele_context_t>();
        is::<crate::context::stele_moment_t>();
        is::<crate::recorder::stele_recorder_t>();
        is::<crate::retriever::stele_retriever_t>();
        is::<crate::retrieval::stele_retrieval_t>();
        is::<crate::retrieval::stele_hits_t>();
        is::<crate::retrieval::stele_node_t>();
        is::<stele_error_t>();
    }

    #[test]
    fn a_plan_refuses_a_second_thread_while_one_is_at_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Arc::new(Record::options().without_embedder().open(folder.path().join(".stele")).expect("a record"));
        let plan = record.plan("a prompt of some length", &AssembleOptions::new()).expect("a plan");
        let mut plan = stele_plan_t { state: Mutex::new(State { plan: Some(plan), given: Vec::new() }), _record: record };
        let plan = &raw mut plan;
        let (mut context, mut err) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the plan lives until the end of the test.
        let busy = unsafe { &(*plan).state }.lock().expect("nobody panicked");
        // SAFETY: the pointers are those of the variables above.
        unsafe {
            assert_eq!(stele_plan_supply(plan, 0, stele_str_t::EMPTY, &raw mut err), ErrorKind::Invalid as i32);
            crate::errors::stele_error_free(err);
            assert_eq!(stele_plan_finish(plan, &raw mut context, std::ptr::null_mut()), ErrorKind::Invalid as i32);
            assert!(stele_plan_cancelled(plan, 0) && context.is_null());
        }
        drop(busy);
        // SAFETY: the pointers are those of the variables above.
        unsafe {
            assert_eq!(stele_plan_finish(plan, &raw mut context, std::ptr::null_mut()), OK);
            crate::context::stele_context_free(context);
            assert_eq!(stele_plan_finish(plan, &raw mut context, std::ptr::null_mut()), ErrorKind::Closed as i32);
        }
    }
}
