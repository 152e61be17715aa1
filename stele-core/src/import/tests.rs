//! Imports and exports against a record in a folder of its own.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::adr::import_adr;
use super::beads::import_beads;
use super::export::{ExportForm, export_jsonl};
use super::jsonl::{import_jsonl, import_lines};
use super::report::{ImportOptions, ImportPhase, ImportReport, LISTED_FAULTS};
use crate::base::erase::Eraser;
use crate::base::error::{Code, Result};
use crate::base::time::{Clock, Deadline, SystemClock, Timestamp};
use crate::record::database::{Database, Durability, IMPORT_MARK, Opening};
use crate::record::edge::{Edge, Found, Relation};
use crate::record::log::Hand;
use crate::record::node::{Node, State, TaskStatus};
use crate::record::reader::Snapshot;
use crate::record::recorder::{Compared, Follower, Recorder, Writing};
use crate::record::writer::Write;

struct Nobody;

impl Follower for Nobody {
    fn compare(&self, _: &str, _: &str) -> Compared {
        Compared::default()
    }
    fn cosines(&self, _: &str, others: &[String]) -> Vec<f32> {
        vec![0.0; others.len()]
    }
    fn written(&self, _: u64) {}
    fn purged(&self, _: &Eraser) -> Result<bool> {
        Ok(true)
    }
}

struct Kept {
    dir: tempfile::TempDir,
    writing: Arc<Writing>,
}

impl Kept {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_millis(200) };
        let database = Arc::new(Database::open(&dir.path().join("record"), opening).expect("a record"));
        let writing = Arc::new(Writing { database, clock: Arc::new(SystemClock), follower: Arc::new(Nobody) });
        Self { dir, writing }
    }

    fn import_with(&self, text: &[u8], options: ImportOptions<'_>) -> Result<ImportReport> {
        import_lines(&self.writing, &mut &text[..], None, "tester", options)
    }

    fn import(&self, text: &str) -> ImportReport {
        self.import_with(text.as_bytes(), ImportOptions::new()).expect("an import that can be read")
    }

    fn views(&self) -> Snapshot {
        Snapshot::open(&self.writing.database, None, SystemClock.now(), Deadline::NEVER).expect("a snapshot")
    }

    fn find(&self, name: &str) -> Option<Node> {
        let views = self.views();
        let id = views.resolve(name).expect("readable")?.id;
        views.node(id.number).expect("readable")
    }

    fn node(&self, name: &str) -> Node {
        self.find(name).unwrap_or_else(|| panic!("{name} is not there"))
    }

    fn edge(&self, from: &str, relation: Relation, to: &str) -> Option<Edge> {
        self.views().find_edge(self.node(from).id.number, relation, self.node(to).id.number).expect("readable")
    }

    fn recorder(&self) -> Recorder<'_> {
        Recorder::new(Arc::clone(&self.writing), "tester", None).expect("a recorder")
    }

    fn export(&self) -> String {
        let path = self.dir.path().join("out.jsonl");
        export_jsonl(&self.writing.database, &path, ExportForm::Interchange, SystemClock.now()).expect("an export");
        fs::read_to_string(path).expect("readable")
    }

    fn left_over(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.writing.database.dir())
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.retain(|name| !name.starts_with("record.db") && name != ".gitignore" && name != "write.lock" && name != "late.lock");
        names
    }
}

fn codes(report: &ImportReport) -> Vec<(u64, Code)> {
    report.errors.iter().map(|fault| (fault.line, fault.code)).collect()
}

const FACT: &str = r#"{"type":"node","alias":"ADR-0007","kind":"knowledge","category":"decision","title":"Limit in front","body":"see ADR-0012","created_at":"2024-01-02T00:00:00Z","tags":["auth"],"anchors":[{"path":"src/auth.rs","symbol":"Limiter"},"src\\x.rs"],"source":{"uri":"docs/adr/0007.md","revision":"a1b2c3","quote":"we limit"}}"#;

#[test]
fn edges_before_their_nodes_are_accepted_and_all_fields_arrive() {
    let kept = Kept::new();
    let report = kept.import(&format!(
        "{}\n{FACT}\n{}\n",
        r#"{"type":"edge","from":"ADR-0012","relation":"supersedes","to":"ADR-0007","reason":"the outage ended it","evidence":"moved   behind"}"#,
        r#"{"type":"node","alias":"ADR-0012","kind":"knowledge","category":"decision","title":"Limit behind","body":"It moved behind auth."}"#
    ));
    assert_eq!((report.nodes, report.edges, report.unverified, report.applied), (2, 1, 0, true), "{report:?}");
    let old = kept.node("adr-0007");
    assert_eq!(old.state, State::Retired);
    assert_eq!(old.created_at, Timestamp::parse("2024-01-02").expect("a date"));
    assert_eq!(old.anchors.iter().map(|anchor| anchor.path.as_str()).collect::<Vec<_>>(), ["src/auth.rs", "src/x.rs"]);
    assert_eq!(old.source.expect("a source").revision.as_deref(), Some("a1b2c3"));
    assert!(kept.edge("ADR-0007", Relation::Mentions, "ADR-0012").expect("drawn from the text").automatic);
    assert_eq!(kept.left_over(), Vec::<String>::new());
}

