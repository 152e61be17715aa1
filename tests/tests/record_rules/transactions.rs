//! Several verbs as one step.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use stele_core::{Category, Code, Error, Recorder, Relation, Result};
use stele_tests::TestRecord;

use super::refused;

fn fact(recorder: &Recorder<'_>, title: &str) -> Result<String> {
    Ok(recorder.fact(Category::Fyi, title).record()?.id.to_string())
}

#[test]
fn all_verbs_of_a_transaction_are_written_or_none() {
    let test = TestRecord::new();
    let ids = test.recorder().transaction(|recorder| {
        let a = fact(recorder, "A")?;
        let b = recorder.fact(Category::Fyi, "B").body(format!("names {a}")).record()?.id.to_string();
        recorder.link(&a, Relation::RelatesTo, &b)?;
        recorder.revise(&a, stele_core::Revision::new().title("A again"))?;
        recorder.retag(&a, &["x"], &[])?;
        Ok((a, b))
    });
    let (a, b) = ids.expect("a transaction");
    assert_eq!(test.record.head().expect("a head"), 5);
    assert_eq!(test.record.retriever().get(&a).expect("a fact").title, "A again");
    let again = refused(&test, Code::EdgeExists, None, |recorder| {
        recorder.transaction(|recorder| {
            fact(recorder, "C")?;
            recorder.archive(&b, "gone")?;
            recorder.link(&a, Relation::RelatesTo, &b)
        })
    });
    assert!(again.to_string().contains("relates-to"), "{again}");
    assert_eq!(test.record.retriever().get(&b).expect("a fact").state, stele_core::State::Live);
    assert_eq!(fact(&test.recorder(), "D").expect("a fact"), "KNOW-3", "no number was used up");
    assert_eq!(test.record.verify_log().expect("a whole chain"), 6);
}

#[test]
fn a_verb_that_fails_inside_changes_nothing_and_the_rest_goes_on() {
    let test = TestRecord::new();
    test.recorder()
        .transaction(|recorder| {
            fact(recorder, "A")?;
            for _ in 0..3 {
                let failed = recorder.add(stele_core::Draft::fact(Category::Fyi, "B").alias("x-1").under("COMP-7"));
                assert_eq!(failed.expect_err("refused").code(), Code::UnknownNode);
                assert_eq!(recorder.link("KNOW-1", Relation::Blocks, "KNOW-1").expect_err("refused").code(), Code::SelfEdge);
            }
            recorder.alias("KNOW-1", "x-1").map(drop)
        })
        .expect("a transaction");
    assert_eq!(test.record.head().expect("a head"), 2);
    assert_eq!(test.record.verify_log().expect("a whole chain"), 2);
}

#[test]
fn a_transaction_inside_another_is_undone_by_itself() {
    let test = TestRecord::new();
    test.recorder()
        .transaction(|outer| {
            fact(outer, "Kept")?;
            let inner = outer.transaction(|inner| {
                fact(inner, "Undone")?;
                let deepest = inner.transaction(|deepest| {
                    fact(deepest, "Undone too")?;
                    Ok(())
                });
                deepest?;
                Err::<(), Error>(inner.review("KNOW-77", "").expect_err("unknown"))
            });
            assert_eq!(inner.expect_err("it failed").code(), Code::UnknownNode);
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                outer.transaction(|inner| -> Result<()> {
                    fact(inner, "Undone by a panic")?;
                    panic!("a host's panic")
                })
            }));
            assert!(panicked.is_err());
            outer.transaction(|inner| fact(inner, "Kept as well")).map(drop)
        })
        .expect("a transaction");
    let titles: Vec<String> = ["KNOW-1", "KNOW-2"].iter().map(|id| test.record.retriever().get(id).expect("a fact").title).collect();
    assert_eq!(titles, ["Kept", "Kept as well"]);
    assert_eq!(test.record.verify_log().expect("a whole chain"), 2);
}

#[test]
fn a_panic_inside_rolls_back_and_the_record_goes_on() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        recorder.transaction(|recorder| -> Result<()> {
            fact(recorder, "A")?;
            panic!("a host's panic")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(test.record.head().expect("a head"), 0);
    assert_eq!(fact(&recorder, "B").expect("a fact"), "KNOW-1");
}

#[test]
fn a_transaction_that_takes_too_long_gives_the_lock_back_in_time_and_writes_nothing() {
    let test = TestRecord::with(|options| options.without_embedder());
    fact(&test.recorder(), "Before").expect("a fact");
    let other = test.again();
    let (began, has_begun) = mpsc::channel();
    let (written, is_written) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            has_begun.recv().expect("the transaction begins");
            written.send(fact(&other.recorder("other").expect("a recorder"), "Waited")).expect("the transaction waits for it");
        });
        let error = test.recorder().transaction(|recorder| {
            fact(recorder, "Too late")?;
            began.send(()).expect("the other waits for it");
            // The other gets the lock while this goes on.
            let id = is_written.recv().expect("an answer").expect("the lock was free in time");
            assert_eq!(id, "KNOW-2");
            // Whatever comes after the limit fails, and a host that goes on regardless changes nothing.
            let late = fact(recorder, "Later still").expect_err("the time is over");
            assert_eq!((late.code(), late.retryable()), (Code::TransactionTimeout, true), "{late}");
            Ok(())
        });
        assert_eq!(error.expect_err("the time is over").code(), Code::TransactionTimeout);
    });
    assert_eq!(test.record.verify_log().expect("a whole chain"), 2);
}

