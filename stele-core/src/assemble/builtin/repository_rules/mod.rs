//! The provider of repository rules: AGENTS.md, CLAUDE.md and the files that the host lists, as they stand in a commit of the
//! repository. What lies in the work tree or is staged counts for nothing, so nobody who can only edit files changes what
//! an agent is told.
//!
//! `discovery` finds the repository, `repository` reads its objects, `walk` finds the files, `reading` reads one,
//! `fitting` makes entries of them, `supplying` does all of this for a request. Nothing is run, and no configuration of the user or the machine is read.

#[cfg(feature = "git")]
mod discovery;
#[cfg(feature = "git")]
mod fitting;
#[cfg(feature = "git")]
mod reading;
#[cfg(feature = "git")]
mod repository;
#[cfg(feature = "git")]
mod supplying;
#[cfg(all(test, feature = "git"))]
mod tests;
#[cfg(feature = "git")]
mod walk;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::{Ground, called};
use crate::assemble::driver::Fetch;
use crate::assemble::provider::{Declaration, Provider, ProviderCategory, ProviderFault, ProviderRequest, Supply};
use crate::record::session::Pinned;

pub(super) const NAME: &str = "repository rules";

/// The rules of the repository that a project folder lies in: those of the folder, the folders above and below it, and the
/// listed files, as they stand at HEAD or at the named branch, tag or commit.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "git"), expect(dead_code, reason = "such a build only says that it reads nothing"))]
struct RepositoryRules {
    root: PathBuf,
    base_revision: Option<String>,
    /// By their paths from the project folder.
    files: Vec<String>,
    /// What the session was given of them before.
    pinned: Option<Pinned>,
    /// What it is given of them now.
    given: Arc<OnceLock<Pinned>>,
}

/// The provider, if the host named a project folder.
pub(super) fn provider(ground: &Ground<'_>) -> Option<(Declaration, Fetch)> {
    let options = ground.options;
    let rules = RepositoryRules {
        given: Arc::clone(ground.pinned),
        ..RepositoryRules::new(options.root.clone()?, options.base_revision.clone(), options.rule_files.clone())
            .pinned(ground.loaded.and_then(|loaded| loaded.state.pinned.clone()))
    };
    Some((rules.declaration(), called(Arc::new(rules))))
}

impl RepositoryRules {
    fn new(root: PathBuf, base_revision: Option<String>, files: Vec<String>) -> Self {
        Self { root, base_revision, files, ..Self::default() }
    }

    /// Keeps to what the session was given before, if that is what is asked for now.
    fn pinned(mut self, pinned: Option<Pinned>) -> Self {
        self.pinned = pinned.filter(|pinned| pinned.root == self.root.to_string_lossy() && pinned.base == self.base_revision);
        self
    }
}

impl Provider for RepositoryRules {
    fn declaration(&self) -> Declaration {
        let mut declaration = Declaration::new(NAME).category(ProviderCategory::Rules);
        // In later turns it only looks whether what it read still stands there, until it has said once that it does not.
        declaration.watches = self.pinned.as_ref().is_some_and(|pinned| !pinned.told);
        declaration
    }

    #[cfg(not(feature = "git"))]
    fn fetch(&self, _: &ProviderRequest) -> Result<Supply, ProviderFault> {
        Err(ProviderFault::new("this build reads no repositories: it is without the feature `git`"))
    }

    #[cfg(feature = "git")]
    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        if request.turn > 0 { Ok(self.watch()) } else { self.supply(request).map_err(ProviderFault::new) }
    }
}
