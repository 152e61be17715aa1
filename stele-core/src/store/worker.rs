//! The one thread of a handle: brings indexes up to date after writes and keeps the write-ahead log small.
//!
//! It starts with the first write that needs it and ends at close. Stopping it anywhere loses nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::base::time::{Deadline, monotonic};

/// The work that the thread does when it is woken.
pub(super) type Work = Arc<dyn Fn(&AtomicBool) + Send + Sync>;

/// The one thread of a handle.
pub(super) struct Worker {
    shared: Arc<Shared>,
    work: Work,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: bool,
    wanted: bool,
    busy: bool,
}

impl Worker {
    pub(super) fn new(work: Work) -> Self {
        Self { shared: Arc::default(), work }
    }

    /// Asks for the work to be done, now or after what is being done.
    #[expect(clippy::disallowed_methods, reason = "this module is where threads are made")]
    pub(super) fn wake(&self) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.stop.load(Ordering::SeqCst) {
            return;
        }
        state.wanted = true;
        if state.running {
            self.shared.changed.notify_all();
            return;
        }
        let (shared, work) = (Arc::clone(&self.shared), Arc::clone(&self.work));
        state.running = std::thread::Builder::new().name("stele-index".to_owned()).spawn(move || run(&shared, &work)).is_ok();
    }

    /// Ends the thread, waiting at most so long for what it is doing; for what is wanted, too, if `finish` says so.
    pub(super) fn close(&self, wait: Duration, finish: Finish) {
        let deadline = Deadline::after(wait);
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if finish == Finish::Abandon {
            self.shared.stop.store(true, Ordering::SeqCst);
        }
        self.shared.changed.notify_all();
        while state.busy || (finish == Finish::Wanted && state.wanted && state.running) {
            let left = deadline.remaining().unwrap_or_default();
            if left.is_zero() {
                break;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.changed.notify_all();
    }
}

/// What closing does with work that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// It is given up.
    Abandon,
    /// It is done first, as far as the time goes.
    Wanted,
}

fn run(shared: &Shared, work: &Work) {
    loop {
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.wanted && !shared.stop.load(Ordering::SeqCst) {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if shared.stop.load(Ordering::SeqCst) {
            state.running = false;
            shared.changed.notify_all();
            return;
        }
        (state.wanted, state.busy) = (false, true);
        drop(state);
        // Work that panics is the same as work that failed: the indexes are derived.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&shared.stop)));
        shared.state.lock().unwrap_or_else(PoisonError::into_inner).busy = false;
        shared.changed.notify_all();
    }
}

/// When a handle was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Born(std::time::Instant);

impl Born {
    pub(super) fn now() -> Self {
        Self(monotonic())
    }

    /// How long ago that was.
    pub(super) fn age(self) -> Duration {
        monotonic().saturating_duration_since(self.0)
    }
}
