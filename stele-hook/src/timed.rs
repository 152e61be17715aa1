//! Work that is waited for only so long.
#![expect(clippy::disallowed_methods, reason = "a hook gives up in time, whatever its record does; the thread ends with the process")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The time within which something has to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn ends_in(time: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(time).unwrap_or(now))
    }

    pub(crate) fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// Waits a moment before something is tried again.
pub(crate) fn pause() {
    thread::sleep(Duration::from_millis(1));
}

/// What is still done when an answer is known, such as closing a record. Whoever drops it waits for that, for no longer than
/// the event may take.
#[derive(Debug)]
#[must_use = "what is dropped is waited for"]
pub struct Rest(Option<(mpsc::Receiver<()>, Clock)>);

impl Rest {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        if let Some((ended, clock)) = self.0.take() {
            // It ends, panics or takes too long; the answer stands.
            let _ = ended.recv_timeout(clock.left());
        }
    }
}

/// What comes after an answer.
pub(crate) type After = Box<dyn FnOnce()>;

/// What `work` gives, if it gives it in time, and what comes after it; a panic is a fault like any other. Whoever waits for it
/// does something of its own first.
pub(crate) fn within<T: Send + 'static>(
    time: Duration,
    meanwhile: impl FnOnce(),
    work: impl FnOnce() -> Result<(T, After), String> + Send + 'static,
) -> (Result<T, String>, Rest) {
    let clock = Clock::ends_in(time);
    let (done, is_done) = mpsc::sync_channel(1);
    let (ends, ended) = mpsc::sync_channel(1);
    let started = thread::Builder::new().name("stele-hook".to_owned()).spawn(move || {
        match work() {
            Ok((given, after)) => {
                let _ = done.send(Ok(given));
                after();
            }
            Err(why) => drop(done.send(Err(why))),
        }
        let _ = ends.send(());
    });
    if let Err(cause) = started {
        return (Err(format!("no thread could be started: {cause}")), Rest::none());
    }
    meanwhile();
    match is_done.recv_timeout(clock.left()) {
        Ok(given) => (given, Rest(Some((ended, clock)))),
        Err(mpsc::RecvTimeoutError::Timeout) => (Err(format!("gave up after {} s", time.as_secs_f64())), Rest::none()),
        Err(mpsc::RecvTimeoutError::Disconnected) => (Err("a fault of ours: the work panicked".to_owned()), Rest::none()),
    }
}

/// What `work` gives, with something else done on another thread meanwhile, if there is one to be had.
pub(crate) fn beside<T>(other: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        // What panics there has not been done, and is missed by nobody.
        let _ = thread::Builder::new().name("stele-hook".to_owned()).spawn_scoped(scope, || drop(catch_unwind(AssertUnwindSafe(other))));
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> After {
        Box::new(|| ())
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_what_panics_is_a_fault() {
        let mut did_its_own = false;
        assert_eq!(within(Duration::from_secs(60), || did_its_own = true, || Ok((7, nothing()))).0, Ok(7));
        assert!(did_its_own);
        let (held, hold) = mpsc::channel::<()>();
        let late = within(Duration::from_millis(10), || (), move || hold.recv().map_err(|cause| cause.to_string()).map(|()| ((), nothing())));
        assert_eq!(late.0, Err("gave up after 0.01 s".to_owned()));
        drop(held);
        assert!(within(Duration::from_secs(60), || (), || -> Result<((), After), String> { std::panic::resume_unwind(Box::new("x")) }).0.is_err());
    }

    #[test]
    fn an_answer_waits_for_nothing_that_comes_after_it_and_the_rest_is_waited_for() {
        let (held, hold) = mpsc::channel::<()>();
        let (tells, told) = mpsc::channel();
        let after = move || {
            let _ = hold.recv();
            let _ = tells.send("closed");
        };
        let (given, rest) = within(Duration::from_secs(60), || (), move || Ok((7, Box::new(after) as After)));
        assert_eq!((given, told.try_recv()), (Ok(7), Err(mpsc::TryRecvError::Empty)));
        drop(held);
        drop(rest);
        assert_eq!(told.try_recv(), Ok("closed"));
        let after = || -> () {
            std::panic::resume_unwind(Box::new("x"));
        };
        assert_eq!(within(Duration::from_secs(60), || (), move || Ok((7, Box::new(after) as After))).0, Ok(7));
    }

    #[test]
    fn what_is_done_beside_may_panic() {
        assert_eq!(beside(|| std::panic::resume_unwind(Box::new("x")), || 7), 7);
    }
}
