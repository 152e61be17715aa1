//! What writes edges: joining, retiring, taking away, with what an edge claims and rests on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Write;
use crate::base::config::FIELD_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::text::{check_filled, check_text};
use crate::base::unseen::shows;
use crate::record::drawn_edges::DrawnEdges;
use crate::record::edge::{Edge, Evidence, Found, Relation};
use crate::record::evidence::{self, SourceText};
use crate::record::operation::{Change, Link};
use crate::record::settle::check_secret;

/// What retires a node.
pub(crate) struct Retirement<'a> {
    pub(crate) reason: &'a str,
    pub(crate) evidence: &'a str,
    pub(crate) source_text: Option<&'a SourceText>,
    pub(crate) unverified: bool,
}

/// What an edge claims and rests on.
pub(crate) struct Claim<'a> {
    pub(crate) reason: &'a str,
    pub(crate) quote: &'a str,
    pub(crate) source_text: Option<&'a SourceText>,
    /// SHA-256 of the whole text, where `source_text` holds only a part of it.
    pub(crate) source_hash: Option<&'a str>,
}

/// What became of an edge of an import.
pub(crate) enum Drawn {
    /// It is there, and its evidence was found.
    Verified,
    /// It is there.
    Unverified,
    /// It was there, as the source says it, and was taken away in this record.
    TakenAway,
}

impl Write {
    /// Joins two nodes by any relation but `supersedes`.
    pub(crate) fn link(&mut self, from: &str, relation: Relation, to: &str, reason: &str, evidence: &str, allow_secrets: bool) -> Result<()> {
        if relation == Relation::Supersedes {
            return self.supersede(from, to, &Retirement { reason, evidence, source_text: None, unverified: false }, allow_secrets);
        }
        let (from, to) = (self.views().require(from)?.id, self.views().require(to)?.id);
        check_claim(reason, evidence, allow_secrets || self.allow_secrets)?;
        let evidence = self.evidence_of(from, to, &Claim { reason, quote: evidence, source_text: None, source_hash: None })?;
        self.join(from, relation, to, reason, evidence)
    }

    /// Joins two nodes, checking what holds for every relation.
    fn join(&mut self, from: NodeId, relation: Relation, to: NodeId, reason: &str, evidence: Option<Evidence>) -> Result<()> {
        if from.number == to.number {
            return Err(Error::new(Code::SelfEdge, format!("link {from} {relation} {to}: both are the same node")).with("path", from));
        }
        if relation == Relation::ExpiresOn && to.kind != Kind::Task {
            return Err(Error::new(Code::WrongKind, format!("link {from} {relation} {to}: {to} is a {}, not a task or milestone", to.kind)).with("field", "to"));
        }
        let existing = self.live_edge(from.number, relation, to.number)?;
        if existing.is_some_and(|edge| !edge.automatic) {
            return Err(Error::new(Code::EdgeExists, format!("link {from} {relation} {to}: that edge is there")));
        }
        if relation == Relation::Contradicts && self.live_edge(to.number, relation, from.number)?.is_some() {
            return Err(Error::new(Code::EdgeExists, format!("link {from} {relation} {to}: that edge is there in the other direction, which says the same")));
        }
        if relation.is_acyclic()
            && self.leads(to.number, relation, from.number)?
            && let Some(path) = self.path(to.number, relation, from.number)?
        {
            let path = self.written_path(from, &path)?;
            return Err(Error::new(Code::Cycle, format!("link {from} {relation} {to}: it would close the cycle {path}")).with("path", path));
        }
        let reason = if shows(reason) { reason.trim().to_owned() } else { String::new() };
        self.append(Change::Link(Box::new(Link { from: from.number, relation, to: to.number, reason, evidence })))
    }

    fn live_edge(&self, from: u64, relation: Relation, to: u64) -> Result<Option<Edge>> {
        match &self.drawn {
            Some(drawn) if !drawn.may_hold(from, relation, to) => Ok(None),
            _ => self.views().find_edge(from, relation, to),
        }
    }

