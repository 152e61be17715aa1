//! What was found: results with accessors.

use std::mem::size_of;

use stele_core::{Category, Entry, Format, Hit, Node, Relation, Retrieval, TaskStatus, Timestamp};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, handle, place, status, value};
use crate::record::member;
use crate::sized::{self, HasSize};
use crate::text::{stele_buf_t, stele_id_t, stele_str_t};

/// What a prompt or a question found. It outlives the record, and any number of threads may read it.
pub struct stele_retrieval_t {
    pub(crate) found: Retrieval,
    text: String,
    explained: Explained,
}

/// Why each entry stands where it stands, which accessors borrow.
pub(crate) struct Explained {
    callouts: Vec<String>,
    entries: Vec<String>,
}

impl Explained {
    pub(crate) fn of(callouts: &[Entry], entries: &[Entry]) -> Self {
        let all = |list: &[Entry]| list.iter().map(Entry::explain).collect();
        Self { callouts: all(callouts), entries: all(entries) }
    }

    pub(crate) fn callout(&self, at: usize) -> &str {
        self.callouts.get(at).map_or("", String::as_str)
    }

    pub(crate) fn entry(&self, at: usize) -> &str {
        self.entries.get(at).map_or("", String::as_str)
    }
}

impl From<Retrieval> for stele_retrieval_t {
    fn from(found: Retrieval) -> Self {
        Self { text: found.render(Format::Text), explained: Explained::of(&found.callouts, &found.entries), found }
    }
}

/// The hits of a search. They outlive the record, and any number of threads may read them.
pub struct stele_hits_t {
    pub(crate) hits: Vec<Hit>,
}

/// One node, whole. It outlives the record, and any number of threads may read it.
pub struct stele_node_t {
    pub(crate) node: Node,
}

/// One node in a window. Texts are borrowed from what it was read from. Numbers that do not apply are -1.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_entry_t {
    /// sizeof(stele_entry_t), set by the caller.
    pub struct_size: u32,
    /// STELE_KIND_….
    pub kind: i32,
    /// STELE_CATEGORY_…, for facts.
    pub category: i32,
    /// STELE_STATE_….
    pub state: i32,
    /// STELE_TASK_STATUS_…, for tasks.
    pub task_status: i32,
    /// STELE_ROLE_…: why it stands here.
    pub role: i32,
    /// STELE_RELATION_… of the edge into it.
    pub via: i32,
    /// STELE_DETAIL_…: how much of it is shown.
    pub detail: i32,
    /// How many edges lie between it and what was found or named.
    pub hops: u32,
    /// Its place among the seeds, from 1; 0 if it is none.
    pub seed_rank: u32,
    /// Its score.
    pub score: f32,
    /// Its share of the text, in tokens, estimated unless the host counts them.
    pub tokens: u32,
    /// Its id.
    pub id: stele_id_t,
    /// The node that the edge into it comes from; may be empty.
    pub from: stele_id_t,
    /// What replaced it, the first of them; may be empty.
    pub replaced_by: stele_id_t,
    /// Its title.
    pub title: stele_str_t,
    /// What is shown of its body.
    pub body: stele_str_t,
    /// Which standing state ended, if it replaced a node or was replaced.
    pub reason: stele_str_t,
    /// The line that shows it.
    pub evidence: stele_str_t,
    /// Its score as a sum, in one line.
    pub explain: stele_str_t,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_entry_t {
    const FIRST: usize = size_of::<Self>();
}

/// One hit of a search. Texts are borrowed from the hits.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_hit_t {
    /// sizeof(stele_hit_t), set by the caller.
    pub struct_size: u32,
    /// STELE_KIND_….
    pub kind: i32,
    /// STELE_CATEGORY_…, for facts; else -1.
    pub category: i32,
    /// STELE_STATE_….
    pub state: i32,
    /// Its place among the hits by words, from 1; 0 if it is none.
    pub text_rank: u32,
    /// Its place among the hits by meaning, from 1; 0 if it is none.
    pub semantic_rank: u32,
    /// Its score, higher is better.
    pub score: f32,
    /// 0. For later use.
    pub reserved: u32,
    /// The node.
    pub id: stele_id_t,
    /// Its title.
    pub title: stele_str_t,
    /// The part of its text that answers best.
    pub snippet: stele_str_t,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_hit_t {
    const FIRST: usize = size_of::<Self>();
}

