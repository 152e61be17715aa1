//! Whether a record was put back to an older state beside the sessions that knew a later one.
//!
//! Its log then goes on otherwise than the one that they were served from, and gives ids and revisions again that they
//! have seen for something else. The hash of the chain where they were last written tells.

use super::Shared;
use crate::base::error::Result;
use crate::base::id::hex;
use crate::base::time::Deadline;
use crate::record::log::Head;
use crate::record::reader::Snapshot;
use crate::record::session::{HeldAgainst, Loaded, LogMark, SessionState};

impl Shared {
    /// Holds a session that has just been read against the log, which is opened not sooner: the session may be written, from
    /// a log that has gone on, until it is read. It begins anew if its log is not the beginning of this one. Where that
    /// cannot be read, nothing of it is served either.
    pub(super) fn hold_against_log(&self, loaded: &mut Loaded) -> Result<Snapshot> {
        let log = self.log_now();
        loaded.held = log.as_ref().ok().and_then(|log| hold(&loaded.state, log));
        if loaded.held.as_ref().is_some_and(|held| held.other) {
            loaded.state.begin_anew();
        }
        log
    }

    /// Changes what is known of a session, and notes where the log stands; `held` says how it was held against the log that
    /// what it was served since came from.
    pub(super) fn change_beside_log(&self, state: &mut SessionState, held: Option<&HeldAgainst>, change: &mut dyn FnMut(&mut SessionState)) {
        let now;
        let held = match held.filter(|held| held.written == state.beside) {
            Some(held) => Some(held),
            // Somebody has written it since, and may know more of the log.
            None => {
                now = self.log_now().ok().and_then(|log| hold(state, &log));
                now.as_ref()
            }
        };
        if held.is_some_and(|held| held.other) {
            state.begin_anew();
        }
        change(state);
        // Of what is served while nobody can say from which log, nothing is believed later.
        state.beside = Some(held.map(|held| held.log.clone()).unwrap_or_default());
    }

    /// The log as it is now.
    pub(super) fn log_now(&self) -> Result<Snapshot> {
        Snapshot::open(&self.database, None, self.clock.now(), Deadline::NEVER)
    }
}

fn hold(state: &SessionState, log: &Snapshot) -> Option<HeldAgainst> {
    let Head { sequence, chain } = log.present()?;
    let here = LogMark { sequence, chain: hex(&chain) };
    let other = |mark: &LogMark| *mark != here && log.history_at(mark.sequence).is_ok_and(|chain| chain.as_ref() != Some(&mark.chain));
    Some(HeldAgainst { written: state.beside.clone(), other: state.beside.as_ref().is_some_and(other), log: here })
}
