//! What recording, importing, exporting and the health check say.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use super::{each, ids, result};

result! {
    /// One piece of advice; never a reason to stop.
    Advice {
        kind: &'static str,
        message: String,
        ids: Vec<String>,
    }
}

result! {
    /// A recorded node and what there is to say about it.
    Recorded {
        id: String,
        advice: Vec<Py<Advice>>,
    }
}

impl Recorded {
    pub(crate) fn of(py: Python<'_>, recorded: stele_core::Recorded) -> PyResult<Self> {
        let advice = each(py, recorded.advice, |_, advice| Ok(Advice { kind: advice.kind.as_str(), message: advice.message, ids: ids(&advice.ids) }))?;
        Ok(Self { id: recorded.id.to_string(), advice })
    }
}

result! {
    /// How far an import has come.
    Progress {
        phase: &'static str,
        lines: u64,
        bytes: u64,
        total_bytes: Option<u64>,
        faults: u64,
    }
}

impl Progress {
    pub(crate) fn of(progress: stele_core::Progress) -> Self {
        Self { phase: progress.phase.as_str(), lines: progress.lines, bytes: progress.bytes, total_bytes: progress.total_bytes, faults: progress.faults }
    }
}

/// One line that could not be imported; it unpacks into line, code and message.
#[pyclass(frozen, get_all, module = "stele")]
pub(crate) struct ImportFault {
    path: Option<String>,
    line: u64,
    code: &'static str,
    message: String,
}

#[pymethods]
impl ImportFault {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        super::shown(slf.as_any(), "ImportFault", &["path", "line", "code", "message"])
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let parts: Bound<'py, PyTuple> = (self.line, self.code, &self.message).into_pyobject(py)?;
        parts.try_iter()
    }
}

result! {
    /// Something in the imported source that was passed over on purpose.
    Skipped {
        what: String,
        why: String,
    }
}

result! {
    /// What an import did.
    ImportReport {
        applied: bool,
        lines: u64,
        nodes: u64,
        revised: u64,
        edges: u64,
        unchanged: u64,
        unverified: u64,
        weakened: u64,
        ignored_fields: BTreeMap<String, u64>,
        skipped: Vec<Py<Skipped>>,
        skipped_count: u64,
        errors: Vec<Py<ImportFault>>,
        error_count: u64,
    }
}

impl ImportReport {
    pub(crate) fn of(py: Python<'_>, report: stele_core::ImportReport) -> PyResult<Self> {
        let fault = |_: Python<'_>, fault: stele_core::ImportFault| {
            Ok(ImportFault { path: fault.path, line: fault.line, code: fault.code.as_str(), message: fault.message })
        };
        Ok(Self {
            applied: report.applied,
            lines: report.lines,
            nodes: report.nodes,
            revised: report.revised,
            edges: report.edges,
            unchanged: report.unchanged,
            unverified: report.unverified,
            weakened: report.weakened,
            ignored_fields: report.ignored_fields,
            skipped: each(py, report.skipped, |_, skipped| Ok(Skipped { what: skipped.what, why: skipped.why }))?,
            skipped_count: report.skipped_count,
            errors: each(py, report.errors, fault)?,
            error_count: report.error_count,
        })
    }
}

result! {
    /// What an export has written.
    ExportReport {
        nodes: u64,
        edges: u64,
        operations: u64,
        bytes: u64,
    }
}

impl ExportReport {
    pub(crate) fn of(report: stele_core::ExportReport) -> Self {
        Self { nodes: report.nodes, edges: report.edges, operations: report.operations, bytes: report.bytes }
    }
}

result! {
    /// One thing that the health check found.
    Finding {
        check: &'static str,
        severity: &'static str,
        ids: Vec<String>,
        message: String,
        remedy: &'static str,
    }
}

result! {
    /// The condition of a record.
    Health {
        ok: bool,
        findings: Vec<Py<Finding>>,
    }
}

impl Health {
    pub(crate) fn of(py: Python<'_>, health: stele_core::Health) -> PyResult<Self> {
        let ok = health.ok();
        let finding = |_: Python<'_>, finding: stele_core::Finding| {
            let (severity, ids) = (finding.severity.as_str(), ids(&finding.ids));
            Ok(Finding { check: finding.check, severity, ids, message: finding.message, remedy: finding.remedy })
        };
        Ok(Self { ok, findings: each(py, health.findings, finding)? })
    }
}
