//! Risks on the path, retired nodes and their heads, contradictions, near-duplicates.

use stele_core::{Category, GapKind, Relation, Retrieval, RetrieveOptions, Role, Shown as Detailed, State, Status};
use stele_tests::TestRecord;
use stele_tests::shorthand::{ids, supersede};

const PROMPT: &str = "what do we know about the barometer calibration?";

fn look(test: &TestRecord) -> Retrieval {
    test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new()).expect("a retrieval")
}

fn callouts(found: &Retrieval) -> Vec<String> {
    found.callouts.iter().map(|entry| entry.id.to_string()).collect()
}

#[test]
fn a_risk_one_or_two_causal_edges_away_is_called_out_with_its_path() {
    for (first, second) in [(Relation::CausedBy, Relation::Blocks), (Relation::Contradicts, Relation::CausedBy), (Relation::Blocks, Relation::Contradicts)] {
        let test = TestRecord::new();
        let recorder = test.recorder();
        let seed = test.fact(Category::Decision, "Barometer calibration", "");
        let near = test.fact(Category::Risk, "Zinc", "");
        let middle = test.fact(Category::Fyi, "Yttrium", "");
        let far = test.fact(Category::Risk, "Xenon", "");
        let too_far = test.fact(Category::Risk, "Wolfram", "");
        recorder.link(&near, first, &seed).expect("an edge");
        recorder.link(&seed, first, &middle).expect("an edge");
        recorder.link(&middle, second, &far).expect("an edge");
        recorder.link(&far, second, &too_far).expect("an edge");
        let found = look(&test);
        let seen: Vec<_> =
            found.callouts.iter().map(|entry| (entry.id.to_string(), entry.via, entry.hops, entry.from.as_ref().map(|from| from.id.to_string()))).collect();
        let mut expected = vec![(near, Some(first), 1, Some(seed.clone())), (far, Some(second), 2, Some(middle))];
        expected.sort_by_key(|(id, ..)| seen.iter().position(|other| other.0 == *id));
        assert_eq!(seen, expected, "{first} {second}");
        assert!(found.callouts.iter().all(|entry| entry.role == Role::Callout));
        assert!(!ids(&found).contains(&seen[0].0));
        // What contradicts a risk on the path stands beside it, as such.
        assert_eq!(ids(&found).contains(&too_far), second == Relation::Contradicts);
    }
}

#[test]
fn a_risk_that_is_called_out_says_what_it_replaced() {
    let test = TestRecord::new();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let old = test.fact(Category::Risk, "Barometer calibration drifts", "");
    let new = test.fact(Category::Risk, "Zinc", "");
    test.recorder().link(&new, Relation::CausedBy, &seed).expect("an edge");
    supersede(&test, &new, &old);
    let found = look(&test);
    assert_eq!(callouts(&found), [new]);
    let replaced: Vec<String> = found.callouts[0].replaces.iter().map(|replaced| replaced.node.id.to_string()).collect();
    assert_eq!((replaced, ids(&found)), (vec![old.clone()], vec![seed, old]));
}

#[test]
fn a_rule_that_was_replaced_stands_in_no_window_unless_it_is_named() {
    let test = TestRecord::new();
    let rule = |title: &str, mandatory: bool| {
        let recorder = test.recorder();
        let rule = recorder.rule(title, "Write down the barometer calibration.").routing(|rule| rule.mandatory = mandatory).record();
        rule.expect("a rule").id.to_string()
    };
    let (old, new) = (rule("Barometer calibration by ear", false), rule("Barometer calibration by lamp", false));
    assert_eq!(ids(&look(&test)).len(), 2);
    supersede(&test, &new, &old);
    assert_eq!(ids(&look(&test)), [new.as_str()]);
    let named = test.record.retriever().retrieve(&format!("what did {old} say?"), &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(ids(&named), [new.as_str(), &old]);
    // An obligation is delivered as one, and stands for none of them here.
    let obligation = rule("Barometer calibration by two", true);
    supersede(&test, &obligation, &new);
    assert_eq!(ids(&look(&test)), [""; 0]);
    let fact = test.fact(Category::Decision, "Barometer calibration at noon", "");
    supersede(&test, &obligation, &fact);
    assert_eq!(ids(&look(&test)), [obligation, fact], "what else it replaced stands beside it");
}

#[test]
fn what_stands_as_a_line_beside_what_it_contradicts_brings_no_further_contradiction() {
    let test = TestRecord::new();
    let (found, beside, further) =
        (test.fact(Category::Decision, "Barometer calibration", ""), test.fact(Category::Fyi, "Zinc", ""), test.fact(Category::Fyi, "Xenon", ""));
    test.recorder().contradicts(&found, &beside, "not both").expect("an edge");
    test.recorder().contradicts(&beside, &further, "not both").expect("an edge");
    let none = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().hops(0)).expect("a retrieval");
    assert_eq!((ids(&none), none.entries[1].detail), (vec![found, beside], Detailed::Line));
}

