//! `docs/errors.md` from the table of codes: written, or compared.

use std::fmt::Write as _;

use stele_core::{Code, ErrorKind};

use crate::paths;

const HEAD: &str = "\
# Errors

<!-- Made by `cargo xtask errors` from the table in stele-core/src/base/error.rs; change that table, not this page. -->

Every error has a **kind**, which says what to do next, a stable **code**, a message that ends with the remedy, and details by
name. Kinds and codes are kept; messages may change. Running out of time, finding nothing and losing a claim are results,
not errors.

";

/// The page.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| number | kind | the caller should |\n| --- | --- | --- |\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(page, "| {} | `{}` | {} |", kind as i32, kind.as_str(), kind.advice());
    }
    for kind in ErrorKind::ALL {
        let _ = write!(page, "\n## {}\n\n| code | remedy |\n| --- | --- |\n", kind.as_str());
        for code in Code::ALL.iter().filter(|code| code.kind() == kind) {
            let _ = writeln!(page, "| `{}` | {} |", code.as_str(), code.remedy());
        }
    }
    page
}

/// `cargo xtask errors`.
pub(crate) fn write() -> Result<(), String> {
    let path = paths::root().join("docs").join("errors.md");
    std::fs::write(&path, page()).map_err(|cause| format!("write {}: {cause}", path.display()))
}

/// `cargo xtask errors --check`.
pub(crate) fn check() -> Result<(), String> {
    let path = paths::root().join("docs").join("errors.md");
    let stands = std::fs::read_to_string(&path).map_err(|cause| format!("read {}: {cause}", path.display()))?;
    if stands == page() { Ok(()) } else { Err("docs/errors.md is not what the table of codes says: run cargo xtask errors".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_repository_is_the_one_that_is_made() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn every_code_stands_on_the_page_once() {
        let page = page();
        for code in Code::ALL {
            assert_eq!(page.matches(&format!("\n| `{}` |", code.as_str())).count(), 1, "{}", code.as_str());
        }
    }
}
