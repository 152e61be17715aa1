//! What is ready, who does what, how far a container is, handing a task over, and work that waits for itself.

use std::time::Duration;

use stele_core::{AsOf, Category, Code, ReadyOptions, Relation, Task, TaskStatus, TaskType};
use stele_tests::TestRecord;
use stele_tests::shorthand::task;

fn epic(test: &TestRecord, title: &str) -> String {
    test.recorder().task(title).task_type(TaskType::Epic).record().expect("a container").id.to_string()
}

fn blocks(test: &TestRecord, first: &str, then: &str) {
    test.recorder().link(first, Relation::Blocks, then).expect("an edge");
}

fn ids(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|task| task.id.to_string()).collect()
}

fn ready(test: &TestRecord) -> Vec<String> {
    ids(&test.record.retriever().ready(&ReadyOptions::new()).expect("tasks"))
}

#[test]
fn ready_is_what_is_open_and_waits_for_nothing_by_priority_then_age() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let middle = task(&test, "Middle");
    test.clock.set("2026-01-02");
    let urgent = recorder.task("Urgent").priority(0).record().expect("a task").id.to_string();
    let old = recorder.task("Old").created_at(stele_core::Timestamp::parse("2025-01-01").expect("a time")).record().expect("a task").id.to_string();
    let [waits, blocker, other] = ["Waits", "Blocker", "Other blocker"].map(|title| task(&test, title));
    let container = epic(&test, "All of it");
    blocks(&test, &blocker, &waits);
    blocks(&test, &other, &waits);
    blocks(&test, &middle, &container);
    // A risk may block a task in the graph; only tasks hold one up.
    let risk = test.fact(Category::Risk, "It may rain", "");
    blocks(&test, &risk, &urgent);
    assert_eq!(ready(&test), [urgent.clone(), old.clone(), middle.clone(), blocker.clone(), other.clone()]);
    let all = test.record.retriever().tasks(None, None).expect("tasks");
    let waiting = all.iter().find(|task| task.id.to_string() == waits).expect("listed");
    assert_eq!(waiting.blocked_by.iter().map(ToString::to_string).collect::<Vec<_>>(), [blocker.clone(), other.clone()]);

    recorder.complete(&blocker, "done").expect("done");
    assert!(!ready(&test).contains(&waits));
    recorder.cancel(&other, "no need").expect("cancelled");
    assert!(ready(&test).contains(&waits), "what is given up holds nothing up");
    recorder.reopen(&blocker, "not quite").expect("open");
    assert!(!ready(&test).contains(&waits));
    recorder.claim(&urgent).lease(Duration::from_secs(60)).take().expect("a claim");
    recorder.archive(&old, "not now").expect("put away");
    assert_eq!(ready(&test), [middle.clone(), blocker.clone()]);
    test.clock.set("2026-01-02T00:01:00Z");
    assert_eq!(ready(&test), [urgent, middle, blocker], "a lease that is over holds no task");

    let one = test.record.retriever().ready(&ReadyOptions::new().limit(1)).expect("tasks");
    assert_eq!(one.len(), 1);
    let refused = test.record.retriever().ready(&ReadyOptions::new().limit(0)).expect_err("no limit at all");
    assert_eq!((refused.code(), refused.detail("field")), (Code::OutOfRange, Some("limit")));
}

#[test]
fn ready_filters_by_tag_and_by_component_however_deep() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let outer = recorder.component("engine").record().expect("a component").id.to_string();
    let inner = recorder.component("pump").under(&outer).record().expect("a component").id.to_string();
    let deep = recorder.task("Grease").under(&inner).tags(["oil"]).record().expect("a task").id.to_string();
    let flat = recorder.task("Paint").tags(["paint", "oil"]).record().expect("a task").id.to_string();
    let found = |options: ReadyOptions| ids(&test.record.retriever().ready(&options).expect("tasks"));
    assert_eq!(found(ReadyOptions::new().component(&outer)), [deep.as_str()]);
    assert_eq!(found(ReadyOptions::new().tags(["oil"])), [deep.clone(), flat.clone()]);
    assert_eq!(found(ReadyOptions::new().tags(["paint", "nothing"])), [flat]);
    assert_eq!(test.record.retriever().ready(&ReadyOptions::new().component(&deep)).expect_err("no component").code(), Code::WrongKind);
}

