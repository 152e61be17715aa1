//! The write transaction: settles each verb against the views, appends its operation and applies it. Here the
//! transaction itself; what it can write stands in `writer/`.

mod bulk;
mod edges;
mod nodes;
mod rules;
pub(super) mod tasks;

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, params};

pub(crate) use edges::{Claim, Drawn, Retirement};

use super::apply::{Kept, apply, apply_prepared};
use super::database::{Database, Trouble, check_format};
use super::deferred::Tally;
use super::drawn_edges::DrawnEdges;
use super::known_names::KnownNames;
use super::log::{self, Hand, Head};
use super::operation::Change;
use super::prepared::Prepared;
use super::reader::Snapshot;
use super::sealing::Sealing;
use super::settle::check_secret;
use crate::base::config::TRANSACTION_LIMIT;
use crate::base::erase::Eraser;
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::time::{Deadline, Timestamp};

/// An open write transaction. Dropped without [`Write::commit`], it changes nothing.
pub(crate) struct Write {
    database: Arc<Database>,
    views: Option<Snapshot>,
    /// What the log holds; the views may be ahead of it until the commit.
    head: Head,
    /// The head before this transaction.
    begun: u64,
    at: Timestamp,
    actor: String,
    session: Option<String>,
    /// Until when the lock may be held; no end where all that is done under it is ours.
    limit: Deadline,
    kept: Kept,
    bulk: bool,
    importing: bool,
    /// Every name of the record, in an import that is large beside it.
    names: Option<KnownNames>,
    /// The edges of an import.
    drawn: Option<DrawnEdges>,
    /// What makes the log of an import.
    sealing: Option<Sealing>,
    allow_secrets: bool,
    /// How many parts are open.
    depth: usize,
}

/// Where a part of a transaction began.
pub(crate) struct Mark {
    depth: usize,
    head: Head,
    names: usize,
    tally: Tally,
}

impl Write {
    /// Begins to write, waiting for other writers until the deadline.
    ///
    /// # Errors
    /// `busy`, `read_only`, `closed`, `gone`, `storage` and its like.
    pub(crate) fn begin(database: &Arc<Database>, hand: &Hand<'_>, wait: Duration) -> Result<Self> {
        let deadline = Deadline::after(wait);
        fail_point!(WriteWanted);
        let conn = database.take_writer(deadline)?;
        let began = database.begin_immediate(&conn, deadline).and_then(|()| {
            fail_point!(WriteBegun);
            let head = check_format(&conn).and_then(|()| log::head(&conn));
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
            begun: head.sequence,
            at: hand.at,
            actor: hand.actor.to_owned(),
            session: hand.session.map(Into::into),
            limit: Deadline::NEVER,
            kept: Kept::new(),
            bulk: false,
            importing: false,
            names: None,
            drawn: None,
            sealing: None,
            allow_secrets: false,
            depth: 0,
        })
    }

    /// Bounds how long the transaction holds the lock from now on, and gives the bound: what comes between its steps is the host's.
    pub(crate) fn bound(&mut self) -> Duration {
        self.limit = Deadline::after(TRANSACTION_LIMIT);
        TRANSACTION_LIMIT
    }

    /// Accepts text that looks like a credential from now on.
    pub(crate) fn allow_secrets(&mut self) {
        self.allow_secrets = true;
    }

    /// Runs a verb that may accept what the rest of the transaction does not.
    pub(crate) fn with_secrets<T>(&mut self, allowed: bool, verb: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.allow_secrets;
        self.allow_secrets |= allowed;
        let done = verb(self);
        self.allow_secrets = before;
        done
    }

    pub(super) fn check_secret(&self, field: &'static str, text: &str) -> Result<()> {
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
        self.end()
    }

    /// As [`Self::commit`]; every later step fails.
    pub(crate) fn end(&mut self) -> Result<u64> {
        self.in_time()?;
        self.whole()?;
        self.innermost(0)?;
        self.seal()?;
        self.kept.deferred.write(self.views().conn())?;
        fail_point!(CommitWanted);
        self.views().conn().execute_batch("COMMIT").map_err(Trouble::during("commit"))?;
        fail_point!(Committed);
        let sequence = self.head.sequence;
        self.give_back(false);
        Ok(sequence)
    }

