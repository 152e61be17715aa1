//! The built-in judge: what it reads off lines about a change, and what it makes of a retirement.

use stele_core::{Judged, NodeId, Retirement, Shape, Verdict, built_in_judge, shape};

const LINES: &str = include_str!("../judge/lines.tsv");

/// The lines, each with its kind, and whether it is known that its words are not read; `unread` in the third column says so.
fn lines() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    LINES.lines().map(|line| {
        let mut columns = line.split('\t');
        let (kind, text) = (columns.next().expect("a kind"), columns.next().expect("a text"));
        (kind, text, columns.next() == Some("unread"))
    })
}

#[test]
fn endings_additions_continuations_and_developments_are_told_apart() {
    let mut wrong = Vec::new();
    for (kind, text, unread) in lines() {
        let said = shape(text);
        let expected = if unread { Shape::Unclear.as_str() } else { kind };
        if said.as_str() != expected {
            wrong.push(format!("{kind} read as {said}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nearly_all_lines_of_every_kind_are_read() {
    for shape in [Shape::Termination, Shape::Additive, Shape::Continuation, Shape::Developing] {
        let unread: Vec<bool> = lines().filter(|(kind, ..)| *kind == shape.as_str()).map(|(.., unread)| unread).collect();
        let missed = unread.iter().filter(|unread| **unread).count();
        assert!(unread.len() >= 30 && missed * 10 <= unread.len(), "{shape}: {missed} of {} are not read", unread.len());
    }
}

#[test]
fn an_ending_that_is_denied_planned_or_only_thought_of_is_none() {
    for (text, said) in [
        ("The cache was removed.", Shape::Termination),
        ("The cache was not removed.", Shape::Continuation),
        ("The cache wasn\u{2019}t ever removed.", Shape::Continuation),
        ("The cache will be removed.", Shape::Developing),
        ("The cache would be removed by this proposal.", Shape::Unclear),
        ("The cache was removed, the queue was not removed.", Shape::Unclear),
        ("The cache is blue.", Shape::Unclear),
        ("", Shape::Unclear),
        ("\u{0}\u{202e}\u{1f980} \u{6f22}\u{5b57}", Shape::Unclear),
    ] {
        assert_eq!(shape(text), said, "{text}");
    }
}

fn judged(reason: &str, evidence: Option<&str>, verbatim: Option<bool>) -> Verdict {
    let node = |id: &str| Judged { id: NodeId::parse(id).expect("an id"), title: id.to_owned(), body: String::new() };
    let (reason, evidence) = (reason.to_owned(), evidence.map(ToOwned::to_owned));
    built_in_judge(&Retirement { newer: node("KNOW-2"), older: node("KNOW-1"), reason, evidence, verbatim })
}

#[test]
fn only_evidence_that_can_be_read_decides() {
    let ended = Some("The old store was retired.");
    let added = Some("We also added a read replica.");
    assert_eq!(judged("the store was replaced", ended, Some(true)), Verdict::Holds);
    assert_eq!(judged("", ended, Some(true)), Verdict::Holds);
    assert_eq!(judged("also a replica", ended, Some(true)), Verdict::Unsure);
    assert_eq!(judged("the store was replaced", added, Some(true)), Verdict::Fails);
    for verbatim in [None, Some(false)] {
        assert_eq!(judged("also a replica", added, verbatim), Verdict::Unsure);
        assert_eq!(judged("the store was replaced", ended, verbatim), Verdict::Unsure);
    }
    for evidence in [None, Some("  ")] {
        assert_eq!(judged("the store was replaced", evidence, Some(true)), Verdict::Unsure);
    }
}
