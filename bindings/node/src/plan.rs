//! An assembly that JavaScript drives: it takes the requests, asks its providers, hands their answers in and finishes. No
//! thread of ours waits for a provider of JavaScript.

use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::{Either, Null};
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Map, Value};
use stele_core::{Asked, AssembleOptions, Code, Error, ProviderFault, Record, Result, SessionOptions, Timestamp};
use stele_kit::{Notation, Parted, assemble_options, context_parted, declaration, read_arguments, read_json, supply};

use crate::answer::{Answer, Fault, answer, fault, parted};
use crate::bridge::Back;
use crate::clock::CallTime;
use crate::doorway::enter;
use crate::json::Json;
use crate::lanes::{Lane, Lanes};

/// An assembly under way.
#[napi]
pub struct Plan {
    /// Taken out by `finish`.
    plan: Mutex<Option<stele_core::Plan>>,
    /// When it began, which is its time until it is finished.
    at: CallTime,
    lanes: Lanes,
    back: Back,
}

/// What a provider is asked.
#[derive(Serialize)]
struct Request<'a> {
    provider: &'a str,
    prompt: &'a str,
    session: &'a str,
    turn: u64,
    mode: &'a str,
    action: Option<&'a str>,
    point: &'static str,
    token_budget: usize,
    now: Timestamp,
    remaining_ms: u64,
}

impl<'a> Request<'a> {
    fn of(asked: &'a Asked) -> Self {
        let request = &asked.request;
        Self {
            provider: &asked.provider,
            prompt: &request.prompt,
            session: &request.session,
            turn: request.turn,
            mode: &request.mode,
            action: request.action.as_deref(),
            point: request.point.as_str(),
            token_budget: request.token_budget,
            now: request.now,
            remaining_ms: u64::try_from(request.remaining().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[napi]
impl Plan {
    /// The next request that has not been given out, as JSON; null once all have.
    #[napi(ts_return_type = "string | Fault | null")]
    pub fn next(&self) -> Either<Answer, Null> {
        match enter(|| self.with(|plan| plan.next().map(|asked| Json::of(&Request::of(&asked))).transpose())) {
            Ok(Some(text)) => Either::A(answer(Ok(text))),
            Ok(None) => Either::B(Null),
            Err(error) => Either::A(answer(Err(error))),
        }
    }

    /// Hands in what a provider answered, as JSON.
    #[napi(ts_return_type = "Fault | null")]
    pub fn supply(&self, provider: String, entries: String) -> Either<Fault, Null> {
        told(enter(|| {
            let entries = supply(&read_arguments(&entries)?)?;
            self.with(|plan| plan.supply(&provider, entries))
        }))
    }

    /// Says that a provider cannot answer, and why.
    #[napi(ts_return_type = "Fault | null")]
    pub fn fail(&self, provider: String, message: String) -> Either<Fault, Null> {
        told(enter(|| self.with(|plan| plan.fail(&provider, ProviderFault::new(message)))))
    }

    /// Puts the context together on a thread of the handle.
    #[napi]
    pub fn finish(&self, call: u32) {
        let (plan, back, at) = (self.take(), self.back.clone(), self.at);
        let job = Box::new(move || back.telling(call, parted(enter(|| at.run(|| finished(plan))))));
        if let Err(error) = self.lanes.add(Lane::Read, job) {
            self.back.refuse(call, &error);
        }
    }

    /// Puts the context together on this thread.
    #[napi(ts_return_type = "Windowed | Fault")]
    pub fn finish_sync(&self) -> Answer {
        parted(enter(|| self.at.run(|| finished(self.take()))))
    }

    fn with<T>(&self, work: impl FnOnce(&mut stele_core::Plan) -> Result<T>) -> Result<T> {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        work(plan.as_mut().ok_or_else(over)?)
    }

    fn take(&self) -> Option<stele_core::Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Plan {
    pub(crate) fn new(plan: stele_core::Plan, at: CallTime, lanes: Lanes, back: Back) -> Self {
        Self { plan: Mutex::new(Some(plan)), at, lanes, back }
    }
}

fn told(done: Result<()>) -> Either<Fault, Null> {
    match done {
        Ok(()) => Either::B(Null),
        Err(error) => Either::A(fault(&error)),
    }
}

fn over() -> Error {
    Error::new(Code::Closed, "go on with an assembly: it is finished")
}

fn finished(plan: Option<stele_core::Plan>) -> Result<Parted> {
    context_parted(plan.ok_or_else(over)?.finish()?, Notation::JavaScript)
}

/// What an assembly is asked for with, as it is sent from TypeScript: for a session that is prompted, who takes it up.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Asking {
    #[serde(default)]
    prompt: Value,
    options: Value,
    #[serde(default)]
    providers: Value,
    prompted: Option<Map<String, Value>>,
}

/// Who is prompted: a session, and what is said of it.
struct Prompted {
    session: String,
    actor: Option<String>,
    root: Option<String>,
}

fn unfit(field: &str, what: &str) -> Error {
    Error::new(Code::BadArgument, format!("read the arguments: {field} {what}")).with("field", field)
}

/// A text that may be left out.
fn text(field: &str, value: Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(unfit(field, "is no text")),
    }
}

/// A text that must be given.
fn needed(field: &str, value: Value) -> Result<String> {
    text(field, value)?.ok_or_else(|| unfit(field, "is missing"))
}

fn list(field: &str, value: Value) -> Result<Vec<Value>> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(members) => Ok(members),
        _ => Err(unfit(field, "is no list")),
    }
}

/// Begins an assembly.
pub(crate) fn begin(record: &Record, asking: &str) -> Result<stele_core::Plan> {
    let none = |cause| Error::new(Code::BadArgument, "read the arguments: they are none of an assembly").with("field", "arguments").because(cause);
    let Asking { prompt, options, providers, prompted } = read_json(asking).map_err(none)?;
    let (prompt, prompted) = (needed("prompt", prompt)?, prompted.map(Prompted::of).transpose()?);
    let mut options = assemble_options(&options)?;
    for provider in list("providers", providers)? {
        options = options.declare(declaration(&provider)?);
    }
    match prompted {
        None => record.plan(&prompt, &options),
        Some(prompted) => prompted.plan(record, &prompt, options),
    }
}

impl Prompted {
    fn of(mut fields: Map<String, Value>) -> Result<Self> {
        let mut take = |field: &str| fields.remove(field).unwrap_or_default();
        let (session, actor, root) = (needed("session", take("session"))?, text("actor", take("actor"))?, text("root", take("root"))?);
        match fields.keys().next() {
            Some(field) => Err(unfit(field, "is unknown; known are mode, token_budget, actor, root")),
            None => Ok(Self { session, actor, root }),
        }
    }

    fn plan(self, record: &Record, prompt: &str, options: AssembleOptions) -> Result<stele_core::Plan> {
        let mut session = record.session(&self.session);
        session = self.actor.into_iter().fold(session, SessionOptions::actor);
        session = self.root.into_iter().fold(session, SessionOptions::root);
        session.open()?.plan(prompt, &options)
    }
}
