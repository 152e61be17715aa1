//! `docs/health.md` from the table of health checks: written, or compared.

use std::fmt::Write as _;

use stele_core::HEALTH_CHECKS;

use crate::paths;

const HEAD: &str = "\
# What the health check finds

<!-- Made by `cargo xtask health` from the table in stele-core/src/health/table.rs; change that table, not this page. -->

`record.health()` looks at the record and its indexes and changes nothing. What it finds is data, never an error: each finding
has the name of a check, a severity, the ids that it is about, a message and a remedy. `error` says that something cannot be
relied on, `warn` that something wants a look, `info` is good to know; `ok` is true while nothing is worse than that. The full check
also reads every byte of the log and of the indexes and compares facts by meaning, the newest 2,000 with all. Anchors are checked
where the files of the project are given. No remedy loses anything: what is superseded, demoted, unlinked or archived stays in the
history.

| check | severity | it finds that | what to do |
| --- | --- | --- | --- |
";

/// The page.
fn page() -> String {
    let mut page = HEAD.to_owned();
    for check in HEALTH_CHECKS {
        let _ = writeln!(page, "| `{}` | {} | {} | {} |", check.name, check.severity, check.meaning, check.remedy);
    }
    page
}

/// `cargo xtask health`.
pub(crate) fn write() -> Result<(), String> {
    let path = paths::root().join("docs").join("health.md");
    std::fs::write(&path, page()).map_err(|cause| format!("write {}: {cause}", path.display()))
}

/// `cargo xtask health --check`.
pub(crate) fn check() -> Result<(), String> {
    let path = paths::root().join("docs").join("health.md");
    let stands = std::fs::read_to_string(&path).map_err(|cause| format!("read {}: {cause}", path.display()))?;
    if stands == page() { Ok(()) } else { Err("docs/health.md is not what the table of checks says: run cargo xtask health".to_owned()) }
}
