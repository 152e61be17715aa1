//! What several tests of the model share: the reference tokeniser, dice, sources to cut from.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use tokenizers::Tokenizer;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;

pub(crate) mod texts;

pub(crate) const VOCABULARY: &str = include_str!("../../data/vocab.txt");

/// Builds the reference from the vocabulary file alone.
pub(crate) fn reference() -> Tokenizer {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/vocab.txt");
    let model = WordPiece::from_file(path).unk_token("[UNK]".to_owned()).max_input_chars_per_word(100).build().expect("the vocabulary makes a model");
    let mut reference = Tokenizer::new(model);
    reference.with_normalizer(Some(BertNormalizer::default())).expect("the normaliser fits").with_pre_tokenizer(Some(BertPreTokenizer));
    reference
}

/// The ids that the reference gives, cut like ours.
pub(crate) fn reference_ids(reference: &Tokenizer, text: &str) -> Vec<u32> {
    let encoding = reference.encode(text, false).expect("the reference reads any text");
    encoding.get_ids().iter().copied().take(stele_model::MAX_TOKENS).collect()
}

/// A seeded source of choices (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// The texts of the workspace this crate lies in, or of the crate alone if it stands by itself.
pub(crate) fn repository_sources() -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = here.parent().filter(|above| above.join("Cargo.toml").is_file());
    let mut paths = Vec::new();
    collect(workspace.unwrap_or(here), &mut paths);
    paths.sort();
    let sources: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    assert!(sources.len() >= 5, "the crate has at least its own files");
    sources
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                collect(&path, paths);
            }
        } else if [".rs", ".md", ".toml", ".py", ".ts", ".h", ".jsonl"].iter().any(|end| name.ends_with(end)) {
            paths.push(path);
        }
    }
}
