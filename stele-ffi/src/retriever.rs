//! The reading side.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use stele_core::{AsOf, Category, Kind, Record, Result, RetrieveOptions, Retriever, SearchMode, SearchOptions, State, Timestamp};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{free, give_handle, handle, place, status, unfit, value};
use crate::record::{length, member, stele_t};
use crate::recorder::with;
use crate::retrieval::{stele_hits_t, stele_node_t, stele_retrieval_t};
use crate::sized::{self, HasSize, flag};
use crate::text::{many, stele_buf_t, stele_str_t, texts};

/// The reading side of a record: it cannot write, whatever is called on it. Any number of threads may use it at once.
pub struct stele_retriever_t {
    retriever: Retriever,
    _record: Arc<Record>,
}

/// What is looked up for a prompt; all zero but the prompt is the default.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_query_t {
    /// sizeof(stele_query_t).
    pub struct_size: u32,
    /// Entries of the window, 1 to 20; 0: 20.
    pub max_entries: u32,
    /// The prompt.
    pub prompt: stele_str_t,
    /// What this session was served is left out; empty: no session.
    pub session: stele_str_t,
    /// Time for the whole call; 0: 8,000.
    pub deadline_ms: u32,
    /// Time for the walk inside it; 0: 6,000.
    pub walk_budget_ms: u32,
    /// Limit of the text in tokens, estimated unless the host counts them; 0: none.
    pub max_tokens: u32,
    /// How far the walk goes, 1 to 3; 0: 1; -1: no walk.
    pub hops: i32,
    /// The instant at which states and ages are told; 0: now.
    pub now_unix_ms: i64,
    /// 1 notes at once that the session was served the result.
    pub deliver: u8,
    /// 0. For later use.
    pub reserved: [u8; 7],
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_query_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: [u8; 7]);
}

/// What is searched for; all zero but the query is the default.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_search_t {
    /// sizeof(stele_search_t).
    pub struct_size: u32,
    /// STELE_SEARCH_MODE_….
    pub mode: i32,
    /// The query: any text, there is no syntax.
    pub query: stele_str_t,
    /// Nodes under this component only, by id or alias.
    pub component: stele_str_t,
    /// Nodes with any of these tags only.
    pub tags: *const stele_str_t,
    /// How many there are.
    pub tags_len: usize,
    /// Nodes of these kinds only, STELE_KIND_….
    pub kinds: *const i32,
    /// How many there are.
    pub kinds_len: usize,
    /// Facts of these categories only, STELE_CATEGORY_….
    pub categories: *const i32,
    /// How many there are.
    pub categories_len: usize,
    /// Nodes in these states only, STELE_STATE_….
    pub states: *const i32,
    /// How many there are.
    pub states_len: usize,
    /// Nodes that came to be from then on only; 0: any.
    pub since_unix_ms: i64,
    /// Nodes that came to be before then only; 0: any.
    pub until_unix_ms: i64,
    /// Hits, 1 to 1,000; 0: 10.
    pub limit: u32,
    /// Time for the call; 0: 8,000.
    pub deadline_ms: u32,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_search_t {
    const FIRST: usize = size_of::<Self>();
}

/// Hops as they cross: 0 is the default, -1 none.
pub(crate) fn hops(number: i32) -> Result<Option<u32>> {
    match number {
        0 => Ok(None),
        -1 => Ok(Some(0)),
        _ => u32::try_from(number).map(Some).map_err(|_| unfit("hops", &format!("is {number}"))),
    }
}

impl stele_query_t {
    /// # Safety
    /// Its texts are texts.
    unsafe fn options(&self) -> Result<RetrieveOptions> {
        let mut options = RetrieveOptions::new();
        // SAFETY: the caller says so.
        options = with(options, unsafe { self.session.given("session") }?, RetrieveOptions::session);
        options = with(options, length(self.deadline_ms), RetrieveOptions::deadline);
        options = with(options, length(self.walk_budget_ms), RetrieveOptions::walk_budget);
        options = with(options, (self.max_entries > 0).then_some(self.max_entries as usize), RetrieveOptions::max_entries);
        options = with(options, (self.max_tokens > 0).then_some(self.max_tokens as usize), RetrieveOptions::max_tokens);
        options = with(options, hops(self.hops)?, RetrieveOptions::hops);
        options = with(options, (self.now_unix_ms != 0).then(|| Timestamp::from_unix_ms(self.now_unix_ms)), RetrieveOptions::now);
        Ok(if flag(self.deliver, "deliver")? { options.deliver() } else { options })
    }
}

