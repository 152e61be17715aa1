//! An event of an agent, answered: which moment of the session it is, and what the record says then.

use std::io::{ErrorKind as Io, Read};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use stele_core::{AssembleOptions, Context, ErrorKind, Record, SearchOptions, Session};

use crate::World;
use crate::agents::Agent;
use crate::event::{Event, What};
use crate::place::{self, Place};
use crate::timed::{self, After, Clock, Rest};

/// The longest event that is read, in bytes.
const EVENT_BYTES: u64 = 256 * 1024 * 1024;
/// What is kept of a deadline for opening, delivering and writing the answer.
const RESERVE: Duration = Duration::from_millis(500);
/// What a prompt gets beside the obligations. Skills and the rules of the repository an agent loads by itself.
const CHANNELS: [&str; 2] = ["methodology", "record"];
/// How long indexes are opened beside the rest. What changed since they were written is not waited for.
const OPENING: Duration = Duration::from_millis(50);
/// Tokens of a window unless the agent's bound asks for fewer.
const WINDOW_TOKENS: usize = 2_000;

/// The answer to an event, empty if there is nothing to say, within a time, reading the event included: an agent may write
/// slowly, or never close its end.
pub(crate) fn within(
    time: Duration,
    agent: Option<Agent>,
    input: impl Read + Send + 'static,
    world: &World,
    meanwhile: impl FnOnce(),
) -> (Result<String, String>, Rest) {
    let world = world.clone();
    let clock = Clock::ends_in(time);
    timed::within(time, meanwhile, move || answer(agent, &whole(input)?, &world, clock))
}

/// All that an agent writes.
fn whole(input: impl Read) -> Result<Vec<u8>, String> {
    let (mut bytes, mut input) = (Vec::new(), input.take(EVENT_BYTES));
    loop {
        match input.read_to_end(&mut bytes) {
            Ok(_) if input.limit() == 0 => return Err(format!("the event has {EVENT_BYTES} bytes or more")),
            Ok(_) => return Ok(bytes),
            // An agent may hand over a pipe on which nobody waits. What came so far is kept.
            Err(cause) if cause.kind() == Io::WouldBlock => timed::pause(),
            Err(cause) => return Err(format!("the event cannot be read: {cause}")),
        }
    }
}

fn answer(agent: Option<Agent>, input: &[u8], world: &World, clock: Clock) -> Result<(String, After), String> {
    let nothing = || Ok((String::new(), Box::new(|| ()) as After));
    let value: Value = stele_kit::read_json(&String::from_utf8_lossy(input)).map_err(|cause| format!("the event is no JSON that is understood: {cause}"))?;
    let agent = agent.unwrap_or_else(|| Agent::of(&value));
    let mut event = agent.read(&value)?;
    drop(value);
    if event.what == What::Nothing {
        return nothing();
    }
    let folders = [event.folder.as_deref(), world.project.as_deref(), Some(world.folder.as_path())];
    let found = folders.into_iter().flatten().find_map(|folder| Some((place::find(folder, world)?, folder)));
    let Some((place, folder)) = found else { return nothing() };
    if let What::Edit(paths) = &mut event.what {
        paths.iter_mut().filter(|path| !path.is_empty()).for_each(|path| *path = seen_from(folder, path));
    }
    let record = open(&place.record).map_err(|error| error.to_string())?;
    let said = match event.what {
        What::Prompt(_) => timed::beside(|| opened(&record), || say(&record, &place, agent, &event, clock)),
        _ => say(&record, &place, agent, &event, clock),
    };
    let text = said.map_err(|error| error.to_string())?;
    let answer = if text.is_empty() { text } else { format!("{}\n", agent.answer(&event, &text)) };
    Ok((answer, Box::new(move || ended(record))))
}

/// A path as the agent means it: from where it works, which need not be where this program runs.
fn seen_from(folder: &Path, path: &str) -> String {
    // A folder with no name of its own is the one that every path is taken from.
    std::path::absolute(folder).map_or_else(|_| path.to_owned(), |folder| folder.join(path).to_string_lossy().into_owned())
}

/// Closes a record with which the program ends: what is in memory goes with it, sooner than piece by piece.
fn ended(record: Record) {
    record.close();
    std::mem::forget(record);
}

/// Opens a record that is there; where it cannot be written, for reading.
pub(crate) fn open(dir: &Path) -> stele_core::Result<Record> {
    let open = |read_only| Record::options().create(false).read_only(read_only).open(dir);
    open(false).or_else(|error| if error.kind() == ErrorKind::Io { open(true).map_err(|_| error) } else { Err(error) })
}

/// Has the indexes of a record opened: a prompt needs them, and its session is taken up meanwhile.
fn opened(record: &Record) {
    // Nothing has no hits. What is wrong with an index is told where it is searched.
    let _ = record.retriever().search("", &SearchOptions::new().deadline(OPENING));
}

fn say(record: &Record, place: &Place, agent: Agent, event: &Event, clock: Clock) -> stele_core::Result<String> {
    let mut options = record.session(&event.session).actor(agent.as_str()).root(&place.root);
    if let Some(mode) = event.mode {
        options = options.mode(mode);
    }
    let session = options.open()?;
    let moment = match &event.what {
        What::Prompt(prompt) => return prompted(&session, prompt, agent, clock),
        What::Edit(paths) => return edit(&session, paths, clock),
        What::Compaction => return session.compacted().map(|()| String::new()),
        What::Nothing => return Ok(String::new()),
        What::Start { forgotten } => {
            if *forgotten {
                session.compacted()?;
            }
            session.on_start()?
        }
        What::Output(text) => session.on_output(text)?,
        // Whoever changed nothing has nothing to write down, and is not held up twice.
        What::Stop { again } if *again || !session.edited()? => return Ok(String::new()),
        What::Stop { .. } => session.on_complete(None)?,
    };
    session.delivered(&moment)?;
    Ok(moment.text)
}

/// What is anchored to any of the files, as far as there is time. One outside the project, as a scratch file is, has nothing
/// anchored to it.
fn edit(session: &Session, paths: &[String], clock: Clock) -> stele_core::Result<String> {
    let mut text = String::new();
    for path in paths {
        // What was delivered has to be said in time.
        if clock.left() < RESERVE {
            break;
        }
        match session.on_edit(path, None) {
            Ok(moment) => {
                session.delivered(&moment)?;
                text.push_str(&moment.text);
            }
            Err(error) if error.kind() == ErrorKind::Invalid => {}
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

/// What a prompt gets, within what the agent shows: where it is too long the window gives way, for obligations never do.
fn prompted(session: &Session, prompt: &str, agent: Agent, clock: Clock) -> stele_core::Result<String> {
    let turn = session.turn()?;
    let ask = |tokens: usize, turn: Option<u64>| {
        let options = AssembleOptions::new().builtin_named(CHANNELS).deadline(clock.left().saturating_sub(RESERVE)).max_tokens(tokens).deliver(false);
        session.on_prompt(prompt, &turn.into_iter().fold(options, AssembleOptions::turn))
    };
    let mut context: Context = ask(WINDOW_TOKENS, None)?;
    if context.chars > agent.limit() {
        let window = context.record.render(stele_core::Format::Text);
        let (rest, of_window) = (context.chars - window.chars().count(), stele_core::tokens(&window).max(1));
        let left = agent.limit().saturating_sub(rest) * of_window / window.chars().count().max(1);
        context = ask(left.min(of_window).max(1), Some(turn))?;
    }
    session.delivered(&context)?;
    Ok(context.text)
}
