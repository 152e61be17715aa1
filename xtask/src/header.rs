//! `include/stele.h` from the exports of the C door, its laws, and the enumerations of the kit: written, or
//! compared.

use std::fmt::Write as _;
use std::path::PathBuf;

use cbindgen::{Builder, Config, DocumentationStyle, Language, SortKey, Style};
use stele_kit::enumerations;

use crate::paths;

/// The files of the door in the order in which a reader wants them: types of all, then the record, writing, reading,
/// sessions, assembling.
const SOURCES: [&str; 15] =
    ["version", "text", "errors", "host", "record", "call", "import", "sweep", "recorder", "retriever", "retrieval", "session", "context", "assembly", "plan"];

fn folder() -> PathBuf {
    paths::root().join("stele-ffi")
}

/// The laws as a comment.
fn laws() -> Result<String, String> {
    let path = folder().join("laws.txt");
    let text = std::fs::read_to_string(&path).map_err(|cause| format!("read {}: {cause}", path.display()))?;
    Ok(text.lines().fold("/*\n".to_owned(), |all, line| format!("{all}{}\n", format!(" * {line}").trim_end())) + " */")
}

/// The constants of every enumeration.
fn constants() -> String {
    let mut text = "// How a call ended: well, or with an error of a kind.\nenum {\n  STELE_OK = 0".to_owned();
    for (word, number) in enumerations().into_iter().filter(|enumeration| enumeration.name == "error_kind").flat_map(|kinds| kinds.words) {
        let _ = write!(text, ",\n  STELE_{} = {number}", word.to_ascii_uppercase());
    }
    text.push_str("\n};\n");
    for enumeration in enumerations().into_iter().filter(|enumeration| enumeration.name != "error_kind") {
        text.push_str("\nenum {");
        for (at, (word, number)) in enumeration.words.iter().enumerate() {
            let name = format!("stele_{}_{word}", enumeration.name).to_ascii_uppercase().replace('-', "_");
            let _ = write!(text, "{}\n  {name} = {number}", if at > 0 { "," } else { "" });
        }
        text.push_str("\n};\n");
    }
    text
}

/// The header.
fn header() -> Result<String, String> {
    let mut config = Config {
        language: Language::C,
        style: Style::Type,
        cpp_compat: true,
        include_guard: Some("STELE_H".to_owned()),
        no_includes: true,
        sys_includes: vec!["stdbool.h".to_owned(), "stddef.h".to_owned(), "stdint.h".to_owned()],
        header: Some(laws()?),
        after_includes: Some(format!("\n{}", constants())),
        documentation_style: DocumentationStyle::C99,
        sort_by: SortKey::None,
        line_length: 110,
        usize_is_size_t: true,
        ..Config::default()
    };
    config.function.sort_by = Some(SortKey::None);
    let sources = SOURCES.iter().map(|name| folder().join("src").join(name).with_extension("rs"));
    let builder = sources.fold(Builder::new().with_config(config), |builder, path| builder.with_src(path));
    let mut text = Vec::new();
    builder.generate().map_err(|cause| format!("read the exports of the C door: {cause}"))?.write(&mut text);
    // A header is read by tools that know no other letters.
    Ok(String::from_utf8(text).map_err(|cause| format!("write the header: {cause}"))?.replace('\u{2026}', "..."))
}

fn path() -> PathBuf {
    paths::root().join("include").join("stele.h")
}

/// `cargo xtask header`.
pub(crate) fn write() -> Result<(), String> {
    std::fs::write(path(), header()?).map_err(|cause| format!("write {}: {cause}", path().display()))
}

/// `cargo xtask header --check`.
pub(crate) fn check() -> Result<(), String> {
    let stands = std::fs::read_to_string(path()).map_err(|cause| format!("read {}: {cause}", path().display()))?;
    if stands == header()? { Ok(()) } else { Err("include/stele.h is not what the sources say: run cargo xtask header".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_in_the_repository_is_the_one_that_is_made() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn every_export_stands_in_the_header_once() {
        let header: String = header().expect("a header").lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect();
        let mut seen = 0;
        for name in SOURCES {
            let source = std::fs::read_to_string(folder().join("src").join(name).with_extension("rs")).expect("a source");
            for (at, mark) in source.match_indices("extern \"C\" fn stele_") {
                let name = source[at + mark.len() - 6..].split('(').next().expect("a name");
                assert_eq!(header.matches(&format!("{name}(")).count(), 1, "{name}");
                seen += 1;
            }
        }
        assert!(seen > 70, "{seen} exports");
    }
}
