//! Reading the development sets: real records, edges and queries with known answers.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One set, in the order of its files.
pub(crate) struct DevSet {
    pub(crate) name: String,
    pub(crate) records: Vec<SetRecord>,
    pub(crate) edges: Vec<SetEdge>,
    pub(crate) queries: Vec<Query>,
}

/// A record as the sets spell it. What a set does not use is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SetRecord {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) container: bool,
    pub(crate) task_type: Option<String>,
    pub(crate) priority: Option<u8>,
    #[serde(rename = "type")]
    pub(crate) rule_type: Option<String>,
    pub(crate) statement: Option<String>,
    pub(crate) domain: Option<String>,
    pub(crate) severity: Option<String>,
    pub(crate) mandatory: bool,
    pub(crate) always_on: bool,
    pub(crate) points: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) floor_modes: Vec<String>,
    pub(crate) action_triggers: Vec<String>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) instead: String,
    pub(crate) tags: Vec<String>,
}

impl SetRecord {
    /// True if it is delivered with the obligations and therefore never ranked.
    pub(crate) fn is_obligation(&self) -> bool {
        self.mandatory || self.always_on || !self.forbidden.is_empty()
    }
}

/// An edge as the sets spell it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SetEdge {
    pub(crate) from: String,
    pub(crate) relation: String,
    pub(crate) to: String,
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Option<String>,
}

/// A query with its answers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Query {
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) kind: String,
    pub(crate) relevant: Vec<String>,
    /// For `supersession`: the retired records whose words are asked.
    pub(crate) stale: Vec<String>,
    /// Which part of its kind it belongs to.
    pub(crate) set: Option<String>,
    /// True if the obligations answer it, not ranking.
    pub(crate) mandatory: bool,
}

/// The names of the sets in a folder, in order; empty if the folder is not there.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join("dev").join("records.jsonl").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

impl DevSet {
    /// Reads a set.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Self, String> {
        let dev = folder.join(name).join("dev");
        Ok(Self {
            name: name.to_owned(),
            records: lines(&dev.join("records.jsonl"))?,
            edges: lines(&dev.join("edges.jsonl"))?,
            queries: lines(&dev.join("queries.jsonl"))?,
        })
    }
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(path).map_err(|cause| format!("read {}: {cause}", path.display()))?;
    let read = |(at, line): (usize, &str)| serde_json::from_str(line).map_err(|cause| format!("read {} line {}: {cause}", path.display(), at + 1));
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(read).collect()
}
