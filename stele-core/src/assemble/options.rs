//! How an assembly is done, for a session's prompt and for a call of its own alike.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::builtin::Choice;
use super::channels::Point;
use super::provider::{Declaration, Provider, ProviderEntry};
use crate::base::config::{ASSEMBLY_TOKENS, FIELD_BYTES};
use crate::base::error::Result;
use crate::base::text::check_text;
use crate::base::time::Timestamp;
use crate::record::session::check_name;
use crate::retrieve::RetrieveOptions;

/// A provider that a host brings.
#[derive(Clone)]
pub(crate) enum HostProvider {
    /// It is called.
    Called(Arc<dyn Provider>),
    /// The host asks it itself, through a plan.
    Declared(Declaration),
}

/// How context is assembled.
#[derive(Clone)]
pub struct AssembleOptions {
    pub(crate) retrieve: RetrieveOptions,
    pub(crate) session: Option<String>,
    pub(crate) turn: Option<u64>,
    pub(crate) mode: Option<String>,
    pub(crate) action: Option<String>,
    pub(crate) point: Point,
    pub(crate) capabilities: Vec<String>,
    pub(crate) providers: Vec<HostProvider>,
    pub(crate) builtin: Choice,
    pub(crate) root: Option<PathBuf>,
    pub(crate) skill_folders: Vec<String>,
    pub(crate) select_skills: Vec<String>,
    pub(crate) base_revision: Option<String>,
    pub(crate) rule_files: Vec<String>,
    pub(crate) system: Vec<ProviderEntry>,
    pub(crate) about: Vec<String>,
    pub(crate) token_budget: usize,
    pub(crate) strict: bool,
    pub(crate) deliver: Option<bool>,
}

impl Default for AssembleOptions {
    fn default() -> Self {
        Self {
            retrieve: RetrieveOptions::new(),
            session: None,
            turn: None,
            mode: None,
            action: None,
            point: Point::Prompt,
            capabilities: Vec::new(),
            providers: Vec::new(),
            builtin: Choice::All,
            root: None,
            skill_folders: Vec::new(),
            select_skills: Vec::new(),
            base_revision: None,
            rule_files: Vec::new(),
            system: Vec::new(),
            about: Vec::new(),
            token_budget: ASSEMBLY_TOKENS,
            strict: false,
            deliver: None,
        }
    }
}

