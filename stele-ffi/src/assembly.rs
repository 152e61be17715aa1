//! Assembling context with providers that are called back: a loop over a plan, on the calling thread.

use std::ffi::c_void;
use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use stele_core::{
    Asked, AssembleOptions, Context, Declaration, Plan, Point, ProviderCategory, ProviderEntry, ProviderFault, Result, Supply, Timestamp, TurnPolicy,
};

use crate::context::stele_context_t;
use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{give_handle, handle, place, status, unfit};
use crate::record::{length, member, stele_t};
use crate::recorder::{source, with};
use crate::retriever::hops;
use crate::sized::{self, HasSize, flag};
use crate::text::{stele_str_t, texts};

/// How context is assembled; all zero but the prompt is the default.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_assembly_t {
    /// sizeof(stele_assembly_t).
    pub struct_size: u32,
    /// STELE_POINT_…: where the rules are injected.
    pub point: i32,
    /// The prompt.
    pub prompt: stele_str_t,
    /// What this session was served is left out; empty: no session. Only for assemblies of a record.
    pub session: stele_str_t,
    /// The mode of this call; empty: the session's.
    pub mode: stele_str_t,
    /// What is about to be done.
    pub action: stele_str_t,
    /// The project's folder, for skills and the rules of the repository; empty: neither is looked for.
    pub root: stele_str_t,
    /// What the request is capable of.
    pub capabilities: *const stele_str_t,
    /// How many there are.
    pub capabilities_len: usize,
    /// The built-in providers that are on; with "-" before every name, those that are off; none: all are on.
    pub builtin: *const stele_str_t,
    /// How many there are.
    pub builtin_len: usize,
    /// Skills that are selected.
    pub select_skills: *const stele_str_t,
    /// How many there are.
    pub select_skills_len: usize,
    /// The turn, if has_turn is 1.
    pub turn: u64,
    /// The instant that ages are told from; 0: now.
    pub now_unix_ms: i64,
    /// Limit of the whole text in tokens, estimated unless the host counts them; 0: 8,000.
    pub token_budget: u32,
    /// Time for the whole call; 0: 8,000.
    pub deadline_ms: u32,
    /// Entries of the window, 1 to 20; 0: 20.
    pub max_entries: u32,
    /// Limit of the window in tokens, estimated unless the host counts them; 0: none.
    pub max_tokens: u32,
    /// How far the walk goes, 1 to 3; 0: 1; -1: no walk.
    pub hops: i32,
    /// Whether it counts as delivered at once: 1 it does, -1 it does not; 0: a prompt of a session does.
    pub deliver: i32,
    /// 1 if the turn is given.
    pub has_turn: u8,
    /// 1: a provider that fails is an error of the whole call.
    pub strict: u8,
    /// 1: every built-in provider but the obligations is off.
    pub no_builtin: u8,
    /// 0. For later use.
    pub reserved: [u8; 5],
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_assembly_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: [u8; 5]);
}

/// How a provider declares itself.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_declaration_t {
    /// sizeof(stele_declaration_t).
    pub struct_size: u32,
    /// STELE_PROVIDER_CATEGORY_…: what it gives.
    pub category: i32,
    /// Its name, which no other provider of the call has.
    pub name: stele_str_t,
    /// Capabilities without which it is not asked.
    pub capabilities: *const stele_str_t,
    /// How many there are.
    pub capabilities_len: usize,
    /// STELE_TURN_POLICY_…: in which turns it is asked.
    pub turns: i32,
    /// How long it may take; 0: 2,000.
    pub timeout_ms: u32,
    /// Tokens that its entries may take; 0: 2,000.
    pub token_budget: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Its place among those of its category, lowest first.
    pub position: i64,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_declaration_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// What a provider is asked. Texts are borrowed: in a callback until it returns, from a plan until that is freed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_request_t {
    /// sizeof(stele_request_t); set by the caller of stele_plan_next, by the library for a callback.
    pub struct_size: u32,
    /// By which a plan is answered.
    pub index: u32,
    /// The provider.
    pub provider: stele_str_t,
    /// The prompt.
    pub prompt: stele_str_t,
    /// The session; may be empty.
    pub session: stele_str_t,
    /// The mode.
    pub mode: stele_str_t,
    /// What is about to be done; may be empty.
    pub action: stele_str_t,
    /// The turn, from 0.
    pub turn: u64,
    /// The instant that ages are told from.
    pub now_unix_ms: i64,
    /// STELE_POINT_….
    pub point: i32,
    /// Tokens that the entries may take.
    pub token_budget: u32,
    /// The time that is left for an answer.
    pub remaining_ms: u32,
    /// 0. For later use.
    pub reserved: u32,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_request_t {
    const FIRST: usize = size_of::<Self>();
}

