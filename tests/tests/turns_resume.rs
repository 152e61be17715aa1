//! Taking up a turn again: what was stored is held against the transcript.

use stele_core::{AssembleOptions, Category, Code, Context, Draft, Record, ResumeAction, Resumed, Session, Status, TranscriptItem, defaults};
use stele_tests::TestRecord;

const PROMPT: &str = "what do we know about the barometer calibration?";

fn world() -> (TestRecord, Session) {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration is done by hand", "once a year, in May");
    let rule = Draft::rule("Never skip calibration", "Never skip the calibration of a barometer").routing(|rule| rule.mandatory = true);
    test.recorder().add(rule).expect("a rule");
    let session = test.record.session("s1").open().expect("a session");
    (test, session)
}

/// Has a turn assembled and gives its text.
fn assembled(session: &Session, turn: u64) -> String {
    session.on_prompt(PROMPT, &AssembleOptions::new().turn(turn)).expect("a context").text
}

fn user(text: &str) -> TranscriptItem {
    TranscriptItem::new("u1", text).role("user")
}

fn item(turn: u64, text: &str) -> TranscriptItem {
    TranscriptItem::new(format!("local:context:{turn}"), text)
}

fn resume(record: &Record, turn: u64, transcript: &[TranscriptItem]) -> Resumed {
    record.resume("s1", turn, transcript).expect("a decision")
}

fn action(record: &Record, turn: u64, transcript: &[TranscriptItem]) -> ResumeAction {
    resume(record, turn, transcript).action
}

#[test]
fn a_turn_of_which_nothing_is_stored_is_run() {
    let (test, _) = world();
    for turn in [0, 1, 7, u64::MAX] {
        let resumed = resume(&test.record, turn, &[user(PROMPT)]);
        assert_eq!((resumed.action, resumed.text.as_str(), resumed.replaces), (ResumeAction::Run, "", false), "{turn}");
        assert!(resume(&test.record, turn, &[user(PROMPT), item(turn, "of another life")]).replaces, "{turn}");
    }
    assert_eq!(test.record.resume(" ", 0, &[]).expect_err("a blank name").kind(), stele_core::ErrorKind::Invalid);
    test.record.close();
    assert_eq!(test.record.resume("s1", 0, &[]).expect_err("closed").code(), Code::Closed);
}

#[test]
fn turn_0_is_held_against_the_first_message_of_the_user() {
    let (test, session) = world();
    let text = assembled(&session, 0);
    let (system, model) = (TranscriptItem::new("s", "you are careful").role("system"), TranscriptItem::new("a", "well").role("assistant"));
    let with = format!("{text}\n{PROMPT}");
    assert_eq!(action(&test.record, 0, &[system.clone(), user(&with), model.clone(), user("and now?")]), ResumeAction::Skip);
    assert_eq!(action(&test.record, 0, &[user(&format!("{PROMPT}\r\n{}", text.trim().replace('\n', "\r\n")))]), ResumeAction::Skip);
    for lacking in [&[][..], &[user(PROMPT)], &[system.clone(), user(PROMPT), TranscriptItem::new("u2", &with).role("user")], std::slice::from_ref(&model)] {
        let resumed = resume(&test.record, 0, lacking);
        assert_eq!((resumed.action, &resumed.text, resumed.item_id, resumed.replaces), (ResumeAction::Append, &text, None, false));
    }
    // Without roles any message may be the first of the user.
    assert_eq!(action(&test.record, 0, &[TranscriptItem::new("1", "you are careful"), TranscriptItem::new("2", &with)]), ResumeAction::Skip);
    // A host that made an item of it has it nevertheless.
    assert_eq!(action(&test.record, 0, &[user(PROMPT), item(0, &text)]), ResumeAction::Skip);
}

