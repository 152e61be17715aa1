//! Reads of a snapshot that concern tasks: claims, what is ready, what blocks, what hangs on a task, how far a container is.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};

use super::claim::{ClaimNote, ContainerProgress, Standing};
use super::database::{Trouble, number_in, number_out};
use super::edge::Relation;
use super::node::{Class, State, TaskStatus};
use super::reader::{Snapshot, unknown};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::node_set::NodeSet;
use crate::base::time::Timestamp;

const DURING: &str = "read tasks";
/// What [`Open`] is read from.
const OPEN_COLUMNS: &str = "json_extract(rest, '$.detail.priority'), created_ms, number, component, flags, retired, expires_ms";

/// Which tasks are wanted: with any of the tags, under the component.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TaskFilter {
    pub(crate) tags: Vec<String>,
    /// Id or alias of a component.
    pub(crate) component: Option<String>,
}

/// A filter with its tags and its component looked up.
pub(crate) struct TaskSets {
    tagged: Option<NodeSet>,
    components: Option<NodeSet>,
}

/// How a claim whose lease is over counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lapsed {
    /// As no claim.
    Ready,
    /// As one.
    Held,
}

/// An open task on its way to being ready, in the order of priority, then age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    priority: i64,
    created_ms: i64,
    number: u64,
    component: Option<u64>,
    live: bool,
}

