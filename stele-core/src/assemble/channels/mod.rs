//! The two channels that deliver rules without ranking them: obligations and methodology.
//!
//! Both choose from the live rules of one snapshot. They read nothing, and what an entry costs they are told by whoever
//! writes it.

pub(crate) mod methodology;
pub(crate) mod obligations;

use std::collections::HashMap;

pub use methodology::{Channel, Methodology, MethodologyEntry, MethodologyOptions};
pub use obligations::{Obligations, Point, RulesOptions};

use crate::base::id::NodeId;
use crate::base::tokens::TokenCounter;
use crate::record::node::Severity;
use crate::record::rule::LiveRule;

/// Why a rule comes as one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pointed {
    /// It was shown in full before.
    Shown,
    /// Its points or keywords say that it is not meant for here, and it is mandatory.
    NotHere,
}

/// A rule as a channel delivers it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleEntry {
    /// Its id.
    pub id: NodeId,
    /// The revision that is shown.
    pub revision: u64,
    /// Its title.
    pub title: String,
    /// When it applies, in words.
    pub trigger: String,
    /// What to do.
    pub statement: String,
    /// True if it arrives on every turn.
    pub mandatory: bool,
    /// True if it belongs to the obligations without being mandatory.
    pub always_on: bool,
    /// Phrases that must not be said.
    pub forbidden: Vec<String>,
    /// What to say instead.
    pub instead: String,
    /// The field that it belongs to.
    pub domain: Option<String>,
    /// How much it weighs.
    pub severity: Severity,
    /// The sort of methodology that it is.
    pub methodology: Option<String>,
    /// True if it has a body, which is not shown here.
    pub has_body: bool,
    /// Why it comes as one line; in full if there is no reason.
    pub pointed: Option<Pointed>,
    /// The lines that a model reads.
    pub text: String,
    /// Estimated tokens of those lines with their line ends.
    pub tokens: usize,
}

/// Writes the lines of an entry.
pub(crate) type Write<'w> = &'w dyn Fn(&RuleEntry) -> String;

impl RuleEntry {
    fn of(rule: &LiveRule, pointed: Option<Pointed>, write: Write<'_>, counter: &TokenCounter) -> Self {
        let detail = &rule.detail;
        let mut entry = Self {
            id: rule.id,
            revision: rule.revision,
            title: rule.title.clone(),
            trigger: detail.trigger.clone(),
            statement: detail.statement.clone(),
            mandatory: detail.mandatory,
            always_on: detail.always_on,
            forbidden: detail.forbidden.clone(),
            instead: detail.instead.clone(),
            domain: detail.domain.clone(),
            severity: detail.severity,
            methodology: detail.methodology.clone(),
            has_body: rule.has_body,
            pointed,
            text: String::new(),
            tokens: 0,
        };
        entry.text = write(&entry);
        // The line end after it counts one.
        entry.tokens = counter.count(&entry.text) + 1;
        entry
    }
}

/// The rules that a session has in full, each with the revision that it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShownRules(HashMap<u64, u64>);

impl ShownRules {
    fn extend(&mut self, rules: impl IntoIterator<Item = (NodeId, u64)>) {
        self.0.extend(rules.into_iter().map(|(id, revision)| (id.number, revision)));
    }

    fn has(&self, rule: &LiveRule) -> bool {
        self.0.get(&rule.id.number) == Some(&rule.revision)
    }
}

/// True if a list of words names a word; case and surrounding white space do not count.
fn names(list: &[String], word: &str) -> bool {
    list.iter().any(|item| item.trim().eq_ignore_ascii_case(word.trim()))
}
