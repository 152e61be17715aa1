//! What is anchored to a place is told before the place is changed.

use stele_core::{Category, Code, Draft, Revision, Session};
use stele_tests::TestRecord;
use stele_tests::shorthand::{session, shown};

fn anchored(test: &TestRecord, category: Category, title: &str, path: &str, symbol: Option<&str>) -> String {
    test.recorder().add(Draft::fact(category, title).anchor(path, symbol)).expect("a fact").id.to_string()
}

fn edit(session: &Session, path: &str, symbol: Option<&str>) -> Vec<String> {
    shown(&session.on_edit(path, symbol).expect("a moment"))
}

#[test]
fn every_way_to_write_a_path_is_one_anchor_and_one_place() {
    // Field case 22.
    let test = TestRecord::new();
    let ids: Vec<String> = ["src\\auth\\mod.rs", "./src/auth/mod.rs", "src//auth/mod.rs"]
        .iter()
        .zip(["one", "two", "three"])
        .map(|(path, title)| anchored(&test, Category::Decision, title, path, None))
        .collect();
    let s1 = session(&test, "s1");
    let root = test.outside();
    let absolute = root.join("src/auth/mod.rs").to_string_lossy().into_owned();
    let dotted = root.join("lib/../src/./auth//mod.rs").to_string_lossy().into_owned();
    for path in ["src/auth/mod.rs", "src\\auth\\mod.rs", "./src//auth/mod.rs", "src/x/../auth/mod.rs", &absolute, &dotted] {
        let mut found = edit(&s1, path, None);
        found.sort();
        assert_eq!(found, ids, "{path}");
    }
    let outside = root.join("../x.rs").to_string_lossy().into_owned();
    for path in ["../src/auth/mod.rs", "src/../../auth/mod.rs", "/etc/passwd", "", "  ", ".", &outside, "C:\\x\\mod.rs"] {
        assert_eq!(s1.on_edit(path, None).expect_err(path).code(), Code::BadPath, "{path}");
    }
}

#[test]
fn the_root_of_the_project_is_where_the_host_says() {
    let test = TestRecord::new();
    let id = anchored(&test, Category::Decision, "x", "src/a.rs", None);
    let s1 = test.record.session("s1").root("/somewhere/else").open().expect("a session");
    assert_eq!(edit(&s1, "/somewhere/else/src/a.rs", None), [id]);
    let inside = test.outside().join("src/a.rs").to_string_lossy().into_owned();
    assert_eq!(s1.on_edit(&inside, None).expect_err("outside").code(), Code::BadPath);
}

#[cfg(unix)]
#[test]
fn a_root_that_is_reached_through_a_link_is_the_same_root() {
    let test = TestRecord::new();
    let id = anchored(&test, Category::Decision, "x", "src/a.rs", None);
    let other = tempfile::tempdir().expect("a folder");
    let link = other.path().join("link");
    std::os::unix::fs::symlink(test.outside(), &link).expect("a link");
    let s1 = test.record.session("s1").root(&link).open().expect("a session");
    for root in [&link, &test.outside().canonicalize().expect("a folder")] {
        assert_eq!(edit(&s1, &root.join("src/a.rs").to_string_lossy(), None), std::slice::from_ref(&id));
    }
}

#[test]
fn risks_come_first_then_the_closest_match() {
    let test = TestRecord::new();
    let folder = anchored(&test, Category::Decision, "folder", "src/auth", None);
    let glob = anchored(&test, Category::Decision, "glob", "src/**/*.rs", None);
    let exact = anchored(&test, Category::Decision, "exact", "src/auth/mod.rs", None);
    let symbol = anchored(&test, Category::Decision, "symbol", "src/auth/mod.rs", Some("Limiter::check"));
    let risk = anchored(&test, Category::Risk, "risk", "src/{auth,web}/*.rs", None);
    anchored(&test, Category::Decision, "elsewhere", "src/web/*.rs", None);
    let s1 = session(&test, "s1");
    assert_eq!(edit(&s1, "src/auth/mod.rs", Some("check")), [&risk, &symbol, &exact, &glob, &folder].map(String::clone));
    assert_eq!(edit(&s1, "src/auth/mod.rs", Some("Other")), [&risk, &exact, &glob, &folder].map(String::clone));
    assert_eq!(edit(&s1, "src/auth/mod.rs", None).len(), 5);
    let moment = s1.on_edit("src/auth/mod.rs", None).expect("a moment");
    assert!(moment.text.find(&format!("RISK on your path  {risk}")).expect("the risk") < moment.text.find(&exact).expect("the fact"), "{}", moment.text);
}

