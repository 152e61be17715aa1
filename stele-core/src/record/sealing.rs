//! Makes the rows of the log of a long transaction on a second thread: the bytes, the salt and the hashes of operations
//! that are applied already. The transaction writes the rows once they come back; nothing in it reads them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::log::{self, Hand, Hash, Head, Sealed};
use super::operation::Operation;
use crate::base::error::{Code, Error, Result};

/// The most operations of a batch, and the bytes of text from which it is full; in unit tests a few fill several.
const BATCH: (usize, usize) = if cfg!(test) { (2, 64) } else { (256, 1 << 20) };
/// How many batches may be with the other thread.
const AWAY: usize = 4;

/// Operations on their way into the log, in the order of their sequences.
pub(super) struct Sealing {
    waiting: Vec<Operation>,
    bytes: usize,
    away: usize,
    /// The hash of the chain to go on from, where the other thread does not know it, and a batch.
    give: Option<Sender<(Option<Hash>, Vec<Operation>)>>,
    made: Receiver<Result<Vec<Sealed>>>,
    thread: Option<JoinHandle<()>>,
}

impl Sealing {
    /// Begins; `None` where the system gives no thread.
    pub(super) fn begin() -> Option<Self> {
        let (give, taken) = channel::<(Option<Hash>, Vec<Operation>)>();
        let (done, made) = channel();
        let work = move || {
            let mut chain = [0; 32];
            for (before, batch) in taken {
                chain = before.unwrap_or(chain);
                if done.send(log::seal(&mut chain, &batch)).is_err() {
                    break;
                }
            }
        };
        #[expect(clippy::disallowed_methods, reason = "it ends with the transaction whose log it makes")]
        let thread = std::thread::Builder::new().name("stele-seal".to_owned()).spawn(work).ok()?;
        Some(Self { waiting: Vec::new(), bytes: 0, away: 0, give: Some(give), made, thread: Some(thread) })
    }

    /// Takes an operation over, and writes the rows that have come back; `head` is the last one that stands in the log.
    pub(super) fn take(&mut self, conn: &Connection, hand: &Hand<'_>, head: &mut Head, operation: Operation) -> Result<()> {
        self.bytes += operation.change.content().map_or(0, |(_, content)| content.body.len());
        self.waiting.push(operation);
        if self.waiting.len() < BATCH.0 && self.bytes < BATCH.1 {
            return Ok(());
        }
        while self.away >= AWAY {
            self.write_batch(conn, hand, head)?;
        }
        let before = (self.away == 0).then_some(head.chain);
        self.bytes = 0;
        let given = self.give.as_ref().map(|give| give.send((before, std::mem::take(&mut self.waiting))));
        if !matches!(given, Some(Ok(()))) {
            return Err(ended());
        }
        self.away += 1;
        Ok(())
    }

    /// Writes the rows of all operations that were taken over.
    pub(super) fn finish(&mut self, conn: &Connection, hand: &Hand<'_>, head: &mut Head) -> Result<()> {
        while self.away > 0 {
            self.write_batch(conn, hand, head)?;
        }
        self.bytes = 0;
        log::append(conn, hand, head, &std::mem::take(&mut self.waiting))
    }

    fn write_batch(&mut self, conn: &Connection, hand: &Hand<'_>, head: &mut Head) -> Result<()> {
        let rows = self.made.recv().map_err(|_| ended())??;
        self.away -= 1;
        log::write(conn, hand, head, &rows)
    }
}

fn ended() -> Error {
    Error::new(Code::Internal, "append to the log: the thread that makes its rows ended")
}

impl Drop for Sealing {
    fn drop(&mut self) {
        self.give.take();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
