//! What a provider is: how it declares itself, what it is asked, what it gives. Whether it is asked, and what becomes of
//! its answer, is decided by the plan.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::channels::Point;
use crate::base::config::{PROVIDER_TIMEOUT, PROVIDER_TOKENS};
use crate::base::error::Error;
use crate::base::names::named_enum;
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::TokenCounter;
use crate::record::node::Source;

named_enum! {
    /// What kind of thing a provider gives. The order of the kinds is the order in which sections stand.
    ProviderCategory, UnknownValue, "category" {
        /// What the agent must keep to.
        Rules = 0 "rules",
        /// Ways of working.
        Skills = 1 "skills",
        /// What is known.
        Memory = 2 "memory",
        /// What the host says of itself: versions, branch, date.
        System = 3 "system",
    }
}

named_enum! {
    /// In which turns a provider is asked.
    TurnPolicy, UnknownValue, "turns" {
        /// In the first turn of a session only.
        First = 0 "first",
        /// In every turn.
        All = 1 "all",
    }
}

/// How a provider declares itself: begin with [`Declaration::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub(crate) name: String,
    pub(crate) category: ProviderCategory,
    pub(crate) requires: Vec<String>,
    pub(crate) turns: TurnPolicy,
    pub(crate) timeout: Duration,
    pub(crate) token_budget: usize,
    pub(crate) position: i64,
    /// True if it is asked in the turns that are not its own as well, for warnings only.
    pub(crate) watches: bool,
}

impl Declaration {
    /// A provider of memory, asked in the first turn, with 2 seconds, 2,000 tokens and position 0. The name is unique in an
    /// assembly.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            category: ProviderCategory::Memory,
            requires: Vec::new(),
            turns: TurnPolicy::First,
            timeout: PROVIDER_TIMEOUT,
            token_budget: PROVIDER_TOKENS,
            position: 0,
            watches: false,
        }
    }

    /// Sets the kind of what it gives.
    #[must_use]
    pub fn category(mut self, category: ProviderCategory) -> Self {
        self.category = category;
        self
    }

    /// Names a capability without which it is not asked.
    #[must_use]
    pub fn requires(mut self, capability: impl Into<String>) -> Self {
        self.requires.push(capability.into());
        self
    }

    /// Sets in which turns it is asked.
    #[must_use]
    pub fn turns(mut self, turns: TurnPolicy) -> Self {
        self.turns = turns;
        self
    }

    /// Sets how long it may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how many tokens its entries may take.
    #[must_use]
    pub fn token_budget(mut self, tokens: usize) -> Self {
        self.token_budget = tokens;
        self
    }

    /// Sets its place among the providers of its category, lowest first.
    #[must_use]
    pub fn position(mut self, position: i64) -> Self {
        self.position = position;
        self
    }
}

/// One thing that a provider gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderEntry {
    /// What a model reads.
    pub text: String,
    /// Where it comes from.
    pub source: Option<Source>,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// The instant from which it has to be read again before anybody acts on it.
    pub review_at: Option<Timestamp>,
    /// The repository, customer or the like that it is limited to.
    pub applies_to: Option<String>,
}

impl ProviderEntry {
    /// An entry that is only text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What a provider answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supply {
    /// Its entries, in the order in which they stand.
    pub entries: Vec<ProviderEntry>,
    /// What a reader of the context must see beside them, a line each.
    pub warnings: Vec<String>,
}

impl From<Vec<ProviderEntry>> for Supply {
    fn from(entries: Vec<ProviderEntry>) -> Self {
        Self { entries, warnings: Vec::new() }
    }
}

impl From<&str> for Supply {
    /// One entry that is only text.
    fn from(text: &str) -> Self {
        vec![ProviderEntry::new(text)].into()
    }
}

/// Why a provider gave nothing.
#[derive(Clone)]
pub struct ProviderFault {
    /// What happened, in words.
    pub message: String,
    /// The host's own error, handed back untouched in the outcome.
    pub cause: Option<Arc<dyn Any + Send + Sync>>,
}

impl ProviderFault {
    /// A fault that is only words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }
}

impl From<Error> for ProviderFault {
    /// A fault with a typed error as its cause.
    fn from(error: Error) -> Self {
        Self { message: error.to_string(), cause: Some(Arc::new(error)) }
    }
}

impl fmt::Display for ProviderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProviderFault {}

impl fmt::Debug for ProviderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderFault").field("message", &self.message).field("cause", &self.cause.is_some()).finish()
    }
}

/// What a provider is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProviderRequest {
    /// The prompt.
    pub prompt: Arc<str>,
    /// The session that it belongs to.
    pub session: Arc<str>,
    /// The turn, from 0.
    pub turn: u64,
    /// The mode that the session is in.
    pub mode: Arc<str>,
    /// What is about to be done, if the host said so.
    pub action: Option<Arc<str>>,
    /// Where the context is injected.
    pub point: Point,
    /// How many tokens the entries may take.
    pub token_budget: usize,
    /// The instant that ages are told from.
    pub now: Timestamp,
    pub(crate) deadline: Deadline,
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) counter: TokenCounter,
}

impl ProviderRequest {
    /// The time that is left for an answer.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.remaining().unwrap_or(Duration::MAX)
    }

    /// What a text counts in this assembly, in tokens.
    #[must_use]
    pub fn tokens(&self, text: &str) -> usize {
        self.counter.count(text)
    }

    /// True once nobody waits for the answer any more: at its timeout, at the deadline of the call, or before.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.deadline.expired()
    }
}

/// A source of context. It is called on a thread of its own, may take its time and may fail; it is waited for only until
/// its timeout.
pub trait Provider: Send + Sync {
    /// How it declares itself.
    fn declaration(&self) -> Declaration;

    /// Answers a request.
    ///
    /// # Errors
    /// Whatever keeps it from answering; the assembly goes on without it and says so.
    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault>;
}

/// A provider that is a function.
struct Function<F> {
    declaration: Declaration,
    fetch: F,
}

impl<F> Provider for Function<F>
where
    F: Fn(&ProviderRequest) -> Result<Supply, ProviderFault> + Send + Sync,
{
    fn declaration(&self) -> Declaration {
        self.declaration.clone()
    }

    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        (self.fetch)(request)
    }
}

/// Makes a provider of a function.
pub fn provider<F>(declaration: Declaration, fetch: F) -> Arc<dyn Provider>
where
    F: Fn(&ProviderRequest) -> Result<Supply, ProviderFault> + Send + Sync + 'static,
{
    Arc::new(Function { declaration, fetch })
}
