//! Lines of an import, raw and put together from fields: faults are named by line, nothing is half imported, the same
//! file again changes nothing, and what is exported can be imported and exported to the same bytes.

use std::cell::RefCell;
use std::fs;
use std::time::Duration;

use serde_json::{Map, Value, json};
use stele_core::{Durability, ExportForm, ImportOptions, ImportReport, Record};

use super::bytes::Bytes;
use crate::TestRecord;

/// Most lines that are put together.
const LINES: usize = 24;

const NAMES: [&str; 14] =
    ["A-1", "a-1", "B-2", "B/3", "ADR-0007", "KNOW-1", "KNOW-2", "TASK-3", "COMP-4", "DOC-5", "KNOW-99999999999999999999", "../x", "", "é ü"];
const KINDS: [&str; 14] =
    ["knowledge", "task", "rule", "document", "diagram", "component", "decision", "fyi", "risk", "lesson", "epic", "edge", "", "Knowledge"];
const TITLES: [&str; 8] = ["Limit in front", "Limit behind", "  two  words ", "", "A-1 moved to B-2", "KNOW-1", "\u{1b}[31m", "用户"];
const RELATIONS: [&str; 10] = ["supersedes", "blocks", "caused-by", "contradicts", "relates-to", "mentions", "embeds", "expires-on", "fulfills", "knows"];
const TIMES: [&str; 8] =
    ["2024-01-02", "2024-01-02T00:00:00Z", "9999-12-31", "-000001-01-01T00:00:00Z", "1969-07-20T20:17:40+09:00", "yesterday", "", "2024-13-01"];
const FIELDS: [&str; 37] = [
    "type",
    "id",
    "alias",
    "aliases",
    "kind",
    "category",
    "task_type",
    "priority",
    "status",
    "from",
    "relation",
    "to",
    "title",
    "statement",
    "trigger",
    "mandatory",
    "always_on",
    "forbidden",
    "instead",
    "severity",
    "points",
    "keywords",
    "provisional",
    "body",
    "success_criteria",
    "created_at",
    "tags",
    "component",
    "anchors",
    "source",
    "expires_at",
    "resolves_with",
    "review_at",
    "archived",
    "reason",
    "evidence",
    "unheard_of",
];

/// Nodes for the other lines to name.
const GROUND: &str = r#"{"kind":"decision","alias":"A-1","title":"Limit in front"}
{"kind":"decision","alias":"B-2","title":"Limit behind"}
{"kind":"epic","alias":"B/3","id":"TASK-3","title":"Move it"}
{"kind":"component","alias":"C-4","id":"COMP-4","title":"Limiter"}
"#;

/// The first byte chooses whether the rest is the file or chooses its lines, and how it is imported.
pub fn import(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let choice = bytes.byte();
    let source = if choice & 7 == 0 { bytes.take(usize::MAX).to_vec() } else { lines(&mut bytes) };
    if choice & 24 != 0 { whole(&source) } else { partly(&source) }
}

fn lines(bytes: &mut Bytes<'_>) -> Vec<u8> {
    let mut out = if bytes.once_in(4) { Vec::new() } else { GROUND.as_bytes().to_vec() };
    for _ in 0..LINES {
        if bytes.is_empty() {
            break;
        }
        let at = out.len();
        match bytes.below(16) {
            0..9 => out.extend_from_slice(node(bytes).to_string().as_bytes()),
            9..13 => out.extend_from_slice(edge(bytes).to_string().as_bytes()),
            13 => out.extend_from_slice(strange(bytes).to_string().as_bytes()),
            14 => {
                let count = bytes.below(40);
                out.extend_from_slice(bytes.take(count));
            }
            _ => {
                out.extend_from_slice(node(bytes).to_string().as_bytes());
                let length = out.len() - at;
                out.truncate(at + bytes.below(length + 1));
            }
        }
        out.extend_from_slice(if bytes.once_in(8) { b"\r\n" } else { b"\n" });
    }
    out
}

