//! Reads one decision record in Markdown: of Nygard's form, of MADR's, or near to either.
//!
//! Only what stands in the front matter, in lines such as `Status: …` before the first section, and in the sections on
//! status and links is read as a statement about other records. Prose elsewhere states nothing.

use crate::base::text::cut;

/// What a text says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AdrText {
    pub(crate) title: String,
    /// The number that stands before the title.
    pub(crate) number: Option<u64>,
    /// The text without front matter and title.
    pub(crate) body: String,
    pub(crate) date: Option<String>,
    /// The words for its status, in lower case, each once.
    pub(crate) status: Vec<&'static str>,
    /// The lines that tell its status, as they are written.
    pub(crate) status_lines: Vec<String>,
    pub(crate) bonds: Vec<Bond>,
}

/// How a record says that it stands to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BondKind {
    /// The other one ended it.
    EndedBy,
    /// It ended the other one.
    Ends,
    /// They have to do with each other.
    Related,
}

/// A line in which a record names others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bond {
    pub(crate) kind: BondKind,
    pub(crate) line: u64,
    /// The line, without a list mark.
    pub(crate) quote: String,
    pub(crate) others: Vec<Other>,
}

/// Another record as a line names it: by a link, by a number, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Other {
    pub(crate) link: Option<String>,
    pub(crate) number: Option<u64>,
}

/// Phrases that join a record to those named after them, longer ones before what they begin with.
const PHRASES: &[(&str, BondKind)] = &[
    ("superseded by", BondKind::EndedBy),
    ("superceded by", BondKind::EndedBy),
    ("superseeded by", BondKind::EndedBy),
    ("replaced by", BondKind::EndedBy),
    ("obsoleted by", BondKind::EndedBy),
    ("supersedes", BondKind::Ends),
    ("supercedes", BondKind::Ends),
    ("superseeds", BondKind::Ends),
    ("replaces", BondKind::Ends),
    ("obsoletes", BondKind::Ends),
    ("amended by", BondKind::Related),
    ("amends", BondKind::Related),
    ("clarified by", BondKind::Related),
    ("clarifies", BondKind::Related),
    ("extended by", BondKind::Related),
    ("extends", BondKind::Related),
    ("refined by", BondKind::Related),
    ("refines", BondKind::Related),
    ("updated by", BondKind::Related),
    ("updates", BondKind::Related),
    ("related to", BondKind::Related),
    ("relates to", BondKind::Related),
    ("related", BondKind::Related),
    ("depends on", BondKind::Related),
    ("builds on", BondKind::Related),
    ("see also", BondKind::Related),
    ("linked to", BondKind::Related),
    ("complements", BondKind::Related),
];

/// Words for a status, with the one that is kept.
const STATUS: &[(&str, &str)] = &[
    ("accepted", "accepted"),
    ("approved", "approved"),
    ("active", "active"),
    ("implemented", "implemented"),
    ("proposed", "proposed"),
    ("draft", "draft"),
    ("pending", "pending"),
    ("rejected", "rejected"),
    ("declined", "rejected"),
    ("deprecated", "deprecated"),
    ("obsolete", "obsolete"),
    ("withdrawn", "withdrawn"),
    ("superseded", "superseded"),
    ("superceded", "superseded"),
    ("superseeded", "superseded"),
    ("replaced", "superseded"),
];

/// Words that say that only a part of a record ended.
const PARTLY: &[&str] = &["partial", "partly", "in part", "aspects of", "parts of", "some of", "portions of"];
/// Words that say that a record has not ended yet, or not at all.
const NOT_YET: &[&str] =
    &["will be", "to be", "may be", "might be", "could be", "should be", "can be", "not be", "not", "would be", "going to be", "planned to be"];

/// The longest line that is taken for a statement about other records, in bytes.
const STATEMENT_BYTES: usize = 2_000;

/// The sections whose presence makes a text a decision record.
const SECTIONS: &[&str] = &[
    "status",
    "context",
    "decision",
    "consequences",
    "context and problem statement",
    "decision drivers",
    "considered options",
    "decision outcome",
    "rationale",
];
/// The sections whose lines state bonds.
const BINDING: &[&str] =
    &["status", "links", "related", "related decisions", "related adrs", "related records", "more information", "references", "supersedes", "superseded by"];

/// Reads a text; `None` if it is no decision record.
pub(crate) fn parse(text: &str) -> Option<AdrText> {
    let mut reading = Reading::default();
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = (1u64..).zip(text.lines());
    let mut rest = text;
    if text.lines().next().is_some_and(|line| line.trim_end() == "---")
        && let Some(after) = reading.front_matter(text)
    {
        rest = &text[after..];
        let passed = text[..after].lines().count();
        lines.by_ref().take(passed).for_each(drop);
    }
    for (number, line) in lines {
        reading.line(number, line);
    }
    reading.finish(rest)
}

