//! What is done between two looks at the deadline, and past it, counted by a clock that goes on with each look.

use std::time::Duration;

use super::world::{CHAIN, EDGES, LONG, World, ids, prompts, says_late};
use crate::base::time::looks::{Looks, TICK, counted};
use crate::record::node::{Category, State};
use crate::record::reader::AsOf;
use crate::retrieve::options::{RecallOptions, RetrieveOptions};
use crate::retrieve::result::{Detail, Retrieval, Status};
use crate::store::Record;

/// The most work between two looks: steps of SQLite's machine, by the thousand.
const BETWEEN: u64 = 40;
/// The most work once a look told that time was over, in the same unit.
const LATE: u64 = 60;
/// The deadlines that a call is asked with, spread over as many looks as it takes.
const DEADLINES: u64 = 40;

type Call = fn(&Record, &str, Duration) -> Retrieval;

fn retrieve(record: &Record, prompt: &str, deadline: Duration) -> Retrieval {
    record.retriever().retrieve(prompt, &RetrieveOptions::new().deadline(deadline)).expect("no error for want of time")
}

fn recall(record: &Record, prompt: &str, deadline: Duration) -> Retrieval {
    record.retriever().recall(prompt, &RecallOptions::new().depth(3).deadline(deadline)).expect("no error for want of time")
}

/// Asks with deadlines that end at one look after the other of a whole call, which is given.
fn cut_off(record: &Record, call: Call, prompt: &str, each: &mut dyn FnMut(&Retrieval, &Looks)) -> (Retrieval, u64) {
    let (whole, looks) = counted(|| call(record, prompt, LONG));
    assert!(!says_late(&whole), "{:?}", whole.gaps);
    assert!(looks.most() <= BETWEEN, "{} between two looks: {prompt}", looks.most());
    let all = looks.looked();
    for nth in (1..=DEADLINES).map(|nth| all * nth / DEADLINES) {
        let (part, looks) = counted(|| call(record, prompt, TICK * u32::try_from(nth).expect("few looks")));
        assert!(looks.most() <= BETWEEN && looks.late() <= LATE, "look {nth} of {all}: {} between two, {} late: {prompt}", looks.most(), looks.late());
        assert!(says_late(&part) || ids(&part) == ids(&whole), "look {nth} of {all}: {:?}", ids(&part));
        assert!(matches!(part.status, Status::Found | Status::Late), "look {nth} of {all}: {}", part.status);
        each(&part, looks);
    }
    (whole, looks.work())
}

#[test]
fn little_is_done_between_two_looks_and_past_the_deadline_and_what_is_missing_is_named() {
    let world = World::new();
    let mut most = 0;
    for call in [retrieve as Call, recall] {
        for prompt in prompts() {
            let mut late = 0;
            let (_, work) = cut_off(&world.record, call, &prompt, &mut |part, _| late += u64::from(says_late(part)));
            assert!(late > 0, "no deadline cut anything off: {prompt}");
            most = most.max(work);
            // What was looked at is kept for the next read under the same head: a change lets go of it.
            world.record.recorder("tester").expect("a recorder").retag("HUB-1", &["again"], &[]).expect("retagged");
            world.record.recorder("tester").expect("a recorder").retag("HUB-1", &[], &["again"]).expect("retagged");
        }
    }
    assert!(most > 2 * LATE, "a whole call does no more than what is allowed past a deadline: {most}");
}

#[test]
fn names_that_are_not_looked_up_in_time_are_told() {
    let world = World::new();
    for call in [retrieve as Call, recall] {
        let mut told = false;
        cut_off(&world.record, call, &prompts()[2], &mut |part, _| told |= part.gaps.iter().any(|gap| gap.note.contains("named was looked up")));
        assert!(told, "no deadline ended among the names");
    }
}

#[test]
fn wherever_time_ends_no_retired_node_is_shown_without_its_head() {
    let world = World::new();
    let last = format!("Link {} of the zorvex chain", CHAIN - 1);
    for call in [retrieve as Call, recall] {
        let mut shown = 0;
        let (whole, _) = cut_off(&world.record, call, &prompts()[1], &mut |part, _| {
            let retired = part.entries.iter().position(|entry| entry.state == State::Retired);
            let head = part.entries.iter().position(|entry| entry.title == last);
            assert!(retired.is_none() || (head.is_some() && head < retired), "{:?}", ids(part));
            shown += usize::from(retired.is_some());
        });
        assert!(whole.entries.iter().any(|entry| entry.state == State::Retired) && shown < DEADLINES as usize, "{shown}");
    }
}

