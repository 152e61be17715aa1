//! Terms: how text becomes what text search compares, for prose and code alike.
//!
//! One tokeniser serves the index, the tail, the query and the length that statistics sum, so the four can never
//! disagree. It is pure, takes any text, and costs time linear in it. Changing what it emits changes the index format.
//!
//! - A **word** is folded (case, accents, widths) and, if it is made of ASCII letters, stemmed (Snowball English).
//! - An **identifier** is emitted whole and by part: `rateLimiter`, `rate_limiter` and `rate-limiter` share the whole
//!   `ratelimit` and the parts `rate` and `limit`; `TS2769` has the whole `ts2769` and the parts `ts` and `2769`.
//! - A **path** (`src/auth/mod.rs`, `foo::bar`, `v1.2.3`) is emitted whole, by component, and as the identifiers in it.
//! - Scripts without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) are emitted by **bigram**, a lone character alone.
//! - Zero-width characters are passed over; an apostrophe inside a word is left out (`don't` is `dont`).

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

/// The longest term in bytes; a longer one keeps its beginning and ends in a hash of the whole.
const TERM_BYTES: usize = 64;
/// The longest word that is stemmed, and that the stem cache holds.
const STEM_BYTES: usize = 30;
/// Slots of the stem cache at first, and once a long run has missed in it often.
const STEM_SLOTS: (usize, usize) = (256, 16_384);
/// A prompt longer than twice this many bytes is read at its beginning and its end only, so that any prompt takes milliseconds.
const PROMPT_WINDOW: usize = 64 * 1024;
/// How many distinct terms of a prompt a search should look at.
pub(crate) const QUERY_TERMS: usize = 256;

/// Words that shape a question and say nothing about its subject, in the form the tokeniser emits, sorted.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "ani", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "doe", "doesnt", "dont", "for", "from",
    "had", "has", "have", "how", "i", "if", "im", "in", "into", "is", "isnt", "it", "me", "my", "of", "on", "or", "our", "pleas", "rememb", "should", "so",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what", "when",
    "where", "whi", "which", "who", "will", "with", "would", "you", "your",
];

/// What a term was in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A word, a bigram, or a part of something larger.
    Part,
    /// A whole that was emitted by part as well.
    Whole,
}

/// A term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    /// The term as the index holds it.
    pub(crate) text: String,
    /// How often it stands in the prompt.
    pub(crate) count: u32,
    /// True if its parts are terms of the query too, so that not finding it says little.
    pub(crate) whole: bool,
}

/// The length of a unit as statistics and ranking count it: its terms, those of the title twice.
pub(crate) fn unit_length(title: &str, body: &str) -> u64 {
    Tokeniser::new().unit_length(title, body)
}

/// The distinct terms of a prompt in order of appearance, without function words unless there is nothing else.
///
/// At most `max_distinct` are kept, half from the beginning and half from the end, where the question itself stands
/// when the middle is pasted. Of a prompt above 128 KiB only the first and the last 64 KiB are read.
pub(crate) fn query_terms(prompt: &str, max_distinct: usize) -> Vec<QueryTerm> {
    query_terms_with(&mut Tokeniser::new(), prompt, max_distinct)
}

/// The same, by a tokeniser that is kept.
pub(crate) fn query_terms_with(tokeniser: &mut Tokeniser, prompt: &str, max_distinct: usize) -> Vec<QueryTerm> {
    let mut terms: Vec<QueryTerm> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut take = |text: &str, form: Form| match places.get(text) {
        Some(&place) => {
            let term: &mut QueryTerm = &mut terms[place];
            term.count = term.count.saturating_add(1);
            term.whole &= form == Form::Whole;
        }
        None => {
            places.insert(text.to_owned(), terms.len());
            terms.push(QueryTerm { text: text.to_owned(), count: 1, whole: form == Form::Whole });
        }
    };
    if prompt.len() <= 2 * PROMPT_WINDOW {
        tokeniser.scan(prompt, &mut take);
    } else {
        tokeniser.scan(&prompt[..prompt.floor_char_boundary(PROMPT_WINDOW)], &mut take);
        tokeniser.scan(&prompt[prompt.ceil_char_boundary(prompt.len() - PROMPT_WINDOW)..], &mut take);
    }
    if terms.iter().any(|term| !is_function_word(&term.text)) {
        terms.retain(|term| !is_function_word(&term.text));
    }
    if terms.len() > max_distinct {
        let head = max_distinct.div_ceil(2);
        terms.drain(head..terms.len() - (max_distinct - head));
    }
    terms
}

fn is_function_word(term: &str) -> bool {
    FUNCTION_WORDS.binary_search(&term).is_ok()
}

