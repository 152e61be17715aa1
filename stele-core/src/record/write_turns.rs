//! Whose turn it is to write, among the processes that share a record.
//!
//! SQLite's lock goes to whoever asks first after it is free, which is nearly always the one who has just let go of it: he
//! is awake, the others sleep between two attempts. So whoever waits says so by a shared lock on `write.lock`, and whoever
//! has just written and finds somebody waiting stands back for a moment. The longer one waits, the more often one asks, so
//! that of several the first one is likely the next. Whoever has waited for long says so as well, by `late.lock`: then nobody
//! holds up the writers to make the log short. No order is promised, and the lock that counts is SQLite's: without
//! the files, or where they cannot be made, writers are only less fair to each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::database::{refuse_pipe, refuse_symlink};
use crate::base::error::Result;
use crate::base::file_lock::FileLock;
use crate::base::id::random_bytes;
use crate::base::time::{Deadline, monotonic, pause};

/// The file by whose lock writers say that they wait; made when first somebody does.
const WAITING_FILE: &str = "write.lock";
/// The same for those who have waited for long.
const LATE_FILE: &str = "late.lock";
/// From when on a wait is long.
const LATE: Duration = Duration::from_millis(100);
/// How long a writer stands back who has just written: longer than the longest pause between two attempts of the others.
const STAND_BACK: Duration = Duration::from_millis(5);
/// A write longer ago than that does not count as just now.
const JUST_NOW: Duration = Duration::from_millis(20);
/// The shortest and the longest pause between two attempts, in microseconds.
const PAUSE_MICROS: (u64, u64) = (150, 4_000);
/// After each such time of waiting the pauses are half as long.
const PATIENCE: Duration = Duration::from_millis(25);

/// What a handle knows of the others' and its own writing.
#[derive(Debug)]
pub(super) struct WriteTurns {
    waiting: PathBuf,
    late: PathBuf,
    last: Mutex<Option<Instant>>,
}

impl WriteTurns {
    pub(super) fn new(dir: &Path) -> Self {
        Self { waiting: dir.join(WAITING_FILE), late: dir.join(LATE_FILE), last: Mutex::default() }
    }

    /// Calls `attempt` until it gives something other than busy, which is `None`, or the deadline has passed, which is `None`
    /// as well; stands back before that if this handle has just written and others wait.
    pub(super) fn take<T>(&self, deadline: Deadline, mut attempt: impl FnMut() -> Result<Option<T>>) -> Result<Option<T>> {
        let just_now = self.last.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| monotonic().duration_since(at) < JUST_NOW);
        if just_now && self.somebody_waits() {
            pause(STAND_BACK);
        }
        if let Some(done) = attempt()? {
            return Ok(Some(done));
        }
        let began = monotonic();
        let mut jitter = u64::from_le_bytes(random_bytes()?);
        let (mut waiting, mut late) = (Waiting::default(), Waiting::default());
        loop {
            if deadline.expired() {
                return Ok(None);
            }
            let waited = monotonic().duration_since(began);
            waiting.say(&self.waiting);
            if waited > LATE {
                late.say(&self.late);
            }
            jitter = jitter.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let halved = (waited.as_nanos() / PATIENCE.as_nanos()).min(8);
            let longest = (PAUSE_MICROS.1 >> halved).max(2 * PAUSE_MICROS.0);
            pause(Duration::from_micros(PAUSE_MICROS.0 + (jitter >> 33) % (longest - PAUSE_MICROS.0)));
            if let Some(done) = attempt()? {
                return Ok(Some(done));
            }
        }
    }

    /// Notes that this handle has let go of the lock.
    pub(super) fn done(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(monotonic());
    }

    fn somebody_waits(&self) -> bool {
        is_held(&self.waiting)
    }

    /// True if somebody has waited for long to write.
    pub(super) fn somebody_is_late(&self) -> bool {
        is_held(&self.late)
    }
}

fn is_held(path: &Path) -> bool {
    // Opened anew each time: a lock belongs to the one opening of a file, and threads of this process wait too.
    refuse_pipe(path).and_then(|()| File::open(path)).is_ok_and(|file| matches!(FileLock::alone(file), Err(TryLockError::WouldBlock)))
}

/// The shared lock of one who waits; let go of when it is dropped.
#[derive(Default)]
struct Waiting {
    lock: Option<FileLock>,
    tried: bool,
}

impl Waiting {
    fn say(&mut self, path: &Path) {
        if !self.tried {
            self.tried = true;
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            // Somebody who looks whether anybody waits may hold it for an instant.
            let plain = refuse_symlink(path).is_ok() && refuse_pipe(path).is_ok();
            self.lock = plain.then(|| options.open(path).ok()).flatten().and_then(|file| FileLock::shared(file).ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_is_seen_by_the_others_until_the_turn_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (WriteTurns::new(folder.path()), WriteTurns::new(folder.path()));
        assert!(!one.somebody_waits());
        let mut left = 3;
        let taken = other.take(Deadline::NEVER, || {
            assert_eq!(one.somebody_waits(), left < 3, "{left}");
            left -= 1;
            Ok((left == 0).then_some("mine"))
        });
        assert_eq!(taken.expect("no error"), Some("mine"));
        assert!(!one.somebody_waits());
    }

    #[test]
    fn whoever_waits_for_long_is_seen_to_be_late_until_the_turn_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (WriteTurns::new(folder.path()), WriteTurns::new(folder.path()));
        let mut attempts = 0;
        let taken = other.take(Deadline::after(Duration::from_secs(60)), || {
            attempts += 1;
            Ok(one.somebody_is_late().then_some(attempts))
        });
        assert!(taken.expect("no error").expect("late at last") > 2);
        assert!(!one.somebody_is_late());
    }

    #[test]
    fn a_passed_deadline_ends_the_waiting_after_one_attempt() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut attempts = 0;
        let taken = WriteTurns::new(folder.path()).take(Deadline::after(Duration::ZERO), || {
            attempts += 1;
            Ok(None::<()>)
        });
        assert_eq!((taken.expect("no error"), attempts), (None, 1));
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "who waits without end is left behind")]
    fn nobody_waits_for_the_other_end_of_a_pipe_in_place_of_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [WAITING_FILE, LATE_FILE] {
            let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
            assert!(made.expect("a program of every Unix").success());
        }
        let turns = WriteTurns::new(folder.path());
        let (send, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut left = 2;
            let taken = turns.take(Deadline::NEVER, || {
                left -= 1;
                Ok((left == 0).then_some(()))
            });
            send.send((turns.somebody_waits(), turns.somebody_is_late(), taken.is_ok_and(|taken| taken.is_some())))
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(60)).expect("an answer"), (false, false, true));
    }

    #[test]
    fn a_link_in_place_of_the_file_is_not_followed_and_costs_only_fairness() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), folder.path().join(WAITING_FILE)).expect("a link");
        let mut left = 2;
        let taken = WriteTurns::new(folder.path()).take(Deadline::NEVER, || {
            left -= 1;
            Ok((left == 0).then_some(()))
        });
        assert!(taken.expect("no error").is_some());
        assert!(!folder.path().join("elsewhere").exists());
    }
}
