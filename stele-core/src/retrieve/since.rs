//! How things stand for a session that comes back: what it holds, where it stopped, what others did since.

use std::collections::HashMap;

use super::cued::{Again, led_to};
use super::entries::pointer;
use super::nodes::Nodes;
use super::result::{Pointer, Retrieval};
use super::source::Source;
use crate::base::error::Result;
use crate::base::time::{Deadline, Timestamp};
use crate::record::cues::Cued;
use crate::record::edge::Relation;
use crate::record::operation::{Change, Operation};
use crate::record::session::SessionState;

/// Operations that are looked through, the last ones of the log.
const MOST_OPERATIONS: u64 = 2_000;
/// Bytes that these say at most: whole documents may stand in them.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Most nodes that are listed with what happened to them.
const MOST_HAPPENED: usize = 20;
/// Most nodes that are listed as last written.
const MOST_WRITTEN: usize = 5;

/// Something that happened to a node since the session was last here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Happened {
    /// The operation.
    pub sequence: u64,
    /// The node.
    pub node: Pointer,
    /// What its category or kind is called.
    pub class: &'static str,
    /// What happened, in a word or two.
    pub what: &'static str,
    /// Who did it.
    pub actor: String,
}

/// Where a session stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stopped {
    /// Its prompts so far.
    pub turn: u64,
    /// When it was last heard of, or last wrote.
    pub at: Timestamp,
    /// What it last wrote to the record, newest first, at most five.
    pub wrote: Vec<Pointer>,
}

/// How things stand for a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) stopped: Option<Stopped>,
    /// Newest first.
    pub(crate) happened: Vec<Happened>,
    /// How much more happened than is listed; the least there is, where looking stopped.
    pub(crate) more: u64,
}

/// What the session holds as a retrieval, and how things stand.
///
/// A session that was never heard of was last here when it, or its actor in any session, last wrote; one that never wrote
/// has missed nothing.
pub(crate) fn standing(source: &dyn Source, actor: Option<&str>, name: &str, session: &SessionState) -> Result<(Retrieval, Standing)> {
    let snapshot = source.snapshot(None, None, Deadline::NEVER)?;
    let head = snapshot.head();
    let first = snapshot.lately(MOST_OPERATIONS, MOST_BYTES)?;
    let (mut wrote, mut last_wrote) = (Vec::new(), None);
    let mut others: Vec<(u64, u64, &'static str, String)> = Vec::new();
    snapshot.operations(first, head, &mut |operation: Operation| {
        let Some((number, what)) = touched(&operation.change) else { return };
        let own = operation.session.as_deref() == Some(name);
        if own || actor == Some(operation.actor.as_str()) {
            wrote.retain(|written| *written != number);
            wrote.push(number);
            last_wrote = Some((operation.sequence, operation.at));
        }
        if !own {
            others.push((operation.sequence, number, what, operation.actor));
        }
    })?;
    let mut nodes = Nodes::of(source, &snapshot);
    let seen = session.seen.or(last_wrote.map(|(sequence, _)| sequence));
    let mut standing = Standing::default();
    if let Some(seen) = seen {
        let at = last_wrote.map(|(_, at)| at).filter(|at| session.seen.is_none() || at.unix_ms() > session.seen_ms);
        let mut stopped = Stopped { turn: session.turn, at: at.unwrap_or(Timestamp::from_unix_ms(session.seen_ms)), wrote: Vec::new() };
        for number in wrote.iter().rev().take(MOST_WRITTEN) {
            stopped.wrote.extend(pointer(&mut nodes, *number)?);
        }
        standing.stopped = Some(stopped);
        others.retain(|(sequence, ..)| *sequence > seen);
        // What happened last to a node is what counts; that it is new outlives a later revision.
        let mut latest: HashMap<u64, (u64, &'static str, String)> = HashMap::new();
        for (sequence, number, what, actor) in others {
            let new = latest.get(&number).is_some_and(|(_, what, _)| *what == NEW) && what == REVISED;
            latest.insert(number, (sequence, if new { NEW } else { what }, actor));
        }
        let mut order: Vec<(u64, (u64, &'static str, String))> = latest.into_iter().collect();
        order.sort_by_key(|(number, (sequence, ..))| (std::cmp::Reverse(*sequence), *number));
        standing.more = order.len().saturating_sub(MOST_HAPPENED) as u64 + first.saturating_sub(seen + 1);
        for (number, (sequence, what, actor)) in order.into_iter().take(MOST_HAPPENED) {
            let Some(brief) = nodes.brief(number)? else { continue };
            let node = Pointer { id: brief.id(), title: brief.title.clone() };
            standing.happened.push(Happened { sequence, node, class: brief.class.as_str(), what, actor });
        }
    }
    let held: Vec<Cued> = snapshot.held_by(actor, name)?.into_iter().map(|number| Cued { rank: 0, risk: false, number }).collect();
    Ok((led_to(source, &snapshot, &held, &SessionState { quiet: session.quiet, ..SessionState::default() }, Again::No)?, standing))
}

const NEW: &str = "new";
const REVISED: &str = "revised";

/// The node that a change is about, and what happened to it in a word or two; none for what a reader need not know.
fn touched(change: &Change) -> Option<(u64, &'static str)> {
    match change {
        Change::Create(create) => Some((create.number, NEW)),
        Change::Revise(revise) => Some((revise.number, REVISED)),
        Change::Link(link) if link.relation == Relation::Supersedes => Some((link.to, "retired")),
        Change::Link(link) if link.relation == Relation::Contradicts => Some((link.to, "contradicted")),
        Change::Demote { older, .. } => Some((*older, "live again")),
        Change::Archive { number, .. } => Some((*number, "archived")),
        Change::Claim(take) => Some((take.number, "claimed")),
        Change::Release { number, .. } => Some((*number, "released")),
        Change::Complete { number, .. } => Some((*number, "completed")),
        Change::Cancel { number, .. } => Some((*number, "cancelled")),
        Change::Reopen { number, .. } => Some((*number, "reopened")),
        _ => None,
    }
}
