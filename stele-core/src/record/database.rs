//! Opens `record.db`, keeps its connections, and turns SQLite's words into ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use super::creation::create;
use super::leftovers::{probe_name, sweep};
use super::reader_waits::ReaderWaits;
use super::schema::FORMAT;
use super::write_turns::WriteTurns;
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::names::named_enum;
use crate::base::time::{Deadline, pause};

named_enum! {
    /// What an acknowledged write survives.
    Durability, UnknownValue, "durability" {
        /// A power cut, as far as the disk keeps its word.
        Full = 0 "full",
        /// The end of the process, not a power cut.
        Normal = 1 "normal",
    }
}

/// The name of the record's file in its folder.
pub(crate) const RECORD_FILE: &str = "record.db";
const WAL_FILE: &str = "record.db-wal";
const SHM_FILE: &str = "record.db-shm";
/// Never ours, for a record has a write-ahead log. SQLite reads it before it opens a file beside which it stands.
const JOURNAL_FILE: &str = "record.db-journal";
/// How long a truncation of an overlong log keeps writers waiting for the readers in its way.
const TRUNCATE_WAIT: Duration = Duration::from_millis(300);
/// What SQLite keeps beside the record's file as long as a handle is open.
const BESIDE: [&str; 2] = [WAL_FILE, SHM_FILE];

/// How a record's file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    pub(crate) create: bool,
    pub(crate) read_only: bool,
    pub(crate) durability: Durability,
    pub(crate) busy_timeout: Duration,
}

/// The writing connection, which is opened when something is written first: many a process only reads.
enum Writer {
    Unopened,
    Free(Connection),
    Taken,
}

/// An open `record.db`: a writing connection and a pool of reading ones.
pub(crate) struct Database {
    dir: PathBuf,
    record: String,
    immutable: bool,
    opening: Opening,
    identity: Identity,
    beside: [Option<Identity>; 2],
    writer: Mutex<Writer>,
    writer_back: Condvar,
    readers: Mutex<Vec<Connection>>,
    closed: AtomicBool,
    turns: WriteTurns,
    reader_waits: ReaderWaits,
    process: u32,
}

/// Which file on which device stands at a path; a link is a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        fs::symlink_metadata(path).map(|meta| Self(meta.dev(), meta.ino()))
    }

    #[cfg(not(unix))]
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        fs::symlink_metadata(path).map(|_| Self(0, 0))
    }
}

impl Database {
    /// Opens or creates the record in `dir`.
    ///
    /// # Errors
    /// `no_record` without a record and without `create`; `symlink_refused`; `wal_needs_writer`; `newer_format`,
    /// `older_format`; `damaged`; `storage` and its like.
    pub(crate) fn open(dir: &Path, opening: Opening) -> Result<Self> {
        let Opened { dir, conn, record, immutable } = open_any_format(dir, &opening)?;
        check_format(&conn)?;
        if !opening.read_only {
            prepare(&conn, &opening)?;
            sweep(&dir);
            // It could write, and so whoever cannot hears it now; but it is read from.
            conn.busy_timeout(opening.busy_timeout).map_err(Trouble::during("open the record"))?;
        }
        let path = dir.join(RECORD_FILE);
        refuse_foreign_wal(&dir, &conn)?;
        let identity = Identity::of(&path).map_err(|cause| io(&path, "look at", cause))?;
        let beside = BESIDE.map(|name| if immutable { None } else { Identity::of(&dir.join(name)).ok() });
        let turns = WriteTurns::new(&dir);
        Ok(Self {
            dir,
            record,
            immutable,
            opening,
            identity,
            beside,
            writer: Mutex::new(Writer::Unopened),
            writer_back: Condvar::new(),
            readers: Mutex::new(vec![conn]),
            closed: AtomicBool::new(false),
            turns,
            reader_waits: ReaderWaits::new(),
            process: std::process::id(),
        })
    }

    /// The folder of the record.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The random name that tells this record from every other.
    pub(crate) fn record(&self) -> &str {
        &self.record
    }

    /// True if nothing may be written through this handle.
    pub(crate) fn read_only(&self) -> bool {
        self.opening.read_only
    }

    /// How long a writer waits for another, unless its call says less.
    pub(crate) fn busy_timeout(&self) -> Duration {
        self.opening.busy_timeout
    }

