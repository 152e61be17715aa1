//! What a prompt gets, and what the record says at a moment of a session: results with accessors.

use std::mem::size_of;
use std::sync::OnceLock;

use stele_core::{Context, Format, Moment};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, handle, place, status, value};
use crate::record::member;
use crate::retrieval::{Explained, entry_out, member_out, stele_entry_t, stele_retrieval_t};
use crate::sized::HasSize;
use crate::text::{stele_buf_t, stele_str_t};

/// What a prompt gets. It outlives the record, and any number of threads may read it.
pub struct stele_context_t {
    pub(crate) context: Context,
    record: OnceLock<stele_retrieval_t>,
}

impl From<Context> for stele_context_t {
    fn from(context: Context) -> Self {
        Self { context, record: OnceLock::new() }
    }
}

/// What the record says at a moment of a session. It outlives the record, and any number of threads may read it.
pub struct stele_moment_t {
    pub(crate) moment: Moment,
    explained: Explained,
}

impl From<Moment> for stele_moment_t {
    fn from(moment: Moment) -> Self {
        Self { explained: Explained::of(&moment.callouts, &moment.entries), moment }
    }
}

/// A part of a context as a model reads it. Texts are borrowed from the context.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_section_t {
    /// sizeof(stele_section_t), set by the caller.
    pub struct_size: u32,
    /// STELE_PROVIDER_CATEGORY_….
    pub category: i32,
    /// The provider that it comes from.
    pub provider: stele_str_t,
    /// Its text.
    pub text: stele_str_t,
    /// The text in tokens, estimated unless the host counts them.
    pub tokens: u32,
    /// 0. For later use.
    pub reserved: u32,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_section_t {
    const FIRST: usize = size_of::<Self>();
}

/// How one provider ended. Texts are borrowed from the context.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_outcome_t {
    /// sizeof(stele_outcome_t), set by the caller.
    pub struct_size: u32,
    /// STELE_PROVIDER_CATEGORY_….
    pub category: i32,
    /// STELE_OUTCOME_….
    pub result: i32,
    /// Entries that stand in the context.
    pub entries: u32,
    /// What they take, in tokens, estimated unless the host counts them.
    pub tokens: u32,
    /// How long it took.
    pub ms: u32,
    /// Its name.
    pub provider: stele_str_t,
    /// Why, in words; may be empty.
    pub reason: stele_str_t,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_outcome_t {
    const FIRST: usize = size_of::<Self>();
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The text for a model; borrowed from the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_text(context: *const stele_context_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or a context.
    value(stele_str_t::EMPTY, || unsafe { context.as_ref() }.map_or(stele_str_t::EMPTY, |context| stele_str_t::of(&context.context.text)))
}

/// SHA-256 of the text's bytes, in hexadecimal; borrowed from the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_digest(context: *const stele_context_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or a context.
    value(stele_str_t::EMPTY, || unsafe { context.as_ref() }.map_or(stele_str_t::EMPTY, |context| stele_str_t::of(&context.context.digest)))
}

/// The id of the item that carries the text; empty in the first turn and for an empty text; borrowed from the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_item_id(context: *const stele_context_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or a context.
    value(stele_str_t::EMPTY, || unsafe { context.as_ref() }.map_or(stele_str_t::EMPTY, |context| stele_str_t::or_empty(context.context.item_id.as_deref())))
}

/// The turn that it belongs to, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_turn(context: *const stele_context_t) -> u64 {
    // SAFETY: by the laws it is NULL or a context.
    value(0, || unsafe { context.as_ref() }.map_or(0, |context| context.context.turn))
}

/// The text in tokens, estimated unless the host counts them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_tokens(context: *const stele_context_t) -> usize {
    // SAFETY: by the laws it is NULL or a context.
    value(0, || unsafe { context.as_ref() }.map_or(0, |context| context.context.tokens))
}

/// How many sections there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_sections_len(context: *const stele_context_t) -> usize {
    // SAFETY: by the laws it is NULL or a context.
    value(0, || unsafe { context.as_ref() }.map_or(0, |context| context.context.sections.len()))
}

/// Reads a section, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_section(context: *const stele_context_t, at: usize, out: *mut stele_section_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a context.
        let section = unsafe { context.as_ref() }.and_then(|context| context.context.sections.get(at)).map(|section| stele_section_t {
            struct_size: 0,
            category: section.category.number().into(),
            provider: stele_str_t::of(&section.provider),
            text: stele_str_t::of(&section.text),
            tokens: narrow(section.tokens),
            reserved: 0,
        });
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, section) }
    })
}

