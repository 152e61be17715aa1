//! The process that is killed: writes in every way there is and says on standard output what was acknowledged.
#![expect(unsafe_code, reason = "a process kills itself by the system's own call")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use stele_core::{
    AssembleOptions, Category, Code, Draft, Durability, ExportForm, FailPoint, ImportOptions, Record, Recorder, RetrieveOptions, Revision, on_fail_point,
};

use crate::Dice;

/// How many steps a process takes that nothing kills.
const STEPS: u64 = 28;
const WAYS: u64 = 14;

/// The number of the point to end at, 0 for none, and how often it is still to be reached.
static POINT: AtomicU32 = AtomicU32::new(0);
static LEFT: AtomicU64 = AtomicU64::new(0);

// SAFETY: declared as POSIX declares them.
unsafe extern "C" {
    fn getpid() -> i32;
    fn kill(process: i32, signal: i32) -> i32;
}

fn end_here(point: FailPoint) {
    if u32::from(point.number()) == POINT.load(Ordering::SeqCst) && LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        // SAFETY: both calls take and give plain numbers.
        unsafe { kill(getpid(), 9) };
    }
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("the parent listens");
}

/// Works on the record in a folder; `word` goes into everything that it writes. `fate` is a fail point and how often it
/// is reached before the end, or nothing.
pub(crate) fn run(dir: &Path, word: &str, seed: u64, fate: &[&str]) {
    if let [point, times] = fate {
        POINT.store(u32::from(FailPoint::parse(point).expect("a fail point").number()), Ordering::SeqCst);
        LEFT.store(crate::number(times), Ordering::SeqCst);
        on_fail_point(end_here);
    }
    let mut dice = Dice::new(seed);
    let durability = [Durability::Full, Durability::Normal][dice.below(2) as usize];
    let open = || Record::options().durability(durability).open(dir);
    let record = match open() {
        Err(error) if error.code() == Code::OlderFormat => {
            // Another process may be the one that does it.
            Record::migrate(dir).expect("migrated");
            say("migrated");
            open().expect("a record of today's format")
        }
        opened => opened.expect("a record"),
    };
    say("opened");
    let first = dice.below(WAYS);
    let mut work = Work { record: &record, recorder: record.recorder("doomed").expect("a recorder"), dir, word, last: None };
    for step in 0..STEPS {
        work.step((first + step) % WAYS, step);
    }
    record.close();
}

struct Work<'r> {
    record: &'r Record,
    recorder: Recorder<'static>,
    dir: &'r Path,
    word: &'r str,
    /// The last fact of its own.
    last: Option<String>,
}

impl Work<'_> {
    fn fact(&mut self, token: &str) -> String {
        let id = in_time(|| fact(&self.recorder, token));
        say(&format!("fact {id} {token}"));
        self.last = Some(id.clone());
        id
    }

    fn step(&mut self, way: u64, step: u64) {
        let token = format!("{}n{step:02}", self.word);
        match way {
            0 => {
                self.fact(&token);
            }
            1 => {
                let parts = |recorder: &Recorder<'_>| ["one", "two", "three"].iter().try_for_each(|part| fact(recorder, &format!("{token}{part}")).map(drop));
                in_time(|| self.recorder.transaction(parts));
                say(&format!("batch {token}"));
            }
            2 => {
                let Some(id) = &self.last else { return };
                let body = format!("hangs in the hall of the lighthouse, revised{token}");
                in_time(|| self.recorder.revise(id, Revision::new().body(&*body)));
                say(&format!("revised {id} revised{token}"));
            }
            3 => {
                let older = self.fact(&format!("{token}old"));
                let newer = self.fact(&token);
                let title = format!("Barometer {token}");
                in_time(|| self.recorder.supersede(&newer, &older).reason("the old one broke").evidence(&title).record());
                say(&format!("retired {older} {newer}"));
            }
            4 => {
                let options = RetrieveOptions::new().session("first").deliver();
                self.record.retriever().retrieve("where does the barometer hang in the lighthouse?", &options).expect("a window");
            }
            5 => {
                let lines: String = (0..5).map(|nth| imported_line(&token, nth)).collect();
                let report = self.record.import_lines(lines.as_bytes(), "doomed", ImportOptions::new()).expect("an import");
                assert!(report.applied, "{report:?}");
                say(&format!("imported {token}"));
            }
            6 => drop(self.record.catch_up().expect("the indexes follow")),
            7 => drop(self.record.export_jsonl(self.dir.with_file_name("out.jsonl"), ExportForm::Interchange).expect("an export")),
            8 => match self.record.rebuild_indexes() {
                Err(error) if error.code() != Code::Busy => panic!("{error:?}"),
                _ => {}
            },
            9 => {
                let id = in_time(|| self.recorder.fact(Category::Fyi, format!("Hidden {token}")).record()).id.to_string();
                say(&format!("hidden {id} {token}"));
                self.recorder.purge(&id, "the law", &[&token]).expect("purged");
                say(&format!("purged {id}"));
            }
            10 => drop(self.record.compact().expect("written anew")),
            11 => self.record.backup(self.beside("backup", &token)).expect("a backup"),
            12 => {
                let rule = Draft::rule(format!("Tap {token}"), format!("Tap the barometer of {token}")).routing(|rule| rule.always_on = true);
                in_time(|| self.recorder.add(rule.clone()));
                say(&format!("session {}", self.word));
                let session = self.record.session(self.word).open().expect("a session");
                session.on_prompt("where does the barometer hang in the lighthouse?", &AssembleOptions::new()).expect("a context");
            }
            _ => {
                let log = self.beside("log", &token);
                let exported = self.record.export_jsonl(&log, ExportForm::Log).expect("an export");
                let moved = Record::open(self.beside("moved", &token)).expect("a new record");
                assert_eq!(moved.import_log(&log).expect("an import"), exported.operations);
            }
        }
    }

    /// A place of its own outside the record's folder.
    fn beside(&self, what: &str, token: &str) -> PathBuf {
        self.dir.with_file_name(format!("{what}-{token}"))
    }
}

/// Does it again for as long as the machine is too busy for a transaction to end in its two seconds: then nothing of it
/// was written. No other error may reach a caller.
fn in_time<T>(mut verb: impl FnMut() -> stele_core::Result<T>) -> T {
    loop {
        match verb() {
            Err(error) if error.code() == Code::TransactionTimeout => {}
            done => return done.expect("no lock error reaches a caller"),
        }
    }
}

fn fact(recorder: &Recorder<'_>, token: &str) -> stele_core::Result<String> {
    let fact = recorder.fact(Category::Fyi, format!("Barometer {token}")).body(format!("hangs in the hall of the lighthouse, {token}"));
    Ok(fact.tags(["kept"]).record()?.id.to_string())
}

fn imported_line(token: &str, nth: u64) -> String {
    format!(
        r#"{{"type":"node","alias":"{token}-{nth}","kind":"knowledge","category":"fyi","title":"Barometer {token}part{nth}","body":"hangs in the hall of the lighthouse, {token}","tags":["kept"]}}"#
    ) + "\n"
}