#[derive(Default)]
struct Reading {
    found: AdrText,
    title_line: Option<String>,
    section: Option<String>,
    fence: Option<char>,
    comment: bool,
    recognised: bool,
    /// The kind of a line that named nobody: the list under it may.
    waiting: Option<BondKind>,
}

impl Reading {
    /// Reads the front matter and gives the byte after it.
    fn front_matter(&mut self, text: &str) -> Option<usize> {
        let mut at = 0;
        let mut key = String::new();
        let mut entries: Vec<(u64, String, &str, &str)> = Vec::new();
        for (number, line) in (1u64..).zip(text.split_inclusive('\n')) {
            at += line.len();
            let line = line.trim_end();
            if number == 1 {
                continue;
            }
            if line == "---" || line == "..." {
                for (number, key, value, raw) in entries {
                    self.entry(number, &key, value, raw);
                }
                return Some(at);
            }
            if number > 200 {
                return None;
            }
            match line.split_once(':') {
                Some((name, value)) if !line.starts_with([' ', '\t', '-']) => {
                    key = name.trim().to_lowercase().replace(['-', '_'], " ");
                    entries.push((number, key.clone(), value.trim(), line));
                }
                _ => entries.push((number, key.clone(), line.trim(), line)),
            }
        }
        None
    }

    fn entry(&mut self, line: u64, key: &str, value: &str, raw: &str) {
        let plain = value.trim_matches(['"', '\'']).trim();
        match key {
            "title" if self.found.title.is_empty() => self.found.title = plain.to_owned(),
            "date" if self.found.date.is_none() => self.found.date = Some(plain.to_owned()),
            "status" => {
                self.recognised |= !plain.is_empty();
                self.status(line, value);
            }
            _ => {
                if let Some((_, kind)) = PHRASES.iter().find(|(phrase, _)| *phrase == key) {
                    let others = others_in(plain, true);
                    if !others.is_empty() {
                        self.bind(*kind, line, raw, others, value);
                    }
                }
            }
        }
    }

    fn line(&mut self, number: u64, line: &str) {
        let trimmed = line.trim();
        if let Some(mark) = ["```", "~~~"].iter().find(|mark| trimmed.starts_with(**mark)).map(|mark| mark.chars().next().unwrap_or('`')) {
            match self.fence {
                None => self.fence = Some(mark),
                Some(open) if open == mark => self.fence = None,
                Some(_) => {}
            }
            return;
        }
        if self.fence.is_some() {
            return;
        }
        let visible = self.without_comments(trimmed);
        let trimmed = visible.trim();
        if let Some((level, heading)) = heading(trimmed) {
            self.heading(level, heading, line);
            return;
        }
        if trimmed.is_empty() {
            return;
        }
        match self.section.clone() {
            None => self.before_sections(number, trimmed),
            Some(section) if section == "status" => match labelled(trimmed) {
                Some((label, value)) if label == "date" => self.date(value),
                _ => self.status(number, trimmed),
            },
            Some(section) if section == "date" => self.date(trimmed),
            Some(section) if BINDING.contains(&section.as_str()) => self.bonds(number, trimmed),
            Some(_) => {}
        }
    }

