//! What the record says: retirements, claims, age, duplicates, anchors.

use stele_core::{Anchor, Category, HealthOptions, ReadyOptions, Relation, Revision, Source};
use stele_tests::TestRecord;
use stele_tests::shorthand::at;

use super::{damaged, found, found_with};

fn retire(test: &TestRecord, newer: &str, older: &str) {
    test.recorder().supersede(newer, older).reason("the state ended").evidence("it ended").record().expect("a retirement");
}

fn pair(test: &TestRecord) -> (String, String) {
    (test.fact(Category::Decision, "Green", "The red state: it ended."), test.fact(Category::Decision, "Red", ""))
}

#[test]
fn a_retirement_without_proof_is_listed_and_one_with_it_is_not() {
    let test = TestRecord::new();
    let (new, old) = pair(&test);
    retire(&test, &new, &old);
    assert!(found(&test.record, "unverified_retirement").is_empty());
    let (new, old) = (test.fact(Category::Fyi, "Up", ""), test.fact(Category::Fyi, "Down", ""));
    test.recorder().supersede(&new, &old).reason("turned").evidence("nowhere said").unverified().record().expect("an edge");
    assert_eq!(found(&test.record, "unverified_retirement"), [[new, old.clone()]]);
    // A tombstone has nothing to come back as.
    test.recorder().purge(&old, "the law", &[]).expect("purged");
    assert!(found(&test.record, "unverified_retirement").is_empty());
}

#[test]
fn a_cause_or_contradiction_without_a_reason_is_listed() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (one, other) = pair(&test);
    recorder.link(&one, Relation::RelatesTo, &other).expect("an edge");
    recorder.link_because(&one, Relation::CausedBy, &other, "the outage showed it", "").expect("an edge");
    assert!(found(&test.record, "edge_without_reason").is_empty());
    recorder.link(&other, Relation::Contradicts, &one).expect("an edge");
    let ids = found(&test.record, "edge_without_reason");
    assert_eq!(ids.len(), 1);
    assert!(ids[0].contains(&one) && ids[0].contains(&other));
}

#[test]
fn a_chain_that_leads_to_what_can_be_read_has_a_head_whatever_its_state() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (middle, old) = pair(&test);
    let head = recorder.fact(Category::Decision, "Blue").body("After green: it ended.").expires_at(at("2026-02-01")).record().expect("a fact").id.to_string();
    retire(&test, &middle, &old);
    retire(&test, &head, &middle);
    test.clock.set("2026-03-01");
    assert!(found(&test.record, "missing_head").is_empty());
    recorder.archive(&head, "put away").expect("archived");
    assert!(found(&test.record, "missing_head").is_empty());
    recorder.purge(&head, "the law", &[]).expect("purged");
    assert_eq!(found(&test.record, "missing_head"), [[middle], [old]]);
}

#[test]
fn a_retired_node_that_nothing_retires_is_listed() {
    let test = TestRecord::new();
    let (new, old) = pair(&test);
    retire(&test, &new, &old);
    let record = damaged(&test, "UPDATE edge SET to_seq = from_seq WHERE relation = 2");
    assert_eq!(found(&record, "missing_head"), [[old]]);
}

#[test]
fn a_contradiction_is_listed_once_it_is_older_than_fourteen_days_and_while_both_hold() {
    let test = TestRecord::new();
    let (one, other) = pair(&test);
    test.recorder().contradicts(&one, &other, "red or green").expect("an edge");
    test.clock.set("2026-01-15");
    assert!(found(&test.record, "open_contradiction").is_empty());
    test.clock.set("2026-01-15T00:00:01Z");
    assert_eq!(found(&test.record, "open_contradiction"), [[one.clone(), other.clone()]]);
    retire(&test, &one, &other);
    assert!(found(&test.record, "open_contradiction").is_empty());
}

#[test]
fn facts_that_nobody_confirmed_for_thirty_days_are_listed_together() {
    let test = TestRecord::new();
    let (one, other) = pair(&test);
    let revised = test.fact(Category::Fyi, "Blue", "");
    test.recorder().task("Paint it").record().expect("a task");
    test.clock.set("2026-01-30T23:59:59Z");
    assert!(found(&test.record, "unverified_fact").is_empty());
    test.recorder().revise(&revised, Revision::new().body("as ever")).expect("revised");
    test.clock.set("2026-01-31");
    assert_eq!(found(&test.record, "unverified_fact"), [[one.clone(), other.clone()]]);
    test.recorder().review(&one, "looked").expect("reviewed");
    assert_eq!(found(&test.record, "unverified_fact"), [[other]]);
    test.clock.set("2026-03-02");
    assert_eq!(found(&test.record, "unverified_fact")[0].len(), 3);
}

