//! The moments of one agent session.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use stele_core::{Aggressiveness, Delivered, Moment, Record, Result, Session, SessionOptions};

use crate::assembly::{ask, called, declared, stele_assembly_t, stele_provider_t};
use crate::context::{stele_context_t, stele_moment_t};
use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give, give_handle, handle, place, status, value};
use crate::record::{member, stele_t};
use crate::recorder::with;
use crate::retrieval::stele_retrieval_t;
use crate::sized::{self, HasSize};
use crate::text::stele_str_t;

/// The moments of one agent session: what the record has to say, and when. Any number of threads may use it at once, and
/// processes may share the session.
pub struct stele_session_t {
    pub(crate) session: Session,
    pub(crate) record: Arc<Record>,
}

/// How a session is taken up; all zero but the name is the default.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_session_options_t {
    /// sizeof(stele_session_options_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Its name.
    pub name: stele_str_t,
    /// Its mode; empty: the one that it has, "work" for a new one.
    pub mode: stele_str_t,
    /// Whose it is, so that its start tells what that actor holds in any session.
    pub actor: stele_str_t,
    /// The folder that anchors are relative to; empty: the folder around the record's.
    pub root: stele_str_t,
    /// Tokens that the record may take of the session; 0: no limit is set.
    pub token_budget: u64,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_session_options_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// Takes a session up, or begins it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_session_new(
    record: *const stele_t,
    options: *const stele_session_options_t,
    out: *mut *mut stele_session_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and NULL or a struct of its size.
        let (record, given) = unsafe { (&handle(record, "record")?.record, sized::read(options, "options")?) };
        // SAFETY: by the laws its texts are texts.
        let session = unsafe {
            let mut options = record.session(given.name.get("name")?);
            options = with(options, given.mode.given("mode")?, SessionOptions::mode);
            options = with(options, given.actor.given("actor")?, SessionOptions::actor);
            options = with(options, given.root.given("root")?, |options, root| options.root(root));
            with(options, (given.token_budget > 0).then_some(given.token_budget), SessionOptions::token_budget).open()?
        };
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_session_t { session, record: Arc::clone(record) }) };
        Ok(())
    })
}

/// Frees a session; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_session_free(session: *mut stele_session_t) {
    // SAFETY: by the laws it is NULL or a session that was not freed.
    value((), || unsafe { free(session) });
}

/// Gives what a moment says.
///
/// # Safety
/// The pointers are as the laws say.
unsafe fn moment(session: *const stele_session_t, out: *mut *mut stele_moment_t, of: impl FnOnce(&Session) -> Result<Moment>) -> Result<()> {
    let out = place(out)?;
    // SAFETY: the caller says so.
    let moment = of(&unsafe { handle(session, "session") }?.session)?;
    // SAFETY: `out` is a place for a pointer.
    unsafe { give_handle(out, moment.into()) };
    Ok(())
}

/// Tells a session that starts or goes on what it holds, where it stopped, and what others did since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_on_start(session: *const stele_session_t, out: *mut *mut stele_moment_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session.
        unsafe { moment(session, out, Session::on_start) }
    })
}

/// Tells what is anchored to a path, and to a symbol in it, which may be empty; before the first edit also a nudge.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_on_edit(
    session: *const stele_session_t,
    path: stele_str_t,
    symbol: stele_str_t,
    out: *mut *mut stele_moment_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session, and the rest is text.
        unsafe {
            let (path, symbol) = (path.get("path")?, symbol.given("symbol")?);
            moment(session, out, |session| session.on_edit(path, symbol))
        }
    })
}

/// Tells the lessons and risks a literal trigger of which stands in what a tool printed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_on_output(
    session: *const stele_session_t,
    text: stele_str_t,
    out: *mut *mut stele_moment_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session, and the rest is text.
        unsafe {
            let text = text.get("text")?;
            moment(session, out, |session| session.on_output(text))
        }
    })
}

