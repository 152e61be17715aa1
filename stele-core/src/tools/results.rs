//! What each tool gives back, as compact JSON: ids first, stored text neutral.

use super::form::{Form, MOST, Piece, line, lines, list, rendered, words};
use crate::base::id::{Kind, NodeId};
use crate::health::{Judgement, Sweep};
use crate::record::advice::Advice;
use crate::record::claim::{Claim, ClaimNote, TaskChange};
use crate::record::edge::Relation;
use crate::record::node::{Anchor, Detail, Node, RuleDetail, Source};
use crate::record::proposal::{Proposal, Refusal};
use crate::record::recorder::Recorded;
use crate::retrieve::result::{Entry, Format, Gap, Hit, Pointer, Replacement, Retrieval};
use crate::retrieve::{Conflict, HistoryItem, Neighbour, Origin, Task, Why};

pub(super) fn id_of(id: NodeId) -> Form {
    Form::new().with("id", id)
}

/// An edge as the call named its ends.
pub(super) fn edge(from: &str, relation: Relation, to: &str) -> Form {
    Form::new().with("from", line(from)).with("relation", relation.as_str()).with("to", line(to))
}

pub(super) fn hit(hit: &Hit) -> Form {
    let form = id_of(hit.id).with("aliases", words(&hit.aliases)).with("category", hit.category.map(|category| category.as_str()));
    form.with("state", hit.state.as_str()).with("title", line(&hit.title)).with("snippet", line(&hit.snippet))
}

/// The window as text, and for each entry in it why it is there.
pub(super) fn retrieval(found: &Retrieval) -> Form {
    let entry = |entry: &Entry| id_of(entry.id).with("score", number(entry.score.total())).with("explain", line(&entry.explain()));
    let gap = |gap: &Gap| Form::new().with("kind", gap.kind.as_str()).with("count", gap.count).with("note", line(&gap.note));
    let form = Form::new().with("status", found.status.as_str()).with("text", rendered(found.render(Format::Text)));
    form.listing("entries", list(&found.entries, entry)).with("callouts", list(&found.callouts, entry)).with("gaps", list(&found.gaps, gap))
}

/// The number that a reader sees: the shortest decimal that is that single.
fn number(single: f32) -> f64 {
    single.to_string().parse().unwrap_or_else(|_| f64::from(single))
}

pub(super) fn node(node: &Node) -> Form {
    let ends = &node.lifecycle;
    let task = |number| NodeId { kind: Kind::Task, number };
    let form = id_of(node.id).with("aliases", words(&node.aliases)).with("category", node.category().map(|category| category.as_str()));
    let form = form.with("state", node.state.as_str()).with("retired_by", &node.retired_by[..node.retired_by.len().min(MOST)]);
    let form = form.with("title", line(&node.title)).with("body", lines(&node.body)).with("tags", words(&node.tags)).with("component", node.component);
    let form = detail(form, &node.detail).with("status", node.status.map(|status| status.as_str())).with("claim", node.claim.as_ref().map(claim_note));
    let form = form.with("source", node.source.as_ref().map(source)).with("anchors", list(&node.anchors, anchor));
    let form = form.with("expires_at", ends.expires_at).with("resolves_with", ends.resolves_with.map(task)).with("review_at", ends.review_at);
    let form = form.with("created_at", node.created_at).with("updated_at", node.updated_at).with("verified_at", node.verified_at);
    form.with("actor", line(&node.actor)).with("session", node.session.as_deref().map(line)).with("revision", node.revision)
}

fn detail(form: Form, detail: &Detail) -> Form {
    match detail {
        Detail::Task(task) => {
            let form = form.with("type", task.task_type.as_str()).with("priority", u64::from(task.priority));
            form.with("success_criteria", lines(&task.success_criteria))
        }
        Detail::Rule(rule) => routing(form, rule),
        _ => form,
    }
}

fn routing(form: Form, rule: &RuleDetail) -> Form {
    let form = form.with("statement", lines(&rule.statement)).with("trigger", lines(&rule.trigger)).with("severity", rule.severity.as_str());
    let form = form.with("mandatory", rule.mandatory).with("always_on", rule.always_on).with("provisional", rule.provisional);
    let form = form.with("forbidden", words(&rule.forbidden)).with("instead", lines(&rule.instead)).with("domain", rule.domain.as_deref().map(line));
    let form = form.with("points", words(&rule.points)).with("keywords", words(&rule.keywords)).with("floor_modes", words(&rule.floor_modes));
    form.with("action_triggers", words(&rule.action_triggers)).with("methodology", rule.methodology.as_deref().map(line))
}

fn source(source: &Source) -> Form {
    let text = |text: &Option<String>| text.as_deref().map(line);
    let form = Form::new().with("uri", line(&source.uri)).with("revision", text(&source.revision)).with("quote", text(&source.quote));
    form.with("known", source.known.map(|known| known.as_str())).with("applies_to", text(&source.applies_to))
}

