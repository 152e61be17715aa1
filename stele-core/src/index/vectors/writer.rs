//! [`VectorWriter`]: changes the index of a folder, so that a reader sees the old one or the new one, never a mix.
//!
//! A commit writes at most one new segment, makes it durable, then replaces the manifest, then unlinks what no
//! manifest names. Stopped anywhere before the swap it leaves the old index, after it the new one; what was left over
//! is swept by the next commit. Segments are merged so that each is at least twice as large as all newer ones
//! together, which bounds their number by the logarithm of the rows, and sooner where most of one is dead.
//!
//! The caller holds the index lock. Nothing here knows when to write or what a sequence means.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::content::{Content, Pending};
use super::manifest::{Listed, MANIFEST, Manifest, NEXT_MANIFEST, is_segment_name, segment_name};
use super::open::{open_segments, refuse_linked, supersede};
use super::quantise::{MAX_DIMENSIONS, ordered_units};
use super::segment::{NAME_BYTES, Segment};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::{hex, random_hex};
use crate::index::mapped::{create_private, sync_dir};

/// A segment at least this many times as large as all newer ones is left alone.
const GROWTH: usize = 2;
/// What may wait in memory before it goes into a segment of its own.
const PENDING_BYTES: usize = 160 << 20;

/// The points between which a commit may be cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    SegmentBegun,
    SegmentWritten,
    SegmentDurable,
    ManifestWritten,
    ManifestSwapped,
    SwapDurable,
    Swept,
}

/// The one who changes the vector index of a folder; see the module.
#[derive(Debug)]
pub(crate) struct VectorWriter {
    dir: PathBuf,
    record: String,
    embedder: String,
    dimensions: usize,
    /// Oldest first: what the manifest names, then what was written since and waits for the next manifest.
    segments: Vec<Segment>,
    sequence: u64,
    history: String,
    pending: Pending,
    pending_bytes: usize,
}

impl VectorWriter {
    /// Takes up the index of a folder, or begins a new one, of sequence 0, where there is none that fits. What does not
    /// fit is left in place until the first commit.
    ///
    /// # Errors
    /// `symlink_refused`, `out_of_range` for a name or dimensions that no index can have, `storage`, `disk_full`.
    pub(crate) fn open_or_create(dir: &Path, record: &str, embedder: &str, dimensions: usize) -> Result<Self> {
        if record.len() > NAME_BYTES || embedder.len() > NAME_BYTES || dimensions == 0 || dimensions > MAX_DIMENSIONS {
            let what = format!("index vectors: an embedder's name has at most {NAME_BYTES} bytes, its vectors 1 to {MAX_DIMENSIONS} dimensions");
            return Err(Error::new(Code::OutOfRange, what));
        }
        if !dir.exists() && !dir.is_symlink() {
            create_private_dir(dir).map_err(|cause| failed("make their folder", cause))?;
        }
        refuse_linked(dir).map_err(|reason| {
            let code = if reason.starts_with("symlink") { Code::SymlinkRefused } else { Code::Storage };
            Error::new(code, format!("index vectors: {reason}"))
        })?;
        // What a writer before left unfinished goes now; where the manifest cannot be read, nothing is known to be that.
        match Manifest::read(dir) {
            Ok(manifest) => sweep(dir, &manifest.segments),
            Err(reason) if reason.starts_with("missing: ") => sweep(dir, &[]),
            Err(_) => {}
        }
        let (segments, sequence, history) = open_segments(dir, record, embedder, dimensions).unwrap_or_default();
        Ok(Self {
            dir: dir.to_owned(),
            record: record.to_owned(),
            embedder: embedder.to_owned(),
            dimensions,
            segments,
            sequence,
            history,
            pending: Pending::default(),
            pending_bytes: PENDING_BYTES,
        })
    }

    /// The sequence up to which what is committed covers the log; 0 for a new index.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The hash of the log's chain at that sequence, as it was given for that commit.
    pub(crate) fn history(&self) -> &str {
        &self.history
    }