    /// The size of the write-ahead log.
    pub(crate) fn wal_bytes(&self) -> u64 {
        fs::metadata(self.dir.join(WAL_FILE)).map_or(0, |meta| meta.len())
    }

    /// Moves what the write-ahead log holds into the record and empties it, if no reader is in the way.
    pub(crate) fn truncate_wal(&self) -> Result<()> {
        let during = "truncate the write-ahead log";
        self.outside(|conn| {
            fail_point!(WalLong);
            // This one moves the pages without the write lock; the other, which takes it, then finds little left to do.
            let (written, moved): (i64, i64) =
                conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| Ok((row.get(1)?, row.get(2)?))).map_err(Trouble::during(during))?;
            let bytes = self.wal_bytes();
            let waits = self.reader_waits.worth_it(bytes, self.turns.somebody_is_late());
            if waits {
                // Where writers and readers never leave a gap, they wait for this one, or the log grows without end.
                conn.busy_timeout(TRUNCATE_WAIT).map_err(Trouble::during(during))?;
            } else if moved < written {
                return Ok(());
            }
            fail_point!(WalMoved);
            let busy: i64 = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map_err(Trouble::during(during))?;
            if waits && busy != 0 {
                self.reader_waits.in_vain(bytes);
            }
            fail_point!(WalCut);
            Ok(())
        })
    }

    /// Writes the record's file anew without free pages and empties the write-ahead log, so that no byte is left of what
    /// is no longer in a table; false if others were in the way until the deadline.
    pub(crate) fn vacuum(&self, deadline: Deadline) -> Result<bool> {
        let during = "write the record's file anew";
        self.outside(|conn| {
            loop {
                let written = conn.execute_batch("PRAGMA secure_delete = ON; VACUUM;");
                fail_point!(FileRewritten);
                let busy = match written {
                    Ok(()) => conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).map_err(Trouble::during(during))? != 0,
                    Err(cause) if is_busy(&cause) => true,
                    Err(cause) => return Err(Trouble::during(during)(cause)),
                };
                if !busy || deadline.expired() {
                    return Ok(!busy);
                }
                pause(Duration::from_millis(2));
            }
        })
    }

    /// Takes a mark out of `meta`.
    pub(crate) fn forget_mark(&self, name: &str) -> Result<()> {
        self.write_outside(|conn| conn.execute("DELETE FROM meta WHERE name = ?1", [name]).map(drop).map_err(Trouble::during("take a mark away")))
    }

    /// Lets go of the vectors of one embedder that were kept up to a row.
    pub(crate) fn forget_vectors(&self, embedder: &str, up_to: i64) -> Result<()> {
        self.write_outside(|conn| {
            conn.execute("DELETE FROM vector WHERE embedder = ?1 AND id <= ?2", params![embedder, up_to])
                .map(drop)
                .map_err(Trouble::during("let go of vectors"))
        })
    }

    /// Writes in one transaction what is no operation: nothing in the log, nothing in the views.
    pub(crate) fn write_outside<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.outside(|conn| {
            self.begin_immediate(conn, Deadline::after(self.busy_timeout()))?;
            let done = work(conn);
            fail_point!(OutsideWritten);
            let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
            let ended = conn.execute_batch(end).map_err(Trouble::during("write beside the log"));
            self.turns.done();
            ended?;
            fail_point!(OutsideCommitted);
            done
        })
    }

    /// Works on a connection of its own, so that no recorder waits for what is done in the background.
    fn outside<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.check_place()?;
        if self.opening.read_only {
            return Err(Error::new(Code::ReadOnly, "write to a record: its handle is read-only"));
        }
        work(&self.connect_writer()?)
    }

    fn connect_writer(&self) -> Result<Connection> {
        let conn = connect(&self.dir.join(RECORD_FILE), &self.opening, false)?;
        prepare(&conn, &self.opening)?;
        Ok(conn)
    }

    /// Refuses every further call and lets go of the connections.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.hand() = Writer::Unopened;
    }

    /// True in a child process that inherited the handle.
    pub(crate) fn forked(&self) -> bool {
        std::process::id() != self.process
    }

    #[cfg(test)]
    pub(crate) fn pretend_forked(&mut self) {
        self.process = self.process.wrapping_add(1);
    }

    /// Checks that the handle is open, in its own process, and that its file is still the one that it opened.
    pub(crate) fn check_place(&self) -> Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(Error::new(Code::Closed, "use a record: its handle is closed"));
        }
        if self.forked() {
            return Err(Error::new(Code::Forked, "use a record: its handle was opened in the parent process"));
        }
        let path = self.dir.join(RECORD_FILE);
        match Identity::of(&path) {
            Ok(identity) if identity == self.identity => self.check_beside(),
            Ok(_) => Err(Error::new(Code::Gone, format!("use the record in {}: another file stands in its place", self.dir.display()))),
            Err(cause) => Err(Error::new(Code::Gone, format!("use the record in {}: it is no longer there", self.dir.display())).because(cause)),
        }
    }

    /// Checks that what SQLite keeps beside the record is what it opened: what is written to a log that was taken away is
    /// lost, and without a common index of the log two processes write over each other.
    fn check_beside(&self) -> Result<()> {
        for (name, opened) in BESIDE.into_iter().zip(self.beside) {
            if opened.is_some() && Identity::of(&self.dir.join(name)).ok() != opened {
                return Err(Error::new(Code::Gone, format!("use the record in {}: {name} was moved away or exchanged while it was open", self.dir.display())));
            }
        }
        Ok(())
    }

    /// Begins a write transaction; see [`begin_immediate`].
    pub(crate) fn begin_immediate(&self, conn: &Connection, deadline: Deadline) -> Result<()> {
        begin_immediate(&self.turns, conn, deadline)
    }

    /// The writing connection, for one thread at a time; give it back with [`Self::return_writer`].
    pub(crate) fn take_writer(&self, deadline: Deadline) -> Result<Connection> {
        self.check_place()?;
        if self.opening.read_only {
            return Err(Error::new(Code::ReadOnly, "write to a record: its handle is read-only"));
        }
        let mut slot = self.hand();
        loop {
            if self.closed.load(Ordering::SeqCst) {
                return Err(Error::new(Code::Closed, "use a record: its handle is closed"));
            }
            match std::mem::replace(&mut *slot, Writer::Taken) {
                Writer::Free(conn) => return Ok(conn),
                Writer::Unopened => {
                    drop(slot);
                    return self.connect_writer().inspect_err(|_| {
                        *self.hand() = Writer::Unopened;
                        self.writer_back.notify_one();
                    });
                }
                Writer::Taken => {}
            }
            slot = match deadline.remaining() {
                Some(left) if left.is_zero() => return Err(Error::new(Code::Busy, "write to the record: another thread holds it")),
                Some(left) => self.writer_back.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.writer_back.wait(slot).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Takes the writing connection back.
    pub(crate) fn return_writer(&self, conn: Connection) {
        self.turns.done();
        if !self.closed.load(Ordering::SeqCst) {
            *self.hand() = Writer::Free(conn);
        }
        self.writer_back.notify_one();
    }

    fn hand(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reading connection; give it back with [`Self::give_back`].
    pub(crate) fn reader(&self) -> Result<Connection> {
        self.check_place()?;
        if let Some(conn) = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(conn);
        }
        let opening = Opening { read_only: true, ..self.opening };
        connect(&self.dir.join(RECORD_FILE), &opening, self.immutable)
    }

    /// Takes a reading connection back, keeping at most a handful.
    pub(crate) fn give_back(&self, conn: Connection) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < 8 && !self.closed.load(Ordering::SeqCst) {
            readers.push(conn);
        }
    }
}

/// Begins a write transaction, waiting for other writers until the deadline.
///
/// SQLite's own busy timeout is unfair between processes: waits of seconds were measured. A writing connection therefore
/// has none, and turns are taken.
///
/// # Errors
/// `busy` once the deadline has passed.
pub(super) fn begin_immediate(turns: &WriteTurns, conn: &Connection, deadline: Deadline) -> Result<()> {
    let mut busy = None;
    let begun = turns.take(deadline, || match conn.execute_batch("BEGIN IMMEDIATE") {
        Ok(()) => Ok(Some(())),
        Err(cause) if is_busy(&cause) => {
            busy = Some(cause);
            Ok(None)
        }
        Err(cause) => Err(Trouble::during("begin to write")(cause)),
    })?;
    begun.ok_or_else(|| {
        let error = Error::new(Code::Busy, format!("write to the record: another writer holds it{}", importing(conn)));
        match busy {
            Some(cause) => error.because(cause),
            None => error,
        }
    })
}

/// Names an import that is under way in the record's folder, for the message of a writer that waited for it.
fn importing(conn: &Connection) -> &'static str {
    let staged = conn.path().and_then(|path| Path::new(path).parent()).is_some_and(|dir| dir.join(IMPORT_MARK).exists());
    if staged { " for an import" } else { "" }
}

