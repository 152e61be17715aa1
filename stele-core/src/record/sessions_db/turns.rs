//! What the turns of sessions were given: the last ones of each session, written in one step with its state.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Inner, Sessions};
use crate::base::config::SESSION_TURNS;
use crate::base::fail_points::fail_point;
use crate::record::database::{number_in, number_out};
use crate::record::session::StoredTurn;

pub(super) const TABLE: &str = "CREATE TABLE turn(session TEXT NOT NULL, turn INTEGER NOT NULL, digest TEXT NOT NULL, chars INTEGER NOT NULL,
    outcomes TEXT NOT NULL, text TEXT, PRIMARY KEY(session, turn)) STRICT";

impl Sessions {
    /// What a turn of a session was given, if that is known.
    pub(crate) fn turn(&self, name: &str, turn: u64) -> Option<StoredTurn> {
        let mut inner = self.lock();
        match inner.turns.get(&(name.to_owned(), turn)) {
            Some(held) => Some(held.clone()),
            None => self.with_file(&mut inner, false, &mut |conn| read(conn, name, turn)).flatten(),
        }
    }
}

impl Inner {
    /// Keeps a turn for as long as the handle lives.
    pub(super) fn keep_turn(&mut self, name: &str, turn: u64, stored: &StoredTurn) {
        self.turns.retain(|(session, held), _| session != name || is_kept(*held, turn));
        self.turns.insert((name.to_owned(), turn), stored.clone());
    }
}

/// True if a turn is still kept beside the one that was stored last. One that counts as later belongs to a course that
/// the session took before its host went back.
fn is_kept(turn: u64, last: u64) -> bool {
    turn <= last && last - turn < SESSION_TURNS
}

pub(super) fn write(conn: &Connection, name: &str, turn: u64, stored: &StoredTurn) -> rusqlite::Result<()> {
    let (last, kept) = (number_in(turn), number_in(SESSION_TURNS));
    // The condition is that of `is_kept`.
    conn.prepare_cached("DELETE FROM turn WHERE session = ?1 AND (turn >= ?2 OR ?2 - turn >= ?3)")?.execute(params![name, last, kept])?;
    conn.prepare_cached("INSERT INTO turn(session, turn, digest, chars, outcomes, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
        name,
        last,
        stored.digest,
        number_in(stored.chars),
        stored.outcomes,
        stored.text
    ])?;
    fail_point!(TurnWritten);
    Ok(())
}

fn read(conn: &Connection, name: &str, turn: u64) -> rusqlite::Result<Option<StoredTurn>> {
    conn.prepare_cached("SELECT digest, chars, outcomes, text FROM turn WHERE session = ?1 AND turn = ?2")?
        .query_row(params![name, number_in(turn)], |row| {
            Ok(StoredTurn { digest: row.get(0)?, chars: number_out(row.get(1)?), outcomes: row.get(2)?, text: row.get(3)? })
        })
        .optional()
}
