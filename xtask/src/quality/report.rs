//! The figures: one row for each kind of query of each set, the control comparison, and what was asked for beyond.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use stele_core::SearchMode;

use super::asking::Asker;
use super::baselines::{self, Baseline};
use super::losses::Losses;
use super::negatives::Negatives;
use super::pooled::PooledRow;
use super::sets::{Built, Retirements, now};
use super::windows::{Replacements, Succession};
use super::{negatives, pooled};
use crate::dev_sets::{DevSet, Query};
use crate::metrics::{Mean, Measures};

/// All figures of one run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) records: Vec<RecordNote>,
    pub(crate) rows: Vec<Row>,
    pub(crate) unanswerable: Vec<Unanswerable>,
    pub(crate) control: Option<Control>,
    pub(crate) pooled: Option<Vec<PooledRow>>,
    pub(crate) negatives: Option<Negatives>,
    /// Mean microseconds a question, by way of asking.
    pub(crate) mean_us: BTreeMap<String, f64>,
    pub(crate) seconds: f64,
}

/// How one set became a record.
#[derive(Debug, Serialize)]
pub(crate) struct RecordNote {
    pub(crate) set: String,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    pub(crate) weakened: u64,
    pub(crate) unverified: u64,
    pub(crate) faults: Vec<String>,
    pub(crate) import_ms: f64,
}

/// One kind of query of one set.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) set: String,
    pub(crate) kind: String,
    pub(crate) n: usize,
    pub(crate) text: Measures,
    pub(crate) semantic: Measures,
    pub(crate) hybrid: Measures,
    pub(crate) window: Measures,
    /// Why the window falls behind hybrid search.
    pub(crate) losses: Losses,
    pub(crate) abstained: usize,
    /// Retired records without one of their heads, a query.
    pub(crate) headless: f64,
    pub(crate) replacements: Option<Replacements>,
    #[serde(skip)]
    pub(crate) baseline: Option<Baseline>,
}

impl Row {
    /// True if its queries ask for a record by what it says.
    pub(crate) fn is_ordinary(&self) -> bool {
        !matches!(self.kind.as_str(), "supersession" | "neighbour")
    }
}

/// Queries that have no right answer.
#[derive(Debug, Serialize)]
pub(crate) struct Unanswerable {
    pub(crate) set: String,
    pub(crate) n: usize,
    pub(crate) abstained: usize,
}

/// Control queries of all sets together, against records that know nothing of supersession.
#[derive(Debug, Serialize)]
pub(crate) struct Control {
    pub(crate) n: usize,
    pub(crate) hybrid: f64,
    pub(crate) hybrid_untold: f64,
    pub(crate) window: f64,
    pub(crate) window_untold: f64,
}

/// The answers that ranking can give: rules that the obligations deliver are left out.
pub(crate) fn answers(set: &DevSet, query: &Query) -> Vec<String> {
    let delivered: BTreeSet<&str> = set.records.iter().filter(|record| record.is_obligation()).map(|record| record.id.as_str()).collect();
    query.relevant.iter().filter(|id| !delivered.contains(id.as_str())).cloned().collect()
}

/// The queries of a set that ranking can answer, by kind, each with its answers.
pub(crate) fn answerable(set: &DevSet) -> BTreeMap<&str, Vec<(&Query, Vec<String>)>> {
    let mut kinds: BTreeMap<&str, Vec<(&Query, Vec<String>)>> = BTreeMap::new();
    for query in &set.queries {
        let right = answers(set, query);
        if !right.is_empty() {
            kinds.entry(query.kind.as_str()).or_default().push((query, right));
        }
    }
    kinds
}

/// Sums of time by way of asking.
#[derive(Default)]
struct Spent(BTreeMap<String, (f64, usize)>);

impl Spent {
    fn add(&mut self, asker: &Asker) {
        for (way, (seconds, count)) in asker.spent() {
            let sum = self.0.entry((*way).to_owned()).or_default();
            sum.0 += seconds;
            sum.1 += count;
        }
    }

    fn mean_us(&self) -> BTreeMap<String, f64> {
        self.0.iter().map(|(way, (seconds, count))| (way.clone(), seconds * 1e6 / (*count).max(1) as f64)).collect()
    }
}

#[derive(Default)]
struct ControlSums {
    told: [Mean; 2],
    untold: [Mean; 2],
}

