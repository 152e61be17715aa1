//! The rules of tasks and claims: each verb is settled against the views before its operation is appended.

use std::time::Duration;

use super::Write;
use crate::base::config::{CLOCK_AHEAD, FIELD_BYTES};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::text::check_filled;
use crate::record::claim::{Claim, ClaimNote, Held, Standing, TaskChange, holder_name};
use crate::record::log;
use crate::record::node::{Class, Node, State, TaskStatus};
use crate::record::operation::{Change, TakeTask};
use crate::record::settle::check_name;
use crate::record::task_views::{Lapsed, TaskFilter};

/// How a task is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    /// For how long; a renewal without it goes on for as long as before.
    pub(crate) lease: Option<Duration>,
    /// For whom; for the recorder's own actor and session, if nobody is named.
    pub(crate) holder: Option<String>,
}

impl Write {
    /// Takes a task, goes on with it, or tells who has it.
    pub(crate) fn claim(&mut self, held: &Held, asking: &Asking) -> Result<Claim> {
        let holder = self.asked_for(asking)?;
        let task = self.task(&held.task, "claim")?;
        if task.class == Class::Container {
            let message = format!("claim {}: it is a container, whose tasks are claimed", task.node.id);
            return Err(Error::new(Code::WrongKind, message).with("field", "task").with("id", task.node.id));
        }
        let outdated = || not_holder("claim", &task, "the token is of an earlier claim");
        if matches!(task.node.state, State::Archived | State::Retired) || task.is_closed() {
            return Err(if held.token.is_some() { outdated() } else { wrong_state("claim", &task) });
        }
        let Some(standing) = task.standing.clone() else {
            return if held.token.is_some() { Err(outdated()) } else { self.grant(task.node.id, holder, asking.lease, None) };
        };
        match held.token {
            Some(token) if token == standing.token => self.grant(task.node.id, standing.note.holder.clone(), asking.lease, Some(standing)),
            Some(_) => Err(outdated()),
            None if holder == standing.note.holder || standing.note.is_over(self.at) => self.grant(task.node.id, holder, asking.lease, Some(standing)),
            None => {
                let ClaimNote { holder, since, until } = standing.note;
                Ok(Claim { task: task.node.id, granted: false, holder, since, until, taken_from: None, token: None })
            }
        }
    }

    /// Takes the first task that is ready, if there is one.
    pub(crate) fn claim_next(&mut self, filter: &TaskFilter, asking: &Asking) -> Result<Option<Claim>> {
        let holder = self.asked_for(asking)?;
        let filter = self.views().task_filter(filter)?;
        let trusted = !self.clock_is_ahead()?;
        let mut next = self.views().ready(&filter, 1, if trusted { Lapsed::Ready } else { Lapsed::Held })?;
        if next.is_empty() && !trusted {
            // Only leases that this clock cannot be trusted to have seen end; the claim says so.
            next = self.views().ready(&filter, 1, Lapsed::Ready)?;
        }
        let Some(number) = next.first() else { return Ok(None) };
        let task = NodeId { kind: Kind::Task, number: *number };
        let standing = self.views().standing(task.number)?;
        self.grant(task, holder, asking.lease, standing).map(Some)
    }

