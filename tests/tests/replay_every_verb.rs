//! Every verb in any order, as by a host that does not care: no panic, and the log says what the views hold, here and in
//! every copy of it.

use std::time::Duration;

use proptest::prelude::*;
use stele_core::{
    Anchor, AsOf, AssembleOptions, Category, Code, Durability, Error, ExportForm, Format, Held, Helpfulness, ImportOptions, MethodologyOptions, ReadyOptions,
    Record, Recorder, Relation, Result, RetrieveOptions, Revision, RuleDetail, RulesOptions, SearchOptions, Source, TaskType, Timestamp,
};
use stele_tests::TestRecord;

/// Choices that are used up; an empty list chooses 0 for ever.
struct Choices<'c>(std::slice::Iter<'c, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const TEXTS: [&str; 10] = [
    "Zorvex stands",
    "zorvex9471x opens the gate to TASK-2 and AL-1",
    "the west gate opens to zorvex9471x every night",
    "`E0999: quilban rests` in src/auth/mod.rs",
    "quilban",
    "限流在认证之前 \u{202e}\u{1f980}",
    "a line\nof the west gate opens to\r\nnobody",
    "open",
    "decision",
    "",
];
const NAMES: [&str; 7] = ["AL-1", "al-2", "zorvex9471x", "X-zorvex9471x", "限流-1", "a b", "KNOW-1"];
const TAGS: [&str; 5] = ["a", "zorvex9471x", "b zorvex9471x", "quilban", "限流"];
const PATHS: [&str; 7] = ["src/auth/mod.rs", "src/**/*.rs", "src/[a-z", "zorvex9471x/{a,b}.rs", "src", "../out", "a\\b"];
const RELATIONS: [Relation; 8] = [
    Relation::Blocks,
    Relation::Blocks,
    Relation::ExpiresOn,
    Relation::Fulfills,
    Relation::Contradicts,
    Relation::Mentions,
    Relation::RelatesTo,
    Relation::Embeds,
];
const DAYS: [&str; 5] = ["2026-01-01", "2026-01-02", "2025-12-31", "9999-12-31T23:59:59.999Z", "-009999-01-01T00:00:00Z"];
const HANDS: [(&str, Option<&str>); 5] = [("ann", None), ("ann", Some("s1")), ("bob", Some("s1")), ("ann/s1", None), ("ann", Some("s1/zorvex9471x"))];

fn day(choices: &mut Choices<'_>) -> Option<Timestamp> {
    (choices.below(3) > 0).then(|| Timestamp::parse(choices.pick(&DAYS)).expect("a time"))
}

/// An id of some node, seldom of none, or a name.
fn name(choices: &mut Choices<'_>, last: u64) -> String {
    if choices.below(8) == 0 {
        return choices.pick(&NAMES).to_owned();
    }
    let prefix = choices.pick(&["KNOW", "TASK", "RULE"]);
    format!("{prefix}-{}", 1 + choices.below(usize::try_from(last).expect("few") + 1))
}

