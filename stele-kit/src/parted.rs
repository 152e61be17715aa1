//! Results whose window stays as it was found until somebody looks at it: for a door whose host may take the text and leave
//! the entries, where writing them and reading them back is most of what a call costs.

use serde::{Serialize, Serializer};
use stele_core::{Entry, Format, Result};

use crate::notation::{Answer, Given, Notation, written};
use crate::results;

/// A result in parts.
#[derive(Debug, Default)]
pub struct Parted {
    /// All of it as text; of a window only the fields, which are empty.
    pub rest: String,
    /// The window, if it has one.
    pub window: Option<Window>,
}

/// A part of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its text.
    Text,
    /// Its entries.
    Entries,
    /// The risks that stand apart.
    Callouts,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Entries, Self::Callouts];
}

/// A window as it was found. It needs no record, and looking at it cannot fail.
#[derive(Debug)]
pub struct Window(Found);

#[derive(Debug)]
enum Found {
    Retrieval(Box<stele_core::Retrieval>, Format),
    Moment(Box<stele_core::Moment>),
}

impl Window {
    /// A part in a notation.
    ///
    /// # Errors
    /// `internal` for what has no form as JSON, which no part is.
    pub fn part(&self, part: Part, notation: Notation) -> Result<String> {
        let (entries, callouts) = self.entries();
        match (part, &self.0) {
            (Part::Text, Found::Retrieval(found, format)) => written(&found.render(*format), notation),
            (Part::Text, Found::Moment(found)) => written(&found.text, notation),
            (Part::Entries, _) => written(&Entries(entries), notation),
            (Part::Callouts, _) => written(&Entries(callouts), notation),
        }
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let (entries, callouts) = self.entries();
        size_of::<stele_core::Retrieval>() + entries.iter().chain(callouts).map(bytes).sum::<usize>()
    }

    fn entries(&self) -> (&[Entry], &[Entry]) {
        match &self.0 {
            Found::Retrieval(found, _) => (&found.entries, &found.callouts),
            Found::Moment(found) => (&found.entries, &found.callouts),
        }
    }
}

/// About how many bytes an entry takes.
fn bytes(entry: &Entry) -> usize {
    let anchors = entry.anchors.iter().map(|anchor| size_of_val(anchor) + anchor.path.len());
    let others = entry.replaces.iter().chain(&entry.replaced_by);
    let others = others.map(|other| size_of_val(other) + other.node.title.len() + other.reason.len() + other.evidence.as_ref().map_or(0, String::len));
    let quote = entry.source.as_ref().and_then(|source| source.quote.as_ref()).map_or(0, String::len);
    size_of::<Entry>() + entry.title.len() + entry.body.len() + entry.passage.len() + quote + anchors.sum::<usize>() + others.sum::<usize>()
}

/// Entries, each made into a result as it is written.
struct Entries<'e>(&'e [Entry]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().cloned().map(results::Entry::from))
    }
}

/// A retrieval that a verb gives, whose text has a format.
pub(crate) struct Retrieval {
    pub(crate) found: stele_core::Retrieval,
    pub(crate) format: Format,
}

impl Given for Retrieval {
    fn give(self, answer: &mut Answer<'_>) -> Result<()> {
        let Self { found, format } = self;
        match answer {
            Answer::Parted(notation, parted) => {
                **parted =
                    Parted { rest: written(&results::Retrieval::bare(&found), *notation)?, window: Some(Window(Found::Retrieval(Box::new(found), format))) };
                Ok(())
            }
            _ => answer.write(&results::Retrieval::written(found, format)),
        }
    }
}

/// A moment of a session that a verb gives.
pub(crate) struct Moment(stele_core::Moment);

impl From<stele_core::Moment> for Moment {
    fn from(found: stele_core::Moment) -> Self {
        Self(found)
    }
}

impl Given for Moment {
    fn give(self, answer: &mut Answer<'_>) -> Result<()> {
        let Self(found) = self;
        match answer {
            Answer::Parted(notation, parted) => {
                **parted = Parted { rest: written(&results::Moment::bare(&found), *notation)?, window: Some(Window(Found::Moment(Box::new(found)))) };
                Ok(())
            }
            _ => answer.write(&results::Moment::from(found)),
        }
    }
}

/// A context that a verb gives; its window is that of the record.
pub(crate) struct Context(stele_core::Context);

impl From<stele_core::Context> for Context {
    fn from(found: stele_core::Context) -> Self {
        Self(found)
    }
}

impl Given for Context {
    fn give(self, answer: &mut Answer<'_>) -> Result<()> {
        let Self(found) = self;
        match answer {
            Answer::Parted(notation, parted) => {
                **parted = context_parted(found, *notation)?;
                Ok(())
            }
            _ => answer.write(&results::Context::from(found)),
        }
    }
}

/// A context in parts: its window is that of the record.
///
/// # Errors
/// `internal` for what has no form as JSON.
pub fn context_parted(found: stele_core::Context, notation: Notation) -> Result<Parted> {
    let (found, record) = results::Context::bare(found);
    Ok(Parted { rest: written(&found, notation)?, window: Some(Window(Found::Retrieval(Box::new(record), Format::Text))) })
}
