//! The write transaction: settles each verb against the views, appends its operation and applies it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, params};

use super::apply::{apply, references};
use super::database::{Database, Trouble, begin_immediate};
use super::draft::{Draft, Revision};
use super::edge::{Evidence, Found, Relation};
use super::evidence::{self, SourceText};
use super::log::{self, Hand, Head};
use super::node::{Anchor, Content, Node};
use super::operation::{Change, Create, Link, Revise};
use super::reader::{Snapshot, unknown};
use super::settle::{check_new_secrets, check_secret, detail_of, settle_content};
use crate::base::config::{FIELD_BYTES, TRANSACTION_LIMIT};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId, check_alias, fold_alias, telling};
use crate::base::terms::Tokeniser;
use crate::base::text::{check_filled, check_text, fold_space};
use crate::base::time::{Deadline, Timestamp};

/// An open write transaction. Dropped without [`Write::commit`], it changes nothing.
pub(crate) struct Write {
    database: Arc<Database>,
    views: Option<Snapshot>,
    head: Head,
    at: Timestamp,
    actor: String,
    session: Option<String>,
    limit: Deadline,
    tokeniser: Tokeniser,
    bulk: bool,
    allow_secrets: bool,
}

/// Where a part of a transaction began.
pub(crate) struct Mark(Head);

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

impl Write {
    /// Begins to write, waiting for other writers until the deadline.
    ///
    /// # Errors
    /// `busy`, `read_only`, `closed`, `gone`, `storage` and its like.
    pub(crate) fn begin(database: &Arc<Database>, hand: &Hand<'_>, wait: Duration) -> Result<Self> {
        let deadline = Deadline::after(wait);
        let conn = database.take_writer(deadline)?;
        let began = begin_immediate(&conn, deadline).and_then(|()| {
            let head = log::head(&conn);
            if head.is_err() {
                let _ = conn.execute_batch("ROLLBACK");
            }
            head
        });
        let head = match began {
            Ok(head) => head,
            Err(error) => {
                database.return_writer(conn);
                return Err(error);
            }
        };
        let views = Snapshot::lend(database, conn, head.sequence, hand.at);
        Ok(Self {
            database: Arc::clone(database),
            views: Some(views),
            head,
            at: hand.at,
            actor: hand.actor.to_owned(),
            session: hand.session.map(Into::into),
            limit: Deadline::after(TRANSACTION_LIMIT),
            tokeniser: Tokeniser::new(),
            bulk: false,
            allow_secrets: false,
        })
    }

    /// Lifts the bound on how long the transaction may hold the lock, and lets it keep more pages in memory, for imports.
    pub(crate) fn begin_bulk(&mut self) -> Result<()> {
        self.limit = Deadline::NEVER;
        self.bulk = true;
        // Pages that do not fit are written to the log and read again, over and over.
        self.views().conn().execute_batch("PRAGMA cache_size = -65536").map_err(Trouble::during("begin an import"))
    }

    /// Accepts text that looks like a credential from now on.
    pub(crate) fn allow_secrets(&mut self) {
        self.allow_secrets = true;
    }

    fn check_secret(&self, field: &'static str, text: &str) -> Result<()> {
        if self.allow_secrets { Ok(()) } else { check_secret(field, text) }
    }

    /// The views as this transaction has made them so far.
    pub(crate) fn views(&self) -> &Snapshot {
        self.views.as_ref().expect("the views are there until the transaction ends")
    }

    /// Makes all that was written durable and gives the new head.
    ///
    /// # Errors
    /// `transaction_timeout` if it took too long; `storage`, `disk_full` and their like; then nothing is written.
    pub(crate) fn commit(mut self) -> Result<u64> {
        self.in_time()?;
        self.whole()?;
        self.views().conn().execute_batch("COMMIT").map_err(Trouble::during("commit"))?;
        let sequence = self.head.sequence;
        self.give_back(false);
        Ok(sequence)
    }

    fn give_back(&mut self, roll_back: bool) {
        if let Some(conn) = self.views.take().and_then(Snapshot::take_back) {
            if roll_back {
                let _ = conn.execute_batch("ROLLBACK");
            }
            if self.bulk {
                let _ = conn.execute_batch("PRAGMA cache_size = -2000; PRAGMA shrink_memory");
            }
            self.database.return_writer(conn);
        }
    }

    fn in_time(&self) -> Result<()> {
        if self.limit.expired() {
            return Err(Error::new(
                Code::TransactionTimeout,
                format!("write: the transaction held the lock for more than {} ms", TRANSACTION_LIMIT.as_millis()),
            ));
        }
        Ok(())
    }

    /// Lets go of the lock and of all that was written; every later step fails with `transaction_timeout`.
    pub(crate) fn abandon(&mut self) {
        self.give_back(true);
    }

