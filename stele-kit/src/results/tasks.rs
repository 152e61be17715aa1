//! What the verbs and lists of tasks give back.

use stele_core::{NodeId, State, TaskStatus, TaskType, Timestamp};

use super::{one, result, shape};

result! {
    /// Who works on a task.
    ClaimNote from ClaimNote { holder: String, since: Timestamp, until: Option<Timestamp>, }
}

result! {
    /// How a call for a task ended: granted, or held by somebody else.
    Claim from Claim {
        task: NodeId,
        granted: bool,
        holder: String,
        since: Timestamp,
        until: Option<Timestamp>,
        taken_from: Option<String>,
        token: Option<u64>,
    }
}

result! {
    /// What a change of a task's status did to the facts that hang on it.
    TaskChange from TaskChange { task: NodeId, status: TaskStatus, resolved: Vec<NodeId>, hanging: Vec<NodeId>, revived: Vec<NodeId>, }
}

result! {
    /// How far a container is: completed leaves, and leaves that are not cancelled.
    ContainerProgress from ContainerProgress { completed: u64, total: u64, }
}

shape! {
    /// A task as lists of tasks show it.
    Task {
        id: NodeId,
        aliases: Vec<String>,
        title: String,
        r#type: TaskType,
        priority: u8,
        status: TaskStatus,
        state: State,
        claim: Option<ClaimNote>,
        blocked_by: Vec<NodeId>,
        progress: Option<ContainerProgress>,
        tags: Vec<String>,
        component: Option<NodeId>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl From<stele_core::Task> for Task {
    fn from(task: stele_core::Task) -> Self {
        Self {
            id: task.id,
            aliases: task.aliases,
            title: task.title,
            r#type: task.task_type,
            priority: task.priority,
            status: task.status,
            state: task.state,
            claim: one(task.claim),
            blocked_by: task.blocked_by,
            progress: one(task.progress),
            tags: task.tags,
            component: task.component,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}