/// What a node says. Texts are borrowed from the node. `stele_call(record, "get", …)` gives all of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_node_view_t {
    /// sizeof(stele_node_view_t), set by the caller.
    pub struct_size: u32,
    /// STELE_KIND_….
    pub kind: i32,
    /// STELE_CATEGORY_…, for facts; else -1.
    pub category: i32,
    /// STELE_STATE_….
    pub state: i32,
    /// STELE_TASK_STATUS_…, for tasks; else -1.
    pub task_status: i32,
    /// 0. For later use.
    pub reserved: u32,
    /// Counts its revisions, from 1.
    pub revision: u64,
    /// When it came to be.
    pub created_at_unix_ms: i64,
    /// When it last changed.
    pub updated_at_unix_ms: i64,
    /// When somebody last confirmed it; 0: never.
    pub verified_at_unix_ms: i64,
    /// Its id.
    pub id: stele_id_t,
    /// Its title.
    pub title: stele_str_t,
    /// Its body, whole.
    pub body: stele_str_t,
    /// Who wrote it first.
    pub actor: stele_str_t,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_node_view_t {
    const FIRST: usize = size_of::<Self>();
}

/// A number of an enumeration, -1 for none.
fn number(word: Option<u8>) -> i32 {
    word.map_or(-1, i32::from)
}

/// An entry as it crosses; its texts live as long as the entry and the words of its score.
pub(crate) fn entry_out(entry: &Entry, explain: &str) -> stele_entry_t {
    stele_entry_t {
        struct_size: 0,
        kind: entry.kind.number().into(),
        category: number(entry.category.map(Category::number)),
        state: entry.state.number().into(),
        task_status: number(entry.status.map(TaskStatus::number)),
        role: entry.role.number().into(),
        via: number(entry.via.map(Relation::number)),
        detail: entry.detail.number().into(),
        hops: entry.hops,
        seed_rank: entry.seed_rank.unwrap_or(0),
        score: entry.score.total(),
        tokens: u32::try_from(entry.tokens).unwrap_or(u32::MAX),
        id: entry.id.into(),
        from: entry.from.as_ref().map(|from| from.id).into(),
        replaced_by: entry.replaced_by.first().map(|change| change.node.id).into(),
        title: stele_str_t::of(&entry.title),
        body: stele_str_t::of(&entry.body),
        reason: stele_str_t::or_empty(entry.reason()),
        evidence: stele_str_t::or_empty(entry.evidence()),
        explain: stele_str_t::of(explain),
    }
}

/// Fills a host's struct with a member of a list; false beyond its end, for NULL and for a wrong size.
///
/// # Safety
/// `out` is NULL or a struct as large as it says.
pub(crate) unsafe fn member_out<T: HasSize>(out: *mut T, member: Option<T>) -> bool {
    // SAFETY: the caller says so.
    if unsafe { sized::check(out, "out") }.is_err() {
        return false;
    }
    // SAFETY: it was checked.
    member.map(|member| unsafe { sized::fill(out, &member) }).is_some()
}

/// How it ended: STELE_STATUS_…; -1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_status(retrieval: *const stele_retrieval_t) -> i32 {
    // SAFETY: by the laws it is NULL or a retrieval.
    value(-1, || unsafe { retrieval.as_ref() }.map_or(-1, |retrieval| retrieval.found.status.number().into()))
}

/// The text for a model; borrowed from the retrieval.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_text(retrieval: *const stele_retrieval_t) -> stele_str_t {
    // SAFETY: by the laws it is NULL or a retrieval.
    value(stele_str_t::EMPTY, || unsafe { retrieval.as_ref() }.map_or(stele_str_t::EMPTY, |retrieval| stele_str_t::of(&retrieval.text)))
}

/// How many entries there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_len(retrieval: *const stele_retrieval_t) -> usize {
    // SAFETY: by the laws it is NULL or a retrieval.
    value(0, || unsafe { retrieval.as_ref() }.map_or(0, |retrieval| retrieval.found.entries.len()))
}

/// Reads an entry, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_entry(retrieval: *const stele_retrieval_t, at: usize, out: *mut stele_entry_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a retrieval.
        let entry =
            unsafe { retrieval.as_ref() }.and_then(|retrieval| retrieval.found.entries.get(at).map(|entry| entry_out(entry, retrieval.explained.entry(at))));
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, entry) }
    })
}

