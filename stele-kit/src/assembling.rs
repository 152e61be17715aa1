//! How an assembly is asked for in JSON. A provider cannot be a function here: its answer comes with the call.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use stele_core::{AssembleOptions, Context, Declaration, Plan, Point, ProviderEntry, ProviderFault, Result, Source, Supply, Timestamp, defaults};

use crate::arguments::{Field, Fields, Given, group, unfit};
use crate::verbs::with;

group! {
    /// What every assembly takes beside its prompt.
    Assembling {
        turn: Option<u64>,
        mode: Option<String>,
        action: Option<String>,
        point: Point = Point::Prompt,
        capabilities: Vec<String>,
        providers: Vec<Provided>,
        builtin: Builtin = Builtin::All(true),
        token_budget: usize = defaults::ASSEMBLY_TOKENS,
        deadline: Duration = defaults::DEADLINE,
        select_skills: Vec<String>,
        now: Option<Timestamp>,
        strict: bool = false,
        skill_folders: Vec<String>,
        base_revision: Option<String>,
        rule_files: Vec<String>,
        system: Vec<ProviderEntry>,
        about: Vec<String>,
        max_entries: usize = defaults::WINDOW_ENTRIES,
        max_tokens: Option<usize>,
        hops: u32 = defaults::HOPS,
    }
}

/// What providers answered already, by their names.
type Answers = Vec<(String, std::result::Result<Supply, ProviderFault>)>;

impl Assembling {
    /// The options, and what the providers answered already.
    fn split(self, root: Option<String>, deliver: bool) -> (AssembleOptions, Answers) {
        let mut options = AssembleOptions::new().point(self.point).token_budget(self.token_budget).deadline(self.deadline).strict(self.strict).deliver(deliver);
        options = options.max_entries(self.max_entries).hops(self.hops);
        options = with(options, self.turn, AssembleOptions::turn);
        options = with(options, self.mode, AssembleOptions::mode);
        options = with(options, self.action, AssembleOptions::action);
        options = with(options, root, |options, root| options.root(PathBuf::from(root)));
        options = with(options, self.now, AssembleOptions::now);
        options = with(options, self.base_revision, AssembleOptions::base_revision);
        options = with(options, self.max_tokens, AssembleOptions::max_tokens);
        options = options.rule_files(self.rule_files);
        options = self.capabilities.into_iter().fold(options, AssembleOptions::capability);
        options = self.select_skills.into_iter().fold(options, AssembleOptions::select_skill);
        options = self.system.into_iter().fold(options, AssembleOptions::system);
        options = self.about.into_iter().fold(options, AssembleOptions::about);
        if !self.skill_folders.is_empty() {
            options = options.skill_folders(self.skill_folders);
        }
        options = match self.builtin {
            Builtin::All(on) => options.builtin(on),
            Builtin::Named(names) => options.builtin_named(names),
        };
        let mut answers = Vec::new();
        for Provided { name, declaration, answer } in self.providers {
            options = options.declare(declaration);
            answers.push((name, answer));
        }
        (options, answers)
    }

    /// Begins an assembly, answers for the providers that are asked, and finishes it.
    pub(crate) fn run(self, root: Option<String>, deliver: bool, begin: impl FnOnce(AssembleOptions) -> Result<Plan>) -> Result<Context> {
        let (options, mut answers) = self.split(root, deliver);
        let mut plan = begin(options)?;
        while let Some(asked) = plan.next() {
            let Some(at) = answers.iter().position(|(name, _)| *name == asked.provider) else { continue };
            match answers.swap_remove(at).1 {
                Ok(supply) => plan.supply(&asked.provider, supply)?,
                Err(fault) => plan.fail(&asked.provider, fault)?,
            }
        }
        plan.finish()
    }
}

/// Reads the options of `assemble` from a JSON object, for a door that asks providers itself: no `providers` among them.
///
/// # Errors
/// `bad_argument` and its like, naming the option.
pub fn assemble_options(options: &Value) -> Result<AssembleOptions> {
    let mut list = Vec::new();
    for name in ["session", "root"] {
        <Option<String> as Field>::list(name, None, &mut list);
    }
    Assembling::list("", None, &mut list);
    <bool as Field>::list("deliver", Some(false), &mut list);
    list.retain(|argument| argument.name != "providers");
    let mut fields = Fields::sent(options.clone())?;
    fields.know(&list)?;
    let session: Option<String> = Field::take(&mut fields, "session", None)?;
    let root: Option<String> = Field::take(&mut fields, "root", None)?;
    let deliver: bool = Field::take(&mut fields, "deliver", Some(false))?;
    let (options, _) = <Assembling as Field>::take(&mut fields, "", None)?.split(root, deliver);
    Ok(with(options, session, AssembleOptions::session))
}

/// A context as JSON: what `assemble` gives.
#[must_use]
pub fn context_json(context: Context) -> String {
    serde_json::to_string(&crate::results::Context::from(context)).expect("invariant: every key is a string and no value can fail")
}

