//! The writing side.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use stele_core::{Category, Claiming, Draft, Held, Record, Recorder, Relation, Result, Source, SourceText, TaskType, Timestamp};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give, give_handle, handle, place, status, value};
use crate::record::{length, member, stele_t};
use crate::sized::{self, HasSize, flag};
use crate::text::{many, stele_id_t, stele_str_t, texts};

/// The writing side of a record, bound to an actor and perhaps a session. Every verb is one operation, durable when it
/// returns. Any number of threads may use it at once.
pub struct stele_recorder_t {
    pub(crate) recorder: Recorder<'static>,
    _record: Arc<Record>,
}

/// A place in the project.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_anchor_t {
    /// A file or glob, relative to the project, with forward slashes.
    pub path: stele_str_t,
    /// A symbol in that file; may be empty.
    pub symbol: stele_str_t,
}

/// A fact to be recorded; all zero but the category and the title is a fact.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_fact_t {
    /// sizeof(stele_fact_t).
    pub struct_size: u32,
    /// STELE_CATEGORY_….
    pub category: i32,
    /// 1 to 500 characters.
    pub title: stele_str_t,
    /// At most 64 KiB.
    pub body: stele_str_t,
    /// Another name for it.
    pub alias: stele_str_t,
    /// The component that it sits under, by id or alias.
    pub component: stele_str_t,
    /// Where it comes from.
    pub source_uri: stele_str_t,
    /// The line there that says it, word for word.
    pub source_quote: stele_str_t,
    /// The revision of it that was read.
    pub source_revision: stele_str_t,
    /// The task whose completion resolves it, by id or alias.
    pub resolves_with: stele_str_t,
    /// Its tags.
    pub tags: *const stele_str_t,
    /// How many there are.
    pub tags_len: usize,
    /// The places that it is about.
    pub anchors: *const stele_anchor_t,
    /// How many there are.
    pub anchors_len: usize,
    /// When it came to be, where that was not now; 0: now.
    pub created_at_unix_ms: i64,
    /// From when on it is expired; 0: never.
    pub expires_at_unix_ms: i64,
    /// From when on it wants a look; 0: never.
    pub review_at_unix_ms: i64,
    /// 1 accepts text that looks like a credential.
    pub allow_secrets: u8,
    /// 0. For later use.
    pub reserved: [u8; 7],
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_fact_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: [u8; 7]);
}

/// A task to be recorded; all zero but the title is a task.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_task_t {
    /// sizeof(stele_task_t).
    pub struct_size: u32,
    /// STELE_TASK_TYPE_….
    pub r#type: i32,
    /// 1 to 500 characters.
    pub title: stele_str_t,
    /// At most 64 KiB.
    pub body: stele_str_t,
    /// How one can tell that it is done.
    pub success_criteria: stele_str_t,
    /// Another name for it.
    pub alias: stele_str_t,
    /// The component that it sits under, by id or alias.
    pub component: stele_str_t,
    /// Its tags.
    pub tags: *const stele_str_t,
    /// How many there are.
    pub tags_len: usize,
    /// 1 if the priority is given; else it is 2.
    pub has_priority: u8,
    /// 0 (highest) to 4.
    pub priority: u8,
    /// 1 accepts text that looks like a credential.
    pub allow_secrets: u8,
    /// 0. For later use.
    pub reserved: [u8; 5],
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_task_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: [u8; 5]);
}

/// How a call for a task ended: granted, or held by somebody else.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_claim_t {
    /// sizeof(stele_claim_t), set by the caller.
    pub struct_size: u32,
    /// 1 if the caller has the task now.
    pub granted: u8,
    /// 0. For later use.
    pub reserved: [u8; 3],
    /// Since when it is held.
    pub since_unix_ms: i64,
    /// Until when, if the claim ends by itself; else 0.
    pub until_unix_ms: i64,
    /// Who presents it acts as the holder; 0 if it was not granted.
    pub token: u64,
    /// The task.
    pub task: stele_id_t,
    /// Who has it, with a NUL behind it, cut at 255 bytes.
    pub holder: [std::ffi::c_char; 256],
}

// SAFETY: it begins with its size and holds only numbers.
unsafe impl HasSize for stele_claim_t {
    const FIRST: usize = size_of::<Self>();
}

fn instant(unix_ms: i64) -> Option<Timestamp> {
    (unix_ms != 0).then(|| Timestamp::from_unix_ms(unix_ms))
}

