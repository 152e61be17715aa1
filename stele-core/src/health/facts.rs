//! Checks of what the record says: retirements, claims of cause and contradiction, age, duplicates, anchors.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::Finding;
use super::survey::{Survey, named};
use super::table::{
    DANGLING_ANCHOR, EDGE_WITHOUT_REASON, ENDED_BLOCKER, MISSING_HEAD, NEAR_DUPLICATE, OPEN_CONTRADICTION, ORPHAN, PAST_REVIEW, UNVERIFIED_FACT,
    UNVERIFIED_RETIREMENT,
};
use crate::base::config::{CONTRADICTION_DAYS, UNVERIFIED_DAYS};
use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::base::path::project_path;
use crate::base::places::{glob_folder, glob_matches, is_glob};
use crate::record::advice::claims;
use crate::record::edge::{Edge, Relation};
use crate::record::node::{Class, State};
use crate::record::reader::Snapshot;
use crate::record::survey::NodeInShort;

/// All checks of this file but that of anchors, which wants a list of files.
pub(super) fn check(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let mut findings = unverified_retirements(snapshot, survey)?;
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

fn unverified_retirements(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    // A tombstone has nothing to come back as.
    let purged = |number: u64| survey.nodes.get(&number).is_some_and(|node| node.purged);
    let found = snapshot.unverified_retirements()?.into_iter().filter(|edge| !purged(edge.to.number));
    let finding = |edge: Edge| {
        let lacking = if edge.reason.is_empty() { "no reason" } else { "no evidence that was found in a text" };
        UNVERIFIED_RETIREMENT.found(vec![edge.from, edge.to], format!("{} retires {} with {lacking}", edge.from, edge.to))
    };
    Ok(found.map(finding).collect())
}

/// Edges that claim a cause or a contradiction and do not say why.
fn edges_without_reason(survey: &Survey) -> impl Iterator<Item = Finding> {
    // A retirement without one is a finding of its own.
    let claims = survey.edges.iter().filter(|edge| edge.relation.is_claim() && edge.relation != Relation::Supersedes && !edge.has_reason);
    claims.filter_map(|edge| {
        let [from, to] = survey.ends(edge)?;
        Some(EDGE_WITHOUT_REASON.found(vec![from, to], format!("{from} {} {to} without saying why", edge.relation)))
    })
}

/// Retired nodes from which no way leads to a node that is not retired and can be read.
fn missing_heads(survey: &Survey) -> Vec<Finding> {
    let mut older: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for edge in survey.edges_of(Relation::Supersedes) {
        older.entry(edge.from).or_default().push(edge.to);
    }
    // From the heads down: what is never reached has none.
    let heads = survey.nodes.values().filter(|node| node.retired == 0 && !node.purged);
    let mut open: Vec<u64> = heads.map(|node| node.id.number).collect();
    let mut headed: BTreeSet<u64> = BTreeSet::new();
    while let Some(number) = open.pop() {
        if headed.insert(number) {
            open.extend(older.get(&number).into_iter().flatten());
        }
    }
    let lost = survey.nodes.values().filter(|node| node.retired > 0 && !node.purged && !headed.contains(&node.id.number));
    lost.map(|node| MISSING_HEAD.found(vec![node.id], format!("{} is retired and nothing that can be read stands in its place", node.id))).collect()
}

fn old_contradictions(survey: &Survey) -> impl Iterator<Item = Finding> {
    survey.edges_of(Relation::Contradicts).filter(|edge| survey.is_older(edge.at, CONTRADICTION_DAYS)).filter_map(|edge| {
        let (from, to) = (survey.if_live(edge.from)?.id, survey.if_live(edge.to)?.id);
        let message = format!("{from} and {to} have contradicted each other for {} days", survey.days_since(edge.at));
        Some(OPEN_CONTRADICTION.found(vec![from, to], message))
    })
}

fn unverified_facts(survey: &Survey) -> Option<Finding> {
    let facts = survey.live().filter(|node| matches!(node.class, Class::Knowledge(_)));
    let ids: Vec<NodeId> = facts.filter(|node| survey.days_since(node.affirmed) >= UNVERIFIED_DAYS).map(|node| node.id).collect();
    let message = format!("facts last written or confirmed {UNVERIFIED_DAYS} days ago or earlier: {}", ids.len());
    (!ids.is_empty()).then(|| UNVERIFIED_FACT.found(ids, message))
}

fn past_review(survey: &Survey) -> impl Iterator<Item = Finding> {
    let due = survey.live().filter_map(|node| node.review_at.map(|at| (node, at)));
    due.filter(|(node, at)| survey.is_past(*at) && node.verified_at.is_none_or(|verified| verified < *at))
        .map(|(node, at)| PAST_REVIEW.found(vec![node.id], format!("{} wanted a look at {at}", node.id)))
}

/// Blocking edges from what has ended by itself, and from tasks that were replaced or put away unfinished: those still block,
/// and nobody works on them.
fn ended_blockers(survey: &Survey) -> impl Iterator<Item = Finding> {
    survey.edges_of(Relation::Blocks).filter_map(|edge| {
        let ended = |node: &NodeInShort| match node.state {
            State::Expired | State::Resolved => true,
            State::Retired | State::Archived => matches!(node.class, Class::Task | Class::Container),
            State::Live => false,
        };
        let blocker = survey.nodes.get(&edge.from).filter(|node| ended(node) && !node.finished)?;
        let blocked = survey.if_live(edge.to).filter(|node| !node.finished)?;
        Some(ENDED_BLOCKER.found(vec![blocker.id, blocked.id], format!("{} is {} and still blocks {}", blocker.id, blocker.state, blocked.id)))
    })
}

/// Live facts of one category with one title that name the same numbers and negate alike.
fn same_titles(snapshot: &Snapshot, survey: &Survey) -> Result<Vec<Finding>> {
    let mut groups: BTreeMap<(i64, Class), Vec<NodeId>> = BTreeMap::new();
    for node in survey.live().filter(|node| matches!(node.class, Class::Knowledge(_))) {
        groups.entry((node.title_key, node.class)).or_default().push(node.id);
    }
    let mut findings = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut alike: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
        for id in group {
            let Some((content, _)) = snapshot.content(id.number)? else { continue };
            alike.entry(claims(&content.title, &content.body)).or_default().push(id);
        }
        for ids in alike.into_values().filter(|ids| ids.len() > 1) {
            let message = format!("{} have the same title", named(&ids, ", "));
            findings.push(NEAR_DUPLICATE.found(ids, message));
        }
    }
    Ok(findings)
}

