//! The moments of one agent session. What is known of a session is kept by `record/`, what is found is found by
//! `retrieve/`, and how it looks stands in `render/`; here stands what is told when.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::assembly::{Assembly, Door};
use super::builtin::KeptSkills;
use super::channels::RulesOptions;
use super::context::Context;
use super::driver::LeftBehind;
use super::moment::{COMPLETE_NUDGE, EDIT_NUDGE, Moment, MomentKind};
use super::options::AssembleOptions;
use super::plan::Rules;
use super::turn::Resumed;
use super::writing::Writing;
use crate::base::config::EDIT_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::names::named_enum;
use crate::base::path::paths_in_project;
use crate::base::text::check_text;
use crate::base::time::Deadline;
use crate::record::session::{Delivery, HeldAgainst, Loaded, SessionState, StoredTurn, check_name};
use crate::retrieve::result::{Gap, GapKind, Retrieval, Status};
use crate::retrieve::source::Source;
use crate::retrieve::{cued, since, token_limit};

named_enum! {
    /// How much of the record a session wants.
    Aggressiveness, UnknownValue, "aggressiveness" {
        /// Five entries, risks among them and never dropped.
        Quiet = 0 "quiet",
        /// Twenty entries.
        Normal = 1 "normal",
    }
}

/// What a session asks of the record that it belongs to, beside reading. Implemented once, by the store.
pub(crate) trait Host: Source {
    /// Writes the text of a moment.
    fn write_moment(&self, moment: &mut Moment);

    /// What is known of a session, if one is named, and the obligations that `asked` asks for, if it does, as the record
    /// holds them or as it last did; no deadline and no failure keeps them away.
    fn begin(&self, session: Option<&str>, asked: &dyn Fn(Option<&SessionState>) -> Option<RulesOptions>) -> (Option<Loaded>, Rules);

    /// Keeps what a turn was given, in one step with a change of what is known of its session; the turn that the session is
    /// at, if none is given. Others who write are waited for until the deadline. Gives the turn, and what there is to tell of
    /// how it is kept.
    fn keep_turn(
        &self,
        name: &str,
        held: Option<&HeldAgainst>,
        turn: Option<u64>,
        stored: &StoredTurn,
        deadline: Deadline,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> (u64, Option<String>);

    /// Writes contexts out.
    fn writing(&self) -> &'static dyn Writing;

    /// The calls of the handle that nobody waits for any more.
    fn left_behind(&self) -> LeftBehind;

    /// The skills that the handle found last.
    fn kept_skills(&self) -> Arc<KeptSkills>;

    /// The record's folder.
    fn folder(&self) -> &Path;
}

/// The rules among what a session was served, with their revisions.
pub(super) fn shown(state: &SessionState) -> impl Iterator<Item = (NodeId, u64)> {
    state.served().map(|(number, revision)| (NodeId { kind: Kind::Rule, number }, revision))
}

/// How a session is taken up: begin with `Record::session`, end with [`SessionOptions::open`].
#[must_use = "nothing is taken up before `open`"]
pub struct SessionOptions {
    host: Arc<dyn Host>,
    name: String,
    actor: Option<String>,
    mode: Option<String>,
    token_budget: Option<u64>,
    root: Option<PathBuf>,
    roots: Vec<String>,
}

impl SessionOptions {
    /// A session of that name, in a project whose root is the folder around the record's.
    pub(crate) fn new(host: Arc<dyn Host>, name: &str, record: &Path) -> Self {
        let roots = record.parent().map(ways_to_write).unwrap_or_default();
        Self { host, name: name.to_owned(), actor: None, mode: None, token_budget: None, root: None, roots }
    }

    /// Says whose session it is, so that its start tells what that actor holds in any session.
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Sets the mode, in the host's own word. A session that is new has `work` otherwise; one that was in another mode
    /// begins an epoch, as with [`Session::set_mode`].
    pub fn mode(mut self, mode: impl Into<String>) -> Self {
        self.mode = Some(mode.into());
        self
    }

