//! What must hold of a record after every kill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::Value;
use stele_core::{Category, Code, ExportForm, ImportOptions, Record, ResumeAction, Retriever, SearchMode, SearchOptions, State, Weight};

use crate::life::{Life, Origin, older};

/// What the health check says of indexes that are not fit for use.
const UNFIT: [&str; 5] = ["catch_up", "embedder", "embedder_mismatch", "text_index", "vector_index"];

const QUERY: &str = "barometer in the hall of the lighthouse";

/// Looks at everything; what does not hold is a panic.
pub(crate) fn check(life: &mut Life) {
    let record = match Record::open(life.dir()) {
        Ok(record) => record,
        Err(error) if error.code() == Code::OlderFormat && !life.migrated => return check_unmigrated(&life.dir()),
        Err(error) => panic!("{error:?}"),
    };
    life.migrated = true;
    let head = record.verify_log().expect("a whole chain");
    let retriever = record.retriever();
    let titles = titles(&retriever, &record);
    check_acknowledged(life, &retriever, &titles);
    let health = record.health_full().expect("a look");
    // A restored record ends before what its indexes knew, and says so until they are made anew.
    let restored = life.origin == Origin::Restored;
    let sound = |finding: &stele_core::Finding| finding.severity != Weight::Error || (restored && finding.check == "log_shortened");
    assert!(health.findings.iter().all(sound), "{health:?}");
    let before = check_found(&retriever, &titles);
    while !record.catch_up().expect("the indexes follow") {}
    assert_eq!(check_found(&retriever, &titles), before, "found before and after the indexes caught up");
    let health = record.health_full().expect("a look");
    let unfit = |finding: &stele_core::Finding| UNFIT.contains(&finding.check);
    assert!(!health.findings.iter().any(unfit), "{health:?}");

    check_purged(life, &record, &titles);
    check_beside(life, &record);
    check_sessions(life, &record);

    // It goes on.
    let token = format!("check{}", life.kills);
    let recorder = record.recorder("checker").expect("a recorder");
    let fact = recorder.fact(Category::Fyi, format!("Barometer {token}")).body(QUERY).tags(["kept"]);
    let id = fact.record().expect("it goes on").id.to_string();
    life.facts.insert(id, token);
    let line = r#"{"type":"node","alias":"hall","kind":"component","title":"Hall"}"#;
    assert!(record.import_lines(line.as_bytes(), "checker", ImportOptions::new()).expect("an import").applied);
    record.export_jsonl(life.outside().join("out.jsonl"), ExportForm::Interchange).expect("an export");
    if life.origin == Origin::Older {
        check_old_operations(life, &record);
    }
    while !record.catch_up().expect("the indexes follow") {}
    assert!(record.head().expect("a head") > head);
    record.close();
    check_files(life);
    check_views(&life.dir());
}

/// A migration that was cut off has left the old record as it was.
fn check_unmigrated(dir: &Path) {
    let (there, kept) = (dir.join("record.db"), older().join("record/record.db"));
    assert_eq!(rows(&there), rows(&kept));
}

fn titles(retriever: &Retriever, record: &Record) -> BTreeMap<String, String> {
    // No operation makes more than one node.
    let mut found = BTreeMap::new();
    for number in 1..=record.head().expect("a head") {
        if let Ok(node) = retriever.get(&format!("KNOW-{number}")) {
            found.insert(node.id.to_string(), node.title);
        }
    }
    found
}

fn check_acknowledged(life: &Life, retriever: &Retriever, titles: &BTreeMap<String, String>) {
    for (id, token) in &life.facts {
        assert_eq!(titles.get(id).map(String::as_str), Some(format!("Barometer {token}").as_str()), "{id} was acknowledged");
    }
    for (id, word) in &life.revised {
        let body = retriever.get(id).expect("acknowledged").body;
        // The writer's last revision may have been written without the acknowledgement being heard.
        let (writer, step) = word.rsplit_once('n').expect("a step");
        let later = body.rsplit_once(&format!("{writer}n")).and_then(|(_, later)| later.parse::<u64>().ok());
        assert!(later >= step.parse().ok(), "{id}: {body}, not {word}");
    }
    for (older, newer) in &life.retired {
        let node = retriever.get(older).expect("acknowledged");
        assert_eq!((node.state, node.retired_by.iter().map(ToString::to_string).collect()), (State::Retired, vec![newer.clone()]));
    }
    let tokens: BTreeSet<&str> = titles.values().filter_map(|title| title.strip_prefix("Barometer ")).collect();
    for token in &life.batches {
        assert!(tokens.contains(format!("{token}one").as_str()), "{token} was acknowledged");
    }
    for token in &life.imports {
        assert!(tokens.contains(format!("{token}part0").as_str()), "{token} was acknowledged");
    }
    // Of what is written at once there is all or nothing, acknowledged or not.
    for token in &tokens {
        if let Some(token) = ["one", "two", "three"].iter().find_map(|part| token.strip_suffix(part)) {
            assert!(["one", "two", "three"].iter().all(|part| tokens.contains(format!("{token}{part}").as_str())), "{token} is cut off");
        }
        if let Some((token, _)) = token.split_once("part") {
            assert!((0..5).all(|nth| tokens.contains(format!("{token}part{nth}").as_str())), "{token} is cut off");
        }
    }
}

