//! Says whether the indexes are being written by this handle, and waits for that.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::base::time::Deadline;

/// How long a read waits at most, whatever time it has: a host's embedder may take any, or ask the record itself.
const LONGEST: Duration = Duration::from_secs(3);

/// How many of this handle's threads write indexes.
#[derive(Default)]
pub(super) struct AtWork {
    count: Mutex<u32>,
    ended: Condvar,
}

/// One thread that writes, until this is dropped.
pub(super) struct Writing<'a>(&'a AtWork);

impl AtWork {
    pub(super) fn begin(&self) -> Writing<'_> {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Writing(self)
    }

    /// Waits until nobody writes, as long as the deadline allows; true if somebody did.
    pub(super) fn wait(&self, deadline: Deadline) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let writing = *count > 0;
        let longest = deadline.remaining().map_or(LONGEST, |left| left.min(LONGEST));
        drop(self.ended.wait_timeout_while(count, longest, |count| *count > 0));
        writing
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_all();
    }
}
