//! Ids of nodes, names that may stand for them, and random bytes. The only module that asks for randomness.

use std::fmt;

use super::error::{Code, Error, Result};
use super::names::named_enum;

named_enum! {
    /// What a node is.
    Kind, UnknownValue, "kind" {
        /// One short, citable fact.
        Knowledge = 0 "knowledge",
        /// A unit of work, or a container of such.
        Task = 1 "task",
        /// An instruction to the agent.
        Rule = 2 "rule",
        /// A long text, indexed by passage.
        Document = 3 "document",
        /// A text description that renders as a picture.
        Diagram = 4 "diagram",
        /// A part of the system.
        Component = 5 "component",
    }
}

impl Kind {
    /// The prefix of the kind's ids.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Knowledge => "KNOW",
            Self::Task => "TASK",
            Self::Rule => "RULE",
            Self::Document => "DOC",
            Self::Diagram => "DIAG",
            Self::Component => "COMP",
        }
    }
}

/// The id of a node, written `KNOW-12`; numbers come from one counter for all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// What the node is.
    pub kind: Kind,
    /// Its number in the record, from 1.
    pub number: u64,
}

impl NodeId {
    /// Reads `KNOW-12`, in any case; `None` if the text has not the form of an id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, digits) = text.split_once('-')?;
        let kind = *Kind::ALL.iter().find(|kind| kind.prefix().eq_ignore_ascii_case(prefix))?;
        if digits.is_empty() || digits.len() > 18 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self { kind, number: digits.parse().ok()? })
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.prefix(), self.number)
    }
}

impl serde::Serialize for NodeId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The longest alias, in bytes.
pub(crate) const ALIAS_BYTES: usize = 200;

fn alias_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '#' | '@' | '+')
}

/// The form in which aliases are compared.
pub(crate) fn fold_alias(alias: &str) -> String {
    alias.to_lowercase()
}

/// True if a folded name is a prefix of ids and a number, be it one that no node can have.
fn has_id_form(folded: &str) -> bool {
    folded.split_once('-').is_some_and(|(prefix, digits)| {
        !digits.is_empty() && digits.chars().all(char::is_numeric) && Kind::ALL.iter().any(|kind| kind.prefix().eq_ignore_ascii_case(prefix))
    })
}

/// Checks an alias that a host gives.
///
/// # Errors
/// `bad_alias` if it is blank, too long, holds other characters than letters, digits and `-_./:#@+`, has the form of
/// an id, starts with `/`, or has a `..` part.
pub(crate) fn check_alias(alias: &str) -> Result<()> {
    let bad = |why: &str| Err(Error::new(Code::BadAlias, format!("give an alias: {:?} {why}", super::text::cut(alias, 60))).with("field", "alias"));
    if alias.is_empty() || alias.len() > ALIAS_BYTES {
        return bad("is not 1 to 200 bytes long");
    }
    if !alias.chars().all(alias_char) || !alias.chars().any(char::is_alphanumeric) {
        return bad("holds a character that no alias may hold, or no letter and no digit");
    }
    if has_id_form(&fold_alias(alias)) {
        return bad("has the form of a node's id");
    }
    if alias.starts_with('/') || alias.split('/').any(|part| part == "..") {
        return bad("is a path that leaves the project");
    }
    Ok(())
}

/// True if an alias counts as named where it occurs in a text: it holds a letter and a digit.
pub(crate) fn telling(alias: &str) -> bool {
    alias.chars().any(char::is_alphabetic) && alias.chars().any(char::is_numeric)
}