fn node(bytes: &mut Bytes<'_>) -> Value {
    let mut fields = Map::new();
    let kind = if bytes.once_in(32) { bytes.pick(&KINDS) } else { bytes.pick(&KINDS[..11]) };
    fields.insert("kind".into(), kind.into());
    if kind == "knowledge" {
        fields.insert("category".into(), "decision".into());
    }
    if kind == "rule" {
        fields.insert("statement".into(), "Write it down.".into());
    }
    let title = if bytes.once_in(8) { bytes.text(20) } else { format!("{} {}", bytes.pick(&TITLES), bytes.below(6)) };
    fields.insert("title".into(), title.into());
    let given = bytes.byte();
    if given & 1 != 0 {
        let alias = if bytes.once_in(8) { bytes.pick(&NAMES[..5]).to_owned() } else { format!("N-{}", bytes.below(200)) };
        fields.insert("alias".into(), alias.into());
    }
    if given & 2 != 0 {
        fields.insert("id".into(), format!("{}-{}", bytes.pick(&["KNOW", "TASK", "COMP"]), bytes.below(9)).into());
    }
    if given & 4 != 0 && bytes.once_in(2) {
        fields.insert("component".into(), if bytes.once_in(4) { reference(bytes) } else { "COMP-4" }.into());
    }
    if given & 8 != 0 && bytes.once_in(2) {
        fields.insert("resolves_with".into(), if bytes.once_in(4) { reference(bytes) } else { "TASK-3" }.into());
    }
    if given & 16 != 0 {
        fields.insert("created_at".into(), time(bytes).into());
        fields.insert("expires_at".into(), time(bytes).into());
    }
    if given & 32 != 0 {
        fields.insert("tags".into(), json!([bytes.pick(&TITLES[..3]), "b", "a"]));
        fields.insert("archived".into(), if bytes.once_in(8) { "" } else { "out of use" }.into());
    }
    if given & 64 != 0 {
        fields.insert("body".into(), format!("{} {}", bytes.pick(&NAMES), bytes.pick(&NAMES)).into());
    }
    if given & 128 != 0 && bytes.once_in(4) {
        let field = bytes.pick(&FIELDS);
        fields.insert(field.into(), value(bytes));
    }
    Value::Object(fields)
}

