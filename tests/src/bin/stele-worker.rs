//! A process of its own for tests of what processes do to each other: `stele-worker VERB FOLDER [ARGUMENT…]`.
//!
//! It says on standard output what was acknowledged, a line each, and ends with 0 only if all was as it must be.
#![expect(unsafe_code, reason = "a process is forked by the system's own call")]
#![expect(clippy::print_stdout, reason = "lines are how it tells its parent")]

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

use stele_core::{
    AssembleOptions, Category, Code, Durability, Embedder, ErrorKind, ExportForm, Format, Helpfulness, RecallOptions, Record, RetrieveOptions, Revision,
    SearchMode, SearchOptions, Timestamp,
};
use stele_tests::turn_host::{Host, Step};
use stele_tests::{TestClock, scarcity};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [verb, dir, rest @ ..] = arguments.as_slice() else { panic!("a verb and a folder") };
    let dir = Path::new(dir);
    match verb.as_str() {
        "share" => share(dir, &rest[0], rest[1].parse().expect("a count"), rest[2].parse().expect("a count")),
        "until-killed" => until_killed(dir),
        "fork" => fork_with(dir),
        "fork-at-indexing" => fork_at_indexing(dir),
        "wander" => wander(dir),
        "read" => read(dir, &rest[0]),
        "prompts" => prompts(dir, &rest[0], rest[1].parse().expect("a count")),
        "turn" => turn(dir, rest),
        "refuse" => refuse(dir),
        "window" => window(dir, &rest[0]),
        "every-kind" => every_kind(dir),
        "purge" => purge(dir, &rest[0], &rest[1]),
        "migrate" => assert!(Record::migrate(dir).expect("migrated")),
        "race" => race(dir, &rest[0], rest[1].parse().expect("a count")),
        "next" => next(dir, &rest[0]),
        "fill" => fill(dir),
        "freeze" => freeze(dir),
        "few-files" => few_files(dir),
        "no-threads" => no_threads(dir),
        "hold" => hold(dir, &rest[0], &rest[1], rest[2].parse().expect("milliseconds")),
        "number" => number(dir, &rest[0], rest[1].parse().expect("a count")),
        "feedback" => feedback(dir, &rest[0], &rest[1]),
        other => panic!("no verb {other}"),
    }
}

/// Writes into a node's title, again and again, the sequence of the operation that writes it.
fn number(dir: &Path, node: &str, times: usize) {
    let record = Record::options().durability(Durability::Normal).without_embedder().open(dir).expect("a record");
    let recorder = record.recorder("child").expect("a recorder");
    for sequence in (record.head().expect("a head") + 1..).take(times) {
        recorder.revise(node, Revision::new().title(format!("Barometer of operation {sequence}"))).expect("nobody else writes");
    }
}

/// Says that a rule helped on one occasion.
fn feedback(dir: &Path, rule: &str, key: &str) {
    let record = Record::open(dir).expect("a record");
    record.recorder("child").expect("a recorder").feedback(rule, Helpfulness::Helped, Some(key)).expect("counted or a replay");
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("the parent listens");
}

/// Writes facts beside others; once all have, finds every fact of everybody, by words and by meaning.
fn share(dir: &Path, own: &str, processes: usize, each: usize) {
    let record = Record::options().durability(Durability::Normal).open(dir).expect("a record");
    let recorder = record.recorder(own).expect("a recorder");
    for nth in 0..each {
        let fact =
            recorder.fact(Category::Fyi, format!("Barometer {nth} of writer{own}")).body("hangs in the hall of the lighthouse").tags([format!("writer{own}")]);
        fact.record().expect("no lock error reaches a caller");
    }
    say("written");
    std::io::stdin().lock().read_line(&mut String::new()).expect("the parent speaks");
    assert_eq!(record.head().expect("a head"), (processes * each) as u64);
    for other in 0..processes {
        for mode in [SearchMode::Text, SearchMode::Semantic] {
            let options = SearchOptions::new().mode(mode).limit(1_000).tags([format!("writer{other}")]);
            let hits = record.retriever().search("barometer in the hall of the lighthouse", &options).expect("hits");
            assert_eq!(hits.len(), each, "{mode} of writer {other}");
        }
    }
    assert_eq!(record.verify_log().expect("a whole chain"), (processes * each) as u64);
    say("found");
}

