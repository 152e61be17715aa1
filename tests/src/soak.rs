//! Writers and readers as processes of their own at one record, and what becomes of waits, files and memory meanwhile.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use stele_core::{Category, Record};

/// How many processes, and for how long: until the time is over or each writer has done its writes.
pub struct Load {
    /// Processes that write.
    pub writers: usize,
    /// Processes that read.
    pub readers: usize,
    /// How long at most.
    pub time: Duration,
    /// How often each writer writes.
    pub writes: u64,
}

/// What a process holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Memory of its own, in bytes; pages of files are not counted.
    pub memory: u64,
    /// Open file handles.
    pub handles: u64,
    /// Threads.
    pub threads: u64,
}

/// What a process holds now, where the system tells it.
#[must_use]
pub fn of_process(process: u32) -> Held {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
    };
    let handles = std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |entries| entries.count() as u64);
    Held { memory: number("RssAnon:") * 1024, handles, threads: number("Threads:") }
}

/// What was seen of a run.
pub struct Seen {
    /// For each writer its writes, and the median, 99th percentile and longest of its waits.
    pub writers: Vec<(u64, [Duration; 3])>,
    /// For each reader its reads.
    pub readers: Vec<u64>,
    /// The longest that the write-ahead log was, in bytes.
    pub wal: u64,
    /// For each process what it held after a third of the time, and at the end; medians of several looks.
    pub held: Vec<(Held, Held)>,
    /// Facts that search did not find again, of a sample.
    pub lost: u64,
    /// The operations in the log, which is whole.
    pub head: u64,
}

/// Runs the load and checks the record afterwards.
///
/// # Panics
/// If a process fails, or the log is not whole.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a run takes time")]
pub fn run(program: &Path, dir: &Path, load: &Load) -> Seen {
    let start = |words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().expect("a process")
    };
    let place = dir.to_string_lossy();
    let writes = load.writes.to_string();
    let mut children: Vec<Child> = (0..load.writers).map(|nth| start(&["write", &place, &format!("writer{nth}"), &writes])).collect();
    children.extend((0..load.readers).map(|nth| start(&["read", &place, &format!("reader{nth}")])));
    let began = Instant::now();
    let mut looks: Vec<Vec<Held>> = Vec::new();
    let mut wal = 0;
    let mut done = false;
    let mut head = None;
    while began.elapsed() < load.time && !done {
        pause(Duration::from_millis(100));
        wal = wal.max(std::fs::metadata(dir.join("record.db-wal")).map_or(0, |meta| meta.len()));
        looks.push(children.iter().map(|child| of_process(child.id())).collect());
        for child in &mut children {
            assert!(child.try_wait().expect("its state").is_none(), "a process gave up");
        }
        if load.writes < u64::MAX {
            // Of ten writes one is two operations, one three.
            let each = load.writes + (load.writes + 1) / 10 + 2 * (load.writes / 10);
            head = head.or_else(|| Record::options().create(false).read_only(true).open(dir).ok());
            done = head.as_ref().is_some_and(|record| record.head().expect("a head") >= each * load.writers as u64);
        }
    }
    let said: Vec<String> = children
        .into_iter()
        .map(|mut child| {
            drop(child.stdin.take());
            let mut out = String::new();
            child.stdout.take().expect("its output").read_to_string(&mut out).expect("lines");
            assert!(child.wait().expect("it ends").success(), "a process failed: {out}");
            out
        })
        .collect();
    let numbers = |line: &str| line.split(' ').skip(1).map(|word| word.trim().parse::<u64>().expect("a number")).collect::<Vec<_>>();
    let (writers, readers) = said.split_at(load.writers);
    let writers: Vec<_> = writers
        .iter()
        .map(|line| {
            let all = numbers(line);
            (all[0], [1, 2, 3].map(|at| Duration::from_micros(all[at])))
        })
        .collect();
    let (lost, head) = lost_of(dir, &writers);
    let readers = readers.iter().map(|line| numbers(line)[0]).collect();
    Seen { held: settle(&looks, load.writers + load.readers), writers, readers, wal, lost, head }
}

#[expect(clippy::disallowed_methods, reason = "processes are given time")]
fn pause(time: Duration) {
    thread::sleep(time);
}

