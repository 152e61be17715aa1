//! What is known of a session: its turns, what they were given, what it was served, what is left to it. Kept in
//! `sessions.db` beside the record.
//! Losing that file loses no knowledge. Where it is kept stands in `sessions_db.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::node::State;
pub(crate) use super::settle::check_name;

use crate::base::config::{FRAME_TOKENS, SESSION_TURNS, TURN_TEXT_BYTES};
use crate::base::digest::digest;

/// The mode that a session has unless it is given another.
pub(crate) const MODE: &str = "work";

/// What is known of one agent session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SessionState {
    /// Counts the prompts of the session.
    pub(crate) turn: u64,
    /// Counts compactions, phases and changes of mode; what was served in an earlier epoch may come again.
    pub(crate) epoch: u64,
    /// Counts the phases.
    pub(crate) phase: u64,
    pub(crate) mode: String,
    /// For how many further prompts nothing is looked up.
    pub(crate) paused_turns: u64,
    /// True from the pause until the first prompt after it: moments are silent.
    pub(crate) silent: bool,
    /// True if only a few entries are wanted.
    pub(crate) quiet: bool,
    /// What was delivered in the last turns of the present epoch, by the number of the node.
    pub(crate) served: BTreeMap<u64, Served>,
    /// The numbers of the last window, in its order.
    pub(crate) last_order: Vec<u64>,
    /// The tokens that the record may take of the session.
    pub(crate) budget: Option<u64>,
    /// The tokens of the record that were delivered.
    pub(crate) spent: u64,
    /// What the last turn was given, until it is known to have reached the model.
    pub(crate) awaited: Option<(u64, Delivery)>,
    /// True once the nudge of the first edit was given.
    pub(crate) nudged_edit: bool,
    /// True once the nudge around completion was given.
    pub(crate) nudged_complete: bool,
    /// The head of the log when the session was last heard of; none before.
    pub(crate) seen: Option<u64>,
    /// When that was.
    pub(crate) seen_ms: i64,
    /// The commit whose rules the session has.
    pub(crate) pinned: Option<Pinned>,
    /// Where the log stood when this was written; none in what was written before that was kept.
    pub(crate) beside: Option<LogMark>,
}

/// A place in a log: what came up to it is known by the hash of the chain there. The default is a place in none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogMark {
    pub(crate) sequence: u64,
    /// In hexadecimal.
    pub(crate) chain: String,
}

/// The commit whose rules a session has, with what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Pinned {
    /// The project's folder.
    pub(crate) root: String,
    /// The branch, tag or commit that was named; none for HEAD.
    pub(crate) base: Option<String>,
    /// Its whole name.
    pub(crate) commit: String,
    /// True once the session was told that what was asked for leads elsewhere by now.
    pub(crate) told: bool,
}

/// A node that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Served {
    #[serde(rename = "r")]
    revision: u64,
    /// How many prompts the session had had by then.
    #[serde(rename = "t")]
    turn: u64,
    /// True if it did not hold any more by then.
    #[serde(rename = "e", default, skip_serializing_if = "std::ops::Not::not")]
    ended: bool,
}

impl Default for SessionState {
    fn default() -> Self {
        Self {
            turn: 0,
            epoch: 0,
            phase: 0,
            mode: MODE.to_owned(),
            paused_turns: 0,
            silent: false,
            quiet: false,
            served: BTreeMap::new(),
            last_order: Vec::new(),
            budget: None,
            spent: 0,
            awaited: None,
            nudged_edit: false,
            nudged_complete: false,
            seen: None,
            seen_ms: 0,
            pinned: None,
            beside: None,
        }
    }
}

/// A session as it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) state: SessionState,
    /// What there is to say of how it is kept, once for each mishap.
    pub(crate) notes: Vec<String>,
    /// How it was held against the log; none if that could not be read.
    pub(crate) held: Option<HeldAgainst>,
}

/// A session held against a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldAgainst {
    /// Where the log of the session stood when that was written.
    pub(crate) written: Option<LogMark>,
    /// Where this log stood.
    pub(crate) log: LogMark,
    /// True if the one is not the beginning of the other.
    pub(crate) other: bool,
}

/// Something of the record that reached a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivery {
    /// Numbers and revisions of what was shown, and of what that stands for.
    pub(crate) shown: Vec<(u64, u64)>,
    /// The numbers of those that did not hold any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ended: Vec<u64>,
    /// The order of a window; none for a moment, which is no window.
    pub(crate) order: Option<Vec<u64>>,
    pub(crate) tokens: u64,
}

impl SessionState {
    /// True if this revision of the node stands already in the session's present epoch, and held then if it holds now.
    pub(crate) fn has(&self, number: u64, revision: u64, state: State) -> bool {
        self.served.get(&number).is_some_and(|served| served.revision == revision && served.ended == (state != State::Live))
    }

    /// Numbers and revisions of what stands already in the session's present epoch.
    pub(crate) fn served(&self) -> impl Iterator<Item = (u64, u64)> {
        self.served.iter().map(|(number, served)| (*number, served.revision))
    }

