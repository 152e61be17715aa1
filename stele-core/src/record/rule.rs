//! Rules: which of them are obligations, and reading the live ones.

use super::database::number_out;
use super::node::{Class, Detail, RuleDetail, State};
use super::reader::Snapshot;
use super::schema::FLAG_UNSEARCHED;
use crate::base::error::Result;
use crate::base::id::{Kind, NodeId};

impl RuleDetail {
    /// True if the rule is delivered with the obligations and therefore takes no part in ranking.
    ///
    /// The one predicate for the obligations, the ranked share and the health check.
    #[must_use]
    pub fn is_obligation(&self) -> bool {
        !self.provisional && (self.mandatory || self.always_on || !self.forbidden.is_empty())
    }
}

/// A rule that holds, as the channels need it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiveRule {
    pub(crate) id: NodeId,
    pub(crate) revision: u64,
    pub(crate) title: String,
    /// True if it says more than its statement.
    pub(crate) has_body: bool,
    pub(crate) detail: RuleDetail,
}

/// Which live rules are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that are obligations.
    Obligations,
    /// All that are not only proposed.
    Settled,
}

impl Snapshot {
    /// The live rules, in the order of their numbers.
    pub(crate) fn live_rules(&self, which: Which) -> Result<Vec<LiveRule>> {
        // The flag of a rule that search does not find says obligation or archived; only the detail says which.
        let condition = match which {
            Which::Obligations => format!("class = ?1 AND retired = 0 AND flags & {FLAG_UNSEARCHED}"),
            Which::Settled => "class = ?1 AND retired = 0".to_owned(),
        };
        let rows = self.nodes("number, flags, expires_ms, revision, title, body <> '', rest", &condition, &Class::Rule.number(), |row| {
            let state = self.state(row.get(1)?, false, row.get(2)?);
            let rest: Option<String> = if state == State::Live { Some(row.get(6)?) } else { None };
            Ok((number_out(row.get(0)?), number_out(row.get(3)?), row.get(4)?, row.get(5)?, rest))
        })?;
        let mut rules = Vec::new();
        for (number, revision, title, has_body, rest) in rows {
            let Some(rest) = rest else { continue };
            let Detail::Rule(detail) = super::reader::detail_in(number, &rest)? else { continue };
            let wanted = if which == Which::Obligations { detail.is_obligation() } else { !detail.provisional };
            if wanted {
                rules.push(LiveRule { id: NodeId { kind: Kind::Rule, number }, revision, title, has_body, detail: *detail });
            }
        }
        rules.sort_unstable_by_key(|rule| rule.id.number);
        Ok(rules)
    }
}
