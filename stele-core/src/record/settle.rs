//! Checks what a host gives and settles it into what an operation holds. Nothing here looks at the views.

use std::collections::BTreeSet;

use super::draft::{Draft, DraftKind};
use super::node::{Content, Detail, RuleDetail, Source, TaskDetail};
use crate::base::config::{BODY_BYTES, DOCUMENT_BYTES, FIELD_BYTES, LIST_ITEMS, TITLE_CHARS};
use crate::base::error::{Code, Error, Result};
use crate::base::id::check_alias;
use crate::base::path::project_path;
use crate::base::secrets::find_secret;
use crate::base::text::{check_filled, check_text, fold_space};
use crate::base::unseen::shows;

/// Checks a title: 1 to 500 characters, on one line.
pub(crate) fn check_title(title: &str) -> Result<()> {
    if !shows(title) {
        return Err(Error::new(Code::EmptyTitle, "check title: it is blank").with("field", "title"));
    }
    check_text("title", title, 4 * TITLE_CHARS)?;
    let chars = title.chars().count();
    if chars > TITLE_CHARS {
        return Err(Error::new(Code::TooLarge, format!("check title: {chars} characters, the limit is {TITLE_CHARS}"))
            .with("field", "title")
            .with("limit", TITLE_CHARS));
    }
    Ok(())
}

/// Refuses a text that holds a credential, naming its kind and offset and never its value.
pub(crate) fn check_secret(field: &'static str, text: &str) -> Result<()> {
    match find_secret(text) {
        None => Ok(()),
        Some(secret) => Err(Error::new(Code::Secret, format!("check {field}: it holds {} at byte {}", secret.kind, secret.offset))
            .with("field", field)
            .with("secret", secret.kind)
            .with("offset", secret.offset)),
    }
}

/// Checks the names under which operations are written: text of each of them, where no credential may stand.
pub(crate) fn check_hand(actor: &str, session: Option<&str>, allow_secrets: bool) -> Result<()> {
    for (field, name) in std::iter::once(("actor", actor)).chain(session.map(|session| ("session", session))) {
        check_name(field, name)?;
        if !allow_secrets {
            check_secret(field, name)?;
        }
    }
    Ok(())
}

/// Checks an actor's or a session's name.
pub(crate) fn check_name(field: &'static str, name: &str) -> Result<()> {
    check_filled(field, name, 200)
}

fn check_list(field: &'static str, items: usize) -> Result<()> {
    if items > LIST_ITEMS {
        return Err(Error::new(Code::TooLarge, format!("check {field}: {items} items, the limit is {LIST_ITEMS}"))
            .with("field", field)
            .with("limit", LIST_ITEMS));
    }
    Ok(())
}

/// The content of a draft, checked, with its component and task still to be found.
pub(crate) fn content_of(draft: &Draft) -> Result<Content> {
    let detail = detail_of(&draft.kind)?;
    let mut content = Content {
        title: fold_space(&draft.title),
        body: draft.body.clone(),
        tags: draft.tags.clone(),
        component: None,
        source: draft.source.clone(),
        anchors: draft.anchors.clone(),
        lifecycle: super::node::Lifecycle { expires_at: draft.expires_at, resolves_with: None, review_at: draft.review_at },
        detail,
    };
    check_list("alias", draft.aliases.len())?;
    draft.aliases.iter().try_for_each(|alias| check_alias(alias))?;
    settle_content(&mut content)?;
    if !draft.allow_secrets {
        each_text(&content, &mut check_secret)?;
        draft.aliases.iter().try_for_each(|alias| check_secret("alias", alias))?;
    }
    Ok(content)
}

/// Checks a content and brings tags and anchors into their one form, each of which stands once.
pub(crate) fn settle_content(content: &mut Content) -> Result<()> {
    check_title(&content.title)?;
    let limit = if matches!(content.detail, Detail::Document) { DOCUMENT_BYTES } else { BODY_BYTES };
    check_text("body", &content.body, limit)?;
    for tag in &mut content.tags {
        check_filled("tags", tag, 100)?;
        *tag = fold_space(tag);
    }
    content.tags.sort_unstable();
    content.tags.dedup();
    check_list("tags", content.tags.len())?;
    for anchor in &mut content.anchors {
        check_filled("anchors", &anchor.path, 1_000)?;
        anchor.path = project_path("anchors", &anchor.path)?;
        if let Some(symbol) = &anchor.symbol {
            check_filled("anchors", symbol, 500)?;
        }
    }
    let mut seen = BTreeSet::new();
    content.anchors.retain(|anchor| seen.insert((anchor.path.clone(), anchor.symbol.clone())));
    check_list("anchors", content.anchors.len())?;
    if let Some(source) = &content.source {
        check_source(source)?;
    }
    Ok(())
}

