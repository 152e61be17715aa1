//! Verbs of a session.

use std::time::Duration;

use stele_core::{Aggressiveness, AssembleOptions, Delivered, Point, Timestamp, defaults};

use super::{verbs, with};
use crate::results::{Context, Moment};

verbs! { Session(session: stele_core::Session)
    on_start() -> Moment { session.on_start().map(Into::into) }
    on_prompt(
        prompt: String, turn: Option<u64>, action: Option<String>, point: Point = Point::Prompt, deadline: Duration = defaults::DEADLINE,
        max_entries: usize = defaults::WINDOW_ENTRIES, max_tokens: Option<usize>, hops: u32 = defaults::HOPS, now: Option<Timestamp>, deliver: bool = true
    ) -> Context {
        let mut options = AssembleOptions::new().point(point).deadline(deadline).max_entries(max_entries).hops(hops).deliver(deliver);
        options = with(options, turn, AssembleOptions::turn);
        options = with(options, action, AssembleOptions::action);
        options = with(options, max_tokens, AssembleOptions::max_tokens);
        session.on_prompt(&prompt, &with(options, now, AssembleOptions::now)).map(Into::into)
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
