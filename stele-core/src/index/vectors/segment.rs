//! The layout of a segment file and its checks. All numbers are little-endian.
//!
//! ```text
//! header 1024   magic, format, dimensions, rows, removed, largest number, first and last sequence,
//!               SHA-256 of the body, record, embedder; the last 32 bytes are the SHA-256 of the rest
//! numbers       rows × u64, ascending; equal numbers stand together, by ordinal
//! ordinals      rows × u32
//! factors       rows × f32, of the quantised rows
//! removed       removed × u64: numbers that this segment takes out of older ones
//! coarse        rows × half a padded width, from a multiple of 4096
//! quantised     rows × padded width, from a multiple of 4096
//! exact         rows × dimensions × f32, from a multiple of 4096
//! ```
//!
//! Opening reads the header and compares the length of the file with what it says; the body is checked by `verify`.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

use super::quantise::{MAX_DIMENSIONS, coarse_bytes, row_bytes};
use crate::base::node_set::NodeSet;
use crate::index::mapped::{Mapped, open_regular};

/// The format that this release writes, and the only one that it reads.
pub(super) const FORMAT: u32 = 2;
/// The longest name of a record or an embedder, in bytes.
pub(super) const NAME_BYTES: usize = 255;
pub(super) const HEADER_BYTES: usize = 1024;

const MAGIC: [u8; 8] = *b"stelevec";
const CHECKED_BYTES: usize = HEADER_BYTES - 32;
const PAGE: usize = 4096;
const VERIFY_BYTES: usize = 1 << 18;
/// A file of at most this size is mapped whole; of a larger one the rows in full precision are read one by one, so that
/// they do not stay resident.
const MAPPED_WHOLE: usize = 16 << 20;
/// So many rows in full precision are read one by one at first even so: each lies on a page of its own, and a process that
/// searches once would pay for making it and for letting go of it.
const READ_FIRST: usize = 1_024;

/// What a segment says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) record: String,
    pub(super) embedder: String,
    pub(super) dimensions: usize,
    pub(super) rows: usize,
    pub(super) removed: usize,
    pub(super) last_number: u64,
    pub(super) first_sequence: u64,
    pub(super) last_sequence: u64,
    pub(super) body: [u8; 32],
}

impl Header {
    /// The header as it stands in the file; names longer than [`NAME_BYTES`] are refused by the writer before.
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&(self.dimensions as u32).to_le_bytes());
        for value in [self.rows as u64, self.removed as u64, self.last_number, self.first_sequence, self.last_sequence] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        out.extend_from_slice(&self.body);
        for name in [&self.record, &self.embedder] {
            out.push(u8::try_from(name.len()).expect("the writer bounds names"));
            out.extend_from_slice(name.as_bytes());
        }
        out.resize(CHECKED_BYTES, 0);
        let check = Sha256::digest(&out);
        out.extend_from_slice(&check);
        out.try_into().expect("the length of a header")
    }

    /// Reads a header that [`Header::encode`] wrote, or says why it is none.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes.get(..HEADER_BYTES).ok_or("damaged: a segment is shorter than its header")?;
        let (checked, check) = rest.split_at(CHECKED_BYTES);
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at_checked(count).ok_or("damaged: a segment's header ends early")?;
            rest = tail;
            Ok::<_, String>(head)
        };
        if take(8)? != MAGIC {
            return Err("damaged: a segment does not begin like one".into());
        }
        let format = le_u32(take(4)?, 0);
        if format > FORMAT {
            return Err(format!("newer: a segment has format {format}, this release reads {FORMAT}"));
        }
        if format < FORMAT {
            return Err(format!("older: a segment has format {format}, this release reads {FORMAT}"));
        }
        if Sha256::digest(checked).as_slice() != check {
            return Err("damaged: a segment's header does not match its checksum".into());
        }
        let dimensions = le_u32(take(4)?, 0) as usize;
        let mut numbers = [0_u64; 5];
        for number in &mut numbers {
            *number = le_u64(take(8)?, 0);
        }
        let [rows, removed, last_number, first_sequence, last_sequence] = numbers;
        let body = take(32)?.try_into().expect("32 bytes were taken");
        let mut name = || {
            let length = usize::from(take(1)?[0]);
            let bytes = take(length)?.to_vec();
            String::from_utf8(bytes).map_err(|_| "damaged: a segment's header holds a name that is no text".to_owned())
        };
        let (record, embedder) = (name()?, name()?);
        let size = |value: u64| usize::try_from(value).map_err(|_| "damaged: a segment's header is out of range".to_owned());
        let header = Self { record, embedder, dimensions, rows: size(rows)?, removed: size(removed)?, last_number, first_sequence, last_sequence, body };
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return Err("damaged: a segment's header is out of range".into());
        }
        Ok(header)
    }

    /// Where each part of the file lies; `None` if the header asks for more than there are addresses.
    pub(super) fn layout(&self) -> Option<Layout> {
        let part = |start: usize, count: usize, each: usize| Some(start..start.checked_add(count.checked_mul(each)?)?);
        let page = |at: usize| at.checked_next_multiple_of(PAGE);
        let numbers = part(HEADER_BYTES, self.rows, 8)?;
        let ordinals = part(numbers.end, self.rows, 4)?;
        let factors = part(ordinals.end, self.rows, 4)?;
        let removed = part(factors.end, self.removed, 8)?;
        let coarse = part(page(removed.end)?, self.rows, coarse_bytes(self.dimensions))?;
        let quantised = part(page(coarse.end)?, self.rows, row_bytes(self.dimensions))?;
        let exact = part(page(quantised.end)?, self.rows, self.dimensions * 4)?;
        Some(Layout { numbers, ordinals, factors, removed, coarse, quantised, exact })
    }
}

