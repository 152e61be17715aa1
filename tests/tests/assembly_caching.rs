//! What a host's prompt cache can keep: the same inputs give the same bytes, a change leaves what stands before it as it
//! was, and from turn to turn much of a context begins as the last one did.

use std::fmt::Write as _;
use std::fs;
use std::sync::{Arc, Mutex};

use stele_core::{AssembleOptions, Category, Context, Declaration, Draft, ImportOptions, Provider, ProviderCategory, Revision, TurnPolicy, provider};
use stele_tests::TestRecord;

const PROMPT: &str = "Should we shorten the interval at which we poll the SFTP drop for berth changes?";

/// The prompts of a session, with what happens before some of them.
const SESSION: [&str; 30] = [
    "Please pick up LH-101 and tell me what stands in its way.",
    "How are pilot boats meant to become variables of the solver?",
    "What do we know of the turn-around times of the boats in ice?",
    "go on",
    "Write the model of a boat with position, turn-around and fuel in planner/boats.py.",
    "The tests fail with PLN-E042: no feasible assignment for movement 88120, do we need more pilots?",
    "Explain the conflict set of that movement before anything is changed.",
    "yes, do that",
    "How many hours of rest does a pilot need between two turns?",
    "Then change REST_HOURS into a function of the boarding time.",
    "Where else is the old constant used?",
    "Refactor those eleven places, one commit each.",
    "Should we shorten the interval at which we poll the SFTP drop for berth changes?",
    "What happens to the berth stream after a restore from backup?",
    "Write a runbook for the restore drill on the staging site.",
    "ok",
    "I am about to move rate limiting behind authorisation in dispatch-api.",
    "Then leave it and add a test for the order of the middleware.",
    "Why do invoices with VAT code Z9 vanish at the tax portal?",
    "Debug the batch upload and show me the answer of the portal.",
    "What is left to be done for the winter season with two boats?",
    "Suggest a recipe for sourdough bread with rye flour, please.",
    "Show the boat on the pilot's phone, with the jetty and who else is on it.",
    "Phones stop the sync in the background, what did we learn about that?",
    "Raise an alarm for a gauge that repeats its value.",
    "Is gauge 3 special in any way?",
    "Import of the October tide table fails with ValueError: duplicate key 2024-10-27 02:10",
    "Times are mixed up in the roster, which zone do we store?",
    "Review the change and write the commit message.",
    "What did we decide today, and what is still open?",
];

/// The sample record with rules of every channel, in a project with skills.
fn world() -> TestRecord {
    let test = TestRecord::new();
    let sample = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/lighthouse.jsonl")).expect("the sample");
    assert!(test.record.import_lines(&sample[..], "tester", ImportOptions::new()).expect("an import").applied);
    let add = |draft: Draft| test.recorder().add(draft).expect("a rule");
    for (title, statement) in [
        ("Never log personal data", "Never write the name, phone number or certificate of a pilot into a log, a trace or a test."),
        ("Money is never a float", "Amounts are integers of cents; refuse any change that makes them floating point."),
        ("Ask before migrations", "Ask before you write a migration that rewrites a table."),
    ] {
        add(Draft::rule(title, statement).routing(|rule| rule.mandatory = true));
    }
    add(Draft::rule("One commit, one reason", "A commit changes one thing and says why.").routing(|rule| rule.always_on = true));
    add(Draft::rule("No promises to the port authority", "Do not promise dates.").routing(|rule| {
        rule.forbidden = vec!["by next week".to_owned()];
        rule.instead = "once the office has agreed".to_owned();
    }));
    for (title, statement, floor, keywords) in [
        ("Read before you write", "Look at the record and the neighbouring code before the first edit.", Some("work"), &[][..]),
        ("Small steps", "Make the smallest change that can be tested, test it, go on.", Some("work"), &[]),
        ("Debug by halves", "Halve the distance between what works and what fails until one line is left.", None, &["fails", "debug"]),
        ("Refactoring without change", "Have the tests green before and after each step; change no behaviour.", None, &["refactor"]),
        ("Runbooks are commands", "Each step is a command, what it prints, and what to do if it does not.", None, &["runbook"]),
        ("Reviews ask", "A review asks what breaks, who is hurt, and how one would know.", None, &["review"]),
    ] {
        add(Draft::rule(title, statement).routing(|rule| {
            rule.methodology = Some("technique".to_owned());
            rule.floor_modes = floor.iter().map(|mode| (*mode).to_owned()).collect();
            rule.keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        }));
    }
    for (name, description) in
        [("release", "Cuts a release of all services"), ("restore-drill", "Practises a restore on staging"), ("solver-bench", "Replays the stored solver runs")]
    {
        let folder = test.outside().join(".agents/skills").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\nStep by step.\n")).expect("a skill");
    }
    test
}

