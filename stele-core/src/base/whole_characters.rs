//! JSON from hosts whose texts are made of UTF-16: where one was cut within a character, half of a surrogate pair is left, which
//! JSON can say and Unicode cannot.

use std::borrow::Cow;

/// Gives a JSON text in which the escape of a half of a surrogate pair stands for U+FFFD, as wherever such hosts encode text;
/// the text itself where there is none. Time is linear in its length.
#[must_use]
pub fn whole_characters(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let width = match (unit(&text[at..]), text.get(at + 6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&text[done..at]);
                out.push('\u{fffd}');
                done = at + 6;
                6
            }
            (Some(_), _) => 6,
            // The stroke and what it stands before.
            (None, _) => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
        at += width;
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[done..]) }
}

/// The unit of UTF-16 that an escape at the beginning says.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_pair_is_replaced_and_nothing_else() {
        let read = |json: &str| serde_json::from_str::<String>(&whole_characters(json)).expect(json);
        assert_eq!(read(r#""a\ud83d""#), "a\u{fffd}");
        assert_eq!(read(r#""\udc00\udc00\uD83D\uDE00\ud83d\ud83d\ude00""#), "\u{fffd}\u{fffd}\u{1f600}\u{fffd}\u{1f600}");
        assert_eq!(read(r#""\\ud83d \\\ud83d é\é\ud83dé""#.replace(r"\é", r"\n").as_str()), "\\ud83d \\\u{fffd} é\n\u{fffd}é");
        assert_eq!(read(r#""\\ud83d""#), "\\ud83d");
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["{", "\\", "\\ud83d", "\"\\ud83", "\"\\u", "\"\\ud83d", "\"\\é", "\"\\ud83d\\u+c00\"", ""] {
            assert!(serde_json::from_str::<serde_json::Value>(&whole_characters(text)).is_err(), "{text}");
        }
    }
}
