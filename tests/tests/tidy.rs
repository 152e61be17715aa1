//! Rules of the repository that no linter knows. Each is a function from files to complaints, run on the repository and
//! on a small text that breaks it.

#[path = "tidy/source.rs"]
mod source;

use source::{Source, all, root};
use stele_core::{Code, ErrorKind};

/// Fails with every complaint about the repository, and unless the made-up files draw one.
fn holds(rule: impl Fn(&[Source]) -> Vec<String>, broken: &[(&str, &str)]) {
    for (path, text) in broken {
        let files = [Source::made_up(path, text)];
        assert!(!rule(&files).is_empty(), "the rule says nothing about {path}: {text}");
    }
    let complaints = rule(&all());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A complaint for every line of the given text of a file in which `bad` finds something.
fn by_line<'s>(
    files: &'s [Source],
    applies: impl Fn(&Source) -> bool,
    text: impl Fn(&'s Source) -> String,
    bad: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| applies(file)) {
        for (at, line) in text(file).lines().enumerate() {
            complaints.extend(bad(line).map(|what| format!("{}:{}: {what}", file.path, at + 1)));
        }
    }
    complaints
}

fn is_library(file: &Source) -> bool {
    file.is_rust() && ["stele-core/src/", "stele-model/src/", "stele-hook/src/"].iter().any(|crate_| file.path.starts_with(crate_))
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `word` stands in `text` as a whole word.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

fn names(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

// ---- layers -------------------------------------------------------------------------------------------------------

/// What each module of the core may import. `lib` and `store` wire everything and are imported by nobody.
const MAY_IMPORT: [(&str, &[&str]); 9] = [
    ("base", &[]),
    ("record", &["base"]),
    ("index", &["base", "record"]),
    ("retrieve", &["base", "record", "index"]),
    ("assemble", &["base", "record", "retrieve"]),
    ("render", &["base", "record", "retrieve", "assemble"]),
    ("health", &["base", "record", "index", "assemble"]),
    ("import", &["base", "record", "index"]),
    ("tools", &["base", "record", "retrieve", "assemble", "render", "health"]),
];

/// Parts of a module that only some of those who import it may see: rendering knows the words of the domain, not how
/// they are kept, and tools go through the doors that every host has.
const ONLY_PARTS: [(&str, &str, &[&str]); 3] = [
    ("render", "record", &["edge", "node"]),
    ("assemble", "record", &["edge", "node", "rule", "session"]),
    ("tools", "record", &["advice", "claim", "draft", "edge", "evidence", "node", "proposal", "recorder", "rule"]),
];

/// The paths that follow `crate::` in a text, each as `module` or `module::part`.
fn crate_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        if code[..at].ends_with(['$', '_']) || code[..at].ends_with(is_word_char) {
            continue;
        }
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            None => paths.push(two_parts(rest)),
            Some(group) => paths.extend(members(group).into_iter().map(two_parts)),
        }
    }
    paths
}

