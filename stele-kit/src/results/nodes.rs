//! Single nodes and what lies around them.

use stele_core::{Category, Detail, Kind, Known, NodeId, Relation, Severity, State, TaskStatus, TaskType, Timestamp};

use super::retrieval::{Pointer, Replacement};
use super::tasks::ClaimNote;
use super::{each, one, result, shape};

result! {
    /// A place in the project that a node is about.
    Anchor from Anchor { path: String, symbol: Option<String>, }
}

result! {
    /// Where something comes from.
    Source from Source { uri: String, revision: Option<String>, quote: Option<String>, known: Option<Known>, applies_to: Option<String>, }
}

shape! {
    /// A node, whole. What only tasks or only rules have is null on other nodes.
    Node {
        id: NodeId,
        aliases: Vec<String>,
        kind: Kind,
        category: Option<Category>,
        state: State,
        status: Option<TaskStatus>,
        title: String,
        body: String,
        tags: Vec<String>,
        component: Option<NodeId>,
        source: Option<Source>,
        anchors: Vec<Anchor>,
        expires_at: Option<Timestamp>,
        resolves_with: Option<NodeId>,
        review_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        verified_at: Option<Timestamp>,
        actor: String,
        session: Option<String>,
        revision: u64,
        claim: Option<ClaimNote>,
        retired_by: Vec<NodeId>,
        r#type: Option<TaskType>,
        priority: Option<u8>,
        success_criteria: Option<String>,
        statement: Option<String>,
        trigger: Option<String>,
        mandatory: Option<bool>,
        always_on: Option<bool>,
        forbidden: Option<Vec<String>>,
        instead: Option<String>,
        domain: Option<String>,
        severity: Option<Severity>,
        points: Option<Vec<String>>,
        keywords: Option<Vec<String>>,
        floor_modes: Option<Vec<String>>,
        action_triggers: Option<Vec<String>>,
        methodology: Option<String>,
        provisional: Option<bool>,
    }
}

impl From<stele_core::Node> for Node {
    fn from(node: stele_core::Node) -> Self {
        let category = node.category();
        let (task, rule) = match node.detail {
            Detail::Task(task) => (Some(task), None),
            Detail::Rule(rule) => (None, Some(*rule)),
            _ => (None, None),
        };
        let of_rule = rule.as_ref();
        Self {
            id: node.id,
            aliases: node.aliases,
            kind: node.id.kind,
            category,
            state: node.state,
            status: node.status,
            title: node.title,
            body: node.body,
            tags: node.tags,
            component: node.component,
            source: one(node.source),
            anchors: each(node.anchors),
            expires_at: node.lifecycle.expires_at,
            resolves_with: node.lifecycle.resolves_with.map(|number| NodeId { kind: Kind::Task, number }),
            review_at: node.lifecycle.review_at,
            created_at: node.created_at,
            updated_at: node.updated_at,
            verified_at: node.verified_at,
            actor: node.actor,
            session: node.session,
            revision: node.revision,
            claim: one(node.claim),
            retired_by: node.retired_by,
            r#type: task.as_ref().map(|task| task.task_type),
            priority: task.as_ref().map(|task| task.priority),
            success_criteria: task.map(|task| task.success_criteria),
            mandatory: of_rule.map(|rule| rule.mandatory),
            always_on: of_rule.map(|rule| rule.always_on),
            severity: of_rule.map(|rule| rule.severity),
            provisional: of_rule.map(|rule| rule.provisional),
            domain: of_rule.and_then(|rule| rule.domain.clone()),
            methodology: of_rule.and_then(|rule| rule.methodology.clone()),
            statement: of_rule.map(|rule| rule.statement.clone()),
            trigger: of_rule.map(|rule| rule.trigger.clone()),
            forbidden: of_rule.map(|rule| rule.forbidden.clone()),
            instead: of_rule.map(|rule| rule.instead.clone()),
            points: of_rule.map(|rule| rule.points.clone()),
            keywords: of_rule.map(|rule| rule.keywords.clone()),
            floor_modes: of_rule.map(|rule| rule.floor_modes.clone()),
            action_triggers: rule.map(|rule| rule.action_triggers),
        }
    }
}

result! {
    /// A node at the other end of an edge.
    Neighbour from Neighbour {
        id: NodeId,
        kind: Kind,
        category: Option<Category>,
        state: State,
        title: String,
        relation: Relation,
        outgoing: bool,
        reason: String,
        evidence: Option<String>,
        at: Timestamp,
        automatic: bool,
    }
}

result! {
    /// One operation that concerns a node.
    HistoryItem from HistoryItem {
        sequence: u64,
        at: Timestamp,
        actor: String,
        session: Option<String>,
        action: String,
        what: String,
        why: String,
        title: Option<String>,
        body: Option<String>,
    }
}

result! {
    /// Where a node comes from and what it stands on.
    Why from Why { node: Node = Node::from, replaced: Vec<Origin> = each, replaced_by: Vec<Replacement> = each, }
}

result! {
    /// One link of a chain of replacements.
    Origin from Origin {
        replacement: Replacement = Replacement::from,
        by: NodeId,
        depth: u32,
        created_at: Timestamp,
        actor: String,
        source: Option<Source> = one,
    }
}

result! {
    /// Two live nodes that contradict each other.
    Conflict from Conflict { a: Pointer = Pointer::from, b: Pointer = Pointer::from, reason: String, since: Timestamp, }
}
