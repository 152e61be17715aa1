mod tasks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest as _, Sha256};

use super::database::{Database, Durability, Opening, RECORD_FILE};
use super::draft::{Draft, Revision};
use super::edge::{Found, Relation};
use super::evidence::SourceText;
use super::log::Hand;
use super::node::{Category, Source, State};
use super::purge::Pending;
use super::reader::AsOf;
use super::recorder::Recorder;
use super::replay::{dump, replay};
use super::rule::Helpfulness;
use super::settle::content_of;
use super::writer::{Retirement, Write};
use crate::base::config::TRANSACTION_LIMIT;
use crate::base::error::{Code, Result};
use crate::base::id::{NodeId, hex};
use crate::base::time::{Timestamp, pause};
use crate::retrieve::{Direction, NeighbourOptions, Retriever};
use crate::store::Record;

// ---- a record against a plain map ----------------------------------------------------------------------------------

/// What a verb does, with nodes named by their place among those that there are.
#[derive(Clone, Debug)]
enum Verb {
    Create { kind: u8, aliases: Vec<u8>, names: Vec<Name>, tags: BTreeSet<u8>, under: Option<u8> },
    Revise { node: u8, names: Vec<Name>, title: u8 },
    Alias { node: u8, alias: u8 },
    Link { from: u8, relation: u8, to: u8 },
    Unlink { from: u8, relation: u8, to: u8 },
    Supersede { newer: u8, older: u8 },
    Demote { newer: u8, older: u8 },
    Retag { node: u8, add: BTreeSet<u8>, remove: BTreeSet<u8> },
    Move { node: u8, under: Option<u8> },
    Review { node: u8 },
    Archive { node: u8 },
    CatchUp,
    Together { fails: bool, verbs: Vec<Verb> },
}

/// A word of a text that names a node: a number that may not be there yet, under a kind that may be wrong, or an alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Number(u8, u8),
    Alias(u8),
}

const PREFIXES: [&str; 3] = ["KNOW", "TASK", "COMP"];

impl Name {
    fn word(self) -> String {
        match self {
            Self::Number(kind, number) => format!("{}-{}", PREFIXES[usize::from(kind)], number),
            Self::Alias(alias) => alias_word(alias),
        }
    }
}

fn alias_word(alias: u8) -> String {
    format!("ADR-{alias:04}")
}

fn body_of(names: &[Name]) -> String {
    names.iter().map(|name| format!("see ({}).\n", name.word())).collect()
}

#[derive(Clone, Debug, Default)]
struct Modelled {
    kind: u8,
    title: String,
    names: Vec<Name>,
    aliases: Vec<u8>,
    tags: BTreeSet<String>,
    component: Option<u64>,
    revision: u64,
    archived: bool,
    verified: bool,
}

/// What the record should hold: nodes from number 1, and live edges with whether a text drew them.
#[derive(Clone, Debug, Default)]
struct Model {
    head: u64,
    nodes: Vec<Modelled>,
    edges: BTreeMap<(u64, Relation, u64), bool>,
}

type Outcome = std::result::Result<(), Code>;

impl Model {
    fn pick(&self, at: u8) -> u64 {
        u64::from(at) % self.nodes.len() as u64 + 1
    }

    fn node(&mut self, number: u64) -> &mut Modelled {
        &mut self.nodes[number as usize - 1]
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", PREFIXES[usize::from(self.nodes[number as usize - 1].kind)])
    }

    fn named(&self, names: &[Name], own: u64) -> BTreeSet<u64> {
        let resolve = |name: &Name| match name {
            Name::Number(_, number) => Some(u64::from(*number)).filter(|number| (1..=self.nodes.len() as u64).contains(number)),
            Name::Alias(alias) => self.nodes.iter().position(|node| node.aliases.contains(alias)).map(|at| at as u64 + 1),
        };
        names.iter().filter_map(resolve).filter(|number| *number != own).collect()
    }

