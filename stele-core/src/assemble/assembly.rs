//! An assembly as a host drives it: the obligations are read, the built-in providers and those that can be called run by
//! themselves, the others are given out as requests and answered by the host; `finish` puts the context together.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::builtin::{self, Ground};
use super::channels::{Point, RulesOptions};
use super::context::Context;
use super::driver::{Driver, Fetch, request};
use super::finish::OBLIGATIONS;
use super::options::{AssembleOptions, HostProvider};
use super::outcome::{Outcome, OutcomeKind};
use super::plan::{Answer, Facts, Plan};
use super::provider::{Declaration, ProviderFault, ProviderRequest, Supply};
use super::session::{Host, shown};
use super::turn::item_id;
use crate::base::config::OBLIGATION_TOKENS;
use crate::base::error::{Code, Error, ErrorKind, Result};
use crate::base::time::{Deadline, monotonic};
use crate::record::session::{HeldAgainst, MODE, Pinned, SessionState, StoredTurn};

/// What an assembly does to its session once it is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// It answers a prompt: the turn is counted.
    Prompt,
    /// It is a call of its own.
    Call,
}

/// A request to a provider that the host asks itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// The provider.
    pub provider: String,
    /// What it is asked.
    pub request: ProviderRequest,
}

/// A request that has been made, whether given out yet or not.
struct Open {
    at: usize,
    began: Instant,
    asked: Asked,
}

impl Drop for Open {
    /// Nobody waits any more.
    fn drop(&mut self) {
        self.asked.request.cancelled.store(true, Ordering::Relaxed);
    }
}

/// An assembly under way, for a host that asks its providers itself: take the requests, answer them in any order, finish.
///
/// Built-in providers and those that can be called run meanwhile on threads of their own.
pub struct Assembly {
    host: Arc<dyn Host>,
    plan: Plan,
    driver: Driver,
    open: Vec<Open>,
    /// Places in the plan whose request has not been given out.
    queue: VecDeque<usize>,
    door: Door,
    session: Option<String>,
    /// How the session was held against the log when it was read.
    held: Option<HeldAgainst>,
    turn: Option<u64>,
    point: Point,
    deliver: bool,
    strict: bool,
    /// The commit whose rules were read.
    pinned: Arc<OnceLock<Pinned>>,
}

impl Assembly {
    /// An assembly that answers no prompt of a session.
    pub(crate) fn of_record(host: Arc<dyn Host>, prompt: &str, options: &AssembleOptions) -> Result<Self> {
        Self::begin(host, prompt, options, Door::Call)
    }

