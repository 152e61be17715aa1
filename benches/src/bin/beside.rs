//! Retrieval beside the bare floor and beside an empty process, taken in turns so that whatever else the machine does
//! meets all alike: `beside [FACTS ...]` prints times, ratios and resident memory. Warm times are what a call takes, and how long
//! its own thread had the processor where the system tells that; a second thread that searches beside it is not in the latter.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a command line program that measures and talks to its user")]

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use stele_bench::floor::{Floor, Terms};
use stele_bench::{corpus, prompts};
use stele_core::{Record, RetrieveOptions};

const ROUNDS: usize = 8;
const COLD: usize = 60;
/// Prompts that are asked in turns with the floor once, after those that are asked again and again.
const ONCE: usize = 500;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    let cold = std::env::current_exe().expect("a path").with_file_name("cold");
    for facts in sizes {
        let dir = corpus(facts);
        let prompts = prompts(50);
        let [floor, all, ours] = warm(&dir, &prompts);
        println!("{facts} facts, warm: bare floor {floor}, with frequent terms {all}, retrieve {ours}: {}, {}", ours.over(&floor), ours.over(&all));
        let [floor, ours] = once(&dir, &prompts);
        println!("{facts} facts, prompts asked once: bare floor {floor}, retrieve {ours}: {}", ours.over(&floor));
        let place = dir.to_str().expect("a path in UTF-8");
        let calls: [&[&str]; 3] = [&["empty"], &["floor", place, &prompts[0]], &["retrieve", place, &prompts[0]]];
        let [empty, floor, ours] = in_turns(COLD, |nth, _| assert!(Command::new(&cold).args(calls[nth]).status().expect("the program runs").success()));
        println!("{facts} facts, whole process: empty {empty:.1} ms, bare floor +{:.1} ms, retrieve +{:.1} ms", floor - empty, ours - empty);
    }
}

/// What calls of one kind took, one entry a round, each per call.
#[derive(Default)]
struct Spent {
    went_by: Vec<f64>,
    own_thread: Vec<f64>,
}

impl Spent {
    fn round<'a>(&mut self, prompts: &'a [String], call: impl Fn(&'a str)) {
        let (start, ran) = (Instant::now(), processor_time());
        prompts.iter().for_each(|prompt| call(prompt));
        let calls = prompts.len() as f64;
        self.own_thread.push((processor_time() - ran).as_secs_f64() * 1e3 / calls);
        self.went_by.push(start.elapsed().as_secs_f64() * 1e3 / calls);
    }

    fn medians(&self) -> [f64; 2] {
        [median(self.went_by.clone()), median(self.own_thread.clone())]
    }

    /// How many times as long as another.
    fn over(&self, other: &Self) -> String {
        let ([went_by, own], [others, others_own]) = (self.medians(), other.medians());
        format!("{:.2} ({:.2})", went_by / others, own / others_own)
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [went_by, own] = self.medians();
        write!(f, "{went_by:.3} ms ({own:.3})")
    }
}

fn warm(dir: &Path, prompts: &[String]) -> [Spent; 3] {
    let record = Record::options().create(false).open(dir).expect("a record");
    let before = resident();
    let retriever = record.retriever();
    let retrieve = |prompt: &str| drop(retriever.retrieve(prompt, &RetrieveOptions::new()).expect("a window"));
    prompts.iter().for_each(|prompt| retrieve(prompt));
    println!("resident after {} retrievals: {:.0} MB, {:.0} MB before the first", prompts.len(), resident(), before);
    let floor = Floor::open(dir);
    let mut spent = <[Spent; 3]>::default();
    for _ in 0..ROUNDS {
        spent[0].round(prompts, |prompt| drop(floor.look_up(prompt, Terms::Telling)));
        spent[1].round(prompts, |prompt| drop(floor.look_up(prompt, Terms::All)));
        spent[2].round(prompts, retrieve);
    }
    spent
}

/// The same for prompts that the handle has not met, after those that it has.
fn once(dir: &Path, known: &[String]) -> [Spent; 2] {
    let record = Record::options().create(false).open(dir).expect("a record");
    let retriever = record.retriever();
    let retrieve = |prompt: &str| drop(retriever.retrieve(prompt, &RetrieveOptions::new()).expect("a window"));
    known.iter().for_each(|prompt| retrieve(prompt));
    let floor = Floor::open(dir);
    let mut spent = <[Spent; 2]>::default();
    for some in prompts(known.len() + ONCE)[known.len()..].chunks(50) {
        spent[0].round(some, |prompt| drop(floor.look_up(prompt, Terms::Telling)));
        spent[1].round(some, retrieve);
    }
    spent
}

/// How long this thread has run; where the system does not tell, the time that went by.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse().ok()).map(Duration::from_nanos);
    ran.unwrap_or_else(|| START.elapsed())
}

/// The medians of three things done in turns, in milliseconds.
fn in_turns(turns: usize, each: impl Fn(usize, usize)) -> [f64; 3] {
    let mut times = [const { Vec::<Duration>::new() }; 3];
    for turn in 0..turns {
        for (nth, times) in times.iter_mut().enumerate() {
            let start = Instant::now();
            each(nth, turn);
            times.push(start.elapsed());
        }
    }
    times.map(|times| median(times.iter().map(|time| time.as_secs_f64() * 1e3).collect()))
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_unstable_by(f64::total_cmp);
    of[of.len() / 2]
}

/// The resident memory of this process in MB; 0 where the system does not say.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
