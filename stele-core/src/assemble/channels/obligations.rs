//! Obligations: the rules that every turn must carry, whatever is searched for and however full the context is.

use std::cmp::Reverse;

use super::{Pointed, RuleEntry, ShownRules, Write, names};
use crate::base::config::OBLIGATION_TOKENS;
use crate::base::id::NodeId;
use crate::base::names::named_enum;
use crate::base::time::Timestamp;
use crate::base::tokens::TokenCounter;
use crate::record::node::RuleDetail;
use crate::record::rule::book::{Rulebook, Ruled};

/// Modes in which rules about how work is done apply.
const PROCESS_MODES: [&str; 2] = ["work", "debug"];
/// The domain of rules about how work is done.
const PROCESS: &str = "process";
/// The point of a rule that is meant for every point.
const EVERY_POINT: &str = "universal";

named_enum! {
    /// Where rules are injected.
    Point, UnknownValue, "point" {
        /// With a prompt.
        Prompt = 0 "prompt",
        /// Before something is written.
        Write = 1 "write",
        /// Before a command is run.
        Bash = 2 "bash",
        /// Before the agent stops.
        Stop = 3 "stop",
    }
}

/// For what the obligations are asked.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesOptions {
    pub(crate) point: Point,
    pub(crate) mode: String,
    pub(crate) text: String,
    pub(crate) cap: usize,
    pub(crate) shown: ShownRules,
    /// When rules hold or have expired, if not now.
    pub(crate) now: Option<Timestamp>,
}

impl Default for RulesOptions {
    fn default() -> Self {
        Self { point: Point::Prompt, mode: "work".to_owned(), text: String::new(), cap: OBLIGATION_TOKENS, shown: ShownRules::default(), now: None }
    }
}

impl RulesOptions {
    /// The defaults: point prompt, mode work, no text, 5,000 tokens, nothing shown before.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where the rules are injected.
    #[must_use]
    pub fn point(mut self, point: Point) -> Self {
        self.point = point;
        self
    }

    /// Sets the session's mode, in the host's own word.
    #[must_use]
    pub fn mode(mut self, mode: impl Into<String>) -> Self {
        self.mode = mode.into();
        self
    }

    /// Sets the text in which keywords are looked for: the prompt, the command, what is written. Without one, keywords
    /// keep no rule away.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the tokens from which on the obligations are reported as too many; nothing is ever left out for it.
    #[must_use]
    pub fn cap(mut self, tokens: usize) -> Self {
        self.cap = tokens;
        self
    }

    /// Adds rules, with their revisions, that were shown in full since the session's last epoch began.
    #[must_use]
    pub fn shown(mut self, rules: impl IntoIterator<Item = (NodeId, u64)>) -> Self {
        self.shown.extend(rules);
        self
    }
}

/// The rules that a turn must carry.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Obligations {
    /// Rules in full: mandatory ones first, then by severity, then by id.
    pub entries: Vec<RuleEntry>,
    /// Rules as one line, in the same order.
    pub pointers: Vec<RuleEntry>,
    /// Estimated tokens of all of them.
    pub tokens: usize,
    /// The tokens that they are meant to take.
    pub cap: usize,
    /// True if they take more.
    pub over_budget: bool,
}

impl Obligations {
    /// Entries and pointers in the one order in which they are read.
    pub(crate) fn in_order(&self) -> Vec<&RuleEntry> {
        let mut all: Vec<&RuleEntry> = self.entries.iter().chain(&self.pointers).collect();
        all.sort_by_key(|entry| place(entry.mandatory, entry.severity.number(), entry.id));
        all
    }
}

fn place(mandatory: bool, severity: u8, id: NodeId) -> (Reverse<bool>, u8, u64) {
    (Reverse(mandatory), severity, id.number)
}

/// True if a rule's points let it through at a point.
fn is_for(detail: &RuleDetail, point: Point) -> bool {
    detail.points.is_empty() || names(&detail.points, point.as_str()) || names(&detail.points, EVERY_POINT)
}

/// True if the obligations of some turn deliver a rule. Keywords keep none away from every turn, nor does a mode.
pub(crate) fn reaches(detail: &RuleDetail) -> bool {
    let everywhere = detail.mandatory || !detail.forbidden.is_empty();
    detail.is_obligation() && (everywhere || Point::ALL.iter().any(|point| is_for(detail, *point)))
}

/// Chooses from the obligations of a book what is shown of each.
pub(crate) fn choose(book: &Rulebook, now: Timestamp, options: &RulesOptions, write: Write<'_>, counter: &TokenCounter) -> Obligations {
    let mut rules: Vec<&Ruled> = book.at(now).filter(|ruled| ruled.rule.detail.is_obligation()).collect();
    rules.sort_by_key(|Ruled { rule, .. }| place(rule.detail.mandatory, rule.detail.severity.number(), rule.id));
    let text = options.text.trim();
    let present = book.keywords.in_text(text);
    let here = |ruled: &Ruled| {
        let detail = &ruled.rule.detail;
        let called = detail.keywords.is_empty() || text.is_empty() || present.count(&ruled.keywords) > 0;
        is_for(detail, options.point) && called
    };
    let mut chosen = Obligations { cap: options.cap, ..Obligations::default() };
    for ruled in rules {
        let detail = &ruled.rule.detail;
        let forbids = !detail.forbidden.is_empty();
        let of_process = detail.domain.as_deref().is_some_and(|domain| domain.trim().eq_ignore_ascii_case(PROCESS));
        let stripped = of_process && !PROCESS_MODES.iter().any(|mode| mode.eq_ignore_ascii_case(options.mode.trim()));
        let pointed = match () {
            () if !detail.mandatory && !forbids && (stripped || !here(ruled)) => continue,
            () if !forbids && !here(ruled) => Some(Pointed::NotHere),
            () => options.shown.has(&ruled.rule).then_some(Pointed::Shown),
        };
        let entry = RuleEntry::of(&ruled.rule, pointed, write, counter);
        chosen.tokens += entry.tokens;
        if pointed.is_some() { chosen.pointers.push(entry) } else { chosen.entries.push(entry) }
    }
    chosen.over_budget = chosen.tokens > chosen.cap;
    chosen
}