#[test]
fn a_first_message_that_holds_a_part_of_the_context_is_made_anew_and_nothing_is_appended_to_it() {
    let (test, session) = world();
    let text = assembled(&session, 0);
    let lines: Vec<&str> = text.lines().collect();
    for part in [lines[..lines.len() - 1].join("\n"), lines[1..].join("\n"), text.replace("by hand", "by machine"), lines[0].to_owned()] {
        let resumed = resume(&test.record, 0, &[user(&format!("{part}\n{PROMPT}"))]);
        assert_eq!((resumed.action, resumed.text.as_str(), resumed.replaces), (ResumeAction::Run, "", true), "{part}");
    }
    let moment = session.on_edit("src/hall.rs", None).expect("a moment").text;
    for other in [lines[lines.len() - 1], lines[1], &moment] {
        assert_eq!(action(&test.record, 0, &[user(&format!("{other}\n{PROMPT}"))]), ResumeAction::Append, "{other}");
    }
}

#[test]
fn a_later_turn_is_held_against_its_item() {
    let (test, session) = world();
    let first = assembled(&session, 0);
    let text = assembled(&session, 3);
    assert_ne!(first, text);
    let before = [user(&format!("{first}\n{PROMPT}")), user(PROMPT)];
    let with = |items: &[TranscriptItem]| [&before, items].concat();
    assert_eq!(action(&test.record, 3, &with(&[item(3, &text)])), ResumeAction::Skip);
    for lacking in [with(&[]), with(&[item(2, &text)]), with(&[user(&text)])] {
        let resumed = resume(&test.record, 3, &lacking);
        assert_eq!((resumed.action, &resumed.text, resumed.item_id.as_deref()), (ResumeAction::Append, &text, Some("local:context:3")));
    }
    for changed in [text.replace("calibration", "cleaning"), text.lines().next().expect("a line").to_owned(), String::new(), format!("{text}{text}")] {
        let resumed = resume(&test.record, 3, &with(&[item(3, &changed)]));
        assert_eq!((resumed.action, resumed.text.as_str(), resumed.replaces), (ResumeAction::Run, "", true), "{changed}");
    }
    assert_eq!(action(&test.record, 3, &with(&[item(3, "something else"), item(3, &text)])), ResumeAction::Skip);
}

#[test]
fn an_empty_result_agrees_with_absence_only() {
    let test = TestRecord::new();
    let session = test.record.session("s1").open().expect("a session");
    for turn in [0, 1] {
        assert_eq!(action(&test.record, turn, &[user(PROMPT)]), ResumeAction::Run);
        assert_eq!(assembled(&session, turn), "");
        assert_eq!(action(&test.record, turn, &[user(PROMPT)]), ResumeAction::Skip);
        let resumed = resume(&test.record, turn, &[user(PROMPT), item(turn, "from where?")]);
        assert_eq!((resumed.action, resumed.replaces), (ResumeAction::Run, true));
    }
}

#[test]
fn a_session_that_was_interrupted_has_as_served_what_its_transcript_has() {
    let (test, session) = world();
    let built = session.on_prompt(PROMPT, &AssembleOptions::new().deliver(false)).expect("a context");
    assert_eq!(built.record.status, Status::Found);
    let later = test.again();
    let appended = resume(&later, 0, &[user(PROMPT)]);
    assert_eq!((appended.action, &appended.text), (ResumeAction::Append, &built.text));
    let s1 = later.session("s1").open().expect("a session");
    let look = || s1.on_prompt(PROMPT, &AssembleOptions::new().turn(0).deliver(false)).expect("a context");
    assert_eq!(look().text, built.text, "nothing is served that only was to be appended");
    let told = [user(&format!("{}{PROMPT}", built.text))];
    assert_eq!(action(&later, 0, &told), ResumeAction::Skip);
    let next = s1.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    assert_eq!((next.turn, next.record.status), (1, Status::Served));
}

