//! `tests/cases/table.json`: verbs, results, enumerations, errors and defaults as data, with which every door's tests
//! compare what the door has; and `docs/verbs.md`, the same for readers. Written from the tables of the kit and the core, or
//! compared.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use stele_core::{Code, defaults};
use stele_kit::{Argument, enumerations, results, verbs};

use crate::paths;

fn arguments(list: &[Argument]) -> Value {
    let row = |argument: &Argument| match &argument.default {
        None => json!({"name": argument.name, "form": argument.form}),
        Some(default) => json!({"name": argument.name, "form": argument.form, "default": default}),
    };
    list.iter().map(row).collect()
}

/// The table, a row a line.
fn table() -> String {
    let rows: Vec<Value> = verbs()
        .map(|verb| json!({"owner": verb.owner.as_str(), "name": verb.name, "arguments": arguments(&verb.arguments()), "result": verb.result}))
        .collect();
    let bound: Map<_, _> = verbs().map(|verb| (verb.owner.as_str().to_owned(), arguments(&verb.owner.bound()))).collect();
    let fields: Map<_, _> = results::fields().into_iter().map(|(name, fields)| (name.to_owned(), json!(fields))).collect();
    let words: Map<_, _> = enumerations()
        .into_iter()
        .map(|of| (of.name.to_owned(), of.words.into_iter().collect::<std::collections::BTreeMap<_, _>>()))
        .map(|(name, words)| (name, json!(words)))
        .collect();
    let errors: Map<_, _> = Code::ALL.iter().map(|code| (code.as_str().to_owned(), code.kind().as_str().into())).collect();
    let number = |number| match number {
        defaults::Number::Whole(count) => json!(count),
        defaults::Number::Decimal(number) => json!(number),
        _ => Value::Null,
    };
    let numbers: Map<_, _> = defaults::all().into_iter().map(|(name, value)| (name, number(value))).collect();
    let verbs = rows.iter().map(|row| format!("  {row}")).collect::<Vec<_>>().join(",\n");
    let parts = [("bound", bound), ("results", fields), ("enumerations", words), ("errors", errors), ("defaults", numbers)].map(|(name, map)| {
        let rows: Vec<String> = map.iter().map(|(key, value)| format!("  {}: {value}", json!(key))).collect();
        format!("{}: {{\n{}\n}}", json!(name), rows.join(",\n"))
    });
    format!("{{\n\"verbs\": [\n{verbs}\n],\n{}\n}}\n", parts.join(",\n"))
}

const HEAD: &str = "\
# Verbs

<!-- Made by `cargo xtask api` from the table of the kit, stele-kit/src/verbs; change that, not this page. -->

Every verb as a call with a JSON object of arguments, as `stele_call` in C and every other door that has no richer form take
it. A verb of a recorder takes `actor` and perhaps `session` beside its own arguments, one of a retriever perhaps `as_of` (a
sequence or a time), one of a session `session` and perhaps `actor` and `root`. An argument without a default must be given.
Lengths of time are seconds, times are written as RFC 3339 or as a date, or given as milliseconds since 1970.

";

/// The page of verbs, for readers.
fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut owner = "";
    for verb in verbs() {
        if verb.owner.as_str() != owner {
            owner = verb.owner.as_str();
            let _ = write!(page, "## Of a {owner}\n\n| verb | arguments | gives |\n| --- | --- | --- |\n");
        }
        let argument = |argument: &Argument| match &argument.default {
            None => format!("`{}`: {}", argument.name, argument.form),
            Some(default) => format!("`{}`: {} = `{default}`", argument.name, argument.form),
        };
        let arguments: Vec<String> = verb.arguments().iter().map(argument).collect();
        let result = if verb.result == "()" { "nothing".to_owned() } else { format!("`{}`", verb.result) };
        let _ = writeln!(page, "| `{}` | {} | {result} |", verb.name, arguments.join("<br>"));
        let last = verbs().filter(|other| other.owner == verb.owner).last().is_some_and(|last| last.name == verb.name);
        if last {
            page.push('\n');
        }
    }
    page.push_str("## Results\n\n| result | fields |\n| --- | --- |\n");
    for (name, fields) in results::fields() {
        let fields: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let _ = writeln!(page, "| `{name}` | {} |", fields.join(" "));
    }
    page
}

/// The files that are made, with what stands in them.
fn files() -> [(PathBuf, String); 2] {
    let root = paths::root();
    [(root.join("tests").join("cases").join("table.json"), table()), (root.join("docs").join("verbs.md"), page())]
}

/// `cargo xtask api`.
pub(crate) fn write() -> Result<(), String> {
    files().iter().try_for_each(|(path, text)| std::fs::write(path, text).map_err(|cause| format!("write {}: {cause}", path.display())))
}

/// `cargo xtask api --check`.
pub(crate) fn check() -> Result<(), String> {
    for (path, text) in files() {
        let stands = std::fs::read_to_string(&path).map_err(|cause| format!("read {}: {cause}", path.display()))?;
        if stands != text {
            return Err(format!("{} is not what the kit says: run cargo xtask api", path.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_page_in_the_repository_are_those_that_are_made() {
        assert_eq!(check(), Ok(()));
        serde_json::from_str::<Value>(&table()).expect("JSON");
    }
}