/// The members of a brace group, up to its end.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                found.push(group[start..at].trim());
                return found;
            }
            ',' if depth == 0 => {
                found.push(group[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn two_parts(path: &str) -> String {
    let mut parts = path.split("::").map(|part| part.split(|c| !is_word_char(c)).next().unwrap_or(""));
    let first = parts.next().unwrap_or("");
    match parts.next().filter(|part| !part.is_empty()) {
        Some(second) => format!("{first}::{second}"),
        None => first.to_owned(),
    }
}

fn import_complaints(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("stele-core/src/") && file.is_rust()) {
        let Some(module) = file.module().filter(|module| !matches!(*module, "lib" | "store")) else { continue };
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == module) else {
            complaints.push(format!("{}: the module {module} has no place in the order of layers", file.path));
            continue;
        };
        let code = file.code();
        for path in crate_paths(&code) {
            let (first, part) = path.split_once("::").unwrap_or((&path, ""));
            let parts = ONLY_PARTS.iter().find(|(by, of, _)| *by == module && *of == first).map(|(_, _, parts)| *parts);
            if first != module && (!allowed.contains(&first) || parts.is_some_and(|parts| !parts.contains(&part))) {
                complaints.push(format!("{}: {module} may not import crate::{path}", file.path));
            }
        }
        let depth = file.path["stele-core/src/".len()..].split('/').count() - usize::from(file.path.ends_with("/mod.rs"));
        if code.contains(&"super::".repeat(depth)) {
            complaints.push(format!("{}: reaches out of {module} by super", file.path));
        }
    }
    complaints
}

#[test]
fn imports_follow_the_order_of_layers() {
    holds(
        import_complaints,
        &[
            ("stele-core/src/base/id.rs", "use crate::record::log;"),
            ("stele-core/src/record/log.rs", "use crate::{base::id, index::text};"),
            ("stele-core/src/record/log.rs", "fn f() { crate::retrieve::g() }"),
            ("stele-core/src/index/text/mod.rs", "use super::super::retrieve::walk;"),
            ("stele-core/src/render/text.rs", "use crate::record::reader::Snapshot;"),
            ("stele-core/src/assemble/channels/obligations.rs", "use crate::render::channels::rule_text;"),
            ("stele-core/src/assemble/channels/obligations.rs", "use crate::record::reader::Snapshot;"),
            ("stele-core/src/tools/read.rs", "use crate::record::reader::Snapshot;"),
            ("stele-core/src/tools/read.rs", "use crate::store::Record;"),
            ("stele-core/src/render/text.rs", "use crate::tools::Tool;"),
            ("stele-core/src/retrieve/walk.rs", "use crate::store::Record;"),
            ("stele-core/src/helpers/mod.rs", ""),
        ],
    );
}

/// Where git's objects are read.
const GIT: &[&str] = &["stele-core/src/assemble/builtin/repository_rules/repository.rs"];

/// Which crate may be named where, by the beginnings of paths.
const NAMED_ONLY_IN: [(&str, &[&str]); 9] = [
    ("rusqlite", &["stele-core/src/record/"]),
    ("tantivy", &["stele-core/src/index/text/"]),
    ("memmap2", &["stele-core/src/index/mapped.rs"]),
    ("getrandom", &["stele-core/src/base/id.rs"]),
    ("saphyr_parser", &["stele-core/src/assemble/builtin/skills/front_matter.rs"]),
    ("gix_odb", GIT),
    ("gix_ref", GIT),
    ("gix_object", GIT),
    ("gix_hash", GIT),
];

#[test]
fn each_engine_is_named_in_its_one_place() {
    let rule = |files: &[Source]| {
        by_line(files, is_library_module, Source::code, |_| None)
            .into_iter()
            .chain(files.iter().filter(|file| is_library_module(file)).flat_map(named_elsewhere))
            .collect()
    };
    holds(
        rule,
        &[
            ("stele-core/src/retrieve/walk.rs", "use rusqlite::Connection;"),
            ("stele-core/src/index/vectors/scan.rs", "fn f(t: tantivy::Term) {}"),
            ("stele-core/src/assemble/builtin/repository_rules/walk.rs", "use gix_object::Find;"),
        ],
    );
}

fn is_library_module(file: &Source) -> bool {
    is_library(file) && !file.is_test()
}

fn named_elsewhere(file: &Source) -> Vec<String> {
    let code = file.code();
    let elsewhere = |(name, places): &&(&str, &[&str])| names(&code, name) && !places.iter().any(|place| file.path.starts_with(place));
    NAMED_ONLY_IN.iter().filter(elsewhere).map(|(name, places)| format!("{}: names {name}, which belongs to {}", file.path, places.join(" and "))).collect()
}

// ---- the public face ----------------------------------------------------------------------------------------------

/// Crates whose types no host may meet.
const THIRD_PARTY: [&str; 15] = [
    "rusqlite",
    "tantivy",
    "memmap2",
    "serde_json",
    "jiff",
    "sha2",
    "getrandom",
    "regex",
    "unicode_normalization",
    "rust_stemmers",
    "saphyr_parser",
    "gix_odb",
    "gix_ref",
    "gix_object",
    "gix_hash",
];

/// Public signatures of a file: from `pub` to the brace, semicolon or comma that ends them, and conversions from a type.
fn public_signatures(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let start = line.trim_start();
        if start.starts_with("pub ") || start.starts_with("impl From<") || start.starts_with("impl TryFrom<") {
            let rest: String = code.lines().skip(at).take(12).collect::<Vec<_>>().join(" ");
            let end = rest.find(['{', ';']).unwrap_or(rest.len());
            found.push((at + 1, rest[..end].trim().to_owned()));
        }
    }
    found
}

