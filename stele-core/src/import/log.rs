//! Reads an exported log into an empty record: the same operations, hashes and history.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::export::LOG_VERSION;
use super::lines::Lines;
use crate::base::error::{Code, Error, Result};
use crate::record::database::io;
use crate::record::log::Hand;
use crate::record::recorder::Writing;
use crate::record::transfer::StoredOperation;
use crate::record::writer::Write;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Log { version: u32, head: u64 },
    Operation(Box<StoredOperation>),
}

/// Imports a file that an export of the log wrote; gives the head.
///
/// # Errors
/// `wrong_state` if the record holds an operation; `bad_line`, naming it; `chain_broken` if a hash does not fit;
/// `newer_format`; `no_such_path`, `storage`, `busy` and their like. Then nothing is written.
pub(crate) fn import_log(writing: &Arc<Writing>, path: &Path) -> Result<u64> {
    let file = File::open(path).map_err(|cause| io(path, "read", cause))?;
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file));
    let hand = Hand { at: writing.clock.now(), actor: "import", session: None };
    let mut write = Write::begin(&writing.database, &hand, writing.database.busy_timeout())?;
    write.begin_bulk()?;
    if write.views().head() != 0 {
        return Err(Error::new(Code::WrongState, "import a log: the record holds operations of its own"));
    }
    let mut head = None;
    let mut found = 0;
    while let Some((number, text)) = lines.next().map_err(|cause| io(path, "read", cause))? {
        let bad = |what: &str| Error::new(Code::BadLine, format!("import a log: line {number} {what}")).with("line", number);
        let line = serde_json::from_str(text?).map_err(|cause| bad(&format!("cannot be read: {cause}")))?;
        match (line, head) {
            (Line::Log { version, .. }, None) if version > LOG_VERSION => {
                return Err(Error::new(Code::NewerFormat, format!("import a log: its form is {version}, this release knows {LOG_VERSION}")));
            }
            (Line::Log { head: announced, .. }, None) => head = Some(announced),
            (Line::Operation(operation), Some(_)) => {
                write.adopt(&operation).map_err(|error| error.with("line", number))?;
                found += 1;
            }
            (Line::Log { .. }, Some(_)) => return Err(bad("begins a second log")),
            (Line::Operation(_), None) => return Err(bad("stands before the line that begins a log")),
        }
    }
    if head != Some(found) {
        let announced = head.map_or_else(|| "no log".to_owned(), |head| format!("{head} operations"));
        return Err(Error::new(Code::BadLine, format!("import a log: it announces {announced} and holds {found}")));
    }
    write.remake()?;
    write.commit()
}
