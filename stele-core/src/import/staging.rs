//! The staging files of an import: what was read and checked, on disk until it is appended.
//!
//! They lie in the record's folder, private to the user, under names of their own, and each is locked by the import that
//! made it. They are removed when the import ends; those of a killed one with the next import or handle that can write.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::record::database::{IMPORT_MARK, io, refuse_symlink};
use crate::record::leftovers::{make_staging, private, sweep};

/// One staging file: written from end to end, then read as often as needed.
pub(crate) struct Stream {
    path: PathBuf,
    file: BufWriter<File>,
    count: u64,
}

impl Stream {
    fn create(dir: &Path) -> Result<Self> {
        let (path, file) = make_staging(dir)?;
        Ok(Self { path, file: BufWriter::with_capacity(1 << 16, file), count: 0 })
    }

    /// How many items it holds.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds an item.
    pub(crate) fn push(&mut self, item: &impl Serialize) -> Result<()> {
        self.count += 1;
        serde_json::to_writer(&mut self.file, item)
            .map_err(std::io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"))
            .map_err(|cause| io(&self.path, "write", cause))
    }

    /// Calls `each` with every item, in the order in which they were added.
    pub(crate) fn each<T: DeserializeOwned>(&mut self, each: &mut dyn FnMut(T) -> Result<()>) -> Result<()> {
        let Self { path, file, .. } = self;
        let failed = |cause| io(path, "read", cause);
        file.flush().map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 16, file.get_ref());
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            let item = serde_json::from_slice(&line)
                .map_err(|cause| Error::new(Code::Storage, format!("read {}: it was changed from outside", path.display())).because(cause))?;
            each(item)?;
            line.clear();
        }
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The staged nodes, edges, and edges from children to parents, which come last.
pub(crate) struct Staging {
    pub(crate) nodes: Stream,
    pub(crate) edges: Stream,
    pub(crate) children: Stream,
}

impl Staging {
    /// Makes empty staging files in the record's folder and removes those that a killed import left there.
    ///
    /// # Errors
    /// `storage` and its like.
    pub(crate) fn create(dir: &Path) -> Result<Self> {
        sweep(dir);
        let made = Self { nodes: Stream::create(dir)?, edges: Stream::create(dir)?, children: Stream::create(dir)? };
        fail_point!(StagingMade);
        Ok(made)
    }
}

/// The file that tells waiting writers of an import, there as long as this value is.
pub(crate) struct Mark(PathBuf);

impl Mark {
    /// Sets the mark; call it with the write lock held, so that there is one at a time.
    pub(crate) fn set(dir: &Path) -> Result<Self> {
        let path = dir.join(IMPORT_MARK);
        refuse_symlink(&path)?;
        private(OpenOptions::new().write(true).create(true).truncate(true)).open(&path).map_err(|cause| io(&path, "make", cause))?;
        Ok(Self(path))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_in_order_as_often_as_asked_and_the_file_goes() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut stream = Stream::create(dir.path()).expect("a file");
        (0..3u32).for_each(|item| stream.push(&item).expect("written"));
        for _ in 0..2 {
            let mut found = Vec::new();
            stream
                .each(&mut |item: u32| {
                    found.push(item);
                    Ok(())
                })
                .expect("read");
            assert_eq!(found, [0, 1, 2]);
        }
        drop(stream);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn what_a_killed_import_left_goes_and_what_a_living_one_holds_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let living = Staging::create(dir.path()).expect("files");
        let (left, closed) = make_staging(dir.path()).expect("a file");
        drop(closed);
        let second = Staging::create(dir.path()).expect("files");
        assert!(!left.exists());
        assert!(living.nodes.path.exists() && second.nodes.path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn staging_files_are_private_and_a_link_in_place_of_the_mark_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a folder");
        let staging = Staging::create(dir.path()).expect("files");
        assert_eq!(fs::metadata(&staging.edges.path).expect("there").permissions().mode() & 0o777, 0o600);
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), dir.path().join(IMPORT_MARK)).expect("a link");
        assert_eq!(Mark::set(dir.path()).err().map(|error| error.code()), Some(Code::SymlinkRefused));
        assert!(!dir.path().join("elsewhere").exists());
    }
}
