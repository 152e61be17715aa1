//! Reads of work: what is ready, who does what, how far a container is, and all that whoever continues a task needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::candidate::{Candidate, LastOrder, Way};
use super::entries::{Body, entry, pointer, replacement};
use super::heads::Heads;
use super::nodes::Nodes;
use super::options::ReadyOptions;
use super::reads::{HistoryItem, latest};
use super::result::{Entry, Pointer, Role};
use super::risks::on_path;
use super::score::RankingTable;
use super::walk::Start;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::time::{Deadline, Timestamp};
use crate::record::claim::{ClaimNote, ContainerProgress};
use crate::record::edge::Relation;
use crate::record::node::{Category, Class, Detail, State, TaskStatus, TaskType};
use crate::record::reader::{Snapshot, unknown};
use crate::record::task_views::{Branches, Lapsed, TaskFilter};

/// Most neighbours of a task that its handoff looks at, and most tasks that wait for it which it names.
const NEIGHBOURS: usize = 200;
/// Most items of a task's history that its handoff tells, the latest.
const HISTORY: usize = 40;

/// A task as lists of tasks show it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id.
    pub id: NodeId,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its title.
    pub title: String,
    /// Work, or a container of work.
    pub task_type: TaskType,
    /// 0 (highest) to 4.
    pub priority: u8,
    /// Where it stands.
    pub status: TaskStatus,
    /// Whether it holds.
    pub state: State,
    /// Who works on it; of a task that is done or given up, who did.
    pub claim: Option<ClaimNote>,
    /// The unfinished tasks that block it.
    pub blocked_by: Vec<NodeId>,
    /// How far it is, if it is a container.
    pub progress: Option<ContainerProgress>,
    /// Its tags, in order.
    pub tags: Vec<String>,
    /// The component it sits under.
    pub component: Option<NodeId>,
    /// When it was first recorded.
    pub created_at: Timestamp,
    /// When its text or its status changed last.
    pub updated_at: Timestamp,
}

pub(crate) fn ready(snapshot: &Snapshot, options: &ReadyOptions) -> Result<Vec<Task>> {
    let filter = snapshot.task_filter(&TaskFilter { tags: options.tags.clone(), component: options.component.clone() })?;
    listed(snapshot, snapshot.ready(&filter, options.limit, Lapsed::Ready)?)
}

pub(crate) fn tasks(snapshot: &Snapshot, holder: Option<&str>, status: Option<TaskStatus>) -> Result<Vec<Task>> {
    listed(snapshot, snapshot.tasks(holder, status)?)
}

fn listed(snapshot: &Snapshot, numbers: Vec<u64>) -> Result<Vec<Task>> {
    let mut branches = Branches::default();
    numbers.into_iter().map(|number| task(snapshot, number, &mut branches)).collect()
}

pub(crate) fn progress(snapshot: &Snapshot, container: &str) -> Result<ContainerProgress> {
    snapshot.progress(snapshot.require(container)?.id.number, &mut Branches::default())
}

fn task(snapshot: &Snapshot, number: u64, branches: &mut Branches) -> Result<Task> {
    let node = snapshot.node(number)?.ok_or_else(|| unknown(&number.to_string()))?;
    let Detail::Task(detail) = node.detail else {
        return Err(Error::new(Code::WrongKind, format!("read {}: it is a {}, not a task", node.id, node.id.kind)).with("field", "task").with("id", node.id));
    };
    let container = detail.task_type != TaskType::Task;
    Ok(Task {
        id: node.id,
        aliases: node.aliases,
        title: node.title,
        task_type: detail.task_type,
        priority: detail.priority,
        status: node.status.unwrap_or(TaskStatus::Open),
        state: node.state,
        claim: snapshot.standing(number)?.map(|standing| standing.note),
        blocked_by: snapshot.blockers(number)?,
        progress: if container { Some(snapshot.progress(number, branches)?) } else { None },
        tags: node.tags,
        component: node.component,
        created_at: node.created_at,
        updated_at: node.updated_at,
    })
}

