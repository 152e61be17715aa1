//! Answers the hook events of coding agents from a project record: an event comes in as JSON, its answer goes out in the
//! form of that agent. The program `stele-hook` of the Node package and `python -m stele hook` are thin shells around
//! [`run`].
//!
//! A hook must never stand in its agent's way. Whatever goes wrong here (no record, a damaged one, an event of a form that
//! is not known, time) the answer is empty, the exit code 0, and the reason one line of standard error.
//!
//! Nothing is read from the environment and nothing is printed here; the shells pass what they know as [`World`].

mod agents;
mod answer;
mod arguments;
mod event;
mod install;
mod json;
mod lookup;
mod place;
mod settings;
mod timed;

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use arguments::Command;

pub use agents::Agent;
pub use timed::Rest;

/// How long an event may take in all, from the first byte that is waited for.
pub const DEADLINE: Duration = Duration::from_secs(8);

/// What a shell knows of the world around it.
#[derive(Clone, Debug)]
pub struct World {
    /// The current folder.
    pub folder: PathBuf,
    /// The folder of the user, for `install --user`; none where the system does not say.
    pub home: Option<PathBuf>,
    /// The project's folder where the agent names it and the event does not.
    pub project: Option<PathBuf>,
    /// The user that this process acts for, by number; none where the system has no such numbers.
    pub user: Option<u32>,
    /// How an agent starts this program: program and first arguments.
    pub command: Vec<String>,
}

/// What a shell writes and ends with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// For standard output, as it is.
    pub stdout: String,
    /// For standard error, as it is.
    pub stderr: String,
    /// The exit code: 0 for every event; 1 where a person's command failed, 2 where it was not understood.
    pub code: u8,
}

impl Output {
    fn said(text: String) -> Self {
        Self { stdout: text, ..Self::default() }
    }

    fn failed(code: u8, why: &str) -> Self {
        Self { stderr: format!("stele-hook: {}\n", one_line(why)), code, ..Self::default() }
    }
}

/// Does what the arguments ask for: answers the event that comes from `input`, or installs, removes or looks something up.
/// A shell writes the output first and drops the rest then: nobody who waits for an answer waits for the record to close.
/// An event is answered on a thread of its own; on that of the caller `meanwhile` is called then, which must not wait for anything.
pub fn run(arguments: &[String], input: impl Read + Send + 'static, world: &World, meanwhile: impl FnOnce()) -> (Output, Rest) {
    let output = match arguments::read(arguments) {
        Err(why) => Output::failed(2, &why),
        Ok(Command::Help) => Output::said(arguments::USAGE.to_owned()),
        Ok(Command::Event { agent }) => {
            let (answer, rest) = answer::within(DEADLINE, agent, input, world, meanwhile);
            return (answer.map_or_else(|why| Output::failed(0, &why), Output::said), rest);
        }
        Ok(Command::Install { agent, scope, shared }) => command(install::install(agent, scope, shared, world)),
        Ok(Command::Uninstall { agent, scope, shared }) => command(install::uninstall(agent, scope, shared, world)),
        Ok(Command::Search { question }) => command(lookup::search(&question, world)),
        Ok(Command::Show { ids }) => command(lookup::show(&ids, world)),
    };
    (output, Rest::none())
}

fn command(done: Result<String, String>) -> Output {
    done.map_or_else(|why| Output::failed(1, &why), Output::said)
}

/// A message as one line without control characters.
fn one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
