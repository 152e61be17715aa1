//! Purges where the text hides in fields that are not prose, and where what is cleaned is more than prose.

use stele_core::{Category, Code, ExportForm, Helpfulness, ImportOptions, Relation, RuleDetail, Severity, Source};
use stele_tests::every_kind::record_every_kind;
use stele_tests::{TestRecord, holding};

/// A word that is telling by nothing but that somebody purged it.
const SECRET: &str = "quagmirewort";

/// The word is in no file, the record is sound, and so are its copies.
fn is_gone(test: &TestRecord) {
    assert_eq!(holding(&test.dir(), &[SECRET]), Vec::<String>::new());
    test.record.verify_log().expect("a whole chain");
    test.record.verify_views().expect("the views of the log");
    let (log, nodes) = (test.outside().join("log.jsonl"), test.outside().join("nodes.jsonl"));
    test.record.export_jsonl(&log, ExportForm::Log).expect("an export");
    test.record.export_jsonl(&nodes, ExportForm::Interchange).expect("an export");
    let copy = TestRecord::new();
    copy.record.import_log(&log).expect("imported");
    copy.record.verify_views().expect("the views of the log");
    let report = TestRecord::new().record.import_jsonl(&nodes, "importer", ImportOptions::new()).expect("a report");
    assert!(report.applied, "{report:?}");
}

#[test]
fn nothing_is_left_of_any_field_of_a_rule_or_of_what_was_counted_for_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let (word, words) = (|| SECRET.to_owned(), || vec![format!("x {SECRET}")]);
    let detail = RuleDetail {
        statement: word(),
        trigger: word(),
        mandatory: true,
        always_on: true,
        forbidden: words(),
        instead: word(),
        domain: Some(word()),
        severity: Severity::Low,
        points: words(),
        keywords: words(),
        floor_modes: words(),
        action_triggers: words(),
        methodology: Some(word()),
        provisional: false,
    };
    let source = Source { uri: word(), quote: Some(word()), revision: Some(word()), applies_to: Some(word()), known: None };
    let rule = recorder.rule(SECRET, "set below").routing(|rule| *rule = detail).tags([SECRET]).anchor(SECRET, Some(SECRET)).source(source).record();
    let id = rule.expect("a rule").id.to_string();
    for key in [SECRET.to_owned(), format!("2{SECRET}")] {
        recorder.feedback(&id, Helpfulness::Helped, Some(&key)).expect("counted");
    }
    assert!(test.record.catch_up().expect("indexes"));
    assert!(recorder.purge(&id, "the law", &[]).expect("purged").complete);
    is_gone(&test);
    let counted = test.record.retriever().feedback(&id).expect("what was counted");
    assert_eq!((counted.helped, counted.hurt), (2, 0));
}

#[test]
fn what_a_later_purge_takes_stands_in_no_earlier_purge() {
    let test = TestRecord::new();
    let one = test.fact(Category::Fyi, "One", "alphaword7711");
    let two = test.fact(Category::Fyi, SECRET, "alphaword7711 was said");
    let recorder = test.recorder();
    recorder.link_because(&two, Relation::RelatesTo, &one, SECRET, "alphaword7711").expect("joined");
    for id in [&one, &two] {
        assert!(recorder.purge(id, "the law", &[]).expect("purged").complete);
    }
    is_gone(&test);
}

#[test]
fn purges_of_texts_that_quote_each_other_do_not_add_up() {
    let test = TestRecord::with(|options| options.without_embedder());
    let recorder = test.recorder();
    for nth in 0..20 {
        let body: String = (0..20).map(|other| format!("the gate number {other} opens{nth}at{other}night now\n")).collect();
        recorder.fact(Category::Fyi, format!("Gate {nth}")).body(format!("{body}{SECRET} alphaword7711 opens the gate")).record().expect("a fact");
    }
    let bytes = || std::fs::metadata(test.dir().join("record.db")).expect("a file").len();
    let mut before = None;
    for number in 1..=20 {
        recorder.purge(&format!("KNOW-{number}"), "the law of the alphaword7711 gate", &[]).expect("purged");
        assert!(bytes() <= *before.get_or_insert_with(bytes) + 20_000, "purge {number}");
    }
    is_gone(&test);
}

#[test]
fn names_tags_and_places_that_carry_the_text_go_as_a_whole() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = test.fact(Category::Fyi, "zorvex9471x", "");
    for nth in 0..2 {
        let adding = recorder.fact(Category::Lesson, format!("Other {nth}")).tags(["zorvex9471x", "x zorvex9471x", "zorvex9471x-y", "kept"]);
        let adding = adding.alias(format!("A{nth}-zorvex9471x")).alias(format!("B{nth}-zorvex9471x")).alias(format!("C-{nth}"));
        adding.anchor("src/zorvex9471x", Some("a")).anchor("zorvex9471x/src", Some("a")).anchor("src/lib.rs", None).record().expect("a fact");
    }
    recorder.retag("KNOW-2", &["y zorvex9471x"], &["zorvex9471x"]).expect("tagged");
    assert!(recorder.purge(&id, "the law", &[]).expect("purged").complete);
    is_gone(&test);
    let node = test.record.retriever().get("KNOW-2").expect("a node");
    assert_eq!((node.aliases, node.tags), (vec!["C-0".to_owned()], vec!["kept".to_owned()]));
    assert_eq!(node.anchors.iter().map(|anchor| anchor.path.as_str()).collect::<Vec<_>>(), ["src/lib.rs"]);
    let session = test.record.session("s").open().expect("a session");
    assert!(session.on_edit("src/p", None).expect("a moment").entries.is_empty());
}

