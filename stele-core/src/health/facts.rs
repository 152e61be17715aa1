//! Checks of what the record says: retirements, claims of cause and contradiction, age, duplicates, anchors.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;
use super::{Finding, Weight};
use crate::base::config::{CONTRADICTION_DAYS, UNVERIFIED_DAYS};
use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::base::path::matches_glob;
use crate::base::text::{negations, numbers};
use crate::record::edge::Relation;
use crate::record::node::{Class, State};
use crate::record::reader::Snapshot;

/// All checks of this file.
pub(super) fn check(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let mut findings = unverified_retirements(snapshot)?;
    findings.extend(edges_without_reason(survey));
    findings.extend(missing_heads(survey));
    findings.extend(old_contradictions(survey));
    findings.extend(unverified_facts(survey));
    findings.extend(past_review(survey));
    findings.extend(ended_blockers(survey));
    findings.extend(same_titles(snapshot, survey)?);
    findings.extend(orphans(survey));
    Ok(findings)
}

fn unverified_retirements(snapshot: &Snapshot) -> Result<Vec<Finding>> {
    let found = snapshot.unverified_retirements()?;
    Ok(found
        .into_iter()
        .map(|edge| {
            let lacking = if edge.reason.is_empty() { "no reason" } else { "no evidence that was found in a text" };
            Finding {
                check: "unverified_retirement",
                severity: Weight::Error,
                ids: vec![edge.from, edge.to],
                message: format!("{} retires {} with {lacking}", edge.from, edge.to),
                remedy: "demote it, then supersede again with a reason and a line that stands in either text",
            }
        })
        .collect())
}

/// Edges that claim a cause or a contradiction and do not say why.
fn edges_without_reason(survey: &Survey) -> Vec<Finding> {
    let claims = survey.edges.iter().filter(|edge| matches!(edge.relation, Relation::CausedBy | Relation::Contradicts) && !edge.has_reason);
    claims
        .filter_map(|edge| {
            let (from, to) = (survey.id(edge.from)?, survey.id(edge.to)?);
            Some(Finding {
                check: "edge_without_reason",
                severity: Weight::Warn,
                ids: vec![from, to],
                message: format!("{from} {} {to} without saying why", edge.relation),
                remedy: "unlink it and link again with a reason, or use relates-to, which claims nothing",
            })
        })
        .collect()
}

/// Retired nodes from which no way leads to a node that is not retired.
fn missing_heads(survey: &Survey) -> Vec<Finding> {
    let mut newer: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut older: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for edge in survey.edges_of(Relation::Supersedes) {
        newer.entry(edge.to).or_default().push(edge.from);
        older.entry(edge.from).or_default().push(edge.to);
    }
    // From the heads down: what is never reached has none.
    let mut headed: BTreeSet<u64> = BTreeSet::new();
    let mut open: Vec<u64> = survey.nodes.keys().copied().filter(|number| !newer.contains_key(number) && survey.nodes[number].retired == 0).collect();
    while let Some(number) = open.pop() {
        if headed.insert(number) {
            open.extend(older.get(&number).into_iter().flatten());
        }
    }
    let lost = survey.nodes.values().filter(|node| node.retired > 0 && !headed.contains(&node.id.number));
    lost.map(|node| Finding {
        check: "missing_head",
        severity: Weight::Error,
        ids: vec![node.id],
        message: format!("{} is retired and nothing that holds stands in its place", node.id),
        remedy: "look at its history, and demote the edge that retires it or supersede it by what holds",
    })
    .collect()
}

fn old_contradictions(survey: &Survey) -> Vec<Finding> {
    let open = survey.edges_of(Relation::Contradicts).filter(|edge| survey.both_live(edge));
    let old = open.filter(|edge| survey.days_since(edge.at) > CONTRADICTION_DAYS);
    old.filter_map(|edge| {
        let (from, to) = (survey.id(edge.from)?, survey.id(edge.to)?);
        Some(Finding {
            check: "open_contradiction",
            severity: Weight::Warn,
            ids: vec![from, to],
            message: format!("{from} and {to} have contradicted each other for {} days", survey.days_since(edge.at)),
            remedy: "find out which holds and supersede the other, or unlink them if both do",
        })
    })
    .collect()
}

fn unverified_facts(survey: &Survey) -> Option<Finding> {
    let facts = survey.live().filter(|node| matches!(node.class, Class::Knowledge(_)));
    let ids: Vec<NodeId> = facts.filter(|node| survey.days_since(node.affirmed) >= UNVERIFIED_DAYS).map(|node| node.id).collect();
    (!ids.is_empty()).then(|| Finding {
        check: "unverified_fact",
        severity: Weight::Info,
        message: format!("{} facts were last written or confirmed {UNVERIFIED_DAYS} days ago or earlier", ids.len()),
        ids,
        remedy: "review those that still hold, supersede those that do not",
    })
}

