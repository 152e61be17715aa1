//! One run of an import: stages what an importer reads, checks what it names, and appends it in one transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::item::{EdgeItem, Given, Item, NodeItem, Strictness, id_number};
use super::report::{ImportOptions, ImportPhase, ImportReport, Place, Progress};
use super::staging::{Mark, Staging};
use crate::base::error::{Code, Error, ErrorKind, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::{Kind, NodeId, fold_alias};
use crate::base::time::Deadline;
use crate::record::draft::Draft;
use crate::record::edge::Relation;
use crate::record::evidence::SourceText;
use crate::record::log::Hand;
use crate::record::node::{Class, Content, Detail, TaskStatus};
use crate::record::reader::{Snapshot, unknown};
use crate::record::recorder::Writing;
use crate::record::settle::check_name;
use crate::record::writer::{Claim, Write};

/// An import under way.
pub(crate) struct Import<'p> {
    writing: Arc<Writing>,
    actor: String,
    session: Option<String>,
    partial: bool,
    progress: Option<&'p mut dyn FnMut(Progress)>,
    total_bytes: Option<u64>,
    /// What it has done so far.
    pub(crate) report: ImportReport,
    staging: Staging,
    /// True once a staged node names a component or a task.
    referring: bool,
    announced: Announced,
}

/// The names that the source gives to its nodes, as hashes: enough to tell a name that comes later from none.
#[derive(Default)]
struct Announced {
    hasher: RandomState,
    names: HashSet<u64>,
    numbers: HashSet<u64>,
}

impl Announced {
    fn hash(&self, alias: &str) -> u64 {
        self.hasher.hash_one(fold_alias(alias.trim()))
    }

    fn has(&self, reference: &str) -> bool {
        match id_number(reference) {
            Some(number) => self.numbers.contains(&number),
            None => self.names.contains(&self.hash(reference)),
        }
    }
}

impl<'p> Import<'p> {
    /// Begins to import into a record.
    ///
    /// # Errors
    /// `read_only`, `empty_field` for a blank actor, `storage` and its like.
    pub(crate) fn begin(writing: &Arc<Writing>, actor: &str, options: ImportOptions<'p>) -> Result<Self> {
        check_name("actor", actor)?;
        if let Some(session) = &options.session {
            check_name("session", session)?;
        }
        if writing.database.read_only() {
            return Err(Error::new(Code::ReadOnly, "import into a record: its handle is read-only"));
        }
        Ok(Self {
            staging: Staging::create(writing.database.dir())?,
            writing: Arc::clone(writing),
            actor: actor.to_owned(),
            session: options.session,
            partial: options.partial,
            progress: options.progress,
            total_bytes: None,
            report: ImportReport::default(),
            referring: false,
            announced: Announced::default(),
        })
    }

    /// Says how many bytes there are to read.
    pub(crate) fn expect_bytes(&mut self, total: Option<u64>) {
        self.total_bytes = total;
    }

    /// Tells the host how far the import is.
    pub(crate) fn tell(&mut self, phase: ImportPhase, bytes: u64) {
        if let Some(told) = &mut self.progress {
            told(Progress { phase, lines: self.report.lines, bytes, total_bytes: self.total_bytes, faults: self.report.error_count });
        }
    }

    /// Says that the source names one of its nodes so, be the node itself in order or not.
    pub(crate) fn announce(&mut self, name: &str) {
        match id_number(name) {
            Some(number) => self.announced.numbers.insert(number),
            None => self.announced.names.insert(self.announced.hash(name)),
        };
    }

    /// Puts an item into its staging file.
    pub(crate) fn stage(&mut self, item: Item) -> Result<()> {
        match item {
            Item::Node(node) => {
                node.aliases.iter().for_each(|alias| self.announce(alias));
                self.referring |= node.component.is_some() || node.resolves_with.is_some();
                self.staging.nodes.push(&node)
            }
            Item::Edge(edge) if edge.strictness == Strictness::Child => self.staging.children.push(&edge),
            Item::Edge(edge) => self.staging.edges.push(&edge),
        }?;
        fail_point!(ItemStaged);
        Ok(())
    }

    /// Checks and appends what was staged.
    ///
    /// # Errors
    /// `busy`, `storage` and its like; then nothing is written.
    pub(crate) fn finish(mut self, bytes: u64) -> Result<ImportReport> {
        if !self.partial {
            self.tell(ImportPhase::Checking, bytes);
            self.check()?;
        }
        if self.partial || self.report.error_count == 0 {
            self.tell(ImportPhase::Appending, bytes);
            self.append()?;
        }
        self.tell(ImportPhase::Done, bytes);
        Ok(self.report)
    }