/// The members of an enumeration in an array; none for an empty one.
///
/// # Safety
/// As [`many`].
unsafe fn members<T>(first: *const i32, len: usize, name: &'static str, from_number: fn(u8) -> Option<T>) -> Result<Option<Vec<T>>> {
    // SAFETY: the caller says so.
    let numbers = unsafe { many(first, len, name) }?;
    let members: Vec<T> = numbers.iter().map(|number| member(*number, name, from_number)).collect::<Result<_>>()?;
    Ok(Some(members).filter(|members| !members.is_empty()))
}

impl stele_search_t {
    /// # Safety
    /// Its texts are texts and its arrays are as long as they say.
    unsafe fn options(&self) -> Result<SearchOptions> {
        let mut options = SearchOptions::new().mode(member(self.mode, "mode", SearchMode::from_number)?);
        let time = |ms: i64| (ms != 0).then(|| Timestamp::from_unix_ms(ms));
        // SAFETY: the caller says so.
        unsafe {
            options = options.tags(texts(self.tags, self.tags_len, "tags")?);
            options = with(options, self.component.given("component")?, SearchOptions::component);
            options = with(options, members(self.kinds, self.kinds_len, "kinds", Kind::from_number)?, SearchOptions::kinds);
            options = with(options, members(self.categories, self.categories_len, "categories", Category::from_number)?, SearchOptions::categories);
            options = with(options, members(self.states, self.states_len, "states", State::from_number)?, SearchOptions::states);
        }
        options = with(options, time(self.since_unix_ms), SearchOptions::since);
        options = with(options, time(self.until_unix_ms), SearchOptions::until);
        options = with(options, (self.limit > 0).then_some(self.limit as usize), SearchOptions::limit);
        Ok(with(options, length(self.deadline_ms), SearchOptions::deadline))
    }
}

/// Gives the reading side: at the head for 0, else as of that operation of the log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retriever_new(
    record: *const stele_t,
    as_of: u64,
    out: *mut *mut stele_retriever_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a record.
        let record = &unsafe { handle(record, "record") }?.record;
        let retriever = if as_of == 0 { record.retriever() } else { record.retriever_as_of(AsOf::Sequence(as_of)) };
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_retriever_t { retriever, _record: Arc::clone(record) }) };
        Ok(())
    })
}

/// Frees a retriever; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retriever_free(retriever: *mut stele_retriever_t) {
    // SAFETY: by the laws it is NULL or a retriever that was not freed.
    value((), || unsafe { free(retriever) });
}

/// Looks up what the record holds that bears on a prompt. Running out of time and finding nothing are no errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_retrieve(
    retriever: *const stele_retriever_t,
    query: *const stele_query_t,
    out: *mut *mut stele_retrieval_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a struct of its size, whose texts are texts.
        let (query, retriever) = unsafe { (sized::read(query, "query")?, handle(retriever, "retriever")?) };
        // SAFETY: by the laws its texts are texts.
        let (prompt, options) = unsafe { (query.prompt.get("prompt")?, query.options()?) };
        let found = retriever.retriever.retrieve(prompt, &options)?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, found.into()) };
        Ok(())
    })
}

/// Finds the nodes that answer a query best. Where time runs out, it gives what was found by then, and nothing in a list of
/// hits says so: `stele_retrieve` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_search(
    retriever: *const stele_retriever_t,
    search: *const stele_search_t,
    out: *mut *mut stele_hits_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a struct of its size, whose texts are texts.
        let (search, retriever) = unsafe { (sized::read(search, "search")?, handle(retriever, "retriever")?) };
        // SAFETY: by the laws its texts are texts.
        let (query, options) = unsafe { (search.query.get("query")?, search.options()?) };
        let hits = retriever.retriever.search(query, &options)?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_hits_t { hits }) };
        Ok(())
    })
}

/// Gives a node by id or alias, whatever its state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_get(
    retriever: *const stele_retriever_t,
    id: stele_str_t,
    out: *mut *mut stele_node_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a retriever, and the id is text.
        let node = unsafe { handle(retriever, "retriever")?.retriever.get(id.get("id")?) }?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, stele_node_t { node }) };
        Ok(())
    })
}

/// Writes a task out for whoever continues it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_handoff(
    retriever: *const stele_retriever_t,
    task: stele_str_t,
    out: *mut stele_buf_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws it is NULL or a retriever, and the task is text.
        let text = unsafe { handle(retriever, "retriever")?.retriever.handoff(task.get("task")?) }?;
        // SAFETY: `out` is a place for a buffer.
        unsafe { out.write(text.into()) };
        Ok(())
    })
}
