//! The forms of events and answers of each agent that is known, after its public documentation. One file an agent says
//! how it differs from the form that most share.

mod claude_code;
mod codex;
mod common;
mod gemini_cli;

use serde_json::Value;

use crate::event::Event;

/// A coding agent whose events are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
}

/// How an agent is told to call a hook.
pub(crate) struct Wiring {
    /// The settings of a project that are one person's own, that it commits, and those of a user below their folder.
    pub(crate) own: &'static str,
    pub(crate) shared: &'static str,
    pub(crate) user: &'static str,
    /// Each event with the tools that it is wanted for.
    pub(crate) events: &'static [(&'static str, Option<&'static str>)],
    /// The bound that the agent keeps, in its own unit.
    pub(crate) timeout: u64,
}

impl Agent {
    /// Reads an agent's name.
    ///
    /// # Errors
    /// A line that lists the names there are.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "claude-code" => Ok(Self::ClaudeCode),
            "codex" => Ok(Self::Codex),
            "gemini-cli" => Ok(Self::GeminiCli),
            _ => Err(format!("no agent has the name {name:?}: use claude-code, codex or gemini-cli")),
        }
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
        }
    }

    /// Whose form an event has. Codex has the form of Claude Code but counts turns by name.
    pub(crate) fn of(event: &Value) -> Self {
        if gemini_cli::sends(event) {
            Self::GeminiCli
        } else if event.get("turn_id").is_some() {
            Self::Codex
        } else {
            Self::ClaudeCode
        }
    }

    pub(crate) fn read(self, event: &Value) -> Result<Event, String> {
        match self {
            Self::ClaudeCode => claude_code::read(event),
            Self::Codex => codex::read(event),
            Self::GeminiCli => gemini_cli::read(event),
        }
    }

    /// The answer that puts a text before the model; a stop is held up by it, which is how it is read.
    pub(crate) fn answer(self, event: &Event, text: &str) -> Value {
        match self {
            Self::GeminiCli => gemini_cli::answer(event, text),
            Self::ClaudeCode | Self::Codex => common::answer(event, text, "block"),
        }
    }

    /// The longest text that the agent puts before the model as it is, in characters.
    pub(crate) fn limit(self) -> usize {
        match self {
            // Longer texts go to a file and the model sees their beginning.
            Self::ClaudeCode | Self::Codex => 10_000,
            Self::GeminiCli => 40_000,
        }
    }

    pub(crate) fn wiring(self) -> &'static Wiring {
        match self {
            Self::ClaudeCode => &claude_code::WIRING,
            Self::Codex => &codex::WIRING,
            Self::GeminiCli => &gemini_cli::WIRING,
        }
    }
}
