//! Bytes drive the verbs of a recorder and a model of plain maps; every answer and every node must agree.

mod model;

use std::collections::BTreeSet;

use stele_core::{
    AsOf, Category, Code, Direction, Durability, Error, NeighbourOptions, Record, Recorder, Relation, Retriever, Revision, SearchMode, SearchOptions, State,
    Timestamp,
};

use self::model::{Kind, Model};
use super::bytes::Bytes;
use crate::TestRecord;

/// Most verbs of one input.
const VERBS: usize = 60;

const TITLES: [&str; 6] = ["Zorvex stands", "  Quilban   falls ", "Zorvex quilban", "", "Mumfra", "Zorvex\nmumfra"];
const BODIES: [&str; 4] = ["", "quilban rests", "mumfra\n  mumfra", "zorvex"];
const TAGS: [&str; 4] = ["b", " a  1 ", "c", "b "];
const ALIASES: [&str; 5] = ["AL-1", "al-1", "AL-2", "x/y", "not one"];
const WHYS: [&str; 3] = ["it ended", "", " so \n"];
const DAYS: [&str; 4] = ["2025-12-01", "2026-01-01", "2026-02-01", "2027-01-01"];
const RELATIONS: [Relation; 5] = [Relation::RelatesTo, Relation::Blocks, Relation::CausedBy, Relation::Contradicts, Relation::Blocks];

/// Each verb is a byte, followed by the bytes of its arguments.
pub fn operations(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let open = |options: stele_core::RecordOptions| {
        let options = options.durability(Durability::Normal);
        if input.first().is_some_and(|byte| byte & 1 == 0) { options.without_embedder() } else { options }
    };
    bytes.byte();
    let test = TestRecord::with(open);
    let mut reopened: Option<Record> = None;
    let mut model = Model::default();
    let mut earlier = Vec::new();
    let mut now = "2026-01-01";
    for _ in 0..VERBS {
        if bytes.is_empty() {
            break;
        }
        let record = reopened.as_ref().unwrap_or(&test.record);
        match bytes.below(24) {
            0 => super::settle_indexes(record),
            1 => {
                record.close();
                assert_eq!(record.head().expect_err("closed").code(), Code::Closed);
                reopened = Some(test.again());
            }
            2 => {
                now = bytes.pick(&DAYS);
                test.clock.set(now);
            }
            3 => earlier.push(model.clone()),
            4 => transaction(record, &mut model, &mut bytes),
            verb => step(&record.recorder("tester").expect("a recorder"), &mut model, verb, &mut bytes),
        }
    }
    let record = reopened.as_ref().unwrap_or(&test.record);
    compare(&record.retriever(), &model, Some(Timestamp::parse(now).expect("a time")));
    search(&record.retriever(), &model);
    assert_eq!((record.head().expect("a head"), record.verify_log().expect("a whole chain")), (model.head, model.head));
    for model in earlier {
        compare(&record.retriever_as_of(AsOf::Sequence(model.head)), &model, None);
    }
    let other = test.again();
    compare(&other.retriever(), &model, Some(Timestamp::parse(now).expect("a time")));
}

/// Several verbs as one step, which is kept or not.
fn transaction(record: &Record, model: &mut Model, bytes: &mut Bytes<'_>) {
    let (count, kept) = (bytes.below(6), bytes.once_in(2));
    let mut inner = model.clone();
    let done = record.recorder("tester").expect("a recorder").transaction(|recorder| {
        for _ in 0..count {
            let verb = 5 + bytes.below(19);
            step(recorder, &mut inner, verb, bytes);
        }
        if kept { Ok(()) } else { Err(Error::new(Code::Internal, "the host gives up")) }
    });
    match done {
        Ok(()) => *model = inner,
        Err(error) => assert!(!kept && error.code() == Code::Internal, "{error}"),
    }
}

