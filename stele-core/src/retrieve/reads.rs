//! Reads of single nodes: the node, its neighbours, its history, its reasons, its contradictions.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::entries::{pointer, replacement};
use super::nodes::Nodes;
use super::options::{Direction, NeighbourOptions};
use super::result::{Pointer, Replacement};
use super::score::RankingTable;
use crate::base::erase::ERASED;
use crate::base::error::Result;
use crate::base::id::{Kind, NodeId};
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::{Category, Node, Source, State};
use crate::record::operation::{Change, Operation, TakeTask};
use crate::record::reader::{Snapshot, unknown};

/// Most nodes that a chain of replacements is followed through, and most that are told to have replaced a node.
const MOST_REPLACED: usize = 1_000;

/// A node at the other end of an edge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Neighbour {
    /// Its id.
    pub id: NodeId,
    /// Its kind.
    pub kind: Kind,
    /// Its category, if it is a fact.
    pub category: Option<Category>,
    /// Whether it holds.
    pub state: State,
    /// Its title.
    pub title: String,
    /// What the edge says.
    pub relation: Relation,
    /// True if the edge ends at the neighbour.
    pub outgoing: bool,
    /// Why it is said.
    pub reason: String,
    /// The line that it rests on.
    pub evidence: Option<String>,
    /// When it was drawn.
    pub at: Timestamp,
    /// True if it was drawn because a text names the node.
    pub automatic: bool,
}

/// One operation that concerns a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistoryItem {
    /// Its place in the log.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// In which session.
    pub session: Option<String>,
    /// The word of the operation, such as `create`, `revise`, `link`.
    pub action: String,
    /// What changed, in words.
    pub what: String,
    /// Why, if it was said.
    pub why: String,
    /// The title that the node had from then on, if the operation set its text.
    pub title: Option<String>,
    /// The body that the node had from then on, if the operation set its text.
    pub body: Option<String>,
}

/// Where a node comes from and what it stands on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Why {
    /// The node.
    pub node: Node,
    /// What it replaced, nearest first, down to the first of the chain.
    pub replaced: Vec<Origin>,
    /// What replaced it directly, at most 1,000.
    pub replaced_by: Vec<Replacement>,
}

/// One link of a chain of replacements.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// The replaced node, with what its end rests on.
    pub replacement: Replacement,
    /// The node that replaced it.
    pub by: NodeId,
    /// How many replacements lie between it and the node that was asked for.
    pub depth: u32,
    /// When the replaced node came to be.
    pub created_at: Timestamp,
    /// Who wrote it.
    pub actor: String,
    /// Where it comes from.
    pub source: Option<Source>,
}

/// Two live nodes that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The node whose number is smaller.
    pub a: Pointer,
    /// The other one.
    pub b: Pointer,
    /// Why they contradict each other.
    pub reason: String,
    /// Since when that is known.
    pub since: Timestamp,
}

pub(crate) fn get(snapshot: &Snapshot, id: &str) -> Result<Node> {
    let number = snapshot.require(id)?.id.number;
    snapshot.node(number)?.ok_or_else(|| unknown(id))
}

pub(crate) fn neighbours(snapshot: &Snapshot, table: Arc<RankingTable>, id: &str, options: &NeighbourOptions) -> Result<Vec<Neighbour>> {
    let number = snapshot.require(id)?.id.number;
    let mut nodes = Nodes::new(snapshot, table);
    let wanted = |relation: Relation, outgoing: bool, _| {
        let direction = match options.direction {
            Direction::Both => true,
            Direction::Outgoing => outgoing,
            Direction::Incoming => !outgoing,
        };
        direction && options.relations.as_ref().is_none_or(|relations| relations.contains(&relation))
    };
    let mut found = Vec::new();
    for step in nodes.best_steps(number, options.limit, &wanted)? {
        let Some(brief) = nodes.brief(step.neighbour)? else { continue };
        let edge = snapshot.edge(step.edge)?;
        found.push(Neighbour {
            id: brief.id(),
            kind: brief.class.kind(),
            category: brief.class.category(),
            state: brief.state,
            title: brief.title.clone(),
            relation: step.relation,
            outgoing: step.outgoing,
            reason: edge.reason,
            evidence: edge.evidence.map(|evidence| evidence.quote),
            at: edge.at,
            automatic: edge.automatic,
        });
    }
    Ok(found)
}

pub(crate) fn history(snapshot: &Snapshot, id: &str) -> Result<Vec<HistoryItem>> {
    let number = snapshot.require(id)?.id.number;
    Ok(latest(snapshot, number, usize::MAX)?.1)
}

/// The latest items of a node's history, oldest first, at most so many, and how many there are before them.
pub(crate) fn latest(snapshot: &Snapshot, number: u64, most: usize) -> Result<(usize, Vec<HistoryItem>)> {
    let (earlier, operations) = snapshot.operations_on(number, most)?;
    let items = operations.into_iter().map(|operation| item(snapshot, number, operation)).collect::<Result<_>>()?;
    Ok((earlier, items))
}

