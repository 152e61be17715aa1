//! The Node door: builds its addon, compares what it exports with the committed types, compiles the TypeScript and runs its
//! tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{ci, paths};

/// What Node calls this system and this processor.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

/// Builds the addon in the dev profile and the package around it, and runs its tests.
pub(crate) fn run() -> Result<(), String> {
    build("dev")?;
    check_types()?;
    npm(&["run", "--silent", "types"])?;
    npm(&["run", "--silent", "test"])
}

/// Builds the package with an addon of a profile: `dev`, or `dist` to measure and to pack.
pub(crate) fn build(profile: &str) -> Result<(), String> {
    install()?;
    ci::cargo(&["build", "--quiet", "--package", "stele-node", "--profile", profile])?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let name = format!("{}stele_node{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = paths::root().join("target").join(folder).join(name);
    let native = door().join("native");
    make_folder(&native)?;
    put(&built, &native.join(format!("stele.{}.node", platform())))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        put(&paths::root().join(licence), &door().join(licence))?;
    }
    npm(&["run", "--silent", "build"])
}

/// Writes `native.d.ts` from what the macros of the addon said while it was built.
pub(crate) fn write_types() -> Result<(), String> {
    ci::cargo(&["build", "--quiet", "--package", "stele-node"])?;
    std::fs::write(types_file(), types()?).map_err(|cause| format!("write native.d.ts: {cause}"))
}

fn check_types() -> Result<(), String> {
    let committed = std::fs::read_to_string(types_file()).map_err(|cause| format!("read native.d.ts: {cause}"))?;
    if committed == types()? { Ok(()) } else { Err("native.d.ts is not what the addon exports: cargo xtask node --types".to_owned()) }
}

fn door() -> PathBuf {
    paths::root().join("bindings").join("node")
}

fn types_file() -> PathBuf {
    door().join("native.d.ts")
}

/// Fetches the tools that the lock file names, unless they are there.
fn install() -> Result<(), String> {
    let changed = |path: PathBuf| std::fs::metadata(path).and_then(|found| found.modified());
    let (asked, there) = (changed(door().join("package-lock.json")), changed(door().join("node_modules/.package-lock.json")));
    match (asked, there) {
        (Ok(asked), Ok(there)) if there >= asked => Ok(()),
        _ => npm(&["ci", "--silent"]),
    }
}

fn put(from: &Path, to: &Path) -> Result<(), String> {
    // A process that has the old addon mapped keeps it: the file is replaced, not written over.
    let fresh = to.with_extension("new");
    let done = std::fs::copy(from, &fresh).and_then(|_| std::fs::rename(&fresh, to));
    done.map_err(|cause| format!("copy {} to {}: {cause}", from.display(), to.display()))
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|cause| format!("make {}: {cause}", folder.display()))
}

fn npm(arguments: &[&str]) -> Result<(), String> {
    step(Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" }).args(arguments).current_dir(door()))
}

fn step(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|cause| format!("start {:?}: {cause}", command.get_program()))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}

// ---- native.d.ts --------------------------------------------------------------------------------------------------

/// One thing that the addon exports, as its macros tell it.
#[derive(serde::Deserialize)]
struct Export {
    kind: String,
    name: String,
    js_doc: String,
    def: String,
}

/// The declarations of the addon, sorted by name.
fn types() -> Result<String, String> {
    let told = paths::root().join("target").join("napi-types").join("stele-node");
    let text = std::fs::read_to_string(&told).map_err(|cause| format!("read {} (touch bindings/node/build.rs and build again): {cause}", told.display()))?;
    let exports: Result<Vec<Export>, _> = text.lines().map(serde_json::from_str).collect();
    let mut exports = exports.map_err(|cause| format!("read {}: {cause}", told.display()))?;
    exports.sort_by(|a, b| a.name.cmp(&b.name));
    let mut written = "// What the native module exports. Written by `cargo xtask node --types`.\n".to_owned();
    for export in &exports {
        let body = match export.kind.as_str() {
            "fn" => format!("export declare {}\n", export.def),
            "interface" => format!("export interface {} {{\n{}}}\n", export.name, indented(&export.def)),
            "struct" => format!("export declare class {} {{\n{}}}\n", export.name, indented(methods_of(&export.name, &exports))),
            "impl" => continue,
            other => return Err(format!("native.d.ts: {} is of an unknown kind: {other}", export.name)),
        };
        written += &format!("\n{}{body}", export.js_doc);
    }
    Ok(written)
}

/// The methods of a class, which the macros tell apart from it.
fn methods_of<'e>(name: &str, exports: &'e [Export]) -> &'e str {
    exports.iter().find(|export| export.kind == "impl" && export.name == name).map_or("", |export| &export.def)
}

fn indented(lines: &str) -> String {
    lines.lines().fold(String::new(), |text, line| text + "  " + line.trim() + "\n")
}
