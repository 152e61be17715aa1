//! What the indexes cover, lose or have wrong changes no answer.
#![expect(clippy::disallowed_methods, reason = "work in the background is waited for")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use stele_core::{AsOf, Category, Code, Durability, Embedder, Error, Record, RetrieveOptions, Revision};
use stele_tests::TestRecord;

use crate::world::{Dice, QUESTIONS, answers, answers_of, answers_to, bytes_of, caught_up, copy, settle};

fn sequences(record: &Record) -> (u64, u64, u64) {
    let stats = record.retriever().retrieve("what is said about the barometer?", &RetrieveOptions::new()).expect("a window").stats;
    (stats.text_sequence, stats.vector_sequence, stats.head)
}

/// A record of the small world and its answers while nothing is indexed.
fn settled() -> (TestRecord, String) {
    let test = TestRecord::new();
    settle(&test.record);
    assert_eq!(sequences(&test.record), (0, 0, 30));
    let expected = answers(&test.record);
    assert!(expected.matches("KNOW-").count() > 100 && expected.contains("lamp turns twice"));
    (test, expected)
}

#[test]
fn what_the_indexes_cover_changes_no_answer() {
    let (test, expected) = settled();
    caught_up(&test.record);
    assert_eq!(sequences(&test.record), (30, 30, 30));
    assert_eq!(answers(&test.record), expected);
    assert_eq!(answers(&test.again()), expected);
    for folders in [&["text"][..], &["vectors"], &["text", "vectors"]] {
        for folder in folders {
            fs::remove_dir_all(test.dir().join(folder)).expect("there");
        }
        // Under the open handle, then for a new one, then made anew.
        assert_eq!(answers(&test.record), expected, "{folders:?}");
        assert_eq!(answers(&test.again()), expected, "{folders:?}");
        caught_up(&test.again());
        assert_eq!(sequences(&test.record), (30, 30, 30), "{folders:?}");
        assert_eq!(answers(&test.record), expected, "{folders:?}");
    }
}

#[test]
fn what_the_indexes_cover_changes_no_answer_about_the_past() {
    let (test, _) = settled();
    caught_up(&test.record);
    test.record.close();
    let half = test.outside().join("half");
    copy(&test.dir(), &half);

    let record = test.again();
    let recorder = record.recorder("tester").expect("a recorder");
    recorder.revise("KNOW-2", Revision::new().body("The limiter is a barometer now, kept in the token cache.")).expect("revised");
    recorder.revise("DOC-25", Revision::new().body("# Lamp\n\nThe lamp stands still.\n\n# Keeper\n\nThe keeper left.")).expect("revised");
    recorder.revise("KNOW-19", Revision::new().title("The retry queue came back")).expect("revised");
    recorder.fact(Category::Lesson, "The lamp of the barometer broke").body("See KNOW-2.").record().expect("a fact");
    recorder.supersede("KNOW-27", "KNOW-3").reason("it broke").evidence("The lamp of the barometer broke").record().expect("a retirement");
    recorder.purge("KNOW-5", "named a person", &[]).expect("purged");
    let head = record.head().expect("a head");
    caught_up(&record);
    record.close();
    let none = test.outside().join("none");
    copy(&test.dir(), &none);
    for folder in ["text", "vectors"] {
        fs::remove_dir_all(none.join(folder)).expect("there");
        // Indexes that end at the thirtieth operation, with the record as it is now.
        copy(&half.join(folder), &test.outside().join("later").join(folder));
    }
    fs::remove_dir_all(&half).expect("there");
    copy(&none, &half);
    for folder in ["text", "vectors"] {
        copy(&test.outside().join("later").join(folder), &half.join(folder));
    }

    let open = |dir: &Path| Record::options().clock(test.clock.clone()).read_only(true).open(dir).expect("opens");
    let (none, half, all) = (open(&none), open(&half), open(&test.dir()));
    assert_eq!([&none, &half, &all].map(sequences), [(0, 0, head), (30, 30, head), (head, head, head)]);
    let mut expected = Vec::new();
    for at in [1, 12, 25, 29, 30, 31, 32, 33, 34, 35, head - 1, 12, 32] {
        let ask = |record: &Record| answers_of(&QUESTIONS, &record.retriever_as_of(AsOf::Sequence(at)));
        let by_none = ask(&none);
        assert!(ask(&half) == by_none, "as of {at}, indexes of the half");
        assert!(ask(&all) == by_none, "as of {at}, indexes of all");
        expected.push(by_none);
    }
    assert_eq!((&expected[11], &expected[12]), (&expected[1], &expected[6]));
    let different: HashSet<&String> = expected.iter().collect();
    assert!(different.len() > 7, "only {} moments have answers of their own", different.len());
}