/// Where something comes from; nothing where none of it is given.
///
/// # Safety
/// They are texts.
pub(crate) unsafe fn source(uri: stele_str_t, quote: stele_str_t, revision: stele_str_t) -> Result<Option<Source>> {
    // SAFETY: the caller says so.
    let (uri, quote, revision) = unsafe { (uri.given("source_uri")?, quote.given("source_quote")?, revision.given("source_revision")?) };
    let given = uri.is_some() || quote.is_some() || revision.is_some();
    let (uri, quote, revision) = (uri.unwrap_or_default().to_owned(), quote.map(str::to_owned), revision.map(str::to_owned));
    Ok(given.then(|| Source { uri, quote, revision, ..Source::default() }))
}

/// A builder with a value set, or as it is without one.
pub(crate) fn with<B, V>(built: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(built, value),
        None => built,
    }
}

impl stele_fact_t {
    /// # Safety
    /// Its texts are texts and its arrays are as long as they say.
    unsafe fn draft(&self) -> Result<Draft> {
        // SAFETY: the caller says so.
        unsafe {
            let mut draft = Draft::fact(member(self.category, "category", Category::from_number)?, self.title.get("title")?);
            draft = draft.body(self.body.get("body")?).tags(texts(self.tags, self.tags_len, "tags")?);
            for anchor in many(self.anchors, self.anchors_len, "anchors")? {
                draft = draft.anchor(anchor.path.get("anchors")?, anchor.symbol.given("anchors")?);
            }
            draft = with(draft, self.alias.given("alias")?, Draft::alias);
            draft = with(draft, self.component.given("component")?, Draft::under);
            draft = with(draft, self.resolves_with.given("resolves_with")?, Draft::resolves_with);
            draft = with(draft, source(self.source_uri, self.source_quote, self.source_revision)?, Draft::source);
            draft = with(draft, instant(self.created_at_unix_ms), Draft::created_at);
            draft = with(draft, instant(self.expires_at_unix_ms), Draft::expires_at);
            draft = with(draft, instant(self.review_at_unix_ms), Draft::review_at);
            Ok(if flag(self.allow_secrets, "allow_secrets")? { draft.allow_secrets() } else { draft })
        }
    }
}

impl stele_task_t {
    /// # Safety
    /// Its texts are texts and its arrays are as long as they say.
    unsafe fn draft(&self) -> Result<Draft> {
        // SAFETY: the caller says so.
        unsafe {
            let mut draft = Draft::task(self.title.get("title")?).task_type(member(self.r#type, "type", TaskType::from_number)?);
            draft = draft.body(self.body.get("body")?).success_criteria(self.success_criteria.get("success_criteria")?);
            draft = draft.tags(texts(self.tags, self.tags_len, "tags")?);
            draft = with(draft, self.alias.given("alias")?, Draft::alias);
            draft = with(draft, self.component.given("component")?, Draft::under);
            draft = with(draft, flag(self.has_priority, "has_priority")?.then_some(self.priority), Draft::priority);
            Ok(if flag(self.allow_secrets, "allow_secrets")? { draft.allow_secrets() } else { draft })
        }
    }
}

/// A text inside a struct: cut between two characters, with a NUL behind it.
fn inline<const N: usize>(text: &str) -> [std::ffi::c_char; N] {
    let mut all = [0; N];
    let cut = &text[..text.floor_char_boundary(N - 1)];
    for (place, byte) in all.iter_mut().zip(cut.bytes()) {
        *place = byte.cast_signed() as std::ffi::c_char;
    }
    all
}

impl From<stele_core::Claim> for stele_claim_t {
    fn from(claim: stele_core::Claim) -> Self {
        Self {
            struct_size: 0,
            granted: u8::from(claim.granted),
            reserved: [0; 3],
            since_unix_ms: claim.since.unix_ms(),
            until_unix_ms: claim.until.map_or(0, Timestamp::unix_ms),
            token: claim.token.unwrap_or(0),
            task: claim.task.into(),
            holder: inline(&claim.holder),
        }
    }
}

/// A task as its holder names it: by id or alias, and with the token of the claim unless that is 0.
fn held(task: &str, token: u64) -> Held {
    if token == 0 { Held::from(task) } else { Held::with_token(task, token) }
}

/// Gives the writing side, bound to an actor and, unless it is empty, a session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_recorder_new(
    record: *const stele_t,
    actor: stele_str_t,
    session: stele_str_t,
    out: *mut *mut stele_recorder_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record, and the rest is text.
        let (record, actor, session) = unsafe { (&handle(record, "record")?.record, actor.get("actor")?, session.given("session")?) };
        let recorder = session.map_or_else(|| record.recorder(actor), |session| record.recorder_in(actor, session))?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_recorder_t { recorder, _record: Arc::clone(record) }) };
        Ok(())
    })
}

