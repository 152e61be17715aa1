//! The window: which candidates have a place, and in which order they stand.
//!
//! Places are given in this order: callouts, named nodes, the five best seeds, then everything by its order, live nodes
//! before ended ones. A retired node has a place only beside all of its heads, and stands below them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use super::candidate::{Candidate, Key, LastOrder, Way};
use super::fold::Likeness;
use super::heads::Heads;
use super::nodes::Nodes;
use super::result::Role;
use super::seeds::is_newer;
use crate::base::config::{CALLOUTS, KEPT_SEEDS};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::edge::Relation;
use crate::record::node::{Class, State};
use crate::record::reader::Brief;
use crate::record::session::SessionState;

/// Most callouts of one line; the rest is counted.
const CALLOUT_LINES: usize = 10;

/// What a window is filled for.
pub(crate) struct Frame<'a> {
    /// Most entries, callouts among them.
    pub(crate) cap: usize,
    /// False if only callouts and what is named may come.
    pub(crate) ranked: bool,
    pub(crate) session: Option<&'a SessionState>,
    pub(crate) last: LastOrder,
    pub(crate) deadline: Deadline,
}

/// A filled window.
#[derive(Default)]
pub(crate) struct Window {
    pub(crate) entries: Vec<Candidate>,
    pub(crate) callouts: Vec<Candidate>,
    pub(crate) lines: Vec<Candidate>,
    /// Found, new to the session, and without a place.
    pub(crate) left: u64,
    pub(crate) named_left: u64,
    /// Callouts new to the session that are not shown in full.
    pub(crate) callouts_left: u64,
    /// True if something was left out because the session has it.
    pub(crate) served: bool,
    /// True if time ran out before every retired node's heads were known, or all that could be near-duplicates compared.
    pub(crate) cut: bool,
}

/// Fills a window from candidates and callouts, each by number.
pub(crate) fn fill(
    nodes: &mut Nodes<'_>,
    likeness: &mut Likeness<'_>,
    frame: &Frame<'_>,
    candidates: BTreeMap<u64, Candidate>,
    callouts: BTreeMap<u64, Candidate>,
) -> Result<Window> {
    let mut filling = Filling {
        nodes,
        frame,
        candidates,
        callouts,
        window: Window::default(),
        stands: HashMap::new(),
        shown: BTreeSet::new(),
        placed: Vec::new(),
        slots: frame.cap,
    };
    filling.note_folded();
    filling.add_heads()?;
    filling.leave_replaced_rules();
    filling.mark_served();
    let called = filling.fold_callouts(likeness)?;
    filling.fold(likeness, called)?;
    filling.place_callouts();
    filling.read_edges()?;
    let named = filling.place_named()?;
    if frame.ranked {
        filling.place_kept()?;
    }
    let called: Vec<u64> = filling.window.callouts.iter().map(Candidate::number).collect();
    for number in called.into_iter().chain(filling.placed.clone()) {
        filling.place_partners(number)?;
    }
    if frame.ranked {
        filling.place_ranked()?;
    }
    Ok(filling.finish(&named))
}

struct Filling<'f, 'n, 's> {
    nodes: &'f mut Nodes<'s>,
    frame: &'f Frame<'n>,
    candidates: BTreeMap<u64, Candidate>,
    callouts: BTreeMap<u64, Candidate>,
    window: Window,
    /// What stands for a near-duplicate that has no entry of its own.
    stands: HashMap<u64, u64>,
    /// Numbers that stand in the window, callouts among them.
    shown: BTreeSet<u64>,
    /// Numbers of entries in the order in which they got their place.
    placed: Vec<u64>,
    slots: usize,
}