    pub(super) fn written_path(&self, from: NodeId, path: &[u64]) -> Result<String> {
        let mut words = vec![from.to_string()];
        for number in path {
            words.push(self.views().brief(*number)?.map_or_else(|| number.to_string(), |brief| brief.id().to_string()));
        }
        Ok(words.join(" → "))
    }

    /// True if one node leads to another along one relation. Searches from both ends at once and is done when either
    /// search is, so that a long chain grown at one end costs nothing.
    fn leads(&self, from: u64, relation: Relation, to: u64) -> Result<bool> {
        let mut seen = [BTreeSet::from([from]), BTreeSet::from([to])];
        let mut open = [vec![from], vec![to]];
        loop {
            for side in [0, 1] {
                let Some(at) = open[side].pop() else { return Ok(false) };
                for step in self.views().steps_in(at, relation, side == 0)? {
                    if seen[1 - side].contains(&step.neighbour) {
                        return Ok(true);
                    }
                    if seen[side].insert(step.neighbour) {
                        open[side].push(step.neighbour);
                    }
                }
            }
        }
    }

    /// The shortest way from one node to another along one relation, both ends included.
    pub(crate) fn path(&self, from: u64, relation: Relation, to: u64) -> Result<Option<Vec<u64>>> {
        let mut came: BTreeMap<u64, u64> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            if at == to {
                let mut path = vec![at];
                let mut back = at;
                while back != from {
                    back = came[&back];
                    path.push(back);
                }
                path.reverse();
                return Ok(Some(path));
            }
            for step in self.views().steps_in(at, relation, true)? {
                if step.neighbour != from && !came.contains_key(&step.neighbour) {
                    came.insert(step.neighbour, at);
                    open.push_back(step.neighbour);
                }
            }
        }
        Ok(None)
    }

    /// Retires a node in favour of another, with a reason and evidence that was found word for word.
    pub(crate) fn supersede(&mut self, newer: &str, older: &str, why: &Retirement<'_>, allow_secrets: bool) -> Result<()> {
        let (newer, older) = (self.load(newer)?, self.load(older)?);
        let missing = match (!shows(why.reason), !shows(why.evidence)) {
            (true, true) => Some("reason and evidence are"),
            (true, false) => Some("the reason is"),
            (false, true) if !why.unverified => Some("the evidence is"),
            _ => None,
        };
        if let Some(missing) = missing {
            return Err(Error::new(Code::EvidenceMissing, format!("supersede {} by {}: {missing} missing", older.1.id, newer.1.id))
                .with("field", if !shows(why.reason) { "reason" } else { "evidence" }));
        }
        check_claim(why.reason, why.evidence, allow_secrets || self.allow_secrets)?;
        if let Some(source) = why.source_text {
            check_text("source_text", &source.text, usize::MAX)?;
            check_text("source_text.uri", source.uri.as_deref().unwrap_or(""), 2_000)?;
            check_text("source_text.revision", source.revision.as_deref().unwrap_or(""), 200)?;
        }
        let found = evidence::find(why.evidence, [&newer, &older], why.source_text).filter(|_| shows(why.evidence));
        let found = match found {
            Some(found) => found,
            None if why.unverified => Found::Unverified,
            None => {
                return Err(Error::new(
                    Code::EvidenceNotFound,
                    format!("supersede {} by {}: the evidence stands in neither text nor source", older.1.id, newer.1.id),
                )
                .with("field", "evidence"));
            }
        };
        if let (false, Found::Text { excerpt, uri, revision, .. }) = (allow_secrets, &found) {
            self.check_secret("source_text", excerpt)?;
            self.check_secret("source_text.uri", uri.as_deref().unwrap_or(""))?;
            self.check_secret("source_text.revision", revision.as_deref().unwrap_or(""))?;
        }
        let evidence = Evidence { quote: why.evidence.trim().to_owned(), found };
        self.join(newer.1.id, Relation::Supersedes, older.1.id, why.reason, Some(evidence))
    }

    /// Joins two nodes as an import says it, whose texts were checked before.
    ///
    /// A retirement without reason or evidence is kept and flagged. What was taken away in this record stays away as long
    /// as the source says no more than it did.
    pub(crate) fn link_imported(&mut self, from: NodeId, relation: Relation, to: NodeId, claim: &Claim<'_>) -> Result<Drawn> {
        let newest = self.drawn.as_ref().map_or(u64::MAX, DrawnEdges::newest);
        if from.number.max(to.number) <= newest && self.live_edge(from.number, relation, to.number)?.is_none() {
            let mut ended = self.views().last_ended(from.number, relation, to)?;
            if ended.is_none() && relation == Relation::Contradicts {
                ended = self.views().last_ended(to.number, relation, from)?;
            }
            let says_so = |reason: &str, evidence: Option<Evidence>| {
                reason == claim.reason.trim() && evidence.as_ref().map_or("", |evidence| &evidence.quote) == claim.quote.trim()
            };
            if ended.is_some_and(|(reason, evidence)| says_so(&reason, evidence)) {
                return Ok(Drawn::TakenAway);
            }
        }
        let evidence = self.evidence_of(from, to, claim)?;
        let verified = shows(claim.reason) && evidence.as_ref().is_some_and(|evidence| evidence.found != Found::Unverified);
        self.join(from, relation, to, claim.reason, evidence)?;
        Ok(if verified { Drawn::Verified } else { Drawn::Unverified })
    }

    /// The quote of a claim with the place where it was found; nothing without a quote.
    fn evidence_of(&self, from: NodeId, to: NodeId, claim: &Claim<'_>) -> Result<Option<Evidence>> {
        let quote = claim.quote.trim();
        if !shows(quote) {
            return Ok(None);
        }
        let (from, to) = (self.load(&from.to_string())?, self.load(&to.to_string())?);
        let mut found = evidence::find(quote, [&from, &to], claim.source_text).unwrap_or(Found::Unverified);
        if let (Found::Text { sha256, .. }, Some(hash)) = (&mut found, claim.source_hash) {
            hash.clone_into(sha256);
        }
        Ok(Some(Evidence { quote: quote.to_owned(), found }))
    }

    /// Takes an edge away.
    pub(crate) fn unlink(&mut self, from: &str, relation: Relation, to: &str, why: &str) -> Result<()> {
        check_filled("why", why, FIELD_BYTES)?;
        self.check_secret("why", why)?;
        let (from, to) = (self.views().require(from)?.id, self.views().require(to)?.id);
        if relation == Relation::Supersedes {
            return Err(Error::new(Code::WrongState, format!("unlink {from} {relation} {to}: a retirement is undone by demote")));
        }
        let (from, to) = self.live_ends(from, relation, to)?;
        self.append(Change::Unlink { from: from.number, relation, to: to.number, why: why.trim().to_owned() })
    }

    /// The ends of a live edge in its stored direction; a contradiction may be named from either end.
    fn live_ends(&self, from: NodeId, relation: Relation, to: NodeId) -> Result<(NodeId, NodeId)> {
        if self.views().find_edge(from.number, relation, to.number)?.is_some() {
            return Ok((from, to));
        }
        if relation == Relation::Contradicts && self.views().find_edge(to.number, relation, from.number)?.is_some() {
            return Ok((to, from));
        }
        Err(Error::new(Code::UnknownEdge, format!("look for {from} {relation} {to}: there is no such edge")))
    }

    /// Turns a retirement into a mere connection; the buried node is live again unless another edge retires it.
    pub(crate) fn demote(&mut self, newer: &str, older: &str, why: &str) -> Result<()> {
        check_filled("why", why, FIELD_BYTES)?;
        self.check_secret("why", why)?;
        let (newer, older) = (self.views().require(newer)?.id, self.views().require(older)?.id);
        self.live_ends(newer, Relation::Supersedes, older)?;
        self.append(Change::Demote { newer: newer.number, older: older.number, why: why.trim().to_owned() })
    }
}

fn check_claim(reason: &str, evidence: &str, allow_secrets: bool) -> Result<()> {
    for (field, text) in [("reason", reason), ("evidence", evidence)] {
        check_text(field, text, FIELD_BYTES)?;
        if !allow_secrets {
            check_secret(field, text)?;
        }
    }
    Ok(())
}