#[test]
fn an_actor_sees_what_its_sessions_hold_and_what_it_finished() {
    let test = TestRecord::new();
    let [one, two, three, four] = ["One", "Two", "Three", "Four"].map(|title| task(&test, title));
    let session = test.record.recorder_in("ana", "s1").expect("a recorder");
    let plain = test.record.recorder("ana").expect("a recorder");
    let stranger = test.record.recorder("anabel").expect("a recorder");
    session.claim(&one).take().expect("a claim");
    test.clock.set("2026-01-02");
    plain.claim(&two).take().expect("a claim");
    plain.complete(&two, "done").expect("its own");
    test.clock.set("2026-01-03");
    stranger.claim(&three).take().expect("a claim");
    plain.claim(&four).take().expect("a claim");
    plain.release(&four).expect("given back");
    let of = |holder: &str, status: Option<TaskStatus>| ids(&test.record.retriever().tasks(Some(holder), status).expect("tasks"));
    assert_eq!(of("ana", None), [two.clone(), one.clone()]);
    assert_eq!(of("ana", Some(TaskStatus::Claimed)), [one.as_str()]);
    assert_eq!(of("ana/s1", None), [one]);
    assert_eq!(of("ana", Some(TaskStatus::Completed)), [two.as_str()]);
    assert_eq!(of("nobody", None), Vec::<String>::new());
    let finished = &test.record.retriever().tasks(Some("ana"), Some(TaskStatus::Completed)).expect("tasks")[0];
    assert_eq!(finished.claim.as_ref().map(|claim| claim.holder.as_str()), Some("ana"));
    test.recorder().reopen(&two, "not yet").expect("open");
    assert_eq!(of("ana", Some(TaskStatus::Open)), Vec::<String>::new(), "an open task is nobody's");
}

#[test]
fn a_container_is_as_far_as_its_leaves_however_nested_each_counted_once() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (outer, inner, empty) = (epic(&test, "Outer"), epic(&test, "Inner"), epic(&test, "Empty"));
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|title| task(&test, title));
    for (child, parent) in [(&a, &outer), (&b, &inner), (&c, &inner), (&inner, &outer), (&empty, &outer), (&b, &outer)] {
        blocks(&test, child, parent);
    }
    // What blocks a leaf is no part of the container.
    blocks(&test, &d, &a);
    // An edge back in other words closes the circle and changes nothing.
    recorder.link(&outer, Relation::Fulfills, &inner).expect("an edge");
    let far = |id: &str| {
        let progress = test.record.retriever().progress(id).expect("a container");
        (progress.completed, progress.total)
    };
    assert_eq!((far(&outer), far(&inner), far(&empty)), ((0, 3), (0, 2), (0, 0)));
    recorder.complete(&b, "done").expect("done");
    recorder.cancel(&c, "no need").expect("cancelled");
    assert_eq!((far(&outer), far(&inner)), ((1, 2), (1, 1)));
    recorder.reopen(&c, "a need").expect("open");
    assert_eq!((far(&outer), far(&inner)), ((1, 3), (1, 2)));
    let listed = test.record.retriever().tasks(None, Some(TaskStatus::Open)).expect("tasks");
    let shown = listed.iter().find(|task| task.id.to_string() == outer).and_then(|task| task.progress).expect("a container");
    assert_eq!((shown.completed, shown.total), (1, 3));
    assert!(listed.iter().filter(|task| task.task_type == TaskType::Task).all(|task| task.progress.is_none()));
    let before = test.record.retriever_as_of(AsOf::Sequence(14)).progress(&outer).expect("a container");
    assert_eq!((before.completed, before.total), (0, 3));
    assert_eq!(test.record.retriever().progress(&a).expect_err("no container").code(), Code::WrongKind);
}

#[test]
fn a_circle_of_blocks_is_refused_with_its_path() {
    let test = TestRecord::new();
    let [a, b, c] = ["A", "B", "C"].map(|title| task(&test, title));
    blocks(&test, &a, &b);
    blocks(&test, &b, &c);
    let refused = test.recorder().link(&c, Relation::Blocks, &a).expect_err("a circle");
    assert_eq!((refused.code(), refused.detail("path")), (Code::Cycle, Some(format!("{c} → {a} → {b} → {c}").as_str())));
    let refused = test.recorder().link(&a, Relation::Blocks, &a).expect_err("itself");
    assert_eq!(refused.code(), Code::SelfEdge);
}

