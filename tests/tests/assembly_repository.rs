//! The rules of a repository in a context: what of them stands there, and what a session is told when they change.

#[expect(dead_code, reason = "the repositories of these tests are simple")]
#[path = "../../stele-core/src/assemble/builtin/repository_rules/tests/written.rs"]
mod written;

use std::path::Path;

use stele_core::{AssembleOptions, Code, Context, Draft, Outcome, OutcomeKind, Record};
use stele_tests::TestRecord;
use written::Written;

const PROVIDER: &str = "repository rules";

/// A project with a record that holds one obligation and a repository around it.
fn project() -> (TestRecord, Written) {
    let test = TestRecord::new();
    let rule = Draft::rule("Wear gloves", "Always wear gloves").routing(|rule| rule.mandatory = true);
    test.recorder().add(rule).expect("a rule");
    let written = Written::new(&test.outside().join(".git"));
    (test, written)
}

fn options(root: &Path) -> AssembleOptions {
    AssembleOptions::new().session("s1").root(root)
}

fn assemble(record: &Record, options: AssembleOptions) -> Context {
    record.assemble("calibrate the barometer", &options).expect("a context")
}

fn outcome(context: &Context) -> &Outcome {
    context.outcomes.iter().find(|outcome| outcome.provider == PROVIDER).expect("an outcome")
}

/// The lines of the text that speak of HEAD.
fn moved(context: &Context) -> usize {
    assert_eq!(context.warnings.iter().filter(|line| line.contains("HEAD has moved")).count(), context.text.matches("HEAD has moved").count());
    context.text.matches("HEAD has moved").count()
}

#[test]
fn rules_stand_behind_the_obligations_with_path_and_revision_and_edits_change_nothing() {
    let (test, written) = project();
    let commit =
        written.commit(&[("AGENTS.md", "Run the tests.\n"), ("lib/AGENTS.md", "No new dependencies.\n"), ("docs/style.md", "Short sentences.\n")], &[]);
    let asked = || options(&test.outside()).rule_files(["docs/style.md"]);
    let context = assemble(&test.record, asked());
    let places = ["Always wear gloves", "Run the tests.", "Short sentences.", "No new dependencies."].map(|words| context.text.find(words));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?} in {}", context.text);
    for path in ["AGENTS.md", "docs/style.md", "lib/AGENTS.md"] {
        assert!(context.text.contains(path), "{path} is not in {}", context.text);
    }
    assert_eq!(context.text.matches(&commit.to_string()).count(), 3, "{}", context.text);
    assert_eq!((outcome(&context).result, outcome(&context).entries), (OutcomeKind::Included, 3));
    let arguments = serde_json::json!({ "prompt": "calibrate the barometer", "session": "s2", "root": test.outside(), "rule_files": ["docs/style.md"] });
    let through_a_door = stele_kit::call(&test.record, "assemble", &arguments).expect("a context");
    assert_eq!(through_a_door["text"], *context.text);
    std::fs::write(test.outside().join("AGENTS.md"), "Skip the tests.").expect("an edit");
    assert_eq!(assemble(&test.record, asked()).text, context.text);
}

#[test]
fn a_base_revision_is_read_instead_of_head() {
    let (test, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old rules.")], &[]);
    written.set("refs/remotes/origin/main", old);
    written.commit(&[("AGENTS.md", "New rules.")], &[old]);
    assert!(assemble(&test.record, options(&test.outside())).text.contains("New rules."));
    assert!(assemble(&test.record, options(&test.outside()).base_revision("origin/main")).text.contains("Old rules."));
    let context = assemble(&test.record, options(&test.outside()).base_revision("none"));
    assert_eq!(outcome(&context).result, OutcomeKind::Failed);
    assert!(context.text.contains("no branch, tag or commit is called"), "{}", context.text);
}

#[test]
fn a_session_keeps_its_rules_over_a_restart_and_is_told_once_that_head_has_moved() {
    let (test, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old rules.")], &[]);
    let root = test.outside();
    let first = assemble(&test.record, options(&root));
    assert!(first.text.contains("Old rules.") && moved(&first) == 0);
    let second = assemble(&test.record, options(&root).turn(1));
    assert_eq!((outcome(&second).result, moved(&second)), (OutcomeKind::TurnGated, 0));
    written.commit(&[("AGENTS.md", "New rules.")], &[old]);
    drop(test.record);
    let record = Record::options().open(root.join(".stele")).expect("the record opens again");
    let third = assemble(&record, options(&root).turn(2));
    assert_eq!((outcome(&third).result, outcome(&third).ms, moved(&third)), (OutcomeKind::TurnGated, 0, 1));
    assert!(!third.text.contains("rules."));
    assert_eq!(moved(&assemble(&record, options(&root).turn(3))), 0, "it was told");
    // The first turn over again: the same rules, and the line where they stand.
    let again = assemble(&record, options(&root));
    assert!(again.text.contains("Old rules.") && moved(&again) == 1, "{}", again.text);
    let other = assemble(&record, options(&root).session("s2"));
    assert!(other.text.contains("New rules.") && moved(&other) == 0);
}

#[test]
fn without_a_folder_or_when_turned_off_there_is_no_outcome() {
    let (test, written) = project();
    written.commit(&[("AGENTS.md", "Rules.")], &[]);
    for off in [AssembleOptions::new(), options(&test.outside()).builtin(false), options(&test.outside()).builtin_named(["-repository-rules"])] {
        let context = assemble(&test.record, off);
        assert!(context.outcomes.iter().all(|outcome| outcome.provider != PROVIDER) && !context.text.contains("Rules."));
    }
    let context = assemble(&test.record, options(&test.outside()).builtin_named([PROVIDER]));
    assert_eq!(outcome(&context).result, OutcomeKind::Included);
}

#[test]
fn a_corrupt_repository_is_told_and_takes_nothing_else_away() {
    let (test, written) = project();
    let empty = assemble(&test.record, options(&test.outside()));
    assert_eq!((outcome(&empty).result, empty.warnings.len()), (OutcomeKind::Empty, 0), "there is no commit");
    written.commit(&[("AGENTS.md", "Rules.")], &[]);
    std::fs::write(written.git_dir.join("refs/heads/main"), "nonsense\n").expect("damage");
    let context = assemble(&test.record, options(&test.outside()));
    assert_eq!(outcome(&context).result, OutcomeKind::Failed);
    assert!(context.text.contains("Always wear gloves") && context.text.contains("repository rules failed: the reference"), "{}", context.text);
    let refused = test.record.assemble("calibrate", &options(&test.outside()).strict(true)).expect_err("a strict call");
    assert_eq!(refused.code(), Code::ProviderFailed);
}

#[test]
fn long_rules_are_cut_to_their_budget_and_the_reader_is_told() {
    let (test, written) = project();
    written.commit(&[("AGENTS.md", &"Never push to the main branch without asking.\n".repeat(1_000)), ("a/AGENTS.md", "Nested.")], &[]);
    let context = assemble(&test.record, options(&test.outside()));
    assert_eq!((outcome(&context).result, outcome(&context).entries, outcome(&context).cut), (OutcomeKind::Included, 1, 0));
    assert!(outcome(&context).tokens <= stele_core::defaults::PROVIDER_TOKENS && outcome(&context).tokens > 1_900);
    assert!(
        context.text.contains("repository rules: AGENTS.md is cut: ") && context.text.contains("left out for want of room: a/AGENTS.md"),
        "{}",
        &context.text[..500]
    );
}
