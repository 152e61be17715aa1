//! How things hang together: circles, work that waits for itself, claims.

use stele_core::{Category, HealthOptions, ImportOptions, Record, Relation};
use stele_tests::TestRecord;
use stele_tests::shorthand::task;

use super::{damaged, found};

/// Every finding about circles.
fn circles(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let health = record.health_with(&HealthOptions::new()).expect("a look");
    let about = health.findings.into_iter().filter(|finding| ["cycle", "deadlock"].contains(&finding.check));
    about.map(|finding| (finding.check, finding.ids.iter().map(ToString::to_string).collect())).collect()
}

#[test]
fn a_circle_of_retirements_is_an_error_and_loses_its_heads() {
    let test = TestRecord::new();
    let fact = |title: &str| test.fact(Category::Decision, title, "it ended");
    let (a, b, c) = (fact("A"), fact("B"), fact("C"));
    for (newer, older) in [(&b, &a), (&c, &b)] {
        test.recorder().supersede(newer, older).reason("ended").evidence("it ended").record().expect("a retirement");
    }
    assert!(circles(&test.record).is_empty());
    let record = damaged(&test, "UPDATE edge SET src = 1 WHERE src = 3 AND relation = 2");
    assert_eq!(circles(&record), [("cycle", vec![a.clone(), b.clone()])]);
    assert_eq!(found(&record, "missing_head"), [[a], [b]]);
}

#[test]
fn a_circle_of_blockers_is_told_once() {
    let test = TestRecord::new();
    let (a, b, c) = (task(&test, "A"), task(&test, "B"), task(&test, "C"));
    for (first, then) in [(&a, &b), (&b, &c)] {
        test.recorder().link(first, Relation::Blocks, then).expect("an edge");
    }
    assert!(circles(&test.record).is_empty());
    let record = damaged(&test, "UPDATE edge SET dst = 1 WHERE src = 2 AND relation = 1");
    assert_eq!(circles(&record), [("cycle", vec![a, b])]);
}

#[test]
fn a_node_that_blocks_itself_is_a_circle() {
    let test = TestRecord::new();
    let (a, b) = (task(&test, "A"), task(&test, "B"));
    test.recorder().link(&a, Relation::Blocks, &b).expect("an edge");
    assert!(circles(&test.record).is_empty());
    let record = damaged(&test, "UPDATE edge SET dst = 1 WHERE src = 1 AND relation = 1");
    assert_eq!(circles(&record), [("cycle", vec![a])]);
}

#[test]
fn tasks_that_wait_for_each_other_by_two_relations_are_a_deadlock_until_one_is_done() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (parent, child) = (task(&test, "Parent"), task(&test, "Child"));
    recorder.link(&child, Relation::Fulfills, &parent).expect("an edge");
    assert!(circles(&test.record).is_empty());
    recorder.link(&parent, Relation::Blocks, &child).expect("an edge");
    assert_eq!(circles(&test.record), [("deadlock", vec![parent.clone(), child])]);
    recorder.cancel(parent.as_str(), "no need").expect("cancelled");
    assert!(circles(&test.record).is_empty());
}

#[test]
fn an_edge_that_an_import_weakened_is_listed_and_stays_so_when_the_record_moves() {
    let import = |record: &Record, lines: &str| {
        let report = record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import");
        assert_eq!(report.error_count, 0, "{report:?}");
        report
    };
    let test = TestRecord::new();
    let nodes = "{\"kind\":\"task\",\"title\":\"a\",\"alias\":\"A-1\"}\n{\"kind\":\"task\",\"title\":\"b\",\"alias\":\"A-2\"}\n";
    import(&test.record, &format!("{nodes}{}\n", r#"{"from":"A-1","relation":"blocks","to":"A-2"}"#));
    test.recorder().link_because("A-2", Relation::Mentions, "A-1", "stands in for the mayor", "").expect("an edge");
    assert!(found(&test.record, "weakened_edge").is_empty());
    let back = r#"{"from":"A-2","relation":"blocks","to":"A-1","reason":"the tracker says so"}"#;
    assert_eq!(import(&test.record, back).weakened, 1);
    assert_eq!(found(&test.record, "weakened_edge"), [["TASK-2", "TASK-1"]]);
    assert!(found(&test.record, "cycle").is_empty());
    assert_eq!((import(&test.record, back).edges, found(&test.record, "weakened_edge").len()), (0, 1));
    let file = test.outside().join("record.jsonl");
    test.record.export_jsonl(&file, stele_core::ExportForm::Interchange).expect("an export");
    let other = TestRecord::new();
    other.record.import_jsonl(&file, "tester", ImportOptions::new()).expect("an import");
    assert_eq!(found(&other.record, "weakened_edge"), [["TASK-2", "TASK-1"]]);
    other.recorder().unlink("TASK-2", Relation::RelatesTo, "TASK-1", "looked into").expect("unlinked");
    assert!(found(&other.record, "weakened_edge").is_empty());
}

#[test]
fn the_longest_reason_of_a_weakened_edge_can_be_imported_again() {
    let test = TestRecord::new();
    let reason = "é".repeat(8 * 1024);
    let lines = format!(
        "{{\"kind\":\"task\",\"title\":\"a\",\"alias\":\"A-1\"}}\n{{\"kind\":\"task\",\"title\":\"b\",\"alias\":\"A-2\"}}\n\
         {{\"from\":\"A-1\",\"relation\":\"blocks\",\"to\":\"A-2\"}}\n{{\"from\":\"A-2\",\"relation\":\"blocks\",\"to\":\"A-1\",\"reason\":\"{reason}\"}}\n"
    );
    let report = test.record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import");
    assert_eq!((report.weakened, report.error_count), (1, 0), "{report:?}");
    let file = test.outside().join("record.jsonl");
    test.record.export_jsonl(&file, stele_core::ExportForm::Interchange).expect("an export");
    let other = TestRecord::new();
    let again = other.record.import_jsonl(&file, "tester", ImportOptions::new()).expect("an import");
    assert_eq!((again.error_count, again.edges), (0, 2), "{again:?}");
}

#[test]
fn a_claim_is_listed_once_it_is_older_than_seven_days_and_until_it_ends() {
    let test = TestRecord::new();
    let (kept, given_back) = (task(&test, "Kept"), task(&test, "Given back"));
    for task in [&kept, &given_back] {
        test.recorder().claim(task.as_str()).take().expect("a claim");
    }
    test.clock.set("2026-01-08");
    assert!(found(&test.record, "old_claim").is_empty());
    test.recorder().release(given_back.as_str()).expect("released");
    test.clock.set("2026-01-08T00:00:01Z");
    assert_eq!(found(&test.record, "old_claim"), [[kept.clone()]]);
    let health = test.record.health().expect("a look");
    assert!(super::findings(&health, "old_claim")[0].message.contains("tester"));
    test.recorder().complete(kept.as_str(), "done").expect("done");
    assert!(found(&test.record, "old_claim").is_empty());
}