    /// The words of the host's that it holds.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let pinned = self.pinned.iter().flat_map(|pinned| std::iter::once(pinned.root.as_str()).chain(pinned.base.as_deref()));
        std::iter::once(self.mode.as_str()).chain(pinned)
    }

    /// True if nothing is looked up for the session.
    pub(crate) fn is_paused(&self) -> bool {
        self.silent || self.paused_turns > 0
    }

    /// What is left of the session's tokens for the record; less than a frame with one line takes is nothing.
    pub(crate) fn tokens_left(&self) -> Option<u64> {
        self.budget.map(|budget| budget.saturating_sub(self.spent)).map(|left| if left < FRAME_TOKENS { 0 } else { left })
    }

    /// Takes in what was delivered. What was delivered in the same turn already, as by a prompt that delivers at once, is paid
    /// for once.
    pub(crate) fn deliver(&mut self, delivery: &Delivery) {
        let turn = self.turn;
        let served = |(number, revision): &(u64, u64)| (*number, Served { revision: *revision, turn, ended: delivery.ended.contains(number) });
        let mut again = !delivery.shown.is_empty();
        for (number, served) in delivery.shown.iter().map(served) {
            again &= self.served.insert(number, served) == Some(served);
        }
        if let Some(order) = delivery.order.as_ref().filter(|order| !order.is_empty()) {
            self.last_order.clone_from(order);
        }
        self.spent = self.spent.saturating_add(if again { 0 } else { delivery.tokens });
    }

    /// Notes what a turn was given and is not known to have reached the model.
    pub(crate) fn await_delivery(&mut self, turn: u64, delivery: Delivery) {
        self.awaited = Some((turn, delivery));
    }

    /// Takes it as known that a turn reached the model; gives what it was given, if that was not known.
    pub(crate) fn arrived(&mut self, turn: u64) -> Option<Delivery> {
        self.awaited.take_if(|(of, _)| *of == turn).map(|(_, delivery)| delivery)
    }

    /// Counts a prompt, or takes the turn that the host counted, and one turn off a pause. What was served too many turns
    /// ago is forgotten.
    pub(crate) fn advance(&mut self, turn: Option<u64>) {
        let again = self.answers_again(turn);
        self.turn = turn.unwrap_or(self.turn).saturating_add(1);
        self.awaited = None;
        if !again {
            self.silent = self.paused_turns > 0;
            self.paused_turns = self.paused_turns.saturating_sub(1);
        }
        self.forget_old();
    }

    /// True if the turn that a host counted is the one that was answered last, as where a context was too long for it.
    pub(crate) fn answers_again(&self, turn: Option<u64>) -> bool {
        turn.is_some_and(|turn| turn.saturating_add(1) == self.turn)
    }

    /// Forgets what was served too many turns ago.
    fn forget_old(&mut self) {
        let now = self.turn;
        self.served.retain(|_, served| {
            // A host that counts back does not make what was served last longer.
            served.turn = served.turn.min(now);
            now - served.turn < SESSION_TURNS
        });
    }

    /// Takes it that the host counts turns itself and has come to one.
    pub(crate) fn reach(&mut self, turn: u64) {
        if turn > self.turn {
            self.turn = turn;
            self.forget_old();
        }
    }

    /// Lets what the last turn was given come again.
    pub(crate) fn forget_last_turn(&mut self) {
        let turn = self.turn;
        self.served.retain(|_, served| served.turn < turn);
        self.awaited = None;
    }

    /// Lets what was served come again.
    pub(crate) fn next_epoch(&mut self) {
        self.epoch += 1;
        self.served.clear();
    }

    /// Takes it that the record was put back to an older state than the session knew: what it was served may be something
    /// else by now, under the same ids and revisions, so it may come again. How often it prompted and how it is set up stays.
    pub(crate) fn begin_anew(&mut self) {
        self.next_epoch();
        self.last_order.clear();
        (self.awaited, self.seen, self.beside) = (None, None, None);
    }

    /// Changes the mode, which begins an epoch if it is another one.
    pub(crate) fn set_mode(&mut self, mode: &str) {
        if self.mode != mode {
            mode.clone_into(&mut self.mode);
            self.next_epoch();
        }
    }

    /// Pauses for so many prompts, from now; none ends a pause.
    pub(crate) fn pause(&mut self, turns: u64) {
        (self.paused_turns, self.silent) = (turns, turns > 0);
    }

    /// Notes that the session was heard of.
    pub(crate) fn see(&mut self, head: u64, now_ms: i64) {
        (self.seen, self.seen_ms) = (Some(head), now_ms);
    }
}

/// What a turn of a session was given, as it was handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredTurn {
    /// SHA-256 of the rendered bytes, in hexadecimal.
    pub(crate) digest: String,
    pub(crate) chars: u64,
    /// What became of each provider, as JSON.
    pub(crate) outcomes: String,
    /// None if it is too long to be kept.
    pub(crate) text: Option<String>,
}

impl StoredTurn {
    /// A turn that was given a text.
    pub(crate) fn new(text: &str, outcomes: String) -> Self {
        let kept = (text.len() <= TURN_TEXT_BYTES).then(|| text.to_owned());
        Self { digest: digest(text.as_bytes()), chars: text.chars().count() as u64, outcomes, text: kept }
    }
}
