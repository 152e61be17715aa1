//! Single nodes and what lies around them.

use pyo3::prelude::*;
use stele_core::{Detail, Kind, NodeId, RuleDetail, TaskDetail};

use super::retrieval::{Pointer, Replacement};
use super::tasks::ClaimNote;
use super::{each, ids, one, result};
use crate::time::Instant;

result! {
    /// A place in the project that a node is about.
    Anchor {
        path: String,
        symbol: Option<String>,
    }
}

impl Anchor {
    pub(crate) fn of(_: Python<'_>, anchor: stele_core::Anchor) -> PyResult<Self> {
        Ok(Self { path: anchor.path, symbol: anchor.symbol })
    }
}

result! {
    /// Where a fact comes from.
    Source {
        uri: String,
        revision: Option<String>,
        quote: Option<String>,
        known: Option<&'static str>,
        applies_to: Option<String>,
    }
}

impl Source {
    pub(crate) fn of(_: Python<'_>, source: stele_core::Source) -> PyResult<Self> {
        let known = source.known.map(|known| known.as_str());
        Ok(Self { uri: source.uri, revision: source.revision, quote: source.quote, known, applies_to: source.applies_to })
    }
}

result! {
    /// A node, whole. What only tasks or only rules have is None on other nodes.
    Node {
        id: String,
        aliases: Vec<String>,
        kind: &'static str,
        category: Option<&'static str>,
        state: &'static str,
        status: Option<&'static str>,
        title: String,
        body: String,
        tags: Vec<String>,
        component: Option<String>,
        source: Option<Py<Source>>,
        anchors: Vec<Py<Anchor>>,
        expires_at: Option<Instant>,
        resolves_with: Option<String>,
        review_at: Option<Instant>,
        created_at: Instant,
        updated_at: Instant,
        verified_at: Option<Instant>,
        actor: String,
        session: Option<String>,
        revision: u64,
        claim: Option<Py<ClaimNote>>,
        retired_by: Vec<String>,
        r#type: Option<&'static str>,
        priority: Option<u8>,
        success_criteria: Option<String>,
        statement: Option<String>,
        trigger: Option<String>,
        mandatory: Option<bool>,
        always_on: Option<bool>,
        forbidden: Option<Vec<String>>,
        instead: Option<String>,
        domain: Option<String>,
        severity: Option<&'static str>,
        points: Option<Vec<String>>,
        keywords: Option<Vec<String>>,
        floor_modes: Option<Vec<String>>,
        action_triggers: Option<Vec<String>>,
        methodology: Option<String>,
        provisional: Option<bool>,
    }
}

/// What only tasks and only rules have.
fn parts(detail: Detail) -> (Option<TaskDetail>, Option<RuleDetail>) {
    match detail {
        Detail::Task(task) => (Some(task), None),
        Detail::Rule(rule) => (None, Some(*rule)),
        _ => (None, None),
    }
}

impl Node {
    pub(crate) fn of(py: Python<'_>, node: stele_core::Node) -> PyResult<Self> {
        let category = node.category().map(|category| category.as_str());
        let (task, rule) = parts(node.detail);
        let on_rule = rule.as_ref();
        Ok(Self {
            id: node.id.to_string(),
            aliases: node.aliases,
            kind: node.id.kind.as_str(),
            category,
            state: node.state.as_str(),
            status: node.status.map(|status| status.as_str()),
            title: node.title,
            body: node.body,
            tags: node.tags,
            component: node.component.map(|id| id.to_string()),
            source: one(py, node.source, Source::of)?,
            anchors: each(py, node.anchors, Anchor::of)?,
            expires_at: node.lifecycle.expires_at.map(Instant),
            resolves_with: node.lifecycle.resolves_with.map(|number| NodeId { kind: Kind::Task, number }.to_string()),
            review_at: node.lifecycle.review_at.map(Instant),
            created_at: Instant(node.created_at),
            updated_at: Instant(node.updated_at),
            verified_at: node.verified_at.map(Instant),
            actor: node.actor,
            session: node.session,
            revision: node.revision,
            claim: one(py, node.claim, ClaimNote::of)?,
            retired_by: ids(&node.retired_by),
            r#type: task.as_ref().map(|task| task.task_type.as_str()),
            priority: task.as_ref().map(|task| task.priority),
            success_criteria: task.map(|task| task.success_criteria),
            mandatory: on_rule.map(|rule| rule.mandatory),
            always_on: on_rule.map(|rule| rule.always_on),
            severity: on_rule.map(|rule| rule.severity.as_str()),
            provisional: on_rule.map(|rule| rule.provisional),
            domain: on_rule.and_then(|rule| rule.domain.clone()),
            methodology: on_rule.and_then(|rule| rule.methodology.clone()),
            statement: on_rule.map(|rule| rule.statement.clone()),
            trigger: on_rule.map(|rule| rule.trigger.clone()),
            forbidden: on_rule.map(|rule| rule.forbidden.clone()),
            instead: on_rule.map(|rule| rule.instead.clone()),
            points: on_rule.map(|rule| rule.points.clone()),
            keywords: on_rule.map(|rule| rule.keywords.clone()),
            floor_modes: on_rule.map(|rule| rule.floor_modes.clone()),
            action_triggers: rule.map(|rule| rule.action_triggers),
        })
    }
}

