//! A short run of every fuzz target: what once crashed it, inputs that the fuzzer found to go new ways, and inputs made
//! from a seed. `fuzz/` runs the same functions for as long as one likes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use stele_tests::fuzzing::TARGETS;

/// How many inputs are made for each target: as many as take a few seconds.
const MADE: [(&str, u64); 5] = [("query", 150), ("render", 1_000), ("import", 120), ("operations", 30), ("damage", 30)];

/// Numbers that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Bytes with runs of text among them, more short inputs than long ones.
    fn input(&mut self) -> Vec<u8> {
        const WORDS: [&str; 10] = ["barometer", "KNOW-3", "TS2769", "\"", "a AND (b", "用户", "🦀", "{\"kind\":\"fyi\",\"title\":\"x\"}\n", "\0", "\\"];
        let length = 4 << (self.roll() % 8);
        let mut bytes = Vec::new();
        while bytes.len() < length {
            if self.roll().is_multiple_of(8) {
                bytes.extend_from_slice(WORDS[self.roll() as usize % WORDS.len()].as_bytes());
            } else {
                bytes.push(self.roll() as u8);
            }
        }
        bytes
    }
}

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
        try_out(&format!("the input of seed {seed}"), &Dice(seed * 7_919 + 11).input());
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