    /// Looks for names that stand for nothing, so that most faulty imports never take the write lock.
    fn check(&mut self) -> Result<()> {
        let views = Snapshot::open(&self.writing.database, None, self.writing.clock.now(), Deadline::NEVER)?;
        let Self { staging, report, announced, .. } = self;
        let mut look = |place: &Place, reference: &str| -> Result<()> {
            if !announced.has(reference) && views.resolve(reference)?.is_none() {
                report.fault(place, &unknown(reference));
            }
            Ok(())
        };
        if self.referring {
            staging
                .nodes
                .each(&mut |node: NodeItem| node.component.iter().chain(&node.resolves_with).try_for_each(|reference| look(&node.place, reference)))?;
        }
        staging.edges.each(&mut |edge: EdgeItem| match edge.strictness {
            Strictness::Exact => [&edge.from, &edge.to].into_iter().try_for_each(|reference| look(&edge.place, reference)),
            Strictness::Loose | Strictness::Child => Ok(()),
        })
    }

    fn append(&mut self) -> Result<()> {
        let Self { writing, actor, session, staging, report, announced, partial, .. } = self;
        if staging.nodes.count() + staging.edges.count() + staging.children.count() == 0 {
            report.applied = *partial || report.error_count == 0;
            return Ok(());
        }
        let hand = Hand { at: writing.clock.now(), actor, session: session.as_deref() };
        let mut write = Write::begin(&writing.database, &hand, writing.database.busy_timeout())?;
        let mark = Mark::set(writing.database.dir())?;
        fail_point!(ImportMarked);
        write.begin_bulk()?;
        let before = write.views().head();
        let newest = write.views().counts()?.last_number;
        let mut appending =
            Appending { write: &mut write, report, announced, partial: *partial, newest, touched: HashSet::new(), numbers: HashMap::new(), late: Vec::new() };
        staging.nodes.each(&mut |node| appending.node(node))?;
        appending.late()?;
        staging.edges.each(&mut |edge| appending.edge(edge))?;
        staging.children.each(&mut |edge| appending.edge(edge))?;
        if report.error_count > 0 && !*partial {
            report.nothing_written();
            return Ok(());
        }
        report.applied = true;
        if write.views().head() > before {
            fail_point!(ImportAppended);
            let sequence = write.commit()?;
            fail_point!(ImportCommitted);
            drop(mark);
            // Every process that opens the record next would read the whole write-ahead log. What keeps it from being
            // emptied now costs time and nothing else.
            let _ = writing.database.truncate_wal();
            writing.follower.written(sequence);
        }
        Ok(())
    }
}

/// The transaction of an import. What is wrong with an item is a fault of the report, what is wrong with the disk an error.
struct Appending<'a> {
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
    /// Components and tasks that come after the nodes that name them.
    late: Vec<Late>,
}

struct Late {
    place: Place,
    id: NodeId,
    component: Option<String>,
    resolves_with: Option<String>,
}

