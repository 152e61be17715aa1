//! The head of a `SKILL.md`: where its front matter stands and what it says of name and description.
//!
//! YAML is read as a stream of events of which only text at the top level is kept: nothing nested is built, and an alias
//! is never more than the text it stands for. What is no YAML, and much that is written is not (`description: use it: a
//! lot`), is read line by line instead, as its author meant it.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// What the front matter of a skill says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// The field that stands more than once; its first value is taken.
    pub(super) twice: Option<&'static str>,
    /// Why it was read line by line.
    pub(super) no_yaml: Option<String>,
}

/// A file's text, parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parted<'t> {
    /// No line `---` at the start.
    None { body: &'t str },
    /// A line `---` that no other follows.
    Unclosed { front: &'t str },
    /// Both.
    Both { front: &'t str, body: &'t str },
}

/// Parts front matter and body. A byte order mark in front and white space behind the dashes do not matter; `...` ends
/// front matter, too.
pub(super) fn part(text: &str) -> Parted<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text;
    let first = next_line(&mut rest);
    if first.trim_end() != "---" {
        return Parted::None { body: text };
    }
    let front = rest;
    while !rest.is_empty() {
        let start = front.len() - rest.len();
        if matches!(next_line(&mut rest).trim_end(), "---" | "...") {
            return Parted::Both { front: &front[..start], body: rest };
        }
    }
    Parted::Unclosed { front }
}

/// The next line without its break, which is `\n`, `\r\n` or `\r`.
fn next_line<'t>(rest: &mut &'t str) -> &'t str {
    let (line, after) = match rest.find(['\n', '\r']) {
        None => (*rest, ""),
        Some(end) => {
            let width = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
            (&rest[..end], &rest[end + width..])
        }
    };
    *rest = after;
    line
}

/// Reads front matter, as YAML if it is.
pub(super) fn read(front: &str) -> FrontMatter {
    from_yaml(front).unwrap_or_else(|why| FrontMatter { no_yaml: Some(why), ..by_line(front) })
}

/// Reads front matter that does not end: it can reach no farther than the first blank line.
pub(super) fn read_unclosed(front: &str) -> FrontMatter {
    let mut rest = front;
    while !rest.is_empty() {
        let start = front.len() - rest.len();
        if next_line(&mut rest).trim().is_empty() {
            return by_line(&front[..start]);
        }
    }
    by_line(front)
}

fn by_line(front: &str) -> FrontMatter {
    let mut found = FrontMatter::default();
    let mut rest = front;
    while !rest.is_empty() {
        let line = next_line(&mut rest);
        let Some((key, value)) = line.split_once(':') else { continue };
        let Some(field) = Field::of(key.trim_end().trim_matches(['"', '\''])) else { continue };
        let mut value = value.trim().to_owned();
        // What is indented goes on with the value, whether a sign for a block or its first words stand in front.
        if value.trim_start_matches(['|', '>', '-', '+']).trim_start_matches(|c: char| c.is_ascii_digit()).is_empty() {
            value.clear();
        }
        let mut ahead = rest;
        while !ahead.is_empty() {
            let line = next_line(&mut ahead);
            if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
                break;
            }
            value = format!("{value} {}", line.trim());
            rest = ahead;
        }
        found.put(field, unquoted(value.trim()).to_owned());
    }
    found
}

/// A value without the quotes around it, if it has both, or else without a comment behind it.
fn unquoted(value: &str) -> &str {
    let within = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    within('"').or_else(|| within('\'')).unwrap_or_else(|| value.split(" #").next().unwrap_or(value).trim_end())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Description,
}

impl Field {
    fn of(key: &str) -> Option<Self> {
        match key {
            "name" => Some(Self::Name),
            "description" => Some(Self::Description),
            _ => None,
        }
    }
}

impl FrontMatter {
    fn put(&mut self, field: Field, value: String) {
        let (place, called) = match field {
            Field::Name => (&mut self.name, "name"),
            Field::Description => (&mut self.description, "description"),
        };
        if place.is_none() {
            *place = Some(value);
        } else {
            self.twice = Some(called);
        }
    }
}

/// Reads the fields of a mapping at the top level; no mapping has none.
///
/// # Errors
/// Why it is no YAML, or no mapping.
fn from_yaml(front: &str) -> Result<FrontMatter, String> {
    let mut found = FrontMatter::default();
    let mut anchored: Vec<(usize, String)> = Vec::new();
    // Inside the mapping at the top: the key whose value comes next, and whether one does.
    let (mut depth, mut at_value, mut field) = (0usize, false, None);
    let mut parser = Parser::new_from_str(front);
    while let Some(next) = parser.next_event() {
        let (event, _) = next.map_err(|error| format!("line {}: {}", error.marker().line() + 1, error.info()))?;
        let text = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if depth == 0 && matches!(event, Event::SequenceStart(..)) {
                    return Err("a list, no fields".to_owned());
                }
                depth += 1;
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth -= 1;
                None
            }
            Event::Scalar(text, style, anchor, _) => {
                let empty = style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                if depth == 0 && !empty {
                    return Err("text, no fields".to_owned());
                }
                if anchor > 0 {
                    anchored.push((anchor, text.to_string()));
                }
                Some(if empty { String::new() } else { text.into_owned() })
            }
            Event::Alias(anchor) => anchored.iter().find(|(known, _)| *known == anchor).map(|(_, text)| text.clone()),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => continue,
        };
        if depth == 1 {
            match (at_value, text) {
                (false, text) => field = text.and_then(|key| Field::of(&key)),
                (true, text) => {
                    if let (Some(field), Some(text)) = (field, text) {
                        found.put(field, text);
                    }
                }
            }
            at_value = !at_value;
        }
    }
    Ok(found)
}
