//! How providers end: each in exactly one way, with its reason, and none to the harm of another.

use std::sync::Arc;
use std::time::Duration;

use stele_core::{
    AssembleOptions, Category, Code, Context, Declaration, Draft, Outcome, OutcomeKind, Provider, ProviderCategory, ProviderEntry, ProviderFault,
    ProviderRequest, Supply, Timestamp, TurnPolicy, provider,
};
use stele_tests::{TestRecord, pause};

const PROMPT: &str = "what do we know about the barometer calibration?";

/// A provider that has time enough on any machine.
fn patient(name: &str) -> Declaration {
    Declaration::new(name).timeout(Duration::from_secs(600))
}

/// A provider that gives one text.
fn says(name: &str, text: &str) -> Arc<dyn Provider> {
    let text = text.to_owned();
    provider(patient(name), move |_| Ok(text.as_str().into()))
}

fn outcome<'c>(context: &'c Context, name: &str) -> &'c Outcome {
    let mut found = context.outcomes.iter().filter(|outcome| outcome.provider == name);
    let outcome = found.next().unwrap_or_else(|| panic!("no outcome of {name}: {:?}", context.outcomes));
    assert!(found.next().is_none(), "{name} ends twice: {:?}", context.outcomes);
    outcome
}

fn result(context: &Context, name: &str) -> OutcomeKind {
    outcome(context, name).result
}

fn world() -> TestRecord {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "Twice a year.");
    let rule = Draft::rule("Wear gloves", "Always wear gloves").routing(|rule| rule.mandatory = true);
    test.recorder().add(rule).expect("a rule");
    test
}

fn assemble(test: &TestRecord, options: AssembleOptions) -> Context {
    test.record.assemble(PROMPT, &options.session("s1")).expect("a context")
}

#[test]
fn one_moment_holds_for_rules_ways_of_working_and_the_window_alike() {
    let at = |text: &str| Timestamp::parse(text).expect("a time");
    let test = TestRecord::new();
    let until = at("2026-03-01");
    let recorder = test.recorder();
    recorder.add(Draft::rule("Gloves", "Always wear gloves").routing(|rule| rule.mandatory = true).expires_at(until)).expect("a rule");
    recorder.add(Draft::rule("Slowly", "Turn the screw slowly").routing(|rule| rule.floor_modes = vec!["work".into()]).expires_at(until)).expect("a rule");
    recorder.fact(Category::Decision, "Barometer calibration").expires_at(until).record().expect("a fact");
    let texts = ["Always wear gloves", "Turn the screw slowly", "[expired]"];
    for clock in ["2026-02-01", "2026-04-01"] {
        test.clock.set(clock);
        for (now, there) in [("2026-02-28T23:59:59Z", [true, true, false]), ("2026-03-01", [false, false, true])] {
            let context = test.record.assemble(PROMPT, &AssembleOptions::new().now(at(now))).expect("a context");
            assert_eq!(texts.map(|text| context.text.contains(text)), there, "{clock} {now}: {}", context.text);
        }
    }
}

#[test]
fn a_name_is_that_of_the_first_who_bears_it_be_it_invalid() {
    // Hosts find who is asked by the name.
    let test = world();
    let wrong = provider(patient("wiki").timeout(Duration::ZERO), |_| Ok("the first".into()));
    let context = assemble(&test, AssembleOptions::new().provider(wrong).provider(says("wiki", "the second")));
    let ends: Vec<(OutcomeKind, &str)> = context.outcomes.iter().filter(|end| end.provider == "wiki").map(|end| (end.result, end.reason.as_str())).collect();
    let invalid = OutcomeKind::Invalid;
    assert_eq!(ends, [(invalid, "the timeout of 0 ms is not between 1 and 3600000 ms"), (invalid, "another provider has that name")]);
    assert!(!context.text.contains("the first") && !context.text.contains("the second"), "{}", context.text);
}

