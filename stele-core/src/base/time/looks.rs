//! A clock for tests of deadlines: it goes on by one tick at each look, and counts the work that is done between two looks.
//!
//! Whoever reads many rows counts them with [`step`], where nothing is counted outside of [`counted`].

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How far each look moves the clock.
pub(crate) const TICK: Duration = Duration::from_millis(1);

thread_local! {
    static CURRENT: Cell<Option<&'static Looks>> = const { Cell::new(None) };
}

/// Looks at a clock, and the work between them.
#[derive(Debug)]
pub(crate) struct Looks {
    began: Instant,
    looked: AtomicU64,
    work: AtomicU64,
    since: AtomicU64,
    most: AtomicU64,
    late: AtomicU64,
    is_late: AtomicBool,
}

/// Runs something whose deadlines, also where they are handed to other threads, are told by a clock of this kind.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, &'static Looks) {
    // Deadlines are copied and go anywhere, so what they point to stays.
    let looks: &'static Looks = Box::leak(Box::new(Looks {
        began: super::monotonic(),
        looked: AtomicU64::new(0),
        work: AtomicU64::new(0),
        since: AtomicU64::new(0),
        most: AtomicU64::new(0),
        late: AtomicU64::new(0),
        is_late: AtomicBool::new(false),
    }));
    CURRENT.set(Some(looks));
    let done = work();
    CURRENT.set(None);
    looks.note();
    (done, looks)
}

/// The clock of this thread.
pub(super) fn current() -> Option<&'static Looks> {
    CURRENT.get()
}

/// Counts a piece of work.
pub(crate) fn step() {
    if let Some(looks) = current() {
        looks.since.fetch_add(1, Ordering::Relaxed);
        looks.work.fetch_add(1, Ordering::Relaxed);
        looks.late.fetch_add(u64::from(looks.is_late.load(Ordering::Relaxed)), Ordering::Relaxed);
    }
}

impl Looks {
    /// The instant of the look before.
    pub(super) fn now(&self) -> Instant {
        self.began + TICK * u32::try_from(self.looked.load(Ordering::Relaxed)).expect("a test looks less often")
    }

    pub(super) fn look(&self) -> Instant {
        self.note();
        self.looked.fetch_add(1, Ordering::Relaxed);
        self.now()
    }

    /// Told that a deadline has passed.
    pub(super) fn note_late(&self) {
        self.is_late.store(true, Ordering::Relaxed);
    }

    fn note(&self) {
        self.most.fetch_max(self.since.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// How often was looked.
    pub(crate) fn looked(&self) -> u64 {
        self.looked.load(Ordering::Relaxed)
    }

    /// All the work that was done.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// The most work between two looks, after the last of them too.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// The work that was done after a look had told that time was over.
    pub(crate) fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }
}
