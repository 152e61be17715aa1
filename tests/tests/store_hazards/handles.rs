//! Several handles and threads of one process.
#![expect(clippy::disallowed_methods, reason = "threads race on purpose")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stele_core::{Category, Code, Durability, Record, RetrieveOptions, SearchOptions};
use stele_tests::TestRecord;

use crate::world::settle;

#[test]
fn two_handles_of_one_process_see_each_others_writes_at_once() {
    let test = TestRecord::with(|options| options.durability(Durability::Normal));
    let other = test.again();
    for nth in 0..20 {
        let (writer, reader) = if nth % 2 == 0 { (&test.record, &other) } else { (&other, &test.record) };
        let id = writer.recorder("tester").expect("a recorder").fact(Category::Fyi, format!("Word{nth} here")).record().expect("a fact").id;
        assert_eq!(reader.retriever().get(&id.to_string()).expect("seen").id, id);
        assert_eq!(reader.retriever().search(&format!("Word{nth}"), &SearchOptions::new()).expect("hits")[0].id, id);
        if nth % 7 == 0 {
            reader.catch_up().expect("caught up");
        }
    }
    assert_eq!((test.record.head_hash().expect("a hash"), test.record.verify_log().expect("whole")), (other.head_hash().expect("a hash"), 20));
}

#[test]
fn handles_of_one_process_that_write_at_once_get_no_lock_error() {
    let test = TestRecord::with(|options| options.durability(Durability::Normal).without_embedder());
    thread::scope(|scope| {
        for thread in 0..4 {
            let test = &test;
            scope.spawn(move || {
                let record = Record::options().without_embedder().durability(Durability::Normal).open(test.dir()).expect("opens");
                let recorder = record.recorder(&format!("writer {thread}")).expect("a recorder");
                for nth in 0..50 {
                    recorder.fact(Category::Fyi, format!("{thread} {nth}")).record().expect("no lock error");
                    if nth % 10 == 0 {
                        record.catch_up().expect("caught up, here or elsewhere");
                    }
                }
            });
        }
    });
    assert_eq!(test.record.verify_log().expect("a whole chain"), 200);
}

