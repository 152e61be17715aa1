//! How many tokens a language model sees in a text: the estimate, and what fits into so many.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::text::cut;

/// Longest text that a host's counter is given, in bytes; what follows it is estimated.
const COUNTED_BYTES: usize = 16 * 1024;
/// No more characters than these count one token more, white space aside.
const CHARS_A_TOKEN: usize = 16;

/// Estimates how many tokens a language model sees in a text, without its vocabulary.
///
/// A word is a run of ASCII letters that ends before a capital after a small letter. It counts one token, and one more for
/// every four letters after the eighth; in capitals, one for every started four. Digits count one for every started three.
/// A run of punctuation counts one, and one more for every two changes of mark in it and for every sixteen marks; a single
/// `.`, `_` or `/` in front of a letter counts nothing. Other letters count one for every started two (Latin), every two
/// and a half (other alphabets) or every one and a quarter (from U+2E80: ideographs, kana, Hangul); emoji count two. A line
/// break counts one, other white space nothing. So the count of two texts that meet at white space is the
/// sum of theirs.
#[must_use]
pub fn tokens(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, belongs: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| belongs(byte)).count();
    let (mut at, mut count) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'a'..=b'z' => {
                let small = run(at, u8::is_ascii_lowercase);
                count += word(small);
                at += small;
            }
            b'A'..=b'Z' => {
                let capitals = run(at, u8::is_ascii_uppercase);
                let small = run(at + capitals, u8::is_ascii_lowercase);
                count += match (capitals, small) {
                    (_, 0) => capitals.div_ceil(4),
                    (1, _) => word(1 + small),
                    _ => (capitals - 1).div_ceil(4) + word(1 + small),
                };
                at += capitals + small;
            }
            b'0'..=b'9' => {
                let digits = run(at, u8::is_ascii_digit);
                count += digits.div_ceil(3);
                at += digits;
            }
            b'\n' => {
                count += 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => at += 1,
            _ if byte.is_ascii() => {
                let run = run(at, is_mark);
                let joins = run == 1 && matches!(byte, b'.' | b'_' | b'/') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
                let changes = bytes[at..at + run].windows(2).filter(|pair| pair[0] != pair[1]).count();
                count += if joins { 0 } else { marks(run, changes) };
                at += run;
            }
            _ => {
                let (length, cost) = beyond_ascii(&text[at..]);
                count += cost;
                at += length;
            }
        }
    }
    count
}

fn word(letters: usize) -> usize {
    1 + letters.saturating_sub(8) / 4
}

fn marks(run: usize, changes: usize) -> usize {
    1 + changes / 2 + run / 16
}

fn is_mark(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b' ' | b'\t'..=b'\r')
}

/// What characters beyond ASCII are to the estimate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Space,
    Latin,
    Alphabetic,
    Ideographic,
    Mark,
    Emoji,
}

fn sort(c: char) -> Sort {
    match c {
        _ if c.is_whitespace() => Sort::Space,
        '\u{1f000}'.. => Sort::Emoji,
        '\u{2e80}'.. => Sort::Ideographic,
        _ if !c.is_alphanumeric() => Sort::Mark,
        ..'\u{250}' => Sort::Latin,
        _ => Sort::Alphabetic,
    }
}

/// The bytes and the cost of the run of one sort that a text begins with.
fn beyond_ascii(text: &str) -> (usize, usize) {
    let first = text.chars().next().expect("invariant: a character begins here");
    let (kind, mut before) = (sort(first), first);
    let (mut length, mut run, mut changes) = (0, 0usize, 0);
    for c in text.chars().take_while(|c| !c.is_ascii() && sort(*c) == kind) {
        changes += usize::from(c != before);
        before = c;
        run += 1;
        length += c.len_utf8();
    }
    let cost = match kind {
        Sort::Space => 0,
        Sort::Latin => run.div_ceil(2),
        Sort::Alphabetic => (run * 2).div_ceil(5),
        Sort::Ideographic => (run * 4).div_ceil(5),
        Sort::Mark => marks(run, changes),
        Sort::Emoji => run * 2,
    };
    (length, cost)
}

