//! What the record gives to its retrievers.

use std::sync::{Arc, PoisonError};

use super::Shared;
use crate::base::error::{Error, Result};
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::TokenCounter;
use crate::index::embed::CheckedEmbedder;
use crate::index::view::View;
use crate::record::reader::{AsOf, Snapshot};
use crate::record::rule::book::Rulebooks;
use crate::record::session::{HeldAgainst, Loaded, SessionState};
use crate::retrieve::RankingTable;
use crate::retrieve::kept::Keeping;
use crate::retrieve::result::Retrieval;
use crate::retrieve::source::Source;
use crate::retrieve::tasks::Handoff;

impl Source for Shared {
    fn check(&self) -> Result<()> {
        self.database.check_place()
    }

    fn snapshot(&self, as_of: Option<AsOf>, now: Option<Timestamp>, deadline: Deadline) -> Result<Snapshot> {
        Snapshot::open(&self.database, as_of, now.unwrap_or_else(|| self.clock.now()), deadline)
    }

    fn look(&self, as_of: Option<AsOf>, now: Option<Timestamp>, deadline: Deadline) -> Result<(Snapshot, View)> {
        self.indexes.look(as_of, now.unwrap_or_else(|| self.clock.now()), deadline)
    }

    fn embed(&self, embedder: &Arc<CheckedEmbedder>, text: &str, deadline: Deadline) -> std::result::Result<Vec<f32>, String> {
        self.calls.embed(embedder, text, deadline)
    }

    fn text_failed(&self, error: &Error) {
        self.indexes.drop_text(&error.to_string());
    }

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn rulebooks(&self) -> &Rulebooks {
        &self.rulebooks
    }

    fn ranking(&self) -> Arc<RankingTable> {
        Arc::clone(&self.ranking.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn session_state(&self, name: &str) -> SessionState {
        let mut loaded = Loaded { state: self.sessions.state(name), ..Loaded::default() };
        drop(self.hold_against_log(&mut loaded));
        loaded.state
    }

    fn session(&self, name: &str) -> Loaded {
        let mut loaded = self.sessions.load(name);
        drop(self.hold_against_log(&mut loaded));
        loaded
    }

    fn change_session(&self, name: &str, held: Option<&HeldAgainst>, deadline: Deadline, change: &mut dyn FnMut(&mut SessionState)) -> SessionState {
        self.sessions.update(name, self.clock.now(), deadline, &mut |state| self.change_beside_log(state, held, change))
    }

    fn write_handoff(&self, handoff: &Handoff) -> String {
        crate::render::handoff::render_handoff(handoff)
    }

    fn counter(&self) -> TokenCounter {
        TokenCounter::new(self.token_counter.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn fit(&self, retrieval: &mut Retrieval) {
        retrieval.counter = self.counter();
        crate::render::fit::fit(retrieval);
    }
}
