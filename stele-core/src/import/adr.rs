//! Reads a folder of decision records and what they say of each other.
//!
//! A record's aliases are `ADR-0007` from the number of its file or title, the same number as texts may write it, and
//! the path of its file within the folder. Where two files have one number, the first in the order of paths has the
//! alias and the other goes by its path. With a prefix of its own, the path stands behind the prefix, so that folders of
//! several projects keep apart. Only what `adr_text` finds becomes an edge: `Superseded by` and `Supersedes`
//! retire, unless only a part ended, it has not ended yet, or the newer record was not accepted; everything else is
//! `relates-to`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::adr_text::{AdrText, Bond, BondKind, Other, numbered, parse};
use super::append::{FILES_A_LOOK, Import};
use super::item::{EdgeItem, Given, Item, NodeItem, Strictness};
use super::report::{ImportOptions, ImportPhase, ImportReport, Place};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{ALIAS_BYTES, check_alias, fold_alias};
use crate::base::path::project_path;
use crate::base::time::Timestamp;
use crate::record::database::io;
use crate::record::draft::Draft;
use crate::record::edge::Relation;
use crate::record::node::{Category, Known, Source};
use crate::record::recorder::Writing;

/// What stands before the number in an alias, unless the host says otherwise.
const PREFIX: &str = "ADR";
/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 2 * 1024 * 1024;
/// Most files that are looked at.
const FILES: usize = 20_000;
/// How deep folders are gone into.
const DEPTH: usize = 16;

/// Files that accompany decision records and are none.
const COMPANIONS: &[&str] = &["readme", "index", "template", "adr-template", "_template", "contributing", "changelog", "summary", "toc", "glossary", "license"];

/// Imports every decision record in a folder and the folders under it.
///
/// # Errors
/// `no_such_path` if there is no such folder; `bad_alias` for a prefix that no alias may have; `busy`, `read_only`,
/// `storage` and its like. Faults of files stand in the report.
pub(crate) fn import_adr(writing: &Arc<Writing>, folder: &Path, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
    let prefix = options.prefix.clone().unwrap_or_else(|| PREFIX.to_owned());
    check_alias(&format!("{prefix}-0001"))?;
    let root = fs::canonicalize(folder).map_err(|cause| io(folder, "look for", cause))?;
    if !root.is_dir() {
        return Err(Error::new(Code::NoSuchPath, format!("import decision records: {} is no folder", folder.display())).with("path", folder.display()));
    }
    let allow_secrets = options.allow_secrets;
    let mut import = Import::begin(writing, actor, options)?;
    let mut files = Vec::new();
    list(&root, &root, 0, &mut files, &mut import.report)?;
    files.sort_unstable();
    if files.len() > FILES {
        import.report.fault(&Place::default(), &Error::new(Code::TooLarge, format!("import decision records: {} files, the limit is {FILES}", files.len())));
        files.truncate(FILES);
    }
    let mut found = Folder { prefix, allow_secrets, ..Folder::default() };
    let mut bytes = 0;
    import.tell(ImportPhase::Reading, 0);
    for path in files {
        import.report.lines += 1;
        let place = Place { path: Some(path.clone()), line: 0 };
        match found.read(&mut import, &root, &path) {
            Ok(read) => bytes += read,
            Err(error) if error.code() == Code::DiskFull => return Err(error),
            Err(error) => import.report.fault(&place, &error),
        }
        if import.stops_after_each(FILES_A_LOOK, bytes) {
            break;
        }
    }
    found.join(&mut import)?;
    import.tell(ImportPhase::Reading, bytes);
    import.finish(bytes)
}

/// Lists the Markdown files under a folder, by their path within the root, with forward slashes.
fn list(root: &Path, folder: &Path, depth: usize, files: &mut Vec<String>, report: &mut ImportReport) -> Result<()> {
    let failed = |cause| io(folder, "read", cause);
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort_unstable();
    for path in entries {
        let Some(inner) = inner_path(root, &path) else {
            report.skip(path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(), "its name is no UTF-8");
            continue;
        };
        let hidden = inner.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if hidden {
            continue;
        }
        if meta.file_type().is_symlink() {
            let within = fs::canonicalize(&path).is_ok_and(|target| target.starts_with(root));
            if within {
                report.skip(inner, "it is a link to something else in the folder");
            } else {
                let place = Place { path: Some(inner.clone()), line: 0 };
                report.fault(&place, &Error::new(Code::SymlinkRefused, format!("import {inner}: the link leaves the folder")));
            }
        } else if meta.is_dir() {
            if depth < DEPTH {
                list(root, &path, depth + 1, files, report)?;
            } else {
                report.skip(inner, format!("it lies more than {DEPTH} folders deep"));
            }
        } else if meta.is_file() && is_markdown(&inner) && files.len() <= FILES {
            files.push(inner);
        }
    }
    Ok(())
}

fn inner_path(root: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown"))
}

