//! The writing side. Every verb is one call of the core's recorder.

use std::sync::Arc;

use pyo3::prelude::*;
use stele_core::{Category, Claiming, ClaimingNext, Draft, Helpfulness, Relation, Result, Revision, Severity, TaskType};

use crate::arguments::{AnchorGiven, Change, Count, Many, SourceGiven, TaskGiven, TextGiven, with};
use crate::doorway::{checked, enter};
use crate::results::one;
use crate::results::reports::Recorded;
use crate::results::rules::{Proposal, RuleFeedback};
use crate::results::sweeps::Purged;
use crate::results::tasks::{Claim, TaskChange};
use crate::time::{Seconds, When};

/// The writing side of a record, bound to an actor. Every verb is one operation, durable when it returns. Threads may share it.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Recorder {
    /// Refuses text that looks like a credential.
    wary: stele_core::Recorder<'static>,
    /// Accepts it.
    trusting: stele_core::Recorder<'static>,
    /// Keeps the record open as long as somebody can write to it.
    _record: Arc<stele_core::Record>,
}

impl Recorder {
    pub(crate) fn new(record: &Arc<stele_core::Record>, actor: &str, session: Option<&str>, may_promote: bool) -> Result<Self> {
        let make = || {
            let recorder = session.map_or_else(|| record.recorder(actor), |session| record.recorder_in(actor, session))?;
            Ok(if may_promote { recorder.allowing_promotion() } else { recorder })
        };
        Ok(Self { wary: make()?, trusting: make()?.allowing_secrets(), _record: Arc::clone(record) })
    }

    fn hand(&self, allow_secrets: bool) -> &stele_core::Recorder<'static> {
        if allow_secrets { &self.trusting } else { &self.wary }
    }

    fn add(&self, py: Python<'_>, draft: Draft, more: More) -> PyResult<Recorded> {
        let hand = self.hand(more.allow_secrets);
        let draft = more.onto(draft);
        let recorded = enter(py, || hand.add(draft))?;
        Recorded::of(py, recorded)
    }
}

/// The keyword arguments that every recording verb takes.
struct More {
    alias: Option<String>,
    tags: Option<Many<String>>,
    component: Option<String>,
    anchors: Option<Many<AnchorGiven>>,
    source: Option<SourceGiven>,
    created_at: Option<When>,
    expires_at: Option<When>,
    resolves_with: Option<String>,
    review_at: Option<When>,
    allow_secrets: bool,
}

impl More {
    /// A draft with all of them set.
    fn onto(self, draft: Draft) -> Draft {
        let mut draft = draft.tags(self.tags.unwrap_or_default().0);
        for AnchorGiven(place) in self.anchors.unwrap_or_default().0 {
            draft = draft.anchor(place.path, place.symbol.as_deref());
        }
        draft = with(draft, self.alias, Draft::alias);
        draft = with(draft, self.component, Draft::under);
        draft = with(draft, self.source.map(|source| source.0), Draft::source);
        draft = with(draft, self.created_at.map(|at| at.0), Draft::created_at);
        draft = with(draft, self.expires_at.map(|at| at.0), Draft::expires_at);
        draft = with(draft, self.resolves_with, Draft::resolves_with);
        with(draft, self.review_at.map(|at| at.0), Draft::review_at)
    }
}

/// The keyword arguments that only rules take.
struct Routing<'p> {
    trigger: String,
    mandatory: bool,
    always_on: bool,
    forbidden: Option<Many<String>>,
    instead: String,
    domain: Option<String>,
    severity: &'p str,
    points: Option<Many<String>>,
    keywords: Option<Many<String>>,
    floor_modes: Option<Many<String>>,
    action_triggers: Option<Many<String>>,
    methodology: Option<String>,
}

impl Routing<'_> {
    fn draft(self, py: Python<'_>, title: &str, statement: String, body: &str) -> PyResult<Draft> {
        let severity = checked(py, Severity::parse(self.severity))?;
        let all = |words: Option<Many<String>>| words.unwrap_or_default().0;
        Ok(Draft::rule(title, statement).body(body).routing(|rule| {
            (rule.trigger, rule.instead, rule.domain, rule.methodology) = (self.trigger, self.instead, self.domain, self.methodology);
            (rule.mandatory, rule.always_on, rule.severity) = (self.mandatory, self.always_on, severity);
            (rule.forbidden, rule.points, rule.keywords) = (all(self.forbidden), all(self.points), all(self.keywords));
            (rule.floor_modes, rule.action_triggers) = (all(self.floor_modes), all(self.action_triggers));
        }))
    }
}

