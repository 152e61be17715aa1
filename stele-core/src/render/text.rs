//! The text form of a retrieval: the frame, a block for each entry, the callouts, and what was left out.
//!
//! A block is a head line at the margin and lines indented by two spaces, so nothing stored can stand where a head
//! stands. Rules of its own:
//! - A decision made more than 30 days before `now` has its month before the first line of its body, unless that line
//!   begins with a month itself. Other categories say how things are, not when something was chosen.
//! - An evidence line that the shown body holds already is not repeated.
//! - In a briefing an entry is a head line and further lines that begin with its id; a body is one line.
//! - What was left out stands in one line before the last, and only if it fits the limit.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use super::frame::{neutral, neutral_line};
use crate::base::frame::{CLOSING, OPENING};
use crate::base::id::{Kind, NodeId};
use crate::base::text::{cut, fold_space};
use crate::base::time::Timestamp;
use crate::base::tokens::{TokenCounter, tokens};
use crate::record::edge::Relation;
use crate::record::node::{Category, State, TaskStatus};
use crate::retrieve::counted::Counts;
use crate::retrieve::result::{CalloutLine, Detail, Entry, Gap, GapKind, Pointer, Replacement, Retrieval, Role, Status};

/// Longest reason or quoted line, in characters.
const REASON_CHARS: usize = 300;
/// Longest reason in an entry of one line, in characters.
const SHORT_REASON_CHARS: usize = 120;
/// Longest name of a holder, alias or written reference, in characters.
const NAME_CHARS: usize = 60;
/// Longest heading path above a passage, in characters.
const PASSAGE_CHARS: usize = 200;
/// Most aliases beside an id.
const ALIASES: usize = 2;
/// Most replacements or conflicts under an entry.
const NOTES: usize = 5;
/// Most ids that an entry is said to stand for.
const FOLDED: usize = 8;
/// Age from which a decision shows its month.
const MONTH_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How the head line of a callout begins.
const CALLOUT: &str = "⚠ RISK on your path";
/// What the estimate counts for the first and the last line.
const ESTIMATED_FRAME: usize = 25;

/// What all blocks of one rendering share.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) now: Timestamp,
    pub(crate) briefing: bool,
}

impl View {
    pub(crate) fn of(retrieval: &Retrieval) -> Self {
        Self { now: retrieval.now, briefing: retrieval.briefing }
    }
}

/// The text form; empty unless the status is `found` and there is room for the frame and something in it.
pub(crate) fn render_text(retrieval: &Retrieval) -> String {
    if retrieval.status != Status::Found {
        return String::new();
    }
    let view = View::of(retrieval);
    let mut body = String::with_capacity(4096);
    for entry in retrieval.entries.iter().chain(&retrieval.callouts) {
        write_block(&mut body, entry, view);
    }
    for line in &retrieval.callout_lines {
        body.push_str(&callout_line(line));
    }
    if body.is_empty() {
        return body;
    }
    let fits = |text: &String| retrieval.max_tokens.is_none_or(|limit| retrieval.counter.count(text) <= limit);
    let left_out = left_out(&retrieval.corrected, &retrieval.gaps);
    [format!("{OPENING}\n{body}{left_out}{CLOSING}\n"), format!("{OPENING}\n{body}{CLOSING}\n")].into_iter().find(fits).unwrap_or_default()
}

/// What [`render_text`] counts where the blocks of the entries count so much together, without writing it; as long as what
/// counts does so line by line.
pub(crate) fn text_tokens(retrieval: &Retrieval, blocks: usize) -> usize {
    let counter = &retrieval.counter;
    let body = blocks + retrieval.callout_lines.iter().map(|line| counter.count(&callout_line(line))).sum::<usize>();
    if retrieval.status != Status::Found || body == 0 {
        return 0;
    }
    let bare = body + frame_tokens(counter);
    let whole = bare + counter.count(&left_out(&retrieval.corrected, &retrieval.gaps));
    [whole, bare].into_iter().find(|count| retrieval.max_tokens.is_none_or(|limit| *count <= limit)).unwrap_or(0)
}

/// What the first and the last line count.
pub(crate) fn frame_tokens(counter: &TokenCounter) -> usize {
    if counter.is_host() { counter.count(OPENING) + counter.count(CLOSING) + 2 } else { ESTIMATED_FRAME }
}

