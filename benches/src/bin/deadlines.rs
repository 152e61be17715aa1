//! How far calls overrun short deadlines on a large record with hubs and a prompt of ten megabytes: `deadlines [FACTS [PROMPT]]`,
//! where only prompts are used whose name holds a text.
//!
//! Prints a line for each call, prompt and deadline: the longest and the median overrun, how often the answer was partial,
//! whether what came is a prefix of the full answer or says what is missing, and the processor time spent afterwards. The
//! time that the thread waited for a processor is left out, where the system tells it.
#![expect(clippy::print_stdout, reason = "a table is what it is for")]
#![expect(clippy::disallowed_methods, reason = "it measures")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use stele_core::{GapKind, ImportOptions, RecallOptions, Record, Retrieval, RetrieveOptions, SearchOptions, Status};

const DEADLINES_MS: [u64; 4] = [1, 5, 20, 50];
const ROUNDS: usize = 20;
/// Edges of the hub, and length of the chain of retirements.
const HUB: usize = 50_000;
const CHAIN: usize = 20_000;
const CAUSE: &str = r#""reason":"seen together""#;

fn main() {
    let facts: usize = std::env::args().nth(1).map_or(100_000, |facts| facts.parse().expect("a number of facts"));
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    copy(&stele_bench::corpus(facts), &dir);
    let record = Record::open(&dir).expect("a record");
    grow(&record, facts);
    while !record.catch_up().expect("the indexes are brought up") {}
    println!("{facts} facts, a hub of {} edges, a chain of {} retirements; {ROUNDS} calls each; milliseconds\n", HUB.min(facts - 1), CHAIN.min(facts / 3));
    println!("| call | prompt | handle | deadline | longest overrun | median | partial | prefix or named gap |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let mut prompts = prompts();
    prompts.retain(|(name, _)| name.contains(&wanted));
    for (name, prompt) in &prompts {
        for what in ["retrieve", "recall", "search"] {
            measure(&record, what, name, prompt, "warm");
        }
    }
    for (name, prompt) in prompts.iter().take(2) {
        for ms in DEADLINES_MS {
            let mut seen = Seen::default();
            for _ in 0..ROUNDS {
                let fresh = Record::options().read_only(true).open(&dir).expect("a record");
                call(&fresh, "retrieve", prompt, ms, &mut seen, None);
            }
            seen.line("retrieve", name, "just opened", ms);
        }
    }
    for folder in ["text", "vectors"] {
        std::fs::remove_dir_all(dir.join(folder)).expect("there");
    }
    measure(&record, "retrieve", prompts[0].0, &prompts[0].1, "without indexes");
    idle();
}

/// Adds the hubs: a component that half of the facts mention, beside a risk, and a chain of retirements.
fn grow(record: &Record, facts: usize) {
    let mut lines = String::new();
    for (alias, category, title) in [("HUB-1", "decision", "The gateway before everything"), ("RISK-1", "risk", "The gateway falls over")] {
        let _ = writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"{category}","alias":"{alias}","title":"{title}","body":"quexal"}}"#);
    }
    for number in 1..facts.min(HUB + 1) {
        let _ = writeln!(lines, r#"{{"type":"edge","from":"F-{number}","relation":"mentions","to":"HUB-1"}}"#);
    }
    let _ = writeln!(lines, r#"{{"type":"edge","from":"HUB-1","relation":"caused-by","to":"RISK-1",{CAUSE}}}"#);
    for number in 0..CHAIN.min(facts / 3) {
        let _ = writeln!(
            lines,
            r#"{{"type":"node","kind":"knowledge","category":"fyi","alias":"C-{number}","title":"Link {number} of the zorvex chain","body":""}}"#
        );
        if number > 0 {
            let before = number - 1;
            let _ = writeln!(lines, r#"{{"type":"edge","from":"C-{number}","relation":"supersedes","to":"C-{before}",{CAUSE},"evidence":"none"}}"#);
        }
    }
    let report = record.import_lines(lines.as_bytes(), "bench", ImportOptions::new().partial()).expect("an import");
    assert!(report.applied, "{report:?}");
}

fn prompts() -> Vec<(&'static str, String)> {
    let mut prose = String::with_capacity(10 << 20);
    while prose.len() < 10 << 20 {
        for sentence in stele_bench::prompts(2_000) {
            prose.push_str(&sentence);
            prose.push('\n');
        }
    }
    vec![
        ("a sentence that names the hub", format!("{} HUB-1 and quexal", stele_bench::prompts(1)[0])),
        ("10 MB of prose and the hub", format!("HUB-1 {prose} HUB-1")),
        ("10 MB without a space", "x7".repeat(5 << 20)),
        ("10 MB of ideographs", "限流认证".repeat((10 << 20) / 12)),
        ("ids by the hundred", (1..400).map(|n| format!("KNOW-{n} F-{n} ")).collect()),
        ("the chain's oldest link", "what became of C-0 of the zorvex chain in the end?".to_owned()),
    ]
}

#[derive(Default)]
struct Seen {
    overruns: Vec<f64>,
    partial: usize,
    sound: bool,
}

impl Seen {
    fn line(mut self, call: &str, prompt: &str, handle: &str, ms: u64) {
        self.overruns.sort_by(f64::total_cmp);
        let (longest, median) = (self.overruns[self.overruns.len() - 1], self.overruns[self.overruns.len() / 2]);
        println!(
            "| {call} | {prompt} | {handle} | {ms} | {longest:.1} | {median:.1} | {} of {} | {} |",
            self.partial,
            self.overruns.len(),
            if self.sound { "yes" } else { "**no**" }
        );
    }
}

fn measure(record: &Record, what: &str, name: &str, prompt: &str, handle: &str) {
    let mut whole = Seen::default();
    let full = if handle == "without indexes" { None } else { call(record, what, prompt, 60_000, &mut whole, None) };
    for ms in DEADLINES_MS {
        let mut seen = Seen::default();
        for _ in 0..ROUNDS {
            call(record, what, prompt, ms, &mut seen, full.as_ref());
        }
        seen.line(what, name, handle, ms);
    }
}

fn call(record: &Record, what: &str, prompt: &str, ms: u64, seen: &mut Seen, full: Option<&Retrieval>) -> Option<Retrieval> {
    let deadline = Duration::from_millis(ms);
    let retriever = record.retriever();
    let (began, waited) = (Instant::now(), waited());
    let found = match what {
        "retrieve" => Some(retriever.retrieve(prompt, &RetrieveOptions::new().deadline(deadline)).expect("a window")),
        "recall" => Some(retriever.recall(prompt, &RecallOptions::new().deadline(deadline)).expect("a briefing")),
        _ => {
            retriever.search(prompt, &SearchOptions::new().deadline(deadline)).expect("hits");
            None
        }
    };
    let took = began.elapsed().saturating_sub(self::waited().saturating_sub(waited));
    seen.overruns.push(took.as_secs_f64() * 1e3 - ms as f64);
    let first = seen.overruns.len() == 1;
    if let Some(found) = &found {
        let timed = found.status == Status::Late || found.gaps.iter().any(|gap| matches!(gap.kind, GapKind::Text | GapKind::Meaning | GapKind::Walk));
        seen.partial += usize::from(timed);
        let ids = |found: &Retrieval| found.entries.iter().map(|entry| entry.id.number).collect::<Vec<_>>();
        let prefix = full.is_none_or(|full| {
            let (part, all) = (ids(found), ids(full));
            all.starts_with(&part) || part.iter().collect::<BTreeSet<_>>() == all.iter().collect()
        });
        seen.sound = (first || seen.sound) && (timed || prefix);
    } else {
        seen.sound = true;
    }
    found
}

/// How long this thread has waited for a processor that others had, which is no overrun of ours.
fn waited() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').nth(1).and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Prints the processor time that this process takes while nothing is called.
fn idle() {
    let spent = || {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
        ticks(12) + ticks(13)
    };
    std::thread::sleep(Duration::from_millis(50));
    let before = spent();
    std::thread::sleep(Duration::from_secs(2));
    println!("\nprocessor time in two idle seconds afterwards: {} ticks of 10 ms", spent() - before);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let target = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            std::fs::copy(&entry, &target).expect("a copy");
        }
    }
}
