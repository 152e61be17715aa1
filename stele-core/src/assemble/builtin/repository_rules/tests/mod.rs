//! The rules of repositories that the tests write themselves: what is given, and what is said of the rest.

mod hazards;
mod packs;
mod places;
pub(crate) mod written;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tempfile::TempDir;

use self::written::{FILE, PROGRAM, SUBMODULE, Written};
use super::repository::Repository;
use super::supplying::tell;
use super::walk::{Ended, Walk};
use super::{RepositoryRules, discovery};
use crate::assemble::channels::Point;
use crate::assemble::provider::{Provider, ProviderRequest, Supply};
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::{TokenCounter, tokens};
use crate::record::session::Pinned;

fn request(token_budget: usize) -> ProviderRequest {
    ProviderRequest {
        prompt: "".into(),
        session: "s".into(),
        turn: 0,
        mode: "work".into(),
        action: None,
        point: Point::Prompt,
        token_budget,
        now: Timestamp::from_unix_ms(0),
        deadline: Deadline::after(Duration::from_secs(600)),
        cancelled: Arc::new(AtomicBool::new(false)),
        counter: TokenCounter::default(),
    }
}

/// A request that has all the time and room that a test needs.
fn plenty() -> ProviderRequest {
    request(2_000)
}

fn rules(root: &Path) -> RepositoryRules {
    RepositoryRules::new(root.to_path_buf(), None, Vec::new())
}

/// What the rules at HEAD are for a folder.
fn ask(root: &Path) -> Supply {
    rules(root).fetch(&plenty()).expect("the repository can be read")
}

/// Why there are none.
fn fault(rules: &RepositoryRules) -> String {
    rules.fetch(&plenty()).expect_err("the repository cannot be read").message
}

/// Path and text of every entry.
fn told(supply: &Supply) -> Vec<(&str, &str)> {
    supply.entries.iter().map(|entry| (entry.source.as_ref().expect("an entry has a source").uri.as_str(), entry.text.as_str())).collect()
}

/// The commit that was read.
fn commit(rules: &RepositoryRules) -> Option<&str> {
    rules.given.get().map(|given| given.commit.as_str())
}

fn paths(supply: &Supply) -> Vec<&str> {
    told(supply).into_iter().map(|(path, _)| path).collect()
}

/// A folder with a repository in it.
fn project() -> (TempDir, Written) {
    let folder = tempfile::tempdir().expect("a folder is made");
    let written = Written::new(&folder.path().join(".git"));
    (folder, written)
}

#[test]
fn rules_are_those_of_the_last_commit_and_not_of_the_work_tree() {
    let (folder, written) = project();
    let first = written.commit(&[("AGENTS.md", "Old.")], &[]);
    let second = written.commit(&[("AGENTS.md", "Use tabs.\r\nNever push.\r\n")], &[first]);
    std::fs::write(folder.path().join("AGENTS.md"), "Anything goes.").expect("an edit");
    std::fs::write(folder.path().join("CLAUDE.md"), "Not committed.").expect("a new file");
    std::fs::write(folder.path().join(".git/index"), "DIRC nonsense").expect("a broken index");
    let supply = ask(folder.path());
    assert_eq!(told(&supply), [("AGENTS.md", "Use tabs.\nNever push.")]);
    assert_eq!(supply.entries[0].source.as_ref().expect("a source").revision.as_deref(), Some(second.to_string().as_str()));
    assert!(supply.warnings.is_empty(), "{:?}", supply.warnings);
}

#[test]
fn higher_folders_come_before_lower_ones_and_then_paths_count() {
    let (folder, written) = project();
    let files = [
        "z/AGENTS.md",
        "b/c/AGENTS.md",
        "b/CLAUDE.md",
        "AGENTS.md",
        "a/x/y/AGENTS.md",
        "b/AGENTS.md",
        "b-b/AGENTS.md",
        "CLAUDE.md",
        "agents.md",
        "b/Claude.md",
        "AGENTS.md.bak/x",
    ];
    written.commit(&files.map(|path| (path, path)), &[]);
    let supply = ask(folder.path());
    assert_eq!(paths(&supply), ["AGENTS.md", "CLAUDE.md", "b-b/AGENTS.md", "b/AGENTS.md", "b/CLAUDE.md", "z/AGENTS.md", "b/c/AGENTS.md", "a/x/y/AGENTS.md"]);
}

