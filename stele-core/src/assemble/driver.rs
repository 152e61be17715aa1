//! Calls the providers of a plan, each on a thread of its own, and waits for none longer than its time.
//!
//! A thread is never joined. One whose call outlasts its time is left behind, told so by its cancel signal, and the same
//! provider is not called again through the handle while it runs.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::plan::{Answer, Facts, Plan};
use super::provider::{Declaration, ProviderFault, ProviderRequest};
use crate::base::time::{Deadline, monotonic};

/// A call that answers a request.
type Asking = Box<dyn FnOnce(&ProviderRequest) -> Result<Answer, ProviderFault> + Send>;

/// What answers a request.
pub(crate) enum Fetch {
    /// A call, on a thread of its own.
    Call(Asking),
    /// What is known without one.
    Known(Answer),
}

impl Fetch {
    pub(crate) fn call(fetch: impl FnOnce(&ProviderRequest) -> Result<Answer, ProviderFault> + Send + 'static) -> Self {
        Self::Call(Box::new(fetch))
    }
}

/// How many calls of one provider may outlast their time before it is not called again: of a host's none. The built-in ones
/// stop by themselves a moment after their time, unless the disk hangs.
const MAY_OUTLAST: usize = 4;

/// The calls of a handle that nobody waits for any more and that still run, by the name of their provider.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftBehind(Arc<Mutex<HashMap<String, Vec<Arc<Call>>>>>);

impl LeftBehind {
    /// How many calls of a provider still run although their time is over.
    fn overdue(&self, name: &str) -> usize {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.get(name).map_or(0, |calls| calls.iter().filter(|call| call.deadline.expired()).count())
    }

    /// Leaves a call behind, unless it is over.
    fn leave(&self, call: &Arc<Call>) {
        call.cancelled.store(true, Ordering::Relaxed);
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !call.over.load(Ordering::SeqCst) {
            left.entry(call.name.clone()).or_default().push(Arc::clone(call));
        }
    }

    /// Notes that a call is over.
    fn end(&self, call: &Arc<Call>) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        call.over.store(true, Ordering::SeqCst);
        if let Some(calls) = left.get_mut(&call.name) {
            calls.retain(|other| !Arc::ptr_eq(other, call));
            if calls.is_empty() {
                left.remove(&call.name);
            }
        }
    }
}

/// One call, as its thread and whoever waits for it see it.
#[derive(Debug)]
struct Call {
    name: String,
    deadline: Deadline,
    over: AtomicBool,
    cancelled: Arc<AtomicBool>,
}

/// A call that is waited for.
struct Pending {
    at: usize,
    call: Arc<Call>,
    began: Instant,
}

/// What came back from a provider, none if it came after its time, with its place and the time it took.
type Answered = (usize, Option<Result<Answer, ProviderFault>>, Duration);

/// The calls of one assembly. What is still waited for when it is dropped is left behind.
pub(crate) struct Driver {
    left_behind: LeftBehind,
    deadline: Deadline,
    pending: Vec<Pending>,
    send: Sender<Answered>,
    receive: Receiver<Answered>,
}

impl Driver {
    pub(crate) fn new(left_behind: LeftBehind, deadline: Deadline) -> Self {
        let (send, receive) = channel();
        Self { left_behind, deadline, pending: Vec::new(), send, receive }
    }

