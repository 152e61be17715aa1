//! Retrieval over small dense graphs of every kind, relation and state: it ends, keeps the rules of a window, and answers
//! the same twice.

use stele_core::{
    AsOf, Category, Durability, Format, RecallOptions, Record, Recorder, Relation, Retrieval, RetrieveOptions, Revision, Role, SearchOptions, Shown, Stats,
    TaskStatus, TaskType, Timestamp,
};

use super::bytes::Bytes;
use crate::{TestRecord, windows};

/// Most nodes of one record.
const NODES: usize = 40;
/// Most changes after the nodes are there.
const CHANGES: usize = 120;

const SUBJECTS: [&str; 4] = ["barometer calibration", "calibration of sensors", "harbour lights", "barometer readings at night"];
/// Endings of titles; one in three makes a node say what another says.
const ENDINGS: [&str; 6] = ["amber", "birch", "cedar", "", "", "not 12"];

/// The bytes are nodes, then what is done to them, then what is asked.
pub fn window(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let choice = bytes.byte();
    let test = TestRecord::with(|options| {
        let options = options.durability(Durability::Normal);
        if choice & 1 == 0 { options } else { options.without_embedder() }
    });
    let recorder = test.recorder();
    let (count, changes) = (2 + bytes.below(NODES - 1), bytes.below(CHANGES + 1));
    // The questions come first, so that a short input asks too.
    let asked = [Question::new(&mut bytes, count), Question::new(&mut bytes, count)];
    let mut ids = Vec::new();
    for _ in 0..count {
        let id = add(&recorder, &mut bytes, &ids);
        ids.push(id);
    }
    for nth in 0..changes {
        if bytes.is_empty() {
            break;
        }
        change(&recorder, &mut bytes, &ids);
        if nth == 50 && choice & 2 != 0 {
            super::settle_indexes(&test.record);
        }
    }
    for question in &asked {
        question.ask(&test.record, &ids);
    }
}

/// Records a node of any kind.
fn add(recorder: &Recorder<'_>, bytes: &mut Bytes<'_>, before: &[String]) -> String {
    let title = format!("{} {}", bytes.pick(&SUBJECTS), bytes.pick(&ENDINGS));
    let (kind, other) = (bytes.below(16), bytes.byte());
    let earlier = |nth: u8| if before.is_empty() { "" } else { before[usize::from(nth) % before.len()].as_str() };
    let draft = match kind {
        0 => recorder.task(title).task_type(bytes.pick(TaskType::ALL)),
        1 => recorder.rule(title, "Calibrate the barometer first.").routing(|rule| {
            rule.mandatory = other & 1 != 0;
            rule.provisional = other & 2 != 0;
        }),
        2 => recorder.document(title, "# Lamp\n\nThe lamp turns.\n\n# Barometer\n\nCalibrate the barometer at noon."),
        3 => recorder.component(title),
        4..7 => recorder.fact(Category::Risk, title),
        // Two categories only, so that there is much of one kind that says the same.
        7..12 => recorder.fact([Category::Decision, Category::Fyi][usize::from(other & 1)], title),
        _ => recorder.fact(bytes.pick(Category::ALL), title),
    };
    let body = match other >> 2 & 7 {
        0 => format!("see {}", earlier(other.wrapping_mul(7))),
        1 => format!("It is about {} and {}.", bytes.pick(&SUBJECTS), earlier(other.wrapping_mul(11))),
        _ => String::new(),
    };
    let draft = if kind > 3 { draft.body(body) } else { draft };
    let draft = if other >> 5 == 7 && kind != 3 { draft.expires_at(day("2025-06-01")) } else { draft };
    draft.record().expect("a node").id.to_string()
}

