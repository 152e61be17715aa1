//! Reads of a snapshot that concern tasks: claims, what is ready, what blocks, what hangs on a task, how far a container is.

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};

use super::claim::{ClaimNote, ContainerProgress, Standing};
use super::database::{Trouble, number_in, number_out};
use super::edge::Relation;
use super::node::{Class, State, TaskStatus};
use super::reader::{Snapshot, unknown};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
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
        self.conn()
            .prepare_cached("SELECT holder, since_ms, until_ms, lease_ms, from_seq FROM claim WHERE task = ?1 AND from_seq <= ?2 AND to_seq > ?2")
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
            Some(reference) => {
                let id = self.require(reference)?.id;
                if id.kind != Kind::Component {
                    return Err(Error::new(Code::WrongKind, format!("check component: {id} is a {}, not a component", id.kind)).with("field", "component"));
                }
                Some(self.under(id.number)?)
            }
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
            if wanted && found.len() < limit && self.blockers(task.number)?.is_empty() {
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
        self.unfinished(task, false)
    }

    /// The unfinished tasks and containers that wait for a task, in the order of their numbers.
    pub(crate) fn waiting_for(&self, task: u64) -> Result<Vec<NodeId>> {
        self.unfinished(task, true)
    }

    fn unfinished(&self, task: u64, outgoing: bool) -> Result<Vec<NodeId>> {
        let mut found = Vec::new();
        for step in self.steps_in(task, Relation::Blocks, outgoing)? {
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
                // A slash stands between actor and session, and the next character after it is a zero.
                let sql = "SELECT task FROM claim WHERE (holder = ?1 OR (holder > ?1 || '/' AND holder < ?1 || '0')) AND from_seq <= ?2 AND to_seq > ?2";
                let mut rows = Vec::new();
                for number in self.numbers(sql, &[&holder, &number_in(self.at())])? {
                    rows.extend(self.nodes("updated_ms, number", &format!("{wanted} AND number = ?1"), &number_in(number), read)?);
                }
                rows
            }
        };
        rows.sort_unstable_by_key(|(updated_ms, number)| (std::cmp::Reverse(*updated_ms), *number));
        Ok(rows.into_iter().map(|(_, number)| number).collect())
    }

    /// How far a container is.
    ///
    /// # Errors
    /// `unknown_node`; `wrong_kind` for what is no container.
    pub(crate) fn progress(&self, container: u64) -> Result<ContainerProgress> {
        let root = self.brief(container)?.ok_or_else(|| unknown(&container.to_string()))?;
        if root.class != Class::Container {
            return Err(Error::new(Code::WrongKind, format!("tell the progress of {}: it is no container", root.id()))
                .with("field", "container")
                .with("id", root.id()));
        }
        let mut progress = ContainerProgress::default();
        let (mut seen, mut open) = (BTreeSet::from([container]), vec![container]);
        while let Some(parent) = open.pop() {
            for step in self.steps_in(parent, Relation::Blocks, false)? {
                if !matches!(step.class, Class::Task | Class::Container) || !seen.insert(step.neighbour) {
                    continue;
                }
                if step.class == Class::Container {
                    open.push(step.neighbour);
                    continue;
                }
                let status = self.brief(step.neighbour)?.and_then(|brief| brief.status);
                progress.completed += u64::from(status == Some(TaskStatus::Completed));
                progress.total += u64::from(status != Some(TaskStatus::Cancelled));
            }
        }
        Ok(progress)
    }
}
