//! From candidates to entries: what a reader sees of a node and why it is there.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::candidate::Candidate;
use super::counted::Counted;
use super::nodes::Nodes;
use super::result::{Detail, Entry, Pointer, Replacement, Role};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::record::node::{Class, Detail as Kindly, State};

/// Most nodes that an entry says it replaced or was replaced by.
const MOST_REPLACED: usize = 20;

/// Whether the body of a node is read for its entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// The body, of a document that is not named the passage that answers best.
    Read,
    /// Nothing of it: the entry is a line.
    Left,
}

/// The entry of a candidate.
pub(crate) fn entry(nodes: &mut Nodes<'_>, candidate: &Candidate, wanted: Body) -> Result<Entry> {
    let number = candidate.number();
    let (text, left) = match wanted {
        Body::Read => (nodes.text(number)?.ok_or_else(|| gone(number))?, 0),
        Body::Left => nodes.snapshot.text_beside_body(number)?.map(|(text, left)| (Arc::new(text), left)).ok_or_else(|| gone(number))?,
    };
    let content = &text.content;
    let brief = &candidate.brief;
    let is_piece = matches!(content.detail, Kindly::Document) && candidate.role != Role::Named;
    let (passage, body) = if wanted == Body::Left {
        (String::new(), String::new())
    } else if is_piece {
        let piece = nodes.piece(number, candidate.ordinal, || Ok(content.body.as_str().into()))?;
        (piece.path.clone(), piece.text.clone())
    } else {
        (String::new(), content.searched_body().trim().to_owned())
    };
    let mut replaces = Vec::new();
    for (retired, edge) in candidate.replaces.iter().take(MOST_REPLACED) {
        replaces.push(replacement(nodes, *retired, *edge)?);
    }
    let mut replaced_by = Vec::new();
    for head in candidate.heads.iter().take(MOST_REPLACED) {
        replaced_by.push(replacement(nodes, head.number, head.edge)?);
    }
    let (mut folded, mut folded_revisions) = (Vec::new(), Vec::new());
    for number in candidate.folded.iter().collect::<BTreeSet<_>>() {
        if let Some(brief) = nodes.brief(*number)? {
            folded.push(brief.id());
            folded_revisions.push(brief.revision);
        }
    }
    let from = match candidate.from {
        Some(from) => pointer(nodes, from)?,
        None => None,
    };
    let (detail, body, cut_chars) = match wanted {
        Body::Left => (Detail::Line, body, usize::try_from(left).unwrap_or(usize::MAX)),
        Body::Read if candidate.line => (Detail::Line, String::new(), body.chars().count()),
        Body::Read => (Detail::Full, body, 0),
    };
    Ok(Entry {
        id: brief.id(),
        aliases: nodes.aliases(number)?,
        kind: brief.class.kind(),
        category: brief.class.category(),
        container: brief.class == Class::Container,
        state: brief.state,
        status: brief.status,
        title: content.title.clone(),
        body,
        passage,
        detail,
        cut_chars,
        role: candidate.role,
        score: candidate.score,
        hops: candidate.hops,
        via: candidate.via,
        from,
        seed_rank: candidate.seed_rank,
        replaces,
        replaced_by,
        conflicts: conflicts(nodes, candidate)?,
        folded,
        folded_revisions,
        claim: nodes.snapshot.claim_note(number, brief.status)?,
        tokens: 0,
        revision: text.revision,
        created_at: text.created_at,
        source: content.source.clone(),
        review_at: content.lifecycle.review_at,
        verified_at: text.verified_at,
        anchors: content.anchors.clone(),
        counted: if is_piece || wanted == Body::Left { Counted::default() } else { nodes.counted(number) },
    })
}

/// The live nodes that contradict a live node or one that it stands for.
fn conflicts(nodes: &mut Nodes<'_>, candidate: &Candidate) -> Result<Vec<Pointer>> {
    let mut found = Vec::new();
    if candidate.brief.state == State::Live {
        for (number, _) in nodes.contradicting_any(&candidate.together())? {
            if nodes.brief(number)?.is_some_and(|brief| brief.state == State::Live) {
                found.extend(pointer(nodes, number)?);
            }
        }
    }
    found.sort_by_key(|pointer| pointer.id.number);
    Ok(found)
}

/// The pairs of entries that contradict each other, each once, in the order of their numbers.
pub(crate) fn pairs<'e>(entries: impl Iterator<Item = &'e Entry>) -> Vec<(NodeId, NodeId)> {
    let entries: Vec<&Entry> = entries.collect();
    let shown: BTreeSet<u64> = entries.iter().map(|entry| entry.id.number).collect();
    let mut pairs = Vec::new();
    for entry in entries {
        for other in entry.conflicts.iter().filter(|other| shown.contains(&other.id.number)) {
            let (a, b) = if entry.id.number < other.id.number { (entry.id, other.id) } else { (other.id, entry.id) };
            pairs.push((a, b));
        }
    }
    pairs.sort_unstable_by_key(|(a, b)| (a.number, b.number));
    pairs.dedup();
    pairs
}

/// A node's id and title.
pub(crate) fn pointer(nodes: &mut Nodes<'_>, number: u64) -> Result<Option<Pointer>> {
    Ok(nodes.brief(number)?.map(|brief| Pointer { id: brief.id(), title: brief.title.clone() }))
}

/// The other end of a supersession with what the change rests on.
pub(crate) fn replacement(nodes: &mut Nodes<'_>, number: u64, edge: i64) -> Result<Replacement> {
    let node = pointer(nodes, number)?.ok_or_else(|| gone(number))?;
    let grounds = nodes.grounds(edge)?;
    let (reason, evidence, unverified) = &*grounds;
    Ok(Replacement { node, reason: reason.clone(), evidence: evidence.as_ref().map(|evidence| evidence.quote.clone()), unverified: *unverified })
}

fn gone(number: u64) -> Error {
    Error::new(Code::Damaged, format!("read the record: node {number} is not there"))
}
