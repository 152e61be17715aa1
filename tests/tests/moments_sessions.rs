//! What a session gets at a prompt, and what is known of it afterwards.

use std::fs;
use std::time::Duration;

use stele_core::{
    Aggressiveness, AssembleOptions, Category, Context, Draft, Moment, Point, Relation, ResumeAction, RetrieveOptions, Revision, Session, Shown, State, Status,
    Timestamp,
};
use stele_tests::TestRecord;
use stele_tests::shorthand::session;

const PROMPT: &str = "what do we know about the barometer calibration?";

fn prompt(session: &Session) -> Context {
    session.on_prompt(PROMPT, &AssembleOptions::new()).expect("a context")
}

fn ids(context: &Context) -> Vec<String> {
    context.record.entries.iter().map(|entry| entry.id.to_string()).collect()
}

fn mandatory(test: &TestRecord, title: &str, statement: &str) -> String {
    let draft = Draft::rule(title, statement).routing(|rule| rule.mandatory = true);
    test.recorder().add(draft).expect("a rule").id.to_string()
}

fn sections(context: &Context) -> Vec<&str> {
    context.sections.iter().map(|section| section.provider.as_str()).collect()
}

#[test]
fn a_prompt_counts_the_turn_and_serves_a_fact_once() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    let s1 = session(&test, "s1");
    assert_eq!(s1.turn().expect("a turn"), 0);
    let first = prompt(&s1);
    assert_eq!((first.turn, ids(&first), first.text.as_str()), (0, vec![id.clone()], first.sections[0].text.as_str()));
    let second = prompt(&s1);
    assert_eq!((second.turn, second.record.status, second.text.as_str(), s1.turn().expect("a turn")), (1, Status::Served, "", 2));
    test.recorder().revise(&id, Revision::new().body("another body")).expect("a revision");
    assert_eq!(ids(&prompt(&s1)), [id]);
}

#[test]
fn what_a_session_was_served_comes_again_once_it_no_longer_holds_and_once_it_holds_again() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by ear", "");
    let new = test.fact(Category::Decision, "Barometer calibration by lamp", "By lamp, since by ear it was two hours off.");
    let recorder = test.recorder();
    let dated = recorder.fact(Category::Fyi, "Barometer calibration in spring").expires_at(Timestamp::parse("2026-06-01").expect("a time")).record();
    let dated = dated.expect("a fact").id.to_string();
    test.clock.set("2026-05-01");
    let s1 = session(&test, "s1");
    assert_eq!(ids(&prompt(&s1)).len(), 3);
    assert_eq!(prompt(&s1).record.status, Status::Served);

    recorder.supersede(&new, &old).reason("by ear it was off").evidence("by ear it was two hours off").record().expect("a retirement");
    let told = prompt(&s1);
    assert_eq!(ids(&told), [new.as_str(), &old]);
    assert_eq!((told.record.entries[0].detail, told.record.entries[1].state), (Shown::Line, State::Retired));
    assert_eq!(prompt(&s1).record.status, Status::Served);

    recorder.demote(&new, &old, "it was the lamp that was off").expect("undone");
    let told = prompt(&s1);
    assert_eq!((ids(&told), told.record.entries[0].state), (vec![old], State::Live));
    assert_eq!(prompt(&s1).record.status, Status::Served);

    test.clock.set("2026-06-02");
    let told = prompt(&s1);
    assert_eq!((ids(&told), told.record.entries[0].state), (vec![dated], State::Expired));
    assert_eq!(prompt(&s1).record.status, Status::Served);
}

#[test]
fn a_host_that_counts_turns_itself_is_followed() {
    let test = TestRecord::new();
    let s1 = session(&test, "s1");
    let context = s1.on_prompt(PROMPT, &AssembleOptions::new().turn(7)).expect("a context");
    assert_eq!((context.turn, s1.turn().expect("a turn"), prompt(&s1).turn), (7, 8, 8));
}

#[test]
fn what_is_not_delivered_comes_again_until_it_is() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    let s1 = session(&test, "s1");
    let later = AssembleOptions::new().deliver(false);
    let built = s1.on_prompt(PROMPT, &later).expect("a context");
    assert_eq!(ids(&s1.on_prompt(PROMPT, &later).expect("a context")), [id]);
    s1.delivered(&built).expect("noted");
    assert_eq!(prompt(&s1).record.status, Status::Served);
    let other = test.fact(Category::Lesson, "Barometer calibration takes an hour", "");
    let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().session("s1")).expect("a retrieval");
    assert_eq!(found.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [other]);
    s1.delivered(&found).expect("noted");
    assert_eq!(prompt(&s1).record.status, Status::Served);
}