    fn draw(&mut self, from: u64, to: u64) {
        self.edges.entry((from, Relation::Mentions, to)).or_insert(true);
    }

    fn reaches(&self, from: u64, relation: Relation, to: u64) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            open.extend(self.edges.keys().filter(|edge| edge.0 == at && edge.1 == relation).map(|edge| edge.2).filter(|next| seen.insert(*next)));
        }
        false
    }

    fn join(&mut self, from: u64, relation: Relation, to: u64) -> Outcome {
        if from == to {
            return Err(Code::SelfEdge);
        }
        if relation == Relation::ExpiresOn && self.nodes[to as usize - 1].kind != 1 {
            return Err(Code::WrongKind);
        }
        if self.edges.get(&(from, relation, to)) == Some(&false) || (relation == Relation::Contradicts && self.edges.contains_key(&(to, relation, from))) {
            return Err(Code::EdgeExists);
        }
        if relation.is_acyclic() && self.reaches(to, relation, from) {
            return Err(Code::Cycle);
        }
        self.edges.insert((from, relation, to), false);
        self.head += 1;
        Ok(())
    }

    fn retired_by(&self, number: u64) -> Vec<u64> {
        self.edges.keys().filter(|edge| edge.1 == Relation::Supersedes && edge.2 == number).map(|edge| edge.0).collect()
    }

    fn state(&self, number: u64) -> State {
        if self.nodes[number as usize - 1].archived {
            State::Archived
        } else if self.retired_by(number).is_empty() {
            State::Live
        } else {
            State::Retired
        }
    }
}

fn relation(number: u8) -> Relation {
    Relation::ALL[usize::from(number) % Relation::ALL.len()]
}

fn tag_words(tags: &BTreeSet<u8>) -> Vec<String> {
    tags.iter().map(|tag| format!("tag {tag}")).collect()
}

