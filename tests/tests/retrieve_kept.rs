//! What a handle keeps of its reads never shows: an answer is that of a handle that has read nothing, whoever wrote meanwhile.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use stele_core::{
    AsOf, Category, Embedder, Format, RecallOptions, Record, Relation, Retrieval, RetrieveOptions, Retriever, Revision, SearchOptions, Timestamp,
};
use stele_tests::TestRecord;

const PROMPTS: [&str; 3] =
    ["what do we know about the barometer in the hall?", "which risk follows from the gasket of the pump?", "is KNOW-3 still what we do with the ledger?"];
const WORDS: [&str; 8] = ["barometer", "hall", "gasket", "pump", "ledger", "lighthouse", "valve", "keeper"];

/// Everything that an answer says, but how far the indexes have come, which changes behind its back.
fn told(found: &Retrieval) -> String {
    let stats = (found.stats.head, found.stats.nodes, found.stats.edges, found.stats.texts);
    let counts: Vec<usize> = found.entries.iter().chain(&found.callouts).map(|entry| entry.tokens).collect();
    format!("{stats:?} {:?} {:?} {:?}\n{counts:?} {}\n{}", found.status, found.gaps, found.conflicts, found.tokens, found.render(Format::Text))
}

/// What a retriever answers to some prompts at an instant.
fn answers(retriever: &Retriever, now: Timestamp) -> Vec<String> {
    let mut all = Vec::new();
    for prompt in PROMPTS {
        for hops in [1, 2] {
            all.push(told(&retriever.retrieve(prompt, &RetrieveOptions::new().hops(hops).now(now)).expect("an answer")));
        }
        all.push(told(&retriever.recall(prompt, &RecallOptions::new().now(now)).expect("a briefing")));
        all.push(format!("{:?}", retriever.search(prompt, &SearchOptions::new()).expect("hits")));
    }
    all
}

fn opened(test: &TestRecord) -> Record {
    Record::options().create(false).clock(test.clock.clone()).open(test.dir()).expect("the record")
}

#[derive(Clone, Debug)]
enum Write {
    Fact(usize, usize, bool),
    Revise(usize, usize),
    Link(usize, usize, usize),
    Unlink(usize, usize, usize),
    Supersede(usize, usize),
    Archive(usize),
    Alias(usize),
    Tag(usize),
    Purge(usize),
}

fn write() -> impl Strategy<Value = Write> {
    let node = 0_usize..12;
    let relation = 0_usize..RELATIONS.len();
    prop_oneof![
        (0_usize..8, 0_usize..8, any::<bool>()).prop_map(|(a, b, risk)| Write::Fact(a, b, risk)),
        (node.clone(), 0_usize..8).prop_map(|(node, word)| Write::Revise(node, word)),
        (node.clone(), relation.clone(), node.clone()).prop_map(|(from, relation, to)| Write::Link(from, relation, to)),
        (node.clone(), relation, node.clone()).prop_map(|(from, relation, to)| Write::Unlink(from, relation, to)),
        (node.clone(), node.clone()).prop_map(|(newer, older)| Write::Supersede(newer, older)),
        node.clone().prop_map(Write::Archive),
        node.clone().prop_map(Write::Alias),
        node.clone().prop_map(Write::Tag),
        node.prop_map(Write::Purge),
    ]
}

const RELATIONS: [Relation; 4] = [Relation::RelatesTo, Relation::CausedBy, Relation::Blocks, Relation::Contradicts];

/// Does a write; one that the rules refuse changes nothing, which is as good.
fn carry_out(record: &Record, write: &Write, nth: usize) {
    let recorder = record.recorder("other").expect("a recorder");
    let id = |number: usize| format!("KNOW-{}", number + 1);
    let _ = match *write {
        Write::Fact(a, b, risk) => {
            let category = if risk { Category::Risk } else { Category::Decision };
            recorder.fact(category, format!("The {} and the {}", WORDS[a], WORDS[b])).body(format!("note {nth} of the {}", WORDS[b])).record().map(drop)
        }
        Write::Revise(node, word) => recorder.revise(&id(node), Revision::new().title(format!("The {} {nth}", WORDS[word]))).map(drop),
        Write::Link(from, relation, to) => recorder.link(&id(from), RELATIONS[relation], &id(to)),
        Write::Unlink(from, relation, to) => recorder.unlink(&id(from), RELATIONS[relation], &id(to), "no longer"),
        Write::Supersede(newer, older) => recorder.supersede(&id(newer), &id(older)).reason("it ended").evidence("a line").unverified().record(),
        Write::Archive(node) => recorder.archive(&id(node), "put away").map(drop),
        Write::Alias(node) => recorder.alias(&id(node), &format!("A-{nth}")).map(drop),
        Write::Tag(node) => recorder.retag(&id(node), &[WORDS[nth % 8]], &[]).map(drop),
        Write::Purge(node) => recorder.purge(&id(node), "it must go", &[]).map(drop),
    };
}