impl Snapshot {
    /// The last claim on a task that was not released; of a task that is done, the one that it was done under.
    pub(crate) fn standing(&self, task: u64) -> Result<Option<Standing>> {
        // The last one by then: a claim that is renewed again and again leaves a row each time.
        let sql = "SELECT holder, since_ms, until_ms, lease_ms, from_seq FROM claim WHERE task = ?1 AND from_seq <= ?2 AND to_seq > ?2 \
                   AND from_seq = (SELECT max(from_seq) FROM claim WHERE task = ?1 AND from_seq <= ?2)";
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_row(params![number_in(task), number_in(self.at())], |row| {
                        Ok(Standing {
                            note: ClaimNote {
                                holder: row.get(0)?,
                                since: Timestamp::from_unix_ms(row.get(1)?),
                                until: row.get::<_, Option<i64>>(2)?.map(Timestamp::from_unix_ms),
                            },
                            lease: row.get::<_, Option<i64>>(3)?.map(|ms| Duration::from_millis(number_out(ms))),
                            token: number_out(row.get(4)?),
                        })
                    })
                    .optional()
            })
            .map_err(Trouble::during(DURING))
    }

    /// Who works on a task, if somebody does.
    pub(crate) fn claim_note(&self, task: u64, status: Option<TaskStatus>) -> Result<Option<ClaimNote>> {
        if status != Some(TaskStatus::Claimed) {
            return Ok(None);
        }
        Ok(self.standing(task)?.map(|standing| standing.note))
    }

    /// Looks up what a filter names.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_kind` for what is no component.
    pub(crate) fn task_filter(&self, filter: &TaskFilter) -> Result<TaskSets> {
        let components = match &filter.component {
            None => None,
            Some(reference) => Some(self.under(self.require_component(reference)?.number)?),
        };
        Ok(TaskSets { tagged: if filter.tags.is_empty() { None } else { Some(self.tagged(&filter.tags)?) }, components })
    }

    /// The first tasks that are open, held by nobody and blocked by no unfinished task, by priority, then age.
    pub(crate) fn ready(&self, filter: &TaskSets, limit: usize, lapsed: Lapsed) -> Result<Vec<u64>> {
        let mut lapsed = if lapsed == Lapsed::Ready { self.lapsed()? } else { Vec::new() };
        lapsed.sort_unstable_by(|a, b| b.cmp(a));
        let mut found = Vec::new();
        let mut take = |task: Open| -> Result<bool> {
            let wanted = task.live
                && filter.tagged.as_ref().is_none_or(|set| set.contains(task.number))
                && filter.components.as_ref().is_none_or(|set| task.component.is_some_and(|component| set.contains(component)));
            if wanted && found.len() < limit && !self.is_blocked(task.number)? {
                found.push(task.number);
            }
            Ok(found.len() < limit)
        };
        self.open_tasks(&mut |task| {
            while let Some(before) = lapsed.pop_if(|before| *before < task) {
                take(before)?;
            }
            take(task)
        })?;
        while let Some(left) = lapsed.pop() {
            take(left)?;
        }
        Ok(found)
    }

    /// Calls `each` with the open tasks by priority, then age, until it says no.
    fn open_tasks(&self, each: &mut dyn FnMut(Open) -> Result<bool>) -> Result<()> {
        if self.is_past() {
            let mut open = self.nodes(OPEN_COLUMNS, "status = 0 AND class = 9 AND ?1 = ?1", &0, |row| self.open_task(row))?;
            open.sort_unstable();
            for task in open {
                if !each(task)? {
                    break;
                }
            }
            return Ok(());
        }
        // Left to choose, SQLite reads and sorts every open task.
        let sql = format!("SELECT {OPEN_COLUMNS} FROM node INDEXED BY node_open WHERE status = 0 AND class = 9 ORDER BY 1, 2, 3");
        let mut statement = self.conn().prepare_cached(&sql).map_err(Trouble::during(DURING))?;
        let mut rows = statement.query([]).map_err(Trouble::during(DURING))?;
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            if !each(self.open_task(row).map_err(Trouble::during(DURING))?)? {
                break;
            }
        }
        Ok(())
    }

    fn open_task(&self, row: &Row<'_>) -> rusqlite::Result<Open> {
        Ok(Open {
            priority: row.get(0)?,
            created_ms: row.get(1)?,
            number: number_out(row.get(2)?),
            component: row.get::<_, Option<i64>>(3)?.map(number_out),
            live: self.state(row.get(4)?, row.get::<_, i64>(5)? > 0, row.get(6)?) == State::Live,
        })
    }

    /// The claimed tasks whose lease is over.
    fn lapsed(&self) -> Result<Vec<Open>> {
        let sql = if self.is_past() {
            "SELECT task FROM claim WHERE from_seq <= ?2 AND to_seq > ?2 AND until_ms <= ?1"
        } else {
            "SELECT task FROM claim WHERE to_seq = 9223372036854775807 AND until_ms IS NOT NULL AND until_ms <= ?1 AND ?2 = ?2"
        };
        let mut found = Vec::new();
        for number in self.numbers(sql, &[&self.now().unix_ms(), &number_in(self.at())])? {
            found.extend(self.nodes(OPEN_COLUMNS, "status = 1 AND class = 9 AND number = ?1", &number_in(number), |row| self.open_task(row))?);
        }
        Ok(found)
    }

    /// The tasks and containers that block a task and are neither completed nor cancelled, in the order of their numbers.
    pub(crate) fn blockers(&self, task: u64) -> Result<Vec<NodeId>> {
        self.unfinished(task, false, usize::MAX)
    }

    /// True if there is one of these; the first that is found is enough.
    pub(crate) fn is_blocked(&self, task: u64) -> Result<bool> {
        if self.is_past() {
            return Ok(!self.unfinished(task, false, 1)?.is_empty());
        }
        // In this order SQLite looks at one blocking task after the other, and only until one is unfinished.
        let sql = "SELECT 1 FROM adjacent CROSS JOIN node ON node.number = adjacent.neighbour \
                   WHERE adjacent.node = ?1 AND adjacent.relation = ?2 AND adjacent.direction = 1 AND adjacent.class IN (9, 10) \
                   AND adjacent.to_seq = 9223372036854775807 AND node.status IN (0, 1)";
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.exists(params![number_in(task), Relation::Blocks.number()]))
            .map_err(Trouble::during(DURING))
    }

    /// Unfinished tasks and containers that wait for a task, at most so many, in the order of their numbers.
    pub(crate) fn waiting_for(&self, task: u64, most: usize) -> Result<Vec<NodeId>> {
        self.unfinished(task, true, most)
    }

    fn unfinished(&self, task: u64, outgoing: bool, most: usize) -> Result<Vec<NodeId>> {
        let mut found = Vec::new();
        for step in self.steps_in(task, Relation::Blocks, outgoing)? {
            if found.len() == most {
                break;
            }
            if !matches!(step.class, Class::Task | Class::Container) {
                continue;
            }
            let brief = self.brief(step.neighbour)?;
            found.extend(brief.filter(|brief| matches!(brief.status, Some(TaskStatus::Open | TaskStatus::Claimed))).map(|brief| brief.id()));
        }
        found.sort_unstable_by_key(|id| id.number);
        Ok(found)
    }

    /// The nodes that end when a task is completed, in the order of their numbers.
    pub(crate) fn hanging_on(&self, task: u64) -> Result<Vec<u64>> {
        let mut found: BTreeSet<u64> = self.nodes("number", "resolves_with = ?1", &number_in(task), |row| Ok(number_out(row.get(0)?)))?.into_iter().collect();
        found.extend(self.steps_in(task, Relation::ExpiresOn, false)?.into_iter().map(|step| step.neighbour));
        Ok(found.into_iter().collect())
    }

    /// The tasks of a holder, or all; last changed first. An actor's tasks are those of all its sessions.
    pub(crate) fn tasks(&self, holder: Option<&str>, status: Option<TaskStatus>) -> Result<Vec<u64>> {
        let wanted = status.map_or_else(|| "status IS NOT NULL".to_owned(), |status| format!("status = {}", status.number()));
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, number_out(row.get(1)?)));
        let mut rows = match holder {
            None => self.nodes("updated_ms, number", &format!("{wanted} AND ?1 = ?1"), &0, read)?,
            Some(holder) => {
                let mut rows = Vec::new();
                // A slash stands between actor and session.
                let own = format!("{holder}/");
                for name in std::iter::once(holder.to_owned()).chain(self.holder_names(&own, |name| name.starts_with(&own))?) {
                    for number in self.held_tasks(&name)? {
                        rows.extend(self.nodes("updated_ms, number", &format!("{wanted} AND number = ?1"), &number_in(number), read)?);
                    }
                }
                rows
            }
        };
        rows.sort_unstable_by_key(|(updated_ms, number)| (std::cmp::Reverse(*updated_ms), *number));
        Ok(rows.into_iter().map(|(_, number)| number).collect())
    }

    /// The names after one under which tasks were ever held, in order, as long as `wanted` says so.
    pub(crate) fn holder_names(&self, after: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let sql = "SELECT holder FROM claim WHERE holder > ?1 ORDER BY holder LIMIT 1";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let mut found: Vec<String> = Vec::new();
        // From one name to the next, so that what one of them holds again and again is not gone through.
        loop {
            let last = found.last().map_or(after, String::as_str);
            let next: Option<String> = statement.query_row([last], |row| row.get(0)).optional().map_err(Trouble::during(DURING))?;
            match next.filter(|holder| wanted(holder)) {
                Some(holder) => found.push(holder),
                None => return Ok(found),
            }
        }
    }

    /// The tasks of which a holder has the last claim, in the order of their numbers.
    pub(crate) fn held_tasks(&self, holder: &str) -> Result<Vec<u64>> {
        let sql = "SELECT task FROM claim WHERE holder = ?1 AND task > ?2 ORDER BY task LIMIT 1";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let (mut found, mut last) = (Vec::new(), 0);
        while let Some(task) = statement.query_row(params![holder, last], |row| row.get(0)).optional().map_err(Trouble::during(DURING))? {
            last = task;
            if self.standing(number_out(task))?.is_some_and(|standing| standing.note.holder == holder) {
                found.push(number_out(task));
            }
        }
        Ok(found)
    }

    /// How far a container is; what containers wait for is read once for all of which `branches` is told.
    ///
    /// # Errors
    /// `unknown_node`; `wrong_kind` for what is no container.
    pub(crate) fn progress(&self, container: u64, branches: &mut Branches) -> Result<ContainerProgress> {
        let root = self.brief(container)?.ok_or_else(|| unknown(&container.to_string()))?;
        if root.class != Class::Container {
            return Err(Error::new(Code::WrongKind, format!("tell the progress of {}: it is no container", root.id()))
                .with("field", "container")
                .with("id", root.id()));
        }
        let mut progress = ContainerProgress::default();
        let mut seen: NodeSet = [container].into_iter().collect();
        let mut open = vec![container];
        while let Some(parent) = open.pop() {
            for branch in self.branches(parent, branches)? {
                if seen.contains(branch.number) {
                    continue;
                }
                seen.insert(branch.number);
                if branch.is_container {
                    open.push(branch.number);
                    continue;
                }
                progress.completed += u64::from(branch.status == Some(TaskStatus::Completed));
                progress.total += u64::from(branch.status != Some(TaskStatus::Cancelled));
            }
        }
        Ok(progress)
    }

    /// What one container waits for.
    fn branches<'b>(&self, parent: u64, known: &'b mut Branches) -> Result<&'b [Branch]> {
        Ok(match known.0.entry(parent) {
            Entry::Occupied(held) => held.into_mut(),
            Entry::Vacant(place) => {
                let mut found = Vec::new();
                for step in self.steps_in(parent, Relation::Blocks, false)? {
                    let is_container = step.class == Class::Container;
                    if is_container || step.class == Class::Task {
                        let status = if is_container { None } else { self.brief(step.neighbour)?.and_then(|brief| brief.status) };
                        found.push(Branch { number: step.neighbour, is_container, status });
                    }
                }
                place.insert(found)
            }
        })
    }
}

/// What containers wait for, as far as it was read: many that are told of together have the same below them.
#[derive(Default)]
pub(crate) struct Branches(HashMap<u64, Vec<Branch>>);

/// A task or container that a container waits for.
struct Branch {
    number: u64,
    is_container: bool,
    /// None for a container.
    status: Option<TaskStatus>,
}
