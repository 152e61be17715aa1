//! From a prompt to a retrieval: named nodes and seeds, the walk, the risks on the path, the window.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::candidate::{Candidate, LastOrder, Way};
use super::entries::{Body, entry, pairs, pointer};
use super::fold::Likeness;
use super::meant::Meant;
use super::named::Named;
use super::nodes::Nodes;
use super::result::{CalloutLine, Gap, GapKind, Retrieval, Role, Status};
use super::risks::on_path;
use super::seeds::{Found, Seed, gap, seeds};
use super::source::Source;
use super::walk::{Reach, Start, walk};
use super::window::{Frame, Window, fill};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::index::view::View;
use crate::record::reader::{Brief, Snapshot};
use crate::record::session::SessionState;

/// Where the best hit states what the prompt says, the share of its score that another must have to be a seed: what is
/// plainly meant needs its neighbours more than it needs company.
const LEAST_OF_BEST: f32 = 0.6;
/// The share of the best hit's score that another must have to state the prompt as well: of many hits that hold all its
/// words, those that only mention them stand behind what an edge joins to the best.
const ALSO_STATED: f32 = 0.7;
/// Nodes that were walked to and are put in order whatever the time.
const ORDERED_LATE: usize = 512;
/// Nodes that become candidates between two looks at the deadline.
const STRIDE: usize = 64;
/// Passages of a document that is read whatever the time; they hold about as much as a fact may.
const READ_LATE: u64 = 64;

/// What is looked up and how much of it is wanted.
pub(crate) struct Ask<'a> {
    pub(crate) named: Named,
    pub(crate) found: Found,
    /// Searches once more for more hits, for a record that says the same thing many times.
    pub(crate) wider: &'a dyn Fn() -> Result<Found>,
    /// Most seeds.
    pub(crate) seeds: usize,
    /// True if a hit is a seed however far it is behind one that states what is asked.
    pub(crate) company: bool,
    pub(crate) hops: u32,
    pub(crate) cap: usize,
    /// False if only callouts and what is named may come.
    pub(crate) ranked: bool,
    pub(crate) session: Option<&'a SessionState>,
    /// What was searched, if anything was.
    pub(crate) view: Option<&'a View>,
    pub(crate) walk_budget: Duration,
    pub(crate) deadline: Deadline,
}

/// A retrieval in which nothing stands yet.
pub(crate) fn bare(snapshot: Option<&Snapshot>, source: &dyn Source, status: Status) -> Retrieval {
    let now = snapshot.map_or_else(|| source.now(), Snapshot::now);
    let mut nothing = Retrieval::nothing(status, now);
    nothing.stats.head = snapshot.map_or(0, Snapshot::head);
    nothing
}

/// Looks up. Running out of time gives what there is, and says so.
pub(crate) fn find(source: &dyn Source, snapshot: &Snapshot, mut ask: Ask<'_>) -> Result<Retrieval> {
    let mut nodes = Nodes::of(source, snapshot);
    let mut likeness = Likeness::new(ask.view, ask.deadline);
    let mut retrieval = bare(Some(snapshot), source, Status::Found);
    retrieval.stats.postings = ask.found.postings;
    retrieval.stats.vectors = ask.found.vectors;
    let late_search = !ask.found.gaps.is_empty() || ask.named.cut;
    retrieval.gaps.clone_from(&ask.found.gaps);
    if ask.named.cut {
        retrieval.gaps.push(gap(GapKind::Walk, "time ran out before all that is named was looked up"));
    }
    retrieval.corrected = ask.named.corrected;

    // What comes now is bounded by counts, and is worth more than the instant it takes.
    snapshot.lift_deadline();
    let named = ask.named.numbers;
    let terms = std::mem::take(&mut ask.found.terms);
    let by_words: Vec<u64> = ask.found.fused.iter().filter(|hit| hit.text_rank.is_some()).map(|hit| hit.number).collect();
    nodes.read_briefs(named.iter().copied())?;
    let mut choose = |found: Found| {
        let mut fused = found.fused;
        let best = fused.first().filter(|best| best.stated).map_or(0.0, |best| best.score);
        fused.retain(|hit| hit.telling && (ask.company || hit.score >= best * LEAST_OF_BEST));
        fused.iter_mut().for_each(|hit| hit.stated &= hit.score >= best * ALSO_STATED);
        seeds(&mut nodes, &mut likeness, &fused, ask.seeds, &named, ask.deadline)
    };
    let full = ask.found.full;
    let mut seeds = choose(ask.found)?;
    if full && seeds.len() < ask.seeds && seeds.iter().any(|seed| !seed.folded.is_empty()) && !ask.deadline.expired() {
        seeds = choose((ask.wider)()?)?;
    }
    let starts = starts(&named, &seeds);
    // What is reached has to be put in order too, which takes about a third as long.
    let walking = Deadline::after(ask.walk_budget).or_sooner(ask.deadline.quarters(3));
    snapshot.hold_deadline();
    let mut walked = walk(&mut nodes, &starts, ask.hops, walking)?;
    walked.note_found(&by_words);
    let (risks, risks_cut) = on_path(&mut nodes, &starts, walking)?;
    snapshot.lift_deadline();

    let meant = Meant::of(source, &nodes, &terms, &seeds, &walked);
    let last = LastOrder::new(ask.session.map_or(&[], |session| &session.last_order));
    let frame = Frame { cap: ask.cap, ranked: ask.ranked, session: ask.session, last, deadline: ask.deadline };
    let Gathered { candidates, callouts, cut } = gather(&mut nodes, &frame, &named, &seeds, &meant, walked.reached, &risks)?;
    let found_any = !candidates.is_empty() || !callouts.is_empty();
    let window = fill(&mut nodes, &mut likeness, &frame, candidates, callouts)?;

    note_gaps(&mut retrieval.gaps, &window, walked.left, walked.cut || risks_cut || cut || window.cut || likeness.cut);
    show(&mut nodes, &window, ask.deadline, &mut retrieval)?;
    (retrieval.stats.nodes, retrieval.stats.edges, retrieval.stats.texts) = (nodes.nodes_read, nodes.edges_read, nodes.texts_read);
    retrieval.stats.embedded = likeness.embedded;
    if retrieval.entries.is_empty() && retrieval.callouts.is_empty() {
        retrieval.status = match () {
            () if window.served => Status::Served,
            // What was found is retired, and there was no time to look for what holds now.
            () if window.cut => Status::Late,
            () if found_any => Status::Abstained,
            // The search by words is cut off by time alone, which may have been kept for what comes after it.
            () if late_search && (ask.deadline.expired() || retrieval.gaps.iter().any(|gap| gap.kind == GapKind::Text)) => Status::Late,
            () if snapshot.is_empty()? => Status::Empty,
            () => Status::Abstained,
        };
    }
    Ok(retrieval)
}

