//! Claims through the public API: who wins, who is told what, leases under a clock that jumps, tokens, takeovers.

use std::time::Duration;

use stele_core::{AsOf, Category, Claim, Code, Draft, ErrorKind, Held, ReadyOptions, Record, Recorder, Relation, Result, TaskStatus, TaskType};
use stele_tests::TestRecord;
use stele_tests::shorthand::{at, task};

const MINUTE: Duration = Duration::from_secs(60);

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.expect_err("refused").code()
}

fn by(record: &Record, actor: &str) -> Recorder<'static> {
    record.recorder(actor).expect("a recorder")
}

fn leased(recorder: &Recorder<'_>, task: &str, lease: Duration) -> Claim {
    recorder.claim(task).lease(lease).take().expect("an answer")
}

#[test]
fn the_first_to_ask_gets_a_task_and_the_second_is_told_who_has_it_since_and_until_when() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let won = leased(&by(&test.record, "ana"), &work, 10 * MINUTE);
    assert!(won.granted && won.taken_from.is_none());
    assert_eq!((won.task.to_string(), won.token), (work.clone(), Some(test.record.head().expect("a head"))));
    test.clock.set("2026-01-01T00:03:00Z");
    let head = test.record.head().expect("a head");
    let lost = by(&test.record, "bo").claim(&work).take().expect("losing is a result");
    assert!(!lost.granted && lost.token.is_none() && lost.taken_from.is_none());
    assert_eq!((lost.holder.as_str(), lost.since, lost.until), ("ana", at("2026-01-01"), Some(at("2026-01-01T00:10:00Z"))));
    assert_eq!(test.record.head().expect("a head"), head, "losing writes nothing");
    let node = test.record.retriever().get(&work).expect("the task");
    assert_eq!((node.status, node.claim.map(|claim| claim.holder)), (Some(TaskStatus::Claimed), Some("ana".to_owned())));
}

#[test]
fn a_slash_in_a_name_makes_no_two_holders_one() {
    let test = TestRecord::new();
    let names = [("x/y", Some("z")), ("x", Some("y/z")), ("x/y/z", None), ("x%2Fy", Some("z"))];
    let task = test.recorder().task("Oil the lamp").record().expect("a task").id.to_string();
    let recorders: Vec<_> = names
        .iter()
        .map(|(actor, session)| match session {
            Some(session) => test.record.recorder_in(actor, session).expect("a recorder"),
            None => test.record.recorder(actor).expect("a recorder"),
        })
        .collect();
    assert!(recorders[0].claim(&task).take().expect("a claim").granted);
    for other in &recorders[1..] {
        let lost = other.claim(&task).take().expect("a result");
        assert_eq!((lost.granted, lost.holder.as_str()), (false, "x%2Fy/z"));
    }
}

#[test]
fn two_sessions_of_one_actor_are_two_holders_and_the_same_pair_goes_on() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let first = test.record.recorder_in("ana", "s1").expect("a recorder");
    let other = test.record.recorder_in("ana", "s2").expect("a recorder");
    let claim = leased(&first, &work, MINUTE);
    assert_eq!(claim.holder, "ana/s1");
    let refused = other.claim(&work).take().expect("a result");
    assert!(!refused.granted && refused.holder == "ana/s1");
    assert!(!by(&test.record, "ana").claim(&work).take().expect("a result").granted);
    test.clock.set("2026-01-01T00:00:40Z");
    let again = test.record.recorder_in("ana", "s1").expect("a recorder").claim(&work).take().expect("a result");
    assert!(again.granted && again.taken_from.is_none() && again.token > claim.token);
    // The lease goes on for as long as it was asked first, from now; the claim began when it began.
    assert_eq!((again.since, again.until), (at("2026-01-01"), Some(at("2026-01-01T00:01:40Z"))));
    assert_eq!(code(other.complete(&work, "done")), Code::NotHolder);
    assert_eq!(first.complete(&work, "done").expect("its holder").status, TaskStatus::Completed);
}

#[test]
fn a_lease_holds_to_its_last_millisecond_and_then_anybody_may_take_the_task() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let late = by(&test.record, "ana");
    leased(&late, &work, MINUTE);
    let other = by(&test.record, "bo");
    test.clock.set("2026-01-01T00:00:59.999Z");
    assert!(!other.claim(&work).take().expect("a result").granted);
    test.clock.set("2026-01-01T00:01:00Z");
    let taken = other.claim(&work).take().expect("a result");
    assert!(taken.granted && taken.since == at("2026-01-01T00:01:00Z") && taken.until.is_none());
    assert_eq!(taken.taken_from.as_deref(), Some("ana"));
    // Whoever comes back late has lost it.
    let refused = late.complete(&work, "done, but late").expect_err("not its holder");
    assert_eq!((refused.code(), refused.kind(), refused.detail("holder")), (Code::NotHolder, ErrorKind::Conflict, Some("bo")));
    assert_eq!(code(late.release(&work)), Code::NotHolder);
    assert_eq!(code(late.cancel(&work, "no")), Code::NotHolder);
    assert!(!late.claim(&work).take().expect("a result").granted);
}

