//! Asking a record, and turning what it gives into the ids of the set, which are its aliases there.

use std::collections::BTreeMap;

use stele_core::{Record, RetrieveOptions, Retriever, Role, SearchMode, SearchOptions, Status};

use super::sets::now;

/// How many hits a search is asked for.
const HITS: usize = 20;
/// A shorter prompt is not looked up, so a shorter query is asked as a sentence.
const SHORTEST_PROMPT: usize = 25;

/// One record being asked, with the time that each way of asking took.
pub(crate) struct Asker {
    retriever: Retriever,
    spent: BTreeMap<&'static str, (f64, usize)>,
}

/// What a retrieval gave.
pub(crate) struct Window {
    /// Ids in the order of the window: callouts, then entries.
    pub(crate) ids: Vec<String>,
    /// Those that the prompt names.
    pub(crate) named: Vec<String>,
    /// What has no entry because a near-duplicate stands for it.
    pub(crate) folded: Vec<String>,
    pub(crate) abstained: bool,
}

impl Asker {
    pub(crate) fn of(record: &Record) -> Self {
        Self { retriever: record.retriever(), spent: BTreeMap::new() }
    }

    /// The hits of one way of searching.
    pub(crate) fn search(&mut self, query: &str, mode: SearchMode) -> Result<Vec<String>, String> {
        let began = now();
        let hits = self.retriever.search(query, &SearchOptions::new().mode(mode).limit(HITS)).map_err(|error| error.to_string())?;
        self.note(mode.as_str(), began.elapsed().as_secs_f64());
        Ok(hits.into_iter().map(|hit| name(&hit.aliases, || hit.id.to_string())).collect())
    }

    /// The window for a prompt, asked outside any session.
    pub(crate) fn window(&mut self, query: &str) -> Result<Window, String> {
        let prompt = prompt(query);
        let began = now();
        let found = self.retriever.retrieve(&prompt, &RetrieveOptions::new()).map_err(|error| error.to_string())?;
        self.note("window", began.elapsed().as_secs_f64());
        let ids = found.callouts.iter().chain(&found.entries).map(|entry| name(&entry.aliases, || entry.id.to_string())).collect();
        let named = found.entries.iter().filter(|entry| entry.role == Role::Named).map(|entry| name(&entry.aliases, || entry.id.to_string())).collect();
        let mut folded = Vec::new();
        for id in found.entries.iter().flat_map(|entry| &entry.folded) {
            let node = self.retriever.get(&id.to_string()).map_err(|error| error.to_string())?;
            folded.push(name(&node.aliases, || id.to_string()));
        }
        Ok(Window { ids, named, folded, abstained: found.status == Status::Abstained })
    }

    fn note(&mut self, way: &'static str, seconds: f64) {
        let (sum, count) = self.spent.entry(way).or_default();
        *sum += seconds;
        *count += 1;
    }

    /// Seconds and number of questions, by way of asking.
    pub(crate) fn spent(&self) -> &BTreeMap<&'static str, (f64, usize)> {
        &self.spent
    }
}

/// A query as a prompt.
fn prompt(query: &str) -> String {
    let query = query.trim();
    if query.chars().count() < SHORTEST_PROMPT { format!("Please tell me about {query}.") } else { query.to_owned() }
}

fn name(aliases: &[String], id: impl FnOnce() -> String) -> String {
    aliases.first().cloned().unwrap_or_else(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_query_becomes_a_sentence_and_a_long_one_stays() {
        assert_eq!(prompt(" Last Activity "), "Please tell me about Last Activity.");
        let long = "This document defines a way to describe information.";
        assert_eq!(prompt(long), long);
    }
}
