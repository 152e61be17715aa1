//! What a host passes to an import and what it gets back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::base::error::{Code, Error};
use crate::base::names::named_enum;
use crate::base::text::cut;

/// Most faults, skipped sources and ignored field names that a report lists; the rest is counted.
pub(crate) const LISTED_FAULTS: usize = 1_000;

named_enum! {
    /// How far an import has come.
    ImportPhase, UnknownValue, "import phase" {
        /// Lines are parsed, checked and staged.
        Reading = 0 "reading",
        /// What they name is looked up.
        Checking = 1 "checking",
        /// The write lock is about to be taken; nothing is told again before it is given back.
        Appending = 2 "appending",
        /// It is over, applied or not.
        Done = 3 "done",
    }
}

/// A step of an import, told while it runs and never under the write lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub phase: ImportPhase,
    /// Lines or files read so far.
    pub lines: u64,
    /// Bytes read so far.
    pub bytes: u64,
    /// Bytes that there are, where that is known.
    pub total_bytes: Option<u64>,
    /// Faults found so far.
    pub faults: u64,
}

/// How an import is run.
#[derive(Default)]
pub struct ImportOptions<'p> {
    pub(crate) partial: bool,
    pub(crate) allow_secrets: bool,
    pub(crate) session: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) progress: Option<&'p mut dyn FnMut(Progress)>,
    pub(crate) stop: Option<&'p AtomicBool>,
}

impl<'p> ImportOptions<'p> {
    /// All or nothing, without credentials, in no session, told to nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the lines that have a fault instead of writing nothing.
    #[must_use]
    pub fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    /// Accepts text that looks like a credential.
    #[must_use]
    pub fn allow_secrets(mut self) -> Self {
        self.allow_secrets = true;
        self
    }

    /// Sets the session that the operations stand under.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Sets what stands before the number in the alias of a decision record, `ADR` by default.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets whom progress is told to: on the calling thread, about every 1,000 lines or 100 files, never under the write
    /// lock.
    #[must_use]
    pub fn progress(mut self, told: &'p mut dyn FnMut(Progress)) -> Self {
        self.progress = Some(told);
        self
    }

    /// Ends the import soon after this becomes true, with nothing written; the report says so. It is looked at about
    /// every 1,000 lines or 100 files.
    #[must_use]
    pub fn stop(mut self, stop: &'p AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }
}

impl fmt::Debug for ImportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions")
            .field("partial", &self.partial)
            .field("allow_secrets", &self.allow_secrets)
            .field("session", &self.session)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// One line that could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportFault {
    /// The file in an imported folder, relative to it; nothing where one file is imported.
    pub path: Option<String>,
    /// The line, from 1; 0 if the fault is the file's as a whole.
    pub line: u64,
    /// The stable code.
    pub code: Code,
    /// What is wrong and what to do.
    pub message: String,
}

/// Something in the imported source that was passed over on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// A file or issue.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// True if it was written: without faults, or with `partial`.
    pub applied: bool,
    /// True if the host stopped it; then nothing was written.
    pub stopped: bool,
    /// Lines or files that were read, blank ones too.
    pub lines: u64,
    /// Nodes that are new.
    pub nodes: u64,
    /// Nodes that were there and say something else now.
    pub revised: u64,
    /// Edges that are new.
    pub edges: u64,
    /// Nodes and edges that were there and are the same.
    pub unchanged: u64,
    /// New retirements whose reason or evidence is missing or stands in no text; the health check lists them.
    pub unverified: u64,
    /// Edges that would have closed a cycle and were kept as a weaker relation.
    pub weakened: u64,
    /// How long the write lock was held; zero if nothing was written.
    pub locked_for: Duration,
    /// Fields that no release up to this one knows, by name, with how often they occurred.
    pub ignored_fields: BTreeMap<String, u64>,
    /// The first 1,000 things that were passed over on purpose.
    pub skipped: Vec<Skipped>,
    /// How many things were passed over on purpose.
    pub skipped_count: u64,
    /// The first 1,000 faults, in the order of their lines within each step.
    pub errors: Vec<ImportFault>,
    /// How many faults there are.
    pub error_count: u64,
}

impl ImportReport {
    pub(crate) fn fault(&mut self, place: &Place, error: &Error) {
        self.error_count += 1;
        if self.errors.len() < LISTED_FAULTS {
            self.errors.push(ImportFault { path: place.path.clone(), line: place.line, code: error.code(), message: error.to_string() });
        }
    }

    pub(crate) fn skip(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.skipped_count += 1;
        if self.skipped.len() < LISTED_FAULTS {
            self.skipped.push(Skipped { what: what.into(), why: why.into() });
        }
    }

    pub(crate) fn ignore(&mut self, field: &str) {
        let field = cut(field, 60);
        if let Some(count) = self.ignored_fields.get_mut(field) {
            *count += 1;
        } else if self.ignored_fields.len() < LISTED_FAULTS {
            self.ignored_fields.insert(field.to_owned(), 1);
        }
    }

    /// Takes back what was counted of a transaction that is not written.
    pub(crate) fn nothing_written(&mut self) {
        (self.nodes, self.revised, self.edges, self.unchanged, self.unverified, self.weakened) = (0, 0, 0, 0, 0, 0);
        self.applied = false;
    }
}

/// Where in the imported source something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    pub(crate) line: u64,
}

impl Place {
    pub(crate) fn line(line: u64) -> Self {
        Self { path: None, line }
    }
}
