//! The writing side. Every verb is one call of the core's recorder.

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stele_core::{Category, Claiming, ClaimingNext, Draft, Helpfulness, Relation, Result, Revision, Severity, TaskType};

use crate::arguments::{AnchorGiven, Change, Count, Keywords, Many, SourceGiven, TaskGiven, TextGiven, text, with};
use crate::doorway::{checked, enter};
use crate::handle::Handle;
use crate::record::Record;
use crate::results::one;
use crate::results::reports::Recorded;
use crate::results::rules::{Proposal, RuleFeedback};
use crate::results::sweeps::Purged;
use crate::results::tasks::{Claim, TaskChange};
use crate::time::{Seconds, When, length};
use crate::transaction::{Transaction, joined};

/// The writing side of a record, bound to an actor. Every verb is one operation, durable when it returns. Threads may share it.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Recorder {
    own: Arc<Hands>,
    of: Py<Record>,
}

/// Two recorders of the core that write as one.
pub(crate) struct Hands {
    /// Refuses text that looks like a credential.
    pub(crate) wary: stele_core::Recorder<'static>,
    /// Accepts it.
    trusting: stele_core::Recorder<'static>,
    /// Keeps the record open as long as somebody can write to it.
    record: Handle,
}

impl Hands {
    fn of(recorder: stele_core::Recorder<'static>, record: Handle) -> Self {
        Self { wary: recorder.clone(), trusting: recorder.allowing_secrets(), record }
    }

    /// The same within a transaction.
    pub(crate) fn within(&self, transaction: &stele_core::Transaction<'static>) -> Self {
        Self::of(transaction.recorder().clone(), self.record.clone())
    }

    fn hand(&self, allow_secrets: bool) -> &stele_core::Recorder<'static> {
        if allow_secrets { &self.trusting } else { &self.wary }
    }
}

impl Recorder {
    pub(crate) fn new(record: &Handle, of: Py<Record>, actor: &str, session: Option<&str>, may_promote: bool) -> Result<Self> {
        let recorder = session.map_or_else(|| record.recorder(actor), |session| record.recorder_in(actor, session))?;
        let recorder = if may_promote { recorder.allowing_promotion() } else { recorder };
        Ok(Self::with(Arc::new(Hands::of(recorder, record.clone())), of))
    }

    pub(crate) fn with(own: Arc<Hands>, of: Py<Record>) -> Self {
        Self { own, of }
    }

    /// The record that it writes to.
    pub(crate) fn of(&self, py: Python<'_>) -> Py<Record> {
        self.of.clone_ref(py)
    }

    /// Who writes now: the transaction of a with-statement around the call, or the recorder itself.
    pub(crate) fn hands(&self, py: Python<'_>) -> PyResult<Arc<Hands>> {
        joined(py, &self.own, self)
    }

    /// Writes something.
    fn write<T: Send>(&self, py: Python<'_>, allow_secrets: bool, verb: impl FnOnce(&stele_core::Recorder<'static>) -> Result<T> + Send) -> PyResult<T> {
        let hands = self.hands(py)?;
        enter(py, || verb(hands.hand(allow_secrets)))
    }

    fn add(&self, py: Python<'_>, draft: Draft, more: &mut Keywords<'_>) -> PyResult<Recorded> {
        let (draft, allow_secrets) = more.onto(draft)?;
        let recorded = self.write(py, allow_secrets, |hand| hand.add(draft))?;
        Recorded::of(py, recorded)
    }
}

