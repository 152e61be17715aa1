//! Literal triggers: what of a text a tool would print letter by letter, and finding such literals in what it printed.
//!
//! A **literal** is a code span, a line of a fenced block, a quoted string, or a bare word that is a path, an
//! identifier or an error code. It is **telling** if it does not turn up in most output anyway. Literals are compared
//! in their **normal form**: lower case, every run of white space one space, terminal escapes left out. They are found
//! by the hash of the words in them with everything between, so that a look costs no more with a hundred thousand of
//! them; what stands before the first word and after the last is compared by whoever holds the text.

use super::terms::{fnv, is_unspaced};

/// Most words of a literal that are compared; the rest of a longer one may differ.
const MOST_WORDS: usize = 32;
/// Longest literal that is compared, in bytes of its normal form.
const MOST_BYTES: usize = 400;
/// Longest code span or quoted string, in bytes.
const SPAN_BYTES: usize = 2_000;
/// Most literals of one text.
const MOST_LITERALS: usize = 64;
/// Fewest letters and digits of a telling literal, and of a telling one that is a single plain word.
const FEWEST_CHARS: (usize, usize) = (4, 6);

/// Words that turn up in the output of most tools, in lower case, sorted.
#[rustfmt::skip]
const COMMONPLACE: &[&str] = &[
    "and", "app", "args", "argument", "arguments", "array", "assert", "async", "await", "base64", "bash", "bin", "bool", "boolean", "branch", "build",
    "cargo", "case", "check", "class", "client", "cmd", "code", "command", "commit", "config", "const", "content", "data", "date", "debug", "default",
    "delete", "deno", "dist", "docker", "dockerfile", "docs", "done", "else", "enum", "error", "errors", "eslint", "event", "example", "exit", "export",
    "fail", "failed", "failure", "false", "file", "files", "float", "folder", "for", "from", "function", "get", "github", "gitlab", "hint", "home", "host",
    "html", "http", "https", "image", "import", "index", "info", "init", "input", "install", "integer", "interface", "items", "java", "javascript", "jest",
    "json", "lambda", "latest", "level", "lib", "license", "line", "lines", "list", "local", "localhost", "log", "main", "make", "makefile", "maven",
    "message", "method", "mkdir", "mod", "module", "modules", "mysql", "name", "new", "node", "node_modules", "nodejs", "none", "not", "note", "null",
    "number", "object", "option", "options", "out", "output", "package", "packages", "pass", "passed", "path", "pnpm", "port", "postgresql", "print",
    "private", "process", "project", "public", "pull", "push", "pytest", "python", "python3", "readme", "release", "request", "response", "result",
    "return", "ruby", "run", "running", "rust", "rustc", "script", "scripts", "self", "server", "set", "setup", "sha256", "shell", "source", "spec", "src",
    "start", "state", "static", "status", "stderr", "stdin", "stdout", "stop", "string", "struct", "style", "success", "sudo", "system", "target", "task",
    "test", "tests", "the", "this", "time", "tmp", "todo", "toml", "true", "type", "types", "typescript", "undefined", "update", "user", "users", "utf8",
    "utils", "value", "values", "version", "view", "void", "warn", "warning", "warnings", "with", "write", "x86_64", "yaml", "yarn",
];

/// Words in capitals that begin as error codes do and are none.
#[rustfmt::skip]
const NO_CODES: &[&str] = &[
    "EACH", "EARLY", "EASY", "EDIT", "EITHER", "ELSE", "EMPTY", "ENABLE", "ENABLED", "ENGINE", "ENSURE", "ENTER", "ENTRY", "ENUM", "ERROR", "ERRORS",
    "EVEN", "EVENT", "EVER", "EVERY", "EXACT", "EXACTLY", "EXAMPLE", "EXCEPT", "EXIT", "EXPORT", "EXTERNAL", "EXTRA", "SIGN", "SIGNAL", "SIGNED",
];

/// Something in a text that a tool would print letter by letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal<'t> {
    pub(crate) text: &'t str,
    /// True if the writer marked it: a code span, a line of a fenced block, a quoted string.
    pub(crate) marked: bool,
}

