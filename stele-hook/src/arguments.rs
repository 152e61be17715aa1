//! The command line, read by hand: a hook starts once an event, and a parser of its own costs more than its work.

use crate::agents::Agent;

pub(crate) const USAGE: &str = "\
stele-hook [--agent NAME]                answers an agent's hook event, JSON from standard input
stele-hook install --agent NAME          has the agent call it in this project (--user: in all of yours; --shared: in the
                                         settings that the project commits)
stele-hook uninstall --agent NAME        takes back what install wrote (with the same --user or --shared)
stele-hook search WORDS ...              looks something up; writes nothing to the record
stele-hook show ID ...                   shows nodes whole; writes nothing to the record

NAME is claude-code, codex or gemini-cli. Events without --agent are told apart by their form.
";

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Project,
    User,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Event { agent: Option<Agent> },
    Install { agent: Agent, scope: Scope, shared: bool },
    Uninstall { agent: Agent, scope: Scope, shared: bool },
    Search { question: String },
    Show { ids: Vec<String> },
    Help,
}

/// Reads the arguments after the program's name.
pub(crate) fn read(arguments: &[String]) -> Result<Command, String> {
    let (verb, rest) = match arguments.split_first() {
        Some((first, rest)) if !first.starts_with('-') => (first.as_str(), rest),
        _ => ("", arguments),
    };
    match verb {
        "search" | "show" if rest.is_empty() => Err(format!("{verb} what? {}", first_lines())),
        "search" => Ok(Command::Search { question: rest.join(" ") }),
        "show" => Ok(Command::Show { ids: rest.to_vec() }),
        "help" => Ok(Command::Help),
        "" | "install" | "uninstall" => with_flags(verb, rest),
        _ => Err(format!("there is no command {verb:?}; {}", first_lines())),
    }
}

fn with_flags(verb: &str, rest: &[String]) -> Result<Command, String> {
    let (mut agent, mut scope, mut shared) = (None, Scope::Project, false);
    let mut rest = rest.iter();
    while let Some(flag) = rest.next() {
        match (flag.as_str(), flag.split_once('=')) {
            ("--agent", _) => agent = Some(Agent::parse(rest.next().ok_or("--agent wants a name")?)?),
            (_, Some(("--agent", name))) => agent = Some(Agent::parse(name)?),
            ("--help" | "-h", _) => return Ok(Command::Help),
            ("--user", _) if !verb.is_empty() => scope = Scope::User,
            ("--shared", _) if !verb.is_empty() => shared = true,
            _ => return Err(format!("{flag:?} is not understood; {}", first_lines())),
        }
    }
    if scope == Scope::User && shared {
        return Err("--user and --shared name different files: give one of them".to_owned());
    }
    if verb.is_empty() {
        return Ok(Command::Event { agent });
    }
    let agent = agent.ok_or_else(|| format!("{verb} for whom? add --agent claude-code, codex or gemini-cli"))?;
    Ok(if verb == "install" { Command::Install { agent, scope, shared } } else { Command::Uninstall { agent, scope, shared } })
}

fn first_lines() -> &'static str {
    "stele-hook --help lists what there is"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Command, String> {
        read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_understood_or_refused_with_a_way_on() {
        assert_eq!(words(""), Ok(Command::Event { agent: None }));
        assert_eq!(words("--agent codex"), Ok(Command::Event { agent: Some(Agent::Codex) }));
        assert_eq!(words("install --agent=claude-code --user"), Ok(Command::Install { agent: Agent::ClaudeCode, scope: Scope::User, shared: false }));
        assert_eq!(words("search where is it"), Ok(Command::Search { question: "where is it".to_owned() }));
        for wrong in ["install", "dance", "--loud", "--agent", "--agent nobody", "search", "install --agent codex --user --shared", "--user"] {
            let why = words(wrong).expect_err(wrong);
            assert!(!why.is_empty() && !why.contains('\n'), "{wrong}: {why}");
        }
    }
}
