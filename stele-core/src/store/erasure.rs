//! Ends a purge: takes what was erased out of every file of the record's folder.
//!
//! Each step may be cut off and done again; the mark in the record goes last, so a killed purge is ended by whoever opens
//! the record for writing next.

use std::time::Duration;

use super::Shared;
use crate::base::erase::Eraser;
use crate::base::error::Result;
use crate::base::fail_points::fail_point;
use crate::base::time::Deadline;
use crate::record::database::Database;
use crate::record::leftovers;
use crate::record::purge::Pending;
use crate::record::reader::Snapshot;

/// How long ending a purge waits for whoever is in the way.
pub(super) struct Wait {
    indexes: Duration,
    file: Duration,
}

impl Wait {
    /// At opening: somebody who writes the indexes is most likely the one who purged.
    const AT_OPEN: Self = Self { indexes: Duration::ZERO, file: Duration::from_millis(100) };

    /// As long as a writer waits.
    pub(super) fn like_a_writer(database: &Database) -> Self {
        Self { indexes: database.busy_timeout(), file: database.busy_timeout() }
    }
}

impl Shared {
    /// Takes what was purged out of indexes, sessions, staging files and free pages, waiting at most so long for
    /// others; true if nothing is left. Who does not know all that was purged takes all sessions, unless they are clean.
    pub(super) fn end_purge(&self, erased: Option<&Eraser>, wait: Wait) -> Result<bool> {
        let pending = {
            let snapshot = Snapshot::open(&self.database, None, self.clock.now(), Deadline::NEVER)?;
            Pending::of(snapshot.conn())?
        };
        let Some(pending) = pending else { return Ok(true) };
        fail_point!(PurgeCommitted);
        if !pending.sessions_are_clean() {
            self.sessions.forget_texts(erased.filter(|_| pending.is_one()));
            // Where that is not noted, it is done once more; opening does not wait for a writer to note it.
            let _ = erased.map(|_| pending.note_clean_sessions(&self.database));
        }
        fail_point!(SessionsForgotten);
        leftovers::sweep(self.database.dir());
        if self.indexes.rebuild(Deadline::after(wait.indexes)).is_err() || !self.database.vacuum(Deadline::after(wait.file))? {
            return Ok(false);
        }
        Pending::end(&self.database)?;
        Ok(true)
    }

    /// Ends a purge that another process began, as far as nobody is in the way.
    pub(super) fn end_left_purge(&self) {
        if !self.database.read_only() {
            // What fails here stays marked and is shown by the health check.
            let _ = self.end_purge(None, Wait::AT_OPEN);
        }
    }
}
