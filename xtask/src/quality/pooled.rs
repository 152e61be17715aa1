//! The same queries asked of one record that holds all sets: other projects' records must not push a set's own ones out.

use serde::Serialize;
use stele_core::SearchMode;

use super::asking::Asker;
use super::report::answerable;
use super::sets::{Built, Retirements};
use crate::dev_sets::DevSet;
use crate::metrics::{Mean, Measures};

/// Recall@20 of one set's queries.
#[derive(Debug, Serialize)]
pub(crate) struct PooledRow {
    pub(crate) set: String,
    pub(crate) n: usize,
    /// Of the window on the set's own record.
    pub(crate) own: f64,
    /// Of the window on the record of all sets.
    pub(crate) pooled: f64,
    pub(crate) hybrid_own: f64,
    pub(crate) hybrid_pooled: f64,
    /// Of the search by words alone.
    pub(crate) text_own: f64,
    pub(crate) text_pooled: f64,
}

/// Asks every query twice.
pub(crate) fn measure(sets: &[DevSet], built: &[Built]) -> Result<Vec<PooledRow>, String> {
    let all = Built::of(sets, Retirements::Told)?;
    let mut pool = Asker::of(&all.record);
    let mut rows = Vec::new();
    for (set, own) in sets.iter().zip(built) {
        let mut own = Asker::of(&own.record);
        let mut means = [[Mean::default(); 3]; 2];
        for (query, right) in answerable(set).into_values().flatten() {
            for (asker, means) in [&mut own, &mut pool].into_iter().zip(&mut means) {
                means[0].add(Measures::of(&asker.window(&query.query)?.ids, &right));
                means[1].add(Measures::of(&asker.search(&query.query, SearchMode::Hybrid)?, &right));
                means[2].add(Measures::of(&asker.search(&query.query, SearchMode::Text)?, &right));
            }
        }
        let [[own, hybrid_own, text_own], [pooled, hybrid_pooled, text_pooled]] = means.map(|ways| ways.map(|mean| mean.get().recall));
        rows.push(PooledRow { set: set.name.clone(), n: means[0][0].count(), own, pooled, hybrid_own, hybrid_pooled, text_own, text_pooled });
    }
    Ok(rows)
}
