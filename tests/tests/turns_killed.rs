//! A host that is killed between any two steps of a turn: afterwards the transcript has the context of the turn once, the
//! session has as served what stands in it, and nothing is counted twice.

use std::path::PathBuf;
use std::process::Command;

use stele_core::{Category, Draft, Durability, Record, ResumeAction, RetrieveOptions, Revision, Status};
use stele_tests::TestRecord;
use stele_tests::turn_host::{BUDGET, Host, PROMPT, Step, read};

/// A record with the transcripts of its sessions, of which one is under way.
struct World {
    test: TestRecord,
    /// False if neither the record nor the provider has anything to say.
    filled: bool,
    deliver: bool,
    /// How often a host was started.
    lives: u64,
    session: String,
    turn: u64,
}

impl World {
    fn new(filled: bool, deliver: bool) -> Self {
        let test = TestRecord::with(|options| options.durability(Durability::Normal));
        let world = Self { test, filled, deliver, lives: 0, session: String::new(), turn: 0 };
        if filled {
            let rule = Draft::rule("Wear gloves", "Always wear gloves").routing(|rule| rule.mandatory = true);
            world.test.recorder().add(rule).expect("a rule");
            world.test.fact(Category::Decision, &world.title(), "by hand");
        }
        world
    }

    /// Every sort of world: with something to say, delivered at once or later, and with nothing.
    fn all() -> [Self; 3] {
        [Self::new(true, true), Self::new(true, false), Self::new(false, false)]
    }

    /// Begins a session, to which all is new.
    fn begin(&mut self, session: String) {
        (self.session, self.turn) = (session, 0);
        if self.filled {
            self.test.recorder().revise("KNOW-2", Revision::new().title(self.title())).expect("revised");
        }
    }

    /// Goes on to the next turn, to which the record has something new to say.
    fn next_turn(&mut self) {
        self.turn += 1;
        if self.filled {
            self.test.recorder().revise("KNOW-2", Revision::new().title(self.title())).expect("revised");
        }
    }

    /// What the one fact is called from this turn on.
    fn title(&self) -> String {
        format!("Barometer calibration number {}.", self.turn)
    }

    fn transcript(&self) -> PathBuf {
        self.test.outside().join(format!("{}.json", self.session))
    }

    /// The next life of the host, whose provider says something else each time.
    fn host(&mut self) -> Host {
        self.lives += 1;
        let answer = if self.filled { format!("It rains in life {}.", self.lives) } else { String::new() };
        Host { session: self.session.clone(), transcript: self.transcript(), turn: self.turn, answer, deliver: self.deliver }
    }

    /// Lives until so many steps were taken.
    fn cut_off_after(&mut self, steps: usize) {
        let (record, mut taken) = (self.test.again(), 0);
        self.host().live(&record, &mut |_| {
            taken += 1;
            taken <= steps
        });
    }

    /// Lives in a process of its own that is killed at a step, or at a fail point of the record.
    fn kill_at(&mut self, at: &str) {
        let host = self.host();
        let status = Command::new(env!("CARGO_BIN_EXE_stele-worker"))
            .arg("turn")
            .args([&self.test.dir().to_string_lossy(), host.session.as_str()])
            .arg(&host.transcript)
            .args([host.turn.to_string().as_str(), &host.answer, if host.deliver { "deliver" } else { "" }, at])
            .status()
            .expect("a process");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "at {at}: {status}");
    }

    /// Lives once more to the end, and once more, and looks at what is there then.
    fn end_and_check(&mut self, told: &str) {
        let told = format!("turn {}, something to say: {}, delivered at once: {}, {told}", self.turn, self.filled, self.deliver);
        let record = self.test.again();
        assert!(self.host().live(&record, &mut |_| true), "{told}");
        self.check(&record, &told);
        let before = read(&self.transcript());
        assert!(self.host().live(&record, &mut |_| true), "{told}");
        assert_eq!(read(&self.transcript()), before, "{told}");
        self.check(&record, &told);
    }

    fn check(&self, record: &Record, told: &str) {
        let (turn, turns) = (self.turn, self.turn as usize + 1);
        let items = read(&self.transcript());
        let times = |words: &str| items.iter().map(|item| item.text.matches(words).count()).sum::<usize>();
        let once = usize::from(self.filled);
        assert_eq!(times(&self.title()), once, "{told}: {items:#?}");
        assert_eq!(times("It rains in life"), once * turns, "{told}: {items:#?}");
        assert_eq!((times(PROMPT), items.len()), (turns, turns + once * (turns - 1)), "{told}: {items:#?}");
        assert_eq!(record.resume(&self.session, turn, &items).expect("a decision").action, ResumeAction::Skip, "{told}");
        let session = record.session(&self.session).open().expect("a session");
        assert_eq!(session.turn().expect("a turn"), turn + 1, "{told}");
        // What stands in the transcript is served, and nothing of it is paid for twice.
        let spent = BUDGET - session.tokens_left().expect("tokens").expect("a budget");
        assert_eq!(spent, items.iter().map(|item| window_tokens(&item.text)).sum::<u64>(), "{told}");
        let look = RetrieveOptions::new().session(&*self.session);
        let status = record.retriever().retrieve(PROMPT, &look).expect("a window").status;
        assert_eq!(status, if self.filled { Status::Served } else { Status::Empty }, "{told}");
    }
}

