//! Measures of a ranked list against a set of right answers; all answers count alike.

use serde::Serialize;

/// What one query, or the mean of many, scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Measures {
    /// Normalised discounted cumulative gain of the first ten.
    pub(crate) ndcg: f64,
    /// Share of the right answers among the first twenty.
    pub(crate) recall: f64,
    /// One over the rank of the first right answer among the first ten, else 0.
    pub(crate) mrr: f64,
}

impl Measures {
    /// Scores a ranked list. `right` must not be empty.
    pub(crate) fn of(ranked: &[String], right: &[String]) -> Self {
        Self { ndcg: ndcg(ranked, right, 10), recall: recall(ranked, right, 20), mrr: reciprocal_rank(ranked, right, 10) }
    }
}

/// The mean of what was added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    sum: Measures,
    count: usize,
}

impl Mean {
    /// Adds what one query scored.
    pub(crate) fn add(&mut self, one: Measures) {
        self.sum.ndcg += one.ndcg;
        self.sum.recall += one.recall;
        self.sum.mrr += one.mrr;
        self.count += 1;
    }

    /// How many were added.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The mean; all zero where nothing was added.
    pub(crate) fn get(&self) -> Measures {
        let n = self.count.max(1) as f64;
        Measures { ndcg: self.sum.ndcg / n, recall: self.sum.recall / n, mrr: self.sum.mrr / n }
    }
}

fn hit(id: &String, right: &[String]) -> bool {
    right.contains(id)
}

/// An answer at rank r gains 1 / log2(r + 1); the sum is divided by that of a list which has all answers first.
pub(crate) fn ndcg(ranked: &[String], right: &[String], depth: usize) -> f64 {
    let gain = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let got: f64 = ranked.iter().take(depth).enumerate().filter(|(_, id)| hit(id, right)).map(|(at, _)| gain(at)).sum();
    let best: f64 = (0..right.len().min(depth)).map(gain).sum();
    got / best
}

fn recall(ranked: &[String], right: &[String], depth: usize) -> f64 {
    ranked.iter().take(depth).filter(|id| hit(id, right)).count() as f64 / right.len() as f64
}

/// One over the rank of the first right answer among the first `depth`, else 0.
pub(crate) fn reciprocal_rank(ranked: &[String], right: &[String], depth: usize) -> f64 {
    ranked.iter().take(depth).position(|id| hit(id, right)).map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranked: &str, right: &str, ndcg: f64, recall: f64, mrr: f64) {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let got = Measures::of(&list(ranked), &list(right));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(got.ndcg, ndcg) && near(got.recall, recall) && near(got.mrr, mrr), "{ranked} against {right}: {got:?}");
    }

    #[test]
    fn all_answers_first_is_one() {
        check("a b c", "a", 1.0, 1.0, 1.0);
        check("b a c", "a b", 1.0, 1.0, 1.0);
    }

    #[test]
    fn a_later_answer_gains_less() {
        check("x a", "a", 1.0 / 3f64.log2(), 1.0, 0.5);
        check("x y a", "a b", 0.5 / (1.0 + 1.0 / 3f64.log2()), 0.5, 1.0 / 3.0);
    }

    #[test]
    fn nothing_found_is_zero() {
        check("x y", "a", 0.0, 0.0, 0.0);
        check("", "a", 0.0, 0.0, 0.0);
    }

    #[test]
    fn each_measure_looks_only_as_deep_as_its_name_says() {
        let ten = "0 1 2 3 4 5 6 7 8 9";
        check(&format!("{ten} a"), "a", 0.0, 1.0, 0.0);
        check(&format!("{ten} {} a", ten.replace(' ', "x ")), "a", 0.0, 0.0, 0.0);
    }

    #[test]
    fn more_answers_than_depth_can_still_be_perfect() {
        let many = "a b c d e f g h i j k l";
        check(many, many, 1.0, 1.0, 1.0);
    }

    #[test]
    fn a_mean_of_nothing_is_zero_and_of_two_lies_between() {
        let mut mean = Mean::default();
        assert_eq!((mean.get(), mean.count()), (Measures::default(), 0));
        mean.add(Measures { ndcg: 1.0, recall: 1.0, mrr: 1.0 });
        mean.add(Measures::default());
        assert_eq!((mean.get().ndcg, mean.count()), (0.5, 2));
    }
}