/// Names that a file takes from a crate by `use`.
fn imported_from<'c>(code: &'c str, name: &str) -> Vec<&'c str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("use {name}::")) {
        let list = &code[at..at + code[at..].find(';').unwrap_or(0)];
        found.extend(list.split(|c| !is_word_char(c)).filter(|word| word.chars().next().is_some_and(char::is_uppercase)));
    }
    found
}

#[test]
fn no_public_signature_names_another_crates_type() {
    let rule = |files: &[Source]| {
        let mut complaints = Vec::new();
        for file in files.iter().filter(|file| is_library_module(file)) {
            let code = file.code();
            for name in THIRD_PARTY {
                let types = imported_from(&code, name);
                let taken = |signature: &str| names(signature, name) || types.iter().any(|word| names(signature, word));
                complaints.extend(
                    public_signatures(&code).into_iter().filter(|(_, text)| taken(text)).map(|(line, text)| format!("{}:{line}: {name} in {text}", file.path)),
                );
            }
        }
        complaints
    };
    holds(
        rule,
        &[
            ("stele-core/src/store.rs", "pub fn connection(&self) -> &rusqlite::Connection {"),
            ("stele-core/src/store.rs", "use serde_json::{Map, Value};\npub fn json(\n    &self,\n) -> Value {"),
            ("stele-core/src/base/error.rs", "impl From<tantivy::TantivyError> for Error {"),
            ("stele-core/src/lib.rs", "pub use rusqlite::Connection;"),
        ],
    );
}

#[test]
fn the_page_of_errors_is_the_table_of_codes() {
    let page = std::fs::read_to_string(root().join("docs/errors.md")).expect("docs/errors.md is there");
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    for code in Code::ALL {
        assert!(page.contains(&format!("| `{}` | {} |\n", code.as_str(), code.remedy())), "{} is not on the page: cargo xtask errors", code.as_str());
    }
    for kind in ErrorKind::ALL {
        assert!(page.contains(&format!("| {} | `{}` | {} |\n", kind as i32, kind.as_str(), kind.advice())), "{} is not on the page", kind.as_str());
    }
    assert_eq!(rows, Code::ALL.len(), "the page lists codes that are no more");
}

// ---- what the library leaves alone --------------------------------------------------------------------------------

/// What may be called only in the files named beside it.
const ONLY_IN: [(&str, &[&str]); 11] = [
    ("SystemTime::now", &["stele-core/src/base/time.rs"]),
    ("Instant::now", &["stele-core/src/base/time.rs", "stele-hook/src/timed.rs"]),
    ("thread::sleep", &["stele-core/src/base/time.rs", "stele-hook/src/timed.rs"]),
    ("thread::spawn", &[]),
    (
        "thread::Builder",
        &[
            "stele-core/src/store/worker.rs",
            "stele-core/src/store/calls.rs",
            "stele-core/src/assemble/driver.rs",
            "stele-core/src/base/leaving.rs",
            "stele-core/src/record/overdue.rs",
            "stele-core/src/record/sealing.rs",
            "stele-core/src/import/ahead.rs",
            "stele-core/src/index/catch_up.rs",
            "stele-core/src/retrieve/at_once.rs",
            "stele-hook/src/timed.rs",
        ],
    ),
    // It panics where the system gives no thread.
    ("scope.spawn", &[]),
    ("env::var", &[]),
    ("process::exit", &[]),
    ("set_hook", &[]),
    ("println!", &[]),
    ("eprintln!", &[]),
];

#[test]
fn the_library_leaves_clock_threads_environment_and_terminal_alone() {
    let rule = |files: &[Source]| {
        let mut complaints = Vec::new();
        for file in files.iter().filter(|file| is_library_module(file)) {
            let code = file.code();
            let wrong = ONLY_IN.iter().filter(|(call, places)| code.contains(call) && !places.contains(&file.path.as_str()));
            complaints.extend(wrong.map(|(call, _)| format!("{}: calls {call}", file.path)));
        }
        complaints
    };
    holds(
        rule,
        &[
            ("stele-core/src/retrieve/walk.rs", "let t = Instant::now();"),
            ("stele-core/src/store.rs", "println!(\"{}\", 1);"),
            ("stele-model/src/lib.rs", "let home = std::env::var(\"HOME\");"),
        ],
    );
}

