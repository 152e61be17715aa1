//! [`VectorTail`]: the vectors that changed after the index, in memory, quantised by the same rule.

use std::ops::Range;

use super::quantise::{coarse_bytes, coarse_row, ordered_units, quantise_row, row_bytes};
use crate::base::node_set::NodeSet;

/// Numbers that changed after the index, with the vectors that they have now; alone it is a whole index.
#[derive(Clone, Debug)]
pub(crate) struct VectorTail {
    dimensions: usize,
    /// Every number that changed, also those without a vector.
    changed: NodeSet,
    /// One entry a unit; the units of a number stand together, by ordinal.
    pub(super) numbers: Vec<u64>,
    pub(super) ordinals: Vec<u32>,
    pub(super) factors: Vec<f32>,
    coarse: Vec<u8>,
    quantised: Vec<u8>,
    exact: Vec<f32>,
}

impl VectorTail {
    /// A tail in which nothing changed.
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            changed: NodeSet::new(),
            numbers: Vec::new(),
            ordinals: Vec::new(),
            factors: Vec::new(),
            coarse: Vec::new(),
            quantised: Vec::new(),
            exact: Vec::new(),
        }
    }

    /// Notes that a number changed and which vectors it has now, if any.
    ///
    /// A vector of other dimensions, one that is not finite and one of zeros only are left out, here as in the writer.
    pub(crate) fn replace(&mut self, number: u64, units: &[(u32, &[f32])]) {
        if self.changed.contains(number) {
            self.forget(number);
        }
        self.changed.insert(number);
        for (ordinal, vector) in ordered_units(units, self.dimensions) {
            self.numbers.push(number);
            self.ordinals.push(ordinal);
            let start = self.quantised.len();
            self.factors.push(quantise_row(vector, &mut self.quantised));
            coarse_row(&self.quantised[start..], &mut self.coarse);
            self.exact.extend_from_slice(vector);
        }
    }

    /// Every number that changed; the segments' rows of these are left out of a search.
    pub(crate) fn numbers(&self) -> &NodeSet {
        &self.changed
    }

    /// The dimensions of every vector.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn coarse(&self, rows: Range<usize>) -> &[u8] {
        let width = coarse_bytes(self.dimensions);
        &self.coarse[rows.start * width..rows.end * width]
    }

    pub(super) fn quantised(&self, rows: Range<usize>) -> &[u8] {
        let width = row_bytes(self.dimensions);
        &self.quantised[rows.start * width..rows.end * width]
    }

    pub(super) fn exact(&self, row: usize) -> &[f32] {
        &self.exact[row * self.dimensions..(row + 1) * self.dimensions]
    }

    /// The first row of a number.
    pub(super) fn first_row(&self, number: u64) -> Option<usize> {
        // Rows stand in the order in which numbers changed, which of a whole record is the order of the numbers.
        let guess = self.numbers.partition_point(|held| *held < number);
        let is_first = self.numbers.get(guess) == Some(&number) && (guess == 0 || self.numbers[guess - 1] != number);
        if is_first { Some(guess) } else { self.numbers.iter().position(|held| *held == number) }
    }

    /// Takes the rows of a number out; they stand together.
    fn forget(&mut self, number: u64) {
        let Some(start) = self.first_row(number) else { return };
        let count = self.numbers[start..].iter().take_while(|held| **held == number).count();
        let (rows, width) = (start..start + count, row_bytes(self.dimensions));
        self.numbers.drain(rows.clone());
        self.ordinals.drain(rows.clone());
        self.factors.drain(rows.clone());
        let coarse = coarse_bytes(self.dimensions);
        self.coarse.drain(rows.start * coarse..rows.end * coarse);
        self.quantised.drain(rows.start * width..rows.end * width);
        self.exact.drain(rows.start * self.dimensions..rows.end * self.dimensions);
    }
}
