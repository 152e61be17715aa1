//! The text of one file of rules, or why there is none.

use super::repository::{EntryKind, Id, Trouble};
use super::walk::{RuleFile, Walk, lead};
use crate::base::config::RULE_FILE_BYTES;

/// Bytes that the target of a link has at most.
const LONGEST_LINK: u64 = 4_096;
/// How the files begin that Git LFS leaves in place of the content.
const POINTERS: [&str; 2] = ["version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"];

/// What a file of rules says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Its text, with the object that holds it.
    Text(Id, String),
    /// Why nothing of it is shown, in words.
    LeftOut(String),
}

/// Reads a file; one that is a link is followed once, inside the commit.
pub(super) fn read(walk: &Walk<'_>, file: &RuleFile) -> Content {
    followed(walk, file).and_then(|id| text(walk, id).map(|text| Content::Text(id, text))).unwrap_or_else(Content::LeftOut)
}

/// The object that a file is, or that the link that it is leads to.
fn followed(walk: &Walk<'_>, file: &RuleFile) -> Result<Id, String> {
    if file.kind != EntryKind::Link {
        return Ok(file.id);
    }
    if walk.repository.size(file.id).map_err(unreadable)? > LONGEST_LINK {
        return Err("is a link to nothing that a path can name".to_owned());
    }
    let target = walk.repository.file(file.id).map_err(unreadable)?;
    let folder = file.path.iter().rposition(|byte| *byte == b'/').map_or(&b""[..], |at| &file.path[..at]);
    let led = lead(folder, &target).ok_or("is a link that leaves the repository")?;
    match walk.at(&led) {
        Some((EntryKind::File, id)) => Ok(id),
        Some((EntryKind::Link, _)) => Err("is a link to another link".to_owned()),
        Some((EntryKind::Folder, _)) => Err("is a link to a folder".to_owned()),
        Some((EntryKind::Submodule, _)) => Err("is a link into a submodule".to_owned()),
        None => Err("is a link to what is not tracked".to_owned()),
    }
}

fn text(walk: &Walk<'_>, id: Id) -> Result<String, String> {
    let size = walk.repository.size(id).map_err(unreadable)?;
    if size > RULE_FILE_BYTES {
        return Err(format!("has {size} bytes, and more than {RULE_FILE_BYTES} are not read"));
    }
    let text = String::from_utf8(walk.repository.file(id).map_err(unreadable)?).map_err(|_| "is not UTF-8")?;
    if text.contains('\0') {
        return Err("holds NUL characters and is no text".to_owned());
    }
    if POINTERS.iter().any(|pointer| text.starts_with(pointer)) {
        return Err("is a Git LFS pointer: its content is not in the repository".to_owned());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}

fn unreadable(trouble: Trouble) -> String {
    match trouble {
        Trouble::Missing => "is not in this copy of the repository".to_owned(),
        Trouble::Broken(why) => format!("cannot be read: {why}"),
    }
}