#[test]
fn a_closed_handle_refuses_everything_and_what_was_acknowledged_is_there() {
    let test = TestRecord::with(|options| options.durability(Durability::Normal).without_embedder());
    let record = test.again();
    let acknowledged = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..3 {
            let (record, acknowledged) = (&record, &acknowledged);
            scope.spawn(move || {
                let recorder = record.recorder("tester").expect("a recorder");
                for nth in 0.. {
                    match recorder.fact(Category::Fyi, format!("{thread} {nth}")).record() {
                        Ok(_) => acknowledged.fetch_add(1, Ordering::SeqCst),
                        Err(error) => {
                            assert_eq!(error.code(), Code::Closed, "{error:?}");
                            break;
                        }
                    };
                }
            });
            scope.spawn(move || {
                let retriever = record.retriever();
                loop {
                    if let Err(error) = retriever.retrieve("what do we know about 1 and about 2 here?", &RetrieveOptions::new()) {
                        break assert_eq!(error.code(), Code::Closed, "{error:?}");
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(150));
        record.close();
    });
    let count = acknowledged.load(Ordering::SeqCst);
    assert!(count > 0);
    assert_eq!(test.record.verify_log().expect("a whole chain"), count);
    for error in [record.head().err(), record.recorder("a").err(), record.catch_up().err(), record.health().err(), record.retriever().get("KNOW-1").err()] {
        assert_eq!(error.expect("closed").code(), Code::Closed);
    }
    record.close();
}

#[test]
fn a_recorder_outlives_its_record_only_to_say_that_it_is_closed() {
    let test = TestRecord::new();
    let record = test.again();
    let (recorder, retriever) = (record.recorder("tester").expect("a recorder"), record.retriever());
    drop(record);
    assert_eq!(recorder.fact(Category::Fyi, "Late").record().expect_err("closed").code(), Code::Closed);
    assert_eq!(recorder.transaction(|_| Ok(())).expect_err("closed").code(), Code::Closed);
    assert_eq!(retriever.get("KNOW-1").expect_err("closed").code(), Code::Closed);
}

#[test]
fn a_transaction_that_is_under_way_as_the_handle_closes_ends_whole() {
    let test = TestRecord::new();
    let record = test.again();
    let done = record.recorder("tester").expect("a recorder").transaction(|recorder| {
        recorder.fact(Category::Fyi, "Before").record()?;
        record.close();
        recorder.fact(Category::Fyi, "After").record().map(drop)
    });
    let head = test.record.verify_log().expect("a whole chain");
    assert_eq!(head, if done.is_ok() { 2 } else { 0 });
}

#[test]
fn the_write_ahead_log_is_bounded_once_a_long_reader_is_done_and_nobody_waits_for_that() {
    let test = TestRecord::with(|options| options.durability(Durability::Normal).without_embedder());
    let recorder = test.recorder();
    let length = || std::fs::metadata(test.dir().join("record.db-wal")).expect("there").len();
    let reader = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    reader.execute_batch("BEGIN").expect("a transaction");
    let rows: i64 = reader.query_row("SELECT count(*) FROM log", [], |row| row.get(0)).expect("a snapshot");
    thread::sleep(Duration::from_millis(1_050));
    let body = "word ".repeat(1024 * 1024 / 5);
    for nth in 0..12 {
        recorder.document(format!("Long {nth}"), &*body).record().expect("a document");
    }
    assert!(length() > 16 * 1024 * 1024, "{}", length());
    // A write that waited for the reader would be busy.
    for nth in 0..20 {
        recorder.fact(Category::Fyi, format!("Fact {nth}")).record().expect("a fact");
    }
    assert_eq!(rows, reader.query_row("SELECT count(*) FROM log", [], |row| row.get::<_, i64>(0)).expect("the same snapshot"));
    reader.execute_batch("COMMIT").expect("the reader is done");
    for nth in 0..200 {
        recorder.fact(Category::Fyi, format!("After {nth}")).record().expect("a fact");
        if length() < 16 * 1024 * 1024 {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert!(length() < 16 * 1024 * 1024, "{}", length());
    assert_eq!(test.record.verify_log().expect("a whole chain"), test.record.head().expect("a head"));
}

#[test]
fn threads_and_files_of_a_handle_end_with_it() {
    if !std::path::Path::new("/proc/self/fd").exists() {
        return;
    }
    let of_dir = |dir: &std::path::Path| {
        let open = std::fs::read_dir("/proc/self/fd")
            .expect("a folder")
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .filter(|path| path.starts_with(dir))
            .count();
        let mapped = std::fs::read_to_string("/proc/self/maps").expect("a file").lines().filter(|line| line.contains(&*dir.to_string_lossy())).count();
        open + mapped
    };
    let test = TestRecord::with(|options| options.durability(Durability::Normal));
    settle(&test.record);
    test.record.close();
    // Whoever keeps a handle that was closed, or a reader of one, keeps nothing open.
    let mut closed = Vec::new();
    for _ in 0..10 {
        let record = test.again();
        record.recorder("tester").expect("a recorder").fact(Category::Fyi, "One more").record().expect("a fact");
        record.catch_up().expect("caught up");
        record.retriever().retrieve("one more of these facts, please", &RetrieveOptions::new().session("s").deliver()).expect("a window");
        assert!(of_dir(&test.dir()) > 0);
        record.close();
        closed.push((record.retriever(), record));
    }
    // What was under way when a handle closed ends by itself.
    let end = Instant::now() + Duration::from_secs(60);
    while of_dir(&test.dir()) > 0 && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(of_dir(&test.dir()), 0);
    for (retriever, record) in closed {
        assert_eq!(record.catch_up().expect_err("closed").code(), Code::Closed);
        assert_eq!(retriever.retrieve("one more of these facts, please", &RetrieveOptions::new()).expect_err("closed").code(), Code::Closed);
    }
    assert_eq!(of_dir(&test.dir()), 0);
}