/// What is known of the records that were read.
#[derive(Default)]
struct Folder {
    prefix: String,
    allow_secrets: bool,
    /// The record of each file, by its path.
    by_path: BTreeMap<String, Record>,
    by_number: BTreeMap<u64, String>,
    taken: BTreeSet<String>,
    bonds: Vec<(String, Bond)>,
}

/// A record that was read.
struct Record {
    alias: String,
    title: String,
    settled: bool,
}

impl Folder {
    /// Reads and stages one file; gives its size.
    fn read(&mut self, import: &mut Import<'_>, root: &Path, path: &str) -> Result<u64> {
        let stem = path.rsplit('/').next().unwrap_or(path).rsplit_once('.').map_or(path, |(stem, _)| stem);
        if is_companion(stem) {
            import.report.skip(path, "it accompanies decision records and is none");
            return Ok(0);
        }
        let text = read_text(&root.join(path), path)?;
        let size = text.len() as u64;
        let Some(adr) = parse(&text) else {
            import.report.skip(path, "it has no title, or neither status, context nor decision");
            return Ok(size);
        };
        let number = file_number(stem).or(adr.number);
        let aliases = self.aliases(path, stem, number);
        aliases.iter().for_each(|alias| import.announce(alias));
        let settled = is_settled(&adr);
        let (alias, title) = (aliases[0].clone(), adr.title.clone());
        let draft = self.draft(path, stem, &adr, aliases);
        let given = Given::NONE.and(Given::BODY, true).and(Given::TAGS, true).and(Given::SOURCE, true);
        let node = NodeItem::of(Place { path: Some(path.to_owned()), line: 0 }, draft, given)?;
        import.stage(Item::Node(Box::new(node)))?;
        self.bonds.extend(adr.bonds.into_iter().map(|bond| (path.to_owned(), bond)));
        self.by_path.insert(path.to_owned(), Record { alias, title, settled });
        Ok(size)
    }

    /// The names of a record: by number where that is free, and by path.
    fn aliases(&mut self, path: &str, stem: &str, number: Option<u64>) -> Vec<String> {
        let mut aliases = Vec::new();
        if let Some(number) = number
            && !self.by_number.contains_key(&number)
        {
            self.by_number.insert(number, path.to_owned());
            aliases.push(format!("{}-{number:04}", self.prefix));
            aliases.push(format!("{}-{number:03}", self.prefix));
            aliases.push(format!("{}-{number}", self.prefix));
        } else if number.is_none() {
            aliases.push(sound(&self.inside(stem)));
        }
        aliases.push(sound(&self.inside(path)));
        aliases.retain(|alias| check_alias(alias).is_ok() && self.taken.insert(fold_alias(alias)));
        if aliases.is_empty() {
            aliases.push(sound(&self.inside(path)));
        }
        aliases
    }

    /// A path that tells this folder from others, which a prefix of their own names.
    fn inside(&self, path: &str) -> String {
        if self.prefix == PREFIX { path.to_owned() } else { format!("{}/{path}", self.prefix) }
    }

    fn draft(&self, path: &str, stem: &str, adr: &AdrText, aliases: Vec<String>) -> Draft {
        let quote = adr.status_lines.join("\n");
        let mut draft = Draft::fact(Category::Decision, adr.title.clone()).body(adr.body.clone()).tags(adr.status.iter().copied()).source(Source {
            uri: path.to_owned(),
            quote: (!quote.is_empty()).then_some(quote),
            known: Some(Known::Imported),
            ..Source::default()
        });
        draft.aliases = aliases;
        draft.created_at = adr.date.as_deref().and_then(date_in).or_else(|| date_in(stem));
        draft.allow_secrets = self.allow_secrets;
        draft
    }

    /// Stages the edges between the records.
    fn join(&self, import: &mut Import<'_>) -> Result<()> {
        let mut drawn = BTreeSet::new();
        for (path, bond) in &self.bonds {
            let place = Place { path: Some(path.clone()), line: bond.line };
            for other in &bond.others {
                let Some(name) = self.find(path, other) else {
                    let shown = other.link.clone().unwrap_or_else(|| other.number.unwrap_or_default().to_string());
                    import.report.skip(format!("{path}:{}", bond.line), format!("it names {shown}, which is not in the folder"));
                    continue;
                };
                let Some(edge) = self.edge(place.clone(), path, bond, &name) else { continue };
                if !drawn.insert((edge.from.clone(), edge.relation, edge.to.clone())) {
                    continue;
                }
                match edge.checked(self.allow_secrets) {
                    Ok(edge) => import.stage(Item::Edge(Box::new(edge)))?,
                    Err(error) => import.report.fault(&place, &error),
                }
            }
        }
        Ok(())
    }

