//! Tells an agent to call the hook, and takes it back. What was done is said, file by file.

use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::World;
use crate::agents::{Agent, Wiring};
use crate::arguments::Scope;
use crate::settings;

/// The largest settings file that is read, in bytes.
const SETTINGS_BYTES: u64 = 4 * 1024 * 1024;
/// How a program is called that everybody has somewhere else.
const SHARED: &str = "stele-hook";
/// Where Claude Code looks for helpers of a project or a user.
const HELPER: &str = ".claude/agents/project-record.md";

pub(crate) fn install(agent: Agent, scope: Scope, shared: bool, world: &World) -> Result<String, String> {
    let (wiring, base) = (agent.wiring(), base(scope, world)?);
    let path = base.join(file(wiring, scope, shared));
    let program = program(world, shared);
    let command = format!("{program} --agent {}", agent.as_str());
    let (mark, settings) = read(&path)?;
    let mut said = String::new();
    match settings::add(&settings, wiring, &command).map_err(|why| unchanged(&path, &why))? {
        None => {
            let _ = writeln!(said, "{} calls it already", path.display());
        }
        Some(changed) => {
            write(&path, &(mark + &changed))?;
            let _ = writeln!(said, "{} calls `{command}` at:", path.display());
            for (event, tools) in wiring.events {
                let _ = writeln!(said, "  {event}{}", tools.map(|tools| format!(" of {tools}")).unwrap_or_default());
            }
        }
    }
    if scope == Scope::Project && !shared && wiring.own == wiring.shared {
        said.push_str("The agent keeps no settings of one person in a project: if this file is committed, install with --shared or --user instead.\n");
    }
    if agent == Agent::Codex {
        said.push_str("Codex runs it once you have said that you trust it, with `/hooks`.\n");
    }
    said.push_str(&helper(agent, &base, world, shared)?);
    if crate::place::find(&world.folder, world).is_none() {
        said.push_str(
            "There is no record here yet. Until one is made, with `python -m stele init` or by opening `.stele` from a program, the hook is silent.\n",
        );
    }
    let whose = match (scope, shared) {
        (Scope::User, _) => " --user",
        (Scope::Project, true) => " --shared",
        (Scope::Project, false) => "",
    };
    let _ = writeln!(said, "`{program} uninstall --agent {}{whose}` takes it back.", agent.as_str());
    Ok(said)
}

pub(crate) fn uninstall(agent: Agent, scope: Scope, shared: bool, world: &World) -> Result<String, String> {
    let (wiring, base) = (agent.wiring(), base(scope, world)?);
    let path = base.join(file(wiring, scope, shared));
    let (mark, settings) = read(&path)?;
    let mut said = String::new();
    if let Some(changed) = settings::remove(&settings).map_err(|why| unchanged(&path, &why))? {
        write(&path, &(mark + &changed))?;
        let _ = writeln!(said, "{} calls it no more; the rest of it is as it was", path.display());
    } else {
        let _ = writeln!(said, "{} does not call it", path.display());
    }
    let helper = base.join(HELPER);
    // Another installation, of one person or of all, may need its own.
    if agent == Agent::ClaudeCode && held(&helper).ok().flatten().is_some_and(|text| named_in(&text).is_some_and(|command| (command == SHARED) == shared)) {
        fs::remove_file(&helper).map_err(|cause| format!("{}: {cause}", helper.display()))?;
        let _ = writeln!(said, "{} is gone", helper.display());
    }
    Ok(said)
}

fn base(scope: Scope, world: &World) -> Result<PathBuf, String> {
    match scope {
        Scope::User => world.home.clone().ok_or_else(|| "the folder of the user is not known: leave --user out".to_owned()),
        Scope::Project => {
            let top = world.folder.ancestors().find(|folder| folder.join(".git").exists() || folder.join(".stele").exists());
            Ok(top.unwrap_or(&world.folder).to_owned())
        }
    }
}

fn file(wiring: &Wiring, scope: Scope, shared: bool) -> &'static str {
    match scope {
        Scope::User => wiring.user,
        Scope::Project if shared => wiring.shared,
        Scope::Project => wiring.own,
    }
}

