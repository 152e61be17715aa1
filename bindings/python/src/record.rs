//! Opening, and the record itself.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stele_core::{AssembleOptions, Durability, ExportForm, Tier, ToolCall};

use crate::arguments::{Count, ItemGiven, Many, count, text};
use crate::assemble::{self, Plan};
use crate::doorway::{checked, enter, wait};
use crate::handle::Handle;
use crate::host::{AllBrought, HostClock, Meaning, token_counter};
use crate::import::{Lines, Wishes};
use crate::json::read_json;
use crate::ranking::{RankingTable, defaults};
use crate::recorder::Recorder;
use crate::results::each;
use crate::results::reports::{ExportReport, Health, ImportReport};
use crate::results::session::{Context, Resumed};
use crate::results::sweeps::Sweep;
use crate::retriever::Retriever;
use crate::session::{Session, Taken};
use crate::time::{Point, Seconds};
use crate::tools::{self, Tool};

/// Opens the record in a folder, and makes it if there is none.
///
/// `embedder` is None for the built-in one, False for none, which is search by words only, or an object with `name`,
/// `dimensions`, `embed` from a list of texts to their vectors, and perhaps `weight` and `floor`. `clock` gives the time of
/// what is written.
#[pyfunction]
#[pyo3(
    signature = (path=None, *, create=true, read_only=false, embedder=Meaning::Builtin, durability="full".to_owned(), busy_timeout=None, clock=None),
    text_signature = "(path='.stele', *, create=True, read_only=False, embedder=None, durability='full', busy_timeout=5.0, clock=None)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
pub(crate) fn open(
    py: Python<'_>,
    #[pyo3(from_py_with = text)] path: Option<PathBuf>,
    create: bool,
    read_only: bool,
    #[pyo3(from_py_with = text)] embedder: Meaning,
    #[pyo3(from_py_with = text)] durability: String,
    busy_timeout: Option<Seconds>,
    clock: Option<HostClock>,
) -> PyResult<Record> {
    let path = path.unwrap_or_else(|| PathBuf::from(".stele"));
    let mut options = stele_core::Record::options().create(create).read_only(read_only).durability(checked(py, Durability::parse(&durability))?);
    if let Some(wait) = busy_timeout {
        options = options.busy_timeout(wait.of(py, "busy_timeout")?);
    }
    let brought = AllBrought::default();
    if let Some(clock) = clock {
        brought.add(&clock.0);
        options = options.clock(Arc::new(clock));
    }
    let waits = embedder.brought().inspect(|embedder| brought.add(embedder)).is_some();
    let options = embedder.onto(options);
    let core = enter(py, || options.open(path))?;
    Ok(Record { core: Handle::new(core, waits), brought })
}