/// Writes until it is killed: single facts, and three at a time; brings the indexes up to date in between.
fn until_killed(dir: &Path) {
    let record = Record::options().without_embedder().open(dir).expect("a record");
    let recorder = record.recorder("doomed").expect("a recorder");
    for nth in record.head().expect("a head").. {
        if nth % 4 == 3 {
            let batch = recorder.transaction(|recorder| {
                for part in ["one", "two", "three"] {
                    recorder.fact(Category::Fyi, format!("Batch{nth} part {part}")).record()?;
                }
                Ok(())
            });
            batch.expect("written");
            say(&format!("batch Batch{nth}"));
        } else {
            let id = recorder.fact(Category::Fyi, format!("Single{nth} fact")).record().expect("written").id;
            say(&format!("single {id} Single{nth}"));
        }
        if nth % 5 == 0 {
            record.catch_up().expect("the indexes follow");
        }
    }
}

// SAFETY: declared as POSIX declares them.
unsafe extern "C" {
    fn fork() -> i32;
    fn getpid() -> i32;
    fn pause() -> i32;
    fn kill(process: i32, signal: i32) -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
}

/// Uses a handle in a forked child, where every call is refused and a handle of the child's own works.
fn fork_with(dir: &Path) {
    let record = Record::open(dir).expect("a record");
    let recorder = record.recorder("parent").expect("a recorder");
    recorder.fact(Category::Fyi, "Before the fork").record().expect("a fact");
    let retriever = record.retriever();
    // SAFETY: the process has one thread, so the child finds no lock held.
    let child = unsafe { fork() };
    if child == 0 {
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            assert_eq!(record.head().expect_err("forked").code(), Code::Forked);
            assert_eq!(recorder.fact(Category::Fyi, "In the child").record().expect_err("forked").code(), Code::Forked);
            assert_eq!(retriever.get("KNOW-1").expect_err("forked").code(), Code::Forked);
            assert_eq!(record.catch_up().expect_err("forked").code(), Code::Forked);
            record.close();
            let own = Record::open(dir).expect("a handle of its own");
            let id = own.recorder("child").expect("a recorder").fact(Category::Fyi, "By the child").record().expect("a fact").id;
            assert_eq!(id.number, 2);
        }));
        // SAFETY: ends the child without running what the parent has set up for its own end.
        unsafe { _exit(i32::from(refused.is_err())) };
    }
    let mut status = 0;
    // SAFETY: `status` lives until the call returns.
    let waited = unsafe { waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, status), (child, 0));
    assert_eq!(recorder.fact(Category::Fyi, "After the fork").record().expect("a fact").id.number, 3);
    assert_eq!(record.verify_log().expect("a whole chain"), 3);
    say("done");
}

/// An embedder that forks the process when it is first asked, and gives numbers of its own.
#[derive(Default)]
struct Forking(std::sync::OnceLock<i32>);

impl Embedder for Forking {
    fn name(&self) -> &str {
        "forking"
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        self.0.get_or_init(|| {
            // SAFETY: the child calls nothing but the two functions below it.
            let child = unsafe { fork() };
            if child == 0 {
                loop {
                    // SAFETY: the child stays as it is until it is killed.
                    unsafe { pause() };
                }
            }
            child
        });
        Ok(texts.iter().map(|text| vec![1.0, text.len() as f32, 0.5, 0.0]).collect())
    }
}

/// Brings indexes up to date while a child that was forked in the middle of that has everything open that was open then.
fn fork_at_indexing(dir: &Path) {
    let fact = |title| Record::options().without_embedder().open(dir)?.recorder("parent")?.fact(Category::Fyi, title).record();
    fact("Before the fork").expect("a fact");
    let embedder = std::sync::Arc::new(Forking::default());
    let record = Record::options().embedder(embedder.clone()).open(dir).expect("a record");
    assert!(record.catch_up().expect("the indexes follow"));
    let child = *embedder.0.get().expect("the embedder was asked");
    fact("After the fork").expect("a fact");
    let again = Record::options().embedder(embedder).open(dir).expect("the record again");
    let followed = (0..1_000).any(|_| {
        stele_tests::pause();
        again.catch_up().expect("the indexes follow")
    });
    let rebuilt = again.rebuild_indexes().map_err(|error| error.code());
    // SAFETY: the child is this process's own.
    unsafe { kill(child, 9) };
    assert!(followed, "the child keeps the indexes locked");
    assert_eq!(rebuilt, Ok(()));
    say("done");
}

