//! Where a repository may be, and what is none.

use super::*;

#[test]
fn no_repository_and_no_commit_are_empty_and_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(ask(folder.path()), Supply::default());
    let (folder, _) = project();
    let rules = rules(folder.path());
    assert_eq!(rules.fetch(&plenty()).expect("before the first commit"), Supply::default());
    assert_eq!(commit(&rules), None);
}

#[test]
fn a_folder_that_is_not_there_is_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(fault(&rules(&folder.path().join("none"))).contains("the project folder cannot be read"));
}

#[cfg(unix)]
#[test]
fn what_somebody_else_left_in_a_folder_of_many_is_no_repository_of_theirs() {
    use std::os::unix::fs::{MetadataExt, chown};
    let (many, written) = project();
    written.commit(&[("AGENTS.md", "Obey."), ("mine/AGENTS.md", "Obey.")], &[]);
    let mine = many.path().join("mine");
    std::fs::create_dir(&mine).expect("a folder");
    assert_eq!(paths(&ask(&mine)), ["AGENTS.md", "mine/AGENTS.md"]);
    let other = std::fs::metadata(&mine).expect("it is there").uid() + 7;
    // Only the administrator can give a file away.
    if chown(&written.git_dir, Some(other), None).is_ok() {
        assert!(fault(&rules(&mine)).contains("belongs to somebody"));
        chown(&mine, Some(other), None).expect("a gift");
        assert_eq!(paths(&ask(&mine)), ["AGENTS.md", "mine/AGENTS.md"], "it is of the one whose project it is");
        chown(&mine, Some(0), None).expect("taken back");
        chown(many.path(), Some(other), None).expect("a gift");
        assert_eq!(paths(&ask(&mine)), ["AGENTS.md", "mine/AGENTS.md"], "it is of the one whose folder it is in");
    }
}

#[test]
fn a_bare_repository_is_read_whatever_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["project.git", "bare", ".git"] {
        let written = Written::new(&folder.path().join(name));
        written.commit(&[("AGENTS.md", "Bare."), ("refs/AGENTS.md", "Nested.")], &[]);
        assert_eq!(paths(&ask(&written.git_dir)), ["AGENTS.md", "refs/AGENTS.md"], "{name}");
        assert_eq!(paths(&ask(&written.git_dir.join("refs"))), ["AGENTS.md", "refs/AGENTS.md"], "{name}");
    }
}

#[test]
fn a_linked_worktree_has_a_head_of_its_own_and_shares_the_rest() {
    let (folder, written) = project();
    let old = written.commit(&[("AGENTS.md", "Old."), ("sub/AGENTS.md", "Nested.")], &[]);
    written.commit(&[("AGENTS.md", "New.")], &[old]);
    written.set("refs/heads/side", old);
    let private = written.git_dir.join("worktrees/side");
    std::fs::create_dir_all(&private).expect("its folder");
    std::fs::write(private.join("HEAD"), "ref: refs/heads/side\n").expect("its HEAD");
    std::fs::write(private.join("commondir"), "../..\n").expect("its way back");
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::write(elsewhere.path().join(".git"), format!("gitdir: {}\n", private.display())).expect("a link");
    std::fs::create_dir(elsewhere.path().join("sub")).expect("a folder");
    assert_eq!(told(&ask(elsewhere.path())), [("AGENTS.md", "Old."), ("sub/AGENTS.md", "Nested.")]);
    assert_eq!(told(&ask(&elsewhere.path().join("sub"))), [("AGENTS.md", "Old."), ("sub/AGENTS.md", "Nested.")]);
    // Detached.
    std::fs::write(private.join("HEAD"), format!("{old}\n")).expect("its HEAD");
    assert_eq!(told(&ask(elsewhere.path()))[0], ("AGENTS.md", "Old."));
    assert_eq!(told(&ask(folder.path())), [("AGENTS.md", "New.")]);
}

#[test]
fn a_submodule_has_its_own_rules_and_not_those_around_it() {
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Around.")], &[]);
    let inner = Written::new(&folder.path().join(".git/modules/lib"));
    inner.commit(&[("AGENTS.md", "Inside.")], &[]);
    std::fs::create_dir_all(folder.path().join("lib/src")).expect("folders");
    std::fs::write(folder.path().join("lib/.git"), "gitdir: ../.git/modules/lib").expect("a link");
    assert_eq!(told(&ask(&folder.path().join("lib/src"))), [("AGENTS.md", "Inside.")]);
}