#[test]
fn a_review_that_is_due_is_listed_until_it_is_done() {
    let test = TestRecord::new();
    let id = test.recorder().fact(Category::Fyi, "The lock is new").review_at(at("2026-01-10")).record().expect("a fact").id.to_string();
    test.recorder().review(&id, "too early").expect("reviewed");
    test.clock.set("2026-01-09T23:59:59Z");
    assert!(found(&test.record, "past_review").is_empty());
    test.clock.set("2026-01-10");
    assert_eq!(found(&test.record, "past_review"), [[id.clone()]]);
    test.recorder().review(&id, "it holds").expect("reviewed");
    assert!(found(&test.record, "past_review").is_empty());
}

#[test]
fn what_has_ended_by_itself_and_still_blocks_is_listed_while_the_blocked_is_open() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = recorder.task("Ship it").record().expect("a task").id.to_string();
    let lasting = test.fact(Category::Risk, "The pier is weak", "");
    let freeze = recorder.fact(Category::Risk, "Code freeze").expires_at(at("2026-01-05")).record().expect("a fact").id.to_string();
    for blocker in [&lasting, &freeze] {
        recorder.link(blocker, Relation::Blocks, &task).expect("an edge");
    }
    assert!(found(&test.record, "ended_blocker").is_empty());
    test.clock.set("2026-01-05");
    assert_eq!(found(&test.record, "ended_blocker"), [[freeze.clone(), task.clone()]]);
    recorder.claim(task.as_str()).take().expect("a claim");
    recorder.complete(task.as_str(), "shipped").expect("done");
    assert!(found(&test.record, "ended_blocker").is_empty());
}

#[test]
fn a_task_that_was_replaced_or_put_away_unfinished_and_still_blocks_is_listed_until_it_is_finished() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = |title: &str, body: &str| recorder.task(title).body(body).record().expect("a task").id.to_string();
    let (blocked, replaced, newer) = (task("Ship it", ""), task("Port the limiter", ""), task("Buy a limiter", "Port the limiter was given up"));
    let (away, done, epic) = (task("Test by hand", ""), task("Done before", ""), task("Waits for nothing", ""));
    for blocker in [&replaced, &away, &done] {
        recorder.link(blocker, Relation::Blocks, &blocked).expect("an edge");
    }
    recorder.link(&blocked, Relation::Blocks, &epic).expect("an edge");
    recorder.complete(done.as_str(), "done").expect("done");
    recorder.archive(&done, "long ago").expect("put away");
    assert!(found(&test.record, "ended_blocker").is_empty());
    recorder.supersede(&newer, &replaced).reason("given up").evidence("Port the limiter was given up").record().expect("a retirement");
    recorder.archive(&away, "nobody does that").expect("put away");
    assert_eq!(found(&test.record, "ended_blocker"), [[replaced.clone(), blocked.clone()], [away.clone(), blocked.clone()]]);
    assert!(!test.record.retriever().ready(&ReadyOptions::new()).expect("tasks").iter().any(|task| task.id.to_string() == blocked));
    recorder.cancel(replaced.as_str(), "replaced").expect("cancelled");
    recorder.complete(away.as_str(), "not needed").expect("done");
    assert!(found(&test.record, "ended_blocker").is_empty());
    assert!(test.record.retriever().ready(&ReadyOptions::new()).expect("tasks").iter().any(|task| task.id.to_string() == blocked));
}

#[test]
fn facts_of_one_category_and_title_are_duplicates_unless_a_number_or_a_negation_differs() {
    let test = TestRecord::new();
    let one = test.fact(Category::Lesson, "Keep the lamp dry", "Rain kills it.");
    test.fact(Category::Decision, "Keep the lamp dry", "Rain kills it.");
    test.fact(Category::Lesson, "Keep the lamp dry", "Rain kills it in 3 days.");
    test.fact(Category::Lesson, "Keep the lamp dry", "Rain does not kill it.");
    assert!(found(&test.record, "near_duplicate").is_empty());
    let other = test.fact(Category::Lesson, "Keep the Lamp dry!", "The rain will kill it.");
    assert_eq!(found(&test.record, "near_duplicate"), [[one.clone(), other.clone()]]);
    test.recorder().archive(&other, "said before").expect("archived");
    assert!(found(&test.record, "near_duplicate").is_empty());
}

#[test]
fn facts_that_mean_the_same_are_found_by_the_full_check_alone() {
    let test = TestRecord::new();
    let full = HealthOptions::new().full(true);
    let body = "The tide gate at the north harbour must stay open while the ferry turns, or its wake floods the lower quay.";
    let one = test.fact(Category::Lesson, "Tide gate stays open while the ferry turns", body);
    test.fact(Category::Lesson, "Bread is baked before dawn", "The oven needs an hour to get warm enough for rye.");
    test.fact(Category::Risk, "The tide gate stays open while the ferry turns", body);
    test.fact(Category::Lesson, "Tide gate 2 stays open while the ferry turns", body);
    assert!(found_with(&test.record, &full, "near_duplicate").is_empty());
    let other = test.fact(Category::Lesson, "The tide gate stays open while a ferry turns", body);
    assert!(found(&test.record, "near_duplicate").is_empty());
    assert_eq!(found_with(&test.record, &full, "near_duplicate"), [[one.clone(), other.clone()]]);
    while !test.record.catch_up().expect("caught up") {}
    assert_eq!(found_with(&test.record, &full, "near_duplicate"), [[one, other]]);
    assert!(found_with(&test.record, &full, "uncompared_facts").is_empty());
}

