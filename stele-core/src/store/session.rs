//! What the record gives to its sessions, and the doors to them and to an assembly of context.

use std::path::Path;
use std::sync::Arc;

use super::{Record, Shared};
use crate::assemble::channels::obligations;
use crate::assemble::session::{Host, SessionOptions};
use crate::assemble::{AssembleOptions, Assembly, Context, KeptSkills, LeftBehind, Moment, Rules, RulesOptions, Writing};
use crate::base::error::Result;
use crate::base::time::{Deadline, Timestamp};
use crate::record::reader::Snapshot;
use crate::record::rule::book::Rulebook;
use crate::record::session::{HeldAgainst, Loaded, SessionState, StoredTurn};
use crate::render::channels::rule_text;
use crate::render::context::ContextWriter;
use crate::render::moments::write_moment;
use crate::retrieve::source::Source as _;

impl Host for Shared {
    fn write_moment(&self, moment: &mut Moment) {
        write_moment(moment, &self.counter());
    }

    fn begin(&self, session: Option<&str>, asked: &dyn Fn(Option<&SessionState>) -> Option<RulesOptions>) -> (Option<Loaded>, Rules) {
        let mut loaded = session.map(|name| self.sessions.load(name));
        let log = loaded.as_mut().map(|loaded| self.hold_against_log(loaded));
        let rules = match asked(loaded.as_ref().map(|loaded| &loaded.state)) {
            Some(options) => self.obligations(log.unwrap_or_else(|| self.log_now()), &options),
            None => Rules::Off,
        };
        (loaded, rules)
    }

    fn keep_turn(
        &self,
        name: &str,
        held: Option<&HeldAgainst>,
        turn: Option<u64>,
        stored: &StoredTurn,
        deadline: Deadline,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> (u64, Option<String>) {
        self.sessions.keep_turn(name, self.clock.now(), deadline, (turn, stored), &mut |state| self.change_beside_log(state, held, change))
    }

    fn writing(&self) -> &'static dyn Writing {
        &ContextWriter
    }

    fn left_behind(&self) -> LeftBehind {
        self.left_behind.clone()
    }

    fn kept_skills(&self) -> Arc<KeptSkills> {
        Arc::clone(&self.skills)
    }

    fn folder(&self) -> &Path {
        self.database.dir()
    }
}

impl Shared {
    /// The obligations as a log holds them, or as it last did.
    fn obligations(&self, log: Result<Snapshot>, options: &RulesOptions) -> Rules {
        let chosen = |book: &Rulebook, now| obligations::choose(book, now, options, &rule_text, &self.counter());
        match log.and_then(|log| Ok((log.head(), log.now(), self.rulebooks.obligations(&log)?))) {
            Ok((head, now, book)) => {
                self.sessions.keep_obligations(head, &|| book.at(now).map(|ruled| ruled.rule.clone()).collect());
                Rules::Read(chosen(&book, options.now.unwrap_or(now)))
            }
            Err(error) => match self.sessions.last_obligations() {
                Some((sequence, rules)) => {
                    let book = Rulebook::of(rules.into_iter().map(Into::into).collect());
                    Rules::LastGood { obligations: chosen(&book, Timestamp::default()), sequence, why: error.to_string() }
                }
                None => Rules::Unavailable { why: error.to_string() },
            },
        }
    }
}

impl Record {
    /// The moments of an agent session of that name, new or known: say more of it, then [`SessionOptions::open`] it.
    ///
    /// A session is known by its name alone, to every process. A read-only handle keeps what is known of it to itself.
    pub fn session(&self, name: &str) -> SessionOptions {
        SessionOptions::new(Arc::clone(&self.shared) as _, name, self.shared.database.dir())
    }

    /// Assembles the context of a prompt: obligations, ways of working, the window of the record and what providers give,
    /// in one text and one report.
    ///
    /// A provider that fails, hangs or panics takes nothing from the others, and nothing takes the obligations away. The
    /// call returns by its deadline; obligations are read before that counts.
    ///
    /// # Errors
    /// `out_of_range` and its like for an option out of its limits; `provider_failed` if strict; `closed`, `forked`.
    pub fn assemble(&self, prompt: &str, options: &AssembleOptions) -> Result<Context> {
        self.plan(prompt, options)?.finish()
    }

    /// Begins an assembly for a host that asks providers itself: those that are [declared](AssembleOptions::declare) are
    /// given out as requests.
    ///
    /// # Errors
    /// As [`Self::assemble`].
    pub fn plan(&self, prompt: &str, options: &AssembleOptions) -> Result<Assembly> {
        Assembly::of_record(Arc::clone(&self.shared) as _, prompt, options)
    }
}