#[test]
fn unsafe_blocks_say_why_they_are_safe() {
    let rule =
        |files: &[Source]| {
            let mut complaints = Vec::new();
            for file in files.iter().filter(|file| file.is_rust()) {
                let lines: Vec<&str> = file.text.lines().collect();
                let code = source::blanked(&file.text);
                for (at, _) in code.lines().enumerate().filter(|(_, line)| {
                    names(line, "unsafe") && line.contains('{') && !line.contains("fn ") && !line.contains("impl ") && !line.contains("trait ")
                }) {
                    if !lines[at.saturating_sub(6)..=at].iter().any(|line| line.contains("SAFETY:")) {
                        complaints.push(format!("{}:{}: unsafe without a SAFETY line", file.path, at + 1));
                    }
                }
            }
            complaints
        };
    holds(rule, &[("stele-core/src/index/simd.rs", "fn f() {\n    unsafe { g() }\n}")]);
}

/// Functions that a C host can call whose body is anything but one call of a guard.
fn bare_exports(file: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    for (at, mark) in file.text.match_indices("extern \"C\" fn stele_") {
        let rest = &file.text[at + mark.len() - "stele_".len()..];
        let name = rest.split('(').next().unwrap_or("");
        let body = rest.find("{\n").map_or("", |open| &rest[open + 2..]);
        let first = body.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//")).unwrap_or("");
        let end = body.find("\n}\n").unwrap_or(body.len());
        let guarded = ["status(", "value(", "guard::value("].iter().any(|guard| first.starts_with(guard));
        // One statement: what the guard gives is what the function gives.
        let whole = body[..end].lines().filter(|line| line.starts_with("    ") && !line.starts_with("     ") && !line.trim().starts_with("//")).count() <= 2;
        if !guarded || !whole {
            complaints.push(format!("{}: {name} does not go through a guard", file.path));
        }
    }
    complaints
}

#[test]
fn every_export_of_the_c_door_goes_through_a_guard() {
    let rule = |files: &[Source]| files.iter().filter(|file| file.path.starts_with("stele-ffi/src/")).flat_map(bare_exports).collect();
    holds(
        rule,
        &[
            ("stele-ffi/src/text.rs", "pub extern \"C\" fn stele_len(text: stele_str_t) -> usize {\n    text.len\n}\n"),
            (
                "stele-ffi/src/text.rs",
                "pub extern \"C\" fn stele_len(text: stele_str_t) -> usize {\n    value(0, || 1);\n    let len = text.len;\n    len\n}\n",
            ),
        ],
    );
    let exports: usize =
        all().iter().filter(|file| file.path.starts_with("stele-ffi/src/")).map(|file| file.text.matches("extern \"C\" fn stele_").count()).sum();
    assert!(exports > 70, "{exports}");
}

// ---- files --------------------------------------------------------------------------------------------------------

#[test]
fn every_file_of_code_opens_with_what_lives_there() {
    // A sibling `tests.rs` says by its name what lives there.
    let silent = |file: &&Source| file.is_rust() && !file.path.ends_with("/tests.rs") && !file.text.starts_with("//!");
    let rule = |files: &[Source]| files.iter().filter(silent).map(|file| format!("{}: does not open with //!", file.path)).collect();
    holds(rule, &[("stele-core/src/base/id.rs", "use std::fmt;")]);
}

/// Most lines of a file that are no tests, and most lines of tests inside it.
const MOST_LINES: usize = 800;
const MOST_TEST_LINES: usize = 150;

#[test]
fn files_stay_readable() {
    let rule = |files: &[Source]| {
        let mut complaints = Vec::new();
        for file in files.iter().filter(|file| file.is_rust() && !file.is_test()) {
            let (code, all) = (file.first_test_line(), file.text.lines().count());
            if code > MOST_LINES {
                complaints.push(format!("{}: {code} lines, the limit is {MOST_LINES}", file.path));
            }
            if all - code > MOST_TEST_LINES {
                complaints.push(format!("{}: {} lines of tests inside it; put them into a sibling tests.rs", file.path, all - code));
            }
        }
        complaints
    };
    let long = "//!\n".repeat(MOST_LINES + 1);
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}", "\n".repeat(MOST_TEST_LINES));
    holds(rule, &[("stele-core/src/base/id.rs", &long), ("stele-core/src/base/id.rs", &tests)]);
}

