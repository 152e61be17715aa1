//! Methodology: what a mode, an action or the words of a prompt call, and what has room.

use stele_core::{AsOf, Channel, Format, Methodology, MethodologyOptions, NodeId, Pointed, Revision, RuleDetail, RulesOptions, Timestamp};
use stele_tests::TestRecord;
use stele_tests::shorthand::words;

fn rule(test: &TestRecord, title: &str, set: impl FnOnce(&mut RuleDetail)) -> NodeId {
    test.recorder().rule(title, format!("{title}, step by step.")).routing(set).record().expect("a rule").id
}

fn pulled_by(test: &TestRecord, title: &str, keywords: &[&str]) -> NodeId {
    rule(test, title, |detail| (detail.keywords, detail.methodology) = (words(keywords), Some("skill".to_owned())))
}

fn given(test: &TestRecord, options: MethodologyOptions) -> Methodology {
    test.record.retriever().methodology(&options).expect("methodology")
}

fn titles(found: &Methodology) -> Vec<(Channel, &str)> {
    found.entries.iter().map(|entry| (entry.channel, entry.rule.title.as_str())).collect()
}

#[test]
fn keywords_pull_as_whole_words_whatever_they_are_made_of() {
    // Field case 20.
    let test = TestRecord::new();
    for (title, keyword) in
        [("ui", "ui"), ("plan", "/plan"), ("review", "code review"), ("cpp", "C++"), ("route", "params[:id]"), ("hidden", ".claude/"), ("any", "a.*b(?!c)\\")]
    {
        pulled_by(&test, title, &[keyword]);
    }
    let pulled =
        |text: &str| titles(&given(&test, MethodologyOptions::new("work").text(text))).into_iter().map(|(_, title)| title.to_owned()).collect::<Vec<_>>();
    assert_eq!(pulled("build the guide"), Vec::<String>::new());
    assert_eq!(pulled("run /plan"), ["plan"]);
    assert_eq!(pulled("code-review please"), ["review"]);
    assert_eq!(pulled("a C++ file"), ["cpp"]);
    assert_eq!(pulled("the UI of params[:id] in .claude/settings"), ["ui", "route", "hidden"]);
    assert_eq!(pulled("it says a.*b(?!c)\\ and axb"), ["any"]);
    assert_eq!(pulled("axb"), Vec::<String>::new());
    assert_eq!(pulled(""), Vec::<String>::new());
}

#[test]
fn floor_comes_before_push_and_push_before_pull_and_a_rule_comes_once() {
    let test = TestRecord::new();
    pulled_by(&test, "pull", &["deploy"]);
    rule(&test, "push", |detail| detail.action_triggers = words(&["deploy"]));
    rule(&test, "floor", |detail| detail.floor_modes = words(&["debug", "work"]));
    rule(&test, "all", |detail| {
        (detail.floor_modes, detail.action_triggers, detail.keywords) = (words(&["Work"]), words(&["Deploy"]), words(&["deploy"]));
    });
    rule(&test, "none", |_| {});
    let options = || MethodologyOptions::new("work").action("deploy").text("let us deploy");
    let expected = [(Channel::Floor, "floor"), (Channel::Floor, "all"), (Channel::Push, "push"), (Channel::Pull, "pull")];
    let found = given(&test, options());
    assert_eq!(titles(&found), expected);
    assert_eq!(found.tokens, found.entries.iter().map(|entry| entry.rule.tokens).sum::<usize>());
    let text = found.render(Format::Text);
    assert!(expected.iter().map(|(_, title)| text.find(&format!("  {title}\n")).expect("it is there")).is_sorted(), "{text}");
    assert_eq!(titles(&given(&test, MethodologyOptions::new("review"))), []);
    assert!(given(&test, MethodologyOptions::new("review")).render(Format::Text).is_empty());
}

#[test]
fn more_matched_keywords_come_first_and_equal_counts_stand_by_id() {
    let test = TestRecord::new();
    pulled_by(&test, "one", &["alpha"]);
    pulled_by(&test, "two", &["alpha", "beta", "Alpha"]);
    pulled_by(&test, "one more", &["beta", "gamma"]);
    let found = given(&test, MethodologyOptions::new("work").text("alpha beta"));
    assert_eq!(found.entries.iter().map(|entry| (entry.rule.title.as_str(), entry.matched)).collect::<Vec<_>>(), [("two", 2), ("one", 1), ("one more", 1)]);
}

