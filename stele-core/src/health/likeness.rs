//! Facts that mean nearly the same, by the vectors that search has of them.

use std::collections::BTreeMap;

use super::Finding;
use super::survey::Survey;
use super::table::{NEAR_DUPLICATE, UNCOMPARED_FACTS};
use crate::base::config::{COMPARED_FACTS, NEAR_DUPLICATE as NEAR};
use crate::base::error::Result;
use crate::base::node_set::NodeSet;
use crate::base::time::Deadline;
use crate::index::embedding::{Asking, vectors_of};
use crate::index::indexes::Indexes;
use crate::record::advice::says_the_same;
use crate::record::node::Class;
use crate::record::reader::Snapshot;

/// The most facts near one that are looked at.
const NEAREST: usize = 8;

/// Pairs of live facts of one category with the same numbers and negations whose meaning is near. Titles that are equal
/// were found without.
pub(super) fn check(snapshot: &Snapshot, indexes: &Indexes, survey: &Survey) -> Result<Vec<Finding>> {
    let (_, view) = indexes.look(None, snapshot.now(), Deadline::NEVER)?;
    let Some(embedder) = &view.embedder else { return Ok(Vec::new()) };
    let mut facts: Vec<_> = survey.live().filter(|node| matches!(node.class, Class::Knowledge(_))).collect();
    let mut of_class: BTreeMap<Class, NodeSet> = BTreeMap::new();
    for fact in &facts {
        of_class.entry(fact.class).or_default().insert(fact.id.number);
    }
    let all = facts.len();
    facts.reverse();
    facts.truncate(COMPARED_FACTS);
    let mut findings = Vec::new();
    for fact in &facts {
        let number = fact.id.number;
        let vectors = vectors_of(snapshot, embedder, &snapshot.units(number)?, Asking::Kept)?;
        let Some(vector) = vectors.of_units.into_iter().flatten().next() else { continue };
        // Each pair is seen once: from its newer fact, or from the older one if that alone is looked at.
        let others = of_class.get_mut(&fact.class).expect("every fact's class has a set");
        others.remove(number);
        for hit in view.search_vectors(&vector, others, NEAREST, Deadline::NEVER).hits {
            let Some(other) = survey.if_live(hit.number).filter(|other| hit.cosine >= NEAR && other.title_key != fact.title_key) else { continue };
            if same(snapshot, number, hit.number)? {
                let message = format!("{} and {} mean nearly the same (cosine {:.2})", other.id, fact.id, hit.cosine);
                findings.push(NEAR_DUPLICATE.found(vec![other.id, fact.id], message));
            }
        }
    }
    if all > facts.len() {
        let message = format!("only the newest {} of {all} facts were compared with the others by meaning", facts.len());
        findings.push(UNCOMPARED_FACTS.found(Vec::new(), message));
    }
    Ok(findings)
}

fn same(snapshot: &Snapshot, one: u64, other: u64) -> Result<bool> {
    let (Some((one, _)), Some((other, _))) = (snapshot.content(one)?, snapshot.content(other)?) else { return Ok(false) };
    Ok(says_the_same(&one.title, &one.body, &other.title, &other.body))
}
