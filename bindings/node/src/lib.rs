//! The Node door: one native module, private behind the package `@stele/native`. It translates and decides nothing; every
//! rule is the core's.
//!
//! Every call that touches a record goes through `doorway::enter`.

mod answer;
mod bridge;
mod clock;
mod doorway;
mod ending;
mod handle;
mod heap;
mod hook;
mod json;
mod lanes;
mod plan;
mod verbs;
mod waiting;
mod window;

use napi::bindgen_prelude::External;
use napi_derive::napi;
use stele_core::{Code, ErrorKind};

use answer::{Answer, CodeOfKind};
use hook::HookWorld;
use window::Waiting;

/// The version of the package.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Estimates how many tokens a text has.
#[napi]
pub fn tokens(text: String) -> u32 {
    u32::try_from(stele_core::tokens(&text)).unwrap_or(u32::MAX)
}

/// Every kind of error.
#[napi]
pub fn error_kinds() -> Vec<&'static str> {
    ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// Every code of an error, with its kind.
#[napi]
pub fn error_codes() -> Vec<CodeOfKind> {
    Code::ALL.iter().map(|code| CodeOfKind { code: code.as_str().to_owned(), kind: code.kind().as_str().to_owned() }).collect()
}

/// A part of a window, by its place in the order of text, entries and callouts, as JSON.
#[napi(ts_args_type = "window: object, part: number", ts_return_type = "string | Fault")]
pub fn part(window: &External<Waiting>, part: u32) -> Answer {
    window::part(window, part)
}

/// Answers an agent's hook event from standard input, or installs or removes the hook: what the arguments ask for.
/// `tell` is called once with what it writes to standard output and to standard error, and its exit code.
#[napi(ts_args_type = "arguments: Array<string>, world: HookWorld, tell: (stdout: Buffer, stderr: Buffer, code: number) => void")]
pub fn hook(arguments: Vec<String>, world: HookWorld, tell: hook::Tell<'_>) -> napi::Result<()> {
    hook::run(&arguments, world, &tell)
}

/// Ends the process at once with an exit code: nothing is done that Node does before it ends. Where the system has no such
/// way it comes back.
#[napi]
pub fn end(code: u8) {
    ending::end(code);
}