/// Does a verb to the record and to the model; gives what each said of it.
fn perform(verb: &Verb, recorder: &Recorder<'_>, record: &Record, model: &mut Model) -> (Result<()>, Outcome) {
    match verb {
        Verb::CatchUp => (record.catch_up().map(drop), Ok(())),
        Verb::Together { fails, verbs } => {
            let mut inner = model.clone();
            let mut outcomes = Vec::new();
            let said = recorder.transaction(|recorder| {
                for verb in verbs {
                    outcomes.push(perform(verb, recorder, record, &mut inner));
                }
                if *fails { recorder.review("KNOW-9999", "").map(drop) } else { Ok(()) }
            });
            for (said, expected) in outcomes {
                assert_eq!(said.map_err(|error| error.code()), expected);
            }
            if !fails {
                *model = inner;
            }
            (said, if *fails { Err(Code::UnknownNode) } else { Ok(()) })
        }
        Verb::Create { kind, aliases, names, tags, under } => create(recorder, model, *kind, aliases, names, tags, *under),
        _ if model.nodes.is_empty() => (recorder.review("KNOW-1", "").map(drop), Err(Code::UnknownNode)),
        Verb::Revise { node, names, title } => {
            let number = model.pick(*node);
            let said = recorder.revise(&model.id(number), Revision::new().title(format!("Title {title}")).body(body_of(names))).map(drop);
            let old = model.node(number).clone();
            if old.title != format!("Title {title}") || old.names != *names {
                let (before, after) = (model.named(&old.names, number), model.named(names, number));
                before.difference(&after).for_each(|to| {
                    if model.edges.get(&(number, Relation::Mentions, *to)) == Some(&true) {
                        model.edges.remove(&(number, Relation::Mentions, *to));
                    }
                });
                after.iter().for_each(|to| model.draw(number, *to));
                let node = model.node(number);
                (node.title, node.names, node.revision) = (format!("Title {title}"), names.clone(), node.revision + 1);
                model.head += 1;
            }
            (said, Ok(()))
        }
        Verb::Alias { node, alias } => {
            let number = model.pick(*node);
            let said = recorder.alias(&model.id(number), &alias_word(*alias)).map(drop);
            if model.nodes.iter().any(|node| node.aliases.contains(alias)) {
                return (said, Err(Code::AliasTaken));
            }
            model.node(number).aliases.push(*alias);
            for from in 1..=model.nodes.len() as u64 {
                if from != number && model.node(from).names.contains(&Name::Alias(*alias)) {
                    model.draw(from, number);
                }
            }
            model.head += 1;
            (said, Ok(()))
        }
        Verb::Link { from, relation: name, to } => {
            let (from, relation, to) = (model.pick(*from), relation(*name), model.pick(*to));
            let said = recorder.link(&model.id(from), relation, &model.id(to));
            (said, if relation == Relation::Supersedes { Err(Code::EvidenceMissing) } else { model.join(from, relation, to) })
        }
        Verb::Unlink { from, relation: name, to } => {
            let (from, relation, to) = (model.pick(*from), relation(*name), model.pick(*to));
            let said = recorder.unlink(&model.id(from), relation, &model.id(to), "no longer so");
            if relation == Relation::Supersedes {
                return (said, Err(Code::WrongState));
            }
            let gone = model.edges.remove(&(from, relation, to)).is_some()
                || (relation == Relation::Contradicts && model.edges.remove(&(to, relation, from)).is_some());
            model.head += u64::from(gone);
            (said, if gone { Ok(()) } else { Err(Code::UnknownEdge) })
        }
        Verb::Supersede { newer, older } => {
            let (newer, older) = (model.pick(*newer), model.pick(*older));
            let said = recorder.supersede(&model.id(newer), &model.id(older)).reason("it ended").unverified().record();
            (said, model.join(newer, Relation::Supersedes, older))
        }
        Verb::Demote { newer, older } => {
            let (newer, older) = (model.pick(*newer), model.pick(*older));
            let said = recorder.demote(&model.id(newer), &model.id(older), "it did not end");
            if model.edges.remove(&(newer, Relation::Supersedes, older)).is_none() {
                return (said, Err(Code::UnknownEdge));
            }
            model.edges.entry((newer, Relation::RelatesTo, older)).or_insert(false);
            model.head += 1;
            (said, Ok(()))
        }
        Verb::Retag { node, add, remove } => {
            let number = model.pick(*node);
            let (add, remove) = (tag_words(add), tag_words(remove));
            let words = |tags: &'_ [String]| tags.iter().map(|tag| format!(" {tag} ")).collect::<Vec<_>>();
            let (added, removed) = (words(&add), words(&remove));
            let said = recorder.retag(
                &model.id(number),
                &added.iter().map(String::as_str).collect::<Vec<_>>(),
                &removed.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            let mut tags = model.node(number).tags.clone();
            tags.retain(|tag| !remove.contains(tag));
            tags.extend(add);
            if model.node(number).tags != tags {
                let node = model.node(number);
                (node.tags, node.revision) = (tags, node.revision + 1);
                model.head += 1;
            }
            (said.map(drop), Ok(()))
        }
        Verb::Move { node, under } => {
            let (number, under) = (model.pick(*node), under.map(|under| model.pick(under)));
            let said = recorder.move_to(&model.id(number), under.map(|under| model.id(under)).as_deref()).map(drop);
            let mut above = under;
            if under.is_some_and(|under| model.node(under).kind != 2) {
                return (said, Err(Code::WrongKind));
            }
            while let Some(at) = above {
                if at == number {
                    return (said, Err(Code::Cycle));
                }
                above = model.node(at).component;
            }
            if model.node(number).component != under {
                let node = model.node(number);
                (node.component, node.revision) = (under, node.revision + 1);
                model.head += 1;
            }
            (said, Ok(()))
        }
        Verb::Review { node } => {
            let number = model.pick(*node);
            let said = recorder.review(&model.id(number), "looked").map(drop);
            model.node(number).verified = true;
            model.head += 1;
            (said, Ok(()))
        }
        Verb::Archive { node } => {
            let number = model.pick(*node);
            let said = recorder.archive(&model.id(number), "out of use").map(drop);
            if std::mem::replace(&mut model.node(number).archived, true) {
                return (said, Err(Code::WrongState));
            }
            model.head += 1;
            (said, Ok(()))
        }
    }
}

fn create(
    recorder: &Recorder<'_>,
    model: &mut Model,
    kind: u8,
    aliases: &[u8],
    names: &[Name],
    tags: &BTreeSet<u8>,
    under: Option<u8>,
) -> (Result<()>, Outcome) {
    let number = model.nodes.len() as u64 + 1;
    let title = format!("Node of kind {kind}");
    let under = under.filter(|_| number > 1).map(|under| model.pick(under));
    let mut draft = match kind {
        0 => Draft::fact(Category::Fyi, &title),
        1 => Draft::task(&title),
        _ => Draft::component(&title),
    };
    draft = draft.body(body_of(names)).tags(tag_words(tags));
    for alias in aliases {
        draft = draft.alias(alias_word(*alias));
    }
    if let Some(under) = under {
        draft = draft.under(model.id(under));
    }
    let said = recorder.add(draft).map(drop);
    if under.is_some_and(|under| model.node(under).kind != 2) {
        return (said, Err(Code::WrongKind));
    }
    let twice = aliases.iter().collect::<BTreeSet<_>>().len() < aliases.len();
    if twice || aliases.iter().any(|alias| model.nodes.iter().any(|node| node.aliases.contains(alias))) {
        return (said, Err(Code::AliasTaken));
    }
    model.nodes.push(Modelled {
        kind,
        title,
        names: names.to_vec(),
        aliases: aliases.to_vec(),
        tags: tag_words(tags).into_iter().collect(),
        component: under,
        revision: 1,
        ..Modelled::default()
    });
    model.named(names, number).into_iter().for_each(|to| model.draw(number, to));
    for from in 1..number {
        let names = &model.node(from).names;
        if names
            .iter()
            .any(|name| matches!(name, Name::Number(_, n) if u64::from(*n) == number) || matches!(name, Name::Alias(alias) if aliases.contains(alias)))
        {
            model.draw(from, number);
        }
    }
    model.head += 1;
    (said, Ok(()))
}

/// Compares every node and edge that a retriever sees with the model.
fn compare(retriever: &Retriever, model: &Model) {
    let mut edges = BTreeMap::new();
    for number in 1..=model.nodes.len() as u64 {
        let expected = &model.nodes[number as usize - 1];
        let node = retriever.get(&model.id(number)).expect("a node");
        assert_eq!(node.id.to_string(), model.id(number));
        assert_eq!((&node.title, &node.body, node.revision), (&expected.title, &body_of(&expected.names), expected.revision), "{number}");
        assert_eq!(node.state, model.state(number), "{number}");
        assert_eq!(node.retired_by.iter().map(|id| id.number).collect::<Vec<_>>(), model.retired_by(number), "{number}");
        assert_eq!(node.tags, expected.tags.iter().cloned().collect::<Vec<_>>(), "{number}");
        assert_eq!(node.component.map(|id| id.number), expected.component, "{number}");
        assert_eq!(node.verified_at.is_some(), expected.verified, "{number}");
        let aliases: BTreeSet<String> = expected.aliases.iter().map(|alias| alias_word(*alias)).collect();
        assert_eq!(node.aliases.into_iter().collect::<BTreeSet<_>>(), aliases, "{number}");
        for alias in aliases {
            assert_eq!(retriever.get(&alias.to_lowercase()).expect("by alias").id.number, number);
        }
        let outgoing = NeighbourOptions::new().direction(Direction::Outgoing).limit(1_000);
        let incoming = NeighbourOptions::new().direction(Direction::Incoming).limit(1_000);
        for neighbour in retriever.neighbours(&model.id(number), &outgoing).expect("neighbours") {
            edges.insert((number, neighbour.relation, neighbour.id.number), neighbour.automatic);
        }
        let into: BTreeSet<_> =
            retriever.neighbours(&model.id(number), &incoming).expect("neighbours").iter().map(|from| (from.id.number, from.relation)).collect();
        assert_eq!(into, model.edges.keys().filter(|edge| edge.2 == number).map(|edge| (edge.0, edge.1)).collect(), "{number}");
    }
    assert_eq!(edges, model.edges);
    assert_eq!(retriever.get(&format!("KNOW-{}", model.nodes.len() + 1)).expect_err("not there yet").code(), Code::UnknownNode);
}

fn same_views(dir: &std::path::Path) {
    let conn = Connection::open_with_flags(dir.join(RECORD_FILE), OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the record's file");
    let again = replay(&conn).expect("a replay");
    let (kept, made) = (dump(&conn).expect("a dump"), dump(&again).expect("a dump"));
    let differing = kept.lines().zip(made.lines()).find(|(a, b)| a != b);
    assert_eq!(differing, None);
    assert_eq!(kept, made);
}

fn names() -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(prop_oneof![(0..3u8, 1..14u8).prop_map(|(kind, number)| Name::Number(kind, number)), (0..6u8).prop_map(Name::Alias)], 0..4)
}

fn single() -> BoxedStrategy<Verb> {
    let tags = || prop::collection::btree_set(0..4u8, 0..3);
    prop_oneof![
        4 => (0..3u8, prop::collection::vec(0..6u8, 0..3), names(), tags(), prop::option::weighted(0.3, any::<u8>()))
            .prop_map(|(kind, aliases, names, tags, under)| Verb::Create { kind, aliases, names, tags, under }),
        3 => (any::<u8>(), names(), 0..3u8).prop_map(|(node, names, title)| Verb::Revise { node, names, title }),
        1 => (any::<u8>(), 0..6u8).prop_map(|(node, alias)| Verb::Alias { node, alias }),
        5 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(from, relation, to)| Verb::Link { from, relation, to }),
        2 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(from, relation, to)| Verb::Unlink { from, relation, to }),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(newer, older)| Verb::Supersede { newer, older }),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(newer, older)| Verb::Demote { newer, older }),
        2 => (any::<u8>(), tags(), tags()).prop_map(|(node, add, remove)| Verb::Retag { node, add, remove }),
        2 => (any::<u8>(), prop::option::of(any::<u8>())).prop_map(|(node, under)| Verb::Move { node, under }),
        1 => any::<u8>().prop_map(|node| Verb::Review { node }),
        1 => any::<u8>().prop_map(|node| Verb::Archive { node }),
        1 => Just(Verb::CatchUp),
    ]
    .boxed()
}

