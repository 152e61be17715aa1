//! Gemini CLI: `docs/hooks/reference.md` of its repository. It takes no word for the model before a tool runs, so what is
//! anchored to a file comes with the result of the edit.

use serde_json::Value;

use super::Wiring;
use super::common::{self, edited, flag, printed, text};
use crate::event::{Event, What};

const EDITS: [&str; 3] = ["write_file", "replace", "edit"];

pub(super) const WIRING: Wiring = Wiring {
    own: ".gemini/settings.json",
    shared: ".gemini/settings.json",
    user: ".gemini/settings.json",
    events: &[
        ("SessionStart", None),
        ("BeforeAgent", None),
        ("AfterTool", Some("write_file|replace|edit|run_shell_command")),
        ("PreCompress", None),
        ("AfterAgent", None),
    ],
    timeout: 10_000,
};

/// True if an event has a form that only Gemini CLI sends.
pub(super) fn sends(event: &Value) -> bool {
    matches!(text(event, "hook_event_name"), Some("BeforeAgent" | "AfterAgent" | "BeforeTool" | "AfterTool" | "PreCompress"))
        || (text(event, "hook_event_name") == Some("SessionStart") && event.get("timestamp").is_some())
}

pub(super) fn read(event: &Value) -> Result<Event, String> {
    let tool = text(event, "tool_name").unwrap_or("");
    common::event(event, |name| match name {
        "SessionStart" => What::Start { forgotten: text(event, "source") == Some("clear") },
        "BeforeAgent" => What::Prompt(text(event, "prompt").unwrap_or("").to_owned()),
        "AfterTool" if EDITS.contains(&tool) => What::Edit(edited(event)),
        "AfterTool" if tool == "run_shell_command" => What::Output(event.get("tool_response").map(printed).unwrap_or_default()),
        "PreCompress" => What::Compaction,
        "AfterAgent" => What::Stop { again: flag(event, "stop_hook_active") },
        _ => What::Nothing,
    })
}

pub(super) fn answer(event: &Event, text: &str) -> Value {
    common::answer(event, text, "deny")
}
