//! Rules within a budget of tokens: whole files as long as they fit, the first that does not fit cut after a line, the rest
//! named. What is the same as something that already stands is not said again.

use std::collections::HashMap;

use super::repository::Id;
use crate::assemble::provider::ProviderEntry;
use crate::base::text::cut;
use crate::base::tokens::TokenCounter;
use crate::record::node::Source;

/// Tokens of a piece of a file that still say something.
const LEAST_PIECE: usize = 64;
/// Paths that a warning names.
const MOST_NAMED: usize = 5;
/// Characters of a path that is shown.
const MOST_PATH: usize = 200;

/// A path as it is shown.
pub(super) fn shown(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path);
    cut(&text, MOST_PATH).chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Some paths by name, the others counted.
pub(super) fn named(paths: &[Vec<u8>]) -> String {
    let names: Vec<String> = paths.iter().take(MOST_NAMED).map(|path| shown(path)).collect();
    let others = paths.len() - names.len();
    let names = names.join(", ");
    if others == 0 { names } else { format!("{names} and {others} more") }
}

/// The entries of a context as they are filled.
pub(super) struct Entries {
    pub(super) entries: Vec<ProviderEntry>,
    /// Files that are cut, and how.
    pub(super) cuts: Vec<String>,
    revision: String,
    left: usize,
    counter: TokenCounter,
    /// Where each object already stands.
    stands: HashMap<Id, Vec<u8>>,
}

fn folder(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

impl Entries {
    pub(super) fn new(revision: String, budget: usize, counter: TokenCounter) -> Self {
        Self { entries: Vec::new(), cuts: Vec::new(), revision, left: budget, counter, stands: HashMap::new() }
    }

    /// True if not even a piece of a file fits any more.
    pub(super) fn full(&self) -> bool {
        self.left < LEAST_PIECE
    }

    /// Adds a file, or as much of it as fits; false if none of it does.
    pub(super) fn add(&mut self, path: &[u8], id: Id, text: &str) -> bool {
        let text = text.trim_end();
        if text.trim().is_empty() {
            return true;
        }
        if let Some(same) = self.stands.get(&id) {
            // Beside each other they hold for the same files: nothing is left to say.
            return folder(same) == folder(path) || self.push(path, format!("The same as {}.", shown(same)));
        }
        let whole = self.counter.count(text) <= self.left;
        let added = if whole { self.push(path, text.to_owned()) } else { self.add_piece(path, text) };
        if added {
            self.stands.insert(id, path.to_vec());
        }
        added
    }

    fn push(&mut self, path: &[u8], text: String) -> bool {
        let Some(left) = self.left.checked_sub(self.counter.count(&text)) else { return false };
        self.left = left;
        let source = Source { uri: shown(path), revision: Some(self.revision.clone()), ..Source::default() };
        self.entries.push(ProviderEntry { text, source: Some(source), ..ProviderEntry::default() });
        true
    }

    /// Adds the lines from the beginning that fit with a line that says so.
    fn add_piece(&mut self, path: &[u8], text: &str) -> bool {
        if self.full() {
            return false;
        }
        let lines = text.lines().count();
        let piece = |count: usize, head: &str| format!("{head}\n[cut: {count} of {lines} lines; the rest stands in {} at {}]", shown(path), self.revision);
        // The ends of lines, so that a prefix of whole lines is a slice.
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let count = ends.partition_point(|end| self.counter.count(&piece(lines, &text[..*end])) <= self.left);
        let Some(end) = count.checked_sub(1).map(|last| ends[last]) else { return false };
        let piece = piece(count, text[..end].trim_end());
        if !self.push(path, piece) {
            return false;
        }
        self.cuts.push(format!("{} is cut: {count} of {lines} lines stand here", shown(path)));
        // Nothing that counts less stands where something that counts more was cut.
        self.left = 0;
        true
    }
}
