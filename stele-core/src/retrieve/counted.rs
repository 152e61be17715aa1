//! What the parts of an entry count as they are shown, counted once for all entries that show a node as it stands at one head.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// A place for the counts of an entry, shared by those that show one node whole. Two are always equal: what stands in it
/// follows from the entry.
#[derive(Clone, Default)]
pub(crate) struct Counted(Arc<OnceLock<Counts>>);

/// Estimated tokens of the parts of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// The length of the body before it was made fit to be shown.
    pub(crate) bytes: usize,
    /// The lines of the body; 0 if nothing is left to show.
    pub(crate) body: usize,
    /// True if the body begins with a month.
    pub(crate) dated: bool,
    /// The id and the aliases beside it.
    pub(crate) names: usize,
    /// The title in a head line, and between quotation marks.
    pub(crate) title: usize,
    pub(crate) quoted: usize,
}

impl Counted {
    /// The counts of an entry with a body of that many bytes, made now if they were not, and not believed of another body.
    pub(crate) fn of(&self, bytes: usize, count: impl Fn() -> Counts) -> Counts {
        let known = *self.0.get_or_init(&count);
        if known.bytes == bytes { known } else { count() }
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
