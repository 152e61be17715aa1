//! Providers that misbehave, records that go away, time that runs out: the call returns with the others' entries and an
//! outcome for each, and the obligations stand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use stele_core::{AssembleOptions, Category, Code, Context, Declaration, Draft, OutcomeKind, Provider, ProviderEntry, ProviderFault, Status, Supply, provider};
use stele_tests::{TestRecord, pause};

const PROMPT: &str = "what do we know about the barometer calibration?";

fn world() -> TestRecord {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "Twice a year.");
    for word in ["amber", "basalt", "copper"] {
        let rule =
            Draft::rule(format!("The {word} dial"), format!("Never touch the {word} dial. {}", "It is hot. ".repeat(25))).routing(|rule| rule.mandatory = true);
        test.recorder().add(rule).expect("a rule");
    }
    test
}

/// A provider that has time enough on any machine.
fn patient(name: &str) -> Declaration {
    Declaration::new(name).timeout(Duration::from_secs(600))
}

fn result(context: &Context, name: &str) -> OutcomeKind {
    context.outcomes.iter().find(|outcome| outcome.provider == name).unwrap_or_else(|| panic!("no outcome of {name}")).result
}

/// Fails unless every obligation stands in the text.
fn obligations_stand(context: &Context) {
    for word in ["amber", "basalt", "copper"] {
        assert!(context.text.contains(&format!("Never touch the {word} dial.")), "{}", context.text);
    }
}

/// A provider that hangs until it is let go, whatever it is told, and how often it was called.
fn hangs(name: &str, timeout: Duration) -> (Arc<dyn Provider>, Arc<AtomicBool>, Arc<AtomicUsize>) {
    let (free, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (let_go, called) = (Arc::clone(&free), Arc::clone(&calls));
    let hanging = provider(Declaration::new(name).timeout(timeout), move |_| {
        called.fetch_add(1, Ordering::SeqCst);
        while !let_go.load(Ordering::SeqCst) {
            pause();
        }
        Ok("late".into())
    });
    (hanging, free, calls)
}

#[test]
fn one_hangs_one_panics_one_gives_fifty_megabytes_and_the_call_returns_with_the_rest() {
    // Field case 10.
    let test = world();
    let (hanging, free, _) = hangs("hangs", Duration::from_millis(100));
    let options = AssembleOptions::new()
        .deadline(Duration::from_secs(600))
        .provider(hanging)
        .provider(provider(patient("panics"), |_| panic!("a bad day")))
        .provider(provider(patient("floods"), |_| Ok("x".repeat(50_000_000).as_str().into())))
        .provider(provider(patient("talks"), |_| Ok("It rains.".into())));
    let context = test.record.assemble(PROMPT, &options).expect("a context");
    let ends = ["hangs", "panics", "floods", "talks", "record"].map(|name| result(&context, name));
    use OutcomeKind::{BudgetExcluded, Failed, Included, TimedOut};
    assert_eq!(ends, [TimedOut, Failed, BudgetExcluded, Included, Included]);
    assert!(context.text.contains("It rains.") && context.text.contains("Twice a year.") && context.text.len() < 20_000);
    obligations_stand(&context);
    free.store(true, Ordering::SeqCst);
}

#[test]
fn the_deadline_of_the_call_ends_the_waiting_for_one_that_has_more_time_of_its_own() {
    let test = world();
    let (hanging, free, _) = hangs("hangs", Duration::from_secs(3_600));
    let context = test.record.assemble(PROMPT, &AssembleOptions::new().deadline(Duration::from_millis(50)).provider(hanging)).expect("a context");
    assert_eq!(result(&context, "hangs"), OutcomeKind::TimedOut);
    obligations_stand(&context);
    free.store(true, Ordering::SeqCst);
}

#[test]
fn a_provider_whose_earlier_call_still_runs_is_not_called_again_until_it_ended() {
    let test = world();
    let (hanging, free, calls) = hangs("hangs", Duration::from_millis(10));
    let options = AssembleOptions::new().provider(hanging);
    let assemble = || test.record.assemble(PROMPT, &options).expect("a context");
    assert_eq!(result(&assemble(), "hangs"), OutcomeKind::TimedOut);
    for _ in 0..3 {
        let context = assemble();
        let end = context.outcomes.iter().find(|end| end.provider == "hangs").expect("an outcome");
        assert!(end.result == OutcomeKind::Failed && end.reason.starts_with("still running"), "{end:?}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    free.store(true, Ordering::SeqCst);
    while result(&assemble(), "hangs") != OutcomeKind::Included {
        pause();
    }
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[test]
fn two_assemblies_at_once_may_call_one_provider() {
    let test = world();
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let meets = provider(Declaration::new("meets").timeout(Duration::from_secs(600)), move |_| {
        barrier.wait();
        Ok("met".into())
    });
    let options = AssembleOptions::new().deadline(Duration::from_secs(600)).provider(meets);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(result(&test.record.assemble(PROMPT, &options).expect("a context"), "meets"), OutcomeKind::Included));
        }
    });
}