/// A task with all that whoever continues it needs; written out by the rendering.
pub(crate) struct Handoff {
    /// The instant that ages are told from.
    pub(crate) now: Timestamp,
    /// The task, whole.
    pub(crate) task: Entry,
    /// How one can tell that it is done.
    pub(crate) criteria: String,
    /// How far it is, if it is a container.
    pub(crate) progress: Option<ContainerProgress>,
    /// Unfinished tasks that block it.
    pub(crate) blocked_by: Vec<Entry>,
    /// Unfinished tasks that wait for it.
    pub(crate) blocks: Vec<Pointer>,
    /// True if more than these do.
    pub(crate) blocks_more: bool,
    /// The circle of tasks that wait for each other in which it stands, if it does.
    pub(crate) deadlock: Vec<NodeId>,
    /// Decisions and architecture.
    pub(crate) decisions: Vec<Entry>,
    /// Risks joined to it, and those on its path.
    pub(crate) risks: Vec<Entry>,
    /// Gaps joined to it.
    pub(crate) gaps: Vec<Entry>,
    /// Pairs of live nodes that contradict each other, of which at least one is shown.
    pub(crate) conflicts: Vec<(Pointer, Pointer)>,
    /// Everything else that is joined to it.
    pub(crate) others: Vec<Entry>,
    /// What happened to it last, oldest first.
    pub(crate) history: Vec<HistoryItem>,
    /// How much happened to it before.
    pub(crate) earlier: usize,
}

pub(crate) fn handoff(snapshot: &Snapshot, table: Arc<RankingTable>, reference: &str) -> Result<Handoff> {
    let id = snapshot.require(reference)?.id;
    if id.kind != Kind::Task {
        return Err(Error::new(Code::WrongKind, format!("hand {id} over: it is a {}, not a task", id.kind)).with("field", "task").with("id", id));
    }
    let mut nodes = Nodes::new(snapshot, table);
    let mut gathering = Gathering { nodes: &mut nodes, seen: vec![id.number], entries: Vec::new() };
    let mut own = gathering.shown(id.number, None)?;
    gathering.neighbours(id.number)?;
    let mut entries = gathering.entries;
    let text = nodes.text(id.number)?.ok_or_else(|| unknown(reference))?;
    text.content.body.trim().clone_into(&mut own.body);
    let criteria = match &text.content.detail {
        Detail::Task(detail) => detail.success_criteria.clone(),
        _ => String::new(),
    };
    let joined =
        |outgoing| -> Result<BTreeSet<u64>> { Ok(snapshot.steps_in(id.number, Relation::Blocks, outgoing)?.into_iter().map(|step| step.neighbour).collect()) };
    let (before, after) = (joined(false)?, joined(true)?);
    let mut waiting = snapshot.waiting_for(id.number, NEIGHBOURS + 1)?;
    let blocks_more = waiting.len() > NEIGHBOURS;
    waiting.truncate(NEIGHBOURS);
    let (earlier, history) = latest(snapshot, id.number, HISTORY)?;
    let mut handoff = Handoff {
        now: snapshot.now(),
        progress: if own.container { Some(snapshot.progress(id.number, &mut Branches::default())?) } else { None },
        task: own,
        criteria,
        blocked_by: Vec::new(),
        blocks: Vec::new(),
        blocks_more,
        deadlock: deadlock(snapshot, id)?,
        decisions: Vec::new(),
        risks: Vec::new(),
        gaps: Vec::new(),
        conflicts: Vec::new(),
        others: Vec::new(),
        history,
        earlier,
    };
    for waiting in waiting {
        handoff.blocks.extend(pointer(&mut nodes, waiting.number)?);
    }
    // Live before ended, then as they were found: by weight of the edge, then of the node, newest first.
    entries.sort_by_key(|entry| entry.state != State::Live);
    for entry in entries {
        let live = entry.state == State::Live;
        let unfinished = matches!(entry.status, Some(TaskStatus::Open | TaskStatus::Claimed));
        match entry.category {
            Some(Category::Decision | Category::Architecture) => handoff.decisions.push(entry),
            Some(Category::Risk) if live => handoff.risks.push(entry),
            Some(Category::Gap) if live => handoff.gaps.push(entry),
            _ if unfinished && before.contains(&entry.id.number) => handoff.blocked_by.push(entry),
            _ if unfinished && after.contains(&entry.id.number) => {}
            _ => handoff.others.push(entry),
        }
    }
    handoff.conflicts = conflicts(&handoff);
    Ok(handoff)
}

