//! Paths inside a project: one form for every way in which one is written.

use super::error::{Code, Error, Result};
use super::text::cut;

/// A path relative to the project with forward slashes, without `.`, doubled slashes and a trailing slash.
///
/// # Errors
/// `bad_path`, naming the field, if it is blank, absolute, or leaves the project.
pub(crate) fn project_path(field: &'static str, path: &str) -> Result<String> {
    let bad = |why: &str| Error::new(Code::BadPath, format!("check {field}: the path {:?} {why}", cut(path, 80))).with("field", field);
    let slashed = path.trim().replace('\\', "/");
    if is_absolute(&slashed) {
        return Err(bad("is absolute"));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(|| bad("leaves the project"))?;
            }
            other => parts.push(other),
        }
    }
    if parts.is_empty() {
        return Err(bad("names nothing"));
    }
    Ok(parts.join("/"))
}

/// A path as the host gives it, brought into the project: relative to its root, or absolute inside it.
///
/// `roots` are the ways to write the root (as given, with links resolved); `folder` is where relative paths may start,
/// inside the project. A relative path can mean two places then; both are given, the one from the root first.
///
/// # Errors
/// `bad_path` if it is blank, names the root itself, or leaves the project in every reading.
pub(crate) fn paths_in_project(field: &'static str, path: &str, roots: &[&str], folder: Option<&str>) -> Result<Vec<String>> {
    let slashed = plain(path);
    if !is_absolute(&slashed) {
        let from_root = project_path(field, &slashed);
        let from_folder =
            folder.filter(|folder| !folder.is_empty() && !slashed.trim().is_empty()).map(|folder| project_path(field, &format!("{folder}/{slashed}")));
        let found: Vec<String> = [from_root.clone().ok(), from_folder.and_then(Result::ok)].into_iter().flatten().collect();
        return if found.is_empty() { from_root.map(|path| vec![path]) } else { Ok(dedup(found)) };
    }
    // The parts are settled before they are compared, so that `..` cannot lead out again.
    let absolute = settled(&slashed);
    for root in roots {
        let root = settled(&plain(root));
        if let Some(inside) = strip(&absolute, &root) {
            return project_path(field, inside).map(|path| vec![path]);
        }
    }
    Err(Error::new(Code::BadPath, format!("check {field}: the path {:?} lies outside the project", cut(path, 80))).with("field", field))
}

fn dedup(mut paths: Vec<String>) -> Vec<String> {
    paths.dedup();
    paths
}

/// Forward slashes, and no prefix for long paths.
fn plain(path: &str) -> String {
    let slashed = path.trim().replace('\\', "/");
    slashed.strip_prefix("//?/").map_or(slashed.clone(), str::to_owned)
}

fn is_absolute(slashed: &str) -> bool {
    slashed.starts_with('/') || has_drive(slashed)
}

fn has_drive(slashed: &str) -> bool {
    slashed.as_bytes().get(1) == Some(&b':') && slashed.as_bytes()[0].is_ascii_alphabetic()
}

/// An absolute path without `.`, `..` and doubled slashes; above the top there is nothing. A drive letter is a capital.
fn settled(slashed: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if has_drive(&joined) { joined[..1].to_ascii_uppercase() + &joined[1..] } else { joined }
}

/// What follows a folder in a path under it.
fn strip<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_path_has_one_form() {
        for path in ["src\\auth\\mod.rs", "./src/auth/mod.rs", "src//auth/mod.rs", "src/x/../auth/mod.rs"] {
            assert_eq!(project_path("path", path).expect(path), "src/auth/mod.rs");
        }
    }

    #[test]
    fn a_path_is_brought_into_the_project_from_its_root_a_folder_in_it_and_absolute() {
        let roots = ["/home/p", "/mnt/real/p"];
        for (path, folder, found) in [
            ("src/a.rs", None, vec!["src/a.rs"]),
            ("src/a.rs", Some("src"), vec!["src/a.rs", "src/src/a.rs"]),
            ("../a.rs", Some("src/x"), vec!["src/a.rs"]),
            ("/home/p/src//./a.rs", None, vec!["src/a.rs"]),
            ("/mnt/real/p/../p/src/a.rs", Some("src"), vec!["src/a.rs"]),
            ("src\\a.rs", Some(""), vec!["src/a.rs"]),
        ] {
            assert_eq!(paths_in_project("path", path, &roots, folder).expect(path), found, "{path}");
        }
        assert_eq!(paths_in_project("path", "c:\\p\\src\\a.rs", &["\\\\?\\C:\\p"], None).expect("a drive"), ["src/a.rs"]);
        for path in ["../x", "", " ", "/home/p", "/home/pp/a", "/home/p/../x", "/etc/passwd", "/home/p/src/../../../etc", "C:\\x"] {
            assert_eq!(paths_in_project("path", path, &roots, None).expect_err(path).code(), Code::BadPath, "{path}");
        }
        assert_eq!(paths_in_project("path", "../../../x", &roots, Some("src/y")).expect_err("leaves").code(), Code::BadPath);
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for path in ["../../etc/passwd", "/etc/passwd", "C:\\x", "src/../../x", "", "./"] {
            assert_eq!(project_path("path", path).expect_err(path).code(), Code::BadPath);
        }
    }
}
