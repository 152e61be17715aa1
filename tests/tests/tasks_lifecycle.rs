//! How facts end: by time, with a task, by a review that is due; what reopening brings back; as it stood before.

use stele_core::{
    AsOf, Category, Entry, ExportForm, Format, ImportOptions, Record, Relation, Retrieval, RetrieveOptions, Revision, SearchOptions, State, TaskStatus,
    TaskType,
};
use stele_tests::TestRecord;
use stele_tests::shorthand::{at, state};

const PROMPT: &str = "what do we know about the barometer calibration?";

fn look(record: &Record) -> Retrieval {
    record.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval")
}

fn order(found: &Retrieval) -> Vec<(String, State)> {
    found.entries.iter().map(|entry| (entry.id.to_string(), entry.state)).collect()
}

fn state_at(test: &TestRecord, sequence: u64, id: &str) -> State {
    test.record.retriever_as_of(AsOf::Sequence(sequence)).get(id).expect("a node").state
}

fn ids(list: &[stele_core::NodeId]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn a_fact_expires_at_its_instant_and_stands_after_what_still_holds() {
    let test = TestRecord::new();
    let soon =
        test.recorder().fact(Category::Decision, "Barometer calibration is done by hand").expires_at(at("2026-02-01")).record().expect("a fact").id.to_string();
    let holds = test.fact(Category::Fyi, "Barometer of the hall", "Calibration is the keeper's.");
    assert_eq!(order(&look(&test.record)), [(soon.clone(), State::Live), (holds.clone(), State::Live)]);
    test.clock.set("2026-01-31T23:59:59.999Z");
    assert_eq!(state(&test, &soon), State::Live);
    test.clock.set("2026-02-01");
    assert_eq!(state(&test, &soon), State::Expired);
    let ended = look(&test.record);
    assert_eq!(order(&ended), [(holds, State::Live), (soon.clone(), State::Expired)]);
    assert!(ended.render(Format::Text).contains(&format!("DECISION {soon} [expired]")));
    // Nothing was written: it is the instant that one asks from.
    assert_eq!(test.record.head().expect("a head"), 2);
    assert_eq!(test.record.retriever_as_of(AsOf::Time(at("2026-01-15"))).get(&soon).expect("a fact").state, State::Live);
    // An operation's sequence is the instant at which it was written.
    assert_eq!(state_at(&test, 2, &soon), State::Live);
    assert_eq!(order(&test.record.retriever_as_of(AsOf::Sequence(2)).retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval"))[0].1, State::Live);
    test.fact(Category::Fyi, "Written later", "");
    assert_eq!((state_at(&test, 2, &soon), state_at(&test, 3, &soon)), (State::Live, State::Expired));
    let asked_then = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().now(at("2026-01-15"))).expect("a retrieval");
    assert_eq!(order(&asked_then)[0], (soon.clone(), State::Live));
    let found = |states: [State; 1]| test.record.retriever().search("barometer", &SearchOptions::new().states(states)).expect("hits").len();
    assert_eq!((found([State::Live]), found([State::Expired])), (1, 1));
    test.recorder().revise(&soon, Revision::new().expires_at(None)).expect("a revision");
    assert_eq!(state(&test, &soon), State::Live);
}

#[test]
fn completing_a_task_ends_what_hangs_on_it_and_says_which_and_reopening_revives_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = recorder.task("Replace the barometer").record().expect("a task").id.to_string();
    let named = recorder.fact(Category::Decision, "Barometer calibration by hand").resolves_with(&task).record().expect("a fact").id.to_string();
    let joined = test.fact(Category::Risk, "The barometer drifts", "Its calibration is two years old.");
    recorder.link(&joined, Relation::ExpiresOn, &task).expect("an edge");
    let retired = recorder.fact(Category::Fyi, "Zinc").resolves_with(&task).record().expect("a fact").id.to_string();
    let heir = test.fact(Category::Fyi, "Zirconium", "");
    recorder.supersede(&heir, &retired).reason("it ended").unverified().record().expect("a retirement");
    let holds = test.fact(Category::Fyi, "Barometer of the hall", "Calibration is the keeper's.");
    let before = test.record.head().expect("a head");
    let searched = test.record.retriever().search("barometer calibration", &SearchOptions::new()).expect("hits").len();

    let done = recorder.complete(&task, "a new one hangs there").expect("an open task");
    assert_eq!((done.task.to_string(), done.status, ids(&done.resolved)), (task.clone(), TaskStatus::Completed, vec![named.clone(), joined.clone()]));
    assert!(done.hanging.is_empty() && done.revived.is_empty());
    assert_eq!(test.record.head().expect("a head"), before + 1, "one operation for all of it");
    for id in [&named, &joined] {
        assert_eq!((state(&test, id), state_at(&test, before, id)), (State::Resolved, State::Live));
    }
    assert_eq!((state(&test, &retired), state(&test, &holds)), (State::Retired, State::Live));
    let found = look(&test.record);
    assert!(found.callouts.is_empty(), "a risk that is over is no callout");
    let mut states: Vec<State> = order(&found).into_iter().filter(|(id, _)| *id != task).map(|(_, state)| state).collect();
    assert_eq!((states.remove(0), states.len()), (State::Live, 2));
    assert!(states.iter().all(|state| *state == State::Resolved), "{states:?}");
    // It is still found: ended facts are ranked behind, not hidden.
    assert_eq!(test.record.retriever().search("barometer calibration", &SearchOptions::new()).expect("hits").len(), searched);
    let told = test.record.retriever().history(&named).expect("a history");
    assert_eq!(told.last().map(|item| item.what.clone()), Some(format!("resolved with {task}")));

    let head = test.record.head().expect("a head");
    let reopened = recorder.reopen(&task, "it broke").expect("a completed task");
    assert_eq!((reopened.status, ids(&reopened.revived)), (TaskStatus::Open, vec![named.clone(), joined.clone()]));
    for id in [&named, &joined] {
        assert_eq!((state(&test, id), state_at(&test, head, id)), (State::Live, State::Resolved));
    }
    assert_eq!(state(&test, &retired), State::Retired);
}

#[test]
fn cancelling_a_task_ends_nothing_and_lists_what_hung_on_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let milestone = recorder.task("The season ends").task_type(TaskType::Milestone).record().expect("a milestone").id.to_string();
    let fact = test.fact(Category::Priority, "Read it twice a day", "");
    let also = recorder.fact(Category::Goal, "Fewer storms missed").resolves_with(&milestone).record().expect("a fact").id.to_string();
    recorder.link(&fact, Relation::ExpiresOn, &milestone).expect("an edge");
    let away = recorder.fact(Category::Fyi, "Old habit").resolves_with(&milestone).record().expect("a fact").id.to_string();
    recorder.archive(&away, "nobody cares").expect("put away");
    let cancelled = recorder.cancel(&milestone, "there will be no season").expect("a container, by anyone");
    assert_eq!((cancelled.status, ids(&cancelled.hanging)), (TaskStatus::Cancelled, vec![fact.clone(), also.clone()]));
    assert!(cancelled.resolved.is_empty());
    assert_eq!((state(&test, &fact), state(&test, &also)), (State::Live, State::Live));
    let reopened = recorder.reopen(&milestone, "there will").expect("a cancelled one");
    assert!(reopened.revived.is_empty());
    assert_eq!(ids(&recorder.complete(&milestone, "it is over").expect("done").resolved), [fact, also]);
}