impl Keywords<'_> {
    /// The draft with what every recording verb takes, and whether it may look like a credential.
    fn onto(&mut self, draft: Draft) -> PyResult<(Draft, bool)> {
        let mut draft = draft.tags(self.taken::<Many<String>>("tags")?.0);
        for AnchorGiven(place) in self.taken::<Many<AnchorGiven>>("anchors")?.0 {
            draft = draft.anchor(place.path, place.symbol.as_deref());
        }
        draft = with(draft, self.take::<String>("alias")?, Draft::alias);
        draft = with(draft, self.take::<String>("component")?, Draft::under);
        draft = with(draft, self.take::<SourceGiven>("source")?.map(|source| source.0), Draft::source);
        draft = with(draft, self.take::<When>("created_at")?.map(|at| at.0), Draft::created_at);
        draft = with(draft, self.take::<When>("expires_at")?.map(|at| at.0), Draft::expires_at);
        draft = with(draft, self.take::<String>("resolves_with")?, Draft::resolves_with);
        draft = with(draft, self.take::<When>("review_at")?.map(|at| at.0), Draft::review_at);
        let allow_secrets = self.taken("allow_secrets")?;
        self.end().map(|()| (draft, allow_secrets))
    }

    /// The draft of a rule with what only rules take.
    fn rule(&mut self, py: Python<'_>, title: &str, statement: &str) -> PyResult<Draft> {
        let mut all = |name: &str| self.taken::<Many<String>>(name).map(|words| words.0);
        let (forbidden, points, keywords) = (all("forbidden")?, all("points")?, all("keywords")?);
        let (floor_modes, action_triggers) = (all("floor_modes")?, all("action_triggers")?);
        let (trigger, instead, body) = (self.taken("trigger")?, self.taken("instead")?, self.taken::<String>("body")?);
        let (domain, methodology) = (self.take("domain")?, self.take("methodology")?);
        let (mandatory, always_on) = (self.taken("mandatory")?, self.taken("always_on")?);
        let severity = self.take::<String>("severity")?.map(|word| checked(py, Severity::parse(&word))).transpose()?;
        Ok(Draft::rule(title, statement).body(body).routing(|rule| {
            (rule.trigger, rule.instead, rule.domain, rule.methodology) = (trigger, instead, domain, methodology);
            (rule.mandatory, rule.always_on, rule.severity) = (mandatory, always_on, severity.unwrap_or(rule.severity));
            (rule.forbidden, rule.points, rule.keywords) = (forbidden, points, keywords);
            (rule.floor_modes, rule.action_triggers) = (floor_modes, action_triggers);
        }))
    }
}

