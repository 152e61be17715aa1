//! Seeded texts that go where tokenisers differ.

use super::{Dice, VOCABULARY};

const PROSE: &[&str] = &[
    "the",
    "quick",
    "Because",
    "unbelievably",
    "re-index",
    "can't",
    "naïve",
    "façade",
    "Zürich",
    "coöperate",
    "Ångström",
    "ÉCOLE",
    "İstanbul",
    "ıssız",
    "straße",
    "STRASSE",
    "ﬁne",
    "ﬂuid",
    "œuvre",
    "Žižek",
    "Ελλάδα",
    "ΣΊΣΥΦΟΣ",
    "Москва",
    "ёлка",
    "Київ",
    "שָׁלוֹם",
    "السَّلامُ",
    "हिन्दी",
    "বাংলা",
    "தமிழ்",
    "ภาษาไทย",
    "ที่นี่",
    "ქართული",
    "ᲥᲐᲠᲗᲣᲚᲘ",
    "한국어",
    "각",
    "日本語",
    "カタカナ",
    "ガ",
    "漢字",
    "中文。",
    "Việt",
    "Nguyễn",
    "ﷺ",
    "①",
    "½",
    "x²",
    "℃",
    "Ⅷ",
    "🙂",
    "👩‍👩‍👧",
    "🇩🇪",
    "❤️",
    "\u{1F468}\u{1F3FD}",
];

const CODE: &[&str] = &[
    "fn main() {}",
    "rate_limiter",
    "rateLimiter",
    "HTTPServer2",
    "TS2769",
    "a.b::<C>()",
    "&&",
    "!=",
    "->",
    "/* x */",
    "#[cfg(test)]",
    "0xDEAD_BEEF",
    "1e-9",
    "$HOME/.config",
    "foo@bar.com",
    "C++",
    "params[:id]",
    "{\"k\":\"v\"}",
    "<div class='a'>",
    "%s\\n",
    "~/.claude/",
    "`x`",
    "^_^",
    "[UNK]",
    "[CLS]",
    "##ing",
    "v1.2.3-rc.1",
    "s3://bucket/key?x=1&y=2",
    "λx→y",
    "a≠b",
    "∀x∈S",
];

/// The strange ones: controls, formats, marks, spaces, halves of sequences.
const ODD: &[char] = &[
    '\0',
    '\u{1}',
    '\t',
    '\n',
    '\r',
    '\u{b}',
    '\u{c}',
    '\u{1b}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{ad}',
    '\u{300}',
    '\u{301}',
    '\u{327}',
    '\u{338}',
    '\u{345}',
    '\u{483}',
    '\u{591}',
    '\u{64b}',
    '\u{93c}',
    '\u{94d}',
    '\u{e31}',
    '\u{e34}',
    '\u{f71}',
    '\u{1161}',
    '\u{11a8}',
    '\u{1680}',
    '\u{180e}',
    '\u{2000}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{2028}',
    '\u{2029}',
    '\u{202e}',
    '\u{202f}',
    '\u{205f}',
    '\u{2060}',
    '\u{20dd}',
    '\u{3000}',
    '\u{302a}',
    '\u{3099}',
    '\u{e000}',
    '\u{f900}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{fffd}',
    '\u{ffff}',
    '\u{1d15e}',
    '\u{1d165}',
    '\u{1f3ff}',
    '\u{20000}',
    '\u{2f800}',
    '\u{e0001}',
    '\u{10ffff}',
];

/// Makes the next text; sometimes empty, mostly some dozens of tokens, sometimes past the limit.
pub(crate) fn any(dice: &mut Dice) -> String {
    let mut text = String::new();
    let parts = if dice.below(100) == 0 { 900 } else { dice.below(40) };
    let script = dice.below(8);
    for _ in 0..parts {
        // A text mostly keeps to its kind, so that kinds meet in some and not in others.
        let kind = if dice.below(3) == 0 { dice.below(8) } else { script };
        match kind {
            0 | 1 => text.push_str(dice.pick(PROSE)),
            2 => text.push_str(dice.pick(CODE)),
            3 => entry(dice, &mut text),
            4 => text.push(ODD[dice.below(ODD.len())]),
            5 => block(dice, &mut text),
            6 => marked(dice, &mut text),
            _ => letters(dice, &mut text),
        }
        match dice.below(6) {
            0 => {}
            1 => text.push(ODD[dice.below(ODD.len())]),
            2 => text.push_str(dice.pick(&["", ", ", ". ", "-", "_", "\n\n", "'s ", "/", "、"])),
            _ => text.push(' '),
        }
    }
    text
}

/// An entry of the vocabulary, in any case.
fn entry(dice: &mut Dice, text: &mut String) {
    let lines: usize = 30_522;
    let from = dice.below(VOCABULARY.len());
    let line = VOCABULARY[VOCABULARY.floor_char_boundary(from)..].lines().nth(1);
    let line = line.unwrap_or("of").trim_start_matches("##");
    match dice.below(lines) % 4 {
        0 => text.push_str(&line.to_uppercase()),
        _ => text.push_str(line),
    }
}

/// A few neighbours from anywhere in Unicode; low blocks, where most scripts lie, are likelier.
fn block(dice: &mut Dice, text: &mut String) {
    let blocks = [0x300, 0x3000, 0x1_0000, 0x3_0000, 0x11_0000][dice.below(5)] / 16;
    let start = 16 * dice.below(blocks) as u32;
    for _ in 0..=dice.below(6) {
        text.extend(char::from_u32(start + dice.below(16) as u32));
    }
}

/// A letter under a heap of combining marks, some of them not to be stripped.
fn marked(dice: &mut Dice, text: &mut String) {
    text.push(['a', 'E', 'ö', 'ア', 'क', '=', '漢', '가', 'و'][dice.below(9)]);
    for _ in 0..dice.below(5) {
        let range = [0x300, 0x900, 0x3090, 0x1AB0, 0x20D0, 0x1D160][dice.below(6)];
        text.extend(char::from_u32(range + dice.below(0x30) as u32));
    }
}

/// A word of one, a hundred (the limit, give or take two), or some thousand letters.
fn letters(dice: &mut Dice, text: &mut String) {
    let length = match dice.below(20) {
        0 => 98 + dice.below(5),
        1 => dice.below(3_000),
        _ => 1 + dice.below(12),
    };
    let of = dice.pick(&["abcdefghijklmnopqrstuvwxyz", "aeiou", "ÀÉñß", "x", "0123456789", "한글각", "яж"]);
    let of: Vec<char> = of.chars().collect();
    text.extend((0..length).map(|_| of[dice.below(of.len())]));
}
