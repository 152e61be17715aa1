//! What a caller may set of a read: builders with the defaults, checked before anything is looked at.

use std::time::Duration;

use crate::base::config::{
    DEADLINE, HOPS, MAX_HOPS, NEIGHBOURS, READY_TASKS, RECALL_DEPTH, RECALL_ENTRIES, RECALL_SEEDS, SEARCH_HITS, USUAL_READY_TASKS, USUAL_RECALL_ENTRIES,
    USUAL_RECALL_SEEDS, WALK_BUDGET, WINDOW_ENTRIES,
};
use crate::base::error::{Code, Error, Result};
use crate::base::id::Kind;
use crate::base::names::named_enum;
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::{Category, State};

/// Most hits of one search, and most neighbours of one look.
const MOST_HITS: usize = 1_000;

named_enum! {
    /// How a search compares.
    SearchMode, UnknownValue, "mode" {
        /// By words and by meaning.
        Hybrid = 0 "hybrid",
        /// By words.
        Text = 1 "text",
        /// By meaning.
        Semantic = 2 "semantic",
    }
}

named_enum! {
    /// Which edges of a node are looked at.
    Direction, UnknownValue, "direction" {
        /// All of them.
        Both = 0 "both",
        /// Those that start at it.
        Outgoing = 1 "out",
        /// Those that end at it.
        Incoming = 2 "in",
    }
}

/// How a prompt is looked up.
#[derive(Clone, Debug)]
pub struct RetrieveOptions {
    pub(crate) session: Option<String>,
    pub(crate) deadline: Duration,
    pub(crate) walk_budget: Duration,
    pub(crate) max_entries: usize,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) hops: u32,
    pub(crate) now: Option<Timestamp>,
    pub(crate) deliver: bool,
}

impl Default for RetrieveOptions {
    fn default() -> Self {
        Self {
            session: None,
            deadline: DEADLINE,
            walk_budget: WALK_BUDGET,
            max_entries: WINDOW_ENTRIES,
            max_tokens: None,
            hops: HOPS,
            now: None,
            deliver: false,
        }
    }
}

impl RetrieveOptions {
    /// The defaults: no session, 8 s, 20 entries, no token limit, 1 hop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks up for a session: what it was served is left out.
    #[must_use]
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.session = Some(name.into());
        self
    }

    /// Sets the time for the whole call.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time for the walk inside it.
    #[must_use]
    pub fn walk_budget(mut self, budget: Duration) -> Self {
        self.walk_budget = budget;
        self
    }

    /// Sets the number of entries, 1 to 20.
    #[must_use]
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries;
        self
    }

    /// Limits the text, in tokens, estimated unless the host counts them.
    #[must_use]
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Sets how far the walk goes, 0 to 3 hops.
    #[must_use]
    pub fn hops(mut self, hops: u32) -> Self {
        self.hops = hops;
        self
    }

    /// Sets the instant at which states and ages are told.
    #[must_use]
    pub fn now(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Notes at once that the session was served the result.
    #[must_use]
    pub fn deliver(mut self) -> Self {
        self.deliver = true;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        in_range("max_entries", self.max_entries, 1, WINDOW_ENTRIES)?;
        in_range("hops", self.hops as usize, 0, MAX_HOPS as usize)
    }
}

/// How a search is done. Filters apply before the cut-off.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub(crate) mode: SearchMode,
    pub(crate) limit: usize,
    pub(crate) kinds: Option<Vec<Kind>>,
    pub(crate) categories: Option<Vec<Category>>,
    pub(crate) states: Option<Vec<State>>,
    pub(crate) tags: Vec<String>,
    pub(crate) component: Option<String>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    pub(crate) deadline: Duration,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            mode: SearchMode::Hybrid,
            limit: SEARCH_HITS,
            kinds: None,
            categories: None,
            states: None,
            tags: Vec::new(),
            component: None,
            since: None,
            until: None,
            deadline: DEADLINE,
        }
    }
}

