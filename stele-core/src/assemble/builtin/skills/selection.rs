//! Which skills a prompt or the host selects, and the provider of their text.
//!
//! A prompt selects a skill by `$name`, in lower case: `$HOME`, `$fooBar`, `${name}`, `$$` and what follows a letter or a
//! backslash select nothing. A `$name` that no skill has is told as missing only where it can hardly be anything else:
//! outside of code, of letters, digits and hyphens, in a project that has skills. A name that the host gives is told as
//! missing always.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::discovery::{Catalogue, NAME_CHARS, Skill, as_text, read_bytes};
use super::front_matter::{Parted, part};
use super::{SELECTION, Skills, name_key};
use crate::assemble::provider::{Declaration, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest, Supply, TurnPolicy};
use crate::base::text::cut;
use crate::record::node::Source;

/// Most different names that a prompt, and that the host, can select.
const SELECTED: usize = 32;
/// What is read of a file, in bytes.
const FILE_BYTES: u64 = 256 * 1024;

/// Gives the text of the skills that are selected, in the order of their names.
#[derive(Debug)]
pub(super) struct SelectedSkills(pub(super) Arc<Skills>);

impl Provider for SelectedSkills {
    fn declaration(&self) -> Declaration {
        Declaration::new(SELECTION).category(ProviderCategory::Skills).turns(TurnPolicy::All).position(2)
    }

    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        let mentions = mentions(&request.prompt);
        if mentions.is_empty() && self.0.selected.is_empty() {
            return Ok(Supply::default());
        }
        let catalogue = self.0.catalogue(request)?;
        let mut supply = Supply::default();
        let chosen = chosen(catalogue, &self.0.selected, &mentions, &mut supply.warnings);
        let mut room = request.token_budget;
        for (at, skill) in chosen.iter().enumerate() {
            // Each may use what the ones before it left, and leaves the ones after it their even share.
            let share = room / (chosen.len() - at);
            let entry = text(skill, share, request, &mut supply.warnings);
            room = room.saturating_sub(entry.as_ref().map_or(0, |entry| request.tokens(&entry.text)));
            supply.entries.extend(entry);
        }
        Ok(supply)
    }
}

/// The skills that are selected, in the order of the catalogue. What is not there is a warning.
fn chosen<'c>(catalogue: &'c Catalogue, selected: &[String], mentions: &[Mention<'_>], warnings: &mut Vec<String>) -> Vec<&'c Skill> {
    let mut wanted = BTreeSet::new();
    let mut missing = BTreeSet::new();
    let known = |key: &String| catalogue.skills.iter().any(|skill| skill.key == *key);
    for name in selected.iter().take(SELECTED) {
        let key = name_key(name);
        if known(&key) {
            wanted.insert(key)
        } else {
            missing.insert(cut(name.trim(), NAME_CHARS))
        };
    }
    let mut mentioned = 0;
    for mention in mentions {
        let key = name_key(mention.name);
        if known(&key) {
            if mentioned == SELECTED {
                warnings.push(format!("the prompt selects more than {SELECTED}, the rest is left out"));
                break;
            }
            mentioned += usize::from(wanted.insert(key));
        } else if mention.plain && !catalogue.skills.is_empty() && missing.len() < SELECTED {
            missing.insert(mention.name);
        }
    }
    if selected.len() > SELECTED {
        warnings.push(format!("more than {SELECTED} are selected, the rest is left out"));
    }
    if !missing.is_empty() {
        let names: Vec<_> = missing.into_iter().map(|name| format!("${name}")).collect();
        warnings.push(format!("selected and not found: {}", names.join(", ")));
    }
    catalogue.skills.iter().filter(|skill| wanted.contains(&skill.key)).collect()
}

/// The text of a skill without its front matter, as far as it fits into so many tokens.
fn text(skill: &Skill, room: usize, request: &ProviderRequest, warnings: &mut Vec<String>) -> Option<ProviderEntry> {
    let Skill { name, location, .. } = skill;
    let bytes = match read_bytes(&skill.file, FILE_BYTES) {
        Ok((bytes, _)) => bytes,
        Err(cause) => {
            warnings.push(format!("${name} cannot be read: {location}: {cause}"));
            return None;
        }
    };
    let (read, all_text) = as_text(&bytes, FILE_BYTES);
    if !all_text {
        warnings.push(format!("${name} is not UTF-8, what is no text is replaced: {location}"));
    }
    let (Parted::None { body } | Parted::Both { body, .. } | Parted::Unclosed { front: body }) = part(&read);
    let body = body.trim();
    if body.is_empty() {
        warnings.push(format!("${name} says nothing below its front matter: {location}"));
        return None;
    }
    let head = format!("skill {name}\n");
    let mut kept = request.counter.beginning(body, room.saturating_sub(request.tokens(&head)));
    if kept.len() < body.len() {
        kept = kept.rfind('\n').filter(|end| end * 2 > kept.len()).map_or(kept, |end| &kept[..end]).trim_end();
    }
    if kept.len() < body.len() || bytes.len() as u64 == FILE_BYTES {
        let share = format!("{} of {} characters", kept.chars().count(), body.chars().count());
        let more = if bytes.len() as u64 == FILE_BYTES { ", and the file goes on" } else { "" };
        warnings.push(format!("${name} is cut, {share} are shown{more}: read the rest in {location}"));
    }
    let source = Source { uri: location.clone(), ..Source::default() };
    Some(ProviderEntry { source: Some(source), ..ProviderEntry::new(head + kept) })
}

/// A `$name` in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mention<'p> {
    name: &'p str,
    /// It can hardly be anything but a skill's name.
    plain: bool,
}

