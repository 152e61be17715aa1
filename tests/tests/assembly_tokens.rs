//! Tokens counted by the host: wherever a budget is kept, and never to the harm of an answer.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stele_core::{AssembleOptions, Category, Context, Draft, GapKind, MethodologyOptions, RetrieveOptions, RulesOptions, Status, tokens};
use stele_tests::TestRecord;

const PROMPT: &str = "what do we know about the barometer calibration and its drift?";

fn world() -> TestRecord {
    let test = TestRecord::new();
    for at in 0..12 {
        test.fact(Category::Lesson, &format!("Barometer calibration drift {at}"), &"The drift of a barometer shows after its calibration. ".repeat(20));
    }
    test.recorder().add(Draft::rule("Wear gloves", "Always wear gloves").routing(|rule| rule.mandatory = true)).expect("a rule");
    let way = Draft::rule("Calibrate slowly", "One step at a time").routing(|rule| {
        rule.methodology = Some("technique".to_owned());
        rule.floor_modes = vec!["work".to_owned()];
    });
    test.recorder().add(way).expect("a technique");
    test
}

fn assemble(test: &TestRecord, options: &AssembleOptions) -> Context {
    test.record.assemble(PROMPT, options).expect("a context")
}

#[test]
fn every_budget_is_kept_as_the_host_counts() {
    let test = world();
    let by_estimate = assemble(&test, &AssembleOptions::new());
    test.record.set_token_counter(Arc::new(|text: &str| text.len()));

    let window = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_tokens(3_000)).expect("a window");
    let text = window.render(stele_core::Format::Text);
    assert!(window.status == Status::Found && (1_500..=3_000).contains(&text.len()), "{} bytes", text.len());
    assert_eq!(window.tokens, text.len());
    assert!(window.entries.iter().all(|entry| entry.tokens > entry.body.len()), "entries are counted the same way");

    let rules = test.record.retriever().rules(&RulesOptions::new()).expect("rules");
    assert_eq!(rules.tokens, rules.entries[0].text.len() + 1);
    let ways = test.record.retriever().methodology(&MethodologyOptions::new("work")).expect("ways");
    assert_eq!(ways.tokens, ways.entries[0].rule.text.len() + 1);

    let context = assemble(&test, &AssembleOptions::new().token_budget(4_000));
    assert!(context.text.len() <= 4_000 && context.text.len() > 2_000 && context.tokens == context.text.len());
    assert!(context.sections.iter().all(|section| section.tokens == section.text.len()));
    assert!(by_estimate.text.len() > 4_000 && by_estimate.tokens == tokens(&by_estimate.text));

    let moment = test.record.session("s").open().expect("a session").on_output("barometer calibration drift 3 failed").expect("a moment");
    assert_eq!(moment.tokens, moment.text.len());
}

#[test]
fn skills_are_fitted_as_the_host_counts() {
    let (test, root) = (world(), tempfile::tempdir().expect("a folder"));
    let folder = root.path().join(".agents/skills/tides");
    fs::create_dir_all(&folder).expect("folders");
    let body = "Look at the moon. ".repeat(400);
    fs::write(folder.join("SKILL.md"), format!("---\nname: tides\ndescription: Reads tide tables\n---\n{body}")).expect("a file");
    let options = AssembleOptions::new().root(root.path()).select_skill("tides").builtin_named(["skills", "selected-skills"]);
    assert!(assemble(&test, &options).text.len() > 6_000);
    test.record.set_token_counter(Arc::new(|text: &str| text.len()));
    let context = assemble(&test, &options);
    let section = context.sections.iter().find(|section| section.provider == "selected-skills").expect("it is cut, not left out");
    assert!((1_800..2_200).contains(&section.tokens), "{}", section.tokens);
}

#[test]
fn a_counter_whose_parts_do_not_add_up_still_keeps_the_limit() {
    let test = world();
    // Lines count less alone than together.
    test.record.set_token_counter(Arc::new(|text: &str| text.lines().count().pow(2) + text.len() / 8));
    for limit in [100, 300, 600] {
        let window = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_tokens(limit)).expect("a window");
        let text = window.render(stele_core::Format::Text);
        assert!(window.tokens <= limit && text.is_empty() == window.entries.is_empty(), "{} of {limit}: {text}", window.tokens);
        let context = assemble(&test, &AssembleOptions::new().token_budget(limit));
        assert!(context.text.contains("Always wear gloves"));
    }
}

#[test]
fn a_counter_that_panics_is_left_out_and_told() {
    let test = world();
    let plain = assemble(&test, &AssembleOptions::new());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    test.record.set_token_counter(Arc::new(move |_: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
        panic!("no vocabulary")
    }));
    let context = assemble(&test, &AssembleOptions::new());
    assert_eq!(context.warnings, ["the token counter failed, tokens are estimated"]);
    assert!(context.text.contains("⚠ the token counter failed, tokens are estimated\n"), "{}", context.text);
    assert!(context.text.starts_with(&plain.text), "nothing is lost");
    assert_eq!(context.sections[0].tokens, plain.sections[0].tokens);
    assert!(calls.load(Ordering::SeqCst) <= 4, "it is called once an answer, not once a text: {}", calls.load(Ordering::SeqCst));
    let window = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_tokens(600)).expect("a window");
    assert!(window.gaps.iter().any(|gap| gap.kind == GapKind::Tokens && gap.note.contains("failed")), "{:?}", window.gaps);
    assert!(window.tokens == tokens(&window.render(stele_core::Format::Text)) && window.tokens <= 600);
}

#[test]
fn a_counter_may_use_the_record_that_it_counts_for() {
    let test = Arc::new(world());
    let inside = Arc::downgrade(&test);
    test.record.set_token_counter(Arc::new(move |text: &str| {
        let test = inside.upgrade().expect("the record is open");
        test.record.recorder("counter").expect("a recorder").fact(Category::Lesson, "A text was counted").record().expect("no lock is held");
        tokens(text)
    }));
    let before = test.record.head().expect("a head");
    let window = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_tokens(200)).expect("a window");
    assert_eq!(window.status, Status::Found);
    assert!(test.record.head().expect("a head") > before);
}
