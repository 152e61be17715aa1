//! Verbs of a session.

use stele_core::{Aggressiveness, Delivered};

use super::verbs;
use crate::assembling::Assembling;
use crate::parted::{Context, Moment};

verbs! { Session(session: stele_core::Session)
    on_start() -> Moment { session.on_start().map(Into::into) }
    on_prompt(prompt: String, assembling: Assembling, deliver: bool = true) -> Context {
        assembling.run(None, deliver, |options| session.plan(&prompt, &options)).map(Into::into)
    }
    on_edit(path: String, symbol: Option<String>) -> Moment { session.on_edit(&path, symbol.as_deref()).map(Into::into) }
    on_output(text: String) -> Moment { session.on_output(&text).map(Into::into) }
    on_complete(task: Option<String>) -> Moment { session.on_complete(task.as_deref()).map(Into::into) }
    delivered(delivery: String) -> () { session.delivered(Delivered::parse(&delivery)?) }
    compacted() -> () { session.compacted() }
    new_phase() -> () { session.new_phase() }
    set_mode(mode: String) -> () { session.set_mode(&mode) }
    mode() -> String { session.mode() }
    turn() -> u64 { session.turn() }
    tokens_left() -> Option<u64> { session.tokens_left() }
    pause(turns: u64) -> () { session.pause(turns) }
    unpause() -> () { session.unpause() }
    set_aggressiveness(value: Aggressiveness) -> () { session.set_aggressiveness(value) }
}