/// Every fact is found by text and by meaning; gives what was found, in order.
fn check_found(retriever: &Retriever, titles: &BTreeMap<String, String>) -> Vec<Vec<String>> {
    let expected: BTreeSet<&String> = titles.iter().filter(|(_, title)| title.starts_with("Barometer ")).map(|(id, _)| id).collect();
    let mut all = Vec::new();
    for mode in [SearchMode::Text, SearchMode::Semantic] {
        // On a machine that has no time for this, an answer in the usual time is a part of the whole one.
        let options = SearchOptions::new().mode(mode).limit(1_000).tags(["kept"]).states([State::Live, State::Retired]).deadline(Duration::from_secs(60));
        let hits: Vec<String> = retriever.search(QUERY, &options).expect("hits").iter().map(|hit| hit.id.to_string()).collect();
        let missing: Vec<&&String> = expected.iter().filter(|id| !hits.contains(id)).collect();
        assert!(missing.is_empty() && hits.len() == expected.len(), "{mode}: {missing:?} of {} are missing", expected.len());
        all.push(hits);
    }
    if let Some((id, title)) = titles.iter().rev().find(|(_, title)| title.starts_with("Barometer ")) {
        let hits = retriever.search(title, &SearchOptions::new().mode(SearchMode::Text).states([State::Live, State::Retired])).expect("hits");
        assert_eq!(hits.first().map(|hit| hit.id.to_string()).as_ref(), Some(id), "{title}");
    }
    all
}

/// What was purged is gone from every file, and so is what a killed purge began to take away.
fn check_purged(life: &Life, record: &Record, titles: &BTreeMap<String, String>) {
    assert!(record.compact().expect("written anew"), "nobody is in the way");
    let files = text_of(&life.dir());
    for (id, token) in &life.hidden {
        let title = &titles[id];
        assert!(title == "[purged]" || (*title == format!("Hidden {token}") && !life.purged.contains(id)), "{id}: {title}");
        assert!(title != "[purged]" || !files.contains(token.as_str()), "{token} of {id} still stands in a file");
    }
}

/// All that the files of a folder hold.
fn text_of(dir: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry")) {
        if entry.file_type().expect("a type").is_dir() {
            text += &text_of(&entry.path());
        } else {
            text += &String::from_utf8_lossy(&fs::read(entry.path()).expect("a file"));
        }
    }
    text
}

/// A session has what its last turn was given and nothing of the next, or was forgotten, as all turns are by a purge.
fn check_sessions(life: &Life, record: &Record) {
    let purged = life.hidden.keys().any(|id| record.retriever().get(id).expect("acknowledged").title == "[purged]");
    for name in &life.sessions {
        let turn = record.session(name).open().expect("a session").turn().expect("a turn");
        let known = |turn: u64| record.resume(name, turn, &[]).expect("a decision").action != ResumeAction::Run;
        let forgotten = turn == 0 || (purged && !(0..turn).any(known));
        assert!(!known(turn) && (forgotten || known(turn - 1)), "{turn} turns of {name}");
    }
}

/// A backup that was cut off is there whole or can be made again; a log is moved whole or not at all.
fn check_beside(life: &Life, record: &Record) {
    for name in names(life.outside()) {
        let place = life.outside().join(&name);
        if name.starts_with("backup-") {
            if !place.join("record.db").exists() {
                record.backup(&place).expect("the same folder serves");
            }
            let backup = Record::open(&place).expect("a record");
            assert_eq!(backup.verify_log().expect("a whole chain"), backup.head().expect("a head"));
            assert!(backup.head().expect("a head") <= record.head().expect("a head"));
            drop(backup);
            check_top(&place);
            check_views(&place);
        } else if name.starts_with("moved-") {
            let moved = Record::open(&place).expect("empty or whole");
            let log = fs::read_to_string(life.outside().join(name.replace("moved", "log"))).map_or(0, |log| log.lines().count() as u64 - 1);
            let head = moved.verify_log().expect("a whole chain");
            assert!(head == 0 || log == 0 || head == log, "{head} of {log}");
            drop(moved);
            check_top(&place);
            check_views(&place);
        } else if !name.starts_with("log-") && !name.starts_with(".log-") {
            continue;
        }
        if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) }.expect("removed");
    }
}

