//! The record: opens and closes it, wires log, indexes and doors together. Wiring only; rules live below.

mod calls;
mod channels;
mod erasure;
mod put_back;
mod reading;
mod resuming;
mod session;
mod sweeping;
mod tools;
mod transfer;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use crate::assemble::{KeptSkills, LeftBehind};
use crate::base::config::{BUSY_TIMEOUT, CLOSE_WAIT, LONG_LIVED, TAIL_BOUND, WAL_ANY_BYTES, WAL_LONG_LIVED_BYTES};
use crate::base::erase::Eraser;
use crate::base::error::{Code, Error, Result};
use crate::base::time::{Clock, Deadline, SharedClock, SystemClock, Timestamp};
use crate::base::tokens::CountTokens;
use crate::health::{Health, HealthOptions};
use crate::index::catch_up::CaughtUp;
use crate::index::embed::{CheckedEmbedder, Embedder};
use crate::index::indexes::Indexes;
use crate::record::database::{Database, Durability, Opening};
use crate::record::reader::{AsOf, Snapshot};
use crate::record::recorder::{Compared, Follower, Recorder, Writing};
use crate::record::rule::book::Rulebooks;
use crate::record::sessions_db::Sessions;
use crate::render::channels::rule_text;
use crate::retrieve::kept::Keeping;
use crate::retrieve::{RankingTable, Retriever};
use calls::Calls;
use erasure::Wait;
use worker::{Born, Finish, Worker};

/// How long closing a handle works on a tail that has grown past its bound.
const FINISH_WAIT: Duration = Duration::from_secs(2);
/// The longest time that SQLite waits for a lock: it counts milliseconds in 31 bits.
const LONGEST_BUSY_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);

/// An open record. Threads share it by reference; it closes when dropped.
pub struct Record {
    shared: Arc<Shared>,
}

/// What the record, its recorders and its retrievers share.
struct Shared {
    database: Arc<Database>,
    indexes: Arc<Indexes>,
    sessions: Sessions,
    clock: SharedClock,
    worker: Worker,
    calls: Calls,
    left_behind: LeftBehind,
    skills: Arc<KeptSkills>,
    keeping: Keeping,
    rulebooks: Rulebooks,
    ranking: RwLock<Arc<RankingTable>>,
    token_counter: RwLock<Option<Arc<CountTokens>>>,
    born: Born,
    writing: RwLock<Option<Arc<Writing>>>,
}

/// Where the vectors of a record come from.
enum Meaning {
    Builtin,
    None,
    Host(Arc<dyn Embedder>),
}

/// How a record is opened: begin with [`Record::options`], end with [`RecordOptions::open`].
#[must_use = "nothing is opened before `open`"]
pub struct RecordOptions {
    create: bool,
    read_only: bool,
    meaning: Meaning,
    durability: Durability,
    busy_timeout: Duration,
    clock: SharedClock,
}

