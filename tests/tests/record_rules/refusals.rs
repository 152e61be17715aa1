//! Everything that is refused, by field.

use stele_core::{Anchor, Category, Code, Draft, ExportForm, ImportOptions, Record, Relation, Revision, Source, SourceText, TaskType};
use stele_tests::TestRecord;

use super::{refused, token};

fn fact(title: &str) -> Draft {
    Draft::fact(Category::Fyi, title)
}

fn source(set: impl FnOnce(&mut Source)) -> Source {
    let mut source = Source::default();
    set(&mut source);
    source
}

fn rule(set: impl FnOnce(&mut stele_core::RuleDetail)) -> Draft {
    Draft::rule("A rule", "Do it.").routing(set)
}

#[test]
fn every_field_out_of_its_limits_is_refused_by_name_and_nothing_changes() {
    use Code::{BadAlias, BadPath, BadText, EmptyField, EmptyTitle, OutOfRange, TooLarge};
    let test = TestRecord::new();
    let long = |bytes: usize| "x".repeat(bytes);
    let cases: Vec<(Code, &str, Draft)> = vec![
        (EmptyTitle, "title", fact("")),
        (EmptyTitle, "title", fact(" \n\t ")),
        (EmptyTitle, "title", fact("\u{202e}\u{200b}")),
        (EmptyTitle, "title", fact("\u{3164}\u{7}")),
        (EmptyField, "statement", rule(|rule| rule.statement = "\u{feff}".into())),
        (TooLarge, "title", fact(&long(501))),
        (TooLarge, "title", fact(&"限".repeat(501))),
        (BadText, "title", fact("a\0b")),
        (BadText, "body", fact("A").body("a\0b")),
        (TooLarge, "body", fact("A").body(long(64 * 1024 + 1))),
        (TooLarge, "body", Draft::task("A").body(long(64 * 1024 + 1))),
        (TooLarge, "body", Draft::diagram("A", long(64 * 1024 + 1))),
        (TooLarge, "body", Draft::document("A", long(2 * 1024 * 1024 + 1))),
        (EmptyField, "tags", fact("A").tags([" "])),
        (BadText, "tags", fact("A").tags(["a\0"])),
        (TooLarge, "tags", fact("A").tags([long(101)])),
        (TooLarge, "tags", fact("A").tags((0..201).map(|n| n.to_string()))),
        (TooLarge, "alias", (0..201).fold(fact("A"), |draft, n| draft.alias(format!("a-{n}")))),
        (TooLarge, "anchors", (0..201).fold(fact("A"), |draft, n| draft.anchor(format!("a{n}"), None))),
        (EmptyField, "anchors", fact("A").anchor(" ", None)),
        (TooLarge, "anchors", fact("A").anchor(long(1_001), None)),
        (BadPath, "anchors", fact("A").anchor("../../etc/passwd", None)),
        (BadPath, "anchors", fact("A").anchor("/etc/passwd", None)),
        (BadPath, "anchors", fact("A").anchor("C:\\x", None)),
        (BadPath, "anchors", fact("A").anchor("./", None)),
        (EmptyField, "anchors", fact("A").anchor("a", Some(" "))),
        (TooLarge, "anchors", fact("A").anchor("a", Some(&long(501)))),
        (TooLarge, "source.uri", fact("A").source(source(|source| source.uri = long(2_001)))),
        (TooLarge, "source.revision", fact("A").source(source(|source| source.revision = Some(long(201))))),
        (TooLarge, "source.quote", fact("A").source(source(|source| source.quote = Some(long(16 * 1024 + 1))))),
        (TooLarge, "source.applies_to", fact("A").source(source(|source| source.applies_to = Some(long(201))))),
        (BadText, "source.uri", fact("A").source(source(|source| source.uri = "\0".into()))),
        (BadAlias, "alias", fact("A").alias("../../etc/passwd")),
        (BadAlias, "alias", fact("A").alias("a b")),
        (BadAlias, "alias", fact("A").alias("")),
        (BadAlias, "alias", fact("A").alias("KNOW-7")),
        (BadAlias, "alias", fact("A").alias("doc-7")),
        (BadAlias, "alias", fact("A").alias(long(201))),
        (OutOfRange, "priority", Draft::task("A").priority(5)),
        (TooLarge, "success_criteria", Draft::task("A").success_criteria(long(16 * 1024 + 1))),
        (EmptyField, "statement", Draft::rule("A", " ")),
        (TooLarge, "statement", Draft::rule("A", long(16 * 1024 + 1))),
        (TooLarge, "trigger", rule(|rule| rule.trigger = long(16 * 1024 + 1))),
        (TooLarge, "instead", rule(|rule| rule.instead = long(16 * 1024 + 1))),
        (TooLarge, "domain", rule(|rule| rule.domain = Some(long(201)))),
        (TooLarge, "methodology", rule(|rule| rule.methodology = Some(long(201)))),
        (EmptyField, "keywords", rule(|rule| rule.keywords = vec![String::new()])),
        (TooLarge, "forbidden", rule(|rule| rule.forbidden = vec!["x".into(); 201])),
        (TooLarge, "points", rule(|rule| rule.points = vec![long(501)])),
        (BadText, "floor_modes", rule(|rule| rule.floor_modes = vec!["\0".into()])),
        (EmptyField, "action_triggers", rule(|rule| rule.action_triggers = vec![" ".into()])),
    ];
    for (code, field, draft) in cases {
        refused(&test, code, Some(field), |recorder| recorder.add(draft));
    }
    let node = test.fact(Category::Fyi, "A", "");
    for (code, field, revision) in [
        (EmptyTitle, "title", Revision::new().title(" ")),
        (TooLarge, "body", Revision::new().body(long(64 * 1024 + 1))),
        (TooLarge, "tags", Revision::new().tags([long(101)])),
        (TooLarge, "source.quote", Revision::new().source(source(|source| source.quote = Some(long(16 * 1024 + 1))))),
    ] {
        refused(&test, code, Some(field), |recorder| recorder.revise(&node, revision));
    }
    let anchor = |path: &str| [Anchor { path: path.into(), symbol: None }];
    refused(&test, BadPath, Some("anchors"), |recorder| recorder.anchor(&node, &anchor("a/../../b"), &[]));
    refused(&test, BadPath, Some("anchors"), |recorder| recorder.anchor(&node, &[], &["/a"]));
    refused(&test, TooLarge, Some("tags"), |recorder| recorder.retag(&node, &[&long(101)], &[]));
    refused(&test, TooLarge, Some("note"), |recorder| recorder.review(&node, &long(16 * 1024 + 1)));
    refused(&test, EmptyField, Some("why"), |recorder| recorder.archive(&node, "\n"));
    refused(&test, TooLarge, Some("why"), |recorder| recorder.archive(&node, &long(16 * 1024 + 1)));
    let other = test.fact(Category::Fyi, "B", "");
    refused(&test, TooLarge, Some("reason"), |recorder| recorder.contradicts(&node, &other, &long(16 * 1024 + 1)));
    refused(&test, BadText, Some("evidence"), |recorder| recorder.link_because(&node, Relation::CausedBy, &other, "", "\0"));
    let text = SourceText { text: "it is over\0".into(), uri: None, revision: None };
    refused(&test, BadText, Some("source_text"), |recorder| {
        recorder.supersede(&node, &other).reason("over").evidence("it is over").source_text(&text).record()
    });
    refused(&test, EmptyField, Some("why"), |recorder| recorder.unlink(&node, Relation::CausedBy, &other, ""));
    refused(&test, EmptyField, Some("why"), |recorder| recorder.demote(&node, &other, " "));
    for (actor, session, field) in [("", None, "actor"), (" ", None, "actor"), ("a", Some(""), "session"), (&*long(201), None, "actor"), ("a\0", None, "actor")]
    {
        let made = session.map_or_else(|| test.record.recorder(actor), |session| test.record.recorder_in(actor, session));
        assert_eq!(made.err().expect("a refusal").detail("field"), Some(field));
    }
}