/// A record of eight facts, some of which end in time.
fn begun() -> TestRecord {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for (at, word) in WORDS.iter().enumerate() {
        let category = if at % 3 == 1 { Category::Risk } else { Category::Decision };
        let mut fact = recorder.fact(category, format!("The {word} of the {}", WORDS[(at + 3) % 8])).body(format!("how the {word} is kept in the hall"));
        if at % 2 == 0 {
            fact = fact.expires_at(Timestamp::parse("2026-02-01").expect("a time"));
        }
        fact.record().expect("a fact");
    }
    for (from, to) in [(1, 2), (2, 3), (3, 4), (5, 1), (6, 2)] {
        recorder.link(&format!("KNOW-{from}"), Relation::CausedBy, &format!("KNOW-{to}")).expect("an edge");
    }
    test
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn after_any_write_of_another_handle_an_answer_is_that_of_a_fresh_one(writes in prop::collection::vec(write(), 1..14)) {
        let test = begun();
        let (warm, other) = (opened(&test), opened(&test));
        let (before, after) = (Timestamp::parse("2026-01-10").expect("a time"), Timestamp::parse("2026-03-01").expect("a time"));
        answers(&warm.retriever(), before);
        for (nth, write) in writes.iter().enumerate() {
            carry_out(&other, write, nth);
            let fresh = opened(&test);
            for now in [after, before] {
                prop_assert_eq!(answers(&warm.retriever(), now), answers(&fresh.retriever(), now), "{:?} {}", write, now);
            }
            let head = warm.head().expect("a head");
            let earlier = AsOf::Sequence(head.saturating_sub(nth as u64));
            prop_assert_eq!(answers(&warm.retriever_as_of(earlier), before), answers(&fresh.retriever_as_of(earlier), before), "as of {:?}", earlier);
        }
    }
}

#[test]
fn what_ends_in_time_ends_for_a_handle_that_has_read_it_before() {
    let test = begun();
    let retriever = test.record.retriever();
    let [before, after] = ["2026-01-10", "2026-03-01"].map(|text| Timestamp::parse(text).expect("a time"));
    let live = answers(&retriever, before);
    let ended = answers(&retriever, after);
    assert_ne!(live, ended);
    assert_eq!(answers(&retriever, before), live);
    assert_eq!(answers(&opened(&test).retriever(), after), ended);
}

#[test]
fn a_purge_takes_a_text_out_of_a_past_that_was_read_before() {
    let test = begun();
    let (past, now) = (test.record.retriever_as_of(AsOf::Sequence(9)), Timestamp::parse("2026-01-10").expect("a time"));
    let before = answers(&past, now);
    test.recorder().purge("KNOW-2", "it must go", &[]).expect("a purge");
    let after = answers(&past, now);
    assert_ne!(before, after);
    assert_eq!(after, answers(&opened(&test).retriever_as_of(AsOf::Sequence(9)), now));
}

#[test]
fn beside_a_writing_process_every_answer_is_of_the_moment_that_it_says_it_read() {
    const TIMES: usize = 150;
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer of operation 1", "");
    let neighbour = test.fact(Category::Risk, "Barometer keeper", "");
    test.recorder().link("KNOW-1", Relation::CausedBy, &neighbour).expect("an edge");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let retriever = test.record.retriever();
                let mut moments = Vec::new();
                loop {
                    let last = done.load(Ordering::SeqCst);
                    let found = retriever.retrieve("what does KNOW-1 say of the barometer?", &RetrieveOptions::new()).expect("an answer");
                    let sequence = if found.stats.head == 3 { 1 } else { found.stats.head };
                    assert_eq!(found.entries[0].title, format!("Barometer of operation {sequence}"));
                    assert!(moments.last() <= Some(&sequence), "no answer goes back");
                    moments.push(sequence);
                    if last {
                        break;
                    }
                }
                assert_eq!(moments.last(), Some(&(TIMES as u64 + 3)));
            });
        }
        let mut writer = Command::new(env!("CARGO_BIN_EXE_stele-worker"));
        writer.arg("number").arg(test.dir()).args(["KNOW-1", &TIMES.to_string()]);
        assert!(writer.status().expect("a process").success());
        done.store(true, Ordering::SeqCst);
    });
}

/// Puts a record back to an older state while handles have it open, as `sqlite3 record.db ".restore old.db"` does.
fn restore(test: &TestRecord, backup: &str) {
    let old = rusqlite::Connection::open(test.outside().join(backup).join("record.db")).expect("the backup");
    let mut record = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record");
    let copying = rusqlite::backup::Backup::new(&old, &mut record).expect("a copy");
    copying.run_to_completion(100, Duration::ZERO, None).expect("copied");
}

