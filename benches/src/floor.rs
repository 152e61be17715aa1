//! The bare floor: what a retrieval cannot do without, on the files of a record, with the libraries used directly and
//! nothing around them.
//!
//! A query of the prompt's terms to tantivy for ten seeds by its own BM25, an exact scan of the quantised vectors with
//! the nearest ranked in full precision, one walk of twelve edges a seed, twenty bodies. No tail, no filter, no
//! supersession, no near-duplicates, no order of its own, no text form, no check of anything.
//!
//! Terms that three tenths of the record hold are left out as [`Terms::Telling`], which is the lowest floor: such terms
//! find nothing in a retrieval either, but they count in its scores. [`Terms::All`] scores them too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};
use rust_stemmers::{Algorithm, Stemmer};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Index, ReloadPolicy, Searcher, Term};

use crate::dots::dots;

const SEEDS: usize = 10;
const EDGES: i64 = 12;
const BODIES: usize = 20;
/// Tenths of the units that a telling term is in at most.
const FREQUENT_TENTHS: u64 = 3;
/// Rows of the scan that are ranked in full precision, for ten hits.
const RANKED: usize = 40;
/// Bytes of a segment's header.
const HEADER: usize = 1024;
const PAGE: usize = 4096;

/// Which terms of a prompt are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Those that find something.
    Telling,
    /// Also those that a large part of the record holds.
    All,
}

/// The files of a record, opened by their libraries.
pub struct Floor {
    searcher: Searcher,
    text: Field,
    segments: Vec<Segment>,
    record: Connection,
}

/// A mapped file of vectors.
struct Segment {
    map: memmap2::Mmap,
    file: File,
    rows: usize,
    numbers: usize,
    factors: usize,
    quantised: usize,
    exact: usize,
}

/// What a bare look-up gave.
#[derive(Debug, Default)]
pub struct Bare {
    /// The numbers of the seeds by words.
    pub seeds: Vec<u64>,
    /// The numbers nearest by meaning.
    pub near: Vec<u64>,
    /// How many edges were followed.
    pub edges: usize,
    /// The bytes of the texts that were fetched.
    pub bytes: usize,
}

impl Floor {
    /// Opens the files of the record in a folder.
    ///
    /// # Panics
    /// If one of them cannot be opened.
    #[must_use]
    pub fn open(dir: &Path) -> Self {
        let index = Index::open_in_dir(dir.join("text")).expect("a text index");
        let text = index.schema().get_field("text").expect("the field of the terms");
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().expect("a reader of the index");
        let segments = std::fs::read_dir(dir.join("vectors"))
            .expect("a folder of vectors")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "vec"))
            .map(|path| Segment::open(&path))
            .collect();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let record = Connection::open_with_flags(dir.join("record.db"), flags).expect("a record");
        Self { searcher: reader.searcher(), text, segments, record }
    }

    /// Looks a prompt up.
    ///
    /// # Panics
    /// If one of the libraries fails.
    #[must_use]
    pub fn look_up(&self, prompt: &str, terms: Terms) -> Bare {
        let mut bare = Bare { seeds: self.by_words(prompt, terms), near: self.by_meaning(prompt), ..Bare::default() };
        let mut found = bare.seeds.clone();
        self.record.execute_batch("BEGIN").expect("a snapshot");
        {
            let sql = "SELECT neighbour, relation, direction, class FROM adjacent WHERE node = ?1 AND to_seq = 9223372036854775807 LIMIT ?2";
            let mut edges = self.record.prepare_cached(sql).expect("a statement");
            for seed in &bare.seeds {
                let mut rows = edges.query(params![seed.cast_signed(), EDGES]).expect("edges");
                while let Some(row) = rows.next().expect("an edge") {
                    let neighbour: i64 = row.get(0).expect("a number");
                    bare.edges += 1;
                    if found.len() < BODIES && !found.contains(&neighbour.cast_unsigned()) {
                        found.push(neighbour.cast_unsigned());
                    }
                }
            }
            let mut texts = self.record.prepare_cached("SELECT title, body FROM node WHERE number = ?1").expect("a statement");
            for number in &found {
                let text: (String, String) = texts.query_row([number.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?))).expect("a node");
                bare.bytes += text.0.len() + text.1.len();
            }
        }
        self.record.execute_batch("COMMIT").expect("the end of the snapshot");
        bare
    }

    fn by_words(&self, prompt: &str, wanted: Terms) -> Vec<u64> {
        let units = self.searcher.num_docs();
        let held = |term: &Term| self.searcher.doc_freq(term).expect("a count");
        let mut terms: Vec<Term> = terms(prompt).iter().map(|term| Term::from_field_text(self.text, term)).collect();
        if wanted == Terms::Telling {
            terms.retain(|term| held(term) * 10 <= units * FREQUENT_TENTHS);
        }
        let clauses: Vec<(Occur, Box<dyn Query>)> = terms
            .into_iter()
            .map(|term| {
                let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
                (Occur::Should, query)
            })
            .collect();
        let best = self.searcher.search(&BooleanQuery::new(clauses), &TopDocs::with_limit(SEEDS).order_by_score()).expect("hits");
        let number = |segment: u32, doc| {
            let numbers = self.searcher.segment_reader(segment).fast_fields().u64("number").expect("a column");
            numbers.first(doc).expect("a number")
        };
        best.into_iter().map(|(_, at)| number(at.segment_ord, at.doc_id)).collect()
    }

    fn by_meaning(&self, prompt: &str) -> Vec<u64> {
        let query = stele_model::embed_weighted(prompt);
        let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        #[expect(clippy::cast_possible_truncation, reason = "at most 32767 in size")]
        let rough: Vec<i16> = query.iter().map(|x| (x / largest * 32_767.0).round() as i16).collect();
        let mut best: BinaryHeap<Reverse<(i64, usize, usize)>> = BinaryHeap::new();
        for (nth, segment) in self.segments.iter().enumerate() {
            let mut sums = vec![0; segment.rows];
            dots(&rough, segment.quantised(), &mut sums);
            for (row, sum) in sums.into_iter().enumerate() {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "only the order counts")]
                let score = (sum as f32 * segment.factor(row) * 1e6) as i64;
                if best.len() < RANKED || best.peek().is_some_and(|Reverse(worst)| score > worst.0) {
                    best.push(Reverse((score, nth, row)));
                    if best.len() > RANKED {
                        best.pop();
                    }
                }
            }
        }
        let mut ranked: Vec<(f32, u64)> = best
            .into_iter()
            .map(|Reverse((_, nth, row))| {
                let segment = &self.segments[nth];
                let cosine = segment.exact(row).iter().zip(&query).map(|(a, b)| a * b).sum();
                (cosine, segment.number(row))
            })
            .collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().take(SEEDS).map(|(_, number)| number).collect()
    }
}