/// Where a literal is found: the hash of its first word, how many words it has, and the hash from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cue {
    pub(crate) first: u64,
    pub(crate) words: u32,
    pub(crate) key: u64,
}

/// The literals of a text in order of appearance, at most 64.
pub(crate) fn literals(text: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut block = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        if fence || fenced {
            if fence && !fenced {
                in_prose(&text[block..at], &mut found);
            } else if !fence {
                push(&mut found, line, true);
            }
            fenced ^= fence;
            block = at + line.len();
        } else if line.trim().is_empty() {
            in_prose(&text[block..at], &mut found);
            block = at + line.len();
        }
        at += line.len();
        if found.len() >= MOST_LITERALS {
            break;
        }
    }
    if found.len() < MOST_LITERALS {
        in_prose(&text[block.min(text.len())..], &mut found);
    }
    found.truncate(MOST_LITERALS);
    found
}

/// True if a text holds a literal.
pub(crate) fn has_literal(text: &str) -> bool {
    !literals(text).is_empty()
}

fn push<'t>(found: &mut Vec<Literal<'t>>, text: &'t str, marked: bool) {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '…' | '"' | '\''));
    if text.chars().any(char::is_alphanumeric) && found.len() < MOST_LITERALS {
        found.push(Literal { text, marked });
    }
}

/// The literals of one paragraph: spans first come first, bare words of what lies outside them.
fn in_prose<'t>(text: &'t str, found: &mut Vec<Literal<'t>>) {
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '\u{201c}', '\u{ab}', '\u{201e}', '\u{300c}', '\u{300e}']) {
        let (before, from) = rest.split_at(at);
        let open = from.chars().next().expect("found above");
        // A code span may open with several marks, and closes with as many.
        let marks = if open == '`' { from.len() - from.trim_start_matches('`').len() } else { open.len_utf8() };
        let inner = &from[marks..];
        let close = match open {
            '`' => inner.find(&from[..marks]),
            '\u{201c}' => inner.find('\u{201d}'),
            '\u{ab}' => inner.find('\u{bb}'),
            // In German the mark that closes is the one that opens elsewhere.
            '\u{201e}' => inner.find(['\u{201c}', '\u{201d}']),
            '\u{300c}' => inner.find('\u{300d}'),
            '\u{300e}' => inner.find('\u{300f}'),
            _ => inner.find('"'),
        };
        bare_words(before, found);
        match close {
            Some(end) if end <= SPAN_BYTES => {
                push(found, &inner[..end], true);
                let closing = if open == '`' { marks } else { inner[end..].chars().next().map_or(0, char::len_utf8) };
                rest = &inner[end + closing..];
            }
            _ => rest = inner,
        }
        if found.len() >= MOST_LITERALS {
            return;
        }
    }
    bare_words(rest, found);
}

fn bare_words<'t>(text: &'t str, found: &mut Vec<Literal<'t>>) {
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if is_literal_word(word) {
            push(found, word, false);
        }
    }
}

/// True if a word of prose is a path, an identifier or an error code.
fn is_literal_word(word: &str) -> bool {
    let inner_mark = word.contains(['/', '\\', '_']) || word.contains("::") || word.contains("->") || word.contains("()");
    let dotted = word.contains('.') && word.split('.').all(|part| !part.is_empty()) && word.chars().any(char::is_alphabetic) && !matches!(word, "e.g" | "i.e");
    inner_mark || dotted || is_camel(word) || is_code(word)
}

fn is_camel(word: &str) -> bool {
    word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

/// True for error codes: capitals with digits, the names of system errors (`ENOENT`) and of signals (`SIGSEGV`).
fn is_code(word: &str) -> bool {
    let capitals = word.chars().any(char::is_uppercase);
    let digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let named = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_uppercase()) && (word.starts_with('E') || word.starts_with("SIG"));
    capitals && digits || named && !NO_CODES.contains(&word)
}

fn is_commonplace(word: &str) -> bool {
    COMMONPLACE.binary_search(&word).is_ok()
}

