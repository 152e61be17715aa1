//! A host that keeps its transcript in a file and may be killed after any step of a turn. Started again, it takes the turn
//! up from its transcript and from what the record says of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stele_core::{AssembleOptions, Declaration, Delivered, Provider, Record, ResumeAction, TranscriptItem, TurnPolicy, provider};

/// What every prompt is.
pub const PROMPT: &str = "what do we know about the barometer calibration?";
/// The tokens that the record may take of the session.
pub const BUDGET: u64 = 100_000;

/// What the host has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The prompt stands in the transcript.
    Prompted,
    /// The providers are asked.
    Asked,
    /// The context is there, and stored by the record.
    Stored,
    /// It stands in the transcript.
    HandedOver,
    /// It is told as delivered.
    Acknowledged,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 5] = [Self::Prompted, Self::Asked, Self::Stored, Self::HandedOver, Self::Acknowledged];

    /// Reads the name that a step is printed by.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| format!("{step:?}") == name)
    }
}

/// A host at one turn.
pub struct Host {
    /// The session that it runs.
    pub session: String,
    /// The file of the transcript.
    pub transcript: PathBuf,
    /// The turn.
    pub turn: u64,
    /// What its provider says; nothing if it is empty.
    pub answer: String,
    /// True if the record counts a context as delivered once it is built.
    pub deliver: bool,
}

impl Host {
    /// Takes the turn up and brings it to its end, unless it is told to stop after a step. True at its end.
    ///
    /// # Panics
    /// If the record or the disk refuses something.
    pub fn live(&self, record: &Record, goes_on: &mut dyn FnMut(Step) -> bool) -> bool {
        let session = record.session(&self.session).token_budget(BUDGET).open().expect("a session");
        let prompt = format!("user:{}", self.turn);
        let mut items = read(&self.transcript);
        if !items.iter().any(|item| item.id == prompt) {
            items.push(TranscriptItem::new(&prompt, PROMPT).role("user"));
            write(&self.transcript, &items);
        }
        if !goes_on(Step::Prompted) {
            return false;
        }
        let resumed = record.resume(&self.session, self.turn, &items).expect("a decision");
        let (text, reached) = match resumed.action {
            ResumeAction::Skip => (None, None),
            ResumeAction::Append => (Some(resumed.text.clone()), Some(Delivered::from(&resumed))),
            // To run it is what a host does that knows no better.
            _ => {
                let options = AssembleOptions::new().turn(self.turn).deliver(self.deliver).provider(self.provider());
                let plan = session.plan(PROMPT, &options).expect("a plan");
                if !goes_on(Step::Asked) {
                    return false;
                }
                let context = plan.finish().expect("a context");
                (Some(context.text.clone()), (!self.deliver).then(|| Delivered::from(&context)))
            }
        };
        if !goes_on(Step::Stored) {
            return false;
        }
        if let Some(text) = text {
            self.hand_over(&mut items, &prompt, text);
        }
        if !goes_on(Step::HandedOver) {
            return false;
        }
        if let Some(reached) = reached {
            session.delivered(reached).expect("noted");
        }
        goes_on(Step::Acknowledged)
    }

    /// Puts a context where it belongs, in place of whatever stands there.
    fn hand_over(&self, items: &mut Vec<TranscriptItem>, prompt: &str, text: String) {
        if self.turn == 0 {
            let first = items.iter_mut().find(|item| item.id == prompt).expect("the prompt stands there");
            first.text = format!("{text}{PROMPT}");
        } else {
            let id = format!("local:context:{}", self.turn);
            items.retain(|item| item.id != id);
            if !text.is_empty() {
                items.push(TranscriptItem::new(id, text));
            }
        }
        write(&self.transcript, items);
    }

    fn provider(&self) -> Arc<dyn Provider> {
        let answer = self.answer.clone();
        provider(Declaration::new("weather").turns(TurnPolicy::All), move |_| Ok(answer.as_str().into()))
    }
}

/// The items of a transcript; none where there is no file.
///
/// # Panics
/// If the file is no transcript.
#[must_use]
pub fn read(file: &Path) -> Vec<TranscriptItem> {
    let Ok(text) = std::fs::read_to_string(file) else { return Vec::new() };
    let items: Vec<(String, Option<String>, String)> = serde_json::from_str(&text).expect("a transcript");
    let item = |(id, role, text)| {
        let item = TranscriptItem::new(id, text);
        match role {
            Some(role) => item.role(role),
            None => item,
        }
    };
    items.into_iter().map(item).collect()
}

/// Writes a transcript, whole or not at all.
fn write(file: &Path, items: &[TranscriptItem]) {
    let items: Vec<_> = items.iter().map(|item| (&item.id, &item.role, &item.text)).collect();
    let aside = file.with_extension("new");
    std::fs::write(&aside, serde_json::to_string(&items).expect("JSON")).expect("written");
    std::fs::rename(&aside, file).expect("in its place");
}
