//! Makes the tokeniser's assets, `data/chars.bin` and `data/pieces.bin`, from `data/vocab.txt`.
//!
//! What a character becomes is not worked out here: the reference tokeniser is asked about each
//! one. With `--check` nothing is written, and the exit is a failure if a byte would change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

#[path = "../src/layout.rs"]
#[allow(dead_code, reason = "the generator reads no unit back")]
mod layout;

use layout::{
    ALONE, CONTINUATION_ROOT, DROP, EXPANDS, EXPANSION_LEN, EXPANSIONS, FIRST_LETTER, NO_PARENT, NO_TOKEN, PAGE_LEN, PAGES, SPACE, STRANGER, WORD_ROOT,
    hangul_parts, pack,
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        other => return Err(format!("make_index takes --check or nothing, not {other:?}").into()),
    };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let vocabulary = Vocabulary::parse(&std::fs::read_to_string(data.join("vocab.txt"))?)?.require_letters()?;
    let assets = [("chars.bin", chars(&vocabulary)?), ("pieces.bin", pieces(&vocabulary)?)];
    for (name, bytes) in assets {
        let path = data.join(name);
        if !check {
            std::fs::write(path, bytes)?;
        } else if std::fs::read(path)? != bytes {
            return Err(format!("data/{name} is not what make_index makes").into());
        }
    }
    Ok(())
}

/// The entries that text can spell, as letters.
struct Vocabulary {
    words: BTreeMap<Vec<u16>, u16>,
    continuations: BTreeMap<Vec<u16>, u16>,
    letters: HashMap<char, u16>,
    unknown: u16,
}

impl Vocabulary {
    fn parse(lines: &str) -> Result<Self, Failure> {
        let mut words = BTreeMap::new();
        let mut continuations = BTreeMap::new();
        let mut unknown = None;
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        for (id, line) in lines.lines().enumerate() {
            let id = u16::try_from(id)?;
            if line == "[UNK]" {
                unknown = Some(id);
            }
            // Names in brackets cannot come from text, where a bracket is a word by itself.
            if line.len() > 1 && line.starts_with('[') {
                continue;
            }
            let (entries, text) = match line.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => (&mut continuations, rest),
                _ => (&mut words, line),
            };
            if text.is_empty() || entries.insert(text, id).is_some() {
                return Err(format!("line {id} of the vocabulary is empty or double").into());
            }
            for c in text.chars() {
                *counts.entry(c).or_default() += 1;
            }
        }
        let mut order: Vec<_> = counts.into_iter().collect();
        order.sort_by_key(|(c, count)| (std::cmp::Reverse(*count), *c));
        let letters: HashMap<char, u16> = order.into_iter().map(|(c, _)| c).zip(FIRST_LETTER..EXPANDS).collect();
        let spell = |entries: BTreeMap<&str, u16>| entries.into_iter().map(|(text, id)| (text.chars().map(|c| letters[&c]).collect(), id)).collect();
        Ok(Self { words: spell(words), continuations: spell(continuations), unknown: unknown.ok_or("the vocabulary has no [UNK]")?, letters })
    }

    /// Fails unless each letter is an entry in both places: then every word of letters has tokens.
    fn require_letters(self) -> Result<Self, Failure> {
        for (c, letter) in &self.letters {
            let letter = [*letter];
            if !self.words.contains_key(&letter[..]) || !self.continuations.contains_key(&letter[..]) {
                return Err(format!("{c} is not an entry by itself, with and without ##").into());
            }
        }
        Ok(self)
    }

    fn letter(&self, c: char) -> u16 {
        self.letters.get(&c).copied().unwrap_or(STRANGER)
    }
}

/// What the reference makes of a character between two letters.
enum Meaning {
    Nothing,
    Space,
    Alone(char),
    Letters(Vec<char>),
}

fn meaning(c: char, normalizer: &BertNormalizer) -> Result<Meaning, Failure> {
    let mut normalized = NormalizedString::from(format!("a{c}b"));
    normalizer.normalize(&mut normalized)?;
    let mut words = PreTokenizedString::from(normalized);
    BertPreTokenizer.pre_tokenize(&mut words)?;
    let words: Vec<&str> = words.get_splits(OffsetReferential::Normalized, OffsetType::Byte).into_iter().map(|(word, ..)| word).collect();
    let odd = || format!("U+{:04X} becomes {words:?}, which no class says", c as u32);
    Ok(match words.as_slice() {
        ["ab"] => Meaning::Nothing,
        ["a", "b"] => Meaning::Space,
        ["a", word, "b"] => {
            let mut chars = word.chars();
            Meaning::Alone(chars.next().filter(|_| chars.next().is_none()).ok_or_else(odd)?)
        }
        [word] => {
            let inner = word.strip_prefix('a').and_then(|word| word.strip_suffix('b'));
            Meaning::Letters(inner.ok_or_else(odd)?.chars().collect())
        }
        _ => return Err(odd().into()),
    })
}

