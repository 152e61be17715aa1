//! How a thread of a handle waits for its next call: asleep, or for a moment awake where calls follow one another, for a
//! thread that sleeps takes some forty microseconds to wake. What that costs stands in `docs/decisions/crossing.md`.

use std::hint::spin_loop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Thread, available_parallelism, current, park};
use std::time::{Duration, Instant};

/// How long a thread stays awake at most.
const AWAKE: Duration = Duration::from_micros(80);
/// Calls that come within this time follow one another.
const SOON: Duration = Duration::from_micros(250);

/// On one processor, whoever stays awake is in the way of whom it waits for.
static ALONE: LazyLock<bool> = LazyLock::new(|| available_parallelism().is_ok_and(|processors| processors.get() == 1));

/// A thread that may wait.
pub(crate) struct Waiter {
    thread: Thread,
    called: AtomicBool,
}

impl Waiter {
    /// The thread that calls this.
    pub(crate) fn here() -> Self {
        Self { thread: current(), called: AtomicBool::new(false) }
    }

    /// Ends the wait, or the next.
    pub(crate) fn call(&self) {
        self.called.store(true, Ordering::Release);
        self.thread.unpark();
    }

    /// Waits for a call, at first awake if the last one came soon; true if this one did.
    #[expect(clippy::disallowed_methods, reason = "a length of time that decides nothing but how a thread waits")]
    pub(crate) fn wait(&self, soon: bool) -> bool {
        let began = Instant::now();
        if soon && !*ALONE {
            while began.elapsed() < AWAKE {
                if self.is_called() {
                    return true;
                }
                spin_loop();
            }
        }
        while !self.is_called() {
            park();
        }
        began.elapsed() < SOON
    }

    fn is_called(&self) -> bool {
        self.called.load(Ordering::Relaxed) && self.called.swap(false, Ordering::Acquire)
    }
}
