//! The figures as text.

use std::fmt::Write as _;

use super::baselines::Pair;
use super::report::Report;
use super::targets;
use crate::metrics::Measures;

/// Everything, as one text.
pub(crate) fn render(report: &Report) -> String {
    let mut out = String::new();
    records(report, &mut out);
    searches(report, &mut out);
    windows(report, &mut out);
    others(report, &mut out);
    out.push_str("\naims\n");
    for target in targets::judge(report) {
        let _ = writeln!(out, "  {}  {}: {}", if target.reached { "reached" } else { "MISSED " }, target.what, target.measured);
    }
    let times: Vec<String> = report.mean_us.iter().map(|(way, us)| format!("{way} {us:.0} µs")).collect();
    let _ = writeln!(out, "\nmean time a question: {}; the whole run took {:.1} s", times.join(", "), report.seconds);
    out
}

fn records(report: &Report, out: &mut String) {
    let _ = writeln!(out, "records\n  {:<10} {:>6} {:>6} {:>10}  {:>8}  {:>10}  lines not taken", "set", "nodes", "edges", "import", "weakened", "unverified");
    for note in &report.records {
        let first = note.faults.first().map(|fault| format!(", first: {fault}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {:<10} {:>6} {:>6} {:>7.0} ms  {:>8}  {:>10}  {}{first}",
            note.set,
            note.nodes,
            note.edges,
            note.import_ms,
            note.weakened,
            note.unverified,
            note.faults.len()
        );
    }
}

fn three(measures: Measures) -> String {
    format!("{:.3} {:.3} {:.3}", measures.ndcg, measures.recall, measures.mrr)
}

fn searches(report: &Report, out: &mut String) {
    let _ = writeln!(out, "\nsearch: nDCG@10 recall@20 MRR@10; baselines nDCG@10 recall@20");
    let _ = writeln!(
        out,
        "  {:<10} {:<12} {:>4}  {:<17}  {:<17}  {:<17}  {:<11}  {:<13}  {:<14}",
        "set", "kind", "n", "text", "semantic", "hybrid", "bm25x", "bm25x + table", "bm25x + MiniLM"
    );
    let mut line = |set: &str, kind: &str, n: String, ours: [String; 3], baselines: Option<[Pair; 3]>| {
        let [text, semantic, hybrid] = ours;
        let _ = write!(out, "  {set:<10} {kind:<12} {n:>4}  {text:<17}  {semantic:<17}  {hybrid:<17}");
        if let Some(pairs) = baselines {
            for ((ndcg, recall), width) in pairs.into_iter().zip([11, 13, 14]) {
                let _ = write!(out, "  {:<width$}", format!("{ndcg:.3} {recall:.3}"));
            }
        }
        let _ = writeln!(out);
    };
    for row in &report.rows {
        let baselines = row.baseline.map(|base| [base.bm25x, base.with_table, base.with_minilm]);
        line(&row.set, &row.kind, row.n.to_string(), [three(row.text), three(row.semantic), three(row.hybrid)], baselines);
    }
    if let Some((ours, baselines)) = averages(report) {
        line("mean", "of rows", String::new(), ours.map(three), Some(baselines));
    }
}

/// Ours for text, semantic and hybrid; the baselines in the order of their columns.
type Averages = ([Measures; 3], [Pair; 3]);

/// Means over the rows that have a baseline.
fn averages(report: &Report) -> Option<Averages> {
    let mean = |of: &dyn Fn(&super::report::Row) -> f64| targets::average(&report.rows, of, |base| base.bm25x.0).map(|pair| pair.0);
    let ours = |of: fn(&super::report::Row) -> Measures| {
        Some(Measures { ndcg: mean(&|row| of(row).ndcg)?, recall: mean(&|row| of(row).recall)?, mrr: mean(&|row| of(row).mrr)? })
    };
    let theirs = |of: fn(&super::baselines::Baseline) -> Pair| {
        let ndcg = targets::average(&report.rows, |row| row.text.ndcg, |base| of(base).0)?.1;
        let recall = targets::average(&report.rows, |row| row.text.ndcg, |base| of(base).1)?.1;
        Some((ndcg, recall))
    };
    Some((
        [ours(|row| row.text)?, ours(|row| row.semantic)?, ours(|row| row.hybrid)?],
        [theirs(|base| base.bm25x)?, theirs(|base| base.with_table)?, theirs(|base| base.with_minilm)?],
    ))
}

fn windows(report: &Report, out: &mut String) {
    let _ = writeln!(out, "\nwindow: nDCG@10 recall@20 MRR@10");
    let _ = writeln!(
        out,
        "  {:<10} {:<12} {:>4}  {:<17}  {:>9}  {:>8}  {:>11}  {:>17}",
        "set", "kind", "n", "window", "abstained", "headless", "stale alone", "replacement above"
    );
    for row in &report.rows {
        let _ = write!(out, "  {:<10} {:<12} {:>4}  {:<17}  {:>9}  {:>8.2}", row.set, row.kind, row.n, three(row.window), row.abstained, row.headless);
        if let Some(one) = &row.replacements {
            let of = |count: usize| format!("{count} of {}", one.stale_served);
            let _ = write!(out, "  {:>11}  {:>17}", of(one.stale_alone), of(one.replacement_above));
        }
        let _ = writeln!(out);
    }
    for one in &report.unanswerable {
        let _ = writeln!(out, "  {:<10} {:<12} {:>4}  no right answer    {:>9}", one.set, "negative", one.n, one.abstained);
    }
    losses(report, out);
}

fn losses(report: &Report, out: &mut String) {
    let _ = writeln!(out, "\nwindow under hybrid search on ordinary queries, nDCG@10, by the rule that costs it");
    let _ = writeln!(out, "  {:<10} {:<12} {:>6}  {:>9}  {:>6}  {:>7}  {:>6}", "set", "kind", "named", "container", "folded", "nothing", "order");
    for row in report.rows.iter().filter(|row| row.is_ordinary()) {
        let why = row.losses;
        let _ = writeln!(
            out,
            "  {:<10} {:<12} {:>6.3}  {:>9.3}  {:>6.3}  {:>7.3}  {:>6.3}",
            row.set, row.kind, why.named, why.container, why.folded, why.nothing, why.order
        );
    }
}

fn others(report: &Report, out: &mut String) {
    if let Some(rows) = &report.pooled {
        let _ = writeln!(
            out,
            "\npooled: recall@20 on the own record and on one record of all sets\n  {:<10} {:>4}  {:<21}  {:<21}  {:<21}",
            "set", "n", "window", "hybrid search", "search by words"
        );
        for row in rows {
            let change = |own: f64, pooled: f64| format!("{own:.3} {pooled:.3} ({:+.3})", pooled - own);
            let pairs = [(row.own, row.pooled), (row.hybrid_own, row.hybrid_pooled), (row.text_own, row.text_pooled)];
            let [window, hybrid, text] = pairs.map(|(own, pooled)| change(own, pooled));
            let _ = writeln!(out, "  {:<10} {:>4}  {window:<21}  {hybrid:<21}  {text:<21}", row.set, row.n);
        }
    }
    if let Some(negatives) = &report.negatives {
        let _ = writeln!(
            out,
            "\nnegatives: queries of one set asked of the record of another, share answered with nothing\n  {:<10} {:<10} {:>5}  {:>9}",
            "queries", "record", "n", "abstained"
        );
        for row in &negatives.pairs {
            let share = 100.0 * row.abstained as f64 / row.n.max(1) as f64;
            let _ =
                writeln!(out, "  {:<10} {:<10} {:>5}  {share:>7.1} %{}", row.queries_of, row.record_of, row.n, if row.unrelated { "" } else { "  (related)" });
        }
    }
}
