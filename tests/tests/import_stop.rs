//! An import that its host stops leaves the record as it was.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use stele_core::{ImportOptions, ImportPhase, ImportReport, Progress, Record, Result};
use stele_tests::TestRecord;

/// Lines enough that progress is told in the middle of them.
const LINES: usize = 2_500;

/// Imports, stops when a phase is first told, and gives the report with the phases that were told.
fn stopped_at(
    test: &TestRecord,
    phase: ImportPhase,
    import: impl FnOnce(&Record, ImportOptions<'_>) -> Result<ImportReport>,
) -> (ImportReport, Vec<ImportPhase>) {
    let stop = AtomicBool::new(false);
    let mut phases = Vec::new();
    let after = Cell::new(0);
    let mut told = |progress: Progress| {
        if progress.phase == phase && (progress.phase != ImportPhase::Reading || progress.lines > 0) {
            stop.store(true, Ordering::SeqCst);
        } else if stop.load(Ordering::SeqCst) {
            after.set(after.get() + 1);
        }
        if phases.last() != Some(&progress.phase) {
            phases.push(progress.phase);
        }
    };
    let report = import(&test.record, ImportOptions::new().progress(&mut told).stop(&stop)).expect("no error");
    assert_eq!(after.get(), 1, "only its end is told after a stop");
    (report, phases)
}

#[test]
fn a_stopped_import_of_any_form_writes_nothing_and_a_later_one_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut lines, mut issues) = (String::new(), String::new());
    for nth in 0..LINES {
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"fyi","title":"Barometer {nth}","alias":"B-{nth}"}}"#).expect("a line");
        writeln!(issues, r#"{{"id":"bd-{nth}","title":"Barometer {nth}","status":"open","priority":2,"issue_type":"task"}}"#).expect("a line");
    }
    let issue_file = folder.path().join("issues.jsonl");
    fs::write(&issue_file, &issues).expect("a file");
    let adr = folder.path().join("adr");
    fs::create_dir(&adr).expect("a folder");
    for nth in 1..=250 {
        fs::write(adr.join(format!("{nth:04}-barometer.md")), format!("# {nth}. Barometer {nth}\n\n## Status\n\nAccepted\n\n## Decision\n\nKeep it.\n"))
            .expect("a file");
    }
    for (phase, told) in [
        (ImportPhase::Reading, &[ImportPhase::Reading, ImportPhase::Done][..]),
        (ImportPhase::Checking, &[ImportPhase::Reading, ImportPhase::Checking, ImportPhase::Done]),
        (ImportPhase::Appending, &[ImportPhase::Reading, ImportPhase::Checking, ImportPhase::Appending, ImportPhase::Done]),
    ] {
        let test = TestRecord::new();
        for form in ["lines", "beads", "adr"] {
            let (report, phases) = stopped_at(&test, phase, |record, options| match form {
                "lines" => record.import_lines(lines.as_bytes(), "ana", options),
                "beads" => record.import_beads(&issue_file, "ana", options),
                _ => record.import_adr(&adr, "ana", options),
            });
            assert!(report.stopped && !report.applied, "{form} {phase:?}: {report:?}");
            if phase == ImportPhase::Appending {
                assert_eq!((report.nodes, report.edges), (0, 0), "{form}");
            }
            if form != "adr" || phase != ImportPhase::Reading {
                assert_eq!(phases, told, "{form}");
            }
            assert_eq!(test.record.head().expect("a head"), 0, "{form} {phase:?}");
        }
    }
    let test = TestRecord::new();
    let unused = AtomicBool::new(false);
    let report = test.record.import_lines(lines.as_bytes(), "ana", ImportOptions::new().stop(&unused)).expect("no error");
    assert!(report.applied && !report.stopped && report.nodes == LINES as u64);
}