/// A provider of every turn whose words can be changed.
fn says(name: &str, category: ProviderCategory, words: &Arc<Mutex<String>>) -> Arc<dyn Provider> {
    let words = Arc::clone(words);
    let declaration = Declaration::new(name).category(category).turns(TurnPolicy::All);
    provider(declaration, move |_| Ok(words.lock().expect("one thread at a time").as_str().into()))
}

/// With skills from the project's folder.
fn options(test: &TestRecord) -> AssembleOptions {
    AssembleOptions::new().root(test.outside())
}

/// How many bytes two texts have in common at their beginnings.
fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[test]
fn the_same_inputs_give_the_same_bytes_in_every_record_process_and_session() {
    let (one, other) = (world(), world());
    let look = |test: &TestRecord, session: &str| test.record.assemble(PROMPT, &options(test).session(session)).expect("a context");
    let first = look(&one, "s1");
    assert!(first.sections.len() >= 4, "{}", first.text);
    for again in [look(&one, "s1"), look(&one, "s2"), look(&other, "s1")] {
        assert_eq!((&again.text, &again.digest), (&first.text, &first.digest));
    }
    let later = one.again();
    assert_eq!(later.assemble(PROMPT, &options(&one).session("s1")).expect("a context").text, first.text);
}

#[test]
fn a_change_in_one_section_leaves_the_bytes_of_the_sections_before_it() {
    let test = world();
    let [house, weather, branch] = ["Keep lines short.", "It rains.", "main"].map(|words| Arc::new(Mutex::new(words.to_owned())));
    let assemble = || -> Context {
        let options = options(&test)
            .session("s1")
            .provider(says("house-rules", ProviderCategory::Rules, &house))
            .provider(says("weather", ProviderCategory::Memory, &weather))
            .provider(says("branch", ProviderCategory::System, &branch));
        test.record.assemble(&format!("{PROMPT} Write the runbook of $release"), &options).expect("a context")
    };
    let skill = test.outside().join(".agents/skills/release/SKILL.md");
    let rule = |title: &str| {
        let hits = test.record.retriever().rules(&stele_core::RulesOptions::new()).expect("rules");
        let id = hits.entries.iter().find(|rule| rule.title == title).map(|rule| rule.id.to_string()).expect("a rule");
        test.recorder().revise(&id, Revision::new().statement("Amounts are integers of cents, always.")).expect("revised");
    };
    let set = |words: &Mutex<String>, to: &str| to.clone_into(&mut words.lock().expect("one thread at a time"));
    let changes: [(&str, &dyn Fn()); 7] = [
        ("branch", &|| set(&branch, "winter")),
        ("weather", &|| set(&weather, "It snows.")),
        ("record", &|| drop(test.fact(Category::Decision, "Poll the SFTP drop for berth changes never", "It is switched off."))),
        ("selected-skills", &|| fs::write(&skill, "---\nname: release\ndescription: Cuts a release of all services\n---\nIn two steps.\n").expect("a skill")),
        ("skills", &|| fs::write(&skill, "---\nname: release\ndescription: Cuts releases\n---\nIn two steps.\n").expect("a skill")),
        ("house-rules", &|| set(&house, "Keep lines long.")),
        ("obligations", &|| rule("Money is never a float")),
    ];
    let mut before = assemble();
    for (section, change) in changes {
        change();
        let after = assemble();
        let names = |context: &Context| context.sections.iter().map(|section| section.provider.clone()).collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "{section}");
        let at = names(&before).iter().position(|name| name == section).unwrap_or_else(|| panic!("no section {section}: {:?}", names(&before)));
        let untouched: usize = before.sections[..at].iter().map(|section| section.text.len()).sum();
        assert_ne!(after.sections[at].text, before.sections[at].text, "{section}");
        assert!(common(&after.text, &before.text) >= untouched, "{section}: {}\n{}", before.text, after.text);
        before = after;
    }
    // Within the obligations, what stands before the changed one stays.
    let kept = common(&before.sections[0].text, &assemble().sections[0].text);
    assert_eq!(kept, before.sections[0].text.len());
}

