//! The record as plain lists and maps, with the rules of its verbs in their simplest form.

use std::collections::BTreeSet;

use stele_core::{Code, Relation, State, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Fact,
    Task,
    Component,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Fact, Self::Task, Self::Component, Self::Fact];
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    kind: Kind,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) tags: Vec<String>,
    pub(super) aliases: BTreeSet<String>,
    pub(super) component: Option<usize>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) archived: bool,
    pub(super) revision: u64,
}

/// What was recorded; nodes are named by their numbers, from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) nodes: Vec<Node>,
    edges: BTreeSet<(usize, Relation, usize)>,
    pub(super) head: u64,
}

type Outcome = Result<(), Code>;

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Model {
    /// The id of a node; of a fact where there is none.
    pub(super) fn name(&self, number: usize) -> String {
        let prefix = match self.nodes.get(number - 1).map(|node| node.kind) {
            Some(Kind::Task) => "TASK",
            Some(Kind::Component) => "COMP",
            Some(Kind::Fact) | None => "KNOW",
        };
        format!("{prefix}-{number}")
    }

    fn there(&self, number: usize) -> Outcome {
        if number <= self.nodes.len() { Ok(()) } else { Err(Code::UnknownNode) }
    }

    fn written(&mut self) -> Outcome {
        self.head += 1;
        Ok(())
    }

    fn free(&self, alias: &str) -> Outcome {
        if alias.contains(' ') {
            return Err(Code::BadAlias);
        }
        let alias = alias.to_lowercase();
        if self.nodes.iter().any(|node| node.aliases.contains(&alias)) { Err(Code::AliasTaken) } else { Ok(()) }
    }

    pub(super) fn add(&mut self, kind: Kind, title: &str, body: &str, alias: Option<&str>) -> Outcome {
        // What a draft lacks by itself is told before what the record says of it.
        if title.trim().is_empty() && alias.is_none_or(|alias| !alias.contains(' ')) {
            return Err(Code::EmptyTitle);
        }
        alias.map_or(Ok(()), |alias| self.free(alias))?;
        self.nodes.push(Node {
            kind,
            title: folded(title),
            body: body.to_owned(),
            tags: Vec::new(),
            aliases: alias.map(str::to_lowercase).into_iter().collect(),
            component: None,
            expires_at: None,
            archived: false,
            revision: 1,
        });
        self.written()
    }

    /// Changes a node; what stays the same is not written.
    fn change(&mut self, number: usize, set: impl FnOnce(&mut Node)) -> Outcome {
        let node = &mut self.nodes[number - 1];
        let before = (node.title.clone(), node.body.clone(), node.tags.clone(), node.component, node.expires_at);
        set(node);
        if before == (node.title.clone(), node.body.clone(), node.tags.clone(), node.component, node.expires_at) {
            return Ok(());
        }
        node.revision += 1;
        self.written()
    }

    pub(super) fn revise(&mut self, number: usize, title: &str, body: &str) -> Outcome {
        self.there(number)?;
        if title.trim().is_empty() {
            return Err(Code::EmptyTitle);
        }
        self.change(number, |node| (node.title, node.body) = (folded(title), body.to_owned()))
    }

    pub(super) fn expire(&mut self, number: usize, at: Option<Timestamp>) -> Outcome {
        self.there(number)?;
        self.change(number, |node| node.expires_at = at)
    }

    pub(super) fn retag(&mut self, number: usize, add: &str, remove: &str) -> Outcome {
        self.there(number)?;
        self.change(number, |node| {
            node.tags.retain(|tag| *tag != folded(remove));
            node.tags.push(folded(add));
            node.tags.sort();
            node.tags.dedup();
        })
    }

    pub(super) fn move_to(&mut self, number: usize, component: Option<usize>) -> Outcome {
        self.there(number)?;
        if let Some(component) = component {
            self.there(component)?;
            if self.nodes[component - 1].kind != Kind::Component {
                return Err(Code::WrongKind);
            }
            let mut above = Some(component);
            while let Some(at) = above {
                if at == number {
                    return Err(Code::Cycle);
                }
                above = self.nodes[at - 1].component;
            }
        }
        self.change(number, |node| node.component = component)
    }

    pub(super) fn alias(&mut self, number: usize, alias: &str) -> Outcome {
        self.there(number)?;
        self.free(alias)?;
        self.nodes[number - 1].aliases.insert(alias.to_lowercase());
        self.written()
    }

    fn leads(&self, from: usize, relation: Relation, to: usize) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                open.extend(self.outgoing(at).into_iter().filter(|(drawn, _)| *drawn == relation).map(|(_, end)| end));
            }
        }
        false
    }

    pub(super) fn link(&mut self, from: usize, relation: Relation, to: usize) -> Outcome {
        self.there(from).and(self.there(to))?;
        if from == to {
            return Err(Code::SelfEdge);
        }
        if self.edges.contains(&(from, relation, to)) || relation == Relation::Contradicts && self.edges.contains(&(to, relation, from)) {
            return Err(Code::EdgeExists);
        }
        if matches!(relation, Relation::Blocks | Relation::Supersedes) && self.leads(to, relation, from) {
            return Err(Code::Cycle);
        }
        self.edges.insert((from, relation, to));
        self.written()
    }

    pub(super) fn supersede(&mut self, newer: usize, older: usize, why: &str) -> Outcome {
        self.there(newer).and(self.there(older))?;
        if why.trim().is_empty() {
            return Err(Code::EvidenceMissing);
        }
        self.link(newer, Relation::Supersedes, older)
    }

    pub(super) fn demote(&mut self, newer: usize, older: usize, why: &str) -> Outcome {
        if why.trim().is_empty() {
            return Err(Code::EmptyField);
        }
        self.there(newer).and(self.there(older))?;
        if !self.edges.remove(&(newer, Relation::Supersedes, older)) {
            return Err(Code::UnknownEdge);
        }
        self.edges.insert((newer, Relation::RelatesTo, older));
        self.written()
    }

    pub(super) fn unlink(&mut self, from: usize, relation: Relation, to: usize, why: &str) -> Outcome {
        if why.trim().is_empty() {
            return Err(Code::EmptyField);
        }
        self.there(from).and(self.there(to))?;
        let there = self.edges.remove(&(from, relation, to)) || relation == Relation::Contradicts && self.edges.remove(&(to, relation, from));
        if there { self.written() } else { Err(Code::UnknownEdge) }
    }

    pub(super) fn archive(&mut self, number: usize, why: &str) -> Outcome {
        if why.trim().is_empty() {
            return Err(Code::EmptyField);
        }
        self.there(number)?;
        if std::mem::replace(&mut self.nodes[number - 1].archived, true) {
            return Err(Code::WrongState);
        }
        self.written()
    }

    pub(super) fn review(&mut self, number: usize) -> Outcome {
        self.there(number)?;
        self.written()
    }

    /// What retires a node, by number.
    pub(super) fn retiring(&self, number: usize) -> Vec<usize> {
        self.edges.iter().filter(|(_, relation, to)| *relation == Relation::Supersedes && *to == number).map(|(from, ..)| *from).collect()
    }

    pub(super) fn outgoing(&self, number: usize) -> BTreeSet<(Relation, usize)> {
        self.edges.iter().filter(|(from, ..)| *from == number).map(|(_, relation, to)| (*relation, *to)).collect()
    }

    pub(super) fn state(&self, number: usize, now: Timestamp) -> State {
        let node = &self.nodes[number - 1];
        if node.archived {
            State::Archived
        } else if !self.retiring(number).is_empty() {
            State::Retired
        } else if node.expires_at.is_some_and(|at| at <= now) {
            State::Expired
        } else {
            State::Live
        }
    }
}
