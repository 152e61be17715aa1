//! `tests/cases/table.json`: verbs, results, enumerations, errors and defaults as data, with which every door's tests
//! compare what the door has. Written from the tables of the kit and the core, or compared.

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

fn path() -> PathBuf {
    paths::root().join("tests").join("cases").join("table.json")
}

/// `cargo xtask api`.
pub(crate) fn write() -> Result<(), String> {
    std::fs::write(path(), table()).map_err(|cause| format!("write {}: {cause}", path().display()))
}

/// `cargo xtask api --check`.
pub(crate) fn check() -> Result<(), String> {
    let stands = std::fs::read_to_string(path()).map_err(|cause| format!("read {}: {cause}", path().display()))?;
    if stands == table() { Ok(()) } else { Err("tests/cases/table.json is not what the kit says: run cargo xtask api".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_repository_is_the_one_that_is_made() {
        assert_eq!(check(), Ok(()));
        serde_json::from_str::<Value>(&table()).expect("JSON");
    }
}
