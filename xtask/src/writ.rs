//! `cargo xtask writ`: rules measured on Writ's published queries, beside what its own system was published with.

use std::collections::{BTreeMap, BTreeSet};

use stele_core::{MethodologyOptions, Obligations, Point, Record, Retriever, RulesOptions, SearchMode};

use crate::dev_sets::{DevSet, Query};
use crate::metrics::{ndcg, reciprocal_rank};
use crate::paths;
use crate::quality::asking::Asker;
use crate::quality::report::answers;
use crate::quality::sets::{Built, Retirements};

/// Modes that the obligations are asked for; the last is none of ours.
const MODES: [&str; 6] = ["work", "debug", "conversation", "investigate", "review", "some other"];

/// Means over queries.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    n: usize,
    hit: f64,
    mrr: f64,
    ndcg: f64,
}

impl Row {
    fn add(&mut self, ranked: &[String], right: &[String]) {
        self.n += 1;
        let first = reciprocal_rank(ranked, right, 5);
        self.hit += f64::from(u8::from(first > 0.0));
        self.mrr += first;
        self.ndcg += ndcg(ranked, right, 10);
    }

    /// Adds a query that is answered or not, whatever the rank of the answer.
    fn add_answered(&mut self, answered: bool) {
        self.n += 1;
        self.hit += f64::from(u8::from(answered));
    }

    fn print_hits(&self, name: &str) {
        println!("| {name} | {} | {:.4} | – | – |", self.n, self.hit / self.n.max(1) as f64);
    }

    fn print(&self, name: &str) {
        let n = self.n.max(1) as f64;
        println!("| {name} | {} | {:.4} | {:.4} | {:.4} |", self.n, self.hit / n, self.mrr / n, self.ndcg / n);
    }
}

/// Measures and prints.
pub(crate) fn run() -> Result<(), String> {
    let folder = paths::sets();
    if !folder.join("writ").join("dev").join("records.jsonl").is_file() {
        println!("writ: the set is not in {}; nothing was measured", folder.display());
        return Ok(());
    }
    let set = DevSet::read(&folder, "writ")?;
    let built = Built::of([&set], Retirements::Told)?;
    if let Some(fault) = built.faults.first() {
        return Err(format!("{} lines were not taken, the first: {fault}", built.faults.len()));
    }
    println!("{} rules and {} edges; published: Writ's own system on its own corpora, 2026-08-01\n", built.nodes, built.edges);
    println!("| queries | n | hit@5 | MRR@5 | nDCG@10 |\n| --- | --- | --- | --- | --- |");
    gold(&set, &built.record)?;
    methodology(&set, &built.record)?;
    println!("| published: gold, all | 193 | .7824 | .5681 (47 hard) | .7071 |");
    println!("| published: gold that ranking can answer, gated | 169 | .9290 | .6028 | .8338 |");
    println!("| published: methodology | – | .95 | .8271 | – |\n");
    injections(&set, &built.record)?;
    obligations(&set, &built.record)
}

fn of_kind<'s>(set: &'s DevSet, kind: &'static str) -> impl Iterator<Item = &'s Query> {
    set.queries.iter().filter(move |query| query.kind == kind)
}

/// Gold queries that ranking can answer, by search and by the window, and the former by their parts.
fn gold(set: &DevSet, record: &Record) -> Result<(), String> {
    let mut asker = Asker::of(record);
    let retriever = record.retriever();
    let (mut hybrid, mut window, mut text, mut either) = (Row::default(), Row::default(), Row::default(), Row::default());
    let mut parts: BTreeMap<&str, Row> = BTreeMap::new();
    for query in of_kind(set, "gold") {
        let hits = asker.search(&query.query, SearchMode::Hybrid)?;
        either.add_answered(first_five_answer(&hits, query) || obligations_answer(&retriever, query)?);
        if query.mandatory {
            continue;
        }
        hybrid.add(&hits, &query.relevant);
        parts.entry(query.set.as_deref().unwrap_or("")).or_default().add(&hits, &query.relevant);
        window.add(&asker.window(&query.query)?.ids, &query.relevant);
        text.add(&asker.search(&query.query, SearchMode::Text)?, &query.relevant);
        if std::env::args().any(|word| word == "--misses") && !hits.iter().take(5).any(|id| query.relevant.contains(id)) {
            println!("miss {} {:?} wants {:?}, got {:?}", query.id, query.query, query.relevant, &hits[..hits.len().min(5)]);
        }
    }
    hybrid.print("gold that ranking can answer, by search");
    for (name, row) in parts {
        row.print(&format!("… of these, {name}"));
    }
    text.print("gold that ranking can answer, by words alone");
    window.print("gold that ranking can answer, in the window");
    either.print_hits("gold, all: with the obligations or by search");
    Ok(())
}