/// Puts into a retrieval what stands in a window. Long documents that are not read by the deadline come with their titles.
pub(crate) fn show(nodes: &mut Nodes<'_>, window: &Window, deadline: Deadline, retrieval: &mut Retrieval) -> Result<()> {
    let is_short = |candidate: &&Candidate| candidate.brief.units <= READ_LATE;
    let shown = || window.entries.iter().chain(&window.callouts);
    nodes.read_texts(&shown().filter(is_short).map(Candidate::number).collect::<Vec<_>>())?;
    nodes.read_names(&shown().map(Candidate::number).collect::<Vec<_>>())?;
    let mut unread = 0;
    for candidate in &window.entries {
        let in_time = is_short(&candidate) || nodes.has_text(candidate.number()) || !deadline.expired();
        unread += u64::from(!in_time);
        retrieval.entries.push(entry(nodes, candidate, if in_time { Body::Read } else { Body::Left })?);
    }
    for candidate in &window.callouts {
        retrieval.callouts.push(entry(nodes, candidate, Body::Read)?);
    }
    if unread > 0 {
        let note = format!("documents shown by their titles, for time ran out: {unread}");
        retrieval.gaps.push(Gap { kind: GapKind::Bodies, count: unread, note });
    }
    for candidate in &window.lines {
        if let (Some(risk), Some(via), Some(from)) = (pointer(nodes, candidate.number())?, candidate.via, candidate.from)
            && let Some(from) = pointer(nodes, from)?
        {
            retrieval.callout_lines.push(CalloutLine { risk, via, from: from.id });
        }
    }
    retrieval.conflicts = pairs(retrieval.entries.iter().chain(&retrieval.callouts));
    Ok(())
}

/// Where the walk starts: at what is named, then at the seeds and at what they stand for.
fn starts(named: &[u64], seeds: &[Seed]) -> Vec<Start> {
    let mut starts: Vec<Start> = named.iter().map(|number| Start { number: *number, rank: 0 }).collect();
    for seed in seeds {
        for number in seed.numbers().filter(|number| !named.contains(number)) {
            starts.push(Start { number, rank: seed.rank });
        }
    }
    starts
}

/// What has come together for a window, by number.
struct Gathered {
    candidates: BTreeMap<u64, Candidate>,
    callouts: BTreeMap<u64, Candidate>,
    /// True if time ran out.
    cut: bool,
}

