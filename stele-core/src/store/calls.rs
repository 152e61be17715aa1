//! Calls into a host's embedder that a reader waits for only until its deadline.
//!
//! A call that does not come back is left behind and no second one is started beside it, so at most one thread of a
//! handle hangs in a host's code.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use crate::base::time::Deadline;
use crate::index::embed::CheckedEmbedder;

/// Whether a call is under way.
#[derive(Default)]
pub(super) struct Calls {
    running: Arc<AtomicBool>,
}

impl Calls {
    /// The vector of a text.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub(super) fn embed(&self, embedder: &Arc<CheckedEmbedder>, text: &str, deadline: Deadline) -> Result<Vec<f32>, String> {
        let Some(left) = deadline.remaining().filter(|_| !embedder.cheap()) else {
            return only(embedder.embed(&[text]).map_err(|fault| fault.to_string()));
        };
        if self.running.swap(true, Ordering::SeqCst) {
            return Err("the embedder is still at an earlier text".to_owned());
        }
        let (send, receive) = mpsc::channel();
        let (running, embedder, text) = (Arc::clone(&self.running), Arc::clone(embedder), text.to_owned());
        #[expect(clippy::disallowed_methods, reason = "a thread of the handle, for a call that may hang")]
        let started = std::thread::Builder::new().name("stele-embed".to_owned()).spawn(move || {
            let vectors = embedder.embed(&[&text]).map_err(|fault| fault.to_string());
            running.store(false, Ordering::SeqCst);
            let _ = send.send(vectors);
        });
        if started.is_err() {
            self.running.store(false, Ordering::SeqCst);
            return Err("no thread could be had for the embedder".to_owned());
        }
        only(receive.recv_timeout(left).unwrap_or_else(|_| Err("the embedder did not answer in time".to_owned())))
    }
}

fn only(vectors: Result<Vec<Vec<f32>>, String>) -> Result<Vec<f32>, String> {
    vectors.and_then(|mut vectors| vectors.pop().ok_or_else(|| "the embedder gave no vector".to_owned()))
}
