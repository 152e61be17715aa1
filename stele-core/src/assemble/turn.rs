//! Whether a turn that a host takes up again has its context: what was stored of the turn is held against the host's
//! transcript. Reads nothing; where turns are stored stands in `record/`.

use std::collections::HashSet;

use crate::base::digest::digest;
use crate::base::names::named_enum;
use crate::record::session::{Delivery, StoredTurn};

/// What the id of an item begins with that is a context.
const ITEM: &str = "local:context:";
/// Who speaks in a user's message.
const USER: &str = "user";
/// A shorter line of a context may stand in a message by chance, in characters.
const TELLING_LINE: usize = 16;

named_enum! {
    /// What a host does with a turn that it takes up again.
    ResumeAction, UnknownValue, "action" {
        /// Nothing: the transcript has what was stored, or there is nothing to have.
        Skip = 0 "skip",
        /// Puts the stored text into the transcript, which lacks it.
        Append = 1 "append",
        /// Assembles the turn: nothing was stored of it, or the transcript has something else in its place.
        Run = 2 "run",
    }
}

/// One item of a host's transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptItem {
    /// Its id; that of a context is `local:context:` with the turn.
    pub id: String,
    /// Who speaks, in the host's own word; a user's message is `user`.
    pub role: Option<String>,
    /// Its text.
    pub text: String,
}

impl TranscriptItem {
    /// An item that does not say who speaks.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), role: None, text: text.into() }
    }

    /// Says who speaks.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    fn is_of(&self, role: &str) -> bool {
        self.role.as_deref().is_some_and(|own| own.trim().eq_ignore_ascii_case(role))
    }
}

/// How a turn goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resumed {
    /// What to do.
    pub action: ResumeAction,
    /// The turn, from 0.
    pub turn: u64,
    /// The text to append; empty for the other actions.
    pub text: String,
    /// The id of the item that the turn's context is; none in turn 0, whose context belongs into the first prompt.
    pub item_id: Option<String>,
    /// True if something stands in the transcript, or may, that what is assembled now takes the place of, be it nothing.
    pub replaces: bool,
    /// SHA-256 of the bytes of what was stored of the turn, in hexadecimal; empty if nothing was.
    pub digest: String,
    /// How its providers ended, as JSON; empty if nothing was stored.
    pub outcomes: String,
    /// What the text shows, as far as it is not known to have reached the model.
    pub(crate) delivery: Delivery,
}

/// The id of the item that is the context of a turn; none in turn 0.
pub(crate) fn item_id(turn: u64) -> Option<String> {
    (turn > 0).then(|| format!("{ITEM}{turn}"))
}

/// Holds what was stored of a turn against a transcript.
pub(crate) fn resume(stored: Option<&StoredTurn>, turn: u64, transcript: &[TranscriptItem]) -> Resumed {
    let place = Place::of(turn, transcript);
    let act = |action, text: &str| Resumed {
        action,
        turn,
        text: text.to_owned(),
        item_id: item_id(turn),
        digest: stored.map_or(String::new(), |stored| stored.digest.clone()),
        outcomes: stored.map_or(String::new(), |stored| stored.outcomes.clone()),
        replaces: action == ResumeAction::Run && place.has_some_of(stored),
        delivery: Delivery::default(),
    };
    match stored {
        Some(stored) if place.agrees_with(stored) => act(ResumeAction::Skip, ""),
        Some(StoredTurn { text: Some(text), .. }) if !place.has_some_of(stored) => act(ResumeAction::Append, text),
        _ => act(ResumeAction::Run, ""),
    }
}

/// Where the context of a turn stands in a transcript, if it does.
struct Place<'t> {
    /// Items that are the turn's context by their id.
    items: Vec<&'t str>,
    /// Messages that hold the context among other text: in turn 0 the user's first.
    messages: Vec<&'t str>,
}

impl<'t> Place<'t> {
    fn of(turn: u64, transcript: &'t [TranscriptItem]) -> Self {
        let id = format!("{ITEM}{turn}");
        let items = transcript.iter().filter(|item| item.id == id).map(|item| item.text.as_str()).collect();
        let mut messages: Vec<&str> = Vec::new();
        if turn == 0 {
            let others = || transcript.iter().filter(|item| !item.id.starts_with(ITEM));
            match others().find(|item| item.is_of(USER)) {
                Some(first) => messages.push(&first.text),
                // Where nobody says who speaks, any message may be the user's first.
                None => messages.extend(others().filter(|item| item.role.is_none()).map(|item| item.text.as_str())),
            }
        }
        Self { items, messages }
    }

    /// True if the transcript has what was stored, and nothing where nothing was.
    fn agrees_with(&self, stored: &StoredTurn) -> bool {
        let same = |item: &&str| digest(item.as_bytes()) == stored.digest || stored.text.as_deref().is_some_and(|text| plain(item) == plain(text));
        match stored.text.as_deref() {
            Some("") => self.items.iter().all(|item| item.is_empty()),
            Some(text) => self.items.iter().any(same) || self.messages.iter().any(|message| message.contains(text) || plain(message).contains(&plain(text))),
            None => self.items.iter().any(same),
        }
    }

