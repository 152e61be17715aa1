//! A record of any size, imported, indexed, opened and asked: `scale FACTS [FOLDER]` prints what each step took.
//!
//! `scale FACTS bare` imports facts without edges; a folder is kept and, if it holds a record, measured as it is.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a command line program that measures and talks to its user")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use stele_bench::{prompts, write_facts, write_lines};
use stele_core::{ImportOptions, Record, RetrieveOptions, SearchMode, SearchOptions};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let facts: usize = arguments.first().and_then(|text| text.parse().ok()).expect("scale FACTS [bare | FOLDER]");
    let bare = arguments.get(1).is_some_and(|word| word == "bare");
    let own = tempfile::tempdir().expect("a folder");
    let folder = arguments.get(1).filter(|_| !bare).map_or_else(|| own.path().to_owned(), PathBuf::from);
    let place = folder.join(".stele");
    if !place.exists() {
        build(&place, &folder.join("facts.jsonl"), facts, bare);
    }
    measure(&place);
}

fn build(place: &Path, file: &Path, facts: usize, bare: bool) {
    if bare { write_facts(facts, file) } else { write_lines(facts, file) }.expect("a written corpus");
    let record = Record::open(place).expect("a record");
    let start = Instant::now();
    let report = record.import_jsonl(file, "bench", ImportOptions::new().partial()).expect("an import");
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let (facts, edges) = (report.nodes as f64 / seconds, report.edges as f64 / seconds);
    println!("import             {seconds:.2} s: {facts:.0} facts and {edges:.0} edges a second ({} and {})", report.nodes, report.edges);
    println!("write lock held    {:.2} s", report.locked_for.as_secs_f64());
    std::fs::remove_file(file).expect("the corpus goes");
    let start = Instant::now();
    while !record.catch_up().expect("a catch-up") {}
    println!("indexes caught up  {:.2} s", start.elapsed().as_secs_f64());
}

fn measure(place: &Path) {
    let median = |each: &mut dyn FnMut()| {
        let mut times: Vec<f64> = (0..50).map(|_| took(each)).collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let open = || Record::options().create(false).open(place).expect("a record");
    println!("open               {:.2} ms", median(&mut || drop(open())));
    let record = open();
    let retriever = record.retriever();
    let asked = prompts(50);
    let mut turn = asked.iter().cycle();
    let mut retrieve = || drop(retriever.retrieve(turn.next().expect("a cycle has no end"), &RetrieveOptions::new()).expect("a window"));
    println!("first retrieve     {:.1} ms", took(&mut retrieve));
    println!("warm retrieve      {:.1} ms", median(&mut retrieve));
    for mode in [SearchMode::Text, SearchMode::Semantic] {
        let options = SearchOptions::new().mode(mode);
        let mut turn = asked.iter().cycle();
        let mut search = || drop(retriever.search(turn.next().expect("a cycle has no end"), &options).expect("hits"));
        println!("search {mode:<12}{:.1} ms", median(&mut search));
    }
    for (name, part) in [("record.db", "record.db"), ("text index", "text"), ("vectors", "vectors")] {
        println!("{name:<19}{} MB in {} files", bytes(&place.join(part)) >> 20, files(&place.join(part)));
    }
    if let Some(peak) = peak_memory() {
        println!("largest memory     {peak} MB resident, of it files mapped: what the scans read");
    }
}

/// How long a call takes, in milliseconds.
fn took(call: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64() * 1e3
}

fn bytes(path: &Path) -> u64 {
    entries(path).map_or_else(|| std::fs::metadata(path).map_or(0, |meta| meta.len()), |within| within.iter().map(|path| bytes(path)).sum())
}

fn files(path: &Path) -> usize {
    entries(path).map_or(1, |within| within.iter().map(|path| files(path)).sum())
}

fn entries(path: &Path) -> Option<Vec<PathBuf>> {
    std::fs::read_dir(path).ok().map(|entries| entries.flatten().map(|entry| entry.path()).collect())
}

/// The largest resident memory of this process so far, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib >> 10)
}
