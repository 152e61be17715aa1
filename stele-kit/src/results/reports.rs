//! What recording, importing, exporting, purging, sweeping and the health check say.

use std::collections::BTreeMap;

use serde_json::Value;
use stele_core::{AdviceKind, Code, ImportPhase, NodeId, Tier, Verdict, Weight};

use super::{each, result, shape};

result! {
    /// One piece of advice; never a reason to stop.
    Advice from Advice { kind: AdviceKind, message: String, ids: Vec<NodeId>, }
}

result! {
    /// A recorded node and what there is to say about it.
    Recorded from Recorded { id: NodeId, advice: Vec<Advice> = each, }
}

result! {
    /// How far an import has come. `total_bytes` is null where nobody knows.
    Progress from Progress { phase: ImportPhase, lines: u64, bytes: u64, total_bytes: Option<u64>, faults: u64, }
}

result! {
    /// One line that could not be imported.
    ImportFault from ImportFault { path: Option<String>, line: u64, code: &'static str = Code::as_str, message: String, }
}

result! {
    /// Something in the imported source that was passed over on purpose.
    Skipped from Skipped { what: String, why: String, }
}

result! {
    /// What an import did.
    ImportReport from ImportReport {
        applied: bool,
        lines: u64,
        nodes: u64,
        revised: u64,
        edges: u64,
        unchanged: u64,
        unverified: u64,
        weakened: u64,
        ignored_fields: BTreeMap<String, u64>,
        skipped: Vec<Skipped> = each,
        skipped_count: u64,
        errors: Vec<ImportFault> = each,
        error_count: u64,
    }
}

result! {
    /// What an export has written.
    ExportReport from ExportReport { nodes: u64, edges: u64, operations: u64, bytes: u64, }
}

result! {
    /// One thing that the health check found.
    Finding from Finding { check: &'static str, severity: Weight, ids: Vec<NodeId>, message: String, remedy: &'static str, }
}

shape! {
    /// The condition of a record.
    Health {
        ok: bool,
        findings: Vec<Finding>,
    }
}

impl From<stele_core::Health> for Health {
    fn from(health: stele_core::Health) -> Self {
        Self { ok: health.ok(), findings: each(health.findings) }
    }
}

result! {
    /// A node as a judge sees it.
    Judged from Judged { id: NodeId, title: String, body: String, }
}

result! {
    /// What a judge is asked about. `verbatim` says whether the evidence still stands where it was found; null if that
    /// cannot be read again.
    Retirement from Retirement {
        newer: Judged = Judged::from,
        older: Judged = Judged::from,
        reason: String,
        evidence: Option<String>,
        verbatim: Option<bool>,
    }
}

result! {
    /// One retirement with what was said of it.
    Judgement from Judgement { newer: NodeId, older: NodeId, verdict: Verdict, why: String, demoted: bool, }
}

result! {
    /// What a sweep found.
    Sweep from Sweep { judgements: Vec<Judgement> = each, }
}

result! {
    /// What a purge did. `complete` is false while another handle keeps a file that holds the text.
    Purged from Purged { id: NodeId, operations: u64, others: Vec<NodeId>, complete: bool, }
}

result! {
    /// One tool, as a host passes it on to a model.
    Tool from Tool { name: &'static str, description: &'static str, input_schema: Value = schema, tier: Tier, }
}

fn schema(text: String) -> Value {
    serde_json::from_str(&text).expect("invariant: the core writes JSON")
}