impl SearchOptions {
    /// The defaults: hybrid, 10 hits, no filter, 8 s.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how to compare.
    #[must_use]
    pub fn mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the number of hits, 1 to 1,000.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Keeps nodes of these kinds.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.kinds = Some(kinds.into_iter().collect());
        self
    }

    /// Keeps facts of these categories.
    #[must_use]
    pub fn categories(mut self, categories: impl IntoIterator<Item = Category>) -> Self {
        self.categories = Some(categories.into_iter().collect());
        self
    }

    /// Keeps nodes in these states; archived ones are never found by search.
    #[must_use]
    pub fn states(mut self, states: impl IntoIterator<Item = State>) -> Self {
        self.states = Some(states.into_iter().collect());
        self
    }

    /// Keeps nodes with any of these tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Keeps nodes under a component, however deep, given by id or alias.
    #[must_use]
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.component = Some(component.into());
        self
    }

    /// Keeps nodes that came to be at that instant or later.
    #[must_use]
    pub fn since(mut self, at: Timestamp) -> Self {
        self.since = Some(at);
        self
    }

    /// Keeps nodes that came to be before that instant.
    #[must_use]
    pub fn until(mut self, at: Timestamp) -> Self {
        self.until = Some(at);
        self
    }

    /// Sets the time for the call.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        in_range("limit", self.limit, 1, MOST_HITS)
    }
}

/// How a question is recalled.
#[derive(Clone, Debug)]
pub struct RecallOptions {
    pub(crate) seeds: usize,
    pub(crate) depth: u32,
    pub(crate) max_entries: usize,
    pub(crate) deadline: Duration,
    pub(crate) now: Option<Timestamp>,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self { seeds: USUAL_RECALL_SEEDS, depth: RECALL_DEPTH, max_entries: USUAL_RECALL_ENTRIES, deadline: DEADLINE, now: None }
    }
}

impl RecallOptions {
    /// The defaults: 10 seeds a channel, depth 2, 30 entries, 8 s.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of seeds by words and of seeds by meaning, 1 to 50.
    #[must_use]
    pub fn seeds(mut self, seeds: usize) -> Self {
        self.seeds = seeds;
        self
    }

    /// Sets how far the walk goes, 0 to 3 hops.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the number of entries, 1 to 100.
    #[must_use]
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries;
        self
    }

    /// Sets the time for the call.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the instant at which states and ages are told.
    #[must_use]
    pub fn now(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        in_range("seeds", self.seeds, 1, RECALL_SEEDS)?;
        in_range("depth", self.depth as usize, 0, MAX_HOPS as usize)?;
        in_range("max_entries", self.max_entries, 1, RECALL_ENTRIES)
    }
}

/// Which tasks are listed as ready.
#[derive(Clone, Debug)]
pub struct ReadyOptions {
    pub(crate) limit: usize,
    pub(crate) tags: Vec<String>,
    pub(crate) component: Option<String>,
}

impl Default for ReadyOptions {
    fn default() -> Self {
        Self { limit: USUAL_READY_TASKS, tags: Vec::new(), component: None }
    }
}

impl ReadyOptions {
    /// The defaults: 20 tasks, no filter.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of tasks, 1 to 1,000.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Keeps tasks with any of these tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Keeps tasks under a component, however deep, given by id or alias.
    #[must_use]
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.component = Some(component.into());
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        in_range("limit", self.limit, 1, READY_TASKS)
    }
}

/// Which neighbours of a node are listed.
#[derive(Clone, Debug)]
pub struct NeighbourOptions {
    pub(crate) relations: Option<Vec<Relation>>,
    pub(crate) direction: Direction,
    pub(crate) limit: usize,
}

impl Default for NeighbourOptions {
    fn default() -> Self {
        Self { relations: None, direction: Direction::Both, limit: NEIGHBOURS }
    }
}

impl NeighbourOptions {
    /// The defaults: every relation, both directions, 50.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps edges of these relations.
    #[must_use]
    pub fn relations(mut self, relations: impl IntoIterator<Item = Relation>) -> Self {
        self.relations = Some(relations.into_iter().collect());
        self
    }

    /// Keeps edges of one direction.
    #[must_use]
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Sets the number of neighbours, 1 to 1,000.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        in_range("limit", self.limit, 1, MOST_HITS)
    }
}

fn in_range(field: &'static str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let limit = if value < least { least } else { most };
    Err(Error::new(Code::OutOfRange, format!("check {field}: {value} is not between {least} and {most}")).with("field", field).with("limit", limit))
}
