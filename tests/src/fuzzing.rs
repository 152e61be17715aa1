//! The bodies of the fuzz targets: functions of bytes that panic if stele does what it must not.
//!
//! The fuzzer and the short run among the tests call the same functions. Bytes decide everything, so that a crasher kept
//! as a file fails again wherever it is read.

mod bytes;
mod damage;
mod import;
pub mod inputs;
mod operations;
mod query;
mod render;
mod window;

pub use damage::damage;
pub use import::import;
pub use operations::operations;
pub use query::query;
pub use render::render;
pub use window::window;

/// The body of a target: panics if the bytes lead to what must not be.
pub type Target = fn(&[u8]);

/// Every target by the name of its file in `fuzz/fuzz_targets` and of its folder in `fuzz/regressions`.
pub const TARGETS: [(&str, Target); 6] =
    [("query", query), ("render", render), ("import", import), ("operations", operations), ("damage", damage), ("window", window)];

use stele_core::Record;

/// Brings the indexes up to the head; another thread of the same handle may be at it for a moment.
fn settle_indexes(record: &Record) {
    let done = (0..10_000).any(|_| record.catch_up().expect("caught up"));
    assert!(done, "the indexes are never free");
}
