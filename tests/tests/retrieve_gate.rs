//! What is looked up at all, and how a retrieval says that it found nothing.

use std::time::Duration;

use stele_core::{Category, GapKind, RetrieveOptions, Role, State, Status};
use stele_tests::TestRecord;

fn status(test: &TestRecord, prompt: &str) -> Status {
    test.record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a retrieval").status
}

#[test]
fn a_short_prompt_that_names_nothing_is_skipped() {
    let test = TestRecord::new();
    test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    assert_eq!(status(&test, "rate limiter auth?"), Status::TooShort);
    assert_eq!(status(&test, &format!("{:>60}", "rate limiter auth?")), Status::TooShort);
    assert_eq!(status(&test, "where does the rate limiter sit?"), Status::Found);
    assert_eq!(status(&test, "KNOW-99"), Status::TooShort);
}

#[test]
fn nine_ideographs_are_a_prompt() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "用户身份验证必须在限流之前", "");
    assert_eq!(status(&test, "用户身份验证必须在"), Status::Found);
    assert_eq!(status(&test, "用户身份验证必须"), Status::TooShort);
    let hits = test.record.retriever().search("用户身份", &Default::default()).expect("hits");
    assert_eq!(hits[0].id.to_string(), id);
}

#[test]
fn a_short_prompt_with_an_id_or_alias_gives_that_node_whole_and_its_neighbours_without_a_search() {
    let test = TestRecord::new();
    let body = "x".repeat(5_000);
    let recorder = test.recorder();
    let named = recorder.fact(Category::Decision, "Limits").body(&body).alias("ADR-0007").record().expect("a fact").id.to_string();
    let near = test.fact(Category::Fyi, "Its neighbour", "");
    test.fact(Category::Decision, "Limits elsewhere", "");
    recorder.link(&near, stele_core::Relation::RelatesTo, &named).expect("an edge");
    for prompt in [named.as_str(), "adr-0007", "see adr-0007?"] {
        let found = test.record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a retrieval");
        let seen: Vec<_> = found.entries.iter().map(|entry| (entry.id.to_string(), entry.role)).collect();
        assert_eq!(seen, [(named.clone(), Role::Named), (near.clone(), Role::Walked)], "{prompt}");
        assert_eq!(found.entries[0].body, body);
        assert_eq!((found.stats.postings, found.stats.vectors), (0, 0));
    }
}

#[test]
fn a_number_under_another_kind_resolves_and_says_so() {
    let test = TestRecord::new();
    let id = test.fact(Category::Fyi, "Something", "");
    let found = test.record.retriever().retrieve("what about TASK-1", &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(found.entries[0].id.to_string(), id);
    let corrected: Vec<_> = found.corrected.iter().map(|(written, id)| (written.as_str(), id.to_string())).collect();
    assert_eq!(corrected, [("TASK-1", id)]);
}

#[test]
fn an_alias_without_a_digit_is_no_name() {
    let test = TestRecord::new();
    test.recorder().fact(Category::Fyi, "Zebra").alias("limits").record().expect("a fact");
    assert_eq!(status(&test, "limits"), Status::TooShort);
}

#[test]
fn nothing_related_is_told_from_nothing_at_all() {
    let test = TestRecord::new();
    let prompt = "please compute the trajectory of a comet";
    assert_eq!(status(&test, prompt), Status::Empty);
    test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    assert_eq!(status(&test, prompt), Status::Abstained);
}

#[test]
fn no_time_is_late_and_no_error() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    for prompt in ["where does the rate limiter sit?", id.as_str()] {
        let found = test.record.retriever().retrieve(prompt, &RetrieveOptions::new().deadline(Duration::ZERO)).expect("a retrieval");
        assert_eq!(found.status, Status::Late);
        assert!(found.entries.is_empty());
    }
}

#[test]
fn no_time_for_the_walk_gives_the_seeds_and_says_so() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    let other = test.fact(Category::Fyi, "Zebra", "");
    test.recorder().link(&id, stele_core::Relation::RelatesTo, &other).expect("an edge");
    let found = test.record.retriever().retrieve("where does the rate limiter sit?", &RetrieveOptions::new().walk_budget(Duration::ZERO)).expect("a retrieval");
    assert_eq!(found.status, Status::Found);
    assert_eq!(found.entries.len(), 1);
    assert!(found.gaps.iter().any(|gap| gap.kind == GapKind::Walk));
}

#[test]
fn any_text_is_a_prompt_and_the_fact_that_holds_its_rare_word_is_first() {
    let test = TestRecord::new();
    for number in 0..30 {
        test.fact(Category::Fyi, &format!("Filler about gardens {number}"), "roses and tulips");
    }
    let id = test.fact(Category::Lesson, "Compiler says TS2769: No overload", "Pass the generic argument.");
    let strange = ["don't", "a AND (b", "\"unclosed", "C++", "field:value^2 -x", "\\", "\0", "🦀", "*", "(((((", "\u{200d}\u{202e}", "NOT OR AND"];
    for text in strange {
        let prompt = format!("{text} TS2769: No overload matches {text}");
        let found = test.record.retriever().retrieve(&prompt, &RetrieveOptions::new()).expect("a retrieval");
        assert_eq!(found.entries[0].id.to_string(), id, "{text:?}");
        let hits = test.record.retriever().search(&prompt, &Default::default()).expect("hits");
        assert_eq!(hits[0].id.to_string(), id, "{text:?}");
        test.record.retriever().search(text, &Default::default()).expect("any text is a query");
    }
}

#[test]
fn a_prompt_of_ten_megabytes_is_answered_by_its_end() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    let prompt = format!("{}\nwhy is the rate limiter in front of auth?", "lorem ipsum dolor sit amet ".repeat(400_000));
    let found = test.record.retriever().retrieve(&prompt, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(found.entries[0].id.to_string(), id);
}

#[test]
fn an_archived_node_comes_only_when_it_is_named() {
    let test = TestRecord::new();
    let id = test.fact(Category::Decision, "Rate limiter sits in front of auth", "");
    let other = test.fact(Category::Decision, "Token bucket sizes", "the bucket holds 40");
    test.recorder().link(&other, stele_core::Relation::RelatesTo, &id).expect("an edge");
    test.recorder().archive(&id, "out of use").expect("put away");
    assert_eq!(status(&test, "where does the rate limiter sit?"), Status::Abstained);
    let found = test.record.retriever().retrieve("what are the token bucket sizes?", &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(found.entries.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [other]);
    let found = test.record.retriever().retrieve(&id, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!((found.entries[0].id.to_string(), found.entries[0].state), (id, State::Archived));
}

#[test]
fn options_out_of_their_limits_are_refused_by_name() {
    let test = TestRecord::new();
    let retriever = test.record.retriever();
    let refused = [RetrieveOptions::new().max_entries(0), RetrieveOptions::new().max_entries(21), RetrieveOptions::new().hops(4)];
    for (options, field) in refused.iter().zip(["max_entries", "max_entries", "hops"]) {
        let error = retriever.retrieve("where does the rate limiter sit?", options).expect_err("out of range");
        assert_eq!((error.code().as_str(), error.detail("field")), ("out_of_range", Some(field)));
        assert!(error.detail("limit").is_some());
    }
}
