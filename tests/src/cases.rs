//! Scenarios as data (`cases/*.toml`, whose README says what a step may hold), run through any door that can call a verb.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use stele_core::Record;

/// What a verb gave: its result, or the error.
pub type Given = Result<Value, Failure>;

/// How a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// The kind of the error.
    pub kind: String,
    /// Its code.
    pub code: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What happened and what to do about it.
    pub message: String,
    /// The values that it was about.
    #[serde(default)]
    pub details: BTreeMap<String, String>,
}

/// How a handle is opened.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Opening {
    /// The folder of the record.
    pub path: String,
    /// Nothing can be written through it.
    pub read_only: bool,
    /// No record is made if there is none.
    pub no_create: bool,
    /// Finds by words only.
    pub no_embedder: bool,
}

/// A way to call the verbs of records, through handles that have names.
pub trait Door {
    /// Its name.
    fn name(&self) -> String;
    /// True if its language checks arguments before the door sees them.
    fn typed(&self) -> bool {
        false
    }
    /// Opens a handle.
    fn open(&mut self, handle: &str, how: &Opening) -> Given;
    /// Calls a verb.
    fn call(&mut self, handle: &str, verb: &str, arguments: &Value) -> Given;
    /// Closes a handle, if it is open.
    fn close(&mut self, handle: &str) -> Given;
}

/// Rust, by way of the verbs that the other doors share.
#[derive(Default)]
pub struct Core(BTreeMap<String, Record>);

impl From<stele_core::Error> for Failure {
    fn from(error: stele_core::Error) -> Self {
        Self {
            kind: error.kind().as_str().to_owned(),
            code: error.code().as_str().to_owned(),
            retryable: error.retryable(),
            message: error.to_string(),
            details: error.details().iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        }
    }
}

impl Door for Core {
    fn name(&self) -> String {
        "rust".to_owned()
    }

    fn open(&mut self, handle: &str, how: &Opening) -> Given {
        let options = Record::options().read_only(how.read_only).create(!how.no_create);
        let options = if how.no_embedder { options.without_embedder() } else { options };
        self.0.insert(handle.to_owned(), options.open(&how.path)?);
        Ok(Value::Null)
    }

    fn call(&mut self, handle: &str, verb: &str, arguments: &Value) -> Given {
        Ok(stele_kit::call(&self.0[handle], verb, arguments)?)
    }

