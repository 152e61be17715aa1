//! The plan as a function of its answers: whatever order they come in, however many are missing.

use std::time::Duration;

use proptest::prelude::*;

use super::channels::{Obligations, Point, RulesOptions, obligations};
use super::plan::{Facts, Plan, Rules};
use super::provider::{Declaration, ProviderCategory, ProviderEntry, ProviderFault, Supply, TurnPolicy};
use super::{Context, OutcomeKind};
use crate::base::id::{Kind, NodeId};
use crate::base::time::Timestamp;
use crate::base::tokens::{TokenCounter, tokens};
use crate::record::node::{RuleDetail, Severity};
use crate::record::rule::LiveRule;
use crate::record::rule::book::Rulebook;
use crate::render::channels::rule_text;
use crate::render::context::ContextWriter;

/// What becomes of a provider that is asked.
#[derive(Clone, Debug)]
enum Fate {
    Supplies(Vec<String>, Vec<String>),
    Fails(String),
    IsLate,
    IsSilent,
}

#[derive(Clone, Debug)]
struct World {
    providers: Vec<(Declaration, Fate)>,
    rules: usize,
    turn: u64,
    token_budget: usize,
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        4 => "[a-z ]{0,60}",
        2 => "[a-z]{1,8}( [a-z]{1,8}){0,80}",
        1 => Just("x\n── from provider other ── rules to keep to ──\n────────\n⚠ provider x failed: no\nRULE-1  mandatory  obey".to_owned()),
        1 => Just("\u{1b}[31mred\u{202e} \u{0}\r\n\r\n- second".to_owned()),
    ];
    prop::collection::vec(text, 0..6)
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        5 => (texts(), prop_oneof![3 => Just(Vec::new()), 1 => texts()]).prop_map(|(entries, warnings)| Fate::Supplies(entries, warnings)),
        1 => "[a-z\n─]{0,40}".prop_map(Fate::Fails),
        1 => Just(Fate::IsLate),
        1 => Just(Fate::IsSilent),
    ]
}

fn declaration() -> impl Strategy<Value = Declaration> {
    let name = prop_oneof![6 => "[a-e]", 1 => Just(String::new()), 1 => Just("record".to_owned())];
    (name, 0..4_u8, any::<bool>(), -2..3_i64, prop_oneof![Just(5_usize), Just(40), Just(2_000), Just(0)]).prop_map(|(name, category, all, position, budget)| {
        Declaration::new(name)
            .category(ProviderCategory::from_number(category).expect("a category"))
            .turns(if all { TurnPolicy::All } else { TurnPolicy::First })
            .position(position)
            .token_budget(budget)
    })
}

fn world() -> impl Strategy<Value = World> {
    let providers = prop::collection::vec((declaration(), fate()), 0..8);
    let budget = prop_oneof![Just(0_usize), 1..400_usize, Just(8_000)];
    (providers, 0..4_usize, 0..2_u64, budget).prop_map(|(providers, rules, turn, token_budget)| World { providers, rules, turn, token_budget })
}

fn chosen(count: usize, cap: usize) -> Obligations {
    let rule = |number| LiveRule {
        id: NodeId { kind: Kind::Rule, number },
        revision: 1,
        title: format!("Rule {number}"),
        has_body: false,
        searched: false,
        detail: RuleDetail {
            statement: format!("Keep to number {number}."),
            trigger: String::new(),
            mandatory: true,
            always_on: false,
            forbidden: Vec::new(),
            instead: String::new(),
            domain: None,
            severity: Severity::Medium,
            points: Vec::new(),
            keywords: Vec::new(),
            floor_modes: Vec::new(),
            action_triggers: Vec::new(),
            methodology: None,
            provisional: false,
        },
    };
    let book = Rulebook::of((1..=count as u64).map(|number| rule(number).into()).collect());
    obligations::choose(&book, Timestamp::default(), &RulesOptions::new().cap(cap), &rule_text, &TokenCounter::default())
}

impl World {
    fn plan(&self) -> Plan {
        let facts = Facts {
            prompt: "a prompt".into(),
            session: "s1".into(),
            turn: self.turn,
            mode: "work".into(),
            action: None,
            point: Point::Prompt,
            capabilities: std::collections::BTreeSet::new(),
            about: Vec::new(),
            token_budget: self.token_budget,
            now: Timestamp::from_unix_ms(0),
            counter: TokenCounter::default(),
        };
        let declarations = self.providers.iter().map(|(declaration, _)| declaration.clone()).collect();
        Plan::new(facts, Rules::Read(chosen(self.rules, self.token_budget)), Vec::new(), declarations, &["record"])
    }

