//! The writing API, bound to an actor and a session. Every verb is one operation.

mod revising;
mod rules;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::advice::{Advice, Near, advise};
use super::apply::units_of;
use super::database::Database;
use super::draft::Draft;
use super::edge::Relation;
use super::evidence::SourceText;
use super::log::Hand;
use super::node::{Anchor, Category, Content, Detail};
use super::overdue::release_when_overdue;
use super::purge::Purged;
use super::settle::{check_hand, content_of};
use super::transaction::{Transaction, Within};
use super::writer::{Retirement, Write};
use crate::base::erase::Eraser;
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::time::SharedClock;

/// What stands beside the record and wants to know of writes: the indexes.
///
/// Unless one says otherwise, calls come without the write lock held.
pub(crate) trait Follower: Send + Sync {
    /// The vector of a text to be recorded and the facts near it; nothing where there is no embedder or it failed.
    fn compare(&self, title: &str, body: &str) -> Compared;
    /// The cosines of a text to others, by the built-in embedder whatever the record's own is: rules are judged alike
    /// everywhere. It calls no host, so it may come with the write lock held.
    fn cosines(&self, text: &str, others: &[String]) -> Vec<f32>;
    /// Operations up to that sequence are committed.
    fn written(&self, sequence: u64);
    /// A purge is committed: takes what it erased out of every file; true if nothing is left.
    fn purged(&self, erased: &Eraser) -> Result<bool>;
}

/// What a follower knows of a text.
#[derive(Default)]
pub(crate) struct Compared {
    /// The embedder's name, the hash of the text, and its vector.
    pub(crate) vector: Option<(String, [u8; 16], Vec<f32>)>,
    pub(crate) near: Near,
}

/// What recorders of one record share.
pub(crate) struct Writing {
    pub(crate) database: Arc<Database>,
    pub(crate) clock: SharedClock,
    pub(crate) follower: Arc<dyn Follower>,
}

/// The writing side of a record, bound to an actor.
///
/// Every verb is one operation: atomic, and when the call returns as durable as [`Durability`](crate::Durability) says, or
/// once its transaction is committed. Threads may share a recorder; a clone writes where this one does, inside the same
/// transaction.
///
/// Beside the errors that they name, all verbs can fail with `busy`, `closed`, `gone` and those of storage, and what takes
/// text with `empty_field`, `too_large`, `bad_text` and `secret`.
#[derive(Clone)]
pub struct Recorder<'t> {
    writing: Arc<Writing>,
    actor: String,
    session: Option<String>,
    allow_secrets: bool,
    may_promote: bool,
    within: Option<Within<'t>>,
}

/// A recorded node and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its id.
    pub id: NodeId,
    /// Advice; never a reason to stop.
    pub advice: Vec<Advice>,
}

