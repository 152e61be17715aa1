//! Where the record of a folder is: there or above, else in the main work tree of the repository that the folder belongs
//! to by a linked one.
//!
//! A record tells an agent what to do. So one that somebody else left in a folder that many may write to, above where the
//! agent works, counts for nothing.

use std::path::{Path, PathBuf};

use crate::World;

const RECORD: &str = ".stele";
/// The longest `.git` file or path in it that is read, in bytes.
const GIT_FILE: u64 = 4_096;

/// A record and the project's root as the agent sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) record: PathBuf,
    pub(crate) root: PathBuf,
}

/// Finds the record that belongs to a folder.
pub(crate) fn find(folder: &Path, world: &World) -> Option<Place> {
    let folder = std::path::absolute(folder).ok()?;
    let above = folder.ancestors().find(|folder| is_record(folder, world));
    if let Some(root) = above {
        return Some(Place { record: root.join(RECORD), root: root.to_owned() });
    }
    let tree = folder.ancestors().find(|folder| folder.join(".git").is_file())?;
    let main = main_tree(tree)?;
    is_record(&main, world).then(|| Place { record: main.join(RECORD), root: tree.to_owned() })
}

fn is_record(folder: &Path, world: &World) -> bool {
    let record = folder.join(RECORD);
    record.join("record.db").is_file() && is_trusted(folder, &record, world)
}

/// True if a record belongs to the user, to the administrator, or to whom its project's folder belongs.
#[cfg(unix)]
fn is_trusted(folder: &Path, record: &Path, world: &World) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| std::fs::metadata(path).ok().map(|about| about.uid());
    let Some(user) = world.user else { return true };
    owner(record).is_some_and(|of| of == 0 || of == user || owner(folder) == Some(of))
}

#[cfg(not(unix))]
fn is_trusted(_: &Path, _: &Path, _: &World) -> bool {
    true
}

/// The main work tree of a linked one: the folder around the common git folder.
fn main_tree(tree: &Path) -> Option<PathBuf> {
    let named = first_line(&tree.join(".git"))?;
    let git = tree.join(named.strip_prefix("gitdir:")?.trim());
    let common = git.join(first_line(&git.join("commondir"))?.trim());
    common.canonicalize().ok()?.parent().map(Path::to_owned)
}

/// The first line of a small regular file.
fn first_line(path: &Path) -> Option<String> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > GIT_FILE {
        return None;
    }
    std::fs::read_to_string(path).ok()?.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn find(folder: &Path) -> Option<Place> {
        super::find(folder, &world(None))
    }

    fn world(user: Option<u32>) -> World {
        World { folder: PathBuf::new(), home: None, project: None, user, command: Vec::new() }
    }

    fn record(folder: &Path) {
        fs::create_dir_all(folder.join(RECORD)).expect("a folder");
        fs::write(folder.join(RECORD).join("record.db"), "").expect("a file");
    }

    #[test]
    fn the_record_of_a_folder_is_the_nearest_above_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let (outer, inner) = (dir.path().join("a"), dir.path().join("a/b/c"));
        fs::create_dir_all(&inner).expect("a folder");
        assert_eq!(find(&inner), None);
        record(&outer);
        assert_eq!(find(&inner), Some(Place { record: outer.join(RECORD), root: outer.clone() }));
        record(&inner);
        assert_eq!(find(&inner).expect("found").root, inner);
    }

    #[cfg(unix)]
    #[test]
    fn what_somebody_else_left_in_a_folder_of_many_is_no_record() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let dir = tempfile::tempdir().expect("a folder");
        let (many, mine) = (dir.path().join("many"), dir.path().join("many/mine"));
        fs::create_dir_all(&mine).expect("a folder");
        record(&many);
        let user = fs::metadata(&mine).expect("it is there").uid();
        let seen = |by: u32| super::find(&mine, &world(Some(by))).map(|place| place.root);
        assert_eq!((seen(user), seen(user + 7)), (Some(many.clone()), Some(many.clone())), "it belongs to whom the folder belongs");
        // Only the administrator can give a file away.
        if chown(many.join(RECORD), Some(user + 7), None).is_ok() {
            assert_eq!((seen(user), seen(user + 7)), (None, Some(many.clone())));
            record(&mine);
            assert_eq!(seen(user), Some(mine.clone()), "the search goes on");
            chown(&many, Some(user + 7), None).expect("a gift");
            fs::remove_dir_all(mine.join(RECORD)).expect("it goes");
            assert_eq!(seen(user), Some(many));
        }
    }

    #[test]
    fn a_linked_work_tree_has_the_record_of_the_main_one_and_its_own_root() {
        let dir = tempfile::tempdir().expect("a folder");
        let dir = dir.path().canonicalize().expect("a path");
        let (main, linked) = (dir.join("main"), dir.join("linked"));
        fs::create_dir_all(main.join(".git/worktrees/linked")).expect("a folder");
        fs::create_dir_all(linked.join("src")).expect("a folder");
        fs::write(main.join(".git/worktrees/linked/commondir"), "../..\n").expect("a file");
        fs::write(linked.join(".git"), format!("gitdir: {}\n", main.join(".git/worktrees/linked").display())).expect("a file");
        assert_eq!(find(&linked.join("src")), None);
        record(&main);
        assert_eq!(find(&linked.join("src")), Some(Place { record: main.join(RECORD), root: linked.clone() }));
        for wrong in ["gitdir:", "nonsense", "gitdir: /nowhere", ""] {
            fs::write(linked.join(".git"), wrong).expect("a file");
            assert_eq!(find(&linked), None, "{wrong}");
        }
    }
}
