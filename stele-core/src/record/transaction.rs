//! A transaction that is held open from one call of the host to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::overdue::Watch;
use super::recorder::Recorder;
use super::writer::{Mark, Write};
use crate::base::error::Result;

/// The open transaction that a recorder writes in: borrowed where a function of the host runs inside it.
#[derive(Clone)]
pub(super) enum Within<'t> {
    Lent(&'t Mutex<Write>),
    Held(Arc<Mutex<Write>>),
}

impl Within<'_> {
    pub(super) fn lock(&self) -> MutexGuard<'_, Write> {
        let open = match self {
            Self::Lent(open) => open,
            Self::Held(open) => &**open,
        };
        open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Several verbs as one atomic step, begun with [`Recorder::begin_transaction`]: all that is written through
/// [`Transaction::recorder`] is kept by [`Transaction::commit`], or nothing if it is dropped.
///
/// It holds the write lock for at most 2 seconds; then it is rolled back, and what comes later fails.
#[must_use = "it is rolled back at once if it is dropped"]
pub struct Transaction<'t> {
    recorder: Recorder<'t>,
    within: Within<'t>,
    extent: Option<Extent>,
}

/// What ends with it.
enum Extent {
    /// All of it; the watch takes the lock away in time.
    Whole(#[expect(dead_code, reason = "it watches until it is dropped")] Watch),
    /// A part of another one.
    Part(Box<Mark>),
}

impl<'t> Transaction<'t> {
    pub(super) fn begin(recorder: &Recorder<'t>) -> Result<Self> {
        let (within, extent) = match recorder.within() {
            Some(within) => {
                let mark = Box::new(within.lock().mark()?);
                (within.clone(), Extent::Part(mark))
            }
            None => {
                let open = Arc::new(Mutex::new(recorder.begin()?));
                let watch = Watch::over(&open);
                (Within::Held(open), Extent::Whole(watch))
            }
        };
        Ok(Self { recorder: recorder.inside(within.clone()), within, extent: Some(extent) })
    }

    /// The recorder that writes in it, in the name of the one that began it.
    #[must_use]
    pub fn recorder(&self) -> &Recorder<'t> {
        &self.recorder
    }

    /// Makes all that was written in it durable at once; one inside another keeps it for that one.
    ///
    /// # Errors
    /// `transaction_timeout`; `wrong_state` if one inside this one is still open; `storage`, `disk_full` and their like.
    /// Then nothing is written.
    pub fn commit(mut self) -> Result<()> {
        match self.extent.take() {
            Some(Extent::Part(mark)) => {
                let kept = self.within.lock().keep(&mark);
                if kept.is_err() {
                    self.extent = Some(Extent::Part(mark));
                }
                kept
            }
            whole => {
                self.extent = whole;
                let sequence = self.within.lock().end()?;
                self.recorder.tell_written(sequence);
                Ok(())
            }
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        match self.extent.take() {
            Some(Extent::Part(mark)) => self.within.lock().undo(*mark),
            Some(Extent::Whole(_)) => self.within.lock().abandon(),
            None => {}
        }
    }
}
