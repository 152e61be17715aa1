//! Finds the `SKILL.md` files below the folders of a project and reads the head of each. Never leaves the project's root,
//! never waits for a pipe, never goes in a circle; what it leaves out it says.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::faults::{Fault, Faults};
use super::front_matter::{self, FrontMatter, Parted, part};
use super::kept::{Grounds, Place};
use super::name_key;
use crate::assemble::provider::ProviderFault;
use crate::base::text::{cut, fold_space};

/// The file that makes a folder a skill.
const FILE: &str = "SKILL.md";
/// Folders that hold other people's files.
const NOT_SEARCHED: [&str; 2] = [".git", "node_modules"];
/// Most folders that are searched, the upper ones first.
pub(super) const FOLDERS: usize = 4_096;
/// How deep below the folder that was named.
pub(super) const DEPTH: usize = 8;
/// Most files and folders in one folder.
pub(super) const FOLDER_ENTRIES: usize = 50_000;
/// What is read of a file for the index, in bytes.
pub(super) const HEAD_BYTES: u64 = 8 * 1024;
/// Longest name, in characters.
pub(super) const NAME_CHARS: usize = 64;
/// Longest description, in characters.
pub(super) const DESCRIPTION_CHARS: usize = 1_024;

/// A skill as its head tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skill {
    /// One line.
    pub(super) name: String,
    /// What the name has in common with names that are the same.
    pub(super) key: String,
    /// One line, empty if there is none.
    pub(super) description: String,
    /// The file within the project, with forward slashes.
    pub(super) location: String,
    /// The file.
    pub(super) file: PathBuf,
}

/// The skills of a project in the order of their names, what kept files from being one, and what all that rests on.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    pub(super) skills: Vec<Skill>,
    pub(super) faults: Faults,
    pub(super) grounds: Grounds,
}

/// Looks in a place, and notes on what it rests what it finds.
///
/// # Errors
/// The root is no folder, or nobody waits any more.
pub(super) fn discover(place: &Place, mut grounds: Grounds, cancelled: &dyn Fn() -> bool) -> Result<Catalogue, ProviderFault> {
    let Place { root, folders, required } = place;
    let led = fs::canonicalize(root);
    grounds.led(root, &led);
    let canonical = led.map_err(|cause| ProviderFault::new(format!("look for skills in {}: {cause}", root.display())))?;
    if !canonical.is_dir() {
        return Err(ProviderFault::new(format!("look for skills in {}: it is no folder", root.display())));
    }
    let mut search = Search { root: canonical, cancelled, seen: HashSet::new(), next: VecDeque::new(), found: Vec::new(), faults: Faults::default(), grounds };
    for (order, folder) in folders.iter().enumerate() {
        search.begin(order, folder, *required);
    }
    search.run()?;
    search.found.sort_by(|a, b| (a.order, &a.location).cmp(&(b.order, &b.location)));
    let mut catalogue = Catalogue { skills: Vec::with_capacity(search.found.len()), faults: search.faults, grounds: search.grounds };
    for found in search.found {
        still_wanted(cancelled)?;
        catalogue.skills.extend(skill(found, &mut catalogue.faults, &mut catalogue.grounds));
    }
    catalogue.leave_one_of_a_name();
    Ok(catalogue)
}

/// # Errors
/// Nobody waits any more.
pub(super) fn still_wanted(cancelled: &dyn Fn() -> bool) -> Result<(), ProviderFault> {
    if cancelled() { Err(ProviderFault::new("look for skills: cancelled")) } else { Ok(()) }
}

impl Catalogue {
    /// The first of a name stays; the others become faults.
    fn leave_one_of_a_name(&mut self) {
        let mut first: HashMap<String, String> = HashMap::new();
        let faults = &mut self.faults;
        self.skills.retain(|skill| match first.get(&skill.key) {
            None => first.insert(skill.key.clone(), skill.location.clone()).is_none(),
            Some(earlier) => {
                faults.tell(Fault::SameName, &skill.location, &format!("{} is {earlier}", skill.name));
                false
            }
        });
        self.skills.sort_by(|a, b| (&a.name, &a.location).cmp(&(&b.name, &b.location)));
    }
}