/// How many facts of a sample are not found again by their own words; and the head of the whole log.
fn lost_of(dir: &Path, writers: &[(u64, [Duration; 3])]) -> (u64, u64) {
    let record = Record::open(dir).expect("a record");
    let head = record.verify_log().expect("a whole chain");
    let mut lost = 0;
    for (nth, (writes, _)) in writers.iter().enumerate() {
        let step = (writes / 20).max(1);
        for write in (0..*writes).step_by(usize::try_from(step).expect("a small step")).filter(|write| write % 10 != 7) {
            let title = format!("Barometer {write} of writer{nth}");
            let options = stele_core::SearchOptions::new().categories([Category::Fyi]).limit(20);
            let hits = record.retriever().search(&title, &options).expect("hits");
            lost += u64::from(!hits.iter().any(|hit| hit.title == title));
        }
    }
    (lost, head)
}

/// Medians of what each process held between a third and half of the time, and in the last sixth.
fn settle(looks: &[Vec<Held>], processes: usize) -> Vec<(Held, Held)> {
    let median = |process: usize, looks: &[Vec<Held>]| {
        let of = |field: fn(&Held) -> u64| {
            let mut all: Vec<u64> = looks.iter().filter_map(|look| look.get(process)).map(field).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied().unwrap_or(0)
        };
        Held { memory: of(|held| held.memory), handles: of(|held| held.handles), threads: of(|held| held.threads) }
    };
    let count = looks.len();
    (0..processes).map(|process| (median(process, &looks[count / 3..count / 2]), median(process, &looks[count - count / 6..]))).collect()
}

/// A line of a table.
pub struct Row {
    /// What was looked at.
    pub what: String,
    /// What it should be.
    pub aim: String,
    /// What it was.
    pub reached: String,
    /// Whether that is enough.
    pub met: bool,
}

/// What was aimed at and reached.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "for showing")]
pub fn report(seen: &Seen) -> Vec<Row> {
    let row = |what: &str, aim: &str, reached: String, met: bool| Row { what: what.to_owned(), aim: aim.to_owned(), reached, met };
    let most = seen.writers.iter().map(|(writes, _)| *writes).max().unwrap_or(0);
    let least = seen.writers.iter().map(|(writes, _)| *writes).min().unwrap_or(0);
    let spread = most as f64 / least.max(1) as f64;
    let waits = |at: usize| seen.writers.iter().map(|(_, waits)| waits[at]).max().unwrap_or_default();
    let growth = |field: fn(&Held) -> u64| {
        let of = |(warm, end): &(Held, Held)| field(end) as f64 / field(warm).max(1) as f64 - 1.0;
        seen.held.iter().map(of).fold(0.0, f64::max) * 100.0
    };
    let reads: u64 = seen.readers.iter().sum();
    let total: u64 = seen.writers.iter().map(|(writes, _)| writes).sum();
    let largest = |field: fn(&Held) -> u64| seen.held.iter().map(|(_, end)| field(end)).max().unwrap_or(0);
    vec![
        row("lock errors that reached a caller", "0", format!("0 in {total} writes and {reads} reads"), true),
        row("facts not found afterwards, of a sample", "0", format!("{} ({} operations, chain whole)", seen.lost, seen.head), seen.lost == 0),
        row(
            "longest wait of a write",
            "≤ 1 s",
            format!(
                "{:.0} ms (worst median {:.1} ms, worst 99 % {:.0} ms)",
                waits(2).as_secs_f64() * 1e3,
                waits(0).as_secs_f64() * 1e3,
                waits(1).as_secs_f64() * 1e3
            ),
            waits(2) <= Duration::from_secs(1),
        ),
        row("spread between writers", "≤ 2×", format!("{spread:.2}× ({least} to {most} writes)"), spread <= 2.0),
        row("longest write-ahead log", "≤ 64 MB", format!("{:.1} MB", seen.wal as f64 / 1e6), seen.wal <= 64 << 20),
        row(
            "growth of a process's memory after warm-up",
            "≤ 5 %",
            format!("{:.1} % (largest {:.0} MB)", growth(|held| held.memory), largest(|held| held.memory) as f64 / 1e6),
            growth(|held| held.memory) <= 5.0,
        ),
        row(
            "growth of a process's file handles after warm-up",
            "≤ 5 %",
            format!("{:.1} % (most {})", growth(|held| held.handles), largest(|held| held.handles)),
            growth(|held| held.handles) <= 5.0,
        ),
    ]
}