#[test]
fn names_are_found_where_git_packs_them() {
    let (folder, written) = project();
    let old = written.commit(&[("AGENTS.md", "Packed.")], &[]);
    std::fs::remove_file(written.git_dir.join("refs/heads/main")).expect("the loose name goes");
    let packed = format!("# pack-refs with: peeled fully-peeled sorted \n{old} refs/heads/main\n{old} refs/remotes/origin/dev\n");
    std::fs::write(written.git_dir.join("packed-refs"), packed).expect("packed names");
    assert_eq!(told(&ask(folder.path())), [("AGENTS.md", "Packed.")]);
    let base = RepositoryRules::new(folder.path().to_path_buf(), Some("origin/dev".to_owned()), Vec::new());
    assert_eq!(told(&base.fetch(&plenty()).expect("readable")), [("AGENTS.md", "Packed.")]);
}

#[test]
fn objects_of_alternates_count_and_a_ring_of_them_is_told() {
    let (folder, written) = project();
    let other = tempfile::tempdir().expect("a folder");
    let lender = Written::new(&other.path().join(".git"));
    let commit = lender.commit(&[("AGENTS.md", "Lent.")], &[]);
    written.set("refs/heads/main", commit);
    std::fs::create_dir_all(written.git_dir.join("objects/info")).expect("a folder");
    std::fs::write(written.git_dir.join("objects/info/alternates"), format!("{}\n", lender.git_dir.join("objects").display())).expect("alternates");
    assert_eq!(told(&ask(folder.path())), [("AGENTS.md", "Lent.")]);
    std::fs::create_dir_all(lender.git_dir.join("objects/info")).expect("a folder");
    std::fs::write(lender.git_dir.join("objects/info/alternates"), format!("{}\n", written.git_dir.join("objects").display())).expect("alternates");
    assert!(fault(&rules(folder.path())).contains("ycle"));
}

#[test]
fn a_repository_of_another_form_says_so() {
    for (config, why) in [
        ("[core]\nrepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n", "names its objects by sha256"),
        ("[extensions]\n\trefstorage = \"reftable\" # new\n", "keeps its branches as reftable"),
        ("[core]\n\tRepositoryFormatVersion = 7\n", "is of format \"7\""),
    ] {
        let (folder, written) = project();
        written.commit(&[("AGENTS.md", "Rules.")], &[]);
        std::fs::write(written.git_dir.join("config"), config).expect("a form");
        let told = fault(&rules(folder.path()));
        assert!(told.contains(why), "{told}");
    }
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Rules.")], &[]);
    let harmless = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha1\npartialClone = origin\n[include]\npath = /dev/zero\n[other \"objectformat\"]\nobjectformat=x\n";
    std::fs::write(written.git_dir.join("config"), harmless).expect("a form");
    assert_eq!(paths(&ask(folder.path())), ["AGENTS.md"]);
}

#[test]
fn a_dot_git_that_leads_nowhere_is_a_fault_and_not_the_repository_above() {
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Above.")], &[]);
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).expect("a folder");
    for (text, why) in [
        ("gitdir: /nowhere\n", "a folder that is no repository"),
        ("gitdir: .\n", "a folder that is no repository"),
        ("nonsense", "names no repository"),
        ("", "names no repository"),
    ] {
        std::fs::write(inside.join(".git"), text).expect("a link");
        let told = fault(&rules(&inside));
        assert!(told.contains(why), "{told}");
    }
    // An empty folder of that name is nothing, as for git.
    std::fs::remove_file(inside.join(".git")).expect("the link goes");
    std::fs::create_dir(inside.join(".git")).expect("a folder");
    assert_eq!(paths(&ask(&inside)), ["AGENTS.md"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_never_opened() {
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("a pipe is made");
        assert!(made.success());
    };
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Above.")], &[]);
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).expect("a folder");
    pipe(&inside.join(".git"));
    assert_eq!(fault(&rules(&inside)), "`.git` is neither a folder nor a small file");
    // A repository whose HEAD is a pipe is none.
    let other = tempfile::tempdir().expect("a folder");
    let broken = Written::new(&other.path().join(".git"));
    std::fs::remove_file(broken.git_dir.join("HEAD")).expect("HEAD goes");
    pipe(&broken.git_dir.join("HEAD"));
    assert_eq!(ask(other.path()), Supply::default());
    // So are a name and an object.
    std::fs::remove_file(written.git_dir.join("refs/heads/main")).expect("the branch goes");
    pipe(&written.git_dir.join("refs/heads/main"));
    assert!(fault(&rules(folder.path())).contains("no file that a reference can be"));
}

#[cfg(unix)]
#[test]
fn a_project_folder_reached_through_a_link_is_the_folder_it_is() {
    let (folder, written) = project();
    written.commit(&[("AGENTS.md", "Top."), ("app/AGENTS.md", "App."), ("lib/AGENTS.md", "Lib.")], &[]);
    std::fs::create_dir(folder.path().join("app")).expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(folder.path().join("app"), elsewhere.path().join("link")).expect("a link");
    assert_eq!(paths(&ask(&elsewhere.path().join("link"))), ["AGENTS.md", "app/AGENTS.md"]);
}
