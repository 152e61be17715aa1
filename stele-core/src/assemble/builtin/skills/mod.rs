//! The skills of a project: which there are, how they are told, which one a prompt wants. Reads files below the
//! project's root and nothing else; changes none.
//!
//! A skill is a `SKILL.md` below one of the folders. Its name is that of its front matter, or else that of its folder.
//! Two names are the same if they differ only in case, or in hyphen, underscore and space; the first in the order of
//! folders, then of paths, has the name, the other is warned of. A file that two folders lead to is one skill. Whatever
//! keeps a file from being a whole skill is a warning, one line a kind.

mod discovery;
mod faults;
mod front_matter;
mod index;
mod kept;
mod selection;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use self::discovery::Catalogue;
use self::index::SkillIndex;
pub(crate) use self::kept::KeptSkills;
use self::kept::Place;
use self::selection::{SelectedSkills, may_mention};
use super::{Ground, called};
use crate::assemble::driver::Fetch;
use crate::assemble::options::AssembleOptions;
use crate::assemble::provider::{Declaration, Provider, ProviderFault, ProviderRequest, Supply};

/// The name of the provider of one line for each skill.
pub(super) const INDEX: &str = "skills";
/// The name of the provider of the text of the skills that are selected.
pub(super) const SELECTION: &str = "selected-skills";

/// Where skills lie unless the host says otherwise.
const HABITUAL_FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

/// Both providers; none without a project's folder, unless the host selects skills and has to be told that there are none.
pub(super) fn providers(ground: &Ground<'_>) -> Vec<(Declaration, Fetch)> {
    let AssembleOptions { root, skill_folders, select_skills, .. } = ground.options;
    if root.is_none() && select_skills.is_empty() {
        return Vec::new();
    }
    let skills = Skills::new(root.as_deref(), skill_folders, select_skills, ground.host.kept_skills());
    let selects_nothing = select_skills.is_empty() && !may_mention(ground.prompt);
    let (index, selection) = (Arc::new(SkillIndex(Arc::clone(&skills))), Arc::new(SelectedSkills(skills)));
    let (told, selected) = (index.declaration(), selection.declaration());
    let text = if selects_nothing { Fetch::Known(Supply::default().into()) } else { called(selection) };
    vec![(told, called(index)), (selected, text)]
}

/// The skills of one assembly: looked for once, by whichever of its two providers asks first.
#[derive(Debug)]
struct Skills {
    place: Option<Place>,
    selected: Vec<String>,
    kept: Arc<KeptSkills>,
    catalogue: OnceLock<Result<Arc<Catalogue>, ProviderFault>>,
}

impl Skills {
    /// The skills below a project's root, in the folders given; in `.agents/skills` and `.claude/skills` if none is. A
    /// folder that is named must be there, those two need not. The skills that the host selects come by name.
    fn new(root: Option<&Path>, folders: &[String], selected: &[String], kept: Arc<KeptSkills>) -> Arc<Self> {
        let required = !folders.is_empty();
        let folders = if required { folders.to_vec() } else { HABITUAL_FOLDERS.map(str::to_owned).to_vec() };
        let place = root.map(|root| Place { root: root.to_owned(), folders, required });
        Arc::new(Self { place, selected: selected.to_vec(), kept, catalogue: OnceLock::new() })
    }

    fn catalogue(&self, request: &ProviderRequest) -> Result<&Catalogue, ProviderFault> {
        let found = self.catalogue.get_or_init(|| match &self.place {
            Some(place) => self.kept.catalogue(place, &|| request.cancelled()),
            None => Ok(Arc::default()),
        });
        found.as_deref().map_err(Clone::clone)
    }
}

/// What two names have in common if they are the same.
fn name_key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for part in name.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')).filter(|part| !part.is_empty()) {
        if !key.is_empty() {
            key.push('-');
        }
        key.extend(part.chars().flat_map(char::to_lowercase));
    }
    key
}
