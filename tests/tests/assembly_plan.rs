//! The plan as a host drives it: requests out, answers in, in any order, then the context.

use std::time::Duration;

use stele_core::{AssembleOptions, Category, Code, Context, Declaration, Draft, OutcomeKind, ProviderCategory, ProviderFault, Status, TurnPolicy, provider};
use stele_tests::{TestRecord, pause};

const PROMPT: &str = "what do we know about the barometer calibration?";

fn world() -> TestRecord {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "Twice a year.");
    test.recorder().add(Draft::rule("Gloves", "Wear gloves").routing(|rule| rule.mandatory = true)).expect("a rule");
    test
}

fn declared() -> AssembleOptions {
    let memory = |name: &str| Declaration::new(name).turns(TurnPolicy::All).timeout(Duration::from_secs(600));
    AssembleOptions::new().declare(memory("one")).declare(memory("two").category(ProviderCategory::Rules)).declare(memory("three"))
}

fn ends(context: &Context) -> Vec<(String, OutcomeKind)> {
    context.outcomes.iter().map(|end| (end.provider.clone(), end.result)).collect()
}

#[test]
fn requests_come_out_once_and_answers_go_in_in_any_order_to_the_same_bytes() {
    let test = world();
    let called = provider(Declaration::new("called").turns(TurnPolicy::All).timeout(Duration::from_secs(600)), |_| Ok("by itself".into()));
    let options = declared().provider(called).turn(4);
    let names = ["one", "two", "three"];
    let mut contexts = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut plan = test.record.plan(PROMPT, &options).expect("a plan");
        let mut asked = Vec::new();
        while let Some(next) = plan.next() {
            assert_eq!((&*next.request.prompt, next.request.turn, next.request.token_budget, next.request.cancelled()), (PROMPT, 4, 2_000, false));
            asked.push(next.provider);
        }
        assert_eq!(asked, names);
        for nth in order {
            if nth == 2 {
                plan.fail(names[nth], ProviderFault::new("no answer")).expect("asked");
            } else {
                plan.supply(names[nth], format!("from {}", names[nth]).as_str()).expect("asked");
                plan.supply(names[nth], "once more").expect("asked, and nothing more comes of it");
            }
        }
        contexts.push(plan.finish().expect("a context"));
    }
    let first = &contexts[0];
    assert!(contexts.iter().all(|context| (&context.text, &context.digest) == (&first.text, &first.digest)));
    for words in ["from one", "from two", "by itself", "Wear gloves", "Twice a year.", "⚠ provider three failed: no answer"] {
        assert!(first.text.contains(words), "{words} is not in {}", first.text);
    }
    assert_eq!((first.item_id.as_deref(), first.text.contains("once more")), (Some("local:context:4"), false));
    assert_eq!(
        first.sections.iter().map(|section| section.provider.as_str()).collect::<Vec<_>>(),
        ["obligations", "two", "called", "one", "record", "warnings"]
    );
}

#[test]
fn who_is_not_answered_for_in_time_was_late() {
    let test = world();
    let mut plan = test.record.plan(PROMPT, &declared().declare(Declaration::new("quick").timeout(Duration::from_millis(1)))).expect("a plan");
    let quick = loop {
        let next = plan.next().expect("four requests");
        if next.provider == "quick" {
            break next;
        }
    };
    while !quick.request.cancelled() {
        pause();
    }
    plan.supply("quick", "too late").expect("asked");
    plan.supply("one", "in time").expect("asked");
    let context = plan.finish().expect("a context");
    let late = |name: &str| (name.to_owned(), OutcomeKind::TimedOut);
    assert!(ends(&context).contains(&late("quick")) && ends(&context).contains(&late("two")) && ends(&context).contains(&late("three")));
    assert!(context.text.contains("in time") && !context.text.contains("too late"), "{}", context.text);
}