/// Opens a record by a relative path and goes elsewhere.
fn wander(dir: &Path) {
    std::env::set_current_dir(dir).expect("a folder");
    let record = Record::open(".stele").expect("a record");
    record.recorder("tester").expect("a recorder").fact(Category::Fyi, "Barometer").record().expect("a fact");
    std::env::set_current_dir("/").expect("a folder");
    record.recorder("tester").expect("a recorder").fact(Category::Fyi, "Thermometer").record().expect("a fact");
    record.retriever().retrieve("what about the barometer and the thermometer?", &RetrieveOptions::new().session("s").deliver()).expect("a window");
    assert!(record.catch_up().expect("the indexes follow"));
    assert!(dir.join(".stele/sessions.db").exists() && dir.join(".stele/text").exists());
    say("done");
}

/// Ends this process as nothing can prevent.
fn die() -> bool {
    // SAFETY: both calls take and give plain numbers.
    unsafe { kill(getpid(), 9) };
    false
}

/// Is a host at a turn, and dies at a step of it, or at a fail point.
fn turn(dir: &Path, rest: &[String]) {
    let [session, transcript, turn, answer, deliver, at] = rest else { panic!("a session, a transcript, a turn, an answer, whether it delivers, a step") };
    let host = Host {
        session: session.clone(),
        transcript: transcript.into(),
        turn: turn.parse().expect("a turn"),
        answer: answer.clone(),
        deliver: !deliver.is_empty(),
    };
    let fate = Step::parse(at);
    #[cfg(feature = "fail-points")]
    if fate.is_none() {
        static POINT: std::sync::OnceLock<stele_core::FailPoint> = std::sync::OnceLock::new();
        let _ = POINT.set(stele_core::FailPoint::parse(at).expect("a fail point"));
        stele_core::on_fail_point(|point| {
            if POINT.get() == Some(&point) {
                die();
            }
        });
    }
    let record = Record::options().clock(TestClock::at("2026-01-01")).open(dir).expect("a record");
    host.live(&record, &mut |step| Some(step) != fate || die());
}

/// Purges a node and a literal.
fn purge(dir: &Path, id: &str, literal: &str) {
    let record = Record::open(dir).expect("a record");
    say("begins");
    let purged = record.recorder("lawyer").expect("a recorder").purge(id, "the law", &[literal]).expect("purged");
    say(if purged.complete { "complete" } else { "pending" });
}

fn contender(dir: &Path) -> Record {
    let patient = Duration::from_secs(60);
    Record::options().create(false).without_embedder().durability(Durability::Normal).busy_timeout(patient).open(dir).expect("a record")
}

/// Waits for the others, then claims every task in an order of its own; says each task that it won, and of each that it
/// lost who has it since when.
fn race(dir: &Path, own: &str, count: u64) {
    let record = contender(dir);
    let recorder = record.recorder(own).expect("a recorder");
    let start = own.bytes().map(u64::from).sum::<u64>() * 61;
    say("here");
    std::io::stdin().lock().read_line(&mut String::new()).expect("the parent speaks");
    let mut lines = String::new();
    for nth in 0..count {
        let task = format!("TASK-{}", (start + nth) % count + 1);
        let claim = recorder.claim(&task).take().expect("losing is a result");
        let outcome = if claim.granted { "won" } else { "lost" };
        lines.push_str(&format!("{outcome} {task} {} {}\n", claim.holder, claim.since.unix_ms()));
    }
    say(&format!("{lines}done"));
}

/// Waits for the others, then takes the next task, if there is one.
fn next(dir: &Path, own: &str) {
    let record = contender(dir);
    let recorder = record.recorder(own).expect("a recorder");
    say("here");
    std::io::stdin().lock().read_line(&mut String::new()).expect("the parent speaks");
    match recorder.claim_next().take().expect("having nothing to do is a result") {
        Some(claim) => say(&format!("won {}", claim.task)),
        None => say("none"),
    }
}