/// One thing that a provider gives; all zero but the text is an entry.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_provider_entry_t {
    /// sizeof(stele_provider_entry_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// What a model reads.
    pub text: stele_str_t,
    /// Where it comes from.
    pub source_uri: stele_str_t,
    /// The line there that says it, word for word.
    pub source_quote: stele_str_t,
    /// The revision of it that was read.
    pub source_revision: stele_str_t,
    /// The repository, customer or the like that it is limited to.
    pub applies_to: stele_str_t,
    /// When it was fetched; 0: not said.
    pub fetched_at_unix_ms: i64,
    /// From when on it has to be read again; 0: not said.
    pub review_at_unix_ms: i64,
}

// SAFETY: it begins with its size and holds only numbers and pointers.
unsafe impl HasSize for stele_provider_entry_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// Takes what a provider answers. It lives inside one callback, on one thread.
pub struct stele_sink_t {
    supply: Supply,
    fault: Option<String>,
}

/// A provider that is called back: on the thread of the call, one after another, with no lock held. `ctx` stays the host's
/// and is passed on. `fetch` gives 0, or another number if it failed; it may call anything of this header, closing the
/// record among it, and must let no exception out.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_provider_t {
    /// sizeof(stele_provider_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// How it declares itself.
    pub declaration: *const stele_declaration_t,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Answers a request through the sink.
    pub fetch: Option<unsafe extern "C" fn(ctx: *mut c_void, request: *const stele_request_t, sink: *mut stele_sink_t) -> i32>,
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_provider_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

impl stele_assembly_t {
    /// # Safety
    /// Its texts are texts and its arrays are as long as they say.
    pub(crate) unsafe fn options(&self) -> Result<AssembleOptions> {
        let mut options = AssembleOptions::new().point(member(self.point, "point", Point::from_number)?).strict(flag(self.strict, "strict")?);
        // SAFETY: the caller says so.
        unsafe {
            options = with(options, self.session.given("session")?, AssembleOptions::session);
            options = with(options, self.mode.given("mode")?, AssembleOptions::mode);
            options = with(options, self.action.given("action")?, AssembleOptions::action);
            options = with(options, self.root.given("root")?, |options, root| options.root(root));
            options = texts(self.capabilities, self.capabilities_len, "capabilities")?.into_iter().fold(options, AssembleOptions::capability);
            options = texts(self.select_skills, self.select_skills_len, "select_skills")?.into_iter().fold(options, AssembleOptions::select_skill);
            let builtin = texts(self.builtin, self.builtin_len, "builtin")?;
            if !builtin.is_empty() {
                options = options.builtin_named(builtin);
            } else if flag(self.no_builtin, "no_builtin")? {
                options = options.builtin(false);
            }
        }
        options = with(options, flag(self.has_turn, "has_turn")?.then_some(self.turn), AssembleOptions::turn);
        options = with(options, (self.now_unix_ms != 0).then(|| Timestamp::from_unix_ms(self.now_unix_ms)), AssembleOptions::now);
        options = with(options, (self.token_budget > 0).then_some(self.token_budget as usize), AssembleOptions::token_budget);
        options = with(options, length(self.deadline_ms), AssembleOptions::deadline);
        options = with(options, (self.max_entries > 0).then_some(self.max_entries as usize), AssembleOptions::max_entries);
        options = with(options, (self.max_tokens > 0).then_some(self.max_tokens as usize), AssembleOptions::max_tokens);
        options = with(options, hops(self.hops)?, AssembleOptions::hops);
        match self.deliver {
            0 => Ok(options),
            1 => Ok(options.deliver(true)),
            -1 => Ok(options.deliver(false)),
            other => Err(unfit("deliver", &format!("is {other}, none of -1, 0, 1"))),
        }
    }
}