/// The longest beginning that counts at most `room`, at white space unless one word alone is too long.
#[must_use]
pub(crate) fn beginning(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let next = used + tokens(piece);
        if next > room {
            let far = cut(piece, (room.saturating_sub(used) + 1).saturating_mul(CHARS_A_TOKEN)).len();
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

/// A host's count of the tokens of a text.
pub type CountTokens = dyn Fn(&str) -> usize + Send + Sync;

/// How one answer counts tokens: as the host does, or by the estimate.
///
/// A host's counter is not trusted. It is called without a lock and on bounded text, a text has no more tokens than bytes,
/// and once it panicked the estimate takes its place for the rest of the answer.
#[derive(Clone, Default)]
pub(crate) struct TokenCounter(Option<Arc<HostCounter>>);

struct HostCounter {
    count: Arc<CountTokens>,
    panicked: AtomicBool,
}

impl TokenCounter {
    /// The host's way, if it has one.
    pub(crate) fn new(count: Option<Arc<CountTokens>>) -> Self {
        Self(count.map(|count| Arc::new(HostCounter { count, panicked: AtomicBool::new(false) })))
    }

    fn host(&self) -> Option<&HostCounter> {
        self.0.as_deref().filter(|host| !host.panicked.load(Ordering::Relaxed))
    }

    /// True while the host counts. Then the parts of a text need not add up to what the whole counts.
    pub(crate) fn is_host(&self) -> bool {
        self.host().is_some()
    }

    /// What a host should know of its counter.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let panicked = self.0.as_ref().is_some_and(|host| host.panicked.load(Ordering::Relaxed));
        panicked.then_some("the token counter failed, tokens are estimated")
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        let Some(host) = self.host() else { return tokens(text) };
        let (counted, rest) = text.split_at(text.floor_char_boundary(COUNTED_BYTES));
        if counted.is_empty() {
            return 0;
        }
        match catch_unwind(AssertUnwindSafe(|| (host.count)(counted))) {
            Ok(count) => count.min(counted.len()) + tokens(rest),
            Err(_) => {
                host.panicked.store(true, Ordering::Relaxed);
                tokens(text)
            }
        }
    }

    /// The longest beginning that counts at most `room`, at white space unless one word alone is too long.
    pub(crate) fn beginning<'t>(&self, text: &'t str, room: usize) -> &'t str {
        if !self.is_host() {
            return beginning(text, room);
        }
        // Words do not add up to a text here, so whole beginnings are counted, few of them.
        let most = cut(text, (room + 1).saturating_mul(CHARS_A_TOKEN));
        let longest = |borders: &[usize]| {
            let fitting = borders.partition_point(|&end| self.count(&most[..end]) <= room);
            borders[..fitting].last().copied().unwrap_or(0)
        };
        let spaces = most.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
        let words: Vec<usize> = spaces.chain([most.len()]).collect();
        let end = longest(&words);
        let next = words.iter().copied().find(|border| *border > end).unwrap_or(end);
        if self.count(&most[..end]) * 2 >= room && end > 0 {
            return &most[..end];
        }
        let inside: Vec<usize> = most[end..next].char_indices().map(|(at, _)| end + at).collect();
        &most[..longest(&inside).max(end)]
    }
}

impl fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "TokenCounter(host)" } else { "TokenCounter(estimate)" })
    }
}

