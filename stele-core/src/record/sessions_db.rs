//! `sessions.db`: what is known of sessions. Whatever is wrong with the file, it is started anew, in memory if need be.
//!
//! A change is one transaction, so that processes can share a session and a process killed anywhere leaves the state
//! before or after it. What cannot be written is kept by the handle, and the handle says so.

mod files;
mod obligations;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::database::{Identity, RECORD_FILE};
use super::session::{Loaded, SessionState, StoredTurn};
use crate::base::config::SESSION_KEPT;
use crate::base::digest::digest;
use crate::base::erase::Eraser;
use crate::base::fail_points::fail_point;
use crate::base::time::{Deadline, Timestamp};
use files::{Opened, open, put_aside};
use obligations::KeptObligations;

const FILE: &str = "sessions.db";
const LOG: &str = "sessions.db-wal";
/// The files that stay as long as one is open.
const FILES: [&str; 3] = [FILE, LOG, "sessions.db-shm"];
/// All that SQLite may have left: a new file has a journal until it has a log.
const ALL_FILES: [&str; 4] = [FILES[0], FILES[1], FILES[2], "sessions.db-journal"];
/// What the name of a damaged file ends with from then on.
const DAMAGED: &str = ".damaged";
/// The form in which states are kept; another one is started anew.
const FORM: i64 = 4;
/// How long a change waits for another process at most, and how long where there is no time left: others only write for a
/// moment, unless one of them was stopped.
const WAITS: (Duration, Duration) = (Duration::from_millis(2_000), Duration::from_millis(100));
/// Bytes of the write-ahead log from which on closing moves them into the file. Short processes that follow each other
/// read so much at most when they open, and few of them wait for the disk.
const LOG_BYTES: u64 = 512 * 1024;

/// The sessions of one open record.
pub(crate) struct Sessions {
    /// The record's folder; none for a handle that keeps sessions to itself.
    dir: Option<PathBuf>,
    /// What stands in a file that belongs to the record: what another one served says nothing of this one.
    mark: i32,
    /// The file of the record: where another stands in its place, the folder is another's.
    record: Option<Identity>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    file: Option<Opened>,
    /// True once the file was given up or let go of.
    without: bool,
    /// What could not be kept in the file.
    memory: BTreeMap<String, SessionState>,
    turns: BTreeMap<(String, u64), StoredTurn>,
    /// How long the call that goes on waits for another process.
    wait: Duration,
    obligations: Option<KeptObligations>,
    /// The head at which they were last compared with what is kept.
    obligations_at: Option<u64>,
    warning: Option<String>,
    /// True if no call has told of the warning.
    untold: bool,
}

/// Why the file could not be used.
enum Trouble {
    /// It will not be better the next time: that file, by its identity, and what is wrong with it.
    Damaged(Option<Identity>, String),
    /// The disk, the rights or another process stood in the way.
    Hindered(String),
}

impl Trouble {
    fn of(file: Option<Identity>, cause: rusqlite::Error) -> Self {
        match cause.sqlite_error_code() {
            None | Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => Self::Damaged(file, cause.to_string()),
            Some(_) => Self::Hindered(cause.to_string()),
        }
    }
}

impl Sessions {
    /// The sessions beside a record; those of a read-only handle live and end with it.
    pub(crate) fn new(dir: &Path, record: &str, read_only: bool) -> Self {
        let file = Identity::of(&dir.join(RECORD_FILE)).ok();
        Self { dir: (!read_only).then(|| dir.to_owned()), mark: mark_of(record), record: file, inner: Mutex::default() }
    }

    /// True if the record is where it was.
    fn in_place(&self, dir: &Path) -> bool {
        Identity::of(&dir.join(RECORD_FILE)).ok() == self.record
    }

    /// What is known of a session; nothing is written but a file that has to be started anew.
    pub(crate) fn state(&self, name: &str) -> SessionState {
        let mut inner = self.lock();
        match inner.memory.get(name) {
            Some(held) => held.clone(),
            None => self.with_file(&mut inner, false, &mut |conn| read(conn, name)).flatten().unwrap_or_default(),
        }
    }

