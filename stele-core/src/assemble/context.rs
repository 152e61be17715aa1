//! What a prompt gets: the rules that must be carried, the ways of working that fit, the window of the record.

use super::channels::{Methodology, Obligations};
use crate::base::names::named_enum;
use crate::record::session::Delivery;
use crate::retrieve::result::{Retrieval, Status};

named_enum! {
    /// A part of a context, in the order in which they stand.
    SectionKind, UnknownValue, "section" {
        /// Rules that every turn carries.
        Obligations = 0 "obligations",
        /// Ways of working that the mode, the action or the prompt call.
        Methodology = 1 "methodology",
        /// The window of the record.
        Record = 2 "record",
    }
}

/// A part of a context as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// Which part.
    pub kind: SectionKind,
    /// Its text.
    pub text: String,
    /// The text in estimated tokens.
    pub tokens: usize,
}

/// What a prompt gets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The turn it belongs to, from 0.
    pub turn: u64,
    /// The sections that say something, in order, as one text.
    pub text: String,
    /// Those sections.
    pub sections: Vec<Section>,
    /// What a host should know, a line each.
    pub warnings: Vec<String>,
    /// The text in characters.
    pub chars: usize,
    /// The text in estimated tokens.
    pub tokens: usize,
    /// The rules that the turn carries.
    pub obligations: Obligations,
    /// The ways of working that fit.
    pub methodology: Methodology,
    /// The window, whatever its status.
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
