//! Writing the index: what catch-up calls under its lock.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::OpenWriteError;
use tantivy::index::SegmentComponent;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::TantivyDocument;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{Index, IndexSettings, IndexWriter, SegmentMeta, TantivyError, Term};

use super::folder::Folder;
use super::{FORMAT, Fields, META, Payload, TextIndex, Unit, guard, say};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::node_set::NodeSet;
use crate::base::terms::Tokeniser;

/// The memory that the library asks for at least, and what a rebuild may take, in bytes.
const MEMORY: std::ops::RangeInclusive<u64> = 15_000_000..=192_000_000;
/// Bytes of memory for a byte of text, measured on facts.
const MEMORY_FOR_TEXT: u64 = 4;

/// The one writer of an index, under the lock of its caller; what it has not committed is lost with it.
///
/// The library indexes on one thread and merges on another; both end with [`TextWriter::close`] or on drop.
pub(crate) struct TextWriter {
    dir: PathBuf,
    index: Index,
    writer: Option<IndexWriter>,
    fields: Fields,
    record: String,
    sequence: u64,
    history: String,
    /// The nodes that may have units in the index; `None` if any may.
    written: Option<NodeSet>,
    tokeniser: Tokeniser,
}

impl TextWriter {
    /// Opens the index of a record for writing, or starts an empty one in place of one that cannot serve.
    ///
    /// `text_bytes` is about how much text will be written before the next commit; it sizes the memory.
    ///
    /// # Errors
    /// `storage` if the disk refuses.
    pub(crate) fn open_or_create(dir: &Path, record: &str, text_bytes: u64) -> Result<Self> {
        guarded("open the text index for writing", || {
            fs::create_dir_all(dir).map_err(storage)?;
            let (schema, fields) = Fields::schema();
            let existing = TextIndex::open(dir, record).ok().and_then(|view| view.verify().is_ok().then_some(view));
            let history = existing.as_ref().map_or_else(String::new, |view| view.history().to_owned());
            let folder = Folder::open(dir).map_err(|error| failed(error.into()))?;
            let (mut index, sequence, written) = match existing {
                Some(view) => {
                    let index = Index::open(folder).map_err(failed)?;
                    sweep(dir, &index);
                    (index, view.sequence(), (view.segments.is_empty()).then(NodeSet::new))
                }
                None => {
                    clear(dir)?;
                    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
                    (Index::create(folder, schema, settings).map_err(failed)?, 0, Some(NodeSet::new()))
                }
            };
            let tokenizers = TokenizerManager::default();
            tokenizers.register(Fields::TOKENIZER, SpacedTerms::default());
            index.set_tokenizers(tokenizers);
            let memory = text_bytes.saturating_mul(MEMORY_FOR_TEXT).clamp(*MEMORY.start(), *MEMORY.end());
            let options = IndexWriterOptions::builder()
                .num_worker_threads(1)
                .num_merge_threads(1)
                .memory_budget_per_thread(usize::try_from(memory).expect("less than 4 GiB"))
                .build();
            let writer: IndexWriter = index.writer_with_options(options).map_err(failed)?;
            // At most three segments within a factor of four in size: about a dozen for a million units.
            let mut merging = LogMergePolicy::default();
            merging.set_min_num_segments(4);
            merging.set_level_log_size(2.0);
            merging.set_min_layer_size(4_000);
            merging.set_del_docs_ratio_before_merge(0.2);
            writer.set_merge_policy(Box::new(merging));
            Ok(Self {
                dir: dir.to_owned(),
                index,
                writer: Some(writer),
                fields,
                record: record.to_owned(),
                sequence,
                history,
                written,
                tokeniser: Tokeniser::new(),
            })
        })
    }

    /// The sequence number that the last commit covers, 0 for a new index.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The hash of the log's chain at that sequence, as it was given for that commit.
    pub(crate) fn history(&self) -> &str {
        &self.history
    }

    /// Sets the hash of the log's chain for the next commit.
    pub(crate) fn set_history(&mut self, history: String) {
        self.history = history;
    }