    /// Reads the obligations, makes the plan and asks whoever can be called.
    pub(super) fn begin(host: Arc<dyn Host>, prompt: &str, options: &AssembleOptions, door: Door) -> Result<Self> {
        options.check()?;
        // A record that cannot be read still has its last good obligations; a handle that is closed has nothing.
        if let Err(error) = host.check()
            && error.kind() == ErrorKind::Closed
        {
            return Err(error);
        }
        let mode = |state: Option<&SessionState>| options.mode.as_deref().or(state.map(|state| state.mode.as_str())).unwrap_or(MODE).to_owned();
        let asked = |state: Option<&SessionState>| {
            let cap = OBLIGATION_TOKENS.min(options.token_budget);
            let mut asked = RulesOptions::new().point(options.point).mode(mode(state)).text(prompt).cap(cap);
            asked.now = options.retrieve.now;
            options.builtin.has(OBLIGATIONS).then(|| asked.shown(state.into_iter().flat_map(shown)))
        };
        let (mut loaded, rules) = host.begin(options.session.as_deref(), &asked);
        if let Some(loaded) = &mut loaded {
            // The first prompt after a pause ends it; one that is answered again is in it as before.
            loaded.state.silent &= door == Door::Prompt && loaded.state.answers_again(options.turn);
        }
        let state = loaded.as_ref().map(|loaded| &loaded.state);
        let mode = mode(state);
        let deadline = Deadline::after(options.retrieve.deadline);
        let turn = options.turn.unwrap_or(match door {
            Door::Prompt => state.map_or(0, |state| state.turn),
            Door::Call => 0,
        });
        let facts = Facts {
            prompt: prompt.into(),
            session: options.session.as_deref().unwrap_or_default().into(),
            turn,
            mode: mode.as_str().into(),
            action: options.action.as_deref().map(Into::into),
            point: options.point,
            capabilities: options.capabilities.iter().cloned().collect(),
            about: about(options, host.folder()),
            token_budget: options.token_budget,
            now: options.retrieve.now.unwrap_or_else(|| host.now()),
            counter: host.counter(),
        };
        let pinned = Arc::default();
        let ground = Ground { host: &host, prompt, options, loaded: loaded.as_ref(), mode: &mode, deadline, pinned: &pinned };
        let (own, mut fetches): (Vec<Declaration>, Vec<Option<Fetch>>) =
            builtin::providers(&ground).into_iter().map(|(declaration, fetch)| (declaration, Some(fetch))).unzip();
        let builtin = own.len();
        let brought: Vec<Declaration> = options.providers.iter().map(declaration).collect();
        fetches.extend(options.providers.iter().map(|provider| match provider {
            HostProvider::Called(provider) => Some(builtin::called(Arc::clone(provider))),
            HostProvider::Declared(_) => None,
        }));
        let mut plan = Plan::new(facts, rules, own, brought, &builtin::NAMES);
        let mut driver = Driver::new(host.left_behind(), deadline);
        let asked: Vec<usize> = plan.asked().map(|(at, _)| at).collect();
        let (mut open, mut queue) = (Vec::new(), VecDeque::new());
        for at in asked {
            match fetches[at].take() {
                Some(fetch) => driver.call(&mut plan, at, fetch, at < builtin),
                None => {
                    let Some((_, declaration)) = plan.asked().find(|(place, _)| *place == at) else { continue };
                    let request = request(plan.facts(), declaration, deadline, &Arc::new(AtomicBool::new(false)));
                    open.push(Open { at, began: monotonic(), asked: Asked { provider: declaration.name.clone(), request } });
                    queue.push_back(at);
                }
            }
        }
        let deliver = options.deliver.unwrap_or(door == Door::Prompt);
        let held = loaded.and_then(|loaded| loaded.held);
        Ok(Self {
            host,
            plan,
            driver,
            open,
            queue,
            door,
            session: options.session.clone(),
            held,
            turn: options.turn,
            point: options.point,
            deliver,
            strict: options.strict,
            pinned,
        })
    }

    /// Gives out the next request that has not been given out; none once all have. Its time counts from now: who asks one
    /// provider after the other takes none from those that come later. Where the time of the call is over nobody is asked.
    #[expect(clippy::should_implement_trait, reason = "a plan is no iterator: it is answered between two requests")]
    pub fn next(&mut self) -> Option<Asked> {
        loop {
            let at = self.queue.pop_front()?;
            let Some(open) = self.open.iter_mut().find(|open| open.at == at) else { continue };
            // One that was answered for before it was given out keeps what it has.
            let timeout = self.plan.asked().find(|(place, _)| *place == at).map(|(_, declaration)| declaration.timeout);
            if let Some(timeout) = timeout {
                if self.driver.deadline().expired() {
                    self.plan.late(at, Duration::ZERO);
                    continue;
                }
                open.began = monotonic();
                open.asked.request.deadline = Deadline::after(timeout).or_sooner(self.driver.deadline());
            }
            return Some(open.asked.clone());
        }
    }

    /// Answers the request of a provider. An answer that comes after the provider's time counts as none, and a second one
    /// changes nothing.
    ///
    /// # Errors
    /// `unknown_value` for a provider that the host was not asked for.
    pub fn supply(&mut self, provider: &str, supply: impl Into<Supply>) -> Result<()> {
        self.settle(provider, Ok(supply.into()))
    }

    /// Says that a provider cannot answer.
    ///
    /// # Errors
    /// As [`Self::supply`].
    pub fn fail(&mut self, provider: &str, fault: ProviderFault) -> Result<()> {
        self.settle(provider, Err(fault))
    }

    fn settle(&mut self, provider: &str, answer: Result<Supply, ProviderFault>) -> Result<()> {
        let Some(open) = self.open.iter().find(|open| open.asked.provider == provider) else {
            let names: Vec<&str> = self.open.iter().map(|open| open.asked.provider.as_str()).collect();
            let words = format!("answer for a provider: {:?} is none of {}", crate::base::text::cut(provider, 40), names.join(", "));
            return Err(Error::new(Code::UnknownValue, words).with("field", "provider"));
        };
        let took = monotonic().saturating_duration_since(open.began);
        match answer {
            _ if open.asked.request.remaining().is_zero() => self.plan.late(open.at, took),
            Ok(supply) => self.plan.supply(open.at, Answer::Entries(supply), took),
            Err(fault) => self.plan.fail(open.at, fault, took),
        }
        open.asked.request.cancelled.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for the providers that were called, no longer than `at_most`; true once [`Self::finish`] would not wait. A host
    /// that has something else to look at waits in parts; one that drops the plan tells its providers that nobody waits.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        self.driver.collect(&mut self.plan, Deadline::after(at_most))
    }