#[test]
fn the_same_file_twice_changes_nothing_and_one_other_title_is_one_revision() {
    let kept = Kept::new();
    let text =
        format!("{FACT}\n{}\n", r#"{"type":"node","alias":"B-1","kind":"task","title":"Do it"}"#) + r#"{"from":"B-1","relation":"fulfills","to":"ADR-0007"}"#;
    kept.import(&text);
    let head = kept.views().head();
    let again = kept.import(&text);
    assert_eq!((again.nodes, again.revised, again.edges, again.unchanged), (0, 0, 0, 3));
    assert_eq!(kept.views().head(), head);
    let changed = kept.import(&text.replace("Do it", "Do it now"));
    assert_eq!((changed.nodes, changed.revised, changed.unchanged), (0, 1, 2));
    assert_eq!(kept.node("B-1").revision, 2);
}

#[test]
fn a_nameless_node_is_found_again_also_where_its_component_and_its_task_come_later() {
    let text = concat!(
        r#"{"id":"KNOW-1","category":"fyi","title":"In a part","component":"COMP-2","created_at":"2026-01-01T00:00:00Z"}"#,
        "\n",
        r#"{"id":"COMP-2","kind":"component","title":"A part","created_at":"2026-01-01T00:00:00Z"}"#,
        "\n",
        r#"{"id":"KNOW-3","category":"fyi","title":"Until then","resolves_with":"TASK-4","created_at":"2026-01-01T00:00:00Z"}"#,
        "\n",
        r#"{"id":"TASK-4","kind":"task","title":"Do it","created_at":"2026-01-01T00:00:00Z"}"#,
        "\n",
    );
    let kept = Kept::new();
    assert_eq!(kept.import(text).nodes, 4);
    let component = || kept.node("KNOW-1").component.map(|id| id.number);
    assert_eq!((component(), kept.node("KNOW-3").lifecycle.resolves_with), (Some(2), Some(4)));
    let head = kept.views().head();
    let again = kept.import(text);
    assert_eq!((again.nodes, again.revised, again.unchanged, kept.views().head()), (0, 0, 4, head));
    // One that names another component is another node.
    let other = text.lines().next().expect("a line").replace("COMP-2", "COMP-5");
    let part = r#"{"id":"COMP-5","kind":"component","title":"Another part","created_at":"2026-01-01T00:00:00Z"}"#;
    assert_eq!(kept.import(&format!("{other}\n{part}\n")).nodes, 2);
    assert_eq!((component(), kept.node("KNOW-1").revision), (Some(2), 2));
}

#[test]
fn what_a_line_does_not_speak_of_stays_as_it_is() {
    let kept = Kept::new();
    kept.import(FACT);
    kept.recorder().retag("ADR-0007", &["kept"], &[]).expect("retagged");
    kept.import(r#"{"type":"node","alias":"ADR-0007","kind":"decision","title":"Limit in front"}"#);
    assert_eq!(kept.node("ADR-0007").tags, ["auth", "kept"]);
    kept.import(r#"{"type":"node","alias":"ADR-0007","kind":"decision","title":"Limit in front","tags":[]}"#);
    assert_eq!(kept.node("ADR-0007").tags, Vec::<String>::new());
}

#[test]
fn a_line_about_a_rule_changes_only_what_it_speaks_of_and_promotes_nothing() {
    let kept = Kept::new();
    let recorder = kept.recorder();
    let mut proposed = crate::record::draft::Draft::rule("Proposed", "Run `cargo fmt` before each commit in src/.").alias("R-2").routing(|rule| {
        (rule.mandatory, rule.trigger, rule.keywords) = (true, "on commit".to_owned(), vec!["commit".to_owned()]);
        (rule.domain, rule.severity, rule.provisional) = (Some("process".to_owned()), crate::record::node::Severity::High, true);
    });
    proposed.body = "Check: cargo fmt --check".to_owned();
    recorder.add(proposed).expect("a rule");
    let before = kept.node("R-2");
    let line = |more: &str| {
        format!(r#"{{"type":"node","alias":"R-2","kind":"rule","title":"Proposed","statement":"Run `cargo fmt` before each commit in src/."{more}}}"#)
    };
    assert_eq!(kept.import(&line("")).unchanged, 1);
    assert_eq!(kept.import(&line(r#","provisional":false"#)).unchanged, 1);
    assert_eq!(kept.node("R-2"), before);
    assert_eq!(kept.import(&line(r#","mandatory":false,"keywords":[],"domain":"","severity":"low""#)).revised, 1);
    let crate::record::node::Detail::Rule(rule) = kept.node("R-2").detail else { panic!("a rule") };
    assert_eq!((rule.mandatory, rule.trigger.as_str(), rule.keywords.len(), rule.domain, rule.provisional), (false, "on commit", 0, None, true));
}

#[test]
fn an_empty_field_empties_it_whatever_it_holds() {
    let kept = Kept::new();
    let line = |more: &str| format!(r#"{{"type":"node","alias":"F-1","kind":"fyi","title":"x"{more}}}"#);
    let others = concat!(r#"{"type":"node","alias":"C-1","kind":"component","title":"c"}"#, "\n", r#"{"type":"node","alias":"T-1","kind":"task","title":"t"}"#);
    let full =
        r#","body":"b","tags":["t"],"anchors":["a"],"source":"s","component":"C-1","resolves_with":"T-1","expires_at":"2030-01-01","review_at":"2030-01-01""#;
    assert_eq!(kept.import(&format!("{others}\n{}", line(full))).nodes, 3);
    let empty = r#","body":"","tags":[],"anchors":[],"source":"","component":"","resolves_with":"","expires_at":"","review_at":"""#;
    assert_eq!(kept.import(&line(empty)).revised, 1);
    let node = kept.node("F-1");
    assert_eq!((node.body.as_str(), node.tags.len(), node.anchors.len(), node.source, node.component), ("", 0, 0, None, None));
    assert_eq!(node.lifecycle, crate::record::node::Lifecycle::default());
    assert_eq!((kept.import(&line(empty)).unchanged, Kept::new().import(&line(empty)).nodes), (1, 1));
}

#[test]
fn a_component_that_comes_late_makes_the_node_that_names_it_a_revised_one() {
    let kept = Kept::new();
    let node = r#"{"type":"node","alias":"F-1","kind":"fyi","title":"x"}"#;
    kept.import(node);
    let under = r#"{"type":"node","alias":"F-1","kind":"fyi","title":"x","component":"C-1"}"#;
    let late = format!("{under}\n{}\n", r#"{"type":"node","alias":"C-1","kind":"component","title":"c"}"#);
    let report = kept.import(&late);
    assert_eq!((report.nodes, report.revised, report.unchanged), (1, 1, 0));
    let report = kept.import(&late);
    assert_eq!((report.nodes, report.revised, report.unchanged), (0, 0, 2));
}

#[test]
fn a_claimed_task_that_becomes_a_container_is_let_go_of() {
    let kept = Kept::new();
    let line = |kind: &str| format!(r#"{{"type":"node","alias":"T-1","kind":"{kind}","title":"t"}}"#);
    kept.import(&line("task"));
    kept.recorder().claim("T-1").take().expect("claimed");
    assert_eq!(kept.import(&line("task")).unchanged, 1);
    assert_eq!(kept.node("T-1").status, Some(TaskStatus::Claimed));
    assert_eq!(kept.import(&line("epic")).revised, 1);
    assert_eq!((kept.node("T-1").status, kept.node("T-1").claim), (Some(TaskStatus::Open), None));
    Recorder::new(Arc::clone(&kept.writing), "another", None).expect("a recorder").complete("T-1", "done").expect("a container is anybody's to end");
}

#[test]
fn what_was_taken_away_here_stays_away_until_the_source_says_something_else() {
    let kept = Kept::new();
    let line = |from: &str, relation: &str, to: &str, reason: &str| {
        format!(r#"{{"type":"edge","from":"{from}","relation":"{relation}","to":"{to}","reason":"{reason}"}}"#)
    };
    let nodes = ["A-1", "A-2", "A-3"].map(|alias| format!(r#"{{"type":"node","alias":"{alias}","kind":"decision","title":"{alias}"}}"#)).join("\n");
    let file = |reason: &str| [nodes.clone(), line("A-2", "supersedes", "A-1", reason), line("A-2", "contradicts", "A-3", "x")].join("\n");
    assert_eq!(kept.import(&file("it ended")).edges, 2);
    kept.recorder().demote("A-2", "A-1", "it did not end").expect("undone");
    kept.recorder().unlink("A-3", Relation::Contradicts, "A-2", "both hold").expect("taken away");
    let report = kept.import(&file("it ended"));
    assert_eq!((report.applied, report.edges, report.unchanged, report.skipped_count), (true, 0, 3, 2), "{:?}", report.skipped);
    assert_eq!((kept.node("A-1").state, report.skipped[0].what.as_str()), (State::Live, "A-2 supersedes A-1"));
    assert_eq!(kept.import(&line("A-3", "contradicts", "A-2", "x")).skipped_count, 1);
    assert_eq!(kept.import(&file("the vendor ended it")).edges, 1);
    assert_eq!(kept.node("A-1").state, State::Retired);
}

#[test]
fn an_export_read_into_its_own_record_adds_no_node() {
    let kept = Kept::new();
    let recorder = kept.recorder();
    let [ended, open, held] = ["a", "b", "c"].map(|title| recorder.task(title).record().expect("a task").id.to_string());
    recorder.complete(&ended, "done").expect("completed");
    recorder.claim(&held).take().expect("claimed");
    recorder.link(&open, Relation::Blocks, &held).expect("joined");
    let secret = recorder.fact(crate::record::node::Category::Fyi, "what must go").alias("F-1").record().expect("a fact").id.to_string();
    recorder.purge(&secret, "the law", &[]).expect("purged");
    // The first time it is noted that this source tells of an end.
    for (revised, unchanged) in [(1, 4), (0, 5)] {
        let report = kept.import(&kept.export());
        assert_eq!((report.errors, report.nodes, report.edges, report.revised, report.unchanged), (vec![], 0, 0, revised, unchanged));
    }
}

#[test]
fn one_fault_keeps_everything_out_unless_the_import_is_partial() {
    let kept = Kept::new();
    let text = format!("{FACT}\n{}\n", r#"{"type":"node","kind":"knowledge","category":"opinion","title":"x"}"#);
    let report = kept.import(&text);
    assert_eq!(codes(&report), [(2, Code::UnknownCategory)]);
    assert!(!report.applied && report.nodes == 0 && kept.views().head() == 0);
    let partial = kept.import_with(text.as_bytes(), ImportOptions::new().partial()).expect("readable");
    assert_eq!((partial.applied, partial.nodes, codes(&partial)), (true, 1, vec![(2, Code::UnknownCategory)]));
}

#[test]
fn every_sort_of_bad_line_is_told_by_line_and_code() {
    let kept = Kept::new();
    let deep = format!(r#"{{"type":"node","kind":"fyi","title":"deep","extra":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let token = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let lines: Vec<(String, Option<Code>)> = vec![
        ("\u{feff}".to_owned() + r#"{"kind":"fyi","title":"a mark before it"}"# + "\r", None),
        (String::new(), None),
        ("not json".into(), Some(Code::BadLine)),
        ("[1]".into(), Some(Code::BadLine)),
        (r#"{"type":"nodes"}"#.into(), Some(Code::UnknownValue)),
        (r#"{"type":"node","title":"x"}"#.into(), Some(Code::EmptyField)),
        (r#"{"kind":"fyi","title":" "}"#.into(), Some(Code::EmptyTitle)),
        (r#"{"kind":"fyi","title":5}"#.into(), Some(Code::BadLine)),
        (r#"{"kind":"fyi","title":"x","title":"y"}"#.into(), Some(Code::BadLine)),
        (r#"{"kind":"fyi","title":"x\u0000"}"#.into(), Some(Code::BadText)),
        (r#"{"kind":"fyi","title":"x","created_at":"yesterday"}"#.into(), Some(Code::BadTime)),
        (r#"{"kind":"fyi","title":"x","alias":"../../etc/passwd"}"#.into(), Some(Code::BadAlias)),
        (r#"{"kind":"fyi","title":"x","alias":"KNOW-3"}"#.into(), Some(Code::BadAlias)),
        (r#"{"kind":"fyi","title":"x","anchors":["../x"]}"#.into(), Some(Code::BadPath)),
        (r#"{"kind":"task","title":"x","priority":9}"#.into(), Some(Code::OutOfRange)),
        (r#"{"kind":"task","title":"x","priority":-1}"#.into(), Some(Code::OutOfRange)),
        (r#"{"kind":"task","title":"x","status":"done"}"#.into(), Some(Code::UnknownValue)),
        (r#"{"kind":"rule","title":"x"}"#.into(), Some(Code::EmptyField)),
        (r#"{"from":"A-1","relation":"replaces","to":"B-1"}"#.into(), Some(Code::UnknownRelation)),
        (r#"{"from":"A-1","relation":"blocks"}"#.into(), Some(Code::EmptyField)),
        (format!(r#"{{"kind":"fyi","title":"x","body":"{token}"}}"#), Some(Code::Secret)),
        (format!(r#"{{"from":"A-1","relation":"blocks","to":"B-1","reason":"{token}"}}"#), Some(Code::Secret)),
        (deep, Some(Code::BadLine)),
        (format!(r#"{{"kind":"fyi","title":"x","body":"{}"}}"#, "b".repeat(70_000)), Some(Code::TooLarge)),
    ];
    let mut bytes = lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n").into_bytes();
    bytes.extend_from_slice(b"\n\xff\xfe\n");
    let report = kept.import_with(&bytes, ImportOptions::new()).expect("readable");
    let mut expected: Vec<(u64, Code)> = (1u64..).zip(&lines).filter_map(|(line, (_, code))| code.map(|code| (line, code))).collect();
    expected.push((lines.len() as u64 + 1, Code::BadText));
    assert_eq!(codes(&report), expected);
    assert!(report.errors.iter().all(|fault| !fault.message.contains(&token) && fault.message.len() < 600), "a message is bounded and holds no credential");
    assert_eq!(kept.views().head(), 0);
    assert!(
        kept.import_with(format!(r#"{{"kind":"fyi","title":"x","body":"{token}"}}"#).as_bytes(), ImportOptions::new().allow_secrets())
            .expect("readable")
            .applied
    );
}

#[test]
fn faults_are_listed_up_to_a_bound_and_counted_beyond_it() {
    let kept = Kept::new();
    let report = kept.import(&"x\n".repeat(LISTED_FAULTS + 500));
    assert_eq!((report.errors.len(), report.error_count), (LISTED_FAULTS, LISTED_FAULTS as u64 + 500));
}

#[test]
fn fields_of_later_releases_are_passed_over_and_counted() {
    let report = Kept::new().import("{\"kind\":\"fyi\",\"title\":\"a\",\"mood\":[1,{}]}\n{\"kind\":\"fyi\",\"title\":\"b\",\"mood\":2}");
    assert!(report.applied);
    assert_eq!(report.ignored_fields.into_iter().collect::<Vec<_>>(), [("mood".to_owned(), 2)]);
}

#[test]
fn a_name_that_stands_for_nothing_is_a_fault_and_a_faulty_node_does_not_multiply_faults() {
    let kept = Kept::new();
    let report = kept.import(concat!(
        r#"{"kind":"fyi","title":"","alias":"BAD-1"}"#,
        "\n",
        r#"{"kind":"fyi","title":"a","alias":"A-1","component":"nowhere"}"#,
        "\n",
        r#"{"from":"A-1","relation":"relates-to","to":"BAD-1"}"#,
        "\n",
        r#"{"from":"A-1","relation":"relates-to","to":"NONE-1"}"#,
        "\n"
    ));
    assert_eq!(codes(&report), [(1, Code::EmptyTitle), (2, Code::UnknownNode), (4, Code::UnknownNode)]);
}

#[test]
fn components_and_tasks_may_come_after_the_nodes_that_name_them() {
    let kept = Kept::new();
    let report = kept.import(concat!(
        r#"{"kind":"fyi","title":"a","alias":"A-1","component":"c-auth1","resolves_with":"T-1"}"#,
        "\n",
        r#"{"kind":"task","title":"t","alias":"T-1"}"#,
        "\n",
        r#"{"kind":"component","title":"auth","alias":"c-auth1","parent":"c-all1"}"#,
        "\n",
        r#"{"kind":"component","title":"all","alias":"c-all1"}"#,
        "\n",
        r#"{"kind":"fyi","title":"b","alias":"A-2","component":"T-1"}"#,
        "\n"
    ));
    assert_eq!(codes(&report), [(5, Code::WrongKind)]);
    let report = kept.import(concat!(
        r#"{"kind":"fyi","title":"a","alias":"A-1","component":"c-auth1","resolves_with":"T-1"}"#,
        "\n",
        r#"{"kind":"task","title":"t","alias":"T-1"}"#,
        "\n",
        r#"{"kind":"component","title":"auth","alias":"c-auth1","parent":"c-all1"}"#,
        "\n",
        r#"{"kind":"component","title":"all","alias":"c-all1"}"#,
        "\n"
    ));
    assert!(report.applied, "{report:?}");
    assert_eq!(kept.node("A-1").component, Some(kept.node("c-auth1").id));
    assert_eq!(kept.node("c-auth1").component, Some(kept.node("c-all1").id));
    assert_eq!(kept.node("A-1").lifecycle.resolves_with, Some(kept.node("T-1").id.number));
}

#[test]
fn a_retirement_without_reason_or_evidence_is_kept_and_counted_as_unverified() {
    let kept = Kept::new();
    let report = kept.import(concat!(
        r#"{"kind":"fyi","title":"a","alias":"A-1"}"#,
        "\n",
        r#"{"kind":"fyi","title":"b","alias":"A-2"}"#,
        "\n",
        r#"{"kind":"fyi","title":"c","alias":"A-3"}"#,
        "\n",
        r#"{"from":"A-2","relation":"supersedes","to":"A-1"}"#,
        "\n",
        r#"{"from":"A-3","relation":"supersedes","to":"A-2","reason":"r","evidence":"stands nowhere"}"#,
        "\n",
        r#"{"from":"A-3","relation":"supersedes","to":"A-1","reason":"\u200b","evidence":"a"}"#,
        "\n"
    ));
    assert_eq!((report.applied, report.unverified), (true, 3));
    assert_eq!(kept.node("A-1").state, State::Retired);
    for (newer, older) in [("A-2", "A-1"), ("A-3", "A-1")] {
        assert!(kept.edge(newer, Relation::Supersedes, older).expect("an edge").is_unverified(), "{newer}");
    }
}

#[test]
fn a_cycle_is_a_fault_and_partial_keeps_it_as_relates_to() {
    let kept = Kept::new();
    let text = concat!(
        r#"{"kind":"task","title":"a","alias":"A-1"}"#,
        "\n",
        r#"{"kind":"task","title":"b","alias":"A-2"}"#,
        "\n",
        r#"{"from":"A-1","relation":"blocks","to":"A-2"}"#,
        "\n",
        r#"{"from":"A-2","relation":"blocks","to":"A-1"}"#,
        "\n",
        r#"{"from":"A-1","relation":"blocks","to":"A-1"}"#,
        "\n"
    );
    let report = kept.import(text);
    assert_eq!(codes(&report), [(4, Code::Cycle), (5, Code::SelfEdge)]);
    assert!(report.errors[0].message.contains("A-2 → A-1 → A-2"), "{report:?}");
    assert_eq!((report.nodes, report.edges, kept.views().head()), (0, 0, 0));
    let partial = kept.import_with(text.as_bytes(), ImportOptions::new().partial()).expect("readable");
    assert_eq!((partial.weakened, partial.edges, codes(&partial)), (1, 2, vec![(5, Code::SelfEdge)]));
    assert!(kept.edge("A-2", Relation::RelatesTo, "A-1").is_some());
}

#[test]
fn a_long_chain_in_the_worst_order_is_checked_for_cycles() {
    let kept = Kept::new();
    let count = 3_000;
    let mut text: String = (0..count).map(|n| format!("{{\"kind\":\"task\",\"title\":\"t\",\"alias\":\"T-x{n}\"}}\n")).collect();
    (0..count - 1).rev().for_each(|n| text.push_str(&format!("{{\"from\":\"T-x{n}\",\"relation\":\"blocks\",\"to\":\"T-x{}\"}}\n", n + 1)));
    assert_eq!(kept.import(&text).edges, count - 1);
}

#[test]
fn an_alias_given_twice_in_one_file_is_a_fault_unless_both_say_the_same() {
    let kept = Kept::new();
    let same = r#"{"kind":"fyi","title":"a","alias":"A-1"}"#;
    assert_eq!(codes(&kept.import(&format!("{same}\n{}", same.replace("\"a\"", "\"b\"")))), [(2, Code::AliasTaken)]);
    let report = kept.import(&format!("{same}\n{same}"));
    assert_eq!((report.nodes, report.unchanged, report.applied), (1, 1, true));
    let both = kept.import("{\"kind\":\"fyi\",\"title\":\"b\",\"alias\":\"A-2\"}\n{\"kind\":\"fyi\",\"title\":\"c\",\"aliases\":[\"A-1\",\"A-2\"]}");
    assert_eq!(codes(&both), [(2, Code::AliasTaken)]);
}

#[test]
fn a_further_alias_in_a_later_file_is_added() {
    let kept = Kept::new();
    kept.import(r#"{"kind":"fyi","title":"a","alias":"A-1"}"#);
    assert_eq!(kept.import(r#"{"kind":"fyi","title":"a","aliases":["A-1","A-9"]}"#).revised, 1);
    assert_eq!(kept.node("A-9").id, kept.node("A-1").id);
}

#[test]
fn numbers_of_the_file_mean_its_own_nodes_and_not_those_of_the_record() {
    let kept = Kept::new();
    kept.import("{\"kind\":\"fyi\",\"title\":\"here before\",\"alias\":\"A-1\"}");
    let report = kept.import(concat!(
        r#"{"kind":"fyi","id":"KNOW-1","title":"one of the file"}"#,
        "\n",
        r#"{"kind":"fyi","id":"KNOW-2","title":"two of the file"}"#,
        "\n",
        r#"{"from":"KNOW-1","relation":"caused-by","to":"KNOW-2"}"#,
        "\n",
        r#"{"from":"KNOW-1","relation":"relates-to","to":"A-1"}"#
    ));
    assert_eq!((report.nodes, report.edges), (2, 2), "{report:?}");
    assert!(kept.edge("KNOW-2", Relation::CausedBy, "KNOW-3").is_some());
}

#[test]
fn progress_is_told_outside_the_lock_and_ends_with_done() {
    let kept = Kept::new();
    let text = (0..2_500).map(|n| format!("{{\"kind\":\"fyi\",\"title\":\"t{n}\"}}\n")).collect::<String>();
    let mut phases = Vec::new();
    let other = Arc::clone(&kept.writing);
    let mut told = |progress: super::report::Progress| {
        let hand = Hand { at: SystemClock.now(), actor: "other", session: None };
        Write::begin(&other.database, &hand, Duration::from_millis(50)).map(drop).expect("no lock is held");
        phases.push((progress.phase, progress.lines));
    };
    kept.import_with(text.as_bytes(), ImportOptions::new().progress(&mut told)).expect("readable");
    assert_eq!(phases.first(), Some(&(ImportPhase::Reading, 0)));
    assert!(phases.contains(&(ImportPhase::Reading, 2_000)));
    assert_eq!(phases.last(), Some(&(ImportPhase::Done, 2_500)));
}

#[test]
fn a_waiting_writer_is_told_of_an_import_and_the_mark_goes_with_it() {
    let kept = Kept::new();
    fs::write(kept.writing.database.dir().join(IMPORT_MARK), "").expect("a mark");
    let hand = Hand { at: SystemClock.now(), actor: "other", session: None };
    let second = Database::open(
        kept.writing.database.dir(),
        Opening { create: false, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_millis(50) },
    );
    let second = Arc::new(second.expect("a second handle"));
    let holding = Write::begin(&second, &hand, Duration::from_millis(50)).expect("the lock");
    let error = kept.import_with(FACT.as_bytes(), ImportOptions::new()).expect_err("the lock is held");
    assert_eq!(error.code(), Code::Busy);
    assert!(error.to_string().contains("import"), "{error}");
    drop(holding);
    kept.import(FACT);
    assert_eq!(kept.left_over(), Vec::<String>::new());
}

#[test]
fn export_into_an_empty_record_and_export_again_gives_the_same_bytes() {
    let kept = Kept::new();
    kept.import(&format!("{FACT}\n{}", concat!(
        r#"{"kind":"component","title":"auth","alias":"c-auth1"}"#, "\n",
        r#"{"kind":"lesson","title":"nameless","body":"KNOW-1 and ADR-0012 are named","component":"c-auth1","expires_at":"2030-01-01","review_at":"1931-02-03T04:05:06.007Z"}"#, "\n",
        r#"{"kind":"task","title":"t","aliases":["Z-1","a-1"],"priority":0,"status":"completed","success_criteria":"done"}"#, "\n",
        r#"{"kind":"epic","title":"e","alias":"E-1","status":"claimed"}"#, "\n",
        r#"{"kind":"risk","title":"r","alias":"R-1","resolves_with":"E-1","archived":"no longer so","source":{"uri":"","known":"observed"}}"#, "\n",
        r#"{"kind":"rule","title":"never","alias":"rule-n1","statement":"do not","forbidden":["just"],"instead":"say","severity":"high","keywords":["C++"],"mandatory":true,"domain":"process","points":["prompt"]}"#, "\n",
        r##"{"kind":"document","title":"d","alias":"D-1","body":"# h\n\ntext"}"##, "\n",
        r#"{"kind":"diagram","title":"g","body":"graph TD;"}"#, "\n",
        r#"{"kind":"decision","title":"Limit behind","alias":"ADR-0012","tags":["b","a"]}"#, "\n",
        r#"{"from":"ADR-0012","relation":"supersedes","to":"ADR-0007","reason":"ended","evidence":"we limit"}"#, "\n",
        r#"{"from":"R-1","relation":"supersedes","to":"D-1"}"#, "\n",
        r#"{"from":"R-1","relation":"caused-by","to":"ADR-0007","reason":"why","evidence":"quoted elsewhere","source_text":{"text":"as quoted elsewhere in a file","uri":"f.md"}}"#, "\n",
        r#"{"from":"E-1","relation":"mentions","to":"ADR-0007"}"#, "\n",
        r#"{"from":"D-1","relation":"contradicts","to":"R-1"}"#
    )));
    let recorder = kept.recorder();
    recorder.fact(crate::record::node::Category::Fyi, "later").under("c-auth1").record().expect("recorded");
    recorder.component("made late").alias("c-late1").record().expect("recorded");
    recorder.move_to("ADR-0012", Some("c-late1")).expect("moved");
    let first = kept.export();
    assert!(first.contains("no longer so") && !first.contains("claimed"), "{first}");
    let second = Kept::new();
    let report = second.import(&first);
    assert!(report.applied, "{report:?}");
    assert_eq!(second.export(), first);
    assert!(matches!(
        second.edge("R-1", Relation::CausedBy, "ADR-0007").and_then(|edge| edge.evidence).map(|evidence| evidence.found),
        Some(Found::Text { .. })
    ));
    assert_eq!(second.node("R-1").state, State::Archived);
    let again = second.import(&first);
    assert_eq!((again.nodes, again.revised, again.edges), (0, 0, 0), "{again:?}");
}

#[test]
fn an_exported_log_holds_every_operation_with_hashes_that_fit() {
    let kept = Kept::new();
    kept.import(FACT);
    kept.recorder().retag("ADR-0007", &["x"], &[]).expect("retagged");
    let path = kept.dir.path().join("log.jsonl");
    let report = export_jsonl(&kept.writing.database, &path, ExportForm::Log, SystemClock.now()).expect("an export");
    assert_eq!(report.operations, 2);
    let text = fs::read_to_string(&path).expect("readable");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines[0]["type"].as_str(), lines[0]["head"].as_u64()), (Some("log"), Some(2)));
    let salt: Vec<u8> = lines[1]["salt"]
        .as_str()
        .map(|hex| (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect())
        .expect("a salt");
    let at = Timestamp::parse(lines[1]["at"].as_str().expect("a time")).expect("a time");
    let hash = crate::record::log::operation_hash(
        1,
        at,
        "tester",
        None,
        lines[1]["kind"].as_str().expect("a kind"),
        &salt,
        lines[1]["payload"].as_str().expect("a payload"),
    );
    assert_eq!(lines[1]["op_hash"].as_str(), Some(crate::base::id::hex(&hash).as_str()));
}

#[test]
fn an_export_appears_whole_or_not_and_never_inside_the_record() {
    let kept = Kept::new();
    kept.import(FACT);
    let inside = kept.writing.database.dir().join("record.db");
    let export = |path: &Path| export_jsonl(&kept.writing.database, path, ExportForm::Interchange, SystemClock.now()).map_err(|error| error.code());
    assert_eq!(export(&inside), Err(Code::BadPath));
    assert_eq!(export(&kept.dir.path().join("no/such/folder/x")), Err(Code::NoSuchPath));
    assert_eq!(export(kept.dir.path()), Err(Code::BadPath));
    let path = kept.dir.path().join("x.jsonl");
    fs::write(&path, "before").expect("written");
    export(&path).expect("an export");
    assert!(fs::read_to_string(&path).expect("readable").starts_with(r#"{"type":"node""#));
    let left: Vec<_> = fs::read_dir(kept.dir.path())
        .expect("readable")
        .filter(|entry| entry.as_ref().expect("readable").file_name().to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty());
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    dir
}

#[test]
fn a_folder_of_decision_records_becomes_decisions_with_their_retirements() {
    let dir = folder(&[
        ("README.md", "# Decisions\n\n## Status\n"),
        ("0000-template.md", "# 0. Title\n\n## Status\n\nSuperseded by [ADR-0001](0001-a.md)\n"),
        ("notes.md", "# Notes\n\nNothing decided.\n"),
        (
            "0008-use-heroku.md",
            "# 8. Use Heroku\r\n\r\nDate: 2020-01-02\r\n\r\n## Status\r\n\r\nSuperceded by [22. Use PaaS](0022-use-paas.md)\r\n\r\n## Decision\r\n\r\nHeroku.\r\n",
        ),
        (
            "0022-use-paas.md",
            "# 22. Use PaaS\n\nDate: 2021-01-02\n\n## Status\n\nAccepted\n\nSupersedes [8. Use Heroku](0008-use-heroku.md)\n\nAmends [ADR-0009](sub/0009-x.md)\n\n## Context\n\nSee ADR-8.\n",
        ),
        ("sub/0009-x.md", "---\nstatus: superseded by [ADR-0010](../0010-y.md)\ndate: 2022-03-04\n---\n# Use x\n\n## Context and Problem Statement\n\ntext\n"),
        (
            "0010-y.md",
            "# Use y\n\n* Status: proposed\n* Date: 2022-05-06\n\n## Decision Outcome\n\nSupersedes nothing.\n\n## Links\n\n* Supersedes [ADR-0022](0022-use-paas.md)\n* Superseded by nobody\n",
        ),
    ]);
    let kept = Kept::new();
    let report = import_adr(&kept.writing, dir.path(), "tester", ImportOptions::new()).expect("readable");
    assert_eq!((report.applied, report.nodes, report.unverified), (true, 4, 0), "{report:?}");
    assert_eq!(report.skipped.iter().map(|skipped| skipped.what.as_str()).collect::<Vec<_>>(), ["0000-template.md", "README.md", "notes.md"]);
    let old = kept.node("ADR-0008");
    assert_eq!((old.title.as_str(), old.state, old.created_at), ("Use Heroku", State::Retired, Timestamp::parse("2020-01-02").expect("a date")));
    assert_eq!(old.source.expect("a source").uri, "0008-use-heroku.md");
    let edge = kept.edge("ADR-22", Relation::Supersedes, "0008-use-heroku.md").expect("an edge");
    assert!(!edge.is_unverified() && edge.reason.contains("Use Heroku") && edge.reason.contains("Use PaaS"), "{edge:?}");
    assert!(kept.edge("ADR-0022", Relation::Mentions, "ADR-0008").is_some());
    assert!(kept.edge("ADR-0022", Relation::RelatesTo, "ADR-0009").is_some());
    assert!(kept.edge("ADR-0010", Relation::Supersedes, "ADR-0009").is_some_and(|edge| !edge.is_unverified()));
    assert!(kept.edge("ADR-0010", Relation::RelatesTo, "ADR-0022").is_some(), "a proposal has ended nothing");
    assert_eq!(kept.node("ADR-0022").state, State::Live);
    assert_eq!(kept.node("ADR-0010").tags, ["proposed"]);
    let again = import_adr(&kept.writing, dir.path(), "tester", ImportOptions::new()).expect("readable");
    assert_eq!((again.nodes, again.revised, again.edges), (0, 0, 0), "{again:?}");
}

#[cfg(unix)]
#[test]
fn what_leaves_the_folder_and_what_is_no_text_is_reported_by_path() {
    let outside = folder(&[("0003-c.md", "# 3. C\n\n## Status\n\nAccepted\n")]);
    let dir = folder(&[("0001-a.md", "# 1. A\n\n## Status\n\nAccepted\n")]);
    fs::write(dir.path().join("0002-b.md"), b"# 2. B\n\xff\n").expect("written");
    std::os::unix::fs::symlink(outside.path().join("0003-c.md"), dir.path().join("0003-c.md")).expect("a link");
    std::os::unix::fs::symlink(outside.path(), dir.path().join("others")).expect("a link");
    std::os::unix::fs::symlink(dir.path(), dir.path().join("loop")).expect("a link");
    let kept = Kept::new();
    let report = import_adr(&kept.writing, dir.path(), "tester", ImportOptions::new().partial()).expect("readable");
    let faults: Vec<_> = report.errors.iter().map(|fault| (fault.path.as_deref().unwrap_or(""), fault.code)).collect();
    assert_eq!(faults, [("0003-c.md", Code::SymlinkRefused), ("others", Code::SymlinkRefused), ("0002-b.md", Code::BadText)]);
    assert_eq!(report.nodes, 1);
    assert!(kept.find("ADR-0003").is_none());
}

#[test]
fn folders_of_two_projects_with_prefixes_keep_apart() {
    let dir = folder(&[("0001-record.md", "# 1. A\n\n## Status\n\nAccepted\n")]);
    let kept = Kept::new();
    for prefix in ["ADR", "HYDRA"] {
        assert_eq!(import_adr(&kept.writing, dir.path(), "tester", ImportOptions::new().prefix(prefix)).expect("readable").nodes, 1);
    }
    assert_ne!(kept.node("ADR-1").id, kept.node("HYDRA-0001").id);
    assert_eq!(import_adr(&kept.writing, dir.path(), "tester", ImportOptions::new().prefix("a b")).expect_err("no alias").code(), Code::BadAlias);
}

#[test]
fn an_issue_file_becomes_tasks_with_their_dependencies() {
    let kept = Kept::new();
    let path = kept.dir.path().join("issues.jsonl");
    let text = concat!(
        r#"{"id":"bd-1","title":"child","description":"d","design":"how","acceptance_criteria":"works","notes":"n","status":"closed","priority":1,"issue_type":"bug","created_at":"2025-11-02T21:58:07.295058-08:00","closed_at":"2025-11-03T20:56:22-08:00","labels":["x"],"dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-9","type":"parent-child"},{"issue_id":"bd-1","depends_on_id":"bd-2","type":"blocks"},{"issue_id":"bd-1","depends_on_id":"gone-7","type":"blocks"}]}"#,
        "\n",
        r#"{"id":"bd-2","title":"blocker","status":"in_progress","priority":2,"issue_type":"task","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"discovered-from"},{"issue_id":"bd-2","depends_on_id":"bd-1","type":"related"},{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"}]}"#,
        "\n",
        r#"{"id":"bd-9","title":"all of it","status":"open","priority":0,"issue_type":"epic","dependencies":[{"issue_id":"bd-9","depends_on_id":"task-4","type":"parent-child"}]}"#,
        "\n",
        r#"{"id":"task-4","title":"an id like ours","status":"open","issue_type":"epic","dependencies":[{"issue_id":"task-4","depends_on_id":"bd-1","type":"blocks"}]}"#,
        "\n",
        r#"{"id":"bd-3","title":"deleted","status":"tombstone"}"#,
        "\n"
    );
    fs::write(&path, text).expect("written");
    let report = import_beads(&kept.writing, &path, "tester", ImportOptions::new()).expect("readable");
    assert_eq!((report.applied, report.nodes, report.skipped_count), (true, 4, 2), "{report:?}");
    let child = kept.node("bd-1");
    assert_eq!(
        (child.status, child.tags.as_slice(), child.body.as_str()),
        (Some(TaskStatus::Completed), &["bug".to_owned(), "x".to_owned()][..], "d\n\n## Design\n\nhow\n\n## Notes\n\nn")
    );
    assert_eq!(child.created_at.to_string(), "2025-11-03T05:58:07.295Z");
    assert_eq!(kept.node("bd-2").tags, ["in_progress"]);
    assert!(kept.edge("bd-2", Relation::Blocks, "bd-1").is_some());
    assert!(kept.edge("bd-1", Relation::Blocks, "bd-9").is_some(), "a child counts for its container");
    assert!(kept.edge("bd-2", Relation::Fulfills, "bd-1").is_some(), "a parent that is no container is fulfilled");
    assert!(kept.edge("bd-2", Relation::CausedBy, "bd-1").is_some_and(|edge| !edge.reason.is_empty()));
    assert!(kept.edge("bd-2", Relation::RelatesTo, "bd-1").is_some());
    assert!(kept.edge("bd-9", Relation::Blocks, "beads/task-4").is_some());
    let again = import_beads(&kept.writing, &path, "tester", ImportOptions::new()).expect("readable");
    assert_eq!((again.nodes, again.revised, again.edges), (0, 0, 0), "{again:?}");
}

#[test]
fn a_child_whose_parent_blocks_it_fulfills_the_parent_instead() {
    let kept = Kept::new();
    let path = kept.dir.path().join("issues.jsonl");
    let text = r#"{"id":"e-1","title":"e","issue_type":"epic"}
{"id":"c-1","title":"c","dependencies":[{"depends_on_id":"e-1","type":"parent-child"},{"depends_on_id":"e-1","type":"blocks"}]}"#;
    fs::write(&path, text).expect("written");
    let report = import_beads(&kept.writing, &path, "tester", ImportOptions::new()).expect("readable");
    assert_eq!((report.applied, report.weakened), (true, 1), "{report:?}");
    assert!(kept.edge("c-1", Relation::Fulfills, "e-1").is_some() && kept.edge("e-1", Relation::Blocks, "c-1").is_some());
}

#[test]
fn a_source_that_is_not_there_and_a_read_only_record_are_errors() {
    let kept = Kept::new();
    let nowhere = kept.dir.path().join("nowhere");
    assert_eq!(import_jsonl(&kept.writing, &nowhere, "t", ImportOptions::new()).expect_err("nothing").code(), Code::NoSuchPath);
    assert_eq!(import_adr(&kept.writing, &nowhere, "t", ImportOptions::new()).expect_err("nothing").code(), Code::NoSuchPath);
    assert_eq!(kept.import_with(b"", ImportOptions::new().session(" ")).expect_err("no session").code(), Code::EmptyField);
    let opening = Opening { create: false, read_only: true, durability: Durability::Normal, busy_timeout: Duration::from_millis(50) };
    let database = Arc::new(Database::open(kept.writing.database.dir(), opening).expect("a record"));
    let reading = Arc::new(Writing { database, clock: Arc::new(SystemClock), follower: Arc::new(Nobody) });
    assert_eq!(import_lines(&reading, &mut FACT.as_bytes(), None, "t", ImportOptions::new()).expect_err("read-only").code(), Code::ReadOnly);
}
