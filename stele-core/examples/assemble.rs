//! One call a prompt: the rules of a repository with commits, nested rules and edits that nobody committed, skills, the
//! record and two providers of the host, one of which fails. What it prints is `assemble.txt`.
#![expect(clippy::print_stdout, reason = "an example shows what it assembled")]

#[expect(dead_code, reason = "the repository of this example is a simple one")]
#[path = "../src/assemble/builtin/repository_rules/tests/written.rs"]
mod written;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stele_core::{
    AssembleOptions, Category, Clock, Context, Declaration, Draft, ProviderEntry, ProviderFault, Record, Result, Source, Timestamp, TurnPolicy, provider,
};
use written::Written;

/// A clock that stands still, so that the text is the same every time.
struct StillClock(Timestamp);

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

const PROMPT: &str = "The barometer reads too high after the $calibrate run: which reference do we use?";

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("stele-assemble-{}", std::process::id()));
    let root = folder.join("weather-station");
    let written = write_project(&root);
    let clock = Arc::new(StillClock(Timestamp::parse("2026-03-02T09:00:00Z")?));
    let record = Record::options().clock(clock as Arc<dyn Clock>).open(root.join(".stele"))?;
    write_record(&record)?;
    let told = tell(&record, &root, &written);
    record.close();
    fs::remove_dir_all(folder).expect("the folder was made above");
    told
}

/// A repository of two commits with a work tree in which an agent has changed the rules, and two skills.
fn write_project(root: &Path) -> Written {
    let written = Written::new(&root.join(".git"));
    let first = written.commit(&[("AGENTS.md", "Measure in hectopascal.\n")], &[]);
    let rules = [
        ("AGENTS.md", "Measure in hectopascal.\nNo change without a test that failed before it.\n"),
        ("firmware/AGENTS.md", "No allocation after start-up.\n"),
        ("firmware/drivers/AGENTS.md", "Every register is named as in the data sheet.\n"),
        ("firmware/src/main.rs", "fn main() {}\n"),
    ];
    written.commit(&rules, &[first]);
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder of the project");
        fs::write(path, text).expect("a file of the project");
    };
    write("AGENTS.md", "Tests can be skipped today.\n");
    write("firmware/AGENTS.md", "Allocate as you like.\n");
    write(
        ".agents/skills/calibrate/SKILL.md",
        "---\nname: calibrate\ndescription: How a barometer is calibrated\n---\nWait ten minutes, then compare three readings.\n",
    );
    write(".agents/skills/release/SKILL.md", "---\nname: release\ndescription: How a firmware is released\n---\nTag, build, sign.\n");
    written
}

fn write_record(record: &Record) -> Result<()> {
    let ana = record.recorder("ana")?;
    ana.add(Draft::rule("Ask before a flash", "Ask before anything is flashed onto a station that is in service.").routing(|rule| rule.mandatory = true))?;
    ana.fact(Category::Decision, "The barometer is calibrated against the airport").alias("ADR-1").body("Its reading is read out once a day.").record()?;
    let today = "The airport moved its barometer; the reference is the laboratory's mercury column.";
    ana.fact(Category::Decision, "The barometer is calibrated against the laboratory").alias("ADR-2").body(today).record()?;
    ana.supersede("ADR-2", "ADR-1").reason("the airport moved its barometer").evidence("The airport moved its barometer").record()?;
    Ok(())
}

fn tell(record: &Record, root: &Path, written: &Written) -> Result<()> {
    let readings = provider(Declaration::new("readings").turns(TurnPolicy::All), |request| {
        let entry = ProviderEntry {
            source: Some(Source { uri: "station-7/log".to_owned(), revision: Some("0412".to_owned()), ..Source::default() }),
            fetched_at: Some(request.now),
            ..ProviderEntry::new("1019.6 hPa here, 1013.2 hPa at the laboratory")
        };
        Ok(vec![entry].into())
    });
    let tickets = provider(Declaration::new("tickets"), |_| Err(ProviderFault::new("the tracker asks for a login")));
    let options = AssembleOptions::new()
        .session("s1")
        .root(root)
        .provider(readings)
        .provider(tickets)
        .system(ProviderEntry::new("firmware 2.3 on station 7"))
        .deliver(true);

    let first = record.assemble(PROMPT, &options.clone())?;
    println!("# the first turn\n");
    print(&first);

    println!("\n# a later turn: an agent has committed other rules meanwhile\n");
    let head = fs::read_to_string(written.git_dir.join("refs/heads/main")).expect("the branch is there");
    let head = head.trim().parse().expect("it names a commit");
    written.commit(&[("AGENTS.md", "Tests can be skipped.\n")], &[head]);
    print(&record.assemble("And how long does it have to warm up?", &options.turn(1))?);
    Ok(())
}

/// The text as a model reads it, and how each provider ended.
fn print(context: &Context) {
    print!("{}", context.text);
    println!("\n{} characters, about {} tokens", context.chars, context.tokens);
    for outcome in &context.outcomes {
        let reason = if outcome.reason.is_empty() { String::new() } else { format!(": {}", outcome.reason) };
        println!("  {:<16} {} · {} entries, {} tokens{reason}", outcome.provider, outcome.result, outcome.entries, outcome.tokens);
    }
}
