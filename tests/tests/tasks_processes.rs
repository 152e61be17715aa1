//! Processes that want the same tasks: one winner each, every loser told, and what a killed holder leaves behind.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use stele_core::{Code, Durability, Record, TaskStatus};
use stele_tests::TestRecord;

const PROCESSES: usize = 16;
const TASKS: u64 = 1_000;

fn worker(arguments: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stele-worker"));
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    (child, out)
}

fn line_of(out: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    line.trim().to_owned()
}

/// Starts the processes, lets them go once all are there, and gives what each said.
fn race(dir: &Path, verb: &str, more: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut workers: Vec<_> = (0..PROCESSES)
        .map(|nth| {
            let own = format!("worker{nth}");
            let dir = dir.to_string_lossy();
            let (child, out) = worker(&[&[verb, &dir, &own], more].concat());
            (own, child, out)
        })
        .collect();
    workers.iter_mut().for_each(|(_, _, out)| assert_eq!(line_of(out), "here"));
    workers.iter_mut().for_each(|(_, child, _)| child.stdin.take().expect("its input").write_all(b"go\n").expect("it listens"));
    let said = workers.into_iter().map(|(own, mut child, out)| {
        let lines = out.lines().map(|line| line.expect("a line")).collect();
        assert!(child.wait().expect("it ends").success(), "{own}");
        (own, lines)
    });
    said.collect()
}

#[test]
fn sixteen_processes_race_over_a_thousand_tasks_and_each_has_one_winner_of_whom_all_others_are_told() {
    let test = TestRecord::with(|options| options.without_embedder().durability(Durability::Normal));
    test.recorder().transaction(|recorder| (0..TASKS).try_for_each(|nth| recorder.task(format!("Barometer {nth}")).record().map(drop))).expect("tasks");
    let said = race(&test.dir(), "race", &[&TASKS.to_string()]);

    let mut won: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut lost: Vec<(String, (String, String))> = Vec::new();
    for (own, lines) in &said {
        assert_eq!(lines.len() as u64, TASKS + 1);
        for line in &lines[..lines.len() - 1] {
            let [outcome, task, holder, since] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            match outcome {
                "won" => {
                    assert_eq!(holder, own);
                    assert_eq!(won.insert(task.to_owned(), (holder.to_owned(), since.to_owned())), None, "{task} has two winners");
                }
                _ => lost.push((task.to_owned(), (holder.to_owned(), since.to_owned()))),
            }
        }
    }
    assert_eq!((won.len() as u64, lost.len() as u64), (TASKS, TASKS * (PROCESSES as u64 - 1)));
    for (task, told) in lost {
        assert_eq!(won.get(&task), Some(&told), "{task}");
    }
    // One operation a task and none for losing; the views say the same as the winners.
    assert_eq!(test.record.verify_log().expect("a whole chain"), 2 * TASKS);
    let claimed = test.record.retriever().tasks(None, Some(TaskStatus::Claimed)).expect("tasks");
    assert_eq!(claimed.len() as u64, TASKS);
    for task in claimed {
        let claim = task.claim.expect("a holder");
        assert_eq!(won.get(&task.id.to_string()), Some(&(claim.holder, claim.since.unix_ms().to_string())));
    }
    assert!(won.values().map(|(holder, _)| holder).collect::<std::collections::BTreeSet<_>>().len() > 1, "nobody raced");
}

#[test]
fn of_sixteen_processes_that_want_the_one_open_task_one_gets_it_and_the_others_nothing() {
    let test = TestRecord::with(|options| options.without_embedder().durability(Durability::Normal));
    test.recorder().task("Barometer").record().expect("a task");
    let said = race(&test.dir(), "next", &[]);
    let won: Vec<&String> = said.iter().filter(|(_, lines)| lines == &["won TASK-1"]).map(|(own, _)| own).collect();
    assert_eq!((won.len(), said.iter().filter(|(_, lines)| lines == &["none"]).count()), (1, PROCESSES - 1));
    let task = &test.record.retriever().tasks(Some(won[0]), Some(TaskStatus::Claimed)).expect("tasks")[0];
    assert_eq!(task.id.to_string(), "TASK-1");
}

#[test]
fn a_holder_that_was_killed_loses_its_task_when_the_lease_ends_and_not_before() {
    let test = TestRecord::new();
    test.recorder().task("Barometer").record().expect("a task");
    let (mut child, mut out) = worker(&["hold", &test.dir().to_string_lossy(), "doomed", "TASK-1", "60000"]);
    assert_eq!(line_of(&mut out), "held");
    child.kill().expect("killed");
    child.wait().expect("it ended");

    let record: Record = test.again();
    let other = record.recorder("other").expect("a recorder");
    test.clock.set("2026-01-01T00:00:59.999Z");
    let lost = other.claim("TASK-1").take().expect("a result");
    assert!(!lost.granted && lost.holder == "doomed");
    assert!(other.claim_next().take().expect("a result").is_none());
    assert_eq!(other.complete("TASK-1", "done").expect_err("not its own").code(), Code::NotHolder);
    test.clock.set("2026-01-01T00:01:00Z");
    let taken = other.claim_next().take().expect("a result").expect("a task");
    assert!(taken.granted && taken.taken_from.as_deref() == Some("doomed"));
    // Were it not dead, it would be refused now.
    let late = record.recorder("doomed").expect("a recorder");
    assert_eq!(late.complete("TASK-1", "done").expect_err("too late").code(), Code::NotHolder);
}