/// How many providers there were; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_outcomes_len(context: *const stele_context_t) -> usize {
    // SAFETY: by the laws it is NULL or a context.
    value(0, || unsafe { context.as_ref() }.map_or(0, |context| context.context.outcomes.len()))
}

/// Reads how a provider ended, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_outcome(context: *const stele_context_t, at: usize, out: *mut stele_outcome_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a context.
        let outcome = unsafe { context.as_ref() }.and_then(|context| context.context.outcomes.get(at)).map(|outcome| stele_outcome_t {
            struct_size: 0,
            category: outcome.category.number().into(),
            result: outcome.result.number().into(),
            entries: narrow(outcome.entries),
            tokens: narrow(outcome.tokens),
            ms: u32::try_from(outcome.ms).unwrap_or(u32::MAX),
            provider: stele_str_t::of(&outcome.provider),
            reason: stele_str_t::of(&outcome.reason),
        });
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, outcome) }
    })
}

/// How many warnings there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_warnings_len(context: *const stele_context_t) -> usize {
    // SAFETY: by the laws it is NULL or a context.
    value(0, || unsafe { context.as_ref() }.map_or(0, |context| context.context.warnings.len()))
}

/// A warning, from 0; empty if there is none; borrowed from the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_warning(context: *const stele_context_t, at: usize) -> stele_str_t {
    value(stele_str_t::EMPTY, || {
        // SAFETY: by the laws it is NULL or a context.
        let warning = unsafe { context.as_ref() }.and_then(|context| context.context.warnings.get(at));
        stele_str_t::or_empty(warning.map(String::as_str))
    })
}

/// The window of the record in it, whatever its status; borrowed from the context, so it is not freed. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_record(context: *const stele_context_t) -> *const stele_retrieval_t {
    value(std::ptr::null(), || {
        // SAFETY: by the laws it is NULL or a context.
        unsafe { context.as_ref() }.map_or(std::ptr::null(), |context| std::ptr::from_ref(context.record.get_or_init(|| context.context.record.clone().into())))
    })
}

/// Writes a context out: its text, or all of it as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_render(context: *const stele_context_t, format: i32, out: *mut stele_buf_t, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a context.
        let context = &unsafe { handle(context, "context") }?.context;
        let text = match member(format, "format", Format::from_number)? {
            Format::Json => stele_kit::context_json(context.clone()),
            _ => context.text.clone(),
        };
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(text.into()) };
        Ok(())
    })
}

/// Frees a context; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_context_free(context: *mut stele_context_t) {
    // SAFETY: by the laws it is NULL or a context that was not freed.
    value((), || unsafe { free(context) });
}

/// The text for a model, empty if there is nothing to say; borrowed from the moment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_text(moment: *const stele_moment_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or a moment.
    value(stele_str_t::EMPTY, || unsafe { moment.as_ref() }.map_or(stele_str_t::EMPTY, |moment| stele_str_t::of(&moment.moment.text)))
}

/// What to do, said once a session; may be empty; borrowed from the moment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_nudge(moment: *const stele_moment_t) -> stele_str_t {
    value(stele_str_t::EMPTY, || {
        // SAFETY: by the laws it is NULL or a moment.
        unsafe { moment.as_ref() }.map_or(stele_str_t::EMPTY, |moment| stele_str_t::or_empty(moment.moment.nudge.as_deref()))
    })
}

/// How many entries there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_len(moment: *const stele_moment_t) -> usize {
    // SAFETY: by the laws it is NULL or a moment.
    value(0, || unsafe { moment.as_ref() }.map_or(0, |moment| moment.moment.entries.len()))
}

/// Reads an entry, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_entry(moment: *const stele_moment_t, at: usize, out: *mut stele_entry_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a moment.
        let moment = unsafe { moment.as_ref() };
        let entry = moment.and_then(|moment| moment.moment.entries.get(at).map(|entry| entry_out(entry, moment.explained.entry(at))));
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, entry) }
    })
}

/// How many risks stand apart; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_callouts_len(moment: *const stele_moment_t) -> usize {
    // SAFETY: by the laws it is NULL or a moment.
    value(0, || unsafe { moment.as_ref() }.map_or(0, |moment| moment.moment.callouts.len()))
}

/// Reads a risk that stands apart, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_callout(moment: *const stele_moment_t, at: usize, out: *mut stele_entry_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a moment.
        let moment = unsafe { moment.as_ref() };
        let entry = moment.and_then(|moment| moment.moment.callouts.get(at).map(|entry| entry_out(entry, moment.explained.callout(at))));
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, entry) }
    })
}

/// Frees a moment; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_moment_free(moment: *mut stele_moment_t) {
    // SAFETY: by the laws it is NULL or a moment that was not freed.
    value((), || unsafe { free(moment) });
}
