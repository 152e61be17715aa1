//! Instants and durations as Python has them.

use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDateTime, PyDelta, PyDict, PyInt, PyString};
use stele_core::{AsOf, Code, Error, Timestamp};

use crate::doorway::checked;

/// An instant on its way out: an aware `datetime` in UTC.
///
/// Python's years run from 1 to 9999; an earlier instant becomes the first that there is.
#[derive(Clone, Copy)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl<'py> IntoPyObject<'py> for &Instant {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        static EPOCH: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
        /// Milliseconds from 1970 back to the beginning of year 1.
        const FIRST: i64 = -62_135_596_800_000;
        let (epoch, delta) = EPOCH.get_or_try_init(py, || {
            let datetime = py.import("datetime")?;
            let utc = datetime.getattr("timezone")?.getattr("utc")?;
            let epoch = datetime.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
            PyResult::Ok((epoch.unbind(), datetime.getattr("timedelta")?.unbind()))
        })?;
        let since = PyDict::new(py);
        since.set_item("milliseconds", self.0.unix_ms().max(FIRST))?;
        epoch.bind(py).add(delta.bind(py).call((), Some(&since))?)
    }
}

impl<'py> IntoPyObject<'py> for Instant {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        (&self).into_pyobject(py)
    }
}

/// An instant on its way in: an aware `datetime` or a text in the core's form.
pub(crate) struct When(pub(crate) Timestamp);

impl<'py> FromPyObject<'_, 'py> for When {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if let Ok(text) = value.cast::<PyString>() {
            return checked(py, Timestamp::parse(&text.to_string_lossy())).map(Self);
        }
        if !value.is_instance_of::<PyDateTime>() {
            return Err(PyTypeError::new_err("expected an aware datetime or a str"));
        }
        if value.call_method0("utcoffset")?.is_none() {
            let naive = Error::new(Code::BadTime, format!("read a time: {} has no time zone", value.str()?.to_string_lossy()));
            return checked(py, Err(naive));
        }
        let text = value.call_method0("isoformat")?.str()?;
        checked(py, Timestamp::parse(&text.to_string_lossy())).map(Self)
    }
}

/// A length of time: seconds as a number, or a `timedelta`.
pub(crate) struct Seconds(f64);

impl Seconds {
    /// The length, if it is one; else an error that names the argument.
    pub(crate) fn of(self, py: Python<'_>, argument: &'static str) -> PyResult<Duration> {
        let Self(seconds) = self;
        let none = |_| Error::new(Code::OutOfRange, format!("read the arguments: {argument} is {seconds}, which is no length of time")).with("field", argument);
        checked(py, Duration::try_from_secs_f64(seconds).map_err(none))
    }
}

/// As [`Seconds::of`], for an argument that may be left out.
pub(crate) fn length(py: Python<'_>, given: Option<Seconds>, argument: &'static str) -> PyResult<Option<Duration>> {
    given.map(|seconds| seconds.of(py, argument)).transpose()
}

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyDelta>() {
            value.call_method0("total_seconds")?.extract().map(Self)
        } else if value.is_instance_of::<PyBool>() {
            Err(PyTypeError::new_err("expected seconds or a timedelta"))
        } else {
            value.extract().map(Self)
        }
    }
}

/// A moment of the record: a sequence, or an instant.
pub(crate) struct Point(pub(crate) AsOf);

impl<'py> FromPyObject<'_, 'py> for Point {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyInt>() {
            let none = |_| Error::new(Code::OutOfRange, "read the arguments: as_of is no sequence of the log").with("field", "as_of");
            return checked(value.py(), value.extract::<u64>().map(AsOf::Sequence).map_err(none)).map(Self);
        }
        value.extract::<When>().map(|at| Self(AsOf::Time(at.0)))
    }
}
