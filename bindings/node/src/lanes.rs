//! The threads of a handle: one for what writes, in the order in which it was called, and three for what reads. They are
//! ours and not those of libuv, which files and names of a host wait for. They start when there is work and end with the
//! handle.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stele_core::{Code, Error, Result};

use crate::waiting::Waiter;

/// How many calls of a handle read at once.
const READERS: usize = 3;
/// As many threads as calls may run at once.
const THREADS: usize = READERS + 1;

/// One call: what it does, and then what tells its answer. A lane for reading is free before the answer is told, so that
/// whoever hears it and asks again finds a thread that is awake.
pub(crate) type Job = Box<dyn FnOnce() -> Telling + Send>;
/// What tells an answer.
pub(crate) type Telling = Box<dyn FnOnce()>;

/// Where a call runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Read,
    Write,
}

/// The threads of one handle, and what they have to do.
#[derive(Clone, Default)]
pub(crate) struct Lanes {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    writes: VecDeque<Job>,
    reads: VecDeque<Job>,
    last: Option<Job>,
    writing: bool,
    reading: usize,
    /// How many answers of readers are being told.
    telling: usize,
    threads: usize,
    /// Threads that wait, the one that worked last at the end: it is called first, for what it looks at is still near it.
    idle: Vec<Arc<Waiter>>,
    /// The last call runs.
    ending: bool,
    ended: bool,
}

impl Lanes {
    /// Adds a call to a lane.
    ///
    /// # Errors
    /// `closed` after the last call; `busy` where the system starts no thread.
    pub(crate) fn add(&self, lane: Lane, job: Job) -> Result<()> {
        let mut state = self.open()?;
        match lane {
            Lane::Read => state.reads.push_back(job),
            Lane::Write => state.writes.push_back(job),
        }
        self.staff(state)
    }

    /// Adds the last call: it runs when all others are done, and then the threads end.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(crate) fn end_with(&self, job: Job) -> Result<()> {
        let mut state = self.open()?;
        state.last = Some(job);
        self.staff(state)
    }

    /// Takes no further call, and ends the threads, if there are any, when all calls are done.
    pub(crate) fn end(&self) {
        let Ok(mut state) = self.open() else { return };
        if state.threads == 0 {
            state.ended = true;
        } else {
            state.last = Some(Box::new(|| Box::new(|| ())));
            // There is a thread, so none has to be started.
            let _ = self.staff(state);
        }
    }

    fn open(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.shared.lock();
        if state.last.is_some() || state.ending || state.ended {
            return Err(Error::new(Code::Closed, "use a record: its handle is closed"));
        }
        Ok(state)
    }

    /// Calls a thread that waits, or starts one, if there is more to do than threads that will look.
    fn staff(&self, mut state: MutexGuard<'_, State>) -> Result<()> {
        if state.runnable() <= state.awake() {
            return Ok(());
        }
        if let Some(waiter) = state.idle.pop() {
            drop(state);
            waiter.call();
            return Ok(());
        }
        if state.threads < THREADS {
            match start(&self.shared) {
                Ok(()) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    state.forget();
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does until the last call is done.
    fn work(&self) {
        let waiter = Arc::new(Waiter::here());
        let mut soon = false;
        let mut state = self.lock();
        while !state.ended {
            let Some((lane, job)) = state.next() else {
                state.idle.push(Arc::clone(&waiter));
                drop(state);
                soon = waiter.wait(soon);
                state = self.lock();
                continue;
            };
            drop(state);
            let tell = job();
            if lane == Some(Lane::Read) {
                self.lock().answered();
                tell();
                state = self.lock();
                state.telling -= 1;
            } else {
                tell();
                state = self.lock();
                match lane {
                    Some(_) => state.writing = false,
                    None => state.ended = true,
                }
                soon = false;
            }
        }
        state.threads -= 1;
        let others = std::mem::take(&mut state.idle);
        drop(state);
        others.iter().for_each(|waiter| waiter.call());
    }
}

impl State {
    /// How many calls could start now.
    fn runnable(&self) -> usize {
        let reads = self.reads.len().min(READERS - self.reading);
        let writes = usize::from(!self.writing && !self.writes.is_empty());
        reads + writes + usize::from(self.is_last())
    }

    /// How many threads will look for what is to do before they wait.
    fn awake(&self) -> usize {
        let busy = usize::from(self.writing) + self.reading + usize::from(self.ending);
        self.threads - self.idle.len() - busy
    }

    fn is_last(&self) -> bool {
        let none = self.writes.is_empty() && self.reads.is_empty() && !self.writing && self.reading + self.telling == 0;
        self.last.is_some() && none
    }

    fn next(&mut self) -> Option<(Option<Lane>, Job)> {
        if !self.writing
            && let Some(job) = self.writes.pop_front()
        {
            self.writing = true;
            return Some((Some(Lane::Write), job));
        }
        if self.reading < READERS
            && let Some(job) = self.reads.pop_front()
        {
            self.reading += 1;
            return Some((Some(Lane::Read), job));
        }
        if !self.is_last() {
            return None;
        }
        self.ending = true;
        self.last.take().map(|job| (None, job))
    }

    /// Drops what was to be done, of which the call that was just added is all there is.
    fn forget(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.last = None;
    }

    /// A reader is done but for telling its answer.
    fn answered(&mut self) {
        self.reading -= 1;
        self.telling += 1;
    }
}

/// Runs a call that belongs to no handle yet on a thread of its own.
///
/// # Errors
/// `busy` where the system starts no thread.
pub(crate) fn alone(job: Box<dyn FnOnce() + Send>) -> Result<()> {
    spawn(job)
}

fn start(shared: &Arc<Shared>) -> Result<()> {
    let shared = Arc::clone(shared);
    spawn(Box::new(move || shared.work()))
}

/// A thread that nobody waits for: what it holds is closed when it ends, and a process that exits takes it along.
#[expect(clippy::disallowed_methods, reason = "the one place that starts threads of this door")]
fn spawn(job: Box<dyn FnOnce() + Send>) -> Result<()> {
    let started = std::thread::Builder::new().name("stele".to_owned()).spawn(job);
    started.map(drop).map_err(|cause| Error::new(Code::Busy, format!("start a thread: {cause}")))
}