#[test]
fn threads_that_read_different_moments_at_once_are_each_answered_from_their_own() {
    for indexed in [true, false] {
        let (test, _) = settled();
        if indexed {
            caught_up(&test.record);
        }
        let ask = |record: &Record, at| answers_of(&QUESTIONS[..3], &record.retriever_as_of(AsOf::Sequence(at)));
        let expected = [4, 9, 14, 20, 25, 30].map(|at| (at, ask(&test.again(), at)));
        assert!(expected.iter().map(|(_, answer)| answer).collect::<HashSet<_>>().len() == expected.len());
        thread::scope(|scope| {
            for nth in 0..4 {
                let (record, expected) = (&test.record, &expected);
                scope.spawn(move || {
                    for round in 0..12 {
                        let (at, answer) = &expected[(nth + round * (nth + 1)) % expected.len()];
                        assert!(ask(record, *at) == *answer, "as of {at}, round {round}");
                    }
                });
            }
            (0..20).for_each(|_| write(&test.record, 3));
        });
    }
}

#[test]
fn a_damaged_index_is_not_believed_and_made_anew() {
    let (test, _) = settled();
    let expected = answers_to(&QUESTIONS[..3], &test.record);
    caught_up(&test.record);
    test.record.close();
    let whole = test.outside().join("whole");
    copy(&test.dir(), &whole);
    let files: Vec<_> = bytes_of(&whole).into_keys().filter(|path| path.starts_with(whole.join("text")) || path.starts_with(whole.join("vectors"))).collect();
    assert!(files.len() > 5, "{files:?}");
    let mut dice = Dice(7);
    for (nth, path) in files.iter().enumerate() {
        for damage in 0..5 {
            let dir = test.outside().join(format!("damaged-{nth}-{damage}"));
            copy(&whole, &dir);
            let target = dir.join(path.strip_prefix(&whole).expect("below"));
            let bytes = fs::read(&target).expect("a file");
            match damage {
                0 => fs::remove_file(&target).expect("there"),
                1 => fs::write(&target, b"").expect("a file"),
                2 => fs::write(&target, &bytes[..bytes.len() / 2]).expect("a file"),
                3 => fs::write(&target, vec![0; bytes.len()]).expect("a file"),
                _ => fs::write(&target, (0..bytes.len()).map(|_| dice.below(256) as u8).collect::<Vec<_>>()).expect("a file"),
            }
            let what = format!("{} damaged in way {damage}", target.display());
            let record = Record::options().clock(test.clock.clone()).open(&dir).expect("opens");
            assert!(answers_to(&QUESTIONS[..3], &record) == expected, "{what}");
            caught_up(&record);
            assert!(answers_to(&QUESTIONS[..3], &record) == expected, "{what}, made anew");
            assert_eq!(sequences(&record), (30, 30, 30), "{what}");
            record.close();
            fs::remove_dir_all(dir).expect("there");
        }
    }
}

