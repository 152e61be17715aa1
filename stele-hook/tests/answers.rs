//! Events in the form of each agent's public documentation, answered from a record that is there.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stele_core::{Category, Format, Record, RetrieveOptions};
use stele_hook::{Output, World, run as run_on};

/// A project with a record of three facts.
struct Project(tempfile::TempDir);

fn run(arguments: &[String], event: &[u8], world: &World) -> Output {
    run_on(arguments, Cursor::new(event.to_vec()), world, || ()).0
}

const AGENTS: [(&str, &str, &str); 3] =
    [("claude-code", "UserPromptSubmit", "block"), ("codex", "UserPromptSubmit", "block"), ("gemini-cli", "BeforeAgent", "deny")];

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        let record = Record::open(project.root().join(".stele")).unwrap();
        let recorder = record.recorder("ana").unwrap();
        recorder.fact(Category::Decision, "The rate limiter sits in front of auth, not behind it").record().unwrap();
        recorder.fact(Category::Risk, "The order of the auth middleware is load-bearing").anchor("src/auth.rs", None).record().unwrap();
        recorder.fact(Category::Lesson, "An empty bucket is refilled late").body("It says `token bucket underflow`.").record().unwrap();
        record.close();
        project
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn world(&self) -> World {
        World { folder: self.root(), home: Some(self.root().join("home")), project: None, user: None, command: vec!["/opt/my tools/stele-hook".to_owned()] }
    }

    fn event(&self, agent: &str, name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/events").join(agent).join(format!("{name}.json"));
        fs::read_to_string(path).unwrap().replace("@FOLDER@", self.root().to_str().unwrap()).into_bytes()
    }

    fn tell(&self, agent: &str, name: &str) -> Output {
        let output = run(&[], &self.event(agent, name), &self.world());
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{agent} {name}");
        output
    }

    fn run(&self, words: &str) -> Output {
        run(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), b"", &self.world())
    }
}

/// What an answer puts before the model, and the event that it names.
fn context(output: &Output) -> (String, String) {
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|cause| panic!("{cause}: {:?}", output.stdout));
    let inner = &answer["hookSpecificOutput"];
    (inner["hookEventName"].as_str().unwrap().to_owned(), inner["additionalContext"].as_str().unwrap().to_owned())
}

#[test]
fn every_agent_gets_the_fact_the_risk_and_the_lesson_in_its_own_form() {
    for (agent, prompt, not_yet) in AGENTS {
        let project = Project::new();
        assert_eq!(project.tell(agent, "stop").stdout, "", "nothing was changed yet");
        let (event, text) = context(&project.tell(agent, "prompt"));
        assert_eq!(event, prompt);
        assert!(text.contains("KNOW-1") && text.contains("sits in front of auth"), "{text}");
        let (_, text) = context(&project.tell(agent, "edit"));
        assert!(text.contains("KNOW-2") && text.contains("first edit"), "{text}");
        let (_, text) = context(&project.tell(agent, "bash"));
        assert!(text.contains("KNOW-3"), "{text}");
        let stop: Value = serde_json::from_str(&project.tell(agent, "stop").stdout).unwrap();
        assert_eq!(stop["decision"], not_yet);
        assert!(stop["reason"].as_str().unwrap().contains("record what was learned"));
        assert_eq!(project.tell(agent, "stop").stdout, "", "it is said once");
    }
}

#[test]
fn a_path_is_the_one_that_the_agent_means_where_it_works() {
    let project = Project::new();
    fs::create_dir_all(project.root().join("src/deep")).unwrap();
    for (nth, (folder, path, is_it)) in
        [("src", "auth.rs", true), ("src/deep", "../auth.rs", true), ("src", "./auth.rs", true), ("", "src/auth.rs", true), ("src", "src/auth.rs", false)]
            .into_iter()
            .enumerate()
    {
        let codex = serde_json::json!({ "hook_event_name": "PreToolUse", "session_id": format!("c{nth}"), "turn_id": "1", "cwd": project.root().join(folder),
            "tool_name": "apply_patch", "tool_input": { "command": format!("*** Begin Patch\n*** Update File: {path}\n*** End Patch") } });
        let claude = serde_json::json!({ "hook_event_name": "PreToolUse", "session_id": format!("e{nth}"), "cwd": project.root().join(folder),
            "tool_name": "Edit", "tool_input": { "file_path": path } });
        for event in [codex, claude] {
            let (_, text) = context(&run(&[], event.to_string().as_bytes(), &project.world()));
            assert_eq!(text.contains("KNOW-2"), is_it, "{folder} {path}: {text}");
        }
    }
}

