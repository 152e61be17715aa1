//! What goes into a new segment: the live rows of segments that are merged, and what waits in memory.
//!
//! Rows of older segments are copied as they are, never quantised again. Where the file lies and when it becomes
//! visible is the writer's matter.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

use super::quantise::{coarse_row, quantise_row};
use super::segment::{HEADER_BYTES, Header, Segment};
use crate::base::id::hex;
use crate::base::node_set::NodeSet;

const BUFFER_BYTES: usize = 1 << 18;

/// Changes since the last commit. A number without units is a removal.
#[derive(Debug, Default)]
pub(super) struct Pending {
    units: BTreeMap<u64, Vec<Unit>>,
    quantised: Vec<u8>,
    exact: Vec<f32>,
    rows: usize,
}

/// One unit of a number; `row` is its place in the vectors of [`Pending`].
#[derive(Clone, Copy, Debug)]
struct Unit {
    ordinal: u32,
    factor: f32,
    row: usize,
}

impl Pending {
    /// How much memory they take, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.quantised.len() + self.exact.len() * 4 + (self.rows + self.units.len()) * size_of::<(u64, Vec<Unit>, Unit)>()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Every number that changed.
    pub(super) fn numbers(&self) -> NodeSet {
        self.units.keys().copied().collect()
    }

    /// How many rows and removals there are.
    pub(super) fn weight(&self) -> usize {
        self.units.values().map(|units| units.len().max(1)).sum()
    }

    /// Notes the vectors that a number has now, usable ones in order.
    pub(super) fn note(&mut self, number: u64, units: &[(u32, &[f32])]) {
        let mut kept = Vec::with_capacity(units.len());
        for (ordinal, vector) in units {
            let factor = quantise_row(vector, &mut self.quantised);
            self.exact.extend_from_slice(vector);
            kept.push(Unit { ordinal: *ordinal, factor, row: self.rows });
            self.rows += 1;
        }
        self.units.insert(number, kept);
    }
}

/// What goes into a new segment, in order.
pub(super) struct Content<'w> {
    merged: &'w [Segment],
    pending: &'w Pending,
    rows: Vec<ContentRow>,
    removed: Vec<u64>,
}

struct ContentRow {
    number: u64,
    ordinal: u32,
    source: Source,
    row: usize,
}

enum Source {
    /// A row of the n-th merged segment.
    Segment(usize),
    /// A row of what waits, with its factor.
    Pending(f32),
}

impl<'w> Content<'w> {
    /// Every row is live: its number is named neither by a newer segment nor by what waits. Removals are kept unless
    /// the new segment is the oldest, where there is nothing left to take out.
    pub(super) fn new(merged: &'w [Segment], pending: &'w Pending, oldest: bool) -> Self {
        let changed = pending.numbers();
        let mut rows = Vec::new();
        let mut removed = Vec::new();
        for (nth, segment) in merged.iter().enumerate() {
            let live = |number: &u64| !changed.contains(*number) && !segment.superseded.contains(*number);
            let planned = segment.numbers().enumerate().filter(|(_, number)| live(number)).map(|(row, number)| ContentRow {
                number,
                ordinal: segment.ordinal(row),
                source: Source::Segment(nth),
                row,
            });
            rows.extend(planned);
            removed.extend(segment.removed().filter(live));
        }
        for (&number, units) in &pending.units {
            let planned = |unit: &Unit| ContentRow { number, ordinal: unit.ordinal, source: Source::Pending(unit.factor), row: unit.row };
            rows.extend(units.iter().map(planned));
            if units.is_empty() {
                removed.push(number);
            }
        }
        rows.sort_by_key(|row| (row.number, row.ordinal));
        if oldest {
            removed.clear();
        }
        removed.sort_unstable();
        Self { merged, pending, rows, removed }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.removed.is_empty()
    }

    /// The header of the segment, but for the hash of its body.
    pub(super) fn header(&self, record: &str, embedder: &str, dimensions: usize, sequences: RangeInclusive<u64>) -> Header {
        Header {
            record: record.to_owned(),
            embedder: embedder.to_owned(),
            dimensions,
            rows: self.rows.len(),
            removed: self.removed.len(),
            last_number: self.last_number(),
            first_sequence: *sequences.start(),
            last_sequence: *sequences.end(),
            body: [0; 32],
        }
    }

    /// Writes the whole file and returns it with the hash of its header.
    pub(super) fn write(&self, file: File, mut header: Header) -> io::Result<(File, String)> {
        let layout = header.layout().ok_or_else(|| io::Error::other("a segment of more bytes than there are addresses"))?;
        let mut out = Hashed { file: BufWriter::with_capacity(BUFFER_BYTES, file), hash: Sha256::new(), at: HEADER_BYTES };
        out.file.write_all(&[0; HEADER_BYTES])?;
        for row in &self.rows {
            out.put(&row.number.to_le_bytes())?;
        }
        for row in &self.rows {
            out.put(&row.ordinal.to_le_bytes())?;
        }
        for row in &self.rows {
            let factor = match row.source {
                Source::Segment(nth) => self.merged[nth].factor(row.row),
                Source::Pending(factor) => factor,
            };
            out.put(&factor.to_le_bytes())?;
        }
        for number in &self.removed {
            out.put(&number.to_le_bytes())?;
        }
        let width = layout.quantised.len() / self.rows.len().max(1);
        let quantised = |row: &ContentRow| match row.source {
            Source::Segment(nth) => self.merged[nth].quantised(row.row..row.row + 1),
            Source::Pending(_) => &self.pending.quantised[row.row * width..(row.row + 1) * width],
        };
        out.pad_to(layout.coarse.start)?;
        let mut coarse = Vec::new();
        for row in &self.rows {
            coarse.clear();
            coarse_row(quantised(row), &mut coarse);
            out.put(&coarse)?;
        }
        out.pad_to(layout.quantised.start)?;
        for row in &self.rows {
            out.put(quantised(row))?;
        }
        out.pad_to(layout.exact.start)?;
        let mut bytes = vec![0; header.dimensions * 4];
        for row in &self.rows {
            match row.source {
                Source::Segment(nth) => self.merged[nth].read_exact_row(row.row, &mut bytes)?,
                Source::Pending(_) => {
                    let floats = &self.pending.exact[row.row * header.dimensions..(row.row + 1) * header.dimensions];
                    for (to, x) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(floats) {
                        *to = x.to_le_bytes();
                    }
                }
            }
            out.put(&bytes)?;
        }
        debug_assert_eq!(out.at, layout.file_bytes());
        let Hashed { file, hash, .. } = out;
        header.body = hash.finalize().into();
        let encoded = header.encode();
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        file.write_all(&encoded)?;
        Ok((file, hex(&encoded[HEADER_BYTES - 32..])))
    }

    fn last_number(&self) -> u64 {
        let row = self.rows.last().map_or(0, |row| row.number);
        row.max(self.removed.last().copied().unwrap_or(0))
    }
}

/// A file that is hashed as it is written, from the end of the header.
struct Hashed {
    file: BufWriter<File>,
    hash: Sha256,
    at: usize,
}

impl Hashed {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.at += bytes.len();
        self.file.write_all(bytes)
    }

    fn pad_to(&mut self, at: usize) -> io::Result<()> {
        self.put(&vec![0; at - self.at])
    }
}