fn verb() -> BoxedStrategy<Verb> {
    let inside = single().prop_filter("catching up waits for the writer's lock", |verb| !matches!(verb, Verb::CatchUp));
    let flat = (any::<bool>(), prop::collection::vec(inside.clone(), 0..4)).prop_map(|(fails, verbs)| Verb::Together { fails, verbs });
    let nested = (any::<bool>(), prop::collection::vec(prop_oneof![inside, flat.clone()], 0..4)).prop_map(|(fails, verbs)| Verb::Together { fails, verbs });
    prop_oneof![12 => single(), 1 => flat, 1 => nested].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_the_record_is_what_a_plain_map_says(verbs in prop::collection::vec(verb(), 1..50), look in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join(".stele");
        let record = Record::options().without_embedder().durability(Durability::Normal).open(&dir).expect("a record");
        let recorder = record.recorder("tester").expect("a recorder");
        let mut model = Model::default();
        let mut past = vec![model.clone()];
        for verb in &verbs {
            let before = model.head;
            let (said, expected) = perform(verb, &recorder, &record, &mut model);
            prop_assert_eq!(said.map_err(|error| error.code()), expected, "{:?}", verb);
            prop_assert_eq!(record.head().expect("a head"), model.head, "{:?} after {}", verb, before);
            past.push(model.clone());
        }
        compare(&record.retriever(), &model);
        let then = look.get(&past);
        compare(&record.retriever_as_of(AsOf::Sequence(then.head)), then);
        prop_assert_eq!(record.verify_log().expect("a whole chain"), model.head);
        same_views(&dir);
    }
}

