//! Obligations: which rules every turn carries, in which form and order.

use stele_core::{Format, NodeId, Obligations, Point, Pointed, Relation, RuleDetail, RulesOptions, Severity};
use stele_tests::TestRecord;
use stele_tests::shorthand::words;

fn rule(test: &TestRecord, title: &str, set: impl FnOnce(&mut RuleDetail)) -> NodeId {
    test.recorder().rule(title, format!("{title}, always.")).routing(set).record().expect("a rule").id
}

fn mandatory(test: &TestRecord, title: &str, set: impl FnOnce(&mut RuleDetail)) -> NodeId {
    rule(test, title, |detail| {
        detail.mandatory = true;
        set(detail);
    })
}

fn given(test: &TestRecord, options: RulesOptions) -> Obligations {
    test.record.retriever().rules(&options).expect("obligations")
}

/// The titles of what comes in full, and of what comes as one line.
fn titles(found: &Obligations) -> (Vec<&str>, Vec<&str>) {
    (found.entries.iter().map(|entry| entry.title.as_str()).collect(), found.pointers.iter().map(|entry| entry.title.as_str()).collect())
}

#[test]
fn mandatory_always_on_and_forbidden_rules_are_obligations_and_no_others() {
    let test = TestRecord::new();
    mandatory(&test, "Mandatory", |_| {});
    rule(&test, "Always on", |detail| detail.always_on = true);
    rule(&test, "Forbidden", |detail| detail.forbidden = words(&["Great point"]));
    rule(&test, "Ordinary", |_| {});
    mandatory(&test, "Only proposed", |detail| detail.provisional = true);
    assert_eq!(titles(&given(&test, RulesOptions::new())), (vec!["Mandatory", "Always on", "Forbidden"], vec![]));
}

#[test]
fn a_rule_that_no_longer_holds_is_no_obligation() {
    let test = TestRecord::new();
    let old = mandatory(&test, "Old", |_| {});
    let new = mandatory(&test, "New", |_| {});
    let away = mandatory(&test, "Put away", |_| {});
    let recorder = test.recorder();
    let expiring = recorder
        .rule("Expiring", "Until spring.")
        .routing(|detail| detail.mandatory = true)
        .expires_at(stele_core::Timestamp::parse("2026-03-01").expect("a time"));
    expiring.record().expect("a rule");
    recorder.archive(&away.to_string(), "no longer needed").expect("archived");
    recorder.supersede(&new.to_string(), &old.to_string()).reason("replaced").evidence("New, always.").record().expect("a retirement");
    assert_eq!(titles(&given(&test, RulesOptions::new())).0, ["New", "Expiring"]);
    test.clock.set("2026-03-01");
    assert_eq!(titles(&given(&test, RulesOptions::new())).0, ["New"]);
    test.clock.set("2026-02-01");
    assert_eq!(titles(&given(&test, RulesOptions::new())).0, ["New", "Expiring"], "a clock that was set back");
    test.clock.set("2026-03-01");
    recorder.demote(&new.to_string(), &old.to_string(), "both hold").expect("demoted");
    assert_eq!(titles(&given(&test, RulesOptions::new())).0, ["Old", "New"]);
}

