//! Tasks and claims against a plain model: whatever is done by whom and when, the record is what the model says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use super::same_views;
use crate::base::error::Code;
use crate::base::time::{Clock, Timestamp};
use crate::record::claim::{Claim, Held};
use crate::record::database::Durability;
use crate::record::draft::{Draft, Revision};
use crate::record::edge::Relation;
use crate::record::node::{Category, State, TaskStatus, TaskType};
use crate::record::reader::AsOf;
use crate::record::recorder::Recorder;
use crate::retrieve::{ReadyOptions, Retriever};
use crate::store::Record;

const TASKS: u64 = 4;
const EPIC: u64 = 5;
const FACTS: std::ops::RangeInclusive<u64> = 6..=8;
const PRIORITIES: [u8; 4] = [2, 0, 4, 2];
const HANDS: [(&str, Option<&str>); 3] = [("ana", None), ("ana", Some("s1")), ("bo", None)];
const MINUTE: i64 = 60_000;

#[derive(Clone, Debug)]
enum Verb {
    Claim { task: u64, hand: usize, lease: Option<u64>, token: Option<u8> },
    Next { hand: usize, lease: Option<u64> },
    Release { task: u64, hand: usize, token: Option<u8> },
    Force { task: u64 },
    Complete { task: u64, hand: usize, token: Option<u8> },
    Cancel { task: u64, hand: usize, token: Option<u8> },
    Reopen { task: u64 },
    Hang { fact: u64, task: Option<u64> },
    Link { fact: u64, task: u64 },
    Unlink { fact: u64, task: u64 },
    Block { task: u64, other: u64 },
    Look { fact: u64 },
    Tick { minutes: i64 },
}

#[derive(Clone, Debug, PartialEq)]
struct Holding {
    holder: String,
    since: i64,
    until: Option<i64>,
    lease: Option<u64>,
    token: u64,
}

#[derive(Clone, Debug, Default)]
struct Model {
    head: u64,
    now: i64,
    log_time: i64,
    status: BTreeMap<u64, TaskStatus>,
    held: BTreeMap<u64, Holding>,
    /// Every token that there was, by task, in order.
    tokens: BTreeMap<u64, Vec<u64>>,
    resolves_with: BTreeMap<u64, u64>,
    expires_on: BTreeSet<(u64, u64)>,
    blocks: BTreeSet<(u64, u64)>,
}

impl Model {
    fn wrote(&mut self) {
        self.head += 1;
        self.log_time = self.now;
    }

    fn is(&self, task: u64) -> TaskStatus {
        self.status.get(&task).copied().unwrap_or(TaskStatus::Open)
    }

    fn standing(&self, task: u64) -> Option<Holding> {
        self.held.get(&task).filter(|_| self.is(task) == TaskStatus::Claimed).cloned()
    }

    fn is_closed(&self, task: u64) -> bool {
        matches!(self.is(task), TaskStatus::Completed | TaskStatus::Cancelled)
    }

    fn lapsed(&self, task: u64) -> bool {
        self.standing(task).is_some_and(|held| held.until.is_some_and(|until| until <= self.now))
    }

    fn ahead(&self) -> bool {
        self.now - self.log_time > 5 * MINUTE
    }

    fn resolved(&self, fact: u64) -> bool {
        let done = |task: u64| self.is(task) == TaskStatus::Completed;
        self.resolves_with.get(&fact).is_some_and(|task| done(*task)) || self.expires_on.iter().any(|edge| edge.0 == fact && done(edge.1))
    }

    fn resolved_facts(&self) -> Vec<u64> {
        FACTS.filter(|fact| self.resolved(*fact)).collect()
    }

    fn hanging_on(&self, task: u64) -> Vec<u64> {
        FACTS.filter(|fact| self.resolves_with.get(fact) == Some(&task) || self.expires_on.contains(&(*fact, task))).collect()
    }

    fn ready(&self, lapsed: bool) -> Vec<u64> {
        let mut found: Vec<u64> = (1..=TASKS)
            .filter(|task| self.is(*task) == TaskStatus::Open || (lapsed && self.lapsed(*task)))
            .filter(|task| !self.blocks.iter().any(|edge| edge.1 == *task && !self.is_closed(edge.0)))
            .collect();
        found.sort_by_key(|task| (PRIORITIES[*task as usize - 1], *task));
        found
    }