    /// What is known of a session, and what there is to tell of how it is kept.
    pub(crate) fn load(&self, name: &str) -> Loaded {
        let state = self.state(name);
        let mut inner = self.lock();
        let mut notes = Vec::new();
        if self.dir.is_none() || inner.without || inner.memory.contains_key(name) {
            notes.push("what this session is served is forgotten when the handle closes".to_owned());
        }
        if std::mem::take(&mut inner.untold) {
            notes.extend(inner.warning.clone());
        }
        Loaded { state, notes, held: None }
    }

    /// Changes what is known of a session, in one step among processes; gives the state after it.
    pub(crate) fn update(&self, name: &str, now: Timestamp, deadline: Deadline, change: &mut dyn FnMut(&mut SessionState)) -> SessionState {
        self.change(&mut self.lock_until(deadline), name, now, None, change).0
    }

    /// Keeps what a turn was given, in one step with a change of what is known of its session. Without a number, it is the
    /// turn that the session is at before the change. Gives the turn, and why the file does not hold it, if it should.
    pub(crate) fn keep_turn(
        &self,
        name: &str,
        now: Timestamp,
        deadline: Deadline,
        stored: (Option<u64>, &StoredTurn),
        change: &mut dyn FnMut(&mut SessionState),
    ) -> (u64, Option<String>) {
        let mut inner = self.lock_until(deadline);
        let (_, turn) = self.change(&mut inner, name, now, Some(stored), change);
        let told = if std::mem::take(&mut inner.untold) { inner.warning.clone() } else { None };
        (turn, told)
    }

    fn change(
        &self,
        inner: &mut Inner,
        name: &str,
        now: Timestamp,
        kept: Option<(Option<u64>, &StoredTurn)>,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> (SessionState, u64) {
        if !inner.memory.contains_key(name)
            && let Some(done) = self.with_file(inner, true, &mut |conn| store(conn, name, now, kept, change))
        {
            return done;
        }
        if !inner.memory.contains_key(name) {
            let last = self.with_file(inner, false, &mut |conn| read(conn, name)).flatten().unwrap_or_default();
            inner.memory.insert(name.to_owned(), last);
        }
        let held = inner.memory.get_mut(name).expect("inserted above if it was not there");
        let turn = kept.and_then(|(turn, _)| turn).unwrap_or(held.turn);
        change(held);
        let state = held.clone();
        if let Some((_, stored)) = kept {
            inner.keep_turn(name, turn, stored);
        }
        (state, turn)
    }

    /// Forgets every text that sessions were given, so that no byte of it is left in the files. How a session is set up and
    /// what it was served stays, as that is numbers and words of the host's: unless these hold what is erased, or nobody
    /// knows any more what that is. What its last turn was given may come again: its host may never have had it.
    pub(crate) fn forget_texts(&self, erased: Option<&Eraser>) {
        let stays = |name: &str, state: &mut SessionState| {
            state.forget_last_turn();
            erased.is_some_and(|erased| std::iter::once(name).chain(state.words()).all(|word| erased.clean(word).is_none()))
        };
        let mut inner = self.lock();
        inner.turns.clear();
        inner.memory.retain(|name, state| stays(name, state));
        (inner.obligations, inner.obligations_at) = (None, None);
        let Some(dir) = self.dir.as_deref() else { return };
        let emptied = self.with_file(&mut inner, false, &mut |conn| {
            conn.execute_batch("BEGIN IMMEDIATE; DELETE FROM turn; DELETE FROM obligations;")?;
            let forgotten = forget(conn, &stays);
            conn.execute_batch(if forgotten.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
            forgotten?;
            conn.execute_batch("VACUUM")?;
            Ok(conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))? == 0)
        });
        // What cannot be emptied now is taken away as a whole: it holds no knowledge.
        let whole = if emptied == Some(true) { &[][..] } else { &ALL_FILES[..] };
        if !whole.is_empty() {
            inner.file = None;
        }
        // Whoever is at it for long does not keep this from being done.
        let _turn = files::turn(dir, inner.wait);
        for name in ALL_FILES.iter().map(|name| format!("{name}{DAMAGED}")).chain(whole.iter().map(|name| (*name).to_owned())) {
            let _ = std::fs::remove_file(dir.join(name));
        }
    }

