//! Risks on the path: live risks that causal edges lead to from what was found and named.

use std::collections::BTreeMap;

use super::nodes::{Nodes, in_time};
use super::walk::{Reach, STRIDE, Start};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::node::{Category, Class, State};
use crate::record::reader::{Brief, Step};

/// Risks that were reached one or two causal edges away from a start other than themselves.
///
/// A node with many edges shows its best twelve causal ones and beside them the best twelve causal ones to risks, so
/// that no crowd of edges hides a risk. The second value is true if time ran out.
pub(crate) fn on_path(nodes: &mut Nodes<'_>, starts: &[Start], deadline: Deadline) -> Result<(BTreeMap<u64, Reach>, bool)> {
    let mut found: BTreeMap<u64, Reach> = BTreeMap::new();
    for stride in starts.chunks(STRIDE) {
        if deadline.expired() {
            return Ok((found, true));
        }
        let Some(steps) = in_time(causal(nodes, stride))? else { return Ok((found, true)) };
        for (start, step) in steps {
            let Some(brief) = nodes.brief(step.neighbour)?.filter(|brief| brief.searched) else { continue };
            if is_live_risk(&brief) {
                note(&mut found, brief.number, Reach::new(nodes, step.relation, start.number, 1, start.rank));
            }
            let Some(further) = in_time(nodes.causal_risks(step.neighbour))? else { return Ok((found, true)) };
            for second in further {
                if second.neighbour == start.number {
                    continue;
                }
                if nodes.brief(second.neighbour)?.is_some_and(|brief| brief.searched && is_live_risk(&brief)) {
                    note(&mut found, second.neighbour, Reach::new(nodes, second.relation, step.neighbour, 2, start.rank));
                }
            }
        }
    }
    Ok((found, false))
}

/// The causal edges of some starts, with what lies one and two of them away read.
fn causal(nodes: &mut Nodes<'_>, starts: &[Start]) -> Result<Vec<(Start, Step)>> {
    nodes.read_edges(starts.iter().map(|start| start.number))?;
    let mut steps = Vec::new();
    for start in starts {
        steps.extend(nodes.causal(start.number)?.into_iter().map(|step| (*start, step)));
    }
    nodes.read_briefs(steps.iter().map(|(_, step)| step.neighbour))?;
    nodes.read_edges(steps.iter().map(|(_, step)| step.neighbour))?;
    let mut further = Vec::new();
    for (_, step) in &steps {
        if nodes.brief(step.neighbour)?.is_some_and(|brief| brief.searched) {
            further.extend(nodes.causal_risks(step.neighbour)?.into_iter().map(|second| second.neighbour));
        }
    }
    nodes.read_briefs(further.into_iter())?;
    Ok(steps)
}

fn is_live_risk(brief: &Brief) -> bool {
    brief.class == Class::Knowledge(Category::Risk) && brief.state == State::Live
}

fn note(found: &mut BTreeMap<u64, Reach>, number: u64, reach: Reach) {
    if found.get(&number).is_none_or(|held| reach.beats(held)) {
        found.insert(number, reach);
    }
}
