//! Text search: a tantivy index of a prefix of the log, and a tail of what changed after it, scored as one.
//!
//! The index holds terms and node numbers only. Whatever prefix it covers and however it is merged, a search gives the
//! same hits with the same scores: nodes in the tail are left out of the index, document frequencies are counted over
//! the units that live at the head, lengths are quantised alike, and terms are summed in one order.
//!
//! Reading takes no lock, starts no thread and writes nothing, so a directory that cannot be written serves. This folder
//! is the only place that names tantivy; a panic inside it becomes an error, upon which the caller drops the index.

mod folder;
mod most;
mod search;
mod tail;
mod windows;
mod write;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use tantivy::directory::{CompositeFile, FileSlice};
use tantivy::fastfield::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::{InvertedIndexReader, SegmentComponent};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Directory, DocId, HasLen, Index, SegmentReader};

use crate::base::terms::QueryTerm;

pub(crate) use search::search;
pub(crate) use tail::Tail;
pub(crate) use write::TextWriter;

/// The format of the index: its fields and everything that `base/terms.rs` emits.
const FORMAT: u32 = 1;
/// Opening compares the checksums of all files if they are not larger than this together; [`TextIndex::verify`] always does.
const VERIFIED_AT_OPEN: usize = 2 << 20;
/// How often opening starts again when a commit replaces the index under it.
const OPEN_ATTEMPTS: usize = 4;
const META: &str = "meta.json";

/// A piece of text that is scored by itself: a whole node, or a passage of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit<'a> {
    /// The node's number.
    pub(crate) number: u64,
    /// The passage's number in its document, 0 for other nodes.
    pub(crate) ordinal: u32,
    /// The title; its terms count twice.
    pub(crate) title: &'a str,
    /// The body or passage.
    pub(crate) body: &'a str,
}

/// What ranking needs to know of all units that are live at the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// How many units there are.
    pub(crate) units: u64,
    /// The sum of their lengths by [`crate::base::terms::unit_length`].
    pub(crate) terms: u64,
}

/// What to search for.
#[derive(Clone, Debug)]
pub(crate) struct TextQuery {
    /// The terms of the prompt.
    pub(crate) terms: Vec<QueryTerm>,
    /// How many nodes to return at most.
    pub(crate) limit: usize,
}

/// A node that was found, by its best unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TextHit {
    /// The node's number.
    pub(crate) number: u64,
    /// The passage that scored best, the first of them if several did.
    pub(crate) ordinal: u32,
    /// BM25 divided by what a unit could attain at most, in 0..=1.
    pub(crate) score: f32,
    /// True if the unit shares a rare term with the query.
    pub(crate) rare: bool,
    /// The share of the query's mass whose terms the unit holds, in 0..=1.
    pub(crate) coverage: f32,
}

/// The hits of a search, best first, equal scores by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextHits {
    /// The hits.
    pub(crate) hits: Vec<TextHit>,
    /// False if the deadline came first: some units were not looked at, or their scores miss terms.
    pub(crate) complete: bool,
    /// The share of the query's mass that the hits cover together, in 0..=1.
    pub(crate) coverage: f32,
    /// The idf mass of the query: of the terms that were searched and of unknown ones that are no whole.
    pub(crate) mass: f32,
    /// The part of the mass whose terms some live unit holds.
    pub(crate) known: f32,
    /// How many postings were looked at; differs with the state of the index.
    pub(crate) visited: u64,
}

/// The payload of a commit.
#[derive(Serialize, Deserialize)]
struct Payload {
    format: u32,
    record: String,
    sequence: u64,
    /// The hash of the log's chain at that sequence.
    #[serde(default)]
    history: String,
}

/// The schema, and its fields by name.
struct Fields {
    text: Field,
    number: Field,
    ordinal: Field,
}

impl Fields {
    const TOKENIZER: &'static str = "terms";