fn chars(vocabulary: &Vocabulary) -> Result<Vec<u8>, Failure> {
    let normalizer = BertNormalizer::default();
    let mut expansions: Vec<[u16; EXPANSION_LEN]> = Vec::new();
    let mut classes = vec![STRANGER; PAGES * PAGE_LEN];
    for c in '\0'..=char::MAX {
        let letters = match meaning(c, &normalizer)? {
            Meaning::Nothing => Vec::new(),
            Meaning::Space => vec![SPACE],
            Meaning::Alone(c) => {
                let letters = [vocabulary.letter(c)];
                let id = vocabulary.words.get(&letters[..]).unwrap_or(&vocabulary.unknown);
                vec![ALONE | id]
            }
            Meaning::Letters(chars) => {
                if let Some((lead, vowel, tail)) = hangul_parts(c)
                    && chars != [Some(lead), Some(vowel), tail].into_iter().flatten().collect::<Vec<_>>()
                {
                    return Err(format!("{c} is not put together by the rule of Hangul").into());
                }
                chars.into_iter().map(|c| vocabulary.letter(c)).collect()
            }
        };
        classes[c as usize] = match letters.as_slice() {
            [] => DROP,
            [one] => *one,
            _ if hangul_parts(c).is_some() => EXPANDS,
            // One stranger makes the whole word unknown.
            some if some.contains(&STRANGER) => STRANGER,
            some => {
                let mut row = [DROP; EXPANSION_LEN];
                row.get_mut(..some.len()).ok_or_else(|| format!("{c} has more than {EXPANSION_LEN} letters"))?.copy_from_slice(some);
                let known = expansions.iter().position(|known| *known == row);
                let index = known.unwrap_or(expansions.len());
                if known.is_none() {
                    expansions.push(row);
                }
                EXPANDS | u16::try_from(index)?
            }
        };
    }
    if expansions.len() > EXPANSIONS {
        return Err(format!("{} expansions, more than {EXPANSIONS}", expansions.len()).into());
    }
    expansions.resize(EXPANSIONS, [DROP; EXPANSION_LEN]);

    let mut pages: Vec<&[u16]> = Vec::new();
    let mut bytes = Vec::new();
    for page in classes.chunks(PAGE_LEN) {
        let index = pages.iter().position(|known| *known == page).unwrap_or(pages.len());
        if index == pages.len() {
            pages.push(page);
        }
        bytes.push(u8::try_from(index)?);
    }
    for class in pages.into_iter().chain(expansions.iter().map(|row| &row[..])).flatten() {
        bytes.extend(class.to_le_bytes());
    }
    Ok(bytes)
}

/// A node of the trie while it is built.
struct Node {
    token: u16,
    children: BTreeMap<u16, usize>,
}

fn pieces(vocabulary: &Vocabulary) -> Result<Vec<u8>, Failure> {
    let mut nodes = Vec::new();
    for _root in [WORD_ROOT, CONTINUATION_ROOT] {
        nodes.push(Node { token: NO_TOKEN, children: BTreeMap::new() });
    }
    let words = vocabulary.words.iter().map(|entry| (WORD_ROOT, entry));
    let continuations = vocabulary.continuations.iter().map(|entry| (CONTINUATION_ROOT, entry));
    for (root, (letters, id)) in words.chain(continuations) {
        let mut at = root;
        for letter in letters {
            let next = nodes.len();
            at = *nodes[at].children.entry(*letter).or_insert(next);
            if at == next {
                nodes.push(Node { token: NO_TOKEN, children: BTreeMap::new() });
            }
        }
        nodes[at].token = *id;
    }

    // Nodes with many children are placed first, each where its children first fit.
    let mut order: Vec<usize> = (0..nodes.len()).filter(|n| !nodes[*n].children.is_empty()).collect();
    order.sort_by_key(|n| (std::cmp::Reverse(nodes[*n].children.len()), *n));
    let room = 2 * nodes.len() + usize::from(EXPANDS);
    let mut free: BTreeSet<usize> = (CONTINUATION_ROOT + 1..room).collect();
    let mut bases = vec![0; nodes.len()];
    let mut places = vec![NO_PARENT; nodes.len()];
    places[WORD_ROOT] = WORD_ROOT;
    places[CONTINUATION_ROOT] = CONTINUATION_ROOT;
    for n in order {
        let children = &nodes[n].children;
        let first = usize::from(*children.keys().next().ok_or("a childless node was chosen")?);
        let base = free
            .iter()
            .filter_map(|place| place.checked_sub(first))
            .find(|base| children.keys().all(|letter| free.contains(&(base + usize::from(*letter)))))
            .ok_or("the trie has no room")?;
        bases[n] = base;
        for (letter, child) in children {
            places[*child] = base + usize::from(*letter);
            free.remove(&places[*child]);
        }
    }

    // A look-up may reach past the last unit by the greatest letter.
    let used = places.iter().max().ok_or("the vocabulary is empty")? + 1;
    let letters = usize::from(FIRST_LETTER) + vocabulary.letters.len();
    let mut units = vec![pack(NO_TOKEN, 0, NO_PARENT); used + letters];
    for (n, node) in nodes.iter().enumerate() {
        units[places[n]] = pack(node.token, bases[n], NO_PARENT);
    }
    for (n, node) in nodes.iter().enumerate() {
        for child in node.children.values() {
            units[places[*child]] = pack(nodes[*child].token, bases[*child], places[n]);
        }
    }
    Ok(units.into_iter().flat_map(u64::to_le_bytes).collect())
}
