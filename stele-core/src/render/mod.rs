//! Writing out what was found: text for a model, JSON for a program, and fitting both into a limit. Decides nothing
//! about what is found or in which order.

pub(crate) mod channels;
pub(crate) mod context;
pub(crate) mod fit;
pub(crate) mod frame;
pub(crate) mod handoff;
pub(crate) mod json;
pub(crate) mod moments;
pub(crate) mod text;

#[cfg(test)]
mod tests;

use crate::retrieve::result::{Format, Retrieval};

impl Retrieval {
    /// Writes the retrieval out; the same retrieval gives the same bytes, and no clock is read but its `now`.
    ///
    /// Text is empty where there is nothing to show (every status but `found`) and where the token limit leaves no
    /// room for the frame and one entry. JSON is an object with `"version": 1`, whatever the status.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => text::render_text(self),
            Format::Json => json::render_json(self),
        }
    }
}
