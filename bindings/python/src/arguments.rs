//! What Python passes in, as the core takes it: texts, counts, places and sources. Only shapes are checked here.

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple};
use stele_core::{Code, Error, Held, Known, Result, TranscriptItem};

use crate::doorway::checked;
use crate::errors::exception;
use crate::results::{nodes, tasks};

/// An argument that is a text or holds some, in each place of a signature where one stands. Half of a surrogate pair, which
/// Python's texts can hold and no other can, is `bad_text` and names the argument.
pub(crate) fn text<'a, 'py, T: FromPyObject<'a, 'py>>(value: &'a Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let (py, error) = (value.py(), error.into());
        if error.is_instance_of::<PyUnicodeEncodeError>(py) { half_of(py, &error).unwrap_or_else(|fault| fault) } else { error }
    })
}

/// The error for an argument whose name is not known here: the binding tells it to what was raised, as a note.
fn half_of(py: Python<'_>, error: &PyErr) -> PyResult<PyErr> {
    let raised = half(py, error, "an argument").into_value(py);
    let (told, at) = (raised.clone_ref(py), error.value(py).getattr("start")?.unbind());
    let tell = PyCFunction::new_closure(py, None, None, move |notes: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
        let (py, note) = (notes.py(), notes.get_item(0)?.extract::<String>()?);
        let told = told.bind(py);
        told.delattr("add_note")?;
        if let Some(name) = note.split('\'').nth(1).map(|name| name.trim_start_matches("r#")) {
            let named = exception(py, &half_in(name, &at.bind(py).to_string())).into_value(py);
            told.setattr("args", named.getattr(py, "args")?)?;
            told.setattr("details", named.getattr(py, "details")?)?;
        }
        Ok(())
    })?;
    raised.bind(py).setattr("add_note", tell)?;
    Ok(PyErr::from_value(raised.into_bound(py).into_any()))
}

/// The error that stands for what kept a text from being encoded.
fn half(py: Python<'_>, error: &PyErr, name: &str) -> PyErr {
    match error.value(py).getattr("start") {
        Ok(at) => exception(py, &half_in(name, &at.to_string())),
        Err(fault) => fault,
    }
}

fn half_in(name: &str, at: &str) -> Error {
    Error::new(Code::BadText, format!("read the arguments: {name} holds half of a surrogate pair at character {at}")).with("field", name).with("offset", at)
}

/// As [`text`], where the name is known.
pub(crate) fn named(py: Python<'_>, error: PyErr, name: &str) -> PyErr {
    if error.is_instance_of::<PyUnicodeEncodeError>(py) { half(py, &error, name) } else { error }
}

/// The members of any iterable but a text, which is one word and not many letters.
pub(crate) struct Many<T>(pub(crate) Vec<T>);

impl<'py, T> FromPyObject<'_, 'py> for Many<T>
where
    T: for<'b> FromPyObject<'b, 'py>,
{
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("expected several values, not a str"));
        }
        let members = value.try_iter()?.map(|member| member?.extract::<T>().map_err(Into::into));
        members.collect::<PyResult<_>>().map(Self)
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl Many<String> {
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

/// What is being built with a value set, or as it is without one: what is left out keeps the core's default.
pub(crate) fn with<B, V>(built: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(built, value),
        None => built,
    }
}

/// Words of an enumeration, each read by the core.
pub(crate) fn words<T>(py: Python<'_>, words: Option<Many<String>>, parse: impl Fn(&str) -> Result<T>) -> PyResult<Option<Vec<T>>> {
    words.map(|words| checked(py, words.0.iter().map(|word| parse(word)).collect())).transpose()
}

/// A number of things. What is below zero is refused; every other limit is the core's.
pub(crate) struct Count(i128);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.extract().map(Self)
    }
}

impl Count {
    /// The number, if it is one of things, else an error that names the argument; what does not fit becomes the largest that
    /// does, which the core refuses.
    pub(crate) fn of<N: TryFrom<i128>>(self, py: Python<'_>, argument: &'static str, largest: N) -> PyResult<N> {
        let Self(number) = self;
        let below = || Error::new(Code::OutOfRange, format!("read the arguments: {argument} is {number}, which is no count")).with("field", argument);
        checked(py, if number < 0 { Err(below()) } else { Ok(N::try_from(number).unwrap_or(largest)) })
    }
}

/// As [`Count::of`], for an argument that may be left out.
pub(crate) fn count<N: TryFrom<i128>>(py: Python<'_>, given: Option<Count>, argument: &'static str, largest: N) -> PyResult<Option<N>> {
    given.map(|count| count.of(py, argument, largest)).transpose()
}

/// What a revision does with a field: `...`, the default, leaves it; `None` clears it.
pub(crate) enum Change<T> {
    Keep,
    Set(Option<T>),
}

impl<'py, T> FromPyObject<'_, 'py> for Change<T>
where
    T: for<'b> FromPyObject<'b, 'py>,
{
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is(value.py().Ellipsis()) {
            return Ok(Self::Keep);
        }
        if value.is_none() {
            return Ok(Self::Set(None));
        }
        value.extract::<T>().map(|value| Self::Set(Some(value))).map_err(Into::into)
    }
}

/// Keyword arguments that several verbs share, each taken once. What is left at the end no verb knows.
pub(crate) struct Keywords<'py> {
    verb: &'static str,
    given: Option<Bound<'py, PyDict>>,
}

impl<'py> Keywords<'py> {
    pub(crate) fn of(verb: &'static str, given: Option<Bound<'py, PyDict>>) -> Self {
        Self { verb, given }
    }

