//! The life of a rule: proposed, refused, observed, promoted, revised.

use std::process::Command;

use stele_core::{Code, Draft, Format, Helpfulness, NodeId, Proposal, Record, RefusalReason, RetrieveOptions, Revision, RulesOptions, SearchOptions};
use stele_tests::TestRecord;

fn reasons(proposal: &Proposal) -> Vec<RefusalReason> {
    assert_eq!(proposal.accepted(), proposal.refused.is_empty());
    proposal.refused.iter().map(|refusal| refusal.reason).collect()
}

/// A proposed rule that helped and hurt so often.
fn observed(test: &TestRecord, helped: u32, hurt: u32) -> NodeId {
    let recorder = test.recorder();
    let id = recorder.rule("Close sockets", "Every socket is closed in a finally block").propose().expect("a verdict").id.expect("accepted");
    for (felt, count) in [(Helpfulness::Helped, helped), (Helpfulness::Hurt, hurt)] {
        for _ in 0..count {
            recorder.feedback(&id.to_string(), felt, None).expect("counted");
        }
    }
    id
}

#[test]
fn a_proposal_is_stored_as_provisional_or_refused_with_every_reason_and_nothing_written() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let first = recorder.rule("Log secrets", "Never write a password or token into a log line").record().expect("a rule").id;
    let head = test.record.head().expect("a head");

    let same = recorder.rule("Other title", "Never write a password, or token, into a log-line").propose().expect("a verdict");
    assert_eq!(reasons(&same), [RefusalReason::Duplicate]);
    assert_eq!(same.refused[0].ids, [first]);
    let near = recorder.rule("Logs", "Never write a password or an access token into any log").propose().expect("a verdict");
    assert_eq!(reasons(&near), [RefusalReason::NotNovel]);
    assert_eq!(near.refused[0].ids, [first]);
    let bad = recorder.rule("x", "Never write a password or token into a log line, be careful").routing(|rule| rule.mandatory = true);
    let bad = bad.propose().expect("a verdict");
    assert_eq!(reasons(&bad)[1..], [RefusalReason::Vague, RefusalReason::Unchecked], "{bad:?}");
    assert!(bad.refused.iter().all(|refusal| !refusal.message.is_empty()));
    assert_eq!(test.record.head().expect("a head"), head);

    let new = recorder.rule("Migrations", "Each schema migration has a step that undoes it").propose().expect("a verdict");
    let id = new.id.expect("accepted");
    let node = test.record.retriever().get(&id.to_string()).expect("it is there");
    assert!(matches!(node.detail, stele_core::Detail::Rule(rule) if rule.provisional));
    let again = recorder.rule("Migrations", "Each schema migration has a step that undoes it").propose().expect("a verdict");
    assert_eq!(reasons(&again), [RefusalReason::Duplicate], "a proposed rule is known too");
}

#[test]
fn a_proposal_without_a_statement_or_that_is_no_rule_is_an_error() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    for statement in ["", " \n\t"] {
        assert_eq!(recorder.rule("x", statement).propose().expect_err("refused").code(), Code::EmptyField);
        assert_eq!(recorder.rule("x", statement).record().expect_err("refused").code(), Code::EmptyField);
    }
    assert_eq!(recorder.propose(Draft::task("x")).expect_err("refused").code(), Code::WrongKind);
    assert_eq!(test.record.head().expect("a head"), 0);
}

#[test]
fn a_proposal_inside_a_transaction_goes_with_it() {
    let test = TestRecord::new();
    let failed = test.recorder().transaction(|recorder| {
        recorder.rule("a", "Each schema migration has a step that undoes it").propose()?;
        recorder.fact(stele_core::Category::Fyi, "").record()
    });
    assert_eq!(failed.expect_err("it fails").code(), Code::EmptyTitle);
    assert_eq!(test.record.head().expect("a head"), 0);
}