/// False if a prompt mentions nothing.
pub(super) fn may_mention(prompt: &str) -> bool {
    prompt.contains('$')
}

/// What a prompt mentions, each name once, in the order of the names.
fn mentions(prompt: &str) -> Vec<Mention<'_>> {
    let mut found: BTreeMap<&str, bool> = BTreeMap::new();
    if !may_mention(prompt) {
        return Vec::new();
    }
    let mut fenced = false;
    for line in prompt.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        let mut in_code = fenced;
        for (at, mark) in line.match_indices(['$', '`']) {
            if mark == "`" {
                in_code = fenced || !in_code;
            } else if let Some(name) = mentioned(&line[..at], &line[at + 1..]) {
                *found.entry(name).or_default() |= !in_code && stands_alone(&line[..at], name, &line[at + 1 + name.len()..]);
            }
        }
    }
    found.into_iter().map(|(name, plain)| Mention { name, plain }).collect()
}

/// True for a name as sentences have it: letters, digits and hyphens between white space, quotes and the marks of a sentence.
fn stands_alone(before: &str, name: &str, after: &str) -> bool {
    let opens = |c: char| c.is_whitespace() || matches!(c, '(' | '"' | '\'' | ',');
    let closes = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '"' | '\'');
    let rest = after.trim_start_matches(closes);
    let by_itself = before.chars().next_back().is_none_or(opens) && rest.chars().next().is_none_or(char::is_whitespace);
    let assigned = rest.trim_start().starts_with(['=', '+', '|', '<', '>']) || after.starts_with("::");
    by_itself && !assigned && name.starts_with(char::is_alphabetic) && !name.contains('_') && name.chars().nth(1).is_some()
}

/// The name behind a dollar sign, if one can stand there.
fn mentioned<'p>(before: &str, after: &'p str) -> Option<&'p str> {
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\\')) {
        return None;
    }
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let run = &after[..after.find(|c| !in_name(c)).unwrap_or(after.len())];
    let name = run.trim_end_matches(['-', '_']);
    let is_name = name.starts_with(char::is_alphanumeric) && name.contains(char::is_alphabetic) && !name.contains(char::is_uppercase);
    (is_name && name.chars().nth(NAME_CHARS).is_none()).then_some(name)
}
