//! Fitting a retrieval into its limit: which bodies are cut, and what leaves when titles alone are too long.
//!
//! Without a token limit, the body of an entry that was not named is cut at 1,200 characters (in a briefing, every
//! body at 300). With one:
//! 1. Every entry has a place for its head line and its notes first.
//! 2. What is left goes to the bodies: those of callouts and named entries first, then the others. Within each of the
//!    two no body gets more than an equal share while another wants it, so that one long body takes no other's place.
//!    If a share would be too small to say anything, the last entry loses its body and the shares grow.
//! 3. If not even the head lines fit, entries leave from the end, then risks of one line, then named entries, then
//!    callouts. What replaced a named one leaves after it, an entry or a risk of one line. What left is counted in the gaps.
//!
//! The estimator counts line by line, so the sum of the blocks is exactly what the text counts; a host's counter need not.

use super::text::{View, block, block_tokens, callout_line, frame_tokens, left_out, render_text, shown_body, text_tokens};
use crate::base::config::ENTRY_BODY_CHARS;
use crate::base::id::NodeId;
use crate::base::text::cut;
use crate::base::tokens::TokenCounter;
use crate::retrieve::counted::Counted;
use crate::retrieve::result::{Detail, Entry, Gap, GapKind, Retrieval, Role, Status};

/// Longest body in a briefing without a token limit, in characters.
const BRIEFING_BODY_CHARS: usize = 300;
/// Smallest share of a cut body that is worth its place, in estimated tokens.
const MIN_SHARE: usize = 24;

/// Cuts and drops until the text form keeps the limit, counts what was cut in the gaps, and sets each entry's tokens.
pub(crate) fn fit(retrieval: &mut Retrieval) {
    if retrieval.status == Status::Found {
        match retrieval.max_tokens {
            Some(limit) if retrieval.counter.is_host() => fit_counted(retrieval, limit),
            Some(limit) => fit_tokens(retrieval, limit),
            None => fit_chars(retrieval),
        }
    }
    let (view, counter) = (View::of(retrieval), retrieval.counter.clone());
    let mut text = String::new();
    let mut blocks = 0;
    for entry in retrieval.entries.iter_mut().chain(&mut retrieval.callouts) {
        entry.tokens = block_tokens(entry, view, &counter, &mut text);
        blocks += entry.tokens;
    }
    retrieval.tokens = if counter.is_host() { counter.count(&render_text(retrieval)) } else { text_tokens(retrieval, blocks) };
    if let Some(fault) = counter.fault() {
        retrieval.gaps.push(Gap { kind: GapKind::Tokens, count: 0, note: fault.to_owned() });
    }
}

/// Fits as a host counts. What its blocks count may add up to less than the text, which then has to be fitted into less; in
/// the end into nothing.
fn fit_counted(retrieval: &mut Retrieval, limit: usize) {
    let whole = retrieval.clone();
    for eighths in (0..=8).rev().step_by(2) {
        *retrieval = whole.clone();
        fit_tokens(retrieval, limit.saturating_mul(eighths) / 8);
        if !render_text(retrieval).is_empty() {
            return;
        }
    }
}

fn fit_chars(retrieval: &mut Retrieval) {
    let briefing = retrieval.briefing;
    let limit = if briefing { BRIEFING_BODY_CHARS } else { ENTRY_BODY_CHARS };
    let mut bodies = 0;
    for entry in retrieval.entries.iter_mut().chain(&mut retrieval.callouts) {
        // A body that is short as it is stored is short as it is shown, but for the backslashes.
        let short = entry.body.len() <= limit || cut(&entry.body, limit).len() == entry.body.len();
        if short || entry.detail == Detail::Line || (entry.role == Role::Named && !briefing) {
            continue;
        }
        let shown = shown_body(entry, briefing).into_owned();
        let kept = cut(&shown, limit);
        if kept.len() < shown.len() {
            keep(entry, kept, &shown);
            bodies += 1;
        }
    }
    note(&mut retrieval.gaps, GapKind::Bodies, bodies);
}

/// What the fitting knows of one entry, in estimated tokens.
struct Cost {
    /// With its head line and notes only.
    line: usize,
    /// As it stands.
    full: usize,
    /// Goes first to the bodies, leaves last.
    first: bool,
}

