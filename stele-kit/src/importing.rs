//! Imports: as verbs, and for a door whose host hears how far one is and may stop it, which JSON cannot carry.

use stele_core::{Code, Error, ImportOptions, Record, Result};

use crate::arguments::{Field, Fields};
use crate::notation::{Notation, written};
use crate::results::ImportReport;
use crate::table::{find, read_arguments};
use crate::values::{Import, Lines};

/// The verbs that import what may be long.
const VERBS: [&str; 3] = ["import_jsonl", "import_adr", "import_beads"];

/// As [`call_text`](crate::call_text), for `import_jsonl`, `import_adr` and `import_beads`: `options` say who hears of the
/// import and what stops it, the arguments all else.
///
/// # Errors
/// As [`call_text`](crate::call_text); `unknown_value` for a verb that is none of the three.
pub fn import_text(record: &Record, verb: &str, arguments: &str, options: ImportOptions<'_>, notation: Notation) -> Result<String> {
    let verb = find(verb)?;
    let mut fields = Fields::sent(read_arguments(arguments)?)?;
    let run = match verb.name {
        "import_jsonl" => jsonl_of,
        "import_adr" => adr_of,
        "import_beads" => beads_of,
        other => return Err(Error::new(Code::UnknownValue, format!("import: {other} is none of {}", VERBS.join(", "))).with("field", "verb")),
    };
    fields.know(&verb.arguments())?;
    written(&run(&mut fields, record, options)?, notation)
}

fn jsonl_of(fields: &mut Fields, record: &Record, options: ImportOptions<'_>) -> Result<ImportReport> {
    jsonl(record, Field::take(fields, "path_or_lines", None)?, Field::take(fields, "", None)?, options)
}

fn adr_of(fields: &mut Fields, record: &Record, options: ImportOptions<'_>) -> Result<ImportReport> {
    adr(record, Field::take(fields, "folder", None)?, Field::take(fields, "", None)?, Field::take(fields, "prefix", None)?, options)
}

fn beads_of(fields: &mut Fields, record: &Record, options: ImportOptions<'_>) -> Result<ImportReport> {
    beads(record, Field::take(fields, "path", None)?, Field::take(fields, "", None)?, options)
}

pub(crate) fn jsonl(record: &Record, from: Lines, import: Import, options: ImportOptions<'_>) -> Result<ImportReport> {
    let (actor, options) = asked(import, options);
    match from {
        Lines::Path(path) => record.import_jsonl(path, &actor, options),
        Lines::Texts(lines) => record.import_lines(lines.join("\n").as_bytes(), &actor, options),
    }
    .map(Into::into)
}

pub(crate) fn adr(record: &Record, folder: String, import: Import, prefix: Option<String>, options: ImportOptions<'_>) -> Result<ImportReport> {
    let (actor, options) = asked(import, options);
    let options = prefix.into_iter().fold(options, ImportOptions::prefix);
    record.import_adr(folder, &actor, options).map(Into::into)
}

pub(crate) fn beads(record: &Record, path: String, import: Import, options: ImportOptions<'_>) -> Result<ImportReport> {
    let (actor, options) = asked(import, options);
    record.import_beads(path, &actor, options).map(Into::into)
}

/// By whom an import is run, and the options with what its arguments say.
fn asked(import: Import, options: ImportOptions<'_>) -> (String, ImportOptions<'_>) {
    let mut options = import.session.into_iter().fold(options, ImportOptions::session);
    if import.partial {
        options = options.partial();
    }
    if import.allow_secrets {
        options = options.allow_secrets();
    }
    (import.actor, options)
}
