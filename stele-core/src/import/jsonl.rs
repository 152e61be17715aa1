//! Reads the interchange form: one JSON object a line, a node or an edge.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::append::{Import, LINES_A_LOOK};
use super::fields::Fields;
use super::item::{EdgeItem, Given, Item, NodeItem, Strictness, id_number};
use super::lines::Lines;
use super::report::{ImportOptions, ImportPhase, ImportReport, Place};
use crate::base::error::{Code, Error, Result};
use crate::base::id::Kind;
use crate::base::time::Timestamp;
use crate::record::database::io;
use crate::record::draft::{DEFAULT_PRIORITY, Draft, DraftKind};
use crate::record::edge::Relation;
use crate::record::node::{Category, Severity, Source, TaskStatus, TaskType};
use crate::record::recorder::Writing;

/// Imports a file of JSON Lines.
///
/// # Errors
/// `no_such_path`, `storage` and its like; `busy`, `read_only`. Faults of lines stand in the report.
pub(crate) fn import_jsonl(writing: &Arc<Writing>, path: &Path, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
    let file = File::open(path).map_err(|cause| io(path, "read", cause))?;
    let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
    import_lines(writing, &mut BufReader::with_capacity(1 << 16, file), total, actor, options)
}

/// Imports JSON Lines from any source.
///
/// # Errors
/// `storage` if the source cannot be read; `busy`, `read_only`. Faults of lines stand in the report.
pub(crate) fn import_lines(
    writing: &Arc<Writing>,
    source: &mut dyn BufRead,
    total_bytes: Option<u64>,
    actor: &str,
    options: ImportOptions<'_>,
) -> Result<ImportReport> {
    let allow_secrets = options.allow_secrets;
    let mut import = Import::begin(writing, actor, options)?;
    import.expect_bytes(total_bytes);
    let mut lines = Lines::new(source);
    import.tell(ImportPhase::Reading, 0);
    loop {
        let read = lines.bytes();
        let Some((number, text)) = lines.next().map_err(|cause| Error::new(Code::Storage, format!("read what is to be imported: {cause}")).because(cause))?
        else {
            break;
        };
        import.report.lines = number;
        if import.stops_after_each(LINES_A_LOOK, read) {
            break;
        }
        let place = Place::line(number);
        match text.and_then(|text| parse(&mut import, place.clone(), text, allow_secrets)) {
            Ok(Some(item)) => import.stage(item)?,
            Ok(None) => {}
            Err(error) => import.report.fault(&place, &error),
        }
    }
    let read = lines.bytes();
    import.tell(ImportPhase::Reading, read);
    import.finish(read)
}

/// Reads one line; a blank one is nothing.
fn parse(import: &mut Import<'_>, place: Place, text: &str, allow_secrets: bool) -> Result<Option<Item>> {
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    let mut fields: Fields = serde_json::from_str(text)
        .map_err(|cause| Error::new(Code::BadLine, format!("read line {}: {}", place.line, crate::base::text::cut(&cause.to_string(), 300))))?;
    fields.ignored.iter().for_each(|field| import.report.ignore(field));
    // Even where the node has a fault, what names it has none of its own.
    fields.id.iter().chain(&fields.alias).chain(fields.aliases.iter().flatten()).for_each(|name| import.announce(name));
    let is_edge = match fields.line_type.as_deref() {
        Some("node") => false,
        Some("edge") => true,
        None => fields.from.is_some(),
        Some(other) => {
            let shown = crate::base::text::cut(other, 40);
            return Err(Error::new(Code::UnknownValue, format!("read a line's type: {shown:?} is none of node, edge")).with("field", "type"));
        }
    };
    if is_edge {
        let edge = EdgeItem {
            place,
            from: required("from", fields.from)?,
            relation: Relation::parse(&required("relation", fields.relation)?)?,
            to: required("to", fields.to)?,
            reason: fields.reason.unwrap_or_default().trim().to_owned(),
            evidence: fields.evidence.unwrap_or_default().trim().to_owned(),
            source_text: fields.source_text,
            strictness: Strictness::Exact,
        };
        return edge.checked(allow_secrets).map(|edge| Some(Item::Edge(Box::new(edge))));
    }
    let archived = fields.archived.take();
    let number = fields.id.as_deref().and_then(id_number);
    let (mut draft, given) = draft_of(fields)?;
    draft.allow_secrets = allow_secrets;
    let mut node = NodeItem::of(place, draft, given)?;
    node.number = number;
    if let Some(why) = archived {
        node.put_away(why, allow_secrets)?;
    }
    Ok(Some(Item::Node(Box::new(node))))
}

