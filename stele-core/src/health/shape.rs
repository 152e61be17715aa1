//! The shape of a line about a change: did a standing state end, was something added, does it go on, is it under way?
//!
//! Read off words alone, in English. A line whose words say nothing of the kind, or two kinds at once, is unclear.

use crate::base::names::named_enum;

named_enum! {
    /// What a line says of a standing state.
    Shape, UnknownValue, "shape" {
        /// It ended.
        Termination = 0 "termination",
        /// Something came beside it.
        Additive = 1 "additive",
        /// It goes on.
        Continuation = 2 "continuation",
        /// Something planned or begun has come further.
        Developing = 3 "developing",
        /// The words do not tell.
        Unclear = 4 "unclear",
    }
}

/// Words that say that something ended. `*` ends a stem, `_` stands for one to six words of the same clause.
const TERMINATION: &[&str] = &[
    "replac*",
    "proposed replacement",
    "supersed*",
    "superced*",
    "deprecat*",
    "obsolet*",
    "no longer",
    "not _ any more",
    "not _ anymore",
    "n't _ any more",
    "n't _ anymore",
    "remov*",
    "retir*",
    "dropped",
    "drops",
    "drop support",
    "abandon*",
    "withdraw*",
    "withdrew",
    "revert*",
    "rolled back",
    "rolls back",
    "roll back",
    "discontinu*",
    "sunset*",
    "decommission*",
    "rejected",
    "phased out",
    "shut down",
    "shuts down",
    "shutting down",
    "switched off",
    "turned off",
    "switched _ to",
    "moved from",
    "moved _ from",
    "moved away",
    "moved off",
    "moved all",
    "migrated from",
    "migrated _ from",
    "migrated away",
    "migrated off",
    "changed from",
    "changed _ from",
    "in favour of",
    "in favor of",
    "gave way",
    "gives way",
    "taken out of",
    "took out of",
    "end of life",
    "unsupported",
    "revoked",
    "deleted",
    "cancelled",
    "canceled",
    "ceased",
    "ceases",
    "disbanded",
    "stopped",
    "stops",
    "ended",
    "ends",
    "expired",
    "gone",
    "used to",
    "split up",
    "forbidden since",
    "was cut",
    "were cut",
    "see _ instead",
    "use _ instead",
    "uses _ instead",
    "used _ instead",
    "instead of",
    "as of _ rather than",
    "since _ rather than",
    "now _ rather than",
    "killed off",
    "got rid of",
    "scrapped",
    "axed",
    "reversed",
    "overturned",
    "undone",
    "disabled",
    "invalidated",
    "repealed",
    "rescinded",
    "superseding",
    "made way for",
    "swapped _ for",
    "swapped out",
    "traded _ for",
    "closed down",
    "wound down",
    "thrown out",
    "ripped out",
    "pulled the plug",
    "outdated",
    "for good",
    "shut _ doors",
    "closed _ doors",
    "resigned",
    "resigns",
    "stepped down",
    "steps down",
    "stood down",
    "stands down",
    "quit",
    "took over",
    "takes over",
    "taken over",
    "was lifted",
    "were lifted",
    "been lifted",
    "collapsed",
    "fell apart",
    "broke down",
    "broke off",
    "called off",
    "cutover",
    "cut over",
];

/// Words that say that something came beside what is there.
const ADDITIVE: &[&str] = &[
    "also",
    "in addition",
    "additionally",
    "as well",
    "another",
    "besides",
    "plus",
    "along with",
    "alongside",
    "on top of",
    "next to",
    "too",
    "extra",
    "added",
    "adds",
    "extended",
    "extends",
    "complement*",
    "in parallel with",
    "in parallel to",
    "join",
    "joins",
    "joined",
    "both the",
    "one more",
    "supplement*",
    "augment*",
    "further option",
    "second option",
    "optionally",
    "together with",
    "beside",
    "extending",
    "not only",
    "furthermore",
    "moreover",
];

/// Words that say that it goes on.
const CONTINUATION: &[&str] = &[
    "still",
    "remain*",
    "continu*",
    "reaffirm*",
    "unchanged",
    "nothing has changed",
    "nothing changed",
    "has not changed",
    "stays",
    "stay",
    "stayed",
    "as before",
    "keep",
    "keeps",
    "kept",
    "goes on",
    "go on",
    "carries on",
    "as ever",
    "as always",
    "confirmed",
    "same as",
    "hold",
    "holds",
    "persist*",
    "retain*",
    "in force",
    "stands",
    "stand by",
    "upheld",
    "renewed",
    "maintain*",
    "sticks to",
    "stick to",
    "sticking",
    "sticks with",
    "stick with",
    "keeping",
    "is the same",
    "are the same",
    "entered its",
    "enters its",
    "reelected",
    "re elected",
    "reappointed",
    "re appointed",
];