/// Claims a task with a lease under a clock that stands at the beginning of 2026, and waits to be killed.
fn hold(dir: &Path, own: &str, task: &str, lease_ms: u64) {
    let record = Record::options().clock(TestClock::at("2026-01-01")).open(dir).expect("a record");
    let claim = record.recorder(own).expect("a recorder").claim(task).lease(Duration::from_millis(lease_ms)).take().expect("an answer");
    say(if claim.granted { "held" } else { "lost" });
    std::io::stdin().lock().read_line(&mut String::new()).expect("the parent never speaks");
}

/// Says the window that a prompt gets, as text and as JSON.
fn window(dir: &Path, prompt: &str) {
    let record = Record::options().create(false).open(dir).expect("a record");
    let now = Timestamp::parse("2026-02-01").expect("a time");
    let found = record.retriever().retrieve(prompt, &RetrieveOptions::new().now(now)).expect("a window");
    println!("{}{}", found.render(Format::Text), found.render(Format::Json));
}

/// Asks a session so many prompts, each with an output and an edit, and prints how many it had after each of its own.
fn prompts(dir: &Path, session: &str, count: u64) {
    let record = Record::options().without_embedder().open(dir).expect("a record");
    let session = record.session(session).open().expect("a session");
    for own in 1..=count {
        session.on_prompt("what do we know about the barometer in the hall?", &AssembleOptions::new()).expect("a context");
        let moment = session.on_output("E_BARO_17").expect("a moment");
        session.delivered(&moment).expect("noted");
        println!("{own}");
    }
}

/// Makes what is kept of a format in an empty folder: a record of every kind of operation, and what it exports.
fn every_kind(dir: &Path) {
    let (record_dir, clock) = (dir.join("record"), TestClock::at("2026-01-01"));
    let record = Record::options().clock(clock.clone()).open(&record_dir).expect("a new record");
    stele_tests::every_kind::record_every_kind(&record, &clock);
    for (name, form) in [("export.jsonl", ExportForm::Interchange), ("log.jsonl", ExportForm::Log)] {
        record.export_jsonl(dir.join(name), form).expect("an export");
    }
    record.close();
    let conn = rusqlite::Connection::open(record_dir.join("record.db")).expect("the record's file");
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).expect("a checkpoint");
    drop(conn);
    // What a copy in version control neither needs nor may hold.
    for name in [".gitignore", "record.db-wal", "record.db-shm"] {
        let _ = std::fs::remove_file(record_dir.join(name));
    }
}

/// Reads everything through a handle that cannot write, and says how opening went.
fn read(dir: &Path, query: &str) {
    let record = match Record::options().read_only(true).open(dir) {
        Ok(record) => record,
        Err(error) => return say(error.code().as_str()),
    };
    for number in 1..=record.head().expect("a head") {
        let _ = record.retriever().get(&format!("KNOW-{number}"));
    }
    let hits = record.retriever().search(query, &SearchOptions::new()).expect("hits");
    let window = record.retriever().retrieve(query, &RetrieveOptions::new().session("s").deliver()).expect("a window");
    record.retriever().recall(query, &RecallOptions::new()).expect("a briefing");
    record.verify_log().expect("a whole chain");
    say(&format!("hits {} entries {}", hits.len(), window.entries.len()));
}

/// Opens for writing where that cannot be, and says what kind of error came.
fn refuse(dir: &Path) {
    let error = match Record::open(dir) {
        Ok(record) => record.recorder("tester").and_then(|recorder| recorder.fact(Category::Fyi, "No").record()).err(),
        Err(error) => Some(error),
    };
    match error {
        Some(error) if error.kind() == ErrorKind::Io => say(&format!("refused {error}")),
        Some(error) => say(&format!("wrongly {error:?}")),
        None => say("accepted"),
    }
}