#[test]
fn what_was_told_comes_again_only_after_a_compaction() {
    for (agent, ..) in AGENTS {
        let project = Project::new();
        let told = project.tell(agent, "prompt");
        assert!(!project.tell(agent, "prompt").stdout.contains("KNOW-1"), "{agent}");
        assert_eq!(project.tell(agent, "compact").stdout, "");
        assert_eq!(project.tell(agent, "prompt"), told, "{agent}");
    }
    let project = Project::new();
    let told = project.tell("claude-code", "prompt");
    project.tell("claude-code", "start-compact");
    assert_eq!(project.tell("claude-code", "prompt"), told);
}

#[test]
fn events_that_are_none_of_ours_get_no_word() {
    let project = Project::new();
    for name in ["read", "write-outside", "end", "stop-again", "start"] {
        assert_eq!(project.tell("claude-code", name).stdout, "", "{name}");
    }
    assert!(context(&project.tell("claude-code", "failure")).1.contains("KNOW-3"));
}

#[test]
fn a_sub_agent_is_told_for_itself() {
    let project = Project::new();
    project.tell("claude-code", "prompt");
    let mut event: Value = serde_json::from_slice(&project.event("claude-code", "prompt")).unwrap();
    event["agent_id"] = "a1".into();
    let told = run(&[], event.to_string().as_bytes(), &project.world());
    assert!(context(&told).1.contains("KNOW-1"));
}

#[test]
fn a_text_is_never_longer_than_what_the_agent_shows() {
    let project = Project::new();
    let record = Record::open(project.root().join(".stele")).unwrap();
    let recorder = record.recorder("ana").unwrap();
    for n in 0..30 {
        let words = format!("limiter auth front behind {n} ").repeat(40);
        recorder.rule(format!("Rule {n}"), format!("Keep {words}")).routing(|rule| rule.mandatory = n < 5).record().unwrap();
        recorder.fact(Category::Decision, format!("Limiter note {n}")).body(words).record().unwrap();
    }
    record.close();
    let (_, text) = context(&project.tell("claude-code", "prompt"));
    assert!(text.chars().count() <= 10_000 && text.chars().count() > 6_000, "{}", text.chars().count());
    assert!((0..5).all(|n| text.contains(&format!("Rule {n}"))), "{text}");
}

#[test]
fn a_fault_of_ours_is_one_line_of_standard_error_and_nothing_else() {
    let project = Project::new();
    let nested = "[".repeat(200_000);
    let no_session = r#"{"hook_event_name":"Stop"}"#;
    for input in ["", "{", "null", "[]", "7", no_session, nested.as_str(), "\u{feff}{}", "\0"] {
        let output = run(&[], input.as_bytes(), &project.world());
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.lines().count()), (0, "", 1), "{input:.20}");
    }
    let output = run(&[], b"\xff\xfe\x00", &project.world());
    assert_eq!((output.code, output.stderr.lines().count()), (0, 1));
    // A record that is damaged.
    let database = project.root().join(".stele/record.db");
    fs::write(&database, vec![7; 20_000]).unwrap();
    for (agent, ..) in AGENTS {
        for name in ["prompt", "edit", "bash", "start"] {
            let output = run(&[], &project.event(agent, name), &project.world());
            assert_eq!((output.code, output.stdout.as_str(), output.stderr.lines().count()), (0, "", 1), "{agent} {name}");
            assert!(output.stderr.contains("restore a backup"), "{}", output.stderr);
        }
    }
}

#[test]
fn where_there_is_no_record_nothing_is_said_and_nothing_made() {
    let empty = Project(tempfile::tempdir().unwrap());
    for (agent, ..) in AGENTS {
        for name in ["start", "prompt", "edit", "bash", "compact", "stop"] {
            assert_eq!(empty.tell(agent, name), Output::default());
        }
    }
    assert_eq!(fs::read_dir(empty.root()).unwrap().count(), 0);
}