    /// Waits for the providers that were called, each until its time is over, and puts the context together. A request that
    /// the host has not answered by now counts as late.
    ///
    /// # Errors
    /// `provider_failed`, in a strict assembly, with the provider's own fault attached; `forked`.
    pub fn finish(mut self) -> Result<Context> {
        // The threads of its providers are the parent's, and so are the files by which a session is kept.
        if let Err(error) = self.host.check()
            && error.code() == Code::Forked
        {
            return Err(error);
        }
        self.driver.collect(&mut self.plan, Deadline::NEVER);
        for open in self.open {
            self.plan.late(open.at, monotonic().saturating_duration_since(open.began));
        }
        let mut context = self.plan.finish(self.host.writing());
        if self.strict
            && let Some(outcome) = context.outcomes.iter().find(|outcome| outcome.result.is_fault())
        {
            return Err(refusal(outcome));
        }
        let Some(session) = &self.session else { return Ok(context) };
        let (delivery, now) = (context.delivery(), self.host.now());
        let held = self.held.as_ref();
        let head = Some(context.record.stats.head).filter(|head| *head > 0).or(held.map(|held| held.log.sequence));
        let held = held.filter(|held| head == Some(held.log.sequence));
        // What another point injects is no item of the turn.
        let is_item = self.point == Point::Prompt;
        let deadline = self.driver.deadline();
        let mut change = |state: &mut SessionState| {
            let turn = self.turn.unwrap_or(state.turn);
            match self.door {
                Door::Prompt => state.advance(self.turn),
                Door::Call => state.reach(context.turn),
            }
            if let Some(head) = head.filter(|_| self.door == Door::Prompt || self.deliver) {
                state.see(head, now.unix_ms());
            }
            if self.deliver {
                state.deliver(&delivery);
            } else if is_item {
                state.await_delivery(turn, delivery.clone());
            }
            if let Some(pinned) = self.pinned.get() {
                state.pinned = Some(pinned.clone());
            }
        };
        if !is_item {
            self.host.change_session(session, held, deadline, &mut change);
            return Ok(context);
        }
        let stored = StoredTurn::new(&context.text, self.host.writing().outcomes(&context.outcomes));
        let turn = if self.door == Door::Prompt { self.turn } else { Some(context.turn) };
        let (turn, told) = self.host.keep_turn(session, held, turn, &stored, deadline, &mut change);
        // Where another process had a prompt meanwhile, it is the turn after that.
        context.turn = turn;
        context.item_id = item_id(turn).filter(|_| !context.text.is_empty());
        context.warnings.extend(told);
        Ok(context)
    }
}

/// How a provider of the host declares itself; one that panics has no name.
fn declaration(provider: &HostProvider) -> Declaration {
    match provider {
        HostProvider::Declared(declaration) => declaration.clone(),
        HostProvider::Called(provider) => catch_unwind(AssertUnwindSafe(|| provider.declaration())).unwrap_or_else(|_| Declaration::new("")),
    }
}

/// What a request is about: what the host names, and the project's folder by path and by name.
fn about(options: &AssembleOptions, record: &Path) -> Vec<String> {
    let root = options.root.as_deref().or_else(|| record.parent());
    let named = root.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let path = root.map(|root| root.to_string_lossy().into_owned());
    options.about.iter().cloned().chain(named).chain(path).collect()
}

/// The error of a strict assembly.
fn refusal(outcome: &Outcome) -> Error {
    let words = match outcome.result {
        OutcomeKind::TimedOut => "timed out",
        OutcomeKind::Invalid => "is not valid",
        _ => "failed",
    };
    let error = Error::new(Code::ProviderFailed, format!("assemble context: provider {:?} {words}: {}", outcome.provider, outcome.reason))
        .with("provider", &outcome.provider)
        .with("result", outcome.result);
    error.because(outcome.fault.clone().unwrap_or_else(|| ProviderFault::new(outcome.reason.clone())))
}
