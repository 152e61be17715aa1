//! What a host gives to record a node, before it is checked and settled.

use super::node::{Anchor, Category, Severity, Source, TaskStatus, TaskType};
use crate::base::time::Timestamp;

/// A node to be recorded: constructors for what is required, a method for everything else.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub(crate) kind: DraftKind,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) tags: Vec<String>,
    /// Id or alias of a component.
    pub(crate) component: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) expires_at: Option<Timestamp>,
    /// Id or alias of a task.
    pub(crate) resolves_with: Option<String>,
    pub(crate) review_at: Option<Timestamp>,
    pub(crate) allow_secrets: bool,
}

/// What only one kind of node takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DraftKind {
    Knowledge(Category),
    Task { task_type: TaskType, priority: u8, success_criteria: String, status: TaskStatus },
    Rule(Box<crate::record::node::RuleDetail>),
    Document,
    Diagram,
    Component,
}

/// The priority of a task that names none.
pub(crate) const DEFAULT_PRIORITY: u8 = 2;

impl Draft {
    fn new(kind: DraftKind, title: impl Into<String>) -> Self {
        Self {
            kind,
            title: title.into(),
            body: String::new(),
            aliases: Vec::new(),
            tags: Vec::new(),
            component: None,
            source: None,
            anchors: Vec::new(),
            created_at: None,
            expires_at: None,
            resolves_with: None,
            review_at: None,
            allow_secrets: false,
        }
    }

    /// A fact of a category.
    #[must_use]
    pub fn fact(category: Category, title: impl Into<String>) -> Self {
        Self::new(DraftKind::Knowledge(category), title)
    }

    /// A task of priority 2.
    #[must_use]
    pub fn task(title: impl Into<String>) -> Self {
        Self::new(DraftKind::Task { task_type: TaskType::Task, priority: DEFAULT_PRIORITY, success_criteria: String::new(), status: TaskStatus::Open }, title)
    }

    /// A rule with its statement, of severity medium.
    #[must_use]
    pub fn rule(title: impl Into<String>, statement: impl Into<String>) -> Self {
        let rule = crate::record::node::RuleDetail {
            statement: statement.into(),
            trigger: String::new(),
            mandatory: false,
            always_on: false,
            forbidden: Vec::new(),
            instead: String::new(),
            domain: None,
            severity: Severity::Medium,
            points: Vec::new(),
            keywords: Vec::new(),
            floor_modes: Vec::new(),
            action_triggers: Vec::new(),
            methodology: None,
            provisional: false,
        };
        Self::new(DraftKind::Rule(Box::new(rule)), title)
    }

    /// A document with its text.
    #[must_use]
    pub fn document(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(DraftKind::Document, title).body(body)
    }

    /// A diagram with its source.
    #[must_use]
    pub fn diagram(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(DraftKind::Diagram, title).body(body)
    }

    /// A component.
    #[must_use]
    pub fn component(title: impl Into<String>) -> Self {
        Self::new(DraftKind::Component, title)
    }

    /// Sets the body: at most 64 KiB, 2 MiB for a document.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Adds an alias.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// Adds tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Puts it under a component, given by id or alias; for a component this is its parent.
    #[must_use]
    pub fn under(mut self, component: impl Into<String>) -> Self {
        self.component = Some(component.into());
        self
    }

    /// Says where it comes from.
    #[must_use]
    pub fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// Adds a place that it is about.
    #[must_use]
    pub fn anchor(mut self, path: impl Into<String>, symbol: Option<&str>) -> Self {
        self.anchors.push(Anchor { path: path.into(), symbol: symbol.map(Into::into) });
        self
    }

    /// Sets when it came to be, where that was not now.
    #[must_use]
    pub fn created_at(mut self, at: Timestamp) -> Self {
        self.created_at = Some(at);
        self
    }

    /// Sets the instant from which it is expired.
    #[must_use]
    pub fn expires_at(mut self, at: Timestamp) -> Self {
        self.expires_at = Some(at);
        self
    }

    /// Names the task, by id or alias, whose completion resolves it.
    #[must_use]
    pub fn resolves_with(mut self, task: impl Into<String>) -> Self {
        self.resolves_with = Some(task.into());
        self
    }