    fn date(&mut self, text: &str) {
        if self.found.date.is_none() {
            self.found.date = Some(text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
        }
    }

    /// The line without what stands in HTML comments, which may go over several lines.
    fn without_comments(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        loop {
            let (mark, next) = if self.comment { ("-->", false) } else { ("<!--", true) };
            let Some(at) = rest.find(mark) else { break };
            if !self.comment {
                out.push_str(&rest[..at]);
            }
            self.comment = next;
            rest = &rest[at + mark.len()..];
        }
        if !self.comment {
            out.push_str(rest);
        }
        out
    }

    fn heading(&mut self, level: usize, heading: &str, line: &str) {
        let name = heading.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        self.waiting = None;
        if level == 1 && self.title_line.is_none() && !SECTIONS.contains(&name.as_str()) {
            self.title_line = Some(line.to_owned());
            let (number, title) = numbered(heading);
            self.found.number = number;
            self.found.title = title.to_owned();
            return;
        }
        self.recognised |= SECTIONS.contains(&name.as_str());
        self.waiting = PHRASES.iter().find(|(phrase, _)| *phrase == name).map(|(_, kind)| *kind);
        self.section = Some(name);
    }

    fn before_sections(&mut self, number: u64, line: &str) {
        let Some((label, value)) = labelled(line) else { return };
        match label.as_str() {
            "date" => self.date(value),
            "status" => {
                self.recognised = true;
                self.status(number, line);
            }
            _ if PHRASES.iter().any(|(phrase, _)| *phrase == label) => self.bonds(number, line),
            _ => {}
        }
    }

    /// A line that tells the status.
    fn status(&mut self, number: u64, line: &str) {
        let words = outside_links(line).to_lowercase();
        let known = STATUS.iter().filter(|(word, _)| position(&words, word).is_some());
        let known: Vec<&'static str> = known.map(|(_, kept)| *kept).collect();
        // A template lists all that could stand here.
        if line.contains('|') && known.len() >= 3 {
            return;
        }
        for word in known {
            if !self.found.status.contains(&word) {
                self.found.status.push(word);
            }
        }
        self.keep(line);
        self.bonds(number, line);
    }

    fn keep(&mut self, line: &str) {
        let line = without_mark(line);
        if self.found.status_lines.len() < 20 && line.len() <= 500 && !self.found.status_lines.iter().any(|kept| kept == line) {
            self.found.status_lines.push(line.to_owned());
        }
    }

    fn bonds(&mut self, number: u64, line: &str) {
        if line.len() > STATEMENT_BYTES {
            return;
        }
        let lower = line.to_lowercase();
        if lower.len() != line.len() {
            // Offsets would differ; such a line holds letters that none of the phrases has in their stead.
            return self.bonds_of(number, &lower, &lower, line);
        }
        self.bonds_of(number, &lower, line, line);
    }

    fn bonds_of(&mut self, number: u64, lower: &str, text: &str, line: &str) {
        let mut found: Vec<(usize, usize, BondKind)> = Vec::new();
        for (phrase, kind) in PHRASES {
            let mut from = 0;
            while let Some(at) = position(&lower[from..], phrase).map(|at| from + at) {
                let end = at + phrase.len();
                if !found.iter().any(|(start, stop, _)| at < *stop && *start < end) && !in_link(text, at, end) {
                    found.push((at, end, *kind));
                }
                from = end;
            }
        }
        found.sort_unstable_by_key(|(at, ..)| *at);
        if found.is_empty() {
            if let Some(kind) = self.waiting {
                let others = others_in(text, false);
                if !others.is_empty() {
                    self.bind(kind, number, line, others, line);
                }
            }
            return;
        }
        for (index, (at, end, kind)) in found.iter().enumerate() {
            let stop = found.get(index + 1).map_or(text.len(), |(next, ..)| *next);
            let others = others_in(&text[*end..stop], true);
            self.waiting = others.is_empty().then_some(*kind);
            let before = lower[..*at].trim_end();
            let not_yet = NOT_YET.iter().any(|words| before.strip_suffix(words).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric())));
            let kind = if not_yet { BondKind::Related } else { *kind };
            if not_yet {
                self.waiting = self.waiting.map(|_| BondKind::Related);
                self.found.status.retain(|word| *word != "superseded");
            }
            if !others.is_empty() {
                self.bind(kind, number, line, others, line);
            }
        }
    }

    fn bind(&mut self, kind: BondKind, line: u64, quote: &str, others: Vec<Other>, said: &str) {
        let lower = said.to_lowercase();
        let kind = if PARTLY.iter().any(|words| position_loose(&lower, words)) { BondKind::Related } else { kind };
        let quote = without_mark(quote);
        self.keep(quote);
        if self.found.bonds.len() < 100 {
            self.found.bonds.push(Bond { kind, line, quote: quote.to_owned(), others });
        }
    }

    fn finish(mut self, rest: &str) -> Option<AdrText> {
        if !self.recognised || self.found.title.trim().is_empty() {
            return None;
        }
        if self.found.number.is_none() && self.title_line.is_none() {
            let title = self.found.title.clone();
            let (number, title) = numbered(&title);
            self.found.number = number;
            self.found.title = title.to_owned();
        }
        let mut body = String::with_capacity(rest.len());
        let mut title = self.title_line.as_deref();
        for line in rest.lines() {
            if title == Some(line) {
                title = None;
                continue;
            }
            body.push_str(line);
            body.push('\n');
        }
        self.found.body = body.trim().to_owned();
        Some(self.found)
    }
}

/// The level and text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?;
    ((1..=6).contains(&level) && text.starts_with([' ', '\t'])).then(|| (level, text.trim().trim_end_matches('#').trim()))
}

/// The label and the rest of a line such as `* **Status**: accepted` or `| Date | 2021-06-05 |`.
fn labelled(line: &str) -> Option<(String, &str)> {
    let line = without_mark(line);
    let (label, value) = match line.strip_prefix('|') {
        Some(row) => row.trim_end_matches('|').split_once('|')?,
        None => line.split_once(':')?,
    };
    let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace(['-', '_'], " ");
    (label.len() <= 40).then(|| (label, value.trim_matches(|c: char| c.is_whitespace() || c == '*' || c == '_')))
}

