//! What a judge of retirements is asked, what a sweep found, and what a purge did.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use stele_core::Verdict;

use super::{each, ids, result};
use crate::doorway::{checked, enter, wait};
use crate::handle::Handle;

result! {
    /// A node as a judge sees it.
    Judged {
        id: String,
        title: String,
        body: String,
    }
}

result! {
    /// What a judge is asked about. `verbatim` says whether the evidence still stands where it was found; None if that cannot be read again.
    Retirement {
        newer: Py<Judged>,
        older: Py<Judged>,
        reason: String,
        evidence: Option<String>,
        verbatim: Option<bool>,
    }
}

impl Retirement {
    fn of(py: Python<'_>, asked: &stele_core::Retirement) -> PyResult<Self> {
        let judged = |node: &stele_core::Judged| Py::new(py, Judged { id: node.id.to_string(), title: node.title.clone(), body: node.body.clone() });
        Ok(Self {
            newer: judged(&asked.newer)?,
            older: judged(&asked.older)?,
            reason: asked.reason.clone(),
            evidence: asked.evidence.clone(),
            verbatim: asked.verbatim,
        })
    }
}

result! {
    /// One retirement with what was said of it.
    Judgement {
        newer: String,
        older: String,
        verdict: &'static str,
        why: String,
        demoted: bool,
    }
}

result! {
    /// What a sweep found.
    Sweep {
        judgements: Vec<Py<Judgement>>,
    }
}

impl Sweep {
    /// Sweeps; `actor` undoes the retirements that failed. What a judge raises is raised, and then nothing is undone.
    pub(crate) fn run(py: Python<'_>, record: &Handle, judge: Option<Py<PyAny>>, actor: Option<&str>) -> PyResult<Self> {
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let fault = || raised.lock().unwrap_or_else(PoisonError::into_inner);
        let swept = match judge {
            None => {
                let record = record.clone();
                wait(py, move || record.sweep())
            }
            Some(judge) => enter(py, || {
                record.sweep_with(&mut |asked| {
                    if fault().is_some() {
                        return Verdict::Unsure;
                    }
                    verdict(&judge, asked).unwrap_or_else(|error| {
                        *fault() = Some(error);
                        Verdict::Unsure
                    })
                })
            }),
        };
        if let Some(error) = fault().take() {
            return Err(error);
        }
        let mut swept = swept?;
        if let Some(actor) = actor {
            swept = enter(py, move || record.apply_sweep(&mut swept, actor).map(|()| swept))?;
        }
        let judgement = |_: Python<'_>, of: stele_core::Judgement| {
            let (newer, older) = (of.newer.to_string(), of.older.to_string());
            Ok(Judgement { newer, older, verdict: of.verdict.as_str(), why: of.why, demoted: of.demoted })
        };
        Ok(Self { judgements: each(py, swept.judgements, judgement)? })
    }
}

fn verdict(judge: &Py<PyAny>, asked: &stele_core::Retirement) -> PyResult<Verdict> {
    Python::attach(|py| {
        let word: String = judge.call1(py, (Retirement::of(py, asked)?,))?.extract(py)?;
        checked(py, Verdict::parse(&word))
    })
}

result! {
    /// What a purge did. `complete` is False while another handle keeps a file that holds the text.
    Purged {
        id: String,
        operations: u64,
        others: Vec<String>,
        complete: bool,
    }
}

impl Purged {
    pub(crate) fn of(purged: &stele_core::Purged) -> Self {
        Self { id: purged.id.to_string(), operations: purged.operations, others: ids(&purged.others), complete: purged.complete }
    }
}
