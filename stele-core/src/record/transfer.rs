//! What exports read of a snapshot beyond what retrieval asks for.

use std::collections::BTreeMap;

use rusqlite::params;

use super::database::{Trouble, number_in, number_out};
use super::operation::Change;
use super::reader::Snapshot;
use crate::base::error::Result;
use crate::base::id::hex;
use crate::base::time::Timestamp;

const DURING: &str = "read the log for an export";

/// An operation as its bytes stand in the log; hashes in hexadecimal, no payload and salt where it was purged.
#[derive(Debug, serde::Serialize)]
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
