//! From a prompt to a window: gate, named nodes, seeds, walk, score, window; and the other reads.
//!
//! Everything here looks at one snapshot and writes nothing. Where a snapshot and its indexes come from, and what is
//! kept of a session, is the business of [`source::Source`].

mod at_once;
mod candidate;
pub(crate) mod counted;
pub(crate) mod cued;
mod entries;
mod find;
mod fold;
mod fuse;
mod gate;
mod heads;
pub(crate) mod kept;
mod meant;
mod named;
mod nodes;
mod options;
mod reads;
mod recall;
pub(crate) mod result;
mod retriever;
mod risks;
mod score;
mod search;
mod seeds;
pub(crate) mod since;
pub(crate) mod source;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
mod walk;
mod window;

pub use options::{Direction, NeighbourOptions, ReadyOptions, RecallOptions, RetrieveOptions, SearchMode, SearchOptions};
pub use reads::{Conflict, HistoryItem, Neighbour, Origin, Why};
pub use retriever::Retriever;
pub(crate) use retriever::token_limit;
pub use score::RankingTable;
pub use since::{Happened, Stopped};
pub use tasks::Task;
