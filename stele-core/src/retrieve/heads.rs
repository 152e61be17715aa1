//! What stands in place of a retired node: the ends of the chains of supersession that lead away from it.
//!
//! A chain may be of any length. Its first links are read as any node is; of the others nothing is read but what retired
//! them, and nothing is kept but that. No link is read twice in one read, and a chain that was followed to its one end is not
//! followed again from its middle. A node that thousands retired has more heads than anything shows: the first are enough.

use std::collections::HashMap;
use std::rc::Rc;

use super::nodes::Nodes;
use crate::base::error::Result;
use crate::base::number_map::NumberMap;
use crate::base::time::Deadline;

/// Links between two looks at the deadline.
const STRIDE: usize = 64;
/// Links of one read that are read and kept as other nodes are; nearly every chain is shorter.
const NEAR: usize = 64;
/// Heads after which a node's others are not looked for; no window has as many places.
pub(super) const MOST_HEADS: usize = 512;

/// A node that stands at the end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    /// The edge that retired the node at the beginning of the chain.
    pub(crate) edge: i64,
    /// How many supersessions lie between the two.
    pub(crate) depth: u32,
}

/// Heads found so far, and the links on the ways to them.
pub(crate) struct Heads {
    known: HashMap<u64, Rc<Vec<Head>>>,
    links: NumberMap<Link>,
    /// What retired those links that several nodes retired.
    several: Vec<(u64, i64)>,
    /// For each time that a chain was followed its one end, and how far that lies from its beginning.
    runs: Vec<Option<(u64, u32)>>,
    /// Links that are still read and kept as other nodes are.
    near: usize,
}

/// A node of a chain.
#[derive(Clone, Copy)]
struct Link {
    next: Next,
    /// The run that came to it last, and how far from its beginning.
    run: u32,
    place: u32,
}

/// What retired a node, each with the edge that says so.
#[derive(Clone, Copy)]
enum Next {
    /// Nothing: a chain ends here.
    End,
    /// Nobody knows: there is no such node.
    Gone,
    One(u64, i64),
    /// Places in the list of several.
    Several(u32, u32),
}

impl Default for Heads {
    fn default() -> Self {
        Self::reading_apart_after(NEAR)
    }
}

impl Heads {
    /// Nothing is known yet; after so many links no more is read of one than what retired it.
    pub(super) fn reading_apart_after(near: usize) -> Self {
        Self { known: HashMap::new(), links: NumberMap::default(), several: Vec::new(), runs: Vec::new(), near }
    }

    /// The heads of a retired node, nearest first, then in the order of their numbers; whatever their state, they are
    /// not retired themselves. None if every chain runs in a circle, as imported data may have it. Of more than
    /// [`MOST_HEADS`] the first are given.
    pub(crate) fn heads(&mut self, nodes: &mut Nodes<'_>, number: u64) -> Result<Rc<Vec<Head>>> {
        self.heads_in_time(nodes, number, Deadline::NEVER).map(|heads| heads.expect("without a deadline the ends are reached"))
    }

    /// As [`Self::heads`]; `None` if time ran out before the ends were reached.
    pub(crate) fn heads_in_time(&mut self, nodes: &mut Nodes<'_>, number: u64, deadline: Deadline) -> Result<Option<Rc<Vec<Head>>>> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Some(Rc::clone(known)));
        }
        #[expect(clippy::cast_possible_truncation, reason = "a read looks at few retired nodes")]
        let run = self.runs.len() as u32;
        self.runs.push(None);
        let (mut heads, mut alone) = (Vec::new(), true);
        let (mut looked_at, mut depth) = (0, 0);
        let (mut open, mut further) = (vec![(number, 0)], Vec::new());
        let mut enough = MOST_HEADS;
        'layers: while !open.is_empty() {
            alone &= open.len() == 1;
            for (at, edge) in open.drain(..) {
                looked_at += 1;
                if looked_at % STRIDE == 0 && deadline.expired() {
                    return Ok(None);
                }
                let (next, end) = match self.links.get_mut(&at) {
                    Some(link) if link.run == run => continue,
                    Some(link) => {
                        let end = self.runs[link.run as usize].map(|(head, length)| (head, length - link.place));
                        if end.is_none() {
                            (link.run, link.place) = (run, depth);
                        }
                        (link.next, end)
                    }
                    None => {
                        let next = self.read(nodes, at, depth)?;
                        self.links.insert(at, Link { next, run, place: depth });
                        (next, None)
                    }
                };
                let from = |own: i64| if depth == 0 { own } else { edge };
                match (next, end) {
                    (Next::One(_, own), Some((head, left))) => heads.push(Head { number: head, edge: from(own), depth: depth + left }),
                    (Next::One(successor, own), None) => further.push((successor, from(own))),
                    (Next::Several(first, count), _) => {
                        let several = &self.several[first as usize..][..count as usize];
                        further.extend(several.iter().map(|(successor, own)| (*successor, from(*own))));
                    }
                    (Next::End, _) if depth > 0 => heads.push(Head { number: at, edge, depth }),
                    (Next::End | Next::Gone, _) => {}
                }
                if heads.len() == enough {
                    only_nearest(&mut heads);
                    if heads.len() >= MOST_HEADS {
                        break 'layers;
                    }
                    enough += heads.len();
                }
            }
            std::mem::swap(&mut open, &mut further);
            open.sort_unstable();
            depth += 1;
        }
        only_nearest(&mut heads);
        if let ([head], true) = (heads.as_slice(), alone) {
            self.runs[run as usize] = Some((head.number, head.depth));
        }
        let heads = Rc::new(heads);
        self.known.insert(number, Rc::clone(&heads));
        Ok(Some(heads))
    }

    /// Reads what retired a node of a chain, which at its beginning is known to be retired.
    fn read(&mut self, nodes: &mut Nodes<'_>, number: u64, depth: u32) -> Result<Next> {
        let successors = if depth == 0 {
            nodes.successors(number)?
        } else if self.near == 0 {
            nodes.successors_alone(number)?
        } else {
            self.near -= 1;
            let Some(brief) = nodes.brief(number)? else { return Ok(Next::Gone) };
            if brief.retired { nodes.successors(number)? } else { Vec::new() }
        };
        Ok(match successors.as_slice() {
            [] => Next::End,
            [(successor, edge)] => Next::One(*successor, *edge),
            several => {
                #[expect(clippy::cast_possible_truncation, reason = "a record has fewer edges")]
                let (first, count) = (self.several.len() as u32, several.len() as u32);
                self.several.extend(several);
                Next::Several(first, count)
            }
        })
    }
}

/// Ways of several lengths may lead to one head; the shortest counts, and of these that with the first edge.
fn only_nearest(heads: &mut Vec<Head>) {
    heads.sort_unstable_by_key(|head| (head.number, head.depth, head.edge));
    heads.dedup_by_key(|head| head.number);
    heads.sort_unstable_by_key(|head| (head.depth, head.number));
}