// ---- what only the inside can bring about --------------------------------------------------------------------------

fn database(dir: &std::path::Path) -> Arc<Database> {
    let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_secs(1) };
    Arc::new(Database::open(dir, opening).expect("a record"))
}

const HAND: Hand<'static> = Hand { at: Timestamp::from_unix_ms(0), actor: "tester", session: None };

fn put(write: &mut Write, draft: &Draft) -> Result<NodeId> {
    write.create_settled(content_of(draft)?, draft)
}

#[test]
fn a_disk_that_fills_up_inside_a_transaction_leaves_nothing_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = database(&folder.path().join("r"));
    let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
    write.step(|write| put(write, &Draft::fact(Category::Fyi, "Kept"))).expect("a fact");
    write.commit().expect("committed");

    let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
    write.step(|write| put(write, &Draft::fact(Category::Fyi, "Before the disk was full"))).expect("a fact");
    let pages: i64 = write.views().conn().query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a count");
    let set: i64 = write.views().conn().query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get(0)).expect("a limit");
    assert_eq!(set, pages);
    let full = write.step(|write| put(write, &Draft::fact(Category::Fyi, "Too large").body("x".repeat(60_000)))).expect_err("the disk is full");
    assert_eq!(full.code(), Code::DiskFull, "{full}");
    // SQLite rolled everything back: a later step may not stand alone.
    let after = write.step(|write| put(write, &Draft::fact(Category::Fyi, "After"))).expect_err("there is no transaction");
    assert_eq!(after.code(), Code::Storage, "{after}");
    assert_eq!(write.commit().expect_err("there is nothing to commit").code(), Code::Storage);

    let conn = database.reader().expect("a reader");
    assert_eq!(super::log::verify(&conn).expect("a whole chain").sequence, 1);
    drop(conn);
    same_views(database.dir());
}

