//! The providers that come with stele. Each is an ordinary provider of the plan; the obligations are none, they are read
//! before it begins.

mod methodology;
mod record;
mod repository_rules;
mod skills;
mod system;

use std::sync::{Arc, OnceLock};

pub(crate) use self::skills::KeptSkills;
use super::driver::Fetch;
use super::finish::{OBLIGATIONS, RECORD};
use super::options::AssembleOptions;
use super::provider::{Declaration, Provider};
use super::session::Host;
use crate::base::error::{Code, Error, Result};
use crate::base::time::Deadline;
use crate::record::session::{Loaded, Pinned};

/// The names of all built-in providers, in the order in which they stand in a context.
pub(crate) const NAMES: [&str; 7] = [OBLIGATIONS, repository_rules::NAME, skills::INDEX, methodology::NAME, skills::SELECTION, RECORD, system::NAME];

/// Which of them are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    All,
    /// Those named, or all but those named with a `-`; none and the obligations for an empty list.
    Named(Vec<String>),
}

impl Choice {
    /// True if a built-in provider is on.
    pub(crate) fn has(&self, name: &str) -> bool {
        let Self::Named(words) = self else { return true };
        let off = words.iter().any(|word| word.strip_prefix('-').is_some_and(|word| is(word, name)));
        let all_but = !words.is_empty() && words.iter().all(|word| word.starts_with('-'));
        !off && (name == OBLIGATIONS || all_but || words.iter().any(|word| is(word, name)))
    }

    /// # Errors
    /// `unknown_value` for a name that no built-in provider has.
    pub(crate) fn check(&self) -> Result<()> {
        let Self::Named(words) = self else { return Ok(()) };
        let known = |word: &str| NAMES.iter().any(|name| is(word.strip_prefix('-').unwrap_or(word), name));
        match words.iter().find(|word| !known(word)) {
            Some(word) => {
                let word: String = word.chars().take(40).collect();
                Err(Error::new(Code::UnknownValue, format!("choose built-in providers: {word:?} is none of {}", NAMES.join(", "))).with("field", "builtin"))
            }
            None => Ok(()),
        }
    }
}

/// True if a word is that name; underscore, stroke and space are one.
fn is(word: &str, name: &str) -> bool {
    let plain = |word: &str| word.trim().replace(['_', ' '], "-");
    plain(word) == plain(name)
}

/// What the built-in providers work with.
pub(crate) struct Ground<'a> {
    pub(crate) host: &'a Arc<dyn Host>,
    pub(crate) prompt: &'a str,
    pub(crate) options: &'a AssembleOptions,
    pub(crate) loaded: Option<&'a Loaded>,
    pub(crate) mode: &'a str,
    pub(crate) deadline: Deadline,
    /// Where the commit is left whose rules were read.
    pub(crate) pinned: &'a Arc<OnceLock<Pinned>>,
}

/// The built-in providers that are on, each with what answers for it.
pub(crate) fn providers(ground: &Ground<'_>) -> Vec<(Declaration, Fetch)> {
    let mut all = vec![record::provider(ground), methodology::provider(ground)];
    all.extend(repository_rules::provider(ground));
    if !ground.options.system.is_empty() {
        all.push(system::provider(ground));
    }
    all.extend(skills::providers(ground));
    all.retain(|(declaration, _)| ground.options.builtin.has(&declaration.name));
    all
}

/// What answers for a provider that is called as any other.
pub(crate) fn called(provider: Arc<dyn Provider>) -> Fetch {
    Fetch::call(move |request| provider.fetch(request).map(Into::into))
}