fn fit_tokens(retrieval: &mut Retrieval, limit: usize) {
    let (view, counter) = (View::of(retrieval), retrieval.counter.clone());
    let tokens = |text: &str| counter.count(text);
    let lasting = lasting(retrieval);
    let cost =
        |entry: &Entry| Cost { line: tokens(&block(&as_line(entry, view), view)), full: tokens(&block(entry, view)), first: lasting.contains(&entry.id) };
    let mut costs: Vec<_> = retrieval.entries.iter().chain(&retrieval.callouts).map(cost).collect();
    let risks: Vec<_> = retrieval.callout_lines.iter().map(|line| tokens(&callout_line(line))).collect();
    let room = limit.saturating_sub(frame_tokens(&counter));
    let lines = costs.iter().map(|cost| cost.line).sum::<usize>() + risks.iter().sum::<usize>();
    // Where an entry had to leave, no body stays; what is left over goes to the line that tells of it.
    let mut left = room.saturating_sub(lines);
    if lines > room {
        drop_lines(retrieval, &mut costs, &risks, lines - room);
    } else {
        let missing = tokens(&left_out(&retrieval.corrected, &retrieval.gaps));
        left -= if missing <= left { missing } else { 0 };
    }
    let mut bodies = 0;
    for first in [true, false] {
        let at: Vec<_> = (0..costs.len()).filter(|&at| costs[at].first == first && costs[at].full > costs[at].line).collect();
        let wants: Vec<_> = at.iter().map(|&at| costs[at].full - costs[at].line).collect();
        for (at, share) in at.into_iter().zip(shares(&wants, left)) {
            let count = retrieval.entries.len();
            let entry = if at < count { &mut retrieval.entries[at] } else { &mut retrieval.callouts[at - count] };
            let Cost { line, full, .. } = costs[at];
            if share < full - line {
                let before = entry.cut_chars;
                cut_to(entry, line + share, view, &counter);
                bodies += u64::from(entry.cut_chars > before);
            }
            left -= tokens(&block(entry, view)).saturating_sub(line).min(left);
        }
    }
    note(&mut retrieval.gaps, GapKind::Bodies, bodies);
}

/// The entries that leave last: callouts, named ones and what replaced a named one.
fn lasting(retrieval: &Retrieval) -> Vec<NodeId> {
    let named: Vec<_> = retrieval.entries.iter().filter(|entry| entry.role == Role::Named).collect();
    let stays = |entry: &&Entry| {
        entry.role == Role::Named
            || named
                .iter()
                .any(|other| other.replaced_by.iter().any(|head| head.node.id == entry.id) || entry.replaces.iter().any(|old| old.node.id == other.id))
    };
    retrieval.entries.iter().filter(stays).chain(&retrieval.callouts).map(|entry| entry.id).collect()
}

/// Drops entries and risks until `over` tokens of head lines are gone.
fn drop_lines(retrieval: &mut Retrieval, costs: &mut Vec<Cost>, risks: &[usize], over: usize) {
    let count = retrieval.entries.len();
    // The order of leaving: positions of entries, then risks of one line, behind all others, then the lasting ones from the end.
    let others = (0..count).rev().filter(|&at| !costs[at].first);
    let lasting = (0..count).rev().filter(|&at| costs[at].first);
    let callouts = (count..costs.len()).rev();
    let replaced_a_lasting_one = |at: &usize| {
        let risk = retrieval.callout_lines[at - costs.len()].risk.id;
        retrieval.entries.iter().zip(costs.iter()).any(|(entry, cost)| cost.first && entry.replaced_by.iter().any(|head| head.node.id == risk))
    };
    let (heads, lines): (Vec<_>, Vec<_>) = (costs.len()..costs.len() + risks.len()).rev().partition(replaced_a_lasting_one);
    let order: Vec<usize> = others.chain(lines).chain(lasting).chain(heads).chain(callouts).collect();
    let mut freed = 0;
    let mut gone = vec![false; costs.len() + risks.len()];
    let (mut entries, mut named, mut called) = (0, 0, 0);
    for at in order {
        if freed >= over {
            break;
        }
        freed += costs.get(at).map_or_else(|| risks[at - costs.len()], |cost| cost.line);
        gone[at] = true;
        match retrieval.entries.get(at).map(|entry| entry.role) {
            None => called += 1,
            Some(Role::Named) => named += 1,
            Some(_) => entries += 1,
        }
    }
    let stay = |from: usize| {
        let gone = &gone;
        let mut at = from;
        move || {
            at += 1;
            !gone[at - 1]
        }
    };
    let (mut entry_stays, mut callout_stays, mut line_stays, mut cost_stays) = (stay(0), stay(count), stay(costs.len()), stay(0));
    retrieval.entries.retain(|_| entry_stays());
    retrieval.callouts.retain(|_| callout_stays());
    retrieval.callout_lines.retain(|_| line_stays());
    costs.retain(|_| cost_stays());
    let shown: Vec<_> = retrieval.entries.iter().chain(&retrieval.callouts).map(|entry| entry.id).collect();
    retrieval.conflicts.retain(|(a, b)| shown.contains(a) && shown.contains(b));
    note(&mut retrieval.gaps, GapKind::Entries, entries);
    note(&mut retrieval.gaps, GapKind::Named, named);
    note(&mut retrieval.gaps, GapKind::Callouts, called);
}

