//! Windows on their way to JavaScript: they stay here until somebody looks at them, each part for itself. A window is a
//! snapshot of its own, which outlives its record.

use std::sync::atomic::{AtomicUsize, Ordering};

use napi::bindgen_prelude::{Either, External};
use napi_derive::napi;
use stele_core::{Code, Error, Result};
use stele_kit::{Notation, Part, Window};

use crate::answer::{Answer, answer};
use crate::doorway::enter;
use crate::json::Json;

/// How much of windows may wait in a process. The collector lets go of what waits only once an event loop turns, so a program
/// that asks and asks without letting it turn would hold all that it ever found; further windows cross whole.
const WAITING_BYTES: usize = 32 * 1_024 * 1_024;

/// How much waits.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// A result whose window waits.
#[napi(object, object_from_js = false)]
pub struct Windowed {
    /// All but the window, as JSON.
    #[napi(ts_type = "string")]
    pub rest: Json,
    /// What `part` takes; or the parts themselves, as JSON.
    #[napi(ts_type = "object | string[]")]
    pub window: Either<External<Waiting>, Vec<Json>>,
}

impl Windowed {
    pub(crate) fn new(rest: Json, window: Window) -> Result<Self> {
        let bytes = window.bytes();
        let window = if WAITING.load(Ordering::Relaxed) + bytes <= WAITING_BYTES {
            Either::A(External::new_with_size_hint(Waiting::new(window, bytes), bytes))
        } else {
            Either::B(Part::ALL.into_iter().map(|part| written(&window, part)).collect::<Result<_>>()?)
        };
        Ok(Self { rest, window })
    }
}

/// A window that waits. It belongs to one environment.
pub struct Waiting {
    window: Window,
    bytes: usize,
}

impl Waiting {
    fn new(window: Window, bytes: usize) -> Self {
        WAITING.fetch_add(bytes, Ordering::Relaxed);
        Self { window, bytes }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A part of a window, by its place in [`Part::ALL`].
pub(crate) fn part(waiting: &Waiting, part: u32) -> Answer {
    answer(enter(|| {
        let part = usize::try_from(part).ok().and_then(|at| Part::ALL.get(at));
        written(&waiting.window, *part.ok_or_else(|| Error::new(Code::Internal, "look at a window: it has no such part"))?)
    }))
}

fn written(window: &Window, part: Part) -> Result<Json> {
    window.part(part, Notation::JavaScript).map(Json::ascii)
}
