//! The objects and names of one repository. The only place that knows the git library.

use std::collections::HashSet;
use std::fmt;

use gix_hash::{Kind as HashKind, ObjectId, Prefix};
use gix_object::{CommitRefIter, Find as _, Kind, TagRefIter, TreeRefIter};
use gix_odb::Header as _;
use gix_ref::{PartialNameRef, Target};

use super::discovery::{Place, is_small_file};

/// Bytes that one object may take in memory, with what it is unpacked from.
const MOST_BYTES: usize = 32 << 20;
/// Names that may lead from one to the next, and tags that may name a tag.
const MOST_STEPS: usize = 8;
/// Letters that an abbreviated commit has at least.
const LEAST_LETTERS: usize = 4;

/// The name of an object, written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(ObjectId);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why an object could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It is not in this copy of the repository.
    Missing,
    /// What is there makes no sense, or unpacks to more than is allowed.
    Broken(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it is not in this copy of the repository"),
            Self::Broken(why) => f.write_str(why),
        }
    }
}

/// What an entry of a folder is. Whether a file may be run makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Link,
    Folder,
    /// The border of another repository.
    Submodule,
}

/// One entry of a folder.
pub(super) struct TreeEntry<'t> {
    pub(super) name: &'t [u8],
    pub(super) kind: EntryKind,
    pub(super) id: Id,
}

/// An open repository.
pub(super) struct Repository {
    names: gix_ref::file::Store,
    objects: gix_odb::Handle,
}

/// The words of an error of the library, each cause once.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}

