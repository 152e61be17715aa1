//! The reading side.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use stele_core::{
    Category, Direction, Kind, MethodologyOptions, NeighbourOptions, ReadyOptions, RecallOptions, Relation, Result, RetrieveOptions, RulesOptions, SearchMode,
    SearchOptions, State, TaskStatus,
};

use crate::arguments::{Count, Many, count, text, with, words};
use crate::doorway::{checked, enter};
use crate::handle::Handle;
use crate::record::Record;
use crate::results::each;
use crate::results::nodes::{Conflict, HistoryItem, Neighbour, Node, Why};
use crate::results::retrieval::{Hit, Retrieval};
use crate::results::rules::{Methodology, Obligations, RuleFeedback};
use crate::results::tasks::{ContainerProgress, Task};
use crate::time::{Seconds, When, length};

/// The reading side of a record: it cannot write, whatever is called on it. Threads may share it.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Retriever {
    core: stele_core::Retriever,
    /// Keeps the record open as long as somebody can read from it.
    record: Handle,
    of: Py<Record>,
}

impl Retriever {
    pub(crate) fn new(core: stele_core::Retriever, record: Handle, of: Py<Record>) -> Self {
        Self { core, record, of }
    }

    /// Runs a lookup that may ask the host's embedder about a text.
    fn look_up<T: Send + 'static>(
        &self,
        py: Python<'_>,
        text: String,
        look: impl FnOnce(&stele_core::Retriever, &str) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let core = self.core.clone();
        self.record.look_up(py, move || look(&core, &text))
    }
}

