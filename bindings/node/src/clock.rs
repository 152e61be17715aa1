//! The time of a host: JavaScript tells it with every call, and the call has that time, whenever and wherever it runs. No
//! thread of ours asks JavaScript.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use stele_core::{Clock, Timestamp};

thread_local! {
    /// The time of the call that runs on this thread.
    static CALLED_AT: Cell<Option<i64>> = const { Cell::new(None) };
}

/// A clock that shows what it was told: the time of the call that runs, or else the last that was told.
pub(crate) struct ToldClock(AtomicI64);

impl ToldClock {
    pub(crate) fn new(unix_ms: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(unix_ms)))
    }

    pub(crate) fn tell(&self, unix_ms: i64) {
        self.0.store(unix_ms, Ordering::SeqCst);
    }
}

impl Clock for ToldClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(CALLED_AT.get().unwrap_or_else(|| self.0.load(Ordering::SeqCst)))
    }
}

/// The time of one call; none where the system's clock is read.
#[derive(Clone, Copy)]
pub(crate) struct CallTime(Option<i64>);

impl CallTime {
    /// The time that was told last, which is that of the call that begins.
    pub(crate) fn of(clock: Option<&Arc<ToldClock>>) -> Self {
        Self(clock.map(|clock| clock.0.load(Ordering::SeqCst)))
    }

    /// Runs `work` at that time.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let _before = Before(CALLED_AT.replace(self.0));
        work()
    }
}

/// The time that holds again when a call is over, even if it panicked.
struct Before(Option<i64>);

impl Drop for Before {
    fn drop(&mut self) {
        CALLED_AT.set(self.0);
    }
}