fn past_review(survey: &Survey) -> Vec<Finding> {
    let due = survey.live().filter_map(|node| node.review_at.map(|at| (node, at)));
    due.filter(|(node, at)| *at <= survey.now && node.verified_at.is_none_or(|verified| verified < *at))
        .map(|(node, at)| Finding {
            check: "past_review",
            severity: Weight::Warn,
            ids: vec![node.id],
            message: format!("{} wanted a look at {at}", node.id),
            remedy: "review it if it still holds, else supersede it; or give it another review date",
        })
        .collect()
}

/// Blocking edges from what has ended by itself.
fn ended_blockers(survey: &Survey) -> Vec<Finding> {
    survey
        .edges_of(Relation::Blocks)
        .filter_map(|edge| {
            let blocker = survey.nodes.get(&edge.from).filter(|node| matches!(node.state, State::Expired | State::Resolved))?;
            let blocked = survey.nodes.get(&edge.to).filter(|node| node.state == State::Live)?;
            Some(Finding {
                check: "ended_blocker",
                severity: Weight::Warn,
                ids: vec![blocker.id, blocked.id],
                message: format!("{} is {} and still blocks {}", blocker.id, blocker.state, blocked.id),
                remedy: "unlink it, or revise its expiry if it still blocks",
            })
        })
        .collect()
}

/// Live facts of one category with one title, the same numbers and as many negations.
fn same_titles(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let mut groups: BTreeMap<(i64, u8), Vec<NodeId>> = BTreeMap::new();
    for node in survey.live() {
        if let Class::Knowledge(category) = node.class {
            groups.entry((node.title_key, category.number())).or_default().push(node.id);
        }
    }
    let mut findings = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut alike: BTreeMap<(Vec<String>, usize), Vec<NodeId>> = BTreeMap::new();
        for id in group {
            let Some((content, _)) = snapshot.content(id.number)? else { continue };
            let text = format!("{}\n{}", content.title, content.body);
            let said = (numbers(&text).into_iter().map(ToOwned::to_owned).collect(), negations(&text));
            alike.entry(said).or_default().push(id);
        }
        findings.extend(alike.into_values().filter(|ids| ids.len() > 1).map(|ids| near_duplicates(ids, "have the same title")));
    }
    Ok(findings)
}

/// Facts that say nearly the same.
pub(super) fn near_duplicates(ids: Vec<NodeId>, how: &str) -> Finding {
    Finding {
        check: "near_duplicate",
        severity: Weight::Warn,
        message: format!("{} {how}", ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        ids,
        remedy: "revise the one that says it best and supersede or archive the others",
    }
}

fn orphans(survey: &Survey) -> Option<Finding> {
    let joined = survey.joined();
    let alone = survey.live().filter(|node| !node.placed && !joined.contains(&node.id.number) && !matches!(node.class, Class::Rule | Class::Component));
    let ids: Vec<NodeId> = alone.map(|node| node.id).collect();
    (!ids.is_empty()).then(|| Finding {
        check: "orphan",
        severity: Weight::Info,
        message: format!("{} nodes have no edge, component, tag, anchor or source: only a search for their own words finds them", ids.len()),
        ids,
        remedy: "link them to what they are about, or give them a component, a tag or an anchor",
    })
}

/// Anchors of live nodes that lead to no file of a list, whose paths are relative to the project.
pub(super) fn dangling_anchors(snapshot: &Snapshot, survey: &Survey, files: &[String]) -> Result<Vec<Finding>> {
    let known: BTreeSet<&str> = files.iter().map(String::as_str).collect();
    let mut findings = Vec::new();
    for node in survey.live() {
        let Some((content, _)) = snapshot.content(node.id.number)? else { continue };
        for anchor in &content.anchors {
            let path = anchor.path.as_str();
            let under = format!("{path}/");
            let found = known.contains(path) || files.iter().any(|file| file.starts_with(&under) || matches_glob(path, file));
            if !found {
                findings.push(Finding {
                    check: "dangling_anchor",
                    severity: Weight::Warn,
                    ids: vec![node.id],
                    message: format!("{} is about {path}, which is not there", node.id),
                    remedy: "anchor it to where that went, or remove the anchor",
                });
            }
        }
    }
    Ok(findings)
}
