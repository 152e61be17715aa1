//! From text to tokens: the uncased BERT rules and WordPiece, read from the generated assets.
//!
//! Every rule of the normaliser (clean, space around CJK, strip accents, lower case, split on
//! punctuation) looks at one character at a time, so all of them are one table look-up. Accents
//! are dropped, which is why canonical reordering never shows. Nothing here knows of vectors.

use crate::layout::{
    ALONE, CONTINUATION_ROOT, DROP, EXPANDS, EXPANSION_LEN, EXPANSIONS, NO_TOKEN, PAGE_LEN, PAGES, SPACE, STRANGER, WORD_ROOT, base, hangul_parts, parent,
    token,
};

static CHARS: &[u8] = include_bytes!("../data/chars.bin");
static PIECES: &[u8] = include_bytes!("../data/pieces.bin");

/// The most tokens that a text has; what follows is not looked at.
pub(crate) const MAX_TOKENS: usize = 512;
/// The token `[UNK]`: a word that the vocabulary cannot spell.
pub(crate) const UNKNOWN: u16 = 100;
/// A word of more characters is unknown, whatever it says.
const MAX_WORD: usize = 100;

/// The tokens of one text, at most [`MAX_TOKENS`]; lives on the stack.
pub(crate) struct Tokens {
    ids: [u16; MAX_TOKENS],
    len: usize,
}

impl Tokens {
    /// Reads a text; the time is linear in its length and ends with the last token that counts.
    pub(crate) fn of(text: &str) -> Self {
        let mut tokens = Self { ids: [0; MAX_TOKENS], len: 0 };
        let mut word = Word::new();
        for c in text.chars() {
            match class_of(c) {
                DROP => continue,
                SPACE => word.finish(&mut tokens),
                class if class & ALONE != 0 => {
                    word.finish(&mut tokens);
                    tokens.push(class & !ALONE);
                }
                class if class & EXPANDS != 0 => word.push_parts(c, class),
                letter => {
                    word.push(letter);
                    continue;
                }
            }
            if tokens.len == MAX_TOKENS {
                return tokens;
            }
        }
        word.finish(&mut tokens);
        tokens
    }

    /// Returns the ids in the order of the text.
    pub(crate) fn ids(&self) -> &[u16] {
        &self.ids[..self.len]
    }

    fn push(&mut self, id: u16) {
        if let Some(place) = self.ids.get_mut(self.len) {
            *place = id;
            self.len += 1;
        }
    }
}

/// The letters of the word being read.
struct Word {
    letters: [u16; MAX_WORD],
    len: usize,
    /// Too long, or has a character that no entry contains: nothing more needs to be kept.
    hopeless: bool,
}

impl Word {
    fn new() -> Self {
        Self { letters: [0; MAX_WORD], len: 0, hopeless: false }
    }

    fn push(&mut self, letter: u16) {
        if letter != STRANGER
            && let Some(place) = self.letters.get_mut(self.len)
        {
            *place = letter;
            self.len += 1;
        } else {
            self.hopeless = true;
        }
    }

    fn push_parts(&mut self, c: char, class: u16) {
        if let Some((lead, vowel, tail)) = hangul_parts(c) {
            for part in [Some(lead), Some(vowel), tail].into_iter().flatten() {
                self.push(class_of(part));
            }
            return;
        }
        let row = usize::from(class & !EXPANDS) * EXPANSION_LEN;
        for n in row..row + EXPANSION_LEN {
            match u16_at(CHARS, CHARS.len() / 2 - EXPANSIONS * EXPANSION_LEN + n) {
                DROP => break,
                letter => self.push(letter),
            }
        }
    }

    /// Ends the word and appends its tokens; does nothing between words.
    fn finish(&mut self, tokens: &mut Tokens) {
        if self.hopeless {
            tokens.push(UNKNOWN);
        } else {
            spell(&self.letters[..self.len], tokens);
        }
        self.len = 0;
        self.hopeless = false;
    }
}

/// Appends the longest entry that the word starts with, then the longest continuation, and so on.
///
/// This cannot fail: each letter is an entry both as a word and as a continuation, which the
/// generator makes sure of.
fn spell(letters: &[u16], tokens: &mut Tokens) {
    let mut from = 0;
    let mut root = WORD_ROOT;
    while from < letters.len() {
        let (id, length) = longest(root, &letters[from..]);
        tokens.push(id);
        from += length;
        root = CONTINUATION_ROOT;
    }
}

/// Returns the longest entry under a root that the letters start with, and its length.
fn longest(root: usize, letters: &[u16]) -> (u16, usize) {
    let mut found = None;
    let mut at = root;
    let mut children = base(unit_at(root));
    for (n, letter) in letters.iter().enumerate() {
        let child = children + usize::from(*letter);
        let unit = unit_at(child);
        if parent(unit) != at {
            break;
        }
        if token(unit) != NO_TOKEN {
            found = Some((token(unit), n + 1));
        }
        at = child;
        children = base(unit);
    }
    found.expect("the first letter is an entry")
}

fn class_of(c: char) -> u16 {
    let code = c as usize;
    let page = usize::from(CHARS[code / PAGE_LEN]);
    u16_at(CHARS, PAGES / 2 + page * PAGE_LEN + code % PAGE_LEN)
}

fn u16_at(bytes: &[u8], n: usize) -> u16 {
    u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]])
}

fn unit_at(n: usize) -> u64 {
    let unit = PIECES[8 * n..].first_chunk().expect("the trie ends in a page of unused units");
    u64::from_le_bytes(*unit)
}
