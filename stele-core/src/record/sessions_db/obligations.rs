//! The obligations as they were last read from the record, for a turn in which they cannot be.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Sessions, unreadable};
use crate::base::digest::digest;
use crate::base::fail_points::fail_point;
use crate::base::time::Deadline;
use crate::record::database::{number_in, number_out};
use crate::record::rule::LiveRule;

pub(super) const TABLE: &str = "CREATE TABLE obligations(only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, digest TEXT NOT NULL,
    rules TEXT NOT NULL) STRICT";

/// Obligations after the head of the log that they were first read at.
pub(crate) type KeptObligations = (u64, Vec<LiveRule>);

impl Sessions {
    /// Keeps the obligations that were read at a head of the log. The same ones again are not written, and those of the
    /// same head not even compared.
    pub(crate) fn keep_obligations(&self, sequence: u64, rules: &dyn Fn() -> Vec<LiveRule>) {
        // Where another process keeps the file for long, this handle remembers them for itself.
        let mut inner = self.lock_until(Deadline::after(Duration::ZERO));
        if inner.obligations_at == Some(sequence) {
            return;
        }
        let rules = rules();
        let text = serde_json::to_string(&rules).expect("rules have only keys that are text");
        let kept = self.with_file(&mut inner, true, &mut |conn| write(conn, sequence, &text));
        inner.obligations = kept.is_none().then_some((sequence, rules));
        inner.obligations_at = Some(sequence);
    }

    /// The obligations that were kept last.
    pub(crate) fn last_obligations(&self) -> Option<KeptObligations> {
        let mut inner = self.lock();
        match &inner.obligations {
            Some(held) => Some(held.clone()),
            None => self.with_file(&mut inner, false, &mut read).flatten(),
        }
    }
}

fn write(conn: &Connection, sequence: u64, rules: &str) -> rusqlite::Result<()> {
    let digest = digest(rules.as_bytes());
    let held = conn.prepare_cached("SELECT 1 FROM obligations WHERE digest = ?1")?.exists([&digest])?;
    if !held {
        conn.prepare_cached("INSERT OR REPLACE INTO obligations(only, sequence, digest, rules) VALUES (1, ?1, ?2, ?3)")?.execute(params![
            number_in(sequence),
            digest,
            rules
        ])?;
        fail_point!(ObligationsKept);
    }
    Ok(())
}

fn read(conn: &Connection) -> rusqlite::Result<Option<KeptObligations>> {
    let row: Option<(i64, String)> =
        conn.prepare_cached("SELECT sequence, rules FROM obligations")?.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    row.map(|(sequence, rules)| Ok((number_out(sequence), serde_json::from_str(&rules).map_err(unreadable)?))).transpose()
}
