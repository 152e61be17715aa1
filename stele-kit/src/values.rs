//! The sorts of values that arguments hold, and the groups of arguments that several verbs take.

use std::time::Duration;

use serde_json::{Number, Value};
use stele_core::{
    Aggressiveness, Anchor, AsOf, Category, Code, Direction, Error, Format, Held, Helpfulness, Kind, Known, Point, ProviderCategory, RankingTable, Relation,
    Result, SearchMode, Severity, Source, SourceText, State, TaskStatus, TaskType, Tier, Timestamp, TranscriptItem, TurnPolicy, Verdict,
};

use crate::arguments::{Given, group, unfit};

impl Given for String {
    fn form() -> String {
        "text".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(unfit(at, "is no text")),
        }
    }

    fn shown(&self) -> Value {
        self.as_str().into()
    }
}

impl Given for bool {
    fn form() -> String {
        "flag".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        value.as_bool().ok_or_else(|| unfit(at, "is neither true nor false"))
    }

    fn shown(&self) -> Value {
        (*self).into()
    }
}

/// A whole number, however it is written.
fn whole(value: &Value, at: &str) -> Result<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit becomes the nearest that does, which no argument takes")]
    let decimal = |number: &Number| number.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i128);
    let number = value.as_number().and_then(|number| number.as_i128().or_else(|| decimal(number)));
    number.ok_or_else(|| unfit(at, "is no whole number"))
}

macro_rules! counts {
    ($($name:ty),*) => { $(
        impl Given for $name {
            fn form() -> String {
                "count".to_owned()
            }

            /// Every limit but that of the type is the core's.
            fn read(value: Value, at: &str) -> Result<Self> {
                let number = whole(&value, at)?;
                let beyond = || Error::new(Code::OutOfRange, format!("read the arguments: {at} is {number}, not between 0 and {}", Self::MAX)).with("field", at);
                Self::try_from(number).map_err(|_| beyond())
            }

            fn shown(&self) -> Value {
                (*self).into()
            }
        }
    )* };
}
counts!(u8, u32, u64, usize);

impl Given for Duration {
    fn form() -> String {
        "seconds".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        let seconds = value.as_f64().ok_or_else(|| unfit(at, "is no number of seconds"))?;
        Self::try_from_secs_f64(seconds)
            .map_err(|_| Error::new(Code::OutOfRange, format!("read the arguments: {at} is {seconds}, which is no length of time")).with("field", at))
    }

    fn shown(&self) -> Value {
        self.as_secs_f64().into()
    }
}

impl Given for Timestamp {
    fn form() -> String {
        "time".to_owned()
    }

    /// A written time, or milliseconds since 1970.
    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::String(text) => Self::parse(&text).map_err(|error| error.with("field", at)),
            Value::Number(ms) => ms.as_i64().map(Self::from_unix_ms).ok_or_else(|| unfit(at, "is no whole number of milliseconds")),
            _ => Err(unfit(at, "is no time")),
        }
    }
}

/// A moment of the record: a sequence, or a written time.
pub(crate) struct Moment(pub(crate) AsOf);

impl Given for Moment {
    fn form() -> String {
        "sequence or time".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::String(_) => Timestamp::read(value, at).map(|time| Self(AsOf::Time(time))),
            _ => u64::read(value, at).map(|sequence| Self(AsOf::Sequence(sequence))),
        }
    }
}