/// The file that stands in the record's folder while an import holds the write lock.
pub(crate) const IMPORT_MARK: &str = "import.lock";

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn connect(path: &Path, opening: &Opening, immutable: bool) -> Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    let conn = if immutable {
        flags |= OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(format!("file:{}?immutable=1", uri_path(path)), flags)
    } else {
        flags |= if opening.read_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
        Connection::open_with_flags(path, flags)
    };
    let conn = conn.map_err(Trouble::during("open the record"))?;
    // The last handle to close would otherwise pay for a checkpoint, and write over a record that it found damaged.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(Trouble::during("open the record"))?;
    conn.set_prepared_statement_cache_capacity(128);
    // Without it SQLite prepares a statement anew whenever a bound limit or bound of a range changes.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(Trouble::during("open the record"))?;
    conn.busy_timeout(opening.busy_timeout).map_err(Trouble::during("open the record"))?;
    Ok(conn)
}

/// A path as it stands in a `file:` address.
fn uri_path(path: &Path) -> String {
    path.to_string_lossy().chars().fold(String::new(), |mut out, c| {
        match c {
            '%' => out.push_str("%25"),
            '?' => out.push_str("%3f"),
            '#' => out.push_str("%23"),
            other => out.push(other),
        }
        out
    })
}

/// Sets journal mode and durability, and what else only a writing connection needs.
pub(super) fn prepare(conn: &Connection, opening: &Opening) -> Result<()> {
    let during = "prepare the record";
    let mode: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(Trouble::during(during))?;
    if !mode.eq_ignore_ascii_case("wal") {
        // A copy that another tool made.
        conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(Trouble::during(during))?;
    }
    let synchronous = match opening.durability {
        Durability::Full => "PRAGMA synchronous = FULL",
        Durability::Normal => "PRAGMA synchronous = NORMAL",
    };
    conn.execute_batch(synchronous).map_err(Trouble::during(during))?;
    // Waiting is done by turns; a checkpoint that readers stand in the way of gives up at once.
    conn.busy_timeout(Duration::ZERO).map_err(Trouble::during(during))
}

