//! The C door: builds its library, compiles the C tests as C11 and as C++17 with every warning an error, and runs them as
//! they are, under sanitizers and under valgrind; installs the library, and builds the quickstart against that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{ci, paths};

/// The test programs, each a file of its name in `stele-ffi/ctest`.
const PROGRAMS: [&str; 4] = ["basics", "misuse", "providers", "host"];
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-g"];
/// What the library needs of the system when it is linked statically.
const STATIC: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// `cargo xtask c`.
pub(crate) fn run() -> Result<(), String> {
    for (tool, package) in [("gcc", "gcc"), ("g++", "g++"), ("nm", "binutils")] {
        if !is_there(tool) {
            return Err(format!("{tool} is not installed, and the C door cannot be tested without it: install {package}"));
        }
    }
    ci::cargo(&["build", "--quiet", "--package", "stele-ffi"])?;
    let built = built("debug");
    let work = paths::root().join("target").join("ctest");
    make_folder(&work)?;
    exports_are_those_of_the_header(&built)?;
    for name in PROGRAMS {
        let source = door().join("ctest").join(name).with_extension("c");
        for (compiler, dialect, library) in [("gcc", "c11", "libstele.so"), ("g++", "c++17", "libstele.a")] {
            let program = compile(&work, &source, compiler, dialect, &built.join(library), &[])?;
            check(&work, &mut Command::new(program))?;
        }
        let sanitized = compile(&work, &source, "gcc", "c11", &built.join("libstele.a"), &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])?;
        check(&work, &mut Command::new(sanitized))?;
        if is_there("valgrind") {
            let program = compile(&work, &source, "gcc", "c11", &built.join("libstele.so"), &[])?;
            let watched = ["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];
            check(&work, Command::new("valgrind").args(watched).arg(program))?;
        } else {
            println!("{name}: valgrind is not installed, so it was not run under it");
        }
    }
    let prefix = work.join("prefix");
    install_from(&built, &prefix)?;
    quickstart(&work, &prefix)
}

/// `cargo xtask c-install PREFIX`: the library as it is shipped, with its header and what pkg-config reads.
pub(crate) fn install(prefix: &str) -> Result<(), String> {
    ci::cargo(&["build", "--quiet", "--profile", "dist", "--package", "stele-ffi"])?;
    install_from(&built("dist"), &std::path::absolute(prefix).map_err(|cause| format!("find {prefix}: {cause}"))?)
}

/// Compiles a program of tests against the shared library of the dev profile.
pub(crate) fn program(source: &Path) -> Result<PathBuf, String> {
    let work = paths::root().join("target").join("ctest");
    make_folder(&work)?;
    compile(&work, source, "gcc", "c11", &built("debug").join("libstele.so"), &[])
}

fn built(profile: &str) -> PathBuf {
    paths::root().join("target").join(profile)
}

fn header() -> PathBuf {
    paths::root().join("include").join("stele.h")
}

fn door() -> PathBuf {
    paths::root().join("stele-ffi")
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|cause| format!("make {}: {cause}", folder.display()))
}

/// The library gives its host the functions of the header and nothing else.
fn exports_are_those_of_the_header(built: &Path) -> Result<(), String> {
    let listed = Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(built.join("libstele.so")).output();
    let listed = listed.map_err(|cause| format!("start nm: {cause}"))?.stdout;
    let exported: BTreeSet<String> = String::from_utf8_lossy(&listed).lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect();
    let header = std::fs::read_to_string(header()).map_err(|cause| format!("read the header: {cause}"))?;
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//") && !line.starts_with(" *"));
    let name = |line: &str| line.find('(').map(|at| line[..at].rsplit([' ', '*']).next().unwrap_or("").to_owned());
    let declared: BTreeSet<String> = code.filter_map(name).filter(|name| name.starts_with("stele_")).collect();
    if exported == declared {
        return Ok(());
    }
    let (more, fewer): (Vec<_>, Vec<_>) = (exported.difference(&declared).collect(), declared.difference(&exported).collect());
    Err(format!("the library exports {more:?}, which the header does not declare, and not {fewer:?}, which it does"))
}

