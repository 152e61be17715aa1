//! Chooses where the next writer ends, starts it, and keeps the count.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use stele_core::FailPoint;

use crate::Dice;
use crate::check::check;
use crate::life::{Life, Origin};

/// How many kills a record lives through.
const KILLS_A_LIFE: u64 = 12;
/// The longest that a writer runs before it is killed at a random moment.
const LONGEST: Duration = Duration::from_millis(400);

/// Where a writer ends.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// When it reaches a point for that many times.
    Point(FailPoint, u64),
    /// After so long.
    Moment(Duration),
}

/// How a writer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Killed,
    /// It did all it had to before it met its fate.
    Whole,
}

/// Kills `count` writers, but as many as there are fail points at least.
pub(crate) fn run(count: u64, seed: u64) -> ExitCode {
    let (mut dice, began) = (Dice::new(seed), Instant::now());
    let mut hits: BTreeMap<FailPoint, u64> = BTreeMap::new();
    let (mut kills, mut moments, mut whole, mut lives, mut acknowledged) = (0, 0, 0, 1, 0);
    let mut life = Life::begin(Origin::None);
    while kills < count || FailPoint::ALL.iter().any(|point| !hits.contains_key(point)) {
        let fate = choose(&mut dice, &hits);
        let origin = origin(fate, &mut dice);
        if life.kills >= KILLS_A_LIFE || origin.is_some_and(|origin| life.kills > 0 || life.origin != origin) {
            acknowledged += life.facts.len() as u64;
            life = Life::begin(origin.unwrap_or([Origin::None, Origin::Older][dice.below(2) as usize]));
            lives += 1;
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            let end = let_die(&mut life, fate, kills + whole, &mut dice);
            check(&mut life);
            end
        }));
        let Ok(end) = done else {
            let kept = life.keep();
            eprintln!("kill {} of seed {seed}, {fate:?}: see above; the record is kept in {}", kills + 1, kept.display());
            return ExitCode::FAILURE;
        };
        life.kills += 1;
        match (end, fate) {
            (End::Killed, Fate::Point(point, _)) => *hits.entry(point).or_default() += 1,
            (End::Killed, Fate::Moment(_)) => moments += 1,
            (End::Whole, _) => whole += 1,
        }
        if end == End::Killed {
            kills += 1;
            if kills.is_multiple_of(100) {
                println!("{kills} kills in {} s", began.elapsed().as_secs());
            }
        }
        assert!(whole <= 20 + kills, "writers do not meet their fates: {hits:?}");
    }
    acknowledged += life.facts.len() as u64;
    for (point, times) in &hits {
        println!("{:>6} {point}", times);
    }
    println!("{moments:>6} at a random moment");
    println!(
        "{kills} kills on {lives} records, seed {seed}, in {} s: {} fail points, {acknowledged} facts acknowledged, none lost; {whole} writers came to their end",
        began.elapsed().as_secs(),
        hits.len()
    );
    ExitCode::SUCCESS
}

/// The points that were not hit yet come first, then any, then random moments.
fn choose(dice: &mut Dice, hits: &BTreeMap<FailPoint, u64>) -> Fate {
    if let Some(point) = FailPoint::ALL.iter().find(|point| !hits.contains_key(point)) {
        return Fate::Point(*point, 1);
    }
    if dice.below(3) == 0 {
        return Fate::Moment(Duration::from_micros(dice.below(LONGEST.as_micros() as u64)));
    }
    Fate::Point(FailPoint::ALL[dice.below(FailPoint::ALL.len() as u64) as usize], 1 + dice.below(3))
}

/// What the record must have been for the point to be reached at all, if that matters.
fn origin(fate: Fate, dice: &mut Dice) -> Option<Origin> {
    use FailPoint as P;
    match fate {
        Fate::Point(
            P::FolderMade | P::RecordBegun | P::TablesMade | P::TablesCommitted | P::TablesClosed | P::RecordLinked | P::RecordMade | P::SessionsMade,
            _,
        ) => Some(Origin::None),
        Fate::Point(P::MigrationBegun | P::ViewsDropped | P::ViewsMade | P::OperationReplayed | P::FormatSet | P::Migrated, _) => Some(Origin::Older),
        Fate::Point(P::ListDiscarded, _) => Some(Origin::Restored),
        Fate::Point(..) => None,
        // A random moment in the first milliseconds falls into making or migrating, if there is that to do.
        Fate::Moment(after) if after < Duration::from_millis(60) => Some([Origin::None, Origin::Older, Origin::Restored][dice.below(3) as usize]),
        Fate::Moment(_) => None,
    }
}

/// Starts a writer, in one case of four beside another that nobody kills, and sees it end.
fn let_die(life: &mut Life, fate: Fate, nth: u64, dice: &mut Dice) -> End {
    if let Fate::Point(FailPoint::SessionsPutAside, _) = fate {
        for name in ["sessions.db-wal", "sessions.db-shm"] {
            let _ = std::fs::remove_file(life.dir().join(name));
        }
        std::fs::create_dir_all(life.dir()).expect("a folder");
        std::fs::write(life.dir().join("sessions.db"), [7; 4096]).expect("a file that is none");
    }
    let beside = (dice.below(4) == 0).then(|| start(life, &format!("k{nth}b"), dice.below(1 << 30), &[]));
    let fated = match fate {
        Fate::Point(point, times) => vec![point.to_string(), times.to_string()],
        Fate::Moment(_) => Vec::new(),
    };
    let mut child = start(life, &format!("k{nth}a"), dice.below(1 << 30), &fated);
    if let Fate::Moment(after) = fate {
        std::thread::sleep(after);
        child.kill().expect("killed, or at its end");
    }
    let end = see_end(life, child);
    if let Some(beside) = beside {
        assert_eq!(see_end(life, beside), End::Whole, "the writer beside it goes on");
    }
    end
}

fn start(life: &Life, word: &str, seed: u64, fate: &[String]) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.arg("doomed").arg(life.dir()).args([word, &seed.to_string()]).args(fate);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a process")
}

fn see_end(life: &mut Life, mut child: Child) -> End {
    let mut said = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut said).expect("lines");
    let status = child.wait().expect("it ended");
    life.hear(&said);
    match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
        (Some(0), _) => End::Whole,
        (_, Some(9)) => End::Killed,
        _ => panic!("a writer ended by itself: {status}"),
    }
}