#[pymethods]
impl Recorder {
    /// Records a fact of a category.
    #[pyo3(
        signature = (category, title, *, body="", alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, category, title, *, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn fact(
        &self,
        py: Python<'_>,
        category: &str,
        title: &str,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let draft = Draft::fact(checked(py, Category::parse(category))?, title).body(body);
        self.add(py, draft, More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
    }

    /// Records a task, or with another type a container of tasks.
    #[pyo3(
        signature = (title, *, r#type="task", success_criteria="", body="", priority=None, alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, type='task', success_criteria='', body='', priority=None, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn task(
        &self,
        py: Python<'_>,
        title: &str,
        r#type: &str,
        success_criteria: &str,
        body: &str,
        priority: Option<Count>,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let mut draft = Draft::task(title).task_type(checked(py, TaskType::parse(r#type))?).success_criteria(success_criteria).body(body);
        if let Some(priority) = priority {
            draft = draft.priority(priority.narrow(u8::MAX));
        }
        self.add(py, draft, More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
    }

    /// Records a rule: what to do, and when it is delivered.
    #[pyo3(
        signature = (title, *, statement, trigger=String::new(), mandatory=false, always_on=false, forbidden=None, instead=String::new(), domain=None, severity="medium", points=None, keywords=None, floor_modes=None, action_triggers=None, methodology=None, body="", alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, statement, trigger='', mandatory=False, always_on=False, forbidden=(), instead='', domain=None, severity='medium', points=(), keywords=(), floor_modes=(), action_triggers=(), methodology=None, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn rule(
        &self,
        py: Python<'_>,
        title: &str,
        statement: String,
        trigger: String,
        mandatory: bool,
        always_on: bool,
        forbidden: Option<Many<String>>,
        instead: String,
        domain: Option<String>,
        severity: &str,
        points: Option<Many<String>>,
        keywords: Option<Many<String>>,
        floor_modes: Option<Many<String>>,
        action_triggers: Option<Many<String>>,
        methodology: Option<String>,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let routing =
            Routing { trigger, mandatory, always_on, forbidden, instead, domain, severity, points, keywords, floor_modes, action_triggers, methodology };
        let draft = routing.draft(py, title, statement, body)?;
        self.add(py, draft, More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
    }

    /// Proposes a rule: it is stored as provisional, or refused with every reason.
    #[pyo3(
        signature = (title, *, statement, trigger=String::new(), mandatory=false, always_on=false, forbidden=None, instead=String::new(), domain=None, severity="medium", points=None, keywords=None, floor_modes=None, action_triggers=None, methodology=None, body="", alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, statement, trigger='', mandatory=False, always_on=False, forbidden=(), instead='', domain=None, severity='medium', points=(), keywords=(), floor_modes=(), action_triggers=(), methodology=None, body='', alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn propose(
        &self,
        py: Python<'_>,
        title: &str,
        statement: String,
        trigger: String,
        mandatory: bool,
        always_on: bool,
        forbidden: Option<Many<String>>,
        instead: String,
        domain: Option<String>,
        severity: &str,
        points: Option<Many<String>>,
        keywords: Option<Many<String>>,
        floor_modes: Option<Many<String>>,
        action_triggers: Option<Many<String>>,
        methodology: Option<String>,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Proposal> {
        let routing =
            Routing { trigger, mandatory, always_on, forbidden, instead, domain, severity, points, keywords, floor_modes, action_triggers, methodology };
        let draft = routing.draft(py, title, statement, body)?;
        let draft = More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets }.onto(draft);
        let proposal = enter(py, || self.hand(allow_secrets).propose(draft))?;
        Proposal::of(py, proposal)
    }

    /// Counts that a rule "helped" or "hurt"; the same key counts once for a rule.
    #[pyo3(signature = (rule, felt, *, key=None))]
    fn feedback(&self, py: Python<'_>, rule: &str, felt: &str, key: Option<&str>) -> PyResult<RuleFeedback> {
        enter(py, || self.wary.feedback(rule, Helpfulness::parse(felt)?, key)).map(RuleFeedback::of)
    }

    /// Makes a proposed rule a rule, if this recorder has the right to; gives its id.
    #[pyo3(signature = (rule, *, approval))]
    fn promote(&self, py: Python<'_>, rule: &str, approval: &str) -> PyResult<String> {
        enter(py, || self.wary.promote(rule, approval)).map(|id| id.to_string())
    }

    /// Records a document, found by its passages.
    #[pyo3(
        signature = (title, *, body, alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, body, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn document(
        &self,
        py: Python<'_>,
        title: &str,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let draft = Draft::document(title, body);
        self.add(py, draft, More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
    }

    /// Records a diagram as text.
    #[pyo3(
        signature = (title, *, body, alias=None, tags=None, component=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, body, alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn diagram(
        &self,
        py: Python<'_>,
        title: &str,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        component: Option<String>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let draft = Draft::diagram(title, body);
        self.add(py, draft, More { alias, tags, component, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
    }

    /// Records a part of the system, under another one or under none.
    #[pyo3(
        signature = (title, *, parent=None, body="", alias=None, tags=None, anchors=None, source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=false),
        text_signature = "($self, title, *, parent=None, body='', alias=None, tags=(), anchors=(), source=None, created_at=None, expires_at=None, resolves_with=None, review_at=None, allow_secrets=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn component(
        &self,
        py: Python<'_>,
        title: &str,
        parent: Option<String>,
        body: &str,
        alias: Option<String>,
        tags: Option<Many<String>>,
        anchors: Option<Many<AnchorGiven>>,
        source: Option<SourceGiven>,
        created_at: Option<When>,
        expires_at: Option<When>,
        resolves_with: Option<String>,
        review_at: Option<When>,
        allow_secrets: bool,
    ) -> PyResult<Recorded> {
        let draft = Draft::component(title).body(body);
        self.add(py, draft, More { alias, tags, component: parent, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets })
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
        id: &str,
        title: Option<String>,
        body: Option<String>,
        tags: Option<Many<String>>,
        source: Option<SourceGiven>,
        expires_at: Change<When>,
        resolves_with: Change<String>,
        review_at: Change<When>,
        statement: Option<String>,
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
        let recorded = enter(py, || self.hand(allow_secrets).revise(id, revision))?;
        Recorded::of(py, recorded)
    }

    /// Joins two nodes: `from_ relation to`.
    #[pyo3(signature = (from_, relation, to, *, reason="", evidence="", allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn link(&self, py: Python<'_>, from_: &str, relation: &str, to: &str, reason: &str, evidence: &str, allow_secrets: bool) -> PyResult<()> {
        enter(py, || self.hand(allow_secrets).link_because(from_, Relation::parse(relation)?, to, reason, evidence))
    }

    /// Takes an edge away. A retirement is undone by `demote` instead.
    #[pyo3(signature = (from_, relation, to, *, why, allow_secrets=false))]
    fn unlink(&self, py: Python<'_>, from_: &str, relation: &str, to: &str, why: &str, allow_secrets: bool) -> PyResult<()> {
        enter(py, || self.hand(allow_secrets).unlink(from_, Relation::parse(relation)?, to, why))
    }

    /// Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word.
    #[pyo3(signature = (newer, older, *, reason, evidence, source_text=None, unverified=false, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn supersede(
        &self,
        py: Python<'_>,
        newer: &str,
        older: &str,
        reason: &str,
        evidence: &str,
        source_text: Option<TextGiven>,
        unverified: bool,
        allow_secrets: bool,
    ) -> PyResult<()> {
        enter(py, || {
            let mut retirement = self.wary.supersede(newer, older).reason(reason).evidence(evidence);
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
    fn demote(&self, py: Python<'_>, newer: &str, older: &str, why: &str, allow_secrets: bool) -> PyResult<()> {
        enter(py, || self.hand(allow_secrets).demote(newer, older, why))
    }

    /// Adds and removes tags; gives the node's id.
    #[pyo3(signature = (id, *, add=None, remove=None), text_signature = "($self, id, *, add=(), remove=())")]
    fn retag(&self, py: Python<'_>, id: &str, add: Option<Many<String>>, remove: Option<Many<String>>) -> PyResult<String> {
        let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
        enter(py, || self.wary.retag(id, &add.texts(), &remove.texts())).map(|id| id.to_string())
    }

    /// Puts a node under a component, or with None under none; gives the node's id.
    #[pyo3(name = "move", signature = (id, *, component))]
    fn move_to(&self, py: Python<'_>, id: &str, component: Option<&str>) -> PyResult<String> {
        enter(py, || self.wary.move_to(id, component)).map(|id| id.to_string())
    }

    /// Adds anchors and removes all anchors of the paths given; gives the node's id.
    #[pyo3(signature = (id, *, add=None, remove=None), text_signature = "($self, id, *, add=(), remove=())")]
    fn anchor(&self, py: Python<'_>, id: &str, add: Option<Many<AnchorGiven>>, remove: Option<Many<String>>) -> PyResult<String> {
        let add: Vec<_> = add.unwrap_or_default().0.into_iter().map(|place| place.0).collect();
        let remove = remove.unwrap_or_default();
        enter(py, || self.wary.anchor(id, &add, &remove.texts())).map(|id| id.to_string())
    }

    /// Confirms that a node still holds; gives its id.
    #[pyo3(signature = (id, *, note="", allow_secrets=false))]
    fn review(&self, py: Python<'_>, id: &str, note: &str, allow_secrets: bool) -> PyResult<String> {
        enter(py, || self.hand(allow_secrets).review(id, note)).map(|id| id.to_string())
    }

    /// Puts a node away: no longer found, served only when named; gives its id.
    #[pyo3(signature = (id, *, why, allow_secrets=false))]
    fn archive(&self, py: Python<'_>, id: &str, why: &str, allow_secrets: bool) -> PyResult<String> {
        enter(py, || self.hand(allow_secrets).archive(id, why)).map(|id| id.to_string())
    }

    /// Takes a node's text out of the record for good, and every literal given; a tombstone with the id is left.
    #[pyo3(signature = (id, *, why, literals=None), text_signature = "($self, id, *, why, literals=())")]
    fn purge(&self, py: Python<'_>, id: &str, why: &str, literals: Option<Many<String>>) -> PyResult<Purged> {
        let literals = literals.unwrap_or_default();
        enter(py, || self.wary.purge(id, why, &literals.texts())).map(|purged| Purged::of(&purged))
    }

    /// Claims a task, or renews a claim on it. Losing is a result: `granted` is false and the holder is named.
    #[pyo3(signature = (task, *, lease=None, holder=None))]
    fn claim(&self, py: Python<'_>, task: TaskGiven, lease: Option<Seconds>, holder: Option<String>) -> PyResult<Claim> {
        let claim = enter(py, || {
            let claiming = with(self.wary.claim(task.0), lease.map(|length| length.0), Claiming::lease);
            with(claiming, holder, Claiming::holder).take()
        })?;
        Claim::of(py, claim)
    }

    /// Claims the first task that is ready; None if there is none.
    #[pyo3(signature = (*, lease=None, tags=None, component=None), text_signature = "($self, *, lease=None, tags=(), component=None)")]
    fn claim_next(&self, py: Python<'_>, lease: Option<Seconds>, tags: Option<Many<String>>, component: Option<String>) -> PyResult<Option<Py<Claim>>> {
        let claim = enter(py, || {
            let claiming = with(self.wary.claim_next(), lease.map(|length| length.0), ClaimingNext::lease).tags(tags.unwrap_or_default().0);
            with(claiming, component, ClaimingNext::component).take()
        })?;
        one(py, claim, Claim::of)
    }

    /// Gives a claimed task back; its holder only. Gives the task's id.
    fn release(&self, py: Python<'_>, task: TaskGiven) -> PyResult<String> {
        enter(py, || self.wary.release(task.0)).map(|id| id.to_string())
    }

    /// Takes a claimed task from whoever has it; gives its id.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn force_release(&self, py: Python<'_>, task: &str, why: &str, allow_secrets: bool) -> PyResult<String> {
        enter(py, || self.hand(allow_secrets).force_release(task, why)).map(|id| id.to_string())
    }

    /// Ends a task as done; gives the facts that ended with it.
    #[pyo3(signature = (task, *, summary, allow_secrets=false))]
    fn complete(&self, py: Python<'_>, task: TaskGiven, summary: &str, allow_secrets: bool) -> PyResult<TaskChange> {
        enter(py, || self.hand(allow_secrets).complete(task.0, summary)).map(|change| TaskChange::of(&change))
    }

    /// Ends a task as given up; gives the facts that hang on it, which hold on.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn cancel(&self, py: Python<'_>, task: TaskGiven, why: &str, allow_secrets: bool) -> PyResult<TaskChange> {
        enter(py, || self.hand(allow_secrets).cancel(task.0, why)).map(|change| TaskChange::of(&change))
    }

    /// Opens a completed or cancelled task again; gives the facts that hold again.
    #[pyo3(signature = (task, *, why, allow_secrets=false))]
    fn reopen(&self, py: Python<'_>, task: &str, why: &str, allow_secrets: bool) -> PyResult<TaskChange> {
        enter(py, || self.hand(allow_secrets).reopen(task, why)).map(|change| TaskChange::of(&change))
    }

    /// Who writes.
    #[getter]
    fn actor(&self) -> &str {
        self.wary.actor()
    }

    /// In which session.
    #[getter]
    fn session(&self) -> Option<&str> {
        self.wary.session()
    }

    fn __repr__(&self) -> String {
        match self.session() {
            Some(session) => format!("Recorder(actor={:?}, session={session:?})", self.actor()),
            None => format!("Recorder(actor={:?})", self.actor()),
        }
    }
}