#[pymethods]
impl Retriever {
    /// Looks up what the record holds that bears on a prompt, within the time given.
    #[pyo3(
        signature = (prompt, *, session=None, deadline=None, walk_budget=None, max_entries=None, max_tokens=None, hops=None, now=None, deliver=false),
        text_signature = "($self, prompt, *, session=None, deadline=8.0, walk_budget=6.0, max_entries=20, max_tokens=None, hops=1, now=None, deliver=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn retrieve(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] prompt: String,
        #[pyo3(from_py_with = text)] session: Option<String>,
        deadline: Option<Seconds>,
        walk_budget: Option<Seconds>,
        max_entries: Option<Count>,
        max_tokens: Option<Count>,
        hops: Option<Count>,
        now: Option<When>,
        deliver: bool,
    ) -> PyResult<Retrieval> {
        let mut options = RetrieveOptions::new();
        options = with(options, session, RetrieveOptions::session);
        options = with(options, length(py, deadline, "deadline")?, RetrieveOptions::deadline);
        options = with(options, length(py, walk_budget, "walk_budget")?, RetrieveOptions::walk_budget);
        options = with(options, count(py, max_entries, "max_entries", usize::MAX)?, RetrieveOptions::max_entries);
        options = with(options, count(py, max_tokens, "max_tokens", usize::MAX)?, RetrieveOptions::max_tokens);
        options = with(options, count(py, hops, "hops", u32::MAX)?, RetrieveOptions::hops);
        options = with(options, now.map(|at| at.0), RetrieveOptions::now);
        if deliver {
            options = options.deliver();
        }
        let found = self.look_up(py, prompt, move |core, prompt| core.retrieve(prompt, &options))?;
        Retrieval::of(py, found)
    }

    /// Finds the nodes that answer a query best. Any text is a query; there is no syntax.
    ///
    /// Where time runs out, it gives what was found by then, and nothing in a list of hits says so: `retrieve` and `recall` do.
    #[pyo3(
        signature = (query, *, mode="hybrid".to_owned(), limit=None, kinds=None, categories=None, states=None, tags=None, component=None, since=None, until=None, deadline=None),
        text_signature = "($self, query, *, mode='hybrid', limit=10, kinds=None, categories=None, states=None, tags=None, component=None, since=None, until=None, deadline=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn search(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] query: String,
        #[pyo3(from_py_with = text)] mode: String,
        limit: Option<Count>,
        #[pyo3(from_py_with = text)] kinds: Option<Many<String>>,
        #[pyo3(from_py_with = text)] categories: Option<Many<String>>,
        #[pyo3(from_py_with = text)] states: Option<Many<String>>,
        #[pyo3(from_py_with = text)] tags: Option<Many<String>>,
        #[pyo3(from_py_with = text)] component: Option<String>,
        since: Option<When>,
        until: Option<When>,
        deadline: Option<Seconds>,
    ) -> PyResult<Vec<Py<Hit>>> {
        let mut options = SearchOptions::new().mode(checked(py, SearchMode::parse(&mode))?);
        options = with(options, count(py, limit, "limit", usize::MAX)?, SearchOptions::limit);
        options = with(options, words(py, kinds, Kind::parse)?, SearchOptions::kinds);
        options = with(options, words(py, categories, Category::parse)?, SearchOptions::categories);
        options = with(options, words(py, states, State::parse)?, SearchOptions::states);
        options = with(options, tags.map(|tags| tags.0), SearchOptions::tags);
        options = with(options, component, SearchOptions::component);
        options = with(options, since.map(|at| at.0), SearchOptions::since);
        options = with(options, until.map(|at| at.0), SearchOptions::until);
        options = with(options, length(py, deadline, "deadline")?, SearchOptions::deadline);
        let hits = self.look_up(py, query, move |core, query| core.search(query, &options))?;
        each(py, hits, Hit::of)
    }

    /// Looks a question up deliberately: more seeds, further hops and more entries than a prompt gets.
    #[pyo3(
        signature = (question, *, seeds=None, depth=None, max_entries=None, deadline=None, now=None),
        text_signature = "($self, question, *, seeds=10, depth=2, max_entries=30, deadline=8.0, now=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn recall(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] question: String,
        seeds: Option<Count>,
        depth: Option<Count>,
        max_entries: Option<Count>,
        deadline: Option<Seconds>,
        now: Option<When>,
    ) -> PyResult<Retrieval> {
        let mut options = RecallOptions::new();
        options = with(options, count(py, seeds, "seeds", usize::MAX)?, RecallOptions::seeds);
        options = with(options, count(py, depth, "depth", u32::MAX)?, RecallOptions::depth);
        options = with(options, count(py, max_entries, "max_entries", usize::MAX)?, RecallOptions::max_entries);
        options = with(options, length(py, deadline, "deadline")?, RecallOptions::deadline);
        options = with(options, now.map(|at| at.0), RecallOptions::now);
        let found = self.look_up(py, question, move |core, question| core.recall(question, &options))?;
        Retrieval::of(py, found)
    }

    /// Gives a node by id or alias, whatever its state.
    fn get(&self, py: Python<'_>, #[pyo3(from_py_with = text)] id: String) -> PyResult<Node> {
        let node = enter(py, || self.core.get(&id))?;
        Node::of(py, node)
    }

    /// Gives the neighbours of a node, those that weigh most first.
    #[pyo3(
        signature = (id, *, relations=None, direction="both".to_owned(), limit=None),
        text_signature = "($self, id, *, relations=None, direction='both', limit=50)"
    )]
    fn neighbours(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] relations: Option<Many<String>>,
        #[pyo3(from_py_with = text)] direction: String,
        limit: Option<Count>,
    ) -> PyResult<Vec<Py<Neighbour>>> {
        let mut options = NeighbourOptions::new().direction(checked(py, Direction::parse(&direction))?);
        options = with(options, words(py, relations, Relation::parse)?, NeighbourOptions::relations);
        options = with(options, count(py, limit, "limit", usize::MAX)?, NeighbourOptions::limit);
        let found = enter(py, || self.core.neighbours(&id, &options))?;
        each(py, found, Neighbour::of)
    }

    /// Gives the operations that concern a node, oldest first.
    fn history(&self, py: Python<'_>, #[pyo3(from_py_with = text)] id: String) -> PyResult<Vec<Py<HistoryItem>>> {
        let items = enter(py, || self.core.history(&id))?;
        each(py, items, HistoryItem::of)
    }

    /// Says where a node comes from and what it replaced, down to the first.
    fn why(&self, py: Python<'_>, #[pyo3(from_py_with = text)] id: String) -> PyResult<Why> {
        let why = enter(py, || self.core.why(&id))?;
        Why::of(py, why)
    }

    /// Lists the pairs of live nodes that contradict each other: all, or those of the nodes given.
    #[pyo3(signature = (ids=None))]
    fn conflicts(&self, py: Python<'_>, #[pyo3(from_py_with = text)] ids: Option<Many<String>>) -> PyResult<Vec<Py<Conflict>>> {
        let pairs = enter(py, || {
            let ids: Option<Vec<&str>> = ids.as_ref().map(|ids| ids.0.iter().map(String::as_str).collect());
            self.core.conflicts(ids.as_deref())
        })?;
        each(py, pairs, Conflict::of)
    }

    /// Lists the tasks that one could take now, by priority, then oldest first.
    #[pyo3(signature = (*, limit=None, tags=None, component=None), text_signature = "($self, *, limit=20, tags=(), component=None)")]
    fn ready(
        &self,
        py: Python<'_>,
        limit: Option<Count>,
        #[pyo3(from_py_with = text)] tags: Option<Many<String>>,
        #[pyo3(from_py_with = text)] component: Option<String>,
    ) -> PyResult<Vec<Py<Task>>> {
        let mut options = ReadyOptions::new().tags(tags.unwrap_or_default().0);
        options = with(options, count(py, limit, "limit", usize::MAX)?, ReadyOptions::limit);
        options = with(options, component, ReadyOptions::component);
        let tasks = enter(py, || self.core.ready(&options))?;
        each(py, tasks, Task::of)
    }

    /// Lists tasks, last changed first: of a holder and of a status, where they are given.
    #[pyo3(signature = (*, holder=None, status=None))]
    fn tasks(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] holder: Option<String>,
        #[pyo3(from_py_with = text)] status: Option<String>,
    ) -> PyResult<Vec<Py<Task>>> {
        let status = status.map(|word| checked(py, TaskStatus::parse(&word))).transpose()?;
        let tasks = enter(py, || self.core.tasks(holder.as_deref(), status))?;
        each(py, tasks, Task::of)
    }

    /// Writes a task out for whoever continues it, with its decisions, risks, open questions and history.
    fn handoff(&self, py: Python<'_>, #[pyo3(from_py_with = text)] task: String) -> PyResult<String> {
        enter(py, || self.core.handoff(&task))
    }

    /// Says how far a container is, counted in the tasks that it waits for.
    fn progress(&self, py: Python<'_>, #[pyo3(from_py_with = text)] container: String) -> PyResult<ContainerProgress> {
        enter(py, || self.core.progress(&container)).map(|far| ContainerProgress { completed: far.completed, total: far.total })
    }

    /// Gives the rules that a turn must carry; no mandatory one is ever missing.
    #[pyo3(
        signature = (*, point="prompt".to_owned(), mode=None, text=None, cap=None),
        text_signature = "($self, *, point='prompt', mode='work', text='', cap=5000)"
    )]
    fn rules(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] point: String,
        #[pyo3(from_py_with = text)] mode: Option<String>,
        #[pyo3(from_py_with = text)] text: Option<String>,
        cap: Option<Count>,
    ) -> PyResult<Obligations> {
        let mut options = RulesOptions::new().point(checked(py, stele_core::Point::parse(&point))?);
        options = with(options, mode, RulesOptions::mode);
        options = with(options, text, RulesOptions::text);
        options = with(options, count(py, cap, "cap", usize::MAX)?, RulesOptions::cap);
        let found = enter(py, || self.core.rules(&options))?;
        Obligations::of(py, found)
    }

    /// Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call.
    #[pyo3(
        signature = (*, mode, action=None, text=None, max_tokens=None),
        text_signature = "($self, *, mode, action=None, text='', max_tokens=2000)"
    )]
    fn methodology(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] mode: String,
        #[pyo3(from_py_with = text)] action: Option<String>,
        #[pyo3(from_py_with = text)] text: Option<String>,
        max_tokens: Option<Count>,
    ) -> PyResult<Methodology> {
        let mut options = with(MethodologyOptions::new(&mode), action, MethodologyOptions::action);
        options = with(options, text, MethodologyOptions::text);
        options = with(options, count(py, max_tokens, "max_tokens", usize::MAX)?, MethodologyOptions::max_tokens);
        let found = enter(py, || self.core.methodology(&options))?;
        Methodology::of(py, found)
    }

    /// Says what was counted for a rule since its statement became what it is.
    fn feedback(&self, py: Python<'_>, #[pyo3(from_py_with = text)] rule: String) -> PyResult<RuleFeedback> {
        enter(py, || self.core.feedback(&rule)).map(RuleFeedback::of)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        visit.call(&self.of)
    }
}

/// Estimates how many tokens a text has.
#[pyfunction]
pub(crate) fn tokens(py: Python<'_>, #[pyo3(from_py_with = text)] text: String) -> PyResult<usize> {
    enter(py, || Ok(stele_core::tokens(&text)))
}
