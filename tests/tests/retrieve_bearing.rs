//! What a prompt plainly means: it comes first with its neighbours, and what merely shares a word brings nothing.

use stele_core::{Category, Relation, RetrieveOptions, Role, SearchOptions, Status};
use stele_tests::TestRecord;

fn window(test: &TestRecord, prompt: &str) -> (Status, Vec<String>) {
    let found = test.record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a retrieval");
    (found.status, found.entries.iter().map(|entry| entry.id.to_string()).collect())
}

/// Facts about something else, so that words are rare where they should be.
fn gardens(test: &TestRecord) {
    for number in 0..40 {
        test.fact(Category::Fyi, &format!("Garden bed {number}"), "Roses and tulips grow beside the gravel path.");
    }
}

#[test]
fn what_states_the_prompt_needs_no_weaker_company() {
    let test = TestRecord::new();
    gardens(&test);
    test.fact(Category::Decision, "Barometer readings go to the archive", "Every reading is stored with its station.");
    let stated = test.fact(Category::Fyi, "Quarterly calibration of the harbour barometer", "The harbour barometer is calibrated each quarter by the pilot.");
    let (status, ids) = window(&test, "quarterly calibration of the harbour barometer");
    assert_eq!((status, ids), (Status::Found, vec![stated]));
}

#[test]
fn neighbours_of_what_states_the_prompt_come_before_a_higher_score() {
    let test = TestRecord::new();
    gardens(&test);
    let stated = test.fact(Category::Fyi, "Quarterly calibration of the harbour barometer", "By the pilot.");
    let beside = test.fact(Category::Opportunity, "A cheaper instrument maker", "Two streets away.");
    let other = test.fact(Category::Decision, "Calibration of the harbour barometer is quarterly and free", "So it was agreed.");
    let further = test.fact(Category::Decision, "The agreement is kept in the safe", "Second shelf.");
    let recorder = test.recorder();
    recorder.link(&stated, Relation::RelatesTo, &beside).expect("an edge");
    recorder.link(&other, Relation::Blocks, &further).expect("an edge");
    let found = test.record.retriever().retrieve("Quarterly calibration of the harbour barometer", &RetrieveOptions::new()).expect("a retrieval");
    let place = |id: &str| found.entries.iter().position(|entry| entry.id.to_string() == id);
    let (beside_at, further_at) = (place(&beside), place(&further));
    assert_eq!(found.entries[0].id.to_string(), stated);
    assert_eq!(found.entries[beside_at.expect("a neighbour")].role, Role::Walked);
    assert!(beside_at < further_at || further_at.is_none(), "{beside_at:?} {further_at:?}");
}

#[test]
fn what_only_holds_the_words_of_the_prompt_stands_behind_the_neighbours_of_what_states_it() {
    let prompt = "quarterly calibration of the harbour barometer";
    let test = TestRecord::new();
    gardens(&test);
    let stated = test.fact(Category::Fyi, "Quarterly calibration of the harbour barometer", "By the pilot.");
    let beside = test.fact(Category::Opportunity, "A cheaper instrument maker", "Two streets away.");
    let minutes = "The mayor opened the session. The harbour barometer has its quarterly calibration.";
    let holds = test.fact(Category::Decision, "Minutes of the council", minutes);
    test.recorder().link(&stated, Relation::RelatesTo, &beside).expect("an edge");
    let hits = test.record.retriever().search(prompt, &SearchOptions::new()).expect("hits");
    let share = hits[1].score / hits[0].score;
    assert!(hits[1].id.to_string() == holds && (0.6..0.7).contains(&share), "{share}");
    assert_eq!(window(&test, prompt).1, [stated, beside, holds]);
}

#[test]
fn a_title_that_the_prompt_says_comes_before_others_that_hold_its_words_and_so_does_what_an_edge_joins_to_it() {
    let prompt = "Quarterly calibration of the harbour barometer?";
    let test = TestRecord::new();
    gardens(&test);
    let longer = "Quarterly calibration of the harbour barometer and of the barometer calibration kit";
    let others = [Category::Decision, Category::Architecture].map(|category| test.fact(category, longer, "Harbour barometer calibration is quarterly."));
    let titled = test.fact(Category::Fyi, "The quarterly calibration of the harbour barometer", "By the pilot.");
    let walked = test.fact(Category::Opportunity, "A cheaper instrument maker", "Two streets away.");
    let found_too = test.fact(Category::Goal, "Harbour barometer", "Calibration is quarterly.");
    let recorder = test.recorder();
    recorder.link(&titled, Relation::RelatesTo, &walked).expect("an edge");
    recorder.link(&found_too, Relation::Blocks, &titled).expect("an edge");
    let ids = window(&test, prompt).1;
    assert_eq!(ids[..3], [titled, found_too, walked], "{ids:?}");
    assert!(others.iter().all(|other| ids[3..].contains(other)), "{ids:?}");
}

#[test]
fn all_that_have_the_title_that_the_prompt_says_come_first() {
    let test = TestRecord::new();
    gardens(&test);
    let title = "Quarterly calibration of the harbour barometer";
    let twins = [(Category::Fyi, "By the pilot, with a mirror."), (Category::Goal, "The archive holds seventeen of them.")]
        .map(|(category, body)| test.fact(category, title, body));
    let beside = test.fact(Category::Decision, "Zinc", "");
    for twin in &twins {
        test.recorder().link(twin, Relation::Blocks, &beside).expect("an edge");
    }
    let ids = window(&test, title).1;
    assert!(ids.len() == 3 && ids[2] == beside, "{ids:?}");
}

