//! The live rules of one head of the log with their keywords ready to be looked for, kept from one turn to the next.
//!
//! What is chosen from them is the business of `assemble/`. Whether a rule has expired is told anew each time.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::log::Head;
use super::super::reader::Snapshot;
use super::{LiveRule, StandingRule, Which};
use crate::base::error::Result;
use crate::base::keywords::{Keywords, Places};
use crate::base::time::Timestamp;

/// Most bytes of the words of rules that are kept.
const BYTES: usize = 4 << 20;

/// Rules in the order of their numbers, and all their keywords.
#[derive(Default)]
pub(crate) struct Rulebook {
    pub(crate) keywords: Keywords,
    rules: Vec<Ruled>,
}

/// A rule of the book.
pub(crate) struct Ruled {
    pub(crate) rule: LiveRule,
    /// Its keywords among those of the book.
    pub(crate) keywords: Places,
    expires_ms: Option<i64>,
}

impl Rulebook {
    /// A book of rules.
    pub(crate) fn of(rules: Vec<StandingRule>) -> Self {
        let keywords = Keywords::of(rules.iter().flat_map(|standing| &standing.rule.detail.keywords).map(String::as_str));
        let ruled = |StandingRule { rule, expires_ms }| Ruled { keywords: keywords.places(&rule.detail.keywords), rule, expires_ms };
        Self { rules: rules.into_iter().map(ruled).collect(), keywords }
    }

    /// The rules that have not expired at an instant.
    pub(crate) fn at(&self, now: Timestamp) -> impl Iterator<Item = &Ruled> {
        self.rules.iter().filter(move |ruled| ruled.expires_ms.is_none_or(|at| at > now.unix_ms()))
    }

    fn bytes(&self) -> usize {
        let words = |rule: &LiveRule| {
            let detail = &rule.detail;
            let lists = [&detail.keywords, &detail.forbidden, &detail.points, &detail.floor_modes, &detail.action_triggers];
            rule.title.len() + detail.trigger.len() + detail.statement.len() + lists.into_iter().flatten().map(String::len).sum::<usize>()
        };
        self.rules.iter().map(|ruled| words(&ruled.rule)).sum()
    }
}

/// The books of a handle, each under the head that it was read at.
#[derive(Default)]
pub(crate) struct Rulebooks {
    obligations: Mutex<Option<(Head, Arc<Rulebook>)>>,
    settled: Mutex<Option<(Head, Arc<Rulebook>)>>,
}

impl Rulebooks {
    /// The book of the obligations, read if the log has moved.
    pub(crate) fn obligations(&self, snapshot: &Snapshot) -> Result<Arc<Rulebook>> {
        read(&self.obligations, snapshot, Which::Obligations)
    }

    /// The book of all rules that are not only proposed.
    pub(crate) fn settled(&self, snapshot: &Snapshot) -> Result<Arc<Rulebook>> {
        read(&self.settled, snapshot, Which::Settled)
    }

    /// Lets go of everything.
    pub(crate) fn clear(&self) {
        for held in [&self.obligations, &self.settled] {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn read(held: &Mutex<Option<(Head, Arc<Rulebook>)>>, snapshot: &Snapshot, which: Which) -> Result<Arc<Rulebook>> {
    // In the past nothing is kept.
    let Some(head) = snapshot.present() else { return Ok(Arc::new(Rulebook::of(snapshot.standing_rules(which)?))) };
    let held = || held.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, book)) = &*held()
        && *of == head
    {
        return Ok(Arc::clone(book));
    }
    let book = Arc::new(Rulebook::of(snapshot.standing_rules(which)?));
    *held() = (book.bytes() <= BYTES).then(|| (head, Arc::clone(&book)));
    Ok(book)
}
