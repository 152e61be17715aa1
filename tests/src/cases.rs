//! Scenarios as data (`cases/*.toml`, whose README says what a step may hold), run through any door that can call a verb.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use stele_core::Record;

/// What a verb gave: its result, or the kind and code of its error.
pub type Given = Result<Value, Failure>;

/// How a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind of the error.
    pub kind: String,
    /// Its code.
    pub code: String,
}

/// A way to call the verbs of one record.
pub trait Door {
    /// Its name.
    fn name(&self) -> String;
    /// True if its language checks arguments before the door sees them.
    fn typed(&self) -> bool {
        false
    }
    /// Opens a new, empty record.
    fn open(&mut self, dir: &Path);
    /// Calls a verb.
    fn call(&mut self, verb: &str, arguments: &Value) -> Given;
    /// Closes the record.
    fn close(&mut self);
}

/// Rust, by way of the verbs that the other doors share.
#[derive(Default)]
pub struct Core(Option<Record>);

impl Door for Core {
    fn name(&self) -> String {
        "rust".to_owned()
    }

    fn open(&mut self, dir: &Path) {
        self.0 = Some(Record::open(dir).expect("a record"));
    }

    fn call(&mut self, verb: &str, arguments: &Value) -> Given {
        let record = self.0.as_ref().expect("it is open");
        stele_kit::call(record, verb, arguments).map_err(|error| Failure { kind: error.kind().as_str().to_owned(), code: error.code().as_str().to_owned() })
    }

    fn close(&mut self) {
        self.0.take().expect("it is open").close();
    }
}

/// One scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub name: String,
    step: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: String,
    #[serde(default)]
    with: Map<String, Value>,
    gives: Option<Value>,
    text: Option<String>,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    fails: Option<Failure>,
    keep: Option<String>,
    keep_field: Option<String>,
    /// True for what a door with types of its own cannot be told at all.
    #[serde(default)]
    untyped: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// Every case of the repository, by the name of its file.
///
/// # Panics
/// If a file is not of the form of cases.
#[must_use]
pub fn all() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a text");
        let file: File = toml::from_str(&text).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.extend(file.case.into_iter().map(|case| (name.clone(), case)));
    }
    cases
}

impl Case {
    /// Runs it through a door on a new record. Gives what every step gave, without what differs from run to run, none for one
    /// that the door cannot take; and what is not as the case says.
    pub fn run(&self, door: &mut dyn Door) -> (Vec<Option<Given>>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        door.open(&folder.path().join(".stele"));
        let (mut given, mut wrong, mut kept) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (number, step) in self.step.iter().enumerate() {
            if step.untyped && door.typed() {
                given.push(None);
                continue;
            }
            let arguments = filled(&Value::Object(step.with.clone()), &kept);
            let gave = door.call(&step.call, &arguments);
            let place = format!("{}: step {} ({})", self.name, number + 1, step.call);
            wrong.extend(step.check(&gave, &kept).into_iter().map(|what| format!("{place}: {what}")));
            if let (Some(name), Ok(result)) = (&step.keep, &gave) {
                kept.insert(name.clone(), result[step.keep_field.as_deref().unwrap_or("id")].clone());
            }
            given.push(Some(gave.map(steady)));
        }
        door.close();
        (given, wrong)
    }
}

impl Step {
    fn check(&self, gave: &Given, kept: &BTreeMap<String, Value>) -> Vec<String> {
        let mut wrong = Vec::new();
        let result = match (gave, &self.fails) {
            (Err(failure), Some(fails)) if failure == fails => return wrong,
            (Err(failure), _) => return vec![format!("failed with {failure:?}")],
            (Ok(result), Some(fails)) => return vec![format!("gave {result} in place of {fails:?}")],
            (Ok(result), None) => result,
        };
        if let Some(gives) = &self.gives {
            unlike(&filled(gives, kept), result, "", &mut wrong);
        }
        let text = result.as_str().or_else(|| result["text"].as_str()).unwrap_or("");
        if let Some(wanted) = self.text.as_deref().filter(|wanted| *wanted != text) {
            wrong.push(format!("its text is\n{text}\nand not\n{wanted}"));
        }
        wrong.extend(self.holds.iter().filter(|part| !text.contains(*part)).map(|part| format!("its text lacks {part:?}:\n{text}")));
        wrong.extend(self.lacks.iter().filter(|part| text.contains(*part)).map(|part| format!("its text holds {part:?}:\n{text}")));
        wrong
    }
}

