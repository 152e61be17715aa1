//! The files under their names: opened, put aside and taken away by one handle at a time, of this process or another.
//!
//! A handle that opened them while another was renaming them one by one would join a new file with the log and the shared
//! memory of the old one, and cut off what others have mapped.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::super::database::{Identity, refuse_symlink};
use super::{ALL_FILES, DAMAGED, FILE, FILES, FORM, Trouble, prepare};
use crate::base::fail_points::fail_point;
use crate::base::file_lock::FileLock;
use crate::base::time::{Deadline, pause};

/// Between two attempts to have one's turn.
const PAUSE: Duration = Duration::from_millis(1);

/// An open file, and which files stood under the names then.
pub(super) struct Opened {
    pub(super) conn: Connection,
    seen: [Option<Identity>; 3],
}

impl Opened {
    /// True as long as the same files stand there.
    pub(super) fn is_there(&self, dir: &Path) -> bool {
        self.seen == seen(dir)
    }

    pub(super) fn identity(&self) -> Option<Identity> {
        self.seen[0]
    }
}

fn seen(dir: &Path) -> [Option<Identity>; 3] {
    FILES.map(|name| Identity::of(&dir.join(name)).ok())
}

/// Keeps the others from opening and exchanging the files until it is dropped. Where a folder cannot be locked, nobody is
/// kept from anything.
pub(super) struct Turn {
    _folder: Option<FileLock>,
}

/// Waits for one's turn; `None` if somebody is at it for longer than that.
pub(super) fn turn(dir: &Path, wait: Duration) -> Option<Turn> {
    let deadline = Deadline::after(wait);
    loop {
        let Ok(folder) = File::open(dir) else { return Some(Turn { _folder: None }) };
        match FileLock::alone(folder) {
            Err(TryLockError::WouldBlock) if deadline.expired() => return None,
            Err(TryLockError::WouldBlock) => pause(PAUSE),
            Err(TryLockError::Error(_)) => return Some(Turn { _folder: None }),
            Ok(lock) => return Some(Turn { _folder: Some(lock) }),
        }
    }
}

/// Renames the file and what belongs to it, so that a new one does not meet an old one's write-ahead log; nothing, if that
/// file stands there no more. False if it cannot be.
pub(super) fn put_aside(dir: &Path, file: Option<Identity>, wait: Duration) -> bool {
    let Some(_turn) = turn(dir, wait) else { return false };
    if file.is_some() && seen(dir)[0] != file {
        return true;
    }
    ALL_FILES.iter().all(|name| {
        let path = dir.join(name);
        let aside = dir.join(format!("{name}{DAMAGED}"));
        refuse_symlink(&path).is_ok()
            && std::fs::rename(&path, aside).or_else(|cause| if cause.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(cause) }).is_ok()
    })
}

pub(super) fn open(dir: &Path, mark: i32, wait: Duration) -> Result<Opened, Trouble> {
    let path = dir.join(FILE);
    let Some(_turn) = turn(dir, wait) else { return Err(Trouble::Hindered("another process keeps it".to_owned())) };
    for name in ALL_FILES {
        let path = dir.join(name);
        refuse_symlink(&path).map_err(|error| Trouble::Hindered(error.to_string()))?;
        // Whoever opens a pipe waits for its other end.
        if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(Trouble::Hindered(format!("{name} is no file")));
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let made = std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        made.map_err(|error| Trouble::Hindered(error.to_string()))?;
        fail_point!(SessionsMade);
    }
    let [file, ..] = seen(dir);
    let conn = Connection::open_with_flags(&path, flags).map_err(|cause| Trouble::of(file, cause))?;
    match prepare(&conn, mark, wait).map_err(|cause| Trouble::of(file, cause))? {
        (FORM, of) if of == mark => Ok(Opened { conn, seen: seen(dir) }),
        (FORM, _) => Err(Trouble::Damaged(file, "it belongs to another record".to_owned())),
        (other, _) => Err(Trouble::Damaged(file, format!("its form is {other}, this release knows {FORM}"))),
    }
}