#[test]
fn what_was_appended_can_be_told_as_delivered_and_counts_once() {
    let (test, _) = world();
    let s1 = test.record.session("s1").token_budget(10_000).open().expect("a session");
    let built = s1.on_prompt(PROMPT, &AssembleOptions::new().deliver(false)).expect("a context");
    let appended = resume(&test.record, 0, &[user(PROMPT)]);
    let left = |session: &Session| session.tokens_left().expect("tokens").expect("a budget");
    assert_eq!(left(&s1), 10_000);
    s1.delivered(&appended).expect("noted");
    assert_eq!(left(&s1), 10_000 - built.record.tokens as u64);
    for _ in 0..2 {
        assert_eq!(action(&test.record, 0, &[user(&built.text)]), ResumeAction::Skip);
    }
    assert_eq!(left(&s1), 10_000 - built.record.tokens as u64);
    let context = s1.on_prompt(PROMPT, &AssembleOptions::new().deliver(false)).expect("a context");
    assert_eq!(context.record.status, Status::Served);
}

#[test]
fn the_last_fifty_turns_are_known_and_a_course_that_was_left_is_not() {
    let (test, session) = world();
    let texts: Vec<String> = (0..60).map(|turn| assembled(&session, turn)).collect();
    let known = |turn: u64| action(&test.record, turn, &[user(PROMPT)]) == ResumeAction::Append;
    assert_eq!((0..62).filter(|turn| known(*turn)).collect::<Vec<_>>(), (10..60).collect::<Vec<_>>());
    assert_eq!(resume(&test.record, 59, &[]).text, texts[59]);
    assembled(&session, 30);
    assert_eq!((0..62).filter(|turn| known(*turn)).collect::<Vec<_>>(), (10..31).collect::<Vec<_>>());
    let conn = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the file");
    let rows: i64 = conn.query_row("SELECT count(*) FROM turn", [], |row| row.get(0)).expect("a count");
    assert_eq!(rows, 21);
}

#[test]
fn what_was_served_comes_again_after_fifty_turns() {
    let (test, session) = world();
    let look = || session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    let first = look();
    assert_eq!((first.record.status, first.obligations.entries.len()), (Status::Found, 1));
    for turn in 1..=defaults::SESSION_TURNS {
        let context = look();
        assert_eq!((context.turn, context.record.status, context.obligations.entries.len()), (turn, Status::Served, 0));
    }
    let context = look();
    assert_eq!((context.turn, context.record.status, context.obligations.entries.len()), (51, Status::Found, 1));
    assert_eq!(look().record.status, Status::Served);
    // A host that counts back gives nothing a longer life.
    session.on_prompt(PROMPT, &AssembleOptions::new().turn(0)).expect("a context");
    let again = (0..60).position(|_| look().record.status == Status::Found);
    assert_eq!(again, Some(50));
    drop(test);
}

#[test]
fn a_session_that_is_forgotten_takes_its_turns_along() {
    let (test, session) = world();
    assembled(&session, 0);
    test.clock.set("2026-02-10");
    test.record.session("s2").open().expect("a session").on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    assert_eq!(action(&test.record, 0, &[user(PROMPT)]), ResumeAction::Run);
}

#[test]
fn a_read_only_handle_keeps_turns_to_itself_and_changes_no_file() {
    let (test, _) = world();
    test.record.close();
    let reader = Record::options().read_only(true).open(test.dir()).expect("a reader");
    let session = reader.session("s1").open().expect("a session");
    for turn in 0..3 {
        let text = assembled(&session, turn);
        assert_eq!(resume(&reader, turn, &[]).text, text);
    }
    assert!(!test.dir().join("sessions.db").exists());
    drop(session);
    reader.close();
    let reader = Record::options().read_only(true).open(test.dir()).expect("a reader");
    assert_eq!(action(&reader, 0, &[]), ResumeAction::Run);
}

