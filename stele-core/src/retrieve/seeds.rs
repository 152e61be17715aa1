//! Seeds: the two searches over one view, fused, and the best of them with near-duplicates taken together.

use std::borrow::Cow;
use std::sync::Arc;

use super::at_once::{at_once, is_worth_it};
use super::fold::Likeness;
use super::fuse::{Bar, Fused, bears, fuse};
use super::nodes::Nodes;
use super::result::{Gap, GapKind};
use super::source::Source;
use crate::base::error::Result;
use crate::base::node_set::NodeSet;
use crate::base::terms::QueryTerm;
use crate::base::time::Deadline;
use crate::index::text::{TextHits, TextQuery};
use crate::index::vectors::VectorHits;
use crate::index::view::View;
use crate::record::reader::{Brief, Snapshot};

/// A prompt longer than twice this many bytes is embedded by its beginning and its end.
const EMBEDDED_WINDOW: usize = 2_000;

/// A prompt of more distinct words than this, or of more bytes than the next, is pasted: a trace, a diff. What it is about
/// is in a few of its words, so it is not weighed as a whole.
const PASTED_TERMS: usize = 40;
const PASTED_BYTES: usize = 1_000;

/// How many hits each search gives; 0 leaves it out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    pub(crate) text: usize,
    pub(crate) meaning: usize,
}

/// What both searches found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) fused: Vec<Fused>,
    /// What was searched for by words.
    pub(crate) terms: Vec<QueryTerm>,
    pub(crate) gaps: Vec<Gap>,
    /// True if a search gave as many hits as it was asked for, so that there may be more.
    pub(crate) full: bool,
    pub(crate) postings: u64,
    pub(crate) vectors: u64,
}

/// Searches by words and by meaning among the allowed nodes.
///
/// # Errors
/// Only what says that the text index cannot be used; running out of time and a failing embedder are gaps.
pub(crate) fn search(source: &dyn Source, view: &View, query: &str, allowed: &NodeSet, channels: Channels, deadline: Deadline) -> Result<Found> {
    search_behind(source, view, query, allowed, &NodeSet::new(), channels, deadline)
}

/// As [`search`], where some nodes come after others that a search finds equally good.
pub(crate) fn search_behind(
    source: &dyn Source,
    view: &View,
    query: &str,
    allowed: &NodeSet,
    behind: &NodeSet,
    channels: Channels,
    deadline: Deadline,
) -> Result<Found> {
    let mut found = Found::default();
    let terms = if channels.text > 0 { source.keeping().terms(query) } else { Vec::new() };
    let words = TextQuery { terms, limit: channels.text };
    let by_words = || {
        let nothing = || Ok(TextHits { complete: true, ..TextHits::default() });
        if channels.text > 0 { view.search_text(&words, allowed, deadline) } else { nothing() }
    };
    let by_meaning = || by_meaning(source, view, query, allowed, channels.meaning, deadline);
    let both_long = channels.text > 0 && channels.meaning > 0 && is_worth_it(allowed.bound());
    let (text, (mut meaning, common, missed)) = if both_long { at_once(by_words, by_meaning) } else { (by_words(), by_meaning()) };
    let mut text = text?;
    found.postings = text.visited;
    if view.partial {
        found.gaps.push(gap(GapKind::Text, "time ran out before all of the record could be searched"));
    } else if !text.complete {
        found.gaps.push(gap(GapKind::Text, "time ran out during the search by words"));
    }
    found.gaps.extend(missed);
    let (weight, floor) = view.embedder.as_ref().filter(|_| channels.meaning > 0).map_or((0.0, 1.0), |embedder| (embedder.weight(), embedder.floor()));
    found.vectors = meaning.visited;
    text.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| behind.contains(a.number).cmp(&behind.contains(b.number))));
    meaning.hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| behind.contains(a.number).cmp(&behind.contains(b.number))));
    found.full = (channels.text > 0 && text.hits.len() >= channels.text) || (channels.meaning > 0 && meaning.hits.len() >= channels.meaning);
    found.fused = fuse(&text, &meaning.hits, channels.meaning, weight, floor);
    let pasted = words.terms.len() > PASTED_TERMS || query.len() > PASTED_BYTES;
    if !pasted && !bears(&text, &meaning.hits, channels.meaning, Bar::of(floor, common)) && !shares_code(view, &words.terms, allowed, deadline)? {
        found.fused.iter_mut().for_each(|hit| hit.telling = false);
    }
    found.terms = words.terms;
    Ok(found)
}

