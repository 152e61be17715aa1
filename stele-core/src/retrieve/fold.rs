//! Near-duplicates: which live facts say the same, so that one entry may stand for all.
//!
//! Two facts are alike if they are of one category, their titles have one form or their cosine is at least 0.92, they name
//! the same numbers and negate alike, share enough words, and no edge says that they contradict each other. What is cheap
//! to compare comes first: vectors that search has at hand before words, words before vectors that must be made.

use std::rc::Rc;

use super::nodes::Nodes;
use crate::base::config::NEAR_DUPLICATE;
use crate::base::error::Result;
use crate::base::number_map::NumberMap;
use crate::base::text::cut;
use crate::base::time::Deadline;
use crate::index::embed::CheckedEmbedder;
use crate::index::embedding::{Asking, vectors_of};
use crate::index::simd::dot_exact;
use crate::index::view::View;
use crate::record::advice::claims;
use crate::record::apply::units_of;
use crate::record::node::{Class, State};
use crate::record::reader::Brief;

/// The share of the shorter text's words that must stand in the longer one before vectors are compared.
const SHARED_WORDS: f32 = 0.3;
/// How much of a body is looked at for shared words, in characters.
const LOOKED_AT: usize = 400;
/// Texts that are read or embedded whatever the time.
const READ_LATE: usize = 32;

/// The numbers that a text names, and whether it denies.
type Claims = Rc<(Vec<String>, bool)>;

/// Compares facts, keeping what it has read and computed.
pub(crate) struct Likeness<'v> {
    view: Option<&'v View>,
    words: NumberMap<Rc<Vec<u64>>>,
    /// What must be equal in texts that say the same.
    claims: NumberMap<Option<Claims>>,
    /// Vectors that search has at hand.
    held: NumberMap<Option<Rc<Vec<f32>>>>,
    /// Vectors that were read or made for those that it has not.
    made: NumberMap<Option<Rc<Vec<f32>>>>,
    /// How many texts had to be embedded, or looked for among the kept vectors.
    pub(crate) embedded: u64,
    deadline: Deadline,
    /// Texts that were read or embedded past the deadline.
    late: usize,
    /// True if two nodes could not be compared for want of time.
    pub(crate) cut: bool,
}

impl<'v> Likeness<'v> {
    /// Without a view and its embedder only titles are compared. Past the deadline few texts are read or embedded for a
    /// comparison, and what would need more is not alike.
    pub(crate) fn new(view: Option<&'v View>, deadline: Deadline) -> Self {
        let (words, claims, held, made) = (NumberMap::default(), NumberMap::default(), NumberMap::default(), NumberMap::default());
        Self { view, words, claims, held, made, embedded: 0, deadline, late: 0, cut: false }
    }

    /// True if there is time to read or embed one more text.
    fn has_time(&mut self) -> bool {
        self.late += usize::from(self.late > 0 || self.deadline.expired());
        self.cut |= self.late > READ_LATE;
        self.late <= READ_LATE
    }

    /// True if two nodes are live facts that say the same.
    pub(crate) fn alike(&mut self, nodes: &mut Nodes<'_>, a: &Brief, b: &Brief) -> Result<bool> {
        let comparable =
            a.number != b.number && a.class == b.class && matches!(a.class, Class::Knowledge(_)) && a.state == State::Live && b.state == State::Live;
        if !comparable || (a.title_key != b.title_key && !self.is_near(nodes, a.number, b.number)?) {
            return Ok(false);
        }
        let (Some(one), Some(other)) = (self.claims(nodes, a.number)?, self.claims(nodes, b.number)?) else { return Ok(false) };
        Ok(one == other && !nodes.contradicting(a.number)?.contains(&b.number))
    }

    /// True if two entries could be one: what they stand for themselves says the same, and nothing that either stands for
    /// contradicts what the other does.
    pub(crate) fn one(&mut self, nodes: &mut Nodes<'_>, (a, of_a): (&Brief, &[u64]), (b, of_b): (&Brief, &[u64])) -> Result<bool> {
        if !self.alike(nodes, a, b)? {
            return Ok(false);
        }
        if of_a.is_empty() && of_b.is_empty() {
            return Ok(true);
        }
        let others: Vec<u64> = std::iter::once(a.number).chain(of_a.iter().copied()).collect();
        let together: Vec<u64> = std::iter::once(b.number).chain(of_b.iter().copied()).collect();
        Ok(nodes.contradicting_any(&together)?.iter().all(|(number, _)| !others.contains(number)))
    }