/// Reads how a provider declares itself, for a door that asks it itself.
///
/// # Errors
/// `bad_argument` and its like, naming the field.
pub fn declaration(provider: &Value) -> Result<Declaration> {
    let mut inner = Inner::of(provider.clone(), "provider")?;
    let (_, declaration) = inner.declaration()?;
    inner.end().map(|()| declaration)
}

/// Reads what a provider answers: a list of texts or entries, or an object with `entries` and `warnings`.
///
/// # Errors
/// `bad_argument` and its like, naming the field.
pub fn supply(answer: &Value) -> Result<Supply> {
    if answer.is_array() {
        return Vec::read(answer.clone(), "entries").map(|entries: Vec<ProviderEntry>| entries.into());
    }
    let mut inner = Inner::of(answer.clone(), "answer")?;
    let supply = inner.supply()?;
    inner.end().map(|()| supply)
}

/// Which built-in providers are on: all or none, or those that are named.
pub(crate) enum Builtin {
    All(bool),
    Named(Vec<String>),
}

impl Given for Builtin {
    fn form() -> String {
        "flag or list of text".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::Array(_) => Vec::read(value, at).map(Self::Named),
            _ => bool::read(value, at).map(Self::All),
        }
    }

    fn shown(&self) -> Value {
        match self {
            Self::All(on) => (*on).into(),
            Self::Named(names) => names.shown(),
        }
    }
}

/// The fields of an object that stands at a place among the arguments.
struct Inner<'a> {
    fields: Map<String, Value>,
    at: &'a str,
}

impl<'a> Inner<'a> {
    fn of(value: Value, at: &'a str) -> Result<Self> {
        match value {
            Value::Object(fields) => Ok(Self { fields, at }),
            _ => Err(unfit(at, "is no object")),
        }
    }

    fn take<T: Given>(&mut self, name: &str) -> Result<Option<T>> {
        self.fields.remove(name).filter(|value| !value.is_null()).map(|value| T::read(value, &format!("{}.{name}", self.at))).transpose()
    }

    /// The name of a provider, and what it declares.
    fn declaration(&mut self) -> Result<(String, Declaration)> {
        let name: String = self.take("name")?.ok_or_else(|| unfit(&format!("{}.name", self.at), "is missing"))?;
        let mut declaration = Declaration::new(&name);
        declaration = with(declaration, self.take("category")?, Declaration::category);
        declaration = self.take::<Vec<String>>("requires")?.unwrap_or_default().into_iter().fold(declaration, Declaration::requires);
        declaration = with(declaration, self.take("turns")?, Declaration::turns);
        declaration = with(declaration, self.take("timeout")?, Declaration::timeout);
        declaration = with(declaration, self.take("token_budget")?, Declaration::token_budget);
        Ok((name, with(declaration, self.take("position")?, Declaration::position)))
    }

    fn supply(&mut self) -> Result<Supply> {
        Ok(Supply { entries: self.take("entries")?.unwrap_or_default(), warnings: self.take("warnings")?.unwrap_or_default() })
    }

    fn end(self) -> Result<()> {
        self.fields.keys().next().map_or(Ok(()), |name| Err(unfit(&format!("{}.{name}", self.at), "is unknown")))
    }
}

impl Given for ProviderEntry {
    fn form() -> String {
        "entry".to_owned()
    }

    /// A text, or an object with the fields of an entry.
    fn read(value: Value, at: &str) -> Result<Self> {
        if let Value::String(text) = value {
            return Ok(Self::new(text));
        }
        let mut inner = Inner::of(value, at)?;
        let mut entry = Self::new(inner.take::<String>("text")?.ok_or_else(|| unfit(&format!("{at}.text"), "is missing"))?);
        (entry.source, entry.applies_to) = (inner.take::<Source>("source")?, inner.take("applies_to")?);
        (entry.fetched_at, entry.review_at) = (inner.take("fetched_at")?, inner.take("review_at")?);
        inner.end().map(|()| entry)
    }
}

/// A provider that answered before the call: with entries, or with a fault.
pub(crate) struct Provided {
    name: String,
    declaration: Declaration,
    answer: std::result::Result<Supply, ProviderFault>,
}

impl Given for i64 {
    fn form() -> String {
        "whole number".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        value.as_i64().ok_or_else(|| unfit(at, "is no whole number"))
    }
}

impl Given for Provided {
    fn form() -> String {
        "provider".to_owned()
    }

    /// An object with the name, what the provider declares, and its `entries` (and `warnings`) or its `fault`.
    fn read(value: Value, at: &str) -> Result<Self> {
        let mut inner = Inner::of(value, at)?;
        let (name, declaration) = inner.declaration()?;
        let supply = inner.supply()?;
        let answer = match inner.take::<String>("fault")? {
            Some(fault) => Err(ProviderFault::new(fault)),
            None => Ok(supply),
        };
        inner.end().map(|()| Self { name, declaration, answer })
    }
}
