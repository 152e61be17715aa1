//! The reading side of a record, as hosts see it.

use std::sync::Arc;

use super::find::{Ask, bare, find, used_up_gap};
use super::gate::is_long_enough;
use super::named::{candidates, resolve};
use super::nodes::in_time;
use super::options::{NeighbourOptions, ReadyOptions, RecallOptions, RetrieveOptions, SearchOptions};
use super::reads::{self, Conflict, HistoryItem, Neighbour, Why};
use super::recall::recall;
use super::result::{GapKind, Hit, Retrieval, Status};
use super::search::search;
use super::seeds::{self, Channels, Found, gap, seedable};
use super::source::Source;
use super::tasks::{self, Task};
use crate::base::config::{QUIET_ENTRIES, SEEDS};
use crate::base::error::Result;
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::TokenCounter;
use crate::index::view::View;
use crate::record::claim::ContainerProgress;
use crate::record::node::{Node, TaskStatus};
use crate::record::reader::{AsOf, Snapshot};
use crate::record::rule::book::Rulebooks;
use crate::record::session::{Loaded, SessionState};
use crate::record::settle::check_name;

/// Hits that the searches give to a retrieval, so many that near-duplicates leave room for what they would hide.
const POOL: Channels = Channels { text: 100, meaning: 100 };
/// Hits that the searches give where near-duplicates took all of those.
pub(crate) const WIDE: Channels = Channels { text: 2_000, meaning: 500 };

/// The reading side of a record: it cannot write, whatever is called on it.
///
/// Every call reads one snapshot, at the head or at the earlier moment that the retriever was made for. Threads may
/// share a retriever.
#[derive(Clone)]
pub struct Retriever {
    source: Arc<dyn Source>,
    reading: Reading,
}

/// The moment at which is read.
pub(crate) type Reading = Option<AsOf>;

impl Retriever {
    /// A retriever at the head, or as of an earlier moment.
    pub(crate) fn new(source: Arc<dyn Source>, reading: Reading) -> Self {
        Self { source, reading }
    }

    /// How an answer counts tokens.
    pub(crate) fn counter(&self) -> TokenCounter {
        self.source.counter()
    }

    /// The rules as they were last read.
    pub(crate) fn rulebooks(&self) -> &Rulebooks {
        self.source.rulebooks()
    }