#[test]
fn the_full_check_says_where_it_stopped_comparing() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let body = "The tide gate at the north harbour must stay open while the ferry turns, or its wake floods the lower quay.";
    let old = test.fact(Category::Lesson, "Tide gate stays open while the ferry turns", body);
    let facts = stele_core::defaults::COMPARED_FACTS;
    let fill = |from: usize, to: usize| {
        let done = recorder.transaction(|recorder| {
            (from..to).try_for_each(|nth| recorder.fact(Category::Fyi, format!("Buoy number {nth}")).tags(["buoy"]).record().map(drop))
        });
        done.expect("facts");
    };
    let full = HealthOptions::new().full(true);
    fill(1, facts);
    assert!(found_with(&test.record, &full, "uncompared_facts").is_empty());
    let new = test.fact(Category::Lesson, "The tide gate stays open while a ferry turns", body);
    let health = test.record.health_full().expect("a look");
    let said = super::findings(&health, "uncompared_facts");
    assert_eq!(said.len(), 1);
    assert!(said[0].message.contains(&facts.to_string()), "{said:?}");
    let near = super::findings(&health, "near_duplicate");
    assert_eq!(near.iter().map(|finding| finding.ids.iter().map(ToString::to_string).collect::<Vec<_>>()).collect::<Vec<_>>(), [[old, new]]);
}

#[test]
fn a_node_that_nothing_leads_to_is_an_orphan() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let component = recorder.component("Lamp").record().expect("a component").id.to_string();
    let fact = |title: &str| recorder.fact(Category::Fyi, title);
    let linked = fact("Linked").record().expect("a fact").id.to_string();
    recorder.link(&linked, Relation::RelatesTo, &component).expect("an edge");
    fact("Tagged").tags(["lamp"]).record().expect("a fact");
    fact("Under").under(&component).record().expect("a fact");
    fact("Anchored").anchor("src/lamp.rs", None).record().expect("a fact");
    fact("Sourced").source(Source { uri: "https://lamp.example".to_owned(), ..Source::default() }).record().expect("a fact");
    recorder.rule("Rules stand alone", "Keep the lamp lit.").record().expect("a rule");
    assert!(found(&test.record, "orphan").is_empty());
    let said = "A body that says \"tags\":[1], \"anchors\": and \"source\": in so many words.";
    let alone = fact("Alone").body(said).record().expect("a fact").id.to_string();
    let task = recorder.task("Alone too").record().expect("a task").id.to_string();
    assert_eq!(found(&test.record, "orphan"), [[alone, task.clone()]]);
    recorder.cancel(task.as_str(), "no need").expect("cancelled");
    assert_eq!(found(&test.record, "orphan")[0].len(), 1);
}

#[test]
fn anchors_that_lead_to_no_file_are_found_where_the_files_are_given() {
    let test = TestRecord::new();
    let anchored = |title: &str, path: &str| test.recorder().fact(Category::Fyi, title).anchor(path, Some("main")).record().expect("a fact").id.to_string();
    let files = HealthOptions::new().files(["./src\\lamp.rs", "src/bell/rope.rs", "docs/a.md", "docs/a/b.md", "/outside", "Zed"]);
    for (title, path) in
        [("file", "src/lamp.rs"), ("folder", "src/bell"), ("glob", "src/**/*.rs"), ("name", "*.md"), ("set", "docs/[ab].{md,txt}"), ("last", "Zed")]
    {
        anchored(title, path);
    }
    assert!(found_with(&test.record, &files, "dangling_anchor").is_empty());
    let gone = anchored("gone", "src/lam");
    let glob = anchored("no such", "src/*/*.md");
    let two = anchored("gone as well", "src/lam");
    assert!(found(&test.record, "dangling_anchor").is_empty(), "without a list nobody knows");
    assert_eq!(found_with(&test.record, &files, "dangling_anchor"), [[gone.clone()], [glob.clone()], [two.clone()]]);
    test.recorder().archive(&two, "gone").expect("archived");
    test.recorder().anchor(&gone, &[Anchor { path: "src/lamp.rs".to_owned(), symbol: None }], &["src/lam"]).expect("anchored");
    assert_eq!(found_with(&test.record, &files, "dangling_anchor"), [[glob]]);
    assert_eq!(found_with(&test.record, &HealthOptions::new().files(Vec::<String>::new()), "dangling_anchor").len(), 8);
}