/// True if one of the first five hits answers a query.
fn first_five_answer(hits: &[String], query: &Query) -> bool {
    reciprocal_rank(hits, &query.relevant, 5) > 0.0
}

/// True if a rule that answers a query is delivered with the obligations of the mode in which work is done.
fn obligations_answer(retriever: &Retriever, query: &Query) -> Result<bool, String> {
    let given = retriever.rules(&RulesOptions::new().mode("work").text(&query.query)).map_err(|error| error.to_string())?;
    for entry in given.entries.iter().chain(&given.pointers) {
        let aliases = retriever.get(&entry.id.to_string()).map_err(|error| error.to_string())?.aliases;
        if aliases.iter().any(|alias| query.relevant.contains(alias)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Methodology queries by search alone, with what the channel calls before it, and with the obligations, which an agent
/// has whatever it asks.
fn methodology(set: &DevSet, record: &Record) -> Result<(), String> {
    let mut asker = Asker::of(record);
    let retriever = record.retriever();
    let (mut alone, mut ranked, mut delivered, mut either) = (Row::default(), Row::default(), Row::default(), Row::default());
    for query in of_kind(set, "methodology") {
        let hits = asker.search(&query.query, SearchMode::Hybrid)?;
        alone.add(&hits, &query.relevant);
        let rankable = answers(set, query);
        if !rankable.is_empty() {
            ranked.add(&hits, &rankable);
        }
        either.add_answered(first_five_answer(&hits, query) || obligations_answer(&retriever, query)?);
        let called = retriever.methodology(&MethodologyOptions::new("work").text(&query.query)).map_err(|error| error.to_string())?;
        let mut ids = Vec::new();
        for entry in called.entries {
            ids.extend(retriever.get(&entry.rule.id.to_string()).map_err(|error| error.to_string())?.aliases);
        }
        ids.extend(hits);
        delivered.add(&ids, &query.relevant);
    }
    alone.print("methodology, by search");
    ranked.print("… of these, those that ranking can answer");
    delivered.print("methodology, by channel and search");
    either.print_hits("methodology, with the obligations or by search");
    Ok(())
}

/// Prompts that no rule answers, and whether the window stays empty.
fn injections(set: &DevSet, record: &Record) -> Result<(), String> {
    let mut asker = Asker::of(record);
    let (mut n, mut false_ones) = (0, Vec::new());
    for query in of_kind(set, "negative") {
        n += 1;
        let window = asker.window(&query.query)?;
        if !window.ids.is_empty() {
            false_ones.push(format!("{} {:?}: {}", query.id, query.query, window.ids.join(", ")));
        }
    }
    println!("false injections: {} of {n} (published: 4 of 20)", false_ones.len());
    for one in false_ones {
        println!("  {one}");
    }
    println!();
    Ok(())
}

/// Every mandatory rule must arrive in every mode at every point, whatever the text.
fn obligations(set: &DevSet, record: &Record) -> Result<(), String> {
    let retriever = record.retriever();
    let mandatory: BTreeSet<&str> = set.records.iter().filter(|rule| rule.mandatory).map(|rule| rule.id.as_str()).collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for id in &mandatory {
        names.insert(retriever.get(id).map_err(|error| error.to_string())?.id.to_string(), (*id).to_owned());
    }
    let (mut asked, mut missing, mut most) = (0, 0, 0);
    for mode in MODES {
        for point in Point::ALL {
            for text in std::iter::once("").chain(set.queries.iter().map(|query| query.query.as_str())) {
                let found: Obligations = retriever.rules(&RulesOptions::new().mode(mode).point(*point).text(text)).map_err(|error| error.to_string())?;
                let given: BTreeSet<&str> =
                    found.entries.iter().chain(&found.pointers).filter_map(|entry| names.get(&entry.id.to_string())).map(String::as_str).collect();
                asked += 1;
                missing += mandatory.difference(&given).count();
                most = most.max(found.tokens);
            }
        }
    }
    println!(
        "obligations: asked {asked} times over {} modes and {} points, {missing} of {} mandatory rules missing; at most {most} tokens",
        MODES.len(),
        Point::ALL.len(),
        mandatory.len()
    );
    if missing > 0 { Err("a mandatory rule did not arrive".to_owned()) } else { Ok(()) }
}
