//! Checks of how things hang together: circles, work that waits for itself, claims that nobody gives back.

use std::collections::BTreeMap;

use super::Finding;
use super::survey::{Survey, named};
use super::table::{CYCLE, DEADLOCK, OLD_CLAIM, WEAKENED_EDGE};
use crate::base::config::CLAIM_DAYS;
use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::record::deadlock::circles;
use crate::record::edge::Relation;
use crate::record::reader::Snapshot;

/// All checks of this file.
pub(super) fn check(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut known: Vec<Vec<NodeId>> = Vec::new();
    for relation in [Relation::Supersedes, Relation::Blocks] {
        for ids in cycles(survey, relation) {
            findings.push(CYCLE.found(ids.clone(), format!("{relation} leads in a circle: {}", around(&ids))));
            known.push(ids);
        }
    }
    // What stands in a circle of `blocks` was said just now.
    for ids in snapshot.deadlocks()?.into_iter().filter(|ids| !known.contains(ids)) {
        let message = format!("each waits for the one before it: {}", around(&ids));
        findings.push(DEADLOCK.found(ids, message));
    }
    findings.extend(weakened_edges(survey));
    findings.extend(old_claims(snapshot, survey)?);
    Ok(findings)
}

fn cycles(survey: &Survey, relation: Relation) -> Vec<Vec<NodeId>> {
    let mut next: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for edge in survey.edges_of(relation) {
        next.entry(edge.from).or_default().push(edge.to);
    }
    next.values_mut().for_each(|tos| tos.sort_unstable());
    let ids = |circle: Vec<u64>| circle.iter().filter_map(|number| survey.nodes.get(number).map(|node| node.id)).collect();
    circles(&next).into_iter().map(ids).collect()
}

/// A circle as a message shows it, ending where it began.
fn around(ids: &[NodeId]) -> String {
    let first = ids.first().map(NodeId::to_string).unwrap_or_default();
    format!("{} → {first}", named(ids, " → "))
}

fn weakened_edges(survey: &Survey) -> impl Iterator<Item = Finding> {
    survey.edges.iter().filter(|edge| edge.weakened && matches!(edge.relation, Relation::RelatesTo | Relation::Fulfills)).filter_map(|edge| {
        let [from, to] = survey.ends(edge)?;
        Some(WEAKENED_EDGE.found(vec![from, to], format!("{from} {} {to} stands in for an edge that would close a circle", edge.relation)))
    })
}

fn old_claims(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let claims = snapshot.claims_in_short()?.into_iter().filter(|claim| survey.is_older(claim.since, CLAIM_DAYS));
    let found = claims.filter_map(|claim| {
        let id = survey.nodes.get(&claim.task)?.id;
        Some(OLD_CLAIM.found(vec![id], format!("{id} has been claimed by {} for {} days", claim.holder, survey.days_since(claim.since))))
    });
    Ok(found.collect())
}