    /// Appends a claim. `standing` is the one that it renews, or takes over because its lease is over.
    fn grant(&mut self, task: NodeId, holder: String, lease: Option<Duration>, standing: Option<Standing>) -> Result<Claim> {
        let renewed = standing.as_ref().filter(|standing| standing.note.holder == holder);
        if let (Some(standing), None) = (&standing, renewed)
            && self.clock_is_ahead()?
        {
            let holder = &standing.note.holder;
            let minutes = CLOCK_AHEAD.as_secs() / 60;
            let message =
                format!("claim {task}: only by a clock that is at {} and more than {minutes} minutes ahead of the log is the lease of {holder} over", self.at);
            return Err(Error::new(Code::ClockSuspect, message).with("id", task).with("holder", holder).with("limit", CLOCK_AHEAD.as_secs()));
        }
        let lease = lease.or(renewed.and_then(|standing| standing.lease));
        let since = renewed.map_or(self.at, |standing| standing.note.since);
        let until = lease.map(|lease| self.at.after(lease));
        let taken_from = if renewed.is_some() { None } else { standing.map(|standing| standing.note.holder) };
        self.append(Change::Claim(Box::new(TakeTask {
            number: task.number,
            holder: holder.clone(),
            since,
            until,
            lease_ms: lease.map(|lease| u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)),
            taken_from: taken_from.clone(),
        })))?;
        Ok(Claim { task, granted: true, holder, since, until, taken_from, token: Some(self.views().head()) })
    }

    /// Gives a task back.
    pub(crate) fn release(&mut self, held: &Held) -> Result<NodeId> {
        let task = self.task(&held.task, "release")?;
        self.check_holder("release", held, &task)?;
        match task.standing {
            Some(standing) => self.append(Change::Release { number: task.node.id.number, holder: standing.note.holder, why: None })?,
            None => return Err(wrong_state("release", &task)),
        }
        Ok(task.node.id)
    }

    /// Takes a task from whoever has it, saying why.
    pub(crate) fn force_release(&mut self, reference: &str, why: &str) -> Result<NodeId> {
        let why = self.said("why", why)?;
        let task = self.task(reference, "release by force")?;
        match task.standing {
            Some(standing) => self.append(Change::Release { number: task.node.id.number, holder: standing.note.holder, why: Some(why) })?,
            None => return Err(wrong_state("release by force", &task)),
        }
        Ok(task.node.id)
    }

    /// Ends a task as done, and with it the facts that hang on it.
    pub(crate) fn complete(&mut self, held: &Held, summary: &str) -> Result<TaskChange> {
        let summary = self.said("summary", summary)?;
        let task = self.task(&held.task, "complete")?;
        self.check_holder("complete", held, &task)?;
        if task.is_closed() {
            return Err(wrong_state("complete", &task));
        }
        self.change_status(&task, TaskStatus::Completed, |number| Change::Complete { number, summary })
    }

    /// Ends a task as given up; facts that hang on it hold on.
    pub(crate) fn cancel(&mut self, held: &Held, why: &str) -> Result<TaskChange> {
        let why = self.said("why", why)?;
        let task = self.task(&held.task, "cancel")?;
        self.check_holder("cancel", held, &task)?;
        if task.is_closed() {
            return Err(wrong_state("cancel", &task));
        }
        self.change_status(&task, TaskStatus::Cancelled, |number| Change::Cancel { number, why })
    }

    /// Opens a task that was completed or cancelled.
    pub(crate) fn reopen(&mut self, reference: &str, why: &str) -> Result<TaskChange> {
        let why = self.said("why", why)?;
        let task = self.task(reference, "reopen")?;
        if !task.is_closed() {
            return Err(wrong_state("reopen", &task));
        }
        self.change_status(&task, TaskStatus::Open, |number| Change::Reopen { number, why })
    }

    /// Brings a task to the status that an import says it has come to, whoever holds it.
    pub(crate) fn follow_status(&mut self, id: NodeId, status: TaskStatus) -> Result<()> {
        let task = self.task(&id.to_string(), "import")?;
        let why = "the source of an import says so".to_owned();
        let number = id.number;
        if task.is_closed() && task.status() != status {
            self.append(Change::Reopen { number, why: why.clone() })?;
        }
        match status {
            TaskStatus::Completed if task.status() != status => self.append(Change::Complete { number, summary: why }),
            TaskStatus::Cancelled if task.status() != status => self.append(Change::Cancel { number, why }),
            _ => Ok(()),
        }
    }

    /// Ends the claim on a task that an import has made a container, which nobody can hold.
    pub(crate) fn leave_container(&mut self, id: NodeId) -> Result<()> {
        if id.kind != Kind::Task {
            return Ok(());
        }
        let task = self.task(&id.to_string(), "import")?;
        match task.standing {
            Some(standing) if task.class == Class::Container => {
                let why = Some("it became a container".to_owned());
                self.append(Change::Release { number: id.number, holder: standing.note.holder, why })
            }
            _ => Ok(()),
        }
    }

    /// Appends a change of status and tells what became of the facts that hang on the task.
    fn change_status(&mut self, task: &Task, status: TaskStatus, change: impl FnOnce(u64) -> Change) -> Result<TaskChange> {
        let number = task.node.id.number;
        let before = self.states_hanging_on(number)?;
        self.append(change(number))?;
        let mut done = TaskChange { task: task.node.id, status, resolved: Vec::new(), hanging: Vec::new(), revived: Vec::new() };
        for ((id, was), (_, is)) in before.into_iter().zip(self.states_hanging_on(number)?) {
            let holds = |state| matches!(state, State::Live | State::Expired);
            match (was == State::Resolved, is == State::Resolved) {
                (false, true) => done.resolved.push(id),
                (true, false) => done.revived.push(id),
                _ if status == TaskStatus::Cancelled && holds(is) => done.hanging.push(id),
                _ => {}
            }
        }
        Ok(done)
    }

    fn states_hanging_on(&self, task: u64) -> Result<Vec<(NodeId, State)>> {
        let mut found = Vec::new();
        for number in self.views().hanging_on(task)? {
            found.extend(self.views().brief(number)?.map(|brief| (brief.id(), brief.state)));
        }
        Ok(found)
    }

    /// The name under which the writer holds tasks: the actor, and the session if there is one.
    fn own_name(&self) -> String {
        holder_name(&self.actor, self.session.as_deref())
    }

    /// Who asks: the one that is named, else the actor with its session.
    fn asked_for(&self, asking: &Asking) -> Result<String> {
        if asking.lease.is_some_and(|lease| lease.as_millis() == 0) {
            return Err(Error::new(Code::OutOfRange, "check lease: it is shorter than a millisecond").with("field", "lease").with("limit", 1));
        }
        match &asking.holder {
            None => Ok(self.own_name()),
            Some(holder) => {
                check_name("holder", holder)?;
                self.check_secret("holder", holder)?;
                Ok(holder.trim().to_owned())
            }
        }
    }

    /// A text that must be there, without space around it.
    fn said(&self, field: &'static str, text: &str) -> Result<String> {
        check_filled(field, text, FIELD_BYTES)?;
        self.check_secret(field, text)?;
        Ok(text.trim().to_owned())
    }

    fn task(&self, reference: &str, verb: &'static str) -> Result<Task> {
        let (content, node) = self.load(reference)?;
        if node.id.kind != Kind::Task {
            return Err(Error::new(Code::WrongKind, format!("{verb} {}: it is a {}, not a task", node.id, node.id.kind))
                .with("field", "task")
                .with("id", node.id));
        }
        let standing = self.views().standing(node.id.number)?.filter(|_| node.status == Some(TaskStatus::Claimed));
        Ok(Task { class: Class::of(&content.detail), node, standing })
    }

    /// Refuses whoever does not hold a claimed task, and every token but that of the claim as it stands.
    fn check_holder(&self, verb: &'static str, held: &Held, task: &Task) -> Result<()> {
        match (held.token, &task.standing) {
            (Some(token), Some(standing)) if token == standing.token => Ok(()),
            (Some(_), _) => Err(not_holder(verb, task, "the token is of an earlier claim")),
            (None, Some(standing)) if standing.note.holder != self.own_name() => Err(not_holder(verb, task, "another holds it")),
            (None, _) => Ok(()),
        }
    }

    /// True if this operation's time is so far after the log's that it may be the clock that is wrong.
    fn clock_is_ahead(&self) -> Result<bool> {
        let last = log::time_of(self.views().conn(), self.begun)?;
        Ok(last.is_none_or(|last| self.at.since(last) > CLOCK_AHEAD))
    }
}

/// A task with the claim on it.
struct Task {
    class: Class,
    node: Node,
    /// None unless it is claimed.
    standing: Option<Standing>,
}

impl Task {
    fn status(&self) -> TaskStatus {
        self.node.status.unwrap_or(TaskStatus::Open)
    }

    fn is_closed(&self) -> bool {
        matches!(self.status(), TaskStatus::Completed | TaskStatus::Cancelled)
    }
}

fn wrong_state(verb: &str, task: &Task) -> Error {
    let state = task.node.state;
    let how = if matches!(state, State::Archived | State::Retired) { state.as_str() } else { task.status().as_str() };
    Error::new(Code::WrongState, format!("{verb} {}: it is {how}", task.node.id)).with("id", task.node.id).with("status", task.status())
}

fn not_holder(verb: &str, task: &Task, why: &str) -> Error {
    let id = task.node.id;
    let Some(Standing { note, .. }) = &task.standing else {
        return Error::new(Code::NotHolder, format!("{verb} {id}: {why}, and it is {} now", task.status())).with("id", id);
    };
    Error::new(Code::NotHolder, format!("{verb} {id}: {why}, {} has it since {}", note.holder, note.since))
        .with("id", id)
        .with("holder", &note.holder)
        .with("since", note.since)
}
