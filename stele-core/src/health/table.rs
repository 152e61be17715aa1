//! The table of checks: their names, what each means and what to do. `docs/health.md` is made from it.

use super::{Finding, Weight};
use crate::base::id::NodeId;

/// A check, as every finding of it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HealthCheck {
    /// Its name.
    pub name: &'static str,
    /// How much its findings matter.
    pub severity: Weight,
    /// When it finds something.
    pub meaning: &'static str,
    /// What to do then.
    pub remedy: &'static str,
}

impl HealthCheck {
    /// A finding of this check.
    pub(super) fn found(&self, ids: Vec<NodeId>, message: String) -> Finding {
        Finding { check: self.name, severity: self.severity, ids, message, remedy: self.remedy }
    }
}

macro_rules! checks {
    ($($constant:ident $severity:ident $name:literal $meaning:literal $remedy:literal;)*) => {
        $(pub(super) const $constant: HealthCheck = HealthCheck { name: $name, severity: Weight::$severity, meaning: $meaning, remedy: $remedy };)*

        /// Every check of [`crate::Record::health_with`], by name.
        pub const HEALTH_CHECKS: &[HealthCheck] = &[$($constant),*];
    };
}

checks! {
    CATCH_UP Warn "catch_up" "the indexes could not be brought up to date"
        "look at the disk, its rights and its free space, and at how many files may be open";
    CYCLE Error "cycle" "`supersedes` or `blocks` leads back to where it started, which only damage can do"
        "verify the log and restore a backup if it is broken; else demote or unlink the edge of the circle that is wrong";
    DANGLING_ANCHOR Warn "dangling_anchor" "a live node is about a path that is not among the files of the project (only where these are given)"
        "anchor it to where that went, or supersede it if what it is about has ended";
    DEADLOCK Error "deadlock" "unfinished tasks wait for each other, so that none can be finished first"
        "unlink the edge that is not true, or complete or cancel one of them";
    EDGE_WITHOUT_REASON Warn "edge_without_reason" "`caused-by` or `contradicts` does not say why"
        "unlink it and link again with a reason, or use relates-to, which claims nothing";
    EMBEDDER Warn "embedder" "the embedder failed when it was called last"
        "mend the embedder; facts without a vector are found by words, and get theirs with the next catch-up";
    EMBEDDER_MISMATCH Warn "embedder_mismatch" "the vectors that the record has were made by another embedder than the one it is opened with"
        "open it with the embedder that made them, or let catch_up make them anew; meanwhile meaning is searched in what has new ones";
    ENDED_BLOCKER Warn "ended_blocker" "what is expired or resolved, or a task that was replaced or put away unfinished, is still linked as blocking something unfinished"
        "unlink it, or revise its expiry if it still blocks; a task can also be completed or cancelled";
    INDEX_LAG Info "index_lag" "more operations than usual are searched directly, not through an index"
        "call catch_up, or leave it to a handle that stays open for more than a second";
    LOG Error "log" "the log says something else than what was written (full check only)"
        "restore a backup";
    LOG_SHORTENED Error "log_shortened" "the log ends before what an index of it knew, as after a lost write-ahead log or a restored backup"
        "after restoring a backup, nothing; else put record.db-wal back before anything is written, or restore a backup";
    MISSING_HEAD Error "missing_head" "a node is retired and nothing that can be read stands in its place"
        "look at its history, and demote the edge that retires it or supersede it by what holds";
    NEAR_DUPLICATE Warn "near_duplicate" "live facts of one category say nearly the same, with the same numbers and negations: by title, in the full check by meaning as well"
        "revise the one that says it best and archive the others: they stay and are served when named";
    OBLIGATIONS_OVER_BUDGET Warn "obligations_over_budget" "the rules that a turn must carry take more tokens than they are meant to; none is left out"
        "shorten statements, give rules points and keywords, or make those that are not needed on every turn ranked ones";
    OLD_CLAIM Warn "old_claim" "a task has been claimed for more than 7 days"
        "ask its holder; complete it, release it, or force_release it if nobody works on it";
    OPEN_CONTRADICTION Warn "open_contradiction" "two live nodes have contradicted each other for more than 14 days"
        "find out which holds and supersede the other, or unlink them if both do";
    ORPHAN Info "orphan" "nodes have no edge, component, tag, anchor or source: only a search for their own words finds them"
        "link them to what they are about, or give them a component, a tag or an anchor";
    PAST_REVIEW Warn "past_review" "a live node wanted a look by now and was not confirmed since"
        "review it if it still holds, else supersede it; or give it another review date";
    PURGE Error "purge" "text that was purged may still stand in files of the record"
        "close other handles on the record, then call compact";
    RULE_IN_TWO_CHANNELS Warn "rule_in_two_channels" "an obligation is called as methodology as well, so that it comes twice"
        "take its floor modes and action triggers away, or what makes it an obligation";
    SESSIONS Warn "sessions" "what sessions were shown was lost"
        "nothing to do: sessions are served afresh, no knowledge is lost";
    STRANDED_RULE Error "stranded_rule" "a live rule is delivered by no channel: neither with the obligations nor as methodology, and search leaves it out"
        "give it a point that exists (prompt, write, bash, stop, universal), or revise it; migrate if its row contradicts its text";
    TEXT_INDEX Warn "text_index" "the text index is not used, or damaged (full check)"
        "open the record for writing or call catch_up; if it is damaged, rebuild_indexes: it is made anew from the record";
    UNCOMPARED_FACTS Info "uncompared_facts" "there are more facts than the full check compares by meaning"
        "look at near_duplicate for the newest; older ones were compared when they were recorded";
    UNVERIFIED_FACT Info "unverified_fact" "facts were last written or confirmed 30 days ago or earlier"
        "review those that still hold, supersede those that do not";
    UNVERIFIED_RETIREMENT Error "unverified_retirement" "a node is retired without a reason, or without evidence that was found in a text"
        "demote it, then supersede again with a reason and a line that stands in either text";
    VECTOR_INDEX Warn "vector_index" "the vector index is not used, or damaged (full check)"
        "open the record for writing or call catch_up; if it is damaged, rebuild_indexes: it is made anew from the record";
    WEAKENED_EDGE Warn "weakened_edge" "an import found that an edge would close a circle and kept a weaker one instead"
        "find out which edge of the circle is wrong; unlink or demote it, then link as the source says";
}
