//! The recorder's verbs for tasks: claim, release, complete, cancel, reopen.

use std::time::Duration;

use super::claim::{Claim, Held, TaskChange};
use super::recorder::Recorder;
use super::task_views::TaskFilter;
use super::writer::tasks::Asking;
use crate::base::error::Result;
use crate::base::id::NodeId;

impl Recorder<'_> {
    /// Begins to claim a task; finish with [`Claiming::take`]. With a granted claim instead of an id it is renewed.
    ///
    /// Of all who ask, in whatever threads and processes, exactly one gets the task; the others are told who has it.
    pub fn claim(&self, task: impl Into<Held>) -> Claiming<'_> {
        Claiming { recorder: self, held: task.into(), asking: Asking::default() }
    }

    /// Begins to claim the first task that is ready, by priority, then age; finish with [`ClaimingNext::take`].
    pub fn claim_next(&self) -> ClaimingNext<'_> {
        ClaimingNext { recorder: self, filter: TaskFilter::default(), asking: Asking::default() }
    }

    /// Gives a claimed task back; its holder only.
    ///
    /// # Errors
    /// `not_holder`; `wrong_state` if nobody has it; `unknown_node`, `wrong_kind`.
    pub fn release(&self, task: impl Into<Held>) -> Result<NodeId> {
        let held = task.into();
        self.run(|write| write.release(&held))
    }

    /// Takes a claimed task from whoever has it; it is open then.
    ///
    /// # Errors
    /// `wrong_state` if nobody has it; `empty_field`, `too_large`, `secret`; `unknown_node`, `wrong_kind`.
    pub fn force_release(&self, task: &str, why: &str) -> Result<NodeId> {
        self.run(|write| write.force_release(task, why))
    }

    /// Ends a task as done, and tells which facts ended with it. A claimed task is completed by its holder only, an open
    /// one and a container by anyone. The summary is at most 16 KiB.
    ///
    /// # Errors
    /// `not_holder`; `wrong_state` if it is completed or cancelled; `empty_field`, `too_large`, `secret`; `unknown_node`,
    /// `wrong_kind`.
    pub fn complete(&self, task: impl Into<Held>, summary: &str) -> Result<TaskChange> {
        let held = task.into();
        self.run(|write| write.complete(&held, summary))
    }

    /// Ends a task as given up, and tells which facts hang on it: they hold on. As [`Self::complete`], by its holder only.
    ///
    /// # Errors
    /// As [`Self::complete`].
    pub fn cancel(&self, task: impl Into<Held>, why: &str) -> Result<TaskChange> {
        let held = task.into();
        self.run(|write| write.cancel(&held, why))
    }

    /// Opens a task again that was completed or cancelled, and tells which facts hold again.
    ///
    /// # Errors
    /// `wrong_state` if it is open or claimed; `empty_field`, `too_large`, `secret`; `unknown_node`, `wrong_kind`.
    pub fn reopen(&self, task: &str, why: &str) -> Result<TaskChange> {
        self.run(|write| write.reopen(task, why))
    }
}

/// A task about to be claimed.
#[must_use = "nothing is claimed before `take`"]
pub struct Claiming<'r> {
    recorder: &'r Recorder<'r>,
    held: Held,
    asking: Asking,
}

impl Claiming<'_> {
    /// Sets for how long: afterwards others may take the task. None by default; a renewal goes on for as long as before.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.asking.lease = Some(lease);
        self
    }

    /// Claims for somebody else than the recorder's actor and session.
    pub fn holder(mut self, holder: impl Into<String>) -> Self {
        self.asking.holder = Some(holder.into());
        self
    }

    /// Claims it. Losing is a result: `granted` is false and the holder is named.
    ///
    /// # Errors
    /// `not_holder` for a token that is outdated; `wrong_state` for a task that is completed, cancelled, retired or
    /// archived; `wrong_kind` for a container; `clock_suspect` for a lease that only a clock more than 5 minutes ahead of
    /// the log sees ended; `out_of_range`, `empty_field`; `unknown_node`.
    pub fn take(self) -> Result<Claim> {
        self.recorder.run(|write| write.claim(&self.held, &self.asking))
    }
}

/// The next task about to be claimed.
#[must_use = "nothing is claimed before `take`"]
pub struct ClaimingNext<'r> {
    recorder: &'r Recorder<'r>,
    filter: TaskFilter,
    asking: Asking,
}

impl ClaimingNext<'_> {
    /// Sets for how long: afterwards others may take the task.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.asking.lease = Some(lease);
        self
    }

    /// Considers tasks with any of these tags only.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.filter.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Considers tasks under a component only, however deep, given by id or alias.
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.filter.component = Some(component.into());
        self
    }

    /// Claims it; nothing if no task is ready.
    ///
    /// # Errors
    /// `clock_suspect` if all that is left are leases that only a clock more than 5 minutes ahead of the log sees ended;
    /// `out_of_range`; `unknown_node`, `wrong_kind` for the component.
    pub fn take(self) -> Result<Option<Claim>> {
        self.recorder.run(|write| write.claim_next(&self.filter, &self.asking))
    }
}
