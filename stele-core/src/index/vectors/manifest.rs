//! `manifest.json`: which segments make up the index, oldest first, and up to which sequence they cover the log.
//!
//! It is replaced as a whole and is the moment at which a change becomes visible. It carries a checksum over itself
//! and the hash of each segment's header, so a segment of another record or another time is refused.

use std::io::Read;
use std::path::Path;

use super::segment::FORMAT;
use crate::base::digest::digest;
use crate::index::mapped::open_regular;

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const NEXT_MANIFEST: &str = "manifest.json.new";

const MANIFEST_BYTES: u64 = 1 << 20;
const SEGMENT_PREFIX: &str = "segment-";
const SEGMENT_SUFFIX: &str = ".vec";

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    pub(super) record: String,
    pub(super) embedder: String,
    pub(super) dimensions: usize,
    pub(super) sequence: u64,
    /// The hash of the log's chain at that sequence.
    #[serde(default)]
    pub(super) history: String,
    pub(super) segments: Vec<Listed>,
    /// SHA-256 of this file with this field empty.
    pub(super) check: String,
}

/// A segment as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Listed {
    pub(super) file: String,
    /// The hash that stands in the segment's header.
    pub(super) header: String,
}

#[derive(serde::Deserialize)]
struct FormatOnly {
    format: u32,
}

impl Manifest {
    /// An index of no segment, which covers nothing.
    pub(super) fn empty(record: &str, embedder: &str, dimensions: usize) -> Self {
        Self {
            format: FORMAT,
            record: record.to_owned(),
            embedder: embedder.to_owned(),
            dimensions,
            sequence: 0,
            history: String::new(),
            segments: Vec::new(),
            check: String::new(),
        }
    }

    /// The bytes of the file, checksum included.
    pub(super) fn encode(&self) -> Vec<u8> {
        let sealed = Self { check: self.checksum(), ..self.clone() };
        serde_json::to_vec_pretty(&sealed).expect("text and numbers become JSON")
    }

    fn checksum(&self) -> String {
        let open = Self { check: String::new(), ..self.clone() };
        digest(&serde_json::to_vec(&open).expect("text and numbers become JSON"))
    }

    /// Reads the manifest of a folder and checks it against itself.
    ///
    /// # Errors
    /// The reason in words; see `VectorIndex::open`.
    pub(super) fn read(dir: &Path) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let file = open_regular(&dir.join(MANIFEST))?;
        file.take(MANIFEST_BYTES).read_to_end(&mut bytes).map_err(|cause| format!("unreadable: {MANIFEST}: {cause}"))?;
        let damaged = || format!("damaged: {MANIFEST} cannot be read");
        let FormatOnly { format } = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        if format > FORMAT {
            return Err(format!("newer: {MANIFEST} has format {format}, this release reads {FORMAT}"));
        }
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        if manifest.check != manifest.checksum() {
            return Err(format!("damaged: {MANIFEST} does not match its checksum"));
        }
        if !manifest.segments.iter().all(|listed| is_segment_name(&listed.file)) {
            return Err(format!("damaged: {MANIFEST} names a file that is no segment"));
        }
        Ok(manifest)
    }

    /// Refuses the index of another record or another embedder.
    pub(super) fn check_owner(&self, record: &str, embedder: &str, dimensions: usize) -> Result<(), String> {
        if self.record != record {
            return Err("foreign: the vectors belong to another record".into());
        }
        if self.embedder != embedder {
            return Err(format!("embedder: the vectors were made by {}, not by {embedder}", self.embedder));
        }
        if self.dimensions != dimensions {
            return Err(format!("dimensions: the vectors have {}, the embedder gives {dimensions}", self.dimensions));
        }
        Ok(())
    }
}

/// The name of a new segment, from random hexadecimal digits.
pub(super) fn segment_name(random: &str) -> String {
    format!("{SEGMENT_PREFIX}{random}{SEGMENT_SUFFIX}")
}

/// True for a name that [`segment_name`] could have made; no path leads out of the folder.
pub(super) fn is_segment_name(name: &str) -> bool {
    let middle = name.strip_prefix(SEGMENT_PREFIX).and_then(|rest| rest.strip_suffix(SEGMENT_SUFFIX));
    middle.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