#[test]
fn a_folder_inside_gets_the_rules_above_and_below_it_and_not_those_beside_it() {
    let (folder, written) = project();
    written.commit(
        &["AGENTS.md", "app/AGENTS.md", "app/web/AGENTS.md", "app/web/ui/AGENTS.md", "app/api/AGENTS.md", "lib/AGENTS.md"].map(|path| (path, path)),
        &[],
    );
    let inside = folder.path().join("app/web");
    std::fs::create_dir_all(inside.join("new")).expect("folders");
    assert_eq!(paths(&ask(&inside)), ["AGENTS.md", "app/AGENTS.md", "app/web/AGENTS.md", "app/web/ui/AGENTS.md"]);
    assert_eq!(paths(&ask(&inside.join("new"))), ["AGENTS.md", "app/AGENTS.md", "app/web/AGENTS.md"], "a folder that is not committed");
}

#[test]
fn listed_files_stand_after_those_of_the_project_folder() {
    let (folder, written) = project();
    written.commit(&["AGENTS.md", "a/AGENTS.md", "docs/rules.md", "CONTRIBUTING.md"].map(|path| (path, path)), &[]);
    let listed =
        ["docs/rules.md", "./CONTRIBUTING.md", "docs/rules.md", "a/AGENTS.md", "none.md", "docs", "../x.md", "/etc/passwd", "", ".git/config", "AGENTS.md/x"];
    let supply = RepositoryRules::new(folder.path().to_path_buf(), None, listed.map(str::to_owned).to_vec()).fetch(&plenty()).expect("readable");
    assert_eq!(paths(&supply), ["AGENTS.md", "docs/rules.md", "CONTRIBUTING.md", "a/AGENTS.md"]);
    let gone = |path: &str| format!("the listed file {path} is not tracked");
    assert_eq!(
        supply.warnings,
        [
            gone("none.md"),
            "the listed file docs is a folder".to_owned(),
            gone("../x.md"),
            gone("/etc/passwd"),
            gone(""),
            gone(".git/config"),
            gone("AGENTS.md/x")
        ]
    );
}

#[test]
fn the_same_words_stand_once() {
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Same."), ("CLAUDE.md", "Same."), ("a/AGENTS.md", "Same."), ("b/AGENTS.md", " \n")], &[]);
    assert_eq!(told(&ask(folder.path())), [("AGENTS.md", "Same."), ("a/AGENTS.md", "The same as AGENTS.md.")]);
}

#[test]
fn submodules_and_executable_bits_change_nothing() {
    let (folder, written) = project();
    let text = written.file("Rules.");
    let elsewhere = written.commit_of(written.tree(&[(FILE, "AGENTS.md", text)]), &[]);
    let tree = written.tree(&[(PROGRAM, "AGENTS.md", text), (SUBMODULE, "vendor/lib", elsewhere), (SUBMODULE, "CLAUDE.md", elsewhere)]);
    written.set("refs/heads/main", written.commit_of(tree, &[]));
    let listed = vec!["vendor/lib/AGENTS.md".to_owned(), "vendor/lib".to_owned()];
    let supply = RepositoryRules::new(folder.path().to_path_buf(), None, listed).fetch(&plenty()).expect("readable");
    assert_eq!(told(&supply), [("AGENTS.md", "Rules.")]);
    assert_eq!(supply.warnings.len(), 2);
    assert!(supply.warnings.iter().all(|line| line.contains("another repository")), "{:?}", supply.warnings);
}

