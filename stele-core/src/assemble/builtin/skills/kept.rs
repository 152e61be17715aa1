//! The skills of a project as they were found last, believed as long as everything stands there that they were made from.
//!
//! A folder or a file is what it was if device, inode, size and both of its times of change are. The second of these times
//! is the file system's own, which sets it at every change: a time that was set back, a file of the same size and one that
//! was renamed into the place of another all show. What was changed a moment before it was read is not believed, for
//! another change within the same tick of the clock would not show. Where a file system keeps no such times of folders,
//! nothing is believed for long.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::discovery::{Catalogue, discover, still_wanted};
use crate::assemble::provider::ProviderFault;
use crate::base::time::{Clock as _, Deadline, SystemClock};

/// How long before it was read a folder or file must have been changed last: clocks of file systems tick in steps of up to
/// two seconds.
const SETTLED: Duration = Duration::from_secs(2);
/// How long skills are believed at most.
const BELIEVED: Duration = Duration::from_secs(60);
/// Most projects of which they are kept.
const PROJECTS: usize = 4;
/// Most looks that skills may rest on which are kept.
const LOOKS: usize = 4_096;

/// Where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) root: PathBuf,
    /// Relative to the root.
    pub(super) folders: Vec<String>,
    /// True if a folder that is not there is a fault.
    pub(super) required: bool,
}

/// The skills that a handle found last, by where it looked for them.
#[derive(Debug)]
pub(crate) struct KeptSkills {
    settled: Duration,
    kept: Mutex<Vec<(Place, Deadline, Arc<Catalogue>)>>,
}

impl Default for KeptSkills {
    fn default() -> Self {
        Self::settling_in(SETTLED)
    }
}

impl KeptSkills {
    /// Believes what was changed last so long before it was read.
    pub(super) fn settling_in(settled: Duration) -> Self {
        Self { settled, kept: Mutex::default() }
    }

    /// The skills of a place, looked for unless those that were found last still stand there.
    ///
    /// # Errors
    /// As [`discover`].
    pub(super) fn catalogue(&self, place: &Place, cancelled: &dyn Fn() -> bool) -> Result<Arc<Catalogue>, ProviderFault> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let last = kept().iter().find(|(of, until, _)| of == place && !until.expired()).map(|(_, _, catalogue)| Arc::clone(catalogue));
        if let Some(last) = last
            && last.grounds.stand(cancelled)?
        {
            return Ok(last);
        }
        let now = SystemClock.now().unix_ms();
        let grounds = Grounds::changed_before(now.saturating_sub(i64::try_from(self.settled.as_millis()).unwrap_or(i64::MAX)));
        let found = Arc::new(discover(place, grounds, cancelled)?);
        let mut kept = kept();
        kept.retain(|(of, ..)| of != place);
        if !found.grounds.doubted && found.grounds.looks.len() <= LOOKS {
            if kept.len() == PROJECTS {
                kept.remove(0);
            }
            kept.push((place.clone(), Deadline::after(BELIEVED), Arc::clone(&found)));
        }
        Ok(found)
    }
}

/// What a search for skills saw of the files and folders that it was led by.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    looks: Vec<Look>,
    /// What was changed after that is not believed, in milliseconds since 1970.
    settled_ms: i64,
    /// True if something cannot be told to be as it was.
    doubted: bool,
}

#[derive(Debug)]
enum Look {
    /// What a folder or a file was when it was read.
    Read(PathBuf, Stamp),
    /// Where a path led.
    Led(PathBuf, Lead),
}

/// Where a path leads, free of links.
#[derive(Debug, PartialEq, Eq)]
enum Lead {
    /// To a folder, to a file, or to something else.
    To(PathBuf, Option<bool>),
    /// Nowhere; and whether a link says otherwise.
    Nowhere(bool),
}

impl Grounds {
    fn changed_before(settled_ms: i64) -> Self {
        Self { settled_ms, ..Self::default() }
    }

