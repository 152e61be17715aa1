//! Verbs by name, with names as JavaScript writes them; and how a record is opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use stele_core::{Code, Durability, Error, ImportOptions, Progress, Record, Result};
use stele_kit::{Notation, Owner, Parted, call_parted, import_text, results, verbs};

use crate::clock::ToldClock;
use crate::json::Json;

/// Verbs of the record itself that write, so that they wait for each other.
const WRITING: [&str; 12] = [
    "backup",
    "call_tool",
    "catch_up",
    "compact",
    "import_adr",
    "import_beads",
    "import_jsonl",
    "import_log",
    "migrate",
    "rebuild_indexes",
    "set_ranking",
    "sweep",
];

/// Calls a verb of the kit.
pub(crate) fn call(record: &Record, verb: &str, arguments: &str) -> Result<Parted> {
    call_parted(record, verb, arguments, Notation::JavaScript)
}

/// Calls a verb of the kit that imports, until it is done or stopped; `tell` hears how far it is, if there is somebody to hear.
pub(crate) fn import(record: &Record, verb: &str, arguments: &str, stop: &AtomicBool, tell: Option<&dyn Fn(Json)>) -> Result<Json> {
    let mut heard = |progress: Progress| {
        if let (Some(tell), Ok(progress)) = (tell, Json::of(&results::Progress::from(progress))) {
            tell(progress);
        }
    };
    let mut options = ImportOptions::new().stop(stop);
    if tell.is_some() {
        options = options.progress(&mut heard);
    }
    import_text(record, verb, arguments, options, Notation::JavaScript).map(Json::ascii)
}

/// True if calls of a verb run one after another.
pub(crate) fn writes(verb: &str) -> bool {
    WRITING.contains(&verb) || verbs().any(|known| known.name == verb && known.owner == Owner::Recorder)
}

/// How a record is opened, as it is sent from TypeScript.
struct Opening {
    create: Option<bool>,
    read_only: Option<bool>,
    /// False for none; nothing for the built-in one.
    embedder: Option<Value>,
    /// Refused.
    token_counter: Option<Value>,
    durability: Option<String>,
    busy_timeout: Option<f64>,
    /// The time of a host that tells it, in milliseconds since 1970.
    clock: Option<i64>,
}

impl Opening {
    fn read(options: &str) -> Result<Self> {
        let fields: Map<String, Value> = serde_json::from_str(options).map_err(|cause| unfit("options", &cause.to_string()))?;
        let mut fields: Map<String, Value> = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
        let opening = Self {
            create: take(&mut fields, "create", "is neither true nor false")?,
            read_only: take(&mut fields, "read_only", "is neither true nor false")?,
            embedder: fields.remove("embedder"),
            token_counter: fields.remove("token_counter"),
            durability: take(&mut fields, "durability", "is no text")?,
            busy_timeout: take(&mut fields, "busy_timeout", "is no number")?,
            clock: take(&mut fields, "clock", "is no function that tells the time")?,
        };
        match fields.remove("path").map(|_| "path".to_owned()).or_else(|| fields.keys().next().cloned()) {
            Some(field) if field == "path" => Err(unfit(&field, "the path is no text")),
            Some(field) => Err(unfit(&field, &format!("{field} is unknown; known are create, read_only, clock, embedder, durability, busy_timeout"))),
            None => Ok(opening),
        }
    }
}

/// Takes an option out, if it is there.
fn take<T: DeserializeOwned>(fields: &mut Map<String, Value>, field: &str, otherwise: &str) -> Result<Option<T>> {
    let value = fields.remove(field).map(serde_json::from_value).transpose();
    value.map_err(|cause| unfit(field, &format!("{field} {otherwise}")).because(cause))
}

fn unfit(field: &str, what: &str) -> Error {
    Error::new(Code::BadConfig, format!("open a record: {what}")).with("field", field)
}

/// A record that was opened, and its clock if its host tells the time.
pub(crate) struct Opened {
    pub(crate) record: Record,
    pub(crate) clock: Option<Arc<ToldClock>>,
}

/// Opens a record as its options say, which are JSON.
pub(crate) fn open(path: &str, options: &str) -> Result<Opened> {
    let opening = Opening::read(options)?;
    let durability = opening.durability.as_deref().map_or(Ok(Durability::Full), Durability::parse)?;
    let mut options = Record::options().create(opening.create.unwrap_or(true)).read_only(opening.read_only.unwrap_or(false)).durability(durability);
    match opening.embedder {
        None => {}
        Some(Value::Bool(false)) => options = options.without_embedder(),
        Some(_) => {
            let what = "the embedder is false for none, or left out for the built-in one; for meaning of your own bring a provider, which may wait";
            return Err(unfit("embedder", what));
        }
    }
    if opening.token_counter.is_some() {
        let what = "tokens are estimated here; count what you get and ask again with a smaller budget";
        return Err(unfit("token_counter", what));
    }
    if let Some(seconds) = opening.busy_timeout {
        let wait = Duration::try_from_secs_f64(seconds).map_err(|_| unfit("busy_timeout", &format!("{seconds} seconds are no length of time")))?;
        options = options.busy_timeout(wait);
    }
    let clock = opening.clock.map(ToldClock::new);
    if let Some(clock) = &clock {
        options = options.clock(Arc::clone(clock) as _);
    }
    Ok(Opened { record: options.open(Path::new(path))?, clock })
}