    /// Compares the segments with their checksums, but for those whose checksums are in `seen`, and adds them to it.
    ///
    /// # Errors
    /// The reason in words, beginning with `damaged`.
    pub(crate) fn verify_unseen(&self, seen: &mut HashSet<String>) -> Result<(), String> {
        for segment in &self.segments {
            let check = hex(segment.header_check());
            if !seen.contains(&check) {
                segment.verify()?;
                seen.insert(check);
            }
        }
        Ok(())
    }

    /// The checksums of the segments as they are now.
    pub(crate) fn checksums(&self) -> HashSet<String> {
        self.segments.iter().map(|segment| hex(segment.header_check())).collect()
    }

    /// Sets the hash of the log's chain for the next commit.
    pub(crate) fn set_history(&mut self, history: String) {
        self.history = history;
    }

    /// Notes the vectors that a number has now, if any, in place of all that it had.
    ///
    /// A vector of other dimensions, one that is not finite and one of zeros only are left out, here as in the tail.
    /// Above 160 MB (100,000 units of 256 dimensions take 140) what waits goes into a segment of its own, which the next commit makes visible.
    ///
    /// # Errors
    /// `storage`, `disk_full`.
    pub(crate) fn replace(&mut self, number: u64, units: &[(u32, &[f32])]) -> Result<()> {
        self.pending.note(number, &ordered_units(units, self.dimensions));
        if self.pending.bytes() < self.pending_bytes { Ok(()) } else { self.flush() }
    }

    #[cfg(test)]
    pub(super) fn let_wait(&mut self, bytes: usize) {
        self.pending_bytes = bytes;
    }

    /// Makes what was noted visible and durable; the index then covers the log up to `sequence`.
    ///
    /// After an error the index of the folder is the old one or the new one; open the writer again and repeat.
    ///
    /// # Errors
    /// `storage`, `disk_full`. If a segment that was to be merged is damaged, the manifest is taken away, so that the
    /// next writer begins afresh.
    pub(crate) fn commit(&mut self, sequence: u64) -> Result<()> {
        self.commit_in_steps(sequence, &mut pass)
    }

    /// [`Self::commit`] with a call between the steps; an error from it ends the commit as a kill would.
    pub(super) fn commit_in_steps(&mut self, sequence: u64, reached: &mut dyn FnMut(Step) -> Result<()>) -> Result<()> {
        let first_merged = self.first_merged();
        let mut listed: Vec<Listed> = self.segments[..first_merged].iter().map(listed).collect();
        if first_merged < self.segments.len() || !self.pending.is_empty() {
            self.check_merged(first_merged)?;
            listed.extend(self.write_segment(first_merged, sequence, reached)?);
        }
        let manifest = Manifest { sequence, history: self.history.clone(), segments: listed, ..Manifest::empty(&self.record, &self.embedder, self.dimensions) };
        self.swap_manifest(&manifest, reached)?;
        sweep(&self.dir, &manifest.segments);
        reached(Step::Swept)?;
        let open = open_segments(&self.dir, &self.record, &self.embedder, self.dimensions);
        (self.segments, self.sequence, self.history) = open.map_err(|reason| Error::new(Code::Storage, format!("open the vectors just written: {reason}")))?;
        self.pending = Pending::default();
        Ok(())
    }

    /// Writes what waits into a segment that no manifest names yet.
    fn flush(&mut self) -> Result<()> {
        if let Some(listed) = self.write_segment(self.segments.len(), self.sequence, &mut pass)? {
            let opened = Segment::open(&self.dir, &listed.file).and_then(|segment| {
                self.segments.push(segment);
                supersede(&mut self.segments)
            });
            opened.map_err(|reason| Error::new(Code::Storage, format!("open the vectors just written: {reason}")))?;
        }
        self.pending = Pending::default();
        Ok(())
    }

    /// The first segment that takes part in a merge; their number if none does.
    fn first_merged(&self) -> usize {
        let held = &self.segments;
        let size = |segment: &Segment| segment.rows() + segment.header.removed;
        let changed = self.pending.numbers();
        let mostly_dead = |segment: &Segment| {
            let dead = segment.numbers().filter(|number| changed.contains(*number) || segment.superseded.contains(*number));
            dead.count() * 2 > segment.rows()
        };
        let mut newer = self.pending.weight();
        let mut first = held.len();
        for nth in (0..held.len()).rev() {
            if size(&held[nth]) < newer.saturating_mul(GROWTH) || mostly_dead(&held[nth]) {
                first = nth;
            }
            newer += size(&held[nth]);
        }
        first
    }

