//! Reads the issue files of the beads tracker, `issues.jsonl`: one issue a line with its dependencies.
//!
//! | beads | here |
//! | --- | --- |
//! | id | alias; `beads/<id>` where it has the form of an id of a record |
//! | description, design, notes, comments, close_reason | body |
//! | acceptance_criteria | success criteria |
//! | issue_type epic, milestone, objective | that container; every other type is a task, tagged with the type unless it is `task` |
//! | status closed | completed; every other status is open, tagged with the status unless it is `open`; tombstones are passed over |
//! | blocks, conditional-blocks, waits-for | the issue depended on `blocks` the issue |
//! | parent-child | the child `blocks` a parent that is a container, so that it counts for its progress, and `fulfills` any other; also where `blocks` would close a cycle |
//! | discovered-from, caused-by | the issue is `caused-by` the other |
//! | every other type | `relates-to`, with the type as its reason |
//!
//! A dependency on an issue that is in neither file nor record is passed over and counted.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::append::{Import, LINES_A_LOOK};
use super::item::{EdgeItem, Given, Item, NodeItem, Strictness};
use super::lines::Lines;
use super::report::{ImportOptions, ImportPhase, ImportReport, Place};
use crate::base::config::BODY_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::text::cut;
use crate::base::time::Timestamp;
use crate::record::database::io;
use crate::record::draft::Draft;
use crate::record::edge::Relation;
use crate::record::node::{Known, Source, TaskStatus, TaskType};
use crate::record::recorder::Writing;

#[derive(Deserialize)]
struct Issue {
    id: String,
    title: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance_criteria: Option<String>,
    notes: Option<String>,
    status: Option<String>,
    priority: Option<i64>,
    issue_type: Option<String>,
    created_at: Option<String>,
    close_reason: Option<String>,
    external_ref: Option<String>,
    labels: Option<Vec<String>>,
    dependencies: Option<Vec<Dependency>>,
    comments: Option<Vec<Comment>>,
}

#[derive(Deserialize)]
struct Dependency {
    issue_id: Option<String>,
    depends_on_id: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Comment {
    author: Option<String>,
    text: Option<String>,
}

/// Imports an issue file.
///
/// # Errors
/// `no_such_path`, `storage` and its like; `busy`, `read_only`. Faults of lines stand in the report.
pub(crate) fn import_beads(writing: &Arc<Writing>, path: &Path, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
    let file = File::open(path).map_err(|cause| io(path, "read", cause))?;
    let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
    let origin = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let allow_secrets = options.allow_secrets;
    let mut import = Import::begin(writing, actor, options)?;
    import.expect_bytes(total);
    import.tell(ImportPhase::Reading, 0);
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file));
    loop {
        let read = lines.bytes();
        let Some((number, text)) = lines.next().map_err(|cause| io(path, "read", cause))? else { break };
        import.report.lines = number;
        if import.stops_after_each(LINES_A_LOOK, read) {
            break;
        }
        let place = Place::line(number);
        let done = text.and_then(|text| issue(&mut import, &place, text, &origin, allow_secrets));
        if let Err(error) = done {
            if matches!(error.code(), Code::Storage | Code::DiskFull) {
                return Err(error);
            }
            import.report.fault(&place, &error);
        }
    }
    let read = lines.bytes();
    import.tell(ImportPhase::Reading, read);
    import.finish(read)
}

/// The alias under which an issue is kept.
fn alias_of(id: &str) -> String {
    let id = id.trim();
    if NodeId::parse(id).is_some() { format!("beads/{id}") } else { id.to_owned() }
}

/// Stages an issue and its dependencies.
fn issue(import: &mut Import<'_>, place: &Place, text: &str, origin: &str, allow_secrets: bool) -> Result<()> {
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    let mut issue: Issue =
        serde_json::from_str(text).map_err(|cause| Error::new(Code::BadLine, format!("read line {}: {}", place.line, cut(&cause.to_string(), 300))))?;
    let status = issue.status.as_deref().unwrap_or("open").to_owned();
    if status == "tombstone" {
        import.report.skip(issue.id, "it was deleted");
        return Ok(());
    }
    import.announce(&alias_of(&issue.id));
    let dependencies = issue.dependencies.take().unwrap_or_default();
    let id = issue.id.clone();
    let mut draft = draft_of(issue, &status, origin)?;
    draft.allow_secrets = allow_secrets;
    let given = Given::NONE
        .and(Given::BODY, true)
        .and(Given::TAGS, true)
        .and(Given::SOURCE, true)
        .and(Given::TASK_TYPE, true)
        .and(Given::PRIORITY, true)
        .and(Given::CRITERIA, true)
        .and(Given::STATUS, true);
    import.stage(Item::Node(Box::new(NodeItem::of(place.clone(), draft, given)?)))?;
    for dependency in dependencies {
        let edge = edge_of(place, &id, &dependency).checked(allow_secrets)?;
        import.stage(Item::Edge(Box::new(edge)))?;
    }
    Ok(())
}