    /// When the call that it works for is over.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Asks a provider of the plan, a built-in one or the host's. One that cannot be asked has its outcome at once.
    pub(crate) fn call(&mut self, plan: &mut Plan, at: usize, fetch: Fetch, builtin: bool) {
        let Some(declaration) = plan.asked().find(|(place, _)| *place == at).map(|(_, declaration)| declaration) else { return };
        let cancelled = Arc::new(AtomicBool::new(false));
        let name = declaration.name.clone();
        let request = request(plan.facts(), declaration, self.deadline, &cancelled);
        let deadline = request.deadline;
        if deadline.expired() {
            return plan.late(at, Duration::ZERO);
        }
        let fetch = match fetch {
            Fetch::Call(fetch) => fetch,
            Fetch::Known(answer) => return plan.supply(at, answer, Duration::ZERO),
        };
        if self.left_behind.overdue(&name) > if builtin { MAY_OUTLAST } else { 0 } {
            return plan.fail(at, ProviderFault::new("still running: an earlier call of it has not come back"), Duration::ZERO);
        }
        let call = Arc::new(Call { name, deadline, over: AtomicBool::new(false), cancelled });
        let began = monotonic();
        let (send, left_behind, held) = (self.send.clone(), self.left_behind.clone(), Arc::clone(&call));
        let asking = move || {
            let answer = answer(fetch, &request);
            // Whoever heeds the signal to stop answers as time runs out; whether that is seen first must not matter.
            let answer = if deadline.expired() { None } else { Some(answer) };
            left_behind.end(&held);
            // Nobody may wait any more.
            let _ = send.send((at, answer, monotonic().saturating_duration_since(began)));
        };
        match on_a_thread(asking) {
            Ok(()) => {}
            // A built-in one stops by itself a moment after its time.
            Err((_, asking)) if builtin => asking(),
            Err((error, _)) => return plan.fail(at, ProviderFault::new(format!("no thread could be had: {error}")), Duration::ZERO),
        }
        self.pending.push(Pending { at, call, began });
    }

    /// Waits for those that were asked, for each until its time is over, and no longer than until then; true once nobody is
    /// waited for.
    pub(crate) fn collect(&mut self, plan: &mut Plan, until: Deadline) -> bool {
        while !self.pending.is_empty() && !until.expired() {
            let wait = self.pending.iter().map(|pending| &pending.call.deadline).chain([&until]).filter_map(|deadline| deadline.remaining()).min();
            let received = match wait {
                Some(wait) => self.receive.recv_timeout(wait),
                None => self.receive.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(answered) => self.take_in(plan, answered),
                Err(_) => {
                    // What has come since stands.
                    while let Ok(answered) = self.receive.try_recv() {
                        self.take_in(plan, answered);
                    }
                    self.give_up(plan);
                }
            }
        }
        self.pending.is_empty()
    }

    fn take_in(&mut self, plan: &mut Plan, (at, answer, took): Answered) {
        self.pending.retain(|pending| pending.at != at);
        match answer {
            Some(Ok(answer)) => plan.supply(at, answer, took),
            Some(Err(fault)) => plan.fail(at, fault, took),
            None => plan.late(at, took),
        }
    }

    /// Leaves behind whose time is over.
    fn give_up(&mut self, plan: &mut Plan) {
        let (over, pending): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().partition(|pending| pending.call.deadline.expired());
        self.pending = pending;
        for pending in over {
            self.left_behind.leave(&pending.call);
            plan.late(pending.at, monotonic().saturating_duration_since(pending.began));
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for pending in &self.pending {
            self.left_behind.leave(&pending.call);
        }
    }
}

/// Does something on a thread of its own; gives it back where the system gives no thread.
fn on_a_thread<W: FnOnce() + Send + 'static>(work: W) -> Result<(), (std::io::Error, W)> {
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<W>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let theirs = Arc::clone(&work);
    #[expect(clippy::disallowed_methods, reason = "this module is where providers are called, which may hang")]
    let started = std::thread::Builder::new().name("stele-provider".to_owned()).spawn(move || {
        if let Some(work) = take(&theirs) {
            work();
        }
    });
    started.map(drop).map_err(|error| (error, take(&work).expect("invariant: no thread took it")))
}

/// What a provider is asked.
pub(crate) fn request(facts: &Facts, declaration: &Declaration, deadline: Deadline, cancelled: &Arc<AtomicBool>) -> ProviderRequest {
    ProviderRequest {
        prompt: Arc::clone(&facts.prompt),
        session: Arc::clone(&facts.session),
        turn: facts.turn,
        mode: Arc::clone(&facts.mode),
        action: facts.action.clone(),
        point: facts.point,
        token_budget: declaration.token_budget.min(facts.token_budget),
        now: facts.now,
        deadline: Deadline::after(declaration.timeout).or_sooner(deadline),
        cancelled: Arc::clone(cancelled),
        counter: facts.counter.clone(),
    }
}

/// Calls a provider; a panic is a fault. What the call captured is let go of inside, where its panics are caught too.
fn answer(fetch: Asking, request: &ProviderRequest) -> Result<Answer, ProviderFault> {
    catch_unwind(AssertUnwindSafe(|| fetch(request))).unwrap_or_else(|panic| Err(ProviderFault::new(format!("it panicked: {}", words(&*panic)))))
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}