    /// Notes what a folder or a file is that is about to be read.
    pub(super) fn read(&mut self, path: &Path, data: &Metadata) {
        match Stamp::of(data).filter(|stamp| stamp.changed_ms() < self.settled_ms) {
            Some(stamp) => self.looks.push(Look::Read(path.to_owned(), stamp)),
            None => self.doubted = true,
        }
    }

    /// Notes where a path led.
    pub(super) fn led(&mut self, path: &Path, to: &io::Result<PathBuf>) {
        match lead(path, to) {
            Some(lead) => self.looks.push(Look::Led(path.to_owned(), lead)),
            None => self.doubted = true,
        }
    }

    /// Notes that something could not be seen.
    pub(super) fn doubt(&mut self) {
        self.doubted = true;
    }

    /// True if everything is as it was seen.
    fn stand(&self, cancelled: &dyn Fn() -> bool) -> Result<bool, ProviderFault> {
        for look in &self.looks {
            still_wanted(cancelled)?;
            let as_it_was = match look {
                Look::Read(path, stamp) => fs::metadata(path).is_ok_and(|data| Stamp::of(&data).as_ref() == Some(stamp)),
                Look::Led(path, last) => lead(path, &fs::canonicalize(path)).as_ref() == Some(last),
            };
            if !as_it_was {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn lead(path: &Path, to: &io::Result<PathBuf>) -> Option<Lead> {
    match to {
        Ok(to) => {
            let kind = fs::metadata(to).ok()?.file_type();
            Some(Lead::To(to.clone(), (kind.is_dir() || kind.is_file()).then_some(kind.is_dir())))
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Some(Lead::Nowhere(path.is_symlink())),
        Err(_) => None,
    }
}

/// What tells a folder or a file from another, and from itself before a change.
#[cfg(unix)]
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

#[cfg(unix)]
impl Stamp {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    fn of(data: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self { file: (data.dev(), data.ino()), size: data.size(), written: (data.mtime(), data.mtime_nsec()), changed: (data.ctime(), data.ctime_nsec()) })
    }

    fn changed_ms(&self) -> i64 {
        self.changed.0.saturating_mul(1_000).saturating_add(self.changed.1 / 1_000_000)
    }
}

/// Nothing, where the system does not tell when a file was changed.
#[cfg(not(unix))]
#[derive(Debug, PartialEq, Eq)]
enum Stamp {}

#[cfg(not(unix))]
impl Stamp {
    fn of(_: &Metadata) -> Option<Self> {
        None
    }

    fn changed_ms(&self) -> i64 {
        match *self {}
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::SystemTime;

    use proptest::prelude::*;

    use super::*;
    use crate::base::time::pause;

    /// Longer than a tick of the clock by which the file systems of a test tell when a file was changed.
    const TICK: Duration = Duration::from_millis(20);

    type Changing = fn(&Project);

    struct Project {
        folder: tempfile::TempDir,
        kept: KeptSkills,
    }

    impl Project {
        fn new() -> Self {
            let project = Self { folder: tempfile::tempdir().expect("a folder"), kept: KeptSkills::settling_in(TICK) };
            project.add("skills/a", "one");
            project.add("skills/b", "two");
            project
        }

        fn path(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }

        fn add(&self, folder: &str, description: &str) {
            fs::create_dir_all(self.path(folder)).expect("a folder");
            fs::write(self.path(folder).join("SKILL.md"), skill(description)).expect("a skill");
        }

        fn place(&self) -> Place {
            Place { root: self.folder.path().to_owned(), folders: vec!["skills".to_owned(), "more".to_owned()], required: false }
        }

        fn found(&self) -> Arc<Catalogue> {
            self.kept.catalogue(&self.place(), &|| false).expect("a catalogue")
        }

        /// What is found is what a search by itself finds; gives it.
        fn checked(&self) -> Arc<Catalogue> {
            let (found, anew) = (self.found(), discover(&self.place(), Grounds::default(), &|| false).expect("a catalogue"));
            assert_eq!((&found.skills, found.faults.warnings()), (&anew.skills, anew.faults.warnings()));
            found
        }

        /// True if what was found is believed.
        fn believes(&self) -> bool {
            pause(2 * TICK);
            let found = self.checked();
            Arc::ptr_eq(&found, &self.checked())
        }
    }

    fn skill(description: &str) -> String {
        format!("---\ndescription: {description}\n---\n")
    }

    #[test]
    fn what_stands_there_unchanged_is_not_read_again() {
        let project = Project::new();
        assert!(project.believes());
        fs::write(project.path("skills/a/other.txt"), "x").expect("a file");
        assert!(project.believes(), "after another search");
        let mut elsewhere = project.place();
        elsewhere.folders.pop();
        let found = project.kept.catalogue(&elsewhere, &|| false).expect("a catalogue");
        assert!(!Arc::ptr_eq(&found, &project.found()), "another place is looked into by itself");
    }

    #[test]
    fn every_kind_of_change_is_seen() {
        let changes: [(&str, Changing); 12] = [
            ("a file of the same size, its time set back", |project| {
                let file = project.path("skills/a/SKILL.md");
                let before = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
                fs::write(&file, skill("own")).expect("a skill");
                fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(before)).expect("a time");
            }),
            ("another in its place by renaming, of the same size and time", |project| {
                let (file, other) = (project.path("skills/a/SKILL.md"), project.path("other"));
                let before = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
                fs::write(&other, skill("own")).expect("a skill");
                fs::File::options().write(true).open(&other).and_then(|file| file.set_modified(before)).expect("a time");
                fs::rename(other, file).expect("renamed");
            }),
            ("a folder of the same name by renaming", |project| {
                project.add("aside", "six");
                fs::rename(project.path("skills/a"), project.path("gone")).expect("renamed");
                fs::rename(project.path("aside"), project.path("skills/a")).expect("renamed");
            }),
            ("a skill in a new folder", |project| project.add("skills/deep/er/c", "six")),
            ("a skill in a folder that was empty", |project| project.add("skills/empty", "six")),
            ("a folder that was not there", |project| project.add("more/c", "six")),
            ("a file that leaves", |project| fs::remove_file(project.path("skills/a/SKILL.md")).expect("removed")),
            ("a folder in place of the file", |project| {
                fs::remove_file(project.path("skills/a/SKILL.md")).expect("removed");
                fs::create_dir(project.path("skills/a/SKILL.md")).expect("a folder");
            }),
            ("a link that leads elsewhere", |project| {
                fs::remove_file(project.path("skills/link")).expect("removed");
                symlink(project.path("target-2"), project.path("skills/link")).expect("a link");
            }),
            ("what a link leads to", |project| project.add("target/deep", "six")),
            ("a file that becomes a folder behind a link", |project| {
                fs::remove_file(project.path("file")).expect("removed");
                project.add("file", "six");
            }),
            ("a link that leads nowhere", |project| symlink(project.path("nowhere"), project.path("more")).expect("a link")),
        ];
        for (what, change) in changes {
            let project = Project::new();
            fs::create_dir(project.path("skills/empty")).expect("a folder");
            project.add("target", "three");
            project.add("target-2", "four");
            fs::write(project.path("file"), "x").expect("a file");
            symlink(project.path("target"), project.path("skills/link")).expect("a link");
            symlink(project.path("file"), project.path("skills/to-file")).expect("a link");
            assert!(project.believes(), "before {what}");
            let before = project.found();
            change(&project);
            let after = project.checked();
            assert!(!Arc::ptr_eq(&before, &after), "{what}");
            assert_ne!((&before.skills, before.faults.warnings()), (&after.skills, after.faults.warnings()), "{what}");
            assert!(project.believes(), "after {what}");
        }
    }

    #[test]
    fn what_was_changed_a_moment_ago_or_cannot_be_seen_is_not_believed() {
        let project = Project { kept: KeptSkills::settling_in(Duration::from_secs(3_600)), ..Project::new() };
        for path in ["skills/a/SKILL.md", "skills/b/SKILL.md", "skills/a", "skills/b", "skills"] {
            fs::File::open(project.path(path)).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)).expect("a time");
        }
        assert!(!project.believes(), "an old time of writing settles nothing");
        let project = Project::new();
        assert!(project.believes());
        let loop_ = project.path("skills/loop");
        symlink(&loop_, &loop_).expect("a link");
        assert!(!project.believes(), "nobody can say where it leads");
        fs::remove_file(loop_).expect("removed");
        let file = project.path("skills/a/SKILL.md");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("no rights");
        if fs::File::open(&file).is_err() {
            assert!(!project.believes(), "it may be readable again");
        }
    }

    #[test]
    fn nobody_waits_for_looks_once_the_call_is_over() {
        let project = Project::new();
        assert!(project.believes());
        project.kept.catalogue(&project.place(), &|| true).expect_err("cancelled");
    }

    #[test]
    fn projects_are_kept_side_by_side_and_not_without_end() {
        let projects: Vec<Project> = (0..=PROJECTS).map(|_| Project::new()).collect();
        pause(2 * TICK);
        let kept = &projects[0].kept;
        let found = |project: &Project| kept.catalogue(&project.place(), &|| false).expect("a catalogue");
        let first: Vec<_> = projects.iter().map(found).collect();
        assert_eq!(kept.kept.lock().expect("nobody panicked").len(), PROJECTS);
        assert!((1..projects.len()).all(|at| Arc::ptr_eq(&first[at], &found(&projects[at]))));
    }

    #[derive(Clone, Debug)]
    enum Change {
        Write(usize, usize),
        Exchange(usize, usize),
        Remove(usize),
        Link(usize, usize),
        Nothing,
    }

    const FOLDERS: [&str; 7] = ["skills", "skills/a", "skills/b", "skills/a/b", "more", "more/a", "aside"];

    fn change() -> impl Strategy<Value = Change> {
        let folder = 0..FOLDERS.len();
        prop_oneof![
            (folder.clone(), 0_usize..3).prop_map(|(folder, text)| Change::Write(folder, text)),
            (folder.clone(), folder.clone()).prop_map(|(a, b)| Change::Exchange(a, b)),
            folder.clone().prop_map(Change::Remove),
            (folder.clone(), folder).prop_map(|(from, to)| Change::Link(from, to)),
            Just(Change::Nothing),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn what_is_kept_never_shows(changes in prop::collection::vec((change(), any::<bool>()), 1..8)) {
            let project = Project::new();
            for (change, settled) in changes {
                // Whatever is in the way of a change is no matter.
                match change {
                    Change::Write(folder, text) => {
                        let _ = fs::create_dir_all(project.path(FOLDERS[folder]));
                        let _ = fs::write(project.path(FOLDERS[folder]).join("SKILL.md"), skill(["one", "two", "six"][text]));
                    }
                    Change::Exchange(a, b) => {
                        let _ = fs::rename(project.path(FOLDERS[a]), project.path("between"));
                        let _ = fs::rename(project.path(FOLDERS[b]), project.path(FOLDERS[a]));
                        let _ = fs::rename(project.path("between"), project.path(FOLDERS[b]));
                    }
                    Change::Remove(folder) => {
                        let path = project.path(FOLDERS[folder]);
                        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
                    }
                    Change::Link(from, to) => drop(symlink(project.path(FOLDERS[to]), project.path(FOLDERS[from]))),
                    Change::Nothing => {}
                }
                if settled {
                    pause(2 * TICK);
                }
                project.checked();
            }
        }
    }
}