/// How `left` is shared among bodies that want so much each: all of it, an equal share, or nothing.
fn shares(wants: &[usize], left: usize) -> Vec<usize> {
    let mut holders = wants.len();
    loop {
        let mut order: Vec<_> = (0..holders).collect();
        order.sort_by_key(|&at| (wants[at], at));
        let mut out = vec![0; wants.len()];
        let mut rest = left;
        for (done, &at) in order.iter().enumerate() {
            out[at] = wants[at].min(rest / (holders - done));
            rest -= out[at];
        }
        if (0..holders).all(|at| out[at] == wants[at] || out[at] >= MIN_SHARE) {
            return out;
        }
        holders -= 1;
    }
}

/// The entry with its head line and notes only.
fn as_line(entry: &Entry, view: View) -> Entry {
    let mut line = entry.clone();
    if line.detail != Detail::Line {
        keep(&mut line, "", &shown_body(entry, view.briefing));
    }
    line
}

/// Shortens the body so that the block counts at most `limit`, at white space if there is any.
fn cut_to(entry: &mut Entry, limit: usize, view: View, counter: &TokenCounter) {
    let shown = shown_body(entry, view.briefing).into_owned();
    // What the block counts beside its body, at most: a cut body leaves out fewer characters than this, and may hold
    // an evidence line or a month that then need not stand beside it.
    let mut bare = entry.clone();
    keep(&mut bare, "", &shown);
    bare.detail = Detail::Cut;
    bare.body = ".".to_owned();
    let kept = counter.beginning(&shown, limit.saturating_sub(counter.count(&block(&bare, view))));
    keep(entry, if kept.trim().is_empty() { "" } else { kept }, &shown);
}

/// Keeps a part of the shown body; nothing kept makes it an entry of one line.
fn keep(entry: &mut Entry, kept: &str, shown: &str) {
    entry.cut_chars += shown[kept.len()..].chars().count();
    entry.detail = if kept.is_empty() { Detail::Line } else { Detail::Cut };
    entry.body = kept.to_owned();
    entry.counted = Counted::default();
}

/// Adds to the gap that says so.
fn note(gaps: &mut Vec<Gap>, kind: GapKind, count: u64) {
    if count == 0 {
        return;
    }
    let what = match kind {
        GapKind::Bodies => "bodies cut",
        GapKind::Named => "named nodes that did not fit",
        GapKind::Callouts => "risks not shown in full",
        _ => "entries that did not fit",
    };
    let at = gaps.iter().position(|gap| gap.kind == kind && gap.note.starts_with(what)).unwrap_or_else(|| {
        gaps.push(Gap { kind, count: 0, note: String::new() });
        gaps.len() - 1
    });
    let gap = &mut gaps[at];
    gap.count += count;
    gap.note = format!("{what}: {}", gap.count);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_equally_and_what_a_body_does_not_want_goes_to_the_others() {
        assert_eq!(shares(&[100, 10, 100], 90), [40, 10, 40]);
        assert_eq!(shares(&[10, 20], 90), [10, 20]);
        assert_eq!(shares(&[], 90), [0; 0]);
    }

    #[test]
    fn shares_too_small_to_say_anything_are_taken_from_the_end() {
        assert_eq!(shares(&[100; 5], 60), [30, 30, 0, 0, 0]);
        assert_eq!(shares(&[100, 5, 100], 30), [25, 5, 0]);
        assert_eq!(shares(&[100, 100], 20), [0, 0]);
    }
}
