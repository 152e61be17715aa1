//! An open record as JavaScript holds it: verbs by name, arguments and answers as JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::Either;
use napi_derive::napi;
use stele_core::{Record, Result};

use crate::answer::{Answer, Fault, answer, fault, parted};
use crate::bridge::{Back, Outcome};
use crate::clock::{CallTime, ToldClock};
use crate::doorway::enter;
use crate::json::Json;
use crate::lanes::{Lane, Lanes};
use crate::plan::{Plan, begin};
use crate::verbs::{self, Opened};

/// An open record. It belongs to one environment; another opens the folder anew.
#[napi]
pub struct Handle {
    record: Arc<Record>,
    clock: Option<Arc<ToldClock>>,
    lanes: Lanes,
    back: Back,
}

#[napi]
impl Handle {
    /// The folder of the record.
    #[napi(getter)]
    pub fn path(&self) -> String {
        self.record.path().to_string_lossy().into_owned()
    }

    /// True if nothing can be written through this handle.
    #[napi(getter)]
    pub fn read_only(&self) -> bool {
        self.record.read_only()
    }

    /// Tells the time of the calls that follow, in milliseconds since 1970. Only for a record that was opened with a time.
    #[napi]
    pub fn tell(&self, unix_ms: i64) {
        if let Some(clock) = &self.clock {
            clock.tell(unix_ms);
        }
    }

    /// Calls a verb on this thread.
    #[napi(ts_return_type = "string | Windowed | Fault")]
    pub fn call(&self, verb: String, arguments: String) -> Answer {
        parted(enter(|| verbs::call(&self.record, &verb, &arguments)))
    }

    /// Calls a verb on a thread of the handle.
    #[napi]
    pub fn start(&self, call: u32, verb: String, arguments: String) {
        let (record, back) = (Arc::clone(&self.record), self.back.clone());
        let lane = if verbs::writes(&verb) { Lane::Write } else { Lane::Read };
        let at = CallTime::of(self.clock.as_ref());
        let job = Box::new(move || back.telling(call, parted(enter(|| at.run(|| verbs::call(&record, &verb, &arguments))))));
        if let Err(error) = self.lanes.add(lane, job) {
            self.back.refuse(call, &error);
        }
    }

    /// Calls a verb that imports, in the order of what writes, until it is stopped. If somebody `hears` it, its progress is
    /// told before the call is settled.
    #[napi]
    pub fn import(&self, call: u32, verb: String, arguments: String, hears: bool, stop: &Stop) {
        let (record, back, stop) = (Arc::clone(&self.record), self.back.clone(), Arc::clone(&stop.0));
        let at = CallTime::of(self.clock.as_ref());
        let job = Box::new(move || {
            let tell = |progress| back.tell(call, progress);
            let import = || verbs::import(&record, &verb, &arguments, &stop, hears.then_some(&tell));
            let done = answer(enter(|| at.run(import)));
            back.telling(call, done)
        });
        if let Err(error) = self.lanes.add(Lane::Write, job) {
            self.back.refuse(call, &error);
        }
    }

    /// Begins an assembly on a thread of the handle; the call is settled with a plan. What it is for is JSON.
    #[napi]
    pub fn plan(&self, call: u32, asking: String) {
        let (record, lanes, back) = (Arc::clone(&self.record), self.lanes.clone(), self.back.clone());
        let at = CallTime::of(self.clock.as_ref());
        let job = Box::new(move || match enter(|| at.run(|| begin(&record, &asking))) {
            Ok(plan) => back.clone().telling_of(call, Outcome::B(Plan::new(plan, at, lanes, back))),
            Err(error) => back.telling_of(call, Outcome::C(fault(&error))),
        });
        if let Err(error) = self.lanes.add(Lane::Read, job) {
            self.back.refuse(call, &error);
        }
    }

    /// Begins an assembly on this thread.
    #[napi(ts_return_type = "Plan | Fault")]
    pub fn plan_sync(&self, asking: String) -> Either<Plan, Fault> {
        match enter(|| begin(&self.record, &asking)) {
            Ok(plan) => Either::A(Plan::new(plan, CallTime::of(self.clock.as_ref()), self.lanes.clone(), self.back.clone())),
            Err(error) => Either::B(fault(&error)),
        }
    }

    /// Closes the record when all calls under way are done. No call may follow.
    #[napi]
    pub fn close(&self, call: u32) {
        let (record, back) = (Arc::clone(&self.record), self.back.clone());
        let job = Box::new(move || back.telling(call, answer(enter(|| closed(&record)))));
        if let Err(error) = self.lanes.end_with(job) {
            self.back.refuse(call, &error);
        }
    }

    /// Closes the record now, on this thread; calls under way end with the error `closed`.
    #[napi(ts_return_type = "string | Fault")]
    pub fn close_sync(&self) -> Answer {
        self.lanes.end();
        answer(enter(|| closed(&self.record)))
    }
}

/// What stops an import.
#[napi]
pub struct Stop(Arc<AtomicBool>);

#[napi]
impl Stop {
    /// Stops nothing yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Stops the import soon, with nothing written unless it has been.
    #[napi]
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn closed(record: &Record) -> Result<Json> {
    record.close();
    Json::of(&())
}

impl Handle {
    pub(crate) fn new(opened: Opened, back: Back) -> Self {
        Self { record: Arc::new(opened.record), clock: opened.clock, lanes: Lanes::default(), back }
    }
}

impl Drop for Handle {
    /// A record that nobody closed closes on a thread of its own: neither a garbage collection nor the end of a process
    /// waits for it.
    fn drop(&mut self) {
        let record = Arc::clone(&self.record);
        let _ = self.lanes.end_with(Box::new(move || {
            record.close();
            Box::new(|| ())
        }));
    }
}