/// The tokeniser with its buffers; making one is cheap, keeping one makes long runs faster.
pub(crate) struct Tokeniser {
    stems: StemCache,
    /// The chain being read, folded: words joined by [`JOIN`], `.` and `/`.
    chain: String,
    /// How many joints are in the chain.
    joints: usize,
    /// Where a word of the chain divides into parts, ascending.
    cuts: Vec<usize>,
    /// Where an apostrophe stood in the chain.
    elisions: Vec<usize>,
    /// The run of a script without spaces being read.
    run: Vec<char>,
    /// A whole put together from joined words.
    joined: String,
}

/// Stands in a chain for the `_` or `-` between two words.
const JOIN: char = '\u{1}';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// No character of a word: the start of one follows.
    Edge,
}

impl Tokeniser {
    /// A tokeniser with empty buffers.
    pub(crate) fn new() -> Self {
        Self { stems: StemCache::new(), chain: String::new(), joints: 0, cuts: Vec::new(), elisions: Vec::new(), run: Vec::new(), joined: String::new() }
    }

    /// Calls `emit` with every term of `text`, repeated ones each time.
    pub(crate) fn each_term(&mut self, text: &str, emit: &mut dyn FnMut(&str)) {
        self.scan(text, &mut |term, _| emit(term));
    }

    /// The terms of a title twice and those of a body.
    pub(crate) fn unit_length(&mut self, title: &str, body: &str) -> u64 {
        let mut count = 0;
        self.each_term(title, &mut |_| count += 2);
        self.each_term(body, &mut |_| count += 1);
        count
    }

    /// The terms of a title twice and those of a body, each followed by a space, which no term holds.
    pub(crate) fn spaced_terms(&mut self, title: &str, body: &str) -> String {
        let mut terms = String::with_capacity(2 * title.len() + body.len() + body.len() / 4);
        for text in [title, title, body] {
            self.each_term(text, &mut |term| {
                terms.push_str(term);
                terms.push(' ');
            });
        }
        terms
    }

