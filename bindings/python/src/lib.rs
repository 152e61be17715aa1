//! The Python door: one native module, private behind the package `stele`. It translates and decides nothing; every rule
//! is the core's.
//!
//! Every call that touches the record goes through `doorway`. It is written to need no interpreter's lock (free threading):
//! whatever threads share is frozen or behind a lock of its own. No test has run without one.

mod arguments;
mod assemble;
mod doorway;
mod errors;
mod handle;
mod hook;
mod host;
mod import;
mod json;
mod provider;
mod ranking;
mod record;
mod recorder;
mod results;
mod retriever;
mod session;
mod time;
mod tools;
mod transaction;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::assemble::Plan;
    #[pymodule_export]
    use crate::hook::hook;
    #[pymodule_export]
    use crate::provider::{Provider, ProviderEntry, Request, provider};
    #[pymodule_export]
    use crate::ranking::RankingTable;
    #[pymodule_export]
    use crate::record::{Record, open};
    #[pymodule_export]
    use crate::recorder::Recorder;
    #[pymodule_export]
    use crate::results::nodes::{Anchor, Conflict, HistoryItem, Neighbour, Node, Origin, Source, Why};
    #[pymodule_export]
    use crate::results::reports::{Advice, ExportReport, Finding, Health, ImportFault, ImportReport, Progress, Recorded, Skipped};
    #[pymodule_export]
    use crate::results::retrieval::{CalloutLine, Corrected, Entry, Gap, Hit, Pointer, Replacement, Retrieval, Score, Stats};
    #[pymodule_export]
    use crate::results::rules::{Methodology, Obligations, Proposal, Refusal, RuleEntry, RuleFeedback};
    #[pymodule_export]
    use crate::results::session::{Context, Happened, Moment, Outcome, Resumed, Section, Stopped};
    #[pymodule_export]
    use crate::results::sweeps::{Judged, Judgement, Purged, Retirement, Sweep};
    #[pymodule_export]
    use crate::results::tasks::{Claim, ClaimNote, ContainerProgress, Task, TaskChange};
    #[pymodule_export]
    use crate::retriever::{Retriever, tokens};
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::tools::Tool;
    #[pymodule_export]
    use crate::transaction::Transaction;

    use pyo3::prelude::*;
    use stele_core::{Code, ErrorKind};

    /// Adds the version, and the table of errors that the exception classes are compared with.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let kinds: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let codes: Vec<(&str, &str)> = Code::ALL.iter().map(|code| (code.as_str(), code.kind().as_str())).collect();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("ERROR_KINDS", kinds)?;
        module.add("ERROR_CODES", codes)
    }
}
