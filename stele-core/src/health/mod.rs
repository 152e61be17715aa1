//! What a record says of its own condition. Findings are data, never an error.

mod checks;
mod judge;
mod shape;
pub(crate) mod sweep;

pub(crate) use checks::{check, check_fully};
pub use judge::{Judged, Retirement, Verdict, built_in_judge};
pub use shape::{Shape, shape};
pub use sweep::{Judgement, Sweep};

use crate::base::id::NodeId;
use crate::base::names::named_enum;

named_enum! {
    /// How much a finding matters.
    Weight, UnknownValue, "severity" {
        /// Something the record says cannot be relied on.
        Error = 0 "error",
        /// Something wants a look.
        Warn = 1 "warn",
        /// Good to know; it mends itself.
        Info = 2 "info",
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// How much it matters.
    pub severity: Weight,
    /// The nodes that it is about, in the order of their numbers.
    pub ids: Vec<NodeId>,
    /// What is so.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}

/// The condition of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// What was found, errors first, then by the name of the check.
    pub findings: Vec<Finding>,
}

impl Health {
    /// True if nothing is worse than good to know.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Weight::Info)
    }
}