impl Segment {
    fn open(path: &Path) -> Self {
        let file = File::open(path).expect("a file of vectors");
        let mut header = [0; 32];
        file.read_exact_at(&mut header, 0).expect("a header");
        let number = |at: usize| usize::try_from(u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"))).expect("a size");
        assert_eq!(u32::from_le_bytes(header[12..16].try_into().expect("four bytes")) as usize, stele_model::DIMENSIONS);
        let (rows, removed) = (number(16), number(24));
        let factors = HEADER + rows * 12;
        let coarse = (factors + rows * 4 + removed * 8).next_multiple_of(PAGE);
        let quantised = (coarse + rows * stele_model::DIMENSIONS / 2).next_multiple_of(PAGE);
        let exact = (quantised + rows * stele_model::DIMENSIONS).next_multiple_of(PAGE);
        Self { map: crate::dots::map(&file, exact), file, rows, numbers: HEADER, factors, quantised, exact }
    }

    fn quantised(&self) -> &[u8] {
        &self.map[self.quantised..self.quantised + self.rows * stele_model::DIMENSIONS]
    }

    fn factor(&self, row: usize) -> f32 {
        let at = self.factors + row * 4;
        f32::from_le_bytes(self.map[at..at + 4].try_into().expect("four bytes"))
    }

    fn number(&self, row: usize) -> u64 {
        let at = self.numbers + row * 8;
        u64::from_le_bytes(self.map[at..at + 8].try_into().expect("eight bytes"))
    }

    fn exact(&self, row: usize) -> Vec<f32> {
        let mut bytes = [0; stele_model::DIMENSIONS * 4];
        let at = self.exact + row * bytes.len();
        self.file.read_exact_at(&mut bytes, at as u64).expect("a row");
        bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
    }
}

/// The telling terms of a prompt that [`crate::prompts`] made, each once.
fn terms(prompt: &str) -> Vec<String> {
    const UNTELLING: [&str; 20] =
        ["do", "you", "rememb", "whi", "we", "the", "of", "and", "to", "in", "is", "for", "that", "on", "with", "by", "as", "at", "from", "when"];
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = |word: &str| if word.len() > 2 { stemmer.stem(word).into_owned() } else { word.to_owned() };
    let mut terms: Vec<String> = Vec::new();
    for word in prompt.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        let mut found: Vec<String> = word.split('_').map(stem).collect();
        if found.len() > 1 {
            found.push(stem(&word.replace('_', "")));
        }
        for term in found {
            if !terms.contains(&term) && !UNTELLING.contains(&term.as_str()) {
                terms.push(term);
            }
        }
    }
    terms
}
