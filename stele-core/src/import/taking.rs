//! What a node that is there becomes by an item that names it: only what the item speaks of changes.

use super::item::{Given, NodeItem};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::record::node::{Content, Detail, RuleDetail, TaskDetail};

/// Brings a content to what an item says, leaving alone what it does not speak of.
///
/// # Errors
/// `wrong_kind` where the item is of another kind.
pub(super) fn take_over(id: NodeId, content: &mut Content, node: &NodeItem) -> Result<()> {
    let (new, given) = (&node.content, node.given);
    if new.detail.kind() != content.detail.kind() {
        return Err(Error::new(Code::WrongKind, format!("import a node: {id} is a {}, not a {}", id.kind, new.detail.kind()))
            .with("field", "kind")
            .with("id", id));
    }
    content.title.clone_from(&new.title);
    let take = Taking(given);
    take.part(Given::BODY, &mut content.body, &new.body);
    take.part(Given::TAGS, &mut content.tags, &new.tags);
    take.part(Given::SOURCE, &mut content.source, &new.source);
    take.part(Given::ANCHORS, &mut content.anchors, &new.anchors);
    take.part(Given::EXPIRES_AT, &mut content.lifecycle.expires_at, &new.lifecycle.expires_at);
    take.part(Given::REVIEW_AT, &mut content.lifecycle.review_at, &new.lifecycle.review_at);
    take.reference(Given::NO_COMPONENT, &mut content.component, new.component);
    take.reference(Given::NO_TASK, &mut content.lifecycle.resolves_with, new.lifecycle.resolves_with);
    match (&mut content.detail, &new.detail) {
        (Detail::Task(old), Detail::Task(new)) => take.task(old, new),
        (Detail::Rule(old), Detail::Rule(new)) => take.rule(old, new),
        (old, new) => old.clone_from(new),
    }
    Ok(())
}

/// Takes over what a source speaks of.
struct Taking(Given);

impl Taking {
    fn part<T: Clone>(&self, part: Given, old: &mut T, new: &T) {
        if self.0.has(part) {
            old.clone_from(new);
        }
    }

    /// One that comes later in the source is set by an operation of its own.
    fn reference(&self, none: Given, old: &mut Option<u64>, new: Option<u64>) {
        *old = if self.0.has(none) { None } else { new.or(*old) };
    }

    fn task(&self, old: &mut TaskDetail, new: &TaskDetail) {
        self.part(Given::TASK_TYPE, &mut old.task_type, &new.task_type);
        self.part(Given::PRIORITY, &mut old.priority, &new.priority);
        self.part(Given::CRITERIA, &mut old.success_criteria, &new.success_criteria);
        self.part(Given::STATUS, &mut old.status, &new.status);
    }

    /// Whether it is only proposed stays: no file promotes a rule.
    fn rule(&self, old: &mut RuleDetail, new: &RuleDetail) {
        old.statement.clone_from(&new.statement);
        self.part(Given::TRIGGER, &mut old.trigger, &new.trigger);
        self.part(Given::MANDATORY, &mut old.mandatory, &new.mandatory);
        self.part(Given::ALWAYS_ON, &mut old.always_on, &new.always_on);
        self.part(Given::FORBIDDEN, &mut old.forbidden, &new.forbidden);
        self.part(Given::INSTEAD, &mut old.instead, &new.instead);
        self.part(Given::DOMAIN, &mut old.domain, &new.domain);
        self.part(Given::SEVERITY, &mut old.severity, &new.severity);
        self.part(Given::POINTS, &mut old.points, &new.points);
        self.part(Given::KEYWORDS, &mut old.keywords, &new.keywords);
        self.part(Given::FLOOR_MODES, &mut old.floor_modes, &new.floor_modes);
        self.part(Given::ACTION_TRIGGERS, &mut old.action_triggers, &new.action_triggers);
        self.part(Given::METHODOLOGY, &mut old.methodology, &new.methodology);
    }
}