#[test]
fn a_risk_that_topical_edges_lead_to_stays_in_the_list() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let topical = test.fact(Category::Risk, "Zinc", "");
    let middle = test.fact(Category::Fyi, "Yttrium", "");
    let behind = test.fact(Category::Risk, "Xenon", "");
    recorder.link(&seed, Relation::RelatesTo, &topical).expect("an edge");
    recorder.link(&seed, Relation::Mentions, &middle).expect("an edge");
    recorder.link(&middle, Relation::CausedBy, &behind).expect("an edge");
    let found = look(&test);
    assert!(callouts(&found).is_empty());
    assert_eq!(ids(&found), [seed, topical, middle]);
}

#[test]
fn a_matched_risk_is_a_callout_only_if_another_match_leads_to_it() {
    let test = TestRecord::new();
    let risk = test.fact(Category::Risk, "Barometer calibration drifts in winter", "");
    assert_eq!((ids(&look(&test)), callouts(&look(&test))), (vec![risk.clone()], vec![]));
    let seed = test.fact(Category::Decision, "Barometer calibration happens monthly", "");
    test.recorder().link(&seed, Relation::CausedBy, &risk).expect("an edge");
    assert_eq!((ids(&look(&test)), callouts(&look(&test))), (vec![seed], vec![risk]));
}

#[test]
fn an_ended_risk_is_no_callout() {
    let test = TestRecord::new();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    let risk = test
        .recorder()
        .fact(Category::Risk, "Zinc")
        .expires_at(stele_core::Timestamp::parse("2025-01-01").expect("a time"))
        .record()
        .expect("a fact")
        .id
        .to_string();
    test.recorder().link(&seed, Relation::CausedBy, &risk).expect("an edge");
    let found = look(&test);
    assert!(found.callouts.is_empty());
    assert_eq!(found.entries.last().map(|entry| (entry.id.to_string(), entry.state)), Some((risk, State::Expired)));
}

#[test]
fn five_callouts_stand_in_full_and_further_ones_as_lines() {
    let test = TestRecord::new();
    let seed = test.fact(Category::Decision, "Barometer calibration", "");
    for name in ["Zinc", "Yttrium", "Xenon", "Wolfram", "Vanadium", "Tin", "Silver"] {
        let risk = test.fact(Category::Risk, name, "");
        test.recorder().link(&seed, Relation::CausedBy, &risk).expect("an edge");
    }
    let found = look(&test);
    assert_eq!((found.callouts.len(), found.callout_lines.len()), (5, 2));
    assert!(found.gaps.iter().any(|gap| gap.kind == GapKind::Callouts && gap.count == 2));
    assert_eq!(ids(&found), std::slice::from_ref(&seed));
    let one = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_entries(3)).expect("a retrieval");
    assert_eq!((one.callouts.len(), one.entries.len()), (3, 0));
    assert!(found.callout_lines.iter().all(|line| line.from.to_string() == seed));
}

#[test]
fn a_crowd_of_edges_hides_no_risk() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let hub = recorder.component("Barometer calibration").record().expect("a component").id.to_string();
    let risk = test.fact(Category::Risk, "Zinc", "");
    recorder
        .transaction(|all| {
            for number in 0..300 {
                let id = all.fact(Category::Decision, format!("Iron {number}")).record()?.id.to_string();
                all.link(&id, Relation::Mentions, &hub)?;
                let task = all.task(format!("Lead {number}")).record()?.id.to_string();
                all.link(&task, Relation::Blocks, &hub)?;
            }
            Ok(())
        })
        .expect("a crowd");
    recorder.link(&hub, Relation::CausedBy, &risk).expect("an edge");
    let found = look(&test);
    assert_eq!(callouts(&found), [risk]);
    assert!(found.gaps.iter().any(|gap| gap.kind == GapKind::Edges && gap.count == 589), "{:?}", found.gaps);
    assert!(found.stats.edges < 400, "{}", found.stats.edges);
}

