//! What stands in place of a retired node: the ends of the chains of supersession that lead away from it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::nodes::Nodes;
use crate::base::error::Result;
use crate::base::time::Deadline;

/// Nodes of a chain between two looks at the deadline.
const STRIDE: usize = 64;

/// A node that stands at the end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    /// The edge that retired the node at the beginning of the chain.
    pub(crate) edge: i64,
    /// How many supersessions lie between the two.
    pub(crate) depth: u32,
}

/// Heads found so far.
#[derive(Default)]
pub(crate) struct Standing {
    known: HashMap<u64, Rc<Vec<Head>>>,
}

impl Standing {
    /// The heads of a retired node, nearest first, then in the order of their numbers; whatever their state, they are
    /// not retired themselves. None if every chain runs in a circle, as imported data may have it.
    pub(crate) fn heads(&mut self, nodes: &mut Nodes<'_>, number: u64) -> Result<Rc<Vec<Head>>> {
        self.heads_in_time(nodes, number, Deadline::NEVER).map(|heads| heads.expect("without a deadline the ends are reached"))
    }

    /// As [`Self::heads`]; `None` if time ran out before the ends were reached.
    pub(crate) fn heads_in_time(&mut self, nodes: &mut Nodes<'_>, number: u64, deadline: Deadline) -> Result<Option<Rc<Vec<Head>>>> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Some(Rc::clone(known)));
        }
        let mut looked_at = 0;
        let mut heads = Vec::new();
        let mut seen: HashSet<u64> = HashSet::from([number]);
        let mut open: Vec<(u64, i64)> = nodes.successors(number)?;
        let mut depth = 1;
        while !open.is_empty() {
            let mut next = Vec::new();
            for (successor, edge) in open {
                if !seen.insert(successor) {
                    continue;
                }
                looked_at += 1;
                if looked_at % STRIDE == 0 && deadline.expired() {
                    return Ok(None);
                }
                let Some(brief) = nodes.brief(successor)? else { continue };
                if !brief.retired {
                    heads.push(Head { number: successor, edge, depth });
                    continue;
                }
                next.extend(nodes.successors(successor)?.into_iter().map(|(further, _)| (further, edge)));
            }
            open = next;
            open.sort_unstable();
            depth += 1;
        }
        heads.sort_unstable_by_key(|head| (head.depth, head.number));
        let heads = Rc::new(heads);
        self.known.insert(number, Rc::clone(&heads));
        Ok(Some(heads))
    }
}
