//! Text shaping: folding, cutting at character borders, estimating tokens, checking what a host sends.

use super::error::{Code, Error, Result};

/// At most `chars` characters of a text, never a part of one.
#[must_use]
pub(crate) fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

/// A text with every run of white space as one space and none at its ends.
#[must_use]
pub(crate) fn fold_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A title as it is compared for equality: lower case, letters and digits, one space between words.
#[must_use]
pub(crate) fn title_form(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for word in title.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Estimates how many tokens a language model sees in a text.
///
/// A run of letters or digits counts one token for every started five bytes of ASCII, one for every two other
/// characters; punctuation counts one for every started run of two; white space counts nothing but line breaks, one each.
#[must_use]
pub fn tokens(text: &str) -> usize {
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

/// The longest beginning that counts at most `room`, at white space unless one word alone is too long.
#[must_use]
pub(crate) fn beginning(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let next = used + tokens(piece);
        if next > room {
            let far = piece.char_indices().nth(room.saturating_sub(used) * 5 + 1).map_or(piece.len(), |(at, _)| at);
            // A word counts more the longer it is, so the longest fitting part of it is found by halving.
            if end == 0 || used * 2 < room {
                let borders: Vec<_> = piece[..far].char_indices().map(|(at, _)| at).collect();
                let fitting = borders.partition_point(|&at| used + tokens(&piece[..at]) <= room);
                end += borders[..fitting].last().copied().unwrap_or(0);
            }
            break;
        }
        used = next;
        end += piece.len();
    }
    &text[..end]
}

/// Checks a text field: no NUL, not longer than `limit` bytes.
///
/// # Errors
/// `bad_text` or `too_large`, naming the field.
pub(crate) fn check_text(field: &'static str, text: &str, limit: usize) -> Result<()> {
    if let Some(at) = text.bytes().position(|byte| byte == 0) {
        return Err(Error::new(Code::BadText, format!("check {field}: a NUL character at byte {at}")).with("field", field).with("offset", at));
    }
    if text.len() > limit {
        return Err(Error::new(Code::TooLarge, format!("check {field}: {} bytes, the limit is {limit}", text.len())).with("field", field).with("limit", limit));
    }
    Ok(())
}

/// Checks a text field that must say something.
///
/// # Errors
/// `empty_field`, `bad_text` or `too_large`, naming the field.
pub(crate) fn check_filled(field: &'static str, text: &str, limit: usize) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::new(Code::EmptyField, format!("check {field}: it is blank")).with("field", field));
    }
    check_text(field, text, limit)
}

/// The numbers that a text names, in order, as they are written; digits inside words count.
pub(crate) fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect()
}

/// How many negating words a text holds.
pub(crate) fn negations(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}')
        .filter(|word| {
            let word = word.to_lowercase().replace('\u{2019}', "'");
            matches!(word.as_str(), "not" | "no" | "never" | "none" | "neither" | "nor" | "without" | "cannot" | "nothing" | "nobody") || word.ends_with("n't")
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("漢字かな", 2), "漢字");
        assert_eq!(cut("ab", 5), "ab");
        assert_eq!(cut("", 0), "");
    }

    #[test]
    fn titles_that_differ_in_case_and_marks_have_one_form() {
        assert_eq!(title_form("  Rate-limiter: sits, in FRONT! "), "rate limiter sits in front");
        assert_eq!(title_form("!!!"), "");
    }

    #[test]
    fn tokens_grow_with_text_and_start_at_zero() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("the cat"), 2);
        assert!(tokens("用户身份验证") >= 3);
        assert!(tokens("a.b.c(d)") >= 4);
    }

    #[test]
    fn runs_of_every_sort_are_told_apart_wherever_they_meet() {
        // A piece alone, and what it counts in front of and behind each other piece.
        let counts = |text: &str| tokens(text);
        assert_eq!(counts("abcdef"), 2);
        assert_eq!(counts("abc用户def"), 3, "letters and other characters are one run");
        assert_eq!(counts("abc..def"), 3, "marks end a run");
        assert_eq!(counts("用.户"), 3);
        assert_eq!(counts("..用"), 2, "marks and other characters meet");
        assert_eq!(counts("a\u{a0}b\u{2003}c\u{85}d"), 4, "every white space ends a run");
        assert_eq!(counts("a\u{b}b\u{c}c\r\n\n"), 5, "line breaks count");
        assert_eq!(counts("\u{1}\u{1f}"), 1, "control characters are marks");
    }

    #[test]
    fn a_beginning_ends_between_words_unless_one_word_is_too_long() {
        assert_eq!(beginning("alpha beta gamma", 2), "alpha beta ");
        assert_eq!(beginning("alpha beta gamma", 0), "");
        assert_eq!(beginning("abcdefghijklmno", 2), "abcdefghij");
        assert_eq!(beginning("a 限流必须在认证之前", 3), "a 限流必须");
        assert_eq!(beginning("one two three a-very-long-word-that-ends-nowhere", 4), "one two three ");
    }

    #[test]
    fn negations_and_numbers_are_counted_where_they_stand() {
        assert_eq!(negations("It doesn't, and will not, without us"), 3);
        assert_eq!(numbers("v2 takes 30s on 10.0.0.1"), ["2", "30", "10", "0", "0", "1"]);
    }
}
