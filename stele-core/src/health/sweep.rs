//! The sweep: asks a judge about every retirement and, if asked to, brings back what was wrongly buried.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::judge::{Judged, Retirement, Verdict, built_in_judge};
use super::shape::shape;
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::text::fold_space;
use crate::record::edge::{Edge, Evidence, Found};
use crate::record::evidence::holds;
use crate::record::node::{Content, State};
use crate::record::operation::Operation;
use crate::record::reader::Snapshot;
use crate::record::recorder::Recorder;

/// A host's judge.
pub(crate) type Judge<'j> = &'j mut dyn FnMut(&Retirement) -> Verdict;

/// One retirement with what was said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// What retires the other.
    pub newer: NodeId,
    /// What is retired.
    pub older: NodeId,
    /// What the judge said.
    pub verdict: Verdict,
    /// Why, in words.
    pub why: String,
    /// True if the retirement was turned into `relates-to`.
    pub demoted: bool,
}

/// What a sweep found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sweep {
    /// Every retirement, in the order of newer, then older number.
    pub judgements: Vec<Judgement>,
}

impl Sweep {
    /// The retirements of which the judge said so.
    pub fn with(&self, verdict: Verdict) -> impl Iterator<Item = &Judgement> {
        self.judgements.iter().filter(move |judgement| judgement.verdict == verdict)
    }
}

/// Judges every retirement of a snapshot; nothing is changed.
pub(crate) fn judge_all(snapshot: &Snapshot, mut judge: Option<Judge<'_>>) -> Result<Sweep> {
    let mut edges = snapshot.retirements()?;
    edges.sort_by_key(|edge| (edge.from.number, edge.to.number));
    let mut sweep = Sweep::default();
    for edge in edges {
        let Some(retirement) = retirement(snapshot, &edge)? else { continue };
        let (verdict, why) = match &mut judge {
            // A judge that panics has said nothing.
            Some(host) => match catch_unwind(AssertUnwindSafe(|| host(&retirement))) {
                Ok(verdict) => (verdict, "the host's judge".to_owned()),
                Err(_) => (Verdict::Unsure, "the host's judge panicked".to_owned()),
            },
            None => (built_in_judge(&retirement), reading(&retirement)),
        };
        sweep.judgements.push(Judgement { newer: edge.from, older: edge.to, verdict, why, demoted: false });
    }
    Ok(sweep)
}

/// Turns the retirements that failed into mere connections, each an operation of its own with the verdict in it.
pub(crate) fn apply(sweep: &mut Sweep, recorder: &Recorder<'_>) -> Result<()> {
    for judgement in sweep.judgements.iter_mut().filter(|judgement| judgement.verdict == Verdict::Fails) {
        let why = format!("sweep: {}; {}", judgement.verdict, judgement.why);
        match recorder.demote(&judgement.newer.to_string(), &judgement.older.to_string(), &why) {
            Ok(()) => judgement.demoted = true,
            // Somebody else took it away since it was judged.
            Err(error) if error.code() == Code::UnknownEdge => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What the built-in judge read.
fn reading(retirement: &Retirement) -> String {
    match (&retirement.evidence, retirement.verbatim) {
        (None, _) => "there is no evidence".to_owned(),
        (_, None) => "where the evidence was found cannot be read again".to_owned(),
        (_, Some(false)) => "the evidence stands in neither text".to_owned(),
        (Some(evidence), Some(true)) => format!("the evidence reads as {}, the reason as {}", shape(evidence), shape(&retirement.reason)),
    }
}

fn retirement(snapshot: &Snapshot, edge: &Edge) -> Result<Option<Retirement>> {
    let missing = || Error::new(Code::Damaged, format!("sweep: an end of {} supersedes {} is not there", edge.from, edge.to));
    let mut ends = Vec::new();
    for end in [edge.from, edge.to] {
        let (content, node) = snapshot.content(end.number)?.ok_or_else(missing)?;
        ends.push((Judged { id: node.id, title: content.title.clone(), body: content.body.clone() }, content, node.state));
    }
    // A tombstone has nothing to come back as.
    if ends[1].2 == State::Archived && snapshot.is_purged(edge.to.number)? {
        return Ok(None);
    }
    let contents = [&ends[0].1, &ends[1].1];
    let verbatim = match &edge.evidence {
        Some(evidence) => verbatim(snapshot, evidence, contents)?,
        None => None,
    };
    let (newer, older) = (ends[0].0.clone(), ends[1].0.clone());
    let evidence = edge.evidence.as_ref().map(|evidence| evidence.quote.clone());
    Ok(Some(Retirement { newer, older, reason: edge.reason.clone(), evidence, verbatim }))
}

/// Whether evidence still stands where it was found, or elsewhere in either text; `None` where that cannot be read.
fn verbatim(snapshot: &Snapshot, evidence: &Evidence, ends: [&Content; 2]) -> Result<Option<bool>> {
    let quote = fold_space(&evidence.quote);
    if ends.iter().any(|content| holds(content, &quote)) {
        return Ok(Some(true));
    }
    Ok(match &evidence.found {
        Found::Node { number, .. } | Found::Quote { number, .. } => Some(stood(snapshot, *number, &quote)?),
        Found::Text { .. } | Found::Unverified => None,
    })
}

/// True if any revision of a node held the line.
fn stood(snapshot: &Snapshot, number: u64, quote: &str) -> Result<bool> {
    let operations = snapshot.changes_of(number)?;
    let said = |operation: &Operation| operation.change.content().is_some_and(|(owner, content)| owner == number && holds(content, quote));
    Ok(operations.iter().any(said))
}