#[test]
fn a_holder_whose_lease_is_over_may_still_finish_while_nobody_took_the_task() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    leased(&by(&test.record, "ana"), &work, MINUTE);
    test.clock.set("2026-01-01T00:04:00Z");
    assert_eq!(code(by(&test.record, "bo").complete(&work, "not mine")), Code::NotHolder);
    by(&test.record, "ana").complete(&work, "done").expect("still its own");
}

#[test]
fn an_outdated_token_is_refused_whoever_presents_it() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    // Two processes that call themselves the same.
    let (one, two) = (by(&test.record, "ana"), by(&test.record, "ana"));
    let stale = one.claim(&work).take().expect("a claim");
    let fresh = two.claim(&work).take().expect("the same pair");
    assert_eq!(code(one.complete(&stale, "done")), Code::NotHolder);
    assert_eq!(code(one.release(&stale)), Code::NotHolder);
    assert_eq!(code(one.cancel(&stale, "no")), Code::NotHolder);
    assert_eq!(code(one.claim(&stale).take()), Code::NotHolder);
    let renewed = two.claim(&fresh).lease(MINUTE).take().expect("the token is of the claim as it stands");
    assert_eq!((renewed.since, renewed.until), (fresh.since, Some(at("2026-01-01T00:01:00Z"))));
    two.complete(&renewed, "done").expect("the token is of the claim as it stands");
    assert_eq!(code(one.complete(&renewed, "again")), Code::NotHolder);
    assert_eq!(code(one.complete(&work, "again")), Code::WrongState);
    // A token says who holds a task, so a claim for somebody else can be handled by whoever made it.
    let other = task(&test, "Read it");
    let claim = one.claim(&other).holder("a pool").take().expect("a claim");
    assert_eq!((claim.holder.as_str(), code(one.complete(&other, "done"))), ("a pool", Code::NotHolder));
    assert_eq!(code(two.complete(Held::with_token(&other, 1), "done")), Code::NotHolder);
    two.complete(&claim, "done").expect("it holds the claim");
}

#[test]
fn a_claim_that_was_lost_gives_no_power_over_the_task() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    by(&test.record, "ana").claim(&work).take().expect("a claim");
    let bo = by(&test.record, "bo");
    let lost = bo.claim(&work).take().expect("a result");
    assert_eq!(code(bo.complete(&lost, "mine")), Code::NotHolder);
    assert_eq!(code(bo.release(&lost)), Code::NotHolder);
}

#[test]
fn a_clock_far_ahead_of_the_log_ends_no_lease() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    leased(&by(&test.record, "ana"), &work, MINUTE);
    let other = by(&test.record, "bo");
    test.clock.set("2026-01-01T00:05:00.001Z");
    let head = test.record.head().expect("a head");
    let refused = other.claim(&work).take().expect_err("the clock is suspect");
    assert_eq!((refused.code(), refused.detail("holder"), refused.detail("limit")), (Code::ClockSuspect, Some("ana"), Some("300")));
    assert_eq!(code(other.claim_next().take()), Code::ClockSuspect);
    // Nor does a write in the same step make the clock right.
    let together = other.transaction(|other| {
        other.fact(Category::Fyi, "Something").record()?;
        other.claim(&work).take()
    });
    assert_eq!(code(together), Code::ClockSuspect);
    assert_eq!(test.record.head().expect("a head"), head);
    // What is free stays free, also beside such a lease.
    let free = task(&test, "Read it");
    test.clock.set("2026-01-02");
    assert_eq!(other.claim_next().take().expect("a claim").expect("a task").task.to_string(), free);
    // Its holder may go on, and then nobody else's clock is far ahead.
    let renewed = by(&test.record, "ana").claim(&work).take().expect("its own");
    assert!(renewed.granted && renewed.until == Some(at("2026-01-02T00:01:00Z")));
    test.clock.set("2026-01-02T00:05:00Z");
    let taken = other.claim(&work).take().expect("exactly five minutes after the last operation");
    assert!(taken.granted && taken.taken_from.as_deref() == Some("ana"));
}