#[test]
fn compacting_one_session_lets_it_see_a_fact_again_and_no_other() {
    // Field case 16.
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    let (s1, s2) = (session(&test, "s1"), session(&test, "s2"));
    let again = |session: &Session| ids(&prompt(session)) == [id.clone()];
    assert!(again(&s1) && again(&s2) && !again(&s1));
    s1.compacted().expect("noted");
    assert!(again(&s1) && !again(&s2) && !again(&s1));
    s1.new_phase().expect("noted");
    assert!(again(&s1) && !again(&s2));
    s1.set_mode("work").expect("noted");
    assert!(!again(&s1), "the same mode is no change");
    s1.set_mode("debug").expect("noted");
    assert!(again(&s1) && !again(&s2));
    assert_eq!((s1.mode().expect("a mode"), s2.mode().expect("a mode")), ("debug".to_owned(), "work".to_owned()));
    let taken_up = test.again();
    let taken_up = taken_up.session("s1").open().expect("a session");
    assert_eq!((taken_up.mode().expect("a mode"), prompt(&taken_up).record.status), ("debug".to_owned(), Status::Served));
    assert!(again(&test.record.session("s1").mode("plan").open().expect("a session")), "another mode begins an epoch");
}

#[test]
fn a_near_duplicate_that_an_entry_stood_for_is_served_with_it() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    let newer = test.fact(Category::Decision, "barometer  CALIBRATION", "");
    let s1 = session(&test, "s1");
    let first = prompt(&s1);
    assert_eq!((ids(&first), first.record.entries[0].folded.len()), (vec![newer.clone()], 1));
    assert_eq!(prompt(&s1).record.status, Status::Served);
    test.recorder().archive(&newer, "gone").expect("put away");
    assert_eq!(prompt(&s1).record.status, Status::Served);
}

#[test]
fn a_budget_is_spent_by_what_was_delivered_and_then_only_what_is_named_comes() {
    let test = TestRecord::new();
    let mut named = String::new();
    for name in ["rain", "snow", "hail", "fog", "dew", "wind", "frost"] {
        named = test.fact(Category::Fyi, &format!("Barometer calibration in {name}"), &format!("a long note on {name} and its weather ").repeat(4));
    }
    let s1 = test.record.session("s1").token_budget(200).open().expect("a session");
    let mut given = 0;
    let mut last = prompt(&s1);
    while last.record.status == Status::Found {
        given += last.record.tokens as u64;
        assert_eq!(last.record.tokens, last.sections[0].tokens);
        assert_eq!(s1.tokens_left().expect("a number").filter(|left| *left > 0), Some(200 - given).filter(|left| *left >= 64));
        last = prompt(&s1);
    }
    assert!(given <= 200 && s1.tokens_left().expect("a number") == Some(0), "{given}");
    assert!(last.record.gaps.iter().any(|gap| gap.note.contains("used up")), "{:?}", last.record.gaps);
    assert!(last.text.is_empty() && last.warnings.iter().any(|warning| warning.contains("used up")), "{:?}", last.warnings);
    let context = s1.on_prompt(&named, &AssembleOptions::new()).expect("a context");
    assert_eq!(ids(&context), [named]);
    assert!(context.text.contains("── left out: the session's tokens for the record are used up") && !context.text.contains("entries 0"), "{}", context.text);
    let reopened = test.record.session("s1").token_budget(200).open().expect("a session");
    assert_eq!(reopened.tokens_left().expect("a number"), Some(0), "taking it up again gives nothing back");
    assert!(test.record.session("s1").token_budget(9_000).open().expect("a session").tokens_left().expect("a number") > Some(8_000));
}

#[test]
fn a_moment_of_a_session_whose_tokens_are_used_up_says_so() {
    let test = TestRecord::new();
    test.recorder().add(stele_core::Draft::fact(Category::Fyi, "Barometer calibration").anchor("src/a.rs", None)).expect("a fact");
    let spent = test.record.session("s1").token_budget(10).open().expect("a session");
    let moment = spent.on_edit("src/a.rs", None).expect("a moment");
    assert!(moment.entries.is_empty() && moment.text.contains("the session's tokens for the record are used up"), "{}", moment.text);
    let elsewhere = test.record.session("s2").token_budget(10).open().expect("a session").on_edit("src/b.rs", None).expect("a moment");
    assert!(!elsewhere.text.contains("used up"), "nothing is kept back there: {}", elsewhere.text);
}

