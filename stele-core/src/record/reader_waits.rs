//! When a truncation of the write-ahead log waits for the readers in its way, which keeps every writer waiting as long.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::config::WAL_ANY_BYTES;

/// Size of the log from which on it is waited for: what is written until it has its turn stays within the bound.
const WAITED_FOR: u64 = WAL_ANY_BYTES / 2;

/// From which size of the log on a handle waits. A reader that was waited for in vain is waited for again once the log has
/// grown by a tenth: he may stay for minutes, and each handle would keep the writers waiting after each of its writes.
#[derive(Debug)]
pub(super) struct ReaderWaits(AtomicU64);

impl ReaderWaits {
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(WAITED_FOR))
    }

    /// True if a truncation of a log of that size waits; `late` says that a writer has waited for long already.
    pub(super) fn worth_it(&self, bytes: u64, late: bool) -> bool {
        if bytes <= WAITED_FOR {
            self.0.store(WAITED_FOR, Ordering::Relaxed);
        }
        bytes > self.0.load(Ordering::Relaxed) && !late
    }

    /// Notes that readers were waited for in vain with a log of that size.
    pub(super) fn in_vain(&self, bytes: u64) {
        self.0.store(bytes + bytes / 10, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_waited_for_in_vain_are_waited_for_again_when_the_log_has_grown_or_was_short_meanwhile() {
        let waits = ReaderWaits::new();
        assert!(!waits.worth_it(WAITED_FOR, false));
        let long = WAITED_FOR + 1;
        assert!(waits.worth_it(long, false));
        waits.in_vain(long);
        assert!(!waits.worth_it(long + long / 20, false));
        assert!(waits.worth_it(long + long / 10 + 1, false));
        assert!(!waits.worth_it(0, false));
        assert!(waits.worth_it(long, false));
    }

    #[test]
    fn nobody_waits_for_readers_while_a_writer_is_late() {
        assert!(!ReaderWaits::new().worth_it(10 * WAITED_FOR, true));
    }
}