#[test]
fn the_cancel_signal_is_set_at_the_timeout_and_not_before() {
    let test = world();
    let (seen, left) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (saw, leaves) = (Arc::clone(&seen), Arc::clone(&left));
    let heeds = provider(Declaration::new("heeds").timeout(Duration::from_millis(30)), move |request| {
        saw.store(!request.cancelled() && request.remaining() <= Duration::from_millis(30) && request.token_budget == 2_000, Ordering::SeqCst);
        while !request.cancelled() {
            pause();
        }
        leaves.store(request.remaining().is_zero(), Ordering::SeqCst);
        Err(ProviderFault::new("cancelled"))
    });
    let context = test.record.assemble(PROMPT, &AssembleOptions::new().provider(heeds)).expect("a context");
    assert!(matches!(result(&context, "heeds"), OutcomeKind::TimedOut | OutcomeKind::Failed));
    while !left.load(Ordering::SeqCst) {
        pause();
    }
    assert!(seen.load(Ordering::SeqCst));
}

#[cfg(target_os = "linux")]
#[test]
fn well_behaved_providers_leave_no_thread_and_no_other_call_waits_for_one() {
    /// Threads of this process that call providers; tests beside this one have some too, which end.
    fn threads() -> usize {
        let name = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        std::fs::read_dir("/proc/self/task").expect("the list of threads").flatten().map(name).filter(|name| name.starts_with("stele-provider")).count()
    }
    let test = world();
    let options = (0..30).fold(AssembleOptions::new(), |options, nth| options.provider(provider(patient(&format!("p{nth}")), |_| Ok("x".into()))));
    for _ in 0..20 {
        let context = test.record.assemble(PROMPT, &options).expect("a context");
        assert!(context.outcomes.iter().all(|end| matches!(end.result, OutcomeKind::Included | OutcomeKind::Empty)));
    }
    // Those of other tests end too, the last after a few seconds on a slow machine.
    let mut waits = 0;
    while threads() > 0 {
        waits += 1;
        assert!(waits < 60_000, "{} threads are left", threads());
        pause();
    }
}

#[test]
fn three_mandatory_rules_above_the_budget_are_all_there_and_loud() {
    // Field case 26.
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    session.pause(1).expect("noted");
    for (prompt, turn) in [("short", 0), (PROMPT, 1)] {
        let context = session.on_prompt(prompt, &AssembleOptions::new().token_budget(100).turn(turn).deliver(false)).expect("a context");
        obligations_stand(&context);
        assert!(context.obligations.over_budget && context.obligations.cap == 100 && context.obligations.entries.len() == 3);
        assert!(context.text.contains("⚠ OVER BUDGET") && context.warnings.iter().any(|line| line.contains("OVER BUDGET")), "{}", context.text);
        assert_eq!((context.record.entries.len(), result(&context, "record") == OutcomeKind::Included), (0, false));
    }
}

#[test]
fn a_deadline_of_nothing_leaves_the_obligations() {
    let test = world();
    let options = AssembleOptions::new().deadline(Duration::ZERO).provider(provider(patient("talks"), |_| Ok("It rains.".into())));
    let context = test.record.assemble(PROMPT, &options).expect("a context");
    obligations_stand(&context);
    assert_eq!(["record", "talks"].map(|name| result(&context, name)), [OutcomeKind::TimedOut; 2]);
    assert_eq!(context.record.status, Status::Late);
    assert!(context.text.contains("⚠ provider record timed out") && context.text.contains("⚠ provider talks timed out"), "{}", context.text);
}

