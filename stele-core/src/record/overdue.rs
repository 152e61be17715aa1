//! Takes the write lock from a transaction whose host does not come back in time.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::writer::Write;

/// Runs `work`, and rolls the transaction back once its time is over, whatever `work` does meanwhile.
pub(super) fn release_when_overdue<T>(open: &Mutex<Write>, work: impl FnOnce() -> T) -> T {
    let bound = bound(open);
    std::thread::scope(|scope| {
        // Dropped when `work` ends, also by a panic.
        let (ended, end) = mpsc::channel();
        let watch = move || {
            if is_overdue(bound, &end) {
                release(open);
            }
        };
        // Where no thread can be had, the time is looked at between the verbs only.
        let _watching = named().spawn_scoped(scope, watch);
        let _ended = ended;
        work()
    })
}

/// Rolls a transaction back once its time is over, as long as this is not dropped.
pub(super) struct Watch {
    _ended: Sender<()>,
}

impl Watch {
    pub(super) fn over(open: &Arc<Mutex<Write>>) -> Self {
        let (ended, end) = mpsc::channel();
        let (bound, open) = (bound(open), Arc::downgrade(open));
        #[expect(clippy::disallowed_methods, reason = "it ends with the transaction that it watches, or with its time")]
        let _watching = named().spawn(move || {
            if is_overdue(bound, &end)
                && let Some(open) = open.upgrade()
            {
                release(&open);
            }
        });
        Self { _ended: ended }
    }
}

fn named() -> std::thread::Builder {
    std::thread::Builder::new().name("stele-limit".to_owned())
}

fn bound(open: &Mutex<Write>) -> Duration {
    open.lock().unwrap_or_else(PoisonError::into_inner).bound()
}

/// True if the time is over before what is watched has ended.
fn is_overdue(bound: Duration, end: &Receiver<()>) -> bool {
    end.recv_timeout(bound) == Err(RecvTimeoutError::Timeout)
}

fn release(open: &Mutex<Write>) {
    open.lock().unwrap_or_else(PoisonError::into_inner).abandon();
}
