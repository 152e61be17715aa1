//! How each provider of an assembly ended, in words of its own and with what it took.

use super::provider::{ProviderCategory, ProviderFault};
use crate::base::names::named_enum;

named_enum! {
    /// How a provider ended; it ends in exactly one way.
    OutcomeKind, UnknownValue, "outcome" {
        /// Its entries stand in the context.
        Included = 0 "included",
        /// It had nothing to say.
        Empty = 1 "empty",
        /// It is asked in the first turn only, and this is a later one.
        TurnGated = 2 "turn_gated",
        /// It needs what the request is not capable of.
        CapabilityGated = 3 "capability_gated",
        /// It did not answer in time.
        TimedOut = 4 "timed_out",
        /// It answered with a fault, panicked, or an earlier call of it still runs.
        Failed = 5 "failed",
        /// It answered, and there was no room for any of its entries.
        BudgetExcluded = 6 "budget_excluded",
        /// Its declaration is out of its limits, so it was not asked.
        Invalid = 7 "invalid",
    }
}

impl OutcomeKind {
    /// True if something went wrong that the entries of others do not make up for.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, Self::TimedOut | Self::Failed | Self::Invalid)
    }
}

/// How one provider ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Its name.
    pub provider: String,
    /// Its category.
    pub category: ProviderCategory,
    /// How it ended.
    pub result: OutcomeKind,
    /// Why, in words; empty for one that is included whole.
    pub reason: String,
    /// How many of its entries stand in the context.
    pub entries: usize,
    /// How many found no room.
    pub cut: usize,
    /// How many are limited to something else than the request is about.
    pub elsewhere: usize,
    /// What the entries that stand in the context take, in tokens, estimated unless the host counts them.
    pub tokens: usize,
    /// How long it took; 0 for one that was not asked.
    pub ms: u64,
    /// What kept it from answering, with the host's own error.
    pub fault: Option<ProviderFault>,
}
