//! Purging: no byte of the text is left in any file, the chain verifies, the rest is as it was.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use stele_core::{AssembleOptions, Category, Code, Draft, ExportForm, Record, Relation, RetrieveOptions, SearchMode, SearchOptions, State};
use stele_tests::{TestRecord, holding};

/// Words that stand in no other text and in no file of a record without them.
const SECRET: &str = "quagmirewort";
const TOKEN: &str = "Zx81Spectrum9471";
const LINE: &str = "the west gate opens to quagmirewort and Zx81Spectrum9471 every night";

/// A record whose second node holds what must go, in two revisions, and others that quote it.
fn record_with_a_secret(test: &TestRecord) -> String {
    let recorder = test.recorder();
    test.fact(Category::Decision, "Barometer in the hall", "stays");
    let secret = test.fact(Category::Decision, &format!("Gate code {TOKEN}"), LINE);
    recorder.revise(&secret, stele_core::Revision::new().body(format!("{LINE}\nsince {SECRET} came\nit is so"))).expect("revised");
    let quoting = test.fact(Category::Fyi, "Minutes of the meeting", &format!("Somebody said \u{201c}{LINE}\u{201d} aloud.\nThen we had tea."));
    let newer = test.fact(Category::Decision, "The gate stays shut", &format!("since {SECRET} came, no code"));
    recorder.link_because(&quoting, Relation::RelatesTo, &secret, &format!("because of {SECRET}"), "").expect("an edge");
    recorder.supersede(&newer, &secret).reason("the gate was closed").evidence(&format!("since {SECRET} came")).record().expect("a retirement");
    recorder.review(&secret, &format!("{SECRET} again")).expect("reviewed");
    recorder.alias(&secret, &format!("GATE-{TOKEN}")).expect("an alias");
    assert!(test.record.catch_up().expect("indexes"));
    let prompt = format!("which gate opens to {SECRET} every night?");
    test.record.retriever().retrieve(&prompt, &RetrieveOptions::new().session("s").deliver()).expect("a window");
    // A turn and the last obligations hold it, too.
    recorder.add(Draft::rule("Keep the gate shut", LINE).routing(|rule| rule.mandatory = true)).expect("a rule");
    let context = test.record.session("s").open().expect("a session").on_prompt(&secret, &AssembleOptions::new()).expect("a context");
    assert!(context.text.contains(LINE) && context.obligations.entries.len() == 1);
    let sessions = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the sessions");
    let holds = "SELECT (SELECT count(*) FROM turn WHERE instr(text, ?1) > 0) + (SELECT count(*) FROM obligations WHERE instr(rules, ?1) > 0)";
    assert_eq!(sessions.query_row(holds, [SECRET], |row| row.get::<_, i64>(0)).expect("a count"), 2);
    secret
}

#[test]
fn no_byte_of_the_text_is_left_in_any_file_and_the_chain_verifies() {
    let test = TestRecord::new();
    let secret = record_with_a_secret(&test);
    assert!(!holding(&test.dir(), &[SECRET, TOKEN]).is_empty());
    let purged = test.recorder().purge(&secret, &format!("{SECRET} must go"), &[SECRET]).expect("purged");
    assert!(purged.complete);
    assert_eq!(purged.id.to_string(), secret);
    assert_eq!(purged.others.iter().map(ToString::to_string).collect::<Vec<_>>(), ["KNOW-3", "KNOW-4", "RULE-5"]);
    assert_eq!(holding(&test.dir(), &[SECRET, TOKEN, "west gate opens"]), Vec::<String>::new());
    let head = test.record.verify_log().expect("a whole chain");
    assert_eq!(head, test.record.head().expect("a head"));
    for moment in [test.record.retriever(), test.record.retriever_as_of(stele_core::AsOf::Sequence(3))] {
        let node = moment.get(&secret).expect("a tombstone");
        assert_eq!((node.title.as_str(), node.body.as_str()), ("[purged]", ""));
        assert!(node.anchors.is_empty() && node.tags.is_empty() && node.source.is_none());
    }
    let retriever = test.record.retriever();
    assert_eq!(retriever.get(&secret).expect("a tombstone").state, State::Archived);
    assert_eq!(retriever.get("KNOW-3").expect("a fact").body, "Somebody said [purged] aloud.\nThen we had tea.");
    let history = retriever.history(&secret).expect("a history");
    assert_eq!(history.last().map(|item| (item.what.as_str(), item.why.as_str())), Some(("purged", "[purged] must go")));
    for mode in [SearchMode::Text, SearchMode::Hybrid] {
        let hits = retriever.search("which gate opens to quagmirewort", &SearchOptions::new().mode(mode)).expect("hits");
        assert!(hits.iter().all(|hit| hit.id.to_string() != secret), "{hits:?}");
    }
    assert!(test.record.health_full().expect("health").findings.iter().all(|finding| finding.check != "purge" && finding.check != "log"));
    assert_eq!(retriever.search("tea at the meeting", &SearchOptions::new()).expect("hits")[0].id.to_string(), "KNOW-3");
}

