//! Search, recall, and the reads of single nodes.

use stele_core::{
    AsOf, Category, Code, Direction, Kind, NeighbourOptions, RecallOptions, Relation, RetrieveOptions, Revision, SearchMode, SearchOptions, State, Status,
    Timestamp,
};
use stele_tests::TestRecord;

fn found(test: &TestRecord, query: &str, options: &SearchOptions) -> Vec<String> {
    test.record.retriever().search(query, options).expect("hits").into_iter().map(|hit| hit.id.to_string()).collect()
}

#[test]
fn filters_apply_before_the_cut_off() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for number in 0..30 {
        test.fact(Category::Fyi, &format!("Barometer calibration {number}"), "");
    }
    let part = recorder.component("House").record().expect("a component").id.to_string();
    let room = recorder.component("Attic").under(&part).record().expect("a component").id.to_string();
    test.clock.set("2026-03-01");
    let risk = recorder
        .fact(Category::Risk, "A risk that mentions the barometer calibration at the end of a rather long title")
        .tags(["weather"])
        .under(&room)
        .record()
        .expect("a fact")
        .id
        .to_string();
    let one = || SearchOptions::new().limit(1);
    let at = |text: &str| Timestamp::parse(text).expect("a time");
    for options in [one().categories([Category::Risk]), one().tags(["weather"]), one().component(&part), one().since(at("2026-02-01")).kinds([Kind::Knowledge])]
    {
        assert_eq!(found(&test, "barometer calibration", &options), std::slice::from_ref(&risk), "{options:?}");
    }
    assert!(found(&test, "barometer calibration", &SearchOptions::new().kinds([Kind::Task])).is_empty());
    assert!(!found(&test, "barometer calibration", &SearchOptions::new().until(at("2026-02-01")).limit(100)).contains(&risk));
    assert!(found(&test, "barometer calibration", &SearchOptions::new().states([State::Retired])).is_empty());
    let error = test.record.retriever().search("barometer", &SearchOptions::new().component("COMP-999")).expect_err("no such component");
    assert_eq!(error.code(), Code::UnknownNode);
    assert_eq!(test.record.retriever().search("barometer", &one().limit(0)).expect_err("no hits asked for").code(), Code::OutOfRange);
}

#[test]
fn each_mode_says_where_a_hit_comes_from() {
    let test = TestRecord::new();
    let id = test.fact(Category::Lesson, "Retry with exponential backoff", "Wait longer after each failed attempt.");
    test.fact(Category::Fyi, "Colours of the page", "blue and grey");
    let first = |mode| test.record.retriever().search("retry backoff", &SearchOptions::new().mode(mode)).expect("hits").remove(0);
    for mode in [SearchMode::Hybrid, SearchMode::Text, SearchMode::Semantic] {
        assert_eq!(first(mode).id.to_string(), id, "{mode}");
    }
    assert_eq!((first(SearchMode::Text).text_rank, first(SearchMode::Text).semantic_rank), (Some(1), None));
    assert_eq!((first(SearchMode::Semantic).text_rank, first(SearchMode::Semantic).semantic_rank), (None, Some(1)));
    assert_eq!((first(SearchMode::Hybrid).text_rank, first(SearchMode::Hybrid).semantic_rank), (Some(1), Some(1)));
}

#[test]
fn a_query_that_is_an_id_or_alias_finds_that_node_first() {
    let test = TestRecord::new();
    test.fact(Category::Fyi, "About ADR-0007 and what it says", "ADR-0007 ADR-0007");
    let id = test.recorder().fact(Category::Decision, "Limits").alias("ADR-0007").record().expect("a fact").id.to_string();
    assert_eq!(found(&test, "adr-0007", &SearchOptions::new())[0], id);
    assert_eq!(found(&test, &id, &SearchOptions::new())[0], id);
}

#[test]
fn a_recall_looks_further_than_a_prompt() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let near = test.fact(Category::Fyi, "Zinc", "");
    let far = test.fact(Category::Fyi, "Yttrium", "");
    recorder.link(&seed, Relation::RelatesTo, &near).expect("an edge");
    recorder.link(&near, Relation::RelatesTo, &far).expect("an edge");
    let recalled = test.record.retriever().recall("calibration", &RecallOptions::new()).expect("a recall");
    assert_eq!(recalled.status, Status::Found);
    assert!(recalled.briefing);
    assert_eq!(recalled.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [seed, near, far]);
    for options in [RecallOptions::new().seeds(51), RecallOptions::new().depth(4), RecallOptions::new().max_entries(101), RecallOptions::new().seeds(0)] {
        assert_eq!(test.record.retriever().recall("calibration", &options).expect_err("out of range").code(), Code::OutOfRange);
    }
}

#[test]
fn a_recall_looks_at_what_says_less_than_all_that_is_asked() {
    let test = TestRecord::new();
    let whole = test.fact(Category::Fyi, "Barometer calibration under the harbour lamp in winter", "");
    let part = test.fact(Category::Fyi, "Barometer notes of many years and of many hands, kept in the attic", "");
    let question = "barometer calibration under the harbour lamp in winter";
    let retriever = test.record.retriever();
    let ids = |found: stele_core::Retrieval| found.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(retriever.retrieve(question, &RetrieveOptions::new()).expect("a retrieval")), [whole.as_str()]);
    assert_eq!(ids(retriever.recall(question, &RecallOptions::new()).expect("a recall")), [whole, part]);
}

#[test]
fn a_search_under_what_is_no_component_says_so() {
    let test = TestRecord::new();
    let fact = test.fact(Category::Fyi, "Barometer calibration", "");
    let refused = test.record.retriever().search("barometer", &SearchOptions::new().component(fact));
    assert_eq!(refused.expect_err("no component").code(), Code::WrongKind);
}

