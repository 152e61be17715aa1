//! Copies of the whole record, made while others read and write.

use std::fs;
use std::path::Path;

use super::creation::make_folder;
use super::database::{Database, RECORD_FILE, Trouble, io};
use super::leftovers::{holds_leftovers_only, new_name, sweep};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;

impl Database {
    /// Writes the record as it stands now into a folder of its own, while others read and write; the copy is a record by
    /// itself, without indexes and sessions.
    ///
    /// # Errors
    /// `bad_path` if the folder holds something or lies in the record's own; `storage`, `disk_full` and their like.
    pub(crate) fn backup(&self, folder: &Path) -> Result<()> {
        let bad = |why: &str| Error::new(Code::BadPath, format!("back up to {}: {why}", folder.display())).with("path", folder.display());
        // What a backup that was cut off has left is no reason to refuse its folder.
        if folder.exists() && !holds_leftovers_only(folder)? {
            return Err(bad("it is not empty"));
        }
        let place = std::path::absolute(folder).map_err(|cause| io(folder, "look for", cause))?;
        if place.starts_with(self.dir()) {
            return Err(bad("it lies in the record's own folder"));
        }
        make_folder(&place)?;
        let temporary = place.join(new_name()?);
        let conn = self.reader()?;
        let name = temporary.to_str().ok_or_else(|| bad("its name is no text"))?;
        let done = conn
            .execute("VACUUM INTO ?1", [name])
            .map_err(Trouble::during("back up the record"))
            .and_then(|_| fs::File::open(&temporary).and_then(|file| file.sync_all()).map_err(|cause| io(&temporary, "make durable", cause)))
            .and_then(|()| make_file_private(&temporary))
            .inspect(|()| fail_point!(BackupWritten))
            .and_then(|()| fs::rename(&temporary, place.join(RECORD_FILE)).map_err(|cause| io(&temporary, "put in place", cause)));
        self.give_back(conn);
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        fail_point!(BackupPlaced);
        done.map(|()| sweep(&place))
    }
}

fn make_file_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|cause| io(path, "make private", cause))?;
    }
    let _ = path;
    Ok(())
}