#[test]
fn a_base_revision_is_a_branch_a_tag_a_remote_branch_or_a_commit() {
    let (folder, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old.")], &[]);
    written.commit(&[("AGENTS.md", "New.")], &[old]);
    let tag = written.object(gix_object::Kind::Tag, format!("object {old}\ntype commit\ntag v1\ntagger A <a@example.org> 0 +0000\n\nv1\n").as_bytes());
    let tag_of_tag = written.object(gix_object::Kind::Tag, format!("object {tag}\ntype tag\ntag v1-again\n\nv1\n").as_bytes());
    written.set("refs/heads/release/1", old);
    written.set("refs/tags/v1", tag);
    written.set("refs/tags/again", tag_of_tag);
    written.set("refs/remotes/origin/main", old);
    std::fs::write(written.git_dir.join("refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/main\n").expect("a remote's HEAD");
    let at = |name: &str| RepositoryRules::new(folder.path().to_path_buf(), Some(name.to_owned()), Vec::new());
    let whole = old.to_string();
    for name in ["release/1", "refs/heads/release/1", "v1", "again", "origin/main", "origin", "remotes/origin/main", &whole, &whole[..7], &whole.to_uppercase()]
    {
        let rules = at(name);
        assert_eq!(told(&rules.fetch(&plenty()).unwrap_or_else(|fault| panic!("{name}: {fault:?}"))), [("AGENTS.md", "Old.")], "{name}");
        assert_eq!(commit(&rules), Some(whole.as_str()));
    }
    assert_eq!(told(&at("HEAD").fetch(&plenty()).expect("HEAD")), [("AGENTS.md", "New.")]);
    let tree = written.tree(&[]).to_string();
    for (name, why) in [
        ("none", "no branch, tag or commit is called \"none\""),
        ("abcdef0", "no branch, tag or commit is called \"abcdef0\""),
        ("../../etc/passwd", "cannot be the name"),
        ("HEAD~1", "cannot be the name"),
        ("", "cannot be the name"),
        (&tree, "is a tree and no commit"),
        (&"0".repeat(40), "is not in this copy"),
    ] {
        let told = fault(&at(name));
        assert!(told.contains(why), "{name}: {told}");
    }
}

#[test]
fn an_abbreviation_that_fits_several_commits_is_refused_and_other_objects_do_not_count() {
    let (folder, written) = project();
    let base = written.commit(&[("AGENTS.md", "A.")], &[]);
    let tree = written.tree(&[]);
    // Commits until two of them begin with the same four letters.
    let mut seen = std::collections::BTreeMap::new();
    let (short, count) = (0..)
        .find_map(|count| {
            let mut parents = vec![base; count / 2_000];
            parents.extend(seen.values().take(1).copied());
            let commit =
                written.object(gix_object::Kind::Commit, format!("tree {tree}\nauthor A <a> {count} +0000\ncommitter A <a> {count} +0000\n\n").as_bytes());
            let short = commit.to_string()[..4].to_owned();
            seen.insert(short.clone(), commit).map(|_| (short, count))
        })
        .expect("some day");
    assert!(count < 10_000);
    let at = |name: &str| RepositoryRules::new(folder.path().to_path_buf(), Some(name.to_owned()), Vec::new());
    assert_eq!(fault(&at(&short)), format!("2 commits begin with {short}"));
    // A file whose name begins like a commit's is not meant.
    let file = (0..).map(|count| written.file(format!("{count}"))).find(|file| seen.contains_key(&file.to_string()[..4]) && file.to_string()[..4] != short);
    let name = file.expect("some day").to_string()[..4].to_owned();
    let rules = at(&name);
    rules.fetch(&plenty()).expect("one commit is meant");
    assert_eq!(commit(&rules), Some(seen[&name].to_string().as_str()));
}

#[test]
fn a_session_keeps_the_commit_that_it_began_with() {
    let (folder, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old.")], &[]);
    let again = |pinned: &Pinned| rules(folder.path()).pinned(Some(pinned.clone()));
    let first = rules(folder.path());
    first.fetch(&plenty()).expect("readable");
    let pinned = first.given.get().expect("a commit was read").clone();
    assert_eq!((pinned.commit.as_str(), pinned.told), (old.to_string().as_str(), false));
    let unmoved = again(&pinned).fetch(&plenty()).expect("readable");
    assert!(unmoved.warnings.is_empty(), "{:?}", unmoved.warnings);

    let new = written.commit(&[("AGENTS.md", "New.")], &[old]).to_string();
    let moved = again(&pinned);
    let supply = moved.fetch(&plenty()).expect("readable");
    assert_eq!(told(&supply), [("AGENTS.md", "Old.")]);
    let line = format!("HEAD has moved to {}; the rules stay those of {}, with which the session began", &new[..12], &old.to_string()[..12]);
    assert_eq!(supply.warnings, [line.as_str()]);
    assert_eq!(moved.given.get(), Some(&Pinned { told: true, ..pinned.clone() }));
    // Another base revision or another folder is another question.
    let other = RepositoryRules::new(folder.path().to_path_buf(), Some("main".to_owned()), Vec::new()).pinned(Some(pinned.clone()));
    assert_eq!(told(&other.fetch(&plenty()).expect("readable")), [("AGENTS.md", "New.")]);

    // HEAD leads nowhere, and what is pinned is still there.
    std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/other\n").expect("HEAD is written");
    let supply = again(&pinned).fetch(&plenty()).expect("readable");
    assert_eq!(told(&supply), [("AGENTS.md", "Old.")]);
    assert!(supply.warnings[0].starts_with("HEAD leads nowhere any more"), "{:?}", supply.warnings);
    // The pinned commit is gone, or is none.
    std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").expect("HEAD is written");
    for gone in ["f".repeat(40), "nonsense".to_owned(), String::new()] {
        let rules = again(&Pinned { commit: gone, ..pinned.clone() });
        let supply = rules.fetch(&plenty()).expect("readable");
        assert_eq!(told(&supply), [("AGENTS.md", "New.")]);
        assert!(supply.warnings[0].contains("is gone"), "{:?}", supply.warnings);
        assert_eq!(commit(&rules), Some(new.as_str()));
    }
}

#[test]
fn a_later_turn_is_told_once_that_head_has_moved_and_gets_no_entries() {
    let (folder, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old.")], &[]);
    let first = rules(folder.path());
    first.fetch(&plenty()).expect("readable");
    let pinned = first.given.get().expect("a commit was read").clone();
    let later = ProviderRequest { turn: 3, ..plenty() };
    let unmoved = rules(folder.path()).pinned(Some(pinned.clone()));
    assert!(unmoved.declaration().watches);
    assert_eq!(unmoved.fetch(&later).expect("it looks"), Supply::default());
    assert_eq!(unmoved.given.get(), None);
    written.commit(&[("AGENTS.md", "New.")], &[old]);
    let moved = rules(folder.path()).pinned(Some(pinned));
    let supply = moved.fetch(&later).expect("it looks");
    assert!(supply.entries.is_empty() && supply.warnings.len() == 1 && supply.warnings[0].starts_with("HEAD has moved to"), "{supply:?}");
    let told = rules(folder.path()).pinned(moved.given.get().cloned());
    assert!(!told.declaration().watches && !rules(folder.path()).declaration().watches);
    // What cannot be looked at is no matter any more.
    std::fs::write(folder.path().join(".git/HEAD"), "nonsense").expect("HEAD is written");
    let broken = rules(folder.path()).pinned(first.given.get().cloned());
    assert_eq!(broken.fetch(&later).expect("it looks"), Supply::default());
}

#[test]
fn what_does_not_fit_is_cut_after_a_line_and_the_rest_is_named() {
    let (folder, written) = project();
    let long: String = (0..500).map(|at| format!("Rule {at} says that something has to be done.\n")).collect();
    let commit = written.commit(&[("AGENTS.md", "Short."), ("CLAUDE.md", &long), ("a/AGENTS.md", "Small."), ("b/AGENTS.md", "Small, too.")], &[]).to_string();
    for budget in [100, 500, 2_000] {
        let supply = rules(folder.path()).fetch(&request(budget)).expect("readable");
        assert_eq!(paths(&supply), ["AGENTS.md", "CLAUDE.md"]);
        let shown = supply.entries[1].text.lines().count() - 1;
        assert!(
            supply.entries[1].text.ends_with(&format!("\n[cut: {shown} of 500 lines; the rest stands in CLAUDE.md at {commit}]")),
            "{}",
            supply.entries[1].text
        );
        assert!(long.starts_with(supply.entries[1].text.rsplit_once('\n').expect("lines").0));
        assert_eq!(
            supply.warnings,
            [format!("CLAUDE.md is cut: {shown} of 500 lines stand here"), "left out for want of room: a/AGENTS.md, b/AGENTS.md".to_owned()]
        );
        let taken: usize = supply.entries.iter().map(|entry| tokens(&entry.text)).sum();
        let a_line = tokens("Rule 100 says that something has to be done.\n");
        assert!(taken <= budget && taken + a_line >= budget, "{taken} of {budget}");
    }
    let whole = rules(folder.path()).fetch(&request(100_000)).expect("readable");
    assert_eq!((whole.entries.len(), whole.warnings.len()), (4, 0));
    let none = rules(folder.path()).fetch(&request(1)).expect("readable");
    assert_eq!(none.entries.len(), 0);
    assert_eq!(none.warnings, ["left out for want of room: AGENTS.md, CLAUDE.md, a/AGENTS.md, b/AGENTS.md"]);
}

#[test]
fn nothing_that_counts_less_fills_the_room_that_a_cut_leaves() {
    let (folder, written) = project();
    let line = format!("{}\n", "word ".repeat(90));
    written.commit(&[("AGENTS.md", &line.repeat(9)), ("a/AGENTS.md", "Small.")], &[]);
    let supply = rules(folder.path()).fetch(&request(380)).expect("readable");
    let taken: usize = supply.entries.iter().map(|entry| tokens(&entry.text)).sum();
    assert!(paths(&supply) == ["AGENTS.md"] && taken + 64 < 380, "{taken} of 380");
}

#[test]
fn without_time_the_higher_folders_are_found_and_the_reader_is_told() {
    let (folder, written) = project();
    let files: Vec<(String, &str)> = (0..200).map(|at| (format!("f{at:03}/AGENTS.md"), "Nested.")).chain([("AGENTS.md".to_owned(), "Top.")]).collect();
    written.commit(&files.iter().map(|(path, text)| (path.as_str(), *text)).collect::<Vec<_>>(), &[]);
    let repository = Repository::open(&discovery::find(folder.path()).expect("readable").expect("there is one")).expect("readable");
    let top = repository.folder_of(repository.head().expect("readable").expect("a commit")).expect("readable");
    let found = Walk { repository: &repository, top, stop: &|| true }.find(&[], &[]);
    assert_eq!((found.searched, found.ended, found.files.len()), (64, Some(Ended::Time), 64));
    assert_eq!(found.files[0].path, b"AGENTS.md");
    let mut warnings = Vec::new();
    tell(&found, &mut warnings);
    assert_eq!(warnings, ["the time was over after 64 folders; deeper ones were not searched for rules"]);
    // Nobody waits any more: nothing is read.
    let cancelled = plenty();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let supply = rules(folder.path()).fetch(&cancelled).expect("readable");
    assert_eq!(supply.entries.len(), 0);
}

#[test]
fn the_same_commit_gives_the_same_bytes() {
    let (folder, written) = project();
    written.commit(&["b/AGENTS.md", "a/AGENTS.md", "AGENTS.md"].map(|path| (path, path)), &[]);
    assert_eq!(ask(folder.path()), ask(folder.path()));
}
