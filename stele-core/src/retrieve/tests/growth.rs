//! Reads of records of an odd form do no more than what they tell asks for: steps of SQLite's machine, by the thousand.

use std::fmt::Write as _;
use std::time::Duration;

use tempfile::TempDir;

use crate::base::time::Deadline;
use crate::base::time::looks::counted;
use crate::import::report::ImportOptions;
use crate::record::reader::AsOf;
use crate::retrieve::fold::Likeness;
use crate::retrieve::heads::{Heads, MOST_HEADS};
use crate::retrieve::nodes::Nodes;
use crate::retrieve::score::RankingTable;
use crate::retrieve::{ReadyOptions, SearchOptions};
use crate::store::Record;

/// Nodes of a record here.
const MANY: usize = 600;

/// A record of lines, in a folder that goes with it.
struct Odd {
    record: Record,
    _folder: TempDir,
}

impl Odd {
    /// `line` writes what there is to say of each number.
    fn new(line: impl Fn(&mut String, usize)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Record::open(folder.path().join(".stele")).expect("a record");
        let mut lines = String::new();
        (0..MANY).for_each(|nth| line(&mut lines, nth));
        let report = record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import");
        assert!(report.applied && report.errors.is_empty(), "{:?}", report.errors.first());
        while !record.catch_up().expect("caught up") {}
        Self { record, _folder: folder }
    }