/// The byte ranges of the parts of a segment.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) numbers: Range<usize>,
    pub(super) ordinals: Range<usize>,
    pub(super) factors: Range<usize>,
    pub(super) removed: Range<usize>,
    pub(super) coarse: Range<usize>,
    pub(super) quantised: Range<usize>,
    pub(super) exact: Range<usize>,
}

impl Layout {
    /// The length of the whole file.
    pub(super) fn file_bytes(&self) -> usize {
        self.exact.end
    }
}

/// A mapped segment.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) file: String,
    pub(super) header: Header,
    pub(super) layout: Layout,
    map: Mapped,
    /// How many rows in full precision were read one by one.
    read: AtomicUsize,
    /// Numbers that newer segments name: their rows here are dead.
    pub(super) superseded: NodeSet,
}

impl Segment {
    /// Maps a segment and checks its header and length.
    ///
    /// # Errors
    /// The reason in words; see `VectorIndex::open`.
    pub(super) fn open(dir: &Path, file: &str) -> Result<Self, String> {
        let unreadable = |cause: io::Error| format!("unreadable: {file}: {cause}");
        let mut handle = open_regular(&dir.join(file))?;
        let length = handle.metadata().map_err(unreadable)?.len();
        if length < HEADER_BYTES as u64 {
            return Err(format!("damaged: {file} has {length} bytes, less than a header"));
        }
        let mut bytes = [0; HEADER_BYTES];
        handle.read_exact(&mut bytes).map_err(unreadable)?;
        let header = Header::decode(&bytes)?;
        let layout = header.layout().filter(|layout| layout.file_bytes() as u64 == length);
        let layout = layout.ok_or_else(|| format!("damaged: {file} has {length} bytes, not what its header says"))?;
        let mapped = if layout.file_bytes() <= MAPPED_WHOLE { layout.file_bytes() } else { layout.quantised.end };
        let map = Mapped::new(handle, mapped).map_err(unreadable)?;
        Ok(Self { file: file.to_owned(), header, layout, map, read: AtomicUsize::new(0), superseded: NodeSet::new() })
    }

    /// The hash that stands at the end of the header and in the manifest.
    pub(super) fn header_check(&self) -> &[u8] {
        &self.map[CHECKED_BYTES..HEADER_BYTES]
    }

    /// Compares the body with the header's hash of it, block by block.
    pub(super) fn verify(&self) -> Result<(), String> {
        let mut hash = Sha256::new();
        let mut block = vec![0; VERIFY_BYTES];
        for start in (HEADER_BYTES..self.layout.file_bytes()).step_by(VERIFY_BYTES) {
            let block = &mut block[..VERIFY_BYTES.min(self.layout.file_bytes() - start)];
            self.map.read_at(start, block).map_err(|cause| format!("damaged: {} cannot be read: {cause}", self.file))?;
            hash.update(block);
        }
        if hash.finalize().as_slice() != self.header.body {
            return Err(format!("damaged: the body of {} does not match its checksum", self.file));
        }
        Ok(())
    }