impl Filling<'_, '_, '_> {
    fn note_folded(&mut self) {
        for candidate in self.candidates.values().chain(self.callouts.values()) {
            self.stands.extend(candidate.folded.iter().map(|folded| (*folded, candidate.number())));
        }
    }

    /// Finds what stands in place of each retired candidate and gives it the better one of their two places.
    fn add_heads(&mut self) -> Result<()> {
        let mut all_heads = Heads::default();
        let mut retired: Vec<Key> = self.candidates.values().filter(|candidate| candidate.brief.retired).map(|candidate| candidate.own).collect();
        retired.sort_unstable();
        for (nth, key) in retired.iter().enumerate() {
            let late = self.frame.deadline.expired();
            let Some(heads) = (if late { None } else { all_heads.heads_in_time(self.nodes, key.number, self.frame.deadline)? }) else {
                // Without knowing its heads, no retired node may be shown.
                self.window.cut = true;
                for key in &retired[nth..] {
                    self.candidates.remove(&key.number);
                }
                return Ok(());
            };
            for head in heads.iter() {
                if let Some(callout) = self.callouts.get_mut(&head.number) {
                    callout.replaces.push((key.number, head.edge));
                    continue;
                }
                if !self.candidates.contains_key(&head.number) {
                    let Some(brief) = self.nodes.brief(head.number)? else { continue };
                    let hops = self.candidates[&key.number].hops + head.depth;
                    let candidate = self.reached(brief, Relation::Supersedes, key.number, hops, key.rank);
                    self.candidates.insert(head.number, candidate);
                }
                let candidate = self.candidates.get_mut(&head.number).expect("inserted above if it was not there");
                candidate.place = candidate.place.min(*key);
                candidate.replaces.push((key.number, head.edge));
                if candidate.role != Role::Named {
                    candidate.role = Role::Head;
                }
            }
            self.candidates.get_mut(&key.number).expect("taken from the candidates").heads = heads.to_vec();
        }
        Ok(())
    }

    /// Takes out the rules that were replaced, unless they are named, and what stands only for those and is delivered with
    /// the obligations: a rule is an instruction, and the one that no longer holds must not be read as one.
    fn leave_replaced_rules(&mut self) {
        let is_replaced = |candidate: &Candidate| candidate.brief.class == Class::Rule && candidate.brief.retired && candidate.role != Role::Named;
        let gone: BTreeSet<u64> = self.candidates.values().filter(|candidate| is_replaced(candidate)).map(Candidate::number).collect();
        self.candidates.retain(|number, candidate| {
            let obligation = candidate.role == Role::Head && candidate.brief.class == Class::Rule && !candidate.brief.searched;
            let stands_for_gone_ones = candidate.replaces.iter().all(|(replaced, _)| gone.contains(replaced));
            !(gone.contains(number) || obligation && stands_for_gone_ones)
        });
    }

    /// A candidate that an edge leads to.
    fn reached(&self, brief: Arc<Brief>, via: Relation, from: u64, hops: u32, rank: u32) -> Candidate {
        let way = Way { role: Role::Walked, edge: Some((via, from)), hops, seed_rank: None, rank, support: 1, found: u32::MAX };
        Candidate::new(&self.nodes.table, &self.frame.last, brief, way)
    }

    fn is_served(&self, brief: &Brief) -> bool {
        self.frame.session.is_some_and(|session| session.has(brief.number, brief.revision, brief.state))
    }

    fn mark_served(&mut self) {
        let Some(session) = self.frame.session else { return };
        for candidate in self.candidates.values_mut().chain(self.callouts.values_mut()) {
            candidate.served = candidate.role != Role::Named && session.has(candidate.brief.number, candidate.brief.revision, candidate.brief.state);
            self.window.served |= candidate.served;
        }
    }

    /// Lets one entry stand for near-duplicates among the live facts that could have a place, callouts among them.
    ///
    /// What is named, or stands in place of a retired node, keeps its own entry.
    fn fold(&mut self, likeness: &mut Likeness<'_>, mut called: Vec<u64>) -> Result<()> {
        let comparable = |candidate: &&Candidate| candidate.brief.state == State::Live && matches!(candidate.brief.class, Class::Knowledge(_));
        let order = BestFirst::of(self.candidates.values().filter(comparable));
        let mut standing: Vec<u64> = Vec::new();
        let mut wanted = self.frame.cap;
        for (nth, number) in order.enumerate() {
            if nth > self.frame.cap && self.frame.deadline.expired() {
                self.window.cut = true;
                break;
            }
            if self.fold_into_callout(likeness, number, &mut called)? {
                continue;
            }
            let candidate = &self.candidates[&number];
            let (brief, fixed, served) = (Arc::clone(&candidate.brief), candidate.is_fixed(), candidate.served);
            let mut like = None;
            for (at, other) in standing.iter().enumerate() {
                let other = &self.candidates[other];
                if !(fixed && other.is_fixed()) && likeness.one(self.nodes, other.said(), candidate.said())? {
                    like = Some(at);
                    break;
                }
            }
            let Some(at) = like else {
                standing.push(number);
                wanted -= usize::from(!served);
                if wanted == 0 {
                    break;
                }
                continue;
            };
            let other = standing[at];
            let newer = fixed || (!self.candidates[&other].is_fixed() && is_newer(&brief, &self.candidates[&other].brief));
            let (kept, gone) = if newer { (number, other) } else { (other, number) };
            let gone = self.candidates.remove(&gone).expect("both stand among the candidates");
            self.stands.insert(gone.number(), kept);
            self.candidates.get_mut(&kept).expect("both stand among the candidates").stand_for(gone);
            standing[at] = kept;
        }
        Ok(())
    }

    /// Lets a callout and a risk of the list that say the same be one; true if the risk left the list for that.
    ///
    /// The newer one is called out. Where the risk is named, it stands for the callout, as a named risk on the path is none.
    fn fold_into_callout(&mut self, likeness: &mut Likeness<'_>, number: u64, called: &mut Vec<u64>) -> Result<bool> {
        let mut like = None;
        for (at, callout) in called.iter().enumerate() {
            if likeness.one(self.nodes, self.callouts[callout].said(), self.candidates[&number].said())? {
                like = Some(at);
                break;
            }
        }
        let Some(at) = like else { return Ok(false) };
        let (listed, callout) = (&self.candidates[&number], &self.callouts[&called[at]]);
        if listed.is_fixed() && !callout.replaces.is_empty() || listed.role == Role::Head || callout.from == Some(number) {
            return Ok(false);
        }
        let named = listed.role == Role::Named;
        let callout = self.callouts.remove(&called[at]).expect("it stands among the callouts");
        if named {
            called.remove(at);
            self.stands.insert(callout.number(), number);
            self.candidates.get_mut(&number).expect("it stands among the candidates").stand_for(callout);
            return Ok(false);
        }
        let listed = self.candidates.remove(&number).expect("it stands among the candidates");
        let is_new = callout.replaces.is_empty() && is_newer(&listed.brief, &callout.brief);
        let (mut kept, gone) = if is_new { (listed.called_like(&callout), callout) } else { (callout, listed) };
        called[at] = kept.number();
        self.stands.insert(gone.number(), kept.number());
        // Callouts stand by their score, whatever place the list had for one.
        let place = kept.place;
        kept.stand_for(gone);
        kept.place = place;
        self.callouts.insert(kept.number(), kept);
        Ok(true)
    }

    /// Lets one callout stand for near-duplicates among those that could be shown; gives the numbers of these, best first.
    fn fold_callouts(&mut self, likeness: &mut Likeness<'_>) -> Result<Vec<u64>> {
        let mut order: Vec<Key> = self.callouts.values().map(|candidate| candidate.own).collect();
        order.sort_unstable();
        let mut standing: Vec<u64> = Vec::new();
        for number in order.into_iter().map(|key| key.number).take(CALLOUTS + CALLOUT_LINES) {
            let brief = Arc::clone(&self.callouts[&number].brief);
            let mut like = None;
            for (at, other) in standing.iter().enumerate() {
                if likeness.one(self.nodes, self.callouts[other].said(), self.callouts[&number].said())? {
                    like = Some(at);
                    break;
                }
            }
            let Some(at) = like else {
                standing.push(number);
                continue;
            };
            let other = standing[at];
            let newer = is_newer(&brief, &self.callouts[&other].brief);
            let (kept, gone) = if newer { (number, other) } else { (other, number) };
            let gone = self.callouts.remove(&gone).expect("both stand among the callouts");
            self.stands.insert(gone.number(), kept);
            self.callouts.get_mut(&kept).expect("both stand among the callouts").stand_for(gone);
            standing[at] = kept;
        }
        Ok(standing)
    }

    /// Reads the edges of what will have a place, as far as it is plain now, together.
    fn read_edges(&mut self) -> Result<()> {
        let live = |candidate: &&Candidate| candidate.brief.state == State::Live && !candidate.served;
        let order = BestFirst::of(self.candidates.values().filter(live));
        let callouts = self.window.callouts.iter().filter(live).map(Candidate::number);
        self.nodes.read_edges(order.take(self.slots).chain(callouts))
    }

    /// Shows the best callouts in full and the others as lines; a line takes a place as long as the named and the best
    /// seeds keep theirs, and is shown in any case, for no risk on the path is dropped for the sake of space.
    fn place_callouts(&mut self) {
        let mut order: Vec<Candidate> = std::mem::take(&mut self.callouts).into_values().collect();
        order.sort_by_key(|callout| (callout.place, callout.own));
        let full = CALLOUTS.min(self.slots);
        for callout in order {
            if !callout.served && self.window.callouts.len() < full {
                self.window.callouts.push(callout);
                continue;
            }
            self.window.callouts_left += u64::from(!callout.served);
            if self.window.lines.len() < CALLOUT_LINES {
                self.window.lines.push(callout);
            }
        }
        self.shown.extend(self.window.callouts.iter().chain(&self.window.lines).map(Candidate::number));
        self.slots -= self.window.callouts.len();
        let asked_for = |candidate: &&Candidate| candidate.role == Role::Named || candidate.seed_rank.is_some_and(|rank| rank as usize <= KEPT_SEEDS);
        let kept = self.candidates.values().filter(asked_for).count().min(KEPT_SEEDS);
        self.slots -= self.window.lines.len().min(self.slots.saturating_sub(kept));
    }

    /// Gives a place to a candidate; false if there is none left.
    fn place(&mut self, number: u64) -> bool {
        if self.shown.contains(&number) {
            return true;
        }
        if self.slots == 0 || !self.candidates.contains_key(&number) {
            return false;
        }
        self.slots -= 1;
        self.shown.insert(number);
        self.placed.push(number);
        true
    }

    /// Gives places to the heads of a retired node, live ones first, then the best; true if all of them stand in the window.
    ///
    /// Heads that the session has come as one line, and only if the retired node itself will have a place too.
    fn place_heads(&mut self, number: u64) -> bool {
        let missing: Vec<u64> = {
            let mut missing: Vec<&Candidate> = self.candidates[&number]
                .heads
                .iter()
                .filter(|head| !self.shown.contains(&head.number))
                .filter_map(|head| self.candidates.get(&head.number))
                .collect();
            missing.sort_by_key(|head| (head.brief.state != State::Live, head.own));
            missing.into_iter().map(Candidate::number).collect()
        };
        let fits = missing.len() < self.slots;
        let mut all = true;
        for head in missing {
            let candidate = self.candidates.get_mut(&head).expect("heads are candidates");
            if candidate.served && !fits {
                all = false;
                continue;
            }
            candidate.line |= candidate.served;
            all &= self.place(head);
        }
        all && self.candidates[&number].heads.iter().all(|head| self.shown.contains(&head.number))
    }

    /// Gives a place to a node, if it is retired only beside its heads.
    fn place_with_heads(&mut self, number: u64) -> bool {
        (!self.candidates[&number].brief.retired || self.place_heads(number)) && self.place(number)
    }

    /// Gives places to what is named and to what stands in its place, and tells their order.
    fn place_named(&mut self) -> Result<Vec<u64>> {
        let mut named: Vec<Key> = self.candidates.values().filter(|candidate| candidate.role == Role::Named).map(|candidate| candidate.own).collect();
        named.sort_unstable();
        let mut order: Vec<u64> = Vec::new();
        for number in named.into_iter().map(|key| key.number) {
            let before = self.placed.len();
            let has_place = self.place_with_heads(number);
            self.window.named_left += u64::from(!has_place);
            let heads = &self.candidates[&number].heads;
            let mut fresh: Vec<u64> = self.placed[before..].iter().copied().filter(|placed| *placed != number).collect();
            order.append(&mut fresh);
            if !has_place || order.contains(&number) {
                continue;
            }
            // A retired node follows its heads directly, after others that do.
            let mut at = order.len();
            if let Some(last) = order.iter().rposition(|placed| heads.iter().any(|head| head.number == *placed)) {
                at = last + 1;
                while order.get(at).is_some_and(|next| self.candidates[next].brief.retired) {
                    at += 1;
                }
            }
            order.insert(at, number);
        }
        Ok(order)
    }

    /// Gives places to the best seeds, live ones and heads before what they replaced.
    fn place_kept(&mut self) -> Result<()> {
        let mut kept: Vec<(u32, u64)> = self
            .candidates
            .values()
            .filter(|candidate| !candidate.served && candidate.role != Role::Named)
            .filter_map(|candidate| candidate.seed_rank.filter(|rank| *rank as usize <= KEPT_SEEDS).map(|rank| (rank, candidate.number())))
            .collect();
        kept.sort_unstable();
        for (_, number) in &kept {
            if self.candidates[number].brief.retired {
                let fresh: Vec<u64> = self.candidates[number]
                    .heads
                    .iter()
                    .map(|head| head.number)
                    .filter(|head| self.candidates.get(head).is_some_and(|head| !head.served))
                    .collect();
                fresh.into_iter().for_each(|head| {
                    self.place(head);
                });
            } else {
                self.place(*number);
            }
        }
        for (_, number) in kept {
            self.place_with_heads(number);
        }
        Ok(())
    }

    /// What stands for a node: the node itself if it has an entry or could have one.
    ///
    /// Two nodes can have stood for each other, one among the hits and then the other among the candidates; whoever is
    /// still a candidate ends the search, and no chain is longer than there are links.
    fn entry_of(&self, number: u64) -> u64 {
        let mut at = number;
        for _ in 0..self.stands.len() {
            if self.candidates.contains_key(&at) || self.shown.contains(&at) {
                break;
            }
            let Some(stand) = self.stands.get(&at) else { break };
            at = *stand;
        }
        at
    }

    /// Gives places to the live nodes that contradict an entry: whole if they were found too, else as one line.
    fn place_partners(&mut self, number: u64) -> Result<()> {
        let mut open = vec![number];
        while let Some(number) = open.pop() {
            let callout = || self.window.callouts.iter().find(|callout| callout.number() == number);
            let entry = self.candidates.get(&number).or_else(callout).expect("invariant: what has a place is a candidate or a callout");
            if entry.brief.state != State::Live || entry.line {
                continue;
            }
            let (hops, rank, together) = (entry.hops, entry.own.rank, entry.together());
            for (mut partner, contradicted) in self.nodes.contradicting_any(&together)? {
                if self.slots == 0 {
                    return Ok(());
                }
                partner = self.entry_of(partner);
                if self.shown.contains(&partner) {
                    continue;
                }
                let Some(brief) = self.nodes.brief(partner)?.filter(|brief| brief.state == State::Live && brief.searched) else { continue };
                match self.candidates.get_mut(&partner) {
                    Some(candidate) => candidate.line |= candidate.served,
                    None => {
                        let mut candidate = self.reached(brief, Relation::Contradicts, contradicted, hops + 1, rank);
                        candidate.served = self.is_served(&candidate.brief);
                        candidate.line = true;
                        self.candidates.insert(partner, candidate);
                    }
                }
                if self.place(partner) && !self.candidates[&partner].line {
                    open.push(partner);
                }
            }
        }
        Ok(())
    }

    /// Gives the remaining places by order: live nodes with what contradicts them, then ended ones.
    fn place_ranked(&mut self) -> Result<()> {
        let fresh = |candidate: &&Candidate| !candidate.served && candidate.role != Role::Named;
        for live in [true, false] {
            let order = BestFirst::of(self.candidates.values().filter(fresh).filter(|candidate| (candidate.brief.state == State::Live) == live));
            for number in order {
                if self.slots == 0 {
                    break;
                }
                if !self.shown.contains(&number) && self.place_with_heads(number) && live {
                    self.place_partners(number)?;
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, named: &[u64]) -> Window {
        let first: HashSet<u64> = named.iter().copied().collect();
        let placed = std::mem::take(&mut self.placed);
        let mut rest: Vec<&Candidate> = placed.iter().filter(|number| !first.contains(number)).map(|number| &self.candidates[number]).collect();
        rest.sort_by_key(|candidate| {
            let ended = candidate.brief.state != State::Live;
            (ended, candidate.place, candidate.brief.retired, candidate.own)
        });
        let entries = named.iter().map(|number| &self.candidates[number]).chain(rest).cloned().collect();
        let shown = &self.shown;
        self.window.left =
            self.candidates.values().filter(|candidate| !candidate.served && candidate.role != Role::Named && !shown.contains(&candidate.number())).count()
                as u64;
        self.window.entries = entries;
        self.window
    }
}

/// The numbers of candidates in the order of their places. Of many only those that are asked for are put in order.
struct BestFirst(BinaryHeap<Reverse<(Key, u64)>>);

impl BestFirst {
    fn of<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> Self {
        Self(candidates.map(|candidate| Reverse((candidate.place, candidate.number()))).collect())
    }
}

impl Iterator for BestFirst {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0.pop().map(|Reverse((_, number))| number)
    }
}

impl Candidate {
    /// What an entry says, and what it stands for.
    fn said(&self) -> (&Brief, &[u64]) {
        (&self.brief, &self.folded)
    }

    /// True if it must keep an entry of its own.
    fn is_fixed(&self) -> bool {
        self.role == Role::Named || !self.replaces.is_empty()
    }

    /// As the callout that another one is, by the same way.
    fn called_like(mut self, other: &Self) -> Self {
        self.own = Key { provisional: self.own.provisional, created_ms: self.own.created_ms, number: self.own.number, last: self.own.last, ..other.own };
        (self.place, self.role, self.score) = (other.place, other.role, other.score);
        (self.hops, self.via, self.from) = (other.hops, other.via, other.from);
        self
    }

    /// Takes the place of a near-duplicate, if that is better, and says that it stands for it.
    fn stand_for(&mut self, other: Self) {
        if other.own < self.own && other.seed_rank.is_some() && self.role == Role::Walked {
            (self.role, self.score, self.hops, self.via, self.from) = (other.role, other.score, other.hops, other.via, other.from);
        }
        self.seed_rank = match (self.seed_rank, other.seed_rank) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.place = self.place.min(other.place);
        self.folded.push(other.number());
        self.folded.extend(other.folded);
        let own = self.number();
        self.folded.retain(|number| *number != own);
        self.replaces.extend(other.replaces);
    }
}
