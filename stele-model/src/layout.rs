//! The layout of the two generated assets, `chars.bin` and `pieces.bin`.
//!
//! The reader and the generator (`examples/make_index.rs`) both include this file, so that the
//! layout is written down once. All numbers in the assets are little-endian.
//!
//! `chars.bin` says what the tokeniser makes of each character. It holds [`PAGES`] bytes, one for
//! each run of [`PAGE_LEN`] code points, naming a page; then the pages, [`PAGE_LEN`] `u16` classes
//! each; then [`EXPANSIONS`] rows of [`EXPANSION_LEN`] `u16` classes. Hangul syllables are not in
//! it: their parts are computed.
//!
//! `pieces.bin` is a double-array trie over the letters of the vocabulary. A unit is a `u64`:
//! 16 bits of token, 20 bits of base, 20 bits of parent. The child of unit `p` by letter `l` is at
//! `base(p) + l`, if that unit's parent is `p`.

/// The code points that share one page of `chars.bin`.
pub(crate) const PAGE_LEN: usize = 128;
/// The pages that cover every code point.
pub(crate) const PAGES: usize = 0x11_0000 / PAGE_LEN;
/// The characters that stand for more than one letter, Hangul syllables apart.
pub(crate) const EXPANSIONS: usize = 64;
/// The classes in one expansion; shorter ones end in [`DROP`].
pub(crate) const EXPANSION_LEN: usize = 3;

/// The character vanishes: controls, format characters, stripped accents.
pub(crate) const DROP: u16 = 0;
/// The character ends a word and is nothing itself.
pub(crate) const SPACE: u16 = 1;
/// A word character that no vocabulary entry contains: its word is unknown.
pub(crate) const STRANGER: u16 = 2;
/// The first letter; a letter is a character of the vocabulary, commonest first.
#[allow(dead_code, reason = "to the reader, what is none of the above is a letter")]
pub(crate) const FIRST_LETTER: u16 = 3;
/// The class of an expansion is this bit and its row.
pub(crate) const EXPANDS: u16 = 0x4000;
/// The class of a character that is a word by itself (punctuation, CJK) is this bit and its token.
pub(crate) const ALONE: u16 = 0x8000;

/// The unit where words start.
pub(crate) const WORD_ROOT: usize = 0;
/// The unit where continuations of a word (`##`) start.
pub(crate) const CONTINUATION_ROOT: usize = 1;
/// The token of a unit where no vocabulary entry ends.
pub(crate) const NO_TOKEN: u16 = u16::MAX;
/// The parent of a unit that is not in use, and of the two roots.
#[allow(dead_code, reason = "the generator writes it, no look-up asks for it")]
pub(crate) const NO_PARENT: usize = (1 << 20) - 1;

/// Packs a unit of the trie; `base` and `parent` are below 2^20.
#[allow(dead_code, reason = "the generator writes units, the reader only reads them")]
pub(crate) const fn pack(token: u16, base: usize, parent: usize) -> u64 {
    token as u64 | (base as u64) << 16 | (parent as u64) << 36
}

/// Returns the token that ends at a unit, or [`NO_TOKEN`].
pub(crate) const fn token(unit: u64) -> u16 {
    (unit & 0xFFFF) as u16
}

/// Returns where the children of a unit start.
pub(crate) const fn base(unit: u64) -> usize {
    (unit >> 16 & 0xF_FFFF) as usize
}

/// Returns the unit that this one is a child of, or [`NO_PARENT`].
pub(crate) const fn parent(unit: u64) -> usize {
    (unit >> 36 & 0xF_FFFF) as usize
}

/// Splits a Hangul syllable into its two or three parts; the third may be absent.
pub(crate) fn hangul_parts(c: char) -> Option<(char, char, Option<char>)> {
    const SYLLABLES: u32 = 0xAC00;
    let index = (c as u32).checked_sub(SYLLABLES).filter(|index| *index < 19 * 21 * 28)?;
    let part = |first: u32, n: u32| char::from_u32(first + n);
    let tail = index % 28;
    Some((part(0x1100, index / (21 * 28))?, part(0x1161, index / 28 % 21)?, if tail == 0 { None } else { part(0x11A7, tail) }))
}