    /// Why the file was started anew, if it was.
    pub(crate) fn warning(&self) -> Option<String> {
        self.lock().warning.clone()
    }

    /// Lets go of the file.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.without = true;
        let (Some(file), Some(dir)) = (inner.file.take(), self.dir.as_deref()) else { return };
        if file.is_there(dir) && std::fs::metadata(dir.join(LOG)).is_ok_and(|log| log.len() > LOG_BYTES) {
            // Where others are at it, one of them does.
            let _ = file.conn.busy_timeout(Duration::ZERO).and_then(|()| file.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        }
    }

    /// For what has to be done and may wait.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.lock_until(Deadline::NEVER)
    }

    /// For what has to be done by then.
    fn lock_until(&self, deadline: Deadline) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (most, least) = WAITS;
        inner.wait = deadline.remaining().unwrap_or(most).clamp(least, most);
        inner
    }

    /// Does something with the file. A file that fails is put aside and the thing done once more with a new one; `None` if
    /// that fails too, if another process keeps the file, or if there is none and none is to be made.
    fn with_file<T>(&self, inner: &mut Inner, create: bool, work: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        let dir = self.dir.as_deref()?;
        for attempt in 0..2 {
            if inner.file.as_ref().is_some_and(|file| !file.is_there(dir) && self.in_place(dir)) {
                // Somebody put it aside or took it away: what is written to it is lost.
                inner.file = None;
            }
            let usable = inner.file.is_some() || ((create || dir.join(FILE).exists()) && self.in_place(dir));
            if inner.without || !usable {
                return None;
            }
            let done = match &inner.file {
                Some(file) => file.conn.busy_timeout(inner.wait).and_then(|()| work(&file.conn)).map_err(|cause| Trouble::of(file.identity(), cause)),
                None => open(dir, self.mark, inner.wait).and_then(|file| {
                    let file = inner.file.insert(file);
                    work(&file.conn).map_err(|cause| Trouble::of(file.identity(), cause))
                }),
            };
            match done {
                Ok(value) => return Some(value),
                Err(Trouble::Hindered(cause)) => {
                    (inner.warning, inner.untold) = (Some(format!("{FILE} could not be used: {cause}")), true);
                    return None;
                }
                Err(Trouble::Damaged(file, cause)) => {
                    inner.file = None;
                    (inner.warning, inner.untold) = (Some(format!("{FILE} could not be used and was started anew: {cause}")), true);
                    // What it held is no knowledge, and still it is put aside rather than lost.
                    inner.without = attempt > 0 || !put_aside(dir, file, inner.wait);
                    fail_point!(SessionsPutAside);
                }
            }
        }
        None
    }
}

/// A number that says of which record a file is.
fn mark_of(record: &str) -> i32 {
    let bytes = digest(record.as_bytes());
    // A file without a mark has 0.
    u32::from_str_radix(&bytes[..8], 16).map_or(1, |mark| mark.max(1).cast_signed())
}

/// Makes the tables where there are none; gives the form of what is there, and the mark of its record.
fn prepare(conn: &Connection, mark: i32, wait: Duration) -> rusqlite::Result<(i64, i32)> {
    conn.busy_timeout(wait)?;
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    conn.execute_batch("PRAGMA synchronous = NORMAL")?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let form = || -> rusqlite::Result<(i64, i32)> {
        Ok((conn.query_row("PRAGMA user_version", [], |row| row.get(0))?, conn.query_row("PRAGMA application_id", [], |row| row.get(0))?))
    };
    let found = form()?;
    if found.0 == FORM {
        return Ok(found);
    }
    conn.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have made it since.
    let found = form()?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found.0 != 0 || tables != 0 {
        conn.execute_batch("ROLLBACK")?;
        return Ok(found);
    }
    conn.execute_batch(&format!(
        "CREATE TABLE session(name TEXT PRIMARY KEY, touched_ms INTEGER NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
         CREATE INDEX session_touched ON session(touched_ms);
         {}; {}; PRAGMA application_id = {mark}; PRAGMA user_version = {FORM}; COMMIT",
        turns::TABLE,
        obligations::TABLE,
    ))?;
    Ok((FORM, mark))
}