#[test]
fn the_index_of_another_record_is_not_believed() {
    let (test, expected) = settled();
    let other = TestRecord::new();
    for nth in 0..30 {
        other.fact(Category::Fyi, &format!("The barometer number {nth}"), "hangs somewhere else");
    }
    caught_up(&other.record);
    for folders in [&["text"][..], &["vectors"], &["text", "vectors"]] {
        for under_an_open_handle in [true, false] {
            caught_up(&test.record);
            for folder in folders {
                let folder = test.dir().join(folder);
                fs::rename(&folder, test.outside().join("aside")).expect("moved");
                copy(&other.dir().join(folder.file_name().expect("a name")), &folder);
                fs::remove_dir_all(test.outside().join("aside")).expect("there");
            }
            if under_an_open_handle {
                assert_eq!(answers(&test.record), expected, "{folders:?}");
            }
            assert_eq!(answers(&test.again()), expected, "{folders:?}");
        }
    }
}

#[test]
fn after_a_backup_was_put_back_the_indexes_of_the_lost_history_are_not_believed() {
    let (test, _) = settled();
    test.record.close();
    crate::world::checkpoint(&test.dir());
    let backup = fs::read(test.dir().join("record.db")).expect("a backup");
    let write = |title: &str, count: usize| {
        let record = test.again();
        for nth in 0..count {
            record.recorder("tester").expect("a recorder").fact(Category::Fyi, format!("{title} {nth} about the barometer")).record().expect("a fact");
        }
        record
    };
    let lost = write("Lost", 12);
    caught_up(&lost);
    lost.close();
    crate::world::checkpoint(&test.dir());
    let restore = || {
        for name in ["record.db", "record.db-wal", "record.db-shm"] {
            let _ = fs::remove_file(test.dir().join(name));
        }
        fs::write(test.dir().join("record.db"), &backup).expect("restored");
    };
    // The log is shorter than what the indexes cover, as long, and longer.
    for count in [0, 5, 12, 20] {
        let indexed = test.outside().join(format!("indexed-{count}"));
        copy(&test.dir(), &indexed);
        restore();
        let record = write("Found", count);
        let seen = answers(&record);
        assert!(!seen.contains("Lost"), "{count}");
        assert_eq!(sequences(&record), (0, 0, 30 + count as u64));
        caught_up(&record);
        assert_eq!(sequences(&record), (30 + count as u64, 30 + count as u64, 30 + count as u64));
        assert!(answers(&record) == seen, "{count}");
        record.close();
        fs::remove_dir_all(test.dir()).expect("there");
        copy(&indexed, &test.dir());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn catching_up_at_any_point_changes_no_answer(verbs in prop::collection::vec((0..7u8, any::<u8>()), 4..40), caught in prop::collection::vec(any::<bool>(), 40)) {
        let (twin, plain) = (TestRecord::with(quick), TestRecord::with(quick));
        for ((verb, at), catch_up) in verbs.iter().zip(&caught) {
            for test in [&twin, &plain] {
                perform(test, *verb, *at);
            }
            if *catch_up {
                caught_up(&twin.record);
            }
        }
        prop_assert_eq!(answers(&twin.record), answers(&plain.record));
        prop_assert_eq!(answers(&twin.again()), answers(&plain.record));
        prop_assert_eq!(sequences(&plain.record).0, 0);
    }
}

fn quick(options: stele_core::RecordOptions) -> stele_core::RecordOptions {
    options.durability(Durability::Normal)
}

fn perform(test: &TestRecord, verb: u8, at: u8) {
    let recorder = test.recorder();
    let last = test.record.head().expect("a head").max(1);
    let id = format!("KNOW-{}", u64::from(at) % last + 1);
    let words = ["barometer", "limiter", "lighthouse", "lamp", "retry queue", "token cache", "module_7.rs"];
    let word = words[usize::from(at) % words.len()];
    // What a node does not allow is refused on both sides alike.
    let _ = match verb {
        0 => recorder.revise(&id, Revision::new().body(format!("Now about the {word}, see KNOW-{}", at / 9))).map(drop),
        1 => recorder.archive(&id, "out of use").map(drop),
        2 => recorder.document(format!("Handbook {at}"), format!("# One\n\nThe {word} turns.\n\n# Two\n\nRead the {word} at noon.")).record().map(drop),
        3 => recorder.supersede(&id, &format!("KNOW-{}", at % 5 + 1)).reason("it ended").unverified().record(),
        4 => recorder.rule(format!("Rule {at}"), format!("Keep the {word} dry.")).routing(|rule| rule.mandatory = at.is_multiple_of(2)).record().map(drop),
        _ => recorder.fact(Category::ALL[usize::from(at) % 9], format!("The {word} number {at}")).body(format!("about the {word}")).record().map(drop),
    };
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn write(record: &Record, count: usize) {
    let recorder = record.recorder("tester").expect("a recorder");
    let mut left = count;
    while left > 0 {
        let batch = left.min(64);
        recorder.transaction(|recorder| (0..batch).try_for_each(|nth| recorder.fact(Category::Fyi, format!("Fact {nth}")).record().map(drop))).expect("facts");
        left -= batch;
    }
}

#[test]
fn a_long_lived_handle_catches_up_in_the_background_and_a_young_one_does_not() {
    for meaning in [true, false] {
        let test = TestRecord::with(|options| if meaning { quick(options) } else { quick(options).without_embedder() });
        thread::sleep(Duration::from_millis(1_050));
        write(&test.record, 256);
        assert_eq!(sequences(&test.record).0, 0, "a tail of 256 is no tail to speak of");
        write(&test.record, 1);
        wait_for("it catches up in the background", || {
            let (text, vectors, head) = sequences(&test.record);
            text == head && (vectors == head || !meaning)
        });
        // What is written next stays in the tail.
        write(&test.record, 1);
        thread::sleep(Duration::from_millis(100));
        assert_eq!((sequences(&test.record).0, sequences(&test.record).2), (257, 258));
    }
    let test = TestRecord::with(|options| quick(options).without_embedder());
    let young = test.again();
    write(&young, 300);
    if young_enough(&young) {
        assert_eq!(sequences(&young).0, 0);
    }
}

/// False on a machine so slow that the handle grew old while it wrote.
fn young_enough(record: &Record) -> bool {
    sequences(record).0 == 0
}

#[test]
fn an_embedder_that_fails_holds_up_neither_writing_nor_the_index_of_words() {
    struct Broken;
    impl stele_core::Embedder for Broken {
        fn name(&self) -> &str {
            "broken"
        }
        fn dimensions(&self) -> usize {
            8
        }
        fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
            Err("the model is not there".into())
        }
    }
    let test = TestRecord::with(|options| quick(options).embedder(std::sync::Arc::new(Broken)));
    thread::sleep(Duration::from_millis(1_050));
    write(&test.record, 300);
    wait_for("words are indexed", || sequences(&test.record).0 == 300);
    for nth in 0..5 {
        test.fact(Category::Fyi, &format!("Word{nth}"), "");
        thread::sleep(Duration::from_millis(30));
    }
    // Every write wakes the one who would index meaning; what is short for words stays a tail.
    assert_eq!(sequences(&test.record), (300, 0, 305));
    assert!(!test.record.retriever().search("Word3", &stele_core::SearchOptions::new()).expect("hits").is_empty());
}

#[test]
fn while_the_indexes_are_made_anew_others_search_those_that_are_there() {
    /// Looks, as often as it is asked, how far the indexes go for another handle.
    #[derive(Default)]
    struct Looking {
        other: OnceLock<Record>,
        seen: Mutex<Vec<(u64, u64, u64)>>,
    }
    impl Embedder for Looking {
        fn name(&self) -> &str {
            "looking"
        }
        fn dimensions(&self) -> usize {
            8
        }
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
            if let Some(other) = self.other.get() {
                self.seen.lock().expect("no panic").push(sequences(other));
            }
            Ok(texts.iter().map(|text| (0..8u8).map(|nth| f32::from(text.as_bytes()[usize::from(nth) % text.len()])).collect()).collect())
        }
    }
    let looking = Arc::new(Looking::default());
    let test = TestRecord::with(|options| options.embedder(Arc::clone(&looking) as Arc<dyn Embedder>));
    settle(&test.record);
    caught_up(&test.record);
    let other = Record::options().embedder(Arc::new(Looking::default())).open(test.dir()).expect("opens");
    assert!(looking.other.set(other).is_ok());
    test.record.reembed().expect("made anew");
    let seen = std::mem::take(&mut *looking.seen.lock().expect("no panic"));
    assert!(!seen.is_empty() && seen.iter().all(|covers| *covers == (30, 30, 30)), "{seen:?}");
    assert_eq!(sequences(looking.other.get().expect("set above")), (30, 30, 30));
    let mut names: Vec<String> = fs::read_dir(test.dir()).expect("there").map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect();
    names.retain(|name| name.contains("text") || name.contains("vectors"));
    names.sort_unstable();
    assert_eq!(names, ["text", "vectors"]);
}

