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
use crate::record::reader::Snapshot;
use crate::record::{leftovers, purge};

/// How long opening a record works against others that are in the way.
const AT_OPEN: Duration = Duration::from_millis(100);

impl Shared {
    /// Takes what was purged out of indexes, sessions, staging files and free pages, waiting at most so long for
    /// others; true if nothing is left. Who does not know what was purged takes all sessions.
    pub(super) fn end_purge(&self, erased: Option<&Eraser>, wait: Duration) -> Result<bool> {
        let pending = {
            let snapshot = Snapshot::open(&self.database, None, self.clock.now(), Deadline::NEVER)?;
            purge::is_pending(snapshot.conn())?
        };
        if !pending {
            return Ok(true);
        }
        fail_point!(PurgeCommitted);
        self.sessions.forget_texts(erased);
        fail_point!(SessionsForgotten);
        leftovers::sweep(self.database.dir());
        if self.indexes.rebuild(Deadline::after(wait)).is_err() || !self.database.vacuum(Deadline::after(wait))? {
            return Ok(false);
        }
        self.database.forget_mark(purge::PENDING)?;
        Ok(true)
    }

    /// Ends a purge that another process began, as far as nobody is in the way.
    pub(super) fn end_left_purge(&self) {
        if !self.database.read_only() {
            // What fails here stays marked and is shown by the health check.
            let _ = self.end_purge(None, AT_OPEN);
        }
    }
}
