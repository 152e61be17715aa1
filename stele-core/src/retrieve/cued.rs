//! From what a place or an output led to, to a retrieval: no search and no walk. Which facts those are stands in
//! `record/cues.rs`.

use std::collections::BTreeMap;

use super::candidate::{Candidate, LastOrder, Way};
use super::find::{bare, note_gaps, show, used_up_gap};
use super::fold::Likeness;
use super::heads::Heads;
use super::nodes::{BESIDE, Nodes};
use super::result::{Retrieval, Role, Status};
use super::source::Source;
use super::window::{Frame, fill};
use crate::base::config::{QUIET_ENTRIES, WINDOW_ENTRIES};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::base::triggers::Printed;
use crate::record::cues::{Cued, in_order};
use crate::record::node::{Category, Class, State};
use crate::record::reader::{Snapshot, unknown};
use crate::record::session::SessionState;

/// Facts that are looked at for one moment; the closest come first.
const MOST_LOOKED_AT: usize = 200;

/// What is anchored to a path of the project, written in any of these ways, and to a symbol in it.
pub(crate) fn anchored(source: &dyn Source, paths: &[String], symbol: Option<&str>, session: &SessionState) -> Result<Retrieval> {
    let snapshot = source.snapshot(None, None, Deadline::NEVER)?;
    let mut found: Vec<Cued> = Vec::new();
    for path in paths {
        found.extend(snapshot.anchored(path, symbol)?);
    }
    led_to(source, &snapshot, &in_order(found), session, Again::No)
}

/// The lessons and risks a literal trigger of which stands in what a tool printed.
pub(crate) fn triggered(source: &dyn Source, output: &str, session: &SessionState) -> Result<Retrieval> {
    let snapshot = source.snapshot(None, None, Deadline::NEVER)?;
    let found = snapshot.cued(&Printed::read(output), WINDOW_ENTRIES as i64)?;
    led_to(source, &snapshot, &found, session, Again::No)
}

/// The live facts that work may have ended: of a task, or else of the tasks that the session holds.
///
/// First what says that it ends with the task, then what an edge joins to it; what the session has comes as a line.
pub(crate) fn ended_by(source: &dyn Source, task: Option<&str>, name: &str, session: &SessionState) -> Result<Retrieval> {
    let snapshot = source.snapshot(None, None, Deadline::NEVER)?;
    let tasks = match task {
        Some(task) => vec![snapshot.resolve(task)?.ok_or_else(|| unknown(task))?.id.number],
        None => snapshot.held_by(None, name)?,
    };
    let mut found: Vec<Cued> = Vec::new();
    let mut nodes = Nodes::of(source, &snapshot);
    for task in tasks {
        found.extend(snapshot.hanging_on(task)?.into_iter().map(|number| Cued { rank: 0, risk: false, number }));
        let facts = nodes.best_steps(task, BESIDE, &|_, _, class| matches!(class, Class::Knowledge(_)))?;
        found.extend(facts.into_iter().map(|step| Cued { rank: 1, risk: false, number: step.neighbour }));
    }
    led_to(source, &snapshot, &in_order(found), session, Again::AsLine)
}

/// What becomes of what the session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is left out.
    No,
    /// It comes as one line.
    AsLine,
}

/// A retrieval of what was led to: live risks as callouts, the heads of what was retired in its place, nothing else that
/// has ended, and nothing that the session has.
pub(crate) fn led_to(source: &dyn Source, snapshot: &Snapshot, found: &[Cued], session: &SessionState, again: Again) -> Result<Retrieval> {
    let mut nodes = Nodes::of(source, snapshot);
    let frame = Frame {
        cap: if session.quiet { QUIET_ENTRIES } else { WINDOW_ENTRIES },
        ranked: session.tokens_left() != Some(0),
        session: (again == Again::No).then_some(session),
        last: LastOrder::default(),
        deadline: Deadline::NEVER,
    };
    let mut all_heads = Heads::default();
    let mut candidates: BTreeMap<u64, Candidate> = BTreeMap::new();
    for (rank, cued) in (1u32..).zip(found.iter().take(MOST_LOOKED_AT)) {
        let Some(brief) = nodes.brief(cued.number)? else { continue };
        if brief.state != State::Retired {
            if brief.state == State::Live {
                let way = Way { role: Role::Cued, edge: None, hops: 0, seed_rank: None, rank, support: 0, found: u32::MAX };
                candidates.entry(cued.number).or_insert_with(|| Candidate::new(&nodes.table, &frame.last, brief, way));
            }
            continue;
        }
        for head in all_heads.heads(&mut nodes, cued.number)?.iter() {
            let Some(brief) = nodes.brief(head.number)?.filter(|brief| brief.state == State::Live) else { continue };
            let way = Way { role: Role::Head, edge: None, hops: 0, seed_rank: None, rank, support: 0, found: u32::MAX };
            let candidate = candidates.entry(head.number).or_insert_with(|| Candidate::new(&nodes.table, &frame.last, brief, way));
            candidate.replaces.push((cued.number, head.edge));
        }
    }
    let served = |candidate: &Candidate| session.has(candidate.number(), candidate.brief.revision, candidate.brief.state);
    let left_out = again == Again::No && candidates.values().any(served);
    match again {
        Again::No => candidates.retain(|_, candidate| !served(candidate)),
        Again::AsLine => candidates.values_mut().for_each(|candidate| candidate.line = served(candidate)),
    }
    let is_risk = |candidate: &Candidate| candidate.brief.class == Class::Knowledge(Category::Risk);
    let (mut callouts, entries): (BTreeMap<_, _>, BTreeMap<_, _>) = candidates.into_iter().partition(|(_, candidate)| is_risk(candidate));
    for callout in callouts.values_mut() {
        callout.role = Role::Callout;
    }
    let window = fill(&mut nodes, &mut Likeness::new(None, frame.deadline), &frame, entries, callouts)?;
    let mut retrieval = bare(Some(snapshot), source, Status::Found);
    show(&mut nodes, &window, frame.deadline, &mut retrieval)?;
    if !frame.ranked && window.left > 0 {
        retrieval.gaps.push(used_up_gap());
    }
    note_gaps(&mut retrieval.gaps, &window, 0, false);
    if retrieval.entries.is_empty() && retrieval.callouts.is_empty() && retrieval.callout_lines.is_empty() {
        retrieval.status = if left_out { Status::Served } else { Status::Abstained };
    }
    Ok(retrieval)
}
