//! Verbs of a recorder.

use std::time::Duration;

use serde_json::Value;
use stele_core::{
    Anchor, Category, Claiming, ClaimingNext, Draft, Held, Helpfulness, NodeId, Recorder, Relation, Result, Revision, Source, SourceText, TaskType, Timestamp,
};

use super::{texts, verbs, with};
use crate::results::{Claim, Proposal, Purged, Recorded, RuleFeedback, TaskChange};
use crate::table::call_within;
use crate::values::{Change, Node, Part, Rule, Step};

impl Node {
    /// A draft with all of it set.
    fn onto(self, draft: Draft) -> Draft {
        let mut draft = self.anchors.into_iter().fold(draft.tags(self.tags), |draft, place| draft.anchor(place.path, place.symbol.as_deref()));
        draft = with(draft, self.alias, Draft::alias);
        draft = with(draft, self.component, Draft::under);
        draft = with(draft, self.source, Draft::source);
        draft = with(draft, self.created_at, Draft::created_at);
        draft = with(draft, self.expires_at, Draft::expires_at);
        draft = with(draft, self.resolves_with, Draft::resolves_with);
        draft = with(draft, self.review_at, Draft::review_at);
        if self.allow_secrets { draft.allow_secrets() } else { draft }
    }
}

impl Rule {
    fn draft(self, title: String, body: String) -> Draft {
        Draft::rule(title, self.statement).body(body).routing(|rule| {
            (rule.trigger, rule.instead, rule.domain, rule.methodology) = (self.trigger, self.instead, self.domain, self.methodology);
            (rule.mandatory, rule.always_on, rule.severity) = (self.mandatory, self.always_on, self.severity);
            (rule.forbidden, rule.points, rule.keywords) = (self.forbidden, self.points, self.keywords);
            (rule.floor_modes, rule.action_triggers) = (self.floor_modes, self.action_triggers);
        })
    }
}

/// The recorder, or one in its place that accepts text that looks like a credential.
fn hand<'r>(recorder: &Recorder<'r>, allow_secrets: bool) -> Recorder<'r> {
    if allow_secrets { recorder.clone().allowing_secrets() } else { recorder.clone() }
}

/// The recorder, or one in its place that may promote rules.
fn promoter<'r>(recorder: &Recorder<'r>, may_promote: bool) -> Recorder<'r> {
    if may_promote { recorder.clone().allowing_promotion() } else { recorder.clone() }
}

fn recorded(done: Result<stele_core::Recorded>) -> Result<Recorded> {
    done.map(Into::into)
}

fn changed(done: Result<stele_core::TaskChange>) -> Result<TaskChange> {
    done.map(Into::into)
}

