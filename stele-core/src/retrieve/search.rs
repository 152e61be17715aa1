//! Search: ranked hits among the nodes that pass a filter, without a walk.

use super::fuse::Fused;
use super::nodes::Nodes;
use super::options::{SearchMode, SearchOptions};
use super::result::Hit;
use super::seeds::{self, Channels, Found};
use super::source::Source;
use crate::base::error::Result;
use crate::base::node_set::NodeSet;
use crate::base::terms::Tokeniser;
use crate::base::text::cut;
use crate::base::time::Deadline;
use crate::index::view::View;
use crate::record::node::{Class, State};
use crate::record::reader::{Filter, Snapshot};

/// Longest snippet, in characters.
const SNIPPET_CHARS: usize = 200;
/// Hits that are told in full between two looks at the deadline.
const STRIDE: usize = 32;
/// How much of a text is looked through for a snippet, in characters.
const LOOKED_THROUGH: usize = 8_000;
/// Hits that each search gives to a fusion at least, so that a short list is fused from long ones.
const FUSED_FROM: usize = 100;

/// Finds the nodes that answer a query best.
pub(crate) fn search(source: &dyn Source, snapshot: &Snapshot, view: &View, query: &str, options: &SearchOptions, deadline: Deadline) -> Result<Vec<Hit>> {
    let filter = filter_of(snapshot, options)?;
    let mut allowed = if filter.is_open() { NodeSet::up_to(snapshot.last_number()?) } else { snapshot.passing(&filter)? };
    // What a rule said before it was replaced is no instruction; who wants it names it or asks for that state. Left out before
    // the cut, lest it take the place of what holds.
    let mut replaced = if options.states.is_none() { snapshot.replaced_rules()? } else { Vec::new() };
    replaced.retain(|number| allowed.contains(*number));
    replaced.iter().for_each(|number| allowed.remove(*number));
    let pool = options.limit.max(FUSED_FROM);
    let (text, meaning) = match options.mode {
        SearchMode::Hybrid => (pool, pool),
        SearchMode::Text => (options.limit, 0),
        SearchMode::Semantic => (0, options.limit),
    };
    let proposed: NodeSet = snapshot.provisional()?.into_iter().collect();
    let mut found = seeds::search_behind(source, view, query, &allowed, &proposed, Channels { text, meaning }, deadline)?;
    snapshot.lift_deadline();
    let mut nodes = Nodes::of(source, snapshot);
    let mut order = order(&mut found, options.mode);
    // Who asks for a node by its name alone means that node.
    let named = snapshot.resolve(query)?.map(|named| named.id.number).filter(|number| allowed.contains(*number) || replaced.contains(number));
    if let Some(named) = named {
        let at = order.iter().position(|hit| hit.number == named);
        let best = order.first().map_or(1.0, |hit| hit.score);
        let mut hit = at
            .map_or(Fused { number: named, ordinal: 0, score: 0.0, text_rank: None, semantic_rank: None, telling: true, stated: true }, |at| order.remove(at));
        hit.score = hit.score.max(best);
        order.insert(0, hit);
    }
    let mut snippets = Snippets::new(query);
    let mut hits = Vec::new();
    for fused in order {
        let late = hits.len() >= STRIDE && hits.len().is_multiple_of(STRIDE) && deadline.expired();
        if hits.len() == options.limit || late {
            break;
        }
        let Some(brief) = nodes.brief(fused.number)?.filter(|brief| brief.state != State::Archived) else { continue };
        let snippet = if brief.class == Class::Document {
            snippets.of(&nodes.piece(fused.number, fused.ordinal, || snapshot.body(fused.number).map(Into::into))?.text)
        } else {
            snapshot.units(fused.number)?.get(fused.ordinal as usize).map_or_else(String::new, |unit| snippets.of(&unit.body))
        };
        hits.push(Hit {
            id: brief.id(),
            aliases: snapshot.aliases(fused.number)?,
            kind: brief.class.kind(),
            category: brief.class.category(),
            state: brief.state,
            title: brief.title.clone(),
            score: fused.score,
            text_rank: fused.text_rank,
            semantic_rank: fused.semantic_rank,
            snippet,
        });
    }
    Ok(hits)
}

/// The hits that a search shows: by words all, by meaning alone only what is near the query, unless nothing else was asked.
fn order(found: &mut Found, mode: SearchMode) -> Vec<Fused> {
    let mut fused = std::mem::take(&mut found.fused);
    if mode == SearchMode::Hybrid {
        fused.retain(|hit| hit.text_rank.is_some() || hit.telling);
    }
    fused
}

fn filter_of(snapshot: &Snapshot, options: &SearchOptions) -> Result<Filter> {
    let classes = (options.kinds.is_some() || options.categories.is_some()).then(|| {
        let passes = |class: &Class| {
            options.kinds.as_ref().is_none_or(|kinds| kinds.contains(&class.kind()))
                && options.categories.as_ref().is_none_or(|categories| class.category().is_some_and(|category| categories.contains(&category)))
        };
        Class::ALL.into_iter().filter(passes).collect()
    });
    let component = options.component.as_deref().map(|reference| snapshot.require_component(reference)).transpose()?;
    Ok(Filter {
        classes,
        states: options.states.clone(),
        tags: options.tags.clone(),
        component: component.map(|component| component.number),
        since: options.since,
        until: options.until,
    })
}

/// Chooses from a text the line or sentence that shares most with a query.
struct Snippets {
    tokeniser: Tokeniser,
    terms: Vec<String>,
}

impl Snippets {
    fn new(query: &str) -> Self {
        let terms = crate::base::terms::query_terms(query, crate::base::terms::QUERY_TERMS).into_iter().map(|term| term.text).collect();
        Self { tokeniser: Tokeniser::new(), terms }
    }

    fn of(&mut self, text: &str) -> String {
        let text = cut(text, LOOKED_THROUGH);
        let (mut best, mut most) = (text.trim_start(), 0);
        for sentence in sentences(text) {
            let mut shared: Vec<usize> = Vec::new();
            let terms = &self.terms;
            self.tokeniser.each_term(sentence, &mut |term| {
                shared.extend(terms.iter().position(|wanted| wanted == term));
            });
            shared.sort_unstable();
            shared.dedup();
            if shared.len() > most {
                (best, most) = (sentence, shared.len());
            }
        }
        let folded = crate::base::text::fold_space(cut(best, SNIPPET_CHARS));
        folded.trim().to_owned()
    }
}

/// A text from each of its sentences or lines on to its end.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '.', '!', '?', '。']).filter(|sentence| !sentence.trim().is_empty()).map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_the_sentence_that_shares_most_and_at_most_two_hundred_characters() {
        let mut snippets = Snippets::new("rate limiter before auth");
        assert_eq!(snippets.of("Intro line.\nThe rate limiter sits before auth. More text."), "The rate limiter sits before auth.");
        assert_eq!(snippets.of(""), "");
        assert!(snippets.of(&"漢".repeat(1_000)).chars().count() <= SNIPPET_CHARS);
    }
}
