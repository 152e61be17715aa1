//! Takes up a turn of a session after its host was interrupted.

use super::Record;
use crate::assemble::turn::{ResumeAction, Resumed, TranscriptItem, resume};
use crate::base::error::Result;
use crate::base::time::Deadline;
use crate::record::session::check_name;
use crate::retrieve::source::Source as _;

impl Record {
    /// Says how a turn of a session goes on in a transcript, after its host was interrupted somewhere between asking for
    /// the context and noting that it was delivered. Asked again after what it says was done, it says that the turn has
    /// its context.
    ///
    /// The context of turn 0 is looked for in the user's first message; if no item says who speaks, in all that are no
    /// contexts. That of a later turn is the item `local:context:` with the turn. An item that was changed, or of which
    /// nothing is known, is to be replaced by what is assembled now. The last 50 turns of a session are known.
    ///
    /// # Errors
    /// Invalid for a blank or overlong name; `closed`, `gone`, `forked`.
    pub fn resume(&self, session: &str, turn: u64, transcript: &[TranscriptItem]) -> Result<Resumed> {
        check_name("session", session)?;
        self.shared.database.check_place()?;
        let mut resumed = resume(self.shared.sessions.turn(session, turn).as_ref(), turn, transcript);
        let awaited = self.shared.session_state(session).awaited.filter(|(of, _)| *of == turn);
        match (resumed.action, awaited) {
            (ResumeAction::Append, Some((_, delivery))) => resumed.delivery = delivery,
            // That the transcript has it is the word of the host that it was delivered.
            (ResumeAction::Skip, Some(_)) => {
                self.shared.change_session(session, None, Deadline::NEVER, &mut |state| {
                    if let Some(delivery) = state.arrived(turn) {
                        state.deliver(&delivery);
                    }
                });
            }
            _ => {}
        }
        Ok(resumed)
    }
}