#[test]
fn a_retired_match_comes_after_its_head_which_takes_its_place() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    let other = test.fact(Category::Decision, "A calibration of something else entirely in another house", "");
    let middle = test.fact(Category::Fyi, "Zinc", "");
    let head = test.fact(Category::Fyi, "Yttrium", "");
    supersede(&test, &middle, &old);
    supersede(&test, &head, &middle);
    let found = look(&test);
    assert_eq!(ids(&found), [head.clone(), other, old.clone(), middle.clone()]);
    let first = &found.entries[0];
    assert_eq!((first.role, first.state), (Role::Head, State::Live));
    let replaced: Vec<_> = first.replaces.iter().map(|change| (change.node.id.to_string(), change.reason.as_str(), change.unverified)).collect();
    assert!(replaced.contains(&(old.clone(), "it ended", true)), "{replaced:?}");
    let last = found.entries.iter().find(|entry| entry.id.to_string() == old).expect("it is shown");
    assert_eq!(last.state, State::Retired);
    assert_eq!(last.replaced_by.iter().map(|change| change.node.id.to_string()).collect::<Vec<_>>(), [head]);
}

#[test]
fn one_place_is_given_to_the_head_which_says_what_it_replaced() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    let head = test.fact(Category::Fyi, "Zinc", "");
    supersede(&test, &head, &old);
    for prompt in [PROMPT, old.as_str()] {
        let found = test.record.retriever().retrieve(prompt, &RetrieveOptions::new().max_entries(1)).expect("a retrieval");
        assert_eq!(ids(&found), std::slice::from_ref(&head), "{prompt}");
        assert_eq!(found.entries[0].replaces[0].node.id.to_string(), old);
    }
}

#[test]
fn two_heads_come_both_and_without_room_for_both_the_retired_one_stays_out() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    let heads = [test.fact(Category::Fyi, "Zinc", ""), test.fact(Category::Fyi, "Yttrium", "")];
    for head in &heads {
        supersede(&test, head, &old);
    }
    let shown = |entries| ids(&test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().max_entries(entries)).expect("a retrieval"));
    let all = shown(3);
    assert!(all[2] == old && heads.iter().all(|head| all[..2].contains(head)), "{all:?}");
    assert!(!shown(2).contains(&old) && shown(2).len() == 2);
    assert!(!shown(1).contains(&old) && shown(1).len() == 1);
}

#[test]
fn a_named_retired_node_follows_its_head_directly_and_whole() {
    let test = TestRecord::new();
    let body = "y".repeat(3_000);
    let old = test.fact(Category::Decision, "Barometer calibration by hand", &body);
    let head = test.fact(Category::Fyi, "Zinc", "");
    let strong = test.fact(Category::Decision, "Barometer calibration table", "");
    supersede(&test, &head, &old);
    let prompt = format!("{PROMPT} I mean {old}");
    let found = test.record.retriever().retrieve(&prompt, &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(ids(&found), [head, old, strong]);
    assert_eq!(found.entries[1].body, body);
    assert_eq!((found.entries[0].role, found.entries[1].role), (Role::Head, Role::Named));
}

#[test]
fn a_head_that_ended_itself_is_still_the_head() {
    let test = TestRecord::new();
    let old = test.fact(Category::Decision, "Barometer calibration by hand", "");
    let gone = test
        .recorder()
        .fact(Category::Decision, "Zinc")
        .expires_at(stele_core::Timestamp::parse("2025-01-01").expect("a time"))
        .record()
        .expect("a fact")
        .id
        .to_string();
    let away = test.fact(Category::Decision, "Yttrium", "");
    supersede(&test, &gone, &old);
    supersede(&test, &away, &old);
    test.recorder().archive(&away, "out of use").expect("put away");
    let found = look(&test);
    let seen: Vec<_> = found.entries.iter().map(|entry| (entry.id.to_string(), entry.state)).collect();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[2], (old, State::Retired));
    assert!(seen.contains(&(gone, State::Expired)) && seen.contains(&(away, State::Archived)));
}

#[test]
fn live_comes_before_ended_whatever_the_score() {
    let test = TestRecord::new();
    let expired = test
        .recorder()
        .fact(Category::Decision, "Barometer calibration")
        .expires_at(stele_core::Timestamp::parse("2025-01-01").expect("a time"))
        .record()
        .expect("a fact")
        .id
        .to_string();
    let live = test.fact(Category::Opportunity, "Calibration could be sold to other houses with many devices", "");
    assert_eq!(ids(&look(&test)), [live, expired]);
}

