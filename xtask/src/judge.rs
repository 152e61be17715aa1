//! How well the built-in judge tells an ending from what is none: on the hand-written lines and on the development sets.

use stele_core::{Judged, NodeId, Retirement, Shape, Verdict, built_in_judge, shape};

use crate::{dev_sets, paths};

const LINES: &str = include_str!("../../tests/judge/lines.tsv");

/// Prints precision and recall of each shape on the hand-written lines, and the shapes of the retirements of the sets.
pub(crate) fn run() -> Result<(), String> {
    let mut read = Vec::new();
    for line in LINES.lines() {
        // A third column marks what is known not to be read; it counts all the same.
        let mut columns = line.split('\t');
        let (Some(kind), Some(text)) = (columns.next(), columns.next()) else { return Err(format!("no tab in {line:?}")) };
        read.push((Shape::parse(kind).map_err(|error| error.to_string())?, shape(text), text));
    }
    println!("{} hand-written lines", read.len());
    println!("| shape | lines | precision | recall |\n| --- | --- | --- | --- |");
    for kind in &Shape::ALL[..4] {
        let count = |holds: &dyn Fn(&(Shape, Shape, &str)) -> bool| read.iter().filter(|line| holds(line)).count();
        let (lines, said, right) = (count(&|line| line.0 == *kind), count(&|line| line.1 == *kind), count(&|line| line.0 == *kind && line.1 == *kind));
        #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
        let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        println!("| {kind} | {lines} | {:.3} | {:.3} |", share(right, said), share(right, lines));
    }
    for (kind, said, text) in read.iter().filter(|line| line.0 != line.1) {
        println!("{kind} read as {said}: {text}");
    }
    let folder = paths::sets();
    let names = dev_sets::names(&folder);
    if names.is_empty() {
        println!("no development sets at {}: only the lines were read", folder.display());
    }
    let (mut shapes, mut verdicts) = ([0usize; 5], [0usize; 3]);
    for name in names {
        for edge in dev_sets::DevSet::read(&folder, &name)?.edges.iter().filter(|edge| edge.relation == "supersedes") {
            let evidence = edge.evidence.as_deref().unwrap_or_default();
            let said = shape(evidence);
            shapes[usize::from(said.number())] += 1;
            verdicts[usize::from(verdict(edge.reason.as_deref().unwrap_or_default(), evidence).number())] += 1;
            if said != Shape::Termination {
                println!("{name}: {said}: {} [{}]", evidence, edge.reason.as_deref().unwrap_or_default());
            }
        }
    }
    let listed = |counts: &[usize], words: Vec<&str>| counts.iter().zip(words).map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ");
    println!("evidence of the retirements of the sets: {}", listed(&shapes, Shape::ALL.iter().map(|shape| shape.as_str()).collect()));
    println!("verdicts on them, their evidence being verbatim: {}", listed(&verdicts, Verdict::ALL.iter().map(|verdict| verdict.as_str()).collect()));
    Ok(())
}

fn verdict(reason: &str, evidence: &str) -> Verdict {
    let node = |id: &str| Judged { id: NodeId::parse(id).expect("an id"), title: String::new(), body: String::new() };
    let (reason, evidence) = (reason.to_owned(), Some(evidence.to_owned()));
    built_in_judge(&Retirement { newer: node("KNOW-2"), older: node("KNOW-1"), reason, evidence, verbatim: Some(true) })
}