/// The operations of the older record are there, byte for byte.
fn check_old_operations(life: &Life, record: &Record) {
    let path = life.outside().join("log.jsonl");
    record.export_jsonl(&path, ExportForm::Log).expect("an export");
    let (now, then) = (fs::read_to_string(&path).expect("a log"), fs::read_to_string(older().join("log.jsonl")).expect("a log"));
    assert!(now.lines().skip(1).zip(then.lines().skip(1)).all(|(now, then)| now == then));
    fs::remove_file(path).expect("removed");
}

/// No file is there that nothing needs.
fn check_files(life: &Life) {
    let dir = life.dir();
    check_top(&dir);
    assert_eq!(fs::read_to_string(dir.join(".gitignore")).ok().as_deref(), (life.origin != Origin::Older).then_some("*\n"));

    let vectors = fs::read_to_string(dir.join("vectors/manifest.json")).expect("a manifest");
    let strays: Vec<String> = names(&dir.join("vectors")).into_iter().filter(|name| name != "manifest.json" && !vectors.contains(name.as_str())).collect();
    assert!(strays.is_empty(), "vectors: {strays:?}");

    let meta: serde_json::Value = serde_json::from_slice(&fs::read(dir.join("text/meta.json")).expect("a list")).expect("JSON");
    let segments: Vec<String> =
        meta["segments"].as_array().expect("segments").iter().map(|segment| segment["segment_id"].as_str().expect("an id").replace('-', "")).collect();
    let own = ["meta.json", ".managed.json", ".tantivy-writer.lock", ".tantivy-meta.lock"];
    let listed = |name: &String| own.contains(&name.as_str()) || segments.iter().any(|segment| name.starts_with(segment.as_str()));
    let strays: Vec<String> = names(&dir.join("text")).into_iter().filter(|name| !listed(name)).collect();
    assert!(strays.is_empty(), "text: {strays:?}");

    let strays: Vec<String> = names(life.outside()).into_iter().filter(|name| name != ".stele" && name != "out.jsonl").collect();
    assert!(strays.is_empty(), "outside: {strays:?}");
}

/// Directly in a record's folder stands what belongs there.
fn check_top(dir: &Path) {
    let known = [".gitignore", "index.lock", "late.lock", "record.db", "record.db-shm", "record.db-wal", "sessions.db", "text", "vectors", "write.lock"];
    let passing = ["sessions.db-journal", "sessions.db-shm", "sessions.db-wal", "sessions.db.damaged", "sessions.db-shm.damaged", "sessions.db-wal.damaged"];
    let strays: Vec<String> = names(dir).into_iter().filter(|name| ![&known[..], &passing[..]].concat().contains(&name.as_str())).collect();
    assert!(strays.is_empty(), "{}: {strays:?}", dir.display());
}

fn names(dir: &Path) -> Vec<String> {
    fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// The views are what the log makes of empty ones: a copy that is migrated once more holds the same.
fn check_views(dir: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    copy_database(&dir.join("record.db"), folder.path());
    let file = folder.path().join("record.db");
    let before = rows(&file);
    Connection::open(&file).expect("the copy").execute_batch("PRAGMA user_version = 1").expect("an older format");
    assert!(Record::migrate(folder.path()).expect("migrated"));
    let after = rows(&file);
    for (table, rows) in &before {
        assert!(after.get(table) == Some(rows), "{table} is not what the log makes of it");
    }
    assert_eq!(before.len(), after.len());
}

/// Every row of every table, and that the file is whole.
fn rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    copy_database(file, folder.path());
    let conn = Connection::open(folder.path().join("record.db")).expect("a record's file");
    let whole: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("an answer");
    assert_eq!(whole, "ok");
    let mut statement = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").expect("a question");
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).expect("rows").map(|name| name.expect("a name")).collect();
    tables
        .into_iter()
        .map(|table| {
            let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).expect("a question");
            let columns = statement.column_count();
            let read = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get::<_, Value>(column)).collect::<rusqlite::Result<Vec<Value>>>();
            let mut found: Vec<String> = statement.query_map([], read).expect("rows").map(|row| format!("{:?}", row.expect("a row"))).collect();
            found.sort();
            (table, found)
        })
        .collect()
}

fn copy_database(file: &Path, to: &Path) {
    let from = file.parent().expect("a folder");
    for name in ["record.db", "record.db-wal"] {
        let _ = fs::copy(from.join(name), to.join(name));
    }
}
