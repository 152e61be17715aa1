//! Copies of a record: backups while others write, the log as a file, compacting.

use std::sync::atomic::{AtomicBool, Ordering};

use stele_core::{Category, Code, ExportForm, Record, Revision, Weight};
use stele_tests::TestRecord;

fn exported(record: &Record, test: &TestRecord, name: &str, form: ExportForm) -> String {
    let file = test.outside().join(name);
    record.export_jsonl(&file, form).expect("an export");
    std::fs::read_to_string(file).expect("a file")
}

fn filled() -> TestRecord {
    let test = TestRecord::new();
    stele_tests::every_kind::record_every_kind(&test.record, &test.clock);
    test
}

#[test]
fn a_backup_while_others_write_is_a_record_as_it_stood_at_one_moment() {
    let test = filled();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let recorder = test.record.recorder("busy").expect("a recorder");
            while !stop.load(Ordering::SeqCst) {
                recorder
                    .transaction(|recorder| {
                        recorder.fact(Category::Fyi, "One of a pair").record()?;
                        recorder.fact(Category::Fyi, "The other of the pair").record()
                    })
                    .expect("a pair");
            }
        });
        for nth in 0..5 {
            let folder = test.outside().join(format!("backup-{nth}"));
            test.record.backup(&folder).expect("a backup");
            let copy = Record::open(&folder).expect("a record");
            let head = copy.verify_log().expect("a whole chain");
            assert_eq!(head, copy.head().expect("a head"));
            let facts = exported(&copy, &test, "copy.jsonl", ExportForm::Interchange);
            assert_eq!(facts.matches("One of a pair").count(), facts.matches("The other of the pair").count());
            // The writer says the same thing again and again, which health tells of both; errors it finds in neither.
            assert!(copy.health().expect("health").findings.iter().all(|finding| finding.severity != Weight::Error));
        }
        stop.store(true, Ordering::SeqCst);
    });
    let refused = test.record.backup(test.outside().join("backup-0")).expect_err("not empty");
    assert_eq!(refused.code(), Code::BadPath);
    assert_eq!(test.record.backup(test.dir().join("inside")).expect_err("inside the record").code(), Code::BadPath);
}

#[test]
fn a_backup_that_was_cut_off_can_be_made_again_in_its_folder() {
    let test = filled();
    let folder = test.outside().join("backup");
    std::fs::create_dir(&folder).expect("a folder");
    for (name, bytes) in [(".gitignore", ""), ("record.db.0123456789abcdef.new", "half"), ("record.db.0123456789abcdef.new-journal", "half")] {
        std::fs::write(folder.join(name), bytes).expect("left over");
    }
    test.record.backup(&folder).expect("a backup");
    let mut names: Vec<_> = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, [".gitignore", "record.db"]);
    assert_eq!(std::fs::read_to_string(folder.join(".gitignore")).expect("a file"), "*\n");
    assert_eq!(Record::open(&folder).expect("a record").head_hash().expect("a hash"), test.record.head_hash().expect("a hash"));
}

#[test]
fn a_read_only_handle_can_back_up() {
    let test = filled();
    let reading = Record::options().read_only(true).open(test.dir()).expect("a record");
    let folder = test.outside().join("backup");
    reading.backup(&folder).expect("a backup");
    assert_eq!(Record::open(&folder).expect("a record").head_hash().expect("a hash"), test.record.head_hash().expect("a hash"));
}

#[test]
fn an_exported_log_makes_the_same_record_with_the_same_history() {
    let test = filled();
    let file = test.outside().join("log.jsonl");
    let log = exported(&test.record, &test, "log.jsonl", ExportForm::Log);
    let other = TestRecord::new();
    assert_eq!(other.record.import_log(&file).expect("imported"), test.record.head().expect("a head"));
    assert_eq!(other.record.head_hash().expect("a hash"), test.record.head_hash().expect("a hash"));
    let interchange = |test: &TestRecord| exported(&test.record, test, "facts.jsonl", ExportForm::Interchange);
    assert_eq!(interchange(&other), interchange(&test));
    let histories = |test: &TestRecord| {
        let retriever = test.record.retriever();
        (1..=5).filter_map(|number| retriever.history(&format!("KNOW-{number}")).ok()).map(|items| format!("{items:?}")).collect::<Vec<_>>()
    };
    assert_eq!(histories(&other), histories(&test));
    let refused = other.record.import_log(&file).expect_err("not empty");
    assert_eq!(refused.code(), Code::WrongState);

    let lines: Vec<&str> = log.lines().collect();
    let spoiled = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        change(&mut lines);
        std::fs::write(&file, lines.join("\n")).expect("a file");
        let empty = TestRecord::new();
        let error = empty.record.import_log(&file).expect_err("spoiled");
        assert_eq!(empty.record.head().expect("a head"), 0);
        test_usable(&empty);
        error.code()
    };
    assert_eq!(spoiled(&|lines| lines[2] = lines[2].replace("\"actor\":\"", "\"actor\":\"x")), Code::ChainBroken);
    assert_eq!(spoiled(&|lines| drop(lines.remove(3))), Code::ChainBroken);
    assert_eq!(spoiled(&|lines| lines.swap(2, 3)), Code::ChainBroken);
    assert_eq!(spoiled(&|lines| drop(lines.pop())), Code::BadLine);
    assert_eq!(spoiled(&|lines| drop(lines.remove(0))), Code::BadLine);
    assert_eq!(spoiled(&|lines| lines[4].truncate(40)), Code::BadLine);
    assert_eq!(spoiled(&|lines| lines[0] = lines[0].replace("\"version\":1", "\"version\":9")), Code::NewerFormat);
    assert_eq!(spoiled(&Vec::clear), Code::BadLine);
}

fn test_usable(test: &TestRecord) {
    assert_eq!(test.fact(Category::Fyi, "As ever", ""), "KNOW-1");
}

#[test]
fn compacting_changes_no_answer() {
    let test = filled();
    for nth in 0..200 {
        test.recorder().revise("KNOW-1", Revision::new().body(format!("{nth} {}", "long ".repeat(200)))).expect("revised");
    }
    let before = exported(&test.record, &test, "before.jsonl", ExportForm::Log);
    assert!(test.record.compact().expect("compacted"));
    assert_eq!(exported(&test.record, &test, "after.jsonl", ExportForm::Log), before);
    assert_eq!(std::fs::metadata(test.dir().join("record.db-wal")).map_or(0, |meta| meta.len()), 0);
    let reading = Record::options().read_only(true).open(test.dir()).expect("a record");
    assert_eq!(reading.compact().expect_err("read-only").code(), Code::ReadOnly);
}
