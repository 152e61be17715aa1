//! Writers and readers as processes of their own at one record, and what becomes of waits, files and memory meanwhile.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use stele_core::{Category, Record};

/// What the writers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// They record one fact after another.
    Grow,
    /// They change what each of them recorded at first: the log grows, and what it says does not.
    Rework,
}

impl Work {
    /// The verb of the program for it.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Grow => "write",
            Self::Rework => "rework",
        }
    }

    /// How many operations so many writes of one writer are.
    #[must_use]
    pub fn operations(self, writes: u64) -> u64 {
        match self {
            // Of ten writes one is two operations, one three.
            Self::Grow => writes + (writes + 1) / 10 + 2 * (writes / 10),
            // Of ten writes two are three operations each; before them come the facts and a task.
            Self::Rework => REWORKED + 1 + writes + 2 * ((writes + 1) / 10) + 2 * (writes / 10),
        }
    }
}

/// How many facts a writer changes again and again.
pub const REWORKED: u64 = 200;

/// How many processes, and for how long: until the time is over or each writer has done its writes.
pub struct Load {
    /// What the writers do.
    pub work: Work,
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

impl Held {
    fn with(self, other: &Self) -> Self {
        Self { memory: self.memory + other.memory, handles: self.handles + other.handles, threads: self.threads + other.threads }
    }
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
    /// For each process what it held in the second third of the time and in the last; means of all looks, writers first.
    pub held: Vec<(Held, Held)>,
    /// What all writers held together, likewise.
    pub together: (Held, Held),
    /// The most memory that a process held at a look of the last third.
    pub largest: u64,
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
    let mut children: Vec<Child> = (0..load.writers).map(|nth| start(&[load.work.verb(), &place, &format!("writer{nth}"), &writes])).collect();
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
            let each = load.work.operations(load.writes);
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
    let (lost, head) = lost_of(dir, load.work, &writers);
    let readers = readers.iter().map(|line| numbers(line)[0]).collect();
    let (count, processes) = (looks.len(), load.writers + load.readers);
    let (second, last) = (&looks[count / 3..count * 2 / 3], &looks[count * 2 / 3..]);
    let largest = last.iter().flatten().map(|held| held.memory).max().unwrap_or(0);
    let mean = |of: &dyn Fn(&[Held]) -> Held| (mean(second, of), mean(last, of));
    let held = (0..processes).map(|process| mean(&|look| look.get(process).copied().unwrap_or_default())).collect();
    let together = mean(&|look| look.iter().take(load.writers).fold(Held::default(), Held::with));
    Seen { held, together, largest, writers, readers, wal, lost, head }
}

#[expect(clippy::disallowed_methods, reason = "processes are given time")]
fn pause(time: Duration) {
    thread::sleep(time);
}

/// How many facts of a sample are not found again by their own words; and the head of the whole log.
fn lost_of(dir: &Path, work: Work, writers: &[(u64, [Duration; 3])]) -> (u64, u64) {
    let record = Record::open(dir).expect("a record");
    let head = record.verify_log().expect("a whole chain");
    let mut lost = 0;
    for (nth, (writes, _)) in writers.iter().enumerate() {
        let facts = if work == Work::Grow { *writes } else { REWORKED };
        let step = usize::try_from((facts / 20).max(1)).expect("a small step");
        for write in (0..facts).step_by(step).filter(|write| work == Work::Rework || write % 10 != 7) {
            let title = format!("Barometer {write} of writer{nth}");
            let options = stele_core::SearchOptions::new().categories([Category::Fyi]).limit(20);
            let hits = record.retriever().search(&title, &options).expect("hits");
            lost += u64::from(!hits.iter().any(|hit| hit.title == title));
        }
    }
    (lost, head)
}

/// The mean of what is seen in each of several looks.
fn mean(looks: &[Vec<Held>], seen: &dyn Fn(&[Held]) -> Held) -> Held {
    let sum = looks.iter().map(|look| seen(look)).fold(Held::default(), |sum, held| sum.with(&held));
    let of = |sum: u64| sum / (looks.len() as u64).max(1);
    Held { memory: of(sum.memory), handles: of(sum.handles), threads: of(sum.threads) }
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
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let most = seen.writers.iter().map(|(writes, _)| *writes).max().unwrap_or(0);
    let least = seen.writers.iter().map(|(writes, _)| *writes).min().unwrap_or(0);
    let spread = most as f64 / least.max(1) as f64;
    let waits = |at: usize| seen.writers.iter().map(|(_, waits)| waits[at]).max().unwrap_or_default();
    let growth = |(warm, end): &(Held, Held), field: fn(&Held) -> u64| (field(end) as f64 / field(warm).max(1) as f64 - 1.0) * 100.0;
    let worst = |held: &[(Held, Held)], field: fn(&Held) -> u64| held.iter().map(|held| growth(held, field)).fold(f64::MIN, f64::max);
    let readers = worst(&seen.held[seen.writers.len()..], |held| held.memory);
    let together = growth(&seen.together, |held| held.memory);
    let handles = worst(&seen.held, |held| held.handles);
    let reads: u64 = seen.readers.iter().sum();
    let total: u64 = seen.writers.iter().map(|(writes, _)| writes).sum();
    let most_handles = seen.held.iter().map(|(_, end)| end.handles).max().unwrap_or(0);
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
        row("longest write-ahead log", "≤ 64 MB", format!("{:.1} MB", mb(seen.wal)), seen.wal <= 64 << 20),
        row("growth of a reader's memory from the second third to the last", "≤ 5 %", format!("{readers:.1} % at most"), readers <= 5.0),
        row(
            "growth of the writers' memory together, likewise",
            "≤ 5 %",
            format!("{together:.1} % (to {:.0} MB; the largest of any process {:.0} MB)", mb(seen.together.1.memory), mb(seen.largest)),
            together <= 5.0,
        ),
        row("growth of a process's file handles, likewise", "≤ 5 %", format!("{handles:.1} % (most {most_handles})"), handles <= 5.0),
    ]
}