    fn scan(&mut self, text: &str, emit: &mut dyn FnMut(&str, Form)) {
        // The classes of the last two characters of the word, and where the last one begins in the chain.
        let (mut before, mut last, mut last_start) = (Class::Edge, Class::Edge, 0);
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if is_passed_over(c) {
                continue;
            }
            if is_unspaced(c) {
                self.end_chain(emit);
                (before, last) = (Class::Edge, Class::Edge);
                push_unspaced(&mut self.run, c);
                continue;
            }
            self.end_run(emit);
            let class = class_of(c, last);
            if class != Class::Edge {
                let start = self.chain.len();
                let cut = match (last, class) {
                    (Class::Digit, Class::Lower | Class::Upper) | (Class::Lower | Class::Upper, Class::Digit) | (Class::Lower, Class::Upper) => Some(start),
                    // In `HTTPServer` the last capital belongs to what follows; in `URLs` it does not.
                    (Class::Upper, Class::Lower) if before == Class::Upper && !is_plural_end(c, rest.as_str()) => Some(last_start),
                    _ => None,
                };
                fold_onto(&mut self.chain, c);
                // What folds to nothing divides nothing.
                if self.chain.len() > start {
                    self.cuts.extend(cut);
                    (before, last, last_start) = (last, class, start);
                }
                continue;
            }
            // Only what stands between two characters of words joins them.
            if last != Class::Edge {
                if is_apostrophe(c) && last != Class::Digit && starts_word(rest.as_str()) {
                    self.elisions.push(self.chain.len());
                    continue;
                }
                if let Some((joint, width)) = joint_of(c, rest.as_str()) {
                    for _ in 0..width {
                        rest.next();
                    }
                    self.chain.push(joint);
                    self.joints += 1;
                    (before, last) = (Class::Edge, Class::Edge);
                    continue;
                }
                if self.chain.len() == 1 && last != Class::Digit && is_language_suffix(c, rest.as_str()) {
                    self.chain.push_str(if c == '#' { "#" } else { "++" });
                    emit(&self.chain, Form::Whole);
                    self.chain.truncate(1);
                }
            }
            self.end_chain(emit);
            (before, last) = (Class::Edge, Class::Edge);
        }
        self.end_run(emit);
        self.end_chain(emit);
    }

    fn end_run(&mut self, emit: &mut dyn FnMut(&str, Form)) {
        let mut term = [0; 8];
        let mut put = |characters: &[char]| {
            let mut end = 0;
            for c in characters {
                end += c.encode_utf8(&mut term[end..]).len();
            }
            emit(std::str::from_utf8(&term[..end]).expect("characters encode as UTF-8"), Form::Part);
        };
        match self.run.len() {
            0 => return,
            1 => put(&self.run),
            _ => self.run.windows(2).for_each(&mut put),
        }
        self.run.clear();
    }

    fn end_chain(&mut self, emit: &mut dyn FnMut(&str, Form)) {
        if self.chain.is_empty() {
            return;
        }
        let chain = std::mem::take(&mut self.chain);
        if self.joints == 0 && self.cuts.is_empty() && self.elisions.is_empty() {
            self.term(&chain, Form::Part, emit);
        } else {
            self.compound(&chain, emit);
            self.joints = 0;
            self.cuts.clear();
            self.elisions.clear();
        }
        self.chain = chain;
        self.chain.clear();
    }

    /// Emits a chain with the wholes and parts in it.
    fn compound(&mut self, chain: &str, emit: &mut dyn FnMut(&str, Form)) {
        let (mut at, mut cut) = (0, 0);
        let is_path = chain.contains('/');
        if is_path {
            self.whole(chain, emit);
        }
        for component in chain.split('/') {
            let is_dotted = component.contains('.');
            if is_dotted {
                self.whole(component, emit);
            }
            for name in component.split('.') {
                let is_joined = name.contains(JOIN);
                if is_joined {
                    self.whole(name, emit);
                }
                for word in name.split(JOIN) {
                    let first = cut;
                    while cut < self.cuts.len() && self.cuts[cut] < at + word.len() {
                        cut += 1;
                    }
                    self.word(word, at, first..cut, is_path || is_dotted || is_joined, emit);
                    at += word.len() + 1;
                }
            }
        }
    }

    /// Emits a word that begins at `at` of its chain, by part if the cuts say so.
    fn word(&mut self, word: &str, at: usize, cuts: std::ops::Range<usize>, inside: bool, emit: &mut dyn FnMut(&str, Form)) {
        // A lone letter out of something larger says nothing.
        if word.is_empty() || inside && word.len() == 1 && !word.as_bytes()[0].is_ascii_digit() {
            return;
        }
        // A hash or an encoded blob has no parts that anybody would ask for.
        let parts = cuts.len() + 1;
        if parts == 1 || word.len() > TERM_BYTES || parts > 4 && word.len() < 3 * parts {
            self.term(word, Form::Part, emit);
        } else {
            self.term(word, Form::Whole, emit);
            let mut start = 0;
            for index in cuts.clone() {
                let end = self.cuts[index] - at;
                self.part(&word[start..end], emit);
                start = end;
            }
            self.part(&word[start..], emit);
        }
        // `l'architecture` is found by `architecture`; what English leaves after an apostrophe is shorter.
        if cuts.is_empty()
            && let Some(&elision) = self.elisions.iter().rev().find(|&&elision| elision > at && elision < at + word.len())
            && at + word.len() - elision >= 3
        {
            self.term(&word[elision - at..], Form::Part, emit);
        }
    }

    fn part(&mut self, part: &str, emit: &mut dyn FnMut(&str, Form)) {
        if part.len() > 1 || part.as_bytes()[0].is_ascii_digit() {
            self.term(part, Form::Part, emit);
        }
    }

    fn whole(&mut self, chain: &str, emit: &mut dyn FnMut(&str, Form)) {
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.extend(chain.chars().filter(|&c| c != JOIN));
        self.term(&joined, Form::Whole, emit);
        self.joined = joined;
    }

    fn term(&mut self, term: &str, form: Form, emit: &mut dyn FnMut(&str, Form)) {
        if term.len() > TERM_BYTES {
            let kept = term.floor_char_boundary(TERM_BYTES - 17);
            emit(&format!("{}~{:016x}", &term[..kept], fnv(term.as_bytes())), form);
        } else if term.len() > 2 && term.len() <= STEM_BYTES && term.bytes().all(|byte| byte.is_ascii_lowercase()) {
            emit(self.stems.stem(term), form);
        } else {
            emit(term, form);
        }
    }
}

/// Stems of words seen before, by hash, one a slot.
struct StemCache {
    stemmer: Stemmer,
    /// For each slot the lengths of word and stem, then the two, each in a field of [`STEM_BYTES`].
    slots: Vec<u8>,
    misses: usize,
}

const STEM_STRIDE: usize = 2 + 2 * STEM_BYTES;

