//! Checks of how rules arrive, by the same predicates by which the channels choose.

use super::Finding;
use super::table::{OBLIGATIONS_OVER_BUDGET, RULE_IN_TWO_CHANNELS, STRANDED_RULE};
use crate::assemble::channels::obligations::choose;
use crate::assemble::channels::{Obligations, Point, RulesOptions, Write, methodology, obligations};
use crate::base::error::Result;
use crate::base::time::Timestamp;
use crate::base::tokens::TokenCounter;
use crate::record::reader::Snapshot;
use crate::record::rule::book::Rulebook;
use crate::record::rule::{LiveRule, Which};

/// All checks of this file.
pub(super) fn check(snapshot: &Snapshot, write: Write<'_>) -> Result<Vec<Finding>> {
    let rules = snapshot.live_rules(Which::All)?;
    let mut findings: Vec<Finding> = rules.iter().filter_map(stranded).collect();
    findings.extend(rules.iter().filter_map(in_two_channels));
    findings.extend(over_budget(rules, write));
    Ok(findings)
}

/// Of a rule that is delivered nowhere, or not where it must be.
fn stranded(rule: &LiveRule) -> Option<Finding> {
    let detail = &rule.detail;
    // The obligations are read from the rules that search leaves out.
    let obliged = !rule.searched && obligations::reaches(detail);
    if detail.is_obligation() && rule.searched {
        let message = format!("{} must arrive with the obligations, and its row in the record says that it is only searched for", rule.id);
        return Some(STRANDED_RULE.found(vec![rule.id], message));
    }
    let why = if detail.is_obligation() {
        format!("none of its points is one: {}", detail.points.join(", "))
    } else {
        "its row in the record says that search leaves it out, and nothing calls it".to_owned()
    };
    let reached = obliged || rule.searched || methodology::reaches(detail);
    (!reached).then(|| STRANDED_RULE.found(vec![rule.id], format!("{} never arrives: {why}", rule.id)))
}

fn in_two_channels(rule: &LiveRule) -> Option<Finding> {
    let both = rule.detail.is_obligation() && methodology::reaches(&rule.detail);
    both.then(|| RULE_IN_TWO_CHANNELS.found(vec![rule.id], format!("{} is an obligation, and a mode or an action calls it as well", rule.id)))
}

/// The obligations of the point at which they are most, where a session has seen none and no text keeps any away.
fn over_budget(mut rules: Vec<LiveRule>, write: Write<'_>) -> Option<Finding> {
    rules.retain(|rule| rule.detail.is_obligation() && !rule.searched);
    let book = Rulebook::of(rules.into_iter().map(Into::into).collect());
    let at = |point: &Point| (*point, choose(&book, Timestamp::default(), &RulesOptions::new().point(*point), write, &TokenCounter::default()));
    let (point, most): (Point, Obligations) = Point::ALL.iter().map(at).max_by_key(|(point, chosen)| (chosen.tokens, std::cmp::Reverse(*point)))?;
    let mut ids: Vec<_> = most.in_order().iter().map(|entry| entry.id).collect();
    ids.sort_unstable_by_key(|id| id.number);
    let message = format!("at the point {point} the obligations take {} tokens of {}", most.tokens, most.cap);
    most.over_budget.then(|| OBLIGATIONS_OVER_BUDGET.found(ids, message))
}
