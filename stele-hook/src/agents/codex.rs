//! Codex: the schemas below `codex-rs/hooks/schema` of its repository. Events and answers have the form of Claude Code;
//! files are changed by `apply_patch`, whose input is a patch in Codex's own form.

use serde_json::Value;

use super::Wiring;
use super::common::{self, edited, flag, printed, text};
use crate::event::{Event, What};

pub(super) const WIRING: Wiring = Wiring {
    own: ".codex/hooks.json",
    shared: ".codex/hooks.json",
    user: ".codex/hooks.json",
    events: &[
        ("SessionStart", None),
        ("UserPromptSubmit", None),
        ("PreToolUse", Some("apply_patch|Edit|Write")),
        ("PostToolUse", Some("Bash")),
        ("PreCompact", None),
        ("Stop", None),
    ],
    timeout: 10,
};

pub(super) fn read(event: &Value) -> Result<Event, String> {
    common::event(event, |name| match (name, text(event, "tool_name")) {
        ("SessionStart", _) => What::Start { forgotten: matches!(text(event, "source"), Some("compact" | "clear")) },
        ("UserPromptSubmit", _) => What::Prompt(text(event, "prompt").unwrap_or("").to_owned()),
        ("PreToolUse", Some("apply_patch")) => What::Edit(event.get("tool_input").map(printed).as_deref().map(patched).unwrap_or_default()),
        ("PreToolUse", Some("Edit" | "Write")) => What::Edit(edited(event)),
        ("PostToolUse", Some("Bash" | "shell" | "exec_command")) => What::Output(event.get("tool_response").map(printed).unwrap_or_default()),
        ("PreCompact", _) => What::Compaction,
        ("Stop", _) => What::Stop { again: flag(event, "stop_hook_active") },
        _ => What::Nothing,
    })
}

/// The files that a patch names, each once.
fn patched(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let named = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(file) = named.map(str::trim).filter(|file| !file.is_empty() && !files.iter().any(|held| held == file)) {
            files.push(file.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::patched;

    #[test]
    fn a_patch_names_its_files_once() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-*** Add File: no\n+x\n*** Move to: src/b.rs\n*** Add File: c.md\n*** Update File: src/a.rs\n*** End Patch";
        assert_eq!(patched(patch), ["src/a.rs", "src/b.rs", "c.md"]);
    }
}
