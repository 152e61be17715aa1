//! From a development set to interchange JSON Lines: its id becomes the alias, its kind the nearest one that stele has.
//!
//! - A skill becomes a fact of category fyi, so that its text is searched whole, as the baselines do; its description is
//!   left out because the queries were made from it.
//! - The line that a retirement rests on often stands in a header that the set leaves out of the body. It becomes the
//!   quoted line of the newer record's source, where it can be checked.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::{Map, Value, json};
use stele_core::{Category, Timestamp};

use crate::dev_sets::{DevSet, SetRecord};
use crate::paths;

/// What was written, and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Converted {
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
    /// Edges of which an end is not in the set.
    pub(crate) loose_edges: usize,
    /// Lines of evidence that stand in no text of the set and became quoted lines.
    pub(crate) quotes: usize,
    /// Records whose date could not be read.
    pub(crate) undated: usize,
}

/// `cargo xtask convert SET OUT`.
pub(crate) fn run(set: &str, out: &str) -> Result<(), String> {
    let set = DevSet::read(&paths::sets(), set)?;
    let failed = |cause: std::io::Error| format!("write {out}: {cause}");
    let done = if out == "-" {
        write(&set, &mut std::io::stdout().lock()).map_err(failed)?
    } else {
        let mut file = std::io::BufWriter::new(std::fs::File::create(out).map_err(failed)?);
        let done = write(&set, &mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        done
    };
    eprintln!(
        "{}: {} nodes, {} edges; {} edges left out for want of an end, {} quoted lines, {} dates that could not be read",
        set.name, done.nodes, done.edges, done.loose_edges, done.quotes, done.undated
    );
    Ok(())
}

/// Writes a set, nodes before edges.
pub(crate) fn write(set: &DevSet, out: &mut dyn Write) -> std::io::Result<Converted> {
    let mut done = Converted::default();
    let quotes = quotes(set);
    let ids: BTreeSet<&str> = set.records.iter().map(|record| record.id.as_str()).collect();
    done.quotes = quotes.values().map(Vec::len).sum();
    for record in &set.records {
        let quoted = quotes.get(record.id.as_str()).map_or(&[][..], Vec::as_slice);
        let (node, dated) = node(record, quoted);
        done.nodes += 1;
        done.undated += usize::from(!dated);
        writeln!(out, "{node}")?;
    }
    for edge in &set.edges {
        if !ids.contains(edge.from.as_str()) || !ids.contains(edge.to.as_str()) {
            done.loose_edges += 1;
            continue;
        }
        let mut line = json!({"type": "edge", "from": edge.from, "relation": edge.relation, "to": edge.to});
        for (name, text) in [("reason", &edge.reason), ("evidence", &edge.evidence)] {
            if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
                line[name] = text.into();
            }
        }
        done.edges += 1;
        writeln!(out, "{line}")?;
    }
    Ok(done)
}

/// Lines of evidence that stand in neither record's text, by the newer record.
fn quotes(set: &DevSet) -> BTreeMap<&str, Vec<&str>> {
    let texts: BTreeMap<&str, String> =
        set.records.iter().map(|record| (record.id.as_str(), folded(&format!("{}\n{}", record.title, record.body.as_deref().unwrap_or(""))))).collect();
    let mut quotes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in set.edges.iter().filter(|edge| edge.relation == "supersedes") {
        let Some(evidence) = edge.evidence.as_deref().filter(|line| !line.trim().is_empty()) else { continue };
        let line = folded(evidence);
        let stands = [&edge.from, &edge.to].iter().any(|id| texts.get(id.as_str()).is_some_and(|text| text.contains(&line)));
        let known = quotes.entry(edge.from.as_str()).or_default();
        if !stands && !known.contains(&evidence) {
            known.push(evidence);
        }
    }
    quotes
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The node, and false if its date could not be read.
fn node(record: &SetRecord, quotes: &[&str]) -> (Value, bool) {
    let mut node = Map::new();
    let mut put = |name: &str, value: Value| {
        node.insert(name.to_owned(), value);
    };
    put("type", "node".into());
    put("alias", record.id.as_str().into());
    put("title", record.title.as_str().into());
    if let Some(body) = record.body.as_deref().filter(|body| !body.is_empty()) {
        put("body", body.into());
    }
    if !record.tags.is_empty() {
        put("tags", json!(record.tags));
    }
    match record.kind.as_str() {
        "task" | "epic" => task(record, &mut put),
        "rule" => rule(record, &mut put),
        other => {
            put("kind", "knowledge".into());
            put("category", Category::parse(other).unwrap_or(Category::Fyi).as_str().into());
        }
    }
    if let Some(source) = source(record.source.as_deref(), quotes) {
        put("source", source);
    }
    let written = record.created_at.as_deref().filter(|text| !text.trim().is_empty());
    let instant = written.and_then(instant);
    let dated = written.is_none() || instant.is_some();
    if let Some(instant) = instant {
        put("created_at", instant.into());
    }
    (Value::Object(node), dated)
}

fn task(record: &SetRecord, put: &mut dyn FnMut(&str, Value)) {
    put("kind", "task".into());
    put("task_type", if record.container || record.kind == "epic" { "epic" } else { "task" }.into());
    put("status", if record.status.as_deref() == Some("closed") { "completed" } else { "open" }.into());
    if let Some(priority) = record.priority {
        put("priority", priority.into());
    }
}

fn rule(record: &SetRecord, put: &mut dyn FnMut(&str, Value)) {
    put("kind", "rule".into());
    put("statement", record.statement.as_deref().unwrap_or(&record.title).into());
    put("mandatory", record.mandatory.into());
    put("always_on", record.always_on.into());
    for (name, text) in [("domain", record.domain.as_deref()), ("severity", record.severity.as_deref()), ("instead", Some(record.instead.as_str()))] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            put(name, text.into());
        }
    }
    let lists = [
        ("forbidden", &record.forbidden),
        ("points", &record.points),
        ("keywords", &record.keywords),
        ("floor_modes", &record.floor_modes),
        ("action_triggers", &record.action_triggers),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        put(name, json!(list));
    }
    let methodology = match record.rule_type.as_deref() {
        Some("Skill") => "skill",
        Some("Playbook") => "playbook",
        Some("Technique") => "technique",
        Some("AntiPattern") => "anti-pattern",
        _ => return,
    };
    put("methodology", methodology.into());
}

