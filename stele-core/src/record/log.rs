//! The log: appending an operation, reading operations back, and the hash chain over them.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::database::{Trouble, number_in, number_out};
use super::operation::{Change, Operation};
use super::purge;
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::random_bytes;
use crate::base::time::Timestamp;

/// A SHA-256.
pub(crate) type Hash = [u8; 32];

/// The last operation and the hash of the chain up to it; zero for an empty log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) sequence: u64,
    pub(crate) chain: Hash,
}

/// Reads the head.
pub(crate) fn head(conn: &Connection) -> Result<Head> {
    let row: Option<(i64, Vec<u8>)> = conn
        .prepare_cached("SELECT seq, chain_hash FROM log ORDER BY seq DESC LIMIT 1")
        .and_then(|mut statement| statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional())
        .map_err(Trouble::during("read the head of the log"))?;
    Ok(match row {
        Some((sequence, chain)) => Head { sequence: number_out(sequence), chain: hash_of(sequence, chain)? },
        None => Head { sequence: 0, chain: [0; 32] },
    })
}

/// The hash of the chain after an operation; `None` if the log does not reach so far.
pub(crate) fn chain_at(conn: &Connection, sequence: u64) -> Result<Option<Hash>> {
    if sequence == 0 {
        return Ok(Some([0; 32]));
    }
    let row: Option<Vec<u8>> = conn
        .prepare_cached("SELECT chain_hash FROM log WHERE seq = ?1")
        .and_then(|mut statement| statement.query_row([number_in(sequence)], |row| row.get(0)).optional())
        .map_err(Trouble::during("read the log"))?;
    row.map(|chain| hash_of(number_in(sequence), chain)).transpose()
}

/// When an operation was made; `None` if the log does not reach so far.
pub(crate) fn time_of(conn: &Connection, sequence: u64) -> Result<Option<Timestamp>> {
    conn.prepare_cached("SELECT at_ms FROM log WHERE seq = ?1")
        .and_then(|mut statement| statement.query_row([number_in(sequence)], |row| row.get(0)).optional())
        .map(|at| at.map(Timestamp::from_unix_ms))
        .map_err(Trouble::during("read the log"))
}

fn hash_of(sequence: i64, bytes: Vec<u8>) -> Result<Hash> {
    bytes.try_into().map_err(|_| Error::new(Code::ChainBroken, format!("read operation {sequence}: its hash has the wrong length")).with("sequence", sequence))
}

/// The hash of one operation: its header, its salt and its stored bytes, each with its length before it.
pub(crate) fn operation_hash(sequence: u64, at: Timestamp, actor: &str, session: Option<&str>, kind: &str, salt: &[u8], payload: &str) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(sequence.to_le_bytes());
    hasher.update(at.unix_ms().to_le_bytes());
    for part in [actor.as_bytes(), session.unwrap_or("\0").as_bytes(), kind.as_bytes(), salt, payload.as_bytes()] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The hash of the chain after an operation.
pub(crate) fn chain_hash(before: &Hash, operation: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(operation);
    hasher.finalize().into()
}

/// Who writes, when.
pub(crate) struct Hand<'a> {
    pub(crate) at: Timestamp,
    pub(crate) actor: &'a str,
    pub(crate) session: Option<&'a str>,
}

impl Hand<'_> {
    /// The operation that makes a settled change.
    pub(crate) fn operation(&self, sequence: u64, change: Change) -> Operation {
        Operation { sequence, at: self.at, actor: self.actor.to_owned(), session: self.session.map(Into::into), change }
    }
}

/// What the log keeps of an operation, beside who made it and when.
pub(crate) struct Sealed {
    sequence: u64,
    kind: &'static str,
    payload: String,
    salt: [u8; SALT],
    operation: Hash,
    chain: Hash,
}

const SALT: usize = 16;
/// How many salts are drawn at once, where there are several operations.
const SALTS: usize = 256;

/// Makes the rows of operations that follow each other and `chain`, which it moves on.
///
/// # Errors
/// `storage` if the system gives no random bytes.
pub(crate) fn seal(chain: &mut Hash, operations: &[Operation]) -> Result<Vec<Sealed>> {
    let mut rows = Vec::with_capacity(operations.len());
    for some in operations.chunks(SALTS) {
        let salts = if let [_] = some { random_bytes::<SALT>()?.to_vec() } else { random_bytes::<{ SALT * SALTS }>()?.to_vec() };
        for (operation, salt) in some.iter().zip(salts.as_chunks().0) {
            let Operation { sequence, at, actor, session, change } = operation;
            let (kind, payload) = (change.kind(), change.to_payload());
            let hash = operation_hash(*sequence, *at, actor, session.as_deref(), kind, salt, &payload);
            *chain = chain_hash(chain, &hash);
            rows.push(Sealed { sequence: *sequence, kind, payload, salt: *salt, operation: hash, chain: *chain });
        }
    }
    Ok(rows)
}

