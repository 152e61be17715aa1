//! What one read has looked at so far: nodes and edges of the snapshot, each read once.
//!
//! Whoever knows what it will look at next says so with a `read_` method, which reads all of it together; what nobody
//! announced is read when it is asked for. What an earlier read at the same head has looked at is not read again, and is
//! counted as if it were.

use std::borrow::Cow;
use std::sync::Arc;

use super::counted::Counted;
use super::kept::{Keeping, Kept};
use super::score::RankingTable;
use super::source::Source;
use crate::base::config::EDGES_PER_NODE;
use crate::base::error::{Code, Result};
use crate::base::passages::{Passage, passage};
use crate::base::time::Timestamp;
use crate::record::edge::{Evidence, Relation};
use crate::record::node::{Category, Class};
use crate::record::reader::{Brief, Snapshot, Step, Text};

/// Edges of a node that are read at once; a node with more is read group by group, in the order of their weight.
const AT_ONCE: usize = 64;
/// Edges that are counted at most to say how many were left.
const COUNTED: usize = 1_000;
/// What a text weighs beside its title and body among those that are kept.
const LEAST_OF_TEXT: usize = 512;
/// Nodes that stand together and are asked what contradicts them.
const MOST_TOGETHER: usize = 128;
/// Edges of one sort that are looked at beside those that are followed.
pub(crate) const BESIDE: usize = 12;

/// The nodes and edges of one read.
pub(crate) struct Nodes<'s> {
    pub(crate) snapshot: &'s Snapshot,
    pub(crate) table: Arc<RankingTable>,
    kept: Kept,
    /// Where what was looked at goes in the end.
    home: Option<&'s Keeping>,
    pub(crate) nodes_read: u64,
    pub(crate) edges_read: u64,
    pub(crate) texts_read: u64,
}

/// The relation, direction and class that edges of a node share.
pub(super) type Group = (Relation, bool, Class);

/// The reason of an edge, what it rests on, and whether that is unverified.
pub(super) type Grounds = (String, Option<Evidence>, bool);

/// Edges of a node as far as they were read.
pub(super) struct Edges {
    /// All of them, or the first in stored order.
    steps: Vec<Step>,
    /// False if there are more.
    all: bool,
    /// How many were read to know that.
    read: u64,
}

/// Takes running out of time as nothing, every other error as it is.
pub(crate) fn in_time<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == Code::TransactionTimeout => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts numbers in order, each once.
fn sort_once(numbers: &mut Vec<u64>) {
    numbers.sort_unstable();
    numbers.dedup();
}

/// Has a node's state told at an instant.
fn tell_state(brief: &mut Option<Arc<Brief>>, now: Timestamp) {
    if let Some(held) = brief
        && held.state_at(now) != held.state
    {
        *brief = Some(Arc::new(Brief { state: held.state_at(now), ..Brief::clone(held) }));
    }
}

impl<'s> Nodes<'s> {
    /// Nothing is looked at yet, and nothing will be kept.
    pub(crate) fn new(snapshot: &'s Snapshot, table: Arc<RankingTable>) -> Self {
        Self { snapshot, table, kept: Kept::default(), home: None, nodes_read: 0, edges_read: 0, texts_read: 0 }
    }

    /// The nodes of one read of a source, which keeps them for the next.
    pub(crate) fn of(source: &'s dyn Source, snapshot: &'s Snapshot) -> Self {
        let home = source.keeping();
        let mut nodes = Self::new(snapshot, source.ranking());
        (nodes.kept, nodes.home) = (home.take(snapshot), Some(home));
        nodes
    }

    /// What ranking needs of a node.
    pub(crate) fn brief(&mut self, number: u64) -> Result<Option<Arc<Brief>>> {
        let read = self.kept.read;
        if let Some((known, first)) = self.kept.briefs.look(number, read) {
            if first {
                self.nodes_read += 1;
                tell_state(known, self.snapshot.now());
            }
            return Ok(known.clone());
        }
        self.nodes_read += 1;
        let brief = self.snapshot.brief(number)?.map(Arc::new);
        self.kept.briefs.put(number, read, 1, brief.clone());
        Ok(brief)
    }