/// A record's file just opened, whatever its format.
pub(super) struct Opened {
    pub(super) dir: PathBuf,
    pub(super) conn: Connection,
    record: String,
    immutable: bool,
}

/// Opens the file of a record of any format, and makes a record where there is none and `opening` says so.
///
/// # Errors
/// As [`Database::open`], but for those of formats.
pub(super) fn open_any_format(dir: &Path, opening: &Opening) -> Result<Opened> {
    // A host that changes its working folder still means the record that it opened.
    let dir = std::path::absolute(dir).map_err(|cause| io(dir, "look for", cause))?;
    let path = dir.join(RECORD_FILE);
    for name in [RECORD_FILE, WAL_FILE, SHM_FILE, JOURNAL_FILE] {
        let path = dir.join(name);
        refuse_symlink(&path)?;
        refuse_pipe(&path).map_err(|cause| io(&path, "open", cause))?;
    }
    refuse_symlink(&dir)?;
    let exists = path.try_exists().map_err(|cause| io(&path, "look for", cause))?;
    refuse_orphan_wal(&dir)?;
    if !exists {
        if opening.read_only || !opening.create {
            return Err(Error::new(Code::NoRecord, format!("open a record: there is none in {}", dir.display())).with("path", dir.display()));
        }
        create(&dir)?;
    }
    let immutable = opening.read_only && exists && needs_immutable(&dir)?;
    let conn = connect(&path, opening, immutable)?;
    let record = identify(&conn)?;
    Ok(Opened { dir, conn, record, immutable })
}

