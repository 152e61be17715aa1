//! Runs one fuzz target over inputs made from seeds, without a fuzzer: `stele-hunt TARGET INPUTS [FIRST-SEED]`.
//!
//! A failing or hanging input is written to `hunt-TARGET-SEED` in the present folder and ends the run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]
#![expect(clippy::disallowed_methods, reason = "a thread watches for inputs that never end")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use stele_tests::fuzzing::TARGETS;
use stele_tests::fuzzing::inputs::input_of;

/// An input that takes longer is taken for one that never ends.
const HANGS: Duration = Duration::from_secs(120);

static AT: AtomicU64 = AtomicU64::new(0);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, first @ ..] = arguments.as_slice() else { panic!("a target and a number of inputs") };
    let (_, target) = TARGETS.into_iter().find(|(known, _)| known == name).expect("a target");
    let count: u64 = count.parse().expect("a number of inputs");
    let first: u64 = first.first().map_or(0, |first| first.parse().expect("a seed"));
    let keep = {
        let name = name.clone();
        move |seed: u64, how: &str| {
            let file = format!("hunt-{name}-{seed}");
            std::fs::write(&file, input_of(seed)).expect("a file");
            eprintln!("the input of seed {seed} {how}: {file}");
            std::process::exit(1);
        }
    };
    let watch = keep.clone();
    std::thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let at = AT.load(Ordering::SeqCst);
            if last.0 != at {
                last = (at, Instant::now());
            } else if last.1.elapsed() > HANGS {
                watch(at, "does not end");
            }
        }
    });
    let began = Instant::now();
    for seed in first..first + count {
        AT.store(seed, Ordering::SeqCst);
        if catch_unwind(AssertUnwindSafe(|| target(&input_of(seed)))).is_err() {
            keep(seed, "fails");
        }
    }
    println!("{name}: {count} inputs from seed {first} on in {:.0} s, none failed", began.elapsed().as_secs_f64());
}
