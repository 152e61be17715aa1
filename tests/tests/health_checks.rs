//! The health check: every check finds the fault that is planted for it, and says nothing without it.

#[path = "health_checks/facts.rs"]
mod facts;
#[path = "health_checks/rules.rs"]
mod rules;
#[path = "health_checks/storage.rs"]
mod storage;
#[path = "health_checks/work.rs"]
mod work;

use std::collections::BTreeSet;

use stele_core::{Category, Finding, HEALTH_CHECKS, Health, HealthOptions, Record, Weight};
use stele_tests::TestRecord;

/// The findings of one check, which are as the table of checks says.
fn findings(health: &Health, name: &str) -> Vec<Finding> {
    let check = HEALTH_CHECKS.iter().find(|check| check.name == name).expect("a check of that name");
    let found: Vec<Finding> = health.findings.iter().filter(|finding| finding.check == name).cloned().collect();
    for finding in &found {
        assert_eq!((finding.severity, finding.remedy), (check.severity, check.remedy));
        assert!(
            finding.ids.iter().all(|id| finding.ids.len() > 2 || finding.message.contains(&id.to_string()) || finding.message.contains(": ")),
            "{finding:?}"
        );
    }
    found
}

/// The ids of each finding of one check.
fn found(record: &Record, name: &str) -> Vec<Vec<String>> {
    found_with(record, &HealthOptions::new(), name)
}

fn found_with(record: &Record, options: &HealthOptions, name: &str) -> Vec<Vec<String>> {
    let health = record.health_with(options).expect("a look");
    findings(&health, name).iter().map(|finding| finding.ids.iter().map(ToString::to_string).collect()).collect()
}

/// Changes the record's file behind the library's back and opens it again.
fn damaged(test: &TestRecord, sql: &str) -> Record {
    test.record.close();
    let conn = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    assert!(conn.execute(sql, []).expect("changed") > 0, "{sql}");
    drop(conn);
    test.again()
}

#[test]
fn the_table_names_every_check_once_in_order_and_no_remedy_loses_anything() {
    let names: Vec<&str> = HEALTH_CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(
        names,
        [
            "catch_up",
            "cycle",
            "dangling_anchor",
            "deadlock",
            "edge_without_reason",
            "embedder",
            "embedder_mismatch",
            "ended_blocker",
            "index_lag",
            "log",
            "log_shortened",
            "missing_head",
            "near_duplicate",
            "obligations_over_budget",
            "old_claim",
            "open_contradiction",
            "orphan",
            "past_review",
            "purge",
            "rule_in_two_channels",
            "sessions",
            "stranded_rule",
            "text_index",
            "uncompared_facts",
            "unverified_fact",
            "unverified_retirement",
            "vector_index",
            "weakened_edge",
        ]
    );
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for check in HEALTH_CHECKS {
        assert!(!check.meaning.is_empty() && !check.remedy.is_empty(), "{check:?}");
        for word in ["delete", "purge it", "remove", "erase", "drop "] {
            assert!(!check.remedy.contains(word), "{check:?}");
        }
    }
}

#[test]
fn the_page_of_health_checks_is_the_table_of_checks() {
    let page = include_str!("../../docs/health.md");
    for check in HEALTH_CHECKS {
        let row = format!("| `{}` | {} | {} | {} |\n", check.name, check.severity, check.meaning, check.remedy);
        assert!(page.contains(&row), "{} is not on the page: cargo xtask health", check.name);
    }
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), HEALTH_CHECKS.len(), "the page lists checks that are no more");
}

#[test]
fn an_empty_record_and_one_in_order_have_nothing_to_say() {
    let test = TestRecord::new();
    assert_eq!(test.record.health_full().expect("a look"), Health::default());
    let recorder = test.recorder();
    recorder.fact(Category::Decision, "Tokens live in the cache").tags(["auth"]).record().expect("a fact");
    recorder.rule("Name the migration", "Name every migration after its table.").record().expect("a rule");
    assert_eq!(test.record.health_full().expect("a look"), Health::default());
}

#[test]
fn errors_come_first_and_a_clock_that_was_set_anywhere_is_no_fault() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (old, new) = (test.fact(Category::Fyi, "The lamp is red", ""), test.fact(Category::Fyi, "The lamp is green", ""));
    recorder.supersede(&new, &old).reason("it was painted").evidence("nowhere said").unverified().record().expect("an edge");
    let (one, other) = (test.fact(Category::Fyi, "The bell rings", "at noon"), test.fact(Category::Fyi, "The bell rings", "at noon sharp"));
    recorder.contradicts(&one, &other, "noon or sharp").expect("an edge");
    let task = recorder.task("Paint the lamp").record().expect("a task").id.to_string();
    recorder.claim(task.as_str()).take().expect("a claim");
    for moment in ["1970-01-01", "2025-12-31T23:59:59Z", "9999-12-31"] {
        test.clock.set(moment);
        let health = test.record.health_full().expect("a look");
        let order: Vec<(Weight, &str)> = health.findings.iter().map(|finding| (finding.severity, finding.check)).collect();
        let mut sorted = order.clone();
        sorted.sort();
        assert_eq!(order, sorted);
        let late = moment.starts_with('9');
        assert_eq!(order[0], (Weight::Error, "unverified_retirement"));
        for check in ["open_contradiction", "old_claim", "unverified_fact"] {
            assert_eq!(findings(&health, check).len(), usize::from(late), "{check} at {moment}");
        }
    }
}
