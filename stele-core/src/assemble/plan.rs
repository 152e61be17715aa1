//! The plan of an assembly: requests out, answers in, in any order, then the context. It does no I/O, starts no thread and
//! knows no time but the one passed in, so the same answers give the same bytes, whenever they came.
//!
//! Gates stand in this order: the declaration is valid, the turn fits, the capabilities are there. Who passes is asked once
//! and ends in one way: the first answer counts, and who has not answered at the end was late.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::channels::{Methodology, Obligations, Point};
use super::outcome::OutcomeKind;
use super::provider::{Declaration, ProviderFault, Supply, TurnPolicy};
use crate::base::config::{MOST_PROVIDERS, PROVIDER_TIMEOUT_LIMIT, PROVIDER_TOKENS_LIMIT};
use crate::base::time::Timestamp;
use crate::base::tokens::TokenCounter;
use crate::retrieve::result::Retrieval;

/// Longest name of a provider and of a capability, in characters.
pub(super) const NAME_CHARS: usize = 100;
/// Most capabilities that a provider requires.
const REQUIRED: usize = 100;
/// What a name may hold beside letters and digits.
const NAME_MARKS: &str = " -_./:@+#()";
/// Letters that show nothing.
const BLANK_LETTERS: [char; 4] = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// What an assembly is for.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) prompt: Arc<str>,
    pub(crate) session: Arc<str>,
    pub(crate) turn: u64,
    pub(crate) mode: Arc<str>,
    pub(crate) action: Option<Arc<str>>,
    pub(crate) point: Point,
    pub(crate) capabilities: BTreeSet<String>,
    /// The repository, customer and the like that the request is about; entries that are limited to others are left out.
    pub(crate) about: Vec<String>,
    pub(crate) token_budget: usize,
    pub(crate) now: Timestamp,
    pub(crate) counter: TokenCounter,
}

/// The obligations as they were read before the plan began.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// The host turned them off.
    Off,
    /// As the record holds them.
    Read(Obligations),
    /// As the record held them when it could last be read.
    LastGood { obligations: Obligations, sequence: u64, why: String },
    /// There are none to be had.
    Unavailable { why: String },
}

/// What a provider answers: entries, or for two of the built-in ones what they are made of.
#[derive(Debug)]
pub(crate) enum Answer {
    Entries(Supply),
    Methodology(Methodology),
    Record(Box<Retrieval>),
}

impl From<Supply> for Answer {
    fn from(supply: Supply) -> Self {
        Self::Entries(supply)
    }
}

/// Where a provider stands.
#[derive(Debug)]
pub(super) enum Standing {
    /// It is asked, and has not answered.
    Asked,
    /// It is not asked.
    Gated(OutcomeKind, String),
    /// It is not asked for entries, and has not said what it has seen.
    Watching(OutcomeKind, String),
    Answered(Answer),
    Faulted(ProviderFault),
    Late,
}

impl Standing {
    /// True as long as an answer is taken in.
    fn is_open(&self) -> bool {
        matches!(self, Self::Asked | Self::Watching(..))
    }
}

/// A provider of the plan.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) declaration: Declaration,
    pub(super) standing: Standing,
    pub(super) took: Duration,
    /// What one that is not asked has seen.
    pub(super) seen: Vec<String>,
}

/// An assembly under way.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) facts: Facts,
    pub(super) rules: Rules,
    /// In the order in which they were declared.
    pub(super) planned: Vec<Planned>,
}

impl Plan {
    /// A plan for the built-in providers that are on and those of the host. `reserved` are the names of all built-in ones.
    pub(crate) fn new(facts: Facts, rules: Rules, builtin: Vec<Declaration>, host: Vec<Declaration>, reserved: &[&str]) -> Self {
        let mut planned = Vec::with_capacity(builtin.len() + host.len());
        let mut names = BTreeSet::new();
        let all = builtin.into_iter().map(|declaration| (declaration, true)).chain(host.into_iter().map(|declaration| (declaration, false)));
        for (declaration, own) in all {
            let fault = match () {
                () if own => None,
                () if let Some(fault) = fault_of(&declaration) => Some(fault),
                () if reserved.contains(&declaration.name.as_str()) => Some("a built-in provider has that name".to_owned()),
                () if names.contains(&declaration.name) => Some("another provider has that name".to_owned()),
                () if planned.len() >= MOST_PROVIDERS => Some(format!("an assembly has at most {MOST_PROVIDERS} providers")),
                () => None,
            };
            // Valid or not: a host finds who is asked by the name.
            names.insert(declaration.name.clone());
            let standing = match fault {
                Some(fault) => Standing::Gated(OutcomeKind::Invalid, fault),
                None => gate(&facts, &declaration),
            };
            planned.push(Planned { declaration, standing, took: Duration::ZERO, seen: Vec::new() });
        }
        Self { facts, rules, planned }
    }