    fn schema() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default().set_tokenizer(Self::TOKENIZER).set_index_option(IndexRecordOption::WithFreqs).set_fieldnorms(true);
        let text = builder.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let number = builder.add_u64_field("number", INDEXED | FAST);
        let ordinal = builder.add_u64_field("ordinal", FAST);
        (builder.build(), Self { text, number, ordinal })
    }
}

/// Which file `meta.json` was; a commit replaces it by another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<std::time::SystemTime>,
    file: (u64, u64),
}

impl Stamp {
    fn of(dir: &Path) -> std::io::Result<Self> {
        let meta = fs::symlink_metadata(dir.join(META))?;
        if !meta.is_file() {
            return Err(std::io::Error::other("meta.json is no ordinary file"));
        }
        #[cfg(unix)]
        let file = (std::os::unix::fs::MetadataExt::dev(&meta), std::os::unix::fs::MetadataExt::ino(&meta));
        #[cfg(not(unix))]
        let file = (0, 0);
        Ok(Self { length: meta.len(), modified: meta.modified().ok(), file })
    }
}

/// An opened, immutable view of the index as one commit left it.
pub(crate) struct TextIndex {
    dir: PathBuf,
    stamp: Stamp,
    sequence: u64,
    history: String,
    number_field: Field,
    segments: Vec<Segment>,
    index: Index,
    files: Vec<PathBuf>,
}

/// A segment with what a search reads of it.
struct Segment {
    reader: SegmentReader,
    terms: Arc<InvertedIndexReader>,
    /// The posting lists of the terms, as they stand in the file.
    postings: FileSlice,
    numbers: Column<u64>,
    ordinals: Column<u64>,
    norms: FieldNormReader,
    norm_bytes: OnceLock<Vec<u8>>,
    deleted: OnceLock<Vec<DocId>>,
}

impl TextIndex {
    /// The file that lists the segments; without it there is no index.
    pub(crate) const LIST: &str = META;