/// The lines before the last: references read as another id, and what is missing.
pub(crate) fn left_out(corrected: &[(String, NodeId)], gaps: &[Gap]) -> String {
    let mut out = String::new();
    for (written, id) in corrected.iter().take(NOTES) {
        let _ = writeln!(out, "── {} → {id}", short(written, NAME_CHARS));
    }
    let parts: Vec<_> = gaps.iter().filter_map(gap_words).collect();
    if !parts.is_empty() {
        let _ = writeln!(out, "── left out: {} ── search, recall or get an id to see more", parts.join(", "));
    }
    out
}

/// A gap in a few words; `None` if it shows where it is.
fn gap_words(gap: &Gap) -> Option<Cow<'static, str>> {
    let count = gap.count;
    Some(match gap.kind {
        GapKind::Text => "text search stopped early".into(),
        GapKind::Meaning => "search by meaning stopped early".into(),
        GapKind::Walk => "the walk stopped early".into(),
        GapKind::Session => neutral_line(&gap.note).into(),
        GapKind::Edges => format!("edges {count}").into(),
        GapKind::Entries => format!("entries {count}").into(),
        GapKind::Named => format!("named {count}").into(),
        GapKind::Callouts if count > 0 => format!("risks {count}").into(),
        GapKind::Callouts | GapKind::Bodies | GapKind::Tokens => return None,
    })
}

/// The lines of one entry, each with its line end.
pub(crate) fn block(entry: &Entry, view: View) -> String {
    let mut out = String::with_capacity(entry.title.len() + entry.body.len() + 128);
    write_block(&mut out, entry, view);
    out
}

/// Writes the lines of one entry.
pub(crate) fn write_block(out: &mut String, entry: &Entry, view: View) {
    write_head(out, entry, view);
    let full = entry.detail != Detail::Line;
    let body = if full { shown_body(entry, view.briefing) } else { "".into() };
    if !body.trim().is_empty() {
        push_body(out, entry, &body, view);
    }
    write_notes(out, entry, view, || body.clone());
}

/// What the block of an entry counts; `scratch` is written over.
///
/// Texts that meet at white space count the sum of theirs, so what a node shows of itself is counted once and not written.
pub(crate) fn block_tokens(entry: &Entry, view: View, counter: &TokenCounter, scratch: &mut String) -> usize {
    scratch.clear();
    if view.briefing || counter.is_host() || entry.detail == Detail::Line || entry.kind == Kind::Task {
        write_block(scratch, entry, view);
        return counter.count(scratch);
    }
    let counts = entry.counted.of(entry.body.len(), || count_parts(entry));
    let mut known = counts.names + counts.body + 1;
    if entry.role == Role::Callout {
        known += counts.quoted;
        push_way(scratch, entry.via, entry.from.as_ref().map(|from| from.id));
        scratch.extend([" ", CALLOUT, " "]);
    } else {
        known += counts.title;
        push_category(scratch, entry);
        push_state(scratch, entry);
        scratch.push(' ');
    }
    if counts.body > 0 {
        write_passage(scratch, entry);
        push_month(scratch, entry, counts.dated, view.now);
    }
    write_notes(scratch, entry, view, || shown_body(entry, false));
    let count = known + counter.count(scratch);
    debug_assert_eq!(count, counter.count(&block(entry, view)), "invariant: the parts of a block add up");
    count
}

fn count_parts(entry: &Entry) -> Counts {
    let body = shown_body(entry, false);
    let mut lines = String::with_capacity(body.len() + 64);
    if !body.trim().is_empty() {
        push_lines(&mut lines, "", &body);
    }
    Counts {
        bytes: entry.body.len(),
        body: tokens(&lines),
        dated: begins_with_month(&body),
        names: tokens(&format!("{}{}", entry.id, aliases(&entry.aliases))),
        title: tokens(&neutral_line(&entry.title)),
        quoted: tokens(&quoted(&entry.title)),
    }
}