/// Words that say that something planned or begun has come further.
const DEVELOPING: &[&str] = &[
    "planned",
    "plan to",
    "plans to",
    "in progress",
    "under way",
    "underway",
    "now running",
    "rollout",
    "rolled out",
    "rolling out",
    "went live",
    "goes live",
    "is live",
    "phase",
    "shipped",
    "ships",
    "launched",
    "prototype",
    "beta",
    "became",
    "picked up",
    "being",
    "has started",
    "have started",
    "started",
    "begins",
    "began",
    "begun",
    "turned into",
    "so far",
    "accepted",
    "merged",
    "awaits",
    "scheduled",
    "announced",
    "finished",
    "completed",
    "on track",
    "progress*",
    "draft",
    "upcoming",
    "half of",
    "grew",
    "matured",
    "landed",
    "kicked off",
    "pilot*",
    "ready for",
    "is done",
    "next step",
    "half done",
    "partly done",
    "mostly done",
    "nearly done",
    "almost done",
    "went from _ to",
    "approved",
    "ratified",
    "strengthen*",
    "weakened",
    "intensif*",
    "worsened",
    "widened",
    "escalated",
    "convicted",
    "sentenced",
    "indicted",
    "preliminary",
    "tentative*",
    "pushed back",
    "postponed",
    "delayed",
    "brought forward",
    "rescheduled",
];

/// Words before an ending that take it away.
const NEGATORS: &[&str] = &["not", "never", "nothing", "nobody", "none", "n't", "neither", "nor", "without", "no"];
/// Words before an ending that put it into the future.
const FUTURE: &[&str] = &["will", "shall", "plan", "plans", "planned", "planning", "going", "intend", "intends", "want", "wants"];
/// Words before an ending that make it a thought: a proposal that "would replace" another may have done so since.
const CONDITIONAL: &[&str] = &["would", "could", "should", "may", "might", "propose", "proposes", "consider", "considering", "intended", "if"];
/// How many words before an ending are looked at for those.
const BEFORE: usize = 4;

/// Reads the shape of a line.
#[must_use]
pub fn shape(line: &str) -> Shape {
    let clauses = clauses(line);
    let (mut ended, mut denied, mut ahead, mut thought) = (false, false, false, false);
    let (mut added, mut going_on, mut under_way) = (false, false, false);
    for words in &clauses {
        for pattern in TERMINATION {
            for at in occurrences(words, pattern) {
                let before = &words[at.saturating_sub(BEFORE)..at];
                // What denies itself, as in "no longer", says that it ended.
                if before.iter().any(|word| NEGATORS.contains(&word.as_str())) {
                    denied = true;
                } else if before.iter().any(|word| CONDITIONAL.contains(&word.as_str())) {
                    thought = true;
                } else if before.iter().any(|word| FUTURE.contains(&word.as_str())) {
                    // A text that "will supersede" another one says so of itself.
                    ahead |= !pattern.starts_with("super");
                } else {
                    ended = true;
                }
            }
        }
        let holds = |patterns: &[&str]| patterns.iter().any(|pattern| !occurrences(words, pattern).is_empty());
        added |= holds(ADDITIVE);
        going_on |= holds(CONTINUATION);
        under_way |= holds(DEVELOPING);
    }
    match (ended, denied, ahead) {
        // An ending beside the denial of one is for somebody who can read.
        (true, true, _) => Shape::Unclear,
        (true, ..) => Shape::Termination,
        (_, true, _) => Shape::Continuation,
        (_, _, true) => Shape::Developing,
        _ if thought => Shape::Unclear,
        _ => match (added, going_on, under_way) {
            (_, true, _) => Shape::Continuation,
            (_, _, true) => Shape::Developing,
            (true, ..) => Shape::Additive,
            _ => Shape::Unclear,
        },
    }
}

/// The words of each clause, lower case; `n't` is a word of its own.
fn clauses(line: &str) -> Vec<Vec<String>> {
    let lower = line.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'").replace("n't", " n't");
    lower
        .split([';', ',', '\n', '(', ')'])
        .flat_map(|part| part.split(". "))
        .map(|clause| clause.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).map(ToOwned::to_owned).collect())
        .collect()
}

/// Where a pattern begins among words.
fn occurrences(words: &[String], pattern: &str) -> Vec<usize> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).filter(|at| fits(&words[*at..], &parts)).collect()
}

fn fits(words: &[String], parts: &[&str]) -> bool {
    match parts {
        [] => true,
        ["_", rest @ ..] => (1..=6).any(|gap| words.len() > gap && fits(&words[gap..], rest)),
        [part, rest @ ..] => words.first().is_some_and(|word| matches_word(word, part)) && fits(&words[1..], rest),
    }
}

fn matches_word(word: &str, part: &str) -> bool {
    part.strip_suffix('*').map_or(word == part, |stem| word.starts_with(stem))
}
