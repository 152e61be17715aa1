//! Recall: the deliberate, deeper look at a question, rendered as a briefing.

use super::find::{Ask, bare, find};
use super::named::{candidates, resolve};
use super::options::RecallOptions;
use super::result::{Retrieval, Status};
use super::retriever::{Reading, WIDE, search_again};
use super::seeds::{Channels, search, seedable};
use super::source::Source;
use crate::base::config::WALK_BUDGET;
use crate::base::error::Result;
use crate::base::time::Deadline;

/// Looks a question up: more seeds, further hops and more entries than for a prompt, no gate, no session.
pub(crate) fn recall(source: &dyn Source, reading: Reading, question: &str, options: &RecallOptions) -> Result<Retrieval> {
    options.check()?;
    let deadline = Deadline::after(options.deadline);
    let late = || Retrieval { briefing: true, ..bare(None, source, Status::Late) };
    if deadline.expired() {
        return Ok(late());
    }
    let channels = Channels { text: options.seeds, meaning: options.seeds };
    let Some((snapshot, view, found)) = search_again(source, reading, options.now, question, channels, deadline)? else { return Ok(late()) };
    let named = resolve(&snapshot, &candidates(question))?;
    let wider = || search(source, &view, question, &seedable(&snapshot)?, WIDE, deadline);
    let ask = Ask {
        named,
        found,
        wider: &wider,
        seeds: 2 * options.seeds,
        company: true,
        hops: options.depth,
        cap: options.max_entries,
        ranked: true,
        session: None,
        view: Some(&view),
        walk_budget: WALK_BUDGET,
        deadline,
    };
    let mut retrieval = find(source, &snapshot, ask)?;
    retrieval.briefing = true;
    retrieval.stats.text_sequence = view.text_sequence();
    retrieval.stats.vector_sequence = view.vector_sequence();
    retrieval.stats.tail = view.tail;
    source.fit(&mut retrieval);
    Ok(retrieval)
}