impl RecordOptions {
    /// Makes the record if there is none; on by default.
    pub fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Opens for reading only: whatever is called, no byte of the record or its indexes changes.
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Takes vectors from a host's embedder instead of the built-in one.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.meaning = Meaning::Host(embedder);
        self
    }

    /// Searches by words only.
    pub fn without_embedder(mut self) -> Self {
        self.meaning = Meaning::None;
        self
    }

    /// Sets what an acknowledged write survives; [`Durability::Full`] by default.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets how long a writer waits for another; 5 seconds by default, 24 days at most: what is longer counts as that.
    pub fn busy_timeout(mut self, wait: Duration) -> Self {
        self.busy_timeout = wait.min(LONGEST_BUSY_TIMEOUT);
        self
    }

    /// Takes the time of operations from a host's clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Opens the record in a folder, `.stele` by habit.
    ///
    /// # Errors
    /// `no_record` if there is none and none may be made; `symlink_refused`; `wal_needs_writer`; `newer_format`;
    /// `older_format`, see [`Record::migrate`]; `damaged`; `bad_config` for an embedder out of its limits; `busy`, `storage` and its like.
    pub fn open(self, dir: impl AsRef<Path>) -> Result<Record> {
        let opening = Opening { create: self.create, read_only: self.read_only, durability: self.durability, busy_timeout: self.busy_timeout };
        let embedder = match self.meaning {
            Meaning::Builtin => Some(Arc::new(CheckedEmbedder::builtin())),
            Meaning::None => None,
            Meaning::Host(host) => {
                let checked =
                    CheckedEmbedder::new(host).map_err(|fault| Error::new(Code::BadConfig, format!("open a record: {fault}")).with("field", "embedder"))?;
                Some(Arc::new(checked))
            }
        };
        let database = Arc::new(Database::open(dir.as_ref(), opening)?);
        let indexes = Arc::new(Indexes::new(Arc::clone(&database), embedder));
        let born = Born::now();
        let work = {
            let (database, indexes) = (Arc::clone(&database), Arc::clone(&indexes));
            Arc::new(move |stop: &AtomicBool| upkeep(&database, &indexes, born, stop))
        };
        let shared = Arc::new(Shared {
            sessions: Sessions::new(database.dir(), database.record(), self.read_only),
            database,
            indexes,
            clock: self.clock,
            worker: Worker::new(work),
            calls: Calls::default(),
            left_behind: LeftBehind::default(),
            skills: Arc::default(),
            keeping: Keeping::default(),
            rulebooks: Rulebooks::default(),
            ranking: RwLock::default(),
            token_counter: RwLock::default(),
            born,
            writing: RwLock::new(None),
        });
        let writing =
            Writing { database: Arc::clone(&shared.database), clock: Arc::clone(&shared.clock), follower: Arc::new(Following(Arc::downgrade(&shared))) };
        *shared.writing.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(writing));
        shared.end_left_purge();
        Ok(Record { shared })
    }
}

/// What the thread of a handle does: the indexes, then the write-ahead log.
fn upkeep(database: &Database, indexes: &Indexes, born: Born, stop: &AtomicBool) {
    // What fails here is noted for the health check and tried again after a later write.
    let _ = indexes.catch_up(stop, TAIL_BOUND);
    if wal_is_long(database, born) {
        let _ = database.truncate_wal();
    }
}

fn wal_is_long(database: &Database, born: Born) -> bool {
    let bound = if born.age() >= LONG_LIVED { WAL_LONG_LIVED_BYTES } else { WAL_ANY_BYTES };
    database.wal_bytes() > bound
}

/// The record's ears for what its recorders write; weak, so that a recorder keeps no closed record alive.
struct Following(std::sync::Weak<Shared>);

impl Follower for Following {
    fn compare(&self, title: &str, body: &str) -> Compared {
        self.0.upgrade().map(|shared| shared.indexes.compare(title, body, shared.clock.now())).unwrap_or_default()
    }

    fn purged(&self, erased: &Eraser) -> Result<bool> {
        self.0.upgrade().map_or(Ok(false), |shared| shared.end_purge(Some(erased), Wait::like_a_writer(&shared.database)))
    }

    fn cosines(&self, text: &str, others: &[String]) -> Vec<f32> {
        crate::index::embed::builtin_cosines(text, others)
    }

    fn written(&self, sequence: u64) {
        let Some(shared) = self.0.upgrade() else { return };
        if shared.tail_is_long(sequence) || wal_is_long(&shared.database, shared.born) {
            shared.worker.wake();
        }
    }
}

impl Shared {
    fn tail_is_long(&self, sequence: u64) -> bool {
        sequence.saturating_sub(self.indexes.covered()) > TAIL_BOUND
    }

    /// Until when a call that writes waits for others.
    fn patience(&self) -> Deadline {
        Deadline::after(self.database.busy_timeout())
    }
}