/// The hits by meaning, how near the query lies to what is written everywhere, and why there may be more hits.
fn by_meaning(source: &dyn Source, view: &View, query: &str, allowed: &NodeSet, limit: usize, deadline: Deadline) -> (VectorHits, Option<f32>, Option<Gap>) {
    let nothing = VectorHits { hits: Vec::new(), complete: true, visited: 0 };
    let Some(embedder) = view.embedder.as_ref().filter(|_| limit > 0) else { return (nothing, None, None) };
    match source.embed(embedder, &embedded_part(query), deadline) {
        Ok(vector) => {
            let found = view.search_vectors(&vector, allowed, limit, deadline);
            let missed = !found.complete || view.partial;
            let missed = missed.then(|| gap(GapKind::Meaning, "the search by meaning did not look at everything"));
            (found, embedder.nearness_to_common(&vector), missed)
        }
        Err(why) => (nothing, None, Some(gap(GapKind::Meaning, &format!("no search by meaning: {why}")))),
    }
}

/// True if a rare identifier, number or error code of the query stands in the record: that is never by chance.
fn shares_code(view: &View, terms: &[QueryTerm], allowed: &NodeSet, deadline: Deadline) -> Result<bool> {
    let is_code = |term: &&QueryTerm| term.text.chars().any(|c| c.is_numeric() || c == '_' || c == '/') && term.text.chars().any(char::is_alphabetic);
    let terms: Vec<QueryTerm> = terms.iter().filter(is_code).cloned().collect();
    Ok(!terms.is_empty() && view.search_text(&TextQuery { terms, limit: 1 }, allowed, deadline)?.hits.iter().any(|hit| hit.rare))
}

/// A gap that cannot be counted.
pub(crate) fn gap(kind: GapKind, note: &str) -> Gap {
    Gap { kind, count: 0, note: note.to_owned() }
}

fn embedded_part(prompt: &str) -> Cow<'_, str> {
    if prompt.len() <= 2 * EMBEDDED_WINDOW {
        return prompt.into();
    }
    let (head, tail) = (prompt.floor_char_boundary(EMBEDDED_WINDOW), prompt.ceil_char_boundary(prompt.len() - EMBEDDED_WINDOW));
    format!("{}\n{}", &prompt[..head], &prompt[tail..]).into()
}

/// What search may find: every node but rules that are only proposed, which never seed.
pub(crate) fn seedable(snapshot: &Snapshot) -> Result<NodeSet> {
    let mut allowed = NodeSet::up_to(snapshot.last_number()?);
    for number in snapshot.provisional()? {
        allowed.remove(number);
    }
    Ok(allowed)
}

/// A seed: a node that search found, with the near-duplicates that it stands for.
pub(crate) struct Seed {
    pub(crate) brief: Arc<Brief>,
    pub(crate) ordinal: u32,
    /// Its place from 1.
    pub(crate) rank: u32,
    /// True if it holds nearly every word that the prompt says.
    pub(crate) stated: bool,
    /// Near-duplicates of it that were found as well.
    pub(crate) folded: Vec<u64>,
}

impl Seed {
    /// The seed and what it stands for.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.brief.number).chain(self.folded.iter().copied())
    }
}

/// The best `limit` seeds of what was found, each with its near-duplicates; the newest of them stands for all.
///
/// Taking near-duplicates together comes before the cut, so that fifty ways to say one thing leave room for another.
/// `apart` are nodes that stand for themselves whatever they are like. Past the deadline no further hit is looked at.
pub(crate) fn seeds(nodes: &mut Nodes<'_>, likeness: &mut Likeness<'_>, fused: &[Fused], limit: usize, apart: &[u64], deadline: Deadline) -> Result<Vec<Seed>> {
    let mut seeds: Vec<Seed> = Vec::new();
    nodes.read_briefs(fused.iter().take(limit).map(|hit| hit.number))?;
    for (nth, hit) in fused.iter().enumerate() {
        if nth > limit && deadline.expired() {
            break;
        }
        let Some(brief) = nodes.brief(hit.number)?.filter(|brief| brief.searched) else { continue };
        let alone = apart.contains(&hit.number);
        let mut like = None;
        for (at, seed) in seeds.iter().enumerate() {
            if !alone && !apart.contains(&seed.brief.number) && likeness.one(nodes, (&seed.brief, &seed.folded), (&brief, &[]))? {
                like = Some(at);
                break;
            }
        }
        if let Some(at) = like {
            let seed = &mut seeds[at];
            if is_newer(&brief, &seed.brief) {
                seed.folded.push(seed.brief.number);
                (seed.brief, seed.ordinal) = (brief, hit.ordinal);
            } else {
                seed.folded.push(brief.number);
            }
            continue;
        }
        if seeds.len() == limit {
            break;
        }
        #[expect(clippy::cast_possible_truncation, reason = "seeds are few")]
        let rank = seeds.len() as u32 + 1;
        seeds.push(Seed { brief, ordinal: hit.ordinal, rank, stated: hit.stated, folded: Vec::new() });
    }
    Ok(seeds)
}

/// True if a node came to be after another.
pub(crate) fn is_newer(a: &Brief, b: &Brief) -> bool {
    (a.created_ms, a.number) > (b.created_ms, b.number)
}
