//! Bulk import and export: JSON Lines, folders of decision records, issue files of beads.
//!
//! Every import runs in three steps. Reading: each line is parsed and checked on its own and put into a staging file in
//! the record's folder. Checking: what the lines name is looked up in a snapshot, still without the write lock.
//! Appending: one transaction brings the staged nodes, then the staged edges, into the record, or none of them. No host
//! callback runs during appending.

pub(crate) mod adr;
mod adr_text;
mod ahead;
mod append;
pub(crate) mod beads;
pub(crate) mod export;
mod fields;
pub(crate) mod graph;
mod item;
pub(crate) mod jsonl;
mod lines;
pub(crate) mod log;
pub(crate) mod report;
mod staging;
mod taking;
#[cfg(test)]
mod tests;
mod transaction;
