//! What the program `stele-hook` of the package is a shell around.

use std::path::PathBuf;

use napi_derive::napi;
use stele_core::Result;
use stele_hook::{Output, World};

use crate::doorway::enter;

/// What the program knows of the world around it.
#[napi(object)]
pub struct HookWorld {
    /// The current folder.
    pub folder: String,
    /// The folder of the user.
    pub home: Option<String>,
    /// The project's folder where the agent names it and the event does not.
    pub project: Option<String>,
    /// The user that this process acts for.
    pub user: Option<u32>,
    /// How an agent starts the program: program and first arguments.
    pub command: Vec<String>,
}

/// What the program writes and ends with.
#[napi(object)]
pub struct HookOutput {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code.
    pub code: u32,
}

/// Runs the program; a fault of ours stands in no agent's way.
pub(crate) fn run(arguments: &[String], world: HookWorld) -> HookOutput {
    let HookWorld { folder, home, project, user, command } = world;
    let world = World { folder: folder.into(), home: home.map(PathBuf::from), project: project.map(PathBuf::from), user, command };
    let done: Result<Output> = enter(|| Ok(stele_hook::run(arguments, std::io::stdin(), &world)));
    let Output { stdout, stderr, code } = done.unwrap_or_else(|fault| Output { stderr: format!("stele-hook: {fault}\n"), ..Output::default() });
    HookOutput { stdout, stderr, code: code.into() }
}