#[test]
fn what_a_prompt_delivers_by_itself_and_the_host_tells_again_is_paid_for_once() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    let s1 = test.record.session("s1").token_budget(5_000).open().expect("a session");
    let left = || s1.tokens_left().expect("a number").expect("a budget");
    let first = prompt(&s1);
    let once = left();
    assert!(once < 5_000);
    s1.delivered(&first).expect("noted");
    assert_eq!(left(), once);
    // In another turn the same is paid for again: it is shown again because it is named.
    let named = s1.on_prompt(&format!("what is {id}?"), &AssembleOptions::new()).expect("a context");
    assert_eq!(ids(&named), [id]);
    assert!(left() < once);
}

#[test]
fn a_rule_that_is_called_stands_in_a_context_once_unless_it_is_named() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let called = Draft::rule("Barometer calibration", "Calibrate the barometer twice").routing(|rule| rule.keywords = vec!["barometer".into()]);
    let rule = recorder.add(called).expect("a rule").id.to_string();
    let stands = |context: &Context| context.text.matches("Calibrate the barometer twice").count();
    let s1 = session(&test, "s1");
    let alone = prompt(&s1);
    assert_eq!((stands(&alone), sections(&alone)), (1, vec!["methodology"]));
    assert_eq!((alone.record.status, alone.record.entries.len()), (Status::Served, 0));
    // It was served by that, and a fact beside it is not kept back.
    assert_eq!(prompt(&s1).record.status, Status::Served);
    let fact = test.fact(Category::Fyi, "Barometer calibration in rain", "");
    s1.compacted().expect("noted");
    let both = prompt(&s1);
    assert_eq!((stands(&both), ids(&both)), (1, vec![fact]));
    // What is named is whole in the window, and so is what another entry needs.
    let named = s1.on_prompt(&format!("what does {rule} say of the barometer?"), &AssembleOptions::new()).expect("a context");
    assert!(ids(&named).contains(&rule));
    let old = test.fact(Category::Fyi, "Barometer calibration by ear", "Calibrate the barometer twice");
    recorder.supersede(&rule, &old).reason("it ended").evidence("Calibrate the barometer twice").record().expect("a retirement");
    s1.compacted().expect("noted");
    let found = ids(&prompt(&s1));
    let place = |id: &String| found.iter().position(|there| there == id).unwrap_or_else(|| panic!("no {id} in {found:?}"));
    assert!(place(&rule) < place(&old), "{found:?}");
}

#[test]
fn a_purge_changes_nothing_of_how_a_session_is_set_up_and_of_what_it_was_served() {
    let test = TestRecord::new();
    let kept = test.fact(Category::Fyi, "Barometer calibration", "");
    let gone = test.fact(Category::Fyi, "A name that the law wants out", "");
    let s1 = test.record.session("s1").mode("debug").token_budget(5_000).open().expect("a session");
    s1.set_aggressiveness(Aggressiveness::Quiet).expect("set");
    assert_eq!(ids(&prompt(&s1)), [kept.as_str()]);
    assert_eq!(prompt(&s1).record.status, Status::Served);
    let s3 = session(&test, "s3");
    assert_eq!(ids(&prompt(&s3)), [kept.as_str()]);
    s1.pause(2).expect("paused");
    let left = s1.tokens_left().expect("a number");
    let named = test.record.session("s2").mode("find Mrs Abercrombie").open().expect("a session");
    assert_eq!(prompt(&named).turn, 0);
    assert!(test.recorder().purge(&gone, "the law", &["Abercrombie"]).expect("purged").complete);
    assert_eq!((named.turn().expect("a turn"), named.mode().expect("a mode")), (0, "work".to_owned()), "it holds what went");
    assert_eq!((s1.turn().expect("a turn"), s1.mode().expect("a mode"), s1.tokens_left().expect("a number")), (2, "debug".to_owned(), left));
    assert_eq!(prompt(&s1).record.status, Status::Paused);
    s1.unpause().expect("goes on");
    let next = prompt(&s1);
    assert_eq!((next.turn, next.record.status), (3, Status::Served));
    // The host of the third one may have been killed before the model had its last turn, of which nothing is stored now.
    assert_eq!(test.record.resume("s3", 0, &[]).expect("a decision").action, ResumeAction::Run);
    assert_eq!(ids(&s3.on_prompt(PROMPT, &AssembleOptions::new().turn(0)).expect("a context")), [kept]);
}

