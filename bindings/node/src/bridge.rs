//! The way back: what a thread of ours found out is settled on the thread of the JavaScript that asked, by the number that
//! it gave its call. One bridge serves one environment: the main thread, or a worker.

use std::sync::Arc;

use napi::Status;
use napi::bindgen_prelude::{Either6, FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use stele_core::Error;

use crate::answer::{Answer, Fault, fault};
use crate::doorway::enter;
use crate::handle::Handle;
use crate::json::Json;
use crate::lanes::{Telling, alone};
use crate::plan::Plan;
use crate::verbs::open;
use crate::window::Windowed;

/// What a call came to: an open record, an assembly, a fault, a text, a result whose window waits; or what is heard of it
/// before.
pub(crate) type Outcome = Either6<Handle, Plan, Fault, Json, Heard, Windowed>;
type Settled = FnArgs<(u32, Outcome)>;
/// Weak: it keeps no process alive. A call under way does, and the TypeScript side sees to that.
type Settle = ThreadsafeFunction<Settled, (), Settled, Status, false, true>;

/// What is heard of an import that goes on.
#[napi(object, object_from_js = false)]
pub struct Heard {
    /// How far it has come, as JSON.
    #[napi(ts_type = "string")]
    pub progress: Json,
}

/// The way from threads of ours to one environment.
#[napi]
pub struct Bridge {
    settle: Arc<Settle>,
}

#[napi]
impl Bridge {
    /// Takes the function that calls are settled with: their number, and what they came to; before that, with
    /// what is heard of them. It must not throw.
    #[napi(constructor, ts_args_type = "settle: (call: number, outcome: Handle | Plan | Fault | Heard | Windowed | string) => void")]
    pub fn new(settle: Function<'_, Settled, ()>) -> napi::Result<Self> {
        let settle = settle.build_threadsafe_function().weak::<true>().build()?;
        Ok(Self { settle: Arc::new(settle) })
    }

    /// Opens a record on a thread of its own; the call is settled with a handle. The options are JSON.
    #[napi]
    pub fn open(&self, call: u32, path: String, options: String) {
        let back = self.back();
        let job = {
            let back = back.clone();
            Box::new(move || match enter(|| open(&path, &options)) {
                Ok(opened) => back.settle(call, Outcome::A(Handle::new(opened, back.clone()))),
                Err(error) => back.settle(call, Outcome::C(fault(&error))),
            })
        };
        if let Err(error) = alone(job) {
            back.refuse(call, &error);
        }
    }

    /// Opens a record on this thread, for processes that end soon.
    #[napi(ts_return_type = "Handle | Fault")]
    pub fn open_sync(&self, path: String, options: String) -> napi::Either<Handle, Fault> {
        match enter(|| open(&path, &options)) {
            Ok(opened) => napi::Either::A(Handle::new(opened, self.back())),
            Err(error) => napi::Either::B(fault(&error)),
        }
    }

    fn back(&self) -> Back {
        Back(Arc::clone(&self.settle))
    }
}

/// The end of the bridge that threads hold. Once the environment is gone, what is settled is dropped.
#[derive(Clone)]
pub(crate) struct Back(Arc<Settle>);

impl Back {
    /// What tells a call its answer.
    pub(crate) fn telling(self, call: u32, answer: Answer) -> Telling {
        let outcome = match answer {
            Answer::A(text) => Outcome::D(text),
            Answer::B(windowed) => Outcome::F(windowed),
            Answer::C(fault) => Outcome::C(fault),
        };
        self.telling_of(call, outcome)
    }

    /// The same for anything that a call may come to.
    pub(crate) fn telling_of(self, call: u32, outcome: Outcome) -> Telling {
        Box::new(move || self.settle(call, outcome))
    }

    /// Tells of a call that goes on.
    pub(crate) fn tell(&self, call: u32, progress: Json) {
        self.settle(call, Outcome::E(Heard { progress }));
    }

    /// Settles a call that no thread took.
    pub(crate) fn refuse(&self, call: u32, error: &Error) {
        self.settle(call, Outcome::C(fault(error)));
    }

    pub(crate) fn settle(&self, call: u32, outcome: Outcome) {
        // Where nobody listens any more there is nobody to tell.
        let _ = self.0.call(FnArgs::from((call, outcome)), ThreadsafeFunctionCallMode::NonBlocking);
    }
}
