//! An open record as everything that comes from it holds it.

use std::ops::Deref;
use std::sync::Arc;

use pyo3::prelude::*;
use stele_core::Result;

use crate::doorway::{enter, wait};

/// An open record; closes when nothing holds it any more.
#[derive(Clone)]
pub(crate) struct Handle(Arc<Opened>);

struct Opened {
    record: Option<stele_core::Record>,
    /// True if a lookup may have to wait for the host's embedder.
    waits: bool,
}

impl Handle {
    pub(crate) fn new(record: stele_core::Record, waits: bool) -> Self {
        Self(Arc::new(Opened { record: Some(record), waits }))
    }

    /// Runs a lookup: by itself where it asks nobody, else such that an interrupt ends it.
    pub(crate) fn look_up<T: Send + 'static>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send + 'static) -> PyResult<T> {
        if self.0.waits { wait(py, work) } else { enter(py, work) }
    }
}

impl Deref for Handle {
    type Target = stele_core::Record;

    fn deref(&self) -> &Self::Target {
        self.0.record.as_ref().expect("it is taken on drop only")
    }
}

impl Drop for Opened {
    /// Closes without the interpreter's lock: a thread of the record may be in the host's embedder and need it to end.
    fn drop(&mut self) {
        let mut record = self.record.take();
        // Where the interpreter has ended there is no lock; then it closes with `record`.
        Python::try_attach(|py| py.detach(|| drop(record.take())));
    }
}
