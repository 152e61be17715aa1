//! Keywords in a text: whole words for any keyword, whatever characters it is made of.
//!
//! Case, accents and widths are folded; a hyphen, an underscore and any run of white space are one space. Where a keyword
//! begins or ends in a letter or digit, no letter or digit may go on there; where it begins or ends in another sign
//! (`C++`, `.claude/`, `params[:id]`), that sign is edge enough, except that a leading `/` begins no word in the middle of
//! a path. Scripts without spaces have no edges.
//!
//! All keywords are looked for at once, in time linear in the text for keywords of ordinary length.

use std::ops::Range;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::terms::{fold_onto, is_passed_over, is_unspaced};

/// A text or keyword in the form in which they are compared.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '-' | '_' => space(&mut out),
            _ if c.is_whitespace() => space(&mut out),
            '\u{2010}' | '\u{2011}' => space(&mut out),
            '\u{2019}' => out.push('\''),
            _ if is_passed_over(c) => {}
            _ if c.is_alphanumeric() || is_combining_mark(c) => fold_onto(&mut out, c),
            _ => decompose_compatible(c, |piece| out.push(piece)),
        }
    }
    out
}

fn space(out: &mut String) {
    if !out.ends_with(' ') {
        out.push(' ');
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

/// Keywords to be looked for together.
#[derive(Default)]
pub(crate) struct Keywords {
    /// In their folded form, each once, in order.
    sorted: Vec<String>,
    /// For each first byte where its keywords begin in `sorted`, and where the last end.
    by_first: Vec<usize>,
}

/// Some keywords by their places among all that are looked for, each once.
pub(crate) type Places = Box<[usize]>;

/// Which keywords stand in a text.
pub(crate) struct Present(Vec<bool>);

impl Keywords {
    /// Takes every keyword that anything is called by.
    pub(crate) fn of<'a>(keywords: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<String> = keywords.into_iter().map(one).filter(|keyword| !keyword.is_empty()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let by_first = (0..=256).map(|byte| sorted.partition_point(|keyword| usize::from(keyword.as_bytes()[0]) < byte)).collect();
        Self { sorted, by_first }
    }

    /// Where some of them stand among all.
    pub(crate) fn places(&self, keywords: &[String]) -> Places {
        let mut places: Vec<usize> = keywords.iter().filter_map(|keyword| self.sorted.binary_search(&one(keyword)).ok()).collect();
        places.sort_unstable();
        places.dedup();
        places.into()
    }

    /// Looks for all of them.
    pub(crate) fn in_text(&self, text: &str) -> Present {
        let mut found = vec![false; self.sorted.len()];
        if !self.sorted.is_empty() {
            let text = folded(text);
            let mut before = None;
            for (at, c) in text.char_indices() {
                let edge = !(is_word(c) || c == '/') || !before.is_some_and(is_word);
                if edge {
                    self.note_at(&text, at, &mut found);
                }
                before = Some(c);
            }
        }
        Present(found)
    }

    /// Notes every keyword that begins at a place of a folded text.
    fn note_at(&self, text: &str, start: usize, found: &mut [bool]) {
        let rest = &text.as_bytes()[start..];
        let first = usize::from(rest[0]);
        let Range { start: mut low, end: mut high } = self.by_first[first]..self.by_first[first + 1];
        let mut length = 1;
        while low < high {
            // The shortest of those that begin alike comes first.
            if self.sorted[low].len() == length {
                found[low] |= ends_word(text, start + length);
                low += 1;
                continue;
            }
            let Some(next) = rest.get(length) else { return };
            let range = &self.sorted[low..high];
            let (from, to) =
                (range.partition_point(|keyword| keyword.as_bytes()[length] < *next), range.partition_point(|keyword| keyword.as_bytes()[length] <= *next));
            (low, high) = (low + from, low + to);
            length += 1;
        }
    }
}

/// True if a match may end at a place of a folded text.
fn ends_word(text: &str, end: usize) -> bool {
    let (last, next) = (text[..end].chars().next_back(), text[end..].chars().next());
    !(last.is_some_and(is_word) && next.is_some_and(is_word))
}

/// A keyword in its folded form, without white space around it.
fn one(keyword: &str) -> String {
    folded(keyword).trim().to_owned()
}

impl Present {
    /// How many of some keywords stand in the text.
    pub(crate) fn count(&self, places: &Places) -> usize {
        places.iter().filter(|place| self.0[**place]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(keyword: &str, text: &str) -> bool {
        let keywords = Keywords::of([keyword]);
        keywords.in_text(text).count(&keywords.places(&[keyword.to_owned()])) == 1
    }

    #[test]
    fn a_keyword_stands_only_as_a_whole_word() {
        for (keyword, text) in [
            ("ui", "the UI is slow"),
            ("/plan", "run /plan"),
            ("/plan", "/plan"),
            ("code review", "code-review please"),
            ("code review", "code\n  review"),
            ("code_review", "a Code Review"),
            ("C++", "a C++ file"),
            ("c++", "(C++17)"),
            ("params[:id]", "use params[:id], then"),
            (".claude/", "edit .claude/settings.json"),
            (".claude/", "~/.claude/"),
            (".unwrap()", "x.unwrap() here"),
            ("don't", "I don\u{2019}t"),
            ("café", "CAFE\u{301}"),
            ("限流", "请先限流再验证"),
            ("API", "用API吧"),
            ("=>", "a=>b"),
            ("--force", "git push --force now"),
            ("a.*b", "the pattern a.*b holds"),
            ("ＡＢＣ", "abc"),
        ] {
            assert!(stands(keyword, text), "{keyword:?} in {text:?}");
        }
        for (keyword, text) in [
            ("ui", "build the guide"),
            ("ui", "uis"),
            ("/plan", "run /planning"),
            ("/plan", "see docs/plan"),
            ("code review", "codereview"),
            ("C++", "a C file"),
            ("C++", "abc++"),
            ("params[:id]", "myparams[:id]"),
            (".claude/", "claude"),
            ("a.*b", "axxb"),
            ("", "anything"),
            ("-", "a - b"),
            ("test", ""),
        ] {
            assert!(!stands(keyword, text), "{keyword:?} in {text:?}");
        }
    }

    #[test]
    fn keywords_that_begin_alike_are_all_found_and_equal_ones_count_once() {
        let keywords: Vec<String> = ["plan", "plan b", "plan ben", "Plan_B", "planet", "b"].map(Into::into).to_vec();
        let all = Keywords::of(keywords.iter().map(String::as_str));
        let places = all.places(&keywords);
        assert_eq!(all.in_text("here is plan-b").count(&places), 3);
        assert_eq!(all.in_text("nothing").count(&places), 0);
    }
}
