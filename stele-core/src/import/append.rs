//! One run of an import: stages what an importer reads, checks what it names, and appends it in one transaction.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ahead::read_ahead;
use super::item::{EdgeItem, Item, NodeItem, Strictness, id_number};
use super::report::{ImportOptions, ImportPhase, ImportReport, Place, Progress};
use super::staging::{Mark, Staging};
use super::transaction::Appending;
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::fold_alias;
use crate::base::time::{Deadline, monotonic};
use crate::record::log::Hand;
use crate::record::reader::{Snapshot, unknown};
use crate::record::recorder::Writing;
use crate::record::settle::check_hand;
use crate::record::writer::Write;

/// Lines that are read between two looks at the host, and files of a folder.
pub(super) const LINES_A_LOOK: u64 = 1_000;
pub(super) const FILES_A_LOOK: u64 = 100;

/// An import under way.
pub(crate) struct Import<'p> {
    writing: Arc<Writing>,
    actor: String,
    session: Option<String>,
    partial: bool,
    progress: Option<&'p mut dyn FnMut(Progress)>,
    stop: Option<&'p AtomicBool>,
    total_bytes: Option<u64>,
    /// What it has done so far.
    pub(crate) report: ImportReport,
    staging: Staging,
    /// True once a staged node names a component or a task.
    referring: bool,
    announced: Announced,
}

/// The names that the source gives to its nodes, as hashes: enough to tell a name that comes later from none.
#[derive(Default)]
pub(super) struct Announced {
    hasher: RandomState,
    names: HashSet<u64>,
    numbers: HashSet<u64>,
}

impl Announced {
    fn hash(&self, alias: &str) -> u64 {
        self.hasher.hash_one(fold_alias(alias.trim()))
    }

    /// True if the source names one of its nodes so.
    pub(super) fn has(&self, reference: &str) -> bool {
        match id_number(reference) {
            Some(number) => self.has_number(number),
            None => self.names.contains(&self.hash(reference)),
        }
    }

    /// True if the source gives one of its nodes that number.
    pub(super) fn has_number(&self, number: u64) -> bool {
        self.numbers.contains(&number)
    }
}

impl<'p> Import<'p> {
    /// Begins to import into a record.
    ///
    /// # Errors
    /// `read_only`, `empty_field` for a blank actor, `storage` and its like.
    pub(crate) fn begin(writing: &Arc<Writing>, actor: &str, options: ImportOptions<'p>) -> Result<Self> {
        check_hand(actor, options.session.as_deref(), options.allow_secrets)?;
        if writing.database.read_only() {
            return Err(Error::new(Code::ReadOnly, "import into a record: its handle is read-only"));
        }
        Ok(Self {
            staging: Staging::create(writing.database.dir())?,
            writing: Arc::clone(writing),
            actor: actor.to_owned(),
            session: options.session,
            partial: options.partial,
            progress: options.progress,
            stop: options.stop,
            total_bytes: None,
            report: ImportReport::default(),
            referring: false,
            announced: Announced::default(),
        })
    }

    /// Says how many bytes there are to read.
    pub(crate) fn expect_bytes(&mut self, total: Option<u64>) {
        self.total_bytes = total;
    }

