//! What verbs give: plain values with the same fields in every door, in the order in which JSON shows them.
//!
//! Each is made from the core's type of its name, which says what the fields mean.

mod nodes;
mod reports;
mod retrieval;
mod rules;
mod session;
mod tasks;

pub use nodes::{Anchor, Conflict, HistoryItem, Neighbour, Node, Origin, Source, Why};
pub use reports::{
    Advice, ExportReport, Finding, Health, ImportFault, ImportReport, Judged, Judgement, Progress, Purged, Recorded, Retirement, Skipped, Sweep, Tool,
};
pub use retrieval::{CalloutLine, Corrected, Entry, Gap, Hit, Pointer, Replacement, Retrieval, Score, Stats};
pub use rules::{Methodology, Obligations, Proposal, Refusal, RuleEntry, RuleFeedback};
pub use session::{Context, Happened, Moment, Outcome, Resumed, Section, SessionState, Stopped};
pub use tasks::{Claim, ClaimNote, ContainerProgress, Task, TaskChange};

/// Every result with the names of its fields, by name.
#[must_use]
pub fn fields() -> Vec<(&'static str, &'static [&'static str])> {
    macro_rules! listed {
        ($($name:ident),*) => {
            vec![$((stringify!($name), $name::FIELDS)),*]
        };
    }
    listed![
        Advice,
        Anchor,
        CalloutLine,
        Claim,
        ClaimNote,
        Conflict,
        ContainerProgress,
        Context,
        Corrected,
        Entry,
        ExportReport,
        Finding,
        Gap,
        Happened,
        Health,
        HistoryItem,
        Hit,
        ImportFault,
        ImportReport,
        Judged,
        Judgement,
        Methodology,
        Moment,
        Neighbour,
        Node,
        Obligations,
        Origin,
        Outcome,
        Pointer,
        Progress,
        Proposal,
        Purged,
        Recorded,
        Refusal,
        Replacement,
        Resumed,
        Retirement,
        Retrieval,
        RuleEntry,
        RuleFeedback,
        Score,
        Section,
        SessionState,
        Skipped,
        Source,
        Stats,
        Stopped,
        Sweep,
        Task,
        TaskChange,
        Tool,
        Why
    ]
}

/// Declares a result, whose fields stand in the table of results.
macro_rules! shape {
    ($(#[$meta:meta])* $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the fields are those of the core's type, which says what they mean")]
        pub struct $name { $(pub $field: $type),* }

        impl $name {
            /// The names of its fields, in order.
            pub const FIELDS: &'static [&'static str] = &[$($crate::table::plain(stringify!($field))),*];
        }
    };
}
use shape;

/// Declares a result that is made field by field from a type of the core. A field takes the core's of its name, or what
/// an expression makes of it.
macro_rules! result {
    ($(#[$meta:meta])* $name:ident from $core:ident { $($field:ident: $type:ty $(= $convert:expr)?,)* }) => {
        $crate::results::shape! { $(#[$meta])* $name { $($field: $type,)* } }

        impl From<stele_core::$core> for $name {
            fn from(core: stele_core::$core) -> Self {
                Self { $($field: $crate::results::made!(core.$field $(, $convert)?)),* }
            }
        }
    };
}
use result;

/// A field as it is, or what an expression makes of it.
macro_rules! made {
    ($field:expr) => {
        $field
    };
    ($field:expr, $convert:expr) => {
        $convert($field)
    };
}
use made;

/// Each of a list as the result of its kind.
fn each<C, R: From<C>>(list: Vec<C>) -> Vec<R> {
    list.into_iter().map(Into::into).collect()
}

/// The same for what may be absent.
fn one<C, R: From<C>>(value: Option<C>) -> Option<R> {
    value.map(Into::into)
}

/// The decimal that the core means, not its neighbour in the wider type.
fn decimal(value: f32) -> f64 {
    let few_digits = value.abs() < 10_000.0 && (value * 4.0).fract() == 0.0;
    if few_digits { f64::from(value) } else { value.to_string().parse().unwrap_or(f64::from(value)) }
}