    fn close(&mut self, handle: &str) -> Given {
        if let Some(record) = self.0.get(handle) {
            record.close();
        }
        Ok(Value::Null)
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
    /// The handle; the case's own one otherwise.
    #[serde(default)]
    on: String,
    #[serde(default)]
    with: Map<String, Value>,
    gives: Option<Value>,
    text: Option<String>,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    fails: Option<Fails>,
    /// Parts of the message of the error.
    #[serde(default)]
    says: Vec<String>,
    keep: Option<String>,
    keep_field: Option<String>,
    /// True for what a door with types of its own cannot be told at all.
    #[serde(default)]
    untyped: bool,
    /// True for what is another thing in every record, as a hash.
    #[serde(default)]
    own: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fails {
    kind: String,
    code: String,
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
    /// The verbs that it calls.
    pub fn verbs(&self) -> impl Iterator<Item = &str> {
        self.step.iter().map(|step| step.call.as_str())
    }

    /// Runs it through a door on a new record. Gives what every step gave, without what differs from run to run, none for one
    /// that the door cannot take; and what is not as the case says.
    ///
    /// # Panics
    /// If no record can be opened, or if a file that the case reads or moves is not there.
    pub fn run(&self, door: &mut dyn Door) -> (Vec<Option<Given>>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().to_str().expect("a path in UTF-8").to_owned();
        let (mut given, mut wrong) = (Vec::new(), Vec::new());
        let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples");
        let mut kept = BTreeMap::from([("folder".to_owned(), place.as_str().into()), ("samples".to_owned(), samples.into())]);
        let mut handles = BTreeSet::from([""]);
        door.open("", &Opening { path: record_in(&place), ..Opening::default() }).expect("a new record");
        for (number, step) in self.step.iter().enumerate() {
            if step.untyped && door.typed() {
                given.push(None);
                continue;
            }
            let with = filled(&Value::Object(step.with.clone()), &kept);
            handles.insert(&step.on);
            let gave = take(door, step, with, &place);
            let at = format!("{}: step {} ({})", self.name, number + 1, step.call);
            wrong.extend(step.check(&gave, &kept).into_iter().map(|what| format!("{at}: {what}")));
            if let (Some(name), Ok(result)) = (&step.keep, &gave) {
                let field = || result[step.keep_field.as_deref().unwrap_or("id")].clone();
                kept.insert(name.clone(), if result.is_object() { field() } else { result.clone() });
            }
            let gave = gave.map(|result| if step.own { Value::Null } else { result });
            given.push(Some(gave.map(|result| steady(result, &place)).map_err(|failure| failure.steady(&place))));
        }
        for handle in handles {
            door.close(handle).expect("a handle closes");
        }
        (given, wrong)
    }
}

/// The record of a case.
fn record_in(place: &str) -> String {
    format!("{place}/.stele")
}

/// Takes a step: a verb, or what a host does beside.
fn take(door: &mut dyn Door, step: &Step, mut with: Value, place: &str) -> Given {
    let path = |name: &str| with[name].as_str().expect("a path").to_owned();
    match step.call.as_str() {
        "open" => {
            with.as_object_mut().expect("a table").entry("path").or_insert_with(|| record_in(place).into());
            door.open(&step.on, &serde_json::from_value(with).expect("how to open"))
        }
        "close" => door.close(&step.on),
        "read_file" => Ok(std::fs::read_to_string(path("path")).expect("a file of text").into()),
        "move_file" => std::fs::rename(path("from"), path("to")).map(|()| Value::Null).map_err(|cause| panic!("{cause}")),
        verb => door.call(&step.on, verb, &with),
    }
}

impl Failure {
    fn steady(mut self, place: &str) -> Self {
        self.message = steady_text(&self.message, place);
        // Which of a list of calls it was: not every language has a list.
        self.details.retain(|name, _| name != "call" && !UNSTEADY.contains(&name.as_str()));
        self.details.values_mut().for_each(|value| *value = steady_text(value, place));
        self
    }
}

impl Step {
    fn check(&self, gave: &Given, kept: &BTreeMap<String, Value>) -> Vec<String> {
        let mut wrong = Vec::new();
        let result = match (gave, &self.fails) {
            (Err(failure), Some(fails)) if (&failure.kind, &failure.code) == (&fails.kind, &fails.code) => {
                let unsaid = self.says.iter().filter(|part| !failure.message.contains(*part));
                let said = self.lacks.iter().filter(|part| failure.message.contains(*part));
                wrong.extend(unsaid.map(|part| format!("{:?} does not say {part:?}", failure.message)));
                wrong.extend(said.map(|part| format!("{:?} says {part:?}", failure.message)));
                return wrong;
            }
            (Err(failure), _) => return vec![format!("failed with {failure:?}")],
            (Ok(result), Some(fails)) => return vec![format!("gave {result} in place of {fails:?}")],
            (Ok(result), None) => result,
        };
        if let Some(gives) = &self.gives {
            unlike(&filled(gives, kept), result, "", &mut wrong);
        }
        let text = result.as_str().or_else(|| result["text"].as_str()).unwrap_or("");
        let wanted = self.text.as_deref().map(|wanted| filled(&wanted.into(), kept));
        if let Some(wanted) = wanted.as_ref().and_then(Value::as_str).filter(|wanted| *wanted != text) {
            wrong.push(format!("its text is\n{text}\nand not\n{wanted}"));
        }
        wrong.extend(self.holds.iter().filter(|part| !text.contains(*part)).map(|part| format!("its text lacks {part:?}:\n{text}")));
        wrong.extend(self.lacks.iter().filter(|part| text.contains(*part)).map(|part| format!("its text holds {part:?}:\n{text}")));
        wrong
    }
}

/// The names of folders, which may also stand within a text.
const FOLDERS: [&str; 2] = ["folder", "samples"];

/// A value with what was kept in place of its names: `{name}` as a whole text; and with texts that are told by what they
/// repeat.
fn filled(value: &Value, kept: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('{').and_then(|rest| kept.get(rest.strip_suffix('}')?)) {
            Some(kept) => kept.clone(),
            None => FOLDERS.iter().fold(text.clone(), |text, name| text.replace(&format!("{{{name}}}"), kept[*name].as_str().unwrap_or_default())).into(),
        },
        Value::Array(members) => members.iter().map(|member| filled(member, kept)).collect(),
        Value::Object(fields) => match (fields.get("repeat"), fields.get("times"), fields.len()) {
            (Some(Value::String(text)), Some(Value::Number(times)), 2) => {
                text.repeat(times.as_u64().and_then(|times| times.try_into().ok()).expect("a count")).into()
            }
            _ => fields.iter().map(|(name, member)| (name.clone(), filled(member, kept))).collect::<Map<_, _>>().into(),
        },
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

/// How many facts each door writes in [`together`].
const TOGETHER: usize = 40;

/// Lets doors write to one record at the same time, then has each look for what all wrote and answer one prompt. Gives what
/// is wrong.
///
/// # Panics
/// If no record can be opened.
#[must_use]
pub fn together(doors: &mut [&mut (dyn Door + Send)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().to_str().expect("a path in UTF-8");
    let writers = doors.len();
    let title = |writer: usize, number: usize| format!("Berth w{writer}n{number} is dredged in its own month");
    let mut wrong: Vec<String> = std::thread::scope(|scope| {
        let write = |writer: usize, door: &mut (dyn Door + Send)| {
            door.open("", &Opening { path: place.to_owned(), ..Opening::default() }).map_err(|failure| format!("{failure:?}"))?;
            for number in 0..TOGETHER {
                let fact = json!({"actor": door.name(), "category": "fyi", "title": title(writer, number), "created_at": "2026-01-01"});
                door.call("", "fact", &fact).map_err(|failure| format!("fact {number}: {failure:?}"))?;
                door.call("", "search", &json!({"query": "berth", "limit": 3})).map_err(|failure| format!("search {number}: {failure:?}"))?;
            }
            Ok(())
        };
        let threads: Vec<_> = doors.iter_mut().enumerate().map(|(writer, door)| (door.name(), scope.spawn(move || write(writer, *door)))).collect();
        let ended = threads.into_iter().map(|(name, thread)| (name, thread.join().expect("a door does not panic")));
        ended.filter_map(|(name, done): (_, Result<(), String>)| Some(format!("{name}, beside the others: {}", done.err()?))).collect()
    });
    let mut answers = Vec::new();
    for door in doors {
        let name = door.name();
        for (writer, number) in (0..writers).flat_map(|writer| (0..TOGETHER).map(move |number| (writer, number))) {
            let hits = door.call("", "search", &json!({"query": format!("w{writer}n{number}"), "limit": 1}));
            if hits.as_ref().ok().and_then(|hits| hits[0]["title"].as_str()) != Some(&title(writer, number)) {
                wrong.push(format!("{name} does not find fact {number} of writer {writer}: {hits:?}"));
            }
        }
        let head = door.call("", "head", &json!({}));
        if head.as_ref().ok() != Some(&json!(writers * TOGETHER)) {
            wrong.push(format!("{name}: the head is {head:?}"));
        }
        let prompt = json!({"prompt": "When is berth w0n7 dredged, and when the others?", "now": "2026-02-01T00:00:00Z"});
        answers.push((name, vec![Some(door.call("", "retrieve", &prompt).map(|found| steady(found, place)))]));
        door.close("").expect("a handle closes");
    }
    for (name, answer) in &answers[1..] {
        wrong.extend(differences(&answers[0].1, answer).into_iter().map(|what| format!("{name} beside {}: {what}", answers[0].0)));
    }
    wrong
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
        (Value::Number(one), Value::Number(other)) if near(one.as_f64(), other.as_f64()) => {}
        _ if one == other => {}
        _ => found.push(format!("{at} is {other} and not {one}")),
    }
}

/// True for numbers that are the same but for their last digit, which reading them from a text may change.
fn near(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| (one - other).abs() <= 4.0 * f64::EPSILON * one.abs())
}

/// Fields that tell of the run and not of the record: instants of the system's clock, lengths of time, counted work,
/// hashes over salt, and sizes of files that hold instants.
const UNSTEADY: [&str; 13] =
    ["stats", "ms", "at", "now", "since", "until", "created_at", "updated_at", "verified_at", "head_hash", "op_hash", "fetched_at", "bytes"];

/// A text without the folder that it was made in, and without the instants within it.
fn steady_text(text: &str, place: &str) -> String {
    let text = text.replace(place, "{folder}");
    let is_instant = |part: &str| part.len() > "2026-01-01T00:00:00".len() && part.as_bytes()[10] == b'T' && part.ends_with('Z') && part.starts_with("20");
    let parts = text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "-:.".contains(c)));
    parts.fold(String::with_capacity(text.len()), |steady, part| {
        let end = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if part.len() < text.len() && is_instant(end) { steady + "{instant}" + &part[end.len()..] } else { steady + part }
    })
}

/// A result without what differs from run to run.
fn steady(value: Value, place: &str) -> Value {
    match value {
        Value::Array(members) => members.into_iter().map(|member| steady(member, place)).collect(),
        Value::Object(fields) => {
            let same = fields.into_iter().filter(|(name, _)| !UNSTEADY.contains(&name.as_str()));
            same.map(|(name, member)| (name, steady(member, place))).collect::<Map<_, _>>().into()
        }
        Value::String(text) => steady_text(&text, place).into(),
        other => other,
    }
}