#[test]
fn beside_what_is_meant_the_heavier_relation_comes_first_and_then_what_it_rests_on() {
    let test = TestRecord::new();
    gardens(&test);
    let recorder = test.recorder();
    let meant = test.fact(Category::Decision, "Quarterly calibration of the harbour barometer", "By the pilot.");
    let mentioned = test.fact(Category::Decision, "Zinc", "");
    let blocker = test.fact(Category::Fyi, "Yttrium", "");
    let blocked = test.fact(Category::Decision, "Xenon", "");
    let cause = test.fact(Category::Fyi, "Wolfram", "");
    let effect = test.fact(Category::Decision, "Vanadium", "");
    for (from, relation, to) in [
        (&meant, Relation::RelatesTo, &mentioned),
        (&blocker, Relation::Blocks, &meant),
        (&meant, Relation::Blocks, &blocked),
        (&meant, Relation::CausedBy, &cause),
        (&effect, Relation::CausedBy, &meant),
    ] {
        recorder.link(from, relation, to).expect("an edge");
    }
    assert_eq!(window(&test, "quarterly calibration of the harbour barometer").1, [meant, blocker, blocked, cause, effect, mentioned]);
}

#[test]
fn among_equal_neighbours_what_shares_words_with_the_prompt_comes_before_what_is_newer() {
    let test = TestRecord::new();
    gardens(&test);
    let recorder = test.recorder();
    let stated = test.fact(Category::Fyi, "Quarterly calibration of the harbour barometer", "By the pilot.");
    let older = test.fact(Category::Fyi, "Opening hours of the office", "Closed on each quarterly holiday, on Sundays, and while the clerk is at lunch.");
    test.clock.set("2026-05-01");
    let newer = test.fact(Category::Fyi, "A cheaper instrument maker", "Two streets away.");
    for neighbour in [&older, &newer] {
        recorder.link(&stated, Relation::RelatesTo, neighbour).expect("an edge");
    }
    assert_eq!(window(&test, "quarterly calibration of the harbour barometer").1, [stated, older, newer]);
}

#[test]
fn among_equals_what_more_of_the_found_lead_to_comes_first() {
    let test = TestRecord::new();
    gardens(&test);
    let recorder = test.recorder();
    let first = test.fact(Category::Decision, "Barometer calibration", "");
    let second = test.fact(Category::Decision, "Thermometer drift", "");
    // Made first, the others come first in all else.
    let lone = ["Yttrium", "Xenon"].map(|title| test.fact(Category::Lesson, title, ""));
    let shared = test.fact(Category::Lesson, "Zinc", "");
    for (seed, lone) in [&first, &second].into_iter().zip(&lone) {
        recorder.link(seed, Relation::RelatesTo, lone).expect("an edge");
        recorder.link(seed, Relation::RelatesTo, &shared).expect("an edge");
    }
    let found =
        test.record.retriever().retrieve("what do we know of barometer calibration and thermometer drift?", &RetrieveOptions::new()).expect("a retrieval");
    let walked: Vec<String> = found.entries.iter().filter(|entry| entry.role == Role::Walked).map(|entry| entry.id.to_string()).collect();
    assert_eq!((walked.len(), &walked[0]), (3, &shared));
}

#[test]
fn the_many_that_rest_on_a_node_hide_none_of_the_few_it_rests_on() {
    let test = TestRecord::new();
    gardens(&test);
    let recorder = test.recorder();
    let hub = test.fact(Category::Decision, "Quarterly calibration of the harbour barometer", "By the pilot.");
    // So many that they are read at once, and then so many that they are read group by group. Made first, they come first.
    for dependants in [30, 60] {
        for number in 0..dependants {
            let above = test.fact(Category::Decision, &format!("Ledger {dependants} {number}"), "Kept by the purser.");
            recorder.link(&hub, Relation::Blocks, &above).expect("an edge");
        }
        let ground = test.fact(Category::Decision, &format!("Zinc {dependants}"), "");
        recorder.link(&ground, Relation::Blocks, &hub).expect("an edge");
        let (_, ids) = window(&test, "quarterly calibration of the harbour barometer");
        assert!(ids.contains(&ground), "{ids:?}");
    }
}

#[test]
fn a_question_that_shares_one_rare_word_by_chance_gets_nothing() {
    let test = TestRecord::new();
    gardens(&test);
    test.fact(Category::Decision, "The gazebo is painted green", "The committee voted for it in spring.");
    let (status, ids) = window(&test, "how many gazebo tickets must a database cursor fetch before the kernel scheduler preempts?");
    assert_eq!((status, ids), (Status::Abstained, Vec::new()));
}

#[test]
fn a_question_all_of_whose_words_a_fact_holds_is_answered_with_it_in_the_smallest_record() {
    let test = TestRecord::new();
    let only = test.fact(Category::Decision, "Files are read line by line with BufReader", "");
    assert_eq!(window(&test, "What is this about reading?"), (Status::Found, vec![only]));
}

#[test]
fn an_error_code_finds_its_lesson_in_whatever_company() {
    let test = TestRecord::new();
    gardens(&test);
    let lesson = test.fact(Category::Lesson, "PLN_E042 means conflict", "Ask for the conflict set.");
    let (_, ids) = window(&test, "how many gazebo tickets must a database cursor fetch before PLN_E042 preempts the kernel scheduler?");
    assert_eq!(ids, [lesson]);
}

#[test]
fn a_pasted_text_is_weighed_by_its_telling_words_only() {
    let test = TestRecord::new();
    gardens(&test);
    let lesson = test.fact(Category::Lesson, "The gazebo leaks", "Tar the seams.");
    let filler = "the scheduler preempts kernel threads while database cursors fetch pages ".repeat(20);
    let (_, ids) = window(&test, &format!("{filler} gazebo"));
    assert_eq!(ids, [lesson]);
}