    /// Puts `units` in the place of all units of the node.
    ///
    /// # Errors
    /// `storage` if an earlier write failed.
    pub(crate) fn replace(&mut self, number: u64, units: &[Unit<'_>]) -> Result<()> {
        self.remove(number)?;
        if let Some(written) = &mut self.written {
            written.insert(number);
        }
        guarded("write to the text index", || {
            let writer = self.writer.as_ref().expect("present until it is closed");
            // Terms are made here, so that this thread and the library's share the work.
            for unit in units {
                debug_assert_eq!(unit.number, number, "a unit belongs to the node that it replaces");
                let mut document = TantivyDocument::new();
                document.add_text(self.fields.text, self.tokeniser.spaced_terms(unit.title, unit.body));
                document.add_u64(self.fields.number, unit.number);
                document.add_u64(self.fields.ordinal, u64::from(unit.ordinal));
                writer.add_document(document).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Takes out all units of the node.
    ///
    /// # Errors
    /// `storage` if an earlier write failed.
    pub(crate) fn remove(&mut self, number: u64) -> Result<()> {
        if self.written.as_ref().is_some_and(|written| !written.contains(number)) {
            return Ok(());
        }
        guarded("write to the text index", || {
            let writer = self.writer.as_ref().expect("present until it is closed");
            writer.delete_term(Term::from_field_u64(self.fields.number, number));
            Ok(())
        })
    }

    /// Makes what was written visible and durable, as covering the log up to `sequence`.
    ///
    /// # Errors
    /// `storage` or `disk_full` if the disk refuses; nothing changed then.
    pub(crate) fn commit(&mut self, sequence: u64) -> Result<()> {
        guarded("commit the text index", || {
            let payload = Payload { format: FORMAT, record: self.record.clone(), sequence, history: self.history.clone() };
            let mut prepared = self.writer.as_mut().expect("present until it is closed").prepare_commit().map_err(failed)?;
            prepared.set_payload(&serde_json::to_string(&payload).expect("a payload is plain JSON"));
            fail_point!(TextPrepared);
            prepared.commit().map_err(failed)?;
            fail_point!(TextCommitted);
            self.sequence = sequence;
            Ok(())
        })
    }

    /// Waits for merging and ends the writer's threads.
    ///
    /// # Errors
    /// `storage` if a merge failed; the index serves as it was committed.
    pub(crate) fn close(mut self) -> Result<()> {
        guarded("merge the text index", || match self.writer.take() {
            Some(writer) => {
                writer.wait_merging_threads().map_err(failed)?;
                sweep(&self.dir, &self.index);
                Ok(())
            }
            None => Ok(()),
        })
    }
}

impl Drop for TextWriter {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // What fails here was not committed, or is a merge that the next writer repeats.
            let _ = guard(|| writer.wait_merging_threads().map_err(say));
        }
    }
}

/// Removes what no commit names. The library forgets what it was writing when its process ended, and would not write a file
/// anew that stands there already; what a merge has replaced it takes away somewhat later. What cannot be removed now
/// is met again by the next writer.
fn sweep(dir: &Path, index: &Index) {
    let (Ok(metas), Ok(entries)) = (index.load_metas(), fs::read_dir(dir)) else { return };
    let named: HashSet<PathBuf> = metas.segments.iter().flat_map(files).collect();
    for entry in entries.flatten() {
        let name = PathBuf::from(entry.file_name());
        let is_left = (is_of_index(&name) && !named.contains(&name)) || is_temporary(&name);
        if is_left && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The files of a segment that is committed.
fn files(segment: &SegmentMeta) -> impl Iterator<Item = PathBuf> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let deleted = segment.has_deletes().then_some(Delete);
    [Postings, Positions, Terms, FastFields, FieldNorms, Store].into_iter().chain(deleted).map(|kind| segment.relative_path(kind))
}

/// True for a file of a segment.
fn is_of_index(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "idx" | "pos" | "term" | "fast" | "fieldnorm" | "store" | "temp" | "del")
}

/// True for a list of the library's on its way into the place of another.
fn is_temporary(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name.strip_prefix(".tmp").is_some_and(|random| random.len() == 6))
}

/// Takes away the files of an index that cannot serve, and nothing else.
fn clear(dir: &Path) -> Result<(), Error> {
    // Without the list of segments no reader looks for a segment's file, so it goes first.
    let mut doomed = vec![dir.join(META), dir.join(".managed.json")];
    for entry in fs::read_dir(dir).map_err(storage)? {
        let entry = entry.map_err(storage)?;
        let name = PathBuf::from(entry.file_name());
        if is_of_index(&name) || is_temporary(&name) {
            doomed.push(entry.path());
        }
    }
    for path in doomed {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(storage(error)),
            _ => {}
        }
    }
    Ok(())
}

fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut outcome = None;
    match guard(|| {
        outcome = Some(work());
        Ok(())
    }) {
        Ok(()) => outcome.expect("the work ran to its end"),
        Err(reason) => Err(Error::new(Code::Internal, format!("{what}: {reason}"))),
    }
}

fn storage(error: impl Into<Arc<std::io::Error>>) -> Error {
    let error = error.into();
    Error::new(Code::of_file_error(error.kind()), format!("write the text index: {error}")).because(error)
}

fn failed(error: TantivyError) -> Error {
    match error {
        TantivyError::IoError(cause) | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: cause, .. }) => storage(cause),
        // It starts threads, where the system gives any.
        TantivyError::SystemError(what) => Error::new(Code::Busy, format!("write the text index: {what}")),
        error => Error::new(Code::Storage, format!("write the text index: {error}")).because(error),
    }
}

/// Reads back the terms that [`Tokeniser::spaced_terms`] wrote.
#[derive(Clone, Default)]
struct SpacedTerms {
    token: Token,
}

struct SpacedStream<'a> {
    terms: std::str::SplitTerminator<'a, char>,
    token: &'a mut Token,
}

impl Tokenizer for SpacedTerms {
    type TokenStream<'a> = SpacedStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpacedStream<'a> {
        self.token.reset();
        SpacedStream { terms: text.split_terminator(' '), token: &mut self.token }
    }
}

impl TokenStream for SpacedStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else { return false };
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