fn day(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

/// Changes something; what the rules refuse is left out.
fn change(recorder: &Recorder<'_>, bytes: &mut Bytes<'_>, ids: &[String]) {
    let (verb, a, b) = (bytes.below(32), bytes.byte(), bytes.byte());
    let (a, b) = (&ids[usize::from(a) % ids.len()], &ids[usize::from(b) % ids.len()]);
    let _ = match verb {
        0..9 => recorder.supersede(a, b).reason("it ended").evidence("a line").unverified().record(),
        9..12 => recorder.contradicts(a, b, "both"),
        12..15 => recorder.link(a, Relation::CausedBy, b),
        15 | 16 => recorder.link(a, Relation::Blocks, b),
        17..22 => recorder.link(a, Relation::ALL[usize::from(bytes.byte()) % Relation::ALL.len()], b),
        22 => recorder.archive(a, "out of use").map(drop),
        23 => recorder.demote(a, b, "it had not ended"),
        24 => recorder.unlink(a, Relation::Contradicts, b, "they agree"),
        25 | 26 => recorder.revise(a, Revision::new().title(format!("{} {}", bytes.pick(&SUBJECTS), bytes.pick(&ENDINGS)))).map(drop),
        27 => recorder.revise(a, Revision::new().expires_at(Some(day("2025-07-01")))).map(drop),
        28 => recorder.revise(a, Revision::new().body(format!("{} stands against {b}", bytes.pick(&SUBJECTS)))).map(drop),
        29 => recorder.move_to(a, Some(b)).map(drop),
        30 => recorder.revise(a, Revision::new().resolves_with(Some(b))).map(drop),
        _ => recorder.add(stele_core::Draft::task("Calibration done").status(TaskStatus::Completed)).map(drop),
    };
}

/// A prompt with its options.
struct Question {
    subject: &'static str,
    named: Vec<usize>,
    entries: usize,
    hops: u32,
    tokens: Option<usize>,
    depth: u32,
}

impl Question {
    fn new(bytes: &mut Bytes<'_>, count: usize) -> Self {
        let named = bytes.below(6).saturating_sub(2);
        Self {
            subject: bytes.pick(&SUBJECTS),
            named: (0..named).map(|_| bytes.below(count)).collect(),
            entries: 1 + bytes.below(20),
            hops: u32::from(bytes.byte() & 3),
            tokens: bytes.once_in(4).then(|| 1 + bytes.below(600)),
            depth: u32::from(bytes.byte() % 4),
        }
    }

    fn ask(&self, record: &Record, ids: &[String]) {
        let retriever = record.retriever();
        let named: Vec<&str> = self.named.iter().map(|nth| ids[*nth].as_str()).collect();
        let prompt = format!("what do we know about the {} {}?", self.subject, named.join(" "));
        let mut options = RetrieveOptions::new().max_entries(self.entries).hops(self.hops);
        if let Some(tokens) = self.tokens {
            options = options.max_tokens(tokens);
        }
        let found = retriever.retrieve(&prompt, &options).expect("a window");
        self.check(record, &found, &named);
        let again = retriever.retrieve(&prompt, &options).expect("a window");
        assert_eq!(without_stats(again), without_stats(found.clone()), "asked twice");
        // A session is served everything once, and then no more.
        let session = options.session("s").deliver();
        let mut rounds = 0;
        loop {
            let found = retriever.retrieve(&prompt, &session).expect("a window");
            self.check(record, &found, &named);
            let new = found.entries.iter().chain(&found.callouts).filter(|entry| entry.role != Role::Named && entry.detail != Shown::Line).count();
            rounds += 1;
            if new == 0 {
                break;
            }
            // With a token limit an entry may have a place and no room, and come again.
            if self.tokens.is_some() && rounds > 3 {
                break;
            }
            assert!(rounds <= ids.len() + 2, "what was served comes again: {found:?}");
        }
        let recalled = retriever.recall(&prompt, &RecallOptions::new().depth(self.depth).max_entries(3 * self.entries)).expect("a briefing");
        self.check_text(&recalled);
        retriever.search(&prompt, &SearchOptions::new()).expect("hits");
        let half = record.head().expect("a head") / 2;
        let past = record.retriever_as_of(AsOf::Sequence(half)).retrieve(&prompt, &RetrieveOptions::new().hops(self.hops)).expect("a window");
        self.check_text(&past);
    }

    fn check(&self, record: &Record, found: &Retrieval, named: &[&str]) {
        self.check_text(found);
        // What a token limit took away may have been a head; how it is taken is checked on the text.
        if self.tokens.is_none() {
            windows::check(&record.retriever(), found, self.entries, named);
        }
    }

    fn check_text(&self, found: &Retrieval) {
        super::render::check(found, &found.render(Format::Text));
        super::render::check_json(found, &found.render(Format::Json));
    }
}

fn without_stats(mut found: Retrieval) -> Retrieval {
    found.stats = Stats::default();
    found
}