    /// Looks up what the record holds that bears on a prompt, within the time given.
    ///
    /// Any text of any length is a prompt. Running out of time is no error: the result holds what there is, and its gaps
    /// say what is missing.
    ///
    /// # Errors
    /// `out_of_range` for an option out of its limits; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn retrieve(&self, prompt: &str, options: &RetrieveOptions) -> Result<Retrieval> {
        options.check()?;
        if let Some(session) = &options.session {
            check_name("session", session)?;
            self.source.check()?;
        }
        let deadline = Deadline::after(options.deadline);
        let loaded = options.session.as_deref().map(|name| self.source.session(name));
        let retrieval = self.retrieve_for(prompt, options, loaded.as_ref(), deadline)?;
        if let (Some(session), true, Status::Found) = (&options.session, options.deliver, retrieval.status) {
            let delivery = retrieval.delivery();
            let held = loaded.as_ref().and_then(|loaded| loaded.held.as_ref()).filter(|held| held.log.sequence == retrieval.stats.head);
            self.source.change_session(session, held, deadline, &mut |state| state.deliver(&delivery));
        }
        Ok(retrieval)
    }

    /// Looks up for a session as it stands, or for none.
    fn retrieve_for(&self, prompt: &str, options: &RetrieveOptions, loaded: Option<&Loaded>, deadline: Deadline) -> Result<Retrieval> {
        let mut retrieval = self.find_for(prompt, options, loaded, deadline)?;
        self.source.fit(&mut retrieval);
        Ok(retrieval)
    }

    /// The same, not fitted into its limit yet.
    pub(crate) fn find_for(&self, prompt: &str, options: &RetrieveOptions, loaded: Option<&Loaded>, deadline: Deadline) -> Result<Retrieval> {
        let state = loaded.map(|loaded| &loaded.state);
        let mut retrieval = self.look_up(prompt, options, state, deadline)?;
        retrieval.gaps.extend(loaded.iter().flat_map(|loaded| &loaded.notes).map(|note| gap(GapKind::Session, note)));
        retrieval.max_tokens = token_limit(options.max_tokens, state);
        Ok(retrieval)
    }

    fn look_up(&self, prompt: &str, options: &RetrieveOptions, state: Option<&SessionState>, deadline: Deadline) -> Result<Retrieval> {
        let source = &*self.source;
        // Where nothing is read, nothing else tells whether something could be.
        let nothing = |status| {
            source.check()?;
            Ok(Retrieval { now: options.now.unwrap_or_else(|| source.now()), ..bare(None, source, status) })
        };
        if state.is_some_and(SessionState::is_paused) {
            return nothing(Status::Paused);
        }
        let long = is_long_enough(prompt);
        let words = candidates(prompt);
        if !long && words.is_empty() {
            return nothing(Status::TooShort);
        }
        if deadline.expired() {
            return nothing(Status::Late);
        }
        let (snapshot, view, found) = if long {
            match search_again(source, self.reading, options.now, prompt, POOL, deadline)? {
                Some((snapshot, view, found)) => (snapshot, Some(view), found),
                None => return nothing(Status::Late),
            }
        } else {
            match in_time(source.snapshot(self.reading, options.now, deadline))? {
                Some(snapshot) => (snapshot, None, Found::default()),
                None => return nothing(Status::Late),
            }
        };
        let named = resolve(&snapshot, &words)?;
        if !long && named.numbers.is_empty() {
            return nothing(if named.cut { Status::Late } else { Status::TooShort });
        }
        let used_up = state.is_some_and(|state| state.tokens_left() == Some(0));
        let quiet = state.is_some_and(|state| state.quiet);
        let wider = || match &view {
            Some(view) => seeds::search(source, view, prompt, &seedable(&snapshot)?, WIDE, deadline),
            None => Ok(Found::default()),
        };
        let ask = Ask {
            named,
            found,
            wider: &wider,
            seeds: SEEDS,
            company: false,
            hops: options.hops,
            cap: if quiet { options.max_entries.min(QUIET_ENTRIES) } else { options.max_entries },
            ranked: !used_up,
            session: state,
            view: view.as_ref(),
            walk_budget: options.walk_budget,
            deadline,
        };
        let mut retrieval = find(source, &snapshot, ask)?;
        if used_up {
            retrieval.gaps.insert(0, used_up_gap());
        }
        if let Some(view) = &view {
            retrieval.stats.text_sequence = view.text_sequence();
            retrieval.stats.vector_sequence = view.vector_sequence();
            retrieval.stats.tail = view.tail;
        }
        Ok(retrieval)
    }

    /// Finds the nodes that answer a query best. Any text is a query; there is no syntax.
    ///
    /// A query that is nothing but an id or alias finds that node first. Where time runs out, it gives what was found by
    /// then, and nothing in a list of hits says so: [`Self::retrieve`] and [`Self::recall`] do.
    ///
    /// # Errors
    /// `out_of_range`; `unknown_node`, `wrong_kind` for the component; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        options.check()?;
        let deadline = Deadline::after(options.deadline);
        let source = &*self.source;
        for attempt in 0.. {
            let Some((snapshot, view)) = in_time(source.look(self.reading, None, deadline))? else { break };
            match in_time(search(source, &snapshot, &view, query, options, deadline)) {
                Ok(hits) => return Ok(hits.unwrap_or_default()),
                Err(error) if attempt == 0 && view.text.is_some() && error.kind() == crate::base::error::ErrorKind::Internal => source.text_failed(&error),
                Err(error) => return Err(error),
            }
        }
        Ok(Vec::new())
    }

    /// Looks a question up deliberately: more seeds, further hops and more entries than a prompt gets.
    ///
    /// # Errors
    /// As [`Self::retrieve`].
    pub fn recall(&self, question: &str, options: &RecallOptions) -> Result<Retrieval> {
        recall(&*self.source, self.reading, question, options)
    }

    /// Gives a node by id or alias, whatever its state.
    ///
    /// # Errors
    /// `unknown_node`; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn get(&self, id: &str) -> Result<Node> {
        reads::get(&self.snapshot()?, id)
    }

    /// Gives the neighbours of a node: by weight of the relation, then of the neighbour's class, then newest first.
    ///
    /// # Errors
    /// `unknown_node`, `out_of_range`; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn neighbours(&self, id: &str, options: &NeighbourOptions) -> Result<Vec<Neighbour>> {
        options.check()?;
        reads::neighbours(&self.snapshot()?, self.source.ranking(), id, options)
    }

    /// Gives the operations that concern a node, oldest first.
    ///
    /// # Errors
    /// `unknown_node`; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn history(&self, id: &str) -> Result<Vec<HistoryItem>> {
        reads::history(&self.snapshot()?, id)
    }

    /// Says where a node comes from and what it replaced, down to the first.
    ///
    /// # Errors
    /// `unknown_node`; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn why(&self, id: &str) -> Result<Why> {
        reads::why(&self.snapshot()?, self.source.ranking(), id)
    }

    /// Lists the pairs of live nodes that contradict each other: all, or those of the nodes given.
    ///
    /// # Errors
    /// `unknown_node`; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn conflicts(&self, ids: Option<&[&str]>) -> Result<Vec<Conflict>> {
        reads::conflicts(&self.snapshot()?, self.source.ranking(), ids)
    }

    /// Lists the tasks that one could take now: open or with a lease that is over, and blocked by no unfinished task; by
    /// priority, then oldest first.
    ///
    /// # Errors
    /// `out_of_range`; `unknown_node`, `wrong_kind` for the component; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn ready(&self, options: &ReadyOptions) -> Result<Vec<Task>> {
        options.check()?;
        tasks::ready(&self.snapshot()?, options)
    }

    /// Lists tasks, last changed first: of a holder and of a status, where they are given. An actor is the holder of what
    /// any of its sessions holds, and of what was completed or cancelled under its claim.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn tasks(&self, holder: Option<&str>, status: Option<TaskStatus>) -> Result<Vec<Task>> {
        tasks::tasks(&self.snapshot()?, holder, status)
    }

    /// Says how far a container is.
    ///
    /// # Errors
    /// `unknown_node`; `wrong_kind` for what is no epic, objective or milestone; `closed`, `gone`, `damaged`, `storage`.
    pub fn progress(&self, container: &str) -> Result<ContainerProgress> {
        tasks::progress(&self.snapshot()?, container)
    }

    /// Writes a task out for whoever continues it, with its decisions, risks, open questions and history.
    ///
    /// # Errors
    /// `unknown_node`; `wrong_kind` for what is no task; `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn handoff(&self, task: &str) -> Result<String> {
        let handoff = tasks::handoff(&self.snapshot()?, self.source.ranking(), task)?;
        Ok(self.source.write_handoff(&handoff))
    }

    pub(crate) fn snapshot(&self) -> Result<Snapshot> {
        self.source.snapshot(self.reading, None, Deadline::NEVER)
    }
}

