//! A small record that holds every kind of node, edge and operation: what is kept of each format, and what killed
//! writers start from.

use std::time::Duration;

use stele_core::{Anchor, Category, ImportOptions, Known, Record, Relation, RetrieveOptions, Revision, Severity, Source, SourceText, TaskType, Timestamp};

use crate::TestClock;

/// The lines that come into the record by import.
const IMPORTED: &str = r#"{"type":"node","alias":"pilots","kind":"component","title":"Pilots","body":"Who brings ships in."}
{"type":"node","alias":"roster","kind":"task","title":"Publish the roster","status":"completed","component":"pilots"}
{"type":"node","alias":"night","kind":"knowledge","category":"decision","title":"Night pilotage needs two pilots","component":"pilots"}
{"type":"node","alias":"alone","kind":"knowledge","category":"decision","title":"One pilot is enough at night","component":"pilots","resolves_with":"roster"}
{"type":"edge","from":"night","relation":"supersedes","to":"alone","reason":"the harbour master ended it","evidence":"two from now on","source_text":{"text":"At night there are two from now on.","uri":"mail:12"}}
{"type":"edge","from":"roster","relation":"fulfills","to":"night"}
"#;

/// Fills the empty record of a handle under a clock that it moves, an hour before each group of operations.
///
/// # Panics
/// If the record refuses something, which is what a test wants to hear.
pub fn record_every_kind(record: &Record, clock: &TestClock) {
    let recorder = record.recorder_in("tester", "first").expect("a recorder");
    let told = "every kind is accepted";
    clock.set("2026-01-01T01:00:00Z");
    recorder.component("Harbour").alias("harbour").record().expect(told);
    recorder.component("Signals").body("Lamps and flags.").under("harbour").record().expect(told);
    recorder.task("Replace the lamp").task_type(TaskType::Milestone).priority(1).success_criteria("It turns.").alias("lamp-task").record().expect(told);
    let lamp =
        recorder.fact(Category::Decision, "The lamp turns twice a minute").body("See `lamp/turn.rs` and harbour.").under("COMP-2").tags(["lamp", "signals"]);
    lamp.anchor("lamp/turn.rs", Some("Lamp::turn"))
        .source(Source { uri: "lamp/turn.rs".to_owned(), quote: Some("turns_per_minute = 2".to_owned()), known: Some(Known::Observed), ..Source::default() })
        .record()
        .expect(told);
    recorder.fact(Category::Risk, "The lamp's motor overheats").body("It did so in KNOW-4's first summer.").record().expect(told);
    recorder.fact(Category::Lesson, "Grease freezes below −20 °C").body("Ein Satz auf Deutsch: der Leuchtturm fror ein.\n日本語の一文。").record().expect(told);

    clock.set("2026-01-01T02:00:00Z");
    let soon = Timestamp::parse("2026-03-01").expect("a time");
    recorder.fact(Category::Fyi, "The quay is closed in spring").expires_at(soon).review_at(soon).resolves_with("lamp-task").record().expect(told);
    recorder
        .rule("Lamp first", "Never switch the lamp off by day")
        .routing(|rule| {
            (rule.mandatory, rule.severity) = (true, Severity::Critical);
            rule.forbidden = vec!["lamp off".to_owned()];
        })
        .record()
        .expect(told);
    recorder.document("Handbook", "# Lamp\n\nThe lamp turns twice a minute.\n\n# Barometer\n\nRead the barometer at noon.").record().expect(told);
    recorder.diagram("Wiring", "graph TD; switch-->lamp").record().expect(told);
    recorder
        .fact(Category::Decision, "The lamp turns three times a minute")
        .body("Twice was mistaken for the next harbour.")
        .created_at(soon)
        .record()
        .expect(told);
    record.catch_up().expect("the indexes follow");

    clock.set("2026-01-01T03:00:00Z");
    let minutes =
        SourceText { text: "Minutes: from May on the lamp turns three times.".to_owned(), uri: Some("minutes.md".to_owned()), revision: Some("7".to_owned()) };
    recorder
        .supersede("KNOW-11", "KNOW-4")
        .reason("mistaken for the next harbour")
        .evidence("the lamp turns three times")
        .source_text(&minutes)
        .record()
        .expect(told);
    recorder.link_because("KNOW-5", Relation::CausedBy, "KNOW-6", "cold grease", "Grease freezes").expect(told);
    recorder.link("TASK-3", Relation::Fulfills, "KNOW-11").expect(told);
    recorder.link("KNOW-7", Relation::ExpiresOn, "TASK-3").expect(told);
    recorder.contradicts("KNOW-7", "KNOW-6", "both name the season").expect(told);
    recorder.link("KNOW-6", Relation::RelatesTo, "KNOW-11").expect(told);
    recorder.unlink("KNOW-6", Relation::RelatesTo, "KNOW-11", "it does not").expect(told);

    clock.set("2026-01-01T04:00:00Z");
    recorder.revise("KNOW-6", Revision::new().body("Below −25 °C, says the maker; see lamp/turn.rs.").tags(["cold"])).expect(told);
    recorder.alias("KNOW-6", "frozen-grease").expect(told);
    recorder.retag("KNOW-6", &["grease"], &["cold"]).expect(told);
    recorder.move_to("KNOW-6", Some("harbour")).expect(told);
    recorder.anchor("KNOW-6", &[Anchor { path: "lamp/grease.rs".to_owned(), symbol: None }], &[]).expect(told);
    recorder.review("KNOW-11", "looked again").expect(told);
    recorder.fact(Category::Fyi, "The old siren").record().expect(told);
    recorder.archive("KNOW-12", "sold").expect(told);
    let batch = recorder.transaction(|recorder| {
        recorder.fact(Category::Decision, "The siren sounds at noon").record()?;
        recorder.fact(Category::Decision, "The siren sounds at one").record()?;
        recorder.supersede("KNOW-14", "KNOW-13").reason("noon was lunch").evidence("sounds at one").record()?;
        recorder.demote("KNOW-14", "KNOW-13", "both hold on feast days")
    });
    batch.expect(told);
    let report = record.import_lines(IMPORTED.as_bytes(), "importer", ImportOptions::new()).expect(told);
    assert!(report.applied, "{report:?}");

    clock.set("2026-01-01T05:00:00Z");
    let oil = recorder.task("Oil the lamp").record().expect(told).id.to_string();
    recorder.claim(&oil).lease(Duration::from_secs(60)).take().expect(told);
    recorder.release(&oil).expect(told);
    recorder.claim(&oil).take().expect(told);
    recorder.force_release(&oil, "the keeper is ill").expect(told);
    recorder.claim(&oil).take().expect(told);
    recorder.complete(&oil, "oiled twice").expect(told);
    recorder.reopen(&oil, "it squeaks").expect(told);
    recorder.cancel(&oil, "a new lamp comes").expect(told);
    recorder.complete("lamp-task", "the new lamp turns").expect(told);

    // Kept of these: a tail that no index covers, a vector that no segment has, a session.
    recorder.fact(Category::Fyi, "The last word before the lamp went out").record().expect(told);
    record.retriever().retrieve("how often does the lamp turn?", &RetrieveOptions::new().session("first").deliver()).expect("a window");
}
