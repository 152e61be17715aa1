//! From a request to entries and warnings.

use super::RepositoryRules;
use super::discovery;
use super::fitting::{Entries, named, shown};
use super::reading::{Content, read};
use super::repository::{EntryKind, Id, Repository};
use super::walk::{Ended, Found, Walk};
use crate::assemble::provider::{ProviderRequest, Supply};
use crate::base::config::{RULE_FILES, RULE_FOLDERS};
use crate::record::session::Pinned;

/// What part of the time is left for reading what the search found.
const SHARE_FOR_READING: u32 = 4;
/// Letters of a commit in a sentence.
const SHORT: usize = 12;

impl RepositoryRules {
    /// The entries and warnings for a request.
    ///
    /// # Errors
    /// Why there are none to be had, in words.
    pub(super) fn supply(&self, request: &ProviderRequest) -> Result<Supply, String> {
        let kept = request.remaining() / SHARE_FOR_READING;
        let mut supply = Supply::default();
        let Some(place) = discovery::find(&self.root)? else { return Ok(supply) };
        let repository = Repository::open(&place)?;
        let Some((commit, told)) = self.commit(&repository, &mut supply.warnings)? else { return Ok(supply) };
        _ = self.given.set(self.pin(commit, told));
        let top = repository.folder_of(commit).map_err(|trouble| format!("the commit {commit} cannot be read: {trouble}"))?;
        let stop = || request.cancelled() || request.remaining() <= kept;
        let walk = Walk { repository: &repository, top, stop: &stop };
        let found = walk.find(&place.inside, &self.files);
        tell(&found, &mut supply.warnings);
        let mut entries = Entries::new(commit.to_string(), request.token_budget, request.counter.clone());
        fill(&walk, &found, request, &mut entries, &mut supply.warnings);
        supply.entries = entries.entries;
        Ok(supply)
    }

    /// Says, once a session, that what was asked for leads elsewhere by now. What keeps it from looking is no matter for a
    /// session that has its rules.
    pub(super) fn watch(&self) -> Supply {
        let looked = || -> Result<Option<String>, String> {
            let Some(place) = discovery::find(&self.root)? else { return Ok(None) };
            let Some(pinned) = &self.pinned else { return Ok(None) };
            let now = self.now(&Repository::open(&place)?)?.filter(|now| now.to_string() != pinned.commit);
            Ok(now.map(|now| self.moved(pinned, now)))
        };
        let Ok(Some(line)) = looked() else { return Supply::default() };
        if let Some(pinned) = &self.pinned {
            _ = self.given.set(Pinned { told: true, ..pinned.clone() });
        }
        Supply { entries: Vec::new(), warnings: vec![line] }
    }

    fn pin(&self, commit: Id, told: bool) -> Pinned {
        Pinned { root: self.root.to_string_lossy().into_owned(), base: self.base_revision.clone(), commit: commit.to_string(), told }
    }

    /// What is asked for, in a sentence.
    fn asked(&self) -> &str {
        self.base_revision.as_deref().unwrap_or("HEAD")
    }

    /// Where what is asked for leads; HEAD leads nowhere before the first commit.
    fn now(&self, repository: &Repository) -> Result<Option<Id>, String> {
        match &self.base_revision {
            Some(name) => repository.revision(name).map(Some),
            None => repository.head(),
        }
    }

    fn moved(&self, pinned: &Pinned, now: Id) -> String {
        let kept = &pinned.commit[..SHORT.min(pinned.commit.len())];
        format!("{} has moved to {}; the rules stay those of {kept}, with which the session began", self.asked(), &now.to_string()[..SHORT])
    }

    /// The commit to read: the one that the session was given before, or where what is asked for leads; and whether the two
    /// are told to differ. None before the first commit.
    fn commit(&self, repository: &Repository, warnings: &mut Vec<String>) -> Result<Option<(Id, bool)>, String> {
        let now = self.now(repository);
        let Some(pinned) = &self.pinned else { return Ok(now?.map(|now| (now, false))) };
        let Some(commit) = repository.commit(&pinned.commit) else {
            warnings.push(format!("the commit with which the session began is gone; the rules are those of {} as it stands now", self.asked()));
            return Ok(now?.map(|now| (now, false)));
        };
        // What the session began with can be read even where its name leads nowhere any more.
        let line = match now {
            Ok(Some(now)) if now == commit => return Ok(Some((commit, pinned.told))),
            Ok(Some(now)) => self.moved(pinned, now),
            Ok(None) | Err(_) => {
                format!("{} leads nowhere any more; the rules stay those of {}, with which the session began", self.asked(), &commit.to_string()[..SHORT])
            }
        };
        warnings.push(line);
        Ok(Some((commit, true)))
    }
}

/// Says what the search could not see.
pub(super) fn tell(found: &Found, warnings: &mut Vec<String>) {
    for (path, instead) in &found.unlisted {
        let instead = match instead {
            Some(EntryKind::Folder) => "is a folder",
            Some(EntryKind::Submodule) => "lies in a submodule, which is another repository",
            _ => "is not tracked",
        };
        warnings.push(format!("the listed file {} {instead}", shown(path.as_bytes())));
    }
    match found.ended {
        Some(Ended::Folders) => warnings.push(format!("only the first {RULE_FOLDERS} folders were searched for rules")),
        Some(Ended::Time) => warnings.push(format!("the time was over after {} folders; deeper ones were not searched for rules", found.searched)),
        None => {}
    }
    if found.too_deep > 0 {
        warnings.push(format!("{} folders lie too deep and were not searched for rules", found.too_deep));
    }
    if let Some((path, trouble)) = found.unread.first() {
        let folder = if path.is_empty() { "the topmost folder".to_owned() } else { format!("the folder {}", shown(path)) };
        let others = if found.unread.len() == 1 { String::new() } else { format!(", and {} more", found.unread.len() - 1) };
        warnings.push(format!("{folder} could not be searched: {trouble}{others}"));
    }
}

/// Reads file after file until there is no room or no time.
fn fill(walk: &Walk<'_>, found: &Found, request: &ProviderRequest, entries: &mut Entries, warnings: &mut Vec<String>) {
    let mut without_room = Vec::new();
    let mut left_out = Vec::new();
    for (count, file) in found.files.iter().enumerate() {
        if entries.full() || count >= RULE_FILES || request.cancelled() {
            without_room.push(file.path.clone());
            continue;
        }
        match read(walk, file) {
            Content::Text(id, text) if entries.add(&file.path, id, &text) => {}
            Content::Text(..) => without_room.push(file.path.clone()),
            Content::LeftOut(why) => left_out.push(format!("{} {why}", shown(&file.path))),
        }
    }
    warnings.append(&mut left_out);
    warnings.append(&mut entries.cuts);
    if !without_room.is_empty() {
        warnings.push(format!("left out for want of room: {}", named(&without_room)));
    }
}
