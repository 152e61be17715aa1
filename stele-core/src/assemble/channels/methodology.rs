//! Methodology: skills, playbooks, techniques and anti-patterns that the mode, the action or the words of a prompt call.
//!
//! No embedding takes part: what is called is called by a word that somebody wrote down for it.

use std::cmp::Reverse;

use super::{Pointed, RuleEntry, ShownRules, Write, names};
use crate::base::config::METHODOLOGY_TOKENS;
use crate::base::id::NodeId;
use crate::base::keywords::folded;
use crate::base::names::named_enum;
use crate::base::time::Timestamp;
use crate::base::tokens::TokenCounter;
use crate::record::node::RuleDetail;
use crate::record::rule::LiveRule;
use crate::record::rule::book::{Rulebook, Ruled};

named_enum! {
    /// What called a methodology; a rule that several call stands under the first.
    Channel, UnknownValue, "channel" {
        /// The mode.
        Floor = 0 "floor",
        /// The action.
        Push = 1 "push",
        /// A keyword in the text.
        Pull = 2 "pull",
    }
}

/// For what methodology is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodologyOptions {
    pub(crate) mode: String,
    pub(crate) action: Option<String>,
    pub(crate) text: String,
    pub(crate) max_tokens: usize,
    pub(crate) shown: ShownRules,
    /// When rules hold or have expired, if not now.
    pub(crate) now: Option<Timestamp>,
}

impl MethodologyOptions {
    /// Methodology for a mode, in the host's own word: no action, no text, 2,000 tokens, nothing shown before.
    #[must_use]
    pub fn new(mode: impl Into<String>) -> Self {
        Self { mode: mode.into(), action: None, text: String::new(), max_tokens: METHODOLOGY_TOKENS, shown: ShownRules::default(), now: None }
    }

    /// Names what is about to be done.
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// Sets the text in which keywords are looked for.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the tokens that the whole may take; what mode and action call is never left out for it.
    #[must_use]
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Adds rules, with their revisions, that were shown in full since the session's last epoch began.
    #[must_use]
    pub fn shown(mut self, rules: impl IntoIterator<Item = (NodeId, u64)>) -> Self {
        self.shown.extend(rules);
        self
    }
}

/// A rule with what called it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MethodologyEntry {
    /// What called it.
    pub channel: Channel,
    /// How many of its keywords stand in the text.
    pub matched: usize,
    /// The rule.
    pub rule: RuleEntry,
}

/// What fits what is being done.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Methodology {
    /// By channel; in the first two by id, in the last by matched keywords, most first, then by id.
    pub entries: Vec<MethodologyEntry>,
    /// How many that only keywords call had no room.
    pub left: usize,
    /// Estimated tokens of all entries.
    pub tokens: usize,
    /// The tokens that they are meant to take.
    pub max_tokens: usize,
    /// True if what mode and action call takes more.
    pub over_budget: bool,
}

/// True if the keywords of a rule call it; those of an obligation say where it applies.
fn is_pulled(detail: &RuleDetail) -> bool {
    !detail.is_obligation()
}

/// True if some mode, action or word calls a rule.
pub(crate) fn reaches(detail: &RuleDetail) -> bool {
    let says = |words: &[String]| words.iter().any(|word| !word.trim().is_empty());
    let pulled = is_pulled(detail) && detail.keywords.iter().any(|word| !folded(word).trim().is_empty());
    !detail.provisional && (says(&detail.floor_modes) || says(&detail.action_triggers) || pulled)
}

/// Chooses from the rules of a book those that are called.
pub(crate) fn choose(book: &Rulebook, now: Timestamp, options: &MethodologyOptions, write: Write<'_>, counter: &TokenCounter) -> Methodology {
    let present = book.keywords.in_text(&options.text);
    let mut called: Vec<(Channel, usize, &LiveRule)> = Vec::new();
    for Ruled { rule, keywords, .. } in book.at(now).filter(|ruled| !ruled.rule.detail.provisional) {
        let detail = &rule.detail;
        let matched = if is_pulled(detail) { present.count(keywords) } else { 0 };
        let pushed = options.action.as_deref().is_some_and(|action| names(&detail.action_triggers, action));
        let channel = match () {
            () if names(&detail.floor_modes, &options.mode) => Channel::Floor,
            () if pushed => Channel::Push,
            () if matched > 0 && !options.shown.has(rule) => Channel::Pull,
            () => continue,
        };
        called.push((channel, matched, rule));
    }
    called.sort_by_key(|(channel, matched, rule)| (*channel, if *channel == Channel::Pull { Reverse(*matched) } else { Reverse(0) }, rule.id.number));
    let mut chosen = Methodology { max_tokens: options.max_tokens, ..Methodology::default() };
    for (channel, matched, rule) in called {
        if channel == Channel::Pull && chosen.left > 0 {
            chosen.left += 1;
            continue;
        }
        // What an action calls comes whole each time, also where the mode calls it too.
        let pushed = options.action.as_deref().is_some_and(|action| names(&rule.detail.action_triggers, action));
        let pointed = (channel == Channel::Floor && !pushed && options.shown.has(rule)).then_some(Pointed::Shown);
        let entry = MethodologyEntry { channel, matched, rule: RuleEntry::of(rule, pointed, write, counter) };
        if channel == Channel::Pull && chosen.tokens + entry.rule.tokens > options.max_tokens {
            chosen.left += 1;
            continue;
        }
        chosen.tokens += entry.rule.tokens;
        chosen.entries.push(entry);
    }
    chosen.over_budget = chosen.tokens > chosen.max_tokens;
    chosen
}
