//! What a node is made of: its content as it stands in operations and views, and the node as a reader sees it.

use serde::{Deserialize, Serialize};

use super::claim::ClaimNote;
use crate::base::id::{Kind, NodeId};
use crate::base::names::named_enum;
use crate::base::time::Timestamp;

named_enum! {
    /// What a piece of knowledge is.
    Category, UnknownCategory, "category" {
        /// What was chosen, and why.
        Decision = 0 "decision",
        /// How the system is built.
        Architecture = 1 "architecture",
        /// What is to be reached.
        Goal = 2 "goal",
        /// What can go wrong.
        Risk = 3 "risk",
        /// What was learned the hard way.
        Lesson = 4 "lesson",
        /// What comes before what.
        Priority = 5 "priority",
        /// What is missing.
        Gap = 6 "gap",
        /// What is good to know.
        Fyi = 7 "fyi",
        /// What could be gained.
        Opportunity = 8 "opportunity",
    }
}

named_enum! {
    /// What a task is: work, or a container of work.
    TaskType, UnknownValue, "task type" {
        /// Work to do.
        Task = 0 "task",
        /// A container.
        Epic = 1 "epic",
        /// A container.
        Objective = 2 "objective",
        /// A container.
        Milestone = 3 "milestone",
    }
}

named_enum! {
    /// Where a task stands; blocked and ready are derived from edges, never stored.
    TaskStatus, UnknownValue, "task status" {
        /// Nobody has it.
        Open = 0 "open",
        /// Somebody works on it.
        Claimed = 1 "claimed",
        /// Done.
        Completed = 2 "completed",
        /// Given up.
        Cancelled = 3 "cancelled",
    }
}

named_enum! {
    /// How much a rule weighs against others.
    Severity, UnknownValue, "severity" {
        /// Breaks things badly.
        Critical = 0 "critical",
        /// Breaks things.
        High = 1 "high",
        /// Costs time.
        Medium = 2 "medium",
        /// Matter of taste.
        Low = 3 "low",
    }
}

named_enum! {
    /// Whether a node holds, as of the moment of reading.
    State, UnknownValue, "state" {
        /// It holds.
        Live = 0 "live",
        /// Another node replaced it.
        Retired = 1 "retired",
        /// Its time ran out.
        Expired = 2 "expired",
        /// The task it hung on is done.
        Resolved = 3 "resolved",
        /// Put away; served only when named.
        Archived = 4 "archived",
    }
}

named_enum! {
    /// How a fact was known.
    Known, UnknownValue, "known" {
        /// Somebody said it.
        Stated = 0 "stated",
        /// It was seen to be so.
        Observed = 1 "observed",
        /// It follows from other facts.
        Inferred = 2 "inferred",
        /// It came with an import.
        Imported = 3 "imported",
    }
}

/// A place in the project that a node is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// A file path or glob, relative to the project, with forward slashes.
    pub path: String,
    /// A symbol in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Where a fact comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// A file, commit, issue or address.
    #[serde(default)]
    pub uri: String,
    /// The revision of it that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The line that says it, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// How it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// The repository, customer or the like that it is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<String>,
}

/// When a fact stops holding by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The instant from which it is expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The number of the task whose completion resolves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolves_with: Option<u64>,
    /// The instant from which it wants a look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_at: Option<Timestamp>,
}

/// What only tasks have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDetail {
    /// Work, or a container.
    pub task_type: TaskType,
    /// 0 (highest) to 4.
    pub priority: u8,
    /// How one can tell that it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub success_criteria: String,
    /// The status it was recorded with, or that its import told last; where it stands now is `Node::status`.
    pub status: TaskStatus,
}

/// What only rules have: the instruction and its routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleDetail {
    /// What to do.
    pub statement: String,
    /// When it applies, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trigger: String,
    /// True if it must arrive on every turn.
    #[serde(default)]
    pub mandatory: bool,
    /// True if it belongs to the obligations without being mandatory.
    #[serde(default)]
    pub always_on: bool,
    /// Phrases that must not be said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// What to say instead.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instead: String,
    /// The field it belongs to, such as `process`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How much it weighs.
    pub severity: Severity,
    /// The injection points it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// Words that call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Modes in which it always stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floor_modes: Vec<String>,
    /// Actions that call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub action_triggers: Vec<String>,
    /// The sort of methodology it is: skill, playbook, technique, anti-pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methodology: Option<String>,
    /// True while it is only proposed.
    #[serde(default)]
    pub provisional: bool,
}

/// What depends on the kind of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Detail {
    /// A fact of a category.
    Knowledge {
        /// What sort of fact it is.
        category: Category,
    },
    /// Work.
    Task(TaskDetail),
    /// An instruction.
    Rule(Box<RuleDetail>),
    /// A long text.
    Document,
    /// A picture as text.
    Diagram,
    /// A part of the system.
    Component,
}

