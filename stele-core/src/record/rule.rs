//! Rules: which of them are obligations, reading the live ones, and what was counted for one.

pub(crate) mod book;

use serde::{Deserialize, Serialize};

use super::database::{Trouble, number_in, number_out};
use super::node::{Class, Detail, RuleDetail, State};
use super::reader::Snapshot;
use super::schema::FLAG_UNSEARCHED;
use crate::base::config::{PROMOTION_LOWER_BOUND, PROMOTION_OBSERVATIONS};
use crate::base::error::Result;
use crate::base::id::{Kind, NodeId};
use crate::base::names::named_enum;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveRule {
    #[serde(with = "number")]
    pub(crate) id: NodeId,
    pub(crate) revision: u64,
    pub(crate) title: String,
    /// True if it says more than its statement.
    pub(crate) has_body: bool,
    /// True if search finds it, as its row says.
    pub(crate) searched: bool,
    pub(crate) detail: RuleDetail,
}

/// The id of a rule as its number, which is all that it holds.
mod number {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::base::id::{Kind, NodeId};

    pub(super) fn serialize<S: Serializer>(id: &NodeId, serializer: S) -> Result<S::Ok, S::Error> {
        id.number.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NodeId, D::Error> {
        u64::deserialize(deserializer).map(|number| NodeId { kind: Kind::Rule, number })
    }
}

/// Which live rules are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that are obligations.
    Obligations,
    /// All that are not only proposed.
    Settled,
    /// All.
    All,
}

/// A rule that holds until it expires.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StandingRule {
    pub(crate) rule: LiveRule,
    pub(crate) expires_ms: Option<i64>,
}

impl From<LiveRule> for StandingRule {
    fn from(rule: LiveRule) -> Self {
        Self { rule, expires_ms: None }
    }
}

impl Snapshot {
    /// The live rules, in the order of their numbers.
    pub(crate) fn live_rules(&self, which: Which) -> Result<Vec<LiveRule>> {
        let now = self.now().unix_ms();
        Ok(self.standing_rules(which)?.into_iter().filter(|standing| standing.expires_ms.is_none_or(|at| at > now)).map(|standing| standing.rule).collect())
    }

    /// The live rules and those that nothing but their expiry has ended, in the order of their numbers.
    pub(crate) fn standing_rules(&self, which: Which) -> Result<Vec<StandingRule>> {
        // The flag of a rule that search does not find says obligation or archived; only the detail says which.
        let condition = match which {
            Which::Obligations => format!("class = ?1 AND retired = 0 AND flags & {FLAG_UNSEARCHED}"),
            Which::Settled | Which::All => "class = ?1 AND retired = 0".to_owned(),
        };
        let rows = self.nodes("number, flags, expires_ms, revision, title, body <> '', rest", &condition, &Class::Rule.number(), |row| {
            let expires_ms = row.get(2)?;
            let state = self.state(row.get(1)?, false, expires_ms);
            let rest: Option<String> = if matches!(state, State::Live | State::Expired) { Some(row.get(6)?) } else { None };
            let searched = row.get::<_, i64>(1)? & FLAG_UNSEARCHED == 0;
            Ok((number_out(row.get(0)?), searched, expires_ms, number_out(row.get(3)?), row.get(4)?, row.get(5)?, rest))
        })?;
        let mut rules = Vec::new();
        for (number, searched, expires_ms, revision, title, has_body, rest) in rows {
            let Some(rest) = rest else { continue };
            let Detail::Rule(detail) = super::reader::detail_in(number, &rest)? else { continue };
            let wanted = match which {
                Which::Obligations => detail.is_obligation(),
                Which::Settled => !detail.provisional,
                Which::All => true,
            };
            if wanted {
                let rule = LiveRule { id: NodeId { kind: Kind::Rule, number }, revision, title, has_body, searched, detail: *detail };
                rules.push(StandingRule { rule, expires_ms });
            }
        }
        rules.sort_unstable_by_key(|standing| standing.rule.id.number);
        Ok(rules)
    }
}

named_enum! {
    /// What a rule did on an occasion.
    Helpfulness, UnknownValue, "feedback" {
        /// It helped.
        Helped = 0 "helped",
        /// It hurt.
        Hurt = 1 "hurt",
    }
}

/// What was counted for a rule since its statement became what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleFeedback {
    /// The rule.
    pub rule: NodeId,
    /// How often it helped.
    pub helped: u64,
    /// How often it hurt.
    pub hurt: u64,
    /// The lower bound of the 95 % Wilson interval of the share that helped; 0 where nothing was counted.
    pub lower_bound: f64,
    /// True if there are enough observations and the bound is high enough for the rule to be promoted.
    pub ready: bool,
    /// False if this call counted nothing, because its key had been counted before.
    pub counted: bool,
}

/// The lower bound of the 95 % Wilson interval of a share.
fn wilson_lower(helped: u64, hurt: u64) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let n = (helped + hurt) as f64;
    if n == 0.0 {
        return 0.0;
    }
    let share = helped as f64 / n;
    let spread = Z * ((share * (1.0 - share) + Z * Z / (4.0 * n)) / n).sqrt();
    ((share + Z * Z / (2.0 * n) - spread) / (1.0 + Z * Z / n)).max(0.0)
}

impl Snapshot {
    /// What was counted for a rule.
    pub(crate) fn feedback(&self, rule: NodeId) -> Result<RuleFeedback> {
        let (helped, hurt) = self
            .conn()
            .prepare_cached("SELECT ifnull(sum(helped), 0), ifnull(sum(NOT helped), 0) FROM feedback WHERE rule = ?1 AND from_seq <= ?2 AND to_seq > ?2")
            .and_then(|mut statement| {
                statement.query_row([number_in(rule.number), number_in(self.at())], |row| Ok((number_out(row.get(0)?), number_out(row.get(1)?))))
            })
            .map_err(Trouble::during("read the record"))?;
        let lower_bound = wilson_lower(helped, hurt);
        let ready = helped + hurt >= PROMOTION_OBSERVATIONS && lower_bound >= PROMOTION_LOWER_BOUND;
        Ok(RuleFeedback { rule, helped, hurt, lower_bound, ready, counted: true })
    }

    /// True if a key was counted for a rule at any time.
    pub(crate) fn has_feedback(&self, rule: u64, key: &str) -> Result<bool> {
        self.conn()
            .prepare_cached("SELECT EXISTS(SELECT 1 FROM feedback WHERE rule = ?1 AND key = ?2)")
            .and_then(|mut statement| statement.query_row(rusqlite::params![number_in(rule), key], |row| row.get(0)))
            .map_err(Trouble::during("read the record"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_bound_is_that_of_wilson() {
        for (helped, hurt, bound) in [(0, 0, 0.0), (10, 0, 0.722_467_2), (39, 11, 0.647_577_7), (40, 10, 0.669_631_9), (0, 10, 0.0)] {
            assert!((wilson_lower(helped, hurt) - bound).abs() < 1e-4, "{helped} {hurt}: {}", wilson_lower(helped, hurt));
        }
    }
}