#[test]
fn nothing_is_left_over() {
    let litter = ["TODO.txt", ".swp", ".orig", ".rej", "~"];
    let rule = |files: &[Source]| {
        files.iter().filter(|file| litter.iter().any(|ending| file.path.ends_with(ending))).map(|file| format!("{}: litter", file.path)).collect()
    };
    holds(rule, &[("TODO.txt", "")]);
    let stubs = ["todo!", "unimplemented!", "dbg!"];
    let rule = |files: &[Source]| {
        let whole = |file: &Source| source::blanked(&file.text);
        by_line(files, Source::is_rust, whole, |line| stubs.iter().find(|stub| line.contains(*stub)).map(|stub| (*stub).to_owned()))
    };
    holds(rule, &[("stele-core/src/base/id.rs", "fn f() { todo!() }")]);
}

// ---- tests --------------------------------------------------------------------------------------------------------

#[test]
fn no_test_is_skipped() {
    let rule = |files: &[Source]| {
        let whole = |file: &Source| source::blanked(&file.text);
        by_line(files, Source::is_rust, whole, |line| line.trim_start().starts_with("#[ignore").then(|| "a test that is skipped".to_owned()))
    };
    holds(rule, &[("stele-core/src/base/id.rs", "#[test]\n#[ignore]\nfn f() {}")]);
}

#[test]
fn no_test_compares_and_drops_the_result() {
    let dropped = |code: &str, at: usize| {
        let mut depth = 0;
        let end = code[at..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            *c == ')' && depth == 0
        });
        end.is_some_and(|(end, _)| code[at + end + 1..].trim_start().starts_with(';'))
    };
    let rule = |files: &[Source]| {
        let mut complaints = Vec::new();
        for file in files.iter().filter(|file| file.is_rust()) {
            let code = file.test_code();
            for (at, _) in code.match_indices("matches!(") {
                let statement = code[..at].trim_end().ends_with([';', '{', '}']);
                if statement && dropped(&code, at) {
                    complaints.push(format!("{}:{}: matches! as a statement checks nothing", file.path, code[..at].lines().count()));
                }
            }
        }
        complaints
    };
    holds(rule, &[("stele-core/src/record/tests.rs", "fn f() {\n    g();\n    matches!(g(), Ok(1)\n        | Err(_));\n}")]);
}

// ---- documents and manifests --------------------------------------------------------------------------------------

fn is_page(file: &Source) -> bool {
    file.path.ends_with(".md") && !file.path.starts_with("samples/") && !file.path.starts_with("docs/decisions/")
}

/// An example as a page shows it: without attributes of the whole file.
fn as_sample(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("#![")).fold(String::new(), |sample, line| sample + line + "\n")
}

/// Samples of a page that say what file they are, and whether the file says the same.
fn sample_complaints(files: &[Source], pages: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for page in pages.iter().filter(|file| is_page(file)) {
        // The pages of the two packages are held by the tests of those.
        let fences: &[&str] = if page.path.starts_with("bindings/") { &[] } else { &["```rust\n", "```c\n", "```python\n", "```js\n"] };
        for (at, fence) in fences.iter().flat_map(|fence| page.text.match_indices(fence)) {
            let sample = page.text[at + fence.len()..].split("```").next().unwrap_or("");
            let mark = page.text[..at].trim_end().lines().next_back().unwrap_or("");
            let named = mark.strip_prefix("<!-- ").and_then(|mark| mark.strip_suffix(" -->"));
            let file = named.and_then(|named| files.iter().find(|file| file.path == named && file.path.contains("/examples/")));
            match file {
                None => complaints.push(format!("{}: a sample that no example is", page.path)),
                Some(file) if as_sample(&file.text) != sample => complaints.push(format!("{}: the sample is not what {} says", page.path, file.path)),
                Some(_) => {}
            }
        }
    }
    complaints
}

#[test]
fn samples_in_pages_are_examples_that_run() {
    let files = all();
    let broken =
        ["```rust\nlet a = 1;\n```", "<!-- stele-core/examples/quickstart.rs -->\n```rust\nlet a = 1;\n```", "<!-- stele-core/src/lib.rs -->\n```rust\n```"];
    let broken = broken.into_iter().chain([
        "```python\na = 1\n```",
        "```js\nlet a\n```",
        "```c\nint a;\n```",
        "<!-- stele-ffi/examples/quickstart.c -->\n```c\nint a;\n```",
    ]);
    for text in broken {
        assert!(!sample_complaints(&files, &[Source::made_up("README.md", text)]).is_empty(), "the rule says nothing about {text}");
    }
    let complaints = sample_complaints(&files, &files);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
    let readme = files.iter().find(|file| file.path == "README.md").expect("README.md is there");
    assert!(
        ["rust", "python", "js", "c"].iter().all(|language| readme.text.contains(&format!("```{language}\n")))
            && readme.text.contains("cargo run --release --example session")
            && readme.text.contains("cargo xtask ci")
    );
}

