//! The walk: from what was found and named along edges, breadth first, and by which edge each node is reached best.

use std::collections::BTreeMap;

use super::nodes::{Nodes, in_time};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::edge::Relation;
use crate::record::reader::Step;

/// Starts whose edges are read together, between two looks at the deadline.
pub(super) const STRIDE: usize = 16;

/// A node that the walk starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) number: u64,
    /// Its place in the fused search from 1; 0 if the prompt names it.
    pub(crate) rank: u32,
}

/// How a node is reached best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The edge into it.
    pub(crate) via: Relation,
    /// The node that the edge comes from.
    pub(crate) from: u64,
    pub(crate) hops: u32,
    /// The rank of the start that it was reached from.
    pub(crate) rank: u32,
    /// How many of the nodes walked from lead to it.
    pub(crate) support: u32,
    /// Its place in the fused search among what shares words with the prompt, from 1; the greatest number if it does not.
    pub(crate) found: u32,
    /// What edge and distance count together.
    worth: f32,
}

impl Reach {
    pub(crate) fn new(nodes: &Nodes<'_>, via: Relation, from: u64, hops: u32, rank: u32) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "hops are few")]
        let worth = nodes.table.relation(via) - nodes.table.distance() * hops as f32;
        Self { via, from, hops, rank, support: 1, found: u32::MAX, worth }
    }

    /// True if this way counts more than another one to the same node.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        let order =
            other.worth.total_cmp(&self.worth).then_with(|| (self.hops, self.rank, self.from, self.via).cmp(&(other.hops, other.rank, other.from, other.via)));
        order.is_lt()
    }
}

/// Which nodes lead to a node, counted; they come one after the other.
#[derive(Default)]
struct Support {
    count: u32,
    last: Option<u64>,
}

impl Support {
    fn add(&mut self, from: u64) -> u32 {
        self.count += u32::from(self.last.replace(from) != Some(from));
        self.count
    }
}

/// Where a walk came to.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// What it reached, without the starts.
    pub(crate) reached: BTreeMap<u64, Reach>,
    /// The edges that were followed from the starts.
    pub(crate) followed: Vec<(Start, Vec<Step>)>,
    /// Edges that were left at nodes with too many; the least there are.
    pub(crate) left: u64,
    /// True if time ran out.
    pub(crate) cut: bool,
}

impl Walk {
    /// Notes what it reached that was found too, given the numbers of what was found, best first.
    pub(crate) fn note_found(&mut self, found: &[u64]) {
        for (place, number) in (1..).zip(found) {
            if let Some(reach) = self.reached.get_mut(number) {
                reach.found = place;
            }
        }
    }
}

/// The one node over which each node was come to; `None` where several lead to it as soon.
#[derive(Default)]
struct Ways(BTreeMap<u64, Option<u64>>);

impl Ways {
    fn add(&mut self, number: u64, from: u64) {
        self.0.entry(number).and_modify(|only| *only = only.filter(|only| *only == from)).or_insert(Some(from));
    }

    /// True if every way to a node leads over the other one, so that from it no way leads there but back.
    fn all_lead_over(&self, number: u64, other: u64) -> bool {
        self.0.get(&number) == Some(&Some(other))
    }
}

/// Walks up to `hops` edges far. Archived nodes and obligations are neither reached nor walked through, and no way comes to a node
/// twice.
///
/// Its reads end at the deadline: what a stride could not read to its end is not reached.
pub(crate) fn walk(nodes: &mut Nodes<'_>, starts: &[Start], hops: u32, deadline: Deadline) -> Result<Walk> {
    let mut walk = Walk::default();
    let mut support: BTreeMap<u64, Support> = BTreeMap::new();
    let mut seen: BTreeMap<u64, u32> = starts.iter().map(|start| (start.number, 0)).collect();
    let mut ways = Ways::default();
    let mut edge: Vec<Start> = starts.to_vec();
    for hop in 1..=hops {
        let mut next = Vec::new();
        for stride in edge.chunks(STRIDE) {
            let Some(followed) = in_time(follow(nodes, stride, deadline))?.flatten() else {
                walk.cut = true;
                return Ok(walk);
            };
            for Followed { start, steps, left } in followed {
                walk.left += left;
                if hop == 1 {
                    walk.followed.push((start, steps.iter().map(|(step, _)| *step).collect()));
                }
                for (step, searched) in steps {
                    let number = step.neighbour;
                    if seen.get(&number) == Some(&0) || !searched || ways.all_lead_over(start.number, number) {
                        continue;
                    }
                    let reach = Reach::new(nodes, step.relation, start.number, hop, start.rank);
                    let held = walk.reached.entry(number).or_insert(reach);
                    if reach.beats(held) {
                        *held = reach;
                    }
                    held.support = support.entry(number).or_default().add(start.number);
                    let first = *seen.entry(number).or_insert_with(|| {
                        next.push(Start { number, rank: start.rank });
                        hop
                    });
                    // Over a start no way leads in any case.
                    if first == hop && 1 < hop && hop < hops {
                        ways.add(number, start.number);
                    }
                }
            }
        }
        edge = next;
    }
    Ok(walk)
}

/// The edges that are followed from one start.
struct Followed {
    start: Start,
    /// Each with whether the node that it leads to is one that a walk goes to.
    steps: Vec<(Step, bool)>,
    left: u64,
}

/// The edges that are followed from each start of a stride, with what they lead to read; `None` if time ran out.
fn follow(nodes: &mut Nodes<'_>, starts: &[Start], deadline: Deadline) -> Result<Option<Vec<Followed>>> {
    if deadline.expired() {
        return Ok(None);
    }
    nodes.read_edges(starts.iter().map(|start| start.number))?;
    let mut followed = Vec::with_capacity(starts.len());
    for start in starts {
        // A crowded node takes many statements.
        if deadline.expired() {
            return Ok(None);
        }
        followed.push((*start, nodes.followed(start.number)?));
    }
    nodes.read_briefs(followed.iter().flat_map(|(_, (steps, _))| steps).map(|step| step.neighbour))?;
    let mut told = Vec::with_capacity(starts.len());
    for (start, (steps, left)) in followed {
        let searched = |step: Step| Ok((step, nodes.brief(step.neighbour)?.is_some_and(|brief| brief.searched)));
        told.push(Followed { start, steps: steps.into_iter().map(searched).collect::<Result<_>>()?, left });
    }
    Ok(Some(told))
}