/// Frees a recorder; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_recorder_free(recorder: *mut stele_recorder_t) {
    // SAFETY: by the laws it is NULL or a recorder that was not freed.
    value((), || unsafe { free(recorder) });
}

/// Records a fact and gives its id. `stele_recorder_call(recorder, "fact", …)` gives advice beside it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_fact(
    recorder: *const stele_recorder_t,
    fact: *const stele_fact_t,
    out: *mut stele_id_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws the struct is NULL or of its size and holds texts and arrays.
        let draft = unsafe { sized::read(fact, "fact")?.draft() }?;
        // SAFETY: by the laws it is NULL or a recorder, and `out` NULL or a place for an id.
        unsafe { give(out, handle(recorder, "recorder")?.recorder.add(draft)?.id.into()) };
        Ok(())
    })
}

/// Records a task and gives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_task(
    recorder: *const stele_recorder_t,
    task: *const stele_task_t,
    out: *mut stele_id_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws the struct is NULL or of its size and holds texts and arrays.
        let draft = unsafe { sized::read(task, "task")?.draft() }?;
        // SAFETY: by the laws it is NULL or a recorder, and `out` NULL or a place for an id.
        unsafe { give(out, handle(recorder, "recorder")?.recorder.add(draft)?.id.into()) };
        Ok(())
    })
}

/// Joins two nodes, each given by id or alias: from relation to. The reason may be empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_link(
    recorder: *const stele_recorder_t,
    from: stele_str_t,
    relation: i32,
    to: stele_str_t,
    reason: stele_str_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a recorder, and the rest is text.
        let (recorder, from, to, reason) = unsafe { (handle(recorder, "recorder")?, from.get("from")?, to.get("to")?, reason.get("reason")?) };
        recorder.recorder.link_because(from, member(relation, "relation", Relation::from_number)?, to, reason, "")
    })
}

/// Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word from
/// one of the two, from its source, or from `source_text`, which may be empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_supersede(
    recorder: *const stele_recorder_t,
    newer: stele_str_t,
    older: stele_str_t,
    reason: stele_str_t,
    evidence: stele_str_t,
    source_text: stele_str_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a recorder, and the rest is text.
        let (recorder, newer, older) = unsafe { (handle(recorder, "recorder")?, newer.get("newer")?, older.get("older")?) };
        // SAFETY: by the laws it is text.
        let (reason, evidence, text) = unsafe { (reason.get("reason")?, evidence.get("evidence")?, source_text.given("source_text")?) };
        let text = text.map(|text| SourceText { text: text.to_owned(), uri: None, revision: None });
        let retirement = recorder.recorder.supersede(newer, older).reason(reason).evidence(evidence);
        with(retirement, text.as_ref(), |retirement, text| retirement.source_text(text)).record()
    })
}

/// Claims a task, or renews a claim on it with its token (else 0). A lease of 0 has no end. Losing is no error: `granted` is
/// 0 and the holder is named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_claim(
    recorder: *const stele_recorder_t,
    task: stele_str_t,
    token: u64,
    lease_ms: u32,
    out: *mut stele_claim_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a struct of its size.
        unsafe { sized::check(out, "out") }?;
        // SAFETY: by the laws it is NULL or a recorder, and the task is text.
        let (recorder, task) = unsafe { (handle(recorder, "recorder")?, task.get("task")?) };
        let claim = with(recorder.recorder.claim(held(task, token)), length(lease_ms), Claiming::lease).take()?;
        // SAFETY: it was checked.
        unsafe { sized::fill(out, &claim.into()) };
        Ok(())
    })
}

/// Gives a claimed task back: for its holder, or whoever has the token of the claim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_release(recorder: *const stele_recorder_t, task: stele_str_t, token: u64, err: *mut *mut stele_error_t) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a recorder, and the task is text.
        let (recorder, task) = unsafe { (handle(recorder, "recorder")?, task.get("task")?) };
        recorder.recorder.release(held(task, token)).map(drop)
    })
}

/// Ends a task as done: for its holder, or whoever has the token of the claim (else 0).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_complete(
    recorder: *const stele_recorder_t,
    task: stele_str_t,
    token: u64,
    summary: stele_str_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws it is NULL or a recorder, and the rest is text.
        let (recorder, task, summary) = unsafe { (handle(recorder, "recorder")?, task.get("task")?, summary.get("summary")?) };
        recorder.recorder.complete(held(task, token), summary).map(drop)
    })
}
