//! What every verb does when it is accepted.

use stele_core::{Anchor, Category, Code, Detail, Direction, Draft, Known, Relation, Revision, SearchOptions, Severity, Source, State, TaskStatus, TaskType};
use stele_tests::TestRecord;
use stele_tests::shorthand::at;

use super::{edges, outgoing, refused};

#[test]
fn a_fact_keeps_all_that_was_said_of_it() {
    let test = TestRecord::new();
    let recorder = test.record.recorder_in("ada", "s1").expect("a recorder");
    let component = recorder.component("Auth").record().expect("a component").id;
    let task = recorder.task("Rewrite the limiter").record().expect("a task").id;
    let source = Source {
        uri: "docs/adr/7.md".into(),
        revision: Some("a1b2c3".into()),
        quote: Some("limits come first".into()),
        known: Some(Known::Observed),
        applies_to: Some("acme".into()),
    };
    let fact =
        recorder.fact(Category::Decision, "  Limits\n come   first ").body("Because.\n\tAlways.").alias("ADR-0007").alias("JIRA-12").tags([" b  c", "a", "a"]);
    let fact = fact.under("comp-1").source(source.clone()).anchor("./src\\auth//mod.rs", Some("Limiter")).created_at(at("2024-02-03"));
    let id = fact.expires_at(at("2027-01-01")).resolves_with(task.to_string()).review_at(at("2026-06-01")).record().expect("a fact").id;

    let node = test.record.retriever().get("adr-0007").expect("the fact");
    assert_eq!((node.id, node.title.as_str(), node.body.as_str()), (id, "Limits come first", "Because.\n\tAlways."));
    assert_eq!((node.aliases, node.tags), (vec!["ADR-0007".to_owned(), "JIRA-12".to_owned()], vec!["a".to_owned(), "b c".to_owned()]));
    assert_eq!((node.component, node.source), (Some(component), Some(source)));
    assert_eq!(node.anchors, [Anchor { path: "src/auth/mod.rs".into(), symbol: Some("Limiter".into()) }]);
    assert_eq!((node.created_at, node.updated_at, node.verified_at), (at("2024-02-03"), at("2026-01-01"), None));
    assert_eq!(
        (node.lifecycle.expires_at, node.lifecycle.review_at, node.lifecycle.resolves_with),
        (Some(at("2027-01-01")), Some(at("2026-06-01")), Some(task.number))
    );
    assert_eq!((node.actor.as_str(), node.session.as_deref(), node.revision, node.state), ("ada", Some("s1"), 1, State::Live));
    assert_eq!(node.detail, Detail::Knowledge { category: Category::Decision });
}

#[test]
fn every_kind_is_numbered_by_one_counter_and_keeps_what_only_it_has() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let task = recorder.task("Ship").task_type(TaskType::Epic).priority(0).success_criteria("It ships.").record().expect("a task").id;
    let rule = recorder.rule("Say it plainly", "Write short sentences.");
    let rule = rule.routing(|rule| (rule.mandatory, rule.severity, rule.keywords) = (true, Severity::High, vec!["prose".into()])).record().expect("a rule").id;
    let document = recorder.document("Audit", "# Scope\n\nEverything.").record().expect("a document").id;
    let diagram = recorder.diagram("Flow", "graph TD; A-->B").record().expect("a diagram").id;
    let component = recorder.component("Auth").record().expect("a component").id;
    let fact = recorder.add(Draft::fact(Category::Gap, "No tests")).expect("a fact").id;
    let ids = [task, rule, document, diagram, component, fact].map(|id| id.to_string());
    assert_eq!(ids, ["TASK-1", "RULE-2", "DOC-3", "DIAG-4", "COMP-5", "KNOW-6"]);
    let get = |id: &str| test.record.retriever().get(id).expect("a node");
    let Detail::Task(detail) = get("TASK-1").detail else { panic!("a task") };
    assert_eq!((detail.task_type, detail.priority, detail.success_criteria.as_str()), (TaskType::Epic, 0, "It ships."));
    assert_eq!(get("TASK-1").status, Some(TaskStatus::Open));
    let Detail::Rule(detail) = get("RULE-2").detail else { panic!("a rule") };
    assert!(detail.mandatory && detail.is_obligation() && detail.severity == Severity::High);
    assert_eq!((detail.statement.as_str(), detail.keywords), ("Write short sentences.", vec!["prose".to_owned()]));
    assert_eq!(get("DOC-3").body, "# Scope\n\nEverything.");
    assert_eq!(get("DIAG-4").body, "graph TD; A-->B");
    assert!(
        test.record.retriever().search("short sentences", &SearchOptions::new()).expect("hits").is_empty(),
        "the obligations deliver it, no search finds it"
    );
}