#[test]
fn the_time_of_a_provider_counts_from_when_it_is_asked() {
    let test = world();
    let quick = |name: &str| Declaration::new(name).timeout(Duration::from_millis(500));
    let mut plan = test.record.plan(PROMPT, &AssembleOptions::new().declare(quick("slow")).declare(quick("next"))).expect("a plan");
    let slow = plan.next().expect("a request");
    while !slow.request.cancelled() {
        pause();
    }
    plan.supply("slow", "too late").expect("asked");
    let next = plan.next().expect("a request");
    assert!(!next.request.cancelled() && !next.request.remaining().is_zero());
    let options = AssembleOptions::new().declare(quick("first")).declare(quick("second")).deadline(Duration::ZERO);
    let mut over = test.record.plan(PROMPT, &options).expect("a plan");
    assert!(over.next().is_none(), "nobody is asked who has no time");
    let late = |name: &str| (name.to_owned(), OutcomeKind::TimedOut);
    let context = over.finish().expect("a context");
    assert!(ends(&context).contains(&late("first")) && ends(&context).contains(&late("second")));
    let context = plan.finish().expect("a context");
    assert!(ends(&context).contains(&late("slow")));
}

#[test]
fn nobody_answers_for_a_provider_that_the_host_was_not_asked() {
    let test = world();
    let called = provider(Declaration::new("called"), |_| Ok("by itself".into()));
    let mut plan = test.record.plan(PROMPT, &declared().provider(called).declare(Declaration::new("gated").requires("sound"))).expect("a plan");
    for name in ["record", "called", "gated", "nobody", ""] {
        assert_eq!(plan.supply(name, "x").expect_err("not asked").code(), Code::UnknownValue, "{name}");
        assert_eq!(plan.fail(name, ProviderFault::new("x")).expect_err("not asked").code(), Code::UnknownValue, "{name}");
    }
    assert_eq!(std::iter::from_fn(|| plan.next()).count(), 3);
}

#[test]
fn a_plan_of_a_session_counts_its_turn_when_it_is_finished_and_a_dropped_one_never_was() {
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    let mut dropped = session.plan(PROMPT, &declared()).expect("a plan");
    let request = dropped.next().expect("a request").request;
    assert!(!request.cancelled());
    drop(dropped);
    assert!(request.cancelled());
    assert_eq!(session.turn().expect("a turn"), 0);
    let context = session.plan(PROMPT, &declared()).expect("a plan").finish().expect("a context");
    assert_eq!((context.turn, context.record.status, session.turn().expect("a turn")), (0, Status::Found, 1));
    assert_eq!(session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context").record.status, Status::Served);
    let other = AssembleOptions::new().session("s2");
    assert_eq!(session.on_prompt(PROMPT, &other).expect_err("another session").code(), Code::BadConfig);
}

#[test]
fn an_assembly_beside_a_session_counts_no_turn_and_is_served_when_it_is_told() {
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    let assemble = |options: AssembleOptions| test.record.assemble(PROMPT, &options.session("s1")).expect("a context");
    let built = assemble(AssembleOptions::new());
    assert_eq!((built.turn, assemble(AssembleOptions::new()).record.status, session.turn().expect("a turn")), (0, Status::Found, 0));
    session.delivered(&built).expect("noted");
    let again = assemble(AssembleOptions::new().turn(1));
    assert_eq!((again.record.status, again.obligations.pointers.len()), (Status::Served, 1));
    session.compacted().expect("noted");
    assert_eq!(assemble(AssembleOptions::new().deliver(true)).record.status, Status::Found);
    assert_eq!(assemble(AssembleOptions::new()).record.status, Status::Served);
    assert_eq!(session.turn().expect("a turn"), 1, "the turn that the host came to");
}

#[test]
fn a_later_turn_with_nothing_to_say_has_no_item() {
    let test = TestRecord::new();
    let options = |turn| AssembleOptions::new().turn(turn).provider(provider(Declaration::new("first"), |_| Ok("x".into())));
    let context = test.record.assemble(PROMPT, &options(2)).expect("a context");
    assert_eq!((context.text.as_str(), context.item_id, context.chars, context.tokens), ("", None, 0, 0));
    assert_eq!(context.digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert!(test.record.assemble(PROMPT, &options(0)).expect("a context").item_id.is_none());
}

#[test]
fn options_out_of_their_limits_are_refused_before_anything_is_asked() {
    let test = world();
    let asked = provider(Declaration::new("asked"), |_| panic!("asked"));
    let new = || AssembleOptions::new().provider(std::sync::Arc::clone(&asked));
    let long = "n".repeat(100_000);
    for options in [new().session(""), new().session(&long), new().mode(" "), new().mode(&long), new().action(&long), new().max_entries(21), new().hops(4)] {
        assert_eq!(test.record.assemble(PROMPT, &options).expect_err("refused").kind(), stele_core::ErrorKind::Invalid);
    }
}
