//! What writes nodes: recording, revising, naming, moving, reviewing, putting away.

use std::collections::BTreeSet;

use super::Write;
use crate::base::config::FIELD_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId, check_alias, fold_alias, telling};
use crate::base::text::{check_filled, check_text, fold_space};
use crate::base::time::Timestamp;
use crate::record::apply::references;
use crate::record::draft::{Draft, DraftKind, Revision};
use crate::record::edge::Relation;
use crate::record::node::{Anchor, Content, Detail, Node, State};
use crate::record::operation::{Change, Create, Revise};
use crate::record::prepared::Prepared;
use crate::record::reader::unknown;
use crate::record::settle::{check_new_secrets, detail_of, settle_content};

/// The detail of a rule after a revision of it.
fn revised_rule(content: &Content, revision: &Revision) -> Result<Detail> {
    let Detail::Rule(old) = &content.detail else {
        return Err(Error::new(Code::WrongKind, format!("revise: a {} has no statement", content.detail.kind())).with("field", "statement"));
    };
    let mut rule = revision.routing.clone().unwrap_or_else(|| old.clone());
    if let Some(statement) = &revision.statement {
        rule.statement.clone_from(statement);
    }
    // Only promotion makes a proposed rule a rule.
    rule.provisional = old.provisional;
    detail_of(&DraftKind::Rule(rule))
}

impl Write {
    /// Records a node whose content was checked before.
    pub(crate) fn create_settled(&mut self, mut content: Content, draft: &Draft) -> Result<NodeId> {
        self.place(&mut content, draft.component.as_deref(), draft.resolves_with.as_deref())?;
        let prepared = Prepared::of(&content, &mut self.kept.tokeniser.borrow_mut());
        self.create_prepared(content, draft.aliases.clone(), draft.created_at, &prepared)
    }

    /// Records a node whose content was checked and prepared before, and whose component and task were found.
    pub(crate) fn create_prepared(&mut self, content: Content, aliases: Vec<String>, created_at: Option<Timestamp>, prepared: &Prepared) -> Result<NodeId> {
        let number = self.last_number()? + 1;
        for (at, alias) in aliases.iter().enumerate() {
            self.free_alias(alias)?;
            if aliases[..at].iter().any(|other| fold_alias(other) == fold_alias(alias)) {
                return Err(Error::new(Code::AliasTaken, format!("give the alias {alias:?}: it is given twice")).with("field", "alias"));
            }
        }
        let mentions = self.named_by(&prepared.words, &aliases, number)?;
        let mut words: Vec<String> = aliases.iter().filter(|alias| telling(alias)).map(|alias| fold_alias(alias)).collect();
        if self.names.as_ref().is_none_or(|names| names.awaits(number)) {
            words.extend(Kind::ALL.iter().map(|kind| NodeId { kind: *kind, number }.to_string().to_lowercase()));
        }
        let mentioned_by = self.views().naming(&words, usize::MAX >> 1)?;
        let id = NodeId { kind: content.detail.kind(), number };
        let created_at = created_at.unwrap_or(self.at);
        self.append_prepared(Change::Create(Box::new(Create { number, aliases, created_at, content, mentions, mentioned_by })), Some(prepared))?;
        Ok(id)
    }

    /// Finds the component and the task that a content names.
    fn place(&self, content: &mut Content, component: Option<&str>, task: Option<&str>) -> Result<()> {
        if let Some(component) = component {
            content.component = Some(self.of_kind(component, Kind::Component, "component")?.number);
        }
        if let Some(task) = task {
            content.lifecycle.resolves_with = Some(self.of_kind(task, Kind::Task, "resolves_with")?.number);
        }
        Ok(())
    }

    fn of_kind(&self, reference: &str, kind: Kind, field: &'static str) -> Result<NodeId> {
        let id = self.views().require(reference)?.id;
        if id.kind != kind {
            return Err(Error::new(Code::WrongKind, format!("check {field}: {id} is a {}, not a {kind}", id.kind)).with("field", field));
        }
        Ok(id)
    }

