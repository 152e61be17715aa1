//! What the program `stele-hook` of the package is a shell around.

use std::path::PathBuf;

use napi::bindgen_prelude::{Buffer, FnArgs, Function};
use napi_derive::napi;
use stele_hook::{Output, World};

use crate::doorway::enter;
use crate::heap;

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

/// Who writes: is called once with what is for standard output, for standard error, and the exit code. The texts come as
/// bytes: nobody reads them before they are written.
pub(crate) type Tell<'env> = Function<'env, FnArgs<(Buffer, Buffer, u32)>, ()>;

/// Runs the program; a fault of ours stands in no agent's way. What is left to do once the answer is told is waited for.
pub(crate) fn run(arguments: &[String], world: HookWorld, tell: &Tell<'_>) -> napi::Result<()> {
    let heap = heap::shared();
    let HookWorld { folder, home, project, user, command } = world;
    let world = World { folder: folder.into(), home: home.map(PathBuf::from), project: project.map(PathBuf::from), user, command };
    let (output, rest) = match enter(|| Ok(stele_hook::run(arguments, std::io::stdin(), &world, || heap.make()))) {
        Ok((output, rest)) => (output, Some(rest)),
        Err(fault) => (Output { stderr: format!("stele-hook: {fault}\n"), ..Output::default() }, None),
    };
    let Output { stdout, stderr, code } = output;
    let told = tell.call(FnArgs::from((stdout.into_bytes().into(), stderr.into_bytes().into(), code.into())));
    drop(rest);
    told
}