/// A value with what was kept in place of its names: `{name}` as a whole text.
fn filled(value: &Value, kept: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::String(text) => text.strip_prefix('{').and_then(|rest| kept.get(rest.strip_suffix('}')?)).unwrap_or(value).clone(),
        Value::Array(members) => members.iter().map(|member| filled(member, kept)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, member)| (name.clone(), filled(member, kept))).collect::<Map<_, _>>().into(),
        _ => value.clone(),
    }
}

/// Where a result is not what is wanted: tables as far as they name fields, lists member by member. An empty text also
/// stands for nothing, which TOML has no word for.
fn unlike(wanted: &Value, result: &Value, at: &str, wrong: &mut Vec<String>) {
    match (wanted, result) {
        (Value::Object(wanted), Value::Object(result)) => {
            for (name, wanted) in wanted {
                unlike(wanted, result.get(name).unwrap_or(&Value::Null), &format!("{at}.{name}"), wrong);
            }
        }
        (Value::Array(wanted), Value::Array(result)) if wanted.len() == result.len() => {
            wanted.iter().zip(result).enumerate().for_each(|(nth, (wanted, result))| unlike(wanted, result, &format!("{at}[{nth}]"), wrong));
        }
        (Value::Number(wanted), Value::Number(result)) if wanted.as_f64() == result.as_f64() => {}
        (Value::String(empty), Value::Null) if empty.is_empty() => {}
        _ if wanted == result => {}
        _ => {
            let mut line = String::new();
            let _ = write!(line, "result{at} is {result} and not {wanted}");
            wrong.push(line);
        }
    }
}

/// Where the results of two doors for the same steps are not the same. A step that one of them cannot take says nothing.
#[must_use]
pub fn differences(one: &[Option<Given>], other: &[Option<Given>]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, pair) in (1..).zip(one.iter().zip(other)) {
        match pair {
            (Some(Ok(one)), Some(Ok(other))) => differing(one, other, &format!("step {number}: result"), &mut found),
            (Some(one), Some(other)) if one != other => found.push(format!("step {number}: {other:?} and not {one:?}")),
            _ => {}
        }
    }
    found
}

fn differing(one: &Value, other: &Value, at: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => {
            let names: BTreeSet<&String> = fields.keys().chain(others.keys()).collect();
            for name in names {
                differing(fields.get(name).unwrap_or(&Value::Null), others.get(name).unwrap_or(&Value::Null), &format!("{at}.{name}"), found);
            }
        }
        (Value::Array(members), Value::Array(others)) if members.len() == others.len() => {
            members.iter().zip(others).enumerate().for_each(|(nth, (one, other))| differing(one, other, &format!("{at}[{nth}]"), found));
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        _ if one == other => {}
        _ => found.push(format!("{at} is {other} and not {one}")),
    }
}

/// Fields that tell of the run and not of the record: instants of the system's clock, lengths of time, counted work, and
/// hashes over salt.
const UNSTEADY: [&str; 12] = ["stats", "ms", "at", "now", "since", "until", "created_at", "updated_at", "verified_at", "head_hash", "op_hash", "fetched_at"];

/// A result without what differs from run to run.
fn steady(value: Value) -> Value {
    match value {
        Value::Array(members) => members.into_iter().map(steady).collect(),
        Value::Object(fields) => {
            fields.into_iter().filter(|(name, _)| !UNSTEADY.contains(&name.as_str())).map(|(name, member)| (name, steady(member))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}
