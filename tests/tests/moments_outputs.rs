//! A lesson comes back when a tool prints its literal trigger.

use proptest::prelude::*;
use stele_core::{Category, Draft, Session};
use stele_tests::TestRecord;
use stele_tests::shorthand::shown;

fn session(test: &TestRecord) -> Session {
    test.record.session("s1").open().expect("a session")
}

fn printed(session: &Session, text: &str) -> Vec<String> {
    shown(&session.on_output(text).expect("a moment"))
}

#[test]
fn the_exact_error_in_a_lesson_brings_the_lesson() {
    let test = TestRecord::new();
    let lesson =
        test.fact(Category::Lesson, "Stale lock of the package manager", "`EEXIST: file already exists, link 'a' -> 'b'` means that two installs ran at once.");
    let code = test.fact(Category::Lesson, "TS2769 hides the real cause", "Read the last line of the list.");
    let risk = test.fact(Category::Risk, "Deploys hang", "They print \"waiting for lock on release-db\" and never end.");
    test.fact(Category::Decision, "Use TS2769", "A decision is no lesson: `EEXIST: file already exists, link 'a' -> 'b'`");
    let s1 = session(&test);
    assert_eq!(printed(&s1, "npm ERR! EEXIST: file already exists, link 'a' -> 'b'\nnpm ERR! done"), [lesson]);
    assert_eq!(printed(&s1, "src/a.ts(3,1): error TS2769: No overload matches"), [code]);
    assert_eq!(printed(&s1, "\u{1b}[33mWaiting for  lock on\nrelease-db\u{1b}[0m ..."), [risk]);
    assert!(printed(&s1, "EEXIST: another thing; TS27690; waiting for the lock").is_empty());
    let moment = s1.on_output("TS2769").expect("a moment");
    assert!(moment.text.contains("Read the last line") && moment.nudge.is_none(), "{}", moment.text);
    s1.delivered(&moment).expect("noted");
    assert!(printed(&s1, "TS2769").is_empty());
}

#[test]
fn what_was_just_committed_is_seen_and_what_has_ended_is_not() {
    let test = TestRecord::new();
    let s1 = session(&test);
    let other = test.again();
    let id = other.recorder("other").expect("a recorder").fact(Category::Lesson, "On E_LAMP_17").record().expect("a fact").id.to_string();
    assert_eq!(printed(&s1, "E_LAMP_17"), std::slice::from_ref(&id));
    let recorder = test.recorder();
    recorder.revise(&id, stele_core::Revision::new().title("On E_LAMP_18")).expect("a revision");
    assert_eq!((printed(&s1, "E_LAMP_17").len(), printed(&s1, "E_LAMP_18")), (0, vec![id.clone()]));
    let newer = test.fact(Category::Lesson, "The lamp is gone", "");
    recorder.supersede(&newer, &id).reason("it ended").evidence("x").unverified().record().expect("a retirement");
    assert_eq!(printed(&s1, "E_LAMP_18"), [newer]);
}

#[test]
fn commonplace_words_bring_nothing_however_they_are_marked() {
    let test = TestRecord::new();
    for body in ["call `main`", "see src/main.rs", "run `cargo test`", "a `a`", "with \"error\"", "in package.json", "`...`"] {
        test.fact(Category::Lesson, &format!("Lesson on {body}"), body);
    }
    let output = "error: could not compile `a` in src/main.rs: fn main() {} ... package.json; cargo test";
    assert!(printed(&session(&test), output).is_empty());
}

#[test]
fn a_trigger_that_many_lessons_share_brings_none_and_the_rarer_one_comes_first() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for number in 0..30 {
        recorder.add(Draft::fact(Category::Lesson, format!("Lesson {number} of release_train"))).expect("a fact");
    }
    let pair: Vec<String> = (0..2).map(|number| test.fact(Category::Lesson, &format!("Pair {number} on E_PAIR_1"), "")).collect();
    let single = test.fact(Category::Lesson, "Single on E_LONE_1", "");
    let found = printed(&session(&test), "release_train: E_PAIR_1 and E_LONE_1");
    assert_eq!(found, [&single, &pair[1], &pair[0]].map(String::clone));
}

#[test]
fn ten_megabytes_are_read_to_the_end() {
    let test = TestRecord::new();
    let id = test.fact(Category::Lesson, "Lost heartbeat", "It ends with `panicked: heartbeat lost after 17 beats`.");
    let mut output = String::with_capacity(10 << 20);
    let mut number: u64 = 1;
    while output.len() < 10 << 20 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        output.push_str(&format!("line {:x} said {}\n", number >> 20, number % 977));
    }
    let middle = output.len() / 2 + output[output.len() / 2..].find('\n').expect("a line") + 1;
    output.insert_str(middle, "thread 'x' panicked: heartbeat lost after 17 beats\n");
    assert_eq!(printed(&session(&test), &output), [id]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_output_is_read_and_any_lesson_recorded(body in "(\\PC|[`\"\n\u{1b}]){0,120}", output in "(\\PC|[`\"\n\u{1b}\0]){0,200}") {
        let test = TestRecord::new();
        let body: String = body.chars().filter(|c| *c != '\0').collect();
        let recorded = test.recorder().fact(Category::Lesson, "A lesson").body(body).record();
        prop_assume!(recorded.is_ok());
        session(&test).on_output(&output).expect("a moment");
    }
}
