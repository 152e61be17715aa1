//! Why a window orders an ordinary query's answer worse than hybrid search does: which rule of the window took the place.

use serde::Serialize;

use super::asking::Window;
use crate::dev_sets::DevSet;

/// What the window loses against hybrid search in nDCG@10, by the rule that costs it; sums over queries until averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Losses {
    /// The query names another record, which comes first.
    pub(crate) named: f64,
    /// The answer is a container, which ranks low.
    pub(crate) container: f64,
    /// The answer has no entry because a near-duplicate stands for it.
    pub(crate) folded: f64,
    /// Nothing was served.
    pub(crate) nothing: f64,
    /// None of these: order and places alone.
    pub(crate) order: f64,
}

impl Losses {
    /// Adds what one query lost.
    pub(crate) fn add(&mut self, set: &DevSet, right: &[String], window: &Window, loss: f64) {
        let is_right = |id: &String| right.contains(id);
        let cause = if window.abstained {
            &mut self.nothing
        } else if window.named.iter().any(|id| !is_right(id)) {
            &mut self.named
        } else if set.records.iter().any(|record| record.container && is_right(&record.id)) {
            &mut self.container
        } else if !window.ids.iter().any(is_right) && window.folded.iter().any(is_right) {
            &mut self.folded
        } else {
            &mut self.order
        };
        *cause += loss;
    }

    /// The same divided by the number of queries.
    pub(crate) fn over(self, n: usize) -> Self {
        let n = n.max(1) as f64;
        Self { named: self.named / n, container: self.container / n, folded: self.folded / n, nothing: self.nothing / n, order: self.order / n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev_sets::SetRecord;

    #[test]
    fn a_loss_is_counted_under_the_rule_that_costs_it() {
        let record = |id: &str, container| SetRecord { id: id.into(), container, ..SetRecord::default() };
        let set = DevSet { name: "x".into(), records: vec![record("a", false), record("box", true)], edges: Vec::new(), queries: Vec::new() };
        let list = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let window = |ids: &[&str], named: &[&str], folded: &[&str], abstained| Window { ids: list(ids), named: list(named), folded: list(folded), abstained };
        let mut sum = Losses::default();
        sum.add(&set, &list(&["a"]), &window(&["b", "a"], &["b"], &[], false), 1.0);
        sum.add(&set, &list(&["a"]), &window(&["a"], &["a"], &[], false), 2.0);
        sum.add(&set, &list(&["box"]), &window(&["a", "box"], &[], &[], false), 4.0);
        sum.add(&set, &list(&["a"]), &window(&["b"], &[], &["a"], false), 8.0);
        sum.add(&set, &list(&["a"]), &window(&[], &[], &[], true), 16.0);
        assert_eq!(sum.over(2), Losses { named: 0.5, order: 1.0, container: 2.0, folded: 4.0, nothing: 8.0 });
    }
}