    /// Reads what ranking needs of nodes that will be asked for.
    pub(crate) fn read_briefs(&mut self, numbers: impl Iterator<Item = u64>) -> Result<()> {
        let (read, now) = (self.kept.read, self.snapshot.now());
        let mut missing = Vec::new();
        for number in numbers {
            match self.kept.briefs.look(number, read) {
                Some((known, true)) => {
                    self.nodes_read += 1;
                    tell_state(known, now);
                }
                Some(_) => {}
                None => missing.push(number),
            }
        }
        sort_once(&mut missing);
        self.nodes_read += missing.len() as u64;
        let found = self.snapshot.briefs(&missing)?;
        missing.into_iter().for_each(|number| self.kept.briefs.put(number, read, 1, None));
        found.into_iter().for_each(|brief| self.kept.briefs.put(brief.number, read, 1, Some(Arc::new(brief))));
        Ok(())
    }

    /// Reads the edges of nodes that will be asked for.
    pub(crate) fn read_edges(&mut self, numbers: impl Iterator<Item = u64>) -> Result<()> {
        let mut missing: Vec<u64> = numbers.filter(|number| self.known_edges(*number).is_none()).collect();
        sort_once(&mut missing);
        for (number, steps) in self.snapshot.steps_of_each(&missing, AT_ONCE + 1)? {
            self.hold_edges(number, steps);
        }
        Ok(())
    }

    /// Reads the texts of nodes that will be shown.
    pub(crate) fn read_texts(&mut self, numbers: &[u64]) -> Result<()> {
        let read = self.kept.read;
        let mut missing: Vec<u64> = numbers.iter().copied().filter(|number| self.known_text(*number).is_none()).collect();
        sort_once(&mut missing);
        self.texts_read += missing.len() as u64;
        let found = self.snapshot.texts(&missing)?;
        missing.into_iter().for_each(|number| self.kept.texts.put(number, read, 1, None));
        for (number, text) in found {
            self.hold_text(number, Some(Arc::new(text)));
        }
        Ok(())
    }

    /// Reads the other names of nodes that will be shown.
    pub(crate) fn read_names(&mut self, numbers: &[u64]) -> Result<()> {
        let read = self.kept.read;
        let mut missing: Vec<u64> = numbers.iter().copied().filter(|number| self.kept.names.look(*number, read).is_none()).collect();
        sort_once(&mut missing);
        let found = self.snapshot.names_of(&missing)?;
        for number in missing {
            let names: Arc<[String]> = found.iter().filter(|(of, _)| *of == number).map(|(_, name)| name.clone()).collect();
            self.kept.names.put(number, read, 1 + names.len(), names);
        }
        Ok(())
    }

    /// What a node says.
    pub(crate) fn text(&mut self, number: u64) -> Result<Option<Arc<Text>>> {
        if let Some(known) = self.known_text(number) {
            return Ok(known);
        }
        self.texts_read += 1;
        let text = self.snapshot.text(number)?.map(Arc::new);
        self.hold_text(number, text.clone());
        Ok(text)
    }

    /// True if what a node says was looked at and is kept.
    pub(crate) fn has_text(&mut self, number: u64) -> bool {
        self.known_text(number).is_some()
    }

    fn known_text(&mut self, number: u64) -> Option<Option<Arc<Text>>> {
        let (known, first) = self.kept.texts.look(number, self.kept.read)?;
        self.texts_read += u64::from(first);
        Some(known.clone())
    }

    fn hold_text(&mut self, number: u64, text: Option<Arc<Text>>) {
        let bytes = text.as_ref().map_or(0, |text| text.content.title.len() + text.content.body.len());
        self.kept.texts.put(number, self.kept.read, LEAST_OF_TEXT + bytes, text);
    }

