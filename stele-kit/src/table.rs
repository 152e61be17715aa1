//! The table of verbs and the one way to call them.

use serde_json::Value;
use stele_core::{Code, Error, Record, Recorder, Result, Retriever, Session};

use crate::arguments::{Field, Fields, unfit};
use crate::json::read_json;
use crate::notation::{Answer, Notation};
use crate::parted::Parted;
use crate::values::{Hand, Reading, Taken};
use crate::verbs::{record, recorder, retriever, session};

/// To which handle a verb belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Owner {
    /// The record itself.
    Record,
    /// Its writing side.
    Recorder,
    /// Its reading side.
    Retriever,
    /// The moments of one agent session.
    Session,
}

impl Owner {
    /// The handle's name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Recorder => "recorder",
            Self::Retriever => "retriever",
            Self::Session => "session",
        }
    }

    /// What such a handle is bound to, which a call gives beside the verb's own arguments.
    #[must_use]
    pub fn bound(self) -> Vec<Argument> {
        let mut list = Vec::new();
        match self {
            Self::Record => {}
            Self::Recorder => Hand::list("", None, &mut list),
            Self::Retriever => Reading::list("", None, &mut list),
            Self::Session => Taken::list("", None, &mut list),
        }
        list
    }
}

/// One argument of a verb.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in words: `text`, `count`, `seconds`, `time`, `list of text`, or the name of an enumeration.
    pub form: String,
    /// What it is where it is left out; nothing if it must be given. `"..."` says that it stays as it is.
    pub default: Option<Value>,
}

/// One verb.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// To which handle it belongs.
    pub owner: Owner,
    /// What it gives, by the name of a type in [`crate::results`].
    pub result: &'static str,
    pub(crate) arguments: fn() -> Vec<Argument>,
    pub(crate) run: Run,
}

/// How a verb is run.
pub(crate) enum Run {
    Record(fn(&mut Fields, &Record, &mut Answer<'_>) -> Result<()>),
    Recorder(fn(&mut Fields, &Recorder<'_>, &mut Answer<'_>) -> Result<()>),
    Retriever(fn(&mut Fields, &Retriever, &mut Answer<'_>) -> Result<()>),
    Session(fn(&mut Fields, &Session, &mut Answer<'_>) -> Result<()>),
}

impl Verb {
    /// Its own arguments, in order; a call gives those of [`Owner::bound`] beside them.
    #[must_use]
    pub fn arguments(&self) -> Vec<Argument> {
        (self.arguments)()
    }
}

impl std::fmt::Debug for Verb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} -> {}", self.owner.as_str(), self.name, self.result)
    }
}

/// Every verb: those of the record, of recorders, of retrievers, of sessions.
pub fn verbs() -> impl Iterator<Item = &'static Verb> {
    [record::VERBS, recorder::VERBS, retriever::VERBS, session::VERBS].into_iter().flatten()
}

pub(crate) fn find(name: &str) -> Result<&'static Verb> {
    verbs().find(|verb| verb.name == name).ok_or_else(|| {
        let known: Vec<&str> = verbs().map(|verb| verb.name).collect();
        let name: String = name.chars().take(60).collect();
        Error::new(Code::UnknownValue, format!("call a verb: {name:?} is none of {}", known.join(", "))).with("field", "verb")
    })
}

/// Calls a verb with an object of arguments; null stands for none. Gives its result, null if it has none.
///
/// # Errors
/// `unknown_value` for another verb; `bad_argument`, naming the argument that is missing, unknown or of another type;
/// those of the verb.
pub fn call(record: &Record, verb: &str, arguments: &Value) -> Result<Value> {
    valued(|answer| run(record, verb, arguments.clone(), answer))
}

/// As [`call`], with arguments as JSON text, of which blank text stands for none, and the result as text in a notation.
///
/// # Errors
/// As [`call`]; `bad_argument` for what is no JSON.
pub fn call_text(record: &Record, verb: &str, arguments: &str, notation: Notation) -> Result<String> {
    let mut text = String::new();
    run(record, verb, read_arguments(arguments)?, &mut Answer::Text(notation, &mut text))?;
    Ok(text)
}

/// As [`call_text`], with the window of a result as it was found.
///
/// # Errors
/// As [`call_text`].
pub fn call_parted(record: &Record, verb: &str, arguments: &str, notation: Notation) -> Result<Parted> {
    let mut parted = Parted::default();
    run(record, verb, read_arguments(arguments)?, &mut Answer::Parted(notation, &mut parted))?;
    Ok(parted)
}

/// Reads arguments; blank text stands for none.
///
/// # Errors
/// `bad_argument` for what is no JSON.
pub fn read_arguments(text: &str) -> Result<Value> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    read_json(text).map_err(|cause| unfit("arguments", "is no JSON").because(cause))
}

fn run(record: &Record, verb: &str, arguments: Value, answer: &mut Answer<'_>) -> Result<()> {
    let verb = find(verb)?;
    let mut fields = Fields::sent(arguments)?;
    fields.know(&[verb.owner.bound(), verb.arguments()].concat())?;
    match verb.run {
        Run::Record(run) => run(&mut fields, record, answer),
        Run::Recorder(run) => {
            let hand = Hand::take(&mut fields, "", None)?;
            let recorder = match &hand.session {
                Some(session) => record.recorder_in(&hand.actor, session)?,
                None => record.recorder(&hand.actor)?,
            };
            run(&mut fields, &recorder, answer)
        }
        Run::Retriever(run) => {
            let retriever = match Reading::take(&mut fields, "", None)?.as_of {
                Some(moment) => record.retriever_as_of(moment.0),
                None => record.retriever(),
            };
            run(&mut fields, &retriever, answer)
        }
        Run::Session(run) => {
            let taken = Taken::take(&mut fields, "", None)?;
            let mut options = record.session(&taken.session);
            options = taken.actor.into_iter().fold(options, |options, actor| options.actor(actor));
            options = taken.root.into_iter().fold(options, |options, root| options.root(root));
            run(&mut fields, &options.open()?, answer)
        }
    }
}

/// What a call writes, as a value.
fn valued(run: impl FnOnce(&mut Answer<'_>) -> Result<()>) -> Result<Value> {
    let mut value = Value::Null;
    run(&mut Answer::Value(&mut value))?;
    Ok(value)
}

/// Calls a verb of recorders on one, which may be that of an open transaction.
///
/// # Errors
/// As [`call`]; `unknown_value` for a verb of another handle.
pub fn call_within(recorder: &Recorder<'_>, verb: &str, arguments: &Value) -> Result<Value> {
    let verb = find(verb)?;
    let Run::Recorder(run) = verb.run else {
        return Err(Error::new(Code::UnknownValue, format!("call a verb: {} belongs to a {}", verb.name, verb.owner.as_str())).with("field", "verb"));
    };
    let mut fields = Fields::sent(arguments.clone())?;
    fields.know(&verb.arguments())?;
    valued(|answer| run(&mut fields, recorder, answer))
}

/// A name without the mark that makes a reserved word of Rust a name.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}
