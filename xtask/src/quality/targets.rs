//! What is to be reached, and whether it was.

use super::report::{Report, Row};
use crate::metrics::Measures;

/// One aim with the figure that was measured.
pub(crate) struct Target {
    pub(crate) what: String,
    pub(crate) measured: String,
    pub(crate) reached: bool,
}

/// Rows with fewer queries are reported and not held to the worst-row rule.
const ENOUGH: usize = 50;

fn target(what: impl Into<String>, measured: impl Into<String>, reached: bool) -> Target {
    Target { what: what.into(), measured: measured.into(), reached }
}

/// The mean over sets and kinds that have a baseline: ours and the baseline's.
pub(crate) fn average(rows: &[Row], ours: impl Fn(&Row) -> f64, baseline: impl Fn(&super::baselines::Baseline) -> f64) -> Option<(f64, f64)> {
    let pairs: Vec<(f64, f64)> = rows.iter().filter_map(|row| row.baseline.map(|other| (ours(row), baseline(&other)))).collect();
    let n = pairs.len() as f64;
    (n > 0.0).then(|| (pairs.iter().map(|pair| pair.0).sum::<f64>() / n, pairs.iter().map(|pair| pair.1).sum::<f64>() / n))
}

/// Every aim that the measured sets allow to judge.
pub(crate) fn judge(report: &Report) -> Vec<Target> {
    let rows = &report.rows;
    let mut targets = Vec::new();
    let mut against = |what: &str, pair: Option<(f64, f64)>, slack: f64| {
        if let Some((ours, theirs)) = pair {
            targets.push(target(what, format!("{ours:.4} against {theirs:.4}"), ours >= theirs - slack));
        }
    };
    against("text nDCG, mean over rows, at least bm25x", average(rows, |row| row.text.ndcg, |base| base.bm25x.0), 0.0);
    against("text recall, mean over rows, at least bm25x", average(rows, |row| row.text.recall, |base| base.bm25x.1), 0.0);
    against("hybrid nDCG, mean over rows, at least bm25x + table", average(rows, |row| row.hybrid.ndcg, |base| base.with_table.0), 0.0);
    against("hybrid recall, mean over rows, at least bm25x + table", average(rows, |row| row.hybrid.recall, |base| base.with_table.1), 0.0);
    against("hybrid nDCG within .02 of bm25x + MiniLM (beyond)", average(rows, |row| row.hybrid.ndcg, |base| base.with_minilm.0), 0.02);
    worst_row(rows, &mut targets);
    windows(rows, &mut targets);
    beyond(report, &mut targets);
    targets
}

fn worst_row(rows: &[Row], targets: &mut Vec<Target>) {
    let large = rows.iter().filter(|row| row.n >= ENOUGH);
    let loss = |row: &Row| row.text.ndcg - row.hybrid.ndcg;
    if let Some(row) = large.clone().max_by(|a, b| loss(a).total_cmp(&loss(b))) {
        targets.push(target(
            "hybrid at most .01 nDCG below text on any row of 50 or more",
            format!("{:+.4} on {} {}", -loss(row), row.set, row.kind),
            loss(row) <= 0.01,
        ));
    }
    let ordinary = rows.iter().filter(|row| row.n >= ENOUGH && row.is_ordinary());
    let loss = |row: &Row| row.hybrid.ndcg - row.window.ndcg;
    if let Some(row) = ordinary.clone().max_by(|a, b| loss(a).total_cmp(&loss(b))) {
        targets.push(target(
            "the window loses at most .006 nDCG on ordinary queries",
            format!("{:+.4} on {} {}", -loss(row), row.set, row.kind),
            loss(row) <= 0.006,
        ));
    }
    if let Some(row) = ordinary.max_by(|a, b| a.losses.order.total_cmp(&b.losses.order)) {
        targets.push(target(
            "of which at most .006 to anything but named records, containers, near-duplicates and abstaining",
            format!("{:+.4} on {} {}", -row.losses.order, row.set, row.kind),
            row.losses.order <= 0.006,
        ));
    }
}

