//! Verbs with JSON arguments, the tools of an agent, and the estimate of tokens.

use stele_core::{Tier, ToolCall};
use stele_kit::Notation;

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{handle, place, status, value};
use crate::record::{member, stele_t};
use crate::recorder::stele_recorder_t;
use crate::text::{stele_buf_t, stele_str_t};

/// Calls a verb with a JSON object of arguments, which may be empty, and gives its result as JSON. Every verb can be called
/// so; docs/verbs.md lists them with their arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_call(
    record: *const stele_t,
    verb: stele_str_t,
    arguments: stele_str_t,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and the rest is text.
        let (record, verb, arguments) = unsafe { (handle(record, "record")?, verb.get("verb")?, arguments.get("arguments")?) };
        let said = stele_kit::call_text(&record.record, verb, arguments, Notation::Json)?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.into()) };
        Ok(())
    })
}

/// As stele_call, for a verb of recorders, by the actor and session of this one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_recorder_call(
    recorder: *const stele_recorder_t,
    verb: stele_str_t,
    arguments: stele_str_t,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a recorder, and the rest is text.
        let (recorder, verb, arguments) = unsafe { (handle(recorder, "recorder")?, verb.get("verb")?, arguments.get("arguments")?) };
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        let arguments = stele_kit::read_json(arguments).map_err(|cause| crate::guard::unfit("arguments", "is no JSON").because(cause))?;
        let said = stele_kit::call_within(&recorder.recorder, verb, &arguments)?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.to_string().into()) };
        Ok(())
    })
}

/// Gives the tools for an agent that may go up to a tier, as a JSON list of name, description, input_schema and tier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_tools(record: *const stele_t, tier: i32, out: *mut stele_buf_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record.
        let record = unsafe { handle(record, "record") }?;
        let tier = member(tier, "tier", Tier::from_number)?;
        let said = stele_kit::call(&record.record, "tools", &serde_json::json!({ "tier": tier.as_str() }))?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.to_string().into()) };
        Ok(())
    })
}

/// Calls a tool with a JSON object of arguments, for an actor in a session (which may be empty), up to a tier; gives its
/// result as a JSON object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_call_tool(
    record: *const stele_t,
    name: stele_str_t,
    arguments: stele_str_t,
    actor: stele_str_t,
    session: stele_str_t,
    tier: i32,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and the rest is text.
        let (record, name, arguments) = unsafe { (handle(record, "record")?, name.get("name")?, arguments.get("arguments")?) };
        // SAFETY: by the laws it is text.
        let (actor, session) = unsafe { (actor.get("actor")?, session.given("session")?) };
        let by = session.into_iter().fold(ToolCall::new(actor).tier(member(tier, "tier", Tier::from_number)?), ToolCall::session);
        let said = record.record.call_tool(name, arguments, &by)?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(said.into()) };
        Ok(())
    })
}

/// Estimates how many tokens a text has; 0 for what is no text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_tokens(text: stele_str_t) -> usize {
    // SAFETY: by the laws it is text.
    value(0, || unsafe { text.get("text") }.map_or(0, stele_core::tokens))
}