impl<'t> Recorder<'t> {
    /// A recorder for an actor and, if there is one, a session.
    pub(crate) fn new(writing: Arc<Writing>, actor: &str, session: Option<&str>) -> Result<Recorder<'static>> {
        check_hand(actor, session, false)?;
        Ok(Recorder { writing, actor: actor.to_owned(), session: session.map(Into::into), allow_secrets: false, may_promote: false, within: None })
    }

    /// Accepts text that looks like a credential in every verb of this recorder.
    #[must_use]
    pub fn allowing_secrets(mut self) -> Self {
        self.allow_secrets = true;
        self
    }

    pub(super) fn begin(&self) -> Result<Write> {
        let hand = Hand { at: self.writing.clock.now(), actor: &self.actor, session: self.session.as_deref() };
        let mut write = Write::begin(&self.writing.database, &hand, self.writing.database.busy_timeout())?;
        if self.allow_secrets {
            write.allow_secrets();
        }
        Ok(write)
    }

    pub(super) fn within(&self) -> Option<&Within<'t>> {
        self.within.as_ref()
    }

    pub(super) fn tell_written(&self, sequence: u64) {
        self.writing.follower.written(sequence);
    }

    /// The transaction that this recorder writes in.
    fn open(&self) -> Option<MutexGuard<'_, Write>> {
        self.within.as_ref().map(Within::lock)
    }

    /// Who writes.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// In which session.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    pub(super) fn run<T>(&self, verb: impl FnOnce(&mut Write) -> Result<T>) -> Result<T> {
        if let Some(mut open) = self.open() {
            return open.step(|write| write.with_secrets(self.allow_secrets, verb));
        }
        let mut write = self.begin()?;
        let done = verb(&mut write)?;
        let sequence = write.commit()?;
        self.writing.follower.written(sequence);
        Ok(done)
    }

    /// Runs several verbs as one atomic step: all of them are written, or none.
    ///
    /// The step holds the write lock for at most 2 seconds. A verb that fails inside changes nothing by itself; the step
    /// goes on if `work` does. Transactions may lie in transactions. Writes inside get no advice about meaning.
    ///
    /// # Errors
    /// What `work` returns; `transaction_timeout`; `busy`. Then nothing is written.
    pub fn transaction<T>(&self, work: impl FnOnce(&Recorder<'_>) -> Result<T>) -> Result<T> {
        if self.within.is_some() {
            let part = self.begin_transaction()?;
            let done = work(self)?;
            return part.commit().map(|()| done);
        }
        let open = Mutex::new(self.begin()?);
        let inner = self.inside(Within::Lent(&open));
        let done = release_when_overdue(&open, || work(&inner))?;
        drop(inner);
        let sequence = open.into_inner().unwrap_or_else(PoisonError::into_inner).commit()?;
        self.writing.follower.written(sequence);
        Ok(done)
    }

    /// Begins an atomic step that is held open until it is committed, for hosts that cannot give a function to
    /// [`Self::transaction`]; otherwise the same. Dropped, it changes nothing.
    ///
    /// # Errors
    /// `busy`; inside another transaction `transaction_timeout`.
    pub fn begin_transaction(&self) -> Result<Transaction<'t>> {
        Transaction::begin(self)
    }

    pub(super) fn inside<'w>(&self, within: Within<'w>) -> Recorder<'w> {
        Recorder {
            writing: Arc::clone(&self.writing),
            actor: self.actor.clone(),
            session: self.session.clone(),
            allow_secrets: self.allow_secrets,
            may_promote: self.may_promote,
            within: Some(within),
        }
    }

    /// Records a node of any kind.
    ///
    /// # Errors
    /// Invalid for a field out of its limits, a secret, an alias out of form; `alias_taken`; `unknown_node` for a component or
    /// task that is not there; `busy` and the errors of storage.
    pub fn add(&self, mut draft: Draft) -> Result<Recorded> {
        draft.allow_secrets |= self.allow_secrets;
        let content = content_of(&draft)?;
        let compared = self.compare(&content);
        let mut settled = None;
        let id = self.run(|write| {
            let id = write.create_settled(content, &draft)?;
            if let Some((embedder, hash, vector)) = &compared.vector {
                write.keep_vector(embedder, hash, vector)?;
            }
            let (content, _) = write.views().content(id.number)?.expect("it was recorded just now");
            settled = Some(advise(write.views(), id, &content, &compared.near)?);
            Ok(id)
        })?;
        Ok(Recorded { id, advice: settled.unwrap_or_default() })
    }

    fn compare(&self, content: &Content) -> Compared {
        if self.within.is_some() || matches!(content.detail, Detail::Document) || !content.is_ranked() {
            return Compared::default();
        }
        // What is no document is one piece.
        let piece = &units_of(content)[0];
        self.writing.follower.compare(&piece.title, &piece.body)
    }

    /// Begins a fact; finish with [`Adding::record`].
    pub fn fact(&self, category: Category, title: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::fact(category, title) }
    }

    /// Begins a task; finish with [`Adding::record`].
    pub fn task(&self, title: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::task(title) }
    }

    /// Begins a rule; finish with [`Adding::record`].
    pub fn rule(&self, title: impl Into<String>, statement: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::rule(title, statement) }
    }

    /// Begins a document; finish with [`Adding::record`].
    pub fn document(&self, title: impl Into<String>, body: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::document(title, body) }
    }

    /// Begins a diagram; finish with [`Adding::record`].
    pub fn diagram(&self, title: impl Into<String>, body: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::diagram(title, body) }
    }

    /// Begins a component; finish with [`Adding::record`].
    pub fn component(&self, title: impl Into<String>) -> Adding<'_> {
        Adding { recorder: self, draft: Draft::component(title) }
    }

    /// Gives a node another name.
    ///
    /// # Errors
    /// `bad_alias`, `alias_taken`, `unknown_node`.
    pub fn alias(&self, id: &str, alias: &str) -> Result<NodeId> {
        self.run(|write| write.alias(id, alias))
    }

    /// Joins two nodes. `supersedes` needs reason and evidence as [`Self::supersede`] does.
    ///
    /// # Errors
    /// `unknown_node`, `self_edge`, `edge_exists`, `cycle`, `wrong_kind`; for `supersedes` those of [`Self::supersede`].
    pub fn link(&self, from: &str, relation: Relation, to: &str) -> Result<()> {
        self.link_because(from, relation, to, "", "")
    }

    /// Joins two nodes with a reason and a quoted line, either of which may be empty.
    ///
    /// # Errors
    /// As [`Self::link`].
    pub fn link_because(&self, from: &str, relation: Relation, to: &str, reason: &str, evidence: &str) -> Result<()> {
        self.run(|write| write.link(from, relation, to, reason, evidence, false))
    }

    /// Takes an edge away, saying why. A retirement is undone by [`Self::demote`] instead.
    ///
    /// # Errors
    /// `unknown_edge`, `unknown_node`, `wrong_state`.
    pub fn unlink(&self, from: &str, relation: Relation, to: &str, why: &str) -> Result<()> {
        self.run(|write| write.unlink(from, relation, to, why))
    }

    /// Begins a retirement of `older` in favour of `newer`; finish with [`Superseding::record`].
    ///
    /// Both halves of the test must hold: it was a standing state, and it ended. "Also", "still" and a story that goes
    /// on retire nothing: link or revise instead.
    pub fn supersede<'r>(&'r self, newer: &'r str, older: &'r str) -> Superseding<'r> {
        Superseding { recorder: self, newer, older, reason: "", evidence: "", source_text: None, unverified: false, allow_secrets: false }
    }

    /// Says that two nodes cannot both hold; both stay live and each carries a note of the other.
    ///
    /// # Errors
    /// As [`Self::link`].
    pub fn contradicts(&self, a: &str, b: &str, reason: &str) -> Result<()> {
        self.link_because(a, Relation::Contradicts, b, reason, "")
    }

    /// Turns a retirement into `relates-to`; the buried node is live again unless another edge still retires it.
    ///
    /// # Errors
    /// `unknown_edge`, `unknown_node`.
    pub fn demote(&self, newer: &str, older: &str, why: &str) -> Result<()> {
        self.run(|write| write.demote(newer, older, why))
    }

    /// Adds and removes tags.
    ///
    /// # Errors
    /// `unknown_node`; Invalid for a tag out of its limits.
    pub fn retag(&self, id: &str, add: &[&str], remove: &[&str]) -> Result<NodeId> {
        self.run(|write| write.retag(id, &owned(add), &owned(remove)))
    }

    /// Puts a node under a component, or under none.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_kind`, `cycle`.
    pub fn move_to(&self, id: &str, component: Option<&str>) -> Result<NodeId> {
        self.run(|write| write.relocate(id, component))
    }

    /// Adds and removes anchors; a path removes all anchors of that path.
    ///
    /// # Errors
    /// `unknown_node`, `bad_path`.
    pub fn anchor(&self, id: &str, add: &[Anchor], remove: &[&str]) -> Result<NodeId> {
        self.run(|write| write.anchor(id, add, &owned(remove)))
    }

    /// Confirms that a node still holds.
    ///
    /// # Errors
    /// `unknown_node`.
    pub fn review(&self, id: &str, note: &str) -> Result<NodeId> {
        self.run(|write| write.review(id, note))
    }

    /// Puts a node away: no longer found, served only when named or as a head.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_state`.
    pub fn archive(&self, id: &str, why: &str) -> Result<NodeId> {
        self.run(|write| write.archive(id, why))
    }
}