    fn grant(&mut self, task: u64, holder: &str, lease: Option<u64>) -> Result<Holding, Code> {
        let before = self.standing(task);
        let renewed = before.as_ref().filter(|held| held.holder == holder);
        if before.is_some() && renewed.is_none() && self.ahead() {
            return Err(Code::ClockSuspect);
        }
        let lease = lease.or(renewed.and_then(|held| held.lease));
        let since = renewed.map_or(self.now, |held| held.since);
        self.wrote();
        let held = Holding { holder: holder.to_owned(), since, until: lease.map(|lease| self.now + lease as i64 * MINUTE), lease, token: self.head };
        self.tokens.entry(task).or_default().push(self.head);
        self.status.insert(task, TaskStatus::Claimed);
        self.held.insert(task, held.clone());
        Ok(held)
    }

    /// What a call by a hand, with a token or none, is refused with.
    fn refused(&self, task: u64, hand: usize, token: Option<u64>) -> Option<Code> {
        let held = self.standing(task);
        match token {
            Some(token) if held.as_ref().is_some_and(|held| held.token == token) => None,
            Some(_) => Some(Code::NotHolder),
            None => held.filter(|held| held.holder != name(hand)).map(|_| Code::NotHolder),
        }
    }

    /// The token that a number stands for: the last of the task, an earlier one, or one of nobody.
    fn token(&self, task: u64, token: Option<u8>) -> Option<u64> {
        let tokens = self.tokens.get(&task).cloned().unwrap_or_default();
        token.map(|back| tokens.iter().rev().nth(usize::from(back)).copied().unwrap_or(10_000))
    }
}

fn name(hand: usize) -> String {
    let (actor, session) = HANDS[hand];
    session.map_or_else(|| actor.to_owned(), |session| format!("{actor}/{session}"))
}

struct Moved(AtomicI64);

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.0.load(Ordering::SeqCst))
    }
}

fn held(task: u64, token: Option<u64>) -> Held {
    let id = format!("TASK-{task}");
    token.map_or_else(|| Held::from(&id), |token| Held::with_token(&id, token))
}

/// What a claim says, as the model says it.
fn told(claim: &Claim) -> (u64, String, i64, Option<i64>, Option<String>, Option<u64>) {
    (claim.task.number, claim.holder.clone(), claim.since.unix_ms(), claim.until.map(Timestamp::unix_ms), claim.taken_from.clone(), claim.token)
}