#[test]
fn the_map_of_the_code_names_every_module() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let modules: std::collections::BTreeSet<String> = all().iter().filter_map(|file| file.module().map(str::to_owned)).filter(|name| name != "lib").collect();
    let missing: Vec<&String> = modules.iter().filter(|name| !map.contains(&format!("`{name}/`")) && !map.contains(&format!("`{name}.rs`"))).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md says nothing of {missing:?}");
}

#[test]
fn nothing_names_a_place_outside_the_repository() {
    let places = [
        concat!("../", "shared"),
        concat!("/", "work/"),
        concat!(".", "library"),
        concat!("index.", "crates.io"),
        concat!("registry.", "npmjs"),
        concat!("pypi.", "org/simple"),
    ];
    let rule = |files: &[Source]| {
        let applies = |file: &Source| !file.path.starts_with("xtask/");
        by_line(files, applies, |file| file.text.clone(), |line| places.iter().find(|place| line.contains(*place)).map(|place| format!("names {place}")))
    };
    holds(rule, &[("docs/design.md", concat!("see ../", "shared/data"))]);
}

/// The value of a key in a manifest, wherever it stands.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.trim().trim_start_matches('"').strip_prefix(key)?.trim_start_matches([' ', '=', ':', '"']).split('"').next())
}

#[test]
fn there_is_one_version() {
    let version = all()
        .iter()
        .find(|file| file.path == "Cargo.toml")
        .and_then(|file| value(&file.text, "version").map(str::to_owned))
        .expect("the workspace has a version");
    let rule = |files: &[Source]| {
        let mut complaints = Vec::new();
        for file in files.iter().filter(|file| !file.path.starts_with("fuzz/")) {
            let name = file.path.rsplit('/').next().unwrap_or("");
            match name {
                "Cargo.toml" if file.path != "Cargo.toml" && !file.text.contains("version.workspace = true") => {
                    complaints.push(format!("{}: a version of its own", file.path))
                }
                "package.json" if value(&file.text, "version\"") != Some(version.as_str()) => complaints.push(format!("{}: another version", file.path)),
                _ => {}
            }
            if file.path == "Cargo.toml" {
                let own = file.text.lines().filter(|line| line.starts_with("stele-") && !line.contains(&format!("version = \"{version}\"")));
                complaints.extend(own.map(|line| format!("Cargo.toml: another version in {line}")));
            }
        }
        complaints
    };
    holds(
        rule,
        &[
            ("tests/Cargo.toml", "version = \"0.0.9\""),
            ("bindings/node/package.json", "{\n  \"version\": \"0.0.9\"\n}"),
            ("Cargo.toml", "stele-core = { path = \"stele-core\", version = \"0.0.9\" }"),
        ],
    );
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let rule = |files: &[Source]| {
        let member = |file: &&Source| file.path.ends_with("/Cargo.toml") && !file.path.starts_with("fuzz/");
        files.iter().filter(member).filter(|file| !file.text.contains("[lints]\nworkspace = true")).map(|file| format!("{}: no lints", file.path)).collect()
    };
    holds(rule, &[("tests/Cargo.toml", "[package]\nversion.workspace = true\n")]);
}

// ---- the reading itself -------------------------------------------------------------------------------------------

#[test]
fn comments_strings_and_characters_are_blanked_and_code_stays() {
    let text = "let a = \"x // y\"; // tantivy\nlet b = '\"'; /* c */ let r = r#\"q\"#; fn f<'a>(x: &'a str) {}\n";
    let code = source::blanked(text);
    for gone in ["tantivy", "x //", "q", "/* c */"] {
        assert!(!code.contains(gone), "{gone} is still in {code}");
    }
    assert!(code.contains("let b =") && code.contains("fn f<'a>(x: &'a str) {}") && code.lines().count() == 2);
}

#[test]
fn tests_inside_a_file_are_told_from_its_code() {
    let file = Source::made_up("stele-core/src/base/id.rs", "//! x\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::store::Record;\n}\n");
    assert_eq!(file.first_test_line(), 3);
    assert!(import_complaints(&[file]).is_empty());
}