    pub(crate) fn take<T>(&mut self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        let Some(given) = &self.given else { return Ok(None) };
        let Some(value) = given.get_item(name)? else { return Ok(None) };
        given.del_item(name)?;
        if value.is_none() {
            return Ok(None);
        }
        value.extract::<T>().map(Some).map_err(|error| {
            let error: PyErr = error.into();
            // As the interpreter says it of an argument that stands in the signature.
            if error.is_instance_of::<PyTypeError>(value.py()) {
                PyTypeError::new_err(format!("argument '{name}': {}", error.value(value.py())))
            } else {
                named(value.py(), error, name)
            }
        })
    }

    pub(crate) fn taken<T>(&mut self, name: &str) -> PyResult<T>
    where
        T: for<'b> FromPyObject<'b, 'py> + Default,
    {
        self.take(name).map(Option::unwrap_or_default)
    }

    /// Refuses what is left.
    pub(crate) fn end(&self) -> PyResult<()> {
        match self.given.as_ref().and_then(|given| given.keys().iter().next()) {
            Some(name) => Err(PyTypeError::new_err(format!("{}() got an unexpected keyword argument '{name}'", self.verb))),
            None => Ok(()),
        }
    }
}

/// A place: a path, a pair of path and symbol, a mapping with these keys, or an `Anchor`.
pub(crate) struct AnchorGiven(pub(crate) stele_core::Anchor);

impl<'py> FromPyObject<'_, 'py> for AnchorGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = value.cast::<PyString>() {
            return Ok(Self(stele_core::Anchor { path: path.extract()?, symbol: None }));
        }
        if let Ok(anchor) = value.cast::<nodes::Anchor>() {
            let anchor = anchor.get();
            return Ok(Self(stele_core::Anchor { path: anchor.path.clone(), symbol: anchor.symbol.clone() }));
        }
        if let Ok(pair) = value.cast::<PyTuple>() {
            let (path, symbol) = pair.extract()?;
            return Ok(Self(stele_core::Anchor { path, symbol }));
        }
        let [path, symbol] = fields(value, ["path", "symbol"])?;
        Ok(Self(stele_core::Anchor { path: path.unwrap_or_default(), symbol }))
    }
}

/// Where something comes from: a uri, a mapping with the fields of a source, or a `Source`.
pub(crate) struct SourceGiven(pub(crate) stele_core::Source);

impl<'py> FromPyObject<'_, 'py> for SourceGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let [uri, revision, quote, known, applies_to] = if let Ok(uri) = value.cast::<PyString>() {
            [Some(uri.extract()?), None, None, None, None]
        } else if let Ok(source) = value.cast::<nodes::Source>() {
            let source = source.get();
            let known = source.known.map(str::to_owned);
            [Some(source.uri.clone()), source.revision.clone(), source.quote.clone(), known, source.applies_to.clone()]
        } else {
            fields(value, ["uri", "revision", "quote", "known", "applies_to"])?
        };
        let known = known.as_deref().map(|word| checked(value.py(), Known::parse(word))).transpose()?;
        Ok(Self(stele_core::Source { uri: uri.unwrap_or_default(), revision, quote, known, applies_to }))
    }
}

/// A text to look for evidence in: the text, or a mapping with the fields of a source text.
pub(crate) struct TextGiven(pub(crate) stele_core::SourceText);

impl<'py> FromPyObject<'_, 'py> for TextGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Self(stele_core::SourceText { text: text.extract()?, uri: None, revision: None }));
        }
        let [text, uri, revision] = fields(value, ["text", "uri", "revision"])?;
        Ok(Self(stele_core::SourceText { text: text.unwrap_or_default(), uri, revision }))
    }
}

/// An item of a transcript: a pair of id and text, or a mapping that may also say the role of who speaks.
pub(crate) struct ItemGiven(pub(crate) TranscriptItem);

impl<'py> FromPyObject<'_, 'py> for ItemGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(pair) = value.cast::<PyTuple>() {
            let (id, text): (String, String) = pair.extract()?;
            return Ok(Self(TranscriptItem::new(id, text)));
        }
        let [id, text, role] = fields(value, ["id", "text", "role"])?;
        Ok(Self(with(TranscriptItem::new(id.unwrap_or_default(), text.unwrap_or_default()), role, TranscriptItem::role)))
    }
}

/// A task as its holder names it: an id or alias, or the `Claim` that was granted.
pub(crate) struct TaskGiven(pub(crate) Held);

impl<'py> FromPyObject<'_, 'py> for TaskGiven {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(claim) = value.cast::<tasks::Claim>() {
            let claim = claim.get();
            return Ok(Self(claim.token.map_or_else(|| Held::from(&claim.task), |token| Held::with_token(&claim.task, token))));
        }
        value.extract::<String>().map(|task| Self(Held::from(&task)))
    }
}

/// The named texts of a mapping; another key is an error, so that a misspelt one is not lost.
fn fields<const N: usize>(value: Borrowed<'_, '_, PyAny>, names: [&str; N]) -> PyResult<[Option<String>; N]> {
    let Ok(mapping) = value.cast::<PyDict>() else {
        return Err(PyTypeError::new_err(format!("expected a str or a mapping of {}", names.join(", "))));
    };
    let mut found = [const { None }; N];
    for (key, value) in mapping.iter() {
        let key: String = key.extract()?;
        let Some(at) = names.iter().position(|name| *name == key) else {
            return Err(PyTypeError::new_err(format!("unexpected key {key:?}, expected {}", names.join(", "))));
        };
        found[at] = value.extract()?;
    }
    Ok(found)
}