impl stele_declaration_t {
    /// # Safety
    /// Its texts are texts and its arrays are as long as they say.
    pub(crate) unsafe fn declaration(&self) -> Result<Declaration> {
        // SAFETY: the caller says so.
        let (name, requires) = unsafe { (self.name.get("name")?, texts(self.capabilities, self.capabilities_len, "capabilities")?) };
        let mut declaration = Declaration::new(name).category(member(self.category, "category", ProviderCategory::from_number)?);
        declaration = declaration.turns(member(self.turns, "turns", TurnPolicy::from_number)?).position(self.position);
        declaration = requires.into_iter().fold(declaration, Declaration::requires);
        declaration = with(declaration, length(self.timeout_ms), Declaration::timeout);
        Ok(with(declaration, (self.token_budget > 0).then_some(self.token_budget as usize), Declaration::token_budget))
    }
}

impl stele_request_t {
    /// A request as it crosses; its texts live as long as `asked`.
    pub(crate) fn of(asked: &Asked, index: u32) -> Self {
        let request = &asked.request;
        Self {
            struct_size: size_of::<Self>() as u32,
            index,
            provider: stele_str_t::of(&asked.provider),
            prompt: stele_str_t::of(&request.prompt),
            session: stele_str_t::of(&request.session),
            mode: stele_str_t::of(&request.mode),
            action: stele_str_t::or_empty(request.action.as_deref()),
            turn: request.turn,
            now_unix_ms: request.now.unix_ms(),
            point: request.point.number().into(),
            token_budget: u32::try_from(request.token_budget).unwrap_or(u32::MAX),
            remaining_ms: u32::try_from(request.remaining().as_millis()).unwrap_or(u32::MAX),
            reserved: 0,
        }
    }
}

impl stele_provider_entry_t {
    /// # Safety
    /// Its texts are texts.
    pub(crate) unsafe fn entry(&self) -> Result<ProviderEntry> {
        let time = |ms: i64| (ms != 0).then(|| Timestamp::from_unix_ms(ms));
        // SAFETY: the caller says so.
        unsafe {
            let mut entry = ProviderEntry::new(self.text.get("text")?);
            entry.source = source(self.source_uri, self.source_quote, self.source_revision)?;
            entry.applies_to = self.applies_to.given("applies_to")?.map(str::to_owned);
            (entry.fetched_at, entry.review_at) = (time(self.fetched_at_unix_ms), time(self.review_at_unix_ms));
            Ok(entry)
        }
    }
}

/// A provider with its declaration read.
pub(crate) struct Called {
    provider: stele_provider_t,
    declaration: Declaration,
    name: String,
}

/// Reads an array of providers.
///
/// # Safety
/// It is as long as it says, and its structs are as large as they say.
pub(crate) unsafe fn called(providers: *const stele_provider_t, len: usize) -> Result<Vec<Called>> {
    // SAFETY: the caller says so.
    unsafe { sized::read_many(providers, len, "providers") }?
        .into_iter()
        .map(|provider| {
            if provider.fetch.is_none() {
                return Err(unfit("fetch", "is NULL"));
            }
            // SAFETY: the caller says so.
            let (declaration, name) = unsafe {
                let declaration = sized::read(provider.declaration, "declaration")?;
                (declaration.declaration()?, declaration.name.get("name")?.to_owned())
            };
            Ok(Called { provider, declaration, name })
        })
        .collect()
}

/// The options with the providers declared.
pub(crate) fn declared(options: AssembleOptions, providers: &[Called]) -> AssembleOptions {
    providers.iter().fold(options, |options, called| options.declare(called.declaration.clone()))
}

/// Asks each provider that a plan asks, on this thread, and finishes the plan.
pub(crate) fn ask(mut plan: Plan, providers: &[Called]) -> Result<Context> {
    let mut index = 0;
    while let Some(asked) = plan.next() {
        let Some(called) = providers.iter().find(|called| called.name == asked.provider) else { continue };
        match fetch(&called.provider, &asked, index) {
            Ok(supply) => plan.supply(&asked.provider, supply)?,
            Err(fault) => plan.fail(&asked.provider, fault)?,
        }
        index += 1;
    }
    plan.finish()
}