    /// True if something stands where the context belongs: an item of its id, or a part of it in a message. Of a text that
    /// was too long to be kept, a part may stand in any message.
    fn has_some_of(&self, stored: Option<&StoredTurn>) -> bool {
        let in_messages = stored.is_some_and(|stored| match stored.text.as_deref() {
            None => !self.messages.is_empty(),
            Some(text) => self.messages.iter().any(|message| holds_part(message, text)),
        });
        in_messages || !self.items.is_empty()
    }
}

/// True if a message holds the first line of a context, or most of its lines. A moment in the same message shares some
/// with it, and so may what a user quotes.
fn holds_part(message: &str, context: &str) -> bool {
    let telling = |line: &&str| line.chars().count() >= TELLING_LINE && line.contains(char::is_alphanumeric);
    let lines: HashSet<&str> = message.lines().map(str::trim).filter(telling).collect();
    let wanted = || context.lines().map(str::trim).filter(telling);
    let held = wanted().filter(|line| lines.contains(line)).count();
    wanted().next().is_some_and(|first| lines.contains(first)) || held * 2 > wanted().count()
}

/// A text as every transcript keeps it: without white space at its ends, with one kind of line end.
fn plain(text: &str) -> String {
    text.trim().replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIRST: &str = "── rules to follow, all of them ──\nRULE-1  wear gloves when you calibrate\nRULE-2  tap the barometer twice\n──────\n";
    const SECOND: &str = "── rules to follow, all of them ──\nRULE-1  wear gloves when you calibrate\nRULE-3  look at the sea instead\n──────\n";

    fn texts() -> impl Strategy<Value = String> {
        let whole = [String::new(), FIRST.to_owned(), SECOND.to_owned(), FIRST.trim().to_owned(), format!("{FIRST}{FIRST}"), FIRST.replace('\n', "\r\n")];
        let parts = [FIRST[..60].to_owned(), format!("{SECOND}and now?"), "and now?".to_owned(), format!("see {FIRST}")];
        prop::sample::select([&whole[..], &parts[..]].concat())
    }

    fn items() -> impl Strategy<Value = Vec<TranscriptItem>> {
        let ids = prop::sample::select(vec!["local:context:0", "local:context:1", "local:context:2", "u1", "a1"]);
        let roles = prop::sample::select(vec![None, Some("user"), Some("system"), Some("User ")]);
        let item = (ids, roles, texts()).prop_map(|(id, role, text)| TranscriptItem { id: id.to_owned(), role: role.map(str::to_owned), text });
        prop::collection::vec(item, 0..6)
    }

    /// What a host does with a text: it takes the place of whatever is there.
    fn hand_over(items: &mut Vec<TranscriptItem>, turn: u64, text: &str) {
        items.retain(|item| item.id != format!("{ITEM}{turn}"));
        match item_id(turn) {
            Some(id) if !text.is_empty() => items.push(TranscriptItem::new(id, text)),
            Some(_) => {}
            None => {
                let others = |item: &&mut TranscriptItem| !item.id.starts_with(ITEM);
                let spoken = items.iter().any(|item| !item.id.starts_with(ITEM) && item.is_of(USER));
                match items.iter_mut().filter(others).find(|item| item.is_of(USER) == spoken && (spoken || item.role.is_none())) {
                    Some(first) => first.text = format!("{text}what now?"),
                    None => items.insert(0, TranscriptItem::new("first", format!("{text}what now?")).role(USER)),
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn done_as_said_a_turn_has_its_context_and_nothing_is_appended_beside_it(
            turn in 0_u64..3,
            stored in prop::option::of(prop::sample::select(vec!["", FIRST, SECOND])),
            anew in prop::sample::select(vec!["", FIRST, SECOND]),
            kept in prop::bool::weighted(0.9),
            mut items in items(),
        ) {
            let stored = stored.map(|text| StoredTurn::new(text, String::new())).map(|stored| StoredTurn { text: stored.text.filter(|_| kept), ..stored });
            let resumed = resume(stored.as_ref(), turn, &items);
            let now = match resumed.action {
                ResumeAction::Skip => stored,
                ResumeAction::Append => {
                    let beside = items.iter().any(|item| item.id == format!("{ITEM}{turn}"));
                    prop_assert!(!beside, "{:?}", items);
                    hand_over(&mut items, turn, &resumed.text);
                    stored
                }
                ResumeAction::Run => {
                    hand_over(&mut items, turn, anew);
                    Some(StoredTurn::new(anew, String::new()))
                }
            };
            let again = resume(now.as_ref(), turn, &items);
            prop_assert_eq!(again.action, ResumeAction::Skip, "{:?}", items);
        }
    }
}