    /// Sets the tokens that the record may take of the session, what it took already among them.
    pub fn token_budget(mut self, tokens: u64) -> Self {
        self.token_budget = Some(tokens);
        self
    }

    /// Sets the project's root, to which anchors are relative; the folder around the record's otherwise. Skills and the
    /// rules of the repository are looked for in it.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        self.roots = ways_to_write(&root);
        self.root = Some(root);
        self
    }

    /// Takes the session up, or begins it.
    ///
    /// # Errors
    /// Invalid for a blank or overlong name or mode; `closed`, `gone`, `forked`.
    pub fn open(self) -> Result<Session> {
        check_name("session", &self.name)?;
        for (field, value) in [("mode", &self.mode), ("actor", &self.actor)] {
            if let Some(value) = value {
                check_name(field, value)?;
            }
        }
        self.host.check()?;
        let session = Session { host: self.host, name: self.name, actor: self.actor, root: self.root, roots: self.roots };
        let state = session.host.session_state(&session.name);
        let (mode, budget) = (self.mode.filter(|mode| *mode != state.mode), self.token_budget.filter(|budget| state.budget != Some(*budget)));
        if mode.is_some() || budget.is_some() {
            session.change(&mut |state| {
                if let Some(mode) = &mode {
                    state.set_mode(mode);
                }
                state.budget = budget.or(state.budget);
            })?;
        }
        Ok(session)
    }
}

/// A folder as given and with its links resolved, both absolute.
fn ways_to_write(root: &Path) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for way in [std::path::absolute(root), root.canonicalize()].into_iter().flatten() {
        let way = way.to_string_lossy().into_owned();
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// The moments of one agent session. Threads may share it, and processes may share the session.
pub struct Session {
    host: Arc<dyn Host>,
    name: String,
    actor: Option<String>,
    root: Option<PathBuf>,
    roots: Vec<String>,
}

/// Something that reached the session's model: a context, one that was appended on resuming, a moment, or a retrieval.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub(super) delivery: Delivery,
    /// The head of the log that was read.
    pub(super) head: u64,
    /// The turn that it answers; none for what is no context.
    pub(super) turn: Option<u64>,
}

impl From<&Context> for Delivered {
    fn from(context: &Context) -> Self {
        Self { delivery: context.delivery(), head: context.record.stats.head, turn: Some(context.turn) }
    }
}

impl From<&Moment> for Delivered {
    fn from(moment: &Moment) -> Self {
        Self { delivery: moment.delivery.clone(), head: moment.head, turn: None }
    }
}

impl From<&Retrieval> for Delivered {
    fn from(retrieval: &Retrieval) -> Self {
        let found = retrieval.status == Status::Found;
        Self { delivery: if found { retrieval.delivery() } else { Delivery::default() }, head: retrieval.stats.head, turn: None }
    }
}

impl From<&Resumed> for Delivered {
    fn from(resumed: &Resumed) -> Self {
        Self { delivery: resumed.delivery.clone(), head: 0, turn: Some(resumed.turn) }
    }
}

/// Finds what a moment tells, and how things stand if that is asked.
type Find<'f> = &'f mut dyn FnMut(&SessionState) -> Result<(Retrieval, Option<since::Standing>)>;

impl Session {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its mode.
    ///
    /// # Errors
    /// `closed`, `gone`, `forked`.
    pub fn mode(&self) -> Result<String> {
        self.read(|state| state.mode)
    }