fn perform(verb: &Verb, hands: &[Recorder<'_>], clock: &Moved, model: &mut Model) {
    let fact_id = |fact: u64| format!("KNOW-{fact}");
    let task_id = |task: u64| format!("TASK-{task}");
    match *verb {
        Verb::Claim { task, hand, lease, token } => {
            let token = model.token(task, token);
            let mut claiming = hands[hand].claim(held(task, token));
            if let Some(minutes) = lease {
                claiming = claiming.lease(Duration::from_secs(minutes * 60));
            }
            let said = claiming.take().map_err(|error| error.code());
            let before = model.standing(task);
            let own = name(hand);
            let expected = match (token, &before) {
                _ if task == EPIC => Err(Code::WrongKind),
                (Some(_), _) if model.refused(task, hand, token).is_some() => Err(Code::NotHolder),
                _ if model.is_closed(task) => Err(Code::WrongState),
                (Some(_), Some(held)) => model.grant(task, &held.holder, lease),
                (_, Some(held)) if held.holder != own && !model.lapsed(task) => {
                    let said = said.expect("losing is no error");
                    assert!(!said.granted, "{verb:?}");
                    assert_eq!(told(&said), (task, held.holder.clone(), held.since, held.until, None, None), "{verb:?}");
                    return;
                }
                _ => model.grant(task, &own, lease),
            };
            let taken_from = before.map(|held| held.holder).filter(|holder| *holder != own && token.is_none());
            let expected = expected.map(|held| (task, held.holder, held.since, held.until, taken_from, Some(held.token)));
            assert_eq!(said.map(|claim| told(&claim)), expected, "{verb:?}");
        }
        Verb::Next { hand, lease } => {
            let mut claiming = hands[hand].claim_next();
            if let Some(minutes) = lease {
                claiming = claiming.lease(Duration::from_secs(minutes * 60));
            }
            let said = claiming.take().map_err(|error| error.code());
            let ready = Some(model.ready(!model.ahead())).filter(|ready| !ready.is_empty()).unwrap_or_else(|| model.ready(true));
            let expected = match ready.first() {
                None => Ok(None),
                Some(task) => model.grant(*task, &name(hand), lease).map(|held| Some((*task, held.holder, held.token))),
            };
            let said = said.map(|claim| claim.map(|claim| (claim.task.number, claim.holder, claim.token.unwrap_or(0))));
            assert_eq!(said, expected, "{verb:?}");
        }
        Verb::Release { task, hand, token } => {
            let token = model.token(task, token);
            let said = hands[hand].release(held(task, token)).map(|id| id.number).map_err(|error| error.code());
            let expected = match (model.refused(task, hand, token), model.standing(task)) {
                (Some(code), _) => Err(code),
                (None, None) => Err(Code::WrongState),
                (None, Some(_)) => {
                    model.status.insert(task, TaskStatus::Open);
                    model.wrote();
                    Ok(task)
                }
            };
            assert_eq!(said, expected, "{verb:?}");
        }
        Verb::Force { task } => {
            let said = hands[0].force_release(&task_id(task), "gone").map(drop).map_err(|error| error.code());
            let expected = if model.standing(task).is_none() { Err(Code::WrongState) } else { Ok(()) };
            if expected.is_ok() {
                model.status.insert(task, TaskStatus::Open);
                model.wrote();
            }
            assert_eq!(said, expected, "{verb:?}");
        }
        Verb::Complete { task, hand, token } | Verb::Cancel { task, hand, token } => {
            let token = model.token(task, token);
            let completes = matches!(verb, Verb::Complete { .. });
            let said = if completes { hands[hand].complete(held(task, token), "done") } else { hands[hand].cancel(held(task, token), "not worth it") };
            let said = said.map_err(|error| error.code());
            if let Some(code) = model.refused(task, hand, token).or_else(|| model.is_closed(task).then_some(Code::WrongState)) {
                assert_eq!(said.err(), Some(code), "{verb:?}");
                return;
            }
            let before = model.resolved_facts();
            model.status.insert(task, if completes { TaskStatus::Completed } else { TaskStatus::Cancelled });
            model.wrote();
            let said = said.expect("it is the holder's");
            let numbers = |ids: &[crate::base::id::NodeId]| ids.iter().map(|id| id.number).collect::<Vec<_>>();
            let after: Vec<u64> = model.resolved_facts().into_iter().filter(|fact| !before.contains(fact)).collect();
            let hanging: Vec<u64> = model.hanging_on(task).into_iter().filter(|fact| !model.resolved(*fact) && !completes).collect();
            assert_eq!((said.status, numbers(&said.resolved), numbers(&said.hanging)), (model.is(task), after, hanging), "{verb:?}");
        }
        Verb::Reopen { task } => {
            let said = hands[0].reopen(&task_id(task), "not yet").map_err(|error| error.code());
            if !model.is_closed(task) {
                assert_eq!(said.err(), Some(Code::WrongState), "{verb:?}");
                return;
            }
            let before = model.resolved_facts();
            model.status.insert(task, TaskStatus::Open);
            model.wrote();
            let revived: Vec<u64> = before.into_iter().filter(|fact| !model.resolved(*fact)).collect();
            assert_eq!(said.map(|said| said.revived.iter().map(|id| id.number).collect::<Vec<_>>()), Ok(revived), "{verb:?}");
        }
        Verb::Hang { fact, task } => {
            hands[0].revise(&fact_id(fact), Revision::new().resolves_with(task.map(task_id).as_deref())).expect("a revision");
            let before = model.resolves_with.get(&fact).copied();
            match task {
                Some(task) => model.resolves_with.insert(fact, task),
                None => model.resolves_with.remove(&fact),
            };
            if before != task {
                model.wrote();
            }
        }
        Verb::Link { fact, task } => {
            let said = hands[0].link(&fact_id(fact), Relation::ExpiresOn, &task_id(task)).map_err(|error| error.code());
            let new = model.expires_on.insert((fact, task));
            if new {
                model.wrote();
            }
            assert_eq!(said, if new { Ok(()) } else { Err(Code::EdgeExists) });
        }
        Verb::Unlink { fact, task } => {
            let said = hands[0].unlink(&fact_id(fact), Relation::ExpiresOn, &task_id(task), "no longer").map_err(|error| error.code());
            let there = model.expires_on.remove(&(fact, task));
            if there {
                model.wrote();
            }
            assert_eq!(said, if there { Ok(()) } else { Err(Code::UnknownEdge) });
        }
        Verb::Block { task, other } => {
            if hands[0].link(&task_id(task), Relation::Blocks, &task_id(other)).is_ok() {
                model.blocks.insert((task, other));
                model.wrote();
            }
        }
        Verb::Look { fact } => {
            hands[0].review(&fact_id(fact), "looked").expect("a review");
            model.wrote();
        }
        Verb::Tick { minutes } => {
            model.now += minutes * MINUTE;
            clock.0.store(model.now, Ordering::SeqCst);
        }
    }
}

/// Compares statuses, claims, states and, at the head, what is ready.
fn compare(retriever: &Retriever, model: &Model, at_head: bool) {
    for task in 1..=EPIC {
        let node = retriever.get(&format!("TASK-{task}")).expect("a task");
        assert_eq!(node.status, Some(model.is(task)), "TASK-{task}");
        let claim = node.claim.map(|claim| (claim.holder, claim.since.unix_ms(), claim.until.map(Timestamp::unix_ms)));
        assert_eq!(claim, model.standing(task).map(|held| (held.holder, held.since, held.until)), "TASK-{task}");
    }
    for fact in FACTS {
        let state = retriever.get(&format!("KNOW-{fact}")).expect("a fact").state;
        assert_eq!(state, if model.resolved(fact) { State::Resolved } else { State::Live }, "KNOW-{fact}");
    }
    for status in TaskStatus::ALL {
        let found: BTreeSet<u64> = retriever.tasks(None, Some(*status)).expect("tasks").iter().map(|task| task.id.number).collect();
        assert_eq!(found, (1..=EPIC).filter(|task| model.is(*task) == *status).collect(), "{status}");
    }
    if at_head {
        let ready: Vec<u64> = retriever.ready(&ReadyOptions::new()).expect("tasks").iter().map(|task| task.id.number).collect();
        assert_eq!(ready, model.ready(true));
    }
}

fn verb() -> impl Strategy<Value = Verb> {
    let (task, hand, fact) = (|| 1..=EPIC, || 0..HANDS.len(), || FACTS);
    let lease = || prop::option::of(1..12u64);
    let token = || prop::option::weighted(0.3, 0..3u8);
    prop_oneof![
        6 => (task(), hand(), lease(), token()).prop_map(|(task, hand, lease, token)| Verb::Claim { task, hand, lease, token }),
        2 => (hand(), lease()).prop_map(|(hand, lease)| Verb::Next { hand, lease }),
        2 => (task(), hand(), token()).prop_map(|(task, hand, token)| Verb::Release { task, hand, token }),
        1 => task().prop_map(|task| Verb::Force { task }),
        3 => (task(), hand(), token()).prop_map(|(task, hand, token)| Verb::Complete { task, hand, token }),
        2 => (task(), hand(), token()).prop_map(|(task, hand, token)| Verb::Cancel { task, hand, token }),
        3 => task().prop_map(|task| Verb::Reopen { task }),
        2 => (fact(), prop::option::weighted(0.7, task())).prop_map(|(fact, task)| Verb::Hang { fact, task }),
        2 => (fact(), task()).prop_map(|(fact, task)| Verb::Link { fact, task }),
        1 => (fact(), task()).prop_map(|(fact, task)| Verb::Unlink { fact, task }),
        1 => (task(), task()).prop_map(|(task, other)| Verb::Block { task, other }),
        1 => fact().prop_map(|fact| Verb::Look { fact }),
        4 => (-3..9i64).prop_map(|minutes| Verb::Tick { minutes }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whoever_claims_and_ends_tasks_the_record_is_what_a_model_says(verbs in prop::collection::vec(verb(), 1..60), look in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join(".stele");
        let clock = Arc::new(Moved(AtomicI64::new(0)));
        let record = Record::options().without_embedder().durability(Durability::Normal).clock(Arc::clone(&clock) as Arc<dyn Clock>).open(&dir).expect("a record");
        let hands: Vec<Recorder<'_>> = HANDS
            .iter()
            .map(|(actor, session)| session.map_or_else(|| record.recorder(actor), |session| record.recorder_in(actor, session)).expect("a recorder"))
            .collect();
        let mut model = Model::default();
        for priority in PRIORITIES {
            hands[0].add(Draft::task("Some work").priority(priority)).expect("a task");
        }
        hands[0].add(Draft::task("Much work").task_type(TaskType::Epic)).expect("a container");
        for _ in FACTS {
            hands[0].add(Draft::fact(Category::Fyi, "Something")).expect("a fact");
        }
        model.head = *FACTS.end();
        let mut past = vec![model.clone()];
        for verb in &verbs {
            perform(verb, &hands, &clock, &mut model);
            prop_assert_eq!(record.head().expect("a head"), model.head, "{:?}", verb);
            past.push(model.clone());
        }
        compare(&record.retriever(), &model, true);
        let then = look.get(&past);
        compare(&record.retriever_as_of(AsOf::Sequence(then.head)), then, false);
        prop_assert_eq!(record.verify_log().expect("a whole chain"), model.head);
        same_views(&dir);
    }
}
