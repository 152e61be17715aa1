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
    let drive = slashed.as_bytes().get(1) == Some(&b':') && slashed.as_bytes()[0].is_ascii_alphabetic();
    if slashed.starts_with('/') || drive {
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
    fn paths_that_lead_out_are_refused() {
        for path in ["../../etc/passwd", "/etc/passwd", "C:\\x", "src/../../x", "", "./"] {
            assert_eq!(project_path("path", path).expect_err(path).code(), Code::BadPath);
        }
    }
}
