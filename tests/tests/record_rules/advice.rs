//! What recording says beside the id.

use stele_core::{AdviceKind, Category, Format, Recorded, Relation, RetrieveOptions, Revision, Timestamp};
use stele_tests::TestRecord;

fn kinds(recorded: &Recorded) -> Vec<AdviceKind> {
    recorded.advice.iter().map(|advice| advice.kind).collect()
}

fn record(test: &TestRecord, category: Category, title: &str, body: &str) -> Recorded {
    test.recorder().fact(category, title).body(body).review_at(Timestamp::parse("2027-01-01").expect("a time")).record().expect("a fact")
}

#[test]
fn a_restatement_is_named_and_one_with_another_number_or_a_negation_may_contradict() {
    let test = TestRecord::new();
    let first = record(&test, Category::Decision, "The limiter allows 30 requests a minute", "Per token.");
    assert_eq!(kinds(&first), []);
    for nth in 0..20 {
        let title = format!("{}The limiter allows 30 requests a minute{}", " ".repeat(nth % 3), ".".repeat(nth % 4));
        let again = record(&test, Category::Decision, &title, "Per token.");
        assert_eq!(kinds(&again), [AdviceKind::NearDuplicate], "{title}");
        assert!(again.advice[0].ids.contains(&first.id) && again.advice[0].ids.len() <= 5);
        assert!(again.advice[0].message.contains(&first.id.to_string()), "{}", again.advice[0].message);
    }
    let number = record(&test, Category::Decision, "The limiter allows 60 requests a minute", "Per token.");
    assert!(kinds(&number).contains(&AdviceKind::MayContradict), "{:?}", number.advice);
    let negated = record(&test, Category::Decision, "The limiter never allows 30 requests a minute", "Per token.");
    assert!(kinds(&negated).contains(&AdviceKind::MayContradict), "{:?}", negated.advice);
    let other = record(&test, Category::Decision, "Sessions live in Postgres", "Rows of a table.");
    assert_eq!(kinds(&other), []);
    let kind = record(&test, Category::Risk, "The limiter allows 30 requests a minute", "`Per` token.");
    assert_eq!(kinds(&kind), [], "of another category");
}

#[test]
fn titles_that_differ_in_a_mark_that_names_or_compares_are_no_restatements() {
    let test = TestRecord::with(|options| options.without_embedder());
    let titles = ["Use C", "Use C++", "Use C#", "Keep a < b", "Keep a > b", "\u{1f389}", "\u{1f680}"];
    for title in titles {
        let recorded = record(&test, Category::Decision, title, "Agreed by all.");
        assert_eq!(kinds(&recorded), [], "{title}");
    }
    let found = test.record.retriever().retrieve("which language do we use now, C++ or C#?", &RetrieveOptions::new()).expect("a window");
    let served: Vec<&str> = found.entries.iter().map(|entry| entry.title.as_str()).collect();
    assert!(titles[1..3].iter().all(|title| served.contains(title)), "{served:?}");
}

#[test]
fn a_restatement_is_named_however_many_nodes_of_other_kinds_have_its_title() {
    let test = TestRecord::with(|options| options.without_embedder());
    for _ in 0..8 {
        test.recorder().task("Fix the tests").record().expect("a task");
    }
    let first = record(&test, Category::Decision, "Fix the tests", "");
    assert_eq!(record(&test, Category::Decision, "Fix the tests", "").advice[0].ids, [first.id]);
}

#[test]
fn what_is_retired_or_put_away_is_no_duplicate() {
    let test = TestRecord::new();
    let first = record(&test, Category::Decision, "The limiter allows 30 requests a minute", "").id.to_string();
    test.recorder().archive(&first, "no longer").expect("put away");
    assert_eq!(kinds(&record(&test, Category::Decision, "The limiter allows 30 requests a minute", "")), []);
}

#[test]
fn lessons_and_risks_want_a_trigger_and_facts_an_end() {
    let test = TestRecord::new();
    for category in [Category::Lesson, Category::Risk] {
        assert_eq!(kinds(&record(&test, category, "Order matters here", "It broke once.")), [AdviceKind::NoTrigger]);
        for words in ["run `make`", "it says \"no such file\"", "in src/auth/mod.rs", "TS2769", "rateLimiter"] {
            assert_eq!(kinds(&record(&test, category, &format!("Order matters for {words}"), words)), [], "{words}");
        }
    }
    assert_eq!(kinds(&record(&test, Category::Fyi, "Order matters there", "It broke once.")), []);
    let recorder = test.recorder();
    let open = recorder.fact(Category::Fyi, "The hall is blue").record().expect("a fact");
    assert_eq!(kinds(&open), [AdviceKind::NoEnd]);
    assert!(open.advice[0].message.contains(Relation::ExpiresOn.as_str()) && open.advice[0].ids == [open.id]);
    let task = recorder.task("Paint the hall").record().expect("a task");
    assert_eq!(kinds(&task), []);
    assert_eq!(kinds(&recorder.fact(Category::Fyi, "The hall is green").resolves_with(task.id.to_string()).record().expect("a fact")), []);
}

#[test]
fn text_that_stele_rendered_is_named_as_such() {
    let test = TestRecord::new();
    record(&test, Category::Decision, "Limits come before authentication", "Because.");
    let shown = test.record.retriever().retrieve("do limits come before authentication here?", &RetrieveOptions::new()).expect("a window").render(Format::Text);
    let again = record(&test, Category::Fyi, "What I was told", &shown);
    assert!(kinds(&again).contains(&AdviceKind::OwnOutput), "{:?}", again.advice);
}

#[test]
fn a_revision_that_says_something_else_is_advised_as_a_new_fact_is() {
    let test = TestRecord::new();
    let first = record(&test, Category::Lesson, "The limiter allows 30 requests a minute", "`limiter::allow` per token.").id;
    let other = record(&test, Category::Lesson, "Sessions live in Postgres", "`sessions::row` are rows of a table.").id.to_string();
    let revise = |revision: Revision| test.recorder().revise(&other, revision).expect("a revision");
    let again = revise(Revision::new().title("the limiter allows 30 requests a minute!"));
    assert_eq!((kinds(&again), again.advice[0].ids.clone()), (vec![AdviceKind::NearDuplicate], vec![first]));
    assert_eq!(kinds(&revise(Revision::new().tags(["t"]))), [], "it says what it said");
    assert_eq!(kinds(&revise(Revision::new().title("Sessions live in Postgres").body("rows of a table"))), [AdviceKind::NoTrigger]);
    let pasted = test.record.retriever().retrieve(&first.to_string(), &RetrieveOptions::new()).expect("a window").render(Format::Text);
    assert!(kinds(&revise(Revision::new().body(pasted))).contains(&AdviceKind::OwnOutput));
    let near = revise(Revision::new().title("The limiter allows 30 requests a minute per token").body("`limiter::allow` per token."));
    assert!(kinds(&near).contains(&AdviceKind::NearDuplicate), "by meaning: {:?}", near.advice);
}