#[pymethods]
impl Recorder {
    /// Records a fact of a category.
    #[pyo3(signature = (category, title, *, body=String::new(), **more), text_signature = "($self, category, title, *, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn fact(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] category: String,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] body: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        let draft = Draft::fact(checked(py, Category::parse(&category))?, &title).body(&body);
        self.add(py, draft, &mut Keywords::of("Recorder.fact", more))
    }

    /// Records a task, or with another type a container of tasks.
    #[pyo3(
        signature = (title, *, r#type="task".to_owned(), success_criteria=String::new(), body=String::new(), priority=None, **more),
        text_signature = "($self, title, *, type='task', success_criteria='', body='', priority=None, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn task(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] r#type: String,
        #[pyo3(from_py_with = text)] success_criteria: String,
        #[pyo3(from_py_with = text)] body: String,
        priority: Option<Count>,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        let mut draft = Draft::task(&title).task_type(checked(py, TaskType::parse(&r#type))?).success_criteria(&success_criteria).body(&body);
        if let Some(priority) = priority {
            draft = draft.priority(priority.of(py, "priority", u8::MAX)?);
        }
        self.add(py, draft, &mut Keywords::of("Recorder.task", more))
    }

    /// Records a rule: what to do, and when it is delivered.
    #[pyo3(signature = (title, *, statement, **more), text_signature = "($self, title, *, statement, trigger='', mandatory=False, always_on=False, forbidden=(), instead='', domain=None, severity='medium', points=(), keywords=(), floor_modes=(), action_triggers=(), methodology=None, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn rule(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] statement: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        let mut more = Keywords::of("Recorder.rule", more);
        let draft = more.rule(py, &title, &statement)?;
        self.add(py, draft, &mut more)
    }

    /// Proposes a rule: it is stored as provisional, or refused with every reason.
    #[pyo3(signature = (title, *, statement, **more), text_signature = "($self, title, *, statement, trigger='', mandatory=False, always_on=False, forbidden=(), instead='', domain=None, severity='medium', points=(), keywords=(), floor_modes=(), action_triggers=(), methodology=None, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn propose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] statement: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Proposal> {
        let mut more = Keywords::of("Recorder.propose", more);
        let draft = more.rule(py, &title, &statement)?;
        let (draft, allow_secrets) = more.onto(draft)?;
        let proposal = self.write(py, allow_secrets, |hand| hand.propose(draft))?;
        Proposal::of(py, proposal)
    }

    /// Counts that a rule "helped" or "hurt"; the same key counts once for a rule.
    #[pyo3(signature = (rule, felt, *, key=None))]
    fn feedback(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] rule: String,
        #[pyo3(from_py_with = text)] felt: String,
        #[pyo3(from_py_with = text)] key: Option<String>,
    ) -> PyResult<RuleFeedback> {
        self.write(py, false, |hand| hand.feedback(&rule, Helpfulness::parse(&felt)?, key.as_deref())).map(RuleFeedback::of)
    }

    /// Makes a proposed rule a rule, if this recorder has the right to; gives its id.
    #[pyo3(signature = (rule, *, approval))]
    fn promote(&self, py: Python<'_>, #[pyo3(from_py_with = text)] rule: String, #[pyo3(from_py_with = text)] approval: String) -> PyResult<String> {
        self.write(py, false, |hand| hand.promote(&rule, &approval)).map(|id| id.to_string())
    }

    /// Records a document, found by its passages.
    #[pyo3(signature = (title, *, body, **more), text_signature = "($self, title, *, body, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn document(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] body: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        self.add(py, Draft::document(&title, &body), &mut Keywords::of("Recorder.document", more))
    }

    /// Records a diagram as text.
    #[pyo3(signature = (title, *, body, **more), text_signature = "($self, title, *, body, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn diagram(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] body: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        self.add(py, Draft::diagram(&title, &body), &mut Keywords::of("Recorder.diagram", more))
    }

    /// Records a part of the system, under another one or under none.
    #[pyo3(signature = (title, *, parent=None, body=String::new(), **more), text_signature = "($self, title, *, parent=None, body='', alias=None, tags=(), anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)")]
    fn component(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] title: String,
        #[pyo3(from_py_with = text)] parent: Option<String>,
        #[pyo3(from_py_with = text)] body: String,
        more: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Recorded> {
        let draft = with(Draft::component(&title).body(&body), parent, Draft::under);
        self.add(py, draft, &mut Keywords::of("Recorder.component", more))
    }

    /// Changes what a node says; what is left out stays. None clears an end or a review.
    #[pyo3(
        signature = (id, *, title=None, body=None, tags=None, source=None, expires_at=Change::Keep, resolves_with=Change::Keep, review_at=Change::Keep, statement=None, allow_secrets=false),
        text_signature = "($self, id, *, title=None, body=None, tags=None, source=None, expires_at=..., resolves_with=..., review_at=..., statement=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn revise(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] title: Option<String>,
        #[pyo3(from_py_with = text)] body: Option<String>,
        #[pyo3(from_py_with = text)] tags: Option<Many<String>>,
        #[pyo3(from_py_with = text)] source: Option<SourceGiven>,
        expires_at: Change<When>,
        #[pyo3(from_py_with = text)] resolves_with: Change<String>,
        review_at: Change<When>,
        #[pyo3(from_py_with = text)] statement: Option<String>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let mut revision = with(Revision::new(), title, Revision::title);
        revision = with(revision, statement, Revision::statement);
        revision = with(revision, body, Revision::body);
        revision = with(revision, tags.map(|tags| tags.0), Revision::tags);
        revision = with(revision, source.map(|source| source.0), Revision::source);
        if let Change::Set(at) = expires_at {
            revision = revision.expires_at(at.map(|at| at.0));
        }
        if let Change::Set(task) = resolves_with {
            revision = revision.resolves_with(task.as_deref());
        }
        if let Change::Set(at) = review_at {
            revision = revision.review_at(at.map(|at| at.0));
        }
        if allow_secrets {
            revision = revision.allow_secrets();
        }
        let recorded = self.write(py, allow_secrets, |hand| hand.revise(&id, revision))?;
        Recorded::of(py, recorded)
    }

    /// Joins two nodes: `from_ relation to`.
    #[pyo3(signature = (from_, relation, to, *, reason=String::new(), evidence=String::new(), allow_secrets=false), text_signature = "($self, from_, relation, to, *, reason='', evidence='', allow_secrets=False)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn link(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] from_: String,
        #[pyo3(from_py_with = text)] relation: String,
        #[pyo3(from_py_with = text)] to: String,
        #[pyo3(from_py_with = text)] reason: String,
        #[pyo3(from_py_with = text)] evidence: String,
        allow_secrets: bool,
    ) -> PyResult<()> {
        self.write(py, allow_secrets, |hand| hand.link_because(&from_, Relation::parse(&relation)?, &to, &reason, &evidence))
    }

    /// Takes an edge away. A retirement is undone by `demote` instead.
    #[pyo3(signature = (from_, relation, to, *, why, allow_secrets=false))]
    fn unlink(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] from_: String,
        #[pyo3(from_py_with = text)] relation: String,
        #[pyo3(from_py_with = text)] to: String,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<()> {
        self.write(py, allow_secrets, |hand| hand.unlink(&from_, Relation::parse(&relation)?, &to, &why))
    }

    /// Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word.
    #[pyo3(signature = (newer, older, *, reason, evidence, source_text=None, unverified=false, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn supersede(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] newer: String,
        #[pyo3(from_py_with = text)] older: String,
        #[pyo3(from_py_with = text)] reason: String,
        #[pyo3(from_py_with = text)] evidence: String,
        #[pyo3(from_py_with = text)] source_text: Option<TextGiven>,
        unverified: bool,
        allow_secrets: bool,
    ) -> PyResult<()> {
        self.write(py, false, |hand| {
            let mut retirement = hand.supersede(&newer, &older).reason(&reason).evidence(&evidence);
            if let Some(text) = &source_text {
                retirement = retirement.source_text(&text.0);
            }
            if unverified {
                retirement = retirement.unverified();
            }
            if allow_secrets {
                retirement = retirement.allow_secrets();
            }
            retirement.record()
        })
    }

    /// Turns a retirement into `relates-to`.
    #[pyo3(signature = (newer, older, *, why, allow_secrets=false))]
    fn demote(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] newer: String,
        #[pyo3(from_py_with = text)] older: String,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<()> {
        self.write(py, allow_secrets, |hand| hand.demote(&newer, &older, &why))
    }

    /// Adds and removes tags; gives the node's id.
    #[pyo3(signature = (id, *, add=None, remove=None), text_signature = "($self, id, *, add=(), remove=())")]
    fn retag(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] add: Option<Many<String>>,
        #[pyo3(from_py_with = text)] remove: Option<Many<String>>,
    ) -> PyResult<String> {
        let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
        self.write(py, false, |hand| hand.retag(&id, &add.texts(), &remove.texts())).map(|id| id.to_string())
    }

    /// Puts a node under a component, or with None under none; gives the node's id.
    #[pyo3(name = "move", signature = (id, *, component))]
    fn move_to(&self, py: Python<'_>, #[pyo3(from_py_with = text)] id: String, #[pyo3(from_py_with = text)] component: Option<String>) -> PyResult<String> {
        self.write(py, false, |hand| hand.move_to(&id, component.as_deref())).map(|id| id.to_string())
    }

    /// Adds anchors and removes all anchors of the paths given; gives the node's id.
    #[pyo3(signature = (id, *, add=None, remove=None), text_signature = "($self, id, *, add=(), remove=())")]
    fn anchor(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] add: Option<Many<AnchorGiven>>,
        #[pyo3(from_py_with = text)] remove: Option<Many<String>>,
    ) -> PyResult<String> {
        let add: Vec<_> = add.unwrap_or_default().0.into_iter().map(|place| place.0).collect();
        let remove = remove.unwrap_or_default();
        self.write(py, false, |hand| hand.anchor(&id, &add, &remove.texts())).map(|id| id.to_string())
    }

    /// Gives a node one more name from elsewhere; gives its id.
    fn alias(&self, py: Python<'_>, #[pyo3(from_py_with = text)] id: String, #[pyo3(from_py_with = text)] alias: String) -> PyResult<String> {
        self.write(py, false, |hand| hand.alias(&id, &alias)).map(|id| id.to_string())
    }

    /// Confirms that a node still holds; gives its id.
    #[pyo3(signature = (id, *, note=String::new(), allow_secrets=false), text_signature = "($self, id, *, note='', allow_secrets=False)")]
    fn review(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] note: String,
        allow_secrets: bool,
    ) -> PyResult<String> {
        self.write(py, allow_secrets, |hand| hand.review(&id, &note)).map(|id| id.to_string())
    }

    /// Puts a node away: no longer found, served only when named or as a head; gives its id.
    #[pyo3(signature = (id, *, why, allow_secrets=false))]
    fn archive(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<String> {
        self.write(py, allow_secrets, |hand| hand.archive(&id, &why)).map(|id| id.to_string())
    }

    /// Takes a node's text out of the record for good, and every literal given; a tombstone with the id is left.
    #[pyo3(signature = (id, *, why, literals=None), text_signature = "($self, id, *, why, literals=())")]
    fn purge(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] id: String,
        #[pyo3(from_py_with = text)] why: String,
        #[pyo3(from_py_with = text)] literals: Option<Many<String>>,
    ) -> PyResult<Purged> {
        let literals = literals.unwrap_or_default();
        self.write(py, false, |hand| hand.purge(&id, &why, &literals.texts())).map(|purged| Purged::of(&purged))
    }

    /// Claims a task, or renews a claim on it. Losing is a result: `granted` is false and the holder is named.
    #[pyo3(signature = (task, *, lease=None, holder=None))]
    fn claim(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] task: TaskGiven,
        lease: Option<Seconds>,
        #[pyo3(from_py_with = text)] holder: Option<String>,
    ) -> PyResult<Claim> {
        let lease = length(py, lease, "lease")?;
        let claim = self.write(py, false, |hand| {
            let claiming = with(hand.claim(task.0), lease, Claiming::lease);
            with(claiming, holder, Claiming::holder).take()
        })?;
        Claim::of(py, claim)
    }

    /// Claims the first task that is ready; None if there is none.
    #[pyo3(signature = (*, lease=None, tags=None, component=None), text_signature = "($self, *, lease=None, tags=(), component=None)")]
    fn claim_next(
        &self,
        py: Python<'_>,
        lease: Option<Seconds>,
        #[pyo3(from_py_with = text)] tags: Option<Many<String>>,
        #[pyo3(from_py_with = text)] component: Option<String>,
    ) -> PyResult<Option<Py<Claim>>> {
        let lease = length(py, lease, "lease")?;
        let claim = self.write(py, false, |hand| {
            let claiming = with(hand.claim_next(), lease, ClaimingNext::lease).tags(tags.unwrap_or_default().0);
            with(claiming, component, ClaimingNext::component).take()
        })?;
        one(py, claim, Claim::of)
    }

    /// Gives a claimed task back; its holder only. Gives the task's id.
    fn release(&self, py: Python<'_>, #[pyo3(from_py_with = text)] task: TaskGiven) -> PyResult<String> {
        self.write(py, false, |hand| hand.release(task.0)).map(|id| id.to_string())
    }

    /// Takes a claimed task from whoever has it; gives its id.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn force_release(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] task: String,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<String> {
        self.write(py, allow_secrets, |hand| hand.force_release(&task, &why)).map(|id| id.to_string())
    }

    /// Ends a task as done; gives the facts that ended with it.
    #[pyo3(signature = (task, *, summary, allow_secrets=false))]
    fn complete(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] task: TaskGiven,
        #[pyo3(from_py_with = text)] summary: String,
        allow_secrets: bool,
    ) -> PyResult<TaskChange> {
        self.write(py, allow_secrets, |hand| hand.complete(task.0, &summary)).map(|change| TaskChange::of(&change))
    }

    /// Ends a task as given up; gives the facts that hang on it, which hold on.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn cancel(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] task: TaskGiven,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<TaskChange> {
        self.write(py, allow_secrets, |hand| hand.cancel(task.0, &why)).map(|change| TaskChange::of(&change))
    }

    /// Opens a completed or cancelled task again; gives the facts that hold again.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn reopen(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] task: String,
        #[pyo3(from_py_with = text)] why: String,
        allow_secrets: bool,
    ) -> PyResult<TaskChange> {
        self.write(py, allow_secrets, |hand| hand.reopen(&task, &why)).map(|change| TaskChange::of(&change))
    }

    /// Makes everything that this recorder writes in a with-statement one atomic step: all of it is kept, or with an exception
    /// nothing, and nobody sees any of it before. The statement gives a recorder, which other threads may use too.
    fn transaction(slf: Py<Self>) -> Transaction {
        Transaction::new(slf)
    }

    /// Who writes.
    #[getter]
    fn actor(&self) -> &str {
        self.own.wary.actor()
    }

    /// In which session.
    #[getter]
    fn session(&self) -> Option<&str> {
        self.own.wary.session()
    }

    fn __repr__(&self) -> String {
        match self.session() {
            Some(session) => format!("Recorder(actor={:?}, session={session:?})", self.actor()),
            None => format!("Recorder(actor={:?})", self.actor()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        visit.call(&self.of)
    }
}
