//! The checks, each in a function of its own.

use super::{Finding, Health, Weight};
use crate::base::config::TAIL_BOUND;
use crate::base::error::Result;
use crate::index::indexes::Indexes;
use crate::record::reader::Snapshot;

/// Looks at a snapshot and at what is known of the indexes and sessions.
pub(crate) fn check(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>) -> Result<Health> {
    let mut findings = Vec::new();
    findings.extend(unverified_retirements(snapshot)?);
    findings.extend(unfit_indexes(indexes));
    findings.extend(lag(snapshot, indexes));
    findings.extend(sessions_warning.map(|message| Finding {
        check: "sessions",
        severity: Weight::Warn,
        ids: Vec::new(),
        message,
        remedy: "nothing to do: sessions are served afresh, no knowledge is lost",
    }));
    findings.sort_by(|a, b| (a.severity, a.check, &a.ids).cmp(&(b.severity, b.check, &b.ids)));
    Ok(Health { findings })
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

fn unfit_indexes(indexes: &Indexes) -> Vec<Finding> {
    let notes = indexes.notes();
    let unfit = |check, severity, message: Option<String>, remedy| message.map(|message| Finding { check, severity, ids: Vec::new(), message, remedy });
    [
        unfit(
            "text_index",
            Weight::Warn,
            notes.text.map(|why| format!("the text index is not used: {why}")),
            "open the record for writing, or call catch_up: it is made anew from the record; answers are right meanwhile",
        ),
        unfit(
            "vector_index",
            Weight::Warn,
            notes.vectors.map(|why| format!("the vector index is not used: {why}")),
            "open the record for writing, or call catch_up: it is made anew from the record; answers are right meanwhile",
        ),
        unfit("embedder", Weight::Warn, notes.embedder, "mend the embedder; facts without a vector are found by words, and get theirs with the next catch-up"),
        unfit(
            "catch_up",
            Weight::Warn,
            notes.catch_up.map(|why| format!("the indexes could not be brought up to date: {why}")),
            "look at the disk, its rights and its free space",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lag(snapshot: &Snapshot, indexes: &Indexes) -> Option<Finding> {
    let (text, vectors) = indexes.sequences();
    let behind = snapshot.head().saturating_sub(text.min(vectors));
    (behind > TAIL_BOUND).then(|| Finding {
        check: "index_lag",
        severity: Weight::Info,
        ids: Vec::new(),
        message: format!("{behind} operations are searched directly, not through an index"),
        remedy: "call catch_up, or leave it to a handle that stays open for more than a second",
    })
}
