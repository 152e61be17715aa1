//! Queries of one set asked of another that has nothing to do with it: the right answer is none.

use serde::Serialize;

use super::asking::Asker;
use super::report::answerable;
use super::sets::Built;
use crate::dev_sets::DevSet;

/// What each set is about. Two sets are unrelated if their subjects differ and neither is an index of many subjects.
const SUBJECTS: [(&str, &str); 8] = [
    ("adr", "building services"),
    ("beads", "building services"),
    ("skills", "building services"),
    ("writ", "building services"),
    ("cosqa", "python"),
    ("peps", "python"),
    ("xeps", "messaging"),
    ("proposals", "many"),
];

/// The share of abstentions for every pair, and over the unrelated ones.
#[derive(Debug, Serialize)]
pub(crate) struct Negatives {
    pub(crate) pairs: Vec<PairRow>,
    pub(crate) unrelated_n: usize,
    pub(crate) unrelated_abstained: usize,
}

/// Queries of one set asked of the record of another.
#[derive(Debug, Serialize)]
pub(crate) struct PairRow {
    pub(crate) queries_of: String,
    pub(crate) record_of: String,
    pub(crate) unrelated: bool,
    pub(crate) n: usize,
    pub(crate) abstained: usize,
}

/// Asks every set's queries of every other set's record.
pub(crate) fn measure(sets: &[DevSet], built: &[Built]) -> Result<Negatives, String> {
    let mut pairs = Vec::new();
    for (record, own) in sets.iter().zip(built) {
        let mut asker = Asker::of(&own.record);
        for queries in sets.iter().filter(|queries| queries.name != record.name) {
            let mut row = PairRow {
                queries_of: queries.name.clone(),
                record_of: record.name.clone(),
                unrelated: unrelated(&queries.name, &record.name),
                n: 0,
                abstained: 0,
            };
            for (query, _) in answerable(queries).into_values().flatten() {
                row.n += 1;
                row.abstained += usize::from(asker.window(&query.query)?.abstained);
            }
            pairs.push(row);
        }
    }
    let sum = |count: fn(&PairRow) -> usize| pairs.iter().filter(|row| row.unrelated).map(count).sum();
    let (unrelated_n, unrelated_abstained) = (sum(|row| row.n), sum(|row| row.abstained));
    Ok(Negatives { pairs, unrelated_n, unrelated_abstained })
}

fn unrelated(a: &str, b: &str) -> bool {
    let subject = |name: &str| SUBJECTS.iter().find(|(set, _)| *set == name).map_or("many", |(_, subject)| *subject);
    let (a, b) = (subject(a), subject(b));
    a != b && a != "many" && b != "many"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_one_subject_or_of_many_are_not_unrelated() {
        assert!(unrelated("xeps", "cosqa") && unrelated("adr", "peps"));
        assert!(!unrelated("peps", "cosqa") && !unrelated("proposals", "xeps") && !unrelated("adr", "adr") && !unrelated("adr", "new"));
    }
}
