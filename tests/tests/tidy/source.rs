//! Reading the repository's own text: every file once, code told from comments, strings and tests.

use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const SKIPPED: [&str; 7] = ["target", ".git", "node_modules", ".venv", ".stele", "corpus", "artifacts"];
/// Endings of files that are text.
const TEXT: [&str; 14] = ["rs", "md", "toml", "jsonl", "txt", "h", "c", "py", "pyi", "ts", "mjs", "json", "sh", "proptest-regressions"];

/// One text file of the repository.
pub(crate) struct Source {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie one folder below the root").to_path_buf()
}

/// Every text file, in the order of its path.
pub(crate) fn all() -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository can be read").filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.path().is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                collect(&entry.path(), &path, found);
            }
        } else if name != "Cargo.lock"
            && (is_text(&name) || prefix == ".ci" || prefix == "bin")
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            found.push(Source { path, text });
        }
    }
}

fn is_text(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| TEXT.contains(&ending))
}

impl Source {
    /// A file that only a test knows.
    pub(crate) fn made_up(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// True if the whole file is tests: a sibling `tests.rs`, or anything below a `tests` or `benches` folder.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.split('/').any(|part| matches!(part, "tests" | "benches"))
    }

    /// The module of the core that the file belongs to: `record` for `stele-core/src/record/log.rs`.
    pub(crate) fn module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("stele-core/src/")?;
        let first = below.split('/').next()?;
        Some(first.strip_suffix(".rs").unwrap_or(first))
    }

    /// The line, counted from 0, at which the tests inside the file begin; the number of lines if there are none.
    pub(crate) fn first_test_line(&self) -> usize {
        if self.is_test() {
            return 0;
        }
        let lines: Vec<&str> = self.text.lines().collect();
        let opens = |at: &usize| lines[*at].trim() == "#[cfg(test)]" && lines.get(at + 1).is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        (0..lines.len()).find(opens).unwrap_or(lines.len())
    }

    /// The code that is no test, without comments and without what stands in strings; lines keep their numbers.
    pub(crate) fn code(&self) -> String {
        let end = self.first_test_line();
        blanked(&self.text.lines().take(end).fold(String::new(), |code, line| code + line + "\n"))
    }

    /// The code of the tests, in the same way.
    pub(crate) fn test_code(&self) -> String {
        let start = self.first_test_line();
        let text = self.text.lines().enumerate().fold(String::new(), |code, (at, line)| if at < start { code + "\n" } else { code + line + "\n" });
        blanked(&text)
    }
}

/// Rust text with comments and the insides of strings and character literals as spaces; line breaks stay.
pub(crate) fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_opaque(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out.into_iter().collect()
}

/// Where the comment, string or character literal that starts at `at` ends; `at` itself if none starts there.
fn end_of_opaque(chars: &[char], at: usize) -> usize {
    let is = |offset: usize, c: char| chars.get(at + offset) == Some(&c);
    let find = |from: usize, stop: &dyn Fn(usize) -> bool| (from..chars.len()).find(|at| stop(*at)).unwrap_or(chars.len());
    if is(0, '/') && is(1, '/') {
        return find(at, &|at| chars[at] == '\n');
    }
    if is(0, '/') && is(1, '*') {
        return (find(at + 2, &|at| chars[at] == '*' && chars.get(at + 1) == Some(&'/')) + 2).min(chars.len());
    }
    let after_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    if is(0, 'r') && !after_word {
        let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
        if is(1 + hashes, '"') {
            let closes = |at: usize| chars[at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
            return (find(at + 2 + hashes, &closes) + 1 + hashes).min(chars.len());
        }
    }
    if is(0, '"') {
        let mut end = at + 1;
        while end < chars.len() && chars[end] != '"' {
            end += if chars[end] == '\\' { 2 } else { 1 };
        }
        return (end + 1).min(chars.len());
    }
    if is(0, '\'') && is(1, '\\') {
        return (find(at + 3, &|at| chars[at] == '\'') + 1).min(chars.len());
    }
    if is(0, '\'') && is(2, '\'') {
        return at + 3;
    }
    at
}