/// True if a literal is worth looking for: nothing that most tools print anyway.
///
/// A marked phrase of three words is; else a literal of several words needs one of three letters that is not
/// commonplace, or four characters of a script without spaces. A single word needs a digit, an underscore, an inner capital, all capitals, or to be marked and six long,
/// and not to be commonplace. Fewer than four letters and digits tell nothing.
pub(crate) fn is_telling(literal: Literal<'_>) -> bool {
    let normal = normal_form(literal.text);
    let words: Vec<&str> = words_of(&normal).into_iter().map(|(start, end)| &normal[start as usize..end as usize]).collect();
    if words.iter().map(|word| word.chars().count()).sum::<usize>() < FEWEST_CHARS.0 {
        return false;
    }
    let [word] = words.as_slice() else {
        let phrase = literal.marked && normal.split(' ').count() >= 3;
        let unspaced = words.iter().filter(|word| word.chars().all(is_unspaced)).count() >= FEWEST_CHARS.0;
        return phrase
            || unspaced
            || words.iter().any(|word| word.chars().count() >= 3 && !is_commonplace(word) && !word.bytes().all(|byte| byte.is_ascii_digit()));
    };
    let letters = word.chars().any(char::is_alphabetic);
    let digits = word.chars().any(char::is_numeric);
    let capitals = literal.text.chars().all(|c| !c.is_lowercase());
    letters
        && !is_commonplace(word)
        && (digits || word.contains('_') || is_camel(literal.text) || capitals || literal.marked && word.chars().count() >= FEWEST_CHARS.1)
}

/// The telling literals of a text with the cue of each, in the order of cues, each cue once.
pub(crate) fn cues(text: &str) -> Vec<Cue> {
    let mut found: Vec<Cue> = literals(text).into_iter().filter(|literal| is_telling(*literal)).filter_map(|literal| cue(&normal_form(literal.text))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The cue of a literal in normal form; none if there is no word in it.
pub(crate) fn cue(normal: &str) -> Option<Cue> {
    let words = compared(normal);
    let (first, last) = (words.first()?, words.last()?);
    let hash = |start: u32, end: u32| fnv(&normal.as_bytes()[start as usize..end as usize]);
    Some(Cue { first: hash(first.0, first.1), words: u32::try_from(words.len()).expect("at most MOST_WORDS"), key: hash(first.0, last.1) })
}

/// The words of a literal that are compared.
fn compared(normal: &str) -> Vec<(u32, u32)> {
    let mut words = words_of(normal);
    let begin = words.first().map_or(0, |first| first.0);
    let fitting = words.iter().take(MOST_WORDS).take_while(|(_, end)| (end - begin) as usize <= MOST_BYTES).count();
    words.truncate(fitting);
    words
}

/// Lower case, every run of white space one space, none at the ends, terminal escapes and other controls left out.
pub(crate) fn normal_form(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\u{1b}' => rest = rest.strip_prefix('[').map_or(rest, |rest| after_escape(rest)),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            '!'..='~' => out.push(c),
            _ if c.is_whitespace() => {
                if !out.ends_with(' ') && !out.is_empty() {
                    out.push(' ');
                }
            }
            _ if c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}') => {}
            _ => out.extend(c.to_lowercase()),
        }
    }
    if out.ends_with(' ') {
        out.pop();
    }
    out
}

/// What follows the parameters and the final byte of a control sequence.
fn after_escape(rest: &str) -> &str {
    let parameters = rest.bytes().take(64).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    match rest.as_bytes().get(parameters) {
        Some(0x40..=0x7e) => &rest[parameters + 1..],
        _ => rest,
    }
}

/// Where words stand in a text: runs of letters, digits and underscores; of scripts without spaces every character.
pub(crate) fn words_of(text: &str) -> Vec<(u32, u32)> {
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut open = None;
    let at = |place: usize| u32::try_from(place).expect("texts are cut far below 4 GiB");
    for (place, c) in text.char_indices() {
        let alone = is_unspaced(c);
        let inside = !alone && (c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && c.is_alphanumeric());
        match (open, inside) {
            (None, true) => open = Some(place),
            (Some(start), false) => {
                words.push((at(start), at(place)));
                open = None;
            }
            _ => {}
        }
        if alone {
            words.push((at(place), at(place + c.len_utf8())));
        }
    }
    if let Some(start) = open {
        words.push((at(start), at(text.len())));
    }
    words
}

