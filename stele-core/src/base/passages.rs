//! Cuts a long text into passages of bounded size, each under its heading path.

use super::config::PASSAGE_TOKENS;

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The headings above it, outermost first, joined by ` > `; empty before the first heading.
    pub(crate) path: String,
    /// Its text, at most 250 estimated tokens unless one word is longer.
    pub(crate) text: String,
}

/// The passages of a Markdown or plain text in order; at least one, which may be empty.
pub(crate) fn passages(body: &str) -> Vec<Passage> {
    let mut headings: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    let mut piece = Piece::default();
    let mut fenced = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if let Some((level, title)) = heading(line).filter(|_| !fenced) {
            piece.close(&headings, &mut found);
            headings.retain(|(above, _)| *above < level);
            headings.push((level, title.to_owned()));
            continue;
        }
        if line.trim().is_empty() && piece.tokens * 2 > PASSAGE_TOKENS {
            piece.close(&headings, &mut found);
            continue;
        }
        piece.add(line, &headings, &mut found);
    }
    piece.close(&headings, &mut found);
    if found.is_empty() {
        found.push(Passage { path: path(&headings), text: String::new() });
    }
    found
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
    fn add(&mut self, line: &str, headings: &[(usize, String)], found: &mut Vec<Passage>) {
        let cost = size(line) + 1;
        if self.tokens + cost <= PASSAGE_TOKENS {
            self.text.push_str(line);
            self.text.push('\n');
            self.tokens += cost;
            return;
        }
        self.close(headings, found);
        if cost <= PASSAGE_TOKENS {
            self.add(line, headings, found);
            return;
        }
        for word in line.split_inclusive(char::is_whitespace) {
            let cost = size(word);
            if self.tokens + cost > PASSAGE_TOKENS {
                self.close(headings, found);
            }
            self.text.push_str(word);
            self.tokens += cost;
        }
        self.text.push('\n');
    }

    fn close(&mut self, headings: &[(usize, String)], found: &mut Vec<Passage>) {
        let text = std::mem::take(&mut self.text);
        self.tokens = 0;
        let text = text.trim_end();
        if !text.trim().is_empty() {
            found.push(Passage { path: path(headings), text: text.to_owned() });
        }
    }
}

fn path(headings: &[(usize, String)]) -> String {
    headings.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" > ")
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
}