    /// True if the host wants no more of it.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::SeqCst))
    }

    /// Tells the host after each so many lines or files how far reading is; true if it wants no more of it.
    pub(crate) fn stops_after_each(&mut self, lines: u64, bytes: u64) -> bool {
        if !self.report.lines.is_multiple_of(lines) {
            return false;
        }
        self.tell(ImportPhase::Reading, bytes);
        self.stopped()
    }

    /// Tells the host how far the import is.
    pub(crate) fn tell(&mut self, phase: ImportPhase, bytes: u64) {
        if let Some(told) = &mut self.progress {
            told(Progress { phase, lines: self.report.lines, bytes, total_bytes: self.total_bytes, faults: self.report.error_count });
        }
    }

    /// Says that the source names one of its nodes so, be the node itself in order or not.
    pub(crate) fn announce(&mut self, name: &str) {
        match id_number(name) {
            Some(number) => self.announced.numbers.insert(number),
            None => self.announced.names.insert(self.announced.hash(name)),
        };
    }

    /// Puts an item into its staging file.
    pub(crate) fn stage(&mut self, item: Item) -> Result<()> {
        match item {
            Item::Node(node) => {
                node.aliases.iter().for_each(|alias| self.announce(alias));
                self.referring |= node.component.is_some() || node.resolves_with.is_some();
                self.staging.nodes.push(&node)
            }
            Item::Edge(edge) if edge.strictness == Strictness::Child => self.staging.children.push(&edge),
            Item::Edge(edge) => self.staging.edges.push(&edge),
        }?;
        fail_point!(ItemStaged);
        Ok(())
    }

    /// Checks and appends what was staged.
    ///
    /// # Errors
    /// `busy`, `storage` and its like; then nothing is written.
    pub(crate) fn finish(mut self, bytes: u64) -> Result<ImportReport> {
        if !self.partial && !self.stopped() {
            self.tell(ImportPhase::Checking, bytes);
            self.check()?;
        }
        if (self.partial || self.report.error_count == 0) && !self.stopped() {
            self.tell(ImportPhase::Appending, bytes);
            self.append()?;
        }
        // A stop that comes after the last look comes too late.
        self.report.stopped = self.stopped() && !self.report.applied;
        self.tell(ImportPhase::Done, bytes);
        Ok(self.report)
    }

    /// Looks for names that stand for nothing, so that most faulty imports never take the write lock.
    fn check(&mut self) -> Result<()> {
        let views = Snapshot::open(&self.writing.database, None, self.writing.clock.now(), Deadline::NEVER)?;
        let Self { staging, report, announced, .. } = self;
        let mut look = |place: &Place, reference: &str| -> Result<()> {
            if !announced.has(reference) && views.resolve(reference)?.is_none() {
                report.fault(place, &unknown(reference));
            }
            Ok(())
        };
        if self.referring {
            staging
                .nodes
                .each(&mut |node: NodeItem| node.component.iter().chain(&node.resolves_with).try_for_each(|reference| look(&node.place, reference)))?;
        }
        staging.edges.each(&mut |edge: EdgeItem| match edge.strictness {
            Strictness::Exact => [&edge.from, &edge.to].into_iter().try_for_each(|reference| look(&edge.place, reference)),
            Strictness::Loose | Strictness::Child => Ok(()),
        })
    }

    fn append(&mut self) -> Result<()> {
        let Self { writing, actor, session, staging, report, announced, partial, stop, .. } = self;
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::SeqCst));
        if staging.nodes.count() + staging.edges.count() + staging.children.count() == 0 {
            report.applied = *partial || report.error_count == 0;
            return Ok(());
        }
        let hand = Hand { at: writing.clock.now(), actor, session: session.as_deref() };
        let mut write = Write::begin(&writing.database, &hand, writing.database.busy_timeout())?;
        let locked = monotonic();
        let mark = Mark::set(writing.database.dir())?;
        fail_point!(ImportMarked);
        write.begin_import(staging.nodes.count())?;
        let before = write.views().head();
        let mut appending = Appending::new(&mut write, report, announced, *partial)?;
        read_ahead(staging, &mut |batch| if stopped() { Ok(()) } else { appending.take(batch) })?;
        if !stopped() {
            appending.late()?;
        }
        if stopped() || (report.error_count > 0 && !*partial) {
            report.nothing_written();
            return Ok(());
        }
        report.applied = true;
        if write.views().head() > before {
            fail_point!(ImportAppended);
            let sequence = write.commit()?;
            report.locked_for = monotonic().saturating_duration_since(locked);
            fail_point!(ImportCommitted);
            drop(mark);
            // Every process that opens the record next would read the whole write-ahead log. What keeps it from being
            // emptied now costs time and nothing else.
            let _ = writing.database.truncate_wal();
            writing.follower.written(sequence);
        }
        Ok(())
    }
}