#[test]
fn one_call_gives_obligations_window_and_providers_in_one_text_and_one_report() {
    let test = world();
    let context = assemble(&test, AssembleOptions::new().provider(says("weather", "It rains.")).system(ProviderEntry::new("branch: main")));
    let names: Vec<&str> = context.sections.iter().map(|section| section.provider.as_str()).collect();
    assert_eq!(names, ["obligations", "record", "weather", "system"]);
    for words in ["Always wear gloves", "Twice a year.", "── from provider weather ── what is known ──\n- It rains.\n", "- branch: main\n"] {
        assert!(context.text.contains(words), "{words} is not in {}", context.text);
    }
    assert_eq!(context.text, context.sections.iter().map(|section| section.text.as_str()).collect::<String>());
    let ends: Vec<(&str, OutcomeKind, usize)> = context.outcomes.iter().map(|end| (end.provider.as_str(), end.result, end.entries)).collect();
    let included = OutcomeKind::Included;
    assert_eq!(
        ends,
        [("obligations", included, 1), ("methodology", OutcomeKind::Empty, 0), ("record", included, 1), ("weather", included, 1), ("system", included, 1)]
    );
    assert_eq!((context.warnings.as_slice(), context.turn, context.item_id.as_deref()), (&[][..], 0, None));
    assert_eq!((context.chars, context.tokens), (context.text.chars().count(), stele_core::tokens(&context.text)));
}

#[test]
fn gates_stand_in_order_valid_then_turn_then_capability() {
    let test = world();
    let asked = |declaration: Declaration| provider(declaration, |request| Ok(format!("turn {}", request.turn).as_str().into()));
    let options = |turn| {
        AssembleOptions::new()
            .turn(turn)
            .capability("images")
            .provider(asked(patient("first")))
            .provider(asked(patient("all").turns(TurnPolicy::All)))
            .provider(asked(patient("able").turns(TurnPolicy::All).requires("images")))
            .provider(asked(Declaration::new("unable").turns(TurnPolicy::All).requires("images").requires("sound")))
            .provider(asked(Declaration::new("late and unable").requires("sound")))
            .provider(asked(Declaration::new("never").requires("sound").timeout(Duration::ZERO)))
    };
    for (turn, first, both) in [(0, OutcomeKind::Included, OutcomeKind::CapabilityGated), (3, OutcomeKind::TurnGated, OutcomeKind::TurnGated)] {
        let context = assemble(&test, options(turn));
        let ends = ["first", "all", "able", "unable", "late and unable", "never"].map(|name| result(&context, name));
        let included = OutcomeKind::Included;
        assert_eq!(ends, [first, included, included, OutcomeKind::CapabilityGated, both, OutcomeKind::Invalid]);
        assert!(outcome(&context, "unable").reason.contains("sound") && !outcome(&context, "unable").reason.contains("images"));
        assert!(context.text.contains(&format!("turn {turn}")));
        let gated = context.outcomes.iter().filter(|end| !matches!(end.result, OutcomeKind::Included | OutcomeKind::Empty));
        assert!(gated.clone().count() >= 2 && gated.clone().all(|end| !end.reason.is_empty() && (end.entries, end.tokens) == (0, 0)));
    }
}

#[test]
fn what_is_out_of_its_limits_is_invalid_and_never_an_error() {
    let test = world();
    let long = "n".repeat(101);
    let cases: Vec<(Declaration, &str)> = vec![
        (Declaration::new(""), "blank"),
        (Declaration::new(" \t"), "blank"),
        (Declaration::new(" x"), "space"),
        (Declaration::new(&long), "100 characters"),
        (Declaration::new("record"), "built-in"),
        (Declaration::new("obligations"), "built-in"),
        (Declaration::new("good"), "another provider"),
        (Declaration::new("a\nb"), "letters"),
        (Declaration::new("a\u{202e}b"), "letters"),
        (Declaration::new("a ── b"), "letters"),
        (Declaration::new("slow").timeout(Duration::from_secs(3_601)), "timeout"),
        (Declaration::new("fast").timeout(Duration::ZERO), "timeout"),
        (Declaration::new("poor").token_budget(0), "token budget"),
        (Declaration::new("rich").token_budget(usize::MAX), "token budget"),
        (Declaration::new("needy").requires(" "), "capability"),
        (Declaration::new("needier").requires("x".repeat(101)), "capability"),
    ];
    for (declaration, reason) in cases {
        let broken = provider(declaration.clone(), |_| panic!("an invalid provider is asked"));
        let context = assemble(&test, AssembleOptions::new().provider(says("good", "It rains.")).provider(broken));
        let invalid: Vec<&Outcome> = context.outcomes.iter().filter(|end| end.result == OutcomeKind::Invalid).collect();
        assert!(invalid.len() == 1 && invalid[0].reason.contains(reason), "{declaration:?}: {invalid:?}");
        assert!(context.text.contains("It rains.") && context.text.contains("Always wear gloves"));
        assert!(context.warnings.iter().any(|line| line.contains("not valid")), "{declaration:?}: {:?}", context.warnings);
    }
    assert_eq!(
        result(&assemble(&test, AssembleOptions::new().provider(says("größe: naïve (測定) v1.2/#3", "x"))), "größe: naïve (測定) v1.2/#3"),
        OutcomeKind::Included
    );
}