#[test]
fn a_revision_keeps_the_old_text_in_history_and_a_change_of_nothing_writes_nothing() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = test.fact(Category::Decision, "Sessions live in Redis", "One day.");
    let task = recorder.task("Move").record().expect("a task").id.to_string();
    test.clock.set("2026-02-01");
    let source = Source { uri: "mail".into(), ..Source::default() };
    let revision = Revision::new().title("Sessions live in Postgres").body("One week.").tags(["store"]).source(source.clone());
    let revision = revision.expires_at(Some(at("2027-01-01"))).review_at(Some(at("2026-03-01"))).resolves_with(Some(&task));
    assert_eq!(recorder.revise(&id, revision.clone()).expect("a revision").id.to_string(), id);
    let node = test.record.retriever().get(&id).expect("the fact");
    assert_eq!((node.title.as_str(), node.body.as_str(), node.revision, node.updated_at), ("Sessions live in Postgres", "One week.", 2, at("2026-02-01")));
    assert_eq!((node.tags, node.source, node.lifecycle.resolves_with), (vec!["store".to_owned()], Some(source), Some(2)));
    assert_eq!(node.created_at, at("2026-01-01"));

    let head = test.record.head().expect("a head");
    recorder.revise(&id, revision).expect("the same again");
    recorder.revise(&id, Revision::new()).expect("nothing");
    recorder.retag(&id, &[" store "], &["absent"]).expect("nothing");
    recorder.move_to(&id, None).expect("nothing");
    assert_eq!(test.record.head().expect("a head"), head);

    recorder.revise(&id, Revision::new().expires_at(None).review_at(None).resolves_with(None)).expect("cleared");
    assert_eq!(test.record.retriever().get(&id).expect("the fact").lifecycle, stele_core::Lifecycle::default());
    let history = test.record.retriever().history(&id).expect("a history");
    let titles: Vec<_> = history.iter().filter_map(|item| item.title.clone()).collect();
    assert_eq!(titles, ["Sessions live in Redis", "Sessions live in Postgres", "Sessions live in Postgres"]);
    assert_eq!(history[0].body.as_deref(), Some("One day."));
    assert_eq!(history[2].what, "changed lifecycle");
}

#[test]
fn tags_components_and_anchors_change_by_themselves() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let id = test.fact(Category::Fyi, "Barometer", "");
    recorder.component("Weather").alias("weather").record().expect("a component");
    recorder.retag(&id, &["b", " a  1 "], &[]).expect("tags");
    recorder.retag(&id, &["c"], &["b", "x"]).expect("tags");
    recorder.move_to(&id, Some("WEATHER")).expect("moved");
    let anchors = [
        Anchor { path: "src/a.rs".into(), symbol: Some("f".into()) },
        Anchor { path: "src//a.rs".into(), symbol: None },
        Anchor { path: "src/*.rs".into(), symbol: None },
    ];
    recorder.anchor(&id, &anchors, &[]).expect("anchors");
    recorder.anchor(&id, &anchors[..1], &[]).expect("the same one again");
    let node = test.record.retriever().get(&id).expect("the fact");
    assert_eq!(node.tags, ["a 1", "c"]);
    assert_eq!(node.component.map(|id| id.to_string()).as_deref(), Some("COMP-2"));
    assert_eq!(node.anchors.len(), 3);
    recorder.anchor(&id, &[], &[".\\src\\a.rs"]).expect("anchors");
    recorder.move_to(&id, None).expect("moved");
    let node = test.record.retriever().get(&id).expect("the fact");
    assert_eq!((node.anchors.len(), node.component), (1, None));
    let found = |tag: &str| test.record.retriever().search("barometer", &SearchOptions::new().tags([tag])).expect("hits").len();
    assert_eq!((found("c"), found("b")), (1, 0));
}