/// A `SKILL.md` that was come upon.
struct Found {
    /// The place of its folder among those that were named.
    order: usize,
    location: String,
    file: PathBuf,
}

/// A folder to be searched.
struct Folder {
    order: usize,
    /// Free of links.
    path: PathBuf,
    /// As it was reached.
    location: String,
    depth: usize,
}

struct Search<'s> {
    root: PathBuf,
    cancelled: &'s dyn Fn() -> bool,
    /// Files and folders, free of links.
    seen: HashSet<PathBuf>,
    next: VecDeque<Folder>,
    found: Vec<Found>,
    faults: Faults,
    grounds: Grounds,
}

impl Search<'_> {
    fn begin(&mut self, order: usize, folder: &str, required: bool) {
        let given = self.root.join(folder);
        let Some(path) = self.followed(&given, folder, required) else { return };
        if !path.is_dir() {
            self.faults.add(Fault::NoFolder, folder);
            return;
        }
        let plain: Option<Vec<_>> = Path::new(folder)
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(|part| if let Component::Normal(name) = part { Some(name.to_string_lossy().into_owned()) } else { None })
            .collect();
        let inside = || path.strip_prefix(&self.root).unwrap_or(&path).components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let location = plain.unwrap_or_else(inside).join("/");
        self.next.push_back(Folder { order, path, location, depth: 0 });
    }

    /// Where a path leads, free of links, if that is inside the root. A path that is not there is a fault if it has to be
    /// or if a link says that it is.
    fn followed(&mut self, path: &Path, place: &str, required: bool) -> Option<PathBuf> {
        let led = fs::canonicalize(path);
        self.grounds.led(path, &led);
        match led {
            Ok(path) if path.starts_with(&self.root) => return Some(path),
            Ok(_) => self.faults.add(Fault::Outside, place),
            Err(_) if path.is_symlink() => self.faults.add(Fault::Dangling, place),
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => self.faults.tell(Fault::Unreadable, place, &cause.to_string()),
            Err(_) if required => self.faults.add(Fault::NoFolder, place),
            Err(_) => {}
        }
        None
    }

    /// Searches level by level, so that a bound cuts off what lies deepest.
    fn run(&mut self) -> Result<(), ProviderFault> {
        let mut searched = 0;
        while let Some(folder) = self.next.pop_front() {
            still_wanted(self.cancelled)?;
            if !self.seen.insert(folder.path.clone()) {
                continue;
            }
            if searched == FOLDERS {
                self.faults.tell(Fault::TooMany, &folder.location, &format!("{FOLDERS} searched"));
                break;
            }
            searched += 1;
            match fs::metadata(&folder.path) {
                Ok(data) => self.grounds.read(&folder.path, &data),
                Err(_) => self.grounds.doubt(),
            }
            match entries(&folder.path) {
                Err(cause) => {
                    self.grounds.doubt();
                    self.faults.tell(Fault::Unreadable, &folder.location, &cause.to_string());
                }
                Ok(None) => self.faults.add(Fault::TooBroad, &folder.location),
                Ok(Some(entries)) => entries.into_iter().for_each(|(name, kind)| self.look_at(&folder, &name, kind)),
            }
        }
        Ok(())
    }

    fn look_at(&mut self, folder: &Folder, name: &OsString, kind: FileType) {
        let shown = name.to_string_lossy();
        let location = if folder.location.is_empty() { shown.into_owned() } else { format!("{}/{shown}", folder.location) };
        let mut path = folder.path.join(name);
        let (mut is_folder, mut is_file) = (kind.is_dir(), kind.is_file());
        if kind.is_symlink() {
            let Some(target) = self.followed(&path, &location, true) else { return };
            (is_folder, is_file) = (target.is_dir(), target.is_file());
            path = target;
        }
        if name == FILE {
            if !is_file {
                self.faults.add(Fault::NoFile, &location);
            } else if self.seen.insert(path.clone()) {
                self.found.push(Found { order: folder.order, location, file: path });
            }
        } else if is_folder && !NOT_SEARCHED.iter().any(|other| name == other) {
            if folder.depth == DEPTH {
                self.faults.add(Fault::TooDeep, &location);
            } else {
                self.next.push_back(Folder { order: folder.order, path, location, depth: folder.depth + 1 });
            }
        }
    }
}