/// Calls `each` with every word of `text` that could be an id or a telling alias, in order, as it is written.
///
/// A word is a longest run of alias characters without leading or trailing punctuation, and with it, as an alias may
/// have some (`@scope/pkg2`); but a full stop or colon after it is the sentence's. Its parts between slashes are words
/// too. Words longer than an alias are passed over.
pub(crate) fn names_in<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let mark = |c: char| !c.is_alphanumeric();
    for run in text.split(|c: char| !alias_char(c)) {
        let run = run.trim_end_matches(['.', ':']);
        let (opened, closed) = (run.trim_end_matches(mark), run.trim_start_matches(mark));
        let word = opened.trim_start_matches(mark);
        if word.is_empty() || word.len() > 4 * ALIAS_BYTES || !telling(word) {
            continue;
        }
        let (begins, ends) = (opened.len() > word.len(), closed.len() > word.len());
        for (form, is_another) in [(word, true), (opened, begins), (closed, ends), (run, begins && ends)] {
            if is_another && form.len() <= ALIAS_BYTES {
                each(form);
            }
        }
        each_part(word, |c| matches!(c, '/' | ':' | '#' | '@' | '+'), each);
        // Scripts without spaces stand right beside an id: `KNOW-12の`.
        each_part(word, |c| !c.is_ascii(), each);
    }
}

/// Calls `each` with every telling part of a word between separators, if there are any.
fn each_part<'t>(word: &'t str, separates: impl Fn(char) -> bool, each: &mut dyn FnMut(&'t str)) {
    if !word.contains(&separates) {
        return;
    }
    for part in word.split(&separates) {
        let part = part.trim_matches(|c: char| !c.is_alphanumeric());
        if part.len() <= ALIAS_BYTES && telling(part) {
            each(part);
        }
    }
}

/// That many random bytes from the operating system.
///
/// # Errors
/// `storage` if the system gives none.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|cause| Error::new(Code::Storage, format!("ask the system for random bytes: {cause}")))?;
    Ok(bytes)
}

/// That many random bytes as lower-case hexadecimal.
///
/// # Errors
/// `storage` if the system gives none.
pub(crate) fn random_hex(bytes: usize) -> Result<String> {
    let pool: [u8; 32] = random_bytes()?;
    Ok(hex(&pool[..bytes.min(pool.len())]))
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The bytes that hexadecimal stands for; `None` for any other text.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        names_in(text, &mut |name| found.push(name));
        found
    }

    #[test]
    fn ids_are_read_in_any_case_and_nothing_else_is() {
        assert_eq!(NodeId::parse("know-12").map(|id| id.to_string()).as_deref(), Some("KNOW-12"));
        for text in ["KNOW-", "KNOW-1a", "ADR-7", "KNOW12", "KNOW--1", "KNOW-99999999999999999999"] {
            assert_eq!(NodeId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn aliases_that_lead_away_or_look_like_ids_are_refused() {
        let long = "KNOW-0000000000000000000000007";
        for alias in ["../../etc/passwd", "/etc/passwd", "KNOW-7", "know-07", long, "\u{212a}NOW-7", "DOC-\u{ff15}", "", "a b", "--", "a\0b", "x/../y"] {
            assert_eq!(check_alias(alias).expect_err(alias).code(), Code::BadAlias);
        }
        for alias in ["ADR-0007", "bd-a1b2", "hydra/1", "skills/skills/canvas-design", "PEP-484", "owner/repo#12"] {
            check_alias(alias).expect(alias);
        }
    }

    #[test]
    fn names_are_found_between_punctuation_and_ordinary_words_are_not() {
        assert_eq!(names("see (ADR-0007), bd-a1b2. And know-3!"), ["ADR-0007", "bd-a1b2", "know-3"]);
        assert_eq!(names("@scope/pkg2, lib3++: see _a1_."), ["scope/pkg2", "@scope/pkg2", "pkg2", "lib3", "lib3++", "a1", "_a1", "a1_", "_a1_"]);
        assert_eq!(names("PEP-484/PEP-526"), ["PEP-484/PEP-526", "PEP-484", "PEP-526"]);
        assert_eq!(names("the auth layer / 12"), Vec::<&str>::new());
        assert_eq!(names("KNOW-12の理由はADR-7だ"), ["KNOW-12の理由はADR-7だ", "KNOW-12", "ADR-7"]);
    }
}
