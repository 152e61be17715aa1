//! What the pages say: links lead somewhere, commands exist, and the page of field cases names tests that are there.

#[path = "tidy/source.rs"]
#[expect(dead_code, reason = "the rules of the repository use the rest")]
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use source::{Source, all, root};
use stele_tests::cases;

fn pages() -> Vec<Source> {
    all().into_iter().filter(|file| file.path.ends_with(".md")).collect()
}

/// Where the links of a page lead, as they are written.
fn targets(page: &Source) -> Vec<&str> {
    page.text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()).collect()
}

/// The links of a page that lead to no file, as seen from its folder.
fn lost_links(page: &Source) -> Vec<String> {
    let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
    let local = targets(page).into_iter().filter(|target| !target.is_empty() && !target.contains("://"));
    local.filter(|target| !root().join(folder).join(target).exists()).map(|target| format!("{}: {target}", page.path)).collect()
}

#[test]
fn every_link_in_a_page_leads_to_a_file() {
    assert_eq!(lost_links(&Source::made_up("docs/a.md", "see [b](nowhere.md) and [c](design.md#words)")), ["docs/a.md: nowhere.md"]);
    let lost: Vec<String> = pages().iter().flat_map(lost_links).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

/// Where a link of a page leads, by its place in the repository.
fn led_to(page: &Source, target: &str) -> PathBuf {
    let mut place = PathBuf::from(&page.path);
    place.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(place.pop()),
            "." => {}
            other => place.push(other),
        }
    }
    place
}

/// The pages below `docs` that no other page links to.
fn pages_apart(pages: &[Source]) -> Vec<&str> {
    let links = |from: &Source, page: &Source| targets(from).into_iter().any(|target| led_to(from, target) == Path::new(&page.path));
    let found = |page: &Source| pages.iter().any(|from| from.path != page.path && links(from, page));
    pages.iter().filter(|page| page.path.starts_with("docs/") && !found(page)).map(|page| page.path.as_str()).collect()
}

#[test]
fn every_page_is_found_from_another() {
    let (a, b) = (Source::made_up("docs/a.md", "see [b](decisions/b.md)"), Source::made_up("docs/decisions/b.md", "[itself](b.md)"));
    assert_eq!(pages_apart(&[a, b]), ["docs/a.md"]);
    let pages = pages();
    assert!(pages_apart(&pages).is_empty(), "{:#?}", pages_apart(&pages));
}

/// The words behind each place where a page says `command`.
fn said<'p>(page: &'p Source, command: &str) -> BTreeSet<&'p str> {
    let word = |rest: &'p str| rest.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).next().unwrap_or("");
    page.text.match_indices(command).map(|(at, _)| word(&page.text[at + command.len()..])).filter(|word| !word.is_empty()).collect()
}

/// What a page tells a reader to run and the repository does not have.
fn lost_commands(page: &Source, files: &[Source]) -> Vec<String> {
    let mut lost = Vec::new();
    let usage = &files.iter().find(|file| file.path == "xtask/src/main.rs").expect("the commands of a contributor").text;
    lost.extend(said(page, "cargo xtask ").into_iter().filter(|word| !usage.contains(&format!("[\"{word}\""))));
    for (flag, folder) in [("--example ", "/examples/"), ("--bin ", "/src/bin/"), ("--bench ", "/benches/"), ("--test ", "/tests/")] {
        let there =
            |word: &str| files.iter().any(|file| file.path.ends_with(&format!("{folder}{word}.rs")) || file.path.ends_with(&format!("{folder}{word}/main.rs")));
        lost.extend(said(page, flag).into_iter().filter(|word| !there(word)));
    }
    lost.into_iter().map(|word| format!("{}: {word}", page.path)).collect()
}

#[test]
fn every_command_in_a_page_is_there() {
    let files = all();
    for text in ["`cargo xtask dance`", "cargo run --example dance", "--bin dance", "--bench dance", "--test dance"] {
        assert_eq!(lost_commands(&Source::made_up("a.md", text), &files), ["a.md: dance"], "{text}");
    }
    let lost: Vec<String> = pages().iter().flat_map(|page| lost_commands(page, &files)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

/// The cells of each row of the table below a heading, without those of its head.
fn table<'p>(page: &'p str, heading: &str) -> Vec<Vec<&'p str>> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).expect("the section").split("\n## ").next().unwrap_or("");
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).skip(1);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// What stands between marks in a text.
fn between(text: &str, mark: char) -> Vec<&str> {
    text.split(mark).skip(1).step_by(2).collect()
}

fn page<'f>(files: &'f [Source], path: &str) -> &'f str {
    &files.iter().find(|file| file.path == path).expect("the page").text
}

/// True for the name of a test in any language, and for a command that is there.
fn shows_something(name: &str, files: &[Source]) -> bool {
    let forms = [format!("fn {name}("), format!("def {name}("), format!("void {name}("), format!("test('{name}'")];
    let is_code = |file: &&Source| !file.path.ends_with(".md");
    files.iter().filter(is_code).any(|file| forms.iter().any(|form| file.text.contains(form))) || said_as_command(name, files)
}

#[test]
fn the_page_of_field_cases_names_tests_and_scenarios_that_are_there() {
    let files = all();
    let scenarios = cases::all();
    let rows = table(page(&files, "docs/reliability.md"), "Field cases");
    assert_eq!(rows.iter().map(|row| row[0].to_owned()).collect::<Vec<_>>(), (1..=32).map(|number| number.to_string()).collect::<Vec<_>>());
    for row in rows {
        assert_eq!(row.len(), 5, "{row:?}");
        let (tests, named) = ([row[2], row[4]].map(|text| between(text, '`')).concat(), between(row[3], '*'));
        assert!(!tests.is_empty(), "{row:?} names no test");
        for test in tests {
            assert!(shows_something(test, &files), "{test} is no test");
        }
        for name in named {
            assert!(scenarios.iter().any(|(_, case)| case.name == name), "{name} is no scenario");
        }
    }
}

#[test]
fn every_promise_of_the_readme_is_shown_by_a_test() {
    let files = all();
    let promises: Vec<&str> = table(page(&files, "README.md"), "What it guarantees").iter().map(|row| row[0]).collect();
    let shown = table(page(&files, "docs/reliability.md"), "Promises");
    assert_eq!(shown.iter().map(|row| row[0]).collect::<Vec<_>>(), promises);
    for row in shown {
        let tests = between(row[1], '`');
        assert!(!tests.is_empty() && tests.iter().all(|test| shows_something(test, &files)), "{row:?}");
    }
    assert!(!shows_something("no_test_has_this_name", &files) && !shows_something("cargo xtask dance", &files));
}

/// True for a command, which a reader runs in place of a test.
fn said_as_command(text: &str, files: &[Source]) -> bool {
    text.starts_with("cargo ") && lost_commands(&Source::made_up("a.md", text), files).is_empty()
}