    /// Damage must not be copied into a segment whose checksum would then vouch for it.
    fn check_merged(&self, first_merged: usize) -> Result<()> {
        for segment in &self.segments[first_merged..] {
            if let Err(reason) = segment.verify() {
                let _ = std::fs::remove_file(self.dir.join(MANIFEST));
                return Err(Error::new(Code::Storage, format!("merge vectors: {reason}; they are made again from the record")));
            }
        }
        Ok(())
    }

    /// Writes what is live from the `first` segment on and what waits into one new segment; `None` if there is nothing
    /// to say.
    fn write_segment(&self, first: usize, sequence: u64, reached: &mut dyn FnMut(Step) -> Result<()>) -> Result<Option<Listed>> {
        let merged = &self.segments[first..];
        let content = Content::new(merged, &self.pending, first == 0);
        if content.is_empty() {
            return Ok(None);
        }
        let file = segment_name(&random_hex(16)?);
        let path = self.dir.join(&file);
        let first_sequence = merged.first().map_or(self.sequence, |segment| segment.header.first_sequence);
        let header = content.header(&self.record, &self.embedder, self.dimensions, first_sequence..=sequence);
        let out = create_private(&path).map_err(|cause| failed("write a segment", cause))?;
        reached(Step::SegmentBegun)?;
        let written = content.write(out, header);
        let (out, check) = written.map_err(|cause| {
            // No manifest names the file: best effort, the next commit sweeps it otherwise.
            let _ = std::fs::remove_file(&path);
            failed("write a segment", cause)
        })?;
        reached(Step::SegmentWritten)?;
        out.sync_all().map_err(|cause| failed("make a segment durable", cause))?;
        reached(Step::SegmentDurable)?;
        Ok(Some(Listed { file, header: check }))
    }

    fn swap_manifest(&self, manifest: &Manifest, reached: &mut dyn FnMut(Step) -> Result<()>) -> Result<()> {
        let next = self.dir.join(NEXT_MANIFEST);
        let write = || -> io::Result<()> {
            if next.symlink_metadata().is_ok() {
                std::fs::remove_file(&next)?;
            }
            let mut file = create_private(&next)?;
            file.write_all(&manifest.encode())?;
            file.sync_all()
        };
        write().map_err(|cause| failed("write their manifest", cause))?;
        reached(Step::ManifestWritten)?;
        let place = self.dir.join(MANIFEST);
        if place.symlink_metadata().is_ok_and(|seen| seen.is_dir()) {
            // An empty folder in place of the manifest goes; one that holds something makes the rename fail.
            let _ = std::fs::remove_dir(&place);
        }
        std::fs::rename(&next, &place).map_err(|cause| failed("put their manifest in place", cause))?;
        reached(Step::ManifestSwapped)?;
        sync_dir(&self.dir).map_err(|cause| failed("make their folder durable", cause))?;
        reached(Step::SwapDurable)
    }
}

/// Goes on at every step.
fn pass(step: Step) -> Result<()> {
    match step {
        Step::SegmentBegun => fail_point!(SegmentBegun),
        Step::SegmentWritten => fail_point!(SegmentWritten),
        Step::SegmentDurable => fail_point!(SegmentDurable),
        Step::ManifestWritten => fail_point!(ManifestWritten),
        Step::ManifestSwapped => fail_point!(ManifestSwapped),
        Step::SwapDurable => fail_point!(SwapDurable),
        Step::Swept => fail_point!(SegmentsSwept),
    }
    Ok(())
}

/// Unlinks the segments that are not `named`. Only tidying: what cannot be unlinked now is met again by the next commit.
fn sweep(dir: &Path, named: &[Listed]) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let stays = named.iter().any(|listed| listed.file == name);
        if (is_segment_name(name) && !stays) || name == NEXT_MANIFEST {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn listed(segment: &Segment) -> Listed {
    Listed { file: segment.file.clone(), header: hex(segment.header_check()) }
}

fn failed(what: &str, cause: io::Error) -> Error {
    Error::new(Code::of_file_error(cause.kind()), format!("index vectors: {what}: {cause}")).because(cause)
}

fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