/// The size of a page, which even an empty record has several of, in bytes.
pub(super) const PAGE_BYTES: u64 = 4_096;

/// Refuses a write-ahead log without its record: SQLite would throw it away, and with it operations that were
/// acknowledged.
fn refuse_orphan_wal(dir: &Path) -> Result<()> {
    let length = |name: &str| fs::metadata(dir.join(name)).map_or(0, |meta| meta.len());
    // In this order: a record that is being made meanwhile is there, whole, before its log is.
    if length(WAL_FILE) > 0 && length(RECORD_FILE) < PAGE_BYTES {
        return Err(Error::new(Code::Damaged, format!("open the record in {}: {RECORD_FILE} is missing or cut off beside its write-ahead log", dir.display()))
            .with("path", dir.display()));
    }
    Ok(())
}

/// Refuses a write-ahead log that belongs to another record, whose pages SQLite would take for this one's. The number in
/// the first page tells them apart; records of before have none.
fn refuse_foreign_wal(dir: &Path, conn: &Connection) -> Result<()> {
    if fs::metadata(dir.join(WAL_FILE)).map_or(0, |meta| meta.len()) == 0 {
        return Ok(());
    }
    let path = dir.join(RECORD_FILE);
    let mut header = [0; 72];
    fs::File::open(&path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header)).map_err(|cause| io(&path, "read", cause))?;
    let in_file = i32::from_be_bytes(header[68..].try_into().expect("four of 72 bytes"));
    let in_log: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(Trouble::during("read what record this is"))?;
    if in_file != 0 && in_log != 0 && in_file != in_log {
        return Err(Error::new(Code::Damaged, format!("open the record in {}: the write-ahead log beside it is another record's", dir.display()))
            .with("path", dir.display()));
    }
    Ok(())
}

/// The name of the record that a file holds, whatever its format.
fn identify(conn: &Connection) -> Result<String> {
    let during = "read what record this is";
    let empty = || Error::new(Code::Damaged, format!("open the record: {} holds no record", conn.path().unwrap_or(RECORD_FILE)));
    if format_of(conn)? == 0 {
        return Err(empty());
    }
    let known = conn.table_exists(None, "meta").map_err(Trouble::during(during))? && conn.table_exists(None, "log").map_err(Trouble::during(during))?;
    if !known {
        return Err(empty());
    }
    let record: Option<String> =
        conn.query_row("SELECT value FROM meta WHERE name = 'record'", [], |row| row.get(0)).optional().map_err(Trouble::during(during))?;
    record.ok_or_else(|| Error::new(Code::Damaged, "open the record: it has lost its name"))
}

/// The format of a record.
pub(super) fn format_of(conn: &Connection) -> Result<i64> {
    conn.prepare_cached("PRAGMA user_version")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(Trouble::during("read the record's format"))
}

/// Checks that a record has the format of this release. A read or write asks again, inside its transaction: another
/// release may have migrated the record under an open handle.
///
/// # Errors
/// `newer_format`, `older_format`.
pub(super) fn check_format(conn: &Connection) -> Result<()> {
    let format = format_of(conn)?;
    let code = match format.cmp(&FORMAT) {
        std::cmp::Ordering::Equal => return Ok(()),
        std::cmp::Ordering::Greater => Code::NewerFormat,
        std::cmp::Ordering::Less => Code::OlderFormat,
    };
    Err(Error::new(code, format!("use the record: its format is {format}, this release reads {FORMAT}")))
}

/// True if the folder cannot be written to and the write-ahead log holds nothing: then the file alone is the record.
fn needs_immutable(dir: &Path) -> Result<bool> {
    if writable(dir) {
        return Ok(false);
    }
    let wal = dir.join(WAL_FILE);
    match fs::metadata(&wal) {
        Ok(meta) if meta.len() > 0 => {
            if dir.join(SHM_FILE).exists() && fs::OpenOptions::new().write(true).open(dir.join(SHM_FILE)).is_ok() {
                return Ok(false);
            }
            Err(Error::new(
                Code::WalNeedsWriter,
                format!("open the record in {} read-only: its write-ahead log is not empty and the folder cannot be written to", dir.display()),
            ))
        }
        Ok(_) => Ok(true),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(cause) => Err(io(&wal, "look at", cause)),
    }
}

