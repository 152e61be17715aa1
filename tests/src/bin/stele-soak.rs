//! Many processes at one record for minutes: `stele-soak [SECONDS]`; the same while what the record says stays as much as it
//! was: `stele-soak steady [SECONDS]`; and 100,000 writes beside a long reader: `stele-soak long-reader [WRITES] [RETRIEVES]`.
//! Prints a table of what was aimed at and reached; fails if something was missed.
//!
//! Further verbs are for the processes that it starts: `write DIR NAME COUNT`, `rework DIR NAME COUNT` and `read DIR NAME` go on
//! until their standard input closes, or that many writes are done.
#![expect(clippy::print_stdout, reason = "a table is what it is for")]
#![expect(clippy::disallowed_methods, reason = "it measures, and watches its standard input beside its work")]

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stele_core::{Category, Durability, Record, Recorder, Relation, RetrieveOptions, Revision, SearchOptions};
use stele_tests::soak::{Load, REWORKED, Row, Work, of_process, report, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    match words.as_slice() {
        ["write", dir, name, count] => write(Path::new(dir), name, number(count)),
        ["rework", dir, name, count] => rework(Path::new(dir), name, number(count)),
        ["read", dir, name] => read(Path::new(dir), name),
        ["long-reader", rest @ ..] => {
            let writes = rest.first().map_or(100_000, |count| number(count));
            return table(&long_reader(writes, rest.get(1).map_or(10_000, |count| number(count))));
        }
        ["steady", rest @ ..] => return table(&load(Work::Rework, rest.first().map_or(600, |seconds| number(seconds)))),
        seconds => return table(&load(Work::Grow, seconds.first().map_or(180, |seconds| number(seconds)))),
    }
    ExitCode::SUCCESS
}

fn load(work: Work, seconds: u64) -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let load = Load { work, writers: 8, readers: 4, time: Duration::from_secs(seconds), writes: u64::MAX };
    report(&run(&program, &folder.path().join(".stele"), &load))
}

fn table(rows: &[Row]) -> ExitCode {
    println!("| what | aim | reached | |\n| --- | --- | --- | --- |");
    for row in rows {
        println!("| {} | {} | {} | {} |", row.what, row.aim, row.reached, if row.met { "met" } else { "**missed**" });
    }
    if rows.iter().all(|row| row.met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Becomes true when the parent closes the standard input.
fn told_to_stop() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        seen.store(true, Ordering::SeqCst);
    });
    stop
}

/// Writes: mostly single facts, now and then a revision, a link, or three facts at once.
fn write(dir: &Path, name: &str, count: u64) {
    let stop = told_to_stop();
    let record = Record::open(dir).expect("a record");
    let recorder = record.recorder(name).expect("a recorder");
    let mut last = String::new();
    let fact = |recorder: &Recorder<'_>, done: u64| {
        let fact = recorder.fact(Category::Fyi, format!("Barometer {done} of {name}")).body("hangs in the hall of the lighthouse, by the stairs");
        fact.record().map(|recorded| recorded.id.to_string())
    };
    waits_of(count, &stop, |done| {
        match done % 10 {
            7 => drop(recorder.revise(&last, Revision::new().body(format!("hangs elsewhere since {done}")))?),
            8 => drop(recorder.link(&fact(&recorder, done)?, Relation::RelatesTo, &last)?),
            9 => recorder.transaction(|recorder| (0..3).try_for_each(|_| fact(recorder, done).map(drop)))?,
            _ => last = fact(&recorder, done)?,
        }
        Ok(())
    });
}

/// Changes the same facts and tasks again and again: texts, connections, retirements and what comes back from them, claims.
fn rework(dir: &Path, name: &str, count: u64) {
    let stop = told_to_stop();
    let record = Record::open(dir).expect("a record");
    let recorder = record.recorder(name).expect("a recorder");
    let fact = |nth: u64| {
        let fact = recorder.fact(Category::Fyi, format!("Barometer {nth} of {name}")).body("hangs in the hall of the lighthouse, by the stairs");
        fact.record().expect("no error reaches a writer").id.to_string()
    };
    let facts: Vec<String> = (0..REWORKED).map(fact).collect();
    let task = recorder.task(format!("Read the barometers of {name}")).record().expect("no error reaches a writer").id.to_string();
    let at = |nth: u64| facts[usize::try_from(nth % REWORKED).expect("a place in the list")].as_str();
    let revise = |recorder: &Recorder<'_>, nth: u64| {
        let body = format!("hangs in hall {} of the lighthouse, by the stairs", nth % 97);
        recorder.revise(at(nth), Revision::new().body(body)).map(drop)
    };
    waits_of(count, &stop, |done| match done % 10 {
        4 => recorder.link(at(done), Relation::RelatesTo, at(done + 7)).map(drop),
        5 => recorder.unlink(at(done - 1), Relation::RelatesTo, at(done + 6), "no more").map(drop),
        6 => {
            let ends = recorder.supersede(at(done + 3), at(done)).reason("the hall was rebuilt").evidence("by the stairs");
            ends.record().map(drop)
        }
        7 => recorder.demote(at(done + 2), at(done - 1), "the hall stands as it was").map(drop),
        8 => {
            let claim = recorder.claim(&task).take().expect("no error reaches a writer");
            assert!(claim.granted, "nobody else wants it");
            recorder.complete(&task, "read").and_then(|_| recorder.reopen(&task, "again")).map(drop)
        }
        9 => recorder.transaction(|recorder| (0..3).try_for_each(|more| revise(recorder, done * 7 + more))),
        _ => revise(&recorder, done * 7),
    });
}

/// How finely waits are counted, in microseconds.
const STEP_MICROS: u128 = 10;

