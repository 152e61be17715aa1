//! The provider that tells which skills there are, one line each.

use std::fmt::Write as _;
use std::sync::Arc;

use super::discovery::Skill;
use super::{INDEX, Skills};
use crate::assemble::provider::{Declaration, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest, Supply};
use crate::base::text::cut;

/// How many characters of a description a line may hold: the first of these with which every line fits. The steps keep
/// lines as they are when a skill is added, unless they must shrink.
const STEPS: [usize; 10] = [400, 280, 200, 140, 100, 80, 60, 45, 30, 0];

/// Tells name, description and location of each skill, in the order of their names.
#[derive(Debug)]
pub(super) struct SkillIndex(pub(super) Arc<Skills>);

impl Provider for SkillIndex {
    fn declaration(&self) -> Declaration {
        Declaration::new(INDEX).category(ProviderCategory::Skills)
    }

    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        let catalogue = self.0.catalogue(request)?;
        let mut warnings = catalogue.faults.warnings();
        let lines = |chars: usize| catalogue.skills.iter().map(move |skill| line(skill, chars));
        let fits = |chars: usize| lines(chars).map(|line| request.tokens(&line)).sum::<usize>() <= request.token_budget;
        // Nearly always the first does.
        let cut = if fits(STEPS[0]) { 0 } else { 1 + STEPS[1..].partition_point(|&chars| !fits(chars)) };
        let chars = STEPS.get(cut).copied().unwrap_or(0);
        let longer = catalogue.skills.iter().filter(|skill| skill.description.chars().nth(chars).is_some()).count();
        match (longer, chars) {
            (0, _) => {}
            (_, 0) => warnings.push(format!("{longer} descriptions are left out, they stand in the files")),
            _ => warnings.push(format!("{longer} descriptions are cut at {chars} characters, the whole stands in the file")),
        }
        Ok(Supply { entries: lines(chars).map(ProviderEntry::new).collect(), warnings })
    }
}

fn line(skill: &Skill, chars: usize) -> String {
    let mut line = skill.name.clone();
    let shown = cut(&skill.description, chars);
    if !shown.is_empty() {
        let whole = shown.len() == skill.description.len();
        let shown = if whole { shown } else { shown.rfind(' ').map_or(shown, |end| &shown[..end]) };
        let _ = write!(line, ": {shown}{}", if whole { "" } else { "…" });
    }
    let _ = write!(line, " ({})", skill.location);
    line
}
