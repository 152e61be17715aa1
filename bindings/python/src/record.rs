//! Opening, and the record itself.

use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use stele_core::{Code, Durability, Error, ExportForm};

use crate::arguments::Many;
use crate::doorway::{checked, enter};
use crate::import::{LineReader, Lines, Wishes};
use crate::recorder::Recorder;
use crate::results::reports::{ExportReport, Health, ImportReport};
use crate::retriever::Retriever;
use crate::time::{Point, Seconds};

/// Opens the record in a folder, and makes it if there is none.
///
/// `embedder` is None for the built-in one or False for none: search by words only.
#[pyfunction]
#[pyo3(
    signature = (path=None, *, create=true, read_only=false, embedder=None, durability="full", busy_timeout=None),
    text_signature = "(path='.stele', *, create=True, read_only=False, embedder=None, durability='full', busy_timeout=5.0)"
)]
pub(crate) fn open(
    py: Python<'_>,
    path: Option<PathBuf>,
    create: bool,
    read_only: bool,
    embedder: Option<&Bound<'_, PyAny>>,
    durability: &str,
    busy_timeout: Option<Seconds>,
) -> PyResult<Record> {
    let path = path.unwrap_or_else(|| PathBuf::from(".stele"));
    let mut options = stele_core::Record::options().create(create).read_only(read_only).durability(checked(py, Durability::parse(durability))?);
    if let Some(wait) = busy_timeout {
        options = options.busy_timeout(wait.0);
    }
    match embedder.map(|choice| choice.extract::<bool>()) {
        None => {}
        Some(Ok(false)) => options = options.without_embedder(),
        Some(_) => return checked(py, Err(Error::new(Code::BadConfig, "open a record: embedder is None or False").with("field", "embedder"))),
    }
    let core = enter(py, || options.open(path))?;
    Ok(Record { core: Arc::new(core) })
}

/// An open record. Threads may share it; it closes with `close`, at the end of a with-statement, or when nothing holds it.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Record {
    core: Arc<stele_core::Record>,
}

#[pymethods]
impl Record {
    /// The folder of the record.
    #[getter]
    fn path(&self) -> PathBuf {
        self.core.path()
    }

    /// True if nothing can be written through this handle.
    #[getter]
    fn read_only(&self) -> bool {
        self.core.read_only()
    }

    /// The number of operations in the log.
    #[getter]
    fn head(&self, py: Python<'_>) -> PyResult<u64> {
        enter(py, || self.core.head())
    }

    /// The hash of the log's chain at its head, in hexadecimal.
    #[getter]
    fn head_hash(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || self.core.head_hash())
    }

    /// The writing side, bound to an actor and perhaps a session. `may_promote` gives it the right to promote proposed rules.
    #[pyo3(signature = (*, actor, session=None, may_promote=false))]
    fn recorder(&self, py: Python<'_>, actor: &str, session: Option<&str>, may_promote: bool) -> PyResult<Recorder> {
        enter(py, || Recorder::new(&self.core, actor, session, may_promote))
    }

    /// The reading side: at the head, or as of a sequence or an instant.
    #[pyo3(signature = (*, as_of=None))]
    fn retriever(&self, as_of: Option<Point>) -> Retriever {
        let core = match as_of {
            Some(point) => self.core.retriever_as_of(point.0),
            None => self.core.retriever(),
        };
        Retriever::new(core, Arc::clone(&self.core))
    }

    /// Imports JSON Lines from a file or from an iterable of lines: all of it or nothing, again and again with the same outcome.
    ///
    /// `progress` is called with a Progress; what it raises is raised when the import has ended.
    #[pyo3(signature = (path_or_lines, *, actor, partial=false, progress=None, session=None, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_jsonl(
        &self,
        py: Python<'_>,
        path_or_lines: Lines,
        actor: &str,
        partial: bool,
        progress: Option<Py<PyAny>>,
        session: Option<String>,
        allow_secrets: bool,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix: None, progress };
        wishes.run(py, |options, raised| match path_or_lines {
            Lines::Path(path) => self.core.import_jsonl(path, actor, options),
            Lines::Iterator(lines) => self.core.import_lines(BufReader::new(LineReader::new(lines, raised)), actor, options),
        })
    }

    /// Imports a folder of architecture decision records; `prefix` stands before the number in their aliases.
    #[pyo3(signature = (folder, *, actor, partial=false, progress=None, session=None, allow_secrets=false, prefix=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_adr(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        actor: &str,
        partial: bool,
        progress: Option<Py<PyAny>>,
        session: Option<String>,
        allow_secrets: bool,
        prefix: Option<String>,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix, progress };
        wishes.run(py, |options, _| self.core.import_adr(folder, actor, options))
    }

    /// Imports an issue file of beads.
    #[pyo3(signature = (path, *, actor, partial=false, progress=None, session=None, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_beads(
        &self,
        py: Python<'_>,
        path: PathBuf,
        actor: &str,
        partial: bool,
        progress: Option<Py<PyAny>>,
        session: Option<String>,
        allow_secrets: bool,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix: None, progress };
        wishes.run(py, |options, _| self.core.import_beads(path, actor, options))
    }

    /// Writes the record to a file that appears whole or not at all: what import reads, or with `log` the operations.
    #[pyo3(signature = (path, *, log=false))]
    fn export_jsonl(&self, py: Python<'_>, path: PathBuf, log: bool) -> PyResult<ExportReport> {
        let form = if log { ExportForm::Log } else { ExportForm::Interchange };
        enter(py, || self.core.export_jsonl(path, form)).map(ExportReport::of)
    }

    /// Checks that the log has no gap and that every hash is what it should be; gives the head.
    fn verify_log(&self, py: Python<'_>) -> PyResult<u64> {
        enter(py, || self.core.verify_log())
    }

    /// Makes the indexes anew from the record. Answers are right before, meanwhile and after.
    fn rebuild_indexes(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.core.rebuild_indexes())
    }

    /// Says what condition the record is in; nothing is changed. `full` reads every byte of the log and of the indexes and
    /// compares facts by meaning; `files`, the project's files relative to it, shows which anchors lead nowhere.
    #[pyo3(signature = (*, full=false, files=None))]
    fn health(&self, py: Python<'_>, full: bool, files: Option<Many<String>>) -> PyResult<Health> {
        let mut options = stele_core::HealthOptions::new().full(full);
        if let Some(files) = files {
            options = options.files(files.0);
        }
        let health = enter(py, || self.core.health_with(&options))?;
        Health::of(py, health)
    }

    /// Closes the handle: later calls raise ClosedError. Closing twice is no error.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || {
            self.core.close();
            Ok(())
        })
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!("Record({:?})", self.core.path().display().to_string())
    }
}