/// Writes what stands under the body of an entry, which is asked for where evidence could stand in it.
fn write_notes<'b>(out: &mut String, entry: &Entry, view: View, body: impl FnOnce() -> Cow<'b, str>) {
    let full = entry.detail != Detail::Line;
    let indent: Cow<'_, str> = if view.briefing { format!("  {} ", entry.id).into() } else { "  ".into() };
    if full && entry.cut_chars > 0 {
        let _ = writeln!(out, "{indent}[… {} characters more: get {}]", grouped(entry.cut_chars), entry.id);
    }
    let held = std::cell::LazyCell::new(|| fold_space(&body()));
    for (words, changes) in [("replaces", &entry.replaces), ("replaced by", &entry.replaced_by)] {
        for change in changes.iter().take(NOTES) {
            let _ = writeln!(out, "{indent}{words} {}", replacement(change, full));
            if let Some(evidence) = change.evidence.as_deref().map(neutral_line).filter(|line| full && !line.is_empty() && !held.contains(line.as_str())) {
                let _ = writeln!(out, "{indent}evidence: \"{}\"", ellipsis(&evidence, REASON_CHARS));
            }
        }
        push_rest(out, &indent, words, changes.len());
    }
    for other in entry.conflicts.iter().take(NOTES) {
        let _ = writeln!(out, "{indent}conflicts with {}", pointer(other));
    }
    push_rest(out, &indent, "conflicts with", entry.conflicts.len());
    if full && !entry.folded.is_empty() {
        let _ = writeln!(out, "{indent}stands for {} more: {}", entry.folded.len(), ids(&entry.folded));
    }
    if let Some(due) = entry.review_at.filter(|&due| due <= view.now && entry.verified_at.is_none_or(|at| at < due)) {
        let due = due.to_string();
        let _ = writeln!(out, "{indent}read again before acting: review was due {}", due.split('T').next().unwrap_or(&due));
    }
}

/// The line of a risk that stands without its body.
pub(crate) fn callout_line(line: &CalloutLine) -> String {
    format!("{}\n", callout_head(line.risk.id, &[], &line.risk.title, Some(line.via), Some(line.from)))
}

/// Writes the first line of an entry, and the title of a task that has a line of its own.
fn write_head(out: &mut String, entry: &Entry, view: View) {
    let more = if entry.detail == Detail::Line && entry.cut_chars > 0 { " …" } else { "" };
    if entry.role == Role::Callout {
        let _ = writeln!(out, "{}{more}", callout_head(entry.id, &entry.aliases, &entry.title, entry.via, entry.from.as_ref().map(|from| from.id)));
        return;
    }
    push_category(out, entry);
    let _ = write!(out, "{}{}", entry.id, aliases(&entry.aliases));
    push_state(out, entry);
    let title = neutral_line(&entry.title);
    out.push_str("  ");
    if entry.kind != Kind::Task {
        out.extend([title.as_str(), more, "\n"]);
        return;
    }
    out.push_str(&progress(entry, view.now));
    if view.briefing || entry.detail == Detail::Line {
        out.extend([" · ", title.as_str(), more, "\n"]);
    } else {
        out.extend(["\n  ", &*neutral(&title), "\n"]);
    }
}

fn push_category(out: &mut String, entry: &Entry) {
    if let Some(category) = entry.category {
        out.extend(category.as_str().chars().map(|c| c.to_ascii_uppercase()));
        out.push(' ');
    }
}

fn push_state(out: &mut String, entry: &Entry) {
    if entry.state != State::Live {
        let _ = write!(out, " [{}]", entry.state);
    }
}

/// Where a task stands and who has it.
fn progress(entry: &Entry, now: Timestamp) -> String {
    let mut out = String::new();
    if entry.container {
        out.push_str("container · ");
    }
    out.push_str(match entry.status {
        Some(TaskStatus::Claimed) => "in progress",
        Some(status) => status.as_str(),
        None => "open",
    });
    if let Some(claim) = &entry.claim {
        let _ = write!(out, " · claimed by {} {}", short(&claim.holder, NAME_CHARS), age(now.since(claim.since)));
        if claim.is_over(now) {
            out.push_str(" · lease over");
        }
    }
    out
}

fn callout_head(id: NodeId, names: &[String], title: &str, via: Option<Relation>, from: Option<NodeId>) -> String {
    let mut out = format!("{CALLOUT}  {id}{}  {}", aliases(names), quoted(title));
    push_way(&mut out, via, from);
    out
}

/// Writes by which edge a risk was reached, if it was.
fn push_way(out: &mut String, via: Option<Relation>, from: Option<NodeId>) {
    let _ = match (via, from) {
        (Some(via), Some(from)) => write!(out, " (via {via} from {from})"),
        (Some(via), None) => write!(out, " (via {via})"),
        (None, _) => Ok(()),
    };
}