impl Recorder<'_> {
    /// Takes a node's text out of the record for good, for secrets and for law: out of every operation, revision, edge and
    /// other node that carries it, out of indexes, sessions, the write-ahead log and free pages. A tombstone with the id is
    /// left, and the chain still verifies.
    ///
    /// Gone are, of all revisions of the node, every run of six words, every line or sentence of three to five words, and
    /// every word of eight characters or more with a letter and a digit, wherever they stand; and each of `literals`, such
    /// as the secret itself, also in the names of actors and sessions; an alias, a tag or an anchor that carries any of it
    /// goes as a whole. Backups and exports that lie elsewhere are not touched. It takes as long as replaying the log and
    /// writing the record anew, with the write lock held meanwhile.
    ///
    /// # Errors
    /// `empty_field` without a reason; `unknown_node`; `wrong_state` if it is purged already, or inside a transaction;
    /// `busy`, `storage`, `disk_full` and their like.
    pub fn purge(&self, id: &str, why: &str, literals: &[&str]) -> Result<Purged> {
        if self.within.is_some() {
            return Err(Error::new(Code::WrongState, "purge: it is a step of its own, outside of transactions"));
        }
        let mut write = self.begin()?;
        let (mut purged, erased) = write.purge(id, why, &owned(literals))?;
        let sequence = write.commit()?;
        purged.complete = self.writing.follower.purged(&erased)?;
        self.writing.follower.written(sequence);
        Ok(purged)
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A node about to be recorded.
#[must_use = "nothing is recorded before `record`"]
pub struct Adding<'r> {
    recorder: &'r Recorder<'r>,
    draft: Draft,
}