/// Everything that was found as candidates, and the risks on the path as callouts, which leave the list. Where time runs
/// out, only the nearest of what was walked to are among them.
fn gather(
    nodes: &mut Nodes<'_>,
    frame: &Frame<'_>,
    named: &[u64],
    seeds: &[Seed],
    meant: &Meant,
    reached: BTreeMap<u64, Reach>,
    risks: &BTreeMap<u64, Reach>,
) -> Result<Gathered> {
    let mut candidates: BTreeMap<u64, Candidate> = BTreeMap::new();
    for number in named {
        if let Some(brief) = nodes.brief(*number)? {
            candidates.insert(*number, matched(nodes, frame, brief, Role::Named, None));
        }
    }
    // A near-duplicate stands for the seed that it was taken together with.
    let mut stands: HashMap<u64, u64> = HashMap::new();
    for seed in seeds {
        seed.numbers().for_each(|number| {
            stands.insert(number, seed.brief.number);
        });
        let number = seed.brief.number;
        let role = if candidates.contains_key(&number) { Role::Named } else { Role::Seed };
        let mut candidate = matched(nodes, frame, Arc::clone(&seed.brief), role, Some(seed.rank));
        candidate.stand_in(meant.tier_of(seed));
        candidate.ordinal = seed.ordinal;
        candidate.folded.clone_from(&seed.folded);
        candidates.insert(number, candidate);
    }
    let mut reached: Vec<(u64, Reach)> = reached.into_iter().collect();
    let (mut gathering, mut cut) = (Deadline::NEVER, false);
    if reached.len() > ORDERED_LATE {
        // To give places takes about as long as to make candidates. Should time end here, the nearest are among them.
        gathering = frame.deadline.quarters(2);
        reached.sort_unstable_by_key(|(number, reach)| (reach.hops, reach.rank, *number));
    }
    for (nth, (number, reach)) in reached.into_iter().enumerate() {
        if nth >= ORDERED_LATE && nth.is_multiple_of(STRIDE) && gathering.expired() {
            cut = true;
            break;
        }
        if let Some(brief) = nodes.brief(number)? {
            candidates.entry(number).or_insert_with(|| {
                let mut candidate = walked(nodes, frame, brief, reach);
                candidate.stand_in(meant.tier_beside(number));
                candidate
            });
        }
    }
    let mut callouts: BTreeMap<u64, (Candidate, Reach)> = BTreeMap::new();
    for (number, reach) in risks {
        let stand = stands.get(number).copied().unwrap_or(*number);
        let from = stands.get(&reach.from).copied().unwrap_or(reach.from);
        if named.contains(&stand) || from == stand {
            continue;
        }
        let Some(brief) = nodes.brief(stand)? else { continue };
        if callouts.get(&stand).is_none_or(|(_, held)| reach.beats(held)) {
            let mut callout = walked(nodes, frame, brief, *reach);
            callout.role = Role::Callout;
            callouts.insert(stand, (callout, *reach));
        }
    }
    for (number, (callout, _)) in &mut callouts {
        if let Some(listed) = candidates.remove(number) {
            (callout.seed_rank, callout.folded) = (listed.seed_rank, listed.folded);
        }
    }
    Ok(Gathered { candidates, callouts: callouts.into_iter().map(|(number, (callout, _))| (number, callout)).collect(), cut })
}

/// A candidate that the prompt names or search found.
fn matched(nodes: &Nodes<'_>, frame: &Frame<'_>, brief: Arc<Brief>, role: Role, seed_rank: Option<u32>) -> Candidate {
    let way = Way { role, edge: None, hops: 0, seed_rank, rank: seed_rank.unwrap_or(u32::MAX), support: 0, found: u32::MAX };
    Candidate::new(&nodes.table, &frame.last, brief, way)
}

/// A candidate that an edge leads to.
fn walked(nodes: &Nodes<'_>, frame: &Frame<'_>, brief: Arc<Brief>, reach: Reach) -> Candidate {
    let Reach { via, from, hops, rank, support, found, .. } = reach;
    let way = Way { role: Role::Walked, edge: Some((via, from)), hops, seed_rank: None, rank, support, found };
    Candidate::new(&nodes.table, &frame.last, brief, way)
}

/// Says that a session's tokens are used up.
pub(crate) fn used_up_gap() -> Gap {
    gap(GapKind::Session, "the session's tokens for the record are used up: only what is named and risks on the path are shown")
}

/// Notes what a window left out.
pub(crate) fn note_gaps(gaps: &mut Vec<Gap>, window: &Window, edges: u64, cut: bool) {
    if cut {
        gaps.push(gap(GapKind::Walk, "time ran out during the walk"));
    }
    let counted = [
        (GapKind::Edges, edges, "edges not followed at nodes with many"),
        (GapKind::Named, window.named_left, "named nodes that did not fit"),
        (GapKind::Entries, window.left, "entries that did not fit"),
        (GapKind::Callouts, window.callouts_left, "risks not shown in full"),
    ];
    for (kind, count, what) in counted {
        if count > 0 {
            gaps.push(Gap { kind, count, note: format!("{what}: {count}") });
        }
    }
}
