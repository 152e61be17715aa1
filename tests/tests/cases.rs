//! The scenarios of `cases/`, through the core.

use std::collections::BTreeSet;

use stele_tests::cases::{self, Core};

#[test]
fn every_case_holds() {
    let run = |(file, case): &(String, cases::Case)| case.run(&mut Core::default()).1.into_iter().map(|what| format!("{file}: {what}")).collect::<Vec<_>>();
    let wrong: Vec<String> = cases::all().iter().flat_map(run).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn every_verb_has_a_case() {
    let cases = cases::all();
    let called: BTreeSet<&str> = cases.iter().flat_map(|(_, case)| case.verbs()).collect();
    let without: Vec<&str> = stele_kit::verbs().map(|verb| verb.name).filter(|name| !called.contains(name)).collect();
    assert!(without.is_empty(), "no case calls {without:?}");
}

#[test]
fn doors_that_write_to_one_record_at_once_find_what_all_wrote() {
    let (mut one, mut other) = (Core::default(), Core::default());
    let wrong = cases::together(&mut [&mut one, &mut other]);
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