/// True if a file could be made in the folder: tried with one that is gone at once, for rights alone do not tell.
fn writable(dir: &Path) -> bool {
    let Ok(name) = probe_name() else { return false };
    let probe = dir.join(name);
    let made = fs::OpenOptions::new().write(true).create_new(true).open(&probe).is_ok();
    if made {
        let _ = fs::remove_file(&probe);
    }
    made
}

/// Makes a folder that only its owner can look into; one that is there stays as it is.
pub(crate) fn make_private(dir: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(dir).map_err(|cause| io(dir, "make", cause))
}

/// Refuses a symbolic link in place of a file or folder of ours.
///
/// # Errors
/// `symlink_refused`.
pub(crate) fn refuse_symlink(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.file_type().is_symlink() => {
            Err(Error::new(Code::SymlinkRefused, format!("open the record: {} is a symbolic link", path.display())).with("path", path.display()))
        }
        _ => Ok(()),
    }
}

/// Refuses what is neither file nor folder: whoever opens a pipe waits for its other end.
///
/// # Errors
/// That it is none; what cannot be looked at fails when it is opened.
pub(crate) fn refuse_pipe(path: &Path) -> std::io::Result<()> {
    let odd = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if odd { Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is neither a file nor a folder")) } else { Ok(()) }
}

/// An error of the file system, with the path and what was tried.
pub(crate) fn io(path: &Path, tried: &str, cause: std::io::Error) -> Error {
    let code = match cause.kind() {
        std::io::ErrorKind::NotFound => Code::NoSuchPath,
        // No disk is to blame: there is no such path anywhere.
        _ if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0) => Code::BadPath,
        other => Code::of_file_error(other),
    };
    Error::new(code, format!("{tried} {}: {cause}", path.display())).with("path", path.display()).because(cause)
}

/// Turns SQLite's errors into ours.
pub(crate) struct Trouble;

impl Trouble {
    /// A mapping that says what was being done.
    pub(crate) fn during(doing: &'static str) -> impl Fn(rusqlite::Error) -> Error {
        move |cause| {
            let code = match cause.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Code::Busy,
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Code::Damaged,
                Some(ErrorCode::DiskFull) => Code::DiskFull,
                Some(ErrorCode::ReadOnly) => Code::Storage,
                Some(ErrorCode::OperationInterrupted) => Code::TransactionTimeout,
                Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => Code::Damaged,
                Some(
                    ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::PermissionDenied | ErrorCode::OutOfMemory | ErrorCode::NoLargeFileSupport,
                ) => Code::Storage,
                _ => match cause {
                    rusqlite::Error::QueryReturnedNoRows
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::Utf8Error(..) => Code::Damaged,
                    // Our statements name what every record has: a table that is gone was lost.
                    ref lost if lost.to_string().contains("no such table") || lost.to_string().contains("no such column") => Code::Damaged,
                    _ => Code::Internal,
                },
            };
            Error::new(code, format!("{doing}: {cause}")).because(cause)
        }
    }
}

/// A number of the domain as SQLite keeps it.
pub(crate) fn number_in(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of the views as the domain has it.
pub(crate) fn number_out(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writing_connection_is_opened_when_something_is_written_first_and_goes_from_hand_to_hand() {
        let dir = tempfile::tempdir().expect("a folder");
        let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_secs(60) };
        let database = Database::open(dir.path(), opening).expect("a record");
        let conn = database.reader().expect("a reader");
        database.give_back(conn);
        assert!(matches!(*database.hand(), Writer::Unopened), "reading needs none");
        let conn = database.take_writer(Deadline::NEVER).expect("the first");
        let busy = database.take_writer(Deadline::after(Duration::ZERO)).expect_err("another has it");
        assert_eq!(busy.code(), Code::Busy);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| database.take_writer(Deadline::NEVER).map(|conn| database.return_writer(conn)).expect("its turn"));
            database.return_writer(conn);
            waits.join().expect("no panic");
        });
        assert!(matches!(*database.hand(), Writer::Free(_)));
        database.close();
        assert_eq!(database.take_writer(Deadline::NEVER).expect_err("it is closed").code(), Code::Closed);
    }
}
