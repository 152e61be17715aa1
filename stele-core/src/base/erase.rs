//! Finds and takes out what a text shares with texts that must go: for purging.

use std::collections::HashSet;
use std::ops::Range;

/// What stands where something was taken out.
pub(crate) const ERASED: &str = "[purged]";

/// So many words in a row, shared with an erased text, are taken out wherever they stand.
const RUN: usize = 6;
/// A whole line or sentence of the erased text is taken out from so many words on.
const SHORT: usize = 3;
/// A word with letters and digits is telling from so many characters on: a token, a key, an identifier.
const TELLING: usize = 8;

/// Knows what must go.
///
/// Gone is, of the erased texts: every run of six words, every line or sentence of three to five words, and every word that
/// shares a part of eight characters or more with both a letter and a digit; and every literal that was named beside them. Words are
/// compared without case and without marks at their ends.
pub(crate) struct Eraser {
    runs: HashSet<Vec<String>>,
    telling: HashSet<String>,
    literals: Vec<String>,
}

impl Eraser {
    /// An eraser of those texts and literals; blank literals are left out.
    pub(crate) fn new(texts: &[String], literals: &[String]) -> Self {
        let (mut runs, mut telling) = (HashSet::new(), HashSet::new());
        for text in texts {
            let words: Vec<String> = words(text).into_iter().map(|(word, _)| word).collect();
            runs.extend(words.windows(RUN).map(<[String]>::to_vec));
            telling.extend(words.iter().flat_map(|word| telling_parts(word)).map(ToOwned::to_owned));
            for piece in pieces(text) {
                let words: Vec<String> = self::words(piece).into_iter().map(|(word, _)| word).collect();
                if (SHORT..RUN).contains(&words.len()) {
                    runs.insert(words);
                }
            }
        }
        let mut literals: Vec<String> = literals.iter().map(|literal| literal.trim().to_owned()).filter(|literal| !literal.is_empty()).collect();
        // The longest first: one literal may hold another.
        literals.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
        Self { runs, telling, literals }
    }

    /// The text without what must go, or `None` if nothing of it must.
    pub(crate) fn clean(&self, text: &str) -> Option<String> {
        let gone = self.shared(text);
        let mut rest = (!gone.is_empty()).then(|| {
            let mut out = String::with_capacity(text.len());
            let mut at = 0;
            for range in gone {
                out.push_str(&text[at..range.start]);
                out.push_str(ERASED);
                at = range.end;
            }
            out.push_str(&text[at..]);
            out
        });
        if let Some(clean) = self.clean_literals(rest.as_deref().unwrap_or(text)) {
            rest = Some(clean);
        }
        rest
    }

    /// The text without the literals, or `None` if it holds none of them.
    pub(crate) fn clean_literals(&self, text: &str) -> Option<String> {
        let mut rest: Option<String> = None;
        for literal in &self.literals {
            let from = rest.as_deref().unwrap_or(text);
            if from.contains(literal.as_str()) {
                rest = Some(from.replace(literal.as_str(), ERASED));
            }
        }
        rest
    }

    /// The parts of a text that must go, in order, apart.
    fn shared(&self, text: &str) -> Vec<Range<usize>> {
        let words = words(text);
        let mut marked = vec![false; words.len()];
        for at in 0..words.len() {
            if telling_parts(&words[at].0).any(|part| self.telling.contains(part)) {
                marked[at] = true;
            }
            for length in SHORT..=RUN {
                let Some(run) = words.get(at..at + length) else { break };
                if self.runs.contains(&run.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>()) {
                    marked[at..at + length].fill(true);
                }
            }
        }
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut before = false;
        for ((_, range), marked) in words.into_iter().zip(marked) {
            match parts.last_mut().filter(|_| before && marked) {
                Some(last) => last.end = range.end,
                None if marked => parts.push(range),
                None => {}
            }
            before = marked;
        }
        parts
    }
}

/// The words of a text, folded, with the place of what stood there.
fn words(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                let word = text[from..at].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
                if !word.is_empty() {
                    found.push((word, from..at));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The lines of a text and the sentences of each.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| std::iter::once(line).chain(line.split(". ")))
}

/// The parts of a word between marks that are telling by themselves.
fn telling_parts(word: &str) -> impl Iterator<Item = &str> {
    let telling = |part: &&str| part.chars().count() >= TELLING && part.chars().any(char::is_alphabetic) && part.chars().any(|c| c.is_ascii_digit());
    word.split(|c: char| !c.is_alphanumeric()).filter(telling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eraser() -> Eraser {
        Eraser::new(&["The launch code of the west gate is zebra9471x. It never changes.".to_owned()], &["hunter2".to_owned()])
    }

    #[test]
    fn runs_short_sentences_telling_words_and_literals_go_wherever_they_stand() {
        let clean = |text: &str| eraser().clean(text);
        assert_eq!(clean("he said \u{201c}launch code of the west gate\u{201d} twice").as_deref(), Some("he said [purged] twice"));
        assert_eq!(clean("launch   code\nof the WEST gate, is").as_deref(), Some("[purged]"));
        assert_eq!(clean("(it never changes)").as_deref(), Some("[purged]"));
        assert_eq!(clean("try GATE-Zebra9471x; then leave").as_deref(), Some("try [purged] then leave"));
        assert_eq!(clean("xhunter2y").as_deref(), Some("x[purged]y"));
    }

    #[test]
    fn what_is_common_to_many_texts_stays() {
        for text in ["the code of the gate", "a launch", "", "it changes", "9471", "west gate"] {
            assert_eq!(eraser().clean(text), None, "{text}");
        }
    }

    #[test]
    fn no_text_breaks_it() {
        let eraser = Eraser::new(&[String::new(), "\u{0}\u{202e}".to_owned()], &[" ".to_owned()]);
        assert_eq!(eraser.clean("\u{1f980} \u{6f22}\u{5b57} it"), None);
    }
}