    /// What must be equal in two texts that say the same; `None` if there is no text, or no time to read it.
    fn claims(&mut self, nodes: &mut Nodes<'_>, number: u64) -> Result<Option<Claims>> {
        if let Some(known) = self.claims.get(&number) {
            return Ok(known.clone());
        }
        if !self.has_time() {
            return Ok(None);
        }
        let claims = nodes.text(number)?.map(|text| Rc::new(claims(&text.content.title, &text.content.body)));
        self.claims.insert(number, claims.clone());
        Ok(claims)
    }

    fn is_near(&mut self, nodes: &mut Nodes<'_>, a: u64, b: u64) -> Result<bool> {
        let Some((view, embedder)) = self.view.and_then(|view| Some((view, view.embedder.as_ref()?))) else { return Ok(false) };
        let (one, other) = (self.held(view, a), self.held(view, b));
        if let (Some(one), Some(other)) = (&one, &other)
            && dot_exact(one, other) < NEAR_DUPLICATE
        {
            return Ok(false);
        }
        let (Some(words), Some(others)) = (self.words(nodes, a)?, self.words(nodes, b)?) else { return Ok(false) };
        let share = share_enough(&words, &others);
        if !share || (one.is_some() && other.is_some()) {
            return Ok(share);
        }
        let one = if one.is_some() { one } else { self.made(nodes, embedder, a)? };
        let other = if other.is_some() { other } else { self.made(nodes, embedder, b)? };
        Ok(one.zip(other).is_some_and(|(one, other)| dot_exact(&one, &other) >= NEAR_DUPLICATE))
    }

    fn held(&mut self, view: &View, number: u64) -> Option<Rc<Vec<f32>>> {
        self.held.entry(number).or_insert_with(|| view.vector(number).map(Rc::new)).clone()
    }

    /// The words of a node's text, as sorted numbers; `None` if there is no time to read it.
    fn words(&mut self, nodes: &mut Nodes<'_>, number: u64) -> Result<Option<Rc<Vec<u64>>>> {
        if let Some(known) = self.words.get(&number) {
            return Ok(Some(Rc::clone(known)));
        }
        if !self.has_time() {
            return Ok(None);
        }
        let mut words = Vec::new();
        if let Some(text) = nodes.text(number)? {
            add_words(&text.content.title, &mut words);
            add_words(cut(&text.content.body, LOOKED_AT), &mut words);
        }
        words.sort_unstable();
        words.dedup();
        let words = Rc::new(words);
        self.words.insert(number, Rc::clone(&words));
        Ok(Some(words))
    }

    fn made(&mut self, nodes: &mut Nodes<'_>, embedder: &CheckedEmbedder, number: u64) -> Result<Option<Rc<Vec<f32>>>> {
        if let Some(known) = self.made.get(&number) {
            return Ok(known.clone());
        }
        if !self.has_time() {
            return Ok(None);
        }
        let mut vector = None;
        if let Some(text) = nodes.text(number)? {
            self.embedded += 1;
            let units = units_of(&text.content);
            vector = vectors_of(nodes.snapshot, embedder, &units[..1], Asking::Kept)?.of_units.into_iter().next().flatten().map(Rc::new);
        }
        self.made.insert(number, vector.clone());
        Ok(vector)
    }
}

/// Adds a number for each word of a text; a letter beyond the alphabets, such as an ideograph, is a word by itself.
///
/// The numbers are FNV-1a: they are only counted, so a rare collision changes nothing but the cost.
fn add_words(text: &str, words: &mut Vec<u64>) {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    let mut word = START;
    let mut end = |word: &mut u64| {
        if *word != START {
            words.push(std::mem::replace(word, START));
        }
    };
    for c in text.chars() {
        if !c.is_alphanumeric() {
            end(&mut word);
            continue;
        }
        word = (word ^ u64::from(c.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
        if c >= '\u{0e00}' {
            end(&mut word);
        }
    }
    end(&mut word);
}

fn share_enough(a: &[u64], b: &[u64]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shared = short.iter().filter(|word| long.binary_search(word).is_ok()).count();
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    let share = shared as f32 / short.len().max(1) as f32;
    share >= SHARED_WORDS
}