/// What in a folder may matter, by name; none if it holds too much to say.
fn entries(folder: &Path) -> io::Result<Option<Vec<(OsString, FileType)>>> {
    let mut found = Vec::new();
    for (at, entry) in fs::read_dir(folder)?.enumerate() {
        if at == FOLDER_ENTRIES {
            return Ok(None);
        }
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        if kind.is_dir() || kind.is_symlink() || name == FILE {
            found.push((name, kind));
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(found))
}

/// Reads the head of a file; none if it cannot be read.
fn skill(found: Found, faults: &mut Faults, grounds: &mut Grounds) -> Option<Skill> {
    let Found { location, file, .. } = found;
    let bytes = match read_bytes(&file, HEAD_BYTES) {
        Ok((bytes, data)) => {
            grounds.read(&file, &data);
            bytes
        }
        Err(cause) => {
            grounds.doubt();
            faults.tell(Fault::Unreadable, &location, &cause.to_string());
            return None;
        }
    };
    let (text, all_text) = as_text(&bytes, HEAD_BYTES);
    let (front, read) = match part(&text) {
        Parted::None { body } => {
            faults.add(Fault::NoFrontMatter, &location);
            (body, None)
        }
        Parted::Unclosed { front } => {
            faults.add(Fault::Unclosed, &location);
            (front, Some(front_matter::read_unclosed(front)))
        }
        Parted::Both { front, .. } => (front, Some(front_matter::read(front))),
    };
    if !all_text && front.contains(char::REPLACEMENT_CHARACTER) {
        faults.add(Fault::NotText, &location);
    }
    let FrontMatter { name, description, twice, no_yaml } = match read {
        Some(read) => {
            let given = |field: &Option<String>| field.as_ref().is_some_and(|value| !value.trim().is_empty());
            if !given(&read.name) {
                faults.add(Fault::NoName, &location);
            }
            if !given(&read.description) {
                faults.add(Fault::NoDescription, &location);
            }
            read
        }
        None => FrontMatter::default(),
    };
    if let Some(why) = no_yaml {
        faults.tell(Fault::NotYaml, &location, &why);
    }
    if let Some(field) = twice {
        faults.tell(Fault::TwiceInOne, &location, field);
    }
    let name = name.map(|name| fold_space(&name)).filter(|name| !name.is_empty()).unwrap_or_else(|| folder_name(&file));
    if name.chars().nth(NAME_CHARS).is_some() {
        faults.add(Fault::LongName, &location);
    }
    let name = cut(&name, NAME_CHARS).trim_end().to_owned();
    let description = cut(&fold_space(&description.unwrap_or_default()), DESCRIPTION_CHARS).to_owned();
    Some(Skill { key: name_key(&name), name, description, location, file })
}

fn folder_name(file: &Path) -> String {
    file.parent()
        .and_then(Path::file_name)
        .map(|name| fold_space(&name.to_string_lossy()))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "skill".to_owned())
}

/// At most so many bytes of a regular file, and what it was before they were read.
///
/// # Errors
/// It cannot be read, or is no regular file any more.
pub(super) fn read_bytes(file: &Path, limit: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let file = File::open(file)?;
    let data = file.metadata().and_then(|data| if data.is_file() { Ok(data) } else { Err(io::Error::other("no regular file")) })?;
    let mut bytes = Vec::with_capacity(usize::try_from(data.len().min(limit)).unwrap_or(0) + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok((bytes, data))
}

/// The text of bytes that were read up to the limit, and whether all of them are text. A character that the limit cut
/// through is left out.
pub(super) fn as_text(bytes: &[u8], limit: u64) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), true),
        Err(error) if error.error_len().is_none() && bytes.len() as u64 == limit => as_text(&bytes[..error.valid_up_to()], limit),
        Err(_) => (String::from_utf8_lossy(bytes), false),
    }
}
