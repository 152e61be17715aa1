use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::discovery::{DEPTH, FOLDERS, HEAD_BYTES, NAME_CHARS};
use super::*;
use crate::assemble::channels::Point;
use crate::assemble::provider::{ProviderCategory, Supply, TurnPolicy};
use crate::base::time::{Deadline, Timestamp};
use crate::base::tokens::{TokenCounter, tokens};

fn project() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("folders");
    fs::write(file, content).expect("a file");
}

/// A skill in the first of the habitual folders.
fn add(root: &Path, name: &str, description: &str) {
    write(root, &format!(".agents/skills/{name}/SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\nHow to {name}.\n"));
}

fn asking(prompt: &str, token_budget: usize) -> ProviderRequest {
    ProviderRequest {
        prompt: Arc::from(prompt),
        session: Arc::from("s"),
        turn: 0,
        mode: Arc::from("work"),
        action: None,
        point: Point::Prompt,
        token_budget,
        now: Timestamp::from_unix_ms(0),
        deadline: Deadline::NEVER,
        cancelled: Arc::new(AtomicBool::new(false)),
        counter: TokenCounter::default(),
    }
}

fn skills(root: &Path) -> Arc<Skills> {
    Skills::new(Some(root), &[], &[], Arc::default())
}

impl Skills {
    fn index(self: &Arc<Self>) -> SkillIndex {
        SkillIndex(Arc::clone(self))
    }

    fn selection(self: &Arc<Self>) -> SelectedSkills {
        SelectedSkills(Arc::clone(self))
    }
}

fn index(root: &Path) -> Supply {
    skills(root).index().fetch(&asking("", 2_000)).expect("an index")
}

fn lines(supply: &Supply) -> Vec<&str> {
    supply.entries.iter().map(|entry| entry.text.as_str()).collect()
}

/// What one file becomes: its line and its warnings.
fn one(content: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>) {
    let root = project();
    write(root.path(), ".claude/skills/folder/SKILL.md", content);
    let supply = index(root.path());
    (supply.entries.into_iter().map(|entry| entry.text).collect(), supply.warnings)
}

#[track_caller]
fn reads(content: impl AsRef<[u8]>, line: &str) {
    let (lines, warnings) = one(content);
    assert_eq!(lines, [format!("{line} (.claude/skills/folder/SKILL.md)")]);
    assert_eq!(warnings, [] as [String; 0]);
}

#[track_caller]
fn reads_with(content: impl AsRef<[u8]>, line: &str, warning: &str) {
    let (lines, warnings) = one(content);
    assert_eq!(lines, [format!("{line} (.claude/skills/folder/SKILL.md)")]);
    assert!(warnings.len() == 1 && warnings[0].contains(warning) && warnings[0].contains(".claude/skills/folder/SKILL.md"), "{warnings:?}");
}

fn select(root: &Path, prompt: &str, selected: &[&str], budget: usize) -> Supply {
    let selected: Vec<String> = selected.iter().map(|name| (*name).to_owned()).collect();
    Skills::new(Some(root), &[], &selected, Arc::default()).selection().fetch(&asking(prompt, budget)).expect("an answer")
}

// ---- front matter ---------------------------------------------------------------------------------------------------

#[test]
fn front_matter_is_read_as_yaml_in_every_form_that_yaml_has() {
    reads("---\nname: pdf\ndescription: Fills forms\n---\nbody", "pdf: Fills forms");
    reads("---\nname: \"pdf\"\ndescription: 'Use it: always, and don''t ask'\n---\n", "pdf: Use it: always, and don't ask");
    reads("---\n# a comment\nname: pdf # another\n\ndescription: >-\n  Fills\n  forms\n# last\n---\n", "pdf: Fills forms");
    reads("---\nname: pdf\ndescription: |\n  Fills: forms\n\n  - one by one\n---\n", "pdf: Fills: forms - one by one");
    reads("---\nname: pdf\ndescription: Fills\n  forms\nmetadata:\n  name: other\n  description: other\ntags: [name, {name: x}]\n---\n", "pdf: Fills forms");
    reads("---\n{name: pdf, description: \"a\\u00e9\\nb\"}\n---\n", "pdf: aé b");
    reads("---\nx: &d Fills forms\ny: &list [a]\nname: pdf\ndescription: *d\n---\n", "pdf: Fills forms");
    reads("---\nname: 007\ndescription: true\n---\n", "007: true");
    reads("---\n? [a, b]\n: name\nname: pdf\ndescription: x\n---\n", "pdf: x");
    reads("---\nname: 漢字\ndescription: フォーム\n---\n", "漢字: フォーム");
}

