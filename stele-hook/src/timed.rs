//! Work that is waited for only so long.
#![expect(clippy::disallowed_methods, reason = "a hook gives up in time, whatever its record does; the thread ends with the process")]

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The time within which something has to be done.
#[derive(Clone, Copy)]
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

/// What `work` gives, if it gives it in time; a panic is a fault like any other.
pub(crate) fn within<T: Send + 'static>(time: Duration, work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let (done, is_done) = mpsc::sync_channel(1);
    let started = thread::Builder::new().name("stele-hook".to_owned()).spawn(move || {
        let _ = done.send(work());
    });
    started.map_err(|cause| format!("no thread could be started: {cause}"))?;
    match is_done.recv_timeout(time) {
        Ok(done) => done,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(format!("gave up after {} s", time.as_secs_f64())),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("a fault of ours: the work panicked".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_given_up_and_what_panics_is_a_fault() {
        assert_eq!(within(Duration::from_secs(60), || Ok(7)), Ok(7));
        let (held, hold) = mpsc::channel::<()>();
        let late = within(Duration::from_millis(10), move || hold.recv().map_err(|cause| cause.to_string()));
        assert_eq!(late, Err("gave up after 0.01 s".to_owned()));
        drop(held);
        assert!(within(Duration::from_secs(60), || -> Result<(), String> { std::panic::resume_unwind(Box::new("x")) }).is_err());
    }
}
