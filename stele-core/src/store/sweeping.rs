//! The door to the sweep.

use super::Record;
use crate::base::error::Result;
use crate::health::sweep::{apply, judge_all};
use crate::health::{Retirement, Sweep, Verdict};

impl Record {
    /// Asks the built-in judge about every retirement: was it a standing state, did it end, is the evidence verbatim?
    /// Nothing is changed; [`Self::apply_sweep`] does that.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn sweep(&self) -> Result<Sweep> {
        judge_all(&self.snapshot()?, None)
    }

    /// As [`Self::sweep`] with a host's judge, called for one retirement after another with no lock held. A judge that
    /// panics counts as [`Verdict::Unsure`].
    ///
    /// # Errors
    /// As [`Self::sweep`].
    pub fn sweep_with(&self, judge: &mut dyn FnMut(&Retirement) -> Verdict) -> Result<Sweep> {
        judge_all(&self.snapshot()?, Some(judge))
    }

    /// Turns each retirement that failed into `relates-to`, so that the buried fact is live again unless another edge
    /// retires it, and notes which were. Each is an operation in the actor's name with the verdict in it; superseding again
    /// undoes it.
    ///
    /// # Errors
    /// `read_only`, `closed`, `busy`, `storage` and its like; what was done before stays done and is noted.
    pub fn apply_sweep(&self, sweep: &mut Sweep, actor: &str) -> Result<()> {
        apply(sweep, &self.recorder(actor)?)
    }
}