#[test]
fn what_contradicts_an_entry_is_shown_with_it_and_both_say_so() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration is monthly", "");
    let near = test.fact(Category::Fyi, "Zinc", "");
    let partner = test.fact(Category::Fyi, "Yttrium", "a body that is not shown");
    recorder.link(&seed, Relation::RelatesTo, &near).expect("an edge");
    recorder.contradicts(&near, &partner, "they cannot both hold").expect("an edge");
    let found = look(&test);
    assert_eq!(ids(&found), [seed, partner.clone(), near.clone()]);
    assert_eq!(found.conflicts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>(), [(near.clone(), partner.clone())]);
    let note = |at: usize| found.entries[at].conflicts.iter().map(|other| other.id.to_string()).collect::<Vec<_>>();
    assert_eq!((note(1), note(2)), (vec![near], vec![partner]));
    assert_eq!((found.entries[1].detail, found.entries[1].body.as_str()), (Detailed::Line, ""));
}

#[test]
fn what_contradicts_a_risk_that_is_called_out_is_shown_with_it() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let seed = test.fact(Category::Decision, "Barometer calibration is monthly", "");
    let risk = test.fact(Category::Risk, "Zinc", "");
    let partner = test.fact(Category::Fyi, "Yttrium", "a body that is not shown");
    recorder.link(&seed, Relation::CausedBy, &risk).expect("an edge");
    recorder.contradicts(&partner, &risk, "they cannot both hold").expect("an edge");
    let found = look(&test);
    assert_eq!((callouts(&found), ids(&found)), (vec![risk.clone()], vec![seed, partner.clone()]));
    assert_eq!(found.conflicts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>(), [(risk, partner)]);
    assert_eq!((found.entries[1].detail, found.entries[1].via), (Detailed::Line, Some(Relation::Contradicts)));
}

#[test]
fn a_risk_that_is_called_out_shares_its_entry_with_one_of_the_list_that_says_the_same() {
    for called_is_newer in [true, false] {
        let test = TestRecord::new();
        let recorder = test.recorder();
        let seed = test.fact(Category::Decision, "Barometer calibration is monthly", "");
        let (one, other) = (test.fact(Category::Risk, "Zinc rusts", "in rain"), test.fact(Category::Risk, "Zinc rusts", "in rain"));
        let (listed, called) = if called_is_newer { (&one, &other) } else { (&other, &one) };
        recorder.link(&seed, Relation::RelatesTo, listed).expect("an edge");
        recorder.link(called, Relation::CausedBy, &seed).expect("an edge");
        let found = look(&test);
        assert_eq!((ids(&found), callouts(&found)), (vec![seed.clone()], vec![other.clone()]), "the newer one is called out");
        let callout = &found.callouts[0];
        assert_eq!((callout.via, callout.score.total(), callout.folded.len()), (Some(Relation::CausedBy), 3.5, 1));
        assert_eq!((callout.from.as_ref().map(|from| from.id.to_string()), callout.folded[0].to_string()), (Some(seed.clone()), one.clone()));
        // What is named keeps its entry, and stands for the other.
        let prompt = format!("{PROMPT} and {listed}");
        let found = test.record.retriever().retrieve(&prompt, &RetrieveOptions::new()).expect("a retrieval");
        assert_eq!((ids(&found), callouts(&found)), (vec![listed.clone(), seed], vec![]));
        assert!(found.entries[0].folded.iter().map(ToString::to_string).eq([called.as_str()]));
    }
}

#[test]
fn forty_nine_restatements_share_one_entry_and_what_differs_keeps_its_own() {
    let test = TestRecord::new();
    for number in 0..25 {
        test.fact(Category::Fyi, &format!("Garden plot {number} grows tulips"), "roses next to them");
    }
    let mut newest = String::new();
    for day in 0..49 {
        test.clock.set(&format!("2026-02-01T00:00:{:02}Z", day));
        let title =
            ["The barometer calibration runs every 30 days", "the barometer calibration runs every 30 days.", "Barometer calibration runs every 30 days"]
                [day % 3];
        newest = test.fact(Category::Decision, title, "");
    }
    let number = test.fact(Category::Decision, "The barometer calibration runs every 60 days", "");
    let negated = test.fact(Category::Decision, "The barometer calibration does not run every 30 days", "");
    let found = test.record.retriever().retrieve("how often does the barometer calibration run, in days?", &RetrieveOptions::new()).expect("a retrieval");
    let mut seen = ids(&found);
    seen.sort();
    let mut expected = vec![newest.clone(), number, negated];
    expected.sort();
    assert_eq!(seen, expected);
    let entry = found.entries.iter().find(|entry| entry.id.to_string() == newest).expect("the newest stands");
    assert_eq!(entry.folded.len(), 48);
}

