//! What an assembly asks of whoever writes it out. Implemented once, in `render/`.

use super::channels::{Methodology, Obligations};
use super::outcome::Outcome;
use super::provider::{ProviderCategory, ProviderEntry};
use crate::base::time::Timestamp;
use crate::retrieve::result::Retrieval;

/// Writes the parts of a context; every part is whole lines, or empty.
pub(crate) trait Writing {
    /// The obligations, with a line before them if there is something to say of where they come from.
    fn obligations(&self, obligations: &Obligations, notice: Option<&str>) -> String;

    /// The line that says that no rule could be read.
    fn unavailable(&self, why: &str) -> String;

    /// The ways of working.
    fn methodology(&self, methodology: &Methodology) -> String;

    /// Brings a window into its token limit.
    fn fit(&self, record: &mut Retrieval);

    /// The window.
    fn record(&self, record: &Retrieval) -> String;

    /// An entry of a provider; empty if there is nothing to read in it.
    fn entry(&self, entry: &ProviderEntry, now: Timestamp) -> String;

    /// Written entries as the section of a provider.
    fn section(&self, provider: &str, category: ProviderCategory, entries: &[String]) -> String;

    /// The section of what went wrong, a line each.
    fn warnings(&self, lines: &[String]) -> String;

    /// How providers ended, as JSON.
    fn outcomes(&self, outcomes: &[Outcome]) -> String;

    /// A text of others as a part of a line.
    fn line(&self, text: &str) -> String;
}