/// A name, of a node that may be there more often than not.
fn reference(bytes: &mut Bytes<'_>) -> &'static str {
    if bytes.once_in(16) { bytes.pick(&NAMES) } else { bytes.pick(&NAMES[..4]) }
}

fn time(bytes: &mut Bytes<'_>) -> &'static str {
    if bytes.once_in(16) { bytes.pick(&TIMES) } else { bytes.pick(&TIMES[..5]) }
}

fn edge(bytes: &mut Bytes<'_>) -> Value {
    let mut fields = Map::new();
    fields.insert("type".into(), "edge".into());
    fields.insert("from".into(), reference(bytes).into());
    fields.insert("relation".into(), if bytes.once_in(16) { bytes.pick(&RELATIONS) } else { bytes.pick(&RELATIONS[..5]) }.into());
    fields.insert("to".into(), reference(bytes).into());
    if bytes.once_in(2) {
        fields.insert("reason".into(), bytes.pick(&["it ended", "", "because"]).into());
        fields.insert("evidence".into(), bytes.pick(&["Limit behind", "", "in no text"]).into());
    }
    if bytes.once_in(8) {
        fields.insert("source_text".into(), json!({"excerpt": bytes.text(10), "uri": "log.txt", "sha256": bytes.text(4)}));
    }
    Value::Object(fields)
}

fn strange(bytes: &mut Bytes<'_>) -> Value {
    let count = bytes.below(6);
    Value::Object((0..count).map(|_| (bytes.pick(&FIELDS).to_owned(), value(bytes))).collect())
}

fn value(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(10) {
        0 => Value::Null,
        1 => bytes.once_in(2).into(),
        2 => (bytes.below(65_536) as i64 - 30_000).into(),
        3 => 1e300.into(),
        4 => json!([bytes.pick(&NAMES), bytes.pick(&NAMES)]),
        5 => json!({"path": bytes.pick(&["src/a.rs", "../a", ""]), "symbol": bytes.text(3), "uri": bytes.text(3)}),
        6 => json!([{"path": bytes.pick(&["src\\a.rs", "/a", "./b"])}]),
        7 => reference(bytes).into(),
        8 => time(bytes).into(),
        _ => bytes.text(12).into(),
    }
}

fn new_record() -> TestRecord {
    TestRecord::with(|options| options.durability(Durability::Normal).without_embedder())
}

fn run(record: &Record, source: &[u8], options: ImportOptions<'_>) -> ImportReport {
    let mut report = record.import_lines(source, "tester", options).expect("memory can be read");
    // All else is the same on every run.
    report.locked_for = Duration::ZERO;
    let lines = source.split_inclusive(|byte| *byte == b'\n').count() as u64;
    assert_eq!(report.lines, lines);
    assert!(report.error_count >= report.errors.len() as u64);
    for fault in &report.errors {
        assert!(fault.path.is_none() && (1..=lines).contains(&fault.line) && !fault.message.is_empty(), "{fault:?} of {lines} lines");
    }
    report
}

/// What an import says that it wrote.
fn written(report: &ImportReport) -> u64 {
    report.nodes + report.revised + report.edges
}

thread_local! {
    /// A record that holds nothing.
    static EMPTY: RefCell<Option<TestRecord>> = const { RefCell::new(None) };
}

fn whole(source: &[u8]) {
    let test = EMPTY.with(|empty| empty.borrow_mut().take()).unwrap_or_else(new_record);
    let before = test.record.head_hash().expect("a hash");
    let report = run(&test.record, source, ImportOptions::new());
    assert_eq!(report.applied, report.error_count == 0, "{report:?}");
    if !report.applied {
        assert_eq!(written(&report) + report.unchanged + report.unverified + report.weakened, 0, "{report:?}");
    }
    if test.record.head().expect("a head") == 0 {
        assert_eq!((written(&report), test.record.head_hash().expect("a hash")), (0, before), "{report:?}");
        EMPTY.with(|empty| *empty.borrow_mut() = Some(test));
        return;
    }
    assert!(report.applied && report.nodes > 0, "something was written: {report:?}");
    let head = test.record.verify_log().expect("a whole chain");
    if all_named(source) {
        let again = run(&test.record, source, ImportOptions::new());
        assert!(again.applied && written(&again) == 0, "the same file again: {again:?}");
        assert_eq!(test.record.head().expect("a head"), head);
    }
    round_trip(&test);
}

/// True if every node of a source has an alias: without one nothing tells it from another of the same title.
fn all_named(source: &[u8]) -> bool {
    let named = |line: &[u8]| {
        let text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        serde_json::from_slice::<Value>(line).is_ok_and(|line| line["type"] == "edge" || text(&line["alias"]))
    };
    source.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).all(named)
}

fn partly(source: &[u8]) {
    let test = new_record();
    let report = run(&test.record, source, ImportOptions::new().partial());
    assert!(report.applied, "{report:?}");
    assert_eq!(written(&report) == 0, test.record.verify_log().expect("a whole chain") == 0, "{report:?}");
    if report.error_count == 0 {
        let whole = new_record();
        let other = run(&whole.record, source, ImportOptions::new());
        // What may be weakened in parts is a fault of the whole.
        assert!(other == report || report.weakened > 0, "{report:?}\n{other:?}");
    }
    round_trip(&test);
}

/// Exports, imports into an empty record and exports again.
fn round_trip(test: &TestRecord) {
    let first = export(test);
    let other = new_record();
    let report = run(&other.record, first.as_bytes(), ImportOptions::new().allow_secrets());
    assert!(report.applied, "an export cannot be imported: {report:?}\n{first}");
    assert_eq!(export(&other), first);
}

fn export(test: &TestRecord) -> String {
    let path = test.outside().join("out.jsonl");
    test.record.export_jsonl(&path, ExportForm::Interchange).expect("an export");
    fs::read_to_string(path).expect("an exported file")
}
