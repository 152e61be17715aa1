//! [`VectorIndex`]: an immutable view of the segments that one manifest names.
//!
//! It keeps answering from its maps whatever writers do meanwhile; [`VectorIndex::is_current`] tells whether a newer
//! manifest has come.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::manifest::{MANIFEST, Manifest};
use super::segment::Segment;
use crate::base::id::hex;
use crate::base::node_set::NodeSet;

/// How often a reader tries again when segments vanish because a writer swapped the manifest.
const ATTEMPTS: usize = 5;

/// A mapped vector index; a clone shares the maps.
#[derive(Clone, Debug)]
pub(crate) struct VectorIndex {
    dir: PathBuf,
    stamp: Option<Stamp>,
    sequence: u64,
    history: String,
    dimensions: usize,
    /// Oldest first.
    segments: Arc<Vec<Segment>>,
}

/// What tells one manifest file from the one that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    fn of(dir: &Path) -> Option<Self> {
        let seen = std::fs::symlink_metadata(dir.join(MANIFEST)).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&seen);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { length: seen.len(), modified: seen.modified().ok(), inode })
    }
}

impl VectorIndex {
    /// The file that lists the segments; without it there is no index.
    pub(crate) const LIST: &str = MANIFEST;

    /// Maps the index of a folder: the manifest is read, segments are mapped, their headers and lengths checked.
    ///
    /// # Errors
    /// The reason in words, beginning with one of `missing`, `symlink`, `unreadable`, `foreign` (another record),
    /// `embedder`, `dimensions`, `newer` or `older` (format), `damaged`.
    pub(crate) fn open(dir: &Path, record: &str, embedder: &str, dimensions: usize) -> Result<Self, String> {
        refuse_linked(dir)?;
        let mut outcome = Err(String::new());
        for _ in 0..ATTEMPTS {
            // The stamp comes first: if the manifest is swapped in between, the view is old and says so.
            let stamp = Stamp::of(dir);
            outcome = open_segments(dir, record, embedder, dimensions).map(|(segments, sequence, history)| Self {
                dir: dir.to_owned(),
                stamp,
                sequence,
                history,
                dimensions,
                segments: Arc::new(segments),
            });
            if outcome.is_ok() || Stamp::of(dir) == stamp {
                break;
            }
        }
        outcome
    }

    /// True if an index was refused because another embedder made it.
    pub(crate) fn is_of_another(why: &str) -> bool {
        ["embedder:", "dimensions:"].iter().any(|beginning| why.starts_with(beginning))
    }

    /// The sequence of the log up to which the index covers every change.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The hash of the log's chain at that sequence, as the writer knew it.
    pub(crate) fn history(&self) -> &str {
        &self.history
    }

    /// True as long as no other manifest stands in the folder.
    pub(crate) fn is_current(&self) -> bool {
        self.stamp.is_some() && Stamp::of(&self.dir) == self.stamp
    }

    /// The dimensions of every vector.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Reads everything and compares it with its checksums; takes as long as reading the files.
    ///
    /// # Errors
    /// The reason in words, beginning with `damaged`.
    pub(crate) fn verify(&self) -> Result<(), String> {
        for segment in self.segments.iter() {
            segment.verify()?;
            let ordered = segment.numbers().zip(segment.numbers().skip(1)).all(|(one, next)| one <= next);
            if !ordered {
                return Err(format!("damaged: the numbers of {} are out of order", segment.file));
            }
        }
        Ok(())
    }

    /// The segments, oldest first.
    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

/// Maps what the manifest of a folder names, once, oldest first; with the sequence that it covers and the history that this belongs to.
pub(super) fn open_segments(dir: &Path, record: &str, embedder: &str, dimensions: usize) -> Result<(Vec<Segment>, u64, String), String> {
    let manifest = Manifest::read(dir)?;
    manifest.check_owner(record, embedder, dimensions)?;
    let mut segments = Vec::with_capacity(manifest.segments.len());
    for listed in &manifest.segments {
        let segment = Segment::open(dir, &listed.file)?;
        if hex(segment.header_check()) != listed.header {
            return Err(format!("damaged: {} is not the segment that {MANIFEST} means", listed.file));
        }
        if segment.header.record != record || segment.header.embedder != embedder || segment.header.dimensions != dimensions {
            return Err(format!("foreign: {} does not belong to {MANIFEST}", listed.file));
        }
        segments.push(segment);
    }
    supersede(&mut segments)?;
    Ok((segments, manifest.sequence, manifest.history))
}

/// Tells every segment which numbers newer ones name.
pub(super) fn supersede(segments: &mut [Segment]) -> Result<(), String> {
    let mut newer = NodeSet::new();
    for nth in (0..segments.len()).rev() {
        segments[nth].superseded = newer.clone();
        if nth == 0 {
            break;
        }
        let segment = &segments[nth];
        for number in segment.numbers().chain(segment.removed()) {
            // The header is checked, the body is not: without this bound a damaged number could ask for any memory.
            if number > segment.header.last_number {
                return Err(format!("damaged: {} holds a number that its header does not allow", segment.file));
            }
            newer.insert(number);
        }
    }
    Ok(())
}

/// Refuses a folder that is a symbolic link or no folder.
pub(super) fn refuse_linked(dir: &Path) -> Result<(), String> {
    match std::fs::symlink_metadata(dir) {
        Ok(seen) if seen.is_symlink() => Err("symlink: the folder of vectors is a symbolic link".into()),
        Ok(seen) if seen.is_dir() => Ok(()),
        Ok(_) => Err("damaged: the folder of vectors is no folder".into()),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Err("missing: there is no folder of vectors".into()),
        Err(cause) => Err(format!("unreadable: the folder of vectors: {cause}")),
    }
}
