//! The lines that open and close what stele hands to a model, and recognising them in a text that comes back.
//!
//! They stand in the lowest layer because the recorder looks for them too. How stored text is kept from imitating
//! them stands in `render/frame.rs`.

/// The first line of every rendered window.
pub(crate) const OPENING: &str = "── from the project record ── a starting set, not everything; search before assuming ──";

/// The first line of rendered obligations.
pub(crate) const RULES_OPENING: &str = "── from the project record ── rules to follow; the mandatory ones hold in every mode ──";

/// The first line of rendered methodology.
pub(crate) const METHODOLOGY_OPENING: &str = "── from the project record ── ways of working for what is being done ──";

/// The last line of every rendered window.
pub(crate) const CLOSING: &str = "──────────────────────────────────────────────────────────────────────────────────────";

/// The beginning of the first line of a rendered handoff; the task's id follows.
pub(crate) const HANDOFF: &str = "── from the project record ── handoff of ";

/// The words by which the opening line is known, whatever surrounds them.
pub(crate) const PHRASE: &str = "from the project record";

/// The part of the opening line that tells a rendered window from a text that talks about one.
pub(crate) const OPENING_HEAD: &str = "── from the project record ──";

/// True if a text holds the opening line of a rendered window, escaped or quoted or as it was.
pub(crate) fn is_own_output(text: &str) -> bool {
    text.contains(OPENING_HEAD)
        && text.lines().any(|line| line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\\' | '>' | '|')).starts_with(OPENING_HEAD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_window_is_known_as_it_was_and_escaped_and_quoted() {
        for text in [format!("{OPENING}\nx\n{CLOSING}"), format!("he said\n  \\{OPENING}"), format!("> {OPENING}\n> x")] {
            assert!(is_own_output(&text), "{text}");
        }
    }

    #[test]
    fn a_text_about_the_record_is_no_window() {
        for text in ["", "it came from the project record", "the header is `── from the project record ──`", CLOSING] {
            assert!(!is_own_output(text), "{text}");
        }
    }

    #[test]
    fn every_opening_holds_the_words_it_is_known_by() {
        for opening in [OPENING, RULES_OPENING, METHODOLOGY_OPENING] {
            assert!(opening.starts_with(OPENING_HEAD) && OPENING_HEAD.contains(PHRASE));
        }
        assert_eq!(CLOSING.chars().count(), 86);
    }
}