/// How the program is started. What a project commits cannot name where one person's lies.
fn program(world: &World, shared: bool) -> String {
    if shared { SHARED.to_owned() } else { shell_line(&world.command) }
}

/// The settings in a file, after the mark that some editors put before a text; empty ones if there is none.
fn read(path: &Path) -> Result<(String, String), String> {
    let text = held(path)?.unwrap_or_default();
    let settings = text.trim_start_matches('\u{feff}');
    let mark = text[..text.len() - settings.len()].to_owned();
    Ok((mark, if settings.trim().is_empty() { settings::NONE } else { settings }.to_owned()))
}

/// The text of a file; none if there is none.
fn held(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(cause) => return Err(unchanged(path, &cause)),
        Ok(about) if !about.is_file() || about.len() > SETTINGS_BYTES => return Err(unchanged(path, &"it is no file of settings")),
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(|cause| unchanged(path, &cause))
}

fn unchanged(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}; nothing was changed", path.display())
}

/// Writes a text beside the file and puts it in its place, so that no moment shows half of it; a link stays a link. A file
/// that is marked as read-only is meant to stay as it is.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let fault = |cause: std::io::Error| format!("{}: {cause}", path.display());
    let about = fs::metadata(&path).ok();
    if about.as_ref().is_some_and(|about| about.permissions().readonly()) {
        return Err(unchanged(&path, &"it is read-only"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(fault)?;
    let beside = path.with_extension(format!("stele-{}", std::process::id()));
    let written = (|| {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(about) = &about {
            use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
            // Nobody reads it before its rights are set whom they would keep from it.
            options.mode(about.permissions().mode());
        }
        let mut file = options.open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Some(about) = about {
            fs::set_permissions(&beside, about.permissions())?;
        }
        fs::rename(&beside, &path)
    })();
    written.map_err(|cause| {
        let _ = fs::remove_file(&beside);
        fault(cause)
    })
}

/// Words as a line for a POSIX shell.
fn shell_line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+,".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Writes a definition of a helper that only looks things up, where an agent has such, and says what holds it to that.
fn helper(agent: Agent, base: &Path, world: &World, shared: bool) -> Result<String, String> {
    if agent != Agent::ClaudeCode {
        return Ok(format!("{} has no helpers that are defined by a file; `stele-hook search WORDS` looks things up.\n", agent.as_str()));
    }
    let (path, text) = (base.join(HELPER), helper_text(&program(world, shared)));
    match held(&path) {
        Ok(Some(held)) if held == text => {}
        Ok(Some(held)) if named_in(&held).is_none() => {
            return Ok(format!("{} is there and not as we write it; it stays as it is: take it away to have it written\n", path.display()));
        }
        Err(why) => return Ok(format!("{why}\n")),
        Ok(_) => write(&path, &text)?,
    }
    Ok(format!(
        "{} defines a helper that searches the record. The agent holds it to the tool Bash, not to reading: other commands stay possible to it, \
         under the agent's own permissions. The record itself cannot be changed by what it is told to call, which opens it for reading only.\n",
        path.display()
    ))
}

/// The program that a definition names, if it stands as we wrote it.
fn named_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("Run `")?;
    let (command, _) = rest.split_once(" search WORDS`")?;
    (text == helper_text(command)).then_some(command)
}

fn helper_text(command: &str) -> String {
    format!(
        "---\n\
         name: project-record\n\
         description: Searches the project record for decisions, risks, lessons and tasks. Use it before a design choice, and when an error looks known.\n\
         tools: Bash\n\
         ---\n\
         You look things up in the project record and write nothing.\n\
         \n\
         Run `{command} search WORDS` with the words of the question, and again with other words if that finds little.\n\
         Run `{command} show ID` for a node that matters. Run nothing else.\n\
         \n\
         Answer in a few lines. Name the id of every fact you use. Say which facts are retired and what replaced them. If the record\n\
         holds nothing on the question, say that.\n"
    )
}
