//! Text shaping: folding, cutting at character borders, checking what a host sends.

use super::error::{Code, Error, Result};
use super::unseen::shows;

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

/// Signs without which a title says something else.
const COMPARISONS: [&str; 8] = ["<", ">", "<=", ">=", "!=", "\u{2264}", "\u{2265}", "\u{2260}"];

/// A title as it is compared for equality: lower case, letters and digits, one space between words.
///
/// `+` and `#` at the end of a word belong to it (`C++`, `C#`), and signs that compare are words. A title of nothing but
/// other marks is compared as it stands.
#[must_use]
pub(crate) fn title_form(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    let mut add = |word: &str| {
        if !word.is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.extend(word.chars().flat_map(char::to_lowercase));
        }
    };
    for part in title.split_whitespace() {
        let mut rest = part;
        while !rest.is_empty() {
            let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let whole = if word == 0 { 0 } else { rest[word..].find(|c| !matches!(c, '+' | '#')).map_or(rest.len(), |after| word + after) };
            add(&rest[..whole]);
            rest = &rest[whole..];
            let signs = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
            add(COMPARISONS.into_iter().find(|sign| *sign == &rest[..signs]).unwrap_or(""));
            rest = &rest[signs..];
        }
    }
    if out.is_empty() { fold_space(title).to_lowercase() } else { out }
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
    if !shows(text) {
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
        assert_eq!(title_form("a_b+c, \"d\" e+"), "a b+ c d e+");
    }

    #[test]
    fn titles_that_differ_in_what_they_name_or_compare_have_another_form() {
        let titles = ["Use C", "Use C++", "Use C#", "!!!", "\u{1f389}", "\u{1f680}", "a < b", "a > b", "a <= b", "a\u{2264}b", "a != b", "a b"];
        let forms: std::collections::BTreeSet<String> = titles.into_iter().map(title_form).collect();
        assert_eq!(forms.len(), titles.len(), "{forms:?}");
        assert_eq!(title_form("  \u{1f389} \u{1f389} "), "\u{1f389} \u{1f389}");
        assert_eq!(title_form("# **a -> b**"), "a b");
    }

    #[test]
    fn negations_and_numbers_are_counted_where_they_stand() {
        assert_eq!(negations("It doesn't, and will not, without us"), 3);
        assert_eq!(numbers("v2 takes 30s on 10.0.0.1"), ["2", "30", "10", "0", "0", "1"]);
    }
}