#[test]
fn a_purged_name_leaves_the_edges_that_it_drew_until_the_text_is_revised() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let texts = ["later", "early", "kept"].map(|title| test.fact(Category::Fyi, title, "see zorvex-1 and zorvex-2"));
    let named = test.fact(Category::Fyi, "Named", "");
    recorder.alias(&named, "Zorvex-1").expect("an alias");
    recorder.revise(&texts[1], stele_core::Revision::new().body("names nothing")).expect("a revision");
    recorder.unlink(&texts[2], Relation::Mentions, &named, "by accident").expect("taken away");
    let secret = test.fact(Category::Fyi, "Another", "");
    recorder.purge(&secret, "the law", &["Zorvex-1", "zorvex-1"]).expect("what the name drew was ended since");
    test.record.verify_views().expect("the views of the log");
    let node = test.record.retriever().get(&named).expect("a node");
    assert_eq!((node.aliases, node.verified_at), (Vec::new(), None));
    let history = test.record.retriever().history(&named).expect("a history");
    assert!(history.iter().any(|item| item.what == "also called [purged]"), "{history:?}");
    let mentions = |id: &str| test.record.retriever().neighbours(id, &stele_core::NeighbourOptions::new()).expect("neighbours").len();
    assert_eq!(texts.each_ref().map(|id| mentions(id)), [1, 0, 0]);
    recorder.revise(&texts[0], stele_core::Revision::new().body("names nothing")).expect("a revision");
    assert_eq!(mentions(&texts[0]), 0);
    test.record.verify_views().expect("the views of the log");
}

#[test]
fn a_literal_that_is_also_a_word_of_the_form_takes_only_what_was_written() {
    for literals in [&["decision", "open", "2026", "low", "relates-to", "unverified", "title", "true"][..], &["e", "-", "T", "1"]] {
        let test = TestRecord::new();
        record_every_kind(&test.record, &test.clock);
        for id in ["KNOW-4", "TASK-3"] {
            test.recorder().purge(id, "the law", literals).unwrap_or_else(|error| panic!("{literals:?}: {error}"));
        }
        is_gone(&test);
        assert_eq!(test.record.retriever().get("KNOW-11").expect("a node").category(), Some(Category::Decision));
    }
}

#[test]
fn a_task_is_purged_under_its_holder_who_can_end_it() {
    let test = TestRecord::new();
    let recorder = test.record.recorder_in("ann", "s1").expect("a recorder");
    let task = recorder.task(SECRET).success_criteria(SECRET).body(format!("`E0999 {SECRET}`")).record().expect("a task").id.to_string();
    let claim = recorder.claim(&task).holder(format!("bob {SECRET}")).take().expect("claimed");
    for name in ["s1", SECRET] {
        let session = test.record.session(name).open().expect("a session");
        session.on_prompt(&format!("what of {task}?"), &stele_core::AssembleOptions::new()).expect("a context");
    }
    assert!(recorder.purge(&task, "the law", &[SECRET]).expect("purged").complete);
    is_gone(&test);
    recorder.complete(&claim, "done").expect("completed");
    recorder.reopen(&task, "not quite").expect("open");
    assert_eq!(recorder.claim(&task).take().expect_err("a tombstone").code(), Code::WrongState);
    assert_eq!(recorder.claim_next().take().expect("nothing is ready"), None);
    is_gone(&test);
}

#[test]
fn a_literal_goes_out_of_the_names_of_those_who_wrote_too() {
    let test = TestRecord::new();
    let recorder = test.record.recorder_in(SECRET, &format!("s {SECRET}")).expect("a recorder");
    let kept = recorder.fact(Category::Fyi, "Kept by name").body("what it says stays").record().expect("a fact").id.to_string();
    let task = recorder.task("Work").record().expect("a task").id.to_string();
    recorder.claim(&task).take().expect("claimed");
    let id = test.fact(Category::Fyi, "Who it was", "");
    let purged = recorder.purge(&id, "the law", &[SECRET]).expect("purged");
    assert!(purged.complete);
    assert_eq!(purged.others, []);
    is_gone(&test);
    let node = test.record.retriever().get(&kept).expect("a node");
    assert_eq!((node.body.as_str(), node.actor.as_str(), node.session.as_deref()), ("what it says stays", "[purged]", Some("s [purged]")));
    // A word of the text that is not named stays in a name: it tells nothing there.
    let other = test.record.recorder("robot9471x").expect("a recorder").fact(Category::Fyi, "Robot").body("by robot9471x").record();
    test.recorder().purge(&other.expect("a fact").id.to_string(), "the law", &[]).expect("purged");
    assert!(test.record.retriever().history("KNOW-4").expect("a history").iter().any(|item| item.actor == "robot9471x"));
    test.record.verify_views().expect("the views of the log");
}
