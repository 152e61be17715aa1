//! The transaction of an import: brings staged nodes and edges into the record.

use std::collections::{HashMap, HashSet};

use super::ahead::Batch;
use super::append::Announced;
use super::item::{EdgeItem, NodeItem, Strictness, id_number};
use super::report::{ImportReport, Place};
use super::taking::take_over;
use crate::base::error::{Code, Error, ErrorKind, Result};
use crate::base::id::{Kind, NodeId};
use crate::record::edge::{Relation, stand_in_reason};
use crate::record::evidence::SourceText;
use crate::record::node::{Class, Content, Detail, TaskStatus};
use crate::record::prepared::Prepared;
use crate::record::reader::unknown;
use crate::record::writer::{Claim, Drawn, Write};

/// What is wrong with an item is a fault of the report, what is wrong with the disk an error.
pub(super) struct Appending<'a> {
    write: &'a mut Write,
    report: &'a mut ImportReport,
    announced: &'a Announced,
    partial: bool,
    /// The newest node that was there before.
    newest: u64,
    /// The older nodes that this import has spoken of.
    touched: HashSet<u64>,
    /// The nodes that the source names by number.
    numbers: HashMap<u64, NodeId>,
    /// Components and tasks that come after the nodes that name them, until the last node is there.
    late: Vec<Late>,
}

struct Late {
    place: Place,
    id: NodeId,
    component: Option<String>,
    resolves_with: Option<String>,
    /// True if the node is counted as unchanged so far.
    unchanged: bool,
}

impl<'a> Appending<'a> {
    pub(super) fn new(write: &'a mut Write, report: &'a mut ImportReport, announced: &'a Announced, partial: bool) -> Result<Self> {
        let newest = write.views().last_number()?;
        Ok(Self { write, report, announced, partial, newest, touched: HashSet::new(), numbers: HashMap::new(), late: Vec::new() })
    }

    /// Appends a batch; the last nodes come before the first edges.
    pub(super) fn take(&mut self, batch: Batch) -> Result<()> {
        match batch {
            Batch::Nodes(nodes) => nodes.into_iter().try_for_each(|(node, prepared)| self.node(node, &prepared)),
            Batch::Edges(edges) => {
                self.late()?;
                edges.into_iter().try_for_each(|edge| self.edge(edge))
            }
        }
    }