/// Around completion of a task, or of those that the session holds if it is empty: the facts that the work may have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_on_complete(
    session: *const stele_session_t,
    task: stele_str_t,
    out: *mut *mut stele_moment_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session, and the rest is text.
        unsafe {
            let task = task.given("task")?;
            moment(session, out, |session| session.on_complete(task))
        }
    })
}

/// Answers a prompt: obligations, ways of working, the window of the record, and what providers give. Counts the turn.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_on_prompt(
    session: *const stele_session_t,
    assembly: *const stele_assembly_t,
    providers: *const stele_provider_t,
    providers_len: usize,
    out: *mut *mut stele_context_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws these are NULL or structs of their size with texts and arrays.
        let (assembly, providers) = unsafe { (sized::read(assembly, "assembly")?, called(providers, providers_len)?) };
        // SAFETY: by the laws its texts are texts.
        let (prompt, options) = unsafe { (assembly.prompt.get("prompt")?, assembly.options()?) };
        // SAFETY: by the laws it is NULL or a session. A callback may free it, so it is not used after the plan is made.
        let plan = unsafe { handle(session, "session") }?.session.plan(prompt, &declared(options, &providers))?;
        let context = ask(plan, &providers)?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, context.into()) };
        Ok(())
    })
}

/// Notes that something reached the session's model.
///
/// # Safety
/// The pointers are as the laws say.
unsafe fn note<T>(session: *const stele_session_t, what: *const T, name: &str, of: impl FnOnce(&T) -> Delivered) -> Result<()> {
    // SAFETY: the caller says so.
    let (session, what) = unsafe { (handle(session, "session")?, handle(what, name)?) };
    session.session.delivered(of(what))
}

/// Notes that a context reached the session's model: what it holds does not come again before it changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_delivered_context(
    session: *const stele_session_t,
    context: *const stele_context_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws these are NULL or a session and a context.
        unsafe { note(session, context, "context", |context| Delivered::from(&context.context)) }
    })
}

/// Notes that a moment reached the session's model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_delivered_moment(
    session: *const stele_session_t,
    moment: *const stele_moment_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws these are NULL or a session and a moment.
        unsafe { note(session, moment, "moment", |moment| Delivered::from(&moment.moment)) }
    })
}

/// Notes that a retrieval reached the session's model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_delivered_retrieval(
    session: *const stele_session_t,
    retrieval: *const stele_retrieval_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws these are NULL or a session and a retrieval.
        unsafe { note(session, retrieval, "retrieval", |retrieval| Delivered::from(&retrieval.found)) }
    })
}

/// Notes that the model's memory of the session was compacted: what was served may come again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_compacted(session: *const stele_session_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session.
        unsafe { handle(session, "session") }?.session.compacted()
    })
}

/// Begins a phase of the work: what was served may come again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_new_phase(session: *const stele_session_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session.
        unsafe { handle(session, "session") }?.session.new_phase()
    })
}

/// Changes the mode; if it is another one, what was served may come again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_set_mode(session: *const stele_session_t, mode: stele_str_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session, and the mode is text.
        unsafe { handle(session, "session")?.session.set_mode(mode.get("mode")?) }
    })
}

/// Gives how many prompts it had, or the turn after the last that the host counted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_turn(session: *const stele_session_t, out: *mut u64, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session, and `out` NULL or a place for a number.
        unsafe { give(out, handle(session, "session")?.session.turn()?) };
        Ok(())
    })
}

/// Keeps still for so many prompts; obligations still arrive. 0 ends a pause.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_pause(session: *const stele_session_t, turns: u64, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session.
        unsafe { handle(session, "session") }?.session.pause(turns)
    })
}

/// Sets how much of the record the session wants: STELE_AGGRESSIVENESS_….
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_set_aggressiveness(session: *const stele_session_t, amount: i32, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a session.
        unsafe { handle(session, "session") }?.session.set_aggressiveness(member(amount, "value", Aggressiveness::from_number)?)
    })
}
