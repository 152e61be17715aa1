//! Characters that nobody sees: hidden, joining, selecting, blank.

/// Characters without a look of their own that change how others are read, or hide text in plain sight.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Characters that join letters of some scripts and show nothing by themselves.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{115f}' | '\u{1160}')
}

/// Characters that choose a variant of the one before.
pub(crate) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{e0100}'..='\u{e01ef}')
}

/// Characters that look like a space.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// True if something of a text can be seen; a NUL, which no text may hold, is not passed over.
pub(crate) fn shows(text: &str) -> bool {
    text.chars().any(|c| c == '\0' || !(c.is_control() || is_blank(c) || is_hidden(c) || is_joiner(c) || is_selector(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_characters_that_nobody_sees_shows_nothing() {
        for text in ["", " \u{3000}\n", "\u{202e}\u{200b}", "\u{7}", "\u{2800}\u{fe0f}", "\u{200d}", "\u{3164}"] {
            assert!(!shows(text), "{text:?}");
        }
        for text in ["a", "\u{200b}!", "\u{1f389}", "\u{6f22}", " . "] {
            assert!(shows(text), "{text:?}");
        }
    }
}