/// What a tool printed, ready to be searched for literals.
pub(crate) struct Printed {
    normal: String,
    words: Vec<(u32, u32)>,
    /// The hash of each word with its place, sorted.
    places: Vec<(u64, u32)>,
}

impl Printed {
    /// Most bytes of an output that are read: half from its beginning and half from its end.
    const BYTES: usize = 16 * 1024 * 1024;

    /// Reads an output; of one above 16 MiB its first and last 8 MiB.
    pub(crate) fn read(output: &str) -> Self {
        Self::read_ends(output, Self::BYTES)
    }

    fn read_ends(output: &str, bytes: usize) -> Self {
        let normal = if output.len() <= bytes {
            normal_form(output)
        } else {
            let (head, tail) = (output.floor_char_boundary(bytes / 2), output.ceil_char_boundary(output.len() - bytes / 2));
            format!("{} \u{0} {}", normal_form(&output[..head]), normal_form(&output[tail..]))
        };
        let words = words_of(&normal);
        let mut places: Vec<(u64, u32)> =
            (0u32..).zip(&words).map(|(place, (start, end))| (fnv(&normal.as_bytes()[*start as usize..*end as usize]), place)).collect();
        places.sort_unstable();
        Self { normal, words, places }
    }

    /// The hashes of the distinct words, ascending.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = u64> + '_ {
        self.places.chunk_by(|a, b| a.0 == b.0).map(|group| group[0].0)
    }

    /// True if a word has that hash.
    pub(crate) fn has(&self, first: u64) -> bool {
        self.places.binary_search_by_key(&first, |(hash, _)| *hash).is_ok()
    }

    fn at(&self, first: u64) -> &[(u64, u32)] {
        let start = self.places.partition_point(|(hash, _)| *hash < first);
        let count = self.places[start..].partition_point(|(hash, _)| *hash == first);
        &self.places[start..start + count]
    }

    /// The cues of that many words that begin with a word, each once, ascending.
    pub(crate) fn cues(&self, first: u64, words: u32) -> Vec<Cue> {
        let mut found: Vec<Cue> = Vec::new();
        for (_, place) in self.at(first) {
            if let Some(text) = self.run(*place, words) {
                found.push(Cue { first, words, key: fnv(text.as_bytes()) });
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The text from a word to the last of so many.
    fn run(&self, place: u32, words: u32) -> Option<&str> {
        let (start, last) = (self.words[place as usize].0, self.words.get(place as usize + words as usize - 1)?.1);
        ((last - start) as usize <= MOST_BYTES).then(|| &self.normal[start as usize..last as usize])
    }

    /// True if a literal of a text with that cue stands here, with what surrounds its words.
    pub(crate) fn holds(&self, text: &str, wanted: Cue) -> bool {
        literals(text).into_iter().filter(|literal| is_telling(*literal)).any(|literal| {
            let normal = normal_form(literal.text);
            if cue(&normal) != Some(wanted) {
                return false;
            }
            let words = compared(&normal);
            let (lead, end) = (words[0].0 as usize, words[words.len() - 1].1 as usize);
            // What follows the last word belongs to the literal only if no word of it was left out.
            let tail = if words.len() == words_of(&normal).len() { &normal[end..] } else { "" };
            self.at(wanted.first).iter().any(|(_, place)| {
                let start = self.words[*place as usize].0 as usize;
                self.normal[..start].ends_with(&normal[..lead]) && self.normal[start..].starts_with(&normal[lead..end]) && {
                    let after = &self.normal[start + (end - lead)..];
                    after.starts_with(tail) && self.run(*place, wanted.words).is_some_and(|run| run.len() == end - lead)
                }
            })
        })
    }
}

#[cfg(test)]
#[path = "triggers/tests.rs"]
mod tests;
