//! The log, the one pure apply, the views and their snapshots, and the writing API. The only layer that names SQLite.

pub(crate) mod advice;
pub(crate) mod apply;
mod backup;
pub(crate) mod claim;
mod creation;
pub(crate) mod cues;
pub(crate) mod database;
mod deadlock;
pub(crate) mod draft;
pub(crate) mod edge;
pub(crate) mod evidence;
pub(crate) mod leftovers;
pub(crate) mod log;
mod lookups;
pub(crate) mod migrate;
pub(crate) mod node;
pub(crate) mod operation;
mod overdue;
pub(crate) mod proposal;
pub(crate) mod purge;
pub(crate) mod reader;
pub(crate) mod recorder;
mod replay;
pub(crate) mod rule;
pub(crate) mod schema;
pub(crate) mod session;
pub(crate) mod sessions_db;
pub(crate) mod settle;
pub(crate) mod task_views;
pub(crate) mod tasking;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
pub(crate) mod writer;