macro_rules! pass_on {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*);)*) => {
        impl Adding<'_> {
            $($(#[$doc])* pub fn $name(mut self, $($arg: $type),*) -> Self { self.draft = self.draft.$name($($arg),*); self })*
        }
    };
}

pass_on! {
    /// Sets the body: at most 64 KiB, 2 MiB for a document.
    body(text: impl Into<String>);
    /// Adds an alias.
    alias(alias: impl Into<String>);
    /// Puts it under a component, given by id or alias.
    under(component: impl Into<String>);
    /// Says where it comes from.
    source(source: super::node::Source);
    /// Adds a place that it is about.
    anchor(path: impl Into<String>, symbol: Option<&str>);
    /// Sets when it came to be, where that was not now.
    created_at(at: crate::base::time::Timestamp);
    /// Sets the instant from which it is expired.
    expires_at(at: crate::base::time::Timestamp);
    /// Names the task, by id or alias, whose completion resolves it.
    resolves_with(task: impl Into<String>);
    /// Sets the instant from which it wants a look.
    review_at(at: crate::base::time::Timestamp);
    /// Accepts text that looks like a credential.
    allow_secrets();
    /// Sets the type of a task.
    task_type(value: super::node::TaskType);
    /// Sets the priority of a task, 0 (highest) to 4.
    priority(value: u8);
    /// Sets how one can tell that a task is done.
    success_criteria(value: impl Into<String>);
}

impl Adding<'_> {
    /// Adds tags.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.draft = self.draft.tags(tags);
        self
    }

    /// Changes what only rules have.
    pub fn routing(mut self, set: impl FnOnce(&mut super::node::RuleDetail)) -> Self {
        self.draft = self.draft.routing(set);
        self
    }

    /// Records it.
    ///
    /// # Errors
    /// As [`Recorder::add`].
    pub fn record(self) -> Result<Recorded> {
        self.recorder.add(self.draft)
    }
}

/// A retirement about to be recorded.
#[must_use = "nothing is recorded before `record`"]
pub struct Superseding<'r> {
    recorder: &'r Recorder<'r>,
    newer: &'r str,
    older: &'r str,
    reason: &'r str,
    evidence: &'r str,
    source_text: Option<&'r SourceText>,
    unverified: bool,
    allow_secrets: bool,
}

impl<'r> Superseding<'r> {
    /// Says which standing state ended. Required.
    pub fn reason(mut self, reason: &'r str) -> Self {
        self.reason = reason;
        self
    }

    /// Quotes the line that shows it, word for word. Required.
    pub fn evidence(mut self, evidence: &'r str) -> Self {
        self.evidence = evidence;
        self
    }

    /// Passes a text in which the quoted line stands.
    pub fn source_text(mut self, text: &'r SourceText) -> Self {
        self.source_text = Some(text);
        self
    }

    /// Vouches for evidence that stands in no text; the health check lists it as an error.
    pub fn unverified(mut self) -> Self {
        self.unverified = true;
        self
    }

    /// Accepts text that looks like a credential.
    pub fn allow_secrets(mut self) -> Self {
        self.allow_secrets = true;
        self
    }

    /// Records it.
    ///
    /// # Errors
    /// `evidence_missing`, `evidence_not_found`, `unknown_node`, `self_edge`, `edge_exists`, `cycle`.
    pub fn record(self) -> Result<()> {
        let why = Retirement { reason: self.reason, evidence: self.evidence, source_text: self.source_text, unverified: self.unverified };
        self.recorder.run(|write| write.supersede(self.newer, self.older, &why, self.allow_secrets))
    }
}