fn windows(rows: &[Row], targets: &mut Vec<Target>) {
    let retired: Vec<&Row> = rows.iter().filter(|row| row.replacements.is_some()).collect();
    if !retired.is_empty() {
        let sum = |count: fn(&super::windows::Replacements) -> usize| retired.iter().filter_map(|row| row.replacements.as_ref()).map(count).sum::<usize>();
        let (alone, served, above) = (sum(|one| one.stale_alone), sum(|one| one.stale_served), sum(|one| one.replacement_above));
        targets.push(target("retired records served alone: none", format!("{alone} of {served}"), alone == 0));
        targets.push(target("replacement above the retired record: always", format!("{above} of {served}"), above == served));
        least(&retired, "replacement recall@20 of the window at least .98 on every set", |window| window.recall, 0.98, targets);
        least(&retired, "replacement nDCG@10 of the window at least .95 on every set", |window| window.ndcg, 0.95, targets);
    }
    let headless: f64 = rows.iter().map(|row| row.headless * row.n as f64).sum();
    targets.push(target("retired records without one of their heads: none, any query", format!("{headless:.0}"), headless == 0.0));
    let neighbours: Vec<&Row> = rows.iter().filter(|row| row.kind == "neighbour").collect();
    least(&neighbours, "neighbour recall@20 of the window at least .93 on every set", |window| window.recall, 0.93, targets);
}

fn least(rows: &[&Row], what: &str, of: fn(&Measures) -> f64, bound: f64, targets: &mut Vec<Target>) {
    if let Some(row) = rows.iter().min_by(|a, b| of(&a.window).total_cmp(&of(&b.window))) {
        let measured = of(&row.window);
        targets.push(target(what, format!("{measured:.3} on {}", row.set), measured >= bound));
    }
}

fn beyond(report: &Report, targets: &mut Vec<Target>) {
    if let Some(control) = &report.control {
        for (name, told, untold) in [("hybrid", control.hybrid, control.hybrid_untold), ("window", control.window, control.window_untold)] {
            let what = format!("control MRR@10 ({name}, {} queries) within .005 of a record without retirements", control.n);
            targets.push(target(what, format!("{told:.4} against {untold:.4}"), told >= untold - 0.005));
        }
    }
    let (asked, abstained) = report.abstentions();
    if asked > 0 {
        let share = abstained as f64 / asked as f64;
        targets.push(target(
            "at most 1 % of answerable queries answered with nothing",
            format!("{abstained} of {asked} ({:.2} %)", share * 100.0),
            share <= 0.01,
        ));
    }
    if let Some(negatives) = report.negatives.as_ref().filter(|negatives| negatives.unrelated_n > 0) {
        let share = negatives.unrelated_abstained as f64 / negatives.unrelated_n as f64;
        let measured = format!("{} of {} ({:.1} %)", negatives.unrelated_abstained, negatives.unrelated_n, share * 100.0);
        targets.push(target("at least 90 % of queries from an unrelated set answered with nothing", measured, share >= 0.9));
    }
    if let Some(row) = report.pooled.iter().flatten().max_by(|a, b| (a.pooled - a.own).abs().total_cmp(&(b.pooled - b.own).abs())) {
        let change = row.pooled - row.own;
        targets.push(target(
            "recall@20 of the window on the pooled record within .02 of the own one",
            format!("{change:+.4} on {}", row.set),
            change.abs() <= 0.02,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::baselines;
    use super::super::losses::Losses;
    use super::*;

    fn row(kind: &str, n: usize, text: f64, hybrid: f64) -> Row {
        let measures = |ndcg| Measures { ndcg, recall: 1.0, mrr: ndcg };
        Row {
            set: "peps".into(),
            kind: kind.into(),
            n,
            text: measures(text),
            semantic: measures(0.0),
            hybrid: measures(hybrid),
            window: measures(hybrid),
            losses: Losses::default(),
            abstained: 0,
            headless: 0.0,
            replacements: None,
            baseline: baselines::of("peps", kind),
        }
    }

    #[test]
    fn the_average_is_over_rows_with_a_baseline_only() {
        let rows = [row("control", 58, 0.9, 0.9), row("neighbour", 7, 0.5, 0.5), row("unheard of", 5, 0.0, 0.0)];
        let (ours, theirs) = average(&rows, |row| row.text.ndcg, |base| base.bm25x.0).expect("two rows");
        assert!((ours - 0.7).abs() < 1e-9 && (theirs - (0.947 + 0.261) / 2.0).abs() < 1e-9);
        assert!(average(&rows[2..], |row| row.text.ndcg, |base| base.bm25x.0).is_none());
    }

    #[test]
    fn a_small_row_is_not_held_to_the_worst_row_rule() {
        let mut targets = Vec::new();
        worst_row(&[row("control", 58, 0.9, 0.895), row("neighbour", 7, 0.5, 0.1)], &mut targets);
        assert!(targets[0].reached);
        targets.clear();
        worst_row(&[row("control", 58, 0.9, 0.88)], &mut targets);
        assert!(!targets[0].reached);
    }
}
