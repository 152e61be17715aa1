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

/// The beginning of the first line of what a provider gave; its name follows.
pub(crate) const PROVIDER: &str = "── from provider ";

/// The first line of what a context says of itself.
pub(crate) const WARNINGS_OPENING: &str = "── about this context ──";

/// The last line of what a provider gave, and of what a context says of itself.
pub(crate) const END: &str = "────────";

/// The words by which the opening line is known, whatever surrounds them.
pub(crate) const PHRASE: &str = "from the project record";

/// The part of the opening line that tells a rendered window from a text that talks about one.
pub(crate) const OPENING_HEAD: &str = "── from the project record ──";

/// True if a text holds a line that opens something rendered, escaped or quoted or as it was.
pub(crate) fn is_own_output(text: &str) -> bool {
    let openings = [OPENING_HEAD, PROVIDER, WARNINGS_OPENING];
    let opens = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\\' | '>' | '|'));
        openings.iter().any(|opening| line.starts_with(opening))
    };
    openings.iter().any(|opening| text.contains(opening)) && text.lines().any(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_window_is_known_as_it_was_and_escaped_and_quoted() {
        let provided = format!("{PROVIDER}wiki ── what is known ──\n- x\n{END}");
        let warned = format!("| {WARNINGS_OPENING}\n| x");
        for text in [format!("{OPENING}\nx\n{CLOSING}"), format!("he said\n  \\{OPENING}"), format!("> {OPENING}\n> x"), provided, warned] {
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
