//! What takes long to let go of is let go of on a thread that nobody waits for: a mapped file whose name is gone, which the
//! system then deletes, or what thousands of reads have put into memory.

use std::any::Any;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the thread looks whether a thing is still in use.
const WAIT: Duration = Duration::from_millis(20);
/// How often at most, before whoever uses it has to let go of it.
const WAITS: usize = 500;

/// A thing that nobody looks for any more; reads that began earlier may use it still.
pub(crate) type Gone = Arc<dyn Any + Send + Sync>;

/// Things on their way out.
#[derive(Default)]
pub(crate) struct Leaving(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    things: Vec<Gone>,
    running: bool,
    ended: bool,
}

impl Leaving {
    /// Lets go of a thing later, once nobody uses it; now, where the system gives no thread.
    #[expect(clippy::disallowed_methods, reason = "a thread that ends by itself, and holds nothing but what is to be let go of")]
    pub(crate) fn leave(&self, thing: Gone) {
        let mut state = self.0.lock();
        if !state.running && !state.ended {
            let shared = Arc::clone(&self.0);
            state.running = std::thread::Builder::new().name("stele-leave".to_owned()).spawn(move || run(&shared)).is_ok();
        }
        if state.running && !state.ended {
            state.things.push(thing);
        } else {
            drop(state);
            drop(thing);
        }
    }

    /// Lets go of everything and ends the thread, waiting at most so long for what it is at.
    pub(crate) fn end(&self, wait: Duration) {
        let mut state = self.0.lock();
        state.ended = true;
        let now = std::mem::take(&mut state.things);
        self.0.changed.notify_all();
        let ended = self.0.changed.wait_timeout_while(state, wait, |state| state.running);
        drop(ended);
        drop(now);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(shared: &Shared) {
    let mut waits = 0;
    let mut state = shared.lock();
    loop {
        // Whoever used a thing last would otherwise pay for it.
        let late = waits >= WAITS;
        let now: Vec<Gone> = state.things.extract_if(.., |thing| late || Arc::strong_count(thing) == 1).collect();
        if !now.is_empty() {
            drop(state);
            drop(now);
            state = shared.lock();
        } else if state.things.is_empty() || state.ended {
            state.running = false;
            shared.changed.notify_all();
            return;
        } else {
            waits += 1;
            state = shared.changed.wait_timeout(state, WAIT).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{self, ThreadId};

    use super::*;

    /// Says on which thread it ends.
    struct Says(Sender<ThreadId>);

    impl Drop for Says {
        fn drop(&mut self) {
            let _ = self.0.send(thread::current().id());
        }
    }

    #[test]
    fn a_thing_ends_on_another_thread_and_not_before_the_last_who_uses_it_is_done() {
        let (send, ended) = channel();
        let leaving = Leaving::default();
        leaving.leave(Arc::new(Says(send.clone())));
        assert_ne!(ended.recv().expect("it ends"), thread::current().id());
        let thing = Arc::new(Says(send));
        leaving.leave(Arc::clone(&thing) as Gone);
        thread::yield_now();
        assert!(ended.try_recv().is_err(), "it is in use");
        drop(thing);
        assert_ne!(ended.recv().expect("it ends"), thread::current().id());
    }

    #[test]
    fn nothing_stays_once_it_was_ended() {
        let (send, ended) = channel();
        let leaving = Leaving::default();
        let used = Arc::new(Says(send.clone()));
        leaving.leave(Arc::clone(&used) as Gone);
        leaving.end(Duration::from_secs(60));
        assert_eq!(Arc::strong_count(&used), 1);
        leaving.leave(Arc::new(Says(send)));
        assert_eq!(ended.try_recv().expect("it ended at once"), thread::current().id());
    }
}