    /// A passage of a document, whose body is only read if nobody has looked at that passage.
    pub(crate) fn piece<'b>(&mut self, number: u64, ordinal: u32, body: impl FnOnce() -> Result<Cow<'b, str>>) -> Result<Arc<Passage>> {
        // A text of the largest size has fewer than a million passages.
        let (read, key) = (self.kept.read, number << 20 | u64::from(ordinal));
        if let Some((known, _)) = self.kept.pieces.look(key, read) {
            return Ok(Arc::clone(known));
        }
        let piece = Arc::new(passage(&body()?, ordinal as usize).unwrap_or_default());
        self.kept.pieces.put(key, read, LEAST_OF_TEXT + piece.path.len() + piece.text.len(), Arc::clone(&piece));
        Ok(piece)
    }

    /// A node's other names, in the order in which they were given.
    pub(crate) fn aliases(&mut self, number: u64) -> Result<Vec<String>> {
        match self.kept.names.look(number, self.kept.read) {
            Some((known, _)) => Ok(known.to_vec()),
            None => self.snapshot.aliases(number),
        }
    }

    /// Where the count of what a node's whole text shows as a body is kept.
    pub(crate) fn counted(&mut self, number: u64) -> Counted {
        let read = self.kept.read;
        if let Some((known, _)) = self.kept.counted.look(number, read) {
            return known.clone();
        }
        let counted = Counted::default();
        self.kept.counted.put(number, read, 1, counted.clone());
        counted
    }

    /// Why an edge stands.
    pub(crate) fn grounds(&mut self, edge: i64) -> Result<Arc<Grounds>> {
        let (read, key) = (self.kept.read, edge.cast_unsigned());
        if let Some((known, _)) = self.kept.grounds.look(key, read) {
            return Ok(Arc::clone(known));
        }
        let grounds = Arc::new(self.snapshot.grounds(edge)?);
        self.kept.grounds.put(key, read, 1, Arc::clone(&grounds));
        Ok(grounds)
    }

    fn edges(&mut self, number: u64) -> Result<Arc<Edges>> {
        if let Some(known) = self.known_edges(number) {
            return Ok(known);
        }
        let steps = self.snapshot.steps(number, AT_ONCE + 1)?;
        Ok(self.hold_edges(number, steps))
    }

    fn known_edges(&mut self, number: u64) -> Option<Arc<Edges>> {
        let (known, first) = self.kept.edges.look(number, self.kept.read)?;
        if first {
            self.edges_read += known.read;
        }
        Some(Arc::clone(known))
    }

    /// Keeps the edges of a node, of which at most one more was read than are kept.
    fn hold_edges(&mut self, number: u64, mut steps: Vec<Step>) -> Arc<Edges> {
        let read = steps.len() as u64;
        self.edges_read += read;
        let all = steps.len() <= AT_ONCE;
        steps.truncate(AT_ONCE);
        steps.shrink_to_fit();
        let edges = Arc::new(Edges { steps, all, read });
        self.kept.edges.put(number, self.kept.read, 1 + edges.steps.len(), Arc::clone(&edges));
        edges
    }

    /// The edges that a walk follows from a node, best first, and how many it leaves (at least, beyond a thousand).
    ///
    /// Order: weight of the relation, weight of the neighbour's class, newest neighbour, then what tells them apart. Of
    /// relations of one weight, both directions take turns: the many that rest on a node hide none of the few it rests on.
    pub(crate) fn followed(&mut self, number: u64) -> Result<(Vec<Step>, u64)> {
        let edges = self.edges(number)?;
        let mut forth = self.best(number, &edges, EDGES_PER_NODE, &|_, outgoing, _| outgoing)?.into_iter().peekable();
        let mut back = self.best(number, &edges, EDGES_PER_NODE, &|_, outgoing, _| !outgoing)?.into_iter().peekable();
        let mut steps: Vec<Step> = Vec::new();
        while steps.len() < EDGES_PER_NODE {
            let turn = steps.last().is_none_or(|last| !last.outgoing);
            let weight = |step: &Step| self.table.relation(step.relation);
            let from_forth = match (forth.peek(), back.peek()) {
                (Some(a), Some(b)) => weight(a) > weight(b) || (weight(a) == weight(b) && turn),
                (a, _) => a.is_some(),
            };
            match if from_forth { forth.next() } else { back.next() } {
                Some(step) => steps.push(step),
                None => break,
            }
        }
        let count = if edges.all { edges.steps.len() as u64 } else { self.snapshot.degree(number, COUNTED)? };
        Ok((steps, count.saturating_sub(EDGES_PER_NODE as u64)))
    }

    /// The causal edges that a look for risks follows from a node: those a walk would follow if there were no others,
    /// and the best of those that lead to risks.
    pub(crate) fn causal(&mut self, number: u64) -> Result<Vec<Step>> {
        let edges = self.edges(number)?;
        let mut steps = self.best(number, &edges, BESIDE, &|relation, _, _| relation.is_causal())?;
        for step in self.causal_risks(number)? {
            if steps.iter().all(|held| held.edge != step.edge) {
                steps.push(step);
            }
        }
        Ok(steps)
    }

    /// The best causal edges of a node that lead to risks.
    pub(crate) fn causal_risks(&mut self, number: u64) -> Result<Vec<Step>> {
        let edges = self.edges(number)?;
        self.best(number, &edges, BESIDE, &|relation, _, class| relation.is_causal() && class == Class::Knowledge(Category::Risk))
    }

    /// The nodes that contradict a node, each once.
    pub(crate) fn contradicting(&mut self, number: u64) -> Result<Vec<u64>> {
        let edges = self.edges(number)?;
        let steps = self.best(number, &edges, BESIDE, &|relation, _, _| relation == Relation::Contradicts)?;
        let mut numbers: Vec<u64> = steps.into_iter().map(|step| step.neighbour).collect();
        let mut seen = std::collections::HashSet::new();
        numbers.retain(|number| seen.insert(*number));
        Ok(numbers)
    }

    /// The nodes that contradict one of some that stand together, each once and with the first that it contradicts, without
    /// those themselves.
    pub(crate) fn contradicting_any(&mut self, together: &[u64]) -> Result<Vec<(u64, u64)>> {
        let together = &together[..together.len().min(MOST_TOGETHER)];
        self.read_edges(together.iter().copied())?;
        let mut found: Vec<(u64, u64)> = Vec::new();
        for number in together {
            for other in self.contradicting(*number)? {
                if !together.contains(&other) && found.iter().all(|(known, _)| *known != other) {
                    found.push((other, *number));
                }
            }
        }
        Ok(found)
    }

    /// Every node that retired a node directly, with the edge that says so, in the order of their numbers.
    pub(crate) fn successors(&mut self, number: u64) -> Result<Vec<(u64, i64)>> {
        let edges = self.edges(number)?;
        let mut found: Vec<(u64, i64)> = if edges.all {
            edges.steps.iter().filter(|step| step.relation == Relation::Supersedes && !step.outgoing).map(|step| (step.neighbour, step.edge)).collect()
        } else {
            self.snapshot.successors(number)?.into_iter().map(|(id, edge)| (id.number, edge)).collect()
        };
        found.sort_unstable();
        Ok(found)
    }

    /// The same of a node of which nothing else is wanted and nothing is kept.
    pub(crate) fn successors_alone(&mut self, number: u64) -> Result<Vec<(u64, i64)>> {
        let found = self.snapshot.successors(number)?;
        self.edges_read += found.len() as u64;
        Ok(found.into_iter().map(|(id, edge)| (id.number, edge)).collect())
    }

    /// The best `limit` edges of the sorts that `wanted` lets pass.
    pub(crate) fn best_steps(&mut self, number: u64, limit: usize, wanted: &dyn Fn(Relation, bool, Class) -> bool) -> Result<Vec<Step>> {
        let edges = self.edges(number)?;
        self.best(number, &edges, limit, wanted)
    }

    fn groups(&mut self, number: u64) -> Result<Arc<[Group]>> {
        let read = self.kept.read;
        if let Some((known, _)) = self.kept.groups.look(number, read) {
            return Ok(Arc::clone(known));
        }
        let groups: Arc<[Group]> = self.snapshot.step_groups(number)?.into();
        self.kept.groups.put(number, read, 1 + groups.len(), Arc::clone(&groups));
        Ok(groups)
    }

    fn best(&mut self, number: u64, edges: &Edges, limit: usize, wanted: &dyn Fn(Relation, bool, Class) -> bool) -> Result<Vec<Step>> {
        let table = Arc::clone(&self.table);
        let order = |a: &Step, b: &Step| {
            (table.relation(b.relation).total_cmp(&table.relation(a.relation)))
                .then_with(|| table.class(b.class).total_cmp(&table.class(a.class)))
                .then_with(|| b.created_ms.cmp(&a.created_ms))
                .then_with(|| (a.neighbour, a.relation, !a.outgoing, a.edge).cmp(&(b.neighbour, b.relation, !b.outgoing, b.edge)))
        };
        if edges.all {
            let mut steps: Vec<Step> = edges.steps.iter().filter(|step| wanted(step.relation, step.outgoing, step.class)).copied().collect();
            steps.sort_by(order);
            steps.truncate(limit);
            return Ok(steps);
        }
        // Groups of one weight are merged; groups of less weight are not read once the limit is reached.
        let mut groups: Vec<Group> = self.groups(number)?.iter().filter(|(relation, outgoing, class)| wanted(*relation, *outgoing, *class)).copied().collect();
        let weight = |group: &Group| (table.relation(group.0), table.class(group.2));
        groups.sort_by(|a, b| {
            let (a, b) = (weight(a), weight(b));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        let mut found: Vec<Step> = Vec::new();
        for tier in groups.chunk_by(|a, b| weight(a) == weight(b)) {
            let left = limit - found.len();
            if left == 0 {
                break;
            }
            let mut steps = Vec::new();
            for group in tier {
                steps.extend(self.snapshot.steps_of(number, *group, left)?);
            }
            self.edges_read += steps.len() as u64;
            steps.sort_by(order);
            steps.truncate(left);
            found.append(&mut steps);
        }
        Ok(found)
    }
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        if let Some(home) = self.home {
            home.give_back(std::mem::take(&mut self.kept));
        }
    }
}
