//! Score and order: which entry stands above which, and why.

use stele_core::{Category, Class, GapKind, Relation, Retrieval, RetrieveOptions, Role, TaskType};
use stele_tests::TestRecord;
use stele_tests::shorthand::ids;

const PROMPT: &str = "what do we know about the barometer calibration?";

fn look(test: &TestRecord) -> Retrieval {
    test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval")
}

#[test]
fn matches_stand_by_category_and_neighbours_by_category_relation_and_distance() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Fyi, "Barometer calibration", "");
    let cause = test.fact(Category::Decision, "Zinc", "");
    let topic = test.fact(Category::Lesson, "Yttrium", "");
    let blocker = recorder.task("Xenon").record().expect("a task").id.to_string();
    let epic = recorder.task("Wolfram").task_type(TaskType::Epic).record().expect("an epic").id.to_string();
    let part = recorder.component("Vanadium").record().expect("a component").id.to_string();
    recorder.link(&seed, Relation::CausedBy, &cause).expect("an edge");
    recorder.link(&topic, Relation::RelatesTo, &seed).expect("an edge");
    recorder.link(&blocker, Relation::Blocks, &seed).expect("an edge");
    recorder.link(&seed, Relation::Blocks, &epic).expect("an edge");
    recorder.link(&seed, Relation::RelatesTo, &part).expect("an edge");
    let found = look(&test);
    let scores: Vec<_> = found.entries.iter().map(|entry| (entry.id.to_string(), entry.score.total())).collect();
    assert_eq!(scores, [(cause, 4.5), (seed, 4.0), (blocker, 3.5), (topic, 2.5), (part, 0.0), (epic, -0.5)]);
    let first = &found.entries[0];
    assert_eq!((first.role, first.hops, first.via), (Role::Walked, 1, Some(Relation::CausedBy)));
    assert!(first.explain().contains("= 4.5"), "{}", first.explain());
    assert_eq!((found.entries[1].role, found.entries[1].hops, found.entries[1].seed_rank), (Role::Seed, 0, Some(1)));
}

#[test]
fn the_best_path_to_a_node_counts_even_if_it_is_longer() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let middle = test.fact(Category::Fyi, "Zinc", "");
    let far = test.fact(Category::Goal, "Yttrium", "");
    recorder.link(&seed, Relation::Mentions, &far).expect("an edge");
    recorder.link(&seed, Relation::RelatesTo, &middle).expect("an edge");
    recorder.link(&middle, Relation::Fulfills, &far).or_else(|_| recorder.link(&middle, Relation::Blocks, &far)).expect("an edge");
    let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().hops(2)).expect("a retrieval");
    let entry = found.entries.iter().find(|entry| entry.id.to_string() == far).expect("reached");
    assert_eq!((entry.hops, entry.score.total()), (2, 4.0));
}

#[test]
fn no_way_leads_to_a_node_over_itself() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let (middle, other) = (test.fact(Category::Fyi, "Zinc", ""), test.fact(Category::Fyi, "Xenon", ""));
    let far = recorder.task("Yttrium").record().expect("a task").id.to_string();
    recorder.link(&seed, Relation::RelatesTo, &middle).expect("an edge");
    recorder.link(&far, Relation::Fulfills, &middle).expect("an edge");
    let way = || {
        let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().hops(3)).expect("a retrieval");
        let entry = found.entries.iter().find(|entry| entry.id.to_string() == middle).expect("reached").clone();
        (entry.hops, entry.via, entry.from.map(|from| from.id.to_string()), entry.score.total())
    };
    assert_eq!(way(), (1, Some(Relation::RelatesTo), Some(seed.clone()), 1.5));
    // Where another way leads to the far end, a long way is one.
    recorder.link(&seed, Relation::RelatesTo, &other).expect("an edge");
    recorder.link(&other, Relation::Mentions, &far).expect("an edge");
    assert_eq!(way(), (3, Some(Relation::Fulfills), Some(far), 2.5));
}