result! {
    /// A node at the other end of an edge.
    Neighbour {
        id: String,
        kind: &'static str,
        category: Option<&'static str>,
        state: &'static str,
        title: String,
        relation: &'static str,
        outgoing: bool,
        reason: String,
        evidence: Option<String>,
        at: Instant,
        automatic: bool,
    }
}

impl Neighbour {
    pub(crate) fn of(_: Python<'_>, found: stele_core::Neighbour) -> PyResult<Self> {
        Ok(Self {
            id: found.id.to_string(),
            kind: found.kind.as_str(),
            category: found.category.map(|category| category.as_str()),
            state: found.state.as_str(),
            title: found.title,
            relation: found.relation.as_str(),
            outgoing: found.outgoing,
            reason: found.reason,
            evidence: found.evidence,
            at: Instant(found.at),
            automatic: found.automatic,
        })
    }
}

result! {
    /// One operation that concerns a node.
    HistoryItem {
        sequence: u64,
        at: Instant,
        actor: String,
        session: Option<String>,
        action: String,
        what: String,
        why: String,
        title: Option<String>,
        body: Option<String>,
    }
}

impl HistoryItem {
    pub(crate) fn of(_: Python<'_>, item: stele_core::HistoryItem) -> PyResult<Self> {
        let stele_core::HistoryItem { sequence, at, actor, session, action, what, why, title, body, .. } = item;
        Ok(Self { sequence, at: Instant(at), actor, session, action, what, why, title, body })
    }
}

result! {
    /// Where a node comes from and what it stands on.
    Why {
        node: Py<Node>,
        replaced: Vec<Py<Origin>>,
        replaced_by: Vec<Py<Replacement>>,
    }
}

impl Why {
    pub(crate) fn of(py: Python<'_>, why: stele_core::Why) -> PyResult<Self> {
        Ok(Self {
            node: Py::new(py, Node::of(py, why.node)?)?,
            replaced: each(py, why.replaced, Origin::of)?,
            replaced_by: each(py, why.replaced_by, Replacement::of)?,
        })
    }
}

result! {
    /// One link of a chain of replacements.
    Origin {
        replacement: Py<Replacement>,
        by: String,
        depth: u32,
        created_at: Instant,
        actor: String,
        source: Option<Py<Source>>,
    }
}

impl Origin {
    fn of(py: Python<'_>, origin: stele_core::Origin) -> PyResult<Self> {
        Ok(Self {
            replacement: Py::new(py, Replacement::of(py, origin.replacement)?)?,
            by: origin.by.to_string(),
            depth: origin.depth,
            created_at: Instant(origin.created_at),
            actor: origin.actor,
            source: one(py, origin.source, Source::of)?,
        })
    }
}

result! {
    /// Two live nodes that contradict each other.
    Conflict {
        a: Py<Pointer>,
        b: Py<Pointer>,
        reason: String,
        since: Instant,
    }
}

impl Conflict {
    pub(crate) fn of(py: Python<'_>, pair: stele_core::Conflict) -> PyResult<Self> {
        let a = Py::new(py, Pointer::of(py, pair.a)?)?;
        let b = Py::new(py, Pointer::of(py, pair.b)?)?;
        Ok(Self { a, b, reason: pair.reason, since: Instant(pair.since) })
    }
}