#[test]
fn who_fails_panics_or_hangs_takes_nothing_from_the_others() {
    let test = world();
    struct Untold;
    impl Provider for Untold {
        fn declaration(&self) -> Declaration {
            panic!("no declaration")
        }
        fn fetch(&self, _: &ProviderRequest) -> Result<Supply, ProviderFault> {
            panic!("asked")
        }
    }
    let options = AssembleOptions::new()
        .provider(provider(patient("fails"), |_| Err(ProviderFault::new("the socket\nis gone"))))
        .provider(provider(patient("panics"), |_| panic!("a bad day")))
        .provider(provider(Declaration::new("hangs").timeout(Duration::from_millis(40)), |request| {
            while !request.cancelled() {
                pause();
            }
            Ok("too late".into())
        }))
        .provider(Arc::new(Untold))
        .provider(provider(patient("silent"), |_| Ok(vec![ProviderEntry::new(" \n"), ProviderEntry::new("\u{202e}\u{200b}")].into())))
        .provider(says("talks", "It rains."));
    let context = assemble(&test, options);
    let ends = ["fails", "panics", "hangs", "", "silent", "talks", "record", "obligations"].map(|name| result(&context, name));
    use OutcomeKind::{Empty, Failed, Included, Invalid, TimedOut};
    assert_eq!(ends, [Failed, Failed, TimedOut, Invalid, Empty, Included, Included, Included]);
    assert_eq!((outcome(&context, "fails").reason.as_str(), outcome(&context, "panics").reason.as_str()), ("the socket is gone", "it panicked: a bad day"));
    for words in [
        "It rains.",
        "Twice a year.",
        "Always wear gloves",
        "⚠ provider fails failed: the socket is gone\n",
        "⚠ provider hangs timed out: no answer in time\n",
        "⚠ provider panics failed: it panicked: a bad day\n",
    ] {
        assert!(context.text.contains(words), "{words} is not in {}", context.text);
    }
    assert!(!context.text.contains("too late") && context.outcomes.iter().all(|end| end.result != TimedOut || end.ms >= 40));
}

#[test]
fn a_strict_assembly_hands_the_hosts_own_error_back_and_counts_no_turn() {
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    let fails = provider(patient("fails"), |_| Err(ProviderFault { message: "no".to_owned(), cause: Some(Arc::new(41_u64)) }));
    let options = AssembleOptions::new().provider(fails);
    let error = session.on_prompt(PROMPT, &options.clone().strict(true)).expect_err("strict");
    assert_eq!((error.code(), error.detail("provider"), error.detail("result")), (Code::ProviderFailed, Some("fails"), Some("failed")));
    let fault = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<ProviderFault>()).expect("the fault is attached");
    assert_eq!(fault.cause.as_ref().and_then(|cause| cause.downcast_ref::<u64>()), Some(&41));
    assert_eq!(session.turn().expect("a turn"), 0);
    let context = session.on_prompt(PROMPT, &options).expect("a context");
    assert_eq!(outcome(&context, "fails").fault.as_ref().and_then(|fault| fault.cause.as_ref()).and_then(|cause| cause.downcast_ref::<u64>()), Some(&41));
    for invalid in [AssembleOptions::new().provider(says("", "x")), AssembleOptions::new().deadline(Duration::ZERO)] {
        assert_eq!(session.on_prompt(PROMPT, &invalid.strict(true)).expect_err("strict").code(), Code::ProviderFailed);
    }
    assert!(session.on_prompt(PROMPT, &AssembleOptions::new().strict(true)).is_ok());
}

