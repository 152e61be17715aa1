use super::*;

fn bonds(text: &str) -> Vec<(BondKind, Vec<Other>)> {
    parse(text).expect("a decision record").bonds.into_iter().map(|bond| (bond.kind, bond.others)).collect()
}

fn by(link: &str, number: Option<u64>) -> Other {
    Other { link: Some(link.to_owned()), number }
}

fn numbered_as(number: u64) -> Other {
    Other { link: None, number: Some(number) }
}

fn status(line: &str) -> String {
    format!("# 3. T\n\n## Status\n\n{line}\n\n## Context\n\nSupersedes [x](0099-x.md) is prose here.\n")
}

#[test]
fn titles_lose_their_number_and_keep_versions() {
    for (title, number, rest) in [
        ("7. Use x", Some(7), "Use x"),
        ("ADR-013: Use x", Some(13), "Use x"),
        ("ADR 13 - Use x", Some(13), "Use x"),
        ("adr 013 Use x", Some(13), "Use x"),
        ("3.2 of the protocol", None, "3.2 of the protocol"),
        ("2021 roadmap", None, "2021 roadmap"),
        ("Use 7. of x", None, "Use 7. of x"),
        ("Adrift", None, "Adrift"),
        ("", None, ""),
    ] {
        assert_eq!(numbered(title), (number, rest), "{title}");
    }
}

#[test]
fn every_way_to_say_who_ended_it_is_read() {
    for (line, others) in [
        ("Superseded by [ADR-013](./adr-013-x.md)", vec![by("./adr-013-x.md", Some(13))]),
        ("Implemented. Superceded by [22. Use PaaS](0022-use-paas.md).", vec![by("0022-use-paas.md", Some(22))]),
        ("superseded by ADR-0012 and ADR 13", vec![numbered_as(12), numbered_as(13)]),
        ("Superseded by 12", vec![numbered_as(12)]),
        ("* [Superseded by](0012-x.md)", vec![by("0012-x.md", None)]),
        ("**Replaced by** 0012-x.md", vec![by("0012-x.md", None)]),
        ("Superseded by [12. It replaces the old](0012-replaces-old.md)", vec![by("0012-replaces-old.md", Some(12))]),
        ("Superseded by:\n\n- [a](0012-a.md)\n- [b](0013-b.md)", vec![by("0012-a.md", None)]),
    ] {
        let found = bonds(&status(line));
        assert_eq!(found.first(), Some(&(BondKind::EndedBy, others)), "{line}");
    }
    assert_eq!(bonds(&status("Superseded by:\n\n- [a](0012-a.md)\n- [b](0013-b.md)")).len(), 2);
}

#[test]
fn one_line_may_say_both_and_prose_says_nothing() {
    let found = bonds(&status("Supersedes [1](0001-a.md), amended by [9](0009-b.md)"));
    assert_eq!(found, [(BondKind::Ends, vec![by("0001-a.md", None)]), (BondKind::Related, vec![by("0009-b.md", None)])]);
    assert_eq!(bonds(&status("Accepted")), []);
}

#[test]
fn a_part_the_future_and_a_denial_end_nothing() {
    for line in [
        "Note: this supersedes some aspects of [ADR-15](15-x.md)",
        "Partially superseded by ADR-15",
        "Will be superseded by ADR-15",
        "Accepted, to be replaced by ADR-15",
        "Not superseded by ADR-15",
    ] {
        assert_eq!(bonds(&status(line)).first().map(|bond| bond.0), Some(BondKind::Related), "{line}");
    }
}

#[test]
fn templates_comments_and_code_say_nothing() {
    for line in [
        "{proposed | rejected | accepted | deprecated | superseded by [ADR-0005](0005-example.md)}",
        "<!-- Superseded by [ADR-0005](0005-x.md) -->",
        "<!--\nSuperseded by ADR-0005\n-->",
        "```\nSuperseded by ADR-0005\n```",
    ] {
        let adr = parse(&status(line)).expect("a decision record");
        assert_eq!((adr.bonds, adr.status), (vec![], vec![]), "{line}");
    }
}

#[test]
fn front_matter_is_read_and_no_part_of_the_body() {
    let adr = parse("---\nstatus: \"superseded by [ADR-0012](0012-x.md)\"\ndate: 2022-03-04\nsupersedes:\n  - ADR-0001\n---\n\n# Use x\n\ntext\n")
        .expect("a decision record");
    assert_eq!((adr.title.as_str(), adr.body.as_str(), adr.date.as_deref()), ("Use x", "text", Some("2022-03-04")));
    assert_eq!(adr.status, ["superseded"]);
    assert_eq!(adr.bonds.iter().map(|bond| (bond.kind, bond.line)).collect::<Vec<_>>(), [(BondKind::EndedBy, 2), (BondKind::Ends, 5)]);
    assert!(adr.bonds.iter().all(|bond| adr.status_lines.contains(&bond.quote)), "the quote can be found in the source");
}

#[test]
fn what_has_no_title_or_no_section_of_a_decision_is_none() {
    for text in ["", "# Title\n\ntext", "## Status\n\nAccepted", "---\ntitle: x\n---\ntext", "---\nnever ends"] {
        assert_eq!(parse(text), None, "{text:?}");
    }
}

#[test]
fn any_text_is_read_without_harm() {
    for text in [
        "# \u{130}\n\n## Status\n\nSuperseded by \u{130} [x](",
        "# T\n## Status\n](](](\n[[[[\n|||\n",
        "---\n---\n# T\n## status\n*",
        "# T\n## Status\nsuperseded by](\u{1F600})",
    ] {
        let _ = parse(text);
    }
    let long = format!("# T\n\n## Status\n\n{}", "superseded by ADR-1 [a](b.md) ".repeat(20_000));
    assert!(parse(&long).is_some());
}