#[test]
fn mandatory_rules_come_first_then_the_more_severe_then_the_older() {
    let test = TestRecord::new();
    rule(&test, "always critical", |detail| (detail.always_on, detail.severity) = (true, Severity::Critical));
    for (title, severity) in [("low", Severity::Low), ("high", Severity::High), ("critical", Severity::Critical), ("medium", Severity::Medium)] {
        mandatory(&test, title, |detail| detail.severity = severity);
        mandatory(&test, &format!("{title} again"), |detail| detail.severity = severity);
    }
    let found = given(&test, RulesOptions::new());
    let order = ["critical", "critical again", "high", "high again", "medium", "medium again", "low", "low again", "always critical"];
    assert_eq!(titles(&found).0, order);
    let text = found.render(Format::Text);
    let places: Vec<usize> = order.iter().map(|title| text.find(&format!("  {title}\n")).expect("it is there")).collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn rules_of_process_apply_where_work_is_done_and_mandatory_and_forbidden_ones_everywhere() {
    let test = TestRecord::new();
    let process = |detail: &mut RuleDetail| detail.domain = Some("process".to_owned());
    mandatory(&test, "mandatory", process);
    rule(&test, "always on", |detail| (detail.always_on, detail.domain) = (true, Some("process".to_owned())));
    rule(&test, "forbidden", |detail| (detail.forbidden, detail.domain) = (words(&["Done!"]), Some("process".to_owned())));
    rule(&test, "of security", |detail| (detail.always_on, detail.domain) = (true, Some("security".to_owned())));
    for mode in ["work", "debug"] {
        assert_eq!(titles(&given(&test, RulesOptions::new().mode(mode))).0, ["mandatory", "always on", "forbidden", "of security"], "{mode}");
    }
    for mode in ["conversation", "review", "", "worked"] {
        assert_eq!(titles(&given(&test, RulesOptions::new().mode(mode))), (vec!["mandatory", "forbidden", "of security"], vec![]), "{mode}");
    }
}

#[test]
fn a_rule_comes_at_its_points_and_where_its_keywords_are_called() {
    let test = TestRecord::new();
    rule(&test, "at write", |detail| (detail.always_on, detail.points) = (true, words(&["write"])));
    rule(&test, "at every point", |detail| (detail.always_on, detail.points) = (true, words(&["universal"])));
    rule(&test, "for sql", |detail| (detail.always_on, detail.keywords) = (true, words(&["SQL", "query"])));
    rule(&test, "both", |detail| (detail.always_on, detail.points, detail.keywords) = (true, words(&["bash"]), words(&["rm"])));
    rule(&test, "forbidden", |detail| (detail.forbidden, detail.points, detail.keywords) = (words(&["Done!"]), words(&["stop"]), words(&["never"])));
    let shown = |point, text: &str| {
        let found = given(&test, RulesOptions::new().point(point).text(text));
        assert!(found.pointers.is_empty());
        found.entries.into_iter().map(|entry| entry.title).collect::<Vec<_>>()
    };
    assert_eq!(shown(Point::Prompt, "write a query"), ["at every point", "for sql", "forbidden"]);
    assert_eq!(shown(Point::Write, "write a poem"), ["at write", "at every point", "forbidden"]);
    assert_eq!(shown(Point::Bash, "rm -r target"), ["at every point", "both", "forbidden"]);
    assert_eq!(shown(Point::Stop, "rm -r target"), ["at every point", "forbidden"]);
    assert_eq!(shown(Point::Bash, " \n"), ["at every point", "for sql", "both", "forbidden"]);
}

#[test]
fn a_mandatory_rule_that_is_not_meant_for_here_keeps_its_statement_in_one_line() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = recorder.rule("Escape output", "Escape\n  every value.").routing(|detail| {
        (detail.mandatory, detail.points, detail.keywords) = (true, words(&["write"]), words(&["html"]));
    });
    let id = id.record().expect("a rule").id;
    for (point, text) in [(Point::Prompt, "html"), (Point::Write, "json"), (Point::Stop, "")] {
        let found = given(&test, RulesOptions::new().point(point).text(text));
        assert!(found.entries.is_empty());
        assert_eq!(found.pointers[0].pointed, Some(Pointed::NotHere));
        assert_eq!(found.pointers[0].text, format!("{id}  mandatory  Escape output: Escape every value."));
    }
    assert_eq!(titles(&given(&test, RulesOptions::new().point(Point::Write).text("an html page"))).0, ["Escape output"]);
}