#[test]
fn a_writer_that_waits_in_vain_is_busy_and_a_reader_never_waits() {
    let test = TestRecord::with(|options| options.busy_timeout(Duration::from_millis(100)));
    let other = stele_core::Record::options().busy_timeout(Duration::from_millis(100)).open(test.dir()).expect("opens");
    fact(&test.recorder(), "Before").expect("a fact");
    test.recorder()
        .transaction(|recorder| {
            fact(recorder, "Inside")?;
            for record in [&test.record, &other] {
                assert_eq!(record.head().expect("a head"), 1);
                assert_eq!(record.retriever().get("KNOW-1").expect("a fact").title, "Before");
                let busy = fact(&record.recorder("other").expect("a recorder"), "No").expect_err("busy");
                assert_eq!((busy.code(), busy.retryable()), (Code::Busy, true));
            }
            Ok(())
        })
        .expect("a transaction");
    assert_eq!(other.head().expect("a head"), 2);
}

#[test]
fn a_writer_may_wait_for_as_long_as_there_is_time() {
    let test = TestRecord::with(|options| options.busy_timeout(Duration::MAX));
    fact(&test.recorder(), "One").expect("a fact");
    test.record.compact().expect("nobody is in the way");
    assert_eq!(test.record.head().expect("a head"), 1);
}

#[test]
fn threads_share_a_recorder_alone_and_inside_a_transaction() {
    let test = TestRecord::with(|options| options.without_embedder());
    let recorder = test.recorder();
    thread::scope(|scope| {
        for thread in 0..4 {
            let recorder = &recorder;
            scope.spawn(move || (0..25).for_each(|n| drop(fact(recorder, &format!("{thread} {n}")).expect("a fact"))));
        }
    });
    recorder
        .transaction(|recorder| {
            thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || (0..25).for_each(|n| drop(fact(recorder, &format!("in {thread} {n}")).expect("a fact"))));
                }
            });
            Ok(())
        })
        .expect("a transaction");
    assert_eq!(test.record.verify_log().expect("a whole chain"), 200);
    for number in 1..=200 {
        test.record.retriever().get(&format!("KNOW-{number}")).expect("no gap");
    }
}

#[test]
fn a_held_transaction_is_one_step_that_nobody_sees_before_its_end() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let held = recorder.begin_transaction().expect("begun");
    fact(held.recorder(), "A").expect("a fact");
    fact(held.recorder(), "B").expect("a fact");
    assert_eq!(test.record.head().expect("a head"), 0);
    held.commit().expect("committed");
    assert_eq!(test.record.head().expect("a head"), 2);

    let dropped = recorder.begin_transaction().expect("begun");
    fact(dropped.recorder(), "Never").expect("a fact");
    drop(dropped);
    assert_eq!(fact(&recorder, "C").expect("the lock is free").as_str(), "KNOW-3");
}

#[test]
fn a_held_transaction_inside_another_ends_before_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let outer = recorder.begin_transaction().expect("begun");
    fact(outer.recorder(), "Kept").expect("a fact");
    let undone = outer.recorder().begin_transaction().expect("begun");
    fact(undone.recorder(), "Undone").expect("a fact");
    drop(undone);
    let inner = outer.recorder().begin_transaction().expect("begun");
    let deepest = inner.recorder().begin_transaction().expect("begun");
    fact(deepest.recorder(), "Kept too").expect("a fact");
    deepest.commit().expect("kept");
    inner.commit().expect("kept");
    outer.commit().expect("committed");
    assert_eq!(test.record.head().expect("a head"), 2);
    assert_eq!(test.record.verify_log().expect("a whole chain"), 2);

    let outer = recorder.begin_transaction().expect("begun");
    let inner = outer.recorder().begin_transaction().expect("begun");
    fact(inner.recorder(), "Of the inner one").expect("a fact");
    assert_eq!(outer.commit().expect_err("one is open").code(), Code::WrongState);
    assert_eq!(fact(inner.recorder(), "Late").expect_err("it is over").code(), Code::WrongState);
    assert_eq!(inner.commit().expect_err("it is over").code(), Code::WrongState);
    assert_eq!(test.record.head().expect("a head"), 2);

    let outer = recorder.begin_transaction().expect("begun");
    let middle = outer.recorder().begin_transaction().expect("begun");
    let inner = middle.recorder().begin_transaction().expect("begun");
    fact(inner.recorder(), "Of the inner one").expect("a fact");
    drop(middle);
    assert_eq!(inner.commit().expect_err("it went with the one around it").code(), Code::WrongState);
    assert_eq!(outer.commit().expect_err("it went as a whole").code(), Code::WrongState);
    assert_eq!(test.record.head().expect("a head"), 2);
}

#[test]
fn a_held_transaction_gives_the_lock_back_in_time() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let held = recorder.begin_transaction().expect("begun");
    fact(held.recorder(), "Too slow").expect("a fact");
    // Waits for the lock, which the held one gives back when its time is over.
    assert_eq!(fact(&recorder, "In time").expect("the lock is free").as_str(), "KNOW-1");
    assert_eq!(fact(held.recorder(), "Late").expect_err("its time is over").code(), Code::TransactionTimeout);
    assert_eq!(held.commit().expect_err("its time is over").code(), Code::TransactionTimeout);
    assert_eq!(test.record.head().expect("a head"), 1);
}