/// An open record. Threads may share it; it closes with `close`, at the end of a with-statement, or when nothing holds it.
#[pyclass(frozen, module = "stele")]
pub(crate) struct Record {
    core: Handle,
    brought: AllBrought,
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
    fn recorder(
        slf: Py<Self>,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] actor: String,
        #[pyo3(from_py_with = text)] session: Option<String>,
        may_promote: bool,
    ) -> PyResult<Recorder> {
        let (core, of) = (&slf.get().core, slf.clone_ref(py));
        enter(py, || Recorder::new(core, of, &actor, session.as_deref(), may_promote))
    }

    /// The reading side: at the head, or as of a sequence or an instant.
    #[pyo3(signature = (*, as_of=None))]
    fn retriever(slf: Py<Self>, as_of: Option<Point>) -> Retriever {
        let record = slf.get().core.clone();
        let core = match as_of {
            Some(point) => record.retriever_as_of(point.0),
            None => record.retriever(),
        };
        Retriever::new(core, record, slf)
    }

    /// The moments of an agent session of that name, new or known, by any process.
    ///
    /// A session that is known stays in its mode unless one is given. `actor` says whose it is, so that its start tells what
    /// that actor holds in any session; `root` is the folder that anchors are relative to, the record's parent otherwise.
    #[pyo3(
        signature = (name, *, mode=None, token_budget=None, actor=None, root=None),
        text_signature = "($self, name, *, mode='work', token_budget=None, actor=None, root=None)"
    )]
    fn session(
        slf: Py<Self>,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] name: String,
        #[pyo3(from_py_with = text)] mode: Option<String>,
        token_budget: Option<Count>,
        #[pyo3(from_py_with = text)] actor: Option<String>,
        #[pyo3(from_py_with = text)] root: Option<PathBuf>,
    ) -> PyResult<Session> {
        let (core, of) = (&slf.get().core, slf.clone_ref(py));
        let token_budget = count(py, token_budget, "token_budget", u64::MAX)?;
        enter(py, || Session::open(core, of, &name, Taken { mode, token_budget, actor, root }))
    }

    /// Assembles context for a prompt: obligations, methodology, the window of the record, and what the host's providers give,
    /// in one text with one report.
    ///
    /// A provider that fails, hangs or raises takes nothing from the others, unless `strict`; nothing takes the obligations
    /// away. `builtin` is True, False (the obligations stay) or names. `root` is the project's folder.
    #[pyo3(signature = (prompt, *, session, **options), text_signature = "($self, prompt, *, session, turn=0, mode='work', action=None, point='prompt', capabilities=(), providers=(), builtin=True, root=None, token_budget=8000, deadline=8.0, select_skills=(), now=None, strict=False, deliver=False, max_entries=20, max_tokens=None, hops=1, skill_folders=None, base_revision=None, rule_files=(), system=(), about=())")]
    fn assemble(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] prompt: String,
        #[pyo3(from_py_with = text)] session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Context> {
        let options = assemble::options(py, "Record.assemble", options)?;
        let options = session.into_iter().fold(options, AssembleOptions::session);
        assemble::assemble(py, || self.core.plan(&prompt, &options))
    }

    /// Begins an assembly for a host that asks providers itself.
    #[pyo3(signature = (prompt, *, session, **options), text_signature = "($self, prompt, *, session, turn=0, mode='work', action=None, point='prompt', capabilities=(), providers=(), builtin=True, root=None, token_budget=8000, deadline=8.0, select_skills=(), now=None, strict=False, deliver=False, max_entries=20, max_tokens=None, hops=1, skill_folders=None, base_revision=None, rule_files=(), system=(), about=())")]
    fn plan(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] prompt: String,
        #[pyo3(from_py_with = text)] session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Plan> {
        let options = assemble::options(py, "Record.plan", options)?;
        let options = session.into_iter().fold(options, AssembleOptions::session);
        Plan::begin(py, || self.core.plan(&prompt, &options))
    }

    /// Says how a turn of a session goes on in a transcript after its host was interrupted: nothing is appended twice, and nothing
    /// is asked again that is there. The transcript's items are pairs of id and text, or mappings of `id`, `text` and `role`.
    fn resume(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] session: String,
        turn: Count,
        #[pyo3(from_py_with = text)] transcript: Many<ItemGiven>,
    ) -> PyResult<Resumed> {
        let (turn, items) = (turn.of(py, "turn", u64::MAX)?, transcript.0.into_iter().map(|item| item.0).collect::<Vec<_>>());
        enter(py, || self.core.resume(&session, turn, &items)).map(Resumed::of)
    }

    /// Imports JSON Lines from a file or from an iterable of lines: all of it or nothing, again and again with the same outcome.
    ///
    /// `progress` is called with a Progress; what it raises ends the import with nothing written, unless that is done already.
    #[pyo3(signature = (path_or_lines, *, actor, partial=false, progress=None, session=None, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_jsonl(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] path_or_lines: Lines,
        #[pyo3(from_py_with = text)] actor: String,
        partial: bool,
        progress: Option<Py<PyAny>>,
        #[pyo3(from_py_with = text)] session: Option<String>,
        allow_secrets: bool,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix: None, progress };
        match path_or_lines {
            Lines::Path(path) => wishes.run(py, None, |_, options| self.core.import_jsonl(path, &actor, options)),
            Lines::Iterator(lines) => wishes.run(py, Some(lines), |lines, options| self.core.import_lines(lines, &actor, options)),
        }
    }

    /// Imports a folder of architecture decision records; `prefix` stands before the number in their aliases.
    #[pyo3(signature = (folder, *, actor, partial=false, progress=None, session=None, allow_secrets=false, prefix=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_adr(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] folder: PathBuf,
        #[pyo3(from_py_with = text)] actor: String,
        partial: bool,
        progress: Option<Py<PyAny>>,
        #[pyo3(from_py_with = text)] session: Option<String>,
        allow_secrets: bool,
        #[pyo3(from_py_with = text)] prefix: Option<String>,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix, progress };
        wishes.run(py, None, |_, options| self.core.import_adr(folder, &actor, options))
    }

    /// Imports an issue file of beads.
    #[pyo3(signature = (path, *, actor, partial=false, progress=None, session=None, allow_secrets=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python signature")]
    fn import_beads(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] path: PathBuf,
        #[pyo3(from_py_with = text)] actor: String,
        partial: bool,
        progress: Option<Py<PyAny>>,
        #[pyo3(from_py_with = text)] session: Option<String>,
        allow_secrets: bool,
    ) -> PyResult<ImportReport> {
        let wishes = Wishes { partial, allow_secrets, session, prefix: None, progress };
        wishes.run(py, None, |_, options| self.core.import_beads(path, &actor, options))
    }

    /// Writes the record to a file that appears whole or not at all: what import reads, or with `log` the operations.
    #[pyo3(signature = (path, *, log=false))]
    fn export_jsonl(&self, py: Python<'_>, #[pyo3(from_py_with = text)] path: PathBuf, log: bool) -> PyResult<ExportReport> {
        let form = if log { ExportForm::Log } else { ExportForm::Interchange };
        let core = self.core.clone();
        wait(py, move || core.export_jsonl(path, form)).map(ExportReport::of)
    }

    /// Gives the record as one graph in the node-link form that graph libraries read.
    fn export_graph<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let core = self.core.clone();
        let json = wait(py, move || core.export_graph())?;
        read_json(py, &json)
    }

    /// The table of weights that orders what a retrieval finds.
    #[getter]
    fn ranking(&self) -> RankingTable {
        RankingTable::of(self.core.ranking())
    }

    /// Puts another ranking table in force for this handle.
    fn set_ranking(&self, table: &RankingTable) {
        self.core.set_ranking(table.core().clone());
    }

    /// Counts tokens with a function from a text to a number wherever this handle keeps a budget; they are estimated otherwise.
    /// One that raises is left out for the rest of that answer, which says so.
    fn set_token_counter(&self, counter: &Bound<'_, PyAny>) -> PyResult<()> {
        if !counter.is_callable() {
            return Err(PyTypeError::new_err("a token counter is a function from a text to a number"));
        }
        let (brought, counter) = token_counter(counter.clone().unbind());
        self.brought.add(&brought);
        self.core.set_token_counter(counter);
        Ok(())
    }

    /// Every default number, by name; a fresh dictionary at every look.
    #[getter]
    fn defaults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        defaults(py)
    }

    /// Imports a file that `export_jsonl` wrote with `log` into this record, which must be empty; gives the head.
    fn import_log(&self, py: Python<'_>, #[pyo3(from_py_with = text)] path: PathBuf) -> PyResult<u64> {
        enter(py, || self.core.import_log(path))
    }

    /// Writes the record as it stands now into a new or empty folder, while others read and write.
    fn backup(&self, py: Python<'_>, #[pyo3(from_py_with = text)] path: PathBuf) -> PyResult<()> {
        let core = self.core.clone();
        wait(py, move || core.backup(path))
    }

    /// Writes the record's file anew without free pages, and ends a purge that others were in the way of; False if they still are.
    fn compact(&self, py: Python<'_>) -> PyResult<bool> {
        let core = self.core.clone();
        wait(py, move || core.compact())
    }

    /// Brings the record in a folder to this release's format; False if it has that format. Other
    /// releases cannot open it afterwards.
    #[staticmethod]
    fn migrate(py: Python<'_>, #[pyo3(from_py_with = text)] path: PathBuf) -> PyResult<bool> {
        enter(py, || stele_core::Record::migrate(path))
    }

    /// Checks that the log has no gap and that every hash is what it should be; gives the head.
    fn verify_log(&self, py: Python<'_>) -> PyResult<u64> {
        let core = self.core.clone();
        wait(py, move || core.verify_log())
    }

    /// Applies the whole log to empty views and compares them with the record's; gives the head.
    fn verify_views(&self, py: Python<'_>) -> PyResult<u64> {
        let core = self.core.clone();
        wait(py, move || core.verify_views())
    }

    /// Brings the indexes up to the head now; False if somebody else was at it. Never needed for right answers.
    fn catch_up(&self, py: Python<'_>) -> PyResult<bool> {
        let core = self.core.clone();
        wait(py, move || core.catch_up())
    }

    /// Makes the indexes anew from the record; with `reembed` the embedder is asked again for every text. Answers are right
    /// before, meanwhile and after.
    #[pyo3(signature = (*, reembed=false))]
    fn rebuild_indexes(&self, py: Python<'_>, reembed: bool) -> PyResult<()> {
        let core = self.core.clone();
        wait(py, move || if reembed { core.reembed() } else { core.rebuild_indexes() })
    }

    /// Says what condition the record is in; nothing is changed. `full` reads every byte of the log and of the indexes and
    /// compares facts by meaning; `files`, the project's files relative to it, shows which anchors lead nowhere.
    #[pyo3(signature = (*, full=false, files=None))]
    fn health(&self, py: Python<'_>, full: bool, #[pyo3(from_py_with = text)] files: Option<Many<String>>) -> PyResult<Health> {
        let mut options = stele_core::HealthOptions::new().full(full);
        if let Some(files) = files {
            options = options.files(files.0);
        }
        let core = self.core.clone();
        let health = wait(py, move || core.health_with(&options))?;
        Health::of(py, health)
    }

    /// Judges every retirement: with the built-in judge, or with a function from a Retirement to "holds", "fails" or "unsure".
    ///
    /// With `apply`, in the actor's name, those that fail become mere connections and the buried facts are live again. What the
    /// judge raises is raised, and then nothing is applied.
    #[pyo3(signature = (judge=None, *, apply=false, actor=None))]
    fn sweep(&self, py: Python<'_>, judge: Option<Py<PyAny>>, apply: bool, #[pyo3(from_py_with = text)] actor: Option<String>) -> PyResult<Sweep> {
        Sweep::run(py, &self.core, judge, apply.then(|| actor.unwrap_or_default()).as_deref())
    }

    /// The tools for an agent that may go up to a tier: "read", "write" or "destructive".
    #[pyo3(signature = (*, tier="write".to_owned()), text_signature = "($self, *, tier='write')")]
    fn tools(&self, py: Python<'_>, #[pyo3(from_py_with = text)] tier: String) -> PyResult<Vec<Py<Tool>>> {
        let tier = checked(py, Tier::parse(&tier))?;
        each(py, self.core.tools(tier), |_, tool| Ok(Tool::from(tool)))
    }

    /// Calls a tool for an actor with a dictionary of arguments, and gives a dictionary.
    #[pyo3(signature = (name, arguments, *, actor, session=None, tier="write".to_owned()), text_signature = "($self, name, arguments, *, actor, session=None, tier='write')")]
    fn call_tool<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = text)] name: String,
        arguments: &Bound<'py, PyDict>,
        #[pyo3(from_py_with = text)] actor: String,
        #[pyo3(from_py_with = text)] session: Option<String>,
        #[pyo3(from_py_with = text)] tier: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        tools::call(py, &self.core, &name, arguments, session.into_iter().fold(ToolCall::new(&actor), ToolCall::session), &tier)
    }

    /// Calls a verb by its name with a JSON object of arguments; gives its result as JSON, with the same fields as in every
    /// language.
    fn _call(&self, py: Python<'_>, #[pyo3(from_py_with = text)] verb: String, #[pyo3(from_py_with = text)] arguments: String) -> PyResult<String> {
        let core = self.core.clone();
        wait(py, move || stele_kit::call_text(&core, &verb, &arguments, stele_kit::Notation::Json))
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

    /// Shows the collector what the host brought along: it often refers to the record in turn.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.brought.visit(&visit)
    }

    fn __clear__(&self) {
        self.brought.clear();
    }
}