#[test]
fn the_first_edit_of_a_session_gets_a_nudge_once() {
    let test = TestRecord::new();
    let s1 = session(&test, "s1");
    let first = s1.on_edit("a.rs", None).expect("a moment");
    assert!(first.text.contains(first.nudge.as_deref().expect("a nudge")));
    let second = s1.on_edit("b.rs", None).expect("a moment");
    assert_eq!((second.nudge.as_deref(), second.text.as_str()), (None, ""));
    assert!(test.again().session("s1").open().expect("a session").on_edit("c.rs", None).expect("a moment").nudge.is_none());
    s1.compacted().expect("noted");
    assert!(s1.on_edit("a.rs", None).expect("a moment").nudge.is_none(), "once a session, not once an epoch");
}

#[test]
fn what_was_delivered_is_not_told_again_until_it_changes() {
    let test = TestRecord::new();
    let risk = anchored(&test, Category::Risk, "risk", "a.rs", None);
    let s1 = session(&test, "s1");
    let moment = s1.on_edit("a.rs", None).expect("a moment");
    s1.delivered(&moment).expect("noted");
    assert!(edit(&s1, "a.rs", None).is_empty());
    test.recorder().revise(&risk, Revision::new().body("worse")).expect("a revision");
    assert_eq!(edit(&s1, "a.rs", None), std::slice::from_ref(&risk));
    s1.delivered(&s1.on_edit("a.rs", None).expect("a moment")).expect("noted");
    s1.compacted().expect("noted");
    assert_eq!(edit(&s1, "a.rs", None), [risk]);
}

#[test]
fn anchors_follow_revisions_retirements_and_ends() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let s1 = session(&test, "s1");
    let id = anchored(&test, Category::Decision, "old", "a.rs", None);
    recorder.anchor(&id, &[stele_core::Anchor { path: "b.rs".to_owned(), symbol: None }], &["a.rs"]).expect("anchored");
    assert_eq!((edit(&s1, "a.rs", None).len(), edit(&s1, "b.rs", None)), (0, vec![id.clone()]));
    let newer = test.fact(Category::Decision, "new", "");
    recorder.supersede(&newer, &id).reason("it ended").evidence("x").unverified().record().expect("a retirement");
    let moment = s1.on_edit("b.rs", None).expect("a moment");
    assert_eq!(shown(&moment), std::slice::from_ref(&newer));
    assert!(moment.text.contains(&format!("replaces {id}")), "{}", moment.text);
    recorder.archive(&newer, "gone").expect("put away");
    assert!(edit(&s1, "b.rs", None).is_empty());
    let brief = recorder.add(Draft::fact(Category::Fyi, "brief").anchor("c.rs", None).expires_at(stele_core::Timestamp::parse("2026-01-02").expect("a time")));
    assert_eq!(edit(&s1, "c.rs", None), [brief.expect("a fact").id.to_string()]);
    test.clock.set("2026-01-03");
    assert!(edit(&s1, "c.rs", None).is_empty());
}

#[test]
fn no_crowd_of_facts_hides_a_risk() {
    let test = TestRecord::new();
    let risk = anchored(&test, Category::Risk, "risk", "a.rs", None);
    let recorder = test.recorder();
    for number in 0..300 {
        recorder.add(Draft::fact(Category::Fyi, format!("note {number}")).anchor("a.rs", None)).expect("a fact");
    }
    let moment = session(&test, "s1").on_edit("a.rs", None).expect("a moment");
    assert_eq!((moment.callouts.len(), moment.callouts[0].id.to_string(), moment.entries.len()), (1, risk, 19));
    assert!(moment.gaps.iter().any(|gap| gap.kind == stele_core::GapKind::Entries && gap.count > 100), "{:?}", moment.gaps);
}