#[test]
fn a_step_of_ours_may_take_long_and_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = database(&folder.path().join("r"));
    let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
    pause(TRANSACTION_LIMIT);
    write.step(|write| put(write, &Draft::fact(Category::Fyi, "Slow machine"))).expect("a fact");
    assert_eq!(write.commit().expect("committed"), 1);

    let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
    pause(write.bound());
    assert_eq!(write.commit().expect_err("the host held the lock").code(), Code::TransactionTimeout);
}

#[test]
fn a_handle_of_another_process_is_refused_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = database(&folder.path().join("r"));
    Arc::get_mut(&mut database).expect("the only one").pretend_forked();
    assert_eq!(database.reader().expect_err("another process").code(), Code::Forked);
    assert_eq!(Write::begin(&database, &HAND, Duration::ZERO).err().expect("another process").code(), Code::Forked);
}

#[test]
fn an_operation_that_was_changed_in_the_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    let record = Record::options().without_embedder().open(&dir).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    for number in 0..5 {
        recorder.fact(Category::Fyi, format!("Fact {number}")).record().expect("a fact");
    }
    let conn = Connection::open(dir.join(RECORD_FILE)).expect("the record's file");
    for (change, undo, sequence) in [
        ("UPDATE log SET payload = replace(payload, 'Fact 2', 'Fact 7')", "UPDATE log SET payload = replace(payload, 'Fact 7', 'Fact 2')", "3"),
        ("UPDATE log SET actor = 'setter' WHERE seq = 4", "UPDATE log SET actor = 'tester' WHERE seq = 4", "4"),
        ("UPDATE log SET kind = 'revise' WHERE seq = 3", "UPDATE log SET kind = 'create' WHERE seq = 3", "3"),
        ("UPDATE log SET at_ms = at_ms + 1 WHERE seq = 5", "UPDATE log SET at_ms = at_ms - 1 WHERE seq = 5", "5"),
        ("UPDATE log SET seq = 9 WHERE seq = 2", "UPDATE log SET seq = 2 WHERE seq = 9", "2"),
        ("UPDATE log SET session = '' WHERE seq = 5", "UPDATE log SET session = NULL WHERE seq = 5", "5"),
        ("UPDATE log SET op_hash = zeroblob(32) WHERE seq = 1", "", "1"),
    ] {
        conn.execute_batch(change).expect("a change");
        let broken = record.verify_log().expect_err(change);
        assert_eq!((broken.code(), broken.detail("sequence")), (Code::ChainBroken, Some(sequence)), "{change}");
        conn.execute_batch(undo).expect("the change undone");
    }
}

