//! What a record says of its own condition. Findings are data, never an error.
//!
//! `table` names every check; `storage` looks at log, indexes and sessions, `facts` at what the record says, `work` at
//! circles and claims, `rules` at how rules arrive, `likeness` at facts that mean the same. `survey` is what they share.

mod facts;
mod judge;
mod likeness;
mod rules;
mod shape;
mod storage;
mod survey;
pub(crate) mod sweep;
mod table;
mod work;

pub use judge::{Judged, Retirement, Verdict, built_in_judge};
pub use shape::{Shape, shape};
pub use sweep::{Judgement, Sweep};
pub use table::{HEALTH_CHECKS, HealthCheck};

use crate::assemble::channels::Write;
use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::base::names::named_enum;
use crate::index::indexes::Indexes;
use crate::record::reader::Snapshot;
use survey::Survey;

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
    /// The name of the check, one of [`HEALTH_CHECKS`].
    pub check: &'static str,
    /// How much it matters.
    pub severity: Weight,
    /// The nodes that it is about, in the order in which the message names them, else of their numbers.
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
    /// What was found, errors first, then by the name of the check, then by ids.
    pub findings: Vec<Finding>,
}

impl Health {
    /// True if nothing is worse than good to know.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Weight::Info)
    }
}

/// How far a look at the record's condition goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthOptions {
    full: bool,
    files: Option<Vec<String>>,
}

impl HealthOptions {
    /// The defaults: nothing is read whole, and no list of files is given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether every byte of the log and of the indexes is read, and facts are compared by meaning.
    #[must_use]
    pub fn full(mut self, full: bool) -> Self {
        self.full = full;
        self
    }

    /// Gives the files of the project, relative to it, so that anchors that lead nowhere are found.
    #[must_use]
    pub fn files<T: Into<String>>(mut self, files: impl IntoIterator<Item = T>) -> Self {
        self.files = Some(files.into_iter().map(Into::into).collect());
        self
    }
}

/// Looks at a snapshot and at what is known of the indexes and sessions.
pub(crate) fn check(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>, write: Write<'_>, options: &HealthOptions) -> Result<Health> {
    let survey = Survey::of(snapshot)?;
    let mut findings = storage::check(snapshot, indexes, sessions_warning)?;
    findings.extend(facts::check(snapshot, &survey)?);
    findings.extend(work::check(snapshot, &survey)?);
    findings.extend(rules::check(snapshot, write)?);
    if let Some(files) = &options.files {
        findings.extend(facts::dangling_anchors(snapshot, &survey, files)?);
    }
    if options.full {
        findings.extend(storage::check_fully(snapshot, indexes)?);
        findings.extend(likeness::check(snapshot, indexes, &survey)?);
    }
    findings.sort_by(|a, b| (a.severity, a.check, &a.ids).cmp(&(b.severity, b.check, &b.ids)));
    Ok(Health { findings })
}
