//! Which files of a commit hold rules: those beside the way down to the project folder, those that the host lists, those in
//! every folder below. Only folders are read here.

use std::collections::HashSet;

use super::repository::{EntryKind, Id, Repository, Trouble};
use crate::base::config::RULE_FOLDERS;

/// Files that hold rules wherever they stand, in the order in which they count in one folder.
const NAMES: [&[u8]; 2] = [b"AGENTS.md", b"CLAUDE.md"];
/// How deep folders are searched.
const MOST_DEPTH: usize = 100;
/// Bytes of the longest name that a file system takes.
const LONGEST_NAME: usize = 255;
/// After how many folders the time is looked at.
const FOLDERS_A_LOOK: usize = 64;

/// A file of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleFile {
    /// From the top of the repository, with forward slashes.
    pub(super) path: Vec<u8>,
    pub(super) kind: EntryKind,
    pub(super) id: Id,
}

/// Why the search ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// There are more folders than are searched.
    Folders,
    /// There was no more time.
    Time,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files, in the order in which they count.
    pub(super) files: Vec<RuleFile>,
    /// How many folders were searched.
    pub(super) searched: usize,
    pub(super) ended: Option<Ended>,
    /// Folders that could not be read, with the reason.
    pub(super) unread: Vec<(Vec<u8>, Trouble)>,
    /// Folders that lie too deep.
    pub(super) too_deep: usize,
    /// Listed files that are not there, as they were listed, with what stands there instead.
    pub(super) unlisted: Vec<(String, Option<EntryKind>)>,
}

/// A folder that is still to be searched.
struct Folder {
    path: Vec<u8>,
    id: Id,
}

/// A search of one commit.
pub(super) struct Walk<'r> {
    pub(super) repository: &'r Repository,
    /// The topmost folder of the commit.
    pub(super) top: Id,
    /// True once the search has to end.
    pub(super) stop: &'r dyn Fn() -> bool,
}

/// True for what a checkout can have as a name: anything else was made by hand, and is not followed.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name != b"."
        && name != b".."
        && !name.eq_ignore_ascii_case(b".git")
        && !name.iter().any(|byte| matches!(byte, b'/' | 0))
}

/// The path of something in a folder.
fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

/// Where a path leads that starts in a folder; none if it leaves the repository or has a part that is no name.
pub(super) fn lead(folder: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = folder.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".") {
        match part {
            b".." => _ = parts.pop()?,
            part => parts.push(Some(part).filter(|part| is_name(part))?),
        }
    }
    (!path.starts_with(b"/") && !parts.is_empty()).then(|| parts.join(&b'/'))
}

impl Walk<'_> {
    /// Searches for the files of rules that count for the folder `inside`.
    pub(super) fn find(&self, inside: &[Vec<u8>], listed: &[String]) -> Found {
        let mut found = Found::default();
        let below = self.down_to(inside, &mut found);
        self.add_listed(&inside.join(&b'/'), listed, &mut found);
        self.add_below(below, &mut found);
        let mut seen = HashSet::new();
        found.files.retain(|file| seen.insert(file.path.clone()));
        found
    }

    /// Adds the rules of every folder on the way down to the project folder and its own, and gives the folders in it: none
    /// if the commit does not have it.
    fn down_to(&self, inside: &[Vec<u8>], found: &mut Found) -> Vec<Folder> {
        let mut folders = self.search(b"", self.top, found);
        for depth in 1..=inside.len() {
            let path = inside[..depth].join(&b'/');
            folders = match folders.into_iter().find(|folder| folder.path == path) {
                Some(folder) => self.search(&path, folder.id, found),
                None => return Vec::new(),
            };
        }
        folders
    }

    fn add_listed(&self, project: &[u8], listed: &[String], found: &mut Found) {
        for path in listed {
            let whole = lead(project, path.as_bytes());
            match whole.as_ref().and_then(|whole| self.at(whole)) {
                Some((kind @ (EntryKind::File | EntryKind::Link), id)) => found.files.push(RuleFile { path: whole.expect("it was found"), kind, id }),
                other => found.unlisted.push((path.clone(), other.map(|(kind, _)| kind))),
            }
        }
    }

    /// Adds the rules of folders and of those below them, the higher ones first, each level in the order of its paths.
    fn add_below(&self, mut level: Vec<Folder>, found: &mut Found) {
        for depth in 1.. {
            if depth > MOST_DEPTH {
                found.too_deep = level.len();
                return;
            }
            let mut next = Vec::new();
            for folder in &level {
                if found.searched >= RULE_FOLDERS {
                    found.ended = Some(Ended::Folders);
                    return;
                }
                if found.searched.is_multiple_of(FOLDERS_A_LOOK) && (self.stop)() {
                    found.ended = Some(Ended::Time);
                    return;
                }
                let inner = self.search(&folder.path, folder.id, found);
                // What cannot be searched any more is not kept, but for one by which it is told.
                next.extend(inner.into_iter().take((RULE_FOLDERS + 1).saturating_sub(found.searched + next.len())));
            }
            if next.is_empty() {
                return;
            }
            level = next;
        }
    }

    /// Adds the rules of one folder and gives the folders in it.
    fn search(&self, path: &[u8], folder: Id, found: &mut Found) -> Vec<Folder> {
        let mut here = [None; NAMES.len()];
        let mut folders = Vec::new();
        let read = self.repository.entries(folder, |entry| match entry.kind {
            EntryKind::Folder if is_name(entry.name) => folders.push(Folder { path: join(path, entry.name), id: entry.id }),
            EntryKind::File | EntryKind::Link => {
                if let Some(rank) = NAMES.iter().position(|name| *name == entry.name) {
                    here[rank] = Some((entry.kind, entry.id));
                }
            }
            EntryKind::Folder | EntryKind::Submodule => {}
        });
        found.searched += 1;
        if let Err(trouble) = read {
            found.unread.push((path.to_vec(), trouble));
        }
        let files = here.into_iter().zip(NAMES).filter_map(|(entry, name)| entry.map(|(kind, id)| RuleFile { path: join(path, name), kind, id }));
        found.files.extend(files);
        folders
    }

    /// What stands at a path of the commit, if anything does.
    pub(super) fn at(&self, path: &[u8]) -> Option<(EntryKind, Id)> {
        let mut at = (EntryKind::Folder, self.top);
        for name in path.split(|byte| *byte == b'/') {
            if at.0 != EntryKind::Folder {
                // The border of another repository is told; a path through a file or a link is none.
                return Some(at).filter(|(kind, _)| *kind == EntryKind::Submodule);
            }
            let mut next = None;
            let read = self.repository.entries(at.1, |entry| {
                if entry.name == name {
                    next = Some((entry.kind, entry.id));
                }
            });
            at = read.ok().and(next)?;
        }
        Some(at)
    }
}