/// Runs one verb on both sides.
fn step(recorder: &Recorder<'_>, model: &mut Model, verb: usize, bytes: &mut Bytes<'_>) {
    // One in so many is of no node.
    let count = model.nodes.len() + 1;
    let at = |bytes: &mut Bytes<'_>| 1 + bytes.below(count);
    let (told, expected, what) = match verb {
        5..9 => {
            let kind = bytes.pick(&Kind::ALL);
            let (title, body) = (bytes.pick(&TITLES), bytes.pick(&BODIES));
            let adding = match kind {
                Kind::Fact => recorder.fact(Category::Decision, title),
                Kind::Task => recorder.task(title),
                Kind::Component => recorder.component(title),
            };
            let alias = bytes.once_in(4).then(|| bytes.pick(&ALIASES));
            let adding = if let Some(alias) = alias { adding.alias(alias) } else { adding };
            (adding.body(body).record().map(drop), model.add(kind, title, body, alias), format!("add {kind:?} {title:?} {alias:?}"))
        }
        9 | 10 => {
            let (number, title, body) = (at(bytes), bytes.pick(&TITLES), bytes.pick(&BODIES));
            let revision = Revision::new().title(title).body(body);
            (recorder.revise(&model.name(number), revision).map(drop), model.revise(number, title, body), format!("revise {number} {title:?}"))
        }
        11 => {
            let (number, day) = (at(bytes), bytes.once_in(3).then(|| Timestamp::parse(bytes.pick(&DAYS)).expect("a time")));
            let revision = Revision::new().expires_at(day);
            (recorder.revise(&model.name(number), revision).map(drop), model.expire(number, day), format!("expire {number} {day:?}"))
        }
        12 => {
            let (number, add, remove) = (at(bytes), bytes.pick(&TAGS), bytes.pick(&TAGS));
            (recorder.retag(&model.name(number), &[add], &[remove]).map(drop), model.retag(number, add, remove), format!("retag {number}"))
        }
        13 => {
            let (number, component) = (at(bytes), bytes.below(count + 1));
            let name = (component > 0).then(|| model.name(component));
            let told = recorder.move_to(&model.name(number), name.as_deref()).map(drop);
            (told, model.move_to(number, (component > 0).then_some(component)), format!("move {number} {component}"))
        }
        14 => {
            let (number, alias) = (at(bytes), bytes.pick(&ALIASES));
            (recorder.alias(&model.name(number), alias).map(drop), model.alias(number, alias), format!("alias {number} {alias}"))
        }
        15 | 16 => {
            let (from, relation, to) = (at(bytes), bytes.pick(&RELATIONS), at(bytes));
            (recorder.link(&model.name(from), relation, &model.name(to)), model.link(from, relation, to), format!("link {from} {relation} {to}"))
        }
        17 | 18 => {
            let (newer, older, why) = (at(bytes), at(bytes), bytes.pick(&WHYS));
            let names = (model.name(newer), model.name(older));
            let told = recorder.supersede(&names.0, &names.1).reason(why).evidence("a line in no text").unverified().record();
            (told, model.supersede(newer, older, why), format!("supersede {newer} {older} {why:?}"))
        }
        19 => {
            let (newer, older, why) = (at(bytes), at(bytes), bytes.pick(&WHYS));
            (recorder.demote(&model.name(newer), &model.name(older), why), model.demote(newer, older, why), format!("demote {newer} {older}"))
        }
        20 => {
            let (from, relation, to, why) = (at(bytes), bytes.pick(&RELATIONS), at(bytes), bytes.pick(&WHYS));
            let told = recorder.unlink(&model.name(from), relation, &model.name(to), why);
            (told, model.unlink(from, relation, to, why), format!("unlink {from} {relation} {to}"))
        }
        21 => {
            let (number, why) = (at(bytes), bytes.pick(&WHYS));
            (recorder.archive(&model.name(number), why).map(drop), model.archive(number, why), format!("archive {number}"))
        }
        _ => {
            let number = at(bytes);
            (recorder.review(&model.name(number), "seen").map(drop), model.review(number), format!("review {number}"))
        }
    };
    assert_eq!(told.as_ref().map_err(Error::code).copied(), expected.as_ref().copied().map_err(|code| *code), "{what}: {told:?}");
}

/// Compares every node and every drawn edge; states only where it is known what time it is.
fn compare(retriever: &Retriever, model: &Model, now: Option<Timestamp>) {
    let everything = NeighbourOptions::new().direction(Direction::Outgoing).limit(1_000);
    for (number, wanted) in (1..).zip(&model.nodes) {
        let node = retriever.get(&model.name(number)).unwrap_or_else(|error| panic!("node {number}: {error}"));
        assert_eq!((&node.title, &node.body, &node.tags), (&wanted.title, &wanted.body, &wanted.tags), "node {number}");
        let aliases: BTreeSet<String> = node.aliases.iter().map(|alias| alias.to_lowercase()).collect();
        assert_eq!(aliases, wanted.aliases, "node {number}");
        assert_eq!((node.revision, node.component.map(|id| id.number as usize)), (wanted.revision, wanted.component), "node {number}");
        assert_eq!(node.lifecycle.expires_at, wanted.expires_at, "node {number}");
        let retired_by: Vec<usize> = node.retired_by.iter().map(|id| id.number as usize).collect();
        assert_eq!(retired_by, model.retiring(number), "node {number}");
        if let Some(now) = now {
            assert_eq!(node.state, model.state(number, now), "node {number}");
        }
        let drawn = retriever.neighbours(&model.name(number), &everything).expect("neighbours").into_iter().filter(|edge| !edge.automatic);
        let drawn: BTreeSet<(Relation, usize)> = drawn.map(|edge| (edge.relation, edge.id.number as usize)).collect();
        assert_eq!(drawn, model.outgoing(number), "edges of {number}");
    }
    let beyond = format!("KNOW-{}", model.nodes.len() + 1);
    assert_eq!(retriever.get(&beyond).expect_err("there is no such node").code(), Code::UnknownNode);
}

/// Each made-up word finds the nodes that say it and are not put away.
fn search(retriever: &Retriever, model: &Model) {
    for word in ["zorvex", "quilban", "mumfra"] {
        let hits = retriever.search(word, &SearchOptions::new().mode(SearchMode::Text).limit(100)).expect("hits");
        let found: BTreeSet<usize> = hits.iter().map(|hit| hit.id.number as usize).collect();
        let said = |number: &usize| {
            let node = &model.nodes[number - 1];
            format!("{} {}", node.title, node.body).to_lowercase().contains(word) && !node.archived
        };
        let wanted: BTreeSet<usize> = (1..=model.nodes.len()).filter(said).collect();
        assert_eq!(found, wanted, "{word}");
        assert!(hits.iter().all(|hit| hit.state != State::Archived));
    }
}