impl PartialEq for TokenCounter {
    /// Two answers are the same if they say the same, however it was counted.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_sort_of_run_counts_as_it_is_written_above() {
        let counts = |cases: &[(&str, usize)]| cases.iter().for_each(|(text, count)| assert_eq!(tokens(text), *count, "{text:?}"));
        counts(&[("", 0), ("the cat", 2), ("elevenchars", 1), ("twelveletter", 2), ("a b\tc\r\n\n", 5), ("  \u{a0}\u{2003}\u{85}\u{b}", 0)]);
        counts(&[("fooBarBaz", 3), ("HTTPServer", 2), ("SQL", 1), ("NASDAQ", 2), ("Word", 1), ("ABCd", 2)]);
        counts(&[("2026", 2), ("v2", 2), ("123456", 2)]);
        counts(&[("a.b", 2), ("a/b_c", 3), (".5", 2), ("a-b", 3), ("f(x)", 4), ("::", 1), ("\"})", 2), ("a. b", 3), ("\u{1}\u{1f}", 1)]);
        counts(&[("----------------", 2), ("────────────────", 2), ("→ —", 2), ("🎉🎉", 4)]);
        counts(&[("用户身份验证", 5), ("Größe", 3), ("Привет", 3), ("안녕하세요", 4), ("a用.户", 4)]);
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-zA-Z]{1,20}",
            "[0-9]{1,7}",
            r"[-._/(){}=#*]{1,20}",
            "[ \t\n\r]{1,3}",
            "[\u{e0}-\u{17f}\u{430}-\u{44f}\u{4e00}-\u{4e20}\u{2500}-\u{2503}]{1,20}",
            "[\u{a0}\u{2003}\u{1f600}-\u{1f603}]{1,3}"
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_text_counts_what_its_words_count_and_no_less_than_its_beginnings(text in text()) {
            prop_assert_eq!(tokens(&text), text.split_inclusive(char::is_whitespace).map(tokens).sum::<usize>());
            let counts: Vec<_> = text.char_indices().map(|(at, _)| tokens(&text[..at])).collect();
            prop_assert!(counts.is_sorted() && counts.last().is_none_or(|last| *last <= tokens(&text)), "{counts:?}");
        }

        #[test]
        fn a_beginning_keeps_its_room_and_uses_it(text in text(), room in 0usize..30) {
            let kept = beginning(&text, room);
            prop_assert!(text.starts_with(kept) && tokens(kept) <= room);
            let next = text[kept.len()..].split_inclusive(char::is_whitespace).next().unwrap_or("");
            prop_assert!(kept.len() == text.len() || tokens(&text[..kept.len() + next.len()]) > room, "{kept:?} of {room}");
        }
    }

    #[test]
    fn a_beginning_ends_between_words_unless_one_word_is_too_long() {
        assert_eq!(beginning("alpha beta gamma", 2), "alpha beta ");
        assert_eq!(beginning("alpha beta gamma", 0), "");
        assert_eq!(beginning("abcdefghijklmnopqrst", 2), "abcdefghijklmno");
        assert_eq!(beginning("a 限流必须在认证之前", 4), "a 限流必");
        assert_eq!(beginning("one two three a-very-long-word-that-ends-nowhere", 4), "one two three ");
        assert_eq!(beginning(&"-".repeat(100), 3), "-".repeat(47));
    }

    fn counting(count: impl Fn(&str) -> usize + Send + Sync + 'static) -> TokenCounter {
        TokenCounter::new(Some(Arc::new(count)))
    }

    #[test]
    fn a_host_counts_instead_of_the_estimate_and_nothing_means_none() {
        assert_eq!(TokenCounter::default().count("one two three"), 3);
        let bytes = counting(str::len);
        assert_eq!((bytes.count("one two"), bytes.count("")), (7, 0));
        assert!(bytes.is_host() && bytes.fault().is_none());
        assert_eq!(counting(|_| usize::MAX).count("four"), 4, "no text has more tokens than bytes");
        assert_eq!(counting(|_| 1).count(""), 0);
    }

    #[test]
    fn a_host_is_given_no_more_than_16_kib_and_the_rest_is_estimated() {
        let bounded = counting(|text| {
            assert!(text.len() <= COUNTED_BYTES);
            1
        });
        assert_eq!(bounded.count(&"字".repeat(COUNTED_BYTES)), 1 + tokens(&"字".repeat(COUNTED_BYTES - COUNTED_BYTES / 3)));
        assert!(bounded.fault().is_none());
    }

    #[test]
    fn after_a_panic_the_estimate_counts_and_says_so() {
        let panicking = counting(|text| if text.contains('!') { panic!("no marks") } else { 100 });
        assert_eq!(panicking.count("one two three"), 13);
        assert_eq!(panicking.count("one two three!"), 4);
        assert_eq!(panicking.clone().count("one two three"), 3, "for the rest of the answer");
        assert!(!panicking.is_host() && panicking.fault().is_some_and(|fault| fault.contains("failed")));
    }

    #[test]
    fn a_beginning_is_the_longest_that_the_host_lets_in() {
        let bytes = counting(str::len);
        assert_eq!(bytes.beginning("alpha beta gamma", 12), "alpha beta ");
        assert_eq!(bytes.beginning("alpha beta gamma", 100), "alpha beta gamma");
        assert_eq!(bytes.beginning("alphabetagamma", 5), "alpha");
        assert_eq!(bytes.beginning("漢字漢字漢字", 7), "漢字");
        assert_eq!((bytes.beginning("alpha", 0), bytes.beginning("", 9)), ("", ""));
        let words = counting(|text| text.split_whitespace().count());
        assert_eq!(words.beginning("one two three four", 2), "one two ");
    }
}
