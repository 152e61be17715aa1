//! The gate: prompts too short to be looked up.

use crate::base::config::GATE_CHARS;

/// True if a prompt says enough to be searched for, counted without the white space around it.
///
/// A character that stands for a syllable or a word counts three.
pub(crate) fn is_long_enough(prompt: &str) -> bool {
    let mut count = 0;
    prompt.trim().chars().any(|c| {
        count += if is_dense(c) { 3 } else { 1 };
        count >= GATE_CHARS
    })
}

/// True for ideographs, kana, Hangul and Thai.
fn is_dense(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0E7F // Thai
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xFFA0..=0xFFDC // Hangul
        | 0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF // ideographs
        | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F // kana
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_five_latin_characters_pass_and_twenty_four_do_not() {
        assert!(is_long_enough(&"x".repeat(25)));
        assert!(!is_long_enough(&"x".repeat(24)));
        assert!(!is_long_enough(&format!("   {}\n\n\t ", "x".repeat(24))));
        assert!(!is_long_enough(""));
    }

    #[test]
    fn nine_characters_of_a_dense_script_pass_and_eight_do_not() {
        for c in ['限', 'の', 'カ', 'ｶ', '한', 'ﾡ', 'ก', '\u{20000}'] {
            assert!(is_long_enough(&c.to_string().repeat(9)), "{c}");
            assert!(!is_long_enough(&c.to_string().repeat(8)), "{c}");
        }
        assert!(is_long_enough(&format!("{}x", "限".repeat(8))));
    }
}