fn required(field: &'static str, value: Option<String>) -> Result<String> {
    value.ok_or_else(|| Error::new(Code::EmptyField, format!("read a line: it has no {field}")).with("field", field))
}

/// What a node is, by the words of `kind`: a kind, or for short a category or the type of a container.
enum Named {
    Kind(Kind),
    Category(Category),
    Container(TaskType),
}

fn kind_of(fields: &Fields) -> Result<Named> {
    let Some(word) = &fields.kind else {
        return match &fields.category {
            Some(_) => Ok(Named::Kind(Kind::Knowledge)),
            None => required("kind", None).map(|_| Named::Kind(Kind::Knowledge)),
        };
    };
    if let Ok(category) = Category::parse(word) {
        return Ok(Named::Category(category));
    }
    if let Ok(container) = TaskType::parse(word)
        && container != TaskType::Task
    {
        return Ok(Named::Container(container));
    }
    Kind::parse(word).map(Named::Kind)
}

/// True for a text that empties what it is given for.
fn is_empty(text: &str) -> bool {
    text.trim().is_empty()
}

/// What a line speaks of.
fn given_by(fields: &Fields, named: &Named) -> Given {
    let no_component = fields.component.as_deref().or(fields.parent.as_deref()).is_some_and(is_empty);
    Given::NONE
        .and(Given::BODY, fields.body.is_some())
        .and(Given::TAGS, fields.tags.is_some())
        .and(Given::SOURCE, fields.source.is_some())
        .and(Given::ANCHORS, fields.anchors.is_some())
        .and(Given::EXPIRES_AT, fields.expires_at.is_some())
        .and(Given::REVIEW_AT, fields.review_at.is_some())
        .and(Given::NO_COMPONENT, no_component)
        .and(Given::NO_TASK, fields.resolves_with.as_deref().is_some_and(is_empty))
        .and(Given::TASK_TYPE, fields.task_type.is_some() || matches!(named, Named::Container(_)))
        .and(Given::PRIORITY, fields.priority.is_some())
        .and(Given::CRITERIA, fields.success_criteria.is_some())
        .and(Given::STATUS, fields.status.is_some())
        .and(Given::TRIGGER, fields.trigger.is_some())
        .and(Given::MANDATORY, fields.mandatory.is_some())
        .and(Given::ALWAYS_ON, fields.always_on.is_some())
        .and(Given::FORBIDDEN, fields.forbidden.is_some())
        .and(Given::INSTEAD, fields.instead.is_some())
        .and(Given::DOMAIN, fields.domain.is_some())
        .and(Given::SEVERITY, fields.severity.is_some())
        .and(Given::POINTS, fields.points.is_some())
        .and(Given::KEYWORDS, fields.keywords.is_some())
        .and(Given::FLOOR_MODES, fields.floor_modes.is_some())
        .and(Given::ACTION_TRIGGERS, fields.action_triggers.is_some())
        .and(Given::METHODOLOGY, fields.methodology.is_some())
}

