//! The record as tools of an agent: what each is called, what it takes, what it teaches, and the one way to call it.
//!
//! A tool translates arguments into a verb and its result into compact JSON; it holds no rule of its own. Tools come in
//! three tiers. One that reads is given [`Reads`] and nothing else, so it has nothing to write with.

mod arguments;
mod destroy;
mod form;
mod read;
mod results;
mod schema;
mod write;

use crate::base::error::{Code, Error, Result};
use crate::base::names::named_enum;
use crate::base::text::cut;
use crate::health::{Health, Sweep};
use crate::record::recorder::Recorder;
use crate::retrieve::Retriever;
use arguments::{Arguments, Fields};
use form::Form;
use schema::{Property, Schema};

named_enum! {
    /// What a tool may do; each tier may do what those before it may.
    Tier, UnknownValue, "tier" {
        /// It reads, and can change nothing.
        Read = 0 "read",
        /// It adds to the record; nothing that stands is lost.
        Write = 1 "write",
        /// It takes away, overrules others, or decides for them.
        Destructive = 2 "destructive",
    }
}

/// One tool, as a host passes it on to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// What it is called by.
    pub name: &'static str,
    /// When and how to use it, for a model.
    pub description: &'static str,
    /// What it takes: JSON Schema, draft 2020-12, an object.
    pub input_schema: String,
    /// What it may do.
    pub tier: Tier,
}

/// Who calls a tool, and up to which tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    pub(crate) actor: String,
    pub(crate) session: Option<String>,
    pub(crate) tier: Tier,
}

impl ToolCall {
    /// A call by an actor, in no session, up to [`Tier::Write`].
    #[must_use]
    pub fn new(actor: impl Into<String>) -> Self {
        Self { actor: actor.into(), session: None, tier: Tier::Write }
    }

    /// Sets in which session.
    #[must_use]
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.session = Some(name.into());
        self
    }

    /// Sets the highest tier that the caller may use. [`Tier::Destructive`] gives the right to promote rules as well.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }
}

/// What tools that read are given.
pub(crate) trait Reads {
    fn retriever(&self) -> Retriever;
    fn health(&self) -> Result<Health>;
}

/// What the other tools are given beside it.
pub(crate) trait Writes: Reads {
    fn recorder(&self, call: &ToolCall) -> Result<Recorder<'static>>;
    fn sweep(&self) -> Result<Sweep>;
    fn apply_sweep(&self, sweep: &mut Sweep, call: &ToolCall) -> Result<()>;
    fn compact(&self) -> Result<bool>;
    fn rebuild_indexes(&self) -> Result<()>;
}

/// The arguments of a tool that reads.
trait ReadTool: Arguments {
    fn read(self, from: &dyn Reads, call: &ToolCall) -> Result<Form>;
}

/// The arguments of a tool that writes.
trait WriteTool: Arguments {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form>;
}

/// The arguments of a tool that takes away or overrules.
trait DestructiveTool: Arguments {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form>;
}

/// One row of the table of tools.
struct Row {
    name: &'static str,
    teaches: &'static str,
    properties: fn() -> Vec<Property>,
    run: Run,
}

/// How a tool is run. The tier follows from it.
enum Run {
    Read(fn(Fields, &dyn Reads, &ToolCall) -> Result<Form>),
    Write(fn(Fields, &Recorder<'_>) -> Result<Form>),
    Destroy(fn(Fields, &dyn Writes, &ToolCall) -> Result<Form>),
}

const fn reading<T: ReadTool>(name: &'static str, teaches: &'static str) -> Row {
    Row { name, teaches, properties: T::properties, run: Run::Read(|fields, from, call| T::from_fields(fields)?.read(from, call)) }
}

const fn writing<T: WriteTool>(name: &'static str, teaches: &'static str) -> Row {
    Row { name, teaches, properties: T::properties, run: Run::Write(|fields, recorder| T::from_fields(fields)?.write(recorder)) }
}

const fn destroying<T: DestructiveTool>(name: &'static str, teaches: &'static str) -> Row {
    Row { name, teaches, properties: T::properties, run: Run::Destroy(|fields, host, call| T::from_fields(fields)?.destroy(host, call)) }
}

impl Row {
    fn tier(&self) -> Tier {
        match self.run {
            Run::Read(_) => Tier::Read,
            Run::Write(_) => Tier::Write,
            Run::Destroy(_) => Tier::Destructive,
        }
    }
}

/// Every tool, by tier.
fn rows() -> impl Iterator<Item = &'static Row> {
    read::TOOLS.iter().chain(write::TOOLS).chain(destroy::TOOLS)
}

/// The tools up to a tier.
pub(crate) fn tools(tier: Tier) -> Vec<Tool> {
    let shown = |row: &Row| {
        let input_schema = serde_json::to_string(&Schema::Object((row.properties)())).expect("invariant: every key is a string and no value can fail");
        Tool { name: row.name, description: row.teaches, input_schema, tier: row.tier() }
    };
    rows().filter(|row| row.tier() <= tier).map(shown).collect()
}

/// Calls a tool with arguments as JSON and gives its result as JSON.
pub(crate) fn call(host: &dyn Writes, name: &str, arguments: &str, call: &ToolCall) -> Result<String> {
    let Some(row) = rows().find(|row| row.name == name) else {
        let known: Vec<&str> = rows().filter(|row| row.tier() <= call.tier).map(|row| row.name).collect();
        let what = format!("call a tool: {:?} is none of {}", cut(name, 60), known.join(", "));
        return Err(Error::new(Code::UnknownValue, what).with("field", "name"));
    };
    if row.tier() > call.tier {
        let what = format!("call {name}: it is a {} tool, the call may use {} tools", row.tier(), call.tier);
        return Err(Error::new(Code::NotPermitted, what).with("tool", name).with("tier", row.tier()));
    }
    let fields = Fields::sent(arguments).map_err(|error| error.with("tool", name))?;
    let form = match row.run {
        Run::Read(run) => run(fields, host, call),
        Run::Write(run) => host.recorder(call).and_then(|recorder| run(fields, &recorder)),
        Run::Destroy(run) => run(fields, host, call),
    };
    form.map(|form| form.json()).map_err(|error| error.with("tool", name))
}