verbs! { Recorder(recorder: Recorder<'_>)
    fact(category: Category, title: String, body: String = String::new(), node: Node) -> Recorded {
        recorded(recorder.add(node.onto(Draft::fact(category, title).body(body))))
    }
    task(title: String, r#type: TaskType = TaskType::Task, success_criteria: String = String::new(), body: String = String::new(), priority: Option<u8>, node: Node)
        -> Recorded {
        let draft = Draft::task(title).task_type(r#type).success_criteria(success_criteria).body(body);
        recorded(recorder.add(node.onto(with(draft, priority, Draft::priority))))
    }
    rule(title: String, rule: Rule, body: String = String::new(), node: Node) -> Recorded { recorded(recorder.add(node.onto(rule.draft(title, body)))) }
    document(title: String, body: String, node: Node) -> Recorded { recorded(recorder.add(node.onto(Draft::document(title, body)))) }
    diagram(title: String, body: String, node: Node) -> Recorded { recorded(recorder.add(node.onto(Draft::diagram(title, body)))) }
    component(title: String, parent: Option<String>, body: String = String::new(), node: Part) -> Recorded {
        recorded(recorder.add(node.under(parent).onto(Draft::component(title).body(body))))
    }
    revise(
        id: String, title: Option<String>, body: Option<String>, tags: Option<Vec<String>>, source: Option<Source>, expires_at: Change<Timestamp>,
        resolves_with: Change<String>, review_at: Change<Timestamp>, statement: Option<String>, allow_secrets: bool = false
    ) -> Recorded {
        let mut revision = with(Revision::new(), title, Revision::title);
        revision = with(revision, body, Revision::body);
        revision = with(revision, tags, Revision::tags);
        revision = with(revision, source, Revision::source);
        revision = with(revision, expires_at.set(), Revision::expires_at);
        revision = with(revision, resolves_with.set(), |revision, task| revision.resolves_with(task.as_deref()));
        revision = with(revision, review_at.set(), Revision::review_at);
        revision = with(revision, statement, Revision::statement);
        recorded(recorder.revise(&id, if allow_secrets { revision.allow_secrets() } else { revision }))
    }
    link(from: String, relation: Relation, to: String, reason: String = String::new(), evidence: String = String::new(), allow_secrets: bool = false) -> () {
        hand(recorder, allow_secrets).link_because(&from, relation, &to, &reason, &evidence)
    }
    unlink(from: String, relation: Relation, to: String, why: String, allow_secrets: bool = false) -> () {
        hand(recorder, allow_secrets).unlink(&from, relation, &to, &why)
    }
    supersede(
        newer: String, older: String, reason: String, evidence: String, source_text: Option<SourceText>, unverified: bool = false, allow_secrets: bool = false
    ) -> () {
        let mut retirement = recorder.supersede(&newer, &older).reason(&reason).evidence(&evidence);
        retirement = with(retirement, source_text.as_ref(), |retirement, text| retirement.source_text(text));
        if unverified {
            retirement = retirement.unverified();
        }
        if allow_secrets {
            retirement = retirement.allow_secrets();
        }
        retirement.record()
    }
    demote(newer: String, older: String, why: String, allow_secrets: bool = false) -> () { hand(recorder, allow_secrets).demote(&newer, &older, &why) }
    retag(id: String, add: Vec<String>, remove: Vec<String>) -> NodeId { recorder.retag(&id, &texts(&add), &texts(&remove)) }
    r#move(id: String, component: Option<String>) -> NodeId { recorder.move_to(&id, component.as_deref()) }
    anchor(id: String, add: Vec<Anchor>, remove: Vec<String>) -> NodeId { recorder.anchor(&id, &add, &texts(&remove)) }
    alias(id: String, alias: String) -> NodeId { recorder.alias(&id, &alias) }
    review(id: String, note: String = String::new(), allow_secrets: bool = false) -> NodeId { hand(recorder, allow_secrets).review(&id, &note) }
    archive(id: String, why: String, allow_secrets: bool = false) -> NodeId { hand(recorder, allow_secrets).archive(&id, &why) }
    purge(id: String, why: String, literals: Vec<String>) -> Purged { recorder.purge(&id, &why, &texts(&literals)).map(Into::into) }
    claim(task: Held, lease: Option<Duration>, holder: Option<String>) -> Claim {
        let claiming = with(recorder.claim(task), lease, Claiming::lease);
        with(claiming, holder, Claiming::holder).take().map(Into::into)
    }
    claim_next(lease: Option<Duration>, tags: Vec<String>, component: Option<String>) -> Option<Claim> {
        let claiming = with(recorder.claim_next(), lease, ClaimingNext::lease).tags(tags);
        Ok(with(claiming, component, ClaimingNext::component).take()?.map(Into::into))
    }
    release(task: Held) -> NodeId { recorder.release(task) }
    force_release(task: String, why: String, allow_secrets: bool = false) -> NodeId { hand(recorder, allow_secrets).force_release(&task, &why) }
    complete(task: Held, summary: String, allow_secrets: bool = false) -> TaskChange { changed(hand(recorder, allow_secrets).complete(task, &summary)) }
    cancel(task: Held, why: String, allow_secrets: bool = false) -> TaskChange { changed(hand(recorder, allow_secrets).cancel(task, &why)) }
    reopen(task: String, why: String, allow_secrets: bool = false) -> TaskChange { changed(hand(recorder, allow_secrets).reopen(&task, &why)) }
    propose(title: String, rule: Rule, body: String = String::new(), node: Node) -> Proposal {
        recorder.propose(node.onto(rule.draft(title, body))).map(Into::into)
    }
    feedback(rule: String, felt: Helpfulness, key: Option<String>) -> RuleFeedback { recorder.feedback(&rule, felt, key.as_deref()).map(Into::into) }
    promote(rule: String, approval: String, may_promote: bool = false) -> NodeId { promoter(recorder, may_promote).promote(&rule, &approval) }
    transaction(calls: Vec<Step>) -> Vec<Value> {
        recorder.transaction(|recorder| {
            let step = |(number, step): (usize, &Step)| call_within(recorder, &step.verb, &step.arguments).map_err(|error| error.with("call", number));
            calls.iter().enumerate().map(step).collect()
        })
    }
}