/// The draft that a line stands for and what it speaks of.
fn draft_of(mut fields: Fields) -> Result<(Draft, Given)> {
    let named = kind_of(&fields)?;
    let given = given_by(&fields, &named);
    for emptied in [
        &mut fields.component,
        &mut fields.parent,
        &mut fields.resolves_with,
        &mut fields.expires_at,
        &mut fields.review_at,
        &mut fields.domain,
        &mut fields.methodology,
    ] {
        emptied.take_if(|text| is_empty(text));
    }
    fields.source.take_if(|source| source.0 == Source::default());
    let time = |text: &Option<String>| text.as_deref().map(Timestamp::parse).transpose();
    let (created_at, expires_at, review_at) = (time(&fields.created_at)?, time(&fields.expires_at)?, time(&fields.review_at)?);
    let title = fields.title.unwrap_or_default();
    let mut draft = match named {
        Named::Category(category) => Draft::fact(category, title),
        Named::Kind(Kind::Knowledge) => Draft::fact(Category::parse(&required("category", fields.category)?)?, title),
        Named::Kind(Kind::Task) | Named::Container(_) => {
            let task_type = match (named, fields.task_type) {
                (_, Some(word)) => TaskType::parse(&word)?,
                (Named::Container(container), None) => container,
                _ => TaskType::Task,
            };
            let priority = fields.priority.unwrap_or_else(|| i64::from(DEFAULT_PRIORITY));
            // A number that does not fit is refused with all others that are out of range.
            let priority = u8::try_from(priority).unwrap_or(u8::MAX);
            let status = match fields.status.as_deref().map(TaskStatus::parse).transpose()? {
                // A claim belongs to a living holder, whom a file cannot bring along.
                None | Some(TaskStatus::Claimed) => TaskStatus::Open,
                Some(status) => status,
            };
            Draft::task(title).task_type(task_type).priority(priority).status(status).success_criteria(fields.success_criteria.unwrap_or_default())
        }
        Named::Kind(Kind::Rule) => {
            let severity = fields.severity.as_deref().map(Severity::parse).transpose()?;
            Draft::rule(title, required("statement", fields.statement)?).routing(|rule| {
                rule.trigger = fields.trigger.unwrap_or_default();
                rule.mandatory = fields.mandatory.unwrap_or_default();
                rule.always_on = fields.always_on.unwrap_or_default();
                rule.forbidden = fields.forbidden.unwrap_or_default();
                rule.instead = fields.instead.unwrap_or_default();
                rule.domain = fields.domain;
                rule.severity = severity.unwrap_or(rule.severity);
                rule.points = fields.points.unwrap_or_default();
                rule.keywords = fields.keywords.unwrap_or_default();
                rule.floor_modes = fields.floor_modes.unwrap_or_default();
                rule.action_triggers = fields.action_triggers.unwrap_or_default();
                rule.methodology = fields.methodology;
                rule.provisional = fields.provisional.unwrap_or_default();
            })
        }
        Named::Kind(Kind::Document) => Draft::document(title, ""),
        Named::Kind(Kind::Diagram) => Draft::diagram(title, ""),
        Named::Kind(Kind::Component) => Draft::component(title),
    };
    let component_parent = if matches!(draft.kind, DraftKind::Component) { fields.parent } else { None };
    draft.body = fields.body.unwrap_or_default();
    draft.aliases = fields.alias.into_iter().chain(fields.aliases.unwrap_or_default()).collect();
    // An id that is none of ours is a name from elsewhere.
    draft.aliases.extend(fields.id.filter(|id| id_number(id).is_none() && !draft.aliases.contains(id)));
    draft.tags = fields.tags.unwrap_or_default();
    draft.component = fields.component.or(component_parent);
    draft.source = fields.source.map(|source| source.0);
    draft.anchors = fields.anchors.unwrap_or_default().into_iter().map(|anchor| anchor.0).collect();
    draft.resolves_with = fields.resolves_with;
    (draft.created_at, draft.expires_at, draft.review_at) = (created_at, expires_at, review_at);
    Ok((draft, given))
}
