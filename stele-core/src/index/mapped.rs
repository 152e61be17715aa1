//! How the files of an index are opened, created and mapped, with the checks that make that sound enough.
//!
//! A mapped file of ours is never truncated or rewritten: writers make new names and unlink old ones, which leaves
//! an open map whole. A file that somebody else cuts short under an open map is outside the promise.
#![expect(unsafe_code, reason = "memory maps")]

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::Path;

/// Opens a file for reading unless it is a symbolic link, a folder or anything but a regular file.
///
/// # Errors
/// The reason in words, beginning with `missing`, `symlink`, `damaged` or `unreadable`.
pub(crate) fn open_regular(path: &Path) -> Result<File, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let describe = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => format!("missing: there is no {name}"),
        _ => format!("unreadable: {name}: {cause}"),
    };
    let seen = std::fs::symlink_metadata(path).map_err(describe)?;
    if seen.is_symlink() {
        return Err(format!("symlink: {name} is a symbolic link"));
    }
    if !seen.is_file() {
        return Err(format!("damaged: {name} is not a regular file"));
    }
    let file = File::open(path).map_err(describe)?;
    let opened = file.metadata().map_err(describe)?;
    if !same_file(&seen, &opened) {
        return Err(format!("symlink: {name} was exchanged while it was opened"));
    }
    Ok(file)
}

#[cfg(unix)]
fn same_file(seen: &std::fs::Metadata, opened: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    seen.dev() == opened.dev() && seen.ino() == opened.ino()
}

#[cfg(not(unix))]
fn same_file(_seen: &std::fs::Metadata, opened: &std::fs::Metadata) -> bool {
    opened.is_file()
}

/// Creates a file that must not exist, for its owner only; a symbolic link counts as existing.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the names in a folder durable, where the system lets one open a folder.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(dir)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// The beginning of a file, mapped read-only, with the rest of it at hand.
///
/// What every search reads is mapped; what it reads of a few rows only is fetched, so that it does not stay resident.
#[derive(Debug)]
pub(crate) struct Mapped {
    file: File,
    map: memmap2::Mmap,
}

impl Mapped {
    /// Maps the first `mapped` bytes of a file that was opened by [`open_regular`] and is at least as long.
    pub(crate) fn new(file: File, mapped: usize) -> io::Result<Self> {
        // SAFETY: the file is write-once by the contract in the module comment, so its bytes do not change and its
        // length does not shrink while the map lives; the caller compared its length with `mapped`.
        let map = unsafe { memmap2::MmapOptions::new().len(mapped).map(&file) }?;
        Ok(Self { file, map })
    }

    /// Reads exactly as many bytes as `out` holds from any place of the file, mapped or not.
    pub(crate) fn read_at(&self, at: usize, out: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, at as u64, out)
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut at: u64, mut out: &mut [u8]) -> io::Result<()> {
    while !out.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, out, at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += count as u64;
        out = &mut out[count..];
    }
    Ok(())
}