fn anchor(anchor: &Anchor) -> Form {
    Form::new().with("path", line(&anchor.path)).with("symbol", anchor.symbol.as_deref().map(line))
}

pub(super) fn neighbour(neighbour: &Neighbour) -> Form {
    let form = id_of(neighbour.id).with("relation", neighbour.relation.as_str()).with("direction", if neighbour.outgoing { "out" } else { "in" });
    let form = form.with("state", neighbour.state.as_str()).with("title", line(&neighbour.title));
    form.with("reason", line(&neighbour.reason)).with("evidence", neighbour.evidence.as_deref().map(line))
}

pub(super) fn history_item(item: &HistoryItem) -> Form {
    let form = Form::new().with("sequence", item.sequence).with("at", item.at).with("actor", line(&item.actor));
    let form = form.with("session", item.session.as_deref().map(line)).with("what", line(&item.what)).with("why", line(&item.why));
    form.with("title", item.title.as_deref().map(line)).with("body", item.body.as_deref().map(lines))
}

pub(super) fn why(why: &Why) -> Form {
    let replaced = |origin: &Origin| {
        let form = replacement(&origin.replacement).with("by", origin.by).with("created_at", origin.created_at);
        form.with("actor", line(&origin.actor)).with("source", origin.source.as_ref().map(source))
    };
    let form = Form::new().with("node", node(&why.node)).with("replaced", list(why.replaced.iter().take(MOST), replaced));
    form.with("replaced_by", list(why.replaced_by.iter().take(MOST), replacement))
}

fn replacement(change: &Replacement) -> Form {
    let form = pointer(&change.node).with("reason", line(&change.reason)).with("evidence", change.evidence.as_deref().map(line));
    if change.unverified { form.with("unverified", true) } else { form }
}

fn pointer(node: &Pointer) -> Form {
    id_of(node.id).with("title", line(&node.title))
}

pub(super) fn task(task: &Task) -> Form {
    let form = id_of(task.id).with("aliases", words(&task.aliases)).with("title", line(&task.title)).with("type", task.task_type.as_str());
    let form = form.with("priority", u64::from(task.priority)).with("status", task.status.as_str()).with("state", task.state.as_str());
    let form = form.with("claim", task.claim.as_ref().map(claim_note)).with("blocked_by", task.blocked_by.as_slice());
    let progress = task.progress.map(|progress| Form::new().with("completed", progress.completed).with("total", progress.total));
    form.with("progress", progress).with("tags", words(&task.tags)).with("component", task.component)
}

fn claim_note(claim: &ClaimNote) -> Form {
    Form::new().with("holder", line(&claim.holder)).with("since", claim.since).with("until", claim.until)
}

pub(super) fn claim(claim: &Claim) -> Form {
    let form = id_of(claim.task).with("granted", claim.granted).with("holder", line(&claim.holder)).with("since", claim.since);
    form.with("until", claim.until).with("taken_from", claim.taken_from.as_deref().map(line))
}

pub(super) fn task_change(change: &TaskChange) -> Form {
    let form = id_of(change.task).with("status", change.status.as_str()).with("resolved", change.resolved.as_slice());
    form.with("hanging", change.hanging.as_slice()).with("revived", change.revived.as_slice())
}

pub(super) fn conflict(conflict: &Conflict) -> Form {
    let form = Form::new().with("a", pointer(&conflict.a)).with("b", pointer(&conflict.b));
    form.with("reason", line(&conflict.reason)).with("since", conflict.since)
}

pub(super) fn advised(recorded: &Recorded) -> Form {
    let advice = |advice: &Advice| told(advice.kind.as_str(), &advice.message, &advice.ids);
    id_of(recorded.id).with("advice", list(&recorded.advice, advice))
}

pub(super) fn proposal(proposal: &Proposal) -> Form {
    let refusal = |refusal: &Refusal| told(refusal.reason.as_str(), &refusal.message, &refusal.ids);
    Form::new().with("accepted", proposal.accepted()).with("id", proposal.id).with("refused", list(&proposal.refused, refusal))
}

fn told(kind: &'static str, message: &str, ids: &[NodeId]) -> Form {
    Form::new().with("kind", kind).with("message", line(message)).with("ids", ids)
}

pub(super) fn sweep(sweep: &Sweep) -> Form {
    let judgement = |judgement: &Judgement| {
        let form = Form::new().with("newer", judgement.newer).with("older", judgement.older).with("verdict", judgement.verdict.as_str());
        form.with("why", line(&judgement.why)).with("demoted", Piece::from(judgement.demoted))
    };
    Form::new().listing("judgements", list(&sweep.judgements, judgement))
}