#[test]
fn without_indexes_a_read_goes_on_where_the_one_before_was_cut_off() {
    let world = World::new();
    for folder in ["text", "vectors"] {
        std::fs::remove_dir_all(world.folder.path().join(".stele").join(folder)).expect("there");
    }
    let again = || Record::options().create(false).read_only(true).open(world.folder.path().join(".stele")).expect("a record");
    let prompt = &prompts()[0];
    let (whole, looks) = counted(|| retrieve(&again(), prompt, LONG));
    assert!(looks.most() <= BETWEEN, "{} between two looks", looks.most());
    // A sixth of the looks that the whole takes: one read does not do, some do.
    let record = again();
    let few = TICK * u32::try_from(looks.looked() / 6).expect("few looks");
    let mut tails = Vec::new();
    let last = (0..60).find_map(|_| {
        let (part, looks) = counted(|| retrieve(&record, prompt, few));
        assert!(looks.most() <= BETWEEN && looks.late() <= LATE, "{} between two, {} late", looks.most(), looks.late());
        tails.push(part.stats.tail);
        let searched = part.stats.tail == whole.stats.tail;
        searched.then(|| retrieve(&record, prompt, LONG))
    });
    assert!(tails.is_sorted() && tails.len() > 2, "{tails:?}");
    assert_eq!(ids(&last.expect("each read gets further")), ids(&whole));
}

#[test]
fn a_read_of_the_past_goes_on_where_the_one_before_was_cut_off() {
    let world = World::new();
    let dir = world.folder.path().join(".stele");
    let again = || Record::options().create(false).read_only(true).open(&dir).expect("a record");
    let prompt = &prompts()[0];
    // Nodes come before edges. Beside the indexes what came since is left out; without them all that was there is read.
    for (at, indexed) in [(900, true), (EDGES as u64, true), (900, false)] {
        for folder in ["text", "vectors"].iter().filter(|_| !indexed) {
            std::fs::remove_dir_all(dir.join(folder)).expect("there");
        }
        let past = |record: &Record, deadline| {
            let (found, looks) = counted(|| record.retriever_as_of(AsOf::Sequence(at)).retrieve(prompt, &RetrieveOptions::new().deadline(deadline)));
            assert!(looks.most() <= BETWEEN && looks.late() <= LATE, "{} between two, {} late, as of {at}", looks.most(), looks.late());
            (found.expect("no error for want of time"), looks.looked())
        };
        let record = again();
        let (whole, _) = past(&record, LONG);
        assert!(whole.entries.len() > 3 && !says_late(&whole), "{:?}", whole.gaps);
        // Time for all that comes once the past is made, and for little more.
        let enough = TICK * u32::try_from(past(&record, LONG).1 + 1).expect("few looks");
        assert!(says_late(&past(&again(), enough).0), "as of {at}");
        let record = again();
        for _ in 0..20 {
            let (part, _) = past(&record, TICK * 9);
            assert!(says_late(&part), "as of {at}");
            assert_eq!(part.entries.is_empty(), part.status == Status::Late, "as of {at}");
        }
        assert_eq!(ids(&past(&record, enough).0), ids(&whole), "as of {at}");
    }
}

#[test]
fn who_could_not_search_everything_is_late_and_does_not_abstain() {
    let world = World::new();
    let dir = world.folder.path().join(".stele");
    for folder in ["text", "vectors"] {
        std::fs::remove_dir_all(dir.join(folder)).expect("there");
    }
    let record = Record::options().create(false).read_only(true).open(&dir).expect("a record");
    // Three quarters of the time go into a part of the record that does not have it yet.
    let ask = |deadline| retrieve(&record, "what became of the zorvex chain?", deadline);
    let (part, _) = counted(|| ask(TICK * 400));
    assert_eq!((part.status, part.entries.len()), (Status::Late, 0), "{:?}", part.gaps);
    assert!(part.stats.tail > 100);
    assert_eq!(ask(LONG).status, Status::Found);
}

#[test]
fn long_documents_that_are_not_read_in_time_come_with_their_titles() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join(".stele");
    let record = Record::options().open(&dir).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    for nth in 0..6 {
        let body = format!("# Part {nth}\n\n{}", format!("The zorvex gateway of region {nth} drops frames.\n\n").repeat(2_000));
        recorder.document(format!("Zorvex gateway {nth}"), body).record().expect("recorded");
    }
    recorder.fact(Category::Decision, "Zorvex gateway frames").body("The zorvex gateway drops frames by design.").record().expect("recorded");
    while !record.catch_up().expect("caught up") {}
    // A handle of its own each time, for what one has read it keeps.
    let ask = |deadline| {
        let record = Record::options().create(false).open(&dir).expect("a record");
        counted(|| retrieve(&record, "why does the zorvex gateway drop frames?", deadline))
    };
    let (whole, looks) = ask(LONG);
    let by_title = |found: &Retrieval| found.entries.iter().filter(|entry| entry.detail == Detail::Line).count();
    assert_eq!((whole.entries.len(), by_title(&whole)), (7, 0), "{:?}", whole.gaps);
    let mut told = std::collections::BTreeSet::new();
    for nth in 1..looks.looked() {
        let (part, _) = ask(TICK * u32::try_from(nth).expect("few looks"));
        let lines = by_title(&part);
        assert!(part.entries.iter().all(|entry| (entry.detail == Detail::Line) == (entry.body.is_empty() && entry.cut_chars > 90_000)));
        let gap = part.gaps.iter().find(|gap| gap.note.starts_with("documents shown by their titles"));
        assert_eq!(gap.map_or(0, |gap| gap.count), lines as u64, "{:?}", part.gaps);
        told.insert(lines);
    }
    assert!(told.contains(&0) && told.contains(&6) && told.len() > 3, "{told:?}");
}