#[test]
fn three_hundred_restatements_hide_nothing_either() {
    let test = TestRecord::with(|options| options.durability(stele_core::Durability::Normal));
    test.recorder()
        .transaction(|all| {
            for number in 0..300 {
                all.fact(Category::Decision, format!("The barometer calibration runs every 30 days{}", ".".repeat(number % 5))).record()?;
            }
            Ok(())
        })
        .expect("restatements");
    let other = test.fact(Category::Decision, "The barometer calibration room is painted in a very light shade of green", "");
    let found = look(&test);
    assert_eq!(found.entries.len(), 2, "{:?}", ids(&found));
    assert!(ids(&found).contains(&other));
}

#[test]
fn facts_that_contradict_each_other_never_share_an_entry() {
    let test = TestRecord::new();
    let a = test.fact(Category::Decision, "Barometer calibration is monthly", "");
    let b = test.fact(Category::Decision, "Barometer calibration is monthly!", "");
    assert_eq!(look(&test).entries.len(), 1);
    test.recorder().contradicts(&a, &b, "one says so with more vigour").expect("an edge");
    assert_eq!(look(&test).entries.len(), 2);
}

/// Of two restatements the newer stands for the older among the hits, and the older, being the head of a retired fact,
/// stands for the newer in the window: they stand for each other, and something that contradicts them must end there.
#[test]
fn no_entry_stands_for_two_that_contradict_each_other() {
    let test = TestRecord::new();
    let title = "Barometer calibration is monthly";
    let (one, other) = (test.fact(Category::Decision, title, "as the keeper wants"), test.fact(Category::Decision, title, "as the owner wants"));
    test.recorder().contradicts(&one, &other, "not both").expect("an edge");
    let bare = test.fact(Category::Decision, title, "");
    let found = look(&test);
    let mut told: Vec<String> = ids(&found);
    told.extend(found.entries.iter().flat_map(|entry| entry.folded.iter().map(ToString::to_string)));
    told.sort();
    assert_eq!((told, found.entries.len()), (vec![one, other, bare], 2));
    assert_eq!(found.conflicts.len(), 1, "{:?}", found.conflicts);
}

#[test]
fn what_contradicts_a_restatement_is_shown_with_the_entry_that_stands_for_it() {
    let test = TestRecord::new();
    let title = "Barometer calibration is monthly";
    let one = test.fact(Category::Decision, title, "as the keeper wants");
    let partner = test.fact(Category::Fyi, "Zinc", "");
    test.recorder().contradicts(&partner, &one, "not both").expect("an edge");
    let newest = test.fact(Category::Decision, title, "");
    for hops in [0, 1] {
        let found = test.record.retriever().retrieve(PROMPT, &RetrieveOptions::new().hops(hops)).expect("a retrieval");
        assert_eq!(ids(&found), [newest.clone(), partner.clone()]);
        assert!(found.entries[0].folded.iter().map(ToString::to_string).eq([one.as_str()]));
        let notes: Vec<Vec<String>> = found.entries.iter().map(|entry| entry.conflicts.iter().map(|other| other.id.to_string()).collect()).collect();
        assert_eq!(notes, [vec![partner.clone()], vec![one.clone()]]);
        assert_eq!(found.entries[1].from.as_ref().map(|from| from.id.to_string()), Some(one.clone()), "that is where the edge leads from");
        assert_eq!(found.conflicts.len(), 1);
    }
}

#[test]
fn restatements_that_stand_for_each_other_end_the_search_for_a_contradiction() {
    let test = TestRecord::new();
    let recorder = test.recorder();
    let old = test.fact(Category::Decision, "Barometer calibration by hand, cedar", "");
    let head = test.fact(Category::Decision, "Barometer calibration amber", "");
    let newer = test.fact(Category::Decision, "Barometer calibration amber", "");
    let against = test.fact(Category::Fyi, "Barometer calibration was never done", "");
    supersede(&test, &head, &old);
    for partner in [&head, &newer] {
        recorder.link(&against, Relation::Contradicts, partner).expect("an edge");
    }
    let found = look(&test);
    let seen = ids(&found);
    assert!(seen.contains(&head) && seen.contains(&against), "{seen:?}");
    let entry = found.entries.iter().find(|entry| entry.id.to_string() == head).expect("the head");
    assert_eq!(entry.folded.iter().map(ToString::to_string).collect::<Vec<_>>(), [newer]);
}

#[test]
fn nothing_is_found_where_nothing_is_telling() {
    let test = TestRecord::new();
    for number in 0..60 {
        test.fact(Category::Fyi, &format!("The house has room number {number}"), "a window and a door");
    }
    let found =
        test.record.retriever().retrieve("tell me whatever there is about galaxies and quasars in the house", &RetrieveOptions::new()).expect("a retrieval");
    assert_eq!(found.status, Status::Abstained, "{:?}", ids(&found));
}
