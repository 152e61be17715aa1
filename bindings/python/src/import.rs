//! Imports: a path or any iterable of lines, told of as they run. What the host's code raises comes back as it was.
//!
//! An import runs on a thread of its own and asks the calling one for whatever is the host's: the next lines, or to hear how
//! far it is. Meanwhile the calling thread looks for interrupts, so that none waits for the end.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};
use stele_core::{Code, Error, ImportOptions, Result};

use crate::arguments::named;
use crate::doorway::{next, settle, watched};
use crate::results::reports::{ImportReport, Progress};

/// How many bytes of lines are taken from an iterator at a time.
const TAKEN: usize = 1 << 16;

/// Where JSON Lines come from.
pub(crate) enum Lines {
    Path(PathBuf),
    Iterator(Py<PyIterator>),
}

impl<'py> FromPyObject<'_, 'py> for Lines {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract() {
            Ok(path) => return Ok(Self::Path(path)),
            // One text is no series of letters.
            Err(error) if value.is_instance_of::<PyString>() => return Err(error),
            Err(_) => {}
        }
        Ok(Self::Iterator(value.try_iter()?.unbind()))
    }
}

/// The keyword arguments that every import takes.
pub(crate) struct Wishes {
    pub(crate) partial: bool,
    pub(crate) allow_secrets: bool,
    pub(crate) session: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) progress: Option<Py<PyAny>>,
}

/// What is the host's of one import, and the first exception that its code raised.
struct Host<'s> {
    progress: Option<Py<PyAny>>,
    lines: Option<Py<PyIterator>>,
    raised: Option<PyErr>,
    stop: &'s AtomicBool,
}

/// What an import asks the calling thread for.
enum Ask {
    Hear(stele_core::Progress),
    Lines,
}

impl Wishes {
    /// Runs an import. The first exception of the host's code, or an interrupt, stops it and is raised.
    pub(crate) fn run(
        self,
        py: Python<'_>,
        lines: Option<Py<PyIterator>>,
        import: impl FnOnce(BufReader<LineReader>, ImportOptions<'_>) -> Result<stele_core::ImportReport> + Send,
    ) -> PyResult<ImportReport> {
        let Self { partial, allow_secrets, session, prefix, progress } = self;
        let stop = AtomicBool::new(false);
        let told = progress.is_some();
        let mut host = Host { progress, lines, raised: None, stop: &stop };
        let (ask, mut asks) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let work = || {
            let desk = Rc::new(Desk { ask, answers });
            let mut tell = |progress| drop(desk.ask(Ask::Hear(progress)));
            let mut options = ImportOptions::new().stop(&stop);
            if told {
                options = options.progress(&mut tell);
            }
            if partial {
                options = options.partial();
            }
            if allow_secrets {
                options = options.allow_secrets();
            }
            options = session.into_iter().fold(options, ImportOptions::session);
            options = prefix.into_iter().fold(options, ImportOptions::prefix);
            import(BufReader::new(LineReader { desk: Rc::clone(&desk), lines: io::Cursor::default() }), options)
        };
        let (done, raised) = thread::scope(|scope| {
            let Ok(working) = thread::Builder::new().name("stele-import".to_owned()).spawn_scoped(scope, || watched(work)) else {
                return (Err(Error::new(Code::Busy, "import: no thread can be had")), None);
            };
            host.serve(py, &mut asks, &answer);
            py.detach(|| working.join()).unwrap_or_else(|_| (Err(Error::new(Code::Internal, "import: its thread ended")), None))
        });
        settle(py, (done, host.raised.or(raised))).and_then(|report| ImportReport::of(py, report))
    }
}

impl Host<'_> {
    /// Answers until nobody asks any more.
    fn serve(&mut self, py: Python<'_>, asks: &mut Receiver<Ask>, answer: &Sender<Vec<u8>>) {
        loop {
            let done = match next(py, asks) {
                // Once it has raised, the host's code is left alone.
                Ok(_) if self.raised.is_some() => Ok(Some(Vec::new())),
                Ok(Ask::Hear(progress)) => self.hear(py, progress).map(|()| Some(Vec::new())),
                Ok(Ask::Lines) => self.take(py).map(Some),
                Err(RecvTimeoutError::Timeout) => py.check_signals().map(|()| None),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let given = done.unwrap_or_else(|error| {
                self.raised.get_or_insert(error);
                self.stop.store(true, Ordering::SeqCst);
                Some(Vec::new())
            });
            if let Some(given) = given {
                // An import that has ended hears nothing more.
                let _ = answer.send(given);
            }
        }
    }

    fn hear(&self, py: Python<'_>, progress: stele_core::Progress) -> PyResult<()> {
        self.progress.as_ref().map_or(Ok(()), |told| told.call1(py, (Progress::of(progress),)).map(drop))
    }

    /// Takes the next lines; none at the end.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let mut taken = Vec::new();
        let Some(lines) = &self.lines else { return Ok(taken) };
        for line in lines.bind(py) {
            let (line, begin) = (line?, taken.len());
            if let Ok(bytes) = line.cast::<PyBytes>() {
                taken.extend_from_slice(bytes.as_bytes());
            } else if let Ok(text) = line.cast::<PyString>() {
                taken.extend_from_slice(text.to_cow().map_err(|error| named(py, error, "path_or_lines"))?.as_bytes());
            } else {
                return Err(PyTypeError::new_err("expected lines of str or bytes"));
            }
            if !taken[begin..].ends_with(b"\n") {
                taken.push(b'\n');
            }
            if taken.len() >= TAKEN {
                break;
            }
        }
        Ok(taken)
    }
}

/// Where the thread of an import asks.
struct Desk {
    ask: Sender<Ask>,
    answers: Receiver<Vec<u8>>,
}

impl Desk {
    fn ask(&self, ask: Ask) -> Vec<u8> {
        // Both ends live until the import has ended.
        let asked = self.ask.send(ask).is_ok();
        if asked { self.answers.recv().unwrap_or_default() } else { Vec::new() }
    }
}

/// Reads the lines of an iterator.
pub(crate) struct LineReader {
    desk: Rc<Desk>,
    lines: io::Cursor<Vec<u8>>,
}

impl Read for LineReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.lines.position() == self.lines.get_ref().len() as u64 {
            self.lines = io::Cursor::new(self.desk.ask(Ask::Lines));
        }
        self.lines.read(into)
    }
}
