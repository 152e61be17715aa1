//! The ranked share of rules: found like facts, and never from a state that was replaced.

use stele_core::{Category, RetrieveOptions, SearchMode, SearchOptions, State};
use stele_tests::TestRecord;

fn ids(test: &TestRecord, prompt: &str) -> Vec<String> {
    test.record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a window").entries.iter().map(|entry| entry.id.to_string()).collect()
}

fn hits(test: &TestRecord, query: &str, options: &SearchOptions) -> Vec<String> {
    test.record.retriever().search(query, options).expect("hits").iter().map(|hit| hit.id.to_string()).collect()
}

/// A rule that another one replaced, and a fact beside them.
fn replaced(set: impl FnOnce(&mut stele_core::RuleDetail)) -> (TestRecord, String, String) {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let old = recorder.rule("Squash commits", "Squash every branch into one commit before merging").record().expect("a rule").id.to_string();
    let new = recorder.rule("Keep history", "Merge with a merge commit; the branch keeps its steps").routing(set).record().expect("a rule").id.to_string();
    recorder.supersede(&new, &old).reason("bisecting needs steps").evidence("the branch keeps its steps").record().expect("a retirement");
    (test, old, new)
}

const OLD_WORDS: &str = "do we squash every branch into one commit before merging?";

#[test]
fn no_crowd_of_replaced_rules_hides_the_one_that_holds() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let mut holds = String::new();
    for version in 0..12 {
        let statement = "Squash every branch into one commit before merging";
        let rule = recorder.rule(format!("Squash commits {version}"), statement).record().expect("a rule").id.to_string();
        if version > 0 {
            recorder.supersede(&rule, &holds).reason("a clearer version").evidence(statement).record().expect("a retirement");
        }
        holds = rule;
    }
    let beside = test.fact(Category::Fyi, "Merging a branch is one of many things that the pipeline does in the night", "");
    for mode in [SearchMode::Text, SearchMode::Hybrid, SearchMode::Semantic] {
        let found = hits(&test, "squash every branch before merging", &SearchOptions::new().mode(mode).limit(2));
        assert_eq!(found, [holds.clone(), beside.clone()], "{mode}");
    }
    assert_eq!(hits(&test, "squash every branch", &SearchOptions::new().limit(50).states([State::Retired])).len(), 11);
}

#[test]
fn a_rule_is_found_by_trigger_statement_and_keywords() {
    let test = TestRecord::new();
    let routed = test
        .recorder()
        .rule("Retries", "Back off twice as long after each attempt")
        .routing(|rule| {
            (rule.trigger, rule.keywords) = ("calling a payment provider".to_owned(), vec!["stripe".to_owned()]);
        })
        .record()
        .expect("a rule")
        .id
        .to_string();
    for query in ["payment provider call", "back off after each attempt", "stripe"] {
        assert_eq!(hits(&test, query, &SearchOptions::new()).first(), Some(&routed), "{query}");
    }
    assert_eq!(ids(&test, "how long do we back off after each attempt?"), [routed]);
}

#[test]
fn in_place_of_a_replaced_rule_comes_the_one_that_holds() {
    let (test, old, new) = replaced(|_| {});
    assert_eq!(ids(&test, OLD_WORDS), [new.as_str()]);
    assert!(!hits(&test, OLD_WORDS, &SearchOptions::new()).contains(&old));
    let found = test.record.retriever().retrieve(OLD_WORDS, &RetrieveOptions::new()).expect("a window");
    assert_eq!(found.entries[0].replaces[0].node.id.to_string(), old, "it says what it replaced");
    assert_eq!(ids(&test, &format!("what did {old} say?")), [new, old.clone()], "who names it sees it");
    assert_eq!(hits(&test, &old, &SearchOptions::new()).first(), Some(&old));
    assert_eq!(hits(&test, OLD_WORDS, &SearchOptions::new().states([State::Retired])), [old], "and who asks for that state");
}

#[test]
fn an_obligation_that_replaced_a_rule_is_left_to_the_obligations() {
    let (test, old, _) = replaced(|rule| rule.mandatory = true);
    assert_eq!(ids(&test, OLD_WORDS), Vec::<String>::new());
    assert_eq!(hits(&test, OLD_WORDS, &SearchOptions::new()), Vec::<String>::new());
    assert_eq!(ids(&test, &old).last(), Some(&old));
}

#[test]
fn a_fact_that_an_obligation_replaced_is_still_served_beside_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let fact = test.fact(Category::Decision, "Squash every branch into one commit before merging", "");
    let rule = recorder.rule("Keep history", "Merge with a merge commit").routing(|rule| rule.mandatory = true).record().expect("a rule").id.to_string();
    recorder.supersede(&rule, &fact).reason("bisecting needs steps").evidence("Merge with a merge commit").record().expect("a retirement");
    assert_eq!(ids(&test, OLD_WORDS), [rule, fact]);
}

#[test]
fn contradicting_rules_are_listed_as_pairs() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let rule = |title: &str, mandatory: bool| {
        recorder.rule(title, format!("{title}, always")).routing(|rule| rule.mandatory = mandatory).record().expect("a rule").id.to_string()
    };
    let (tabs, spaces, other) = (rule("Tabs", true), rule("Spaces", true), rule("Other", false));
    recorder.contradicts(&spaces, &tabs, "one of them").expect("an edge");
    let retriever = test.record.retriever();
    let pairs =
        |ids: Option<&[&str]>| retriever.conflicts(ids).expect("pairs").iter().map(|pair| (pair.a.id.to_string(), pair.b.id.to_string())).collect::<Vec<_>>();
    let pair = [(tabs.clone(), spaces.clone())];
    assert_eq!(pairs(None), pair);
    assert_eq!(pairs(Some(&[tabs.as_str(), spaces.as_str()])), pair);
    assert_eq!(pairs(Some(&[other.as_str()])), []);
    recorder.archive(&tabs, "settled").expect("archived");
    assert_eq!(pairs(None), [], "one of them no longer holds");
}