#[test]
fn a_quiet_record_is_told_from_a_wrong_clock_by_the_next_operation() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    leased(&by(&test.record, "ana"), &work, 60 * MINUTE);
    test.clock.set("2026-01-01T03:00:00Z");
    let other = by(&test.record, "bo");
    assert_eq!(code(other.claim(&work).take()), Code::ClockSuspect);
    test.fact(Category::Fyi, "The others are awake", "");
    assert_eq!(other.claim(&work).take().expect("a claim").taken_from.as_deref(), Some("ana"));
}

#[test]
fn a_clock_that_jumps_back_ends_no_lease_and_grants_none_twice() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    leased(&by(&test.record, "ana"), &work, MINUTE);
    test.clock.set("2025-06-01");
    let lost = by(&test.record, "bo").claim(&work).take().expect("a result");
    assert!(!lost.granted && lost.until == Some(at("2026-01-01T00:01:00Z")));
    // The holder's renewal is told by the same clock.
    let renewed = by(&test.record, "ana").claim(&work).take().expect("its own");
    assert_eq!(renewed.until, Some(at("2025-06-01T00:01:00Z")));
    by(&test.record, "ana").complete(&work, "done").expect("its own");
}

#[test]
fn a_task_given_back_or_taken_by_force_is_open_again() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let (ana, bo) = (by(&test.record, "ana"), by(&test.record, "bo"));
    assert_eq!(code(ana.release(&work)), Code::WrongState);
    assert_eq!(code(ana.force_release(&work, "nobody has it")), Code::WrongState);
    ana.claim(&work).take().expect("a claim");
    assert_eq!(ana.release(&work).expect("its own").to_string(), work);
    let claim = bo.claim(&work).take().expect("a claim");
    assert!(claim.granted && claim.taken_from.is_none());
    let blank = ana.force_release(&work, " ").expect_err("it must be said why");
    assert_eq!((blank.code(), blank.detail("field")), (Code::EmptyField, Some("why")));
    ana.force_release(&work, "bo is on holiday").expect("by force");
    assert_eq!(code(bo.complete(&claim, "done")), Code::NotHolder);
    assert!(ana.claim(&work).take().expect("a claim").granted);
    let told: Vec<(String, String)> = test.record.retriever().history(&work).expect("a history").into_iter().map(|item| (item.what, item.why)).collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(what, why)| (what.as_str(), why.as_str())).collect();
    assert_eq!(
        told,
        [
            ("recorded", ""),
            ("claimed by ana", ""),
            ("released by ana", ""),
            ("claimed by bo", ""),
            ("taken from bo", "bo is on holiday"),
            ("claimed by ana", "")
        ]
    );
}

#[test]
fn what_cannot_be_claimed_says_why() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for kind in [TaskType::Epic, TaskType::Objective, TaskType::Milestone] {
        let container = recorder.task("Much work").task_type(kind).record().expect("a container").id.to_string();
        let refused = recorder.claim(&container).take().expect_err("a container");
        assert_eq!((refused.code(), refused.detail("field")), (Code::WrongKind, Some("task")));
        recorder.complete(&container, "all of it").expect("a container, by anyone");
    }
    let fact = test.fact(Category::Fyi, "Something", "");
    assert_eq!(code(recorder.claim(&fact).take()), Code::WrongKind);
    assert_eq!(code(recorder.complete(&fact, "done")), Code::WrongKind);
    assert_eq!(code(recorder.claim("TASK-99").take()), Code::UnknownNode);
    let (old, new, away) = (task(&test, "Old work"), task(&test, "New work"), task(&test, "Far work"));
    recorder.supersede(&new, &old).reason("it grew").unverified().record().expect("a retirement");
    recorder.archive(&away, "not now").expect("put away");
    for gone in [&old, &away] {
        assert_eq!(code(recorder.claim(gone).take()), Code::WrongState);
    }
    recorder.complete(&new, "done").expect("an open task, by anyone");
    assert_eq!(code(recorder.claim(&new).take()), Code::WrongState);
    let long = recorder.complete(&task(&test, "Some work"), &"x".repeat(20_000)).expect_err("too long");
    assert_eq!((long.code(), long.detail("field"), long.detail("limit")), (Code::TooLarge, Some("summary"), Some("16384")));
    let open = task(&test, "Open work");
    let short = recorder.claim(&open).lease(Duration::ZERO).take().expect_err("no lease at all");
    assert_eq!((short.code(), short.detail("field"), short.detail("limit")), (Code::OutOfRange, Some("lease"), Some("1")));
    assert_eq!(code(recorder.claim(&open).holder(" ").take()), Code::EmptyField);
    assert_eq!(code(recorder.reopen(&open, "it is open")), Code::WrongState);
    let told = recorder.add(Draft::task("Told to be claimed").status(TaskStatus::Claimed)).expect("a task").id.to_string();
    assert_eq!(test.record.retriever().get(&told).expect("the task").status, Some(TaskStatus::Open));
    let secret = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA75\n-----END RSA PRIVATE KEY-----";
    assert_eq!(code(recorder.complete(&open, secret)), Code::Secret);
    assert_eq!(test.record.retriever().get(&open).expect("the task").status, Some(TaskStatus::Open));
}