#[test]
fn what_is_proposed_never_seeds_and_is_no_obligation() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let routed = recorder.rule("Flaky tests", "A flaky test is quarantined within one day").body("Check: the nightly report").routing(|rule| {
        (rule.mandatory, rule.always_on) = (true, true);
        (rule.floor_modes, rule.action_triggers, rule.keywords) = (vec!["work".into()], vec!["test".into()], vec!["flaky".into()]);
    });
    let id = routed.propose().expect("a verdict").id.expect("accepted");
    let retriever = test.record.retriever();
    assert!(retriever.rules(&RulesOptions::new()).expect("obligations").render(Format::Text).is_empty());
    let called = retriever.methodology(&stele_core::MethodologyOptions::new("work").action("test").text("a flaky test")).expect("methodology");
    assert!(called.entries.is_empty());
    let prompt = "what do we do with a flaky test, is it quarantined?";
    assert!(retriever.retrieve(prompt, &RetrieveOptions::new()).expect("a window").entries.is_empty());
    let hits = retriever.search(prompt, &SearchOptions::new()).expect("hits");
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [id], "search finds it");
}

#[test]
fn among_equals_a_proposed_rule_comes_after_others_in_search() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let proposed = recorder.rule("Timeouts", "Every call over the network has a timeout").propose().expect("a verdict").id.expect("accepted");
    let settled = recorder.rule("Timeouts", "Every call over the network has a timeout").record().expect("a rule").id;
    let hits = test.record.retriever().search("timeout of a network call", &SearchOptions::new()).expect("hits");
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [settled, proposed]);
}

#[test]
fn the_same_key_counts_once_whoever_gives_it() {
    let test = TestRecord::new();
    let id = observed(&test, 0, 0).to_string();
    let recorder = test.recorder();
    let first = recorder.feedback(&id, Helpfulness::Helped, Some("run-1")).expect("counted");
    assert!(first.counted && (first.helped, first.hurt) == (1, 0));
    let head = test.record.head().expect("a head");
    let again = test.record.recorder("somebody else").expect("a recorder").feedback(&id, Helpfulness::Hurt, Some("run-1")).expect("a replay");
    assert!(!again.counted && (again.helped, again.hurt) == (1, 0));
    assert_eq!(test.record.head().expect("a head"), head, "a replay writes nothing");
    let other = recorder.feedback(&id, Helpfulness::Hurt, Some("run-2")).expect("counted");
    assert_eq!((other.helped, other.hurt), (1, 1));
    for key in [None, None] {
        assert!(recorder.feedback(&id, Helpfulness::Helped, key).expect("counted").counted);
    }
    assert_eq!(recorder.feedback(&id, Helpfulness::Helped, Some(" ")).expect_err("blank").code(), Code::EmptyField);
    assert_eq!(recorder.feedback("RULE-99", Helpfulness::Helped, None).expect_err("nobody").code(), Code::UnknownNode);
    let fact = test.fact(stele_core::Category::Fyi, "no rule", "");
    assert_eq!(recorder.feedback(&fact, Helpfulness::Helped, None).expect_err("no rule").code(), Code::WrongKind);
}

#[test]
fn two_processes_with_one_key_count_once() {
    let test = TestRecord::new();
    let id = observed(&test, 0, 0).to_string();
    let dir = test.dir();
    let call = || {
        let arguments = ["feedback", dir.to_str().expect("a path in UTF-8"), &id, "run-7"];
        Command::new(env!("CARGO_BIN_EXE_stele-worker")).args(arguments).spawn().expect("the program runs")
    };
    let mut children: Vec<_> = (0..6).map(|_| call()).collect();
    assert!(children.iter_mut().all(|child| child.wait().expect("it ends").success()));
    let now = test.record.retriever().feedback(&id).expect("counts");
    assert_eq!((now.helped, now.hurt), (1, 0));
}

#[test]
fn fifty_observations_and_a_bound_of_sixty_five_hundredths_make_ready() {
    let test = TestRecord::new();
    let id = observed(&test, 40, 9).to_string();
    let retriever = test.record.retriever();
    assert!(!retriever.feedback(&id).expect("counts").ready, "forty-nine");
    let fifty = test.recorder().feedback(&id, Helpfulness::Hurt, None).expect("counted");
    assert!(fifty.ready && (0.66..0.68).contains(&fifty.lower_bound), "{fifty:?}");
    let less = test.recorder().feedback(&id, Helpfulness::Hurt, None).expect("counted");
    assert!(less.ready, "{less:?}");
    let less = test.recorder().feedback(&id, Helpfulness::Hurt, None).expect("counted");
    assert!(!less.ready && less.lower_bound < 0.65, "{less:?}");
}

