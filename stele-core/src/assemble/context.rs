//! What a prompt gets: one text of labelled sections, how each provider ended, and the typed parts that a session is told of.

use super::channels::{Methodology, Obligations};
use super::outcome::Outcome;
use super::provider::ProviderCategory;
use crate::record::session::Delivery;
use crate::retrieve::result::{Retrieval, Status};

/// A part of a context as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// The provider that it comes from: `obligations`, `record`, another name; `warnings` for what went wrong.
    pub provider: String,
    /// The category of the provider.
    pub category: ProviderCategory,
    /// Its text.
    pub text: String,
    /// The text in tokens, estimated unless the host counts them.
    pub tokens: usize,
}

/// What a prompt gets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Context {
    /// The turn it belongs to, from 0.
    pub turn: u64,
    /// The sections that say something, in order, as one text.
    pub text: String,
    /// Those sections: obligations, then by category, position and name of their providers, then warnings.
    pub sections: Vec<Section>,
    /// How each provider ended, in the same order.
    pub outcomes: Vec<Outcome>,
    /// What a host should know, a line each; what a model must know stands in the text as well.
    pub warnings: Vec<String>,
    /// SHA-256 of the text's bytes, in hexadecimal.
    pub digest: String,
    /// The text in characters.
    pub chars: usize,
    /// The text in tokens, estimated unless the host counts them.
    pub tokens: usize,
    /// The id of the item that carries the text, `local:context:<turn>`; none in the first turn, whose context belongs into
    /// the prompt, and none for an empty text.
    pub item_id: Option<String>,
    /// The rules that the turn carries.
    pub obligations: Obligations,
    /// The ways of working that the text shows.
    pub methodology: Methodology,
    /// The window, whatever its status; `abstained` and empty if it was not looked up, `late` if it did not come.
    pub record: Retrieval,
}

impl Context {
    /// What a session has once this reached it: what the window shows, and the rules that are shown in full.
    pub(crate) fn delivery(&self) -> Delivery {
        let mut delivery = if self.record.status == Status::Found { self.record.delivery() } else { Delivery::default() };
        let rules = self.obligations.entries.iter().chain(self.methodology.entries.iter().map(|entry| &entry.rule));
        delivery.shown.extend(rules.filter(|rule| rule.pointed.is_none()).map(|rule| (rule.id.number, rule.revision)));
        delivery
    }
}