impl Appending<'_> {
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
        Ok(self.write.views().resolve(reference)?.map(|found| found.id))
    }

    fn require(&self, reference: &str) -> Result<NodeId> {
        self.resolve(reference)?.ok_or_else(|| unknown(reference))
    }

    fn node(&mut self, node: NodeItem) -> Result<()> {
        let place = node.place.clone();
        let done = self.try_node(node);
        self.judge(&place, done).map(drop)
    }

    fn try_node(&mut self, mut node: NodeItem) -> Result<()> {
        let component = self.early(node.component.take(), Kind::Component, "component")?;
        let resolves_with = self.early(node.resolves_with.take(), Kind::Task, "resolves_with")?;
        node.content.component = component.number();
        node.content.lifecycle.resolves_with = resolves_with.number();
        let id = match self.existing(&node)? {
            Some(id) => self.revise(id, &node)?,
            None => self.create(&node)?,
        };
        if let Some(number) = node.number {
            self.numbers.insert(number, id);
        }
        if let (Reference::Late(_), _) | (_, Reference::Late(_)) = (&component, &resolves_with) {
            self.late.push(Late { place: node.place, id, component: component.late(), resolves_with: resolves_with.late() });
        }
        Ok(())
    }

    /// Finds a component or a task, or sees that it comes later in the source.
    fn early(&self, reference: Option<String>, kind: Kind, field: &'static str) -> Result<Reference> {
        let Some(reference) = reference else { return Ok(Reference::None) };
        // A number of the source that is still to come must not be taken for one of the record.
        let known = id_number(&reference).is_none_or(|number| self.numbers.contains_key(&number) || !self.announced.numbers.contains(&number));
        match if known { self.resolve(&reference)? } else { None } {
            Some(id) if id.kind == kind => Ok(Reference::Found(id.number)),
            Some(id) => Err(Error::new(Code::WrongKind, format!("check {field}: {id} is a {}, not a {kind}", id.kind)).with("field", field)),
            None if self.announced.has(&reference) => Ok(Reference::Late(reference)),
            None => Err(unknown(&reference)),
        }
    }

    /// The node that an item speaks of, if it is there.
    fn existing(&self, node: &NodeItem) -> Result<Option<NodeId>> {
        let mut found: Option<NodeId> = None;
        for alias in &node.aliases {
            let Some(resolved) = self.write.views().resolve(alias)? else { continue };
            if found.is_some_and(|other| other != resolved.id) {
                return Err(Error::new(Code::AliasTaken, format!("import a node: its aliases name different nodes, {alias:?} is {}", resolved.id))
                    .with("field", "alias")
                    .with("id", resolved.id));
            }
            found = Some(resolved.id);
        }
        match (found, node.number) {
            (None, Some(number)) if node.aliases.is_empty() && number <= self.newest => self.same(number, node),
            _ => Ok(found),
        }
    }

    /// The node of that number if it is in every respect what a nameless item says: then the item came from it.
    fn same(&self, number: u64, node: &NodeItem) -> Result<Option<NodeId>> {
        let Some((content, there)) = self.write.views().content(number)? else { return Ok(None) };
        let same = node.created_at == Some(there.created_at) && content == node.content && self.write.views().aliases(number)?.is_empty();
        Ok(same.then_some(there.id))
    }

    fn create(&mut self, node: &NodeItem) -> Result<NodeId> {
        let mut draft = Draft::component("");
        draft.aliases.clone_from(&node.aliases);
        draft.created_at = node.created_at;
        let id = self.write.create_settled(node.content.clone(), &draft)?;
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
            for alias in &node.aliases {
                if write.views().resolve(alias)?.is_none() {
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
    fn late(&mut self) -> Result<()> {
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
        self.write.change(&late.id.to_string(), true, |_, content| {
            let [component, task] = found;
            content.component = component.or(content.component);
            content.lifecycle.resolves_with = task.or(content.lifecycle.resolves_with);
            Ok(())
        })?;
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
            return self.join(edge, from, if container { Relation::Blocks } else { Relation::Fulfills }, to, Relation::Fulfills, true);
        }
        self.join(edge, from, edge.relation, to, Relation::RelatesTo, self.partial)
    }

    /// Joins two nodes; where that would close a cycle and may be weakened, with the weaker relation.
    fn join(&mut self, edge: &EdgeItem, from: NodeId, relation: Relation, to: NodeId, weaker: Relation, weaken: bool) -> Result<()> {
        let text = edge.source_text.as_ref().map(|text| SourceText { text: text.text.clone(), uri: text.uri.clone(), revision: text.revision.clone() });
        let hash = edge.source_text.as_ref().and_then(|text| text.sha256.as_deref());
        let claim = Claim { reason: &edge.reason, quote: &edge.evidence, source_text: text.as_ref(), source_hash: hash };
        match self.write.link_imported(from, relation, to, &claim) {
            Ok(verified) => {
                self.report.edges += 1;
                self.report.unverified += u64::from(relation == Relation::Supersedes && !verified);
                Ok(())
            }
            Err(error) if error.code() == Code::EdgeExists => {
                self.report.unchanged += 1;
                Ok(())
            }
            Err(error) if error.code() == Code::Cycle && weaken && relation != weaker => {
                self.report.weakened += 1;
                self.join(edge, from, weaker, to, weaker, false)
            }
            Err(error) if error.code() == Code::Cycle => Err(self.named_cycle(edge, &error)?),
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

/// Brings a content to what an item says, leaving alone what it does not speak of.
fn take_over(id: NodeId, content: &mut Content, node: &NodeItem) -> Result<()> {
    let (new, given) = (&node.content, node.given);
    if new.detail.kind() != content.detail.kind() {
        return Err(Error::new(Code::WrongKind, format!("import a node: {id} is a {}, not a {}", id.kind, new.detail.kind()))
            .with("field", "kind")
            .with("id", id));
    }
    content.title.clone_from(&new.title);
    if given.has(Given::BODY) {
        content.body.clone_from(&new.body);
    }
    if given.has(Given::TAGS) {
        content.tags.clone_from(&new.tags);
    }
    if given.has(Given::SOURCE) {
        content.source.clone_from(&new.source);
    }
    if given.has(Given::ANCHORS) {
        content.anchors.clone_from(&new.anchors);
    }
    if given.has(Given::EXPIRES_AT) {
        content.lifecycle.expires_at = new.lifecycle.expires_at;
    }
    if given.has(Given::REVIEW_AT) {
        content.lifecycle.review_at = new.lifecycle.review_at;
    }
    content.component = new.component.or(content.component);
    content.lifecycle.resolves_with = new.lifecycle.resolves_with.or(content.lifecycle.resolves_with);
    match (&mut content.detail, &new.detail) {
        (Detail::Task(old), Detail::Task(new)) => {
            if given.has(Given::TASK_TYPE) {
                old.task_type = new.task_type;
            }
            if given.has(Given::PRIORITY) {
                old.priority = new.priority;
            }
            if given.has(Given::CRITERIA) {
                old.success_criteria.clone_from(&new.success_criteria);
            }
            if given.has(Given::STATUS) {
                old.status = new.status;
            }
        }
        (old, new) => old.clone_from(new),
    }
    Ok(())
}