#[test]
fn only_who_has_the_right_promotes_and_only_what_is_ready() {
    let test = TestRecord::new();
    let id = observed(&test, 49, 0).to_string();
    let host = test.record.recorder("host").expect("a recorder").allowing_promotion();
    assert_eq!(host.promote(&id, "signed").expect_err("not ready").code(), Code::WrongState);
    test.recorder().feedback(&id, Helpfulness::Helped, None).expect("counted");
    assert_eq!(test.recorder().promote(&id, "signed").expect_err("no right").code(), Code::NotPermitted);
    assert_eq!(test.recorder().transaction(|inner| inner.promote(&id, "signed")).expect_err("no right inside").code(), Code::NotPermitted);
    assert_eq!(host.promote(&id, " ").expect_err("no approval").code(), Code::EmptyField);
    let then = test.record.head().expect("a head");
    host.transaction(|inner| inner.promote(&id, "signed by Ada")).expect("promoted");
    assert_eq!(host.promote(&id, "signed").expect_err("twice").code(), Code::WrongState);
    let provisional =
        |retriever: stele_core::Retriever| matches!(retriever.get(&id).expect("there").detail, stele_core::Detail::Rule(rule) if rule.provisional);
    assert!(!provisional(test.record.retriever()));
    assert!(provisional(test.record.retriever_as_of(stele_core::AsOf::Sequence(then))));
    let history = test.record.retriever().history(&id).expect("a history");
    let last = history.last().expect("something happened");
    assert_eq!((last.action.as_str(), last.why.as_str()), ("promote", "signed by Ada"));
    assert_eq!(history.iter().filter(|item| item.action == "feedback").count(), 50);
    let found = test.record.retriever().retrieve("when is every socket closed, in a finally block?", &RetrieveOptions::new()).expect("a window");
    assert_eq!(found.entries[0].id.to_string(), id, "it seeds from now on");
}

#[test]
fn another_statement_begins_the_count_anew_and_another_title_does_not() {
    let test = TestRecord::new();
    let id = observed(&test, 3, 1).to_string();
    let recorder = test.recorder();
    recorder.feedback(&id, Helpfulness::Helped, Some("run-1")).expect("counted");
    recorder.revise(&id, Revision::new().title("Sockets").body("They leak.")).expect("revised");
    let counts = |at| {
        let found = test.record.retriever_as_of(stele_core::AsOf::Sequence(at)).feedback(&id).expect("counts");
        (found.helped, found.hurt)
    };
    let before = test.record.head().expect("a head");
    assert_eq!(counts(before), (4, 1));
    recorder.revise(&id, Revision::new().statement("Every socket and file is closed in a finally block")).expect("revised");
    let after = test.record.head().expect("a head");
    assert_eq!((counts(after), counts(before)), ((0, 0), (4, 1)));
    assert!(!recorder.feedback(&id, Helpfulness::Helped, Some("run-1")).expect("a replay").counted, "an old occasion says nothing of the new statement");
    assert_eq!(recorder.revise("RULE-1", Revision::new().statement("")).expect_err("blank").code(), Code::EmptyField);
}

#[test]
fn revising_a_proposed_rule_does_not_promote_it() {
    let test = TestRecord::new();
    let id = observed(&test, 0, 0).to_string();
    let retriever = test.record.retriever();
    let stele_core::Detail::Rule(mut rule) = retriever.get(&id).expect("there").detail else { panic!("it is a rule") };
    (rule.provisional, rule.mandatory) = (false, true);
    test.recorder().revise(&id, Revision::new().routing(*rule)).expect("revised");
    assert!(matches!(retriever.get(&id).expect("there").detail, stele_core::Detail::Rule(rule) if rule.provisional && rule.mandatory));
    assert!(retriever.rules(&RulesOptions::new()).expect("obligations").entries.is_empty());
}

#[test]
fn counts_survive_reopening() {
    let test = TestRecord::new();
    let id = observed(&test, 2, 1).to_string();
    test.record.close();
    let record = Record::open(test.dir()).expect("opens again");
    let found = record.retriever().feedback(&id).expect("counts");
    assert_eq!((found.helped, found.hurt), (2, 1));
    record.verify_log().expect("the chain holds");
}