#[test]
fn a_place_written_in_several_ways_is_one_anchor_from_the_first_revision_on() {
    let test = TestRecord::with(|options| options.without_embedder());
    let recorder = test.recorder();
    let paths = ["src\\auth\\mod.rs", "./src/auth/mod.rs", "src//auth/mod.rs"];
    let draft = paths.iter().fold(stele_core::Draft::fact(Category::Fyi, "A"), |draft, path| draft.anchor(*path, None));
    let id = recorder.add(draft.anchor(paths[0], Some("f"))).expect("a fact").id.to_string();
    let anchors = |id: &str| test.record.retriever().get(id).expect("a fact").anchors.len();
    assert_eq!(anchors(&id), 2);
    // What is there already takes no room of what may be there.
    let full =
        (0..200).fold(stele_core::Draft::fact(Category::Fyi, "B"), |draft, n| draft.anchor(format!("a{n}"), None).tags([format!("t{n}"), format!(" t{n}")]));
    let id = recorder.add(full).expect("as many as there may be").id.to_string();
    recorder.retag(&id, &["t7"], &[]).expect("a tag that it has");
    recorder.anchor(&id, &[Anchor { path: "./a7".into(), symbol: None }], &[]).expect("an anchor that it has");
    assert_eq!((anchors(&id), test.record.retriever().get(&id).expect("a fact").revision), (200, 1));
}

#[test]
fn components_nest_and_never_in_a_circle() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    recorder.component("Top").record().expect("a component");
    recorder.component("Middle").under("COMP-1").record().expect("a component");
    recorder.component("Bottom").under("COMP-2").record().expect("a component");
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.move_to("COMP-1", Some("COMP-3")));
    assert_eq!(error.detail("path"), Some("COMP-1 → COMP-3 → COMP-2 → COMP-1"));
    refused(&test, Code::Cycle, None, |recorder| recorder.move_to("COMP-2", Some("COMP-2")));
    recorder.move_to("COMP-3", None).expect("moved");
    recorder.move_to("COMP-1", Some("COMP-3")).expect("no circle now");
}

#[test]
fn a_confirmation_sets_when_and_stands_in_history() {
    let test = TestRecord::new();
    let id = test.fact(Category::Fyi, "Barometer", "");
    test.clock.set("2026-05-01");
    test.record.recorder("bob").expect("a recorder").review(&id, " still hangs there ").expect("a confirmation");
    let node = test.record.retriever().get(&id).expect("the fact");
    assert_eq!((node.verified_at, node.revision, node.updated_at), (Some(at("2026-05-01")), 1, at("2026-01-01")));
    let item = test.record.retriever().history(&id).expect("a history").pop().expect("the confirmation");
    assert_eq!((item.actor.as_str(), item.action.as_str(), item.why.as_str()), ("bob", "review", "still hangs there"));
}

#[test]
fn what_is_put_away_is_found_by_name_only() {
    let test = TestRecord::new();
    let id = test.fact(Category::Fyi, "Barometer", "hangs in the hall");
    let search = || test.record.retriever().search("barometer hall", &SearchOptions::new()).expect("hits").len();
    assert_eq!(search(), 1);
    test.recorder().archive(&id, "sold").expect("put away");
    assert_eq!(search(), 0);
    assert_eq!(test.record.retriever().get(&id).expect("by name").state, State::Archived);
    refused(&test, Code::WrongState, None, |recorder| recorder.archive(&id, "again"));
    // It can still be mended and linked, and stays put away.
    test.recorder().revise(&id, Revision::new().body("hung in the hall")).expect("a revision");
    assert_eq!((search(), test.record.retriever().get(&id).expect("by name").state), (0, State::Archived));
}

#[test]
fn an_edge_is_there_once_in_one_direction_and_goes_with_a_reason() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let [a, b] = ["A", "B"].map(|title| test.fact(Category::Fyi, title, ""));
    recorder.link_because(&a, Relation::CausedBy, &b, " it broke ", "the log says so").expect("an edge");
    assert_eq!(outgoing(&test, &a), [(Relation::CausedBy, b.clone(), false)]);
    let edge = &edges(&test, &b, Direction::Incoming)[0];
    assert_eq!((edge.id.to_string(), edge.reason.as_str(), edge.evidence.as_deref()), (a.clone(), "it broke", Some("the log says so")));
    refused(&test, Code::EdgeExists, None, |recorder| recorder.link(&a, Relation::CausedBy, &b));
    recorder.link(&b, Relation::CausedBy, &a).expect("the other direction is another edge");
    recorder.unlink(&a, Relation::CausedBy, &b, "it did not").expect("taken away");
    refused(&test, Code::UnknownEdge, None, |recorder| recorder.unlink(&a, Relation::CausedBy, &b, "again"));
    assert_eq!((outgoing(&test, &a), outgoing(&test, &b).len()), (vec![], 1));
    recorder.link(&a, Relation::CausedBy, &b).expect("drawn anew");
    let whys: Vec<_> = test.record.retriever().history(&a).expect("a history").into_iter().map(|item| item.why).filter(|why| !why.is_empty()).collect();
    assert_eq!(whys, ["it broke", "it did not"]);
}

