//! Takes the write lock from a transaction whose host does not come back in time.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};

use super::writer::Write;

/// Runs `work`, and rolls the transaction back once its time is over, whatever `work` does meanwhile.
pub(super) fn release_when_overdue<T>(open: &Mutex<Write>, work: impl FnOnce() -> T) -> T {
    let left = open.lock().unwrap_or_else(PoisonError::into_inner).remaining();
    std::thread::scope(|scope| {
        // Dropped when `work` ends, also by a panic.
        let (ended, end) = mpsc::channel::<()>();
        let watch = move || {
            if left.is_some_and(|left| end.recv_timeout(left) == Err(RecvTimeoutError::Timeout)) {
                open.lock().unwrap_or_else(PoisonError::into_inner).abandon();
            }
        };
        // Where no thread can be had, the time is looked at between the verbs only.
        let _watching = std::thread::Builder::new().name("stele-limit".to_owned()).spawn_scoped(scope, watch);
        let _ended = ended;
        work()
    })
}