#[test]
fn a_rule_shown_before_comes_as_one_line_until_it_is_revised() {
    let test = TestRecord::new();
    let must = mandatory(&test, "Mandatory", |_| {});
    let may = rule(&test, "Always on", |detail| detail.always_on = true);
    let shown = [(must, 1), (may, 1)];
    let found = given(&test, RulesOptions::new().shown(shown));
    assert_eq!(titles(&found), (vec![], vec!["Mandatory", "Always on"]));
    assert_eq!(found.pointers[0].text, format!("{must}  mandatory  Mandatory: Mandatory, always."));
    assert_eq!(found.pointers[1].text, format!("{may}  Always on"));
    test.recorder().revise(&may.to_string(), stele_core::Revision::new().title("Always")).expect("revised");
    assert_eq!(titles(&given(&test, RulesOptions::new().shown(shown))), (vec!["Always"], vec!["Mandatory"]));
}

#[test]
fn over_budget_is_said_and_nothing_is_left_out() {
    // Field case 26.
    let test = TestRecord::new();
    for title in ["one", "two", "three"] {
        let statement = "word ".repeat(80);
        test.recorder().rule(title, statement.trim()).routing(|detail| detail.mandatory = true).record().expect("a rule");
    }
    let found = given(&test, RulesOptions::new().cap(100));
    assert_eq!(titles(&found).0, ["one", "two", "three"]);
    assert!(found.over_budget && found.tokens >= 240, "{}", found.tokens);
    let text = found.render(Format::Text);
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("⚠ OVER BUDGET") && line.contains("100")), "{text}");
    assert!(found.render(Format::Json).contains("\"over_budget\":true"));
    let roomy = given(&test, RulesOptions::new().cap(found.tokens));
    assert!(!roomy.over_budget && !roomy.render(Format::Text).contains("OVER BUDGET"));
    assert_eq!(RulesOptions::new(), RulesOptions::new().cap(5_000));
}

#[test]
fn trigger_statement_phrases_and_what_to_say_instead_are_written_out() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let rule = recorder.rule("Honest review", "Check first.\nThen answer.").body("Long story.").routing(|detail| {
        (detail.trigger, detail.severity) = ("a review comes in".to_owned(), Severity::High);
        (detail.forbidden, detail.instead) = (words(&["Great point", "Good\ncatch"]), "Let me check.".to_owned());
    });
    let id = rule.record().expect("a rule").id;
    let found = given(&test, RulesOptions::new());
    let expected = format!(
        "{id}  high  Honest review\n  When: a review comes in\n  Check first.\n  Then answer.\n  Never say: \"Great point\"; \"Good catch\"\n  Say instead: Let me check.\n  (more of it in {id})"
    );
    assert_eq!(found.entries[0].text, expected);
    assert!(given(&TestRecord::new(), RulesOptions::new()).render(Format::Text).is_empty());
}

#[test]
fn an_earlier_moment_has_its_own_obligations() {
    let test = TestRecord::new();
    let id = mandatory(&test, "First", |_| {});
    let then = test.record.head().expect("a head");
    mandatory(&test, "Second", |_| {});
    test.recorder().revise(&id.to_string(), stele_core::Revision::new().title("First again")).expect("revised");
    let past = test.record.retriever_as_of(stele_core::AsOf::Sequence(then)).rules(&RulesOptions::new()).expect("obligations");
    assert_eq!(titles(&past).0, ["First"]);
    assert_eq!(titles(&given(&test, RulesOptions::new())).0, ["First again", "Second"]);
}

#[test]
fn what_the_obligations_deliver_is_found_by_no_search_and_no_walk() {
    let test = TestRecord::new();
    let must = mandatory(&test, "Validate every webhook signature", |_| {});
    let fact = test.fact(stele_core::Category::Decision, "Webhook signature keys rotate monthly", "");
    test.recorder().link(&fact, Relation::RelatesTo, &must.to_string()).expect("an edge");
    let retriever = test.record.retriever();
    let hits = retriever.search("validate every webhook signature", &Default::default()).expect("hits");
    assert_eq!(hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>(), [fact.as_str()]);
    let found = retriever.retrieve("how do we validate the signature of every webhook?", &Default::default()).expect("a window");
    assert_eq!(found.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [fact]);
}
