//! Proposed rules: why one is refused before it is stored.

use super::node::{Content, Detail, RuleDetail};
use super::rule::LiveRule;
use crate::base::config::{RULE_DUPLICATE, RULE_KNOWN};
use crate::base::id::NodeId;
use crate::base::keywords::{Keywords, folded};
use crate::base::names::named_enum;
use crate::base::triggers::has_literal;

named_enum! {
    /// Why a proposed rule is refused.
    RefusalReason, UnknownValue, "refusal" {
        /// A live rule says the same.
        Duplicate = 0 "duplicate",
        /// A live rule says nearly the same.
        NotNovel = 1 "not_novel",
        /// It does not say what to do so that one could tell whether it was done.
        Vague = 2 "vague",
        /// It is mandatory and does not say how one can check it.
        Unchecked = 3 "unchecked",
    }
}

/// One reason against a proposed rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// What it is.
    pub reason: RefusalReason,
    /// What to do about it.
    pub message: String,
    /// The rules that it is about.
    pub ids: Vec<NodeId>,
}

/// What became of a proposed rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// Its id, if it was stored.
    pub id: Option<NodeId>,
    /// Every reason why not; none if it was stored.
    pub refused: Vec<Refusal>,
}

impl Proposal {
    /// True if it was stored, as provisional.
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.id.is_some()
    }
}

/// The cosines of a text to others.
pub(crate) type Cosines<'c> = &'c dyn Fn(&str, &[String]) -> Vec<f32>;

/// Most rules that a refusal names.
const NAMED: usize = 5;

/// Words that leave open what is asked for.
const VAGUE: [&str; 46] = [
    "be careful",
    "be mindful",
    "be aware",
    "keep in mind",
    "take care",
    "pay attention",
    "properly",
    "appropriate",
    "appropriately",
    "carefully",
    "as needed",
    "if needed",
    "when needed",
    "as necessary",
    "if necessary",
    "when necessary",
    "where necessary",
    "as required",
    "when possible",
    "where possible",
    "if possible",
    "as appropriate",
    "try to",
    "and so on",
    "best practice",
    "best practices",
    "good practice",
    "good practices",
    "good code",
    "clean code",
    "better code",
    "nice code",
    "high quality",
    "good quality",
    "do better",
    "do your best",
    "do things",
    "do it right",
    "do it well",
    "use common sense",
    "use good judgment",
    "use good judgement",
    "be reasonable",
    "be consistent",
    "be smart",
    "be thorough",
];

/// What a line begins with that says how a rule is checked.
const CHECKS: [&str; 6] = ["check:", "checked by", "verify:", "verified by", "enforced by", "test:"];

/// Every reason against a proposed rule.
pub(crate) fn refusals(content: &Content, rules: &[LiveRule], cosines: Cosines<'_>) -> Vec<Refusal> {
    let Detail::Rule(rule) = &content.detail else { return Vec::new() };
    let mut against = near_rules(rule, rules, cosines);
    if let Some(word) = vague_word(rule) {
        against.push(Refusal {
            reason: RefusalReason::Vague,
            message: format!("{word:?} leaves open what is asked for: name the act, the place and the limit"),
            ids: Vec::new(),
        });
    }
    if rule.mandatory && !has_check(content, rule) {
        against.push(Refusal {
            reason: RefusalReason::Unchecked,
            message: "it is mandatory: add a line that begins with `Check:` and says which command, test or review shows that it is kept".to_owned(),
            ids: Vec::new(),
        });
    }
    against
}

/// What a rule says, as it is compared with others.
fn said(rule: &RuleDetail) -> String {
    if rule.trigger.trim().is_empty() { rule.statement.clone() } else { format!("{}\n{}", rule.trigger, rule.statement) }
}

fn near_rules(rule: &RuleDetail, rules: &[LiveRule], cosines: Cosines<'_>) -> Vec<Refusal> {
    let same = |other: &LiveRule| folded(&other.detail.statement).trim() == folded(&rule.statement).trim();
    let others: Vec<String> = rules.iter().map(|rule| said(&rule.detail)).collect();
    let mut near: Vec<(f32, NodeId)> = Vec::new();
    for (other, cosine) in rules.iter().zip(cosines(&said(rule), &others)) {
        let cosine = if same(other) { 1.0 } else { cosine };
        if cosine >= RULE_KNOWN {
            near.push((cosine, other.id));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.number.cmp(&b.1.number)));
    let Some((nearest, _)) = near.first() else { return Vec::new() };
    let duplicate = *nearest >= RULE_DUPLICATE;
    let (reason, verb) = if duplicate { (RefusalReason::Duplicate, "says the same") } else { (RefusalReason::NotNovel, "says nearly the same") };
    let ids: Vec<NodeId> = near.iter().filter(|(cosine, _)| !duplicate || *cosine >= RULE_DUPLICATE).map(|(_, id)| *id).take(NAMED).collect();
    let named = ids.iter().map(NodeId::to_string).collect::<Vec<_>>().join(", ");
    vec![Refusal { reason, message: format!("{named} {verb} (cosine {nearest:.2}): give feedback on it or revise it"), ids }]
}

/// A word that leaves open what is asked for, unless something in the statement can be taken literally.
fn vague_word(rule: &RuleDetail) -> Option<&'static str> {
    if has_literal(&rule.statement) {
        return None;
    }
    let vague = Keywords::of(VAGUE);
    let present = vague.in_text(&rule.statement);
    VAGUE.into_iter().find(|word| present.count(&vague.places(&[(*word).to_owned()])) > 0)
}

fn has_check(content: &Content, rule: &RuleDetail) -> bool {
    let says = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        CHECKS.iter().any(|check| line.strip_prefix(check).is_some_and(|what| !what.trim().is_empty()))
    };
    !rule.forbidden.is_empty() || content.body.lines().chain(rule.statement.lines()).any(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::draft::Draft;
    use crate::record::settle::content_of;

    fn reasons(title: &str, statement: &str, body: &str, mandatory: bool) -> Vec<RefusalReason> {
        let draft = Draft::rule(title, statement).body(body).routing(|rule| rule.mandatory = mandatory);
        let content = content_of(&draft).expect("a rule");
        refusals(&content, &[], &|_, others| vec![0.0; others.len()]).into_iter().map(|refusal| refusal.reason).collect()
    }

    #[test]
    fn vague_wording_is_told_from_what_can_be_done() {
        for statement in ["Be careful with migrations", "Handle errors properly.", "Write good code", "Follow best-practices", "Retry when possible"] {
            assert_eq!(reasons("x", statement, "", false), [RefusalReason::Vague], "{statement}");
        }
        for statement in
            ["Never log credentials", "Use tabs", "Run `make check` as needed", "Every public function has a doc comment", "Retries stop after 5 attempts"]
        {
            assert_eq!(reasons("x", statement, "", false), [], "{statement}");
        }
    }

    #[test]
    fn a_mandatory_rule_says_how_it_is_checked() {
        assert_eq!(reasons("x", "Never log credentials", "", true), [RefusalReason::Unchecked]);
        assert_eq!(reasons("x", "Never log credentials", "Check:  ", true), [RefusalReason::Unchecked]);
        assert_eq!(reasons("x", "Never log credentials", "Why: leaks.\n- Check: `grep -ri password logs` finds nothing", true), []);
        assert_eq!(reasons("x", "Never log credentials.\nEnforced by the log filter's test", "", true), []);
    }
}
