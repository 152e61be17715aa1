//! What the record gives to its sessions.

use std::sync::Arc;

use super::{Record, Shared};
use crate::assemble::session::{Host, SessionOptions};
use crate::assemble::{Context, Methodology, Moment, Obligations};
use crate::render::moments::{write_context, write_moment};
use crate::retrieve::result::Retrieval;

impl Host for Shared {
    fn write_moment(&self, moment: &mut Moment) {
        write_moment(moment);
    }

    fn write_context(&self, turn: u64, obligations: Obligations, methodology: Methodology, record: Retrieval, warnings: Vec<String>) -> Context {
        write_context(turn, obligations, methodology, record, warnings)
    }
}

impl Record {
    /// The moments of an agent session of that name, new or known: say more of it, then [`SessionOptions::open`] it.
    ///
    /// A session is known by its name alone, to every process. A read-only handle keeps what is known of it to itself.
    pub fn session(&self, name: &str) -> SessionOptions {
        SessionOptions::new(Arc::clone(&self.shared) as _, name, self.shared.database.dir())
    }
}