    fn give_back(&mut self, roll_back: bool) {
        if let Some(conn) = self.views.take().and_then(Snapshot::take_back) {
            if self.database.forked() {
                // It is the parent's: not even closing it is harmless here.
                return std::mem::forget(conn);
            }
            if roll_back {
                let _ = conn.execute_batch("ROLLBACK");
            }
            if self.bulk {
                bulk::end(&conn);
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
        if self.views.is_none() {
            return Err(Error::new(Code::WrongState, "write: the transaction is over"));
        }
        if self.database.forked() {
            return Err(Error::new(Code::Forked, "write: the transaction was begun in the parent process"));
        }
        Ok(())
    }

    /// Checks that no part is open but so many.
    fn innermost(&self, depth: usize) -> Result<()> {
        if self.depth != depth {
            return Err(Error::new(Code::WrongState, "write: a transaction inside this one is still open"));
        }
        Ok(())
    }

    /// Lets go of the lock and of all that was written; every later step fails with `transaction_timeout`.
    pub(crate) fn abandon(&mut self) {
        self.give_back(true);
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
            Ok(done) => self.keep(&mark).map(|()| done),
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
        // What was put off before belongs to what stays.
        self.seal()?;
        self.kept.deferred.write_rows(self.views().conn())?;
        self.views().conn().execute_batch("SAVEPOINT part").map_err(Trouble::during("begin a part of a transaction"))?;
        self.depth += 1;
        Ok(Mark { depth: self.depth, head: self.head, names: self.names.as_ref().map_or(0, KnownNames::added), tally: self.kept.deferred.tally() })
    }

    /// Ends the part that began with the mark, keeping it; it must be the innermost.
    pub(crate) fn keep(&mut self, mark: &Mark) -> Result<()> {
        self.in_time()?;
        self.whole()?;
        self.innermost(mark.depth)?;
        self.views().conn().execute_batch("RELEASE part").map_err(Trouble::during("end a part of a transaction"))?;
        self.depth -= 1;
        Ok(())
    }

    /// Ends the part that began with the mark, undoing it; where a part inside it is still open, nothing of the whole
    /// transaction is kept.
    pub(crate) fn undo(&mut self, mark: Mark) {
        if self.depth != mark.depth {
            return self.abandon();
        }
        self.depth -= 1;
        let Some(views) = &mut self.views else { return };
        // It fails only where the whole transaction is rolled back already.
        let _ = views.conn().execute_batch("ROLLBACK TO part; RELEASE part");
        self.head = mark.head;
        views.advance(mark.head.sequence);
        self.kept.ends.forget_all();
        self.kept.deferred.take_back(mark.tally);
        if let Some(names) = &mut self.names {
            names.take_back(mark.names);
        }
    }

    /// Takes literals that are purged out of the names under which the transaction writes from now on.
    pub(super) fn sign_without(&mut self, eraser: &Eraser) {
        self.actor = eraser.clean_literals(&self.actor).unwrap_or_else(|| std::mem::take(&mut self.actor));
        self.session = self.session.take().map(|session| eraser.clean_literals(&session).unwrap_or(session));
    }

    /// The last operation of the log as this transaction has it.
    pub(super) fn log_head(&self) -> Head {
        self.head
    }

    /// Says that the log reaches so far now.
    pub(super) fn set_log_head(&mut self, head: Head) {
        self.head = head;
        self.views.as_mut().expect("the views are there until the transaction ends").advance(head.sequence);
    }

    pub(super) fn append(&mut self, change: Change) -> Result<()> {
        self.append_prepared(change, None)
    }

    fn append_prepared(&mut self, change: Change, prepared: Option<&Prepared>) -> Result<()> {
        let hand = Hand { at: self.at, actor: &self.actor, session: self.session.as_deref() };
        let views = self.views.as_mut().expect("the views are there until the transaction ends");
        let (conn, operation) = (views.conn(), hand.operation(views.head() + 1, change));
        // What is done within a part stands in the log at once, so that it can be undone.
        let mut sealing = self.sealing.as_mut().filter(|_| self.depth == 0);
        if sealing.is_none() {
            log::append(conn, &hand, &mut self.head, std::slice::from_ref(&operation))?;
        }
        match prepared {
            Some(prepared) => apply_prepared(conn, &operation, &self.kept, prepared)?,
            None => apply(conn, &operation, &self.kept)?,
        }
        if !self.importing {
            self.kept.deferred.write(conn)?;
        }
        fail_point!(OperationApplied);
        if let Some(names) = &mut self.names {
            names.follow(&operation.change, prepared);
        }
        if let Some(drawn) = &mut self.drawn {
            drawn.follow(&operation.change);
        }
        let sequence = operation.sequence;
        if let Some(sealing) = &mut sealing {
            sealing.take(conn, &hand, &mut self.head, operation)?;
        }
        views.advance(sequence);
        Ok(())
    }

    /// Has everything that was appended stand in the log.
    fn seal(&mut self) -> Result<()> {
        let hand = Hand { at: self.at, actor: &self.actor, session: self.session.as_deref() };
        let conn = self.views.as_ref().expect("the views are there until the transaction ends").conn();
        self.sealing.as_mut().map_or(Ok(()), |sealing| sealing.finish(conn, &hand, &mut self.head))
    }

    /// Keeps a vector for a text, outside the log; one that is there already stays.
    pub(crate) fn keep_vector(&self, embedder: &str, text_hash: &[u8], vector: &[f32]) -> Result<()> {
        keep_vector(self.views().conn(), embedder, text_hash, vector)?;
        fail_point!(VectorKept);
        Ok(())
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