#[test]
fn a_path_that_names_nothing_anywhere_is_the_callers_to_change() {
    let test = TestRecord::new();
    for path in ["", "a\0b"] {
        let refused = [
            Record::open(path).err(),
            test.record.backup(path).err(),
            test.record.export_jsonl(path, ExportForm::Interchange).err(),
            test.record.import_jsonl(path, "tester", ImportOptions::new()).err().filter(|_| !path.is_empty()),
        ];
        let codes: Vec<Code> = refused.into_iter().flatten().map(|error| error.code()).collect();
        assert!(codes.len() >= 3 && codes.iter().all(|code| *code == Code::BadPath), "{path:?}: {codes:?}");
    }
}

#[test]
fn what_just_fits_is_accepted() {
    let test = TestRecord::with(|options| options.without_embedder());
    let recorder = test.recorder();
    recorder.add(fact(&"𝄞".repeat(500)).body("x".repeat(64 * 1024)).tags(["x".repeat(100)])).expect("a fact");
    recorder.document("A", "word ".repeat(2 * 1024 * 1024 / 5)).record().expect("a document");
    let many = (0..200).fold(fact("Many"), |draft, n| draft.alias(format!("a-{n}")).anchor(format!("a{n}"), None).tags([n.to_string()]));
    recorder.add(many).expect("a fact");
    recorder.add(fact("A").body("\u{202e}\u{7}\u{1b}[31m right to left, a bell, a colour")).expect("control characters are text");
}

