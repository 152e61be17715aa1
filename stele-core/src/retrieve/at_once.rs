//! Two pieces of work at the same time, where each is long enough to be worth a thread.

use std::sync::atomic::{AtomicBool, Ordering};

/// Nodes from which on the searches by words and by meaning run at the same time, where each takes milliseconds.
const FROM: u64 = 50_000;

/// True if a record whose nodes have numbers up to this one is searched both ways at once.
pub(super) fn is_worth_it(last_number: u64) -> bool {
    #[cfg(test)]
    if let Some(from) = tests::FROM_IN_TEST.get() {
        return last_number >= from;
    }
    last_number >= FROM
}

/// What both give: `there` runs on a thread of its own, `here` on this one. Where the system gives no thread, or only once `here` is
/// done, one runs after the other.
pub(super) fn at_once<A: Send, B>(there: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    #[cfg(test)]
    tests::BEGAN.set(tests::BEGAN.get() + 1);
    let there = Once { work: there, begun: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().name("stele-search".to_owned()).spawn_scoped(scope, || there.run());
        let of_here = here();
        let of_there = there.run();
        let joined = other.ok().and_then(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        (of_there.or(joined).expect("invariant: one of the two runs it"), of_here)
    })
}

/// Work for whoever comes first.
struct Once<F> {
    work: F,
    begun: AtomicBool,
}

impl<A, F: Fn() -> A> Once<F> {
    /// What the work gives; `None` if somebody has begun it.
    fn run(&self) -> Option<A> {
        (!self.begun.swap(true, Ordering::Relaxed)).then(&self.work)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;
    use std::sync::Barrier;

    use super::{AtomicBool, FROM, Once, at_once, is_worth_it};

    thread_local! {
        /// Another number of nodes from which on this thread searches both ways at once.
        pub(super) static FROM_IN_TEST: Cell<Option<u64>> = const { Cell::new(None) };
        /// How often this thread did.
        pub(super) static BEGAN: Cell<usize> = const { Cell::new(0) };
    }

    /// Runs something with another number of nodes from which on both searches run at once.
    pub(in crate::retrieve) fn from<T>(nodes: u64, work: impl FnOnce() -> T) -> T {
        FROM_IN_TEST.set(Some(nodes));
        let done = work();
        FROM_IN_TEST.set(None);
        done
    }

    /// How often this thread had two pieces of work done at once.
    pub(in crate::retrieve) fn began() -> usize {
        BEGAN.get()
    }

    #[test]
    fn a_thread_is_worth_it_from_a_number_of_nodes_on() {
        assert!(is_worth_it(FROM) && !is_worth_it(FROM - 1));
        assert!(from(7, || is_worth_it(7) && !is_worth_it(6)) && !is_worth_it(7));
    }

    #[test]
    fn both_run_at_the_same_time_and_give_what_they_have() {
        // Either would wait for the other without end if it came first.
        let met = Barrier::new(2);
        let both = at_once(
            || {
                met.wait();
                1
            },
            || {
                met.wait();
                "two"
            },
        );
        assert_eq!(both, (1, "two"));
    }

    #[test]
    fn what_one_has_begun_the_other_leaves() {
        let times = Cell::new(0);
        let work = Once { work: || times.replace(times.get() + 1), begun: AtomicBool::new(false) };
        assert_eq!([work.run(), work.run(), work.run()], [Some(0), None, None]);
        assert_eq!(times.get(), 1);
    }

    #[test]
    fn a_panic_there_is_a_panic_here() {
        let panicked = std::panic::catch_unwind(|| at_once(|| std::panic::resume_unwind(Box::new("there")), || ()));
        assert_eq!(panicked.expect_err("a panic").downcast_ref::<&str>(), Some(&"there"));
    }
}