/// What is to be said of a value that is not what this release writes.
fn unreadable(cause: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(cause))
}

fn read(conn: &Connection, name: &str) -> rusqlite::Result<Option<SessionState>> {
    let text: Option<String> = conn.prepare_cached("SELECT state FROM session WHERE name = ?1")?.query_row([name], |row| row.get(0)).optional()?;
    text.map(|text| serde_json::from_str(&text).map_err(unreadable)).transpose()
}

fn store(
    conn: &Connection,
    name: &str,
    now: Timestamp,
    kept: Option<(Option<u64>, &StoredTurn)>,
    change: &mut dyn FnMut(&mut SessionState),
) -> rusqlite::Result<(SessionState, u64)> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let written = write(conn, name, now, kept, change);
    fail_point!(SessionWritten);
    let ended = conn.execute_batch(if written.is_ok() { "COMMIT" } else { "ROLLBACK" });
    fail_point!(SessionCommitted);
    let done = written?;
    ended?;
    Ok(done)
}

/// Takes away the sessions that do not stay, and writes the others as they are then.
fn forget(conn: &Connection, stays: &dyn Fn(&str, &mut SessionState) -> bool) -> rusqlite::Result<()> {
    let mut left: Vec<(String, Option<String>)> = Vec::new();
    let mut statement = conn.prepare("SELECT name, state FROM session")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, state): (String, String) = (row.get(0)?, row.get(1)?);
        let mut state: Option<SessionState> = serde_json::from_str(&state).ok();
        let stays = state.as_mut().is_some_and(|state| stays(&name, state));
        left.push((name, state.filter(|_| stays).and_then(|state| serde_json::to_string(&state).ok())));
    }
    for (name, state) in left {
        match state {
            Some(state) => conn.execute("UPDATE session SET state = ?2 WHERE name = ?1", [name, state])?,
            None => conn.execute("DELETE FROM session WHERE name = ?1", [name])?,
        };
    }
    Ok(())
}

/// Takes away the sessions that were last touched so long before a moment, or after it.
const FORGET: &str = "DELETE FROM session WHERE name IN
    (SELECT name FROM session WHERE touched_ms < ?1 - ?2 UNION ALL SELECT name FROM session WHERE touched_ms > ?1 + ?2)";

fn write(
    conn: &Connection,
    name: &str,
    now: Timestamp,
    kept: Option<(Option<u64>, &StoredTurn)>,
    change: &mut dyn FnMut(&mut SessionState),
) -> rusqlite::Result<(SessionState, u64)> {
    let mut state = read(conn, name)?.unwrap_or_default();
    let turn = kept.and_then(|(turn, _)| turn).unwrap_or(state.turn);
    if let Some((_, stored)) = kept {
        turns::write(conn, name, turn, stored)?;
    }
    change(&mut state);
    let text = serde_json::to_string(&state).expect("a state has only keys that are numbers");
    conn.prepare_cached(
        "INSERT INTO session(name, touched_ms, state) VALUES (?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET touched_ms = excluded.touched_ms, state = excluded.state",
    )?
    .execute(params![name, now.unix_ms(), text])?;
    let kept = i64::try_from(SESSION_KEPT.as_millis()).unwrap_or(i64::MAX);
    // One that was touched far ahead of now was so under a clock that has since been set back.
    let gone = conn.prepare_cached(FORGET)?.execute([now.unix_ms(), kept])?;
    if gone > 0 {
        conn.prepare_cached("DELETE FROM turn WHERE session NOT IN (SELECT name FROM session)")?.execute([])?;
    }
    Ok((state, turn))
}