    /// The path in this folder, or the alias, of another record as a file names it.
    fn find(&self, path: &str, other: &Other) -> Option<String> {
        if let Some(link) = &other.link {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target =
                if link.contains("://") { link.rsplit('/').next().unwrap_or(link).to_owned() } else { format!("{folder}/{}", link.trim_start_matches('/')) };
            let target = project_path("path", target.trim_start_matches('/')).unwrap_or_default();
            if self.by_path.contains_key(&target) {
                return Some(target);
            }
            let name = link.rsplit('/').next().unwrap_or(link);
            let mut same = self.by_path.keys().filter(|path| path.rsplit('/').next() == Some(name));
            if let (Some(only), None) = (same.next(), same.next()) {
                return Some(only.clone());
            }
        }
        let number = other.number.or_else(|| file_number(other.link.as_deref()?.rsplit('/').next()?.rsplit_once('.')?.0))?;
        self.by_number.get(&number).cloned()
    }

    fn edge(&self, place: Place, path: &str, bond: &Bond, other: &str) -> Option<EdgeItem> {
        let (own, there) = (self.by_path.get(path)?, self.by_path.get(other)?);
        if path == other {
            return None;
        }
        let (newer, older, relation) = match bond.kind {
            BondKind::EndedBy => (there, own, Relation::Supersedes),
            // What was proposed or rejected has ended nothing.
            BondKind::Ends if own.settled => (own, there, Relation::Supersedes),
            BondKind::Ends | BondKind::Related => (own, there, Relation::RelatesTo),
        };
        let reason = match relation {
            Relation::Supersedes => format!("\"{}\" ended: \"{}\" took its place", older.title, newer.title),
            _ => bond.quote.clone(),
        };
        Some(EdgeItem {
            place,
            from: newer.alias.clone(),
            relation,
            to: older.alias.clone(),
            reason,
            evidence: bond.quote.clone(),
            source_text: None,
            strictness: Strictness::Exact,
        })
    }
}

/// True unless a record's status says that it was not accepted.
fn is_settled(adr: &AdrText) -> bool {
    let accepted = adr.status.iter().any(|word| matches!(*word, "accepted" | "approved" | "active" | "implemented"));
    accepted || !adr.status.iter().any(|word| matches!(*word, "proposed" | "draft" | "pending" | "rejected" | "withdrawn"))
}

fn is_companion(stem: &str) -> bool {
    let stem = stem.to_lowercase();
    let unnumbered = file_number(&stem).is_none_or(|number| number == 0);
    COMPANIONS.contains(&stem.as_str()) || stem.contains("template") && unnumbered
}

fn read_text(path: &Path, shown: &str) -> Result<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|cause| io(path, "read", cause))?;
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|cause| io(path, "read", cause))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Error::new(Code::TooLarge, format!("import {shown}: it has more than {FILE_BYTES} bytes")).with("limit", FILE_BYTES));
    }
    let text = String::from_utf8(bytes)
        .map_err(|cause| Error::new(Code::BadText, format!("import {shown}: no UTF-8 from byte {}", cause.utf8_error().valid_up_to())))?;
    Ok(text.replace("\r\n", "\n"))
}

/// The number in a file's name: `0007-x`, `adr-013-x`, `2021-06-05_001-x`.
fn file_number(stem: &str) -> Option<u64> {
    let stem = match date_at_start(stem) {
        Some(length) => stem[length..].trim_start_matches(['-', '_', ' ', '.']),
        None => stem,
    };
    let lower = stem.to_lowercase();
    let rest = lower.strip_prefix("adr").map_or(lower.as_str(), |rest| rest.trim_start_matches(['-', '_', ' ', '.']));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !rest[digits..].starts_with(|c: char| c.is_alphanumeric());
    if (1..=6).contains(&digits) && ends { rest[..digits].parse().ok() } else { numbered(&stem.replace(['-', '_'], " - ")).0 }
}

/// The length of a date such as `2021-06-05` or `20210605` at the beginning of a text.
fn date_at_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is = |pattern: &[u8]| {
        bytes.len() >= pattern.len()
            && pattern.iter().zip(bytes).all(|(form, byte)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
            && !bytes.get(pattern.len()).is_some_and(u8::is_ascii_digit)
    };
    if is(b"0000-00-00") {
        return Some(10);
    }
    (is(b"00000000") && (text.starts_with("19") || text.starts_with("20"))).then_some(8)
}

/// The date that a text begins with or holds.
fn date_in(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(at) = Timestamp::parse(text) {
        return Some(at);
    }
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '_' | ',' | '(' | ')' | '/')) {
        let Some(length) = date_at_start(word) else { continue };
        let date = if length == 8 { format!("{}-{}-{}", &word[..4], &word[4..6], &word[6..8]) } else { word[..length].to_owned() };
        if let Ok(at) = Timestamp::parse(&date) {
            return Some(at);
        }
    }
    None
}

/// A path as an alias: what no alias may hold becomes a dash.
fn sound(path: &str) -> String {
    let mut alias: String = path.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '@') { c } else { '-' }).collect();
    while alias.len() > ALIAS_BYTES {
        alias.remove(0);
    }
    alias.trim_start_matches(['/', '.']).to_owned()
}
