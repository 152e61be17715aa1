//! What the verbs and lists of tasks give back.

use pyo3::prelude::*;

use super::{ids, one, result};
use crate::time::Instant;

result! {
    /// Who works on a task.
    ClaimNote {
        holder: String,
        since: Instant,
        until: Option<Instant>,
    }
}

impl ClaimNote {
    pub(crate) fn of(_: Python<'_>, note: stele_core::ClaimNote) -> PyResult<Self> {
        Ok(Self { holder: note.holder, since: Instant(note.since), until: note.until.map(Instant) })
    }
}

result! {
    /// How a call for a task ended: granted, or held by somebody else.
    Claim {
        task: String,
        granted: bool,
        holder: String,
        since: Instant,
        until: Option<Instant>,
        taken_from: Option<String>,
        token: Option<u64>,
    }
}

impl Claim {
    pub(crate) fn of(_: Python<'_>, claim: stele_core::Claim) -> PyResult<Self> {
        Ok(Self {
            task: claim.task.to_string(),
            granted: claim.granted,
            holder: claim.holder,
            since: Instant(claim.since),
            until: claim.until.map(Instant),
            taken_from: claim.taken_from,
            token: claim.token,
        })
    }
}

result! {
    /// What a change of a task's status did to the facts that hang on it.
    TaskChange {
        task: String,
        status: &'static str,
        resolved: Vec<String>,
        hanging: Vec<String>,
        revived: Vec<String>,
    }
}

impl TaskChange {
    pub(crate) fn of(change: &stele_core::TaskChange) -> Self {
        Self {
            task: change.task.to_string(),
            status: change.status.as_str(),
            resolved: ids(&change.resolved),
            hanging: ids(&change.hanging),
            revived: ids(&change.revived),
        }
    }
}

result! {
    /// How far a container is: completed leaves, and leaves that are not cancelled.
    ContainerProgress {
        completed: u64,
        total: u64,
    }
}

result! {
    /// A task as lists of tasks show it.
    Task {
        id: String,
        aliases: Vec<String>,
        title: String,
        r#type: &'static str,
        priority: u8,
        status: &'static str,
        state: &'static str,
        claim: Option<Py<ClaimNote>>,
        blocked_by: Vec<String>,
        progress: Option<Py<ContainerProgress>>,
        tags: Vec<String>,
        component: Option<String>,
        created_at: Instant,
        updated_at: Instant,
    }
}

impl Task {
    pub(crate) fn of(py: Python<'_>, task: stele_core::Task) -> PyResult<Self> {
        Ok(Self {
            id: task.id.to_string(),
            aliases: task.aliases,
            title: task.title,
            r#type: task.task_type.as_str(),
            priority: task.priority,
            status: task.status.as_str(),
            state: task.state.as_str(),
            claim: one(py, task.claim, ClaimNote::of)?,
            blocked_by: ids(&task.blocked_by),
            progress: one(py, task.progress, |_, far| Ok(ContainerProgress { completed: far.completed, total: far.total }))?,
            tags: task.tags,
            component: task.component.map(|id| id.to_string()),
            created_at: Instant(task.created_at),
            updated_at: Instant(task.updated_at),
        })
    }
}
