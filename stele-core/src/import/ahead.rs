//! Reads the staging files ahead of the transaction that appends them, and prepares the nodes, on a second thread.

use std::sync::mpsc;

use super::item::{EdgeItem, NodeItem};
use super::staging::Staging;
use crate::base::error::{Code, Error, Result};
use crate::base::terms::Tokeniser;
use crate::record::prepared::Prepared;

/// The most items of a batch, and the bytes of text from which it is full.
const BATCH: (usize, usize) = (256, 1 << 20);
/// How many batches may wait.
const WAITING: usize = 4;

/// Some items in the order of the staging files, in which all nodes come before all edges.
pub(super) enum Batch {
    Nodes(Vec<(NodeItem, Prepared)>),
    Edges(Vec<EdgeItem>),
}

/// Calls `take` with everything that is staged, in order, on the calling thread.
///
/// # Errors
/// The first of `take`, else those of reading.
pub(super) fn read_ahead(staging: &mut Staging, take: &mut dyn FnMut(Batch) -> Result<()>) -> Result<()> {
    let threaded = std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel(WAITING);
        let staging = &mut *staging;
        let reading = std::thread::Builder::new().name("stele-import".to_owned()).spawn_scoped(scope, move || {
            // A receiver that is gone has met an error of its own.
            read(staging, &mut |batch| send.send(batch).map_err(|_| Error::new(Code::Internal, "import: nobody takes what is read")))
        });
        let reading = reading.ok()?;
        let taken = receive.iter().try_for_each(&mut *take);
        drop(receive);
        let read = reading.join().unwrap_or_else(|_| Err(Error::new(Code::Internal, "read what is staged: it panicked")));
        Some(taken.and(read))
    });
    // Where the system gives no thread, this one does both.
    threaded.unwrap_or_else(|| read(staging, take))
}

fn read(staging: &mut Staging, give: &mut dyn FnMut(Batch) -> Result<()>) -> Result<()> {
    let mut tokeniser = Tokeniser::new();
    let (mut nodes, mut bytes) = (Vec::new(), 0);
    staging.nodes.each(&mut |node: NodeItem| {
        bytes += node.content.body.len();
        let prepared = Prepared::of(&node.content, &mut tokeniser);
        nodes.push((node, prepared));
        if nodes.len() < BATCH.0 && bytes < BATCH.1 {
            return Ok(());
        }
        bytes = 0;
        give(Batch::Nodes(std::mem::take(&mut nodes)))
    })?;
    give(Batch::Nodes(nodes))?;
    let (mut edges, mut bytes) = (Vec::new(), 0);
    for stream in [&mut staging.edges, &mut staging.children] {
        stream.each(&mut |edge: EdgeItem| {
            bytes += edge.source_text.as_ref().map_or(0, |excerpt| excerpt.text.len());
            edges.push(edge);
            if edges.len() < BATCH.0 && bytes < BATCH.1 {
                return Ok(());
            }
            bytes = 0;
            give(Batch::Edges(std::mem::take(&mut edges)))
        })?;
    }
    give(Batch::Edges(edges))
}
