//! What one read has looked at so far: nodes and edges of the snapshot, each read once.
//!
//! Whoever knows what it will look at next says so with a `read_` method, which reads all of it together; what nobody
//! announced is read when it is asked for.

use std::rc::Rc;
use std::sync::Arc;

use super::score::RankingTable;
use crate::base::config::EDGES_PER_NODE;
use crate::base::error::{Code, Result};
use crate::base::number_map::NumberMap;
use crate::record::edge::Relation;
use crate::record::node::{Category, Class};
use crate::record::reader::{Brief, Snapshot, Step, Text};

/// Edges of a node that are read at once; a node with more is read group by group, in the order of their weight.
const AT_ONCE: usize = 64;
/// Edges that are counted at most to say how many were left.
const COUNTED: usize = 1_000;
/// Edges of one sort that are looked at beside those that are followed.
pub(crate) const BESIDE: usize = 12;

/// The nodes and edges of one read.
pub(crate) struct Nodes<'s> {
    pub(crate) snapshot: &'s Snapshot,
    pub(crate) table: Arc<RankingTable>,
    briefs: NumberMap<Option<Rc<Brief>>>,
    edges: NumberMap<Rc<Edges>>,
    groups: NumberMap<Rc<[Group]>>,
    texts: NumberMap<Option<Rc<Text>>>,
    names: NumberMap<Vec<String>>,
    pub(crate) nodes_read: u64,
    pub(crate) edges_read: u64,
    pub(crate) texts_read: u64,
}

/// The relation, direction and class that edges of a node share.
type Group = (Relation, bool, Class);

/// Edges of a node as far as they were read.
pub(crate) struct Edges {
    /// All of them, or the first in stored order.
    steps: Vec<Step>,
    /// False if there are more.
    all: bool,
}

/// Takes running out of time as nothing, every other error as it is.
pub(crate) fn in_time<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == Code::TransactionTimeout => Ok(None),
        Err(error) => Err(error),
    }
}

/// Numbers that are not known yet, each once, in order.
fn distinct(numbers: impl Iterator<Item = u64>, known: impl Fn(u64) -> bool) -> Vec<u64> {
    let mut missing: Vec<u64> = numbers.filter(|number| !known(*number)).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

impl<'s> Nodes<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, table: Arc<RankingTable>) -> Self {
        Self {
            snapshot,
            table,
            briefs: NumberMap::default(),
            edges: NumberMap::default(),
            groups: NumberMap::default(),
            texts: NumberMap::default(),
            names: NumberMap::default(),
            nodes_read: 0,
            edges_read: 0,
            texts_read: 0,
        }
    }

    /// What ranking needs of a node.
    pub(crate) fn brief(&mut self, number: u64) -> Result<Option<Rc<Brief>>> {
        if let Some(known) = self.briefs.get(&number) {
            return Ok(known.clone());
        }
        self.nodes_read += 1;
        let brief = self.snapshot.brief(number)?.map(Rc::new);
        self.briefs.insert(number, brief.clone());
        Ok(brief)
    }

    /// Reads what ranking needs of nodes that will be asked for.
    pub(crate) fn read_briefs(&mut self, numbers: impl Iterator<Item = u64>) -> Result<()> {
        let missing = distinct(numbers, |number| self.briefs.contains_key(&number));
        self.nodes_read += missing.len() as u64;
        let found = self.snapshot.briefs(&missing)?;
        self.briefs.extend(missing.into_iter().map(|number| (number, None)));
        self.briefs.extend(found.into_iter().map(|brief| (brief.number, Some(Rc::new(brief)))));
        Ok(())
    }

    /// Reads the edges of nodes that will be asked for.
    pub(crate) fn read_edges(&mut self, numbers: impl Iterator<Item = u64>) -> Result<()> {
        let missing = distinct(numbers, |number| self.edges.contains_key(&number));
        for (number, steps) in self.snapshot.steps_of_each(&missing, AT_ONCE + 1)? {
            self.hold_edges(number, steps);
        }
        Ok(())
    }

    /// Reads the texts and other names of nodes that will be shown.
    pub(crate) fn read_texts(&mut self, numbers: &[u64]) -> Result<()> {
        let missing = distinct(numbers.iter().copied(), |number| self.texts.contains_key(&number));
        self.texts_read += missing.len() as u64;
        let found = self.snapshot.texts(&missing)?;
        self.texts.extend(missing.into_iter().map(|number| (number, None)));
        self.texts.extend(found.into_iter().map(|(number, text)| (number, Some(Rc::new(text)))));
        let missing = distinct(numbers.iter().copied(), |number| self.names.contains_key(&number));
        let found = self.snapshot.names_of(&missing)?;
        self.names.extend(missing.into_iter().map(|number| (number, Vec::new())));
        for (number, name) in found {
            self.names.entry(number).or_default().push(name);
        }
        Ok(())
    }

    /// What a node says.
    pub(crate) fn text(&mut self, number: u64) -> Result<Option<Rc<Text>>> {
        if let Some(known) = self.texts.get(&number) {
            return Ok(known.clone());
        }
        self.texts_read += 1;
        let text = self.snapshot.text(number)?.map(Rc::new);
        self.texts.insert(number, text.clone());
        Ok(text)
    }

    /// A node's other names, in the order in which they were given.
    pub(crate) fn aliases(&self, number: u64) -> Result<Vec<String>> {
        match self.names.get(&number) {
            Some(known) => Ok(known.clone()),
            None => self.snapshot.aliases(number),
        }
    }

    fn edges(&mut self, number: u64) -> Result<Rc<Edges>> {
        if let Some(known) = self.edges.get(&number) {
            return Ok(Rc::clone(known));
        }
        let steps = self.snapshot.steps(number, AT_ONCE + 1)?;
        Ok(self.hold_edges(number, steps))
    }

    /// Keeps the edges of a node, of which at most one more was read than are kept.
    fn hold_edges(&mut self, number: u64, mut steps: Vec<Step>) -> Rc<Edges> {
        self.edges_read += steps.len() as u64;
        let all = steps.len() <= AT_ONCE;
        steps.truncate(AT_ONCE);
        let edges = Rc::new(Edges { steps, all });
        self.edges.insert(number, Rc::clone(&edges));
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

    /// The best `limit` edges of the sorts that `wanted` lets pass.
    pub(crate) fn best_steps(&mut self, number: u64, limit: usize, wanted: &dyn Fn(Relation, bool, Class) -> bool) -> Result<Vec<Step>> {
        let edges = self.edges(number)?;
        self.best(number, &edges, limit, wanted)
    }

    fn groups(&mut self, number: u64) -> Result<Rc<[Group]>> {
        if let Some(known) = self.groups.get(&number) {
            return Ok(Rc::clone(known));
        }
        let groups: Rc<[Group]> = self.snapshot.step_groups(number)?.into();
        self.groups.insert(number, Rc::clone(&groups));
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
