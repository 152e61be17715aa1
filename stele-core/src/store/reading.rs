//! What the record gives to its retrievers.

use std::sync::{Arc, PoisonError};

use super::Shared;
use crate::base::error::{Error, Result};
use crate::base::time::{Deadline, Timestamp};
use crate::index::embed::CheckedEmbedder;
use crate::index::view::View;
use crate::record::reader::{AsOf, Snapshot};
use crate::record::session::Served;
use crate::retrieve::RankingTable;
use crate::retrieve::result::Retrieval;
use crate::retrieve::source::{SessionLook, Source};
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

    fn ranking(&self) -> Arc<RankingTable> {
        Arc::clone(&self.ranking.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn session(&self, name: &str) -> SessionLook {
        let (state, kept) = self.sessions.load(name);
        SessionLook { state, kept }
    }

    fn delivered(&self, session: &str, retrieval: &Retrieval) -> Result<()> {
        let shown = retrieval.callouts.iter().chain(&retrieval.entries);
        let shown: Vec<(u64, u64)> = shown.map(|entry| (entry.id.number, entry.revision)).collect();
        let tokens: usize = retrieval.callouts.iter().chain(&retrieval.entries).map(|entry| entry.tokens).sum();
        self.sessions.update(session, self.clock.now(), &mut |state| {
            let epoch = state.epoch;
            state.served.extend(shown.iter().map(|(number, revision)| (*number, Served { revision: *revision, epoch })));
            state.last_order = shown.iter().map(|(number, _)| *number).collect();
            state.tokens_left = state.tokens_left.map(|left| left.saturating_sub(tokens as u64));
        });
        Ok(())
    }

    fn write_handoff(&self, handoff: &Handoff) -> String {
        crate::render::handoff::render_handoff(handoff)
    }

    fn fit(&self, retrieval: &mut Retrieval) {
        crate::render::fit::fit(retrieval);
    }
}
