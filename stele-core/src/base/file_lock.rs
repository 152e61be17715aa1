//! Locks on files that end when they are let go of, whoever else holds the file open.
//!
//! A lock belongs to an opening of a file, which a process that the host forks has as well: were it only closed here, the
//! file would stay locked for as long as that one lives.

use std::fs::{File, TryLockError};

/// A locked file; unlocked when it is dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    file: File,
    /// The process that took it: what a forked one lets go of is not its own.
    process: u32,
}

impl FileLock {
    /// Locks a file for oneself.
    pub(crate) fn alone(file: File) -> Result<Self, TryLockError> {
        file.try_lock().map(|()| Self::of(file))
    }

    /// Locks a file with others.
    pub(crate) fn shared(file: File) -> Result<Self, TryLockError> {
        file.try_lock_shared().map(|()| Self::of(file))
    }

    fn of(file: File) -> Self {
        Self { file, process: std::process::id() }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if std::process::id() == self.process {
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_holder_though_the_file_stays_open_elsewhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let open = || File::options().write(true).create(true).truncate(false).open(&path).expect("a file");
        let mut left_open = Vec::new();
        for lock in [FileLock::alone, FileLock::shared] {
            let file = open();
            left_open.push(file.try_clone().expect("as a fork has it"));
            let held = lock(file).expect("nobody has it");
            assert!(matches!(FileLock::alone(open()), Err(TryLockError::WouldBlock)));
            drop(held);
        }
        drop(FileLock::alone(open()).expect("let go of"));
    }

    #[test]
    fn what_a_forked_process_lets_go_of_stays_locked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let open = || File::options().write(true).create(true).truncate(false).open(&path).expect("a file");
        let file = open();
        let inherited = FileLock { file: file.try_clone().expect("as a fork has it"), process: std::process::id().wrapping_add(1) };
        let held = FileLock::alone(file).expect("nobody has it");
        drop(inherited);
        assert!(FileLock::alone(open()).is_err());
        drop(held);
        FileLock::alone(open()).expect("let go of");
    }
}