    pub(super) fn rows(&self) -> usize {
        self.header.rows
    }

    pub(super) fn number(&self, row: usize) -> u64 {
        le_u64(&self.map[self.layout.numbers.clone()], row)
    }

    /// The number of every row, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let (numbers, _) = self.map[self.layout.numbers.clone()].as_chunks::<8>();
        numbers.iter().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// The numbers that this segment takes out of older ones.
    pub(super) fn removed(&self) -> impl Iterator<Item = u64> + '_ {
        let (removed, _) = self.map[self.layout.removed.clone()].as_chunks::<8>();
        removed.iter().map(|bytes| u64::from_le_bytes(*bytes))
    }

    pub(super) fn ordinal(&self, row: usize) -> u32 {
        le_u32(&self.map[self.layout.ordinals.clone()], row)
    }

    /// The factor of one row.
    pub(super) fn factor(&self, row: usize) -> f32 {
        f32::from_bits(le_u32(&self.map[self.layout.factors.clone()], row))
    }

    /// Copies the factors of consecutive rows into `out`.
    pub(super) fn factors(&self, from: usize, out: &mut [f32]) {
        let (factors, _) = self.map[self.layout.factors.clone()].as_chunks::<4>();
        for (to, bytes) in out.iter_mut().zip(&factors[from..]) {
            *to = f32::from_le_bytes(*bytes);
        }
    }

    /// The coarse rows, one after the other.
    pub(super) fn coarse(&self, rows: Range<usize>) -> &[u8] {
        let width = coarse_bytes(self.header.dimensions);
        &self.map[self.layout.coarse.clone()][rows.start * width..rows.end * width]
    }

    /// The quantised rows, one after the other.
    pub(super) fn quantised(&self, rows: Range<usize>) -> &[u8] {
        let width = row_bytes(self.header.dimensions);
        &self.map[self.layout.quantised.clone()][rows.start * width..rows.end * width]
    }

    /// Reads the bytes of a row in full precision into `out`, which has the length of one.
    pub(super) fn read_exact_row(&self, row: usize, out: &mut [u8]) -> io::Result<()> {
        assert!(row < self.header.rows && out.len() == self.header.dimensions * 4, "one row of the segment");
        self.map.read_at(self.layout.exact.start + row * out.len(), out)
    }

    /// The bytes of a row in full precision, read into `buffer` if they are not mapped or among the first.
    ///
    /// # Errors
    /// Those of reading the file.
    pub(super) fn exact_row<'r>(&'r self, row: usize, buffer: &'r mut Vec<u8>) -> io::Result<&'r [u8]> {
        assert!(row < self.header.rows, "a row of the segment");
        let bytes = self.header.dimensions * 4;
        let start = self.layout.exact.start + row * bytes;
        if self.read.load(Ordering::Relaxed) >= READ_FIRST
            && let Some(mapped) = self.map.get(start..start + bytes)
        {
            return Ok(mapped);
        }
        self.read.fetch_add(1, Ordering::Relaxed);
        buffer.resize(bytes, 0);
        self.map.read_at(start, buffer)?;
        Ok(buffer)
    }

    /// The first row of a number: rows stand in the order of their numbers, then of their ordinals.
    pub(super) fn first_row(&self, number: u64) -> Option<usize> {
        let (numbers, _) = self.map[self.layout.numbers.clone()].as_chunks::<8>();
        let row = numbers.partition_point(|bytes| u64::from_le_bytes(*bytes) < number);
        (row < numbers.len() && self.number(row) == number).then_some(row)
    }
}

fn le_u32(bytes: &[u8], nth: usize) -> u32 {
    u32::from_le_bytes(bytes[nth * 4..nth * 4 + 4].try_into().expect("four bytes"))
}

fn le_u64(bytes: &[u8], nth: usize) -> u64 {
    u64::from_le_bytes(bytes[nth * 8..nth * 8 + 8].try_into().expect("eight bytes"))
}
