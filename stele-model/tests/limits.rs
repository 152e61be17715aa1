//! Texts that a careless host hands over: empty, huge, or without an end to a word.

use stele_model::{DIMENSIONS, MAX_TOKENS, embed, embed_into, embed_weighted, embed_weighted_into, token_ids};

const TEN_MEGABYTES: usize = 10 << 20;
const UNKNOWN: u32 = 100;

fn ids(text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    token_ids(text, &mut ids);
    ids
}

#[test]
fn a_text_without_tokens_has_the_zero_vector() {
    for text in ["", " ", "\n\t\r\n", "\0", "\u{200b}\u{feff}", "\u{301}\u{302}", "\u{fffd}"] {
        assert_eq!(ids(text), [], "{text:?}");
        assert_eq!(embed(text), [0.0; DIMENSIONS], "{text:?}");
        assert_eq!(embed_weighted(text), [0.0; DIMENSIONS], "{text:?}");
    }
}

#[test]
fn a_used_buffer_is_written_over() {
    let mut buffer = embed("something quite different");
    embed_into("rate limiter", &mut buffer);
    assert_eq!(buffer, embed("rate limiter"));
    embed_weighted_into("rate limiter", &mut buffer);
    assert_eq!(buffer, embed_weighted("rate limiter"));
    embed_into("", &mut buffer);
    assert_eq!(buffer, [0.0; DIMENSIONS]);
}

#[test]
fn only_the_first_tokens_count() {
    let all = "word ".repeat(MAX_TOKENS);
    assert_eq!(ids(&all).len(), MAX_TOKENS);
    assert_eq!(embed(&format!("{all} something quite different")), embed(&all));
    assert_eq!(embed_weighted(&format!("{all} something quite different")), embed_weighted(&all));
    let dots = ".".repeat(TEN_MEGABYTES);
    assert_eq!(ids(&dots).len(), MAX_TOKENS);
}

#[test]
fn a_word_cut_by_the_limit_is_still_unknown_if_its_end_cannot_be_spelled() {
    let before = "word ".repeat(MAX_TOKENS - 1);
    let spelled = ids(&format!("{before}untranslatability"));
    assert_eq!((spelled.len(), spelled[MAX_TOKENS - 1] == UNKNOWN), (MAX_TOKENS, false));
    let unknown = ids(&format!("{before}untranslatability\u{16a0}"));
    assert_eq!((unknown.len(), unknown[MAX_TOKENS - 1]), (MAX_TOKENS, UNKNOWN));
}

#[test]
fn a_word_of_a_hundred_letters_is_read_and_a_longer_one_is_unknown() {
    assert_ne!(ids(&"x".repeat(100)), [UNKNOWN]);
    assert_eq!(ids(&"x".repeat(101)), [UNKNOWN]);
    assert_eq!(ids(&format!("{} ok", "é".repeat(101))).len(), 2);
}

#[test]
fn ten_megabytes_of_one_word_are_one_unknown_token() {
    for unit in ["x", "é", "한", "ᚠ", "\u{1F642}"] {
        let text = unit.repeat(TEN_MEGABYTES / unit.len());
        assert_eq!(ids(&text), [UNKNOWN], "{unit}");
        assert_eq!(embed(&text), embed("ᚠ"), "{unit}");
    }
}

#[test]
fn ten_megabytes_of_nothing_end_too() {
    for unit in [" ", "\0", "\u{301}", "\u{200d}"] {
        let text = unit.repeat(TEN_MEGABYTES / unit.len());
        assert_eq!(ids(&format!("{text}end")), ids("end"), "{unit:?}");
    }
}

#[test]
fn names_in_brackets_are_plain_text() {
    assert_eq!(ids("[UNK]").len(), 4);
    assert_eq!(ids("[CLS] [MASK]"), ids("[ cls ] [ mask ]"));
}