/// Fills a small disk with facts: what was acknowledged stays, everything else is refused in words, and it goes on once there
/// is room.
fn fill(place: &Path) {
    let mounted = scarcity::mount_small(place, 4 << 20);
    let dir = place.join(".stele");
    let record = Record::open(&dir).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    // Room to be had back later.
    std::fs::write(place.join("ballast"), vec![7; 1 << 20]).expect("room");
    if mounted {
        say("mounted");
    } else {
        scarcity::limit_files(2 << 20);
    }
    let mut acknowledged = 0;
    let full = loop {
        let fact = recorder.fact(Category::Fyi, format!("Barometer {acknowledged} in the hall")).body("lorem ipsum ".repeat(200));
        match fact.record() {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 100_000, "the disk is never full");
    };
    assert!(acknowledged > 20, "{acknowledged}: {full:?}");
    assert!(!mounted || full.code() == Code::DiskFull, "{full:?}");
    let retriever = record.retriever();
    let refused = |error: Option<stele_core::Error>| {
        if let Some(error) = error {
            assert_eq!(error.kind(), ErrorKind::Io, "{error:?}");
            let message = error.to_string();
            assert!(!["delet", "remov", " rm ", "erase"].iter().any(|word| message.contains(word)), "{message}");
        }
    };
    refused(Some(full));
    let still_right = || {
        assert_eq!(record.verify_log().expect("a whole chain"), acknowledged);
        for nth in 0..acknowledged {
            assert_eq!(retriever.get(&format!("KNOW-{}", nth + 1)).expect("acknowledged").title, format!("Barometer {nth} in the hall"));
        }
        let hits = retriever.search("barometer in the hall", &SearchOptions::new().limit(1_000)).expect("hits");
        assert_eq!(hits.len() as u64, acknowledged.min(1_000));
    };
    still_right();
    let several = |recorder: &stele_core::Recorder<'_>| {
        (0..4).try_for_each(|nth| recorder.fact(Category::Fyi, format!("More {nth}")).body("lorem ipsum ".repeat(400)).record().map(drop))
    };
    refused(recorder.transaction(several).err());
    refused(record.catch_up().err());
    refused(record.rebuild_indexes().err());
    assert!(["text.new", "vectors.new"].iter().all(|half| !dir.join(half).exists()), "half an index keeps the disk full");
    refused(record.export_jsonl(place.join("out.jsonl"), stele_core::ExportForm::Interchange).err());
    let lines = format!("{{\"type\":\"node\",\"kind\":\"knowledge\",\"category\":\"fyi\",\"title\":\"z\",\"body\":\"{}\"}}\n", "z ".repeat(30_000)).repeat(20);
    refused(record.import_lines(lines.as_bytes(), "tester", stele_core::ImportOptions::new()).err());
    record.health().expect("health");
    let options = RetrieveOptions::new().session("s").deliver();
    retriever.retrieve("where does the barometer hang in the hall?", &options).expect("no failure of the disk keeps an answer back");
    still_right();
    // Another handle opens on the full disk, or says why not.
    match Record::open(&dir) {
        Ok(other) => assert_eq!(other.verify_log().expect("a whole chain"), acknowledged),
        Err(error) => refused(Some(error)),
    }
    std::fs::remove_file(place.join("ballast")).expect("there");
    scarcity::limit_files(u64::MAX);
    let id = recorder.fact(Category::Fyi, "Zorvex once there is room").record().expect("it goes on").id;
    assert_eq!(record.verify_log().expect("a whole chain"), acknowledged + 1);
    let hits = retriever.search("zorvex", &SearchOptions::new().mode(SearchMode::Text)).expect("hits");
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [id]);
    say("done");
}

/// Does everything with ever more files that may be opened: what fails is said, and nothing has changed once there are enough.
fn few_files(place: &Path) {
    let dir = place.join(".stele");
    let write = |record: &Record, nth: u64| record.recorder("tester")?.fact(Category::Fyi, format!("Barometer {nth} in the hall")).record();
    let record = Record::open(&dir).expect("a record");
    let mut acknowledged = 40;
    (0..acknowledged).for_each(|nth| drop(write(&record, nth).expect("a fact")));
    record.catch_up().expect("caught up");
    record.close();
    drop(record);
    let search = |record: &Record| record.retriever().search("barometer in the hall", &SearchOptions::new().limit(1_000)).map(|hits| hits.len() as u64);
    let (mut refused, mut done) = (0, 0);
    for (spare, opened_before) in (0..24).flat_map(|spare| [(spare, false), (spare, true)]) {
        let mut judge = |error: Option<stele_core::Error>| match error {
            None => done += 1,
            Some(error) => {
                refused += 1;
                assert_eq!(error.code(), Code::Storage, "{error:?}");
                assert!(error.to_string().contains("how many files may be open") && !error.to_string().contains("Custom {"), "{error}");
            }
        };
        let before = opened_before.then(|| Record::open(&dir).expect("opens"));
        scarcity::limit_open_files(Some(spare));
        match before.map_or_else(|| Record::open(&dir), Ok) {
            Err(error) => judge(Some(error)),
            Ok(record) => {
                let written = write(&record, acknowledged);
                acknowledged += u64::from(written.is_ok());
                judge(written.err());
                match search(&record) {
                    Ok(found) => assert_eq!(found, acknowledged, "{spare} files"),
                    Err(error) => judge(Some(error)),
                }
                judge(record.catch_up().err());
                judge(record.health().err());
                judge(record.rebuild_indexes().err());
                scarcity::limit_open_files(None);
                assert_eq!(search(&record).expect("hits"), acknowledged, "{spare} files");
                record.close();
            }
        }
        scarcity::limit_open_files(None);
        let record = Record::open(&dir).expect("opens");
        assert_eq!(record.verify_log().expect("a whole chain"), acknowledged);
        assert_eq!(search(&record).expect("hits"), acknowledged, "{spare} files");
    }
    assert!(refused > 20 && done > 100, "{refused} refused, {done} done");
    say("done");
}

