//! The project record that coding agents embed.

mod assemble;
mod base;
mod health;
mod import;
mod index;
mod record;
mod render;
mod retrieve;
mod store;
mod tools;

pub use assemble::{
    Aggressiveness, Asked, AssembleOptions, Assembly as Plan, Channel, Context, Declaration, Delivered, Methodology, MethodologyEntry, MethodologyOptions,
    Moment, MomentKind, Obligations, Outcome, OutcomeKind, Point, Pointed, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest,
    ResumeAction, Resumed, RuleEntry, RulesOptions, Section, Session, SessionOptions, Supply, TranscriptItem, TurnPolicy, provider,
};
pub use base::config as defaults;
pub use base::error::{Code, Error, ErrorKind, Result};
#[cfg(feature = "fail-points")]
pub use base::fail_points::{FailPoint, on_fail_point};
pub use base::id::{Kind, NodeId};
pub use base::time::{Clock, SystemClock, Timestamp};
pub use base::tokens::{CountTokens, tokens};
pub use base::whole_characters::whole_characters;
pub use health::{
    Finding, HEALTH_CHECKS, Health, HealthCheck, HealthOptions, Judged, Judgement, Retirement, Shape, Sweep, Verdict, Weight, built_in_judge, shape,
};
pub use import::export::{ExportForm, ExportReport};
pub use import::report::{ImportFault, ImportOptions, ImportPhase, ImportReport, Progress, Skipped};
pub use index::embed::{BuiltinEmbedder, Embedder};
pub use record::advice::{Advice, AdviceKind};
pub use record::claim::{Claim, ClaimNote, ContainerProgress, Held, TaskChange};
pub use record::database::Durability;
pub use record::draft::{Draft, Revision};
pub use record::edge::{Edge, Evidence, Found, Relation};
pub use record::evidence::SourceText;
pub use record::node::{Anchor, Category, Class, Detail, Known, Lifecycle, Node, RuleDetail, Severity, Source, State, TaskDetail, TaskStatus, TaskType};
pub use record::proposal::{Proposal, Refusal, RefusalReason};
pub use record::purge::Purged;
pub use record::reader::AsOf;
pub use record::recorder::{Adding, Recorded, Recorder, Superseding};
pub use record::rule::{Helpfulness, RuleFeedback};
pub use record::tasking::{Claiming, ClaimingNext};
pub use record::transaction::Transaction;
pub use retrieve::result::{CalloutLine, Detail as Shown, Entry, Format, Gap, GapKind, Hit, Pointer, Replacement, Retrieval, Role, Score, Stats, Status};
pub use retrieve::{
    Conflict, Direction, HistoryItem, Neighbour, NeighbourOptions, Origin, RankingTable, ReadyOptions, RecallOptions, RetrieveOptions, Retriever, SearchMode,
    SearchOptions, Task, Why,
};
pub use retrieve::{Happened, Stopped};
pub use store::{Record, RecordOptions};
pub use tools::{Tier, Tool, ToolCall};
