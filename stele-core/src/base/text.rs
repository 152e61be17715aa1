//! Text shaping: folding, cutting at character borders, checking what a host sends.

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
    fn negations_and_numbers_are_counted_where_they_stand() {
        assert_eq!(negations("It doesn't, and will not, without us"), 3);
        assert_eq!(numbers("v2 takes 30s on 10.0.0.1"), ["2", "30", "10", "0", "0", "1"]);
    }
}