/// The body of an entry as it is shown: neutral, without spaces at line ends and without blank lines in a row.
///
/// In a briefing it is one line.
pub(crate) fn shown_body(entry: &Entry, briefing: bool) -> Cow<'_, str> {
    if briefing {
        return neutral_line(&entry.body).into();
    }
    let text = neutral(&entry.body);
    if !text.contains('\n') && text.trim_end().len() == text.len() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.split('\n').map(str::trim_end) {
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if !out.is_empty() {
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        out.push_str(line);
        blank = false;
    }
    out.into()
}

fn push_body(out: &mut String, entry: &Entry, body: &str, view: View) {
    if view.briefing {
        let passage = short(&entry.passage, PASSAGE_CHARS);
        let passage = if passage.is_empty() { passage } else { format!("{passage}: ") };
        let _ = write!(out, "  {} · {passage}", entry.id);
        push_month(out, entry, begins_with_month(body), view.now);
        out.extend([body, "\n"]);
        return;
    }
    write_passage(out, entry);
    let mut month = String::new();
    push_month(&mut month, entry, begins_with_month(body), view.now);
    push_lines(out, &month, body);
}

/// Writes the heading path of a passage.
fn write_passage(out: &mut String, entry: &Entry) {
    let passage = short(&entry.passage, PASSAGE_CHARS);
    if !passage.is_empty() {
        let _ = writeln!(out, "  {}", neutral(&format!("{passage}:")));
    }
}

/// Writes the lines of a body, the first one after `month`.
fn push_lines(out: &mut String, month: &str, body: &str) {
    for (at, line) in body.split('\n').enumerate() {
        let start = out.len();
        out.extend(["  ", if at == 0 { month } else { "" }, line]);
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
}

/// Writes the month before the first line of an old decision, unless the body begins with one.
fn push_month(out: &mut String, entry: &Entry, dated: bool, now: Timestamp) {
    if entry.category == Some(Category::Decision) && now.since(entry.created_at) > MONTH_AGE && !dated {
        let _ = write!(out, "{}: ", entry.created_at.month());
    }
}

/// True if a text begins like `Nov 2025:`.
fn begins_with_month(text: &str) -> bool {
    let bytes = text.trim_start().as_bytes();
    bytes.len() >= 9 && bytes[..3].iter().all(u8::is_ascii_alphabetic) && bytes[3] == b' ' && bytes[4..8].iter().all(u8::is_ascii_digit) && bytes[8] == b':'
}

fn replacement(change: &Replacement, full: bool) -> String {
    let unverified = if change.unverified { " (unverified)" } else { "" };
    let reason = short(&change.reason, if full { REASON_CHARS } else { SHORT_REASON_CHARS });
    let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
    format!("{}{unverified}{reason}", pointer(&change.node))
}

/// How many notes of one sort are not shown.
fn push_rest(out: &mut String, indent: &str, words: &str, count: usize) {
    if count > NOTES {
        let _ = writeln!(out, "{indent}{words} {} others", count - NOTES);
    }
}

pub(super) fn pointer(node: &Pointer) -> String {
    format!("{} {}", node.id, quoted(&node.title))
}

/// A title between quotation marks that it cannot end itself.
fn quoted(title: &str) -> String {
    format!("\"{}\"", neutral_line(title).replace('"', "'"))
}

fn aliases(names: &[String]) -> String {
    names.iter().take(ALIASES).fold(String::new(), |out, name| out + " " + &short(name, NAME_CHARS))
}

fn ids(nodes: &[NodeId]) -> String {
    let mut out = nodes.iter().take(FOLDED).map(NodeId::to_string).collect::<Vec<_>>().join(", ");
    if nodes.len() > FOLDED {
        out.push_str(", …");
    }
    out
}

/// A stored text in one line of at most `chars` characters and a mark.
pub(super) fn short(text: &str, chars: usize) -> String {
    // Characters that are left out do not count, so more of the text than `chars` may be needed; four times as much
    // bounds the work.
    ellipsis(&neutral_line(cut(text, chars * 4)), chars)
}

fn ellipsis(text: &str, chars: usize) -> String {
    let kept = cut(text, chars);
    if kept.len() == text.len() { text.to_owned() } else { format!("{}…", kept.trim_end()) }
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How long ago, in its largest whole unit up to days.
pub(super) fn age(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes}m ago"),
        60..2880 => format!("{}h ago", minutes / 60),
        _ => format!("{}d ago", minutes / (60 * 24)),
    }
}