#[test]
fn a_purge_of_what_an_earlier_purge_left_a_skeleton_of_takes_that_too() {
    let test = TestRecord::new();
    let (first, second) = ("alphaword7711 is the first of them", "betaword8822 is the second of them");
    let one = test.fact(Category::Fyi, "One", first);
    let two = test.fact(Category::Fyi, "Two", &format!("{second}\nand {first}"));
    for (id, words, left) in
        [(&one, vec!["alphaword7711"], "betaword8822 is the second of them\nand [purged]"), (&two, vec!["alphaword7711", "betaword8822"], "")]
    {
        assert!(test.recorder().purge(id, "the law", &[]).expect("purged").complete);
        assert_eq!(test.record.retriever().get(&two).expect("a node").body, left);
        assert_eq!(holding(&test.dir(), &words), Vec::<String>::new());
        test.record.verify_log().expect("a whole chain");
    }
    let again = test.recorder().purge(&one, "the law", &[]).expect_err("purged already");
    assert_eq!(again.code(), Code::WrongState);
}

#[test]
fn a_tombstone_takes_no_new_text_and_what_else_is_wrong_is_refused() {
    let test = TestRecord::new();
    let secret = record_with_a_secret(&test);
    let recorder = test.recorder();
    assert_eq!(recorder.purge(&secret, " ", &[]).expect_err("no reason").code(), Code::EmptyField);
    assert_eq!(recorder.purge("KNOW-99", "the law", &[]).expect_err("unknown").code(), Code::UnknownNode);
    let token = format!("ghp{}", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let told = recorder.purge(&secret, &format!("{token} had leaked"), &[]).expect_err("a reason is kept");
    assert_eq!((told.code(), told.detail("field")), (Code::Secret, Some("why")));
    let inside = recorder.transaction(|recorder| recorder.purge(&secret, "the law", &[]).map(drop));
    assert_eq!(inside.expect_err("inside a transaction").code(), Code::WrongState);
    let head = test.record.head().expect("a head");
    recorder.purge(&secret, &format!("{token} had leaked"), &[SECRET, &token]).expect("what is to go goes from the reason, too");
    assert_eq!(test.record.head().expect("a head"), head + 1);
    let refused = recorder.revise(&secret, stele_core::Revision::new().body("new text")).expect_err("purged");
    assert_eq!(refused.code(), Code::WrongState);
    test.fact(Category::Fyi, "Afterwards", "as ever");
}

#[test]
fn a_log_with_purged_operations_moves_to_another_record() {
    let test = TestRecord::new();
    let secret = record_with_a_secret(&test);
    test.recorder().purge(&secret, "the law", &[SECRET]).expect("purged");
    let file = test.outside().join("log.jsonl");
    test.record.export_jsonl(&file, ExportForm::Log).expect("an export");
    let other = TestRecord::new();
    assert_eq!(other.record.import_log(&file).expect("imported"), test.record.head().expect("a head"));
    assert_eq!(other.record.head_hash().expect("a hash"), test.record.head_hash().expect("a hash"));
    assert_eq!(holding(&other.dir(), &[SECRET, TOKEN]), Vec::<String>::new());
    let body = |record: &Record| record.retriever().get("KNOW-3").expect("a fact").body;
    assert_eq!(body(&other.record), body(&test.record));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the process is killed at another moment each time")]
fn a_purge_that_is_killed_at_any_moment_is_ended_by_whoever_opens_next() {
    const LAST: u64 = 23;
    let mut ended = 0;
    for nth in 0..=LAST {
        let test = TestRecord::new();
        let secret = record_with_a_secret(&test);
        let dir = test.dir();
        test.record.close();
        let mut child = Command::new(env!("CARGO_BIN_EXE_stele-worker"))
            .args(["purge", dir.to_str().expect("a path in UTF-8"), &secret, SECRET])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("a line");
        if nth == LAST {
            // However slow the machine, one purge is over before it is killed.
            output.read_line(&mut line).expect("a line");
        }
        std::thread::sleep(Duration::from_micros(nth * 1_700));
        child.kill().expect("killed");
        child.wait().expect("gone");
        let record = Record::open(&dir).expect("a record");
        record.verify_log().expect("a whole chain");
        if record.retriever().get(&secret).expect("a node").title == "[purged]" {
            ended += 1;
            assert_eq!(holding(&dir, &[SECRET, TOKEN]), Vec::<String>::new(), "killed after {nth} steps");
        }
    }
    assert!(ended > 0, "no purge was under way");
}

#[test]
fn a_reader_in_the_way_leaves_the_purge_marked_and_compact_ends_it() {
    let test = TestRecord::with(|options| options.busy_timeout(Duration::from_millis(50)));
    let secret = record_with_a_secret(&test);
    let reader = rusqlite::Connection::open(test.dir().join("record.db")).expect("the record's file");
    reader.execute_batch("BEGIN; SELECT count(*) FROM log;").expect("a reader that stays");
    let purged = test.recorder().purge(&secret, "the law", &[SECRET]).expect("purged");
    assert!(!purged.complete);
    let findings = test.record.health().expect("health").findings;
    assert!(findings.iter().any(|finding| finding.check == "purge"), "{findings:?}");
    assert!(!test.record.compact().expect("not yet"));
    reader.execute_batch("COMMIT").expect("it ends");
    assert!(test.record.compact().expect("now"));
    assert_eq!(holding(&test.dir(), &[SECRET, TOKEN]), Vec::<String>::new());
    assert!(test.record.health().expect("health").findings.iter().all(|finding| finding.check != "purge"));
}
