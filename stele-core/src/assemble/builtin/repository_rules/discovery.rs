//! Where the repository of a project folder is on the disk: plain looking, no object is read. Neither git's environment
//! variables nor any configuration but the repository's own form is looked at, and nothing is ever run.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Bytes of a file that names a folder or a form.
const SMALL_FILE: u64 = 1 << 20;

/// A repository on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder with `HEAD`; that of a linked worktree is its own.
    pub(super) git_dir: PathBuf,
    /// The folder with objects and branches.
    pub(super) common_dir: PathBuf,
    /// The way from the top of the repository down to the project folder, name by name.
    pub(super) inside: Vec<Vec<u8>>,
}

/// The repository that a folder lies in: its own, or that of the nearest folder above it on the same file system. None
/// if there is none.
///
/// # Errors
/// Why the folder or what is there in place of a repository cannot be read, in words.
pub(super) fn find(root: &Path) -> Result<Option<Place>, String> {
    let root = fs::canonicalize(root).map_err(|cause| format!("the project folder cannot be read: {cause}"))?;
    let device = device(&root);
    for folder in root.ancestors().take_while(|folder| self::device(folder) == device) {
        if let Some(git_dir) = git_dir_of(folder)? {
            check_owner(&folder.join(".git"), folder, &root)?;
            return place(git_dir, folder, &root).map(Some);
        }
        if is_git_dir(folder) {
            check_owner(&folder.join("HEAD"), folder, &root)?;
            // A bare repository, or the project folder lies in the `.git` of one: all of its rules are meant.
            return place(folder.to_path_buf(), folder, folder).map(Some);
        }
    }
    Ok(None)
}

/// Refuses a repository that somebody left in a folder of others, such as one for temporary files: it would rule all who work
/// below. It has to belong to the administrator, to whom its folder belongs, or to whom the project folder does.
#[cfg(unix)]
fn check_owner(repository: &Path, folder: &Path, root: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::metadata(path).ok().map(|meta| meta.uid());
    let of = owner(repository);
    if of == Some(0) || of == owner(folder) || of == owner(root) {
        return Ok(());
    }
    Err(format!("the repository in {} belongs to somebody to whom neither that folder nor the project's belongs", folder.display()))
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Path, _: &Path) -> Result<(), String> {
    Ok(())
}

fn place(git_dir: PathBuf, top: &Path, root: &Path) -> Result<Place, String> {
    let common_dir = common_dir_of(&git_dir);
    check_form(&common_dir)?;
    let alternates = common_dir.join("objects/info/alternates");
    if fs::metadata(alternates).is_ok_and(|found| !is_small_file(&found)) || fs::metadata(common_dir.join("packed-refs")).is_ok_and(|found| !found.is_file()) {
        return Err("a file of the repository is no file that can be read".to_owned());
    }
    let below = root.strip_prefix(top).unwrap_or(Path::new(""));
    let inside = below.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.as_encoded_bytes().to_vec()),
        _ => None,
    });
    Ok(Place { git_dir, common_dir, inside: inside.collect() })
}

/// The repository that the `.git` of a folder is or names.
fn git_dir_of(folder: &Path) -> Result<Option<PathBuf>, String> {
    let dot_git = folder.join(".git");
    let Ok(kind) = fs::metadata(&dot_git) else { return Ok(None) };
    if kind.is_dir() {
        return Ok(Some(dot_git).filter(|dir| is_git_dir(dir)));
    }
    let text = small_file(&dot_git).ok_or("`.git` is neither a folder nor a small file")?;
    let named = text.strip_prefix("gitdir:").ok_or("the file `.git` names no repository")?;
    let named = folder.join(named.trim());
    if is_git_dir(&named) { Ok(Some(named)) } else { Err("the file `.git` names a folder that is no repository".to_owned()) }
}

fn is_git_dir(dir: &Path) -> bool {
    let is_file = |path: PathBuf| fs::metadata(path).is_ok_and(|kind| kind.is_file());
    is_file(dir.join("HEAD")) && {
        let common = common_dir_of(dir);
        common.join("objects").is_dir() && common.join("refs").is_dir()
    }
}

/// The folder that a linked worktree shares with its repository; the folder itself for any other.
fn common_dir_of(git_dir: &Path) -> PathBuf {
    small_file(&git_dir.join("commondir")).map_or_else(|| git_dir.to_path_buf(), |named| git_dir.join(named.trim()))
}

/// True for what can be read without waiting for ever: a pipe or a device is never opened.
pub(super) fn is_small_file(found: &fs::Metadata) -> bool {
    found.is_file() && found.len() <= SMALL_FILE
}

/// The text of a small file.
fn small_file(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(is_small_file)?;
    let mut text = String::new();
    fs::File::open(path).ok()?.take(SMALL_FILE).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Refuses a repository whose own configuration says that it is kept in a form that is not read here.
fn check_form(common_dir: &Path) -> Result<(), String> {
    let config = small_file(&common_dir.join("config")).unwrap_or_default();
    let mut section = String::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.split(']').next().unwrap_or("").trim().to_lowercase();
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let value = value.split(['#', ';']).next().unwrap_or("").trim().trim_matches('"').to_lowercase();
        match (section.as_str(), key.trim().to_lowercase().as_str()) {
            ("core", "repositoryformatversion") if !matches!(value.as_str(), "0" | "1") => {
                return Err(format!("the repository is of format {value:?}, which is not known"));
            }
            ("extensions", "objectformat") if value != "sha1" => return Err(format!("the repository names its objects by {value}, which is not read")),
            ("extensions", "refstorage") if value != "files" => return Err(format!("the repository keeps its branches as {value}, which is not read")),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(unix)]
fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|meta| meta.dev())
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}