/// Refuses a credential in a text field of a content that did not stand in the old one.
pub(crate) fn check_new_secrets(old: &Content, new: &Content) -> Result<()> {
    let mut known = BTreeSet::new();
    each_text(old, &mut |field, text| {
        known.insert((field, text.to_owned()));
        Ok(())
    })?;
    each_text(new, &mut |field, text| if known.contains(&(field, text.to_owned())) { Ok(()) } else { check_secret(field, text) })
}

fn check_source(source: &Source) -> Result<()> {
    check_text("source.uri", &source.uri, 2_000)?;
    check_text("source.revision", source.revision.as_deref().unwrap_or(""), 200)?;
    check_text("source.quote", source.quote.as_deref().unwrap_or(""), FIELD_BYTES)?;
    check_text("source.applies_to", source.applies_to.as_deref().unwrap_or(""), 200)
}

/// Calls `each` with every text field of a content.
fn each_text(content: &Content, each: &mut dyn FnMut(&'static str, &str) -> Result<()>) -> Result<()> {
    each("title", &content.title)?;
    each("body", &content.body)?;
    content.tags.iter().try_for_each(|tag| each("tags", tag))?;
    for anchor in &content.anchors {
        each("anchors", &anchor.path)?;
        each("anchors", anchor.symbol.as_deref().unwrap_or(""))?;
    }
    if let Some(source) = &content.source {
        each("source.uri", &source.uri)?;
        each("source.revision", source.revision.as_deref().unwrap_or(""))?;
        each("source.quote", source.quote.as_deref().unwrap_or(""))?;
        each("source.applies_to", source.applies_to.as_deref().unwrap_or(""))?;
    }
    match &content.detail {
        Detail::Task(task) => each("success_criteria", &task.success_criteria),
        Detail::Rule(rule) => {
            each("statement", &rule.statement)?;
            each("trigger", &rule.trigger)?;
            each("instead", &rule.instead)?;
            each("domain", rule.domain.as_deref().unwrap_or(""))?;
            each("methodology", rule.methodology.as_deref().unwrap_or(""))?;
            for (field, list) in rule_lists(rule) {
                list.iter().try_for_each(|item| each(field, item))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn rule_lists(rule: &RuleDetail) -> [(&'static str, &Vec<String>); 5] {
    [
        ("forbidden", &rule.forbidden),
        ("points", &rule.points),
        ("keywords", &rule.keywords),
        ("floor_modes", &rule.floor_modes),
        ("action_triggers", &rule.action_triggers),
    ]
}

/// The kind-dependent part of a draft, checked.
pub(crate) fn detail_of(kind: &DraftKind) -> Result<Detail> {
    Ok(match kind {
        DraftKind::Knowledge(category) => Detail::Knowledge { category: *category },
        DraftKind::Task { task_type, priority, success_criteria, status } => {
            if *priority > 4 {
                return Err(Error::new(Code::OutOfRange, format!("check priority: {priority} is not between 0 and 4"))
                    .with("field", "priority")
                    .with("limit", 4));
            }
            check_text("success_criteria", success_criteria, FIELD_BYTES)?;
            Detail::Task(TaskDetail { task_type: *task_type, priority: *priority, success_criteria: success_criteria.clone(), status: *status })
        }
        DraftKind::Rule(rule) => {
            check_filled("statement", &rule.statement, FIELD_BYTES)?;
            check_text("trigger", &rule.trigger, FIELD_BYTES)?;
            check_text("instead", &rule.instead, FIELD_BYTES)?;
            check_text("domain", rule.domain.as_deref().unwrap_or(""), 200)?;
            check_text("methodology", rule.methodology.as_deref().unwrap_or(""), 200)?;
            for (field, list) in rule_lists(rule) {
                check_list(field, list.len())?;
                list.iter().try_for_each(|item| check_filled(field, item, 500))?;
            }
            Detail::Rule(rule.clone())
        }
        DraftKind::Document => Detail::Document,
        DraftKind::Diagram => Detail::Diagram,
        DraftKind::Component => Detail::Component,
    })
}
