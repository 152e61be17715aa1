//! Two pieces of work at the same time, where each is long enough to be worth a thread.

/// What both give: `there` runs on a thread of its own, `here` on this one. Where the system gives no thread, one after the other.
pub(super) fn at_once<A: Send, B>(there: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().name("stele-search".to_owned()).spawn_scoped(scope, &there);
        let of_here = here();
        let of_there = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => there(),
        };
        (of_there, of_here)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::at_once;

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
    fn a_panic_there_is_a_panic_here() {
        let panicked = std::panic::catch_unwind(|| at_once(|| std::panic::resume_unwind(Box::new("there")), || ()));
        assert_eq!(panicked.expect_err("a panic").downcast_ref::<&str>(), Some(&"there"));
    }
}
