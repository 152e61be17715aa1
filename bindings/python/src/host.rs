//! What a host brings along: its embedder, its clock, its counter of tokens. Their code runs with the interpreter's lock and without any of ours.

use std::error::Error as StdError;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use stele_core::{Clock, CountTokens, Embedder, RecordOptions, SystemClock, Timestamp};

use crate::doorway::{is_left, raise_later};
use crate::time::When;

/// An object of the host that the core calls. The record shows it to the collector: it often refers to the record in turn,
/// and such a ring is broken here.
pub(crate) struct Brought(Mutex<Option<Py<PyAny>>>);

impl Brought {
    fn of(object: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(object))))
    }

    /// The object; none once the collector took it, when nothing of the host could reach the record any more.
    fn held(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|object| object.clone_ref(py));
        held.ok_or_else(|| PyRuntimeError::new_err("what the host brought along is gone"))
    }
}

/// What a host brought along to one record.
#[derive(Default)]
pub(crate) struct AllBrought(Mutex<Vec<Weak<Brought>>>);

impl AllBrought {
    pub(crate) fn add(&self, brought: &Arc<Brought>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|brought| brought.strong_count() > 0);
        all.push(Arc::downgrade(brought));
    }

    /// What cannot be seen now is taken for held by somebody else, and stays.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(all) = self.0.try_lock() else { return Ok(()) };
        for brought in all.iter().filter_map(Weak::upgrade) {
            if let Ok(object) = brought.0.try_lock() {
                visit.call(&*object)?;
            }
        }
        Ok(())
    }

    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for brought in all.iter().filter_map(Weak::upgrade) {
            let object = brought.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Its end may come back here.
            drop(object);
        }
    }
}

/// Where the vectors come from: None is the built-in embedder, False is none, else an object of the host.
pub(crate) enum Meaning {
    Builtin,
    None,
    Host(HostEmbedder),
}

impl<'py> FromPyObject<'_, 'py> for Meaning {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::Builtin);
        }
        match value.extract::<bool>() {
            Ok(false) => Ok(Self::None),
            Ok(true) => Err(PyTypeError::new_err("embedder is None, False, or an object with name, dimensions and embed")),
            Err(_) => HostEmbedder::of(&value).map(Self::Host),
        }
    }
}

impl Meaning {
    /// What of it is the host's.
    pub(crate) fn brought(&self) -> Option<&Arc<Brought>> {
        if let Self::Host(embedder) = self { Some(&embedder.embed) } else { None }
    }

    pub(crate) fn onto(self, options: RecordOptions) -> RecordOptions {
        match self {
            Self::Builtin => options,
            Self::None => options.without_embedder(),
            Self::Host(embedder) => options.embedder(Arc::new(embedder)),
        }
    }
}

/// An object with `name`, `dimensions`, `embed`, and perhaps `weight` and `floor`, all but `embed` read once.
pub(crate) struct HostEmbedder {
    embed: Arc<Brought>,
    name: String,
    dimensions: usize,
    weight: Option<f32>,
    floor: Option<f32>,
}

impl HostEmbedder {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let must = |name: &str| {
            object
                .getattr(name)
                .map_err(|_| PyTypeError::new_err(format!("embedder is None, False, or an object with name, dimensions and embed; this has no {name}")))
        };
        let may = |name: &str| match object.getattr_opt(name)? {
            Some(value) if !value.is_none() => value.extract().map(Some),
            _ => PyResult::Ok(None),
        };
        let embed = must("embed")?;
        if !embed.is_callable() {
            return Err(PyTypeError::new_err("the embed of an embedder is no function"));
        }
        Ok(Self {
            embed: Brought::of(embed.unbind()),
            name: must("name")?.extract()?,
            dimensions: must("dimensions")?.extract()?,
            weight: may("weight")?,
            floor: may("floor")?,
        })
    }

    fn ask(&self, py: Python<'_>, texts: &[&str]) -> PyResult<Vec<Vec<f32>>> {
        let vectors = self.embed.held(py)?.bind(py).call1((texts,))?;
        vectors.try_iter()?.map(|vector| numbers(&vector?)).collect()
    }
}

/// The numbers of a vector: a list or any other iterable of numbers; an array gives its own list, which is faster.
fn numbers(vector: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    match vector.getattr_opt("tolist")? {
        Some(list) => list.call0()?.extract(),
        None => vector.try_iter()?.map(|number| number?.extract()).collect(),
    }
}

impl Embedder for HostEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        if is_left() {
            return Err("the call was interrupted".into());
        }
        let asked = Python::try_attach(|py| {
            self.ask(py, texts).map_err(|error| {
                let said = error.to_string();
                raise_if_it_ends(py, error);
                said
            })
        });
        asked.unwrap_or_else(|| Err("the interpreter ends".to_owned())).map_err(Into::into)
    }

    fn weight(&self) -> f32 {
        self.weight.unwrap_or(<dyn Embedder>::WEIGHT)
    }

    fn floor(&self) -> f32 {
        self.floor.unwrap_or(<dyn Embedder>::FLOOR)
    }
}

/// A function that says how many tokens a text has. One that raises is left out for the rest of an answer, which says so.
pub(crate) fn token_counter(count: Py<PyAny>) -> (Arc<Brought>, Arc<CountTokens>) {
    let brought = Brought::of(count);
    let count = Arc::clone(&brought);
    let counter = Arc::new(move |text: &str| {
        let counted = Python::try_attach(|py| {
            count.held(py).and_then(|count| count.call1(py, (text,))).and_then(|tokens| tokens.extract::<usize>(py)).map_err(|error| {
                let said = error.to_string();
                raise_if_it_ends(py, error);
                said
            })
        });
        // The core takes a panic as the counter's word that it cannot; resumed, it tells no panic hook of the host.
        counted.unwrap_or_else(|| Err("the interpreter ends".to_owned())).unwrap_or_else(|said| resume_unwind(Box::new(said)))
    });
    (brought, counter)
}

/// Raises at the end of the call what is no ordinary exception, such as an interrupt: it is the host's wish to end.
fn raise_if_it_ends(py: Python<'_>, error: PyErr) {
    if !error.is_instance_of::<PyException>(py) {
        raise_later(error);
    }
}

/// A function that gives the present as an aware datetime, or as a text.
pub(crate) struct HostClock(pub(crate) Arc<Brought>);

impl<'py> FromPyObject<'_, 'py> for HostClock {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_callable() {
            Ok(Self(Brought::of(value.to_owned().unbind())))
        } else {
            Err(PyTypeError::new_err("clock is a function that gives an aware datetime"))
        }
    }
}

impl Clock for HostClock {
    /// The host's time; the system's where the host's function raises, which the call that asked raises again at its end.
    fn now(&self) -> Timestamp {
        let asked = Python::try_attach(|py| {
            let told = self.0.held(py).and_then(|clock| clock.bind(py).call0()?.extract::<When>());
            told.map(|at| at.0).map_err(raise_later).ok()
        });
        asked.flatten().unwrap_or_else(|| SystemClock.now())
    }
}
