//! What exports read of a snapshot beyond what retrieval asks for, and taking over another record's log.

use std::collections::BTreeMap;

use rusqlite::params;

use super::database::{Trouble, number_in, number_out};
use super::log::{self, Hash, Head};
use super::operation::Change;
use super::reader::Snapshot;
use super::replay;
use super::writer::Write;
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::{hex, unhex};
use crate::base::time::Timestamp;

const DURING: &str = "read the log for an export";

/// An operation as its bytes stand in the log; hashes in hexadecimal, no payload and salt where it was purged.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct StoredOperation {
    pub(crate) sequence: u64,
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) salt: Option<String>,
    pub(crate) op_hash: String,
    pub(crate) chain_hash: String,
}

impl Write {
    /// Takes over an operation of another record's log, checking that it continues the chain; the views follow with
    /// [`Self::remake`].
    ///
    /// # Errors
    /// `chain_broken`.
    pub(crate) fn adopt(&mut self, operation: &StoredOperation) -> Result<()> {
        let broken =
            |what: &str| Error::new(Code::ChainBroken, format!("import a log: operation {} {what}", operation.sequence)).with("sequence", operation.sequence);
        let bytes = |text: &str| unhex(text).ok_or_else(|| broken("has a hash that is none"));
        let head = self.log_head();
        if operation.sequence != head.sequence + 1 {
            return Err(broken("is not the next one"));
        }
        let stored: Hash = bytes(&operation.op_hash)?.try_into().map_err(|_| broken("has a hash that is none"))?;
        let salt = operation.salt.as_deref().map(bytes).transpose()?;
        let StoredOperation { sequence, at, actor, session, kind, payload, .. } = operation;
        match (&salt, payload) {
            (Some(salt), Some(payload)) => {
                if log::operation_hash(*sequence, *at, actor, session.as_deref(), kind, salt, payload) != stored {
                    return Err(broken("does not have the hash that it was stored with"));
                }
            }
            (None, None) => {}
            _ => return Err(broken("has only one of salt and payload")),
        }
        let chain = log::chain_hash(&head.chain, &stored);
        if hex(&chain) != operation.chain_hash {
            return Err(broken("does not continue the chain"));
        }
        self.views()
            .conn()
            .prepare_cached("INSERT INTO log(seq, at_ms, actor, session, kind, payload, salt, op_hash, chain_hash) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)")
            .and_then(|mut statement| statement.execute(params![number_in(*sequence), at.unix_ms(), actor, session, kind, payload, salt, stored, chain]))
            .map_err(Trouble::during("import a log"))?;
        fail_point!(OperationLogged);
        self.set_log_head(Head { sequence: *sequence, chain });
        Ok(())
    }

    /// Makes the views anew from the log.
    ///
    /// # Errors
    /// `damaged` if an operation does not fit what came before it.
    pub(crate) fn remake(&mut self) -> Result<()> {
        replay::remake(self.views().conn())
    }
}

impl Snapshot {
    /// Calls `each` with every operation up to the snapshot's sequence, in order.
    pub(crate) fn stored_operations(&self, each: &mut dyn FnMut(&StoredOperation) -> Result<()>) -> Result<()> {
        let mut statement = self
            .conn()
            .prepare_cached("SELECT seq, at_ms, actor, session, kind, payload, salt, op_hash, chain_hash FROM log WHERE seq <= ?1 ORDER BY seq")
            .map_err(Trouble::during(DURING))?;
        let mut rows = statement.query([number_in(self.at())]).map_err(Trouble::during(DURING))?;
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let get = || -> rusqlite::Result<StoredOperation> {
                Ok(StoredOperation {
                    sequence: number_out(row.get(0)?),
                    at: Timestamp::from_unix_ms(row.get(1)?),
                    actor: row.get(2)?,
                    session: row.get(3)?,
                    kind: row.get(4)?,
                    payload: row.get(5)?,
                    salt: row.get::<_, Option<Vec<u8>>>(6)?.map(|salt| hex(&salt)),
                    op_hash: hex(&row.get::<_, Vec<u8>>(7)?),
                    chain_hash: hex(&row.get::<_, Vec<u8>>(8)?),
                })
            };
            each(&get().map_err(Trouble::during(DURING))?)?;
        }
        Ok(())
    }

    /// Why nodes were put away, by number, as the log says it.
    pub(crate) fn archive_reasons(&self) -> Result<BTreeMap<u64, String>> {
        let mut statement = self
            .conn()
            .prepare_cached("SELECT seq, payload FROM log WHERE kind = 'archive' AND payload IS NOT NULL AND seq <= ?1")
            .map_err(Trouble::during(DURING))?;
        let mut rows = statement.query(params![number_in(self.at())]).map_err(Trouble::during(DURING))?;
        let mut reasons = BTreeMap::new();
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let (sequence, payload) = (row.get(0).map_err(Trouble::during(DURING))?, row.get::<_, String>(1).map_err(Trouble::during(DURING))?);
            if let Change::Archive { number, why } = Change::from_payload(number_out(sequence), &payload)? {
                reasons.insert(number, why);
            }
        }
        Ok(reasons)
    }
}