/// How many risks stand apart; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_callouts_len(retrieval: *const stele_retrieval_t) -> usize {
    // SAFETY: by the laws it is NULL or a retrieval.
    value(0, || unsafe { retrieval.as_ref() }.map_or(0, |retrieval| retrieval.found.callouts.len()))
}

/// Reads a risk that stands apart, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_callout(retrieval: *const stele_retrieval_t, at: usize, out: *mut stele_entry_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a retrieval.
        let entry =
            unsafe { retrieval.as_ref() }.and_then(|retrieval| retrieval.found.callouts.get(at).map(|entry| entry_out(entry, retrieval.explained.callout(at))));
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, entry) }
    })
}

/// What it did not get to: bit n stands for the member of STELE_GAP_KIND_… whose number is n; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_gaps(retrieval: *const stele_retrieval_t) -> u32 {
    // SAFETY: by the laws it is NULL or a retrieval.
    value(0, || unsafe { retrieval.as_ref() }.map_or(0, |retrieval| retrieval.found.gaps.iter().fold(0, |bits, gap| bits | 1 << gap.kind.number())))
}

/// Writes a retrieval out, as STELE_FORMAT_TEXT or STELE_FORMAT_JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_render(
    retrieval: *const stele_retrieval_t,
    format: i32,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a retrieval, and `out` a place for a buffer.
        unsafe { out.write(handle(retrieval, "retrieval")?.found.render(member(format, "format", Format::from_number)?).into()) };
        Ok(())
    })
}

/// Frees a retrieval; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieval_free(retrieval: *mut stele_retrieval_t) {
    // SAFETY: by the laws it is NULL or a retrieval that was not freed.
    value((), || unsafe { free(retrieval) });
}

/// How many hits there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_hits_len(hits: *const stele_hits_t) -> usize {
    // SAFETY: by the laws it is NULL or hits.
    value(0, || unsafe { hits.as_ref() }.map_or(0, |hits| hits.hits.len()))
}

/// Reads a hit, from 0; false if there is none or `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_hits_get(hits: *const stele_hits_t, at: usize, out: *mut stele_hit_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or hits.
        let hit = unsafe { hits.as_ref() }.and_then(|hits| hits.hits.get(at)).map(|hit| stele_hit_t {
            struct_size: 0,
            kind: hit.kind.number().into(),
            category: number(hit.category.map(Category::number)),
            state: hit.state.number().into(),
            text_rank: hit.text_rank.unwrap_or(0),
            semantic_rank: hit.semantic_rank.unwrap_or(0),
            score: hit.score,
            reserved: 0,
            id: hit.id.into(),
            title: stele_str_t::of(&hit.title),
            snippet: stele_str_t::of(&hit.snippet),
        });
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, hit) }
    })
}

/// Frees hits; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_hits_free(hits: *mut stele_hits_t) {
    // SAFETY: by the laws it is NULL or hits that were not freed.
    value((), || unsafe { free(hits) });
}

/// Reads what a node says; false for NULL or if `out` is not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_node_view(node: *const stele_node_t, out: *mut stele_node_view_t) -> bool {
    value(false, || {
        // SAFETY: by the laws it is NULL or a node.
        let view = unsafe { node.as_ref() }.map(|node| &node.node).map(|node| stele_node_view_t {
            struct_size: 0,
            kind: node.id.kind.number().into(),
            category: number(node.category().map(Category::number)),
            state: node.state.number().into(),
            task_status: number(node.status.map(TaskStatus::number)),
            reserved: 0,
            revision: node.revision,
            created_at_unix_ms: node.created_at.unix_ms(),
            updated_at_unix_ms: node.updated_at.unix_ms(),
            verified_at_unix_ms: node.verified_at.map_or(0, Timestamp::unix_ms),
            id: node.id.into(),
            title: stele_str_t::of(&node.title),
            body: stele_str_t::of(&node.body),
            actor: stele_str_t::of(&node.actor),
        });
        // SAFETY: by the laws `out` is NULL or a struct as large as it says.
        unsafe { member_out(out, view) }
    })
}

/// Frees a node; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_node_free(node: *mut stele_node_t) {
    // SAFETY: by the laws it is NULL or a node that was not freed.
    value((), || unsafe { free(node) });
}