#[test]
fn what_has_no_room_leaves_from_the_end_of_what_is_pulled_and_nothing_else_does() {
    let test = TestRecord::new();
    let long = "word ".repeat(100);
    for (title, floor, keywords) in [("floor", true, 0), ("pull one", false, 1), ("pull two", false, 2), ("pull one more", false, 1)] {
        let set = |detail: &mut RuleDetail| {
            detail.floor_modes = if floor { words(&["work"]) } else { Vec::new() };
            detail.keywords = words(&["alpha", "beta"][..keywords]);
        };
        test.recorder().rule(title, long.trim()).routing(set).record().expect("a rule");
    }
    let options = |tokens| MethodologyOptions::new("work").text("alpha beta").max_tokens(tokens);
    let all = given(&test, options(2_000));
    assert_eq!((titles(&all).len(), all.left, all.over_budget), (4, 0, false));
    let some = given(&test, options(all.tokens - 1));
    assert_eq!(titles(&some), [(Channel::Floor, "floor"), (Channel::Pull, "pull two"), (Channel::Pull, "pull one")]);
    assert_eq!((some.left, some.over_budget), (1, false));
    assert!(some.tokens < all.tokens);
    let few = given(&test, options(50));
    assert_eq!(titles(&few), [(Channel::Floor, "floor")]);
    assert_eq!((few.left, few.over_budget), (3, true));
    assert!(few.render(Format::Text).lines().nth(1).is_some_and(|line| line.starts_with("⚠ OVER BUDGET")));
    assert_eq!(MethodologyOptions::new("work"), MethodologyOptions::new("work").max_tokens(2_000));
}

#[test]
fn what_was_shown_comes_as_a_line_by_mode_whole_by_action_and_not_at_all_by_keyword() {
    let test = TestRecord::new();
    let floor = rule(&test, "floor", |detail| detail.floor_modes = words(&["work"]));
    let push = rule(&test, "push", |detail| detail.action_triggers = words(&["deploy"]));
    let both = rule(&test, "both", |detail| (detail.floor_modes, detail.action_triggers) = (words(&["work"]), words(&["deploy"])));
    let pull = pulled_by(&test, "pull", &["deploy"]);
    let shown = [floor, push, both, pull].map(|id| (id, 1));
    let found = given(&test, MethodologyOptions::new("work").action("deploy").text("deploy").shown(shown));
    let forms: Vec<_> = found.entries.iter().map(|entry| (entry.rule.title.as_str(), entry.rule.pointed)).collect();
    assert_eq!(forms, [("floor", Some(Pointed::Shown)), ("both", None), ("push", None)]);
    assert_eq!(found.entries[0].rule.text, format!("{floor}  floor"));
    test.recorder().revise(&pull.to_string(), Revision::new().body("More.")).expect("revised");
    let again = given(&test, MethodologyOptions::new("review").text("deploy").shown(shown));
    assert_eq!(titles(&again), [(Channel::Pull, "pull")], "what was revised is new");
}

#[test]
fn only_live_rules_are_called_and_keywords_of_obligations_pull_nothing() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let old = pulled_by(&test, "old", &["deploy"]).to_string();
    let new = pulled_by(&test, "new", &["deploy"]).to_string();
    let away = pulled_by(&test, "away", &["deploy"]).to_string();
    rule(&test, "always", |detail| (detail.always_on, detail.keywords) = (true, words(&["deploy"])));
    rule(&test, "always by mode", |detail| (detail.always_on, detail.floor_modes) = (true, words(&["work"])));
    recorder.supersede(&new, &old).reason("rewritten").evidence("new, step by step.").record().expect("a retirement");
    recorder.archive(&away, "unused").expect("archived");
    let found = given(&test, MethodologyOptions::new("work").text("deploy"));
    assert_eq!(titles(&found), [(Channel::Floor, "always by mode"), (Channel::Pull, "new")]);
}

#[test]
fn what_a_handle_keeps_of_rules_never_shows() {
    let test = TestRecord::new();
    let reader = test.again();
    let told = |record: &stele_core::Record, as_of: Option<AsOf>| {
        let retriever = as_of.map_or_else(|| record.retriever(), |moment| record.retriever_as_of(moment));
        let methodology = retriever.methodology(&MethodologyOptions::new("work").action("deploy").text("let us migrate")).expect("methodology");
        format!("{:?} {methodology:?}", retriever.rules(&RulesOptions::new().text("let us migrate")).expect("obligations"))
    };
    let recorder = test.recorder();
    let first = pulled_by(&test, "first", &["migrate"]).to_string();
    let second = rule(&test, "second", |detail| (detail.mandatory, detail.keywords) = (true, words(&["migrate"]))).to_string();
    let third = recorder.rule("third", "Until spring.").routing(|detail| detail.floor_modes = words(&["work"]));
    let third = third.expires_at(Timestamp::parse("2026-03-01").expect("a time")).record().expect("a rule").id.to_string();
    let steps: [&dyn Fn(); 9] = [
        &|| {},
        &|| _ = recorder.revise(&first, Revision::new().title("first again")).expect("revised"),
        &|| test.clock.set("2026-03-01"),
        &|| test.clock.set("2026-02-28"),
        &|| _ = recorder.archive(&second, "no longer needed").expect("archived"),
        &|| _ = pulled_by(&test, "fourth", &["migrate", "let us"]),
        &|| recorder.supersede(&third, &first).reason("replaced").evidence("Until spring.").record().expect("a retirement"),
        &|| _ = recorder.purge(&third, "a secret", &[]).expect("purged"),
        &|| test.clock.set("2026-04-01"),
    ];
    for (nth, step) in steps.iter().enumerate() {
        step();
        let anew = told(&test.again(), None);
        assert_eq!((told(&reader, None), told(&reader, None)), (anew.clone(), anew), "step {nth}");
        let past = AsOf::Sequence(2);
        assert_eq!(told(&reader, Some(past)), told(&test.again(), Some(past)), "step {nth}");
    }
}