    /// Opens the index of the record with that identity as the last commit left it.
    ///
    /// # Errors
    /// The reason why it cannot serve: missing, of another record or format, or damaged.
    pub(crate) fn open(dir: &Path, record: &str) -> Result<Self, String> {
        let mut attempt = 1;
        loop {
            let stamp = Stamp::of(dir).map_err(|error| format!("no index: {error}"))?;
            match guard(|| Self::open_once(dir, record, stamp.clone())) {
                // Merging removes files that the replaced meta.json named.
                Err(_) if attempt < OPEN_ATTEMPTS && Stamp::of(dir).is_ok_and(|now| now != stamp) => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    fn open_once(dir: &Path, record: &str, stamp: Stamp) -> Result<Self, String> {
        if fs::symlink_metadata(dir).map_err(say)?.is_symlink() {
            return Err("the folder of the index is a symbolic link".to_owned());
        }
        let index = Index::open_in_dir(dir).map_err(say)?;
        let meta = index.load_metas().map_err(say)?;
        let payload: Payload = serde_json::from_str(meta.payload.as_deref().ok_or("nothing was committed yet")?).map_err(say)?;
        if payload.format != FORMAT {
            return Err(format!("the index has format {}, not {FORMAT}", payload.format));
        }
        if payload.record != record {
            return Err("the index belongs to another record".to_owned());
        }
        let (schema, fields) = Fields::schema();
        if meta.schema != schema {
            return Err("the index has other fields".to_owned());
        }
        let mut files = Vec::new();
        for segment in &meta.segments {
            use SegmentComponent::{Delete, FastFields, FieldNorms, Postings, Terms};
            let kinds = [Postings, Terms, FastFields, FieldNorms];
            files.extend(kinds.into_iter().chain(segment.has_deletes().then_some(Delete)).map(|kind| segment.relative_path(kind)));
        }
        let mut this = Self {
            dir: dir.to_owned(),
            stamp,
            sequence: payload.sequence,
            history: payload.history,
            number_field: fields.number,
            segments: Vec::new(),
            index,
            files,
        };
        // Held until the segments are open, so that each file is mapped once.
        let held = this.files.iter().map(|file| this.index.directory().open_read(file).map_err(say)).collect::<Result<Vec<_>, _>>()?;
        if held.iter().map(HasLen::len).sum::<usize>() <= VERIFIED_AT_OPEN {
            this.check_files()?;
        }
        for segment in meta.segments {
            let postings = this.index.directory().open_read(&segment.relative_path(SegmentComponent::Postings)).map_err(say)?;
            let reader = SegmentReader::open(&this.index.segment(segment)).map_err(say)?;
            let postings = CompositeFile::open(&postings).map_err(say)?.open_read(fields.text).unwrap_or_else(FileSlice::empty);
            let segment = Segment::open(reader, postings, fields.text).map_err(say)?;
            if !segment.is_consistent().map_err(say)? {
                return Err("the files of a segment do not belong together".to_owned());
            }
            this.segments.push(segment);
        }
        Ok(this)
    }

    /// The sequence number of the last operation that the index covers.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The hash of the log's chain at that operation, as the writer knew it.
    pub(crate) fn history(&self) -> &str {
        &self.history
    }

    /// False once another commit or merge has replaced this view; costs one look at a file.
    pub(crate) fn is_current(&self) -> bool {
        Stamp::of(&self.dir).is_ok_and(|now| now == self.stamp)
    }

    /// Compares the checksum of every file, which reads the whole index.
    ///
    /// # Errors
    /// The reason why the index cannot be trusted.
    pub(crate) fn verify(&self) -> Result<(), String> {
        guard(|| self.check_files())
    }

    fn check_files(&self) -> Result<(), String> {
        for file in &self.files {
            if !self.index.directory().validate_checksum(file).map_err(say)? {
                return Err(format!("{} is damaged", file.display()));
            }
        }
        Ok(())
    }
}

impl Segment {
    fn open(reader: SegmentReader, postings: FileSlice, text: Field) -> tantivy::Result<Self> {
        Ok(Self {
            terms: reader.inverted_index(text)?,
            postings,
            numbers: reader.fast_fields().u64("number")?,
            ordinals: reader.fast_fields().u64("ordinal")?,
            norms: reader.get_fieldnorms_reader(text)?,
            norm_bytes: OnceLock::new(),
            deleted: OnceLock::new(),
            reader,
        })
    }

    /// True if the files speak of the same documents, and the last term ends where its postings do.
    fn is_consistent(&self) -> std::io::Result<bool> {
        // A field's postings begin with the number of its tokens.
        let held = self.postings.len().saturating_sub(size_of::<u64>());
        let dictionary = self.terms.terms();
        let mut last = Vec::new();
        let end = match dictionary.num_terms().checked_sub(1) {
            Some(place) if dictionary.ord_to_term(place as u64, &mut last)? => dictionary.get(&last)?.map_or(0, |info| info.postings_range.end),
            _ => 0,
        };
        let max_doc = self.reader.max_doc();
        Ok(end == held && self.numbers.num_docs() == max_doc && self.ordinals.num_docs() == max_doc && self.norms.num_docs() == max_doc)
    }

    /// The quantised length of each document, one after the other.
    fn norms(&self) -> &[u8] {
        self.norm_bytes.get_or_init(|| (0..self.reader.max_doc()).map(|doc| self.norms.fieldnorm_id(doc)).collect())
    }

    /// The documents that were replaced or removed before the commit, ascending.
    fn deleted(&self) -> &[DocId] {
        self.deleted.get_or_init(|| match self.reader.alive_bitset() {
            Some(alive) => (0..self.reader.max_doc()).filter(|&doc| alive.is_deleted(doc)).collect(),
            None => Vec::new(),
        })
    }
}

/// The form in which a cause from the library reaches the caller.
fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Runs what calls the library, whose faults on damaged files include panics.
fn guard<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("the index library failed on this index".to_owned()))
}

#[cfg(test)]
mod tests;