#[test]
fn equal_scores_stand_by_search_rank_then_newest_first() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let weak = test.fact(Category::Decision, "Calibration of many other devices in the house", "and much more text about other things that dilutes it");
    let strong = test.fact(Category::Decision, "Barometer calibration", "");
    test.clock.set("2026-01-02");
    let older = test.fact(Category::Fyi, "Zinc", "");
    test.clock.set("2026-01-03");
    let newer = test.fact(Category::Fyi, "Yttrium", "");
    for id in [&older, &newer] {
        recorder.link(id, Relation::RelatesTo, &strong).expect("an edge");
    }
    assert_eq!(ids(&look(&test)), [strong, weak, newer, older]);
}

#[test]
fn at_most_twelve_edges_of_a_node_are_followed_and_the_rest_is_counted() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let heavy = test.fact(Category::Decision, "Yttrium", "");
    for number in 0..20 {
        let id = test.fact(Category::Fyi, &format!("Zinc {number}"), "");
        recorder.link(&id, Relation::RelatesTo, &seed).expect("an edge");
    }
    recorder.link(&seed, Relation::CausedBy, &heavy).expect("an edge");
    let found = look(&test);
    assert_eq!(found.entries.len(), 13);
    assert!(ids(&found).contains(&heavy));
    let gap = found.gaps.iter().find(|gap| gap.kind == GapKind::Edges).expect("the cut is reported");
    assert_eq!(gap.count, 9);
}

#[test]
fn the_same_question_gives_the_same_bytes_every_time() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for number in 0..40 {
        let id = test.fact(Category::Fyi, &format!("Barometer calibration step {number}"), "identical body text");
        if number > 0 {
            recorder.link(&id, Relation::RelatesTo, &format!("KNOW-{number}")).expect("an edge");
        }
    }
    let first = look(&test);
    assert!(first.entries.len() > 5, "{first:?}");
    let other = test.again();
    for _ in 0..20 {
        assert_eq!(look(&test), first);
    }
    assert_eq!(other.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval"), first);
    test.record.catch_up().expect("indexed");
    let mut indexed = look(&test);
    indexed.stats = first.stats;
    assert_eq!(indexed, first);
}

#[test]
fn the_five_best_seeds_keep_a_place_among_weightier_neighbours() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let epics: Vec<String> = (0..5)
        .map(|number| recorder.task(format!("Barometer calibration stage {number}")).task_type(TaskType::Epic).record().expect("an epic").id.to_string())
        .collect();
    for epic in &epics {
        for number in 0..8 {
            let id = test.fact(
                Category::Decision,
                &format!("{} neighbour {number}", ["Zinc", "Iron", "Lead", "Gold", "Tin"][number % 5]),
                &format!("{epic} {number}"),
            );
            recorder.link(&id, Relation::Blocks, epic).expect("an edge");
        }
    }
    let found = look(&test);
    assert_eq!(found.entries.len(), 20);
    assert!(epics.iter().all(|epic| ids(&found).contains(epic)), "{:?}", ids(&found));
    let totals: Vec<f32> = found.entries.iter().map(|entry| entry.score.total()).collect();
    assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
    assert!(found.gaps.iter().any(|gap| gap.kind == GapKind::Entries && gap.count > 0));
}

#[test]
fn a_host_may_read_and_change_the_table() {
    let test = TestRecord::new();
    let fyi = test.fact(Category::Fyi, "Barometer calibration", "");
    let decision = test.fact(Category::Decision, "Barometer calibration schedule", "");
    assert_eq!(ids(&look(&test)), [decision.clone(), fyi.clone()]);
    let mut table = test.record.ranking();
    table.set_class(Class::Knowledge(Category::Fyi), 9.0).expect("in range");
    test.record.set_ranking(table);
    assert_eq!(ids(&look(&test)), [fyi, decision]);
}

#[test]
fn neighbours_that_cannot_be_found_by_search_are_not_walked_to() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let rule = recorder.rule("Zinc", "Always wear gloves").routing(|rule| rule.mandatory = true).record().expect("a rule").id.to_string();
    let ranked = recorder.rule("Yttrium", "Prefer dry days").record().expect("a rule").id.to_string();
    for id in [&rule, &ranked] {
        recorder.link(&seed, Relation::RelatesTo, id).expect("an edge");
    }
    assert_eq!(ids(&look(&test)), [seed, ranked]);
    let named = test.record.retriever().retrieve(&rule, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(ids(&named)[0], rule);
}