/// Compiles a test program against a library.
fn compile(work: &Path, source: &Path, compiler: &str, dialect: &str, library: &Path, more: &[&str]) -> Result<PathBuf, String> {
    let program = work.join(source.file_stem().unwrap_or_default());
    let mut command = Command::new(compiler);
    command.arg(format!("-std={dialect}")).args(WARNINGS).args(more).arg("-I").arg(paths::root().join("include"));
    command.args(["-x", if compiler == "g++" { "c++" } else { "c" }]).arg(source);
    command.args(["-x", "none"]).arg(library).arg(rpath(library)).args(STATIC).arg("-o").arg(&program);
    run_to_end(&mut command)?;
    Ok(program)
}

/// Where a program finds its library when it runs.
fn rpath(library: &Path) -> String {
    format!("-Wl,-rpath,{}", library.parent().unwrap_or(library).display())
}

/// Runs a test program in a folder of its own.
fn check(work: &Path, program: &mut Command) -> Result<(), String> {
    let folder = tempfile::tempdir_in(work).map_err(|cause| format!("make a folder: {cause}"))?;
    run_to_end(program.arg(folder.path()))
}

/// Puts the library, its header and what pkg-config reads below a folder.
fn install_from(built: &Path, prefix: &Path) -> Result<(), String> {
    let (lib, include) = (prefix.join("lib"), prefix.join("include"));
    let packages = lib.join("pkgconfig");
    [&packages, &include].into_iter().try_for_each(|folder| make_folder(folder))?;
    let copy = |from: PathBuf, to: PathBuf| std::fs::copy(&from, &to).map(drop).map_err(|cause| format!("copy {}: {cause}", from.display()));
    for name in ["libstele.so", "libstele.a"] {
        copy(built.join(name), lib.join(name))?;
    }
    copy(header(), include.join("stele.h"))?;
    let template = std::fs::read_to_string(door().join("stele.pc.in")).map_err(|cause| format!("read stele.pc.in: {cause}"))?;
    let text = template.replace("@PREFIX@", &prefix.display().to_string()).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    std::fs::write(packages.join("stele.pc"), text).map_err(|cause| format!("write stele.pc: {cause}"))
}

/// Builds the quickstart against the installed library, as a host would, and compares what it prints.
fn quickstart(work: &Path, prefix: &Path) -> Result<(), String> {
    let flags = if is_there("pkg-config") {
        let asked = Command::new("pkg-config").args(["--cflags", "--libs", "stele"]).env("PKG_CONFIG_PATH", prefix.join("lib").join("pkgconfig")).output();
        let asked = asked.map_err(|cause| format!("start pkg-config: {cause}"))?;
        if !asked.status.success() {
            return Err(format!("pkg-config does not understand stele.pc: {}", String::from_utf8_lossy(&asked.stderr)));
        }
        String::from_utf8_lossy(&asked.stdout).split_whitespace().map(str::to_owned).collect()
    } else {
        println!("pkg-config is not installed, so stele.pc was not read by it");
        vec![format!("-I{}", prefix.join("include").display()), format!("-L{}", prefix.join("lib").display()), "-lstele".to_owned()]
    };
    let (source, program) = (door().join("examples").join("quickstart.c"), work.join("quickstart"));
    run_to_end(Command::new("gcc").arg("-std=c11").args(WARNINGS).arg(&source).args(flags).arg(rpath(&prefix.join("lib").join("x"))).arg("-o").arg(&program))?;
    let folder = tempfile::tempdir_in(work).map_err(|cause| format!("make a folder: {cause}"))?;
    let ran = Command::new(&program).arg(folder.path().join(".stele")).stderr(Stdio::inherit()).output().map_err(|cause| format!("start it: {cause}"))?;
    let wanted = std::fs::read(source.with_extension("txt")).map_err(|cause| format!("read quickstart.txt: {cause}"))?;
    if ran.status.success() && ran.stdout == wanted {
        return Ok(());
    }
    Err(format!("the quickstart prints something else than quickstart.txt:\n{}", String::from_utf8_lossy(&ran.stdout)))
}

fn run_to_end(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|cause| format!("start {}: {cause}", command.get_program().to_string_lossy()))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}