fn fetch(provider: &stele_provider_t, asked: &Asked, index: u32) -> std::result::Result<Supply, ProviderFault> {
    let Some(fetch) = provider.fetch else { return Err(ProviderFault::new("it has no function")) };
    let mut sink = stele_sink_t { supply: Supply::default(), fault: None };
    let request = stele_request_t::of(asked, index);
    // SAFETY: by the laws it is a function of that signature which lets no exception out; request and sink live until it returns.
    let said = unsafe { fetch(provider.ctx, &raw const request, &raw mut sink) };
    match (sink.fault, said) {
        (Some(fault), _) => Err(ProviderFault::new(fault)),
        (None, 0) => Ok(sink.supply),
        (None, number) => Err(ProviderFault::new(format!("its function gave {number}"))),
    }
}

/// Works on a sink; what is wrong with the call is the provider's fault.
///
/// # Safety
/// `sink` is NULL or the sink of the callback that runs now.
unsafe fn into_sink(sink: *mut stele_sink_t, work: impl FnOnce(&mut stele_sink_t) -> Result<()>) -> Result<()> {
    // SAFETY: the caller says so.
    let sink = unsafe { sink.as_mut() }.ok_or_else(|| unfit("sink", "is NULL"))?;
    work(sink).inspect_err(|error| {
        sink.fault.get_or_insert_with(|| error.to_string());
    })
}

/// Adds an entry that is only text, which is copied. Text that is none is a fault of the provider.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_sink_write(sink: *mut stele_sink_t, text: stele_str_t) -> stele_status_t {
    status(std::ptr::null_mut(), || {
        // SAFETY: by the laws it is the sink of the callback that runs now, and text.
        unsafe {
            into_sink(sink, |sink| {
                sink.supply.entries.push(ProviderEntry::new(text.get("text")?));
                Ok(())
            })
        }
    })
}

/// Adds an entry, which is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_sink_entry(sink: *mut stele_sink_t, entry: *const stele_provider_entry_t) -> stele_status_t {
    status(std::ptr::null_mut(), || {
        // SAFETY: by the laws it is the sink of the callback that runs now, and NULL or a struct of its size with texts.
        unsafe {
            into_sink(sink, |sink| {
                sink.supply.entries.push(sized::read(entry, "entry")?.entry()?);
                Ok(())
            })
        }
    })
}

/// Adds a line that a reader of the context must see beside the entries; it is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_sink_warn(sink: *mut stele_sink_t, warning: stele_str_t) -> stele_status_t {
    status(std::ptr::null_mut(), || {
        // SAFETY: by the laws it is the sink of the callback that runs now, and text.
        unsafe {
            into_sink(sink, |sink| {
                sink.supply.warnings.push(warning.get("warning")?.to_owned());
                Ok(())
            })
        }
    })
}

/// Says that the provider cannot answer, and why; it is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_sink_fail(sink: *mut stele_sink_t, reason: stele_str_t) -> stele_status_t {
    status(std::ptr::null_mut(), || {
        // SAFETY: by the laws it is the sink of the callback that runs now, and text.
        unsafe {
            into_sink(sink, |sink| {
                sink.fault = Some(reason.get("reason")?.to_owned());
                Ok(())
            })
        }
    })
}

/// Assembles the context of a prompt: obligations, ways of working, the window of the record, and what providers give.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_assemble(
    record: *const stele_t,
    assembly: *const stele_assembly_t,
    providers: *const stele_provider_t,
    providers_len: usize,
    out: *mut *mut stele_context_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        let out = place(out)?;
        // SAFETY: by the laws these are NULL or structs of their size with texts and arrays.
        let (record, assembly, providers) =
            unsafe { (Arc::clone(&handle(record, "record")?.record), sized::read(assembly, "assembly")?, called(providers, providers_len)?) };
        // SAFETY: by the laws its texts are texts.
        let (prompt, options) = unsafe { (assembly.prompt.get("prompt")?, assembly.options()?) };
        let context = ask(record.plan(prompt, &declared(options, &providers))?, &providers)?;
        // SAFETY: `out` is a place for a pointer.
        unsafe { give_handle(out, context.into()) };
        Ok(())
    })
}