#[test]
fn a_fact_ends_with_the_first_of_its_tasks_and_only_holds_again_without_any() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let [one, two] = ["One", "Two"].map(|title| recorder.task(title).record().expect("a task").id.to_string());
    let fact = recorder.fact(Category::Fyi, "Something").resolves_with(&one).record().expect("a fact").id.to_string();
    recorder.link(&fact, Relation::ExpiresOn, &two).expect("an edge");
    recorder.complete(&one, "done").expect("done");
    assert!(recorder.complete(&two, "done").expect("done").resolved.is_empty(), "it was over before");
    assert!(recorder.reopen(&one, "again").expect("open").revived.is_empty(), "the other still ends it");
    assert_eq!(state(&test, &fact), State::Resolved);
    recorder.unlink(&fact, Relation::ExpiresOn, &two, "it has nothing to do with it").expect("no edge");
    assert_eq!(state(&test, &fact), State::Live);
    // What is said to hang on a task that is done has ended with it.
    recorder.link(&fact, Relation::ExpiresOn, &two).expect("an edge");
    assert_eq!(state(&test, &fact), State::Resolved);
    recorder.unlink(&fact, Relation::ExpiresOn, &two, "again").expect("no edge");
    recorder.complete(&one, "done").expect("done");
    recorder.revise(&fact, Revision::new().resolves_with(None)).expect("a revision");
    assert_eq!(state(&test, &fact), State::Live);
    recorder.revise(&fact, Revision::new().resolves_with(Some(&two))).expect("a revision");
    assert_eq!(state(&test, &fact), State::Resolved);
    let late = recorder.fact(Category::Fyi, "Late").resolves_with(&two).record().expect("a fact").id.to_string();
    assert_eq!(state(&test, &late), State::Resolved);
}

