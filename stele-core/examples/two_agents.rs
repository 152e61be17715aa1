//! Two agents and one record: a claim refused with name and age, a lesson found by its error string, a decision retired
//! with its reason, a wrong retirement swept and restored. Its output is `two_agents.txt`.
#![expect(clippy::print_stdout, reason = "an example tells its story")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use stele_core::{Category, Clock, Format, Record, Result, RetrieveOptions, Timestamp};

/// A clock that stands still until the story goes on.
struct StoryClock(AtomicI64);

impl StoryClock {
    fn minutes_pass(&self, minutes: i64) {
        self.0.fetch_add(minutes * 60_000, Ordering::SeqCst);
    }
}

impl Clock for StoryClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.0.load(Ordering::SeqCst))
    }
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("stele-two-agents-{}", std::process::id()));
    let clock = Arc::new(StoryClock(AtomicI64::new(Timestamp::parse("2026-03-02T09:00:00Z")?.unix_ms())));
    let record = Record::options().clock(Arc::clone(&clock) as Arc<dyn Clock>).open(folder.join(".stele"))?;
    let told = tell(&record, &clock);
    record.close();
    std::fs::remove_dir_all(folder).expect("the folder was made above");
    told
}

fn tell(record: &Record, clock: &StoryClock) -> Result<()> {
    let (codex, claude) = (record.recorder("codex")?, record.recorder("claude")?);
    let retriever = record.retriever();

    println!("# 09:00  codex takes a task\n");
    let task = codex.task("Retry webhook deliveries").success_criteria("A receiver that is down for an hour misses nothing.").record()?.id.to_string();
    let claim = codex.claim(&task).take()?;
    println!("{task} is held by {}\n", claim.holder);

    clock.minutes_pass(40);
    println!("# 09:40  claude wants the same one\n");
    let lost = claude.claim(&task).take()?;
    let age = clock.now().since(lost.since).as_secs() / 60;
    println!("granted: {}; {} has had it for {age} minutes\n", lost.granted, lost.holder);

    println!("# codex is bitten, and writes down the words that bit\n");
    let lesson = "A receiver answers `ERR_SIG_STALE: timestamp outside window` when a retry keeps the first signature. Sign each attempt anew.";
    let lesson = codex.fact(Category::Lesson, "Retries must be signed again").body(lesson).anchor("src/webhook/retry.rs", None).record()?.id;
    println!("recorded {lesson}\n");

    clock.minutes_pass(20);
    println!("# 10:00  the same words in claude's terminal find it\n");
    let terminal = "test deliver_twice ... FAILED\n  left: 202, right: 401 err_sig_stale: timestamp  outside window\n";
    print!("{}", record.session("claude-1").actor("claude").open()?.on_output(terminal)?.text);

    println!("\n# a decision ends, and the record says why\n");
    codex.fact(Category::Decision, "Webhooks are signed with HMAC-SHA1").alias("ADR-1").body("Old receivers know nothing else.").record()?;
    let today = "The last SHA1 receiver was switched off today; every receiver verifies SHA256.";
    claude.fact(Category::Decision, "Webhooks are signed with HMAC-SHA256").alias("ADR-2").body(today).record()?;
    claude.supersede("ADR-2", "ADR-1").reason("no receiver needs SHA1 any more").evidence("The last SHA1 receiver was switched off today").record()?;
    let found = retriever.retrieve("How are webhooks signed: do receivers still need SHA1?", &RetrieveOptions::new())?;
    print!("{}", found.render(Format::Text));
    println!("\nwhy the first is first: {}", found.entries[0].explain());

    println!("\n# a decision is retired that never ended\n");
    codex.fact(Category::Decision, "Failed deliveries are retried five times").alias("ADR-3").body("Then the receiver is called down.").record()?;
    let queue = "Failed deliveries are also kept in a queue, so that nothing is lost.";
    claude.fact(Category::Decision, "Failed deliveries go into a queue").alias("ADR-4").body(queue).record()?;
    claude.supersede("ADR-4", "ADR-3").reason("a queue is used also").evidence("are also kept in a queue").record()?;
    println!("ADR-3 is {}", retriever.get("ADR-3")?.state);
    let mut sweep = record.sweep()?;
    for judged in &sweep.judgements {
        println!("{} retires {}: {} ({})", judged.newer, judged.older, judged.verdict, judged.why);
    }
    record.apply_sweep(&mut sweep, "keeper")?;
    println!("ADR-3 is {} again", retriever.get("ADR-3")?.state);
    for item in retriever.history("ADR-3")?.iter().filter(|item| item.action == "demote") {
        println!("its history says: {} by {}, {}", item.what, item.actor, item.why);
    }

    println!("\n# codex is done\n");
    codex.complete(&claim, "Five attempts, each signed anew.")?;
    println!("{task} is {}", retriever.tasks(Some("codex"), None)?[0].status);
    Ok(())
}