impl Report {
    /// Measures the sets.
    pub(crate) fn measure(sets: &[DevSet], with_pooled: bool, with_negatives: bool) -> Result<Self, String> {
        let began = now();
        let (mut records, mut rows, mut unanswerable) = (Vec::new(), Vec::new(), Vec::new());
        let mut spent = Spent::default();
        let mut control = ControlSums::default();
        let mut built = Vec::new();
        for set in sets {
            let own = Built::of([set], Retirements::Told)?;
            let mut asker = Asker::of(&own.record);
            let succession = Succession::of(set);
            for (kind, queries) in answerable(set) {
                rows.push(row(set, kind, &queries, &succession, &mut asker)?);
            }
            unanswerable.extend(row_unanswerable(set, &mut asker)?);
            measure_control(set, &mut asker, &mut control)?;
            spent.add(&asker);
            records.push(RecordNote {
                set: set.name.clone(),
                nodes: own.nodes,
                edges: own.edges,
                weakened: own.weakened,
                unverified: own.unverified,
                faults: own.faults.clone(),
                import_ms: own.import_ms,
            });
            built.push(own);
        }
        let pooled = with_pooled.then(|| pooled::measure(sets, &built)).transpose()?;
        let negatives = with_negatives.then(|| negatives::measure(sets, &built)).transpose()?;
        let [hybrid, window] = control.told.map(|mean| mean.get().mrr);
        let [hybrid_untold, window_untold] = control.untold.map(|mean| mean.get().mrr);
        let n = control.told[0].count();
        let control = (n > 0).then_some(Control { n, hybrid, hybrid_untold, window, window_untold });
        Ok(Self { records, rows, unanswerable, control, pooled, negatives, mean_us: spent.mean_us(), seconds: began.elapsed().as_secs_f64() })
    }

    /// Queries with an answer, and how many of them were answered with nothing.
    pub(crate) fn abstentions(&self) -> (usize, usize) {
        (self.rows.iter().map(|row| row.n).sum(), self.rows.iter().map(|row| row.abstained).sum())
    }
}

fn row(set: &DevSet, kind: &str, queries: &[(&Query, Vec<String>)], succession: &Succession, asker: &mut Asker) -> Result<Row, String> {
    let [mut text, mut semantic, mut hybrid, mut window] = [Mean::default(); 4];
    let (mut abstained, mut headless, mut replacements, mut losses) = (0, 0, Replacements::default(), Losses::default());
    for (query, right) in queries {
        for (mode, mean) in [(SearchMode::Text, &mut text), (SearchMode::Semantic, &mut semantic)] {
            mean.add(Measures::of(&asker.search(&query.query, mode)?, right));
        }
        let searched = Measures::of(&asker.search(&query.query, SearchMode::Hybrid)?, right);
        hybrid.add(searched);
        let found = asker.window(&query.query)?;
        let shown = Measures::of(&found.ids, right);
        window.add(shown);
        losses.add(set, right, &found, searched.ndcg - shown.ndcg);
        abstained += usize::from(found.abstained);
        headless += succession.headless(&found.ids);
        replacements.add(query, &found.ids);
    }
    Ok(Row {
        set: set.name.clone(),
        kind: kind.to_owned(),
        n: queries.len(),
        text: text.get(),
        semantic: semantic.get(),
        hybrid: hybrid.get(),
        window: window.get(),
        losses: losses.over(queries.len()),
        abstained,
        headless: headless as f64 / queries.len().max(1) as f64,
        replacements: (kind == "supersession").then_some(replacements),
        baseline: baselines::of(&set.name, kind),
    })
}

fn row_unanswerable(set: &DevSet, asker: &mut Asker) -> Result<Option<Unanswerable>, String> {
    let (mut n, mut abstained) = (0, 0);
    for query in set.queries.iter().filter(|query| query.relevant.is_empty()) {
        n += 1;
        abstained += usize::from(asker.window(&query.query)?.abstained);
    }
    Ok((n > 0).then(|| Unanswerable { set: set.name.clone(), n, abstained }))
}

/// Asks the control queries again of a record that was not told of any retirement.
fn measure_control(set: &DevSet, told: &mut Asker, sums: &mut ControlSums) -> Result<(), String> {
    let kinds = answerable(set);
    let Some(queries) = kinds.get("control") else { return Ok(()) };
    let plain = Built::of([set], Retirements::Untold)?;
    let mut untold = Asker::of(&plain.record);
    for (query, right) in queries {
        for (asker, means) in [(&mut *told, &mut sums.told), (&mut untold, &mut sums.untold)] {
            means[0].add(Measures::of(&asker.search(&query.query, SearchMode::Hybrid)?, right));
            means[1].add(Measures::of(&asker.window(&query.query)?.ids, right));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev_sets::SetRecord;

    #[test]
    fn rules_that_the_obligations_deliver_are_no_answers() {
        let rule = |id: &str, mandatory| SetRecord { id: id.into(), kind: "rule".into(), mandatory, ..SetRecord::default() };
        let query = |relevant: &[&str]| Query { kind: "gold".into(), relevant: relevant.iter().map(|id| (*id).into()).collect(), ..Query::default() };
        let set = DevSet {
            name: "x".into(),
            records: vec![rule("a", true), rule("b", false)],
            edges: Vec::new(),
            queries: vec![query(&["a"]), query(&["a", "b"]), query(&[])],
        };
        let kinds = answerable(&set);
        assert_eq!(kinds["gold"].len(), 1);
        assert_eq!(kinds["gold"][0].1, ["b"]);
    }
}