#[test]
fn a_review_that_is_due_is_said_until_somebody_looked() {
    let test = TestRecord::new();
    let fact = test.recorder().fact(Category::Fyi, "Barometer calibration").review_at(at("2026-02-01")).record().expect("a fact").id.to_string();
    let nags = |entry: &Retrieval| entry.render(Format::Text).contains("read again before acting: review was due 2026-02-01");
    assert!(!nags(&look(&test.record)));
    test.recorder().review(&fact, "too early").expect("a review");
    test.clock.set("2026-02-02");
    let due = look(&test.record);
    assert!(nags(&due) && due.entries[0].state == State::Live);
    test.recorder().review(&fact, "it holds").expect("a review");
    assert!(!nags(&look(&test.record)));
    test.recorder().revise(&fact, Revision::new().review_at(Some(at("2026-02-01T12:00:00Z")))).expect("a revision");
    assert!(!nags(&look(&test.record)), "it was looked at after that");
}

#[test]
fn a_window_says_who_works_on_a_task_for_how_long() {
    let test = TestRecord::new();
    let task = test.recorder().task("Barometer calibration").record().expect("a task").id.to_string();
    test.record.recorder("codex").expect("a recorder").claim(&task).lease(std::time::Duration::from_secs(3600)).take().expect("a claim");
    test.clock.set("2026-01-01T00:40:00Z");
    let entry = |found: &Retrieval| -> Entry { found.entries[0].clone() };
    let found = look(&test.record);
    let claim = entry(&found).claim.expect("somebody has it");
    assert_eq!((claim.holder.as_str(), claim.since, claim.until), ("codex", at("2026-01-01"), Some(at("2026-01-01T01:00:00Z"))));
    assert!(found.render(Format::Text).contains(&format!("{task}  in progress · claimed by codex 40m ago\n")));
    let json: serde_json::Value = serde_json::from_str(&found.render(Format::Json)).expect("JSON");
    assert_eq!(json["entries"][0]["claim"]["holder"], "codex");
    let later = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().now(at("2026-01-01T03:00:00Z"))).expect("a retrieval");
    assert!(later.render(Format::Text).contains(&format!("{task}  in progress · claimed by codex 3h ago · lease over\n")));
    test.record.recorder("codex").expect("a recorder").complete(&task, "done").expect("its own");
    let done = look(&test.record);
    assert!(entry(&done).claim.is_none() && done.render(Format::Text).contains(&format!("{task}  completed\n")));
    let before = test.record.retriever_as_of(AsOf::Sequence(2)).retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(entry(&before).claim.map(|claim| claim.holder).as_deref(), Some("codex"));
}