#[test]
fn who_opens_a_record_while_it_is_purged_leaves_its_sessions_as_they_are() {
    let test = TestRecord::with(|options| options.busy_timeout(Duration::ZERO));
    let [gone, also, last] = ["The first name", "The second name", "The third name"].map(|title| test.fact(Category::Fyi, title, ""));
    test.record.catch_up().expect("indexed");
    let named = |name: &str| test.record.session(name).open().expect("a session").mode().expect("a mode");
    let set = |name: &str, mode: &str| drop(test.record.session(name).mode(mode).open().expect("a session"));
    set("s1", "debug");
    set("s2", "find Mrs Abercrombie");
    let indexing = fs::File::options().write(true).open(test.dir().join("index.lock")).expect("there");
    indexing.lock().expect("nobody is at it");
    let purge = |id: &str| test.recorder().purge(id, "the law", &["Abercrombie"]).expect("purged");
    assert!(!purge(&gone).complete, "somebody writes the indexes");
    test.again().close();
    assert_eq!([named("s1"), named("s2")], ["debug", "work"]);
    // What came after the sessions were clean is taken out of them as well.
    set("s2", "find Mrs Abercrombie");
    assert!(!purge(&also).complete);
    assert_eq!([named("s1"), named("s2")], ["debug", "work"]);
    indexing.unlock().expect("let go of");
    assert!(test.record.compact().expect("compacted"));
    assert_eq!(named("s1"), "debug");
    assert!(purge(&last).complete);
    assert_eq!(test.record.health().expect("a look").findings.iter().filter(|finding| finding.check == "purge").count(), 0);
}

#[test]
fn a_quiet_session_gets_five_entries_and_loses_no_risk() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    for name in ["rain", "snow", "hail", "fog", "dew", "wind"] {
        test.fact(Category::Fyi, &format!("Barometer calibration in {name}"), name);
        let risk = test.fact(Category::Risk, &format!("Danger of {name}"), "");
        recorder.link(&seed, Relation::CausedBy, &risk).expect("an edge");
    }
    let s1 = session(&test, "s1");
    s1.set_aggressiveness(Aggressiveness::Quiet).expect("noted");
    let quiet = prompt(&s1).record;
    assert_eq!((quiet.entries.len() + quiet.callouts.len(), quiet.callouts.len(), quiet.callout_lines.len()), (5, 5, 1));
    s1.set_aggressiveness(Aggressiveness::Normal).expect("noted");
    s1.compacted().expect("noted");
    assert!(prompt(&s1).record.entries.len() > 5);
}

#[test]
fn a_turn_that_is_answered_again_takes_one_turn_off_a_pause() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    let s1 = session(&test, "s1");
    let asked = |turn: u64| s1.on_prompt(PROMPT, &AssembleOptions::new().turn(turn).deliver(false)).expect("a context").record.status;
    for turns in 1..4 {
        s1.pause(turns).expect("noted");
        let first = s1.turn().expect("a turn");
        for turn in first..first + turns {
            assert_eq!([asked(turn), asked(turn), asked(turn)], [Status::Paused; 3], "{turn} of {turns}");
            assert!(s1.on_edit("x.rs", None).expect("a moment").is_empty());
        }
        assert_eq!([asked(first + turns), asked(first + turns)], [Status::Found; 2], "{turns}");
    }
    s1.pause(1).expect("noted");
    let turn = s1.turn().expect("a turn");
    assert_eq!(asked(turn), Status::Paused);
    s1.unpause().expect("goes on");
    assert_eq!(asked(turn), Status::Found, "the same turn, after the pause was taken back");
}

#[test]
fn a_pause_silences_windows_and_moments_for_its_turns_and_no_obligation() {
    let test = TestRecord::new();
    test.fact(Category::Lesson, "Barometer calibration", "fails with `E_BARO_17`");
    let rule = mandatory(&test, "Wear gloves", "Always wear gloves at the barometer");
    let s1 = session(&test, "s1");
    s1.pause(2).expect("noted");
    let silent = |session: &Session| session.on_output("E_BARO_17").expect("a moment").is_empty();
    assert!(silent(&s1));
    for turn in 0..2 {
        let context = prompt(&s1);
        assert_eq!((context.record.status, sections(&context)), (Status::Paused, vec!["obligations"]), "turn {turn}");
        assert!(context.text.contains(&rule) && context.text.contains("Always wear gloves"), "{}", context.text);
        assert!(silent(&s1) && s1.on_edit("x.rs", None).expect("a moment").is_empty() && s1.on_complete(None).expect("a moment").is_empty());
        s1.compacted().expect("an epoch is no end of a pause");
    }
    let context = prompt(&s1);
    assert_eq!((context.record.status, sections(&context)), (Status::Found, vec!["obligations", "record"]));
    s1.compacted().expect("noted");
    assert!(!silent(&s1) && s1.on_edit("x.rs", None).expect("a moment").nudge.is_some(), "an edit during a pause is not the first");
    s1.pause(5).expect("noted");
    s1.unpause().expect("noted");
    assert!(!silent(&s1) && prompt(&s1).record.status == Status::Found);
}

