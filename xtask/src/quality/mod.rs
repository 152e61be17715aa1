//! `cargo xtask quality`: search and windows on real records with known answers, beside the baselines.
//!
//! Everything but times is the same on every run. Queries that a prompt could not be, being shorter than the gate lets
//! through, are asked of the window as a sentence of words that search passes over.

pub(crate) mod asking;
mod baselines;
mod losses;
mod negatives;
mod pooled;
pub(crate) mod report;
pub(crate) mod sets;
mod tables;
mod targets;
mod windows;

use std::path::PathBuf;

use crate::dev_sets::{self, DevSet};
use crate::paths;

/// What to measure.
#[derive(Debug, Default)]
struct Options {
    sets: Vec<String>,
    pooled: bool,
    negatives: bool,
    json: bool,
    data: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut value = || rest.next().map(|value| (*value).to_owned()).ok_or_else(|| format!("{word} wants a value"));
            match *word {
                "--set" => options.sets.push(value()?),
                "--data" => options.data = Some(PathBuf::from(value()?)),
                "--pooled" => options.pooled = true,
                "--negatives" => options.negatives = true,
                "--json" => options.json = true,
                other => return Err(format!("quality does not know {other}")),
            }
        }
        Ok(options)
    }
}

/// Measures and prints.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    if cfg!(debug_assertions) {
        return optimised(words);
    }
    let folder = options.data.clone().unwrap_or_else(paths::sets);
    let known = dev_sets::names(&folder);
    if known.is_empty() {
        println!("quality: there are no development sets in {}; nothing was measured", folder.display());
        return Ok(());
    }
    if let Some(unknown) = options.sets.iter().find(|name| !known.contains(name)) {
        return Err(format!("there is no set {unknown}; there are {}", known.join(", ")));
    }
    let chosen: Vec<DevSet> =
        known.iter().filter(|name| options.sets.is_empty() || options.sets.contains(name)).map(|name| DevSet::read(&folder, name)).collect::<Result<_, _>>()?;
    let report = report::Report::measure(&chosen, options.pooled, options.negatives)?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report).map_err(|cause| format!("write the figures: {cause}"))?);
    } else {
        print!("{}", tables::render(&report));
    }
    Ok(())
}

/// Runs itself again optimised, so that times mean something.
fn optimised(words: &[&str]) -> Result<(), String> {
    let mut arguments = vec!["run", "--quiet", "--release", "--package", "xtask", "--", "quality"];
    arguments.extend_from_slice(words);
    crate::ci::cargo(&arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_refused() {
        let options = Options::parse(&["--set", "peps", "--set", "adr", "--pooled", "--json"]).expect("known options");
        assert_eq!(options.sets, ["peps", "adr"]);
        assert!(options.pooled && options.json && !options.negatives);
        assert!(Options::parse(&["--set"]).is_err());
        assert!(Options::parse(&["--fast"]).is_err());
    }
}