#[test]
fn making_the_indexes_anew_waits_for_whoever_writes_them_as_long_as_a_writer_would() {
    let test = TestRecord::with(|options| options.busy_timeout(Duration::from_secs(60)));
    settle(&test.record);
    caught_up(&test.record);
    let held = fs::File::options().write(true).open(test.dir().join("index.lock")).expect("there");
    let purged = || test.recorder().purge("KNOW-3", "the law", &[]).map(|purged| assert!(purged.complete));
    let verbs: [&(dyn Fn() -> Result<(), Error> + Sync); 3] = [&|| test.record.rebuild_indexes(), &|| test.record.reembed(), &purged];
    for verb in verbs {
        held.lock().expect("nobody is at it");
        thread::scope(|scope| {
            let call = scope.spawn(verb);
            thread::sleep(Duration::from_millis(30));
            assert!(!call.is_finished(), "it waits");
            held.unlock().expect("let go of");
            call.join().expect("no panic").expect("made anew");
        });
    }
    let impatient = Record::options().busy_timeout(Duration::ZERO).open(test.dir()).expect("opens");
    held.lock().expect("nobody is at it");
    assert_eq!(impatient.rebuild_indexes().expect_err("another writes them").code(), Code::Busy);
}

#[test]
fn a_handle_that_leaves_a_long_tail_behind_catches_up_as_it_closes() {
    let test = TestRecord::with(|options| quick(options).without_embedder());
    let record = Record::options().durability(Durability::Normal).without_embedder().open(test.dir()).expect("opens");
    write(&record, 300);
    record.close();
    let (text, _, head) = sequences(&test.record);
    assert!(head - text <= 256, "{text} of {head}");
}

#[test]
fn one_handle_catches_up_at_a_time_and_the_other_does_not_wait() {
    let test = TestRecord::with(quick);
    write(&test.record, 600);
    let other = test.again();
    thread::scope(|scope| {
        let handles = [&test.record, &other, &test.record, &other].map(|record| scope.spawn(move || record.catch_up().expect("no error")));
        for handle in handles {
            handle.join().expect("no panic");
        }
    });
    caught_up(&test.record);
    assert_eq!(sequences(&other).0, 600);
    assert_eq!(sequences(&test.record).0, 600);
}

#[test]
fn an_index_that_cannot_be_written_costs_only_time() {
    let (test, expected) = settled();
    for folder in ["text", "vectors"] {
        fs::write(test.dir().join(folder), "a file in place of the folder").expect("a file");
    }
    assert_eq!(answers(&test.record), expected);
    let error = test.record.catch_up().expect_err("no folder can be made");
    assert_eq!(error.kind(), stele_core::ErrorKind::Io, "{error}");
    assert_eq!(answers(&test.again()), expected);
    test.fact(Category::Fyi, "Still written", "");
    assert!(Path::new(&test.dir().join("text")).is_file(), "what is not ours stays");
}
