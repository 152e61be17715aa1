//! The text form of a handoff: the task, what was decided, what can go wrong, what is open, what happened.
//!
//! As in a window, a block is a head line at the margin and lines indented by two spaces; sections have lines of their
//! own between strokes, which stored text cannot imitate. A section with nothing in it is left out.

use std::fmt::Write as _;

use super::frame::neutral_line;
use super::text::{View, block, pointer, short};
use crate::base::config::ENTRY_BODY_CHARS;
use crate::base::frame::{CLOSING, HANDOFF};
use crate::base::text::cut;
use crate::retrieve::result::{Detail, Entry, Role};
use crate::retrieve::tasks::Handoff;

/// Longest summary or reason in a line of the history, in characters.
const WHY_CHARS: usize = 300;

/// How the entries of a section are shown.
#[derive(Clone, Copy)]
enum Shown {
    Full,
    Callout,
    Line,
}

/// The text form.
pub(crate) fn render_handoff(handoff: &Handoff) -> String {
    let view = View { now: handoff.now, briefing: false };
    let mut out = format!("{HANDOFF}{} ──\n", handoff.task.id);
    out.push_str(&block(&handoff.task, view));
    if !handoff.criteria.is_empty() {
        let _ = writeln!(out, "  done when: {}", neutral_line(&handoff.criteria));
    }
    if let Some(progress) = handoff.progress {
        let _ = writeln!(out, "  {} of {} tasks are completed", progress.completed, progress.total);
    }
    section(&mut out, "blocked by", &handoff.blocked_by, Shown::Line, view);
    if !handoff.blocks.is_empty() {
        out.push_str("── waiting for it ──\n");
        handoff.blocks.iter().for_each(|other| out.push_str(&format!("{}\n", pointer(other))));
        if handoff.blocks_more {
            let _ = writeln!(out, "and more: neighbours of {}", handoff.task.id);
        }
    }
    section(&mut out, "decisions", &handoff.decisions, Shown::Full, view);
    section(&mut out, "risks", &handoff.risks, Shown::Callout, view);
    section(&mut out, "open questions", &handoff.gaps, Shown::Full, view);
    if handoff.gaps.is_empty() && !(handoff.conflicts.is_empty() && handoff.deadlock.is_empty()) {
        out.push_str("── open questions ──\n");
    }
    for (a, b) in &handoff.conflicts {
        let _ = writeln!(out, "{} conflicts with {}", pointer(a), pointer(b));
    }
    if let Some(first) = handoff.deadlock.first() {
        let circle: Vec<String> = handoff.deadlock.iter().chain([first]).map(ToString::to_string).collect();
        let _ = writeln!(out, "tasks that wait for each other: {}", circle.join(" → "));
    }
    section(&mut out, "also joined to it", &handoff.others, Shown::Line, view);
    history(&mut out, handoff);
    out + CLOSING + "\n"
}

fn section(out: &mut String, title: &str, entries: &[Entry], shown: Shown, view: View) {
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(out, "── {title} ──");
    for entry in entries {
        out.push_str(&block(&fitted(entry, shown), view));
    }
}

fn fitted(entry: &Entry, shown: Shown) -> Entry {
    let mut entry = entry.clone();
    let kept = if matches!(shown, Shown::Line) { 0 } else { cut(&entry.body, ENTRY_BODY_CHARS).len() };
    entry.cut_chars = entry.body[kept..].chars().count();
    entry.body.truncate(kept);
    match shown {
        Shown::Full => {}
        Shown::Callout => entry.role = Role::Callout,
        Shown::Line => entry.detail = Detail::Line,
    }
    entry
}

fn history(out: &mut String, handoff: &Handoff) {
    out.push_str("── history ──\n");
    if handoff.earlier > 0 {
        let _ = writeln!(out, "{} earlier: history of {}", handoff.earlier, handoff.task.id);
    }
    for item in &handoff.history {
        let session = item.session.as_deref().map_or(String::new(), |session| format!("/{}", neutral_line(session)));
        let why = if item.why.is_empty() { String::new() } else { format!(": {}", short(&item.why, WHY_CHARS)) };
        let _ = writeln!(out, "{} {}{session} · {}{why}", item.at, neutral_line(&item.actor), short(&item.what, WHY_CHARS));
    }
}