#[test]
fn a_handoff_tells_decisions_risks_questions_and_history_in_the_same_bytes_every_time() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let work = recorder
        .task("Rate limiter rewrite")
        .alias("LIM-1")
        .body("Move the limiter.\nKeep the tests.")
        .success_criteria("no unmetered request")
        .record()
        .expect("a task")
        .id
        .to_string();
    let old = test.fact(Category::Decision, "Limit behind auth", "It sits behind auth.");
    let new = test.fact(Category::Decision, "Limit in front of auth", "It sits in front now.");
    recorder.supersede(&new, &old).reason("the outage ended it").evidence("It sits in front now.").record().expect("a retirement");
    recorder.link(&work, Relation::RelatesTo, &old).expect("an edge");
    let against = test.fact(Category::Decision, "Limit in the gateway", "");
    recorder.contradicts(&against, &new, "two places").expect("an edge");
    let near = test.fact(Category::Risk, "Order is load-bearing", "It broke once.");
    recorder.link(&near, Relation::CausedBy, &work).expect("an edge");
    let far = test.fact(Category::Risk, "Tokens may leak", "");
    recorder.link(&far, Relation::CausedBy, &near).expect("an edge");
    let gap = test.fact(Category::Gap, "Who owns the gateway?", "── from the project record ──");
    recorder.link(&work, Relation::RelatesTo, &gap).expect("an edge");
    let (first, then) = (task(&test, "Measure it"), task(&test, "Announce it"));
    blocks(&test, &first, &work);
    blocks(&test, &work, &then);
    let goal = test.fact(Category::Goal, "No outage", "");
    recorder.link(&work, Relation::Fulfills, &goal).expect("an edge");
    test.record.recorder_in("codex", "s1").expect("a recorder").claim(&work).take().expect("a claim");
    test.clock.set("2026-01-01T00:40:00Z");
    let text = test.record.retriever().handoff("LIM-1").expect("a handoff");
    let expected = format!(
        "\
── from the project record ── handoff of {work} ──
{work} LIM-1  in progress · claimed by codex/s1 40m ago
  Rate limiter rewrite
  Move the limiter.
  Keep the tests.
  done when: no unmetered request
── blocked by ──
{first}  open · Measure it
── waiting for it ──
{then} \"Announce it\"
── decisions ──
DECISION {new}  Limit in front of auth
  It sits in front now.
  replaces {old} \"Limit behind auth\": the outage ended it
  conflicts with {against} \"Limit in the gateway\"
── risks ──
⚠ RISK on your path  {near}  \"Order is load-bearing\" (via caused-by from {work})
  It broke once.
⚠ RISK on your path  {far}  \"Tokens may leak\" (via caused-by from {near})
── open questions ──
GAP {gap}  Who owns the gateway?
  \\── from the project record ──
{new} \"Limit in front of auth\" conflicts with {against} \"Limit in the gateway\"
── also joined to it ──
GOAL {goal}  No outage
── history ──
2026-01-01T00:00:00Z tester · recorded
2026-01-01T00:00:00Z tester · {work} relates-to {old}
2026-01-01T00:00:00Z tester · {near} caused-by {work}
2026-01-01T00:00:00Z tester · {work} relates-to {gap}
2026-01-01T00:00:00Z tester · {first} blocks {work}
2026-01-01T00:00:00Z tester · {work} blocks {then}
2026-01-01T00:00:00Z tester · {work} fulfills {goal}
2026-01-01T00:00:00Z codex/s1 · claimed by codex/s1
──────────────────────────────────────────────────────────────────────────────────────
"
    );
    assert_eq!(text, expected);
    assert_eq!(test.again().retriever().handoff(&work).expect("a handoff"), text);
    // Stored text that is pasted back is known as stele's own.
    let pasted = recorder.fact(Category::Fyi, "Pasted").body(&text).record().expect("a fact");
    assert!(pasted.advice.iter().any(|advice| advice.kind.as_str() == "own_output"));

    let head = test.record.head().expect("a head");
    test.record.recorder_in("codex", "s1").expect("a recorder").complete(&work, "moved, and measured").expect("its own");
    let done = test.record.retriever().handoff(&work).expect("a handoff");
    assert!(done.contains(&format!("{work} LIM-1  completed\n")) && done.contains("codex/s1 · completed: moved, and measured\n"));
    // As it stood before, told by the same clock.
    assert_eq!(
        test.record.retriever_as_of(AsOf::Sequence(head)).handoff(&work).expect("a handoff"),
        text.replace(&format!("GOAL {goal}  No outage\n"), &format!("GOAL {goal}  No outage\nFYI {}  Pasted …\n", pasted.id))
    );
    assert_eq!(test.record.retriever().handoff(&goal).expect_err("no task").code(), Code::WrongKind);
}

#[test]
fn a_handoff_says_that_a_task_waits_for_itself_by_parents_and_blocks_together() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let [child, parent, before] = ["Child", "Parent", "Before"].map(|title| task(&test, title));
    recorder.link(&child, Relation::Fulfills, &parent).expect("a child");
    blocks(&test, &parent, &before);
    let circle = format!("tasks that wait for each other: {child} → {parent} → {before} → {child}\n");
    let told = |id: &str| test.record.retriever().handoff(id).expect("a handoff").contains(&circle);
    assert!(!told(&child));
    blocks(&test, &before, &child);
    assert!(told(&child) && told(&parent) && told(&before));
    recorder.cancel(&before, "no need").expect("cancelled");
    assert!(!told(&child), "what is given up holds nothing up");
}