#[test]
fn what_was_shown_becomes_a_pointer_and_stays_that() {
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    let look = |prompt: &str| session.on_prompt(prompt, &options(&test)).expect("a context");
    let [first, second, third] = [look(SESSION[1]), look(SESSION[4]), look(SESSION[8])];
    let part = |context: &Context, name: &str| context.sections.iter().find(|section| section.provider == name).map(|section| section.text.clone());
    for name in ["obligations", "methodology"] {
        let [first, second, third] = [&first, &second, &third].map(|context| part(context, name).expect("a section"));
        assert!(second.len() < first.len() && second == third, "{name}: {first}\n{second}\n{third}");
    }
    assert!(second.text.contains("Money is never a float: Amounts are integers of cents"), "a pointer keeps the statement of a mandatory rule");
    assert!(part(&second, "skills").is_none() && part(&first, "skills").is_some());
}

/// What each turn of the session has in common with the turn before it.
fn table() -> String {
    let test = world();
    let session = test.record.session("s1").open().expect("a session");
    let (mut table, mut last, mut all, mut kept) = (String::new(), String::new(), 0, 0);
    for (turn, prompt) in SESSION.into_iter().enumerate() {
        test.clock.set(&format!("2026-01-01T{:02}:{:02}:00Z", 9 + turn / 6, turn % 6 * 10));
        match turn {
            10 => drop(test.fact(Category::Decision, "Rest hours depend on the boarding time", "Ten hours after a night turn, eight otherwise.")),
            16 => session.set_mode("debug").expect("a mode"),
            20 => session.set_mode("work").expect("a mode"),
            25 => session.compacted().expect("compacted"),
            _ => {}
        }
        let text = session.on_prompt(prompt, &options(&test)).expect("a context").text;
        let prefix = common(&text, &last);
        let share = (prefix * 100).checked_div(text.len()).unwrap_or(100);
        writeln!(table, "turn {turn:>2}  {:>5} bytes  {prefix:>4} as in the turn before  {share:>3} %", text.len()).expect("a text takes all");
        if turn > 0 {
            (all, kept) = (all + text.len(), kept + prefix);
        }
        last = text;
    }
    writeln!(table, "all after the first  {all:>5} bytes  {kept:>4} as in the turn before  {:>3} %", kept * 100 / all).expect("a text takes all");
    table
}

/// The share at the end of a line of the table.
fn share(line: &str) -> i64 {
    line.strip_suffix(" %").and_then(|line| line.rsplit(' ').next()).and_then(|share| share.parse().ok()).expect("a share")
}

#[test]
fn thirty_turns_have_in_common_with_the_turn_before_what_is_written_down() {
    let (found, written) = (table(), include_str!("assembly_caching/thirty_turns.txt"));
    assert_eq!(table(), found, "the session is the same each time");
    // Other words in a frame move a share by a point or two.
    let slack = |nth: usize| if nth == SESSION.len() { 1 } else { 4 };
    let lost = found.lines().zip(written.lines()).enumerate().find(|(nth, (found, written))| share(found) + slack(*nth) < share(written));
    let whole = found.lines().count() == written.lines().count();
    assert!(lost.is_none() && whole, "{lost:?}; if that is meant, tests/tests/assembly_caching/thirty_turns.txt is to read\n{found}");
}
