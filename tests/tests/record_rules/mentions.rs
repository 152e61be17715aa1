//! Edges that texts draw by naming a node.

use stele_core::{Category, Code, Direction, Relation, Revision};
use stele_tests::TestRecord;

use super::{edges, outgoing, refused};

fn mentioned(test: &TestRecord, id: &str) -> Vec<(String, bool)> {
    outgoing(test, id).into_iter().filter(|edge| edge.0 == Relation::Mentions).map(|(_, to, automatic)| (to, automatic)).collect()
}

#[test]
fn a_text_is_joined_with_what_it_names_before_and_after() {
    let test = TestRecord::new();
    let early = test.fact(Category::Fyi, "See task-3, (KNOW-2) and ADR-0007!", "not KNOW-22, xKNOW-2 or auth");
    let second = test.fact(Category::Fyi, "Second", "");
    assert_eq!(mentioned(&test, &early), [(second.clone(), true)]);
    let third = test.fact(Category::Fyi, "Third is no task", "");
    assert_eq!(mentioned(&test, &early), [(second.clone(), true), (third.clone(), true)]);
    let fourth = test.recorder().fact(Category::Fyi, "auth").alias("adr-0007").alias("auth").record().expect("a fact").id.to_string();
    assert_eq!(mentioned(&test, &early), [(second, true), (third, true), (fourth, true)]);
    assert!(edges(&test, &early, Direction::Outgoing).iter().all(|edge| edge.reason.is_empty() && edge.evidence.is_none()));
}

#[test]
fn a_number_under_another_kind_resolves_to_the_node_that_has_it() {
    let test = TestRecord::new();
    let id = test.fact(Category::Fyi, "Alone", "");
    for other in ["TASK-1", "task-1", "doc-1", " KNOW-1 "] {
        assert_eq!(test.record.retriever().get(other).expect(other).id.to_string(), id);
    }
    test.recorder().review("RULE-1", "by another name").expect("resolved");
    let found = test.record.retriever().retrieve("TASK-1", &stele_core::RetrieveOptions::new()).expect("a window");
    assert_eq!(found.corrected.iter().map(|(written, id)| (written.as_str(), id.to_string())).collect::<Vec<_>>(), [("TASK-1", id)]);
}

#[test]
fn an_alias_that_comes_later_is_joined_with_texts_that_name_it() {
    let test = TestRecord::new();
    let early = test.fact(Category::Fyi, "Early", "decided in owner/repo#12 and PEP-484/PEP-526");
    let named = test.fact(Category::Fyi, "Named", "I am PEP-484 and owner/repo#12 myself");
    for alias in ["OWNER/repo#12", "pep-484"] {
        test.recorder().alias(&named, alias).expect("an alias");
        assert_eq!(mentioned(&test, &early), [(named.clone(), true)], "{alias}");
    }
    assert_eq!(mentioned(&test, &named), [], "no node names itself");
    test.recorder().alias(&named, "decided").expect("a word as alias");
    assert_eq!(test.record.retriever().get("DECIDED").expect("by alias").id.to_string(), named);
}

#[test]
fn an_alias_with_marks_at_its_ends_and_an_id_with_zeros_are_named_before_and_after() {
    let test = TestRecord::new();
    for alias in ["@scope/pkg2", "_a1", "x1_", "docs/v2/", "#b7", "lib3++"] {
        let text = format!("as ({alias}) says, and KNOW-0{}.", 3);
        let test = TestRecord::new();
        let early = test.fact(Category::Fyi, "Early", &text);
        let named = test.recorder().fact(Category::Fyi, "Named").alias(alias).record().expect(alias).id.to_string();
        let third = test.fact(Category::Fyi, "Third", "");
        let late = test.fact(Category::Fyi, &format!("Late {alias}."), &text);
        for id in [&early, &late] {
            assert_eq!(mentioned(&test, id), [(named.clone(), true), (third.clone(), true)], "{alias}");
        }
        let found = test.record.retriever().retrieve(&format!("what of {alias}?"), &stele_core::RetrieveOptions::new()).expect("a window");
        assert_eq!(found.entries.first().map(|entry| entry.id.to_string()), Some(named), "{alias}");
    }
    let id = test.fact(Category::Fyi, "One", "");
    for alias in ["know-0000000000000000000000001", "\u{212a}NOW-1", "KNOW-99999999999999999999"] {
        refused(&test, Code::BadAlias, Some("alias"), |recorder| recorder.alias(&id, alias));
    }
}

#[test]
fn a_revision_keeps_mentions_true_and_leaves_stated_ones_alone() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let [a, b] = ["A", "B"].map(|title| test.fact(Category::Fyi, title, ""));
    let text = test.fact(Category::Fyi, "Text", &format!("names {a} and {b}"));
    recorder.link_because(&text, Relation::Mentions, &b, "stated", "").expect("stated by itself");
    assert_eq!(mentioned(&test, &text), [(a.clone(), true), (b.clone(), false)]);
    refused(&test, Code::EdgeExists, None, |recorder| recorder.link(&text, Relation::Mentions, &b));
    recorder.revise(&text, Revision::new().body("names nothing")).expect("a revision");
    assert_eq!(mentioned(&test, &text), [(b.clone(), false)]);
    recorder.revise(&text, Revision::new().body(format!("names {b} and {a} again"))).expect("a revision");
    assert_eq!(mentioned(&test, &text), [(a.clone(), true), (b.clone(), false)]);
    // The same node under another of its names is the same mention.
    recorder.alias(&a, "JIRA-12").expect("an alias");
    recorder.revise(&text, Revision::new().body("names JIRA-12")).expect("a revision");
    assert_eq!(mentioned(&test, &text), [(a, true), (b, false)]);
}

#[test]
fn a_mention_drawn_from_a_text_can_be_taken_away() {
    let test = TestRecord::new();
    let a = test.fact(Category::Fyi, "A", "");
    let text = test.fact(Category::Fyi, "Text", &format!("names {a}"));
    test.recorder().unlink(&text, Relation::Mentions, &a, "by accident").expect("taken away");
    assert_eq!(mentioned(&test, &text), []);
    test.recorder().revise(&text, Revision::new().title("Text of mine")).expect("a revision");
    assert_eq!(mentioned(&test, &text), [(a, true)], "the text still names it, and a revision keeps the edges true");
}

#[test]
fn ten_thousand_names_in_one_text_are_no_trouble() {
    let test = TestRecord::with(|options| options.without_embedder());
    let body: String = (1..6_000).map(|n| format!("KNOW-{n} ")).collect();
    let id = test.fact(Category::Fyi, "Names", &body);
    let second = test.fact(Category::Fyi, "Second", "");
    assert_eq!(mentioned(&test, &id), [(second, true)]);
}