#[test]
fn byte_order_mark_line_breaks_of_every_system_and_trailing_space_do_not_matter() {
    reads("\u{feff}---\r\nname: pdf\r\ndescription: Fills forms\r\n---\r\nbody\r\n", "pdf: Fills forms");
    reads("---\rname: pdf\rdescription: Fills forms\r---\rbody", "pdf: Fills forms");
    reads("--- \t\nname: pdf\ndescription: Fills forms\n---  \nbody", "pdf: Fills forms");
    reads("---\nname: pdf\ndescription: Fills forms\n...\nbody", "pdf: Fills forms");
}

#[test]
fn what_is_no_yaml_is_read_line_by_line_and_told() {
    reads_with("---\nname: pdf\ndescription: Use it: always\n---\n", "pdf: Use it: always", "not YAML, read line by line");
    reads_with("---\nname: pdf # short\ndescription: \"a\" or: \"b\" # c\n---\n", "pdf: \"a\" or: \"b\"", "not YAML");
    reads_with("---\nbad: a: b\nname: \"pdf\"\ndescription: >\n  Fills\n\n  forms\nlicense: x\n---\n", "pdf: Fills forms", "(line 2: ");
    reads_with("---\nname: pdf\ndescription: [a\n---\n", "pdf: [a", "not YAML");
    reads_with("---\r\nbad: *nowhere\r\nname: pdf\r\ndescription: x\r\n---\r\n", "pdf: x", "not YAML");
}

#[test]
fn whatever_a_file_lacks_is_told_and_the_skill_is_there() {
    reads_with("", "folder", "no front matter");
    reads_with("# How\nname: pdf\n---\n", "folder", "no front matter");
    reads_with("\n---\nname: pdf\n---\n", "folder", "no front matter");
    reads_with("---\ndescription: x\n---\n", "folder: x", "no name in the front matter");
    reads_with("---\nname:\ndescription: x\n---\n", "folder: x", "no name in the front matter");
    reads_with("---\nname: ~\ndescription: x\n---\n", "folder: x", "no name in the front matter");
    reads_with("---\nname: [a, b]\ndescription: x\n---\n", "folder: x", "no name in the front matter");
    reads_with("---\nname: pdf\n---\n", "pdf", "no description");
    reads_with("---\nname: pdf\ndescription: {a: b}\n---\n", "pdf", "no description");
    reads_with("---\nname: pdf\ndescription: x\nname: other\n---\n", "pdf: x", "a field that stands twice");
    reads_with("---\nname: pdf\ndescription: x\n\nThe body.\nname: other\n", "pdf: x", "does not end");
    reads_with(b"---\nname: pdf\ndescription: caf\xe9\n---\n", "pdf: caf\u{fffd}", "not UTF-8");
    for nothing in ["---\n---\nbody", "---\n\n# only a comment\n---\n", "---\nnull\n---\n"] {
        let (lines, warnings) = one(nothing);
        assert_eq!(lines, ["folder (.claude/skills/folder/SKILL.md)"]);
        assert!(warnings.len() == 2 && warnings[0].contains("no name") && warnings[1].contains("no description"), "{warnings:?}");
    }
    for other in ["---\n- name: pdf\n---\n", "---\njust words\n---\n"] {
        let (lines, warnings) = one(other);
        assert_eq!(lines, ["folder (.claude/skills/folder/SKILL.md)"]);
        assert!(warnings.len() == 3 && warnings[0].contains("not YAML"), "{warnings:?}");
    }
}