#[test]
fn a_record_that_is_gone_leaves_the_obligations_that_were_last_read() {
    let test = world();
    let options = AssembleOptions::new().session("s1").provider(provider(patient("talks"), |_| Ok("It rains.".into())));
    obligations_stand(&test.record.assemble(PROMPT, &options).expect("a context"));
    let aside = test.outside().join("aside");
    std::fs::rename(test.dir(), &aside).expect("moved away");
    for _ in 0..2 {
        let context = test.record.assemble(PROMPT, &options).expect("a context");
        obligations_stand(&context);
        assert!(context.text.lines().nth(1).is_some_and(|line| line.starts_with("⚠ RULES as of operation 4;")), "{}", context.text);
        assert_eq!(["record", "methodology", "talks"].map(|name| result(&context, name)), [OutcomeKind::Failed, OutcomeKind::Failed, OutcomeKind::Included]);
        assert!(context.text.contains("It rains.") && context.warnings.iter().any(|line| line.contains("as of operation 4")));
        assert_eq!(context.record.status, Status::Late);
    }
    std::fs::rename(&aside, test.dir()).expect("moved back");
    let context = test.record.assemble(PROMPT, &options).expect("a context");
    assert!(!context.text.contains("as of operation") && context.record.status == Status::Found, "{}", context.text);
    test.record.close();
    assert_eq!(test.record.assemble(PROMPT, &options).expect_err("closed").code(), Code::Closed);
}

#[test]
fn damaged_indexes_leave_obligations_and_window() {
    let test = world();
    while !test.record.catch_up().expect("caught up") {}
    test.record.close();
    for folder in ["text", "vectors"] {
        for entry in std::fs::read_dir(test.dir().join(folder)).expect("an index").flatten() {
            std::fs::write(entry.path(), [7; 100]).expect("damaged");
        }
    }
    let record = test.again();
    let context = record.assemble(PROMPT, &AssembleOptions::new().session("s1")).expect("a context");
    obligations_stand(&context);
    assert_eq!((result(&context, "record"), context.record.status), (OutcomeKind::Included, Status::Found));
}

#[test]
fn a_host_that_counts_parts_as_nothing_and_others_as_much_ends_the_assembly_all_the_same() {
    // Whatever counts nothing cannot make way for what counts too much.
    for mark in ["⚠", "dial", "──", "- "] {
        let test = world();
        test.record.set_token_counter(Arc::new(move |text| if text.contains(mark) { 1_000 } else { 0 }));
        let warns = provider(patient("warns"), |_| Ok(Supply { entries: vec![ProviderEntry::new("It rains.")], warnings: vec!["wet".to_owned()] }));
        for budget in [0, 1, 7, 100, 10_000] {
            let context = test.record.assemble(PROMPT, &AssembleOptions::new().token_budget(budget).provider(Arc::clone(&warns))).expect("a context");
            obligations_stand(&context);
        }
    }
}

#[test]
fn a_host_that_counts_a_text_now_so_and_now_otherwise_gets_a_context() {
    let test = world();
    for nth in 0..6 {
        test.fact(Category::Lesson, &format!("Barometer calibration, part {nth}"), &"It drifts in the cold. ".repeat(10));
        let rule = Draft::rule(format!("Method {nth}"), format!("Tap the barometer {nth} times. {}", "Then wait. ".repeat(10)));
        test.recorder().add(rule.routing(|rule| rule.floor_modes = vec!["work".to_owned()])).expect("a rule");
    }
    // Whatever it says, any two calls differ.
    let calls = AtomicUsize::new(1);
    let count = move |text: &str| calls.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15) % (text.len() + 1);
    test.record.set_token_counter(Arc::new(count));
    for budget in [0, 1, 50, 200, 1_000, usize::MAX] {
        for window in [1, 100, usize::MAX] {
            let options = AssembleOptions::new().token_budget(budget).max_tokens(window).provider(provider(patient("talks"), |_| Ok("It rains.".into())));
            obligations_stand(&test.record.assemble(PROMPT, &options).expect("a context"));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_sessions_is_not_waited_for() {
    let test = world();
    test.record.close();
    for name in ["sessions.db", "sessions.db-wal"] {
        let path = test.dir().join(name);
        let _ = std::fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("a program").success());
        let record = test.again();
        let context = record.session("s1").open().expect("a session").on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
        obligations_stand(&context);
        assert!(context.warnings.iter().any(|warning| warning.contains("is no file")), "{:?}", context.warnings);
        std::fs::remove_file(&path).expect("it goes");
    }
}

#[test]
fn a_supply_of_warnings_alone_is_seen_and_bounded() {
    let test = world();
    let warns =
        provider(patient("warns"), |_| Ok(Supply { entries: Vec::new(), warnings: (0..50).map(|nth| format!("w{nth}\n{}", "x".repeat(5_000))).collect() }));
    let context = test.record.assemble(PROMPT, &AssembleOptions::new().builtin_named(["-obligations", "system"]).provider(warns)).expect("a context");
    assert_eq!((result(&context, "warns"), context.sections.len(), context.warnings.len()), (OutcomeKind::Empty, 1, 21));
    assert!(context.text.contains("⚠ provider warns: w0 x") && context.text.contains("provider warns: 30 further warnings") && context.text.len() < 10_000);
}
