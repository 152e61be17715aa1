//! Cuts a long text into passages of bounded size, each under its heading path.

use std::ops::ControlFlow;

use super::config::PASSAGE_TOKENS;

/// A piece of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The headings above it, outermost first, joined by ` > `; empty before the first heading.
    pub(crate) path: String,
    /// Its text, at most 250 estimated tokens unless one word is longer.
    pub(crate) text: String,
}

/// The passages of a Markdown or plain text in order; at least one, which may be empty.
pub(crate) fn passages(body: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    let headings = cut(body, &mut |headings, text| {
        found.push(Passage { path: path(headings), text: text.to_owned() });
        ControlFlow::Continue(())
    });
    if found.is_empty() {
        found.push(Passage { path: path(&headings), text: String::new() });
    }
    found
}

/// One of [`passages`], counted from 0, without the others being kept.
pub(crate) fn passage(body: &str, wanted: usize) -> Option<Passage> {
    let (mut at, mut found) = (0, None);
    let headings = cut(body, &mut |headings, text| {
        if at == wanted {
            found = Some(Passage { path: path(headings), text: text.to_owned() });
            return ControlFlow::Break(());
        }
        at += 1;
        ControlFlow::Continue(())
    });
    found.or_else(|| (at == 0 && wanted == 0).then(|| Passage { path: path(&headings), text: String::new() }))
}

/// A heading above a passage: its level and what it says.
type Heading<'b> = (usize, &'b str);
/// What is done with a passage, given with the headings above it, and whether more are wanted.
type Found<'f> = dyn FnMut(&[Heading<'_>], &str) -> ControlFlow<()> + 'f;

/// Cuts a text and gives the headings above its end, or above where no more was wanted.
fn cut<'b>(body: &'b str, found: &mut Found<'_>) -> Vec<Heading<'b>> {
    let mut headings: Vec<Heading<'b>> = Vec::new();
    let mut piece = Piece::default();
    let mut fenced = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let wanted = if let Some((level, title)) = heading(line).filter(|_| !fenced) {
            let wanted = piece.close(&headings, found);
            headings.retain(|(above, _)| *above < level);
            headings.push((level, title));
            wanted
        } else if line.trim().is_empty() && piece.tokens * 2 > PASSAGE_TOKENS {
            piece.close(&headings, found)
        } else {
            piece.add(line, &headings, found)
        };
        if wanted.is_break() {
            return headings;
        }
    }
    let _ = piece.close(&headings, found);
    headings
}

/// The measure of a passage. It is a part of the form of the indexes, which hold passages, and stays as it is when the
/// estimate of tokens changes.
///
/// A run of letters or digits counts one token for every started five bytes of ASCII, one for every two other
/// characters; punctuation counts one for every started run of two; white space counts nothing but line breaks, one each.
fn size(text: &str) -> usize {
    let mut count = 0;
    let (mut word, mut wide, mut marks) = (0usize, 0usize, 0usize);
    let settle = |word: &mut usize, wide: &mut usize, marks: &mut usize| {
        let sum = word.div_ceil(5) + wide.div_ceil(2) + marks.div_ceil(2);
        (*word, *wide, *marks) = (0, 0, 0);
        sum
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte.is_ascii_alphanumeric() {
            if marks > 0 {
                count += settle(&mut word, &mut wide, &mut marks);
            }
            let run = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            word += 1 + run;
            at += run;
        } else if matches!(byte, b' ' | b'\t'..=b'\r') {
            count += settle(&mut word, &mut wide, &mut marks) + usize::from(byte == b'\n');
        } else if byte.is_ascii() {
            if word + wide > 0 {
                count += settle(&mut word, &mut wide, &mut marks);
            }
            marks += 1;
        } else {
            let c = text[at - 1..].chars().next().expect("a character begins here");
            at += c.len_utf8() - 1;
            if c.is_whitespace() {
                count += settle(&mut word, &mut wide, &mut marks);
            } else {
                wide += 1;
            }
        }
    }
    count + settle(&mut word, &mut wide, &mut marks)
}

#[derive(Default)]
struct Piece {
    text: String,
    tokens: usize,
}

impl Piece {
    fn add(&mut self, line: &str, headings: &[Heading<'_>], found: &mut Found<'_>) -> ControlFlow<()> {
        let cost = size(line) + 1;
        if self.tokens + cost > PASSAGE_TOKENS {
            self.close(headings, found)?;
        }
        if cost <= PASSAGE_TOKENS {
            self.text.push_str(line);
            self.text.push('\n');
            self.tokens += cost;
            return ControlFlow::Continue(());
        }
        for word in line.split_inclusive(char::is_whitespace) {
            let cost = size(word);
            if self.tokens + cost > PASSAGE_TOKENS {
                self.close(headings, found)?;
            }
            self.text.push_str(word);
            self.tokens += cost;
        }
        self.text.push('\n');
        ControlFlow::Continue(())
    }

    fn close(&mut self, headings: &[Heading<'_>], found: &mut Found<'_>) -> ControlFlow<()> {
        let text = self.text.trim_end();
        let wanted = if text.trim_start().is_empty() { ControlFlow::Continue(()) } else { found(headings, text) };
        self.text.clear();
        self.tokens = 0;
        wanted
    }
}

fn path(headings: &[Heading<'_>]) -> String {
    headings.iter().map(|(_, title)| *title).collect::<Vec<_>>().join(" > ")
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && rest.starts_with(' ')).then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_carry_the_headings_above_them() {
        let found = passages("intro\n# A\none\n## B\ntwo\n# C\nthree\n```\n# no heading\n```\n");
        let seen: Vec<_> = found.iter().map(|piece| (piece.path.as_str(), piece.text.lines().next().unwrap_or(""))).collect();
        assert_eq!(seen, [("", "intro"), ("A", "one"), ("A > B", "two"), ("C", "three")]);
    }

    #[test]
    fn no_passage_is_longer_than_the_bound_and_no_word_is_lost() {
        let body = "word and another ".repeat(2_000);
        let found = passages(&body);
        assert!(found.len() > 10);
        assert!(found.iter().all(|piece| size(&piece.text) <= PASSAGE_TOKENS));
        assert_eq!(found.iter().map(|piece| piece.text.split_whitespace().count()).sum::<usize>(), 6_000);
        assert_eq!(passages("").len(), 1);
    }

    #[test]
    fn one_passage_is_that_of_its_place_among_all() {
        let long = format!("# A\n{}\n\n## B\n\n{}\nend", "a word. ".repeat(900), "x".repeat(9_000));
        for body in ["", "\n\n", "# only\n", "intro\n# A\none\n## B\n\n# C\nthree\n```\n# no heading\n```\n", &long] {
            let all = passages(body);
            let one_by_one: Vec<_> = (0..all.len() + 2).map(|at| passage(body, at)).collect();
            assert_eq!(one_by_one, all.into_iter().map(Some).chain([None, None]).collect::<Vec<_>>(), "{body:.40}");
        }
    }
}