/// The circle of tasks that wait for each other in which a task stands; none is looked for where an end is loose.
fn deadlock(snapshot: &Snapshot, id: NodeId) -> Result<Vec<NodeId>> {
    for outgoing in [true, false] {
        let edges = |relation| snapshot.steps_in(id.number, relation, outgoing);
        if edges(Relation::Blocks)?.is_empty() && edges(Relation::Fulfills)?.is_empty() {
            return Ok(Vec::new());
        }
    }
    Ok(snapshot.deadlocks()?.into_iter().find(|circle| circle.contains(&id)).unwrap_or_default())
}

/// The pairs of live nodes of a handoff that contradict each other or something else, each once.
fn conflicts(handoff: &Handoff) -> Vec<(Pointer, Pointer)> {
    let mut pairs: Vec<(Pointer, Pointer)> = Vec::new();
    for entry in [&handoff.decisions, &handoff.risks, &handoff.gaps, &handoff.others].into_iter().flatten().chain([&handoff.task]) {
        for other in &entry.conflicts {
            let own = Pointer { id: entry.id, title: entry.title.clone() };
            let pair = if own.id.number < other.id.number { (own, other.clone()) } else { (other.clone(), own) };
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs.sort_by_key(|(a, b)| (a.id.number, b.id.number));
    pairs
}

/// The entries of a handoff as they are found.
struct Gathering<'n, 's> {
    nodes: &'n mut Nodes<'s>,
    seen: Vec<u64>,
    entries: Vec<Entry>,
}

impl Gathering<'_, '_> {
    /// Takes in what is joined to a task: a retired node by its heads, which say what they replaced; then the risks on its path.
    fn neighbours(&mut self, task: u64) -> Result<()> {
        let mut all_heads = Heads::default();
        for step in self.nodes.best_steps(task, NEIGHBOURS, &|_, _, class| class != Class::Component)? {
            let Some(brief) = self.nodes.brief(step.neighbour)? else { continue };
            let edge = Some((step.relation, task));
            let heads = if brief.retired { all_heads.heads(self.nodes, step.neighbour)? } else { std::rc::Rc::default() };
            for head in heads.iter() {
                self.take(head.number, edge, Some((step.neighbour, head.edge)))?;
            }
            if heads.is_empty() && brief.state != State::Archived {
                self.take(step.neighbour, edge, None)?;
            }
        }
        let (risks, _) = on_path(self.nodes, &[Start { number: task, rank: 0 }], Deadline::NEVER)?;
        for (number, reach) in risks {
            self.take(number, Some((reach.via, reach.from)), None)?;
        }
        Ok(())
    }

    fn take(&mut self, number: u64, edge: Option<(Relation, u64)>, replaced: Option<(u64, i64)>) -> Result<()> {
        if let Some(held) = self.entries.iter_mut().find(|entry| entry.id.number == number) {
            if let Some((retired, edge)) = replaced {
                held.replaces.push(replacement(self.nodes, retired, edge)?);
            }
            return Ok(());
        }
        if self.seen.contains(&number) {
            return Ok(());
        }
        self.seen.push(number);
        let mut entry = self.shown(number, edge)?;
        if let Some((retired, edge)) = replaced {
            entry.replaces.push(replacement(self.nodes, retired, edge)?);
        }
        self.entries.push(entry);
        Ok(())
    }

    /// The entry of a node, whole.
    fn shown(&mut self, number: u64, edge: Option<(Relation, u64)>) -> Result<Entry> {
        let brief = self.nodes.brief(number)?.ok_or_else(|| unknown(&number.to_string()))?;
        let way = Way { role: Role::Named, edge, hops: u32::from(edge.is_some()), seed_rank: None, rank: 0, support: 0, found: u32::MAX };
        let candidate = Candidate::new(&self.nodes.table, &LastOrder::default(), brief, way);
        entry(self.nodes, &candidate, Body::Read)
    }
}
