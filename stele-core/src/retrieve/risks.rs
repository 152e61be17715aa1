//! Risks on the path: live risks that causal edges lead to from what was found and named.

use std::collections::BTreeMap;

use super::nodes::{Nodes, in_time};
use super::walk::{Reach, STRIDE, Start};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::node::{Category, Class, State};
use crate::record::reader::Brief;

/// Risks that were reached one or two causal edges away from a start other than themselves.
///
/// A node with many edges shows its best twelve causal ones and beside them the best twelve causal ones to risks, so
/// that no crowd of edges hides a risk. The second value is true if time ran out.
pub(crate) fn on_path(nodes: &mut Nodes<'_>, starts: &[Start], deadline: Deadline) -> Result<(BTreeMap<u64, Reach>, bool)> {
    let mut found: BTreeMap<u64, Reach> = BTreeMap::new();
    for stride in starts.chunks(STRIDE) {
        let Some(reached) = in_time(reached(nodes, stride, deadline))?.flatten() else { return Ok((found, true)) };
        for (number, reach) in reached {
            if found.get(&number).is_none_or(|held| reach.beats(held)) {
                found.insert(number, reach);
            }
        }
    }
    Ok((found, false))
}

/// The risks one and two causal edges away from the starts of a stride, each way to them; `None` if time ran out.
fn reached(nodes: &mut Nodes<'_>, starts: &[Start], deadline: Deadline) -> Result<Option<Vec<(u64, Reach)>>> {
    if deadline.expired() {
        return Ok(None);
    }
    nodes.read_edges(starts.iter().map(|start| start.number))?;
    let mut steps = Vec::new();
    for start in starts {
        steps.extend(nodes.causal(start.number)?.into_iter().map(|step| (*start, step)));
    }
    nodes.read_briefs(steps.iter().map(|(_, step)| step.neighbour))?;
    let mut found = Vec::new();
    for stride in steps.chunks(STRIDE) {
        if deadline.expired() {
            return Ok(None);
        }
        nodes.read_edges(stride.iter().map(|(_, step)| step.neighbour))?;
        let mut further = Vec::new();
        for (start, step) in stride {
            let Some(brief) = nodes.brief(step.neighbour)?.filter(|brief| brief.searched) else { continue };
            if is_live_risk(&brief) {
                found.push((brief.number, Reach::new(nodes, step.relation, start.number, 1, start.rank)));
            }
            further.extend(nodes.causal_risks(step.neighbour)?.into_iter().map(|second| (*start, step.neighbour, second)));
        }
        nodes.read_briefs(further.iter().map(|(_, _, second)| second.neighbour))?;
        for (start, from, second) in further {
            if second.neighbour != start.number && nodes.brief(second.neighbour)?.is_some_and(|brief| brief.searched && is_live_risk(&brief)) {
                found.push((second.neighbour, Reach::new(nodes, second.relation, from, 2, start.rank)));
            }
        }
    }
    Ok(Some(found))
}

fn is_live_risk(brief: &Brief) -> bool {
    brief.class == Class::Knowledge(Category::Risk) && brief.state == State::Live
}