    /// How long the transaction may still hold the lock; `None` if nothing bounds it.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        self.limit.remaining()
    }

    /// Checks that SQLite has not rolled the whole transaction back, as it does when the disk fails or is full: what
    /// was written afterwards would stand alone.
    fn whole(&self) -> Result<()> {
        if self.views().conn().is_autocommit() {
            return Err(Error::new(Code::Storage, "write: the disk failed inside the transaction, nothing of it is kept"));
        }
        Ok(())
    }

    /// Runs one verb such that a failing one changes nothing of what came before it in the transaction.
    pub(crate) fn step<T>(&mut self, verb: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mark = self.mark()?;
        match verb(self) {
            Ok(done) => self.keep().map(|()| done),
            Err(error) => {
                self.undo(mark);
                Err(error)
            }
        }
    }

    /// Begins a part of the transaction that can be undone by itself; parts may lie in parts.
    ///
    /// # Errors
    /// `transaction_timeout`; `storage` and its like.
    pub(crate) fn mark(&mut self) -> Result<Mark> {
        self.in_time()?;
        self.whole()?;
        self.views().conn().execute_batch("SAVEPOINT part").map_err(Trouble::during("begin a part of a transaction"))?;
        Ok(Mark(self.head))
    }

    /// Ends the innermost part, keeping it.
    pub(crate) fn keep(&mut self) -> Result<()> {
        self.in_time()?;
        self.whole()?;
        self.views().conn().execute_batch("RELEASE part").map_err(Trouble::during("end a part of a transaction"))
    }

    /// Ends the part that began with the mark, undoing it.
    pub(crate) fn undo(&mut self, mark: Mark) {
        let Some(views) = &mut self.views else { return };
        // It fails only where the whole transaction is rolled back already.
        let _ = views.conn().execute_batch("ROLLBACK TO part; RELEASE part");
        self.head = mark.0;
        views.advance(mark.0.sequence);
    }

    fn append(&mut self, change: Change) -> Result<()> {
        let hand = Hand { at: self.at, actor: &self.actor, session: self.session.as_deref() };
        let conn = self.views.as_ref().expect("the views are there until the transaction ends").conn();
        let operation = log::append(conn, &mut self.head, &hand, change)?;
        apply(conn, &operation, &mut self.tokeniser)?;
        self.views.as_mut().expect("the views are there until the transaction ends").advance(self.head.sequence);
        Ok(())
    }

    /// Keeps a vector for a text, outside the log; one that is there already stays.
    pub(crate) fn keep_vector(&self, embedder: &str, text_hash: &[u8], vector: &[f32]) -> Result<()> {
        keep_vector(self.views().conn(), embedder, text_hash, vector)
    }

    /// Records a node whose content was checked before.
    pub(crate) fn create_settled(&mut self, mut content: Content, draft: &Draft) -> Result<NodeId> {
        self.place(&mut content, draft.component.as_deref(), draft.resolves_with.as_deref())?;
        let number = self.views().counts()?.last_number + 1;
        for (at, alias) in draft.aliases.iter().enumerate() {
            self.free_alias(alias)?;
            if draft.aliases[..at].iter().any(|other| fold_alias(other) == fold_alias(alias)) {
                return Err(Error::new(Code::AliasTaken, format!("give the alias {alias:?}: it is given twice")).with("field", "alias"));
            }
        }
        let mentions = self.named_by(&content.title, &content.body, &draft.aliases, number)?;
        let mut words: Vec<String> = Kind::ALL.iter().map(|kind| NodeId { kind: *kind, number }.to_string().to_lowercase()).collect();
        words.extend(draft.aliases.iter().filter(|alias| telling(alias)).map(|alias| fold_alias(alias)));
        let mentioned_by = self.views().naming(&words, usize::MAX >> 1)?;
        let id = NodeId { kind: content.detail.kind(), number };
        let created_at = draft.created_at.unwrap_or(self.at);
        self.append(Change::Create(Box::new(Create { number, aliases: draft.aliases.clone(), created_at, content, mentions, mentioned_by })))?;
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
        match self.views().resolve(alias)? {
            None => Ok(()),
            Some(taken) => {
                Err(Error::new(Code::AliasTaken, format!("give the alias {alias:?}: {} has it", taken.id)).with("field", "alias").with("id", taken.id))
            }
        }
    }

    /// The nodes that a text names, without the one that it belongs to, in the order of their numbers.
    fn named_by(&self, title: &str, body: &str, own: &[String], number: u64) -> Result<Vec<u64>> {
        let mut found = BTreeSet::new();
        for word in references(title, body) {
            if own.iter().any(|alias| fold_alias(alias) == word) {
                continue;
            }
            if let Some(named) = self.views().resolve(&word)?.filter(|named| named.id.number != number) {
                found.insert(named.id.number);
            }
        }
        Ok(found.into_iter().collect())
    }

    fn load(&self, reference: &str) -> Result<(Content, Node)> {
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
                && let super::node::Detail::Knowledge { category: old } = &mut content.detail
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
        dedup_anchors(&mut content.anchors);
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
        let aliases = self.views().aliases(number)?;
        let (mut mentions, mut unmentions) = (Vec::new(), Vec::new());
        if old.title != content.title || old.body != content.body {
            let before: BTreeSet<u64> = self.named_by(&old.title, &old.body, &aliases, number)?.into_iter().collect();
            let after: BTreeSet<u64> = self.named_by(&content.title, &content.body, &aliases, number)?.into_iter().collect();
            for to in &after {
                if self.views().find_edge(number, Relation::Mentions, *to)?.is_none() {
                    mentions.push(*to);
                }
            }
            for to in before.difference(&after) {
                if self.views().find_edge(number, Relation::Mentions, *to)?.is_some_and(|edge| edge.automatic) {
                    unmentions.push(*to);
                }
            }
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
        let existing = self.views().find_edge(from.number, relation, to.number)?;
        if existing.is_some_and(|edge| !edge.automatic) {
            return Err(Error::new(Code::EdgeExists, format!("link {from} {relation} {to}: that edge is there")));
        }
        if relation == Relation::Contradicts && self.views().find_edge(to.number, relation, from.number)?.is_some() {
            return Err(Error::new(Code::EdgeExists, format!("link {from} {relation} {to}: that edge is there in the other direction, which says the same")));
        }
        if relation.is_acyclic()
            && self.leads(to.number, relation, from.number)?
            && let Some(path) = self.path(to.number, relation, from.number)?
        {
            let path = self.written_path(from, &path)?;
            return Err(Error::new(Code::Cycle, format!("link {from} {relation} {to}: it would close the cycle {path}")).with("path", path));
        }
        self.append(Change::Link(Box::new(Link { from: from.number, relation, to: to.number, reason: reason.trim().to_owned(), evidence })))
    }

    fn written_path(&self, from: NodeId, path: &[u64]) -> Result<String> {
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
        let missing = match (why.reason.trim().is_empty(), why.evidence.trim().is_empty()) {
            (true, true) => Some("reason and evidence are"),
            (true, false) => Some("the reason is"),
            (false, true) if !why.unverified => Some("the evidence is"),
            _ => None,
        };
        if let Some(missing) = missing {
            return Err(Error::new(Code::EvidenceMissing, format!("supersede {} by {}: {missing} missing", older.1.id, newer.1.id))
                .with("field", if why.reason.trim().is_empty() { "reason" } else { "evidence" }));
        }
        check_claim(why.reason, why.evidence, allow_secrets || self.allow_secrets)?;
        if let Some(source) = why.source_text {
            check_text("source_text.uri", source.uri.as_deref().unwrap_or(""), 2_000)?;
            check_text("source_text.revision", source.revision.as_deref().unwrap_or(""), 200)?;
        }
        let found = evidence::find(why.evidence, [&newer, &older], why.source_text).filter(|_| !why.evidence.trim().is_empty());
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

    /// Joins two nodes as an import says it, whose texts were checked before; true if its evidence was found.
    ///
    /// A retirement without reason or evidence is kept and flagged.
    pub(crate) fn link_imported(&mut self, from: NodeId, relation: Relation, to: NodeId, claim: &Claim<'_>) -> Result<bool> {
        let evidence = self.evidence_of(from, to, claim)?;
        let verified = !claim.reason.trim().is_empty() && evidence.as_ref().is_some_and(|evidence| evidence.found != Found::Unverified);
        self.join(from, relation, to, claim.reason, evidence)?;
        Ok(verified)
    }

    /// The quote of a claim with the place where it was found; nothing without a quote.
    fn evidence_of(&self, from: NodeId, to: NodeId, claim: &Claim<'_>) -> Result<Option<Evidence>> {
        let quote = claim.quote.trim();
        if quote.is_empty() {
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
        if node.state == super::node::State::Archived {
            return Err(Error::new(Code::WrongState, format!("archive {}: it is archived", node.id)));
        }
        self.append(Change::Archive { number: node.id.number, why: why.trim().to_owned() })?;
        Ok(node.id)
    }
}

impl Drop for Write {
    fn drop(&mut self) {
        self.give_back(true);
    }
}

/// Keeps a vector for a text; one that is there already stays.
pub(crate) fn keep_vector(conn: &Connection, embedder: &str, text_hash: &[u8], vector: &[f32]) -> Result<()> {
    let data: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
    conn.prepare_cached("INSERT INTO vector(embedder, text_hash, data) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
        .and_then(|mut statement| statement.execute(params![embedder, text_hash, data]))
        .map_err(Trouble::during("keep a vector"))?;
    Ok(())
}

/// Keeps vectors for texts in a short write of its own, outside the log.
pub(crate) fn keep_vectors(database: &Arc<Database>, embedder: &str, vectors: &[([u8; 16], Vec<f32>)]) -> Result<()> {
    if vectors.is_empty() {
        return Ok(());
    }
    database.write_outside(|conn| vectors.iter().try_for_each(|(hash, vector)| keep_vector(conn, embedder, hash, vector)))
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

fn dedup_anchors(anchors: &mut Vec<Anchor>) {
    let mut seen = BTreeSet::new();
    anchors.retain(|anchor| seen.insert((anchor.path.clone(), anchor.symbol.clone())));
}

/// The names of the fields in which two contents differ, in the order of the content.
pub(crate) fn changed_fields(old: &Content, new: &Content) -> Vec<String> {
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
