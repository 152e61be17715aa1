//! Import and export through the public door: idempotence, all or nothing, faults by line, the same bytes again.

use std::fs;
use std::io::{self, BufRead, Read};
use std::path::Path;

use stele_core::{Code, Draft, ExportForm, ImportOptions, ImportReport, Record, State};

fn open(dir: &Path) -> Record {
    Record::options().without_embedder().open(dir.join("record")).expect("a record")
}

fn import(record: &Record, text: &str) -> ImportReport {
    record.import_lines(text.as_bytes(), "tester", ImportOptions::new()).expect("a source that can be read")
}

fn export(record: &Record, dir: &Path) -> String {
    let path = dir.join("out.jsonl");
    record.export_jsonl(&path, ExportForm::Interchange).expect("an export");
    fs::read_to_string(path).expect("an exported file")
}

const TWO: &str = r#"{"type":"edge","from":"ADR-0012","relation":"supersedes","to":"ADR-0007","reason":"the outage ended it","evidence":"moved behind auth"}
{"type":"node","alias":"ADR-0007","kind":"knowledge","category":"decision","title":"Limit in front","created_at":"2024-01-02T00:00:00Z"}
{"type":"node","alias":"ADR-0012","kind":"knowledge","category":"decision","title":"Limit behind","body":"It moved behind auth."}
"#;

#[test]
fn importing_twice_changes_nothing_and_a_changed_title_is_one_revision() {
    let dir = tempfile::tempdir().expect("a folder");
    let record = open(dir.path());
    let first = import(&record, TWO);
    assert_eq!((first.applied, first.nodes, first.edges), (true, 2, 1));
    let head = record.head().expect("readable");
    let second = import(&record, TWO);
    assert_eq!((second.unchanged, second.nodes + second.revised + second.edges), (3, 0));
    assert_eq!(record.head().expect("readable"), head);
    assert_eq!(import(&record, &TWO.replace("Limit behind", "Limiter behind")).revised, 1);
    let old = record.retriever().get("ADR-0007").expect("imported");
    assert_eq!(old.state, State::Retired);
}

/// A million lines that are made while they are read.
struct Million {
    line: u64,
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Million {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let length = piece.len().min(into.len());
        into[..length].copy_from_slice(&piece[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Million {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.bytes.len() && self.line < 1_000_000 {
            self.bytes.clear();
            self.at = 0;
            while self.bytes.len() < 60_000 && self.line < 1_000_000 {
                self.line += 1;
                let text = if self.line == 900_000 { "{\"kind\":\n".to_owned() } else { format!("{{\"kind\":\"fyi\",\"title\":\"fact {}\"}}\n", self.line) };
                self.bytes.extend_from_slice(text.as_bytes());
            }
        }
        Ok(&self.bytes[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

#[test]
fn a_fault_on_line_900_000_of_a_million_is_named_and_nothing_is_imported() {
    let dir = tempfile::tempdir().expect("a folder");
    let record = open(dir.path());
    let report = record.import_lines(Million { line: 0, bytes: Vec::new(), at: 0 }, "tester", ImportOptions::new()).expect("readable");
    assert_eq!((report.applied, report.lines, report.nodes), (false, 1_000_000, 0));
    assert_eq!(report.errors.iter().map(|fault| (fault.line, fault.code)).collect::<Vec<_>>(), [(900_000, Code::BadLine)]);
    assert_eq!(record.head().expect("readable"), 0);
    let left: Vec<_> = fs::read_dir(dir.path().join("record"))
        .expect("a folder")
        .filter(|entry| entry.as_ref().expect("an entry").file_name().to_string_lossy().starts_with("import"))
        .collect();
    assert!(left.is_empty());
}

#[test]
fn a_line_nested_a_hundred_thousand_deep_is_a_fault_wherever_it_is_nested() {
    let dir = tempfile::tempdir().expect("a folder");
    let record = open(dir.path());
    let (open_brackets, close_brackets) = ("[".repeat(100_000), "]".repeat(100_000));
    let text = format!(
        "{open_brackets}{close_brackets}\n{{\"kind\":\"fyi\",\"title\":\"x\",\"body\":{open_brackets}{close_brackets}}}\n{{\"kind\":\"fyi\",\"title\":\"x\",\"later\":{open_brackets}{close_brackets}}}\n{open_brackets}\n"
    );
    let report = import(&record, &text);
    assert_eq!(report.errors.iter().map(|fault| (fault.line, fault.code)).collect::<Vec<_>>(), (1..=4).map(|line| (line, Code::BadLine)).collect::<Vec<_>>());
}

#[test]
fn export_import_export_gives_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let record = open(dir.path());
    import(&record, TWO);
    let recorder = record.recorder("tester").expect("a recorder");
    let nameless = recorder.add(Draft::document("Long", "# One\n\nsee ADR-0007")).expect("recorded").id.to_string();
    recorder.link_because("ADR-0012", stele_core::Relation::CausedBy, &nameless, "it showed", "").expect("joined");
    recorder.archive(&nameless, "read by all").expect("archived");
    recorder.retag("ADR-0012", &["b", "a"], &[]).expect("tagged");
    let first = export(&record, dir.path());
    let other = tempfile::tempdir().expect("a folder");
    let second = open(other.path());
    assert!(import(&second, &first).applied);
    assert_eq!(export(&second, other.path()), first);
    assert_eq!(second.retriever().get(&nameless).expect("the same number").state, State::Archived);
}

#[test]
fn an_import_leaves_no_write_ahead_log_for_the_next_process_to_read() {
    let test = stele_tests::TestRecord::new();
    let lines: String =
        (0..200).map(|number| format!("{{\"type\":\"node\",\"kind\":\"knowledge\",\"category\":\"fyi\",\"title\":\"Fact {number}\"}}\n")).collect();
    let report = test.record.import_lines(lines.as_bytes(), "tester", stele_core::ImportOptions::new()).expect("an import");
    assert!(report.applied);
    assert_eq!(std::fs::metadata(test.dir().join("record.db-wal")).map_or(0, |meta| meta.len()), 0);
}

#[cfg(unix)]
#[test]
fn an_export_never_takes_the_place_of_a_device_pipe_or_socket() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    use std::os::unix::net::UnixListener;
    let dir = tempfile::tempdir().expect("a folder");
    let record = open(dir.path());
    let (socket, link) = (dir.path().join("socket"), dir.path().join("link"));
    let _listener = UnixListener::bind(&socket).expect("a socket");
    symlink(&socket, &link).expect("a link");
    for path in [&socket, &link] {
        for form in [ExportForm::Interchange, ExportForm::Log] {
            assert_eq!(record.export_jsonl(path, form).expect_err("no ordinary file").code(), Code::BadPath);
        }
        assert!(fs::metadata(path).expect("still there").file_type().is_socket());
    }
    assert!(fs::symlink_metadata(&link).expect("still there").file_type().is_symlink());
    let file = dir.path().join("file");
    fs::write(&file, "before").expect("a file");
    record.export_jsonl(&file, ExportForm::Interchange).expect("an ordinary file makes way");
}
