//! `sessions.db`: what sessions were served. Whatever is wrong with the file, it is started anew, in memory if need be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::database::refuse_symlink;
use super::session::SessionState;
use crate::base::fail_points::fail_point;
use crate::base::time::Timestamp;

const FILE: &str = "sessions.db";
/// What a damaged file is called from then on.
const DAMAGED: &str = "db.damaged";
/// Sessions that were not touched for so long are let go of.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The sessions of one open record.
pub(crate) struct Sessions {
    path: Option<PathBuf>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    conn: Option<Connection>,
    tried: bool,
    memory: BTreeMap<String, SessionState>,
    warning: Option<String>,
}

impl Sessions {
    /// The sessions beside a record; those of a read-only handle live and end with it.
    pub(crate) fn new(dir: &Path, read_only: bool) -> Self {
        Self { path: (!read_only).then(|| dir.join(FILE)), inner: Mutex::default() }
    }

    /// What is known of a session, and whether it outlives the handle.
    pub(crate) fn load(&self, name: &str) -> (SessionState, bool) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.connect(&mut inner, false);
        let kept = inner.conn.is_some() || (self.path.is_some() && !inner.tried);
        let stored = inner.conn.as_ref().and_then(|conn| {
            conn.prepare_cached("SELECT state FROM session WHERE name = ?1")
                .and_then(|mut statement| statement.query_row([name], |row| row.get::<_, String>(0)).optional())
                .ok()
                .flatten()
        });
        let state = stored.and_then(|text| serde_json::from_str(&text).ok());
        (state.or_else(|| inner.memory.get(name).cloned()).unwrap_or_default(), kept)
    }

    /// Changes what is known of a session, in one step among processes.
    pub(crate) fn update(&self, name: &str, now: Timestamp, change: &mut dyn FnMut(&mut SessionState)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.connect(&mut inner, true);
        let stored = inner.conn.as_ref().is_some_and(|conn| store(conn, name, now, change).is_ok());
        if !stored {
            change(inner.memory.entry(name.to_owned()).or_default());
        }
    }

    /// Forgets every session, so that no byte of what they held is left in the file.
    pub(crate) fn forget_all(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.connect(&mut inner, false);
        inner.memory.clear();
        if let Some(conn) = &inner.conn {
            // What cannot be emptied now is taken away as a whole: it holds no knowledge.
            let emptied = conn
                .execute_batch("DELETE FROM session; VACUUM;")
                .and_then(|()| conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)));
            if emptied.is_ok_and(|busy| busy == 0) {
                return self.remove_damaged();
            }
        }
        (inner.conn, inner.tried) = (None, false);
        if let Some(path) = &self.path {
            for name in ["", "-wal", "-shm"] {
                let mut whole = path.as_os_str().to_owned();
                whole.push(name);
                let _ = std::fs::remove_file(whole);
            }
        }
        self.remove_damaged();
    }

    fn remove_damaged(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path.with_extension(DAMAGED));
        }
    }

    /// Why the file was started anew, if it was.
    pub(crate) fn warning(&self) -> Option<String> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).warning.clone()
    }

    /// Lets go of the file.
    pub(crate) fn close(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        (inner.conn, inner.tried) = (None, true);
    }

    fn connect(&self, inner: &mut Inner, create: bool) {
        let Some(path) = &self.path else { return };
        if inner.conn.is_some() || inner.tried || (!create && !path.exists()) {
            return;
        }
        inner.tried = true;
        match open(path) {
            Ok(conn) => inner.conn = Some(conn),
            Err(first) => {
                inner.warning = Some(format!("{FILE} could not be used and was started anew: {first}"));
                // A damaged file is put aside rather than lost; what it held is no knowledge.
                let aside = path.with_extension(DAMAGED);
                if refuse_symlink(path).is_ok() && std::fs::rename(path, &aside).is_ok() {
                    fail_point!(SessionsPutAside);
                    inner.conn = open(path).ok();
                }
            }
        }
    }
}

fn open(path: &Path) -> Result<Connection, String> {
    refuse_symlink(path).map_err(|error| error.to_string())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let made = std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
        made.map_err(|error| error.to_string())?;
        fail_point!(SessionsMade);
    }
    let conn = Connection::open_with_flags(path, flags).map_err(|error| error.to_string())?;
    let prepared = conn.busy_timeout(Duration::from_millis(500)).and_then(|()| {
        conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        conn.execute_batch(
            "PRAGMA synchronous = NORMAL; \
             CREATE TABLE IF NOT EXISTS session(name TEXT PRIMARY KEY, touched_ms INTEGER NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;",
        )
    });
    prepared.map_err(|error| error.to_string())?;
    Ok(conn)
}

fn store(conn: &Connection, name: &str, now: Timestamp, change: &mut dyn FnMut(&mut SessionState)) -> rusqlite::Result<()> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let done = (|| {
        let text: Option<String> = conn.query_row("SELECT state FROM session WHERE name = ?1", [name], |row| row.get(0)).optional()?;
        let mut state: SessionState = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        change(&mut state);
        let text = serde_json::to_string(&state).unwrap_or_default();
        conn.execute(
            "INSERT INTO session(name, touched_ms, state) VALUES (?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET touched_ms = excluded.touched_ms, state = excluded.state",
            params![name, now.unix_ms(), text],
        )?;
        let old = now.unix_ms().saturating_sub(i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX));
        conn.execute("DELETE FROM session WHERE touched_ms < ?1", [old])
    })();
    fail_point!(SessionWritten);
    conn.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    fail_point!(SessionCommitted);
    done.map(drop)
}