    /// Tasks, containers in the place of those that `contains` picks, joined by `blocks` where `blocked` says by which.
    fn of_tasks(contains: impl Fn(usize) -> bool, blocks: impl Fn(usize) -> Option<usize>) -> Self {
        Self::new(|lines, nth| {
            let sort = if contains(nth) { "epic" } else { "task" };
            writeln!(lines, r#"{{"type":"node","kind":"task","task_type":"{sort}","alias":"N-{nth}","title":"Part {nth}"}}"#).expect("a string");
            if let Some(blocked) = blocks(nth) {
                writeln!(lines, r#"{{"type":"edge","from":"N-{nth}","relation":"blocks","to":"N-{blocked}"}}"#).expect("a string");
            }
        })
    }
}

/// What a call does, and what it gives.
fn work<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let (given, looks) = counted(call);
    (given, looks.work())
}

#[test]
fn what_lies_under_a_component_is_found_without_going_through_all_components_for_each() {
    let odd = Odd::new(|lines, nth| {
        let parent = nth.checked_sub(1).map_or(String::new(), |above| format!(r#","parent":"N-{above}""#));
        writeln!(lines, r#"{{"type":"node","kind":"component","alias":"N-{nth}","title":"Part {nth}"{parent}}}"#).expect("a string");
    });
    let (last, options) = (format!("Part {}", MANY - 1), SearchOptions::new().component("N-0"));
    let (hits, done) = work(|| odd.record.retriever().search(&last, &options).expect("hits"));
    assert_eq!(hits[0].title, last);
    assert!(done <= 60, "{done} for a search");
    let options = ReadyOptions::new().component("N-0");
    let (_, done) = work(|| odd.record.retriever().ready(&options).expect("a list"));
    assert!(done <= 30, "{done} for what is ready");
}

#[test]
fn what_blocks_a_task_is_looked_at_until_something_is_unfinished() {
    let odd = Odd::of_tasks(|_| false, |nth| (nth > 0).then_some(0));
    let (ready, done) = work(|| odd.record.retriever().ready(&ReadyOptions::new().limit(1)).expect("a list"));
    assert_eq!(ready[0].title, "Part 1");
    assert!(done <= 2, "{done}");
}

#[test]
fn containers_that_are_listed_together_are_gone_through_together() {
    let odd = Odd::of_tasks(|nth| nth + 1 < MANY, |nth| nth.checked_sub(1));
    let (listed, done) = work(|| odd.record.retriever().tasks(None, None).expect("a list"));
    assert_eq!(listed.iter().filter(|task| task.progress.is_some_and(|progress| progress.total == 1)).count(), MANY - 1);
    assert!(done <= 250, "{done}");
}

#[test]
fn a_handoff_reads_no_more_of_what_happened_than_it_tells_and_names_so_many_that_wait() {
    let odd = Odd::of_tasks(|_| false, |nth| (nth > 0).then_some(0));
    let record = &odd.record;
    let (all, read) = work(|| record.retriever().history("N-0").expect("a history"));
    let (text, done) = work(|| record.retriever().handoff("N-0").expect("a handoff"));
    assert!(text.contains(&format!("{} earlier: history of TASK-1", all.len() - 40)), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(" by tester")).count(), 0);
    assert!(done < read + 60, "{done} beside {read}");
    // The same from the other side: one that all others wait for.
    let odd = Odd::new(|lines, nth| {
        writeln!(lines, r#"{{"type":"node","kind":"task","alias":"N-{nth}","title":"Part {nth}"}}"#).expect("a string");
        if nth > 0 {
            writeln!(lines, r#"{{"type":"edge","from":"N-0","relation":"blocks","to":"N-{nth}"}}"#).expect("a string");
        }
    });
    let text = odd.record.retriever().handoff("N-0").expect("a handoff");
    let waiting: Vec<&str> = text.lines().skip_while(|line| !line.contains("waiting for it")).skip(1).take_while(|line| !line.starts_with('─')).collect();
    assert_eq!((waiting.len(), waiting.last().copied()), (201, Some("and more: neighbours of TASK-1")));
}

#[test]
fn a_sweep_reads_what_a_node_once_said_and_not_all_that_was_joined_to_it() {
    let odd = Odd::new(|lines, nth| {
        let body = if nth == 0 { "the old way ended" } else { "" };
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"decision","alias":"N-{nth}","title":"Part {nth}","body":"{body}"}}"#)
            .expect("a string");
        if nth > 0 {
            writeln!(lines, r#"{{"type":"edge","from":"N-0","relation":"supersedes","to":"N-{nth}","reason":"it ended","evidence":"the old way ended"}}"#)
                .expect("a string");
        }
    });
    let record = &odd.record;
    record.recorder("tester").expect("a recorder").revise("N-0", crate::Revision::new().body("said otherwise")).expect("revised");
    let (sweep, done) = work(|| record.sweep().expect("a sweep"));
    assert_eq!(sweep.judgements.len(), MANY - 1);
    assert!(done <= 400, "{done}");
}

#[test]
fn of_a_node_that_very_many_retired_no_more_heads_are_looked_for_than_could_have_a_place() {
    let many = 2 * MOST_HEADS;
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().without_embedder().open(folder.path().join(".stele")).expect("a record");
    let mut lines = String::new();
    for nth in 0..=many {
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"fyi","alias":"N-{nth}","title":"Fact {nth}"}}"#).expect("a string");
    }
    for nth in 1..=many {
        writeln!(lines, r#"{{"type":"edge","from":"N-{nth}","relation":"supersedes","to":"N-0","reason":"seen","evidence":"none"}}"#).expect("a string");
    }
    assert!(record.import_lines(lines.as_bytes(), "tester", ImportOptions::new().partial()).expect("an import").applied);
    let snapshot = record.retriever().snapshot().expect("a snapshot");
    let mut nodes = Nodes::new(&snapshot, RankingTable::default().into());
    let heads = Heads::default().heads(&mut nodes, 1).expect("heads");
    assert_eq!(heads.iter().map(|head| head.number).collect::<Vec<_>>(), (2..2 + MOST_HEADS as u64).collect::<Vec<_>>());
    assert!(nodes.nodes_read <= MOST_HEADS as u64, "{} nodes", nodes.nodes_read);
    // Where all of these lead to one, that is the head, also when each was asked for before.
    record.recorder("tester").expect("a recorder").fact(crate::Category::Fyi, "The last").alias("LAST").record().expect("recorded");
    for nth in 1..=many {
        record
            .recorder("tester")
            .expect("a recorder")
            .supersede("LAST", &format!("N-{nth}"))
            .reason("seen")
            .evidence("none")
            .unverified()
            .record()
            .expect("superseded");
    }
    let snapshot = record.retriever().snapshot().expect("a snapshot");
    let mut nodes = Nodes::new(&snapshot, RankingTable::default().into());
    let mut all_heads = Heads::default();
    (2..2 + many as u64).for_each(|number| drop(all_heads.heads(&mut nodes, number).expect("heads")));
    assert_eq!(all_heads.heads(&mut nodes, 1).expect("heads").iter().map(|head| (head.number, head.depth)).collect::<Vec<_>>(), [(many as u64 + 2, 2)]);
}

#[test]
fn past_the_deadline_few_texts_of_one_title_are_read_to_compare_them() {
    let odd = Odd::new(|lines, nth| {
        writeln!(lines, r#"{{"type":"node","kind":"knowledge","category":"decision","title":"One title","body":"and number {nth}"}}"#).expect("a string");
    });
    let snapshot = odd.record.retriever().snapshot().expect("a snapshot");
    let mut nodes = Nodes::new(&snapshot, RankingTable::default().into());
    let mut compared = |deadline: Deadline| {
        let mut likeness = Likeness::new(None, deadline);
        for (a, b) in (1..=MANY as u64).zip(2..=MANY as u64) {
            let (a, b) = (nodes.brief(a).expect("a look").expect("there"), nodes.brief(b).expect("a look").expect("there"));
            assert!(!likeness.alike(&mut nodes, &a, &b).expect("a comparison"));
        }
        (nodes.texts_read, likeness.cut)
    };
    assert_eq!(compared(Deadline::after(Duration::ZERO)), (32, true));
    assert_eq!(compared(Deadline::NEVER), (MANY as u64, false));
}

#[test]
fn a_claim_that_is_renewed_again_and_again_and_a_fact_that_is_revised_cost_no_more_for_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().durability(crate::Durability::Normal).open(folder.path().join(".stele")).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    let task = recorder.task("Long work").record().expect("recorded").id.to_string();
    let fact = recorder.fact(crate::Category::Fyi, "What changes").record().expect("recorded").id.to_string();
    let mut head = 0;
    for nth in 0..3 * MANY {
        recorder.claim(task.as_str()).lease(Duration::from_secs(600)).take().expect("claimed");
        recorder.revise(&fact, crate::Revision::new().body(nth.to_string())).expect("revised");
        head = if nth == 2 { record.head().expect("a head") } else { head };
    }
    let retriever = record.retriever();
    let reads: [(&str, &dyn Fn()); 5] = [
        ("get", &|| drop(retriever.get(&task).expect("a node"))),
        ("tasks", &|| assert_eq!(retriever.tasks(Some("tester"), None).expect("a list").len(), 1)),
        ("start", &|| assert_eq!(retriever.snapshot().expect("a snapshot").held_by(Some("tester"), "s").expect("a list").len(), 1)),
        ("get as of then", &|| drop(record.retriever_as_of(AsOf::Sequence(head)).get(&fact).expect("a node"))),
        ("get as of lately", &|| {
            let lately = AsOf::Sequence(record.head().expect("a head") - 4);
            assert_eq!(record.retriever_as_of(lately).get(&fact).expect("a node").body, (3 * MANY - 3).to_string());
        }),
    ];
    for (name, read) in reads {
        let ((), done) = work(read);
        assert!(done <= 1, "{done} for {name}");
    }
}

#[test]
fn where_the_last_operations_begin_is_told_by_their_number_and_by_what_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().without_embedder().open(folder.path().join(".stele")).expect("a record");
    let lately = |most, bytes| record.retriever().snapshot().expect("a snapshot").lately(most, bytes).expect("a sequence");
    assert_eq!(lately(10, 1_000), 0);
    for length in [9_000, 200, 200, 50_000] {
        record.recorder("tester").expect("a recorder").document("Long", "x".repeat(length)).record().expect("recorded");
    }
    assert_eq!([lately(10, 1_000_000), lately(3, 1_000_000), lately(10, 52_000), lately(10, 1_000)], [1, 2, 2, 4]);
}

#[test]
fn the_history_of_what_was_purged_reads_once_what_was_purged() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = Record::options().without_embedder().durability(crate::Durability::Normal).open(folder.path().join(".stele")).expect("a record");
    let recorder = record.recorder("tester").expect("a recorder");
    let fact = recorder.fact(crate::Category::Fyi, "What changes").record().expect("recorded").id.to_string();
    (0..MANY).for_each(|nth| drop(recorder.revise(&fact, crate::Revision::new().body(format!("secret {nth}"))).expect("revised")));
    let before = work(|| record.retriever().history(&fact).expect("a history")).1;
    // Elsewhere in the log there is more, all of which is read where one looks for purges.
    (0..MANY).for_each(|nth| drop(recorder.fact(crate::Category::Fyi, format!("Other {nth}")).record().expect("recorded")));
    recorder.purge(&fact, "law", &[]).expect("purged");
    let (told, after) = work(|| record.retriever().history(&fact).expect("a history"));
    assert_eq!(told.len(), MANY + 2);
    assert!(after <= 2 * before + 30, "{after} beside {before}");
}
