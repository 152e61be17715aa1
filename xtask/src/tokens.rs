//! How near the estimate of tokens comes to real tokenizers, on the texts of the development sets.
//!
//! The tokenizers come with their vocabularies in a package of Node's, which is fetched into `target/tokens` on first use.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use stele_core::tokens;

use crate::dev_sets::{self, DevSet, SetRecord};
use crate::paths;

const PACKAGE: &str = r#"{ "private": true, "type": "module", "dependencies": { "gpt-tokenizer": "3.4.0" } }"#;
const COUNT: &str = include_str!("../tokens/count.mjs");
/// The vocabularies in the order in which `count.mjs` counts.
const VOCABULARIES: [&str; 2] = ["o200k", "cl100k"];
/// How far the sum of a set may be from that of a vocabulary.
const TOLERANCE: f64 = 0.15;
/// Fewer texts of a kind than these are told with their set only.
const FEWEST: usize = 15;

/// A set with one of its kinds, or with all of them.
type Group = (String, String);

/// Prints a line for each set and kind; fails if a set is outside the tolerance.
pub(crate) fn run() -> Result<(), String> {
    let folder = paths::sets();
    let names = dev_sets::names(&folder);
    if names.is_empty() {
        println!("no development sets at {}: nothing was compared", folder.display());
        return Ok(());
    }
    let mut texts = Vec::new();
    for name in names {
        let DevSet { records, queries, .. } = DevSet::read(&folder, &name)?;
        texts.extend(records.iter().map(|record| ((name.clone(), record.kind.clone()), whole(record))));
        texts.extend(queries.into_iter().map(|query| ((name.clone(), "query".to_owned()), query.query)));
    }
    texts.retain(|(_, text)| !text.trim().is_empty());
    let counts = count(&tokenizer()?, &texts)?;
    let mut groups: BTreeMap<Group, Tally> = BTreeMap::new();
    for (((set, kind), text), counts) in texts.into_iter().zip(counts) {
        let estimate = tokens(&text);
        for group in [(set.clone(), String::new()), (set, kind)] {
            groups.entry(group).or_default().add(estimate, counts);
        }
    }
    println!("| set | kind | texts | {} | {} | median | 10 % | 90 % |", VOCABULARIES[0], VOCABULARIES[1]);
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut outside = Vec::new();
    for ((set, kind), tally) in groups.iter_mut().filter(|((_, kind), tally)| kind.is_empty() || tally.each.len() >= FEWEST) {
        let [first, second] = tally.ratios();
        let [low, median, high] = tally.percentiles();
        let shown = if kind.is_empty() { "all" } else { kind };
        println!("| {set} | {shown} | {} | {first:.3} | {second:.3} | {median:.3} | {low:.3} | {high:.3} |", tally.each.len());
        if kind.is_empty() && [first, second].iter().any(|ratio| (ratio - 1.0).abs() > TOLERANCE) {
            outside.push(set.as_str());
        }
    }
    if outside.is_empty() { Ok(()) } else { Err(format!("the estimate is off by more than 15 % on {}", outside.join(", "))) }
}

/// Everything that a record says.
fn whole(record: &SetRecord) -> String {
    let parts = [Some(record.title.as_str()), record.description.as_deref(), record.statement.as_deref(), record.body.as_deref()];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Tally {
    estimate: usize,
    counted: [usize; 2],
    /// The ratio to the first vocabulary, text by text.
    each: Vec<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "some million tokens")]
impl Tally {
    fn add(&mut self, estimate: usize, counts: [usize; 2]) {
        self.estimate += estimate;
        self.counted = [self.counted[0] + counts[0], self.counted[1] + counts[1]];
        self.each.push(estimate as f64 / counts[0].max(1) as f64);
    }

    fn ratios(&self) -> [f64; 2] {
        self.counted.map(|counted| self.estimate as f64 / counted.max(1) as f64)
    }

    fn percentiles(&mut self) -> [f64; 3] {
        self.each.sort_by(f64::total_cmp);
        [1, 5, 9].map(|tenth| self.each[self.each.len() * tenth / 10])
    }
}

/// The folder in which the tokenizers are installed.
fn tokenizer() -> Result<PathBuf, String> {
    let folder = paths::root().join("target").join("tokens");
    let written = |cause: std::io::Error| format!("write to {}: {cause}", folder.display());
    fs::create_dir_all(&folder).map_err(written)?;
    fs::write(folder.join("count.mjs"), COUNT).map_err(written)?;
    let package = folder.join("package.json");
    let installed = folder.join("node_modules").is_dir() && fs::read_to_string(&package).is_ok_and(|there| there == PACKAGE);
    if !installed {
        fs::write(&package, PACKAGE).map_err(written)?;
        let mut npm = Command::new("npm");
        let status = npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]).current_dir(&folder).status();
        if !status.map_err(|cause| format!("start npm: {cause}"))?.success() {
            fs::remove_file(&package).map_err(written)?;
            return Err("npm could not install the tokenizers".to_owned());
        }
    }
    Ok(folder)
}

/// What the tokenizers count of each text.
fn count(folder: &Path, texts: &[(Group, String)]) -> Result<Vec<[usize; 2]>, String> {
    let mut node = Command::new("node")
        .arg("count.mjs")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|cause| format!("start node: {cause}"))?;
    let mut input = node.stdin.take().expect("invariant: it was piped");
    let output = BufReader::new(node.stdout.take().expect("invariant: it was piped"));
    let counts: Result<Vec<[usize; 2]>, String> = std::thread::scope(|scope| {
        // Written beside the reading, so that neither pipe fills up.
        let writing = scope.spawn(move || texts.iter().try_for_each(|(_, text)| writeln!(input, "{}", serde_json::Value::from(text.as_str()))));
        let read = |line: std::io::Result<String>| serde_json::from_str(&line.map_err(|cause| cause.to_string())?).map_err(|cause| cause.to_string());
        let counts = output.lines().map(read).collect();
        writing.join().map_err(|_| "writing panicked".to_owned())?.map_err(|cause| format!("write to node: {cause}"))?;
        counts
    });
    let (counts, status) = (counts?, node.wait().map_err(|cause| cause.to_string())?);
    if status.success() && counts.len() == texts.len() { Ok(counts) } else { Err(format!("node counted {} of {} texts", counts.len(), texts.len())) }
}