fn rule(choices: &mut Choices<'_>) -> RuleDetail {
    let mut list = |from: &[&str]| (0..choices.below(3)).map(|_| choices.pick(from).to_owned()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let (points, keywords, floor_modes) = (list(&["prompt", "bash", "zorvex9471x"]), list(&TEXTS), list(&["work", "zorvex9471x"]));
    let (action_triggers, forbidden) = (list(&["commit", "zorvex9471x"]), list(&TEXTS));
    RuleDetail {
        statement: choices.pick(&TEXTS).to_owned(),
        trigger: choices.pick(&TEXTS).to_owned(),
        mandatory: choices.below(3) == 0,
        always_on: choices.below(3) == 0,
        forbidden,
        instead: choices.pick(&TEXTS).to_owned(),
        domain: (choices.below(2) == 0).then(|| choices.pick(&["process", "zorvex9471x"]).to_owned()),
        severity: choices.pick(stele_core::Severity::ALL),
        points,
        keywords,
        floor_modes,
        action_triggers,
        methodology: (choices.below(2) == 0).then(|| "zorvex9471x".to_owned()),
        provisional: choices.below(4) == 0,
    }
}

/// One verb, whatever comes of it.
fn verb(recorder: &Recorder<'_>, choices: &mut Choices<'_>, last: &mut u64) -> Result<()> {
    let (one, other) = (name(choices, *last), name(choices, *last));
    let (text, why) = (choices.pick(&TEXTS), choices.pick(&TEXTS));
    let held = |choices: &mut Choices<'_>, one: &str| if choices.below(3) == 0 { Held::with_token(one, choices.below(40) as u64) } else { Held::from(one) };
    match choices.below(28) {
        0..=5 => {
            let category = choices.pick(&[Category::Decision, Category::Risk, Category::Lesson, Category::Fyi]);
            let mut adding = match choices.below(8) {
                0 | 1 => recorder.fact(category, text),
                2..=4 => recorder.task(text).task_type(choices.pick(&[TaskType::Task, TaskType::Task, TaskType::Epic])).priority(choices.below(6) as u8),
                5 => recorder.component(text),
                6 => recorder.document(text, format!("# {why}\n\n{text}\n\n## {text}\n\n{why}")),
                _ => {
                    let detail = rule(choices);
                    recorder.rule(text, "x").routing(|rule| *rule = detail)
                }
            };
            adding = adding.body(why);
            for _ in 0..choices.below(3) {
                adding = adding.tags([choices.pick(&TAGS)]);
            }
            if choices.below(3) == 0 {
                adding = adding.alias(choices.pick(&NAMES));
            }
            if choices.below(3) == 0 {
                adding = adding.anchor(choices.pick(&PATHS), Some("zorvex9471x").filter(|_| text.len() > 9));
            }
            if choices.below(4) == 0 {
                adding = adding.resolves_with(&one);
            }
            if choices.below(4) == 0 {
                adding = adding.under(&other);
            }
            if let Some(at) = day(choices) {
                adding = adding.expires_at(at);
            }
            if choices.below(4) == 0 {
                adding = adding.source(Source { uri: text.to_owned(), quote: Some(why.to_owned()), ..Source::default() });
            }
            let propose = choices.below(6) == 0;
            let id = if propose { adding.propose()?.id } else { Some(adding.record()?.id) };
            *last = id.map_or(*last, |id| (*last).max(id.number));
        }
        6 => drop(recorder.revise(&one, Revision::new().title(text).body(why).expires_at(day(choices)))?),
        7 => drop(recorder.revise(&one, Revision::new().resolves_with(Some(other.as_str()).filter(|_| !text.is_empty())))?),
        8 => {
            let detail = rule(choices);
            drop(recorder.revise(&one, if choices.below(2) == 0 { Revision::new().routing(detail) } else { Revision::new().statement(text) })?);
        }
        9 => drop(recorder.alias(&one, choices.pick(&NAMES))?),
        10 | 11 => recorder.link_because(&one, choices.pick(&RELATIONS), &other, text, why)?,
        12 => recorder.unlink(&one, choices.pick(&RELATIONS), &other, text)?,
        13 => recorder.supersede(&one, &other).reason(text).evidence(why).unverified().record()?,
        14 => recorder.demote(&one, &other, text)?,
        15 => drop(recorder.retag(&one, &[choices.pick(&TAGS), choices.pick(&TAGS)], &[choices.pick(&TAGS)])?),
        16 => drop(recorder.move_to(&one, Some(other.as_str()).filter(|_| !text.is_empty()))?),
        17 => {
            let symbol = (choices.below(2) == 0).then(|| "zorvex9471x()".to_owned());
            recorder.anchor(&one, &[Anchor { path: choices.pick(&PATHS).to_owned(), symbol }], &[choices.pick(&PATHS)])?;
        }
        18 => drop(if choices.below(2) == 0 { recorder.review(&one, text) } else { recorder.archive(&one, text) }?),
        19 | 20 => {
            let mut claiming = recorder.claim(held(choices, &one));
            if choices.below(2) == 0 {
                claiming = claiming.lease(choices.pick(&[Duration::ZERO, Duration::from_millis(1), Duration::from_secs(60), Duration::MAX]));
            }
            if choices.below(4) == 0 {
                claiming = claiming.holder(text);
            }
            drop(claiming.take()?);
        }
        21 => {
            let mut next = recorder.claim_next();
            if choices.below(2) == 0 {
                next = next.lease(choices.pick(&[Duration::from_secs(60), Duration::MAX])).tags([choices.pick(&TAGS)]);
            }
            drop(next.take()?);
        }
        22 => drop(if choices.below(2) == 0 { recorder.release(held(choices, &one)) } else { recorder.force_release(&one, text) }?),
        23 | 24 => drop(recorder.complete(held(choices, &one), text)?),
        25 => drop(if choices.below(2) == 0 { recorder.cancel(held(choices, &one), text) } else { recorder.reopen(&one, text) }?),
        26 => drop(recorder.feedback(&one, choices.pick(Helpfulness::ALL), Some(text).filter(|_| !why.is_empty()))?),
        _ => match choices.below(4) {
            0 => {
                for nth in 0..60 {
                    recorder.feedback(&one, Helpfulness::Helped, Some(&format!("{text}{nth}")))?;
                }
                recorder.promote(&one, text)?;
            }
            1 => {
                recorder.promote(&one, text)?;
            }
            _ => drop(recorder.purge(&one, text, &[choices.pick(&["", "zorvex", "open", "2026", "a", "decision", "e"])])?),
        },
    }
    Ok(())
}

/// Whatever reads can tell, at one moment.
fn told(record: &Record, moment: Option<AsOf>, last: u64) -> String {
    let retriever = moment.map_or_else(|| record.retriever(), |moment| record.retriever_as_of(moment));
    let mut out = String::new();
    let mut tell = |what: &dyn std::fmt::Debug| out.push_str(&format!("{what:?}\n"));
    for number in 1..=last {
        let id = format!("KNOW-{number}");
        let node = retriever.get(&id);
        tell(&node);
        tell(&retriever.history(&id));
        tell(&retriever.why(&id));
        tell(&retriever.handoff(&id).map_err(|error| error.code()));
        tell(&retriever.progress(&id).map_err(|error| error.code()));
        tell(&retriever.feedback(&id).map_err(|error| error.code()));
    }
    tell(&retriever.ready(&ReadyOptions::new()));
    for holder in [None, Some("ann"), Some("ann/s1")] {
        tell(&retriever.tasks(holder, None));
    }
    let rules = retriever.rules(&RulesOptions::new().text("zorvex9471x")).expect("rules");
    let ways = retriever.methodology(&MethodologyOptions::new("work").text("quilban zorvex9471x").action("commit")).expect("ways");
    out.push_str(&rules.render(Format::Json));
    out.push_str(&ways.render(Format::Json));
    let window = retriever.retrieve("why does the west gate open to zorvex9471x, quilban?", &RetrieveOptions::new()).expect("a window");
    out.push_str(&window.render(Format::Text));
    let hits = retriever.search("zorvex quilban gate", &SearchOptions::new()).expect("hits");
    out + &format!("{hits:?}")
}

/// All moments of a session, and what they say.
fn moments(record: &Record, name: &str, choices: &mut Choices<'_>) -> String {
    let session = record.session(name).actor("ann").open().expect("a session");
    let mut out = session.on_start().expect("a start").text;
    let _ = session.on_edit(choices.pick(&PATHS), Some("Limiter::zorvex9471x")).map(|moment| out.push_str(&moment.text));
    out += &session.on_output(&format!("error: E0999: quilban rests\n{}", choices.pick(&TEXTS))).expect("an output").text;
    out += &session.on_complete(None).expect("a completion").text;
    out += &session.on_prompt(choices.pick(&TEXTS), &AssembleOptions::new().action("commit")).expect("a context").text;
    match choices.below(4) {
        0 => session.compacted().expect("compacted"),
        1 => session.set_mode(choices.pick(&["work", "限流"])).expect("a mode"),
        2 => session.pause(choices.below(3) as u64).expect("paused"),
        _ => session.new_phase().expect("a phase"),
    }
    out
}

fn drive(input: &[u8]) {
    let mut choices = Choices(input.iter());
    let test = TestRecord::with(|options| options.without_embedder().durability(Durability::Normal));
    let mut last = 0;
    let mut heads = Vec::new();
    while choices.0.len() > 0 {
        let (actor, session) = choices.pick(&HANDS);
        let recorder = session.map_or_else(|| test.record.recorder(actor), |session| test.record.recorder_in(actor, session)).expect("a recorder");
        let done = match choices.below(12) {
            0 => {
                test.clock.set(choices.pick(&DAYS));
                Ok(())
            }
            1 => {
                let name = choices.pick(&["s1", "\u{202e}限流 \u{1f980}", "s1/zorvex9471x"]);
                moments(&test.record, name, &mut choices);
                heads.push(test.record.head().expect("a head"));
                Ok(())
            }
            2 | 3 => recorder.transaction(|recorder| {
                for _ in 0..choices.below(5) {
                    fine(&verb(recorder, &mut choices, &mut last));
                }
                if choices.below(3) == 0 {
                    let _ = recorder.transaction(|recorder| {
                        fine(&verb(recorder, &mut choices, &mut last));
                        Err::<(), _>(Error::new(Code::WrongState, "given up"))
                    });
                }
                verb(recorder, &mut choices, &mut last)
            }),
            _ => verb(&recorder, &mut choices, &mut last),
        };
        fine(&done);
    }
    test.record.verify_log().expect("a whole chain");
    test.record.verify_views().expect("the views of the log");
    let file = test.outside().join("log.jsonl");
    test.record.export_jsonl(&file, ExportForm::Log).expect("an export");
    let copy = TestRecord::with(|options| options.without_embedder().clock(test.clock.clone()));
    if test.record.head().expect("a head") > 0 {
        copy.record.import_log(&file).expect("imported");
    }
    copy.record.verify_log().expect("a whole chain");
    copy.record.verify_views().expect("the views of the log");
    for moment in [None].into_iter().chain(heads.into_iter().map(|head| Some(AsOf::Sequence(head)))) {
        assert_eq!(told(&test.record, moment, last), told(&copy.record, moment, last));
    }
    test.record.catch_up().expect("indexes");
    for list in [[0, 4, 0], [1, 2, 1], [2, 3, 2]] {
        let of = |record: &Record| moments(record, "a new one", &mut Choices(list.iter()));
        assert_eq!(of(&test.record), of(&copy.record));
    }
    let nodes = test.outside().join("nodes.jsonl");
    test.record.export_jsonl(&nodes, ExportForm::Interchange).expect("an export");
    let other = TestRecord::with(|options| options.without_embedder());
    let report = other.record.import_jsonl(&nodes, "importer", ImportOptions::new()).expect("a report");
    assert!(report.applied, "{report:?}\n{}", std::fs::read_to_string(&nodes).expect("the export"));
    other.record.verify_views().expect("the views of the log");
    let again = other.record.import_jsonl(&nodes, "importer", ImportOptions::new()).expect("a report");
    assert!(again.applied, "{again:?}");
    other.record.verify_views().expect("the views of the log");
}

/// What no host may meet.
fn fine(done: &Result<()>) {
    if let Err(error) = done {
        assert!(!matches!(error.code(), Code::Internal | Code::Damaged | Code::Storage | Code::ChainBroken | Code::Busy), "{error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn the_log_says_what_the_views_hold_after_any_verbs(input in proptest::collection::vec(any::<u8>(), 0..600)) {
        drive(&input);
    }
}