#[test]
fn every_mandatory_rule_comes_at_every_turn_mode_and_point_and_in_full_once_an_epoch() {
    // Field case 26.
    let test = TestRecord::new();
    let statements: Vec<String> =
        ["amber", "basalt", "copper"].iter().map(|word| format!("Never touch the {word} dial. {}", "It is hot. ".repeat(25))).collect();
    for statement in &statements {
        mandatory(&test, &statement[..22], statement);
    }
    let s1 = test.record.session("s1").token_budget(70).open().expect("a session");
    let all = |context: &Context| statements.iter().all(|statement| context.text.contains(&statement[..25]));
    for prompt in ["short", PROMPT, "a prompt that is long enough and finds nothing at all"] {
        for point in Point::ALL {
            assert!(all(&s1.on_prompt(prompt, &AssembleOptions::new().point(*point)).expect("a context")));
        }
    }
    let (pointers, s2) = (prompt(&s1), session(&test, "s2"));
    assert_eq!((pointers.obligations.entries.len(), pointers.obligations.pointers.len()), (0, 3));
    assert!(prompt(&s2).obligations.entries.len() == 3 && all(&pointers));
    s1.set_mode("review").expect("noted");
    assert_eq!(prompt(&s1).obligations.entries.len(), 3);
}

#[test]
fn sections_stand_in_order_and_the_same_calls_give_the_same_bytes() {
    let test = TestRecord::new();
    mandatory(&test, "Wear gloves", "Always wear gloves");
    test.recorder()
        .add(Draft::rule("Calibrate twice", "Measure before and after").routing(|rule| rule.keywords = vec!["calibration".to_owned()]))
        .expect("a rule");
    test.fact(Category::Decision, "Barometer calibration", "");
    let texts: Vec<String> = ["s1", "s2"]
        .iter()
        .map(|name| {
            let context = prompt(&session(&test, name));
            assert_eq!(sections(&context), ["obligations", "methodology", "record"]);
            assert_eq!(context.text, context.sections.iter().map(|section| section.text.as_str()).collect::<String>());
            context.text
        })
        .collect();
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn a_read_only_handle_keeps_the_session_to_itself_and_says_so() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    let reader = stele_core::Record::options().read_only(true).open(test.dir()).expect("a reader");
    let s1 = reader.session("s1").mode("plan").open().expect("a session");
    let first = prompt(&s1);
    assert!(first.warnings.iter().any(|warning| warning.contains("forgotten")), "{:?}", first.warnings);
    assert_eq!((ids(&first), prompt(&s1).record.status, s1.turn().expect("a turn")), (vec![id.clone()], Status::Served, 2));
    assert_eq!(ids(&prompt(&session(&test, "s1"))), [id]);
}

#[test]
fn a_session_that_comes_back_hears_where_it_stopped_and_what_others_did() {
    let test = TestRecord::new();
    let own = test.record.recorder_in("claude", "s1").expect("a recorder");
    let wrote = own.fact(Category::Decision, "Own decision").record().expect("a fact").id.to_string();
    let s1 = session(&test, "s1");
    let fresh = session(&test, "s9").on_start().expect("a moment");
    assert!(fresh.is_empty() && fresh.stopped.is_none(), "who was never here has missed nothing: {}", fresh.text);
    prompt(&s1);
    let other = test.fact(Category::Risk, "A risk by another", "");
    test.recorder().revise(&other, Revision::new().body("more")).expect("a revision");
    test.recorder().supersede(&other, &wrote).reason("it ended").evidence("x").unverified().record().expect("a retirement");
    let start = s1.on_start().expect("a moment");
    let told: Vec<(String, &str)> = start.happened.iter().map(|happened| (happened.node.id.to_string(), happened.what)).collect();
    assert_eq!(told, [(wrote.clone(), "retired"), (other.clone(), "new")]);
    let stopped = start.stopped.clone().expect("it was here");
    assert_eq!((stopped.turn, stopped.wrote.iter().map(|node| node.id.to_string()).collect::<Vec<_>>()), (1, vec![wrote]));
    assert!(start.text.contains("last here") && start.text.contains(&format!("new: RISK {other}")), "{}", start.text);
    assert_eq!(s1.on_start().expect("a moment").happened.len(), 2, "it was not delivered");
    s1.delivered(&start).expect("noted");
    assert!(s1.on_start().expect("a moment").happened.is_empty());
}

