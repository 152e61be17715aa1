//! A small record in which everything is there that once took time: a hub, a chain of retirements, many ids.

use std::fmt::Write as _;
use std::time::Duration;

use tempfile::TempDir;

use crate::import::report::ImportOptions;
use crate::retrieve::result::{GapKind, Retrieval, Status};
use crate::store::{Record, RecordOptions};

pub(super) const EDGES: usize = 400;
pub(super) const CHAIN: usize = 600;

/// A deadline that no test comes to.
pub(super) const LONG: Duration = Duration::from_secs(1_000_000);

/// The record in a folder that goes with it. Half of it is not indexed yet.
pub(super) struct World {
    pub(super) record: Record,
    pub(super) folder: TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(|options| options)
    }

    pub(super) fn with(set: impl FnOnce(RecordOptions) -> RecordOptions) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let record = set(Record::options()).open(folder.path().join(".stele")).expect("a record");
        let mut lines = String::new();
        let mut node = |alias: String, category: &str, title: String| {
            writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"{category}","alias":"{alias}","title":"{title}","body":"see the gateway"}}"#)
                .expect("a string");
        };
        node("HUB-1".to_owned(), "decision", "The gateway before everything".to_owned());
        node("RISK-1".to_owned(), "risk", "It falls over".to_owned());
        (0..EDGES).for_each(|nth| node(format!("F-{nth}"), "fyi", format!("Part {nth} of the pipeline")));
        (0..CHAIN).for_each(|nth| node(format!("C-{nth}"), "fyi", format!("Link {nth} of the zorvex chain")));
        let mut edge = |from: String, relation: &str, to: String| {
            writeln!(lines, r#"{{"type":"edge","from":"{from}","relation":"{relation}","to":"{to}","reason":"seen","evidence":"none"}}"#).expect("a string");
        };
        for nth in 0..EDGES {
            edge(format!("F-{nth}"), "mentions", "HUB-1".to_owned());
            (1..14).for_each(|further| edge(format!("F-{nth}"), "relates-to", format!("F-{}", (nth + further * further) % EDGES)));
        }
        edge("HUB-1".to_owned(), "caused-by", "RISK-1".to_owned());
        (1..CHAIN).for_each(|nth| edge(format!("C-{nth}"), "supersedes", format!("C-{}", nth - 1)));
        assert!(record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import").applied);
        while !record.catch_up().expect("caught up") {}
        Self { record, folder }
    }
}

/// Prompts, each of which leads to much.
pub(super) fn prompts() -> [String; 3] {
    [
        "what depends on HUB-1 and the gateway before everything?".to_owned(),
        "what became of C-0 of the zorvex chain in the end?".to_owned(),
        (0..150).map(|nth| format!("F-{nth} ")).collect(),
    ]
}

/// True if the answer says that time ran out.
pub(super) fn says_late(found: &Retrieval) -> bool {
    found.status == Status::Late || found.gaps.iter().any(|gap| matches!(gap.kind, GapKind::Text | GapKind::Meaning | GapKind::Walk))
}

pub(super) fn ids(found: &Retrieval) -> Vec<u64> {
    found.callouts.iter().chain(&found.entries).map(|entry| entry.id.number).collect()
}
