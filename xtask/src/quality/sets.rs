//! A record built from one development set or from several, in a folder that goes when it is dropped.

use std::io::Write as _;
use std::time::Instant;

use stele_core::{ImportOptions, Record};

use crate::convert;
use crate::dev_sets::DevSet;

/// Who writes.
const ACTOR: &str = "quality";

/// A record and what building it took.
pub(crate) struct Built {
    pub(crate) record: Record,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    /// Edges that would have closed a cycle and became a weaker relation.
    pub(crate) weakened: u64,
    /// Retirements that rest on nothing that could be found.
    pub(crate) unverified: u64,
    /// Lines that were not taken.
    pub(crate) faults: Vec<String>,
    pub(crate) import_ms: f64,
    _folder: tempfile::TempDir,
}

/// Whether retirements are told to the record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retirements {
    /// As the set tells them.
    Told,
    /// Left out, so that the record knows nothing of supersession.
    Untold,
}

impl Built {
    /// Builds a record of one or more sets and brings its indexes up to date.
    pub(crate) fn of<'s>(sets: impl IntoIterator<Item = &'s DevSet>, retirements: Retirements) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|cause| format!("make a folder: {cause}"))?;
        let lines = folder.path().join("lines.jsonl");
        write_lines(&lines, sets, retirements).map_err(|cause| format!("write {}: {cause}", lines.display()))?;
        let record = Record::open(folder.path().join("record")).map_err(|error| error.to_string())?;
        let began = now();
        let report = record.import_jsonl(&lines, ACTOR, ImportOptions::new().partial().allow_secrets()).map_err(|error| error.to_string())?;
        let import_ms = began.elapsed().as_secs_f64() * 1e3;
        record.catch_up().map_err(|error| error.to_string())?;
        let faults = report.errors.iter().map(|fault| format!("line {}: {}: {}", fault.line, fault.code.as_str(), fault.message)).collect();
        Ok(Self {
            record,
            nodes: report.nodes,
            edges: report.edges,
            weakened: report.weakened,
            unverified: report.unverified,
            faults,
            import_ms,
            _folder: folder,
        })
    }
}

fn write_lines<'s>(path: &std::path::Path, sets: impl IntoIterator<Item = &'s DevSet>, retirements: Retirements) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for set in sets {
        match retirements {
            Retirements::Told => convert::write(set, &mut out)?,
            Retirements::Untold => convert::write(&without_retirements(set), &mut out)?,
        };
    }
    out.flush()
}

fn without_retirements(set: &DevSet) -> DevSet {
    DevSet {
        name: set.name.clone(),
        records: set.records.clone(),
        edges: set.edges.iter().filter(|edge| edge.relation != "supersedes").cloned().collect(),
        queries: Vec::new(),
    }
}

/// The monotonic present.
#[expect(clippy::disallowed_methods, reason = "a command line program may look at the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