#[test]
fn an_actor_in_a_new_session_hears_what_happened_since_its_last_one() {
    let test = TestRecord::new();
    test.record.recorder_in("claude", "old").expect("a recorder").fact(Category::Decision, "Own decision").record().expect("a fact");
    let other = test.fact(Category::Risk, "A risk by another", "");
    let start = |actor: &str| test.record.session("new").actor(actor).open().expect("a session").on_start().expect("a moment");
    assert_eq!(start("claude").happened.iter().map(|happened| happened.node.id.to_string()).collect::<Vec<_>>(), [other]);
    assert!(start("nobody").is_empty());
}

#[test]
fn around_completion_one_nudge_and_the_facts_that_may_have_ended() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = recorder.task("Replace the lamp").record().expect("a task").id.to_string();
    let hanging = recorder.add(Draft::fact(Category::Fyi, "The lamp is dark").resolves_with(&task)).expect("a fact").id.to_string();
    let expiring = test.fact(Category::Gap, "Nobody knows the lamp", "");
    recorder.link(&expiring, Relation::ExpiresOn, &task).expect("an edge");
    let linked = test.fact(Category::Decision, "The lamp turns twice", "");
    recorder.link(&task, Relation::RelatesTo, &linked).expect("an edge");
    test.fact(Category::Decision, "Nothing to do with it", "");
    let s1 = session(&test, "s1");
    let seen = |moment: &Moment| moment.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>();
    let first = s1.on_complete(Some(&task)).expect("a moment");
    let mut found = seen(&first);
    found.sort();
    let mut wanted = vec![hanging.clone(), expiring, linked];
    wanted.sort();
    assert_eq!(found, wanted);
    assert!(first.nudge.is_some() && first.text.contains(first.nudge.as_deref().expect("a nudge")));
    s1.delivered(&first).expect("noted");
    let second = s1.on_complete(Some(&task)).expect("a moment");
    assert!(second.nudge.is_none() && second.entries.iter().all(|entry| entry.detail == Shown::Line) && seen(&second).len() == 3);
    assert!(s1.on_complete(None).expect("a moment").is_empty());
    assert_eq!(s1.on_complete(Some("TASK-99")).expect_err("no such task").code(), stele_core::Code::UnknownNode);
}

#[test]
fn a_session_hears_what_it_holds_and_an_actor_what_any_of_its_sessions_holds() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let tasks: Vec<String> = ["Lamp", "Bell", "Flag", "Rope"].iter().map(|title| recorder.task(*title).record().expect("a task").id.to_string()).collect();
    let hanging = recorder.add(Draft::fact(Category::Fyi, "The lamp is dark").resolves_with(&tasks[0])).expect("a fact").id.to_string();
    for (actor, session, task) in [("claude", "s1", &tasks[0]), ("claude", "s2", &tasks[1]), ("claudette", "xs1", &tasks[2])] {
        assert!(test.record.recorder_in(actor, session).expect("a recorder").claim(task).take().expect("a claim").granted);
    }
    let held = |options: stele_core::SessionOptions| -> Vec<String> {
        options.open().expect("a session").on_start().expect("a moment").entries.iter().map(|entry| entry.id.to_string()).collect()
    };
    assert_eq!(held(test.record.session("s1")), [tasks[0].clone()]);
    let mut of_actor = held(test.record.session("s9").actor("claude"));
    of_actor.sort();
    assert_eq!(of_actor, [tasks[0].clone(), tasks[1].clone()]);
    assert!(held(test.record.session("s9").actor("clau")).is_empty());
    let s1 = session(&test, "s1");
    assert_eq!(s1.on_complete(None).expect("a moment").entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [hanging]);
    let text = s1.on_start().expect("a moment").text;
    assert!(text.contains("claimed by claude/s1"), "{text}");
    test.record.recorder_in("claude", "s1").expect("a recorder").complete(&tasks[0], "done").expect("completed");
    assert!(held(test.record.session("s1")).is_empty() && s1.on_complete(None).expect("a moment").entries.is_empty());
}
