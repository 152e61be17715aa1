//! What a file or a folder of a commit may be that is no rule, and what is said of it.

use gix_object::Kind;

use super::packs::stored;
use super::written::{FOLDER, LINK};
use super::*;
use crate::base::config::{RULE_FILE_BYTES, RULE_FILES, RULE_FOLDERS};

/// What becomes of one file of rules with these bytes.
fn of_bytes(bytes: &[u8]) -> Supply {
    let (folder, written) = project();
    written.set("refs/heads/main", written.commit_of(written.tree(&[(FILE, "AGENTS.md", written.file(bytes))]), &[]));
    ask(folder.path())
}

#[test]
fn what_is_no_text_is_left_out_and_told() {
    for (bytes, why) in [
        (b"caf\xe9".as_slice(), "AGENTS.md is not UTF-8"),
        (b"\xff\xfeA\0", "AGENTS.md is not UTF-8"),
        (b"a\0b", "AGENTS.md holds NUL characters and is no text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "AGENTS.md is a Git LFS pointer: its content is not in the repository"),
    ] {
        let supply = of_bytes(bytes);
        assert!(supply.entries.is_empty());
        assert_eq!(supply.warnings, [why]);
    }
    assert_eq!(told(&of_bytes(b"\xef\xbb\xbfRules.\r\n\r\nMore.\r\n")), [("AGENTS.md", "Rules.\n\nMore.")]);
    assert_eq!(of_bytes(b" \r\n\t"), Supply::default());
}

#[test]
fn a_file_that_is_too_large_is_left_out_and_one_of_the_limit_is_cut() {
    let most = usize::try_from(RULE_FILE_BYTES).expect("it fits");
    let line = "Never push to the main branch without asking.\n";
    let text = line.repeat(most / line.len() + 1);
    let supply = of_bytes(&text.as_bytes()[..most]);
    assert_eq!(paths(&supply), ["AGENTS.md"]);
    assert!(supply.warnings[0].starts_with("AGENTS.md is cut: "), "{:?}", supply.warnings);
    let supply = of_bytes(&text.as_bytes()[..most + 1]);
    assert_eq!(supply.warnings, [format!("AGENTS.md has {} bytes, and more than {RULE_FILE_BYTES} are not read", most + 1)]);
}

/// Writes bytes where a loose object of that name stands.
fn overwrite(written: &Written, id: gix_hash::ObjectId, bytes: &[u8]) {
    let name = id.to_string();
    let path = written.git_dir.join("objects").join(&name[..2]).join(&name[2..]);
    std::fs::remove_file(&path).expect("the object is there");
    std::fs::write(path, bytes).expect("another object stands there");
}

#[test]
fn a_loose_object_that_claims_to_be_large_is_not_unpacked() {
    let (folder, written) = project();
    let file = written.file("small");
    written.set("refs/heads/main", written.commit_of(written.tree(&[(FILE, "AGENTS.md", file)]), &[]));
    overwrite(&written, file, &stored(b"blob 1073741824\0and then nothing"));
    assert_eq!(ask(folder.path()).warnings, ["AGENTS.md has 1073741824 bytes, and more than 262144 are not read"]);
    overwrite(&written, file, &stored(b"blob 5\0and then more than five"));
    assert!(ask(folder.path()).warnings[0].starts_with("AGENTS.md cannot be read: "));
    overwrite(&written, file, b"no zlib");
    assert!(ask(folder.path()).warnings[0].starts_with("AGENTS.md cannot be read: "));
    overwrite(&written, file, &stored(b"tree 0\0"));
    assert_eq!(ask(folder.path()).warnings, ["AGENTS.md cannot be read: it is a tree and no file"]);
}

#[test]
fn what_a_partial_copy_lacks_is_told_and_the_rest_is_given() {
    let (folder, written) = project();
    let (text, lacking) = (written.file("Rules."), written.file("Lacking."));
    let below = written.tree(&[(FILE, "AGENTS.md", text)]);
    let tree = written.tree(&[(FILE, "AGENTS.md", text), (FILE, "CLAUDE.md", lacking), (FILE, "b/AGENTS.md", written.file("Other."))]);
    // The folder `a` is named, and not there.
    let missing = written.tree(&[(FILE, "x", lacking)]);
    let mut whole = vec![(FILE, b"AGENTS.md".as_slice(), text), (FILE, b"CLAUDE.md", lacking), (FOLDER, b"a", missing), (FOLDER, b"b", below)];
    let commit = written.commit_of(written.folder(&whole), &[]);
    written.set("refs/heads/main", commit);
    for id in [lacking, missing] {
        let name = id.to_string();
        std::fs::remove_file(written.git_dir.join("objects").join(&name[..2]).join(&name[2..])).expect("it goes");
    }
    std::fs::write(written.git_dir.join("shallow"), format!("{commit}\n")).expect("a border of history");
    let supply = ask(folder.path());
    assert_eq!(told(&supply), [("AGENTS.md", "Rules."), ("b/AGENTS.md", "The same as AGENTS.md.")]);
    assert_eq!(
        supply.warnings,
        ["the folder a could not be searched: it is not in this copy of the repository", "CLAUDE.md is not in this copy of the repository"]
    );
    // Without its topmost folder nothing can be given.
    whole.clear();
    let lost = written.commit_of(gix_hash::ObjectId::from_hex(b"1111111111111111111111111111111111111111").expect("a name"), &[tree]);
    written.set("refs/heads/main", lost);
    let supply = ask(folder.path());
    assert!(supply.entries.is_empty());
    assert_eq!(supply.warnings, ["the topmost folder could not be searched: it is not in this copy of the repository"]);
}

#[test]
fn a_corrupt_repository_is_a_fault_with_its_reason() {
    let (folder, written) = project();
    let commit = written.commit(&[("AGENTS.md", "Rules.")], &[]);
    overwrite(&written, commit, b"damaged");
    assert!(fault(&rules(folder.path())).contains("cannot be read"));
    overwrite(&written, commit, &stored(b"commit 4\0tree"));
    assert!(fault(&rules(folder.path())).starts_with(&format!("the commit {commit} cannot be read")));
    std::fs::write(written.git_dir.join("refs/heads/main"), "no name\n").expect("damage");
    assert!(fault(&rules(folder.path())).contains("the reference \"HEAD\" cannot be read"));
    std::fs::write(written.git_dir.join("refs/heads/main"), "ref: refs/heads/main\n").expect("a ring");
    assert!(fault(&rules(folder.path())).contains("leads through too many others"));
    let tree = written.tree(&[]);
    written.set("refs/heads/main", tree);
    assert_eq!(fault(&rules(folder.path())), format!("{tree} is a tree and no commit"));
}

#[test]
fn a_link_is_followed_once_and_only_inside_the_repository() {
    let (folder, written) = project();
    let link = |target: &str| written.file(target);
    let mut entries =
        vec![(FILE, "AGENTS.md", written.file("Top.")), (LINK, "CLAUDE.md", link("AGENTS.md")), (FILE, "docs/rules.md", written.file("Documented."))];
    for (path, target) in [
        ("a/AGENTS.md", "../docs/./rules.md"),
        ("b/AGENTS.md", "../../outside.md"),
        ("c/AGENTS.md", "/etc/passwd"),
        ("d/AGENTS.md", "../CLAUDE.md"),
        ("e/AGENTS.md", "../docs"),
        ("f/AGENTS.md", "AGENTS.md"),
        ("g/AGENTS.md", "none.md"),
        ("h/AGENTS.md", ""),
        ("i/AGENTS.md", "../.git/config"),
        ("j/AGENTS.md", "../lib/AGENTS.md"),
        ("k/AGENTS.md", "../loop/AGENTS.md"),
        ("l/AGENTS.md", ".."),
    ] {
        entries.push((LINK, path, link(target)));
    }
    let long = "x/".repeat(3_000);
    entries.push((LINK, "m/AGENTS.md", link(&long)));
    entries.push((SUBMODULE, "lib", written.commit_of(written.tree(&[]), &[])));
    // A folder that is a link to the folder around it: there is no way round.
    entries.push((LINK, "loop", link(".")));
    written.set("refs/heads/main", written.commit_of(written.tree(&entries), &[]));
    let supply = ask(folder.path());
    assert_eq!(told(&supply), [("AGENTS.md", "Top."), ("a/AGENTS.md", "Documented.")]);
    let leaves = |path: &str| format!("{path}/AGENTS.md is a link that leaves the repository");
    assert_eq!(
        supply.warnings,
        [
            leaves("b"),
            leaves("c"),
            "d/AGENTS.md is a link to another link".to_owned(),
            "e/AGENTS.md is a link to a folder".to_owned(),
            "f/AGENTS.md is a link to another link".to_owned(),
            "g/AGENTS.md is a link to what is not tracked".to_owned(),
            "h/AGENTS.md is a link to a folder".to_owned(),
            leaves("i"),
            "j/AGENTS.md is a link into a submodule".to_owned(),
            "k/AGENTS.md is a link to what is not tracked".to_owned(),
            leaves("l"),
            "m/AGENTS.md is a link to nothing that a path can name".to_owned(),
        ]
    );
}

#[test]
fn names_that_no_checkout_can_have_are_not_followed_and_odd_ones_are_shown_harmlessly() {
    let (folder, written) = project();
    let below = written.tree(&[(FILE, "AGENTS.md", written.file("Below."))]);
    let long = "n".repeat(300);
    let odd: Vec<&[u8]> = vec![b"..", b".", b".git", b".GIT", b"", b"a/b", long.as_bytes(), b"new\nline", b"not-\xff-utf8", b"\x1b[31mred"];
    let entries: Vec<(&str, &[u8], gix_hash::ObjectId)> = odd.iter().map(|name| (FOLDER, *name, below)).collect();
    written.set("refs/heads/main", written.commit_of(written.folder(&entries), &[]));
    let supply = ask(folder.path());
    assert_eq!(paths(&supply), ["new\u{fffd}line/AGENTS.md", "not-\u{fffd}-utf8/AGENTS.md", "\u{fffd}[31mred/AGENTS.md"]);
}

#[test]
fn a_damaged_folder_is_told_and_what_was_read_of_it_counts() {
    let (folder, written) = project();
    let text = written.file("Rules.");
    let bad = written.object(Kind::Tree, &[b"100644 AGENTS.md\0".as_slice(), text.as_slice(), b"nonsense without an end"].concat());
    written.set("refs/heads/main", written.commit_of(written.folder(&[(FOLDER, b"a", bad)]), &[]));
    let supply = ask(folder.path());
    assert_eq!(paths(&supply), ["a/AGENTS.md"]);
    assert!(supply.warnings[0].starts_with("the folder a could not be searched: "), "{:?}", supply.warnings);
}

#[test]
fn thousands_of_files_are_counted_and_not_read() {
    let (folder, written) = project();
    let pointer = written.file("version https://git-lfs.github.com/spec/v1\n");
    let one = written.tree(&[(FILE, "AGENTS.md", pointer)]);
    let names: Vec<String> = (0..10_000).map(|at| format!("f{at:05}")).collect();
    let entries: Vec<(&str, &[u8], gix_hash::ObjectId)> = names.iter().map(|name| (FOLDER, name.as_bytes(), one)).collect();
    written.set("refs/heads/main", written.commit_of(written.folder(&entries), &[]));
    let supply = ask(folder.path());
    assert!(supply.entries.is_empty());
    assert_eq!(supply.warnings.len(), RULE_FILES + 1);
    assert_eq!(
        supply.warnings[RULE_FILES],
        "left out for want of room: f00200/AGENTS.md, f00201/AGENTS.md, f00202/AGENTS.md, f00203/AGENTS.md, f00204/AGENTS.md and 9795 more"
    );
}

#[test]
fn a_tree_that_names_itself_a_thousandfold_ends_at_the_limit() {
    let (folder, written) = project();
    let mut tree = written.tree(&[(FILE, "AGENTS.md", written.file("Deep."))]);
    let names: Vec<String> = (0..40).map(|at| format!("f{at:02}")).collect();
    for _ in 0..5 {
        let entries: Vec<(&str, &[u8], gix_hash::ObjectId)> = names.iter().map(|name| (FOLDER, name.as_bytes(), tree)).collect();
        tree = written.folder(&entries);
    }
    let top = written.folder(&[(FILE, b"AGENTS.md", written.file("Top.")), (FOLDER, b"bomb", tree)]);
    written.set("refs/heads/main", written.commit_of(top, &[]));
    let supply = ask(folder.path());
    assert_eq!(told(&supply), [("AGENTS.md", "Top.")]);
    assert_eq!(supply.warnings, [format!("only the first {RULE_FOLDERS} folders were searched for rules")]);
    // And one that goes down and down.
    let mut tree = written.tree(&[(FILE, "AGENTS.md", written.file("Deep."))]);
    for _ in 0..150 {
        tree = written.folder(&[(FOLDER, b"down", tree)]);
    }
    written.set("refs/heads/main", written.commit_of(tree, &[]));
    assert_eq!(ask(folder.path()).warnings, ["1 folders lie too deep and were not searched for rules"]);
}