    /// How many prompts it had, or the turn after the last that the host counted.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn turn(&self) -> Result<u64> {
        self.read(|state| state.turn)
    }

    /// True once it was told what is anchored to a file that it was about to change.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn edited(&self) -> Result<bool> {
        self.read(|state| state.nudged_edit)
    }

    /// What is left of its tokens for the record; `None` without a budget.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn tokens_left(&self) -> Result<Option<u64>> {
        self.read(|state| state.tokens_left())
    }

    /// Tells a session that starts or goes on what it holds, where it stopped, and what others did since.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`](crate::Retriever::retrieve).
    pub fn on_start(&self) -> Result<Moment> {
        self.at_moment(MomentKind::Start, &mut |state| {
            let (found, standing) = since::standing(&*self.host, self.actor.as_deref(), &self.name, state)?;
            Ok((found, Some(standing)))
        })
    }

    /// Answers a prompt: obligations, ways of working, the window of the record and what providers give. Counts the turn.
    ///
    /// The obligations come whatever becomes of the rest: a prompt too short, a pause, a deadline, a search that fails.
    ///
    /// # Errors
    /// `out_of_range` and its like for an option out of its limits; `bad_config` for another session; `provider_failed` if
    /// strict; `closed`, `forked`.
    pub fn on_prompt(&self, prompt: &str, options: &AssembleOptions) -> Result<Context> {
        self.plan(prompt, options)?.finish()
    }

    /// Begins to answer a prompt, for a host that asks providers itself; [`Assembly::finish`] counts the turn.
    ///
    /// # Errors
    /// As [`Self::on_prompt`].
    pub fn plan(&self, prompt: &str, options: &AssembleOptions) -> Result<Assembly> {
        if options.session.as_ref().is_some_and(|name| *name != self.name) {
            return Err(Error::new(Code::BadConfig, "answer a prompt: the options name another session").with("field", "session"));
        }
        let mut options = options.clone().session(&self.name);
        options.root = options.root.or_else(|| self.root.clone());
        Assembly::begin(Arc::clone(&self.host), prompt, &options, Door::Prompt)
    }

    /// Tells what is anchored to a path, and to a symbol in it, risks first; before the first edit also a nudge.
    ///
    /// The path is relative to the project's root, or to the current folder of the process if that lies inside the
    /// project, or absolute; either slash does. Without a symbol, what is anchored to any symbol of the file comes.
    ///
    /// # Errors
    /// `bad_path` for one that leaves the project; `too_large` for a path or a symbol above 4,096 bytes, `bad_text` for a
    /// NUL in one; as [`Retriever::retrieve`](crate::Retriever::retrieve).
    pub fn on_edit(&self, path: &str, symbol: Option<&str>) -> Result<Moment> {
        // Every folder of a path is looked up.
        check_text("path", path, EDIT_BYTES)?;
        check_text("symbol", symbol.unwrap_or(""), EDIT_BYTES)?;
        let roots: Vec<&str> = self.roots.iter().map(String::as_str).collect();
        let here = std::path::absolute(".").ok().and_then(|here| paths_in_project("path", &here.to_string_lossy(), &roots, None).ok()?.pop());
        let paths = paths_in_project("path", path, &roots, here.as_deref())?;
        let symbol = symbol.map(str::trim).filter(|symbol| !symbol.is_empty());
        self.at_moment(MomentKind::Edit, &mut |state| Ok((cued::anchored(&*self.host, &paths, symbol, state)?, None)))
    }

    /// Tells the lessons and risks a literal trigger of which stands in what a tool printed, letter by letter but for case
    /// and white space. Of more than 16 MiB the first and the last 8 MiB are read.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`](crate::Retriever::retrieve).
    pub fn on_output(&self, text: &str) -> Result<Moment> {
        self.at_moment(MomentKind::Output, &mut |state| Ok((cued::triggered(&*self.host, text, state)?, None)))
    }

    /// Around completion: the facts that the work may have ended, of a task given by id or alias or else of the tasks that
    /// the session holds; the first time also a nudge to write down what was learned.
    ///
    /// # Errors
    /// `unknown_node` for a task that is not there; as [`Retriever::retrieve`](crate::Retriever::retrieve).
    pub fn on_complete(&self, task: Option<&str>) -> Result<Moment> {
        self.at_moment(MomentKind::Complete, &mut |state| Ok((cued::ended_by(&*self.host, task, &self.name, state)?, None)))
    }

    /// Notes that something reached the session's model: it does not come again until it changes, is named, or an epoch
    /// begins.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn delivered(&self, what: impl Into<Delivered>) -> Result<()> {
        let Delivered { delivery, head, turn } = what.into();
        let now = self.host.now();
        self.change(&mut |state| {
            // What is told here was awaited, and is not awaited any more.
            let _ = turn.and_then(|turn| state.arrived(turn));
            state.deliver(&delivery);
            state.see(head.max(state.seen.unwrap_or(0)), now.unix_ms());
        })
    }

    /// Notes that the model's memory of the session was compacted: what was served may come again.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn compacted(&self) -> Result<()> {
        self.change(&mut SessionState::next_epoch)
    }

    /// Begins a phase of the work: what was served may come again.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn new_phase(&self) -> Result<()> {
        self.change(&mut |state| {
            state.phase += 1;
            state.next_epoch();
        })
    }

    /// Changes the mode, in the host's own word; if it is another one, what was served may come again.
    ///
    /// # Errors
    /// Invalid for a blank or overlong word; as [`Self::mode`].
    pub fn set_mode(&self, mode: &str) -> Result<()> {
        check_name("mode", mode)?;
        self.change(&mut |state| state.set_mode(mode))
    }

    /// Keeps still for so many prompts, from now: no window, nudge or moment. Obligations still arrive. 0 ends a pause.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn pause(&self, turns: u64) -> Result<()> {
        self.change(&mut |state| state.pause(turns))
    }

    /// Ends a pause.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn unpause(&self) -> Result<()> {
        self.pause(0)
    }

    /// Sets how much of the record the session wants.
    ///
    /// # Errors
    /// As [`Self::mode`].
    pub fn set_aggressiveness(&self, value: Aggressiveness) -> Result<()> {
        self.change(&mut |state| state.quiet = value == Aggressiveness::Quiet)
    }

    /// A moment of what `find` finds, unless the session is paused, with the nudge that is due.
    fn at_moment(&self, kind: MomentKind, find: Find<'_>) -> Result<Moment> {
        self.host.check()?;
        let loaded = self.host.session(&self.name);
        let notes = loaded.notes.iter().map(|note| Gap { kind: GapKind::Session, count: 0, note: note.clone() }).collect();
        if loaded.state.is_paused() {
            return Ok(Moment::of(kind, Retrieval::nothing(Status::Paused, self.host.now()), notes));
        }
        let (mut found, standing) = find(&loaded.state)?;
        found.max_tokens = token_limit(None, Some(&loaded.state));
        self.host.fit(&mut found);
        let mut moment = Moment::of(kind, found, notes);
        if let Some(standing) = standing {
            (moment.stopped, moment.happened, moment.happened_more) = (standing.stopped, standing.happened, standing.more);
        }
        moment.nudge = self.nudge(kind, &loaded.state)?.map(str::to_owned);
        self.host.write_moment(&mut moment);
        Ok(moment)
    }

    /// The nudge that is due at a moment. It belongs to the moment, delivered or not: there is one first edit.
    fn nudge(&self, kind: MomentKind, state: &SessionState) -> Result<Option<&'static str>> {
        let (text, given): (_, fn(&mut SessionState) -> &mut bool) = match kind {
            MomentKind::Edit if !state.nudged_edit => (EDIT_NUDGE, |state| &mut state.nudged_edit),
            MomentKind::Complete if !state.nudged_complete => (COMPLETE_NUDGE, |state| &mut state.nudged_complete),
            _ => return Ok(None),
        };
        let mut due = false;
        self.change(&mut |state| due = !std::mem::replace(given(state), true))?;
        Ok(due.then_some(text))
    }

    fn read<T>(&self, of: impl Fn(SessionState) -> T) -> Result<T> {
        self.host.check()?;
        Ok(of(self.host.session_state(&self.name)))
    }

    fn change(&self, change: &mut dyn FnMut(&mut SessionState)) -> Result<()> {
        self.host.check()?;
        self.host.change_session(&self.name, None, Deadline::NEVER, change);
        Ok(())
    }
}