#[test]
fn installing_twice_changes_nothing_and_uninstalling_leaves_what_was_there() {
    let before = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      }\n    ]\n  },\n  \"env\": {\n    \"A\": \"\\u00e9\", \"B\":123456789012345678901234567890,\n\t\"C\": 1.0e+2\n  }\n}\n";
    for (agent, file) in [("claude-code", ".claude/settings.local.json"), ("codex", ".codex/hooks.json"), ("gemini-cli", ".gemini/settings.json")] {
        let project = Project::new();
        let path = project.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, before).unwrap();
        let said = project.run(&format!("install --agent {agent}"));
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        let installed = fs::read_to_string(&path).unwrap();
        assert!(installed.contains(&format!("'/opt/my tools/stele-hook' --agent {agent}")) && installed.contains("say done"), "{installed}");
        assert!(said.stdout.contains(path.to_str().unwrap()), "{}", said.stdout);
        assert!(said.stdout.ends_with(&format!("`'/opt/my tools/stele-hook' uninstall --agent {agent}` takes it back.\n")), "{}", said.stdout);
        let again = project.run(&format!("install --agent {agent}"));
        assert!(again.stdout.contains("already"), "{}", again.stdout);
        assert_eq!(fs::read_to_string(&path).unwrap(), installed);
        assert_eq!(project.run(&format!("uninstall --agent {agent}")).code, 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        assert!(!project.root().join(".claude/agents/project-record.md").exists());
        assert!(project.run(&format!("uninstall --agent {agent}")).stdout.contains("does not"));
    }
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone_and_said() {
    for text in ["{ // a comment\n}", "[]", "{\"hooks\": 7}", "{\"a\": 1,}"] {
        let project = Project::new();
        let path = project.root().join(".claude/settings.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let said = project.run("install --agent claude-code --shared");
        assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{text}");
        assert!(said.stderr.contains("nothing was changed"), "{}", said.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn settings_of_a_user_lie_below_their_folder_and_a_helper_is_ours_or_left_alone() {
    let project = Project::new();
    let said = project.run("install --agent claude-code --user");
    assert!(said.code == 0 && said.stdout.contains("uninstall --agent claude-code --user` takes it back"), "{}", said.stdout);
    assert!(project.root().join("home/.claude/settings.json").exists() && project.root().join("home/.claude/agents/project-record.md").exists());
    let helper = project.root().join(".claude/agents/project-record.md");
    fs::create_dir_all(helper.parent().unwrap()).unwrap();
    fs::write(&helper, "mine").unwrap();
    let said = project.run("install --agent claude-code --shared").stdout;
    assert!(said.contains("stays as it is") && said.contains("`stele-hook uninstall --agent claude-code --shared` takes it back"), "{said}");
    project.run("uninstall --agent claude-code --shared");
    assert_eq!(fs::read_to_string(&helper).unwrap(), "mine");
    let nobody = World { home: None, ..project.world() };
    assert_eq!(run(&["install", "--agent", "codex", "--user"].map(str::to_owned), b"", &nobody).code, 1);
}

#[test]
fn what_a_user_made_of_our_files_stays_and_what_is_in_the_way_is_said() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project = Project::new();
    let helper = project.root().join(".claude/agents/project-record.md");
    let settings = project.root().join(".claude/settings.local.json");
    let install = || project.run("install --agent claude-code");
    let uninstall = || project.run("uninstall --agent claude-code");
    assert_eq!(install().code, 0);
    // Ours for a program that lies elsewhere by now: written anew, or taken away.
    let ours = fs::read_to_string(&helper).unwrap();
    let moved = ours.replace("/opt/my tools", "/opt/old");
    fs::write(&helper, &moved).unwrap();
    install();
    assert_eq!(fs::read_to_string(&helper).unwrap(), ours);
    fs::write(&helper, &moved).unwrap();
    uninstall();
    assert!(!helper.exists());
    // Changed by hand, no text, a link to nowhere: neither written over nor followed.
    let nowhere = project.root().join("nowhere");
    for mine in [ours.replace("tools: Bash", "tools: Bash, Read").into_bytes(), b"name: project-record \xe9".to_vec(), Vec::new()] {
        if mine.is_empty() {
            symlink(&nowhere, &helper).unwrap();
        } else {
            fs::write(&helper, &mine).unwrap();
        }
        let said = install();
        assert!(said.code == 0 && said.stdout.contains(helper.to_str().unwrap()) && !said.stdout.contains("defines a helper"), "{}", said.stdout);
        assert_eq!(uninstall().code, 0);
        assert!(!nowhere.exists() && (mine.is_empty() || fs::read(&helper).unwrap() == mine));
        fs::remove_file(&helper).unwrap();
    }
    // Settings that are marked as read-only, or a link to nowhere.
    let before = fs::read_to_string(&settings).unwrap();
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    let said = install();
    assert!(said.code == 1 && said.stderr.contains("read-only"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
    fs::remove_file(&settings).unwrap();
    symlink(&nowhere, &settings).unwrap();
    assert!(install().code == 1 && settings.is_symlink() && !nowhere.exists());
}

#[test]
fn a_prompt_that_was_cut_within_a_character_is_answered() {
    let project = Project::new();
    let event = String::from_utf8(project.event("claude-code", "prompt")).unwrap();
    let told = run(&[], event.replacen("Where does", r"\ud83d Where does", 1).as_bytes(), &project.world());
    assert!(context(&told).1.contains("KNOW-1"), "{}", told.stderr);
}

#[test]
fn the_end_of_a_long_output_is_read() {
    let project = Project::new();
    let text = format!("{}\ntoken bucket underflow\n", " ".repeat(18_000_000));
    let event = serde_json::json!({ "hook_event_name": "PostToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash", "tool_response": { "stdout": text } });
    let output = run(&[], event.to_string().as_bytes(), &project.world());
    assert!(context(&output).1.contains("KNOW-3"), "{}", output.stderr);
}

#[test]
fn an_event_may_come_in_pieces_with_pauses_and_interruptions() {
    /// Gives a byte at a time, and before each one that there is none yet, or that it was interrupted.
    struct Halting(Vec<u8>, usize);
    impl std::io::Read for Halting {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            match self.1 % 3 {
                0 => Err(std::io::ErrorKind::WouldBlock.into()),
                1 => Err(std::io::ErrorKind::Interrupted.into()),
                _ => (&self.0[self.1 / 3..]).read(&mut into[..1]),
            }
        }
    }
    let project = Project::new();
    let told = project.tell("claude-code", "prompt");
    project.tell("claude-code", "compact");
    let halting = Halting(project.event("claude-code", "prompt"), 0);
    assert_eq!(run_on(&[], halting, &project.world(), || ()).0, told);
}

#[test]
fn who_waits_for_an_answer_does_something_of_its_own_meanwhile() {
    /// An event that comes once somebody has done something else.
    struct Awaited(std::sync::mpsc::Receiver<()>, Cursor<Vec<u8>>);
    impl std::io::Read for Awaited {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let _ = self.0.recv();
            self.1.read(into)
        }
    }
    let project = Project::new();
    let told = project.tell("claude-code", "prompt");
    project.tell("claude-code", "compact");
    let (done, is_done) = std::sync::mpsc::channel();
    let caller = std::thread::current().id();
    let meanwhile = move || {
        assert_eq!(std::thread::current().id(), caller);
        drop(done);
    };
    assert_eq!(run_on(&[], Awaited(is_done, Cursor::new(project.event("claude-code", "prompt"))), &project.world(), meanwhile).0, told);
}

#[test]
fn a_look_up_finds_and_writes_nothing_to_the_record() {
    let project = Project::new();
    let head = || Record::options().read_only(true).open(project.root().join(".stele")).unwrap().head().unwrap();
    let before = head();
    assert!(project.run("search where does the rate limiter sit").stdout.contains("KNOW-1"));
    assert!(project.run("show KNOW-2 KNOW-3").stdout.contains("load-bearing"));
    assert_eq!((project.run("show KNOW-9").code, project.run("dance").code), (1, 2));
    assert_eq!(head(), before);
}

#[test]
fn a_folder_that_cannot_be_written_still_answers() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new();
    let dir = project.root().join(".stele");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o500)).unwrap();
    let output = run(&[], &project.event("claude-code", "prompt"), &project.world());
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    // The administrator may write anyway.
    assert!(output.code == 0 && context(&output).1.contains("KNOW-1"), "{output:?}");
}

#[test]
fn what_an_agent_loads_by_itself_is_not_told_twice() {
    let project = Project::new();
    let skill = project.root().join(".claude/skills/probe");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: probe\ndescription: Probes the lamp.\n---\nLook at it.\n").unwrap();
    let (_, text) = context(&project.tell("claude-code", "prompt"));
    assert!(!text.contains("probe"), "{text}");
}

#[test]
fn a_prompt_of_a_hook_gets_what_a_session_gets() {
    let project = Project::new();
    let (_, text) = context(&project.tell("claude-code", "prompt"));
    let record = Record::open(project.root().join(".stele")).unwrap();
    let found = record.retriever().retrieve("Where does the rate limiter sit, in front of auth or behind it?", &RetrieveOptions::new()).unwrap();
    assert!(text.ends_with(&found.render(Format::Text)), "{text}");
}
