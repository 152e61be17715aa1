//! Claude Code: <https://code.claude.com/docs/en/hooks>.
//!
//! A command that ends with an error comes as `PostToolUseFailure`; one that prints an error and ends well (`… | tail`, a
//! test runner) as `PostToolUse`, so both are listened to.

use serde_json::Value;

use super::Wiring;
use super::common::{self, edited, flag, printed, text};
use crate::event::{Event, What};

pub(super) const WIRING: Wiring = Wiring {
    own: ".claude/settings.local.json",
    shared: ".claude/settings.json",
    user: ".claude/settings.json",
    events: &[
        ("SessionStart", None),
        ("UserPromptSubmit", None),
        ("PreToolUse", Some("Edit|MultiEdit|Write|NotebookEdit")),
        ("PostToolUse", Some("Bash")),
        ("PostToolUseFailure", None),
        ("PreCompact", None),
        ("Stop", None),
    ],
    timeout: 10,
};

pub(super) fn read(event: &Value) -> Result<Event, String> {
    common::event(event, |name| match name {
        "SessionStart" => What::Start { forgotten: matches!(text(event, "source"), Some("compact" | "clear")) },
        "UserPromptSubmit" => What::Prompt(text(event, "prompt").unwrap_or("").to_owned()),
        "PreToolUse" if is_edit(event) => What::Edit(edited(event)),
        "PostToolUse" if text(event, "tool_name") == Some("Bash") => What::Output(event.get("tool_response").map(printed).unwrap_or_default()),
        "PostToolUseFailure" if !flag(event, "is_interrupt") => What::Output(event.get("error").map(printed).unwrap_or_default()),
        "PreCompact" => What::Compaction,
        "Stop" => What::Stop { again: flag(event, "stop_hook_active") },
        _ => What::Nothing,
    })
}

fn is_edit(event: &Value) -> bool {
    matches!(text(event, "tool_name"), Some("Edit" | "MultiEdit" | "Write" | "NotebookEdit"))
}