#[test]
fn a_claim_inside_a_step_that_fails_is_undone() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let undone = by(&test.record, "ana").transaction(|ana| {
        assert!(ana.claim(&work).take()?.granted);
        ana.review("KNOW-99", "")
    });
    assert_eq!(code(undone), Code::UnknownNode);
    assert!(by(&test.record, "bo").claim(&work).take().expect("a claim").granted);
}

#[test]
fn the_next_task_is_the_most_pressing_that_nothing_blocks_and_the_filter_lets_pass() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let part = recorder.component("engine").record().expect("a component").id.to_string();
    let inner = recorder.component("pump").under(&part).record().expect("a component").id.to_string();
    let add = |title: &str, priority: u8, tag: &str, under: Option<&str>| {
        let adding = recorder.task(title).priority(priority).tags([tag]);
        let adding = if let Some(under) = under { adding.under(under) } else { adding };
        adding.record().expect("a task").id.to_string()
    };
    let late = add("Paint it", 4, "paint", None);
    let second = add("Grease it", 1, "oil", Some(&inner));
    let third = add("Grease it more", 1, "oil", None);
    let blocked = add("Start it", 0, "oil", None);
    recorder.link(&third, Relation::Blocks, &blocked).expect("an edge");
    let bo = by(&test.record, "bo");
    let next = |tags: &[&str], component: Option<&str>| {
        let claiming = bo.claim_next().tags(tags.iter().copied());
        let claiming = if let Some(component) = component { claiming.component(component) } else { claiming };
        claiming.take().expect("an answer").map(|claim| claim.task.to_string())
    };
    assert_eq!(next(&["paint"], Some(&part)), None);
    assert_eq!(next(&[], Some(&part)), Some(second));
    assert_eq!(next(&["paint"], None), Some(late));
    assert_eq!(next(&[], None), Some(third.clone()));
    assert_eq!(next(&[], None), None);
    bo.complete(&third, "greased").expect("its own");
    assert_eq!(next(&[], None), Some(blocked));
    assert_eq!(code(bo.claim_next().component("COMP-99").take()), Code::UnknownNode);
    assert_eq!(code(bo.claim_next().component(&third).take()), Code::WrongKind);
}

#[test]
fn claims_are_seen_as_they_stood() {
    let test = TestRecord::new();
    let work = task(&test, "Calibrate");
    let ana = by(&test.record, "ana");
    leased(&ana, &work, MINUTE);
    test.clock.set("2026-01-01T00:02:00Z");
    by(&test.record, "bo").claim(&work).take().expect("taken over");
    test.clock.set("2026-01-01T00:03:00Z");
    by(&test.record, "bo").complete(&work, "done").expect("its own");
    let seen = |sequence: u64| {
        let then = test.record.retriever_as_of(AsOf::Sequence(sequence));
        let node = then.get(&work).expect("the task");
        (node.status.expect("a status"), node.claim.map(|claim| claim.holder), then.ready(&ReadyOptions::new()).expect("tasks").len())
    };
    assert_eq!(seen(1), (TaskStatus::Open, None, 1));
    // The first lease is over by now, and was not then.
    assert_eq!(seen(2), (TaskStatus::Claimed, Some("ana".to_owned()), 0));
    assert_eq!(seen(3), (TaskStatus::Claimed, Some("bo".to_owned()), 0));
    assert_eq!(seen(4), (TaskStatus::Completed, None, 0));
    let then = test.record.retriever_as_of(AsOf::Time(at("2026-01-01T00:00:30Z")));
    assert!(then.ready(&ReadyOptions::new()).expect("tasks").is_empty(), "told by that instant the lease holds");
    let told: Vec<String> = test.record.retriever().history(&work).expect("a history").into_iter().map(|item| item.what).collect();
    assert_eq!(told, ["recorded", "claimed by ana, until 2026-01-01T00:01:00Z", "claimed by bo, taken over from ana", "completed"]);
    for (holder, status, count) in [("ana", None, 0), ("bo", None, 1), ("bo", Some(TaskStatus::Completed), 1), ("bo", Some(TaskStatus::Claimed), 0)] {
        assert_eq!(test.record.retriever().tasks(Some(holder), status).expect("tasks").len(), count, "{holder} {status:?}");
    }
    assert_eq!(then.tasks(Some("ana"), Some(TaskStatus::Claimed)).expect("tasks").len(), 1);
}
