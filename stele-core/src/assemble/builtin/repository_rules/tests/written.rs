//! A git repository that a test or an example writes object by object: no git has to be installed for it, and its commits
//! have the same names everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{Kind, Write as _};

/// What an entry of a folder may be.
pub(crate) const FILE: &str = "100644";
pub(crate) const PROGRAM: &str = "100755";
pub(crate) const LINK: &str = "120000";
pub(crate) const FOLDER: &str = "40000";
pub(crate) const SUBMODULE: &str = "160000";

/// The folder in which a repository is kept.
pub(crate) struct Written {
    pub(crate) git_dir: PathBuf,
    objects: gix_odb::loose::Store,
}

impl Written {
    /// A repository without a commit, on the branch `main`.
    pub(crate) fn new(git_dir: &Path) -> Self {
        for folder in ["objects", "refs/heads", "refs/tags"] {
            fs::create_dir_all(git_dir.join(folder)).expect("a folder of the repository is made");
        }
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").expect("HEAD is written");
        fs::write(git_dir.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n").expect("the form is written");
        Self { git_dir: git_dir.to_path_buf(), objects: gix_odb::loose::Store::at(git_dir.join("objects"), HashKind::Sha1) }
    }

    /// Writes an object.
    pub(crate) fn object(&self, kind: Kind, bytes: &[u8]) -> ObjectId {
        self.objects.write_buf(kind, bytes).expect("an object is written")
    }

    /// Writes a file.
    pub(crate) fn file(&self, bytes: impl AsRef<[u8]>) -> ObjectId {
        self.object(Kind::Blob, bytes.as_ref())
    }

    /// Writes a folder of these entries, as they are.
    pub(crate) fn folder(&self, entries: &[(&str, &[u8], ObjectId)]) -> ObjectId {
        let bytes: Vec<u8> = entries.iter().flat_map(|(mode, name, id)| [mode.as_bytes(), b" ", *name, b"\0", id.as_slice()].concat()).collect();
        self.object(Kind::Tree, &bytes)
    }

    /// Writes the folders for entries that are told by their paths.
    pub(crate) fn tree(&self, entries: &[(&str, &str, ObjectId)]) -> ObjectId {
        let mut here: BTreeMap<Vec<u8>, (&str, ObjectId)> = BTreeMap::new();
        let mut below: BTreeMap<&str, Vec<(&str, &str, ObjectId)>> = BTreeMap::new();
        for (mode, path, id) in entries {
            match path.split_once('/') {
                Some((folder, rest)) => below.entry(folder).or_default().push((mode, rest, *id)),
                None => _ = here.insert(path.as_bytes().to_vec(), (mode, *id)),
            }
        }
        // Git sorts a folder as if a slash ended its name.
        let folders = below.into_iter().map(|(name, entries)| ([name.as_bytes(), b"/"].concat(), (FOLDER, self.tree(&entries))));
        here.extend(folders.collect::<Vec<_>>());
        let sorted: Vec<(&str, &[u8], ObjectId)> = here.iter().map(|(name, (mode, id))| (*mode, name.strip_suffix(b"/").unwrap_or(name), *id)).collect();
        self.folder(&sorted)
    }

    /// Writes a commit of a folder after others.
    pub(crate) fn commit_of(&self, tree: ObjectId, parents: &[ObjectId]) -> ObjectId {
        let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
        let who = "A Writer <writer@example.org> 1767225600 +0000";
        self.object(Kind::Commit, format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\na commit\n").as_bytes())
    }

    /// Commits files by their paths and sets `main` to it.
    pub(crate) fn commit(&self, files: &[(&str, &str)], parents: &[ObjectId]) -> ObjectId {
        let entries: Vec<(&str, &str, ObjectId)> = files.iter().map(|(path, text)| (FILE, *path, self.file(text))).collect();
        let commit = self.commit_of(self.tree(&entries), parents);
        self.set("refs/heads/main", commit);
        commit
    }

    /// Sets a branch or a tag, by its whole name.
    pub(crate) fn set(&self, name: &str, id: ObjectId) {
        let path = self.git_dir.join(name);
        fs::create_dir_all(path.parent().expect("a reference lies in a folder")).expect("its folder is made");
        fs::write(path, format!("{id}\n")).expect("the reference is written");
    }
}