fn orphans(survey: &Survey) -> Option<Finding> {
    let joined = survey.joined();
    let joins = |class| matches!(class, Class::Rule | Class::Component);
    let alone = survey.live().filter(|node| !node.placed && !node.finished && !joins(node.class) && !joined.contains(&node.id.number));
    let ids: Vec<NodeId> = alone.map(|node| node.id).collect();
    let message = format!("nodes without edge, component, tag, anchor or source: {}", ids.len());
    (!ids.is_empty()).then(|| ORPHAN.found(ids, message))
}

/// Anchors of live nodes that lead to no file of a list, whose paths are relative to the project.
pub(super) fn dangling_anchors(snapshot: &Snapshot, survey: &Survey, files: &[String]) -> Result<Vec<Finding>> {
    let files: BTreeSet<String> = files.iter().filter_map(|file| project_path("files", file).ok()).collect();
    let mut findings = Vec::new();
    let mut last: Option<(String, bool)> = None;
    for (path, number) in snapshot.anchors_in_short()? {
        let Some(node) = survey.if_live(number) else { continue };
        let known = last.take().filter(|(of, _)| *of == path);
        let there = known.map_or_else(|| leads_to_a_file(&path, &files), |(_, there)| there);
        if !there {
            findings.push(DANGLING_ANCHOR.found(vec![node.id], format!("{} is about {path}, which is not there", node.id)));
        }
        last = Some((path, there));
    }
    Ok(findings)
}

fn leads_to_a_file(path: &str, files: &BTreeSet<String>) -> bool {
    if files.contains(path) {
        return true;
    }
    let folder = if is_glob(path) { glob_folder(path) } else { path };
    let under = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut inside = files.range::<String, _>((Bound::Included(&under), Bound::Unbounded)).take_while(|file| file.starts_with(&under));
    if is_glob(path) { inside.any(|file| glob_matches(path, file)) } else { inside.next().is_some() }
}
