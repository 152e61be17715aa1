//! The checks, each in a function of its own.

use super::{Finding, Health, Weight};
use crate::base::config::TAIL_BOUND;
use crate::base::error::{Code, Result};
use crate::index::indexes::Indexes;
use crate::record::reader::Snapshot;
use crate::record::{log, purge};

/// Looks at a snapshot and at what is known of the indexes and sessions.
pub(crate) fn check(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>) -> Result<Health> {
    found(snapshot, indexes, sessions_warning).map(in_order)
}

/// As [`check`], and reads every byte of the log and of the indexes.
pub(crate) fn check_fully(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>) -> Result<Health> {
    let mut findings = found(snapshot, indexes, sessions_warning)?;
    findings.extend(broken_log(snapshot)?);
    findings.extend(damaged_indexes(indexes));
    Ok(in_order(findings))
}

fn in_order(mut findings: Vec<Finding>) -> Health {
    findings.sort_by(|a, b| (a.severity, a.check, &a.ids).cmp(&(b.severity, b.check, &b.ids)));
    Health { findings }
}

fn found(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    findings.extend(unverified_retirements(snapshot)?);
    findings.extend(unfit_indexes(indexes));
    findings.extend(pending_purge(snapshot)?);
    findings.extend(lag(snapshot, indexes));
    findings.extend(shortened(snapshot, indexes));
    findings.extend(sessions_warning.map(|message| Finding {
        check: "sessions",
        severity: Weight::Warn,
        ids: Vec::new(),
        message,
        remedy: "nothing to do: sessions are served afresh, no knowledge is lost",
    }));
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

fn pending_purge(snapshot: &Snapshot) -> Result<Option<Finding>> {
    let finding = Finding {
        check: "purge",
        severity: Weight::Error,
        ids: Vec::new(),
        message: "text that was purged may still stand in files of the record: another handle was in the way".to_owned(),
        remedy: "close other handles on the record, then call compact",
    };
    Ok(purge::is_pending(snapshot.conn())?.then_some(finding))
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

fn damaged_indexes(indexes: &Indexes) -> Vec<Finding> {
    let flaws = indexes.verify();
    let damaged = |check, which, flaw: Option<String>| {
        let message = flaw.map(|why| format!("the {which} index is damaged, so that searches may miss facts: {why}"));
        message.map(|message| Finding {
            check,
            severity: Weight::Warn,
            ids: Vec::new(),
            message,
            remedy: "call rebuild_indexes: they are made anew from the record",
        })
    };
    let text = damaged("text_index", "text", flaws.text);
    let vectors = damaged("vector_index", "vector", flaws.vectors);
    text.into_iter().chain(vectors).collect()
}

fn broken_log(snapshot: &Snapshot) -> Result<Option<Finding>> {
    match log::verify(snapshot.conn()) {
        Ok(_) => Ok(None),
        Err(error) if error.code() == Code::ChainBroken => Ok(Some(Finding {
            check: "log",
            severity: Weight::Error,
            ids: Vec::new(),
            message: error.to_string(),
            remedy: "restore a backup: the log says something else than what was written",
        })),
        Err(error) => Err(error),
    }
}

/// A log that ends before what an index of it knew: the only trace that a lost write-ahead log leaves.
fn shortened(snapshot: &Snapshot, indexes: &Indexes) -> Option<Finding> {
    indexes.notes().ahead.map(|known| Finding {
        check: "log_shortened",
        severity: Weight::Error,
        ids: Vec::new(),
        message: format!("the indexes knew {known} operations, the log ended earlier and has {} now", snapshot.head()),
        remedy: "after restoring a backup, nothing; else put record.db-wal back before anything is written, or restore a backup",
    })
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
