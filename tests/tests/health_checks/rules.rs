//! How rules arrive: in one channel, and in one at least.

use stele_core::{Point, RuleDetail, RulesOptions};
use stele_tests::TestRecord;
use stele_tests::shorthand::words;

use super::{damaged, found};

fn rule(test: &TestRecord, title: &str, set: impl FnOnce(&mut RuleDetail)) -> String {
    test.recorder().rule(title, format!("{title}, always.")).routing(set).record().expect("a rule").id.to_string()
}

#[test]
fn a_rule_whose_points_are_no_points_is_stranded_unless_something_else_delivers_it() {
    let test = TestRecord::new();
    rule(&test, "ordinary", |detail| detail.points = words(&["nowhere"]));
    rule(&test, "proposed", |detail| (detail.always_on, detail.provisional, detail.points) = (true, true, words(&["nowhere"])));
    rule(&test, "mandatory", |detail| (detail.mandatory, detail.points) = (true, words(&["nowhere"])));
    rule(&test, "forbidden", |detail| (detail.forbidden, detail.points) = (words(&["Great point"]), words(&["nowhere"])));
    rule(&test, "one of two", |detail| (detail.always_on, detail.points) = (true, words(&["nowhere", " Bash "])));
    rule(&test, "everywhere", |detail| (detail.always_on, detail.points) = (true, words(&["universal"])));
    rule(&test, "of process", |detail| (detail.always_on, detail.domain, detail.keywords) = (true, Some("process".to_owned()), words(&["???"])));
    rule(&test, "called", |detail| (detail.always_on, detail.points, detail.action_triggers) = (true, words(&["nowhere"]), words(&["commit"])));
    let away = rule(&test, "put away", |detail| (detail.always_on, detail.points) = (true, words(&["nowhere"])));
    assert_eq!(found(&test.record, "stranded_rule"), [[away.clone()]]);
    test.recorder().archive(&away, "not needed").expect("archived");
    assert!(found(&test.record, "stranded_rule").is_empty());
    let lost = rule(&test, "lost", |detail| (detail.always_on, detail.points, detail.keywords) = (true, words(&["prompts", "writes"]), words(&["lamp"])));
    assert_eq!(found(&test.record, "stranded_rule"), [[lost.clone()]]);
    let title = |point: &Point| {
        let given = test.record.retriever().rules(&RulesOptions::new().point(*point)).expect("obligations");
        given.entries.iter().chain(&given.pointers).any(|entry| entry.id.to_string() == lost)
    };
    assert!(!Point::ALL.iter().any(title), "what the check says of it is so");
}

#[test]
fn a_row_that_contradicts_its_rule_strands_it() {
    let test = TestRecord::new();
    let must = rule(&test, "mandatory", |detail| detail.mandatory = true);
    let ranked = rule(&test, "ranked", |_| {});
    rule(&test, "called by a word", |detail| detail.keywords = words(&["lamp"]));
    assert!(found(&test.record, "stranded_rule").is_empty());
    // The flag of what search leaves out is turned over for every rule.
    let record = damaged(&test, "UPDATE node SET flags = (flags | 4) - (flags & 4) WHERE class = 11");
    assert_eq!(found(&record, "stranded_rule"), [[must], [ranked]]);
}

#[test]
fn an_obligation_that_methodology_calls_as_well_is_listed() {
    let test = TestRecord::new();
    let both = |detail: &mut RuleDetail| (detail.floor_modes, detail.keywords) = (words(&["review"]), words(&["lamp"]));
    rule(&test, "methodology", both);
    rule(&test, "obligation", |detail| (detail.mandatory, detail.keywords) = (true, words(&["lamp"])));
    rule(&test, "proposed", |detail| {
        both(detail);
        (detail.mandatory, detail.provisional) = (true, true);
    });
    assert!(found(&test.record, "rule_in_two_channels").is_empty());
    let floor = rule(&test, "floor", |detail| {
        both(detail);
        detail.mandatory = true;
    });
    let push = rule(&test, "push", |detail| (detail.always_on, detail.action_triggers) = (true, words(&["commit"])));
    assert_eq!(found(&test.record, "rule_in_two_channels"), [[floor], [push]]);
}

#[test]
fn obligations_over_their_budget_are_listed_by_the_point_that_is_the_worst() {
    let test = TestRecord::new();
    let long = |detail: &mut RuleDetail| {
        detail.always_on = true;
        detail.statement = "Keep the lamp lit and the bell rung. ".repeat(120);
    };
    let mut ids = vec![rule(&test, "one", long), rule(&test, "two", long)];
    for nth in 0..4 {
        rule(&test, &format!("at the end {nth}"), |detail| {
            long(detail);
            detail.points = words(&["stop"]);
            detail.always_on = nth > 0;
        });
    }
    rule(&test, "ranked", |detail| detail.statement = "Keep the lamp lit and the bell rung. ".repeat(400));
    let tokens = test.record.retriever().rules(&RulesOptions::new().point(Point::Stop)).expect("obligations");
    assert!(tokens.over_budget && !test.record.retriever().rules(&RulesOptions::new()).expect("obligations").over_budget);
    let health = test.record.health().expect("a look");
    let said = super::findings(&health, "obligations_over_budget");
    assert_eq!(said.len(), 1);
    assert!(said[0].message.contains("stop") && said[0].message.contains(&tokens.tokens.to_string()), "{said:?}");
    ids.extend(["RULE-4", "RULE-5", "RULE-6"].map(ToOwned::to_owned));
    assert_eq!(found(&test.record, "obligations_over_budget"), [ids]);
    test.recorder().archive("RULE-5", "too long").expect("archived");
    assert!(found(&test.record, "obligations_over_budget").is_empty());
}