#[test]
fn a_head_that_is_made_to_be_expensive_is_only_a_warning() {
    let bomb = (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |bomb, at| format!("{bomb}a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", ")));
    reads_with(format!("---\n{bomb}name: pdf\ndescription: *a29\n---\n"), "pdf", "no description");
    reads_with(format!("---\nx: {}\nname: pdf\ndescription: y\n---\n", "[".repeat(4_000)), "pdf: y", "not YAML");
    reads(format!("---\nname: pdf\ndescription: y\nx: {}z{}\n---\n", "{a: [".repeat(100), "]}".repeat(100)), "pdf: y");
    let endless = format!("---\nname: pdf\ndescription: y\nx: {}\n---\n", "z".repeat(HEAD_BYTES as usize));
    reads_with(endless, "pdf: y", "does not end");
    // The limit falls into the middle of a character.
    for shift in 0..3 {
        reads(format!("---\nname: pdf\ndescription: y\n---\n{}{}", "x".repeat(shift), "字".repeat(HEAD_BYTES as usize)), "pdf: y");
    }
}

#[test]
fn a_name_and_a_description_are_one_line_and_bounded() {
    let (lines, warnings) = one(format!("---\nname: \"{}\"\ndescription: \"{}\"\n---\n", "n".repeat(100), "a\\n\\t b\u{2028} ".repeat(4_000 / 8)));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with(&format!("{}: a b a b", "n".repeat(NAME_CHARS))), "{}", lines[0]);
    assert!(lines[0].lines().count() == 1 && lines[0].chars().count() < 520 && !lines[0].contains(['\t', '\u{2028}']), "{}", lines[0]);
    assert!(warnings.len() == 2 && warnings[0].contains("too long") && warnings[1].contains("1 descriptions are cut at 400"), "{warnings:?}");
}

// ---- folders --------------------------------------------------------------------------------------------------------

#[test]
fn skills_of_both_habitual_folders_stand_in_the_order_of_their_names() {
    let root = project();
    assert_eq!(index(root.path()), Supply::default(), "a project without skills has no noise");
    write(root.path(), ".claude/skills/b/SKILL.md", "---\nname: alpha\ndescription: first\n---\n");
    write(root.path(), ".agents/skills/a/SKILL.md", "---\nname: beta\ndescription: second\n---\n");
    write(root.path(), ".agents/skills/group/deep/er/SKILL.md", "---\nname: Gamma\ndescription: third\n---\n");
    write(root.path(), ".agents/skills/README.md", "no skill");
    write(root.path(), "skills/SKILL.md", "elsewhere");
    let supply = index(root.path());
    assert_eq!(
        lines(&supply),
        ["Gamma: third (.agents/skills/group/deep/er/SKILL.md)", "alpha: first (.claude/skills/b/SKILL.md)", "beta: second (.agents/skills/a/SKILL.md)"]
    );
    assert_eq!(supply.warnings, [] as [String; 0]);
}

#[test]
fn folders_that_the_host_names_take_the_place_of_the_habitual_ones_and_have_to_be_there() {
    let root = project();
    add(root.path(), "habit", "x");
    write(root.path(), "tools/skills/own/SKILL.md", "---\nname: own\ndescription: x\n---\n");
    write(root.path(), "plain", "a file");
    let named: Vec<String> = ["./tools//skills/", "nowhere", "plain", "..", "/etc", "a\0b"].map(str::to_owned).to_vec();
    let supply = Skills::new(Some(root.path()), &named, &[], Arc::default()).index().fetch(&asking("", 2_000)).expect("an index");
    assert_eq!(lines(&supply), ["own: x (tools/skills/own/SKILL.md)"]);
    let warnings = supply.warnings.join("\n");
    assert!(warnings.contains("no such folder: nowhere, plain") && warnings.contains("not followed: .., /etc"), "{warnings}");
    assert!(warnings.contains("cannot be read: a"), "{warnings}");
    let absolute = vec![root.path().join("tools").display().to_string(), "tools/../tools".to_owned(), String::new()];
    let supply = Skills::new(Some(root.path()), &absolute, &[], Arc::default()).index().fetch(&asking("", 2_000)).expect("an index");
    assert_eq!(lines(&supply), ["habit: x (.agents/skills/habit/SKILL.md)", "own: x (tools/skills/own/SKILL.md)"], "{:?}", supply.warnings);
}

#[test]
fn a_root_that_is_no_folder_is_a_fault() {
    let root = project();
    write(root.path(), "file", "");
    for wrong in ["file", "nowhere"] {
        let fault = skills(&root.path().join(wrong)).index().fetch(&asking("", 2_000)).expect_err("no root");
        assert!(fault.message.contains(wrong), "{}", fault.message);
    }
}

#[test]
fn of_skills_with_one_name_the_first_folder_has_it_and_the_others_are_told() {
    let root = project();
    for (path, name) in [("claude/skills/a", "Same Name"), ("agents/skills/z", "same-name"), ("agents/skills/y/deep", "SAME_NAME")] {
        write(root.path(), &format!(".{path}/SKILL.md"), format!("---\nname: {name}\ndescription: x\n---\n"));
    }
    let supply = index(root.path());
    assert_eq!(lines(&supply), ["SAME_NAME: x (.agents/skills/y/deep/SKILL.md)"]);
    let expected = "the name of an earlier skill, not shown: \
        .agents/skills/z/SKILL.md (same-name is .agents/skills/y/deep/SKILL.md), .claude/skills/a/SKILL.md (Same Name is .agents/skills/y/deep/SKILL.md)";
    assert_eq!(supply.warnings, [expected]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_project_and_nowhere_else() {
    let (root, outside) = (project(), project());
    add(root.path(), "one", "x");
    write(outside.path(), "away/SKILL.md", "---\nname: away\ndescription: secret\n---\n");
    let at = |path: &str| root.path().join(path);
    fs::create_dir_all(at(".claude")).expect("a folder");
    // The same skills once more, a circle, the whole project, a file of an indexed skill.
    symlink("../.agents/skills", at(".claude/skills")).expect("a link");
    symlink("..", at(".agents/skills/one/up")).expect("a link");
    symlink(root.path(), at(".agents/skills/all")).expect("a link");
    fs::create_dir(at(".agents/skills/again")).expect("a folder");
    symlink("../one/SKILL.md", at(".agents/skills/again/SKILL.md")).expect("a link");
    let same = index(root.path());
    assert_eq!(lines(&same), ["one: x (.agents/skills/again/SKILL.md)"], "a file is one skill however often it is come upon");
    assert_eq!(same.warnings, [] as [String; 0]);

    symlink(outside.path().join("away"), at(".agents/skills/away")).expect("a link");
    fs::create_dir(at(".agents/skills/file")).expect("a folder");
    symlink(outside.path().join("away/SKILL.md"), at(".agents/skills/file/SKILL.md")).expect("a link");
    symlink("loop", at(".agents/skills/loop")).expect("a link");
    symlink("nowhere", at(".agents/skills/lost")).expect("a link");
    let supply = index(root.path());
    assert_eq!(lines(&supply), ["one: x (.agents/skills/again/SKILL.md)"]);
    let warnings = supply.warnings.join("\n");
    assert!(warnings.contains("not followed: .agents/skills/away, .agents/skills/file/SKILL.md"), "{warnings}");
    assert!(warnings.contains("leads nowhere: .agents/skills/loop, .agents/skills/lost"), "{warnings}");

    fs::remove_file(at(".claude/skills")).expect("the link");
    symlink(outside.path(), at(".claude/skills")).expect("a link");
    assert!(index(root.path()).warnings[0].contains("not followed: .claude/skills"), "a habitual folder that leads out is told");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_told_and_never_waited_for() {
    let root = project();
    add(root.path(), "good", "x");
    fs::create_dir_all(root.path().join(".agents/skills/folder/SKILL.md/inner")).expect("a folder");
    fs::create_dir_all(root.path().join(".agents/skills/pipe")).expect("a folder");
    let pipe = root.path().join(".agents/skills/pipe/SKILL.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    fs::create_dir_all(root.path().join(".agents/skills/linked")).expect("a folder");
    symlink(&pipe, root.path().join(".agents/skills/linked/SKILL.md")).expect("a link");
    let supply = index(root.path());
    assert_eq!(lines(&supply), ["good: x (.agents/skills/good/SKILL.md)"]);
    let expected = "no regular file: .agents/skills/folder/SKILL.md, .agents/skills/linked/SKILL.md, .agents/skills/pipe/SKILL.md";
    assert_eq!(supply.warnings, [expected]);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_told() {
    let root = project();
    add(root.path(), "good", "x");
    add(root.path(), "closed", "x");
    add(root.path(), "shut", "x");
    let (file, folder) = (root.path().join(".agents/skills/closed/SKILL.md"), root.path().join(".agents/skills/shut"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("rights");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).expect("rights");
    // Whoever may read everything sees three skills; anybody else sees one and two warnings.
    let everything = fs::File::open(&file).is_ok();
    let supply = index(root.path());
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("rights");
    if everything {
        assert_eq!(lines(&supply).len(), 3);
    } else {
        assert_eq!(lines(&supply), ["good: x (.agents/skills/good/SKILL.md)"]);
        assert!(supply.warnings[0].contains("cannot be read: .agents/skills/shut") && supply.warnings[0].contains(".agents/skills/closed/SKILL.md"));
    }
}

#[test]
fn a_file_that_is_gone_before_it_is_read_is_told() {
    let root = project();
    add(root.path(), "gone", "x");
    let skills = skills(root.path());
    assert_eq!(skills.index().fetch(&asking("", 2_000)).expect("an index").entries.len(), 1);
    fs::remove_file(root.path().join(".agents/skills/gone/SKILL.md")).expect("the file");
    let supply = skills.selection().fetch(&asking("take $gone", 2_000)).expect("an answer");
    assert!(supply.entries.is_empty() && supply.warnings[0].contains("$gone cannot be read"), "{supply:?}");
}

#[test]
fn a_search_has_bounds_and_says_where_it_stopped() {
    let root = project();
    add(root.path(), "upper", "x");
    let deep = "d/".repeat(DEPTH + 2);
    write(root.path(), &format!(".agents/skills/{deep}SKILL.md"), "---\nname: deep\ndescription: x\n---\n");
    for other in ["node_modules/a", ".git/b"] {
        write(root.path(), &format!(".agents/skills/upper/{other}/SKILL.md"), "---\nname: other\ndescription: x\n---\n");
    }
    for at in 0..FOLDERS {
        fs::create_dir_all(root.path().join(format!(".agents/skills/many/{at:05}"))).expect("a folder");
    }
    write(root.path(), ".agents/skills/many/00007/SKILL.md", "---\nname: seventh\ndescription: x\n---\n");
    write(root.path(), ".agents/skills/many/04095/SKILL.md", "---\nname: late\ndescription: x\n---\n");
    let supply = index(root.path());
    assert_eq!(lines(&supply), ["seventh: x (.agents/skills/many/00007/SKILL.md)", "upper: x (.agents/skills/upper/SKILL.md)"]);
    let warnings = supply.warnings.join("\n");
    assert!(warnings.contains("too many folders, the rest is not searched: .agents/skills/many/0"), "{warnings}");
    fs::remove_dir_all(root.path().join(".agents/skills/many")).expect("the folders");
    let warnings = index(root.path()).warnings;
    assert!(warnings.len() == 1 && warnings[0].contains(&format!("too deep, not searched: .agents/skills/{}", "d/".repeat(DEPTH))), "{warnings:?}");
}

#[test]
fn warnings_of_a_kind_are_one_line_with_the_first_places_and_a_count() {
    let root = project();
    for at in 0..30 {
        write(root.path(), &format!(".agents/skills/s{at:02}/SKILL.md"), "---\nname: a\nb: c: d\n---\n");
    }
    let warnings = index(root.path()).warnings;
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    let named = warnings[0].matches("SKILL.md (line 3: ").count();
    assert!(named > 1 && warnings[0].ends_with(&format!(" and {} more", 30 - named)), "{}", warnings[0]);
    assert!(warnings.iter().all(|warning| warning.len() <= 300), "{warnings:?}");
}

#[test]
fn a_search_that_nobody_waits_for_ends() {
    let root = project();
    add(root.path(), "one", "x");
    let request = asking("", 2_000);
    request.cancelled.store(true, Ordering::Relaxed);
    assert!(skills(root.path()).index().fetch(&request).expect_err("cancelled").message.contains("cancelled"));
}

// ---- index ----------------------------------------------------------------------------------------------------------

#[test]
fn the_index_is_declared_as_skills_of_the_first_turn_and_the_selection_as_skills_of_all() {
    let root = project();
    let (index, selection) = (skills(root.path()).index().declaration(), skills(root.path()).selection().declaration());
    assert_eq!((index.name.as_str(), index.category, index.turns), ("skills", ProviderCategory::Skills, TurnPolicy::First));
    assert_eq!((selection.name.as_str(), selection.category, selection.turns), ("selected-skills", ProviderCategory::Skills, TurnPolicy::All));
    assert!(index.position < selection.position);
}

#[test]
fn descriptions_shrink_until_every_skill_has_its_line() {
    let root = project();
    let long = "words that say when this is to be used and when it is not ".repeat(8);
    for at in 0..40 {
        add(root.path(), &format!("skill-{at:02}"), &long);
    }
    let cost = |supply: &Supply| lines(supply).iter().map(|line| tokens(line)).sum::<usize>();
    let mut before = usize::MAX;
    for budget in [8_000, 2_000, 1_600] {
        let supply = skills(root.path()).index().fetch(&asking("", budget)).expect("an index");
        assert_eq!(supply.entries.len(), 40);
        assert!(cost(&supply) <= budget && cost(&supply) * 3 > budget && cost(&supply) < before, "{} of {budget}", cost(&supply));
        before = cost(&supply);
        assert!(supply.warnings.len() == 1 && supply.warnings[0].contains("40 descriptions are cut at"), "{:?}", supply.warnings);
        assert!(lines(&supply).iter().all(|line| line.contains("… (") && line.lines().count() == 1));
    }
    let bare = skills(root.path()).index().fetch(&asking("", 10)).expect("an index");
    assert_eq!(lines(&bare)[0], "skill-00 (.agents/skills/skill-00/SKILL.md)", "what does not fit is dropped by the budget, which counts it");
    assert_eq!(bare.warnings, ["40 descriptions are left out, they stand in the files"]);
}

// ---- selection ------------------------------------------------------------------------------------------------------

#[test]
fn a_prompt_selects_by_dollar_and_name_and_the_host_by_name() {
    let root = project();
    for name in ["pdf-forms", "api", "zip", "2fa"] {
        add(root.path(), name, "x");
    }
    write(root.path(), ".agents/skills/spaced/SKILL.md", "---\nname: API Design\ndescription: x\n---\n\n\nSpaced.\n\n");
    let chosen = |prompt: &str, selected: &[&str]| {
        let supply = select(root.path(), prompt, selected, 2_000);
        assert_eq!(supply.warnings, [] as [String; 0], "{prompt}");
        lines(&supply).iter().map(|text| text.lines().next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(chosen("fill it with $pdf-forms, then ($zip).", &[]), ["skill pdf-forms", "skill zip"]);
    assert_eq!(chosen("$zip $zip\n$api-design: `$2fa` $pdf_forms-", &[]), ["skill 2fa", "skill API Design", "skill pdf-forms", "skill zip"]);
    assert_eq!(chosen("nothing", &["zip", "API Design", "zip", " Pdf Forms "]), ["skill API Design", "skill pdf-forms", "skill zip"]);
    assert_eq!(chosen("pdf-forms $ pdf-forms ${zip} \\$zip a$zip $$zip $Zip $ZIP $5 $(zip) $-zip", &[]), [] as [String; 0]);
    let whole = select(root.path(), "$api-design", &[], 2_000).entries;
    assert_eq!(whole[0].text, "skill API Design\nSpaced.");
    assert_eq!(whole[0].source.as_ref().map(|source| source.uri.as_str()), Some(".agents/skills/spaced/SKILL.md"));
}

#[test]
fn a_selection_that_is_missing_is_told_where_it_can_be_nothing_else() {
    let root = project();
    let missing = |prompt: &str, selected: &[&str]| select(root.path(), prompt, selected, 2_000).warnings;
    let told = |names: &str| vec![format!("selected and not found: {names}")];
    assert_eq!(missing("use $nope", &[]), [] as [String; 0], "a project without skills has no noise");
    assert_eq!(missing("", &["nope"]), told("$nope"), "what the host asks for is always answered");
    add(root.path(), "zip", "x");
    assert_eq!(missing("use $nope, and \"$more-of-it\".", &["Gone"]), told("$Gone, $more-of-it, $nope"));
    let code = "$HOME $PATH $1 $i $fooBar ${name} $(ls) cd $dir/x, `$path`, $x = 3, $user->name $list[0] $a_b echo $out > f a=$b\n```\nrun $this now\n```\n";
    assert_eq!(missing(code, &[]), [] as [String; 0]);
    assert_eq!(missing(&format!("{code}and $this"), &[]), told("$this"), "the same name may stand in code and out of it");
}

#[test]
fn a_turn_that_selects_nothing_touches_no_file() {
    let root = project();
    let gone = skills(&root.path().join("nowhere"));
    assert_eq!(gone.selection().fetch(&asking("costs $5 at $HOME", 2_000)).expect("nothing is looked for"), Supply::default());
    gone.selection().fetch(&asking("use $zip", 2_000)).expect_err("now it is");
}

#[test]
fn a_text_that_is_too_long_is_cut_and_told_and_leaves_the_others_room() {
    let root = project();
    let long = (0..2_000).fold(String::new(), |text, at| format!("{text}Step {at} of the way to do it.\n"));
    write(root.path(), ".agents/skills/a/SKILL.md", format!("---\nname: long\ndescription: x\n---\n{long}"));
    write(root.path(), ".agents/skills/b/SKILL.md", format!("---\nname: more\ndescription: x\n---\n{}", "word ".repeat(90_000)));
    add(root.path(), "short", "x");
    let supply = select(root.path(), "$long $more $short", &[], 1_000);
    let texts = lines(&supply);
    assert_eq!(texts.len(), 3);
    assert!(texts[0].ends_with("of the way to do it."), "cut at the end of a line: {}", texts[0]);
    assert!(texts[0].len() > 500 && texts[1].len() > 500 && texts[2].contains("How to short."));
    assert!(texts.iter().map(|text| tokens(text)).sum::<usize>() <= 1_000);
    assert_eq!(supply.warnings.len(), 2, "{:?}", supply.warnings);
    assert!(supply.warnings[0].contains("$long is cut") && supply.warnings[0].ends_with("read the rest in .agents/skills/a/SKILL.md"));
    assert!(supply.warnings[1].contains("$more is cut") && supply.warnings[1].contains("and the file goes on"), "{}", supply.warnings[1]);
}

#[test]
fn a_selected_file_that_is_empty_or_no_text_is_told() {
    let root = project();
    write(root.path(), ".agents/skills/empty/SKILL.md", "---\nname: empty\ndescription: x\n---\n \n");
    write(root.path(), ".agents/skills/latin/SKILL.md", b"---\nname: latin\ndescription: x\n---\ncaf\xe9");
    assert_eq!(index(root.path()).warnings, [] as [String; 0], "the index only reads heads");
    let supply = select(root.path(), "$empty $latin", &[], 2_000);
    assert_eq!(lines(&supply), ["skill latin\ncaf\u{fffd}"]);
    assert!(supply.warnings[0].contains("$empty says nothing") && supply.warnings[1].contains("$latin is not UTF-8"), "{:?}", supply.warnings);
}

#[test]
fn many_selections_are_bounded_and_told() {
    let root = project();
    let names: Vec<String> = (0..40).map(|at| format!("skill-{at:02}")).collect();
    for name in &names {
        add(root.path(), name, "x");
    }
    let prompt = names.iter().fold(String::new(), |prompt, name| format!("{prompt}${name} "));
    let supply = select(root.path(), &prompt, &[], 8_000);
    assert_eq!(supply.entries.len(), 32);
    assert_eq!(supply.warnings, ["the prompt selects more than 32, the rest is left out"]);
    let given: Vec<&str> = names.iter().map(String::as_str).collect();
    let supply = select(root.path(), "", &given, 8_000);
    assert_eq!((supply.entries.len(), supply.warnings.len()), (32, 1));
    // Many dollars on one line, none of them a skill: told within bounds, and in no more than a look at each character.
    let many = (0..50_000).fold(String::new(), |prompt, at| format!("{prompt}$no-{at} `"));
    let warnings = select(root.path(), &many, &[], 8_000).warnings;
    assert!(warnings.len() == 1 && warnings[0].len() < 2_000, "{}", warnings[0].len());
}

#[test]
fn the_same_files_give_the_same_answer_to_both_providers_and_on_every_run() {
    let root = project();
    for at in [3, 1, 2] {
        add(root.path(), &format!("s{at}"), "x");
    }
    let shared = skills(root.path());
    let request = asking("$s2", 2_000);
    let first = (shared.index().fetch(&request).expect("an index"), shared.selection().fetch(&request).expect("a text"));
    add(root.path(), "s0", "made in between");
    assert_eq!(shared.index().fetch(&request).expect("an index"), first.0, "one assembly has one view of the files");
    let again = skills(root.path());
    assert_eq!(again.selection().fetch(&request).expect("a text"), first.1);
    assert_eq!(lines(&again.index().fetch(&request).expect("an index"))[0], "s0: made in between (.agents/skills/s0/SKILL.md)");
}