impl Detail {
    /// The kind that has this detail.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Knowledge { .. } => Kind::Knowledge,
            Self::Task(_) => Kind::Task,
            Self::Rule(_) => Kind::Rule,
            Self::Document => Kind::Document,
            Self::Diagram => Kind::Diagram,
            Self::Component => Kind::Component,
        }
    }
}

/// All that a revision of a node says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) body: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<Anchor>,
    #[serde(default)]
    pub(crate) lifecycle: Lifecycle,
    pub(crate) detail: Detail,
}

impl Content {
    /// The text that is searched under the title: the body, and what else of a rule or task carries words.
    pub(crate) fn searched_body(&self) -> std::borrow::Cow<'_, str> {
        match &self.detail {
            Detail::Rule(rule) => format!("{}\n{}\n{}", rule.trigger, rule.statement, self.body).into(),
            Detail::Task(task) if !task.success_criteria.is_empty() => format!("{}\n{}", self.body, task.success_criteria).into(),
            _ => self.body.as_str().into(),
        }
    }

    /// True if nodes of this content are found by search: all but the rules that the obligations deliver.
    pub(crate) fn is_ranked(&self) -> bool {
        match &self.detail {
            Detail::Rule(rule) => !rule.is_obligation(),
            _ => true,
        }
    }
}

/// What class a node falls into for ranking and ordering: a category, or a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A fact of that category.
    Knowledge(Category),
    /// A task that is work.
    Task,
    /// An epic, objective or milestone.
    Container,
    /// An instruction.
    Rule,
    /// A long text.
    Document,
    /// A picture as text.
    Diagram,
    /// A part of the system.
    Component,
}

impl Class {
    /// Every class, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Knowledge(Category::Decision),
        Self::Knowledge(Category::Architecture),
        Self::Knowledge(Category::Goal),
        Self::Knowledge(Category::Risk),
        Self::Knowledge(Category::Lesson),
        Self::Knowledge(Category::Priority),
        Self::Knowledge(Category::Gap),
        Self::Knowledge(Category::Fyi),
        Self::Knowledge(Category::Opportunity),
        Self::Task,
        Self::Container,
        Self::Rule,
        Self::Document,
        Self::Diagram,
        Self::Component,
    ];

    /// The class of a node with that detail.
    #[must_use]
    pub fn of(detail: &Detail) -> Self {
        match detail {
            Detail::Knowledge { category } => Self::Knowledge(*category),
            Detail::Task(task) if task.task_type != TaskType::Task => Self::Container,
            Detail::Task(_) => Self::Task,
            Detail::Rule(_) => Self::Rule,
            Detail::Document => Self::Document,
            Detail::Diagram => Self::Diagram,
            Detail::Component => Self::Component,
        }
    }

    /// The number that stands for it in the views.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Knowledge(category) => category.number(),
            Self::Task => 9,
            Self::Container => 10,
            Self::Rule => 11,
            Self::Document => 12,
            Self::Diagram => 13,
            Self::Component => 14,
        }
    }

    /// The class with that number.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The category, if it is one.
    #[must_use]
    pub fn category(self) -> Option<Category> {
        match self {
            Self::Knowledge(category) => Some(category),
            _ => None,
        }
    }

    /// The kind of nodes of this class.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Self::Knowledge(_) => Kind::Knowledge,
            Self::Task | Self::Container => Kind::Task,
            Self::Rule => Kind::Rule,
            Self::Document => Kind::Document,
            Self::Diagram => Kind::Diagram,
            Self::Component => Kind::Component,
        }
    }

    /// The word that a reader sees: the category of a fact, else the kind.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Knowledge(category) => category.as_str(),
            Self::Container => "container",
            other => other.kind().as_str(),
        }
    }
}

/// A node as it stands in a snapshot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its title.
    pub title: String,
    /// Its body, whole.
    pub body: String,
    /// Its tags, in order.
    pub tags: Vec<String>,
    /// The component it sits under.
    pub component: Option<NodeId>,
    /// Where it comes from.
    pub source: Option<Source>,
    /// The places it is about.
    pub anchors: Vec<Anchor>,
    /// When it stops holding by itself.
    pub lifecycle: Lifecycle,
    /// What depends on its kind.
    pub detail: Detail,
    /// Whether it holds.
    pub state: State,
    /// When it was first recorded, or the time that came with its import.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When somebody last confirmed it.
    pub verified_at: Option<Timestamp>,
    /// Who wrote its first revision.
    pub actor: String,
    /// In which session.
    pub session: Option<String>,
    /// Counts its revisions, from 1.
    pub revision: u64,
    /// Where a task stands.
    pub status: Option<TaskStatus>,
    /// Who works on a claimed task.
    pub claim: Option<ClaimNote>,
    /// The live nodes that retired it directly.
    pub retired_by: Vec<NodeId>,
}

impl Node {
    /// The category of a fact.
    #[must_use]
    pub fn category(&self) -> Option<Category> {
        Class::of(&self.detail).category()
    }
}