fn draft_of(issue: Issue, status: &str, origin: &str) -> Result<Draft> {
    let word = issue.issue_type.as_deref().unwrap_or("task");
    let task_type = TaskType::parse(word).unwrap_or(TaskType::Task);
    let mut tags = issue.labels.unwrap_or_default();
    tags.retain(|tag| !tag.trim().is_empty());
    tags.extend((TaskType::parse(word).is_err()).then(|| word.to_owned()));
    let done = status == "closed";
    tags.extend((!done && status != "open").then(|| status.to_owned()));
    let external = issue.external_ref.filter(|reference| !reference.trim().is_empty());
    let mut body = issue.description.unwrap_or_default();
    for (heading, text) in [("Design", issue.design), ("Notes", issue.notes), ("Closed", issue.close_reason)] {
        add_section(&mut body, heading, text.as_deref().unwrap_or(""));
    }
    add_comments(&mut body, &issue.comments.unwrap_or_default());
    let mut draft = Draft::task(issue.title.unwrap_or_default())
        .alias(alias_of(&issue.id))
        .body(body)
        .tags(tags)
        .task_type(task_type)
        // What does not fit is refused with all other numbers that are out of range.
        .priority(issue.priority.map_or(crate::record::draft::DEFAULT_PRIORITY, |priority| u8::try_from(priority).unwrap_or(u8::MAX)))
        .success_criteria(issue.acceptance_criteria.unwrap_or_default())
        .status(if done { TaskStatus::Completed } else { TaskStatus::Open })
        .source(Source { uri: external.unwrap_or_else(|| origin.to_owned()), known: Some(Known::Imported), ..Source::default() });
    draft.created_at = issue.created_at.as_deref().map(Timestamp::parse).transpose()?;
    Ok(draft)
}

fn add_section(body: &mut String, heading: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    if !body.is_empty() {
        body.push_str("\n\n");
    }
    body.push_str("## ");
    body.push_str(heading);
    body.push_str("\n\n");
    body.push_str(text);
}

/// Adds the comments that a body still has room for, and says how many it has not.
fn add_comments(body: &mut String, comments: &[Comment]) {
    let mut text = String::new();
    let room = BODY_BYTES.saturating_sub(body.len() + 100);
    let mut left = 0usize;
    for comment in comments {
        let said = comment.text.as_deref().unwrap_or("").trim();
        let author = comment.author.as_deref().unwrap_or("").trim();
        let line = if author.is_empty() { format!("{said}\n\n") } else { format!("{author}: {said}\n\n") };
        if left > 0 || text.len() + line.len() > room {
            left += 1;
        } else if !said.is_empty() {
            text.push_str(&line);
        }
    }
    if left > 0 {
        text.push_str(&format!("({left} more comments)"));
    }
    add_section(body, "Comments", text.trim_end());
}

fn edge_of(place: &Place, issue: &str, dependency: &Dependency) -> EdgeItem {
    let issue = alias_of(dependency.issue_id.as_deref().unwrap_or(issue));
    let other = alias_of(&dependency.depends_on_id);
    let word = dependency.kind.as_deref().unwrap_or("blocks");
    let (from, relation, to, strictness) = match word {
        "blocks" | "conditional-blocks" | "waits-for" => (other, Relation::Blocks, issue, Strictness::Loose),
        "parent-child" => (issue, Relation::Blocks, other, Strictness::Child),
        "discovered-from" | "caused-by" => (issue, Relation::CausedBy, other, Strictness::Loose),
        _ => (issue, Relation::RelatesTo, other, Strictness::Loose),
    };
    let reason = match word {
        "blocks" | "parent-child" => String::new(),
        "discovered-from" => "discovered while working on it".to_owned(),
        other => cut(other, 200).to_owned(),
    };
    EdgeItem { place: place.clone(), from, relation, to, reason, evidence: String::new(), source_text: None, strictness }
}