/// A line without the mark of a list and without the signs of emphasis around it.
fn without_mark(line: &str) -> &str {
    let line = line.trim();
    ["- ", "* ", "+ ", "> "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
}

/// Splits `7. Title`, `ADR-013: Title`, `ADR 13 - Title`.
pub(crate) fn numbered(title: &str) -> (Option<u64>, &str) {
    let title = title.trim();
    let named = title.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("adr"));
    let after = if named { title[3..].trim_start_matches(['-', '_', ' ', '#', '.']) } else { title };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 6 {
        return (None, title);
    }
    let rest = &after[digits..];
    let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '-' | '–' | '—' | ')' | ']'));
    let apart = rest.starts_with(['.', ':', ')', ']', '–', '—'])
        || rest.starts_with(" - ")
        || rest.starts_with(" – ")
        || rest.starts_with(" — ")
        || rest.starts_with("- ");
    if trimmed.is_empty() || !(apart || named && rest.len() != trimmed.len()) {
        return (None, title);
    }
    // `3.2 of the protocol` names a version.
    if rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return (None, title);
    }
    (after[..digits].parse().ok(), trimmed)
}

/// Where a phrase stands as whole words.
fn position(text: &str, phrase: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find(phrase).map(|at| from + at) {
        let end = at + phrase.len();
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if free(text[..at].chars().next_back()) && free(text[end..].chars().next()) {
            return Some(at);
        }
        from = end;
    }
    None
}

/// True if words stand in a text, the last one also with an ending.
fn position_loose(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric()))
}

/// True if a phrase lies inside the target of a link, or is a part of its text and not the whole of it.
fn in_link(text: &str, at: usize, end: usize) -> bool {
    let before = &text[..at];
    let opened = |open: &str, close: char| match (before.rfind(open), before.rfind(close)) {
        (Some(open), Some(close)) => (open > close).then_some(open),
        (open, _) => open,
    };
    if opened("](", ')').is_some() {
        return true;
    }
    let Some(open) = opened("[", ']') else { return false };
    let Some(close) = text[end..].find(']').map(|close| end + close) else { return false };
    // `[Superseded by](0012-x.md)` is a phrase and a link in one.
    text[open + 1..close].trim_matches(|c: char| !c.is_alphanumeric()).len() != end - at
}

/// A line without its links.
fn outside_links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find("](") {
        out.push_str(&rest[..rest[..open].rfind('[').unwrap_or(open)]);
        rest = rest[open..].find(')').map_or("", |close| &rest[open + close + 1..]);
    }
    out.push_str(rest);
    out
}

/// The records that a piece of a line names. With `bare`, a number alone at its beginning counts too.
fn others_in(text: &str, bare: bool) -> Vec<Other> {
    let mut found: Vec<Other> = Vec::new();
    let mut outside = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("](") {
        let Some(close) = rest[open..].find(')').map(|at| open + at) else { break };
        let start = rest[..open].rfind('[');
        outside.push_str(&rest[..start.unwrap_or(open)]);
        outside.push(' ');
        let label = &rest[start.map_or(open, |at| at + 1)..open];
        let target = rest[open + 2..close].trim().trim_matches(['<', '>']);
        let target = target.split([' ', '#', '?']).next().unwrap_or("");
        let number = adr_numbers(label).first().copied().or_else(|| numbered(label).0);
        let link = is_markdown(target).then(|| target.replace("%20", " "));
        if link.is_some() || number.is_some() {
            found.push(Other { link, number });
        }
        rest = &rest[close + 1..];
    }
    outside.push_str(rest);
    for word in outside.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '"' | '\'' | '`')) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_markdown(word) {
            found.push(Other { link: Some(word.to_owned()), number: None });
        }
    }
    found.extend(adr_numbers(&outside).into_iter().map(|number| Other { link: None, number: Some(number) }));
    if found.is_empty() && bare {
        let word = outside.split_whitespace().find(|word| word.chars().any(char::is_alphanumeric)).unwrap_or("");
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if (1..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(Other { link: None, number: word.parse().ok() });
        }
    }
    found.truncate(50);
    found
}

fn is_markdown(word: &str) -> bool {
    let lower = cut(word, 1_000).to_lowercase();
    lower.ends_with(".md") || lower.ends_with(".markdown")
}

/// The numbers that stand after `ADR` in a text, in order.
fn adr_numbers(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    for at in 0..bytes.len().saturating_sub(3) {
        let word = bytes[at..at + 3].eq_ignore_ascii_case(b"adr") && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if !word {
            continue;
        }
        let rest = &bytes[at + 3..];
        let skipped = rest.iter().take_while(|byte| matches!(byte, b'-' | b'_' | b' ' | b'#' | b'.')).count();
        let digits: Vec<u8> = rest[skipped..].iter().copied().take_while(u8::is_ascii_digit).collect();
        if skipped <= 2 && (1..=6).contains(&digits.len()) {
            found.extend(std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse::<u64>().ok()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