/// The smaller of what is asked for and what is left to the session; what is used up limits entries, not text.
pub(crate) fn token_limit(asked: Option<usize>, state: Option<&SessionState>) -> Option<usize> {
    let left = state.and_then(SessionState::tokens_left).filter(|left| *left > 0).map(|left| usize::try_from(left).unwrap_or(usize::MAX));
    match (asked, left) {
        (Some(asked), Some(left)) => Some(asked.min(left)),
        (asked, left) => asked.or(left),
    }
}

/// Searches for seeds; an index that turns out to be damaged is given up, and the search done once more without it.
/// `None` if time ran out before anything could be searched.
pub(crate) fn search_again(
    source: &dyn Source,
    reading: Reading,
    now: Option<Timestamp>,
    prompt: &str,
    channels: Channels,
    deadline: Deadline,
) -> Result<Option<(Snapshot, View, Found)>> {
    for attempt in 0.. {
        let Some((snapshot, view)) = in_time(source.look(reading, now, deadline))? else { return Ok(None) };
        let searched = allowed_search(source, &snapshot, &view, prompt, channels, deadline);
        match searched {
            Ok(Some(found)) => return Ok(Some((snapshot, view, found))),
            Ok(None) => return Ok(None),
            Err(error) if error.kind() == crate::base::error::ErrorKind::Internal => {
                source.text_failed(&error);
                if attempt > 0 || view.text.is_none() {
                    // Not even the tail could be searched by words; meaning and names may still lead somewhere.
                    let allowed = seedable(&snapshot)?;
                    let mut found = seeds::search(source, &view, prompt, &allowed, Channels { text: 0, ..channels }, deadline)?;
                    found.gaps.insert(0, gap(GapKind::Text, "the search by words failed"));
                    return Ok(Some((snapshot, view, found)));
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn allowed_search(source: &dyn Source, snapshot: &Snapshot, view: &View, prompt: &str, channels: Channels, deadline: Deadline) -> Result<Option<Found>> {
    let Some(allowed) = in_time(seedable(snapshot))? else { return Ok(None) };
    seeds::search(source, view, prompt, &allowed, channels, deadline).map(Some)
}
