//! The table of verbs against the promise of the API, `tests/cases/api.txt`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use serde_json::Value;
use stele_core::{MethodologyOptions, NeighbourOptions, ReadyOptions, RecallOptions, RetrieveOptions, RulesOptions, SearchOptions};
use stele_kit::{Argument, Owner, enumerations, results, verbs};

const PROMISE: &str = include_str!("../../tests/cases/api.txt");

/// The lines that say something.
fn lines() -> impl Iterator<Item = &'static str> {
    PROMISE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The arguments between the parentheses of a line, without those that JSON cannot carry; each with its default.
fn promised(line: &str) -> Vec<(&str, Option<Value>)> {
    let list = &line[line.find('(').expect("an opening parenthesis") + 1..line.rfind(')').filter(|at| line[..*at].contains('(')).expect("a closing one")];
    let list = list.split(") ->").next().expect("a list");
    let parts = list.split(", ").map(str::trim).filter(|part| !part.is_empty() && !part.starts_with('['));
    parts
        .map(|part| match part.split_once('=') {
            None => (part, None),
            Some((name, default)) => (name, Some(serde_json::from_str(default).unwrap_or_else(|_| panic!("{line}: {default} is no JSON")))),
        })
        .collect()
}

fn check(line: &str, arguments: &[Argument]) {
    for (name, default) in promised(line) {
        let argument = arguments.iter().find(|argument| argument.name == name).unwrap_or_else(|| panic!("{line}: there is no {name}"));
        // What must be given in one door may be left out in another, where that says the same as null.
        let as_promised = argument.default == default || (default.is_none() && argument.default == Some(Value::Null));
        assert!(as_promised, "{line}: {name} is {:?} by default", argument.default);
    }
}

#[test]
fn every_verb_has_its_arguments_defaults_and_result() {
    let mut seen = 0;
    for line in lines().filter(|line| ["record.", "recorder.", "retriever.", "session."].iter().any(|owner| line.starts_with(owner))) {
        let (name, result) = (&line[..line.find('(').expect("arguments")], line.split(" -> ").nth(1).expect("a result"));
        let verb = verbs().find(|verb| format!("{}.{}", verb.owner.as_str(), verb.name) == name).unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(verb.result, result, "{name}");
        check(line, &verb.arguments());
        seen += 1;
    }
    assert!(seen > 70, "{seen} verbs are promised");
}

/// The default that was promised for an argument, which is a number.
fn number(verb: &str, argument: &str) -> f64 {
    let line = lines().find(|line| line.split('(').next().is_some_and(|name| name.ends_with(&format!(".{verb}")))).expect("a promised verb");
    let default = promised(line).into_iter().find(|(name, _)| *name == argument).and_then(|(_, default)| default);
    default.as_ref().and_then(Value::as_f64).unwrap_or_else(|| panic!("{line}: {argument} has no number"))
}

#[test]
fn builders_of_the_core_begin_with_the_defaults_that_were_promised() {
    let count = |verb: &str, argument: &str| number(verb, argument) as usize;
    let seconds = |verb: &str, argument: &str| Duration::from_secs_f64(number(verb, argument));
    let same = |built: &dyn Debug, said: &dyn Debug| assert_eq!(format!("{built:?}"), format!("{said:?}"));
    let retrieve = RetrieveOptions::new().deadline(seconds("retrieve", "deadline")).walk_budget(seconds("retrieve", "walk_budget"));
    same(&RetrieveOptions::new(), &retrieve.max_entries(count("retrieve", "max_entries")).hops(number("retrieve", "hops") as u32));
    same(&SearchOptions::new(), &SearchOptions::new().limit(count("search", "limit")));
    let recall = RecallOptions::new().seeds(count("recall", "seeds")).depth(number("recall", "depth") as u32);
    same(&RecallOptions::new(), &recall.max_entries(count("recall", "max_entries")).deadline(seconds("recall", "deadline")));
    same(&NeighbourOptions::new(), &NeighbourOptions::new().limit(count("neighbours", "limit")));
    same(&ReadyOptions::new(), &ReadyOptions::new().limit(count("ready", "limit")));
    same(&RulesOptions::new(), &RulesOptions::new().cap(count("rules", "cap")));
    same(&MethodologyOptions::new("work"), &MethodologyOptions::new("work").max_tokens(count("methodology", "max_tokens")));
}

#[test]
fn no_two_verbs_and_no_two_arguments_of_one_have_a_name() {
    let mut names: Vec<&str> = verbs().map(|verb| verb.name).collect();
    for verb in verbs() {
        let mut own: Vec<&str> = [verb.owner.bound(), verb.arguments()].concat().iter().map(|argument| argument.name).collect();
        own.sort_unstable();
        let count = own.len();
        own.dedup();
        assert_eq!(own.len(), count, "{verb:?}: {own:?}");
    }
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn handles_are_bound_to_what_was_promised() {
    for line in lines().filter_map(|line| line.strip_prefix("bound ")) {
        let owner = match &line[..line.find('(').expect("arguments")] {
            "recorder" => Owner::Recorder,
            "retriever" => Owner::Retriever,
            "session" => Owner::Session,
            other => panic!("{other} is no handle"),
        };
        check(line, &owner.bound());
    }
}

/// Lines of one sort: a name, and the words behind the colon.
fn lists(sort: &str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let list = |line: &'static str| line.split_once(": ").map(|(name, words)| (name, words.split(' ').collect()));
    lines().filter_map(|line| line.strip_prefix(sort)).filter_map(list).collect()
}

#[test]
fn results_have_the_fields_that_were_promised() {
    let all: BTreeMap<_, _> = results::fields().into_iter().collect();
    let promised = lists("result ");
    assert!(promised.len() > 10);
    for (name, fields) in promised {
        let missing: Vec<_> = fields.iter().filter(|field| !all[name].contains(field)).collect();
        assert!(missing.is_empty(), "{name} has no {missing:?}");
    }
}

#[test]
fn what_verbs_give_stands_in_the_table_of_results() {
    let all: BTreeMap<_, _> = results::fields().into_iter().collect();
    let plain = ["()", "bool", "u64", "usize", "Option<u64>", "String", "NodeId", "Value", "Vec<Value>", "RankingTable"];
    for verb in verbs().filter(|verb| !plain.contains(&verb.result)) {
        let inner = verb.result.trim_start_matches("Vec<").trim_start_matches("Option<").trim_end_matches('>');
        assert!(all.contains_key(inner), "{verb:?}");
    }
}

#[test]
fn enumerations_and_kinds_of_errors_are_what_was_promised() {
    let all: BTreeMap<_, _> = enumerations().into_iter().map(|enumeration| (enumeration.name, enumeration.words)).collect();
    let promised = lists("words ");
    assert!(promised.len() > 5);
    for (name, words) in promised {
        let numbered: Vec<_> = words.into_iter().zip(0..).collect();
        assert_eq!(all[name], numbered, "{name}");
    }
    let kinds: Vec<(&str, i32)> = lines()
        .filter_map(|line| line.strip_prefix("error "))
        .map(|line| line.split_once(' ').map(|(number, kind)| (kind, number.parse().expect("a number"))).expect("a kind"))
        .collect();
    assert_eq!(all["error_kind"], kinds);
}
