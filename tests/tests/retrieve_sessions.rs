//! What a session was served, and limits of the window.

use stele_core::{Category, Relation, Retrieval, RetrieveOptions, Revision, Shown, Status};
use stele_tests::TestRecord;
use stele_tests::shorthand::{ids, supersede};

const PROMPT: &str = "what do we know about the barometer calibration?";

fn look(test: &TestRecord, session: &str) -> Retrieval {
    test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().session(session).deliver()).expect("a retrieval")
}

#[test]
fn nothing_is_served_twice_to_a_session_unless_it_changed_or_is_named() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Barometer calibration", "");
    assert_eq!(ids(&look(&test, "s1")), std::slice::from_ref(&id));
    assert_eq!((look(&test, "s1").status, look(&test, "s1").entries.len()), (Status::Served, 0));
    assert_eq!(ids(&look(&test, "s2")), std::slice::from_ref(&id));
    let named = test.record.retriever().retrieve(&id, &RetrieveOptions::new().session("s1")).expect("a retrieval");
    assert_eq!(ids(&named), std::slice::from_ref(&id));
    test.recorder().revise(&id, Revision::new().body("now with a body")).expect("a revision");
    assert_eq!(ids(&look(&test, "s1")), [id]);
}

#[test]
fn a_served_head_takes_no_place_where_there_is_none_for_what_needs_it() {
    let test = TestRecord::new();
    let head = test.fact(Category::Decision, "Barometer calibration", "");
    look(&test, "s1");
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    supersede(&test, &head, &old);
    let within = |places| test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().session("s1").max_entries(places)).expect("a retrieval");
    assert_eq!(ids(&within(2)), [head.as_str(), &old]);
    assert_eq!(ids(&within(1)), [""; 0]);
}

#[test]
fn what_is_built_and_not_delivered_comes_again() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Barometer calibration", "");
    for _ in 0..2 {
        let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().session("s1")).expect("a retrieval");
        assert_eq!(found.status, Status::Found);
    }
}

#[test]
fn served_nodes_are_walked_from_and_leave_their_places_to_others() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    look(&test, "s1");
    let new = test.fact(Category::Fyi, "Zinc", "");
    recorder.link(&new, Relation::RelatesTo, &seed).expect("an edge");
    assert_eq!(ids(&look(&test, "s1")), [new]);
}

#[test]
fn a_served_head_comes_again_as_one_line_where_a_new_retired_entry_needs_it() {
    let test = TestRecord::new();
    let head = test.fact(Category::Decision, "Barometer calibration", "the body of the head");
    look(&test, "s1");
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    supersede(&test, &head, &old);
    let found = look(&test, "s1");
    assert_eq!(ids(&found), [head, old]);
    assert_eq!((found.entries[0].detail, found.entries[1].detail), (Shown::Line, Shown::Full));
    let only = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().session("s3").max_entries(1)).expect("a retrieval");
    assert_eq!(only.entries.len(), 1);
}

#[test]
fn a_served_risk_on_the_path_comes_again_as_one_line() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let risk = test.fact(Category::Risk, "Zinc", "");
    recorder.link(&seed, Relation::CausedBy, &risk).expect("an edge");
    assert_eq!(look(&test, "s1").callouts.len(), 1);
    let new = test.fact(Category::Fyi, "More on barometer calibration", "");
    let found = look(&test, "s1");
    assert_eq!(ids(&found), [new]);
    assert!(found.callouts.is_empty());
    assert_eq!(found.callout_lines.iter().map(|line| line.risk.id.to_string()).collect::<Vec<_>>(), [risk]);
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
}

#[test]
fn a_served_conflict_partner_comes_again_as_one_line() {
    let test = TestRecord::new();
    let first = test.fact(Category::Decision, "Barometer calibration is monthly", "");
    look(&test, "s1");
    let second = test.fact(Category::Decision, "Barometer calibration is yearly, on the first of May", "");
    test.recorder().contradicts(&first, &second, "one interval").expect("an edge");
    let found = look(&test, "s1");
    let seen: Vec<_> = found.entries.iter().map(|entry| (entry.id.to_string(), entry.detail)).collect();
    assert!(seen.contains(&(first, Shown::Line)) && seen.contains(&(second, Shown::Full)), "{seen:?}");
    assert_eq!(found.conflicts.len(), 1);
}

#[test]
fn equal_scores_keep_the_order_in_which_the_session_was_served_them_last() {
    let test = TestRecord::new();
    let first = test.fact(Category::Decision, "Barometer calibration", "");
    let second = test.fact(Category::Decision, "Barometer calibration and a good deal of other things", "");
    assert_eq!(ids(&look(&test, "s1")), [first.clone(), second.clone()]);
    test.recorder().revise(&first, Revision::new().title("Calibration, among many other things that one does, of a barometer")).expect("a revision");
    test.recorder().revise(&second, Revision::new().title("Barometer calibration")).expect("a revision");
    assert_eq!(ids(&look(&test, "s2")), [second.clone(), first.clone()]);
    assert_eq!(ids(&look(&test, "s1")), [first, second]);
}

#[test]
fn the_window_holds_no_more_than_asked_and_says_what_is_left() {
    let test = TestRecord::new();
    for name in ["rain", "snow", "hail", "fog", "dew", "wind", "frost"] {
        test.fact(Category::Fyi, &format!("Barometer calibration in {name}"), &format!("a note on {name}"));
    }
    for entries in [1, 3, 7] {
        let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_entries(entries)).expect("a retrieval");
        assert_eq!(found.entries.len(), entries);
    }
}

#[test]
fn long_bodies_are_cut_and_those_of_named_nodes_are_not() {
    let test = TestRecord::new();
    let body = "The barometer calibration is done by hand. ".repeat(100);
    let id = test.fact(Category::Decision, "Barometer calibration", &body);
    let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(found.entries[0].detail, Shown::Cut);
    assert!(found.entries[0].body.chars().count() <= 1_200);
    let named = test.record.retriever().retrieve(&id, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!((named.entries[0].detail, named.entries[0].body.as_str()), (Shown::Full, body.trim()));
}

#[test]
fn a_document_shows_its_best_passage_under_its_headings() {
    let test = TestRecord::new();
    let body = format!("# Rain\n{}\n# Sun\n## Barometer\nThe barometer calibration needs sun.\n# Wind\n{}", "wet ".repeat(200), "dry ".repeat(200));
    test.recorder().document("Weather book", body).record().expect("a document");
    let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!((found.entries[0].passage.as_str(), found.entries[0].body.trim()), ("Sun > Barometer", "The barometer calibration needs sun."));
}