impl Record {
    /// Opens or creates the record in a folder with every default.
    ///
    /// # Errors
    /// As [`RecordOptions::open`].
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(dir)
    }

    /// Brings the record in a folder to the format of this release, which is the only one that a handle opens; gives
    /// false if it has that format. Its log stays; everything else is made anew from it, in one step: a process that
    /// ends meanwhile leaves the old record. Other releases cannot open the record afterwards.
    ///
    /// # Errors
    /// `no_record`; `newer_format`; `busy`; `chain_broken`, `damaged`: then nothing changed; `storage` and its like.
    pub fn migrate(dir: impl AsRef<Path>) -> Result<bool> {
        crate::record::migrate::migrate(dir.as_ref())
    }

    /// Begins to say how a record is opened.
    pub fn options() -> RecordOptions {
        RecordOptions {
            create: true,
            read_only: false,
            meaning: Meaning::Builtin,
            durability: Durability::Full,
            busy_timeout: BUSY_TIMEOUT,
            clock: Arc::new(SystemClock),
        }
    }

    /// The folder of the record.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.shared.database.dir().to_owned()
    }

    /// True if nothing can be written through this handle.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.shared.database.read_only()
    }

    /// The number of operations in the log.
    ///
    /// # Errors
    /// `closed`, `gone`, `storage` and its like.
    pub fn head(&self) -> Result<u64> {
        self.snapshot().map(|snapshot| snapshot.head())
    }

    /// The hash of the chain at the head, in hexadecimal; a host that keeps it can tell a forged log from its own.
    ///
    /// # Errors
    /// As [`Self::head`].
    pub fn head_hash(&self) -> Result<String> {
        let snapshot = self.snapshot()?;
        crate::record::log::head(snapshot.conn()).map(|head| crate::base::id::hex(&head.chain))
    }

    /// Checks that the log has no gap and that every hash is what it should be; gives the head.
    ///
    /// # Errors
    /// `chain_broken`, naming the first operation that does not fit.
    pub fn verify_log(&self) -> Result<u64> {
        let snapshot = self.snapshot()?;
        crate::record::log::verify(snapshot.conn()).map(|head| head.sequence)
    }

    /// Applies the whole log to empty views in memory and compares every row with the record's; gives the head. Takes
    /// as much memory as the views.
    ///
    /// # Errors
    /// `damaged`, naming the first view that is not what the log says.
    pub fn verify_views(&self) -> Result<u64> {
        let snapshot = self.snapshot()?;
        crate::record::replay::verify_views(snapshot.conn()).map(|()| snapshot.head())
    }

    /// The writing side, bound to an actor.
    ///
    /// # Errors
    /// `read_only`; Invalid for a blank or overlong name; `secret` for one that looks like a credential; `closed`.
    pub fn recorder(&self, actor: &str) -> Result<Recorder<'static>> {
        Recorder::new(self.writing()?, actor, None)
    }

    /// The writing side, bound to an actor and a session.
    ///
    /// # Errors
    /// As [`Self::recorder`].
    pub fn recorder_in(&self, actor: &str, session: &str) -> Result<Recorder<'static>> {
        Recorder::new(self.writing()?, actor, Some(session))
    }

    fn writing(&self) -> Result<Arc<Writing>> {
        self.writable("ask for a recorder")?;
        let writing = self.shared.writing.read().unwrap_or_else(PoisonError::into_inner).clone();
        writing.ok_or_else(|| Error::new(Code::Closed, "ask for a recorder: the record's handle is closed"))
    }

    fn snapshot(&self) -> Result<Snapshot> {
        Snapshot::open(&self.shared.database, None, self.shared.clock.now(), Deadline::NEVER)
    }

    /// The reading side at the head; every call sees all that is committed by then, by any process.
    #[must_use]
    pub fn retriever(&self) -> Retriever {
        Retriever::new(Arc::clone(&self.shared) as _, None)
    }

    /// The reading side as of an earlier moment.
    #[must_use]
    pub fn retriever_as_of(&self, moment: AsOf) -> Retriever {
        Retriever::new(Arc::clone(&self.shared) as _, Some(moment))
    }

    /// The ranking table in force.
    #[must_use]
    pub fn ranking(&self) -> RankingTable {
        (**self.shared.ranking.read().unwrap_or_else(PoisonError::into_inner)).clone()
    }

    /// Puts another ranking table in force for this handle.
    pub fn set_ranking(&self, table: RankingTable) {
        *self.shared.ranking.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// Counts tokens with the host's own counter wherever this handle keeps a budget: windows, rules, contexts and moments.
    /// Without one they are estimated, see [`tokens`](crate::tokens).
    ///
    /// It is called on any thread, with no lock held, on at most 16 KiB at a time; a text counts no more than its bytes. A
    /// counter that panics is left out for the rest of that answer, which says so: in its gaps, or its warnings.
    pub fn set_token_counter(&self, counter: Arc<CountTokens>) {
        *self.shared.token_counter.write().unwrap_or_else(PoisonError::into_inner) = Some(counter);
    }

    /// Brings the indexes up to the head now, on this thread. Never needed for right answers, only for their speed.
    ///
    /// Gives false if another process or thread was at it.
    ///
    /// # Errors
    /// `read_only`, `storage`, `disk_full` and their like.
    pub fn catch_up(&self) -> Result<bool> {
        self.writable("bring the indexes up to date")?;
        Ok(matches!(self.shared.indexes.catch_up(&AtomicBool::new(false), 0)?, CaughtUp::Done(_)))
    }

    /// Makes the indexes anew from the record, on this thread. Answers are right before, meanwhile and after.
    ///
    /// # Errors
    /// `read_only`; `busy` if they are being written for longer than `busy_timeout`; `storage`, `disk_full` and their like.
    pub fn rebuild_indexes(&self) -> Result<()> {
        self.writable("make the indexes anew")?;
        self.shared.indexes.rebuild(self.shared.patience())
    }

    /// As [`Self::rebuild_indexes`]; the embedder is asked again for every text, also for those whose vectors are kept.
    ///
    /// # Errors
    /// As [`Self::rebuild_indexes`].
    pub fn reembed(&self) -> Result<()> {
        self.writable("make the vectors anew")?;
        self.shared.indexes.reembed(self.shared.patience())
    }

    fn writable(&self, doing: &str) -> Result<()> {
        if self.read_only() { Err(Error::new(Code::ReadOnly, format!("{doing}: the handle is read-only"))) } else { Ok(()) }
    }

    /// Writes the record's file anew without free pages, empties the write-ahead log, and ends a purge that others were in
    /// the way of; false if they still are.
    ///
    /// # Errors
    /// `read_only`; `storage`, `disk_full` and their like: it needs as much free space as the record takes.
    pub fn compact(&self) -> Result<bool> {
        self.writable("compact the record")?;
        let ended = self.shared.end_purge(None, Wait::like_a_writer(&self.shared.database))?;
        Ok(ended && self.shared.database.vacuum(self.shared.patience())?)
    }

    /// Says what condition the record is in; nothing is changed.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn health(&self) -> Result<Health> {
        self.health_with(&HealthOptions::new())
    }

    /// As [`Self::health`]; reads every byte of the log and of the indexes and compares facts by meaning, which takes as
    /// long as that.
    ///
    /// # Errors
    /// As [`Self::health`]; a broken log is a finding.
    pub fn health_full(&self) -> Result<Health> {
        self.health_with(&HealthOptions::new().full(true))
    }

    /// As [`Self::health`], as far as the options say.
    ///
    /// # Errors
    /// As [`Self::health`].
    pub fn health_with(&self, options: &HealthOptions) -> Result<Health> {
        crate::health::check(&self.snapshot()?, &self.shared.indexes, self.shared.sessions.warning(), &rule_text, options)
    }

    /// Closes the handle: later calls get `closed`. Waits at most 20 ms for index work that is under way, which may be
    /// cut off anywhere; where more than 256 operations were never indexed, at most 2 seconds.
    pub fn close(&self) {
        self.shared.close();
    }
}

impl Shared {
    fn close(&self) {
        if self.writing.write().unwrap_or_else(PoisonError::into_inner).take().is_none() {
            return;
        }
        // The worker's thread is the parent's, and so may be the locks that one would wait for.
        if self.database.forked() {
            return;
        }
        let long = !self.database.read_only() && {
            let head = Snapshot::open(&self.database, None, Timestamp::default(), Deadline::NEVER).map_or(0, |snapshot| snapshot.head());
            self.tail_is_long(head)
        };
        if long {
            self.worker.close(FINISH_WAIT, Finish::Wanted);
        } else {
            self.worker.close(CLOSE_WAIT, Finish::Abandon);
        }
        self.sessions.close();
        self.keeping.end(CLOSE_WAIT);
        self.rulebooks.clear();
        self.database.close();
        self.indexes.close(CLOSE_WAIT);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.shared.close();
    }
}