    fn free_alias(&self, alias: &str) -> Result<()> {
        check_alias(alias)?;
        match self.find(alias)? {
            None => Ok(()),
            Some(taken) => Err(Error::new(Code::AliasTaken, format!("give the alias {alias:?}: {taken} has it")).with("field", "alias").with("id", taken)),
        }
    }

    /// The nodes that the words of a text name, without the one that it belongs to, in the order of their numbers.
    fn named_by(&self, words: &[String], own: &[String], number: u64) -> Result<Vec<u64>> {
        let mut found = BTreeSet::new();
        for word in words {
            if own.iter().any(|alias| fold_alias(alias) == *word) {
                continue;
            }
            if let Some(named) = self.find(word)?.filter(|named| named.number != number) {
                found.insert(named.number);
            }
        }
        Ok(found.into_iter().collect())
    }

    pub(super) fn load(&self, reference: &str) -> Result<(Content, Node)> {
        let id = self.views().require(reference)?.id;
        self.views().content(id.number)?.ok_or_else(|| unknown(reference))
    }

    /// Changes what a node says; a change of nothing appends nothing.
    pub(crate) fn revise(&mut self, reference: &str, revision: &Revision) -> Result<NodeId> {
        self.change(reference, revision.allow_secrets, |write, content| {
            if let Some(title) = &revision.title {
                content.title = fold_space(title);
            }
            if let Some(body) = &revision.body {
                content.body.clone_from(body);
            }
            if let Some(category) = revision.category
                && let Detail::Knowledge { category: old } = &mut content.detail
            {
                *old = category;
            }
            if let Some(tags) = &revision.tags {
                content.tags.clone_from(tags);
            }
            if let Some(source) = &revision.source {
                content.source = Some(source.clone());
            }
            if let Some(anchors) = &revision.anchors {
                content.anchors.clone_from(anchors);
            }
            if let Some(at) = revision.expires_at {
                content.lifecycle.expires_at = at;
            }
            if let Some(at) = revision.review_at {
                content.lifecycle.review_at = at;
            }
            if let Some(kind) = &revision.kind {
                let detail = detail_of(kind)?;
                if detail.kind() != content.detail.kind() {
                    return Err(
                        Error::new(Code::WrongKind, format!("revise: a {} cannot become a {}", content.detail.kind(), detail.kind())).with("field", "kind")
                    );
                }
                content.detail = detail;
            }
            if revision.statement.is_some() || revision.routing.is_some() {
                content.detail = revised_rule(content, revision)?;
            }
            if let Some(component) = &revision.component {
                content.component = None;
                write.place(content, component.as_deref(), None)?;
            }
            if let Some(task) = &revision.resolves_with {
                content.lifecycle.resolves_with = None;
                write.place(content, None, task.as_deref())?;
            }
            Ok(())
        })
    }

    /// Adds and removes tags.
    pub(crate) fn retag(&mut self, reference: &str, add: &[String], remove: &[String]) -> Result<NodeId> {
        self.change(reference, false, |_, content| {
            let gone: Vec<String> = remove.iter().map(|tag| fold_space(tag)).collect();
            content.tags.retain(|tag| !gone.contains(tag));
            content.tags.extend_from_slice(add);
            Ok(())
        })
    }

    /// Puts a node under another component, or under none.
    pub(crate) fn relocate(&mut self, reference: &str, component: Option<&str>) -> Result<NodeId> {
        self.change(reference, false, |write, content| {
            content.component = None;
            write.place(content, component, None)
        })
    }

    /// Adds and removes anchors; a path removes all anchors of that path.
    pub(crate) fn anchor(&mut self, reference: &str, add: &[Anchor], remove: &[String]) -> Result<NodeId> {
        self.change(reference, false, |_, content| {
            for path in remove {
                let path = crate::base::path::project_path("anchors", path)?;
                content.anchors.retain(|anchor| anchor.path != path);
            }
            content.anchors.extend_from_slice(add);
            Ok(())
        })
    }