#[test]
fn the_built_in_providers_go_off_by_name_and_obligations_only_when_named() {
    let test = world();
    let names = |options: AssembleOptions| {
        let context = assemble(&test, options.provider(says("weather", "It rains.")));
        context.outcomes.iter().map(|end| end.provider.clone()).collect::<Vec<_>>()
    };
    let new = AssembleOptions::new;
    assert_eq!(names(new().builtin(false)), ["obligations", "weather"]);
    assert_eq!(names(new().builtin_named(["record"])), ["obligations", "record", "weather"]);
    assert_eq!(names(new().builtin_named(["record", "-obligations"])), ["record", "weather"]);
    assert_eq!(names(new().builtin_named(["-record"])), ["obligations", "methodology", "weather"]);
    assert_eq!(names(new().builtin_named(["-obligations"])), ["methodology", "record", "weather"]);
    assert_eq!(names(new().builtin(false).builtin(true)), ["obligations", "methodology", "record", "weather"]);
    assert!(test.record.assemble(PROMPT, &new().builtin_named(["repository_rules", "selected skills"])).is_ok());
    for wrong in ["memory", "", "-", "--record"] {
        assert_eq!(test.record.assemble(PROMPT, &new().builtin_named([wrong])).expect_err("unknown").code(), Code::UnknownValue, "{wrong}");
    }
}

#[test]
fn entries_limited_to_something_else_are_left_out_and_counted() {
    let test = world();
    let limited = |limit: &str| ProviderEntry { applies_to: Some(limit.to_owned()), ..ProviderEntry::new(format!("for {limit}.")) };
    let options = AssembleOptions::new().root("/srv/Shop").about("ACME").provider(provider(patient("limits"), move |_| {
        Ok(vec![limited("shop"), limited("/srv/Shop"), limited(" acme "), limited("other"), limited("shop2"), ProviderEntry::new("for all.")].into())
    }));
    let context = assemble(&test, options);
    let end = outcome(&context, "limits");
    assert_eq!((end.result, end.entries, end.elsewhere, end.cut), (OutcomeKind::Included, 4, 2, 0));
    assert!(!context.text.contains("other") && !context.text.contains("shop2") && context.text.contains("for all."));
    let nothing = assemble(
        &test,
        AssembleOptions::new()
            .provider(provider(patient("limits"), |_| Ok(vec![ProviderEntry { applies_to: Some("elsewhere".to_owned()), ..ProviderEntry::new("x") }].into()))),
    );
    assert_eq!((outcome(&nothing, "limits").result, outcome(&nothing, "limits").elsewhere), (OutcomeKind::Empty, 1));
}

#[test]
fn an_entry_tells_its_source_its_revision_its_age_and_that_it_must_be_read_again() {
    let test = world();
    let entry = ProviderEntry {
        text: "Deploys go out on Tuesdays.\n\n  Never on Fridays.".to_owned(),
        source: Some(stele_core::Source {
            uri: "wiki/deploys".to_owned(),
            revision: Some("r17".to_owned()),
            quote: Some("only \"Tuesdays\"".to_owned()),
            ..Default::default()
        }),
        fetched_at: Some(stele_core::Timestamp::parse("2025-12-30T12:00:00Z").expect("a time")),
        review_at: Some(stele_core::Timestamp::parse("2026-01-01").expect("a time")),
        applies_to: None,
    };
    let later = ProviderEntry { review_at: Some(stele_core::Timestamp::parse("2026-01-02").expect("a time")), ..ProviderEntry::new("Fresh.") };
    let context = assemble(&test, AssembleOptions::new().provider(provider(patient("wiki"), move |_| Ok(vec![entry.clone(), later.clone()].into()))));
    let section = context.sections.iter().find(|section| section.provider == "wiki").expect("a section");
    assert_eq!(
        section.text,
        "── from provider wiki ── what is known ──\n- ── wiki/deploys @ r17 · \"only 'Tuesdays'\" · fetched 36h ago · read again before acting\n  \
         Deploys go out on Tuesdays.\n\n    Never on Fridays.\n- Fresh.\n────────\n"
    );
    assert_eq!(section.category, ProviderCategory::Memory);
}