    /// What the plan is for.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Who is asked and has not answered, by place in the order of declaration.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (usize, &Declaration)> {
        self.planned.iter().enumerate().filter(|(_, planned)| planned.standing.is_open()).map(|(at, planned)| (at, &planned.declaration))
    }

    /// Takes an answer in; an earlier one stands.
    pub(crate) fn supply(&mut self, at: usize, answer: Answer, took: Duration) {
        self.settle(at, Standing::Answered(answer), took);
    }

    /// Takes in that a provider could not answer.
    pub(crate) fn fail(&mut self, at: usize, fault: ProviderFault, took: Duration) {
        self.settle(at, Standing::Faulted(fault), took);
    }

    /// Takes in that nobody waits for a provider any more.
    pub(crate) fn late(&mut self, at: usize, took: Duration) {
        self.settle(at, Standing::Late, took);
    }

    fn settle(&mut self, at: usize, standing: Standing, took: Duration) {
        let Some(planned) = self.planned.get_mut(at).filter(|planned| planned.standing.is_open()) else { return };
        if let Standing::Watching(result, reason) = &planned.standing {
            // It counts as not asked, whatever becomes of it.
            planned.standing = Standing::Gated(*result, reason.clone());
            if let Standing::Answered(Answer::Entries(supply)) = standing {
                planned.seen = supply.warnings;
            }
        } else {
            (planned.standing, planned.took) = (standing, took);
        }
    }
}

/// Whether a valid provider is asked.
fn gate(facts: &Facts, declaration: &Declaration) -> Standing {
    if declaration.turns == TurnPolicy::First && facts.turn > 0 {
        let reason = format!("asked in the first turn only, this is turn {}", facts.turn);
        return if declaration.watches { Standing::Watching(OutcomeKind::TurnGated, reason) } else { Standing::Gated(OutcomeKind::TurnGated, reason) };
    }
    let missing: Vec<&str> = declaration.requires.iter().filter(|word| !facts.capabilities.contains(*word)).map(String::as_str).collect();
    if missing.is_empty() { Standing::Asked } else { Standing::Gated(OutcomeKind::CapabilityGated, format!("needs {}", missing.join(", "))) }
}

/// What is wrong with a declaration by itself.
fn fault_of(declaration: &Declaration) -> Option<String> {
    let milliseconds = declaration.timeout.as_millis();
    match () {
        () if let Some(fault) = word_fault(&declaration.name) => Some(format!("the name {fault}")),
        () if let Some(fault) = declaration.requires.iter().find_map(|word| word_fault(word)) => Some(format!("a required capability {fault}")),
        () if declaration.requires.len() > REQUIRED => Some(format!("more than {REQUIRED} required capabilities")),
        () if milliseconds == 0 || declaration.timeout > PROVIDER_TIMEOUT_LIMIT => {
            Some(format!("the timeout of {milliseconds} ms is not between 1 and {} ms", PROVIDER_TIMEOUT_LIMIT.as_millis()))
        }
        () if !(1..=PROVIDER_TOKENS_LIMIT).contains(&declaration.token_budget) => {
            Some(format!("the token budget of {} is not between 1 and {PROVIDER_TOKENS_LIMIT}", declaration.token_budget))
        }
        () => None,
    }
}

/// What is wrong with a name, which stands in the text and must not look like anything else.
fn word_fault(word: &str) -> Option<String> {
    let stands = |c: char| (c.is_alphanumeric() && !BLANK_LETTERS.contains(&c)) || NAME_MARKS.contains(c);
    match () {
        () if word.trim().is_empty() => Some("is blank".to_owned()),
        () if word.chars().nth(NAME_CHARS).is_some() => Some(format!("has more than {NAME_CHARS} characters")),
        () if word.trim() != word => Some("begins or ends with a space".to_owned()),
        () if !word.chars().all(stands) => Some(format!("holds something else than letters, digits and {}", NAME_MARKS.trim())),
        () => None,
    }
}