    /// Sets the instant from which it wants a look.
    #[must_use]
    pub fn review_at(mut self, at: Timestamp) -> Self {
        self.review_at = Some(at);
        self
    }

    /// Accepts text that looks like a credential.
    #[must_use]
    pub fn allow_secrets(mut self) -> Self {
        self.allow_secrets = true;
        self
    }

    /// Sets the type of a task; no effect on other kinds.
    #[must_use]
    pub fn task_type(mut self, value: TaskType) -> Self {
        if let DraftKind::Task { task_type, .. } = &mut self.kind {
            *task_type = value;
        }
        self
    }

    /// Sets the priority of a task, 0 (highest) to 4; no effect on other kinds.
    #[must_use]
    pub fn priority(mut self, value: u8) -> Self {
        if let DraftKind::Task { priority, .. } = &mut self.kind {
            *priority = value;
        }
        self
    }

    /// Sets how one can tell that a task is done; no effect on other kinds.
    #[must_use]
    pub fn success_criteria(mut self, value: impl Into<String>) -> Self {
        if let DraftKind::Task { success_criteria, .. } = &mut self.kind {
            *success_criteria = value.into();
        }
        self
    }

    /// Sets the status that a task comes with, for imports; no effect on other kinds. Only claiming makes it claimed, so
    /// that stands for open.
    #[must_use]
    pub fn status(mut self, value: TaskStatus) -> Self {
        if let DraftKind::Task { status, .. } = &mut self.kind {
            *status = if value == TaskStatus::Claimed { TaskStatus::Open } else { value };
        }
        self
    }

    /// Changes what only rules have; no effect on other kinds.
    #[must_use]
    pub fn routing(mut self, set: impl FnOnce(&mut crate::record::node::RuleDetail)) -> Self {
        if let DraftKind::Rule(rule) = &mut self.kind {
            set(rule);
        }
        self
    }
}

/// A change to a node: what is not set stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revision {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) category: Option<Category>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) component: Option<Option<String>>,
    pub(crate) source: Option<Source>,
    pub(crate) anchors: Option<Vec<Anchor>>,
    pub(crate) expires_at: Option<Option<Timestamp>>,
    pub(crate) resolves_with: Option<Option<String>>,
    pub(crate) review_at: Option<Option<Timestamp>>,
    pub(crate) allow_secrets: bool,
    /// The kind-dependent part, whole; set by imports.
    pub(crate) kind: Option<DraftKind>,
    pub(crate) statement: Option<String>,
    pub(crate) routing: Option<Box<crate::record::node::RuleDetail>>,
}

impl Revision {
    /// A change of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sets the statement of a rule, which begins what is counted for it anew.
    #[must_use]
    pub fn statement(mut self, statement: impl Into<String>) -> Self {
        self.statement = Some(statement.into());
        self
    }

    /// Replaces what only rules have, except that a proposed rule stays proposed.
    #[must_use]
    pub fn routing(mut self, rule: crate::record::node::RuleDetail) -> Self {
        self.routing = Some(Box::new(rule));
        self
    }

    /// Replaces the tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = Some(tags.into_iter().map(Into::into).collect());
        self
    }

    /// Says where it comes from.
    #[must_use]
    pub fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// Sets or clears the instant from which it is expired.
    #[must_use]
    pub fn expires_at(mut self, at: Option<Timestamp>) -> Self {
        self.expires_at = Some(at);
        self
    }

    /// Sets or clears the task, by id or alias, whose completion resolves it.
    #[must_use]
    pub fn resolves_with(mut self, task: Option<&str>) -> Self {
        self.resolves_with = Some(task.map(Into::into));
        self
    }

    /// Sets or clears the instant from which it wants a look.
    #[must_use]
    pub fn review_at(mut self, at: Option<Timestamp>) -> Self {
        self.review_at = Some(at);
        self
    }

    /// Accepts text that looks like a credential.
    #[must_use]
    pub fn allow_secrets(mut self) -> Self {
        self.allow_secrets = true;
        self
    }
}
