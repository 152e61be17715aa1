//! What recording tells the host beside the id. Advice never blocks.

use super::node::{Category, Class, Content, Detail};
use super::reader::{Brief, Snapshot};
use crate::base::config::NEAR_DUPLICATE;
use crate::base::error::Result;
use crate::base::frame::is_own_output;
use crate::base::id::NodeId;
use crate::base::names::named_enum;
use crate::base::text::{negations, numbers};
use crate::base::triggers::has_literal;

named_enum! {
    /// What a piece of advice is about.
    AdviceKind, UnknownValue, "advice" {
        /// A live fact says nearly the same.
        NearDuplicate = 0 "near_duplicate",
        /// A live fact says nearly the same with another number or the other way round.
        MayContradict = 1 "may_contradict",
        /// A lesson or risk without the words that a sufferer would paste.
        NoTrigger = 2 "no_trigger",
        /// A fact that does not say when it ends.
        NoEnd = 3 "no_end",
        /// Text that stele itself rendered.
        OwnOutput = 4 "own_output",
    }
}

/// One piece of advice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// What to do.
    pub message: String,
    /// The nodes that it is about.
    pub ids: Vec<NodeId>,
}

/// Facts whose meaning is near that of a text, with their cosine, nearest first.
pub(crate) type Near = Vec<(u64, f32)>;

/// The most facts that a piece of advice names.
const NAMED: usize = 5;

/// What to tell about a node that was just recorded.
pub(crate) fn advise(views: &Snapshot, id: NodeId, content: &Content, near: &Near) -> Result<Vec<Advice>> {
    let mut advice = Vec::new();
    let class = Class::of(&content.detail);
    let (same, against) = close_facts(views, id, class, content, near)?;
    if !same.is_empty() {
        advice.push(Advice {
            kind: AdviceKind::NearDuplicate,
            message: format!("{} says nearly the same: revise it, or supersede it if its state ended", named(&same)),
            ids: same,
        });
    }
    if !against.is_empty() {
        advice.push(Advice {
            kind: AdviceKind::MayContradict,
            message: format!("{} may say the opposite: supersede it if its state ended, else link both with contradicts", named(&against)),
            ids: against,
        });
    }
    let text = format!("{}\n{}", content.title, content.body);
    if matches!(class, Class::Knowledge(Category::Lesson | Category::Risk)) && !has_literal(&text) {
        advice.push(Advice {
            kind: AdviceKind::NoTrigger,
            message: "it holds no literal trigger: add the exact error text, path, identifier or command that a sufferer would paste".to_owned(),
            ids: vec![id],
        });
    }
    let lifecycle = &content.lifecycle;
    if matches!(content.detail, Detail::Knowledge { .. })
        && lifecycle.expires_at.is_none()
        && lifecycle.resolves_with.is_none()
        && lifecycle.review_at.is_none()
    {
        advice.push(Advice {
            kind: AdviceKind::NoEnd,
            message: "it does not say when it ends: give expires_at, resolves_with or review_at, or link it with expires-on".to_owned(),
            ids: vec![id],
        });
    }
    if is_own_output(&text) {
        advice.push(Advice {
            kind: AdviceKind::OwnOutput,
            message: "it holds text that stele rendered: record the fact itself, not what was shown of it".to_owned(),
            ids: vec![id],
        });
    }
    Ok(advice)
}

fn named(ids: &[NodeId]) -> String {
    ids.iter().map(NodeId::to_string).collect::<Vec<_>>().join(", ")
}

/// Live facts of the same class that say nearly the same, and those among them that differ in a number or a negation.
fn close_facts(views: &Snapshot, id: NodeId, class: Class, content: &Content, near: &Near) -> Result<(Vec<NodeId>, Vec<NodeId>)> {
    let mut close: Vec<Brief> = views.same_title(super::apply::title_key(&content.title), class, NAMED + 1)?;
    for (number, cosine) in near {
        if *cosine >= NEAR_DUPLICATE
            && close.iter().all(|brief| brief.number != *number)
            && let Some(brief) = views.brief(*number)?
        {
            close.push(brief);
        }
    }
    let (mut same, mut against) = (Vec::new(), Vec::new());
    for brief in close.into_iter().filter(|brief| brief.number != id.number && brief.class == class && brief.state == super::node::State::Live).take(NAMED) {
        let Some((other, _)) = views.content(brief.number)? else { continue };
        if says_the_same(&content.title, &content.body, &other.title, &other.body) { same.push(brief.id()) } else { against.push(brief.id()) }
    }
    Ok((same, against))
}

/// True if two close texts name the same numbers and negate alike; else one may contradict the other.
pub(crate) fn says_the_same(title: &str, body: &str, other_title: &str, other_body: &str) -> bool {
    claims(title, body) == claims(other_title, other_body)
}

/// What must be equal in two close texts that say the same: their numbers, and whether they deny.
pub(crate) fn claims(title: &str, body: &str) -> (Vec<String>, bool) {
    let text = format!("{title}\n{body}");
    (numbers(&text).into_iter().map(Into::into).collect(), negations(&text) % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_or_a_negation_is_not_the_same() {
        assert!(says_the_same("Limit is 30", "per user", "limit is 30", "for each user"));
        assert!(!says_the_same("Limit is 30", "", "Limit is 60", ""));
        assert!(!says_the_same("We cache tokens", "", "We do not cache tokens", ""));
    }
}
