//! Verbs by name, with names as JavaScript writes them; and how a record is opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
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
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Opening {
    create: bool,
    read_only: bool,
    /// False for none; nothing for the built-in one.
    embedder: Option<Value>,
    /// Refused.
    token_counter: Option<Value>,
    durability: String,
    busy_timeout: Option<f64>,
    /// The time of a host that tells it, in milliseconds since 1970.
    clock: Option<i64>,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            create: true,
            read_only: false,
            embedder: None,
            token_counter: None,
            durability: Durability::Full.as_str().to_owned(),
            busy_timeout: None,
            clock: None,
        }
    }
}

/// A record that was opened, and its clock if its host tells the time.
pub(crate) struct Opened {
    pub(crate) record: Record,
    pub(crate) clock: Option<Arc<ToldClock>>,
}

/// Opens a record as its options say, which are JSON.
pub(crate) fn open(path: &str, options: &str) -> Result<Opened> {
    let unfit = |field: &str, what: String| Error::new(Code::BadConfig, format!("open a record: {what}")).with("field", field);
    let opening: Opening = serde_json::from_str(options).map_err(|cause| unfit("options", cause.to_string()))?;
    let mut options = Record::options().create(opening.create).read_only(opening.read_only).durability(Durability::parse(&opening.durability)?);
    match opening.embedder {
        None => {}
        Some(Value::Bool(false)) => options = options.without_embedder(),
        Some(_) => {
            let what = "the embedder is false for none, or left out for the built-in one; for meaning of your own bring a provider, which may wait";
            return Err(unfit("embedder", what.to_owned()));
        }
    }
    if opening.token_counter.is_some() {
        let what = "tokens are estimated here; count what you get and ask again with a smaller budget";
        return Err(unfit("token_counter", what.to_owned()));
    }
    if let Some(seconds) = opening.busy_timeout {
        let wait = Duration::try_from_secs_f64(seconds).map_err(|_| unfit("busy_timeout", format!("{seconds} seconds are no length of time")))?;
        options = options.busy_timeout(wait);
    }
    let clock = opening.clock.map(ToldClock::new);
    if let Some(clock) = &clock {
        options = options.clock(Arc::clone(clock) as _);
    }
    Ok(Opened { record: options.open(Path::new(path))?, clock })
}
