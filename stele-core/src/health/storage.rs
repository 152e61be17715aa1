//! Checks of what the record is kept in: the log, the indexes, a purge that is not over, sessions.

use super::Finding;
use super::table::{CATCH_UP, EMBEDDER, EMBEDDER_MISMATCH, HealthCheck, INDEX_LAG, LOG, LOG_SHORTENED, PURGE, SESSIONS, TEXT_INDEX, VECTOR_INDEX};
use crate::base::config::TAIL_BOUND;
use crate::base::error::{Code, Result};
use crate::index::indexes::Indexes;
use crate::record::log;
use crate::record::purge::Pending;
use crate::record::reader::Snapshot;

/// What a look at headers tells.
pub(super) fn check(snapshot: &Snapshot, indexes: &Indexes, sessions_warning: Option<String>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    // First, because it opens the indexes and so finds what is wrong with them.
    findings.extend(lag(snapshot, indexes));
    findings.extend(unfit_indexes(snapshot, indexes)?);
    // The only trace that a lost write-ahead log leaves: the log ends before what an index of it knew.
    findings.extend(
        indexes.notes().ahead.map(|known| {
            LOG_SHORTENED.found(Vec::new(), format!("the indexes knew {known} operations, the log ended earlier and has {} now", snapshot.head()))
        }),
    );
    if Pending::of(snapshot.conn())?.is_some() {
        findings.push(PURGE.found(Vec::new(), "text that was purged may still stand in files of the record: another handle was in the way".to_owned()));
    }
    findings.extend(sessions_warning.map(|message| SESSIONS.found(Vec::new(), message)));
    Ok(findings)
}

/// What reading every byte of the log and of the indexes tells.
pub(super) fn check_fully(snapshot: &Snapshot, indexes: &Indexes) -> Result<Vec<Finding>> {
    let mut findings = damaged_indexes(indexes);
    match log::verify(snapshot.conn()) {
        Ok(_) => {}
        Err(error) if error.code() == Code::ChainBroken => findings.push(LOG.found(Vec::new(), error.to_string())),
        Err(error) => return Err(error),
    }
    Ok(findings)
}

fn unfit_indexes(snapshot: &Snapshot, indexes: &Indexes) -> Result<Vec<Finding>> {
    let notes = indexes.notes();
    let foreign = indexes.vectors_of_another(snapshot)?;
    let vectors = if foreign.is_some() { None } else { notes.vectors };
    let say = |check: HealthCheck, message: Option<String>| message.map(|message| check.found(Vec::new(), message));
    let found = [
        say(TEXT_INDEX, notes.text.map(|why| format!("the text index is not used: {why}"))),
        say(VECTOR_INDEX, vectors.map(|why| format!("the vector index is not used: {why}"))),
        say(EMBEDDER_MISMATCH, foreign),
        say(EMBEDDER, notes.embedder),
        say(CATCH_UP, notes.catch_up.map(|why| format!("the indexes could not be brought up to date: {why}"))),
    ];
    Ok(found.into_iter().flatten().collect())
}

fn damaged_indexes(indexes: &Indexes) -> Vec<Finding> {
    let flaws = indexes.verify();
    let damaged = |check: HealthCheck, which, flaw: Option<String>| {
        flaw.map(|why| check.found(Vec::new(), format!("the {which} index is damaged, so that searches may miss facts: {why}")))
    };
    [damaged(TEXT_INDEX, "text", flaws.text), damaged(VECTOR_INDEX, "vector", flaws.vectors)].into_iter().flatten().collect()
}

fn lag(snapshot: &Snapshot, indexes: &Indexes) -> Option<Finding> {
    let behind = snapshot.head().saturating_sub(indexes.covered());
    (behind > TAIL_BOUND).then(|| INDEX_LAG.found(Vec::new(), format!("{behind} operations are searched directly, not through an index")))
}