#[test]
fn an_edge_says_where_its_evidence_was_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = database(&folder.path().join("r"));
    let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
    let quote = |quote: &str| Source { uri: "minutes.md".into(), revision: Some("r7".into()), quote: Some(quote.into()), ..Source::default() };
    for title in ["Newer holds", "Older held"] {
        put(&mut write, &Draft::fact(Category::Fyi, title).source(quote(&format!("{title}, said the\n  minutes")))).expect("a fact");
    }
    write.revise("KNOW-2", &Revision::new().body("until\tthe end of May")).expect("a revision");
    let text = format!("{} it   ended\nhere {}", "b".repeat(300), "限".repeat(400));
    let source = SourceText { text: text.clone(), uri: Some("log.txt".into()), revision: Some("r8".into()) };
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let node = |number, revision| Found::Node { number, revision };
    let quoted = |number| Found::Quote { number, uri: "minutes.md".into(), revision: Some("r7".into()) };
    let passed = Found::Text {
        sha256: hex(&digest),
        excerpt: format!("it ended here {}", "限".repeat(200 - "it ended here ".len())),
        uri: Some("log.txt".into()),
        revision: Some("r8".into()),
    };
    for (evidence, found) in [
        ("Newer holds", node(1, 1)),
        (" until the end ", node(2, 2)),
        ("Newer holds, said the minutes", quoted(1)),
        ("held, said the minutes", quoted(2)),
        ("it ended here", passed),
        ("nowhere", Found::Unverified),
    ] {
        let why = Retirement { reason: " why ", evidence, source_text: Some(&source), unverified: true };
        write.supersede("KNOW-1", "KNOW-2", &why, false).expect(evidence);
        let edge = write.views().find_edge(1, Relation::Supersedes, 2).expect("a look").expect("the edge");
        assert_eq!((edge.reason.as_str(), edge.evidence.as_ref().map(|evidence| evidence.quote.as_str())), ("why", Some(evidence.trim())));
        assert_eq!(edge.is_unverified(), found == Found::Unverified);
        assert_eq!(edge.evidence.map(|evidence| evidence.found), Some(found), "{evidence}");
        write.demote("KNOW-1", "KNOW-2", "again").expect("undone");
    }
    write.commit().expect("committed");
    same_views(database.dir());
}

