//! An agent's session on a real record: builds it, asks it, prints each window and what it took.
//!
//! ```text
//! cargo run --release --example session                           the sample in samples/, with its prompts
//! cargo run --release --example session -- FILE.jsonl             a file in the interchange form
//! cargo run --release --example session -- docs/adr               a folder of architecture decision records
//! cargo run --release --example session -- --beads issues.jsonl   an issue export of beads
//!     [--prompt "…"]…        what to ask; without it, questions made from titles of the record
//!     [--record FOLDER]      keep the record there; without it, it goes with the process
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stele_core::{Error, Format, ImportOptions, ImportReport, Progress, Record, Retrieval, RetrieveOptions, Retriever, Status};

type Failure = Box<dyn std::error::Error>;

/// Who writes what is imported.
const ACTOR: &str = "session-example";
/// Questions made from titles, where none are given.
const MADE_UP: u64 = 5;

#[derive(Default)]
struct Arguments {
    source: Option<PathBuf>,
    beads: bool,
    prompts: Vec<String>,
    record: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, Failure> {
    let mut read = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--prompt" => read.prompts.push(value()?),
            "--record" => read.record = Some(value()?.into()),
            "--beads" => read.beads = true,
            other if other.starts_with("--") => return Err(format!("session does not know {other}").into()),
            path => read.source = Some(path.into()),
        }
    }
    Ok(read)
}

fn main() -> Result<(), Failure> {
    let arguments = arguments()?;
    let scratch = tempfile::tempdir()?;
    let folder = arguments.record.clone().unwrap_or_else(|| scratch.path().join(".stele"));

    let (record, open_time) = timed(|| Record::open(&folder));
    let record = record?;
    println!("opened {} in {}", folder.display(), shown(open_time));
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("samples");
    let prompts = match &arguments.source {
        Some(source) => {
            import(&record, source, arguments.beads)?;
            arguments.prompts
        }
        None => {
            import(&record, &samples.join("lighthouse.jsonl"), false)?;
            import(&record, &samples.join("adr"), false)?;
            if arguments.prompts.is_empty() { lines_of(&samples.join("prompts.txt"))? } else { arguments.prompts }
        }
    };
    // The record's own thread may be at it already; then this waits for it.
    let (caught_up, time) = timed(|| -> stele_core::Result<()> {
        while !record.catch_up()? {
            std::thread::yield_now();
        }
        Ok(())
    });
    caught_up?;
    println!("brought the indexes up to date in {}\n", shown(time));

    let retriever = record.retriever();
    let prompts = if prompts.is_empty() { made_up(&retriever)? } else { prompts };
    let mut times = Vec::new();
    for prompt in &prompts {
        let (found, time) = timed(|| retriever.retrieve(prompt, &RetrieveOptions::new()));
        show(prompt, &found?, time);
        times.push(time);
    }
    if let Some(first) = times.first().copied() {
        times.sort_unstable();
        println!("{} prompts: the first in {}, the median in {}", times.len(), shown(first), shown(times[times.len() / 2]));
    }
    record.close();
    Ok(())
}

/// Imports a file or a folder, with a bar on standard error if it is long, and says what came of it.
fn import(record: &Record, source: &Path, beads: bool) -> Result<(), Failure> {
    let mut bar = |progress: Progress| draw(progress);
    let (report, time) = timed(|| {
        let options = ImportOptions::new().progress(&mut bar);
        if source.is_dir() {
            record.import_adr(source, ACTOR, options)
        } else if beads {
            record.import_beads(source, ACTOR, options)
        } else {
            record.import_jsonl(source, ACTOR, options)
        }
    });
    let report = report?;
    println!("imported {} in {}: {}", source.display(), shown(time), summary(&report));
    for fault in report.errors.iter().take(5) {
        println!("  {}line {}: {}", fault.path.as_deref().map(|path| format!("{path} ")).unwrap_or_default(), fault.line, fault.message);
    }
    if report.applied { Ok(()) } else { Err(format!("nothing was imported: {} faults", report.error_count).into()) }
}

fn summary(report: &ImportReport) -> String {
    let counts = [
        (report.nodes, "nodes"),
        (report.revised, "revised"),
        (report.edges, "edges"),
        (report.unchanged, "unchanged"),
        (report.unverified, "retirements without proof"),
        (report.skipped_count, "passed over"),
        (report.error_count, "faults"),
    ];
    let told: Vec<String> = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }
}

/// One line that is drawn over itself; short imports draw nothing.
fn draw(progress: Progress) {
    const WIDTH: u64 = 30;
    if progress.lines < 1_000 {
        return;
    }
    let total = progress.total_bytes.unwrap_or(progress.bytes).max(1);
    let full = (progress.bytes.min(total) * WIDTH / total) as usize;
    eprint!("\r{}{} {:>9} lines {:<10}", "█".repeat(full), "·".repeat(WIDTH as usize - full), progress.lines, progress.phase.as_str());
    if progress.phase.as_str() == "done" {
        eprintln!();
    }
}

/// Questions about a few nodes, spread over the record.
fn made_up(retriever: &Retriever) -> Result<Vec<String>, Error> {
    let mut titles = Vec::new();
    let known = |number: u64| retriever.get(&format!("KNOW-{number}")).ok();
    let mut last = 1;
    while known(last * 2).is_some() {
        last *= 2;
    }
    for at in 1..=MADE_UP {
        titles.extend(known(last * at / MADE_UP).map(|node| format!("What do we know about {}?", node.title)));
    }
    Ok(titles)
}

fn lines_of(path: &Path) -> std::io::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

fn show(prompt: &str, found: &Retrieval, time: Duration) {
    println!("> {prompt}\n");
    match found.status {
        Status::Found => print!("{}", found.render(Format::Text)),
        Status::Abstained => println!("(nothing in the record bears on it)"),
        Status::TooShort => println!("(too short to be looked up, and it names nothing)"),
        other => println!("({other})"),
    }
    println!("\n{}, {} entries, {}\n", found.status, found.entries.len() + found.callouts.len(), shown(time));
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = now();
    let done = work();
    (done, began.elapsed())
}

#[expect(clippy::disallowed_methods, reason = "an example measures itself")]
fn now() -> Instant {
    Instant::now()
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
