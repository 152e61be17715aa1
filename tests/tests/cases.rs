//! The scenarios of `cases/`, through the core.

use stele_tests::cases::{self, Core};

#[test]
fn every_case_holds() {
    let run = |(file, case): &(String, cases::Case)| case.run(&mut Core::default()).1.into_iter().map(|what| format!("{file}: {what}")).collect::<Vec<_>>();
    let wrong: Vec<String> = cases::all().iter().flat_map(run).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