/// Writes rows that follow `head`, which it moves on.
pub(crate) fn write(conn: &Connection, hand: &Hand<'_>, head: &mut Head, rows: &[Sealed]) -> Result<()> {
    let mut insert = conn
        .prepare_cached("INSERT INTO log(seq, at_ms, actor, session, kind, payload, salt, op_hash, chain_hash) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)")
        .map_err(Trouble::during(APPEND))?;
    for Sealed { sequence, kind, payload, salt, operation, chain } in rows {
        insert
            .execute(params![number_in(*sequence), hand.at.unix_ms(), hand.actor, hand.session, kind, payload, salt, operation, chain])
            .map_err(Trouble::during(APPEND))?;
        fail_point!(OperationLogged);
        *head = Head { sequence: *sequence, chain: *chain };
    }
    Ok(())
}

const APPEND: &str = "append to the log";

/// Appends operations after `head`, which it moves on.
pub(crate) fn append(conn: &Connection, hand: &Hand<'_>, head: &mut Head, operations: &[Operation]) -> Result<()> {
    let mut chain = head.chain;
    let rows = seal(&mut chain, operations)?;
    write(conn, hand, head, &rows)
}

/// Calls `each` with every operation from `from` to `to`, both included, in order; one that was purged as what is left of it.
pub(crate) fn read(conn: &Connection, from: u64, to: u64, each: &mut dyn FnMut(Operation) -> Result<()>) -> Result<()> {
    read_with(conn, from, to, &mut None, each)
}

/// Reads the operations of some sequences, in their order; what was purged is looked up once for all.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_each(conn: &Connection, sequences: &[u64], each: &mut dyn FnMut(Operation) -> Result<()>) -> Result<()> {
    let mut purged = None;
    sequences.iter().try_for_each(|sequence| read_with(conn, *sequence, *sequence, &mut purged, each))
}

fn read_with(conn: &Connection, from: u64, to: u64, purged: &mut Option<BTreeMap<u64, Change>>, each: &mut dyn FnMut(Operation) -> Result<()>) -> Result<()> {
    let during = "read the log";
    let mut statement =
        conn.prepare_cached("SELECT seq, at_ms, actor, session, payload FROM log WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq").map_err(Trouble::during(during))?;
    let mut rows = statement.query(params![number_in(from), number_in(to)]).map_err(Trouble::during(during))?;
    while let Some(row) = rows.next().map_err(Trouble::during(during))? {
        let get = || -> rusqlite::Result<_> { Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get(2)?, row.get(3)?, row.get::<_, Option<String>>(4)?)) };
        let (seq, at, actor, session, payload) = get().map_err(Trouble::during(during))?;
        let sequence = number_out(seq);
        let change = match payload {
            Some(payload) => Change::from_payload(sequence, &payload)?,
            None => {
                if purged.is_none() {
                    *purged = Some(purge::skeletons(conn)?);
                }
                let left = purged.as_ref().and_then(|skeletons| skeletons.get(&sequence)).cloned();
                left.ok_or_else(|| Error::new(Code::Damaged, format!("read operation {sequence}: its payload is gone and no purge says what it did")))?
            }
        };
        each(Operation { sequence, at: Timestamp::from_unix_ms(at), actor, session, change })?;
    }
    Ok(())
}

/// Checks that the log has no gap and that every hash is what it should be.
///
/// # Errors
/// `chain_broken`, naming the first sequence that does not fit.
pub(crate) fn verify(conn: &Connection) -> Result<Head> {
    let during = "verify the log";
    let broken =
        |sequence: u64, what: &str| Err(Error::new(Code::ChainBroken, format!("verify the log: operation {sequence} {what}")).with("sequence", sequence));
    let mut head = Head { sequence: 0, chain: [0; 32] };
    let mut statement =
        conn.prepare("SELECT seq, at_ms, actor, session, kind, salt, payload, op_hash, chain_hash FROM log ORDER BY seq").map_err(Trouble::during(during))?;
    let mut rows = statement.query([]).map_err(Trouble::during(during))?;
    while let Some(row) = rows.next().map_err(Trouble::during(during))? {
        type Row = (i64, i64, String, Option<String>, String, Option<Vec<u8>>, Option<String>, Vec<u8>, Vec<u8>);
        let get = || -> rusqlite::Result<Row> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?))
        };
        let (seq, at, actor, session, kind, salt, payload, stored, chain) = get().map_err(Trouble::during(during))?;
        let sequence = head.sequence + 1;
        if number_out(seq) != sequence {
            return broken(sequence, "is missing");
        }
        let stored = hash_of(seq, stored)?;
        // A purged operation keeps its hash and nothing that could confirm a guess.
        if let (Some(salt), Some(payload)) = (salt, payload) {
            let at = Timestamp::from_unix_ms(at);
            if operation_hash(sequence, at, &actor, session.as_deref(), &kind, &salt, &payload) != stored {
                return broken(sequence, "does not have the hash that it was stored with");
            }
        }
        let expected = chain_hash(&head.chain, &stored);
        if hash_of(seq, chain)? != expected {
            return broken(sequence, "does not continue the chain");
        }
        head = Head { sequence, chain: expected };
    }
    Ok(head)
}