#[test]
fn a_record_that_is_put_back_under_an_open_handle_is_found_as_it_is_then() {
    let now = Timestamp::parse("2026-01-10").expect("a time");
    for (indexed, written) in [(false, 2), (true, 1), (true, 2), (true, 5)] {
        let test = begun();
        test.record.backup(test.outside().join("old")).expect("a backup");
        test.fact(Category::Decision, "The gasket of the lighthouse", "is rubber");
        test.fact(Category::Risk, "The keeper of the valve", "is away");
        let warm = opened(&test);
        if indexed {
            warm.catch_up().expect("the indexes follow");
        }
        let past = AsOf::Sequence(14);
        answers(&warm.retriever(), now);
        answers(&warm.retriever_as_of(past), now);
        restore(&test, "old");
        let other = opened(&test);
        (0..written).for_each(|nth| drop(other.recorder("other").expect("a recorder").fact(Category::Decision, format!("The ledger {nth}")).record()));
        assert_eq!(answers(&warm.retriever(), now), answers(&opened(&test).retriever(), now), "indexed: {indexed}, written: {written}");
        let past = AsOf::Sequence(warm.head().expect("a head").min(14));
        assert_eq!(answers(&warm.retriever_as_of(past), now), answers(&opened(&test).retriever_as_of(past), now), "indexed: {indexed}, written: {written}");
        assert!(warm.catch_up().expect("the indexes follow"));
        let fresh = opened(&test);
        assert_eq!(answers(&warm.retriever(), now), answers(&fresh.retriever(), now), "indexed: {indexed}, written: {written}");
        assert!(fresh.health_full().expect("a look").findings.iter().all(|finding| !finding.check.ends_with("_index")));
    }
}

/// An embedder that is out of order at first, and then another model under the same name each time it is told to be.
#[derive(Default)]
struct Changing(AtomicUsize);

impl Embedder for Changing {
    fn name(&self) -> &str {
        "changing"
    }

    fn dimensions(&self) -> usize {
        16
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        let model = self.0.load(Ordering::SeqCst);
        if model == 0 {
            return Err("out of order".into());
        }
        let place = |word: &str| word.bytes().fold(model, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte))) % 16;
        Ok(texts.iter().map(|text| text.split(' ').fold(vec![0.1; 16], |mut vector, word| (vector[place(word)] += 1.0, vector).1)).collect())
    }
}

#[test]
fn vectors_that_come_later_or_are_made_anew_are_those_of_a_past_that_was_read_before() {
    let test = begun();
    let embedder = Arc::new(Changing::default());
    let open = || Record::options().embedder(embedder.clone()).clock(test.clock.clone()).open(test.dir()).expect("the record");
    let (warm, other) = (open(), open());
    let hits = |record: &Record| {
        let found = record.retriever_as_of(AsOf::Sequence(9)).search(PROMPTS[0], &SearchOptions::new()).expect("hits");
        found.iter().map(|hit| (hit.id.to_string(), hit.score.to_bits())).collect::<Vec<_>>()
    };
    let mut before = hits(&warm);
    for model in [1, 2] {
        embedder.0.store(model, Ordering::SeqCst);
        let made = if model == 1 { other.catch_up().map(|_| ()) } else { other.reembed() };
        made.expect("the indexes are made");
        let after = hits(&warm);
        assert_ne!(before, after, "model {model}");
        assert_eq!(after, hits(&open()), "model {model}");
        before = after;
    }
}

#[test]
fn each_passage_of_a_document_is_shown_to_who_asks_for_it() {
    let test = TestRecord::new();
    let document = |noon: &str| format!("# Lamp\n\nThe lamp of the lighthouse turns twice a minute.\n\n# Valve\n\nThe keeper closes the valve at {noon}.\n");
    let id = test.recorder().document("Handbook of the coast", document("noon")).record().expect("a document").id.to_string();
    let reader = opened(&test);
    for time in ["noon", "midnight"] {
        test.recorder().revise(&id, Revision::new().body(document(time))).expect("revised");
        for (prompt, passage) in [
            ("how often does the lamp of the lighthouse turn?", "twice a minute".to_owned()),
            ("who closes the valve, and when?", format!("the valve at {time}.")),
        ] {
            let shown = || {
                let found = reader.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a window");
                found.entries.first().expect("the document").body.clone()
            };
            let found = || reader.retriever().search(prompt, &SearchOptions::new()).expect("hits").first().expect("the document").snippet.clone();
            let (first, snippet) = (shown(), found());
            assert!(first.contains(&passage) && snippet.contains(&passage), "{first}, {snippet}");
            assert_eq!((shown(), found()), (first, snippet));
        }
    }
}