/// Does something so often, or until it is told to stop, and says how long that took; then waits until it is told to stop.
fn waits_of(count: u64, stop: &AtomicBool, mut write: impl FnMut(u64) -> stele_core::Result<()>) {
    // Counted and not kept one by one: what this program keeps would look like the growth of a record's handle.
    let (mut waits, mut longest, mut done) = (vec![0_u64; 1 << 18], Duration::ZERO, 0);
    while done < count && !stop.load(Ordering::SeqCst) {
        let began = Instant::now();
        write(done).expect("no error reaches a writer");
        let waited = began.elapsed();
        let place = usize::try_from(waited.as_micros() / STEP_MICROS).unwrap_or(usize::MAX);
        waits[place.min((1 << 18) - 1)] += 1;
        longest = longest.max(waited);
        done += 1;
    }
    let at = |share: u64| {
        let mut left = done * share / 1_000;
        let place = waits.iter().position(|count| {
            let here = left < *count;
            left = left.saturating_sub(*count);
            here
        });
        place.map_or(0, |place| place as u128 * STEP_MICROS)
    };
    println!("writes {done} {} {} {}", at(500), at(990), longest.as_micros());
    // The others may still write; what is held open is counted until the end.
    while !stop.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads until it is told to stop; one in two delivers to a session.
fn read(dir: &Path, name: &str) {
    let stop = told_to_stop();
    let delivers = name.ends_with(['1', '3']);
    let record = loop {
        match Record::options().create(false).read_only(!delivers).open(dir) {
            Ok(record) => break record,
            Err(error) if error.code() == stele_core::Code::NoRecord => thread::sleep(Duration::from_millis(5)),
            Err(error) => panic!("no error reaches a reader: {error:?}"),
        }
    };
    let (mut reads, mut head) = (0_u64, 0);
    while !stop.load(Ordering::SeqCst) {
        let now = record.head().expect("no error reaches a reader");
        assert!(now >= head, "the head went back");
        head = now;
        record.retriever().search("barometer in the hall", &SearchOptions::new()).expect("no error reaches a reader");
        let options = RetrieveOptions::new().session(format!("{name}-{}", reads % 50));
        let options = if delivers { options.deliver() } else { options };
        record.retriever().retrieve("where does the barometer of the lighthouse hang?", &options).expect("no error reaches a reader");
        reads += 1;
        thread::sleep(Duration::from_millis(5));
    }
    println!("reads {reads}");
}

/// Writes beside a reader that keeps its snapshot for half of the time, then retrieves.
fn long_reader(writes: u64, retrieves: u64) -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    let before = of_process(std::process::id());
    let record = Record::options().durability(Durability::Normal).open(&dir).expect("a record");
    let recorder = record.recorder("writer").expect("a recorder");
    recorder.fact(Category::Fyi, "The first").record().expect("a fact");
    let wal = || std::fs::metadata(dir.join("record.db-wal")).map_or(0, |meta| meta.len());
    let reader = rusqlite::Connection::open(dir.join("record.db")).expect("the record's file");
    reader.execute_batch("BEGIN").expect("a transaction");
    let seen: i64 = reader.query_row("SELECT count(*) FROM log", [], |row| row.get(0)).expect("a snapshot");
    let write = |from: u64, to: u64| {
        for first in (from..to).step_by(20) {
            let facts = |recorder: &stele_core::Recorder<'_>| {
                (first..to.min(first + 20))
                    .try_for_each(|nth| recorder.fact(Category::Fyi, format!("Barometer {nth}")).body(format!("hangs in hall {}", nth % 97)).record().map(drop))
            };
            recorder.transaction(facts).expect("no error reaches a writer");
        }
    };
    write(1, writes / 2);
    let pinned = wal();
    assert_eq!(seen, reader.query_row("SELECT count(*) FROM log", [], |row| row.get::<_, i64>(0)).expect("the same snapshot"));
    reader.execute_batch("COMMIT").expect("the reader is done");
    drop(reader);
    write(writes / 2, writes);
    // What runs in the background has its turn.
    for _ in 0..600 {
        if wal() <= 16 << 20 && record.catch_up().unwrap_or(false) {
            break;
        }
        recorder.fact(Category::Fyi, "One more").record().expect("a fact");
        thread::sleep(Duration::from_millis(50));
    }
    let after = wal();
    let ask = |nth: u64| {
        let prompt = format!("in which hall does barometer {nth} hang, and is it {}?", nth % 97);
        record.retriever().retrieve(&prompt, &RetrieveOptions::new().session(format!("s{}", nth % 100)).deliver()).expect("a window");
    };
    (0..retrieves / 10).for_each(ask);
    let warm = of_process(std::process::id());
    (retrieves / 10..retrieves).for_each(ask);
    let end = of_process(std::process::id());
    record.close();
    drop(record);
    thread::sleep(Duration::from_millis(100));
    let left = of_process(std::process::id());
    let mb = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let row = |what: &str, aim: &str, reached: String, met| Row { what: what.to_owned(), aim: aim.to_owned(), reached, met };
    vec![
        row("write-ahead log once the long reader is done", "≤ 64 MB", format!("{} ({} while it read)", mb(after), mb(pinned)), after <= 64 << 20),
        row(
            &format!("memory over {retrieves} retrieves"),
            "flat, within 5 %",
            format!("{} to {}", mb(warm.memory), mb(end.memory)),
            end.memory <= warm.memory + warm.memory / 20,
        ),
        row("file handles over the retrieves", "no more", format!("{} to {}", warm.handles, end.handles), end.handles <= warm.handles),
        row(
            "threads and file handles after close",
            "as many as before",
            format!("{} and {}, before {} and {}", left.threads, left.handles, before.threads, before.handles),
            left.threads <= before.threads && left.handles <= before.handles,
        ),
    ]
}
