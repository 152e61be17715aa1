//! A short run of every fuzz target: what once crashed it, inputs that the fuzzer found to go new ways, and inputs made
//! from a seed. `fuzz/` runs the same functions for as long as one likes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use stele_tests::fuzzing::TARGETS;
use stele_tests::fuzzing::inputs::input_of;

/// How many inputs are made for each target: as many as take a few seconds.
const MADE: [(&str, u64); 6] = [("query", 150), ("render", 1_000), ("import", 120), ("operations", 30), ("damage", 30), ("window", 60)];

fn run(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let try_out = |what: &str, input: &[u8]| {
        let outcome = catch_unwind(AssertUnwindSafe(|| target(input)));
        assert!(outcome.is_ok(), "the target {name} fails on {what}: {input:?}");
    };
    for folder in ["regressions", "seeds"] {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(folder).join(name);
        let mut files: Vec<_> = fs::read_dir(&kept).map(|files| files.map(|file| file.expect("an entry").path()).collect()).unwrap_or_default();
        files.sort();
        for file in files {
            try_out(&file.display().to_string(), &fs::read(&file).expect("a file"));
        }
    }
    let (_, count) = MADE.into_iter().find(|(known, _)| *known == name).expect("a count");
    for seed in 0..count {
        try_out(&format!("the input of seed {seed}"), &input_of(seed));
    }
}

#[test]
fn any_text_can_be_asked_and_the_indexes_change_no_answer() {
    run("query");
}

#[test]
fn hostile_text_stays_inside_its_entry_and_limits_are_kept() {
    run("render");
}

#[test]
fn an_import_is_whole_or_nothing_and_comes_out_as_it_went_in() {
    run("import");
}

#[test]
fn the_record_does_what_its_model_does() {
    run("operations");
}

#[test]
fn a_damaged_folder_gives_the_right_facts_or_a_typed_error() {
    run("damage");
}

#[test]
fn a_window_over_any_graph_ends_and_keeps_its_rules() {
    run("window");
}

#[test]
fn every_target_is_run_and_has_a_file_for_the_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
    let mut files: Vec<String> =
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    let mut names = TARGETS.map(|(name, _)| format!("{name}.rs"));
    names.sort();
    assert_eq!(files, names);
    assert!(MADE.iter().all(|(name, _)| TARGETS.iter().any(|(known, _)| known == name)));
}
