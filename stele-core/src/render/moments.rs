//! The text of a moment, which stands in a frame of its own, risks first.

use std::fmt::Write as _;

use super::frame::neutral_line;
use super::text::{View, block, callout_line, left_out};
use crate::assemble::{Moment, MomentKind};
use crate::base::frame::{CLOSING, OPENING_HEAD};
use crate::base::tokens::TokenCounter;
use crate::retrieve::result::{Gap, GapKind, Pointer};

/// What stands in the first line of a moment after the words that every frame begins with.
fn opening(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Start => "where this session stands",
        MomentKind::Edit => "about what is to be edited",
        MomentKind::Output => "about what was printed",
        MomentKind::Complete => "before this is done",
    }
}

/// Writes the text of a moment; empty if it has nothing to say.
pub(crate) fn write_moment(moment: &mut Moment, counter: &TokenCounter) {
    let view = View { now: moment.now, briefing: false };
    let mut out = String::new();
    for entry in moment.callouts.iter().chain(&moment.entries) {
        out.push_str(&block(entry, view));
    }
    for line in &moment.callout_lines {
        out.push_str(&callout_line(line));
    }
    if let Some(stopped) = &moment.stopped {
        let _ = write!(out, "── last here: {}, after {} prompts", stopped.at, stopped.turn);
        if !stopped.wrote.is_empty() {
            let _ = write!(out, "; last wrote {}", stopped.wrote.iter().map(named).collect::<Vec<_>>().join(", "));
        }
        out.push('\n');
    }
    for happened in &moment.happened {
        let class = happened.class.to_uppercase();
        let _ = writeln!(out, "── {}: {class} {}, by {}", happened.what, named(&happened.node), neutral_line(&happened.actor));
    }
    if moment.happened_more > 0 {
        let _ = writeln!(out, "── and {} more", moment.happened_more);
    }
    if let Some(nudge) = &moment.nudge {
        let _ = writeln!(out, "── {nudge}");
    }
    if out.is_empty() {
        return;
    }
    out.push_str(&left_out(&[], &moment.gaps));
    moment.text = format!("{OPENING_HEAD} {} ──\n{out}{CLOSING}\n", opening(moment.kind));
    moment.tokens = counter.count(&moment.text);
    moment.gaps.extend(counter.fault().map(|fault| Gap { kind: GapKind::Tokens, count: 0, note: fault.to_owned() }));
    moment.delivery.tokens = if moment.delivery.shown.is_empty() { 0 } else { moment.tokens as u64 };
}

fn named(node: &Pointer) -> String {
    format!("{} \"{}\"", node.id, neutral_line(&node.title).replace('"', "'"))
}