    /// Makes a fault of an error that the source has caused.
    fn judge<T>(&mut self, place: &Place, done: Result<T>) -> Result<Option<T>> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict) && error.code() != Code::ReadOnly => {
                self.report.fault(place, &error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What a name of the source stands for: its own numbers first, then the record with what was appended.
    fn resolve(&self, reference: &str) -> Result<Option<NodeId>> {
        if let Some(id) = id_number(reference).and_then(|number| self.numbers.get(&number)) {
            return Ok(Some(*id));
        }
        self.write.find(reference)
    }

    fn require(&self, reference: &str) -> Result<NodeId> {
        self.resolve(reference)?.ok_or_else(|| unknown(reference))
    }

    fn node(&mut self, node: NodeItem, prepared: &Prepared) -> Result<()> {
        let place = node.place.clone();
        let done = self.try_node(node, prepared);
        self.judge(&place, done).map(drop)
    }

    fn try_node(&mut self, mut node: NodeItem, prepared: &Prepared) -> Result<()> {
        let component = self.early(node.component.take(), Kind::Component, "component")?;
        let resolves_with = self.early(node.resolves_with.take(), Kind::Task, "resolves_with")?;
        node.content.component = component.number();
        node.content.lifecycle.resolves_with = resolves_with.number();
        let (place, number, nameless) = (node.place.clone(), node.number, node.aliases.is_empty());
        let existing = self.existing(&node, &component, &resolves_with)?;
        let unchanged = self.report.unchanged;
        let id = match existing {
            Some(id) => self.revise(id, &node)?,
            None => self.create(node, prepared)?,
        };
        if let Some(number) = number {
            self.numbers.insert(number, id);
        }
        // A nameless node that is there is so because it names them already.
        let complete = nameless && existing.is_some();
        if !complete && let (Reference::Late(_), _) | (_, Reference::Late(_)) = (&component, &resolves_with) {
            let unchanged = self.report.unchanged > unchanged;
            self.late.push(Late { place, id, component: component.late(), resolves_with: resolves_with.late(), unchanged });
        }
        Ok(())
    }

    /// Finds a component or a task, or sees that it comes later in the source.
    fn early(&self, reference: Option<String>, kind: Kind, field: &'static str) -> Result<Reference> {
        let Some(reference) = reference else { return Ok(Reference::None) };
        // A number of the source that is still to come must not be taken for one of the record.
        let known = id_number(&reference).is_none_or(|number| self.numbers.contains_key(&number) || !self.announced.has_number(number));
        match if known { self.resolve(&reference)? } else { None } {
            Some(id) if id.kind == kind => Ok(Reference::Found(id.number)),
            Some(id) => Err(Error::new(Code::WrongKind, format!("check {field}: {id} is a {}, not a {kind}", id.kind)).with("field", field)),
            None if self.announced.has(&reference) => Ok(Reference::Late(reference)),
            None => Err(unknown(&reference)),
        }
    }

    /// The node that an item speaks of, if it is there.
    fn existing(&self, node: &NodeItem, component: &Reference, resolves_with: &Reference) -> Result<Option<NodeId>> {
        let mut found: Option<NodeId> = None;
        for alias in &node.aliases {
            let Some(id) = self.write.find(alias)? else { continue };
            if found.is_some_and(|other| other != id) {
                return Err(Error::new(Code::AliasTaken, format!("import a node: its aliases name different nodes, {alias:?} is {id}"))
                    .with("field", "alias")
                    .with("id", id));
            }
            found = Some(id);
        }
        match (found, node.number) {
            (None, Some(number)) if node.aliases.is_empty() && number <= self.newest => self.same(number, node, [component, resolves_with]),
            _ => Ok(found),
        }
    }

    /// The node of that number if it is in every respect what a nameless item says: then the item came from it, and what
    /// comes later in the source stands in the record under its number already.
    fn same(&self, number: u64, node: &NodeItem, [component, resolves_with]: [&Reference; 2]) -> Result<Option<NodeId>> {
        let Some((mut content, there)) = self.write.views().content(number)? else { return Ok(None) };
        for (reference, held) in [(component, &mut content.component), (resolves_with, &mut content.lifecycle.resolves_with)] {
            if let Reference::Late(reference) = reference {
                if held.is_none() || *held != id_number(reference) {
                    return Ok(None);
                }
                *held = None;
            }
        }
        if node.created_at != Some(there.created_at) || !self.write.views().aliases(number)?.is_empty() {
            return Ok(None);
        }
        let mut same = content == node.content;
        if let (Detail::Task(task), false) = (&mut content.detail, same) {
            // As an export of this record says it: where the task stands, not where it began.
            task.status = there.status.filter(|status| *status != TaskStatus::Claimed).unwrap_or(TaskStatus::Open);
            same = content == node.content;
        }
        Ok(same.then_some(there.id))
    }

    fn create(&mut self, node: NodeItem, prepared: &Prepared) -> Result<NodeId> {
        let id = self.write.create_prepared(node.content, node.aliases, node.created_at, prepared)?;
        if let Some(why) = &node.archived {
            self.write.archive(&id.to_string(), why)?;
        }
        self.report.nodes += 1;
        Ok(id)
    }

    fn revise(&mut self, id: NodeId, node: &NodeItem) -> Result<NodeId> {
        let before = self.write.views().head();
        let again = id.number > self.newest || !self.touched.insert(id.number);
        self.write.step(|write| {
            let mut said = None;
            write.change(&id.to_string(), true, |_, content| {
                let before = told_status(content);
                take_over(id, content, node)?;
                said = told_status(content).filter(|now| before != Some(*now));
                Ok(())
            })?;
            // What was done since in this record stands, unless the source itself has come to say something else.
            if let Some(status) = said {
                write.follow_status(id, status)?;
            }
            write.leave_container(id)?;
            for alias in &node.aliases {
                if write.find(alias)?.is_none() {
                    write.alias(&id.to_string(), alias)?;
                }
            }
            if let Some(why) = &node.archived
                && write.views().brief(id.number)?.is_some_and(|brief| brief.state != crate::record::node::State::Archived)
            {
                write.archive(&id.to_string(), why)?;
            }
            if again && write.views().head() > before {
                return Err(Error::new(Code::AliasTaken, format!("import a node: {id} stands in the source before, with other content"))
                    .with("field", "alias")
                    .with("id", id));
            }
            Ok(())
        })?;
        if self.write.views().head() > before {
            self.report.revised += 1
        } else {
            self.report.unchanged += 1
        }
        Ok(id)
    }

    /// Sets the components and tasks that came after the nodes that name them.
    pub(super) fn late(&mut self) -> Result<()> {
        for late in std::mem::take(&mut self.late) {
            let done = self.try_late(&late);
            self.judge(&late.place, done)?;
        }
        Ok(())
    }

    fn try_late(&mut self, late: &Late) -> Result<()> {
        let mut found = [None, None];
        for (slot, (reference, kind, field)) in
            [(&late.component, Kind::Component, "component"), (&late.resolves_with, Kind::Task, "resolves_with")].into_iter().enumerate()
        {
            if let Some(reference) = reference {
                let id = self.require(reference)?;
                if id.kind != kind {
                    return Err(Error::new(Code::WrongKind, format!("check {field}: {id} is a {}, not a {kind}", id.kind)).with("field", field));
                }
                found[slot] = Some(id.number);
            }
        }
        let before = self.write.views().head();
        self.write.change(&late.id.to_string(), true, |_, content| {
            let [component, task] = found;
            content.component = component.or(content.component);
            content.lifecycle.resolves_with = task.or(content.lifecycle.resolves_with);
            Ok(())
        })?;
        if late.unchanged && self.write.views().head() > before {
            self.report.unchanged -= 1;
            self.report.revised += 1;
        }
        Ok(())
    }

    fn edge(&mut self, edge: EdgeItem) -> Result<()> {
        let done = self.try_edge(&edge);
        self.judge(&edge.place, done).map(drop)
    }

    fn try_edge(&mut self, edge: &EdgeItem) -> Result<()> {
        let (from, to) = match (self.resolve(&edge.from)?, self.resolve(&edge.to)?) {
            (Some(from), Some(to)) => (from, to),
            (from, _) if edge.strictness != Strictness::Exact => {
                let missing = if from.is_none() { &edge.from } else { &edge.to };
                self.report.skip(format!("{} {} {}", edge.from, edge.relation, edge.to), format!("{missing} is in neither source nor record"));
                return Ok(());
            }
            _ => (self.require(&edge.from)?, self.require(&edge.to)?),
        };
        if edge.strictness == Strictness::Child {
            let container = self.write.views().brief(to.number)?.is_some_and(|brief| brief.class == Class::Container);
            let relation = if container { Relation::Blocks } else { Relation::Fulfills };
            return self.join(edge, from, to, relation, Some(Relation::Fulfills));
        }
        self.join(edge, from, to, edge.relation, self.partial.then_some(Relation::RelatesTo))
    }

    /// Joins two nodes; where that would close a cycle, with the weaker relation if there is one, whose reason says so.
    fn join(&mut self, edge: &EdgeItem, from: NodeId, to: NodeId, relation: Relation, weaker: Option<Relation>) -> Result<()> {
        let mut drawn = self.draw(edge, from, to, relation, &edge.reason);
        if let (Err(error), Some(weaker)) = (&drawn, weaker.filter(|weaker| *weaker != relation))
            && error.code() == Code::Cycle
        {
            self.report.weakened += 1;
            drawn = self.draw(edge, from, to, weaker, &stand_in_reason(relation, &edge.reason));
        }
        match drawn {
            Err(error) if error.code() == Code::Cycle => Err(self.named_cycle(edge, &error)?),
            drawn => drawn,
        }
    }

    fn draw(&mut self, edge: &EdgeItem, from: NodeId, to: NodeId, relation: Relation, reason: &str) -> Result<()> {
        let text = edge.source_text.as_ref().map(|text| SourceText { text: text.text.clone(), uri: text.uri.clone(), revision: text.revision.clone() });
        let hash = edge.source_text.as_ref().and_then(|text| text.sha256.as_deref());
        let claim = Claim { reason, quote: &edge.evidence, source_text: text.as_ref(), source_hash: hash };
        match self.write.link_imported(from, relation, to, &claim) {
            Ok(Drawn::TakenAway) => {
                self.report.skip(format!("{} {relation} {}", edge.from, edge.to), "it was taken away in this record, and the source says no more than before");
                Ok(())
            }
            Ok(drawn) => {
                self.report.edges += 1;
                self.report.unverified += u64::from(relation == Relation::Supersedes && matches!(drawn, Drawn::Unverified));
                Ok(())
            }
            Err(error) if error.code() == Code::EdgeExists => {
                self.report.unchanged += 1;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The error of a cycle in the source's own names: ids of nodes that are not kept would tell nobody anything.
    fn named_cycle(&self, edge: &EdgeItem, error: &Error) -> Result<Error> {
        let mut names = Vec::new();
        for word in error.detail("path").unwrap_or("").split(" → ") {
            let alias = match id_number(word) {
                Some(number) => self.write.views().aliases(number)?.into_iter().next(),
                None => None,
            };
            names.push(alias.unwrap_or_else(|| word.to_owned()));
        }
        let path = names.join(" → ");
        Ok(Error::new(Code::Cycle, format!("link {} {} {}: it would close the cycle {path}", edge.from, edge.relation, edge.to)).with("path", path))
    }
}

/// What a node's reference to a component or a task has led to.
enum Reference {
    None,
    Found(u64),
    Late(String),
}

impl Reference {
    fn number(&self) -> Option<u64> {
        match self {
            Self::Found(number) => Some(*number),
            _ => None,
        }
    }

    fn late(self) -> Option<String> {
        match self {
            Self::Late(reference) => Some(reference),
            _ => None,
        }
    }
}

/// The status that the source of a task told last.
fn told_status(content: &Content) -> Option<TaskStatus> {
    match &content.detail {
        Detail::Task(task) => Some(task.status),
        _ => None,
    }
}