impl Repository {
    /// Opens what was found.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    pub(super) fn open(place: &Place) -> Result<Self, String> {
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: Some(MOST_BYTES),
            // Every path that is passed is absolute: the folder of the process is never asked for.
            current_dir: Some(place.common_dir.clone()),
            ..Default::default()
        };
        let objects = gix_odb::at_opts(place.common_dir.join("objects"), HashKind::Sha1, None, options)
            .map_err(|cause| format!("the objects cannot be read: {cause}"))?;
        let names = gix_ref::file::Store::for_linked_worktree(place.git_dir.clone(), place.common_dir.clone(), HashKind::Sha1);
        Ok(Self { names, objects })
    }

    /// The commit that HEAD stands on; none before the first commit.
    ///
    /// # Errors
    /// Why HEAD leads nowhere, in words.
    pub(super) fn head(&self) -> Result<Option<Id>, String> {
        self.named("HEAD")?.map(|id| self.commit_of(id)).transpose()
    }

    /// The commit of a branch, tag, remote branch, or whole or abbreviated commit.
    ///
    /// # Errors
    /// That there is none or more than one, in words.
    pub(super) fn revision(&self, name: &str) -> Result<Id, String> {
        let is_hash = (LEAST_LETTERS..=HashKind::Sha1.len_in_hex()).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && name.len() == HashKind::Sha1.len_in_hex() {
            return self.commit_of(Id(ObjectId::from_hex(name.to_ascii_lowercase().as_bytes()).map_err(|cause| words(&cause))?));
        }
        if let Some(id) = self.named(name)? {
            return self.commit_of(id);
        }
        if is_hash { self.abbreviated(&name.to_ascii_lowercase()) } else { Err(format!("no branch, tag or commit is called {name:?}")) }
    }

    /// The object that a reference leads to; none if there is no such reference, or it leads to one that is not there yet.
    fn named(&self, name: &str) -> Result<Option<Id>, String> {
        let told = |cause: &dyn std::error::Error| format!("the reference {name:?} cannot be read: {}", words(cause));
        let partial: &PartialNameRef = name.try_into().map_err(|_| format!("{name:?} cannot be the name of a branch or tag"))?;
        self.check_names(name)?;
        let mut reference = self.names.try_find(partial).map_err(|cause| told(&cause))?;
        for _ in 0..MOST_STEPS {
            match reference.map(|found| found.target) {
                None => return Ok(None),
                Some(Target::Object(id)) => return Ok(Some(Id(id))),
                Some(Target::Symbolic(next)) => {
                    self.check_names(&next.as_bstr().to_string())?;
                    reference = self.names.try_find(next.as_ref()).map_err(|cause| told(&cause))?;
                }
            }
        }
        Err(format!("the reference {name:?} leads through too many others"))
    }

    /// Refuses a name under which there is something else than a small file: the library would open a pipe and wait.
    fn check_names(&self, name: &str) -> Result<(), String> {
        let places = ["", "refs", "refs/tags", "refs/heads", "refs/remotes"];
        let paths = [self.names.git_dir(), self.names.common_dir_resolved()].into_iter().flat_map(|dir| places.map(|place| dir.join(place).join(name)));
        for path in paths.flat_map(|path| [path.join("HEAD"), path]) {
            let odd = std::fs::metadata(&path).is_ok_and(|found| !found.is_dir() && !is_small_file(&found));
            if odd {
                return Err(format!("the reference {name:?} is no file that a reference can be"));
            }
        }
        Ok(())
    }

    /// The one commit, or tag of one, whose name begins so.
    fn abbreviated(&self, letters: &str) -> Result<Id, String> {
        let prefix = Prefix::from_hex(letters).map_err(|cause| words(&cause))?;
        let mut found = HashSet::new();
        let known = self.objects.lookup_prefix(prefix, Some(&mut found));
        known.map_err(|cause| format!("the objects cannot be read: {}", words(&cause)))?;
        let commits: HashSet<Id> = found.into_iter().filter_map(|id| self.commit_of(Id(id)).ok()).collect();
        match commits.len() {
            0 => Err(format!("no branch, tag or commit is called {letters:?}")),
            1 => Ok(commits.into_iter().next().expect("there is one")),
            several => Err(format!("{several} commits begin with {letters}")),
        }
    }

    /// The commit that an object is, or that the tag that it is names.
    fn commit_of(&self, mut id: Id) -> Result<Id, String> {
        for _ in 0..MOST_STEPS {
            match self.kind_and_size(id).map_err(|trouble| format!("{id} cannot be read: {trouble}"))? {
                (Kind::Commit, _) => return Ok(id),
                (Kind::Tag, _) => {
                    let tag = self.read(id, Kind::Tag).map_err(|trouble| format!("the tag {id} cannot be read: {trouble}"))?;
                    id = TagRefIter::from_bytes(&tag, HashKind::Sha1)
                        .target_id()
                        .map(Id)
                        .map_err(|cause| format!("the tag {id} cannot be read: {}", words(&cause)))?;
                }
                (kind, _) => return Err(format!("{id} is a {kind} and no commit")),
            }
        }
        Err(format!("{id} is a tag of too many tags"))
    }

    /// The commit of that whole name, if it is there.
    pub(super) fn commit(&self, name: &str) -> Option<Id> {
        let id = Id(ObjectId::from_hex(name.as_bytes()).ok()?);
        (self.commit_of(id) == Ok(id)).then_some(id)
    }

    /// The topmost folder of a commit.
    pub(super) fn folder_of(&self, commit: Id) -> Result<Id, Trouble> {
        let bytes = self.read(commit, Kind::Commit)?;
        CommitRefIter::from_bytes(&bytes, HashKind::Sha1).tree_id().map(Id).map_err(|cause| Trouble::Broken(words(&cause)))
    }

    /// Hands over the entries of a folder, in the order in which they are kept.
    pub(super) fn entries(&self, folder: Id, mut each: impl FnMut(TreeEntry<'_>)) -> Result<(), Trouble> {
        let bytes = self.read(folder, Kind::Tree)?;
        for entry in TreeRefIter::from_bytes(&bytes, HashKind::Sha1) {
            let entry = entry.map_err(|cause| Trouble::Broken(words(&cause)))?;
            let kind = match entry.mode {
                mode if mode.is_tree() => EntryKind::Folder,
                mode if mode.is_link() => EntryKind::Link,
                mode if mode.is_commit() => EntryKind::Submodule,
                _ => EntryKind::File,
            };
            each(TreeEntry { name: entry.filename, kind, id: Id(entry.oid.to_owned()) });
        }
        Ok(())
    }

    /// How many bytes a file has, without unpacking it.
    pub(super) fn size(&self, file: Id) -> Result<u64, Trouble> {
        match self.kind_and_size(file)? {
            (Kind::Blob, size) => Ok(size),
            (kind, _) => Err(Trouble::Broken(format!("it is a {kind} and no file"))),
        }
    }

    /// The bytes of a file.
    pub(super) fn file(&self, file: Id) -> Result<Vec<u8>, Trouble> {
        self.read(file, Kind::Blob)
    }

    fn kind_and_size(&self, id: Id) -> Result<(Kind, u64), Trouble> {
        let header = self.objects.try_header(&id.0).map_err(|cause| Trouble::Broken(words(&cause)))?.ok_or(Trouble::Missing)?;
        Ok((header.kind(), header.size()))
    }

    fn read(&self, id: Id, kind: Kind) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        let found = self.objects.try_find(&id.0, &mut bytes).map_err(|cause| Trouble::Broken(words(&cause)))?.ok_or(Trouble::Missing)?;
        if found.kind != kind {
            return Err(Trouble::Broken(format!("it is a {} and no {kind}", found.kind)));
        }
        Ok(bytes)
    }
}
