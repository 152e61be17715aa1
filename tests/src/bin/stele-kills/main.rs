//! Kills writers, at every fail point and at random moments, and looks at the record after each:
//! `stele-kills --count N --seed S`. Each point is hit at least once, whatever the count.
//!
//! The one who kills (`plan`), the one who is killed (`doomed`), the record between them (`life`), and what must hold
//! of it afterwards (`check`).
#![expect(clippy::disallowed_methods, reason = "processes are killed at odd moments, and it is told how long that took")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user and to its parent")]

mod check;
mod doomed;
mod life;
mod plan;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["doomed", dir, word, seed, fate @ ..] => doomed::run(Path::new(dir), word, number(seed), fate),
        _ => return plan::run(option(&words, "--count").unwrap_or(0), option(&words, "--seed").unwrap_or(1)),
    }
    ExitCode::SUCCESS
}

fn option(words: &[&str], name: &str) -> Option<u64> {
    let at = words.iter().position(|word| *word == name)?;
    words.get(at + 1).map(|word| number(word))
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

/// Numbers that look random and are the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that begin at a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        dice.below(2);
        dice
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
