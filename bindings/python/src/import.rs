//! Imports: a path or any iterable of lines, told of as they run. What the host's code raises comes back as it was.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use stele_core::{ImportOptions, Result};

use crate::doorway::enter;
use crate::results::reports::{ImportReport, Progress};

/// The keyword arguments that every import takes.
pub(crate) struct Wishes {
    pub(crate) partial: bool,
    pub(crate) allow_secrets: bool,
    pub(crate) session: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) progress: Option<Py<PyAny>>,
}

/// The first exception of the host's code during one import.
#[derive(Default)]
pub(crate) struct Raised(Mutex<Option<PyErr>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn any(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Wishes {
    /// Runs an import. An exception of `progress` ends the telling, not the import, and is raised when that has ended.
    pub(crate) fn run(
        self,
        py: Python<'_>,
        import: impl FnOnce(ImportOptions<'_>, &Raised) -> Result<stele_core::ImportReport> + Send,
    ) -> PyResult<ImportReport> {
        let raised = Raised::default();
        let done = enter(py, || {
            let mut tell = |progress: stele_core::Progress| {
                let Some(told) = self.progress.as_ref().filter(|_| !raised.any()) else { return };
                if let Err(error) = Python::attach(|py| told.call1(py, (Progress::of(progress),))) {
                    raised.keep(error);
                }
            };
            let mut options = ImportOptions::new().progress(&mut tell);
            if self.partial {
                options = options.partial();
            }
            if self.allow_secrets {
                options = options.allow_secrets();
            }
            if let Some(session) = &self.session {
                options = options.session(session);
            }
            if let Some(prefix) = &self.prefix {
                options = options.prefix(prefix);
            }
            import(options, &raised)
        });
        if let Some(error) = raised.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        ImportReport::of(py, done?)
    }
}

/// Where JSON Lines come from.
pub(crate) enum Lines {
    Path(PathBuf),
    Iterator(Py<PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Lines {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = value.extract() {
            return Ok(Self::Path(path));
        }
        Ok(Self::Iterator(value.try_iter()?.into_any().unbind()))
    }
}

/// Reads the lines of an iterator of `str` or `bytes`, one at a time.
pub(crate) struct LineReader<'r> {
    iterator: Py<PyAny>,
    raised: &'r Raised,
    line: Vec<u8>,
    read: usize,
}

impl<'r> LineReader<'r> {
    pub(crate) fn new(iterator: Py<PyAny>, raised: &'r Raised) -> Self {
        Self { iterator, raised, line: Vec::new(), read: 0 }
    }

    /// Takes the next line; false at the end.
    fn next(&mut self) -> PyResult<bool> {
        Python::attach(|py| {
            let Some(line) = self.iterator.bind(py).try_iter()?.next().transpose()? else { return Ok(false) };
            self.line.clear();
            if let Ok(bytes) = line.cast::<PyBytes>() {
                self.line.extend_from_slice(bytes.as_bytes());
            } else if let Ok(text) = line.cast::<PyString>() {
                self.line.extend_from_slice(text.to_cow()?.as_bytes());
            } else {
                return Err(PyTypeError::new_err("expected lines of str or bytes"));
            }
            if !self.line.ends_with(b"\n") {
                self.line.push(b'\n');
            }
            self.read = 0;
            Ok(true)
        })
    }
}

impl Read for LineReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            match self.next() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(error) => {
                    self.raised.keep(error);
                    return Err(io::Error::other("the iterator of lines raised an exception"));
                }
            }
        }
        let count = into.len().min(self.line.len() - self.read);
        into[..count].copy_from_slice(&self.line[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}
