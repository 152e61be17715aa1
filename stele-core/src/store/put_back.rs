//! Whether a record was put back to an older state beside the sessions that knew a later one.
//!
//! Its log then goes on otherwise than the one that they were served from, and gives ids and revisions again that they
//! have seen for something else. The hash of the chain where they were last written tells.

use super::Shared;
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::reader::Snapshot;
use crate::record::session::{LogMark, SessionState};

impl Shared {
    /// Lets a session begin anew whose log is not the beginning of this one. Where the log cannot be read, nothing of it is
    /// served either.
    pub(super) fn compare_with_log(&self, state: &mut SessionState) {
        if state.beside.is_some()
            && let Ok(log) = self.log_now()
        {
            compare(state, &log);
        }
    }

    /// Changes what is known of a session, and notes where the log stands.
    pub(super) fn change_beside_log(&self, state: &mut SessionState, change: &mut dyn FnMut(&mut SessionState)) {
        let log = self.log_now();
        if let Ok(log) = &log {
            compare(state, log);
        }
        change(state);
        let mark = log.ok().and_then(|log| Some(LogMark { sequence: log.head(), chain: log.history_at(log.head()).ok()?? }));
        // Of what is served while nobody can say from which log, nothing is believed later.
        state.beside = Some(mark.unwrap_or_default());
    }

    /// The log as it is now and not when a call began: the session may have been written since.
    fn log_now(&self) -> Result<Snapshot> {
        Snapshot::open(&self.database, None, self.clock.now(), Deadline::NEVER)
    }
}

fn compare(state: &mut SessionState, log: &Snapshot) {
    let other = |mark: &LogMark| log.history_at(mark.sequence).is_ok_and(|chain| chain.as_ref() != Some(&mark.chain));
    if state.beside.as_ref().is_some_and(other) {
        state.begin_anew();
    }
}