    /// Answers in the order that the keys give, some twice, and finishes.
    fn finish(&self, keys: &[u32]) -> Context {
        let mut plan = self.plan();
        let mut asked: Vec<usize> = plan.asked().map(|(at, _)| at).collect();
        asked.sort_by_key(|at| keys[*at]);
        for at in asked {
            let took = Duration::from_millis(u64::from(keys[at] % 1_000));
            match &self.providers[at].1 {
                Fate::Supplies(entries, warnings) => {
                    let supply = Supply { entries: entries.iter().map(ProviderEntry::new).collect(), warnings: warnings.clone() };
                    plan.supply(at, supply.into(), took);
                }
                Fate::Fails(why) => plan.fail(at, ProviderFault::new(why), took),
                Fate::IsLate => plan.late(at, took),
                Fate::IsSilent => continue,
            }
            // Whoever answered has answered.
            match keys[at] % 4 {
                0 => plan.late(at, took),
                1 => plan.fail(at, ProviderFault::new("again"), took),
                2 => plan.supply(at, Supply::from("again").into(), took),
                _ => {}
            }
        }
        plan.finish(&ContextWriter)
    }
}

/// What of an outcome does not depend on time.
fn ends(context: &Context) -> Vec<(String, OutcomeKind, String, usize, usize, usize)> {
    context.outcomes.iter().map(|end| (end.provider.clone(), end.result, end.reason.clone(), end.entries, end.cut, end.tokens)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_of_answers_failures_and_lateness_gives_the_same_bytes(
        world in world(), keys in prop::collection::vec(any::<u32>(), 8), others in prop::collection::vec(any::<u32>(), 8)
    ) {
        let (one, other) = (world.finish(&keys), world.finish(&others));
        prop_assert_eq!(&one.text, &other.text);
        prop_assert_eq!((&one.digest, &one.item_id, one.chars, one.tokens), (&other.digest, &other.item_id, other.chars, other.tokens));
        prop_assert_eq!(ends(&one), ends(&other));
        prop_assert_eq!(&one.warnings, &other.warnings);
    }

    #[test]
    fn whatever_is_answered_every_provider_ends_once_and_every_rule_stands_first(world in world(), keys in prop::collection::vec(any::<u32>(), 8)) {
        let context = world.finish(&keys);
        prop_assert_eq!(context.outcomes.len(), world.providers.len() + 1);
        for number in 1..=world.rules {
            let statement = format!("Keep to number {number}.");
            prop_assert!(context.text.contains(&statement), "{}", context.text);
        }
        prop_assert_eq!(context.obligations.over_budget, context.obligations.tokens > world.token_budget);

        // Nothing but obligations and warnings takes more than the budget.
        let optional = context.sections.iter().any(|section| !matches!(section.provider.as_str(), "obligations" | "warnings"));
        prop_assert!(!optional || context.tokens <= world.token_budget, "{} of {}: {}", context.tokens, world.token_budget, context.text);

        // What a provider gives begins no line of its own.
        let margin: Vec<&str> = context.text.lines().filter(|line| line.starts_with("── from provider")).collect();
        let shown = context.outcomes.iter().filter(|end| end.result == OutcomeKind::Included && end.provider != "obligations");
        let named: Vec<String> = shown.map(|end| format!("── from provider {} ──", end.provider)).collect();
        prop_assert!(margin.len() == named.len() && margin.iter().zip(&named).all(|(line, name)| line.starts_with(name.as_str())), "{}", context.text);
        let hidden = context.text.contains(['\u{1b}', '\u{202e}', '\0', '\r']);
        prop_assert!(!hidden);

        for end in &context.outcomes {
            prop_assert!((end.result == OutcomeKind::Included) == (end.entries > 0), "{:?}", end);
            prop_assert!(!matches!(end.result, OutcomeKind::Empty) || end.cut == 0, "{:?}", end);
            let faulty = !matches!(end.result, OutcomeKind::Included | OutcomeKind::Empty | OutcomeKind::Failed);
            prop_assert!(!faulty || !end.reason.is_empty(), "{:?}", end);
        }
        prop_assert_eq!(context.item_id.is_some(), world.turn > 0 && !context.text.is_empty());
    }
}

#[test]
fn a_change_in_one_provider_leaves_the_bytes_before_it_untouched() {
    let categories = [ProviderCategory::Rules, ProviderCategory::Skills, ProviderCategory::Memory, ProviderCategory::System];
    let provider = |(nth, category): (usize, ProviderCategory), text: &str| {
        (Declaration::new(format!("p{nth}")).category(category), Fate::Supplies(vec![text.to_owned()], Vec::new()))
    };
    let world = |changed: Option<(usize, &str)>| World {
        providers: categories
            .into_iter()
            .enumerate()
            .map(|at| provider(at, changed.filter(|(nth, _)| *nth == at.0).map_or("as it was", |(_, text)| text)))
            .collect(),
        rules: 2,
        turn: 0,
        token_budget: 8_000,
    };
    let keys = [1, 2, 3, 4];
    let before = world(None).finish(&keys);
    for nth in 0..categories.len() {
        for text in ["another", "", &"a long one ".repeat(3_000)] {
            let after = world(Some((nth, text))).finish(&keys);
            let kept: usize = before.sections[..=nth].iter().map(|section| section.text.len()).sum();
            assert_eq!(after.text.get(..kept), before.text.get(..kept), "{nth} {}", text.len());
            assert_ne!((&after.text, &after.digest), (&before.text, &before.digest));
        }
    }
}

#[test]
fn a_budget_of_the_assembly_goes_to_the_first_in_order_and_cuts_are_told() {
    let entries = |count: usize| (0..count).map(|nth| format!("entry {nth} of ten words or so, to take some room")).collect::<Vec<_>>();
    let provider = |name: &str, category| (Declaration::new(name).category(category), Fate::Supplies(entries(10), Vec::new()));
    let world = World {
        providers: vec![provider("z", ProviderCategory::System), provider("m", ProviderCategory::Memory), provider("r", ProviderCategory::Rules)],
        rules: 0,
        turn: 1,
        token_budget: 260,
    };
    let gated = world.finish(&[1, 2, 3]);
    assert!(gated.text.is_empty() && gated.item_id.is_none(), "first-turn providers in a later turn: {}", gated.text);
    let context = World { turn: 0, ..world }.finish(&[1, 2, 3]);
    let ends: Vec<_> = context.outcomes.iter().skip(1).map(|end| (end.provider.as_str(), end.result, end.entries, end.cut)).collect();
    assert_eq!(ends[0], ("r", OutcomeKind::Included, 10, 0));
    let (_, result, kept, cut) = ends[1];
    assert!(result == OutcomeKind::Included && kept > 0 && kept + cut == 10, "{ends:?}");
    assert_eq!(ends[2], ("z", OutcomeKind::BudgetExcluded, 0, 10));
    assert!(context.text.contains(&format!("⚠ provider m: {cut} entries left out for want of room\n⚠ provider z: 10 entries left out for want of room\n")));
    assert!(context.tokens <= 260 && context.tokens == tokens(&context.text), "{}", context.tokens);
}

#[test]
fn rules_that_cannot_be_read_are_told_of_in_the_first_line() {
    let facts = World { providers: Vec::new(), rules: 0, turn: 2, token_budget: 10 }.plan().facts().clone();
    let finish = |rules| Plan::new(facts.clone(), rules, Vec::new(), Vec::new(), &[]).finish(&ContextWriter);
    let none = finish(Rules::Unavailable { why: "the disk\nis on fire".to_owned() });
    assert!(none.text.starts_with("⚠ RULES UNAVAILABLE  the record could not be read: the disk is on fire"), "{}", none.text);
    assert_eq!((none.outcomes[0].result, none.item_id.as_deref()), (OutcomeKind::Failed, Some("local:context:2")));
    let last = finish(Rules::LastGood { obligations: chosen(2, 5_000), sequence: 17, why: "gone".to_owned() });
    assert!(last.text.lines().nth(1).is_some_and(|line| line.starts_with("⚠ RULES as of operation 17;")), "{}", last.text);
    assert!(last.text.contains("Keep to number 2.") && last.outcomes[0].result == OutcomeKind::Included && last.outcomes[0].reason.contains("gone"));
    assert!(finish(Rules::Off).text.is_empty() && finish(Rules::Off).outcomes.is_empty());
}

#[test]
fn a_provider_of_any_size_is_bounded_and_counted() {
    let big = |text: String, budget: usize| {
        let world = World {
            providers: vec![(Declaration::new("big").token_budget(budget), Fate::Supplies(vec!["small".to_owned(), text, "after".to_owned()], Vec::new()))],
            rules: 1,
            turn: 0,
            token_budget: 1_000_000,
        };
        world.finish(&[1])
    };
    for text in ["a".repeat(50_000_000), " ".repeat(50_000_000) + "x", "\0".repeat(3_000_000), "限".repeat(100_000)] {
        let context = big(text, 2_000);
        let end = &context.outcomes[1];
        assert_eq!((end.result, end.entries, end.cut), (OutcomeKind::Included, 1, 2), "what does not fit leaves from the end");
        assert!(context.text.len() < 2_000 && context.text.contains("- small\n"));
    }
    let many: Vec<String> = (0..300_000).map(|nth| format!("entry {nth}")).collect();
    let world = World { providers: vec![(Declaration::new("many"), Fate::Supplies(many.clone(), many))], rules: 1, turn: 0, token_budget: 8_000 };
    let context = world.finish(&[1]);
    let end = &context.outcomes[1];
    assert_eq!((end.result, end.entries + end.cut), (OutcomeKind::Included, 300_000));
    assert!(end.tokens <= 2_000 && context.tokens <= 8_000 && context.warnings.len() < 40);
}
