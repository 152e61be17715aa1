//! The tokeniser against the reference implementation, on ten thousand texts and more.
//!
//! The texts are made from fixed seeds: words of several languages and kinds, every block of
//! Unicode, controls and combining marks, very long words, and slices of this repository.

mod common;

use common::{Dice, reference, reference_ids, repository_sources, texts};
use tokenizers::Tokenizer;

#[test]
fn ten_thousand_generated_texts_have_the_ids_of_the_reference() {
    let reference = reference();
    let mut dice = Dice::new(1);
    for n in 0..10_000 {
        let text = texts::any(&mut dice);
        assert_same(&reference, &text, n);
    }
}

#[test]
fn every_character_between_letters_has_the_ids_of_the_reference() {
    let reference = reference();
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for (n, some) in all.chunks(100).enumerate() {
        let text: String = some.iter().flat_map(|c| [' ', 'n', *c, 'e', ' ', *c]).collect();
        assert_same(&reference, &text, n);
    }
}

#[test]
fn slices_of_the_repository_have_the_ids_of_the_reference() {
    let reference = reference();
    let sources = repository_sources();
    let mut dice = Dice::new(2);
    for n in 0..2_000 {
        let source = &sources[dice.below(sources.len())];
        let from = source.floor_char_boundary(dice.below(source.len() + 1));
        let to = source.floor_char_boundary((from + dice.below(3_000)).min(source.len()));
        assert_same(&reference, &source[from..to], n);
    }
}

#[test]
fn every_entry_of_the_vocabulary_has_the_ids_of_the_reference() {
    let reference = reference();
    for (n, line) in common::VOCABULARY.lines().enumerate() {
        assert_same(&reference, line, n);
        let (first, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        assert_same(&reference, &format!("{}{rest}{line}s", first.to_uppercase()), n);
    }
}

#[track_caller]
fn assert_same(reference: &Tokenizer, text: &str, n: usize) {
    let mut ids = vec![7; 3];
    stele_model::token_ids(text, &mut ids);
    assert_eq!(ids, reference_ids(reference, text), "text {n}: {text:?}");
}