#[test]
fn neighbours_come_by_weight_and_keep_to_relations_and_direction() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let hub = test.fact(Category::Decision, "Hub", "");
    let cause = test.fact(Category::Fyi, "Cause", "");
    let topic = test.fact(Category::Decision, "Topic", "");
    recorder.link_because(&hub, Relation::CausedBy, &cause, "it was so", "").expect("an edge");
    recorder.link(&topic, Relation::RelatesTo, &hub).expect("an edge");
    let look = |options: NeighbourOptions| -> Vec<String> {
        test.record.retriever().neighbours(&hub, &options).expect("neighbours").into_iter().map(|neighbour| neighbour.id.to_string()).collect()
    };
    assert_eq!(look(NeighbourOptions::new()), [cause.clone(), topic.clone()]);
    assert_eq!(look(NeighbourOptions::new().limit(1)), std::slice::from_ref(&cause));
    assert_eq!(look(NeighbourOptions::new().direction(Direction::Incoming)), std::slice::from_ref(&topic));
    assert_eq!(look(NeighbourOptions::new().relations([Relation::CausedBy])), [cause]);
    assert_eq!(test.record.retriever().neighbours(&hub, &NeighbourOptions::new()).expect("neighbours")[0].reason, "it was so");
}

#[test]
fn history_tells_what_changed_when_and_why() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = test.fact(Category::Decision, "Old title", "old body");
    let other = test.fact(Category::Decision, "Other", "");
    recorder.revise(&id, Revision::new().title("New title")).expect("a revision");
    recorder.link_because(&id, Relation::CausedBy, &other, "it follows", "").expect("an edge");
    recorder.unlink(&id, Relation::CausedBy, &other, "it does not follow").expect("no edge");
    recorder.archive(&id, "out of use").expect("put away");
    let history = test.record.retriever().history(&id).expect("a history");
    let seen: Vec<_> = history.iter().map(|item| (item.action.as_str(), item.why.as_str(), item.title.as_deref())).collect();
    assert_eq!(
        seen,
        [
            ("create", "", Some("Old title")),
            ("revise", "", Some("New title")),
            ("link", "it follows", None),
            ("unlink", "it does not follow", None),
            ("archive", "out of use", None)
        ]
    );
    assert!(history[1].what.contains("title"), "{}", history[1].what);
    assert_eq!(history.iter().map(|item| item.sequence).collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
}

#[test]
fn why_leads_down_to_the_first() {
    let test = TestRecord::new();
    let ids: Vec<String> = (0..4).map(|number| test.fact(Category::Decision, &format!("Plan {number}"), "")).collect();
    for pair in ids.windows(2) {
        test.recorder().supersede(&pair[1], &pair[0]).reason("it ended").evidence("a line").unverified().record().expect("a retirement");
    }
    let why = test.record.retriever().why(&ids[3]).expect("reasons");
    assert_eq!(
        why.replaced.iter().map(|origin| (origin.replacement.node.id.to_string(), origin.depth)).collect::<Vec<_>>(),
        [(ids[2].clone(), 1), (ids[1].clone(), 2), (ids[0].clone(), 3)]
    );
    assert!(why.replaced_by.is_empty());
    assert_eq!(test.record.retriever().why(&ids[0]).expect("reasons").replaced_by.len(), 1);
}

#[test]
fn conflicts_lists_each_live_pair_once() {
    let test = TestRecord::new();
    let ids: Vec<String> = (0..4).map(|number| test.fact(Category::Decision, &format!("Plan {number}"), "")).collect();
    test.recorder().contradicts(&ids[1], &ids[0], "either or").expect("an edge");
    test.recorder().contradicts(&ids[2], &ids[3], "").expect("an edge");
    let retriever = test.record.retriever();
    let pairs = |ids: Option<&[&str]>| -> Vec<(String, String)> {
        retriever.conflicts(ids).expect("conflicts").into_iter().map(|pair| (pair.a.id.to_string(), pair.b.id.to_string())).collect()
    };
    assert_eq!(pairs(None), [(ids[0].clone(), ids[1].clone()), (ids[2].clone(), ids[3].clone())]);
    assert_eq!(pairs(Some(&[&ids[3]])), [(ids[2].clone(), ids[3].clone())]);
    test.recorder().archive(&ids[0], "settled").expect("put away");
    assert_eq!(pairs(None).len(), 1);
}

#[test]
fn an_earlier_moment_is_read_as_it_stood() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    let then = test.record.head().expect("a head");
    let new = test.fact(Category::Decision, "Zinc", "");
    test.recorder().supersede(&new, &old).reason("it ended").evidence("a line").unverified().record().expect("a retirement");
    let past = test.record.retriever_as_of(AsOf::Sequence(then));
    let prompt = "what do we know about the barometer calibration?";
    let seen = |found: stele_core::Retrieval| found.entries.iter().map(|entry| (entry.id.to_string(), entry.state)).collect::<Vec<_>>();
    assert_eq!(seen(past.retrieve(prompt, &RetrieveOptions::new()).expect("a retrieval")), [(old.clone(), State::Live)]);
    assert_eq!(
        seen(test.record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a retrieval")),
        [(new.clone(), State::Live), (old.clone(), State::Retired)]
    );
    assert_eq!(past.get(&old).expect("it was there").state, State::Live);
    assert_eq!(past.get(&new).expect_err("it was not there yet").code(), Code::UnknownNode);
    assert_eq!(past.history(&old).expect("a history").len(), 1);
}