#[test]
fn purging_a_task_takes_what_was_said_at_its_end_and_leaves_who_did_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = recorder.task("Hovercraft refit").record().expect("a task").id.to_string();
    let fact = recorder.fact(Category::Fyi, "Something").resolves_with(&task).record().expect("a fact").id.to_string();
    recorder.claim(&task).take().expect("a claim");
    recorder.complete(&task, "full of eels now").expect("its own");
    assert!(recorder.purge(&task, "the law", &[]).expect("purged").complete);
    let told = test.record.retriever().history(&task).expect("a history");
    assert!(told.iter().all(|item| !item.why.contains("eels")), "{told:?}");
    let node = test.record.retriever().get(&task).expect("a tombstone");
    assert_eq!((node.status, state(&test, &fact)), (Some(TaskStatus::Completed), State::Resolved));
    assert_eq!(test.record.retriever().tasks(Some("tester"), None).expect("tasks").len(), 1);
    assert!(!test.record.retriever().handoff(&task).expect("a handoff").contains("eels"));
}

#[test]
fn what_is_done_stays_done_and_what_it_ended_stays_ended_through_export_and_import() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    // The facts come before their tasks, so the import meets them first.
    let fact = test.fact(Category::Fyi, "Something", "");
    let joined = test.fact(Category::Fyi, "Something else", "");
    let done = recorder.task("Done work").record().expect("a task").id.to_string();
    let given_up = recorder.task("Vain work").record().expect("a task").id.to_string();
    let held = recorder.task("Held work").record().expect("a task").id.to_string();
    recorder.revise(&fact, Revision::new().resolves_with(Some(&done))).expect("a revision");
    recorder.link(&joined, Relation::ExpiresOn, &done).expect("an edge");
    recorder.complete(&done, "done").expect("done");
    recorder.cancel(&given_up, "no use").expect("given up");
    recorder.claim(&held).take().expect("a claim");
    let file = test.outside().join("out.jsonl");
    test.record.export_jsonl(&file, ExportForm::Interchange).expect("a file");

    let other = TestRecord::new();
    let report = other.record.import_jsonl(&file, "importer", ImportOptions::default()).expect("a report");
    assert!(report.applied && report.error_count == 0, "{report:?}");
    let statuses = [&done, &given_up, &held].map(|id| other.record.retriever().get(id).expect("a task").status.expect("a status"));
    // A claim belongs to a living holder and stays behind.
    assert_eq!(statuses, [TaskStatus::Completed, TaskStatus::Cancelled, TaskStatus::Open]);
    assert_eq!((state(&other, &fact), state(&other, &joined)), (State::Resolved, State::Resolved));
}

#[test]
fn an_import_moves_a_task_only_when_its_source_has_come_to_say_something_else() {
    let test = TestRecord::new();
    let import = |status: &str| {
        let line = format!("{{\"type\":\"node\",\"kind\":\"task\",\"alias\":\"bd-1\",\"title\":\"Work\",\"status\":\"{status}\"}}\n");
        let report = test.record.import_lines(line.as_bytes(), "importer", ImportOptions::default()).expect("a report");
        assert!(report.applied, "{report:?}");
        (report.revised, test.record.retriever().get("bd-1").expect("the task").status.expect("a status"))
    };
    let recorder = test.recorder();
    assert_eq!(import("open"), (0, TaskStatus::Open));
    let fact = recorder.fact(Category::Fyi, "Something").resolves_with("bd-1").record().expect("a fact").id.to_string();
    assert_eq!(import("completed"), (1, TaskStatus::Completed));
    assert_eq!(state(&test, &fact), State::Resolved);
    assert_eq!(import("completed"), (0, TaskStatus::Completed));
    // Work done here since is not undone by a source that says what it said before.
    recorder.reopen("bd-1", "it was not").expect("open");
    assert_eq!(import("completed"), (0, TaskStatus::Open));
    assert_eq!(import("open"), (1, TaskStatus::Open));
    recorder.claim("bd-1").take().expect("a claim");
    assert_eq!(import("open"), (0, TaskStatus::Claimed));
    assert_eq!(import("cancelled"), (1, TaskStatus::Cancelled));
    assert_eq!(import("completed"), (1, TaskStatus::Completed));
    assert_eq!(import("open"), (1, TaskStatus::Open));
    assert_eq!(state(&test, &fact), State::Live);
}