/// What the window of the record takes that stands in a text.
fn window_tokens(text: &str) -> u64 {
    let from = text.find("── from the project record ── a starting set");
    from.map_or(0, |from| {
        let closing = text[from..].find("\n─────────").expect("a window ends") + 1;
        let end = closing + text[from + closing..].find('\n').expect("a line ends") + 1;
        stele_core::tokens(&text[from..from + end]) as u64
    })
}

#[test]
fn a_host_that_is_cut_off_anywhere_and_again_anywhere_has_its_context_once() {
    let steps = 0..Step::ALL.len();
    let pairs: Vec<(usize, usize)> = steps.clone().flat_map(|first| steps.clone().map(move |second| (first, second))).collect();
    for mut world in World::all() {
        let cut_off = |world: &mut World, (first, second)| {
            world.cut_off_after(first);
            world.cut_off_after(second);
            world.end_and_check(&format!("cut off after {first} and {second} steps"));
        };
        for pair in &pairs {
            world.begin(format!("at-once-{}-{}", pair.0, pair.1));
            cut_off(&mut world, *pair);
        }
        world.begin("later".to_owned());
        world.end_and_check("as it should be");
        for pair in &pairs {
            world.next_turn();
            cut_off(&mut world, *pair);
        }
    }
}

#[test]
fn a_host_that_is_killed_after_any_step_has_its_context_once() {
    killed_at_each(&Step::ALL.map(|step| format!("{step:?}")));
}

/// Only a build with fail points has something to stop at inside the record.
#[cfg(feature = "fail-points")]
#[test]
fn a_host_that_is_killed_while_a_turn_is_stored_has_its_context_once() {
    use stele_core::FailPoint;
    killed_at_each(&[FailPoint::TurnWritten, FailPoint::SessionWritten, FailPoint::SessionCommitted].map(|point| point.to_string()));
}

fn killed_at_each(places: &[String]) {
    for mut world in World::all() {
        for at in places {
            world.begin(format!("at-{at}"));
            world.kill_at(at);
            world.end_and_check(&format!("killed at {at}"));
        }
        world.begin("later".to_owned());
        world.end_and_check("as it should be");
        for at in places {
            world.next_turn();
            world.kill_at(at);
            world.end_and_check(&format!("killed at {at}"));
        }
    }
}

#[test]
fn a_context_that_was_changed_or_lost_in_the_transcript_is_there_once_again() {
    let spoilt: [fn(&str) -> Option<String>; 4] = [
        |text| Some(text.replace("rains", "snows")),
        |text| text.char_indices().nth(text.chars().count() / 2).map(|(at, _)| text[..at].to_owned()),
        |text| Some(text.replace("gloves", "hats")),
        |_| None,
    ];
    for mut world in World::all().into_iter().filter(|world| world.filled) {
        for turn in 0..2 {
            for (nth, spoil) in spoilt.into_iter().enumerate() {
                world.begin(format!("{turn}-{nth}"));
                world.end_and_check("as it should be");
                for _ in 0..turn {
                    world.next_turn();
                    world.end_and_check("as it should be");
                }
                spoil_context(&world, spoil);
                let record = world.test.again();
                assert!(world.host().live(&record, &mut |_| true));
                let items = read(&world.transcript());
                let resumed = record.resume(&world.session, turn, &items).expect("a decision");
                assert_eq!(resumed.action, ResumeAction::Skip, "{turn} {nth}: {items:#?}");
                let times = items.iter().map(|item| item.text.matches("It rains in life").count()).sum::<usize>();
                assert_eq!(times, turn as usize + 1, "{turn} {nth}: {items:#?}");
            }
        }
    }
}

/// Changes the context of the last turn where it stands in the transcript, or takes it out.
fn spoil_context(world: &World, spoil: fn(&str) -> Option<String>) {
    let text = std::fs::read_to_string(world.transcript()).expect("a transcript");
    let mut items: Vec<(String, Option<String>, String)> = serde_json::from_str(&text).expect("a transcript");
    let last = items.last_mut().expect("the context stands last");
    let (context, prompt) = last.2.strip_suffix(PROMPT).map_or((last.2.as_str(), ""), |context| (context, PROMPT));
    assert!(context.contains("It rains"));
    match spoil(context) {
        Some(spoilt) => last.2 = spoilt + "\n" + prompt,
        None if prompt.is_empty() => drop(items.pop()),
        None => last.2 = prompt.to_owned(),
    }
    std::fs::write(world.transcript(), serde_json::to_string(&items).expect("JSON")).expect("written");
}
