//! The form that hook events have in common: one object with the event's name, the session, the folder, and what belongs
//! to the event.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::event::{Event, What};

pub(super) fn text<'v>(event: &'v Value, field: &str) -> Option<&'v str> {
    event.get(field).and_then(Value::as_str)
}

pub(super) fn flag(event: &Value, field: &str) -> bool {
    event.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// An event with what all have; `of` says what it is by its name.
pub(super) fn event(event: &Value, of: impl FnOnce(&str) -> What) -> Result<Event, String> {
    let name = text(event, "hook_event_name").ok_or("the event does not say its hook_event_name")?;
    let session = text(event, "session_id").filter(|id| !id.trim().is_empty()).ok_or("the event does not say its session_id")?;
    // What a sub-agent was told, the agent that called it does not know, nor the other way round.
    let session = match text(event, "agent_id") {
        Some(agent) => format!("{session}/{agent}"),
        None => session.to_owned(),
    };
    let mode = match text(event, "permission_mode") {
        Some("plan") => Some("plan"),
        Some(_) => Some("work"),
        None => None,
    };
    Ok(Event { name: name.to_owned(), session, folder: text(event, "cwd").map(PathBuf::from), mode, what: of(name) })
}

/// What a file tool is to change.
pub(super) fn edited(event: &Value) -> Vec<String> {
    let input = event.get("tool_input");
    let field = |name: &str| input.and_then(|input| text(input, name)).map(str::to_owned);
    ["file_path", "notebook_path", "path", "absolute_path"].iter().find_map(|name| field(name)).into_iter().collect()
}

/// All that a tool printed: every text in its response, in order, whatever its form.
pub(super) fn printed(response: &Value) -> String {
    let mut out = String::new();
    collect(response, &mut out);
    out
}

fn collect(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(members) => members.iter().for_each(|member| collect(member, out)),
        Value::Object(fields) => fields.values().for_each(|member| collect(member, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The answer that most events share; a stop has another, whose word for *not yet* differs.
pub(super) fn answer(event: &Event, text: &str, not_yet: &str) -> Value {
    match event.what {
        What::Stop { .. } => json!({ "decision": not_yet, "reason": text }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": text } }),
    }
}
