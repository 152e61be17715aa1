//! Writes a record as JSON Lines: what import reads, or the operations themselves.
//!
//! Nodes come in the order of their numbers, then the edges from each of them, so that an import into an empty record
//! gives every node the number that it had. A node without alias carries its id, by which the file's own edges name it.
//! Not written, because import makes it anew: mentions drawn from texts, and whether evidence was found. Not written,
//! because it belongs to this record's past: who wrote, when, earlier revisions, claims.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::fields::{AnchorField, Excerpt, Fields, SourceField};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::fold_alias;
use crate::base::time::{Deadline, Timestamp};
use crate::record::database::{Database, io};
use crate::record::edge::{Edge, Found};
use crate::record::leftovers::{make_export, sweep_exports};
use crate::record::node::{Content, Detail, Node, State, TaskStatus};
use crate::record::reader::Snapshot;
use crate::record::transfer::StoredOperation;

/// The version of the exported log's form.
pub(crate) const LOG_VERSION: u32 = 1;

/// What an export has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// Nodes.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
    /// Operations, where the log was asked for.
    pub operations: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// What an export writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportForm {
    /// Nodes and edges as they stand: the form that import reads.
    #[default]
    Interchange,
    /// The operations of the log with their hashes.
    Log,
}

/// Writes a record to a file, which appears whole or not at all.
///
/// # Errors
/// `bad_path` for a path inside the record's folder; `no_such_path`, `storage`, `disk_full`; those of reading.
pub(crate) fn export_jsonl(database: &Arc<Database>, path: &Path, form: ExportForm, now: Timestamp) -> Result<ExportReport> {
    let mut target = Target::create(database.dir(), path)?;
    let views = Snapshot::open(database, None, now, Deadline::NEVER)?;
    let mut report = ExportReport::default();
    match form {
        ExportForm::Interchange => write_record(&views, &mut target, &mut report)?,
        ExportForm::Log => write_log(&views, database.record(), &mut target, &mut report)?,
    }
    report.bytes = target.finish()?;
    Ok(report)
}

fn write_record(views: &Snapshot, target: &mut Target, report: &mut ExportReport) -> Result<()> {
    let numbers = views.all_numbers()?;
    let mut archived: Option<BTreeMap<u64, String>> = None;
    for number in &numbers {
        let Some((content, node)) = views.content(*number)? else { continue };
        let mut fields = node_fields(views, content, &node)?;
        if node.state == State::Archived {
            if archived.is_none() {
                archived = Some(views.archive_reasons()?);
            }
            let why = archived.as_ref().and_then(|reasons| reasons.get(number)).cloned();
            fields.archived = Some(why.unwrap_or_else(|| "the reason was purged".to_owned()));
        }
        target.line(&fields)?;
        report.nodes += 1;
    }
    for number in &numbers {
        let mut steps = views.steps(*number, usize::MAX >> 1)?;
        steps.retain(|step| step.outgoing);
        steps.sort_by_key(|step| (step.relation, step.neighbour));
        for step in steps {
            let edge = views.edge(step.edge)?;
            if !edge.automatic {
                target.line(&edge_fields(views, edge)?)?;
                report.edges += 1;
            }
        }
    }
    Ok(())
}

/// A node's aliases in an order that does not depend on when they were given.
fn aliases(views: &Snapshot, number: u64) -> Result<Vec<String>> {
    let mut aliases = views.aliases(number)?;
    aliases.sort_by_cached_key(|alias| fold_alias(alias));
    Ok(aliases)
}

/// The name by which other lines speak of a node: its first alias, else its id.
fn name(views: &Snapshot, number: u64) -> Result<String> {
    if let Some(alias) = aliases(views, number)?.into_iter().next() {
        return Ok(alias);
    }
    let brief = views.brief(number)?.ok_or_else(|| Error::new(Code::Damaged, format!("export: node {number} is named and not there")))?;
    Ok(brief.id().to_string())
}

fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn several<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn node_fields(views: &Snapshot, content: Content, node: &Node) -> Result<Fields> {
    let aliases = aliases(views, node.id.number)?;
    let named = |number: Option<u64>| number.map(|number| name(views, number)).transpose();
    let mut fields = Fields {
        line_type: Some("node".to_owned()),
        kind: Some(content.detail.kind().as_str().to_owned()),
        title: Some(content.title),
        body: filled(content.body),
        created_at: Some(node.created_at.to_string()),
        tags: several(content.tags),
        component: named(content.component)?,
        anchors: several(content.anchors.into_iter().map(AnchorField).collect()),
        source: content.source.map(SourceField),
        expires_at: content.lifecycle.expires_at.map(|at| at.to_string()),
        resolves_with: named(content.lifecycle.resolves_with)?,
        review_at: content.lifecycle.review_at.map(|at| at.to_string()),
        ..Fields::default()
    };
    match aliases.len() {
        0 => fields.id = Some(node.id.to_string()),
        1 => fields.alias = aliases.into_iter().next(),
        _ => fields.aliases = Some(aliases),
    }
    match content.detail {
        Detail::Knowledge { category } => fields.category = Some(category.as_str().to_owned()),
        Detail::Task(task) => {
            fields.task_type = Some(task.task_type.as_str().to_owned());
            fields.priority = Some(i64::from(task.priority));
            let status = match node.status {
                // A claim belongs to a living holder and stays behind.
                None | Some(TaskStatus::Claimed) => TaskStatus::Open,
                Some(status) => status,
            };
            fields.status = Some(status.as_str().to_owned());
            fields.success_criteria = filled(task.success_criteria);
        }
        Detail::Rule(rule) => {
            fields.statement = Some(rule.statement);
            fields.trigger = filled(rule.trigger);
            fields.mandatory = rule.mandatory.then_some(true);
            fields.always_on = rule.always_on.then_some(true);
            fields.forbidden = several(rule.forbidden);
            fields.instead = filled(rule.instead);
            fields.domain = rule.domain;
            fields.severity = Some(rule.severity.as_str().to_owned());
            fields.points = several(rule.points);
            fields.keywords = several(rule.keywords);
            fields.floor_modes = several(rule.floor_modes);
            fields.action_triggers = several(rule.action_triggers);
            fields.methodology = rule.methodology;
            fields.provisional = rule.provisional.then_some(true);
        }
        Detail::Document | Detail::Diagram | Detail::Component => {}
    }
    Ok(fields)
}

fn edge_fields(views: &Snapshot, edge: Edge) -> Result<Fields> {
    let mut fields = Fields {
        line_type: Some("edge".to_owned()),
        from: Some(name(views, edge.from.number)?),
        relation: Some(edge.relation.as_str().to_owned()),
        to: Some(name(views, edge.to.number)?),
        reason: filled(edge.reason),
        ..Fields::default()
    };
    if let Some(evidence) = edge.evidence {
        fields.evidence = filled(evidence.quote);
        if let Found::Text { sha256, excerpt, uri, revision } = evidence.found {
            fields.source_text = Some(Excerpt { text: excerpt, uri, revision, sha256: Some(sha256) });
        }
    }
    Ok(fields)
}

/// The first line of an exported log.
#[derive(Serialize)]
struct LogHead<'a> {
    #[serde(rename = "type")]
    line_type: &'static str,
    version: u32,
    record: &'a str,
    head: u64,
}

/// A further line: an operation, its payload as a string so that its bytes, and with them its hash, survive.
#[derive(Serialize)]
struct LogLine<'a> {
    #[serde(rename = "type")]
    line_type: &'static str,
    #[serde(flatten)]
    operation: &'a StoredOperation,
}

fn write_log(views: &Snapshot, record: &str, target: &mut Target, report: &mut ExportReport) -> Result<()> {
    target.line(&LogHead { line_type: "log", version: LOG_VERSION, record, head: views.at() })?;
    views.stored_operations(&mut |operation| {
        report.operations += 1;
        target.line(&LogLine { line_type: "operation", operation })
    })
}

/// A file that is written under another name and put in place at the end.
struct Target {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    line: Vec<u8>,
    placed: bool,
}

impl Target {
    fn create(record: &Path, path: &Path) -> Result<Self> {
        let bad = |why: &str| Error::new(Code::BadPath, format!("export to {}: {why}", path.display())).with("path", path.display());
        let name = path.file_name().ok_or_else(|| bad("it names no file"))?;
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let real = |path: &Path| fs::canonicalize(path).map_err(|cause| io(path, "look for", cause));
        if real(folder)?.starts_with(real(record)?) {
            return Err(bad("it lies in the record's own folder"));
        }
        if path.is_dir() {
            return Err(bad("it is a folder"));
        }
        // A device, pipe or socket would be replaced by a file, for all that use it.
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(bad("it is no ordinary file"));
        }
        sweep_exports(folder, name);
        let (temporary, file) = make_export(folder, name)?;
        Ok(Self { path: path.to_owned(), temporary, file: BufWriter::with_capacity(1 << 16, file), bytes: 0, line: Vec::new(), placed: false })
    }

    fn line(&mut self, line: &impl Serialize) -> Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line).map_err(|cause| Error::new(Code::Internal, format!("write a line of an export: {cause}")))?;
        self.line.push(b'\n');
        self.bytes += self.line.len() as u64;
        self.file.write_all(&self.line).map_err(|cause| io(&self.temporary, "write", cause))
    }

    fn finish(mut self) -> Result<u64> {
        self.file.flush().and_then(|()| self.file.get_ref().sync_all()).map_err(|cause| io(&self.temporary, "write", cause))?;
        fail_point!(ExportWritten);
        fs::rename(&self.temporary, &self.path).map_err(|cause| io(&self.path, "put in place", cause))?;
        fail_point!(ExportPlaced);
        self.placed = true;
        Ok(self.bytes)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