/// Does everything where no thread can be had, but bring the text index up to date.
fn no_threads(place: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o777)).expect("open to all");
    if !scarcity::forbid_threads() || std::fs::write(place.join("probe"), "x").is_err() {
        return say("unlimited");
    }
    let record = Record::open(place.join(".stele")).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    recorder.rule("Look twice", "Look twice at the barometer.").routing(|rule| rule.mandatory = true).record().expect("a rule");
    let lines: String = (0..3_000)
        .map(|nth| format!("{{\"type\":\"node\",\"kind\":\"knowledge\",\"category\":\"fyi\",\"title\":\"Barometer {nth} in the hall\"}}\n"))
        .collect();
    assert!(record.import_lines(lines.as_bytes(), "tester", stele_core::ImportOptions::new()).expect("an import").applied);
    // The library that writes the text index does it on threads of its own.
    for fails in [record.catch_up().err(), record.rebuild_indexes().err()] {
        assert_eq!(fails.expect("no index of words").code(), Code::Busy);
    }
    let hits = record.retriever().search("barometer 1234 in the hall", &SearchOptions::new()).expect("hits");
    assert!(hits[0].title.contains("1234"), "{}", hits[0].title);
    let context = record.assemble("where is barometer 1234 in the hall?", &AssembleOptions::new().session("s")).expect("a context").text;
    assert!(context.contains("Look twice at the barometer.") && context.contains("Barometer 1234") && !context.contains("failed"), "{context}");
    assert_eq!(record.verify_log().expect("a whole chain"), 3_001);
    record.backup(place.join("copy")).expect("a copy");
    record.close();
    say("done");
}

/// Reads and refuses to write on a disk that was made read-only between two openings.
fn freeze(place: &Path) {
    let query = "barometer in the hall";
    if scarcity::mount_small(place, 64 << 20) {
        let dir = place.join(".stele");
        let record = Record::open(&dir).expect("a record");
        let recorder = record.recorder("tester").expect("a recorder");
        for nth in 0..20 {
            recorder.fact(Category::Fyi, format!("Barometer {nth} in the hall")).record().expect("a fact");
        }
        record.catch_up().expect("caught up");
        record.close();
        drop((recorder, record));
        let whole = place.join("whole");
        std::fs::create_dir(&whole).expect("a folder");
        std::fs::copy(dir.join("record.db"), whole.join("record.db")).expect("a copy");
        std::fs::copy(dir.join("record.db-wal"), whole.join("record.db-wal")).expect("a copy");
        let conn = rusqlite::Connection::open(whole.join("record.db")).expect("the record's file");
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
        drop(conn);
        if scarcity::make_read_only(place) {
            say("mounted");
            let error = Record::options().read_only(true).open(&dir).err().expect("its log needs a writer");
            assert_eq!(error.code(), Code::WalNeedsWriter, "{error:?}");
            for dir in [&dir, &whole] {
                let error = Record::open(dir).and_then(|record| record.recorder("tester")?.fact(Category::Fyi, "No").record()).expect_err("read-only");
                assert_eq!(error.kind(), ErrorKind::Io, "{error:?}");
            }
            let record = Record::options().read_only(true).open(&whole).expect("opens");
            let hits = record.retriever().search(query, &SearchOptions::new().limit(50)).expect("hits");
            assert_eq!(hits.len(), 20);
            assert_eq!(record.verify_log().expect("a whole chain"), 20);
        }
    }
    say("done");
}