/// An operation as the history of one of its nodes tells it.
fn item(snapshot: &Snapshot, number: u64, operation: Operation) -> Result<HistoryItem> {
    let action = operation.change.kind().to_owned();
    let name = |other: u64| -> Result<String> { Ok(snapshot.brief(other)?.map_or_else(|| format!("node {other}"), |brief| brief.id().to_string())) };
    let edge = |from: u64, relation: Relation, to: u64| -> Result<String> { Ok(format!("{} {relation} {}", name(from)?, name(to)?)) };
    let (mut title, mut body) = (None, None);
    let (what, why) = match operation.change {
        Change::Create(create) if create.number == number => {
            (title, body) = (Some(create.content.title), Some(create.content.body));
            ("recorded".to_owned(), String::new())
        }
        Change::Revise(revise) if revise.number == number => {
            (title, body) = (Some(revise.content.title), Some(revise.content.body));
            (format!("changed {}", revise.changed.join(", ")), String::new())
        }
        Change::Create(create) => (format!("named by {}", name(create.number)?), String::new()),
        Change::Revise(revise) => (format!("named by {}", name(revise.number)?), String::new()),
        Change::Alias { alias, .. } => (format!("also called {}", if alias.is_empty() { ERASED } else { &alias }), String::new()),
        Change::Link(link) => (edge(link.from, link.relation, link.to)?, link.reason),
        Change::Unlink { from, relation, to, why } => (format!("no longer {}", edge(from, relation, to)?), why),
        Change::Demote { newer, older, why } => (format!("no longer {}", edge(newer, Relation::Supersedes, older)?), why),
        Change::Review { note, .. } => ("confirmed".to_owned(), note),
        Change::Archive { why, .. } => ("put away".to_owned(), why),
        Change::Purge(purge) => ("purged".to_owned(), purge.why),
        Change::Claim(take) => (claimed(&take, operation.at), String::new()),
        Change::Release { holder, why: None, .. } => (format!("released by {holder}"), String::new()),
        Change::Release { holder, why: Some(why), .. } => (format!("taken from {holder}"), why),
        Change::Complete { number: task, summary } if task == number => ("completed".to_owned(), summary),
        Change::Complete { number: task, .. } => (format!("resolved with {}", name(task)?), String::new()),
        Change::Cancel { why, .. } => ("cancelled".to_owned(), why),
        Change::Reopen { number: task, why } if task == number => ("reopened".to_owned(), why),
        Change::Reopen { number: task, .. } => (format!("revived with {}", name(task)?), String::new()),
        Change::Feedback { helped, key, .. } => ((if helped { "helped" } else { "hurt" }).to_owned(), key.unwrap_or_default()),
        Change::Promote { approval, .. } => ("promoted".to_owned(), approval),
    };
    Ok(HistoryItem { sequence: operation.sequence, at: operation.at, actor: operation.actor, session: operation.session, action, what, why, title, body })
}

/// A claim as the history of its task tells it.
fn claimed(take: &TakeTask, at: Timestamp) -> String {
    let mut what = format!("{} by {}", if take.since == at { "claimed" } else { "claim renewed" }, take.holder);
    if let Some(before) = &take.taken_from {
        what.push_str(&format!(", taken over from {before}"));
    }
    if let Some(until) = take.until {
        what.push_str(&format!(", until {until}"));
    }
    what
}

pub(crate) fn why(snapshot: &Snapshot, table: Arc<RankingTable>, id: &str) -> Result<Why> {
    let node = get(snapshot, id)?;
    let mut nodes = Nodes::new(snapshot, table);
    let mut replaced_by = Vec::new();
    for (successor, edge) in nodes.successors(node.id.number)?.into_iter().take(MOST_REPLACED) {
        replaced_by.push(replacement(&mut nodes, successor, edge)?);
    }
    let mut replaced = Vec::new();
    let mut seen = BTreeSet::from([node.id.number]);
    let mut open = vec![node.id];
    let mut depth = 1;
    while !open.is_empty() {
        let mut next = Vec::new();
        for by in open {
            let mut steps = snapshot.steps_in(by.number, Relation::Supersedes, true)?;
            steps.sort_unstable_by_key(|step| step.neighbour);
            for step in steps {
                if replaced.len() == MOST_REPLACED || !seen.insert(step.neighbour) {
                    continue;
                }
                let Some(text) = nodes.text(step.neighbour)? else { continue };
                next.push(NodeId { kind: text.content.detail.kind(), number: step.neighbour });
                replaced.push(Origin {
                    replacement: replacement(&mut nodes, step.neighbour, step.edge)?,
                    by,
                    depth,
                    created_at: text.created_at,
                    actor: text.actor.clone(),
                    source: text.content.source.clone(),
                });
            }
        }
        open = next;
        depth += 1;
    }
    Ok(Why { node, replaced, replaced_by })
}

pub(crate) fn conflicts(snapshot: &Snapshot, table: Arc<RankingTable>, ids: Option<&[&str]>) -> Result<Vec<Conflict>> {
    let mut nodes = Nodes::new(snapshot, table);
    let mut edges = BTreeSet::new();
    match ids {
        None => edges.extend(snapshot.contradictions()?),
        Some(ids) => {
            for id in ids {
                let number = snapshot.require(id)?.id.number;
                for outgoing in [true, false] {
                    edges.extend(snapshot.steps_in(number, Relation::Contradicts, outgoing)?.into_iter().map(|step| step.edge));
                }
            }
        }
    }
    let mut found: Vec<Conflict> = Vec::new();
    for edge in edges {
        let edge = snapshot.edge(edge)?;
        let (a, b) = if edge.from.number < edge.to.number { (edge.from, edge.to) } else { (edge.to, edge.from) };
        let mut live = true;
        for end in [a, b] {
            live &= nodes.brief(end.number)?.is_some_and(|brief| brief.state == State::Live);
        }
        if live && let (Some(a), Some(b)) = (pointer(&mut nodes, a.number)?, pointer(&mut nodes, b.number)?) {
            found.push(Conflict { a, b, reason: edge.reason, since: edge.at });
        }
    }
    found.sort_by_key(|conflict| (conflict.a.id.number, conflict.b.id.number, conflict.since));
    // Two nodes may say of each other that they contradict; the first word stands.
    found.dedup_by(|later, first| later.a.id == first.a.id && later.b.id == first.b.id);
    Ok(found)
}