impl AssembleOptions {
    /// The defaults: every built-in provider, point prompt, 8,000 tokens, 8 seconds, not strict, the defaults of
    /// [`RetrieveOptions`] for the window. The turn is 0, or the next one of a session that is prompted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Assembles for a session: what it was served is left out. Not for [`Session::on_prompt`](crate::Session::on_prompt),
    /// which is of a session already.
    #[must_use]
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.session = Some(name.into());
        self
    }

    /// Takes the turn from the host, from 0; a session that is prompted goes on with the turn after it.
    #[must_use]
    pub fn turn(mut self, turn: u64) -> Self {
        self.turn = Some(turn);
        self
    }

    /// Sets the mode of this call, in the host's own word; the session's otherwise, which is `work` for a new one.
    #[must_use]
    pub fn mode(mut self, mode: impl Into<String>) -> Self {
        self.mode = Some(mode.into());
        self
    }

    /// Names what is about to be done, for the methodology.
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// Sets where the rules are injected.
    #[must_use]
    pub fn point(mut self, point: Point) -> Self {
        self.point = point;
        self
    }

    /// Adds a capability that the request has; providers that require one it has not are not asked.
    #[must_use]
    pub fn capability(mut self, word: impl Into<String>) -> Self {
        self.capabilities.push(word.into());
        self
    }

    /// Adds a provider.
    #[must_use]
    pub fn provider(mut self, provider: Arc<dyn Provider>) -> Self {
        self.providers.push(HostProvider::Called(provider));
        self
    }

    /// Declares a provider that the host asks itself: [`Record::plan`](crate::Record::plan) gives out its request.
    #[must_use]
    pub fn declare(mut self, declaration: Declaration) -> Self {
        self.providers.push(HostProvider::Declared(declaration));
        self
    }

    /// Turns the built-in providers on or off; off leaves the obligations on.
    #[must_use]
    pub fn builtin(mut self, on: bool) -> Self {
        self.builtin = if on { Choice::All } else { Choice::Named(Vec::new()) };
        self
    }

    /// Turns on the built-in providers of these names and no others; with a `-` before every name, all but those. The
    /// obligations are off only if `-obligations` is among them.
    #[must_use]
    pub fn builtin_named<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.builtin = Choice::Named(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the project's folder, where skills and the rules of the repository are looked for; without one they are not.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Sets the folders in which skills are looked for, relative to the root; `.agents/skills` and `.claude/skills` by habit.
    #[must_use]
    pub fn skill_folders<F: Into<String>>(mut self, folders: impl IntoIterator<Item = F>) -> Self {
        self.skill_folders = folders.into_iter().map(Into::into).collect();
        self
    }

    /// Selects a skill, as `$name` in the prompt does.
    #[must_use]
    pub fn select_skill(mut self, name: impl Into<String>) -> Self {
        self.select_skills.push(name.into());
        self
    }

    /// Reads the rules of the repository from this branch, remote branch, tag or commit instead of its HEAD.
    #[must_use]
    pub fn base_revision(mut self, revision: impl Into<String>) -> Self {
        self.base_revision = Some(revision.into());
        self
    }

    /// Names files of the repository, by their paths from the project's folder, that hold rules beside its `AGENTS.md` and
    /// `CLAUDE.md`.
    #[must_use]
    pub fn rule_files<F: Into<String>>(mut self, files: impl IntoIterator<Item = F>) -> Self {
        self.rule_files = files.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a fact about the system: a version, the branch, the date.
    #[must_use]
    pub fn system(mut self, fact: ProviderEntry) -> Self {
        self.system.push(fact);
        self
    }

    /// Names what the request is about: a repository, a customer. The project's folder is among it by itself. Entries that
    /// are limited to something else are left out.
    #[must_use]
    pub fn about(mut self, word: impl Into<String>) -> Self {
        self.about.push(word.into());
        self
    }

    /// Limits the whole text, in tokens, estimated unless the host counts them. Obligations and warnings come even where it is used up.
    #[must_use]
    pub fn token_budget(mut self, tokens: usize) -> Self {
        self.token_budget = tokens;
        self
    }

    /// Sets the time for the whole call. Obligations are not bound by it.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.retrieve = self.retrieve.deadline(deadline);
        self
    }

    /// Sets the number of entries of the window, 1 to 20.
    #[must_use]
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.retrieve = self.retrieve.max_entries(entries);
        self
    }

    /// Limits the window, in tokens, estimated unless the host counts them.
    #[must_use]
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.retrieve = self.retrieve.max_tokens(tokens);
        self
    }

    /// Sets how far the walk goes, 0 to 3 hops.
    #[must_use]
    pub fn hops(mut self, hops: u32) -> Self {
        self.retrieve = self.retrieve.hops(hops);
        self
    }

    /// Sets the instant at which states and ages are told.
    #[must_use]
    pub fn now(mut self, now: Timestamp) -> Self {
        self.retrieve = self.retrieve.now(now);
        self
    }

    /// Makes a provider that fails, times out or is invalid an error of the whole call.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Says whether the context counts as delivered to its session at once. By default that of a prompt does, and that of
    /// any other call does not: tell [`Session::delivered`](crate::Session::delivered) when it was.
    #[must_use]
    pub fn deliver(mut self, deliver: bool) -> Self {
        self.deliver = Some(deliver);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.retrieve.check()?;
        for (field, value) in [("session", &self.session), ("mode", &self.mode)] {
            if let Some(value) = value {
                check_name(field, value)?;
            }
        }
        check_text("action", self.action.as_deref().unwrap_or(""), FIELD_BYTES)?;
        self.builtin.check()
    }
}
