//! The text of a moment and of a context. A context is its sections one after the other; a moment stands in a frame of
//! its own, risks first.

use std::fmt::Write as _;

use super::frame::neutral_line;
use super::text::{View, block, callout_line, left_out};
use crate::assemble::{Context, Methodology, Moment, MomentKind, Obligations, Section, SectionKind};
use crate::base::frame::{CLOSING, OPENING_HEAD};
use crate::base::text::tokens;
use crate::retrieve::result::{Format, GapKind, Pointer, Retrieval};

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
pub(crate) fn write_moment(moment: &mut Moment) {
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
    moment.tokens = tokens(&moment.text);
    moment.delivery.tokens = if moment.delivery.shown.is_empty() { 0 } else { moment.tokens as u64 };
}

fn named(node: &Pointer) -> String {
    format!("{} \"{}\"", node.id, neutral_line(&node.title).replace('"', "'"))
}

/// Puts a context together.
pub(crate) fn write_context(turn: u64, obligations: Obligations, methodology: Methodology, record: Retrieval, mut warnings: Vec<String>) -> Context {
    warnings.extend(obligations.warning());
    warnings.extend(methodology.warning());
    warnings.extend(record.gaps.iter().filter(|gap| gap.kind == GapKind::Session).map(|gap| gap.note.clone()));
    let parts = [
        (SectionKind::Obligations, obligations.render(Format::Text)),
        (SectionKind::Methodology, methodology.render(Format::Text)),
        (SectionKind::Record, record.render(Format::Text)),
    ];
    let sections: Vec<Section> =
        parts.into_iter().filter(|(_, text)| !text.is_empty()).map(|(kind, text)| Section { kind, tokens: tokens(&text), text }).collect();
    let text: String = sections.iter().map(|section| section.text.as_str()).collect();
    Context { turn, chars: text.chars().count(), tokens: tokens(&text), text, sections, warnings, obligations, methodology, record }
}