#[test]
fn a_contradiction_is_one_edge_from_either_end_and_both_stay_live() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let [a, b] = ["A", "B"].map(|title| test.fact(Category::Fyi, title, ""));
    recorder.contradicts(&a, &b, "cannot both be").expect("an edge");
    refused(&test, Code::EdgeExists, None, |recorder| recorder.contradicts(&b, &a, "the same"));
    refused(&test, Code::EdgeExists, None, |recorder| recorder.contradicts(&a, &b, "the same"));
    for id in [&a, &b] {
        assert_eq!(test.record.retriever().get(id).expect("a fact").state, State::Live);
    }
    let conflicts = test.record.retriever().conflicts(None).expect("conflicts");
    assert_eq!((conflicts.len(), conflicts[0].reason.as_str()), (1, "cannot both be"));
    recorder.unlink(&b, Relation::Contradicts, &a, "settled").expect("from the other end");
    assert!(test.record.retriever().conflicts(None).expect("conflicts").is_empty());
}

#[test]
fn every_relation_refuses_a_node_and_itself_and_unknown_ends() {
    let test = TestRecord::new();
    let a = test.recorder().task("A").record().expect("a task").id.to_string();
    for relation in Relation::ALL {
        let link = |from: &str, to: &str, code| refused(&test, code, None, |recorder| recorder.supersede(from, to).reason("it ended").unverified().record());
        if *relation == Relation::Supersedes {
            link(&a, &a, Code::SelfEdge);
            link(&a, "KNOW-9", Code::UnknownNode);
        } else {
            refused(&test, Code::SelfEdge, None, |recorder| recorder.link(&a, *relation, &a));
            refused(&test, Code::UnknownNode, None, |recorder| recorder.link(&a, *relation, "KNOW-9"));
            refused(&test, Code::UnknownNode, None, |recorder| recorder.link("nothing-1", *relation, &a));
        }
    }
    let fact = test.fact(Category::Fyi, "B", "");
    refused(&test, Code::WrongKind, Some("to"), |recorder| recorder.link(&a, Relation::ExpiresOn, &fact));
    test.recorder().link(&fact, Relation::ExpiresOn, &a).expect("a fact ends with a task");
}

#[test]
fn blocking_in_a_circle_is_refused_with_the_path() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let parent = recorder.task("Epic").task_type(TaskType::Epic).record().expect("a task").id.to_string();
    let [a, b, c] = ["A", "B", "C"].map(|title| recorder.task(title).record().expect("a task").id.to_string());
    recorder.link(&a, Relation::Blocks, &b).expect("an edge");
    recorder.link(&b, Relation::Blocks, &c).expect("an edge");
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.link(&c, Relation::Blocks, &a));
    assert_eq!(error.detail("path"), Some("TASK-4 → TASK-2 → TASK-3 → TASK-4"));
    assert!(error.to_string().contains("TASK-4 → TASK-2 → TASK-3 → TASK-4"), "{error}");
    // A child blocks its parent; the parent cannot block what the child waits for.
    recorder.link(&c, Relation::Blocks, &parent).expect("a child of the epic");
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.link(&parent, Relation::Blocks, &a));
    assert_eq!(error.detail("path"), Some("TASK-1 → TASK-2 → TASK-3 → TASK-4 → TASK-1"));
    // Other relations may go round.
    recorder.link(&a, Relation::RelatesTo, &b).expect("an edge");
    recorder.link(&b, Relation::RelatesTo, &a).expect("an edge");
    // Once a link of the chain is gone the circle is none.
    recorder.unlink(&a, Relation::Blocks, &b, "not needed").expect("taken away");
    recorder.link(&parent, Relation::Blocks, &a).expect("no circle now");
}

#[test]
fn a_long_chain_is_checked_for_circles_without_deep_recursion() {
    let test = TestRecord::with(|options| options.without_embedder().durability(stele_core::Durability::Normal));
    let recorder = test.recorder();
    let ids: Vec<String> =
        recorder.transaction(|recorder| (0..400).map(|n| Ok(recorder.task(format!("Task {n}")).record()?.id.to_string())).collect()).expect("tasks");
    for pairs in ids.windows(2).collect::<Vec<_>>().chunks(100) {
        recorder.transaction(|recorder| pairs.iter().try_for_each(|pair| recorder.link(&pair[0], Relation::Blocks, &pair[1]))).expect("a chain");
    }
    let error = refused(&test, Code::Cycle, None, |recorder| recorder.link(&ids[399], Relation::Blocks, &ids[0]));
    assert_eq!(error.detail("path").expect("a path").split(" → ").count(), 401);
}