impl<T: Given> Given for Option<T> {
    fn form() -> String {
        T::form()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        T::read(value, at).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Given> Given for Vec<T> {
    fn form() -> String {
        format!("list of {}", T::form())
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        let Value::Array(items) = value else { return Err(unfit(at, "is no list")) };
        items.into_iter().enumerate().map(|(number, item)| T::read(item, &format!("{at}[{number}]"))).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn shown(&self) -> Value {
        Value::Array(self.iter().map(Given::shown).collect())
    }
}

/// What a revision does with a field: left out it stays, null clears it.
pub(crate) enum Change<T> {
    Keep,
    Set(Option<T>),
}

impl<T: Given> Given for Change<T> {
    fn form() -> String {
        format!("{} or null", T::form())
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        if value.is_null() { Ok(Self::Set(None)) } else { T::read(value, at).map(|value| Self::Set(Some(value))) }
    }

    fn absent() -> Option<Self> {
        Some(Self::Keep)
    }

    fn shown(&self) -> Value {
        "...".into()
    }

    const NULL_SPEAKS: bool = true;
}

impl<T> Change<T> {
    pub(crate) fn set(self) -> Option<Option<T>> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

macro_rules! words {
    ($($name:ty, $form:literal;)*) => { $(
        impl Given for $name {
            fn form() -> String {
                $form.to_owned()
            }

            fn read(value: Value, at: &str) -> Result<Self> {
                Self::parse(&String::read(value, at)?)
            }

            fn shown(&self) -> Value {
                self.as_str().into()
            }
        }
    )* };
}

words! {
    Aggressiveness, "aggressiveness";
    Category, "category";
    Direction, "direction";
    Format, "format";
    Helpfulness, "feedback";
    Kind, "kind";
    Point, "point";
    ProviderCategory, "provider category";
    Relation, "relation";
    SearchMode, "search mode";
    Severity, "severity";
    State, "state";
    TaskStatus, "task status";
    TaskType, "task type";
    Tier, "tier";
    TurnPolicy, "turn policy";
}

/// The named texts of an object; another name is an error, so that a misspelt one is not lost.
fn texts<const N: usize>(value: Value, at: &str, names: [&str; N]) -> Result<[Option<String>; N]> {
    let Value::Object(fields) = value else { return Err(unfit(at, &format!("is no object of {}", names.join(", ")))) };
    let mut found = [const { None }; N];
    for (name, value) in fields {
        let Some(place) = names.iter().position(|known| *known == name) else {
            return Err(unfit(&format!("{at}.{name}"), &format!("is unknown; known are {}", names.join(", "))));
        };
        found[place] = if value.is_null() { None } else { Some(String::read(value, &format!("{at}.{name}"))?) };
    }
    Ok(found)
}

impl Given for Anchor {
    fn form() -> String {
        "anchor".to_owned()
    }

    /// A path, or an object with path and symbol.
    fn read(value: Value, at: &str) -> Result<Self> {
        if let Value::String(path) = value {
            return Ok(Self { path, symbol: None });
        }
        let [path, symbol] = texts(value, at, ["path", "symbol"])?;
        Ok(Self { path: path.ok_or_else(|| unfit(&format!("{at}.path"), "is missing"))?, symbol })
    }
}

impl Given for Source {
    fn form() -> String {
        "source".to_owned()
    }

    /// A uri, or an object with the fields of a source.
    fn read(value: Value, at: &str) -> Result<Self> {
        if let Value::String(uri) = value {
            return Ok(Self { uri, ..Self::default() });
        }
        let [uri, revision, quote, known, applies_to] = texts(value, at, ["uri", "revision", "quote", "known", "applies_to"])?;
        Ok(Self { uri: uri.unwrap_or_default(), revision, quote, known: known.as_deref().map(Known::parse).transpose()?, applies_to })
    }
}

impl Given for SourceText {
    fn form() -> String {
        "source text".to_owned()
    }

    /// A text, or an object with text, uri and revision.
    fn read(value: Value, at: &str) -> Result<Self> {
        if let Value::String(text) = value {
            return Ok(Self { text, uri: None, revision: None });
        }
        let [text, uri, revision] = texts(value, at, ["text", "uri", "revision"])?;
        Ok(Self { text: text.ok_or_else(|| unfit(&format!("{at}.text"), "is missing"))?, uri, revision })
    }
}

impl Given for Held {
    fn form() -> String {
        "task".to_owned()
    }

    /// An id or alias, or the claim that was granted, as it came.
    fn read(value: Value, at: &str) -> Result<Self> {
        let Value::Object(mut claim) = value else { return String::read(value, at).map(|task| Self::from(&task)) };
        let task = String::read(claim.remove("task").unwrap_or_default(), &format!("{at}.task"))?;
        match claim.remove("token").filter(|token| !token.is_null()) {
            Some(token) => u64::read(token, &format!("{at}.token")).map(|token| Self::with_token(&task, token)),
            None => Ok(Self::from(&task)),
        }
    }
}

/// What a host's judge said of one retirement.
pub(crate) struct Judged {
    pub(crate) newer: String,
    pub(crate) older: String,
    pub(crate) verdict: Verdict,
}

impl Given for Judged {
    fn form() -> String {
        "judged retirement".to_owned()
    }

    /// An object with newer, older and verdict.
    fn read(value: Value, at: &str) -> Result<Self> {
        let [newer, older, verdict] = texts(value, at, ["newer", "older", "verdict"])?;
        let given = |name: &str, text: Option<String>| text.ok_or_else(|| unfit(&format!("{at}.{name}"), "is missing"));
        Ok(Self { newer: given("newer", newer)?, older: given("older", older)?, verdict: Verdict::parse(&given("verdict", verdict)?)? })
    }
}

/// Where JSON Lines come from: a path, or the lines.
pub(crate) enum Lines {
    Path(String),
    Texts(Vec<String>),
}

impl Given for Lines {
    fn form() -> String {
        "path or lines".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        match value {
            Value::String(path) => Ok(Self::Path(path)),
            _ => Vec::read(value, at).map(Self::Texts),
        }
    }
}

/// One call inside a transaction.
pub(crate) struct Step {
    pub(crate) verb: String,
    pub(crate) arguments: Value,
}

impl Given for Step {
    fn form() -> String {
        "call".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        let Value::Object(mut fields) = value else { return Err(unfit(at, "is no object with verb and arguments")) };
        let verb = String::read(fields.remove("verb").unwrap_or_default(), &format!("{at}.verb"))?;
        let arguments = fields.remove("arguments").unwrap_or_default();
        match fields.keys().next() {
            None => Ok(Self { verb, arguments }),
            Some(name) => Err(unfit(&format!("{at}.{name}"), "is unknown; known are verb, arguments")),
        }
    }
}

impl Given for TranscriptItem {
    fn form() -> String {
        "transcript item".to_owned()
    }

    /// An object with id and text, and perhaps who speaks.
    fn read(value: Value, at: &str) -> Result<Self> {
        let [id, role, text] = texts(value, at, ["id", "role", "text"])?;
        let text = text.ok_or_else(|| unfit(&format!("{at}.text"), "is missing"))?;
        let item = Self::new(id.unwrap_or_default(), text);
        Ok(role.into_iter().fold(item, Self::role))
    }
}

/// A JSON object that is passed on as it is.
pub(crate) struct Object(pub(crate) Value);

impl Given for Object {
    fn form() -> String {
        "object".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        if value.is_object() { Ok(Self(value)) } else { Err(unfit(at, "is no object")) }
    }
}

impl Given for RankingTable {
    fn form() -> String {
        "ranking table".to_owned()
    }

    fn read(value: Value, at: &str) -> Result<Self> {
        serde_json::from_value(value).map_err(|cause| unfit(at, &format!("is no ranking table: {cause}")))
    }
}

group! {
    /// What every verb takes that records a node.
    Node {
        alias: Option<String>,
        tags: Vec<String>,
        component: Option<String>,
        anchors: Vec<Anchor>,
        source: Option<Source>,
        created_at: Option<Timestamp>,
        expires_at: Option<Timestamp>,
        resolves_with: Option<String>,
        review_at: Option<Timestamp>,
        allow_secrets: bool = false,
    }
}

group! {
    /// The same for a component, which has a parent instead.
    Part {
        alias: Option<String>,
        tags: Vec<String>,
        anchors: Vec<Anchor>,
        source: Option<Source>,
        created_at: Option<Timestamp>,
        expires_at: Option<Timestamp>,
        resolves_with: Option<String>,
        review_at: Option<Timestamp>,
        allow_secrets: bool = false,
    }
}

impl Part {
    pub(crate) fn under(self, parent: Option<String>) -> Node {
        let Self { alias, tags, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets } = self;
        Node { alias, tags, component: parent, anchors, source, created_at, expires_at, resolves_with, review_at, allow_secrets }
    }
}

group! {
    /// What only rules take.
    Rule {
        statement: String,
        trigger: String = String::new(),
        mandatory: bool = false,
        always_on: bool = false,
        forbidden: Vec<String>,
        instead: String = String::new(),
        domain: Option<String>,
        severity: Severity = Severity::Medium,
        points: Vec<String>,
        keywords: Vec<String>,
        floor_modes: Vec<String>,
        action_triggers: Vec<String>,
        methodology: Option<String>,
    }
}

group! {
    /// How an import is run.
    Import {
        actor: String,
        partial: bool = false,
        session: Option<String>,
        allow_secrets: bool = false,
    }
}

group! {
    /// What a recorder is bound to.
    Hand { actor: String, session: Option<String>, }
}

group! {
    /// What a retriever is bound to.
    Reading { as_of: Option<Moment>, }
}

group! {
    /// What a session is taken up with.
    Taken { session: String, actor: Option<String>, root: Option<String>, }
}