#[test]
fn a_text_too_long_to_be_kept_is_known_by_its_digest() {
    let test = TestRecord::new();
    let long = "word ".repeat(3_200);
    test.recorder()
        .transaction(|recorder| {
            for nth in 0..70 {
                recorder.add(Draft::rule(format!("Rule {nth}"), format!("{nth} {long}")).routing(|rule| rule.mandatory = true))?;
            }
            Ok(())
        })
        .expect("rules");
    let session = test.record.session("s1").open().expect("a session");
    let text = assembled(&session, 1);
    assert!(text.len() > defaults::TURN_TEXT_BYTES);
    assert_eq!(action(&test.record, 1, &[item(1, &text)]), ResumeAction::Skip);
    assert_eq!(action(&test.record, 1, &[]), ResumeAction::Run);
    session.compacted().expect("compacted");
    let text = assembled(&session, 0);
    let resumed = resume(&test.record, 0, &[user(&text)]);
    assert_eq!((resumed.action, resumed.replaces), (ResumeAction::Run, true), "whether it stands there cannot be told");
}

/// What is kept of the obligations: the head that they were read at, and whether they hold a word.
fn kept(test: &TestRecord, word: &str) -> (i64, bool) {
    let conn = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the file");
    conn.query_row("SELECT sequence, instr(rules, ?1) > 0 FROM obligations", [word], |row| Ok((row.get(0)?, row.get(1)?))).expect("one row")
}

#[test]
fn the_last_obligations_are_written_when_they_change_and_serve_where_the_record_cannot_be_read() {
    let (test, session) = world();
    let look = |session: &Session| session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    look(&session);
    assert_eq!(kept(&test, "skip the calibration"), (2, true));
    test.fact(Category::Fyi, "Something else", "");
    look(&session);
    assert_eq!(kept(&test, "skip the calibration"), (2, true), "the same rules are not written again");
    let process = Draft::rule("Ask twice", "Ask before a barometer is opened")
        .routing(|rule| (rule.always_on, rule.domain, rule.keywords) = (true, Some("process".to_owned()), vec!["barometer".to_owned()]));
    test.recorder().add(process).expect("a rule");
    look(&session);
    assert_eq!(kept(&test, "is opened"), (4, true));

    rusqlite::Connection::open(test.dir().join("record.db")).expect("the record").execute_batch("ALTER TABLE node RENAME TO lost").expect("unreadable");
    // The one has read them at this head of the log; the other would have to.
    for (record, has_read) in [(&test.record, true), (&test.again(), false)] {
        let session = record.session("s2").mode("work").open().expect("a session");
        let titles = |context: &Context| context.obligations.entries.iter().map(|rule| rule.title.clone()).collect::<Vec<_>>();
        let first = look(&session);
        assert_eq!(titles(&first), ["Never skip calibration", "Ask twice"]);
        assert_eq!(first.warnings.iter().any(|warning| warning.contains("operation 4")), !has_read, "{:?}", first.warnings);
        // Mode and keywords decide as ever.
        session.set_mode("talk").expect("a mode");
        assert_eq!(titles(&look(&session)), ["Never skip calibration"]);
        session.set_mode("work").expect("a mode");
        let elsewhere = session.on_prompt("how is the weather in the mountains?", &AssembleOptions::new()).expect("a context");
        assert_eq!(titles(&elsewhere), ["Never skip calibration"]);
        session.compacted().expect("compacted");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_a_warning_and_the_handle_keeps_the_turn() {
    let (test, session) = world();
    assembled(&session, 0);
    let conn = rusqlite::Connection::open(test.dir().join("sessions.db")).expect("the file");
    conn.execute_batch("BEGIN EXCLUSIVE").expect("nobody else writes");
    let context = session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context");
    assert!(context.warnings.iter().any(|warning| warning.contains("sessions.db could not be used")), "{:?}", context.warnings);
    assert_eq!(resume(&test.record, 1, &[]).text, context.text);
    conn.execute_batch("ROLLBACK").expect("free");
    assert_eq!(action(&test.record, 0, &[]), ResumeAction::Append);
}