impl StemCache {
    fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), slots: Vec::new(), misses: 0 }
    }

    fn stem(&mut self, word: &str) -> &str {
        if self.slots.is_empty() || self.misses == STEM_SLOTS.0 * 4 {
            let slots = if self.slots.is_empty() { STEM_SLOTS.0 } else { STEM_SLOTS.1 };
            self.slots = vec![0; slots * STEM_STRIDE];
            self.misses += 1;
        }
        let slots = self.slots.len() / STEM_STRIDE;
        let place = usize::try_from(fnv(word.as_bytes()) >> 32).expect("32 bits") % slots;
        let slot = &mut self.slots[place * STEM_STRIDE..][..STEM_STRIDE];
        if usize::from(slot[0]) != word.len() || slot[2..2 + word.len()] != *word.as_bytes() {
            let stem = self.stemmer.stem(word);
            let stem = if stem.is_empty() || stem.len() > STEM_BYTES { word } else { &*stem };
            slot[0] = u8::try_from(word.len()).expect("at most STEM_BYTES");
            slot[1] = u8::try_from(stem.len()).expect("at most STEM_BYTES");
            slot[2..2 + word.len()].copy_from_slice(word.as_bytes());
            slot[2 + STEM_BYTES..2 + STEM_BYTES + stem.len()].copy_from_slice(stem.as_bytes());
            self.misses += 1;
        }
        let length = usize::from(slot[1]);
        std::str::from_utf8(&slot[2 + STEM_BYTES..2 + STEM_BYTES + length]).expect("the stem of an ASCII word is ASCII")
    }
}

/// The 64-bit FNV-1a hash.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[inline]
fn class_of(c: char, last: Class) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            _ => Class::Edge,
        };
    }
    if is_apostrophe(c) {
        Class::Edge
    } else if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() {
        Class::Lower
    } else if c.is_numeric() {
        Class::Digit
    } else if last != Class::Edge && is_combining_mark(c) {
        last
    } else {
        Class::Edge
    }
}

/// True for characters that show nothing: zero-width ones, soft hyphens, direction marks, variation selectors.
#[inline]
pub(crate) fn is_passed_over(c: char) -> bool {
    !c.is_ascii()
        && matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
}

/// True for letters and marks of scripts that are written without spaces, or whose words carry particles (Hangul).
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    if c < '\u{e00}' {
        return false;
    }
    let in_script = matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30fa}' | '\u{30fc}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}');
    in_script && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Adds a character to a run, in the one of its encodings that composes.
fn push_unspaced(run: &mut Vec<char>, c: char) {
    let mut push = |c: char| match run.last().and_then(|&last| compose(last, c)) {
        Some(composed) => *run.last_mut().expect("a last character composed") = composed,
        None => run.push(c),
    };
    if matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3131}'..='\u{318e}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{2f800}'..='\u{2fa1f}') {
        decompose_compatible(c, push);
    } else {
        push(c);
    }
}

/// Adds a character in its folded form: lower case, without accent, of ordinary width.
#[inline]
pub(crate) fn fold_onto(chain: &mut String, c: char) {
    if c.is_ascii() {
        chain.push(c.to_ascii_lowercase());
        return;
    }
    for lower in c.to_lowercase() {
        let plain = match lower {
            'ß' => "ss",
            'æ' => "ae",
            'œ' => "oe",
            'ø' => "o",
            'ł' => "l",
            'đ' | 'ð' => "d",
            'þ' => "th",
            'ı' => "i",
            'ς' => "σ",
            _ => {
                decompose_compatible(lower, |piece| {
                    if !is_accent(piece) && (piece.is_alphanumeric() || is_combining_mark(piece)) {
                        chain.extend(piece.to_lowercase().filter(|&c| !is_accent(c)));
                    }
                });
                continue;
            }
        };
        chain.push_str(plain);
    }
}

/// True for marks that a reader may leave out: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '\u{ff07}')
}

/// True if a word goes on here.
fn starts_word(rest: &str) -> bool {
    rest.chars().find(|&c| !is_passed_over(c)).is_some_and(|c| !is_unspaced(c) && class_of(c, Class::Edge) != Class::Edge)
}

/// What `c` and the joints after it make of the words on both sides, and how many more characters belong to it.
fn joint_of(c: char, rest: &str) -> Option<(char, usize)> {
    let (joint, width) = match c {
        '_' => (JOIN, rest.bytes().take_while(|&byte| byte == b'_').count()),
        '-' | '\u{2010}' | '\u{2011}' => (JOIN, 0),
        '.' => ('.', 0),
        ':' if rest.starts_with(':') => ('.', 1),
        '/' | '\\' => ('/', 0),
        _ => return None,
    };
    starts_word(&rest[width..]).then_some((joint, width))
}

/// True at the `s` that ends `URLs`.
fn is_plural_end(c: char, rest: &str) -> bool {
    c == 's' && !starts_word(rest)
}

/// True at what makes a letter the name of a language, as in `C++` and `C#`.
fn is_language_suffix(c: char, rest: &str) -> bool {
    (c == '#' || c == '+' && rest.starts_with('+')) && !starts_word(rest.trim_start_matches('+'))
}

#[cfg(test)]
#[path = "terms/tests.rs"]
mod tests;