#[test]
fn a_purged_log_replays_to_the_same_views_once_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("record");
    let record = Record::open(&dir).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    let line = "the gate opens for whoever says the word quagmirewort aloud";
    let one = recorder.fact(Category::Decision, "One").body(line).alias("GATE-1").tags(["north"]).record().expect("a fact").id.to_string();
    let two = recorder.fact(Category::Decision, "Two").body(format!("see GATE-1: {line}")).record().expect("a fact").id.to_string();
    recorder.revise(&one, Revision::new().body(format!("{line}, KNOW-2 too"))).expect("revised");
    recorder.supersede(&two, &one).reason("another word").evidence(line).record().expect("a retirement");
    recorder.retag(&one, &["south"], &["north"]).expect("retagged");
    for id in [&one, &two] {
        recorder.purge(id, "the law", &[]).expect("purged");
        same_views(&dir);
        recorder.link(&one, Relation::RelatesTo, &two).or_else(|_| recorder.unlink(&one, Relation::RelatesTo, &two, "enough")).expect("an edge");
        same_views(&dir);
    }
    assert_eq!(record.verify_log().expect("a whole chain"), record.head().expect("a head"));
}

#[test]
fn what_is_left_of_purges_is_known_until_all_of_it_is_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = database(&folder.path().join("r"));
    let purge = |title: &str| {
        let mut write = Write::begin(&database, &HAND, Duration::from_secs(1)).expect("a transaction");
        let id = put(&mut write, &Draft::fact(Category::Fyi, title)).expect("a fact").to_string();
        write.purge(&id, "the law", &[]).expect("purged");
        write.commit().expect("committed");
    };
    let pending = || Pending::of(&database.reader().expect("a reader")).expect("a look");
    assert_eq!(pending(), None);
    purge("One");
    let one = pending().expect("a mark");
    assert!(one.is_one() && !one.sessions_are_clean());
    // Who cleans the sessions of the first notes it too late: another has come.
    purge("Two");
    one.note_clean_sessions(&database).expect("noted");
    let two = pending().expect("a mark");
    assert!(!two.is_one() && !two.sessions_are_clean());
    two.note_clean_sessions(&database).expect("noted");
    assert!(pending().is_some_and(Pending::sessions_are_clean));
    purge("Three");
    assert!(pending().is_some_and(Pending::is_one));
    Pending::end(&database).expect("noted");
    assert_eq!(pending(), None);
}

#[test]
fn what_happens_to_rules_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    let record = Record::options().open(&dir).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder").allowing_promotion();
    let proposed = recorder.rule("Sockets", "Every socket is closed").routing(|rule| rule.keywords = vec!["fd".to_owned()]).propose();
    let id = proposed.expect("a verdict").id.expect("accepted").to_string();
    for nth in 0..51 {
        let key = (nth % 2 == 0).then(|| format!("run-{nth}"));
        recorder.feedback(&id, if nth == 7 { Helpfulness::Hurt } else { Helpfulness::Helped }, key.as_deref()).expect("counted");
    }
    recorder.promote(&id, "signed").expect("promoted");
    recorder.revise(&id, Revision::new().statement("Every socket and file is closed")).expect("revised");
    recorder.feedback(&id, Helpfulness::Helped, Some("run-100")).expect("counted");
    same_views(&dir);
    let reset = record.retriever().feedback(&id).expect("counts");
    assert_eq!((reset.helped, reset.hurt), (1, 0));

    // Two occasions whose keys are cleaned into one word are still two.
    for key in ["quagmirewort", "quagmirewort, quagmirewort"] {
        recorder.feedback(&id, Helpfulness::Helped, Some(key)).expect("counted");
    }
    recorder.purge(&id, "the law", &["quagmirewort", "signed"]).expect("purged");
    same_views(&dir);
    let counted = record.retriever().feedback(&id).expect("counts");
    assert_eq!((counted.helped, counted.hurt), (53, 1));
    let conn = Connection::open(dir.join(RECORD_FILE)).expect("the record's file");
    for gone in ["socket", "quagmirewort", "signed"] {
        let left: i64 = conn.query_row("SELECT count(*) FROM log WHERE payload LIKE ?1", [format!("%{gone}%")], |row| row.get(0)).expect("a count");
        assert_eq!(left, 0, "{gone}");
    }
}