/// `owner/name@revision:path` as a uri and a revision, with the quoted lines.
fn source(written: Option<&str>, quotes: &[&str]) -> Option<Value> {
    let written = written.unwrap_or("");
    if written.is_empty() && quotes.is_empty() {
        return None;
    }
    let mut source = Map::new();
    match written.split_once('@') {
        Some((repository, rest)) => {
            let (revision, path) = rest.split_once(':').unwrap_or((rest, ""));
            let uri = if path.is_empty() { repository.to_owned() } else { format!("{repository}:{path}") };
            source.insert("uri".to_owned(), uri.into());
            source.insert("revision".to_owned(), revision.into());
        }
        None => {
            source.insert("uri".to_owned(), written.into());
        }
    }
    if !quotes.is_empty() {
        source.insert("quote".to_owned(), quotes.join("\n").into());
    }
    Some(source.into())
}

/// A date as stele reads it; `13-Jun-2000` is turned round first.
fn instant(written: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    if Timestamp::parse(written).is_ok() {
        return Some(written.to_owned());
    }
    let mut parts = written.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?.to_lowercase(), parts.next()?);
    let month = MONTHS.iter().position(|name| month.starts_with(name))? + 1;
    let text = format!("{year:0>4}-{month:02}-{day:0>2}");
    Timestamp::parse(&text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev_sets::SetEdge;

    fn lines(set: &DevSet) -> (Vec<Value>, Converted) {
        let mut out = Vec::new();
        let done = write(set, &mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        (text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect(), done)
    }

    fn record(id: &str, kind: &str, body: &str) -> SetRecord {
        SetRecord { id: id.into(), kind: kind.into(), title: format!("Title of {id}"), body: Some(body.into()), ..SetRecord::default() }
    }

    fn supersedes(from: &str, to: &str, evidence: &str) -> SetEdge {
        SetEdge { from: from.into(), relation: "supersedes".into(), to: to.into(), reason: Some("it ended".into()), evidence: Some(evidence.into()) }
    }

    fn set(records: Vec<SetRecord>, edges: Vec<SetEdge>) -> DevSet {
        DevSet { name: "x".into(), records, edges, queries: Vec::new() }
    }

    #[test]
    fn evidence_outside_the_texts_becomes_a_quoted_line_and_evidence_inside_does_not() {
        let records = vec![record("P-2", "decision", "It   replaces the old way."), record("P-1", "decision", "Old."), record("P-0", "decision", "")];
        let (out, done) = lines(&set(records, vec![supersedes("P-2", "P-1", "replaces the old way."), supersedes("P-2", "P-0", "Replaces: 0")]));
        assert_eq!(out[0]["source"]["quote"], "Replaces: 0");
        assert_eq!((done.quotes, done.edges), (1, 2));
    }

    #[test]
    fn edges_without_an_end_are_left_out_and_counted() {
        let (out, done) = lines(&set(vec![record("P-1", "decision", "")], vec![supersedes("P-1", "P-9", "x")]));
        assert_eq!((out.len(), done.edges, done.loose_edges), (1, 0, 1));
    }

    #[test]
    fn kinds_become_the_nearest_ones() {
        let epic = SetRecord { container: true, status: Some("closed".into()), ..record("b-1", "task", "") };
        let rule = SetRecord { statement: Some("Do it.".into()), rule_type: Some("AntiPattern".into()), ..record("R-1", "rule", "") };
        let (out, _) = lines(&set(vec![epic, rule, record("s/1", "skill", ""), record("g-1", "goal", "")], Vec::new()));
        assert_eq!((&out[0]["task_type"], &out[0]["status"]), (&json!("epic"), &json!("completed")));
        assert_eq!((&out[1]["statement"], &out[1]["methodology"]), (&json!("Do it."), &json!("anti-pattern")));
        assert_eq!(out[2]["category"], "fyi");
        assert_eq!(out[3]["category"], "goal");
    }

    #[test]
    fn dates_of_every_set_are_read_and_others_counted() {
        assert_eq!(instant("13-Jun-2000").as_deref(), Some("2000-06-13"));
        assert_eq!(instant("2021-06-05").as_deref(), Some("2021-06-05"));
        let undated = SetRecord { created_at: Some("yyyy-mm-dd".into()), ..record("P-1", "decision", "") };
        let (out, done) = lines(&set(vec![undated], Vec::new()));
        assert_eq!((out[0].get("created_at"), done.undated), (None, 1));
    }

    #[test]
    fn a_source_is_split_into_place_and_revision() {
        let source = source(Some("owner/name@abc:docs/1.md"), &[]).expect("a source");
        assert_eq!(source, json!({"uri": "owner/name:docs/1.md", "revision": "abc"}));
    }
}