    /// Sets parts of a content, checks the whole and appends what differs.
    pub(crate) fn change(&mut self, reference: &str, allow_secrets: bool, set: impl FnOnce(&Self, &mut Content) -> Result<()>) -> Result<NodeId> {
        let (old, node) = self.load(reference)?;
        let number = node.id.number;
        let mut content = old.clone();
        set(self, &mut content)?;
        settle_content(&mut content)?;
        if !allow_secrets && !self.allow_secrets {
            // What stood there before was accepted when it was written.
            check_new_secrets(&old, &content)?;
        }
        if let Some(component) = content.component {
            self.no_nesting_cycle(number, component)?;
        }
        let changed = changed_fields(&old, &content);
        if changed.is_empty() {
            return Ok(node.id);
        }
        if self.views().is_purged(number)? {
            return Err(Error::new(Code::WrongState, format!("change {}: its text was purged", node.id)));
        }
        let aliases = self.views().aliases(number)?;
        let (mut mentions, mut unmentions) = (Vec::new(), Vec::new());
        if old.title != content.title || old.body != content.body {
            let after: BTreeSet<u64> = self.named_by(&references(&content.title, &content.body), &aliases, number)?.into_iter().collect();
            for to in &after {
                if self.views().find_edge(number, Relation::Mentions, *to)?.is_none() {
                    mentions.push(*to);
                }
            }
            // Not what the old text names: a purge may have taken a name out of it and left the edge.
            unmentions = self.views().drawn_mentions(number)?;
            unmentions.retain(|to| !after.contains(to));
        }
        self.append(Change::Revise(Box::new(Revise { number, content, changed, mentions, unmentions })))?;
        Ok(node.id)
    }

    fn no_nesting_cycle(&self, number: u64, component: u64) -> Result<()> {
        let mut above = Some(component);
        let mut path = Vec::new();
        let mut seen = BTreeSet::new();
        while let Some(at) = above.filter(|at| seen.insert(*at)) {
            path.push(at);
            if at == number {
                let moved = NodeId { kind: Kind::Component, number };
                let path = self.written_path(moved, &path)?;
                return Err(Error::new(Code::Cycle, format!("move {moved}: it would sit under itself by {path}")).with("path", path));
            }
            above = self.views().content(at)?.and_then(|(content, _)| content.component);
        }
        Ok(())
    }

    /// Gives a node another name.
    pub(crate) fn alias(&mut self, reference: &str, alias: &str) -> Result<NodeId> {
        let id = self.views().require(reference)?.id;
        self.check_secret("alias", alias)?;
        self.free_alias(alias)?;
        let mut mentioned_by = Vec::new();
        if telling(alias) {
            for from in self.views().naming(&[fold_alias(alias)], usize::MAX >> 1)? {
                if from != id.number && self.views().find_edge(from, Relation::Mentions, id.number)?.is_none() {
                    mentioned_by.push(from);
                }
            }
        }
        self.append(Change::Alias { number: id.number, alias: alias.to_owned(), mentioned_by })?;
        Ok(id)
    }

    /// Confirms that a node still holds.
    pub(crate) fn review(&mut self, reference: &str, note: &str) -> Result<NodeId> {
        check_text("note", note, FIELD_BYTES)?;
        self.check_secret("note", note)?;
        let id = self.views().require(reference)?.id;
        self.append(Change::Review { number: id.number, note: note.trim().to_owned() })?;
        Ok(id)
    }

    /// Puts a node away.
    pub(crate) fn archive(&mut self, reference: &str, why: &str) -> Result<NodeId> {
        check_filled("why", why, FIELD_BYTES)?;
        self.check_secret("why", why)?;
        let (_, node) = self.load(reference)?;
        if node.state == State::Archived {
            return Err(Error::new(Code::WrongState, format!("archive {}: it is archived", node.id)));
        }
        self.append(Change::Archive { number: node.id.number, why: why.trim().to_owned() })?;
        Ok(node.id)
    }
}

/// The names of the fields in which two contents differ, in the order of the content.
fn changed_fields(old: &Content, new: &Content) -> Vec<String> {
    let differs = [
        ("title", old.title != new.title),
        ("body", old.body != new.body),
        ("tags", old.tags != new.tags),
        ("component", old.component != new.component),
        ("source", old.source != new.source),
        ("anchors", old.anchors != new.anchors),
        ("lifecycle", old.lifecycle != new.lifecycle),
        ("detail", old.detail != new.detail),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}
