//! Retrieval beside the bare floor and beside an empty process, taken in turns so that whatever else the machine does
//! meets all alike: `beside [FACTS ...]` prints times, ratios and resident memory. Warm times are of the processor where
//! the system tells them, for a thread that waits for its turn is not slow.
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
        println!(
            "{facts} facts, warm: bare floor {floor:.3} ms, with frequent terms {all:.3} ms, retrieve {ours:.3} ms: {:.2}, {:.2}",
            ours / floor,
            ours / all
        );
        let [floor, ours] = once(&dir, &prompts);
        println!("{facts} facts, prompts asked once: bare floor {floor:.3} ms, retrieve {ours:.3} ms: {:.2}", ours / floor);
        let place = dir.to_str().expect("a path in UTF-8");
        let calls: [&[&str]; 3] = [&["empty"], &["floor", place, &prompts[0]], &["retrieve", place, &prompts[0]]];
        let [empty, floor, ours] = in_turns(COLD, |nth, _| assert!(Command::new(&cold).args(calls[nth]).status().expect("the program runs").success()));
        println!("{facts} facts, whole process: empty {empty:.1} ms, bare floor +{:.1} ms, retrieve +{:.1} ms", floor - empty, ours - empty);
    }
}

fn warm(dir: &Path, prompts: &[String]) -> [f64; 3] {
    let record = Record::options().create(false).open(dir).expect("a record");
    let before = resident();
    let retriever = record.retriever();
    let retrieve = |prompt: &str| drop(retriever.retrieve(prompt, &RetrieveOptions::new()).expect("a window"));
    prompts.iter().for_each(|prompt| retrieve(prompt));
    println!("resident after {} retrievals: {:.0} MB, {:.0} MB before the first", prompts.len(), resident(), before);
    let floor = Floor::open(dir);
    let mut spent = [Duration::ZERO; 3];
    for _ in 0..ROUNDS {
        for (nth, spent) in spent.iter_mut().enumerate() {
            let start = processor_time();
            for prompt in prompts {
                match nth {
                    0 => drop(floor.look_up(prompt, Terms::Telling)),
                    1 => drop(floor.look_up(prompt, Terms::All)),
                    _ => retrieve(prompt),
                }
            }
            *spent += processor_time() - start;
        }
    }
    spent.map(|spent| spent.as_secs_f64() * 1e3 / (ROUNDS * prompts.len()) as f64)
}

/// The same for prompts that the handle has not met, after those that it has.
fn once(dir: &Path, known: &[String]) -> [f64; 2] {
    let record = Record::options().create(false).open(dir).expect("a record");
    let retriever = record.retriever();
    let retrieve = |prompt: &str| drop(retriever.retrieve(prompt, &RetrieveOptions::new()).expect("a window"));
    known.iter().for_each(|prompt| retrieve(prompt));
    let floor = Floor::open(dir);
    let mut spent = [Duration::ZERO; 2];
    for some in prompts(known.len() + ONCE)[known.len()..].chunks(50) {
        for (nth, spent) in spent.iter_mut().enumerate() {
            let start = processor_time();
            for prompt in some {
                if nth == 0 { drop(floor.look_up(prompt, Terms::Telling)) } else { retrieve(prompt) }
            }
            *spent += processor_time() - start;
        }
    }
    spent.map(|spent| spent.as_secs_f64() * 1e3 / ONCE as f64)
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
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    })
}

/// The resident memory of this process in MB; 0 where the system does not say.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