#[test]
fn what_is_not_there_is_refused_by_every_verb() {
    let test = TestRecord::new();
    let node = test.fact(Category::Fyi, "A", "");
    for id in ["KNOW-9", "TASK-9", "ADR-9", "", " ", "KNOW-0", "KNOW-99999999999999999", "\0", "../x"] {
        let unknown = |call: &dyn Fn(&stele_core::Recorder<'_>) -> stele_core::Result<()>| refused(&test, Code::UnknownNode, None, call);
        unknown(&|recorder| recorder.revise(id, Revision::new().title("B")).map(drop));
        unknown(&|recorder| recorder.alias(id, "ADR-1").map(drop));
        unknown(&|recorder| recorder.retag(id, &["a"], &[]).map(drop));
        unknown(&|recorder| recorder.move_to(id, None).map(drop));
        unknown(&|recorder| recorder.anchor(id, &[], &[]).map(drop));
        unknown(&|recorder| recorder.review(id, "").map(drop));
        unknown(&|recorder| recorder.archive(id, "why").map(drop));
        unknown(&|recorder| recorder.unlink(id, Relation::RelatesTo, &node, "why"));
        unknown(&|recorder| recorder.unlink(&node, Relation::RelatesTo, id, "why"));
        unknown(&|recorder| recorder.demote(&node, id, "why"));
        unknown(&|recorder| recorder.contradicts(&node, id, ""));
        unknown(&|recorder| recorder.supersede(id, &node).reason("a").evidence("A").record());
        unknown(&|recorder| recorder.supersede(&node, id).reason("a").evidence("A").record());
        unknown(&|recorder| recorder.move_to(&node, Some(id)).map(drop));
        unknown(&|recorder| recorder.add(fact("B").under(id)).map(drop));
        unknown(&|recorder| recorder.add(fact("B").resolves_with(id)).map(drop));
        unknown(&|recorder| recorder.revise(&node, Revision::new().resolves_with(Some(id))).map(drop));
    }
    refused(&test, Code::WrongKind, Some("component"), |recorder| recorder.add(fact("B").under(&*node)));
    refused(&test, Code::WrongKind, Some("component"), |recorder| recorder.move_to(&node, Some(&node)));
    refused(&test, Code::WrongKind, Some("resolves_with"), |recorder| recorder.add(fact("B").resolves_with(&*node)));
    refused(&test, Code::WrongKind, Some("resolves_with"), |recorder| recorder.revise(&node, Revision::new().resolves_with(Some(&node))));
    let error = refused(&test, Code::UnknownRelation, Some("relation"), |_| Relation::parse("depends-on"));
    assert!(error.to_string().contains("relates-to"), "{error}");
    refused(&test, Code::UnknownCategory, Some("category"), |_| Category::parse("idea"));
    refused(&test, Code::UnknownValue, Some("task type"), |_| TaskType::parse("story"));
}

#[test]
fn an_alias_is_one_nodes_alone_whatever_its_case() {
    let test = TestRecord::new();
    let a = test.fact(Category::Fyi, "A", "");
    let b = test.fact(Category::Fyi, "B", "");
    test.recorder().alias(&a, "ADR-0007").expect("an alias");
    let error = refused(&test, Code::AliasTaken, Some("alias"), |recorder| recorder.alias(&b, "adr-0007"));
    assert_eq!(error.detail("id"), Some(&*a));
    refused(&test, Code::AliasTaken, Some("alias"), |recorder| recorder.alias(&a, "ADR-0007"));
    refused(&test, Code::AliasTaken, Some("alias"), |recorder| recorder.add(fact("C").alias("Adr-0007")));
    refused(&test, Code::AliasTaken, Some("alias"), |recorder| recorder.add(fact("C").alias("x-1").alias("X-1")));
    for alias in ["../../etc/passwd", "/abs-1", "a/../b-1", "COMP-3", "a\0-1", "a b-1", "-"] {
        refused(&test, Code::BadAlias, Some("alias"), |recorder| recorder.alias(&a, alias));
    }
}

#[test]
fn a_credential_is_refused_in_every_text_field_and_never_repeated() {
    let test = TestRecord::new();
    let token = token();
    let text = format!("see {token} there");
    let secret = |field: &str, draft: Draft| {
        let error = refused(&test, Code::Secret, Some(field), |recorder| recorder.add(draft.clone()));
        assert!(!format!("{error} {error:?}").contains(&token[4..]), "{error:?}");
        assert_eq!(error.detail("secret"), Some("github token"));
        assert!(error.detail("offset").is_some());
        draft
    };
    let drafts = [
        secret("title", fact(&text)),
        secret("body", fact("A").body(&*text)),
        secret("tags", fact("A").tags([&*text])),
        secret("alias", fact("A").alias(&*token)),
        secret("anchors", fact("A").anchor(&*text, None)),
        secret("anchors", fact("A").anchor("a", Some(&text))),
        secret("source.uri", fact("A").source(source(|source| source.uri.clone_from(&text)))),
        secret("source.revision", fact("A").source(source(|source| source.revision = Some(text.clone())))),
        secret("source.quote", fact("A").source(source(|source| source.quote = Some(text.clone())))),
        secret("source.applies_to", fact("A").source(source(|source| source.applies_to = Some(text.clone())))),
        secret("success_criteria", Draft::task("A").success_criteria(&*text)),
        secret("statement", Draft::rule("A", &*text)),
        secret("trigger", rule(|rule| rule.trigger.clone_from(&text))),
        secret("instead", rule(|rule| rule.instead.clone_from(&text))),
        secret("domain", rule(|rule| rule.domain = Some(text.clone()))),
        secret("methodology", rule(|rule| rule.methodology = Some(text.clone()))),
        secret("forbidden", rule(|rule| rule.forbidden = vec![text.clone()])),
        secret("points", rule(|rule| rule.points = vec![text.clone()])),
        secret("keywords", rule(|rule| rule.keywords = vec![text.clone()])),
        secret("floor_modes", rule(|rule| rule.floor_modes = vec![text.clone()])),
        secret("action_triggers", rule(|rule| rule.action_triggers = vec![text.clone()])),
        secret("body", Draft::document("A", &*text)),
        secret("body", Draft::diagram("A", &*text)),
        secret("body", Draft::component("A").body(&*text)),
    ];
    let [a, b] = ["A", "B"].map(|title| test.fact(Category::Fyi, title, ""));
    refused(&test, Code::Secret, Some("title"), |recorder| recorder.revise(&a, Revision::new().title(&*text)));
    refused(&test, Code::Secret, Some("alias"), |recorder| recorder.alias(&a, &token));
    refused(&test, Code::Secret, Some("tags"), |recorder| recorder.retag(&a, &[&text], &[]));
    refused(&test, Code::Secret, Some("anchors"), |recorder| recorder.anchor(&a, &[Anchor { path: text.clone(), symbol: None }], &[]));
    refused(&test, Code::Secret, Some("note"), |recorder| recorder.review(&a, &text));
    refused(&test, Code::Secret, Some("why"), |recorder| recorder.archive(&a, &text));
    refused(&test, Code::Secret, Some("why"), |recorder| recorder.unlink(&a, Relation::RelatesTo, &b, &text));
    refused(&test, Code::Secret, Some("why"), |recorder| recorder.demote(&a, &b, &text));
    refused(&test, Code::Secret, Some("reason"), |recorder| recorder.contradicts(&a, &b, &text));
    refused(&test, Code::Secret, Some("evidence"), |recorder| recorder.link_because(&a, Relation::CausedBy, &b, "", &text));
    refused(&test, Code::Secret, Some("reason"), |recorder| recorder.supersede(&a, &b).reason(&text).evidence("B").record());
    refused(&test, Code::Secret, Some("evidence"), |recorder| recorder.supersede(&a, &b).reason("it ended").evidence(&text).record());
    // The excerpt around the quote is kept, so it may hold none either.
    let log = SourceText { text: format!("B ended. {text}"), uri: None, revision: None };
    refused(&test, Code::Secret, Some("source_text"), |recorder| recorder.supersede(&a, &b).reason("it ended").evidence("B ended.").source_text(&log).record());
    let log = SourceText { text: "B ended.".into(), uri: Some(text.clone()), revision: None };
    refused(&test, Code::Secret, Some("source_text.uri"), |recorder| {
        recorder.supersede(&a, &b).reason("it ended").evidence("B ended.").source_text(&log).record()
    });

    for draft in drafts {
        test.recorder().add(draft.allow_secrets()).expect("the host vouches for it");
    }
}

#[test]
fn a_credential_is_no_name_of_an_actor_or_a_session() {
    let test = TestRecord::new();
    let line = br#"{"type":"node","kind":"fyi","title":"A"}"#;
    let import = |actor: &str, options: ImportOptions<'_>| test.record.import_lines(&mut &line[..], actor, options);
    let refusals = [
        ("actor", test.record.recorder(&token()).err()),
        ("session", test.record.recorder_in("ann", &token()).err()),
        ("actor", import(&token(), ImportOptions::new()).err()),
        ("session", import("ann", ImportOptions::new().session(token())).err()),
    ];
    for (field, error) in refusals {
        let error = error.expect("a refusal");
        assert_eq!((error.code(), error.detail("field")), (Code::Secret, Some(field)));
        assert!(!error.to_string().contains(&token()), "{error}");
    }
    assert_eq!(test.record.head().expect("a head"), 0);
    assert!(import(&token(), ImportOptions::new().allow_secrets()).expect("a report").applied);
}

#[test]
fn a_recorder_that_vouches_for_secrets_does_so_in_every_verb() {
    let test = TestRecord::new();
    let text = format!("see {} there", token());
    let recorder = test.recorder().allowing_secrets();
    let [a, b] = ["A", "B"].map(|title| recorder.fact(Category::Fyi, title).body(&*text).record().expect("a fact").id.to_string());
    recorder.revise(&a, Revision::new().title(&*text)).expect("a title");
    recorder.alias(&a, &token()).expect("an alias");
    recorder.retag(&a, &[&text], &[]).expect("tags");
    recorder.anchor(&a, &[Anchor { path: text.clone(), symbol: None }], &[]).expect("an anchor");
    recorder.review(&a, &text).expect("a confirmation");
    recorder.contradicts(&a, &b, &text).expect("an edge");
    recorder.unlink(&a, Relation::Contradicts, &b, &text).expect("taken away");
    let log = SourceText { text: format!("B ended. {text}"), uri: Some(text.clone()), revision: Some(text.clone()) };
    recorder.transaction(|recorder| recorder.supersede(&a, &b).reason(&text).evidence("B ended.").source_text(&log).record()).expect("a retirement");
    recorder.demote(&a, &b, &text).expect("undone");
    recorder.archive(&a, &text).expect("put away");
}

#[test]
fn what_was_vouched_for_once_does_not_stand_in_the_way_later() {
    let test = TestRecord::new();
    let id = test.recorder().add(fact("A").body(token()).allow_secrets()).expect("a fact").id.to_string();
    test.recorder().retag(&id, &["a"], &[]).expect("tags");
    test.recorder().revise(&id, Revision::new().title("B")).expect("a title");
    refused(&test, Code::Secret, Some("body"), |recorder| recorder.revise(&id, Revision::new().body(format!("now {}", token()))));
}

#[test]
fn examples_hashes_and_identifiers_are_no_credentials() {
    let test = TestRecord::new();
    for text in ["no API key in the build", "AKIAIOSFODNN7EXAMPLE", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "550e8400-e29b-41d4-a716-446655440000"] {
        test.recorder().add(fact(text).body(text)).expect(text);
    }
}

#[test]
fn a_handle_for_reading_has_no_recorder() {
    let test = TestRecord::new();
    let reading = stele_core::Record::options().read_only(true).open(test.dir()).expect("opens");
    let error = reading.recorder("tester").err().expect("a refusal");
    assert_eq!(error.code(), Code::ReadOnly);
    assert_eq!(reading.catch_up().expect_err("a refusal").code(), Code::ReadOnly);
}

#[test]
fn a_remedy_is_one_wherever_its_code_is_given() {
    let test = TestRecord::new();
    let says = |error: stele_core::Error, word: &str, not: &str| {
        let text = error.to_string();
        assert!(text.contains(word) && !text.contains(not), "{text}");
    };
    let [newer, older] = ["The queue is gone.", "One queue"].map(|title| test.fact(Category::Decision, title, ""));
    let recorder = test.recorder();
    let retire = || recorder.supersede(&newer, &older).reason("it ended").evidence("The queue is gone.").record();
    retire().expect("a retirement");
    says(retire().expect_err("it is retired already"), "for supersedes with demote", "unlink it first");
    says(test.record.backup(test.outside()).expect_err("the folder holds the record"), "outside the record's folder", "give a path inside");
    let inside = test.record.export_jsonl(test.dir().join("x.jsonl"), ExportForm::Interchange);
    says(inside.expect_err("the record's own folder"), "outside the record's folder", "give a path inside");
    let purge = recorder.transaction(|recorder| recorder.purge(&older, "the law", &[]).map(drop));
    says(purge.expect_err("a step of its own"), "as it stands", "node");
}
